//! Every example by which the crate was ordered: what is found, and what is left alone.

use bash_commands::{Analyzer, Directory, Options, Via};
use bash_find_parser::{extract_find_paths, find_calls};

#[track_caller]
fn finds(text: &str, expected: &[&[&str]]) {
    assert_eq!(extract_find_paths(text), expected, "{text}");
}

#[test]
fn wrappers_before_the_command() {
    for text in [
        "sudo timeout 1 find / -name aaa",
        "sudo find /",
        "sudo -u root find /",
        "env find /",
        "env A=b find /",
        "A=b find /",
        "time find /",
        "timeout 1 find /",
        "nohup find /",
        "nice find /",
        "nice -n 19 find /",
        "watch find /",
        "stdbuf -oL find /",
        "busybox find /",
        "command find /",
        "sudo env time nohup nice find /",
    ] {
        finds(text, &[&["/"]]);
    }
}

#[test]
fn disguises() {
    finds("sudo -u root find /etc", &[&["/etc"]]);
    finds("timeout 1 find /", &[&["/"]]);
    finds("find \"/\"", &[&["/"]]);
    finds("fi\\nd /", &[&["/"]]);
    finds("find /etc\\ dir", &[&["/etc dir"]]);
    finds("x=$(find /)", &[&["/"]]);
    finds("y=`find /etc`", &[&["/etc"]]);
    finds("echo \"a $(find /)\"", &[&["/"]]);
    finds("bash -c \"find /\"", &[&["/"]]);
    finds("bash -c \"bash -c 'find /'\"", &[&["/"]]);
    finds("a; find /etc", &[&["/etc"]]);
    finds("/usr/bin/find /", &[&["/"]]);
    finds("FIND /", &[&["/"]]);
}

#[test]
fn segments() {
    finds("find /a; find /b", &[&["/a"], &["/b"]]);
    finds("find /a & find /b", &[&["/a"], &["/b"]]);
    finds("find /a | find /b", &[&["/a"], &["/b"]]);
    finds("find /a && find /b || find /c", &[&["/a"], &["/b"], &["/c"]]);
    finds("(find /a)\nfind /b", &[&["/a"], &["/b"]]);
    finds("echo ';' find /", &[]);
    finds("echo \"a; find /\"", &[]);
    finds("echo '$(find /)'", &[]);
}

#[test]
fn paths_and_what_is_none() {
    finds("find", &[&[]]);
    finds("find -name x", &[&[]]);
    finds("find / -name /x -path '/y/*' -maxdepth 1", &[&["/"]]);
    finds("find / 2>/dev/null", &[&["/"]]);
    finds("find 2>/dev/null /", &[&["/"]]);
    finds("find >out /a >>log /b <in", &[&["/a", "/b"]]);
    finds("find /etc /usr -type f", &[&["/etc", "/usr"]]);
    finds("find /{a,b}", &[&["/a", "/b"]]);
    finds("find /e* $DIR", &[&["/e*", "$DIR"]]);
    finds("find / -exec rm {} \\;", &[&["/"]]);
    finds("find /a -exec grep x /b {} + -name y", &[&["/a"]]);
    finds("find / -exec find /etc \\;", &[&["/"], &["/etc"]]);
}

#[test]
fn no_find() {
    for text in [
        "",
        "   ",
        "findstr x",
        "echo find /",
        "git find",
        "man find",
        "grep find /",
        "command -v find /",
        "cat <<'EOF'\nfind /\nEOF",
        "# find /",
        "git commit -m \"never run find /\"",
        "grep -r \"find /\" .",
        "f() { find /; }",
        "timeout find /",
        "sudo -l find /",
        "ssh host find /",
        "docker exec c find /",
    ] {
        finds(text, &[]);
    }
}

/// The richer answer: bytes, certainty, wrappers, directory and way.
#[test]
fn a_call_is_told_in_full() {
    let text = "cd /srv && x=$(sudo nice find '/a b' /e* \"$X\" -name y)";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let call = find_calls(report).next().unwrap();
    let paths: Vec<_> =
        call.start_paths().map(|path| (path.span().of(text), path.text(), path.kind().name())).collect();
    assert_eq!(
        paths,
        [("'/a b'", "/a b", "known"), ("/e*", "/e*", "pattern"), ("\"$X\"", "\"$X\"", "unknown")]
    );
    assert_eq!(call.wrappers().collect::<Vec<_>>(), ["sudo", "nice"]);
    assert_eq!(call.cwd().collect::<Vec<_>>(), [Directory::Known("/srv")]);
    assert_eq!(call.via().collect::<Vec<_>>(), [Via::CommandSubstitution]);
}

#[test]
fn the_directory_is_inherited_known_or_unknown() {
    let mut analyzer = Analyzer::new();
    for (text, expected) in [
        ("find .", Directory::Inherited(None)),
        ("cd /x && find .", Directory::Known("/x")),
        ("cd x && find .", Directory::Relative("x")),
        ("cd \"$X\" && find .", Directory::Unknown),
    ] {
        let report = analyzer.analyze(text, &Options::default());
        let call = find_calls(report).next().unwrap();
        assert_eq!(call.cwd().collect::<Vec<_>>(), [expected], "{text}");
    }
}

#[test]
fn what_other_finds_take_counts_too() {
    // A primary that no table knows may have a value, or not.
    finds("find /a -frobnicate /b", &[&["/a", "/b"]]);
    // bfs walks what stands behind the expression.
    finds("find -name x /b", &[&["/b"]]);
    finds("find /a -exec ls {} + /b", &[&["/a", "/b"]]);
}

#[test]
fn branches_that_the_text_decides() {
    finds("if true; then find /a; else find /b; fi", &[&["/a"]]);
    finds("if test -e x; then find /a; else find /b; fi", &[&["/a"], &["/b"]]);
    finds("false && find /", &[]);
    finds("for i in; do find /; done", &[]);
    finds("case a in b) find /b;; a) find /a;; esac", &[&["/a"]]);
    finds("exit; find /", &[]);
    finds("exec ls; find /", &[]);
    finds("set -e; false; find /", &[]);
    finds("set -n; find /", &[]);
    finds("bash -n -c 'find /'", &[]);
    finds("alias f='find /'; f", &[]);
    finds("f() { find \"$1\"; }; f /a; f /b", &[&["/a"], &["/b"]]);
    // An unknown name may be the function's.
    finds("f() { find /a; }; $X", &[&["/a"]]);
}

#[test]
fn a_text_with_a_mistake_runs_up_to_it() {
    let text = "find /a\nfind /b; find /c )\nfind /d";
    finds(text, &[&["/a"]]);
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    assert!(!report.is_complete());
    let error = report.syntax_error().expect("it is broken");
    assert_eq!(error.span().of(text), ")");
    finds("find /a; if true; then find /b", &[]);
    finds("find /a\necho \"", &[&["/a"]]);
}

#[test]
fn lines_that_end_in_carriage_returns() {
    // bash takes the carriage return for a part of the word, and so does find.
    finds("find /a\r\nfind /b\r\n", &[&["/a\r"], &["/b\r"]]);
}
