//! What a report tells beside the commands: constructs, callers, and the variables that are set.

use bash_commands::{Analyzer, Caller, Command, Directory, Options, StructureKind as Kind, Word};

fn structures(text: &str) -> Vec<(Kind, String)> {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    report.structures().map(|structure| (structure.kind, structure.span.of(text).to_owned())).collect()
}

#[test]
fn constructs_are_told_with_their_first_place() {
    let table: &[(&str, &[(Kind, &str)])] = &[
        ("", &[]),
        ("ls -l", &[]),
        ("ls;", &[]),
        ("! time ls >x", &[]),
        ("{ ls; }", &[]),
        ("[[ -f x ]]", &[]),
        ("echo $((1 + 1)) ${x:-y}", &[]),
        ("a; b; c", &[(Kind::List, "b")]),
        ("a && b", &[(Kind::List, "b")]),
        ("true || b x", &[(Kind::List, "b x")]),
        ("a\n\n# note\nb", &[(Kind::List, "b")]),
        ("{ a; b; }", &[(Kind::List, "b")]),
        ("a | b |& c", &[(Kind::Pipeline, "b")]),
        ("a &", &[(Kind::Background, "a")]),
        ("a & b", &[(Kind::List, "b"), (Kind::Background, "a")]),
        ("(a)", &[(Kind::Subshell, "(a)")]),
        ("echo $(a)", &[(Kind::Substitution, "$(a)")]),
        ("echo \"`a`\"", &[(Kind::Substitution, "`a`")]),
        ("diff <(a) x", &[(Kind::Substitution, "<(a)")]),
        ("echo ${x:-$(a)}", &[(Kind::Substitution, "$(a)")]),
        ("echo $(a; b)", &[(Kind::List, "b"), (Kind::Substitution, "$(a; b)")]),
        ("cat <<E\n$(a)\nE", &[(Kind::Substitution, "$(a)")]),
        ("cat <<'E'\n$(a)\nE", &[]),
        ("echo '$(a); b | c'", &[]),
        ("if a; then b; fi", &[(Kind::If, "if a; then b; fi")]),
        ("while a; do b; done", &[(Kind::Loop, "while a; do b; done")]),
        ("for x in 1; do b; done", &[(Kind::Loop, "for x in 1; do b; done")]),
        ("for ((;;)); do b; done", &[(Kind::Loop, "for ((;;)); do b; done")]),
        ("select x in 1; do b; done", &[(Kind::Loop, "select x in 1; do b; done")]),
        ("case x in y) b;; esac", &[(Kind::Case, "case x in y) b;; esac")]),
        ("f() { a; }", &[(Kind::Function, "f() { a; }")]),
        ("coproc a", &[(Kind::Coprocess, "coproc a")]),
        // Texts inside the text.
        ("bash -c 'a; b'", &[(Kind::List, "b")]),
        ("eval 'a | b'", &[(Kind::Pipeline, "b")]),
        ("x='a; b'; eval \"$x\"", &[(Kind::List, "eval \"$x\"")]),
        ("trap 'a; b' EXIT", &[(Kind::List, "b")]),
        ("echo \"$(echo `a`)\"", &[(Kind::Substitution, "$(echo `a`)")]),
    ];
    for (text, expected) in table {
        let expected: Vec<_> = expected.iter().map(|(kind, place)| (*kind, (*place).to_owned())).collect();
        assert_eq!(structures(text), expected, "{text}");
    }
}

fn words(command: Command<'_>) -> String {
    command.argv().map(Word::text).collect::<Vec<_>>().join(" ")
}

#[test]
fn callers_are_told_as_they_are_written() {
    let table: &[(&str, &[&[&str]])] = &[
        ("ls", &[&[]]),
        ("sudo -u root ls -l", &[&["sudo -u root ls -l"]]),
        ("/x/sudo nice -n 5 ls", &[&["/x/sudo nice -n 5 ls", "nice -n 5 ls"]]),
        ("env A=b ls", &[&["env A=b ls"]]),
        ("env -S 'ls -l' x", &[&["env -S ls -l x", "env ls -l x"]]),
        ("bash -c 'ls; rm x'", &[&["bash -c ls; rm x"], &["bash -c ls; rm x"]]),
        ("eval ls", &[&["eval ls"]]),
        ("xargs -n 1 rm", &[&["xargs -n 1 rm"]]),
        ("exec ls", &[&["exec ls"]]),
        ("f() { rm \"$1\"; }; f x", &[&["f x"]]),
        ("f() { g; }; g() { ls; }; f x", &[&["f x", "g"]]),
        ("find . -exec rm {} +", &[&[], &[]]),
        ("flock l -c 'rm x'", &[&["flock l -c rm x"]]),
        ("ls | sudo tee x", &[&[], &["sudo tee x"]]),
    ];
    for (text, expected) in table {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options::default());
        let callers: Vec<Vec<_>> = report
            .commands()
            .map(|command| command.callers().map(|caller| words(caller.command)).collect())
            .collect();
        assert_eq!(callers, *expected, "{text}");
    }
}

#[test]
fn a_call_of_a_function_is_no_wrapper() {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze("f() { sudo ls; }; f", &Options::default());
    let ls = report.commands().next().unwrap();
    let callers: Vec<_> =
        ls.callers().map(|Caller { command, is_function }| (words(command), is_function)).collect();
    assert_eq!(callers, [("f".to_owned(), true), ("sudo ls".to_owned(), false)]);
}

#[test]
fn a_redirection_of_a_caller_is_the_callers() {
    for text in ["eval ls > out", "bash -c ls > out", "f() { ls; }; f > out", "A=b bash -c ls > out"] {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options::default());
        let command = report.commands().next().unwrap();
        let targets: Vec<_> = command
            .callers()
            .flat_map(|caller| caller.command.redirections())
            .map(|redirection| redirection.target().text().to_owned())
            .collect();
        assert_eq!(targets, ["out"], "{text}");
    }
}

#[test]
fn a_caller_is_started_where_it_stands() {
    for (text, expected) in [
        ("env -C /etc ls", ["/srv", "/etc"]),
        ("cd sub && env -C .. ls", ["/srv/sub", "/srv"]),
        ("sudo -D /etc nice ls", ["/srv", "/etc"]),
        ("nice ls", ["/srv", "/srv"]),
    ] {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options { cwd: Some("/srv"), ..Options::default() });
        let ls = report.commands().last().unwrap();
        let caller = ls.callers().next().unwrap().command;
        let directories = [caller, ls].map(|command| match command.cwd().next().unwrap() {
            Directory::Inherited(path) => path.unwrap(),
            Directory::Known(path) | Directory::Relative(path) => path,
            Directory::Unknown => "unknown",
        });
        assert_eq!(directories, expected, "{text}");
    }
}

#[test]
fn the_file_that_a_substitution_reads_is_a_redirection() {
    for text in ["echo $(< /etc/passwd)", "echo `< /etc/passwd`", "x=\"$(</etc/passwd)\""] {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options::default());
        let mut targets = report
            .commands()
            .flat_map(Command::redirections)
            .map(|redirection| redirection.target().text().to_owned());
        assert_eq!(targets.next().as_deref(), Some("/etc/passwd"), "{text}");
    }
}

#[test]
fn variables_are_told_by_whatever_means_they_are_set() {
    let table: &[(&str, &[&str])] = &[
        ("ls $PATH", &[]),
        ("X=1", &["X"]),
        ("X=1 ls", &["X"]),
        ("export X=1 Y", &["X", "Y"]),
        ("for X in 1; do ls; done", &["X"]),
        ("read -r X Y", &["X", "Y"]),
        ("printf -v X 1", &["X"]),
        ("env X=1 ls", &["X"]),
        ("((X = 1))", &["X"]),
        ("unset X", &["X"]),
        ("(X=1)", &["X"]),
        ("f() { local X=1; ls; }; f", &["X"]),
        ("cat <<< ${X:=1}", &["X"]),
    ];
    for (text, expected) in table {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options::default());
        let mut names: Vec<_> = report.variables().collect();
        names.retain(|name| !matches!(*name, "PWD" | "OLDPWD" | "REPLY"));
        assert_eq!(names, *expected, "{text}");
    }
}
