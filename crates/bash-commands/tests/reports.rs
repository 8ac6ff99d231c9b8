//! What a report gives besides commands and words.

use bash_commands::{Analyzer, Assignment, IncompleteReason, Options, Reason, Redirection, Word};

#[test]
fn the_beginning_of_a_word_is_what_is_known_of_it() {
    let text = "x=1 ls /srv/$X /e*c '/*' 2>log";
    let mut analyzer = Analyzer::default();
    let report = analyzer.analyze(text, &Options::default());
    assert_eq!(report.source(), text);
    let command = report.commands().next().unwrap();
    assert_eq!(command.argv().map(Word::beginning).collect::<Vec<_>>(), ["ls", "/srv/", "/e", "/*"]);
    let redirections: Vec<_> = command.redirections().map(Redirection::descriptor).collect();
    assert_eq!(redirections, [Some(2)]);
    assert_eq!(format!("{:?}", command.assignments().collect::<Vec<_>>()), "[x=\"1\" (known)]");
}

#[test]
fn a_word_has_a_value_or_a_pattern_or_neither() {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze("ls '*' /e\\*[a]* \"$X\" ''", &Options::default());
    let words = report.commands().flat_map(bash_commands::Command::argv);
    assert_eq!(
        words.map(|word| (word.value(), word.pattern())).collect::<Vec<_>>(),
        [(Some("ls"), None), (Some("*"), None), (None, Some("/e\\*[a]*")), (None, None), (Some(""), None)]
    );
}

#[test]
fn a_report_is_complete_when_nothing_is_left_open() {
    let mut analyzer = Analyzer::new();
    for (text, is_complete) in [("", true), ("ls $X", true), ("eval \"$X\"", false), ("ls (", false)] {
        assert_eq!(analyzer.analyze(text, &Options::default()).is_complete(), is_complete, "{text}");
    }
}

#[test]
fn a_report_shows_its_commands() {
    let mut analyzer = Analyzer::new();
    let options = Options { cwd: Some("/w"), ..Options::default() };
    assert_eq!(
        format!("{:?}", analyzer.analyze("cd /tmp && sudo ls $(pwd)", &options)),
        "Report { commands: [\
         Command { argv: [\"cd\" (known), \"/tmp\" (known)], wrappers: [], via: [], cwd: [Inherited(Some(\"/w\"))], span: Span { start: 0, end: 7 } }, \
         Command { argv: [\"ls\" (known), \"/tmp\" (known)], wrappers: [\"sudo\"], via: [], cwd: [Known(\"/tmp\")], span: Span { start: 11, end: 25 } }, \
         Command { argv: [\"pwd\" (known)], wrappers: [], via: [CommandSubstitution], cwd: [Known(\"/tmp\")], span: Span { start: 21, end: 24 } }\
         ], incomplete: [], syntax_error: None }"
    );
}

#[test]
fn reasons_have_names_of_their_own() {
    let reasons = [
        Reason::Variable,
        Reason::CommandOutput,
        Reason::ProcessSubstitution,
        Reason::Arithmetic,
        Reason::Home,
        Reason::StandardInput,
        Reason::FileContent,
        Reason::FoundFile,
        Reason::Budget,
    ];
    let mut described = reasons.map(Reason::describe);
    described.sort_unstable();
    assert!(described.windows(2).all(|pair| pair[0] != pair[1]), "{described:?}");
    let incomplete = [IncompleteReason::Steps, IncompleteReason::Depth, IncompleteReason::Syntax];
    assert_eq!(incomplete.map(IncompleteReason::name), ["steps", "depth", "syntax"]);
    let incomplete = [IncompleteReason::UnknownCode, IncompleteReason::Length];
    assert_eq!(incomplete.map(IncompleteReason::name), ["unknown-code", "length"]);
}

#[test]
fn constructs_have_names() {
    let text =
        "a; b | c & (d) $(e); if f; then g; fi; while h; do i; done; case j in esac; k() { l; }; coproc m";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    assert_eq!(
        report.syntax_error().map(ToString::to_string),
        Some(
            "unexpected token; end the command before it with `;` or a newline, or quote it (byte 15)"
                .to_owned()
        )
    );
    let text = text.replace("(d) $(e)", "(d); $(e)");
    let names: Vec<_> = analyzer
        .analyze(&text, &Options::default())
        .structures()
        .map(|structure| structure.kind.name())
        .collect();
    let all = "list pipeline background subshell substitution if loop case function coprocess";
    assert_eq!(names, all.split(' ').collect::<Vec<_>>());
}

/// Commands inside the words of others have assignments and redirections of their own.
#[test]
fn assignments_and_redirections_are_the_commands_own() {
    let mut analyzer = Analyzer::new();
    for (text, expected) in [
        ("a <\"$(b <c)\" >d", &["a: <\"$(b <c)\", >d", "b: <c"][..]),
        ("a >e$(b >c) >d <\"$(<f)\"", &[": <f", "a: >e$(b >c), >d, <\"$(<f)\"", "b: >c"]),
        ("X=$(Y=1 b) Z=2 a", &["a: X, Z", "b: Y"]),
        ("X=$(Y=1 b <c) >d", &[": >d", ": X", "b: Y, <c"]),
        ("{ a; } >\"$(b 2>c)\"", &[": >\"$(b 2>c)\"", "a: ", "b: 2>c"]),
        ("cat <<<\"$(b <c)\" 2>d", &["b: <c", "cat: <<<\"$(b <c)\", 2>d"]),
        ("a <(b <c) <d", &["a: <d", "b: <c"]),
    ] {
        let report = analyzer.analyze(text, &Options::default());
        let own = |command: bash_commands::Command<'_>| {
            let names = command.assignments().map(Assignment::name);
            let places = command.redirections().map(|redirection| redirection.span().of(text));
            let own: Vec<_> = names.chain(places).collect();
            format!("{}: {}", command.name().map_or("", Word::text), own.join(", "))
        };
        let mut said: Vec<_> = report.commands().map(own).collect();
        said.sort_unstable();
        assert_eq!(said, expected, "{text}");
    }
}
