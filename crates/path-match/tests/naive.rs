//! The library and its slow twin give the same answer to every question, in every mode.

mod twin;

use path_match::{Candidate, Case, Mode, RuleSet, Verdict};
use proptest::prelude::*;
use twin::{Answer, Question};

/// Few names, so that paths meet rules often.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", "ab", "A", ".a", ".", "..", "", "*", "**", "a", "b", "..", "ß", "Σ", "ς", "x*", "~",
    ])
}

fn pattern_name() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "A", ".", "*", "?", "[ab]", "[!a]", "[a-b]", "\\*", "\\.", "\\a", "[.]", "[", "]",
    ]);
    prop_oneof![
        2 => name().prop_map(str::to_owned),
        3 => prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["/", "/", "/", "", "~/", "$HOME/", "~", "${HOME}/", "~a/", "//"]);
    (start, prop::collection::vec(name(), 0..6))
        .prop_map(|(start, names)| format!("{start}{}", names.join("/")))
}

fn pattern() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["/", "/", "/", "", "~/"]);
    (start, prop::collection::vec(pattern_name(), 0..5))
        .prop_map(|(start, names)| format!("{start}{}", names.join("/")))
}

fn rule() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "ab", "A", ".a", "..", "", ".", "ß", "σ"]);
    let start = prop::sample::select(vec!["/", "/", "/", "~/"]);
    let end = prop::sample::select(vec!["", "", "/", "/*", "/**", "/**/*//"]);
    (start, prop::collection::vec(name, 0..4), end)
        .prop_map(|(start, names, end)| format!("{start}{}{end}", names.join("/")))
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::AsWritten, Mode::Lexical])
}

fn case() -> impl Strategy<Value = Case> {
    prop::sample::select(vec![Case::Sensitive, Case::Folded])
}

fn cwd() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![
        None,
        Some("/"),
        Some("/a"),
        Some("/a/b/"),
        Some("/a/../b"),
        Some("/[ab]"),
        Some("a"),
    ])
}

fn assert_same(question: &Question<'_>) -> Result<(), TestCaseError> {
    let rules = RuleSet::builder()
        .home(question.home)
        .mode(question.mode)
        .case(question.case)
        .rules(question.rules)
        .map_err(|error| TestCaseError::fail(error.to_string()))?
        .build();
    let candidate =
        if question.glob { Candidate::glob(question.text) } else { Candidate::new(question.text) }
            .cwd(question.cwd);
    let answer = match rules.judge(candidate) {
        Verdict::Hit(_) => Answer::Hit,
        Verdict::Clear => Answer::Clear,
        Verdict::Unresolved(_) => Answer::Unresolved,
    };
    prop_assert_eq!(answer, twin::judge(question));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn known_paths(mode in mode(), case in case(), rules in prop::collection::vec(rule(), 0..5), cwd in cwd(), text in path()) {
        assert_same(&Question { mode, case, home: Some("/a/b"), rules: &rules, cwd, text: &text, glob: false })?;
    }

    #[test]
    fn patterns(mode in mode(), case in case(), rules in prop::collection::vec(rule(), 0..4), cwd in cwd(), text in pattern()) {
        assert_same(&Question { mode, case, home: Some("/a"), rules: &rules, cwd, text: &text, glob: true })?;
    }
}
