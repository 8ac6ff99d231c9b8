//! Calls and their parts, row by row.

use bash_commands::{Analyzer, Options, Word};
use bash_find_parser::{Action, ActionKind, FindCall, Name, Place, extract_find_paths, find_calls};

#[test]
fn faults_that_others_had() {
    const TABLE: &[(&str, &[&[&str]])] = &[
        ("find / -path '*/x/*.d.ts' 2>/dev/null | head -3; find / -name y", &[&["/"], &["/"]]),
        ("true; find . -exec rm {} \\;", &[&["."]]),
        ("echo x | find /", &[&["/"]]),
        ("find /tmp/x -newer /etc/passwd -delete", &[&["/tmp/x"]]),
        ("find ~/.g/s -mmin +120 -type f -delete", &[&["~/.g/s"]]),
        ("find ~/.g/s -mmin +120 -type f -exec rm -f -- {} +", &[&["~/.g/s"]]),
        ("find src / -name x", &[&["src", "/"]]),
        ("find -Hx . -iname a", &[&["."]]),
        ("find -f / -name a", &[&["/"]]),
        ("nice -n 19 find /", &[&["/"]]),
        ("stdbuf -o 0 find /", &[&["/"]]),
        ("timeout --preserve-status 5 find /", &[&["/"]]),
        ("timeout --sig KILL 5 find /", &[&["/"]]),
        ("nice -5 find /", &[&["/"]]),
        ("env -S '-u DUMMY find /'", &[&["/"]]),
        ("sudo env -S \"find /\"", &[&["/"]]),
        ("env -u T find /", &[&["/"]]),
        ("bash -O extglob -c 'find /'", &[&["/"]]),
        ("bash -o posix -c 'find /'", &[&["/"]]),
        ("bash --rcfile f -ic 'find /'", &[&["/"]]),
        ("bash +c 'find /'", &[&["/"]]),
        ("bash -c 'echo safe''; find /'", &[&["/"]]),
        ("echo a & find /", &[&["/"]]),
        ("{ find /; }", &[&["/"]]),
        ("for i in 1 2; do find /; done", &[&["/"]]),
        ("cat > n.md <<'EOF'\nfind /\nEOF", &[]),
        ("cat f\nbash <<EOF\nfind /\nEOF", &[&["/"]]),
        ("cat <<'EOF' 2>&1 | find /\nx\nEOF", &[&["/"]]),
        ("<<EOF find /\nx\nEOF", &[&["/"]]),
        ("echo hi > >(find /)", &[&["/"]]),
        ("true;>out find /", &[&["/"]]),
        ("coproc find /", &[&["/"]]),
        ("select x in 1; do find /; done", &[&["/"]]),
        ("f''ind /", &[&["/"]]),
        ("$'\\x66ind' /", &[&["/"]]),
        ("find$IFS/", &[&["/"]]),
        ("{find,/}", &[&["/"]]),
        ("git commit -m \"run `find /`\"", &[&["/"]]),
        ("trap 'find /' EXIT", &[&["/"]]),
        ("[[ -n $(find /) ]]", &[&["/"]]),
        ("echo ${x:-$(find /)}", &[&["/"]]),
        ("declare a=$(find /)", &[&["/"]]),
        // Another name for the process, and find all the same.
        ("exec -a x find /", &[&["/"]]),
        ("builtin command find /", &[&["/"]]),
        ("script -qc 'find /' /dev/null", &[&["/"]]),
        ("flock l -c 'find /'", &[&["/"]]),
        ("flock l find /", &[&["/"]]),
        ("bash -c 'find \"$1\"' _ /", &[&["/"]]),
        ("echo 'find /' | bash", &[&["/"]]),
        ("printf '/\\0' | xargs -0 find", &[&["/"]]),
        ("cat <<EOF | xargs find\n/\nEOF", &[&["/"]]),
        ("D=\"/ /etc\"; find $D", &[&["/", "/etc"]]),
        ("a=(find /)", &[]),
        ("case find in find) :;; esac", &[]),
        ("echo >&2 find /", &[]),
        ("\"find /\"", &[]),
        ("xargs -r find </dev/null", &[]),
    ];
    let wrong: Vec<_> = TABLE
        .iter()
        .filter_map(|&(text, expected)| {
            let got = extract_find_paths(text);
            (got != *expected).then(|| format!("{text:?}: expected {expected:?}, got {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_call_tells_its_parts() {
    let text = "sudo find -L '/a b' -f /c -name x -fprint /out -delete -exec rm -- {} + /late";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let call = find_calls(report).next().unwrap();
    assert_eq!(call.name(), Name::Find);
    let paths: Vec<_> =
        call.start_paths().map(|path| (path.text(), path.span().of(text), path.place())).collect();
    assert_eq!(
        paths,
        [("/a b", "'/a b'", Place::Leading), ("/c", "/c", Place::Late), ("/late", "/late", Place::Late)]
    );
    let kinds: Vec<_> = call.actions().map(Action::kind).collect();
    assert!(
        matches!(kinds[..], [ActionKind::WriteFile, ActionKind::Delete, ActionKind::Execute(_)]),
        "{kinds:?}"
    );
    let actions: Vec<_> = call.actions().collect();
    assert_eq!(actions[0].file().unwrap().text(), "/out");
    assert_eq!(actions[2].argv().map(Word::text).collect::<Vec<_>>(), ["rm", "--", "{}"]);
}

#[test]
fn attached_path_of_bsd_has_its_own_bytes() {
    let text = "find -f/etc /b";
    let mut analyzer = Analyzer::new();
    let call = find_calls(analyzer.analyze(text, &Options::default())).next().unwrap();
    let paths: Vec<_> = call.start_paths().map(|path| (path.text(), path.span().of(text))).collect();
    assert_eq!(paths, [("/etc", "/etc"), ("/b", "/b")]);
}

#[test]
fn paths_in_a_file_are_unknown() {
    let mut analyzer = Analyzer::new();
    let call = find_calls(analyzer.analyze("find -files0-from list", &Options::default())).next().unwrap();
    let path = call.start_paths().next().unwrap();
    assert!(path.is_in_file() && path.value().is_none());
    assert_eq!((path.text(), path.kind().name()), ("-files0-from", "unknown"));
    assert!(!call.may_walk_cwd());
}

#[test]
fn names_that_may_be_find() {
    let name = |text: &str| {
        let mut analyzer = Analyzer::new();
        find_calls(analyzer.analyze(text, &Options::default())).next().map(FindCall::name)
    };
    assert_eq!(name("/usr/bin/f?nd /"), Some(Name::Pattern));
    assert_eq!(name("fin? /"), Some(Name::Unknown));
    assert_eq!(name("$X /"), Some(Name::Unknown));
    assert_eq!(name("/usr/bin/$X /"), Some(Name::Unknown));
    assert_eq!(name("python$X /"), None);
    assert_eq!(name("g* /"), None);
}
