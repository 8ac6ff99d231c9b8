//! What a report gives besides commands and words.

use bash_commands::{Analyzer, IncompleteReason, Options, Reason, Redirection, Word};

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
