//! Any text: no panic, spans that fit the text, steps that are linear, and nothing passed over in silence.

#![no_main]

use bash_commands::{Analyzer, Options, Report, Span};
use libfuzzer_sys::fuzz_target;

fn check_span(text: &str, span: Span, what: &str) {
    let range = span.start as usize..span.end as usize;
    assert!(range.start <= range.end && text.get(range).is_some(), "{what} {span:?} does not fit");
}

fn check(text: &str, report: Report<'_>) {
    for command in report.commands() {
        check_span(text, command.span(), "command");
        assert!(command.cwd().len() > 0, "a command is started somewhere");
        for word in command.argv() {
            check_span(text, word.span(), "word");
            assert_eq!(word.value().is_some(), word.kind().name() == "known");
            assert_eq!(word.pattern().is_some(), word.kind().name() == "pattern");
        }
        for redirection in command.redirections() {
            check_span(text, redirection.span(), "redirection");
        }
        for assignment in command.assignments() {
            check_span(text, assignment.value().span(), "assignment");
        }
        assert!(command.via().count() < 1000 && command.wrappers().count() < 1000, "chains are short");
    }
    for part in report.incomplete() {
        check_span(text, part.span, "incomplete part");
    }
    if let Some(error) = report.syntax_error() {
        check_span(text, error.span(), "syntax error");
        assert!(!report.is_complete(), "what comes behind a syntax error is not accounted for");
    }
    // Comments, and functions that nobody calls, run nothing; everything else does, or is said to be unread.
    let is_code = text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let may_run_nothing = text.contains("()") || text.contains("function") || text.contains(['\\', '#']);
    if is_code && !may_run_nothing && report.is_complete() {
        assert!(
            runs_nothing_by_design(text) || report.commands().len() > 0,
            "a text is passed over in silence"
        );
    }
}

/// Constructs whose bodies are decided by the text, such as a `case` that does not match.
fn runs_nothing_by_design(text: &str) -> bool {
    ["case", "for", "select", "if", "while", "until", "[[", "((", "&&", "||", "!", "coproc", "time"]
        .iter()
        .any(|word| text.contains(word))
}

fuzz_target!(|text: &str| {
    let mut analyzer = Analyzer::new();
    let place = Options { cwd: Some("/home/ada/project"), home: Some("/home/ada"), ..Options::default() };
    for options in [Options::default(), place] {
        let first = format!("{:?}", {
            let report = analyzer.analyze(text, &options);
            check(text, report);
            report
        });
        // A buffer that is used again leaves no trace of the text before.
        assert_eq!(
            first,
            format!("{:?}", analyzer.analyze(text, &options)),
            "the answer depends on what was read before"
        );
    }
    // A small budget gives up earlier, and says so, or gives the same answer.
    let small = Options { base_steps: 100, steps_per_byte: 1, ..Options::default() };
    check(text, analyzer.analyze(text, &small));
});
