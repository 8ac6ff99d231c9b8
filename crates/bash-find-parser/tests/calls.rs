//! What a call tells besides its start paths.

#![expect(clippy::expect_used, reason = "a test may stop at the first surprise; this is about its helpers")]

use bash_commands::find_expression::Piece;
use bash_commands::{Analyzer, Options, Word};
use bash_find_parser::{Action, ActionKind, FindCall, find_calls};

/// Asks something of the only find of a text.
fn ask<T>(text: &str, question: impl FnOnce(FindCall<'_>) -> T) -> T {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    assert_eq!(find_calls(report).count(), 1, "{text}");
    question(find_calls(report).next().expect("there is one"))
}

#[test]
fn actions_name_what_they_do() {
    let text = "find /srv -name '*.o' -delete -fprint /tmp/log -exec rm -v {} + -exec echo {} ';'";
    let found = ask(text, |call| {
        let actions = call.actions().map(|action| {
            let words: Vec<&str> = action.argv().map(Word::text).collect();
            let file = action.file().map(|file| file.text().to_owned());
            let word = action.word().map(|word| word.text().to_owned());
            (word.unwrap_or_default(), action.deletes(), file, words.join(" "))
        });
        actions.collect::<Vec<_>>()
    });
    let row = |word: &str, deletes, file: Option<&str>, words: &str| {
        (word.to_owned(), deletes, file.map(str::to_owned), words.to_owned())
    };
    assert_eq!(
        found,
        [
            row("-delete", true, None, ""),
            row("-fprint", false, Some("/tmp/log"), ""),
            row("-exec", false, None, "rm -v {}"),
            row("-exec", false, None, "echo {}"),
        ]
    );
    let kinds = ask(text, |call| call.actions().map(Action::kind).collect::<Vec<_>>());
    assert!(
        matches!(
            kinds[..],
            [ActionKind::Delete, ActionKind::WriteFile, ActionKind::Execute(_), ActionKind::Execute(_)]
        ),
        "{kinds:?}"
    );
}

#[test]
fn a_pattern_is_given_with_its_quoted_characters_behind_backslashes() {
    let patterns = |text: &str| {
        ask(text, |call| call.start_paths().map(|path| path.pattern().map(str::to_owned)).collect::<Vec<_>>())
    };
    assert_eq!(patterns("find /e* / '/*'"), [Some("/e*".to_owned()), None, None]);
    assert_eq!(patterns("find '/*'/e*"), [Some("/\\*/e*".to_owned())]);
}

#[test]
fn a_call_has_its_command_its_place_and_its_pieces() {
    let text = "cd /srv && sudo find . -name x";
    ask(text, |call| {
        assert_eq!(call.span(), call.command().span());
        assert!(call.span().of(text).ends_with("find . -name x"), "{:?}", call.span());
        assert_eq!(call.command().wrappers().collect::<Vec<_>>(), ["sudo"]);
        let starts = call.pieces().filter(|piece| matches!(piece, Piece::StartPath { .. })).count();
        assert_eq!(starts, 1);
        assert!(format!("{call:?}").starts_with("FindCall { name: Find"), "{call:?}");
    });
}

/// A name that is a pattern may be find: bracket expressions with ranges, negation and classes.
#[test]
fn names_that_may_be_find() {
    let is_call = |text: &str| {
        let mut analyzer = Analyzer::new();
        find_calls(analyzer.analyze(text, &Options::default())).next().is_some()
    };
    for name in ["f?nd", "[e-g]ind", "[!a-e]ind", "[^x]ind", "*[d]", "fin[[:alpha:]]", "[F]ind", "f*n*d"] {
        assert!(is_call(&format!("/usr/bin/{name} /")), "{name}");
    }
    for name in ["f?ne", "[a-e]ind", "[!e-g]ind", "fin[^d]", "gr*p"] {
        assert!(!is_call(&format!("/usr/bin/{name} /")), "{name}");
    }
}
