//! What holds for any text: no panic, bounded work, a bounded stack, places that are places, and unknowns that never
//! turn into a "no".

use bash_commands::find_expression::{self, Piece};
use bash_commands::{Analyzer, Command, Directory, IncompleteReason, Kind, Options, Report, Span, Word};
use pathological::PATHOLOGICAL;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

mod common;
mod pathological;

const OPTIONS: Options<'static> = Options {
    cwd: Some(common::CWD),
    home: Some(common::HOME),
    max_depth: 64,
    steps_per_byte: 64,
    base_steps: 200_000,
};

/// Everything that a report says, as text.
fn described(text: &str, analyzer: &mut Analyzer, options: &Options<'_>) -> String {
    let report = analyzer.analyze(text, options);
    let mut out = format!("{report:#?}");
    for command in report.commands() {
        let redirections: Vec<_> = command.redirections().collect();
        let assignments: Vec<_> = command.assignments().collect();
        let _ = writeln!(out, "{assignments:?} {redirections:?}");
    }
    out
}

fn assert_span(text: &str, span: Span, what: &str) {
    assert!(span.start <= span.end, "{what}: {span:?} in {text:?}");
    assert!(text.get(span.start as usize..span.end as usize).is_some(), "{what}: {span:?} in {text:?}");
}

fn assert_word(text: &str, word: Word<'_>) {
    assert_span(text, word.span(), "word");
    match word.kind() {
        Kind::Known => assert_eq!(word.value(), Some(word.text()), "{text:?}"),
        Kind::Pattern => assert!(word.pattern().is_some() && word.value().is_none(), "{text:?}"),
        Kind::Unknown(_) => assert!(word.pattern().is_none() && word.value().is_none(), "{text:?}"),
    }
    assert!(!word.is_splice() || matches!(word.kind(), Kind::Unknown(_)), "{text:?}: {word:?}");
    assert_eq!(word.is_verbatim(), word.span().of(text) == word.text(), "{text:?}: {word:?}");
}

/// The laws that one report must keep.
fn assert_report(text: &str, report: Report<'_>) {
    for command in report.commands() {
        assert_span(text, command.span(), "command");
        assert!(command.cwd().len() > 0, "{text:?}: a command without a directory: {command:?}");
        for word in command.argv() {
            assert_word(text, word);
        }
        for assignment in command.assignments() {
            assert_word(text, assignment.value());
        }
        for redirection in command.redirections() {
            assert_span(text, redirection.span(), "redirection");
            assert_word(text, redirection.target());
        }
        for directory in command.cwd() {
            if let Directory::Known(path) = directory {
                assert!(path.starts_with('/'), "{text:?}: {path:?}");
            }
        }
    }
    for part in report.incomplete() {
        assert_span(text, part.span, "incomplete");
    }
    if let Some(error) = report.syntax_error() {
        assert_span(text, error.span(), "error");
        let says_so = report
            .incomplete()
            .any(|part| matches!(part.reason, IncompleteReason::Syntax | IncompleteReason::Depth));
        assert!(says_so, "{text:?}: an error, and nothing is incomplete");
    }
    assert_eq!(report.is_complete(), report.incomplete().len() == 0);
}

/// Whether the text has anything but blanks and comments, as far as one can say without reading it.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim_matches([' ', '\t', '\r']);
        line.is_empty() || line.starts_with('#')
    })
}

/// Analyses on a thread with the stack that the crate promises to do with.
#[expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // Code that is not optimised needs several times the stack.
    let size = if cfg!(debug_assertions) { 4 << 20 } else { 256 << 10 };
    std::thread::Builder::new().stack_size(size).spawn(work).unwrap().join().unwrap()
}

const TOKENS: &[&str] = &[
    "find",
    "/",
    "echo",
    "x",
    "a b",
    "é",
    "\u{1f980}",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    ";",
    ";;",
    ";&",
    ";;&",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[[",
    "]]",
    "[",
    "]",
    "$(",
    "$((",
    "${",
    "$[",
    "`",
    "\"",
    "'",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "#",
    "!",
    "=",
    "+=",
    "~",
    "*",
    "?",
    "<",
    ">",
    ">>",
    "<<E",
    "<<-E",
    "<<'E'",
    "\nE\n",
    "<<<",
    ">&",
    "&>",
    "<(",
    ">(",
    "2>",
    "{fd}>",
    "if ",
    " then ",
    " else ",
    " elif ",
    " fi",
    "for i in ",
    "for ((",
    " do ",
    " done",
    "while ",
    "until ",
    "case ",
    " in ",
    " esac",
    "select ",
    "function f ",
    "f()",
    "f",
    "time ",
    "coproc ",
    "eval ",
    "exec ",
    "exit ",
    "return ",
    "break ",
    "set -e",
    "set -- ",
    "shift ",
    "source ",
    ". ",
    "trap ",
    "alias ",
    "shopt -s expand_aliases\n",
    "unset ",
    "export ",
    "local ",
    "declare -A m",
    "declare -n r=",
    "readonly ",
    "read x ",
    "mapfile a ",
    "printf -v x ",
    "getopts ab x",
    "let ",
    "test ",
    "cd ",
    "pushd ",
    "popd ",
    "cd -",
    "bash -c ",
    "sh ",
    "sudo ",
    "env -S ",
    "timeout 1 ",
    "xargs ",
    "xargs -I{} ",
    "parallel ",
    "-exec ",
    " {} ",
    "\\;",
    "+",
    "-name ",
    "$x",
    "$1",
    "$@",
    "\"$@\"",
    "$*",
    "$#",
    "$?",
    "$$",
    "$!",
    "$_",
    "$-",
    "${x:-",
    "${x:=",
    "${x:?",
    "${x:+",
    "${x/",
    "${x//",
    "${x#",
    "${x%%",
    "${x^^}",
    "${x@Q}",
    "${!x}",
    "${!x@}",
    "${#x}",
    "${x:1:2}",
    "${x[@]}",
    "${x[0]}",
    "x=",
    "x+=",
    "x=(",
    "x[1]=",
    "{a,b}",
    "{1..9}",
    "{a..",
    ",",
    "..",
    "%",
    "^",
    "0x1f",
    "1",
    "-1",
    "9999999999999999999",
    "**",
    "<<",
    ":",
    "-",
    "=~",
    "==",
    "-f",
    "@(",
    "!(",
    "|a)",
    "[a-z]",
    "[[:alpha:]]",
    "\\x41",
    "\\u00e9",
    "\\377",
    "\u{0}",
    "\u{7f}",
    "true",
    "false",
    "seq 3",
    "cat",
    "awk '{print}'",
    "sed s/a/b/",
    "tr a b",
    "sort",
    "head -n1",
];

fn token_soup() -> impl Strategy<Value = String> {
    vec(select(TOKENS), 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 200 } else { 3_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_keeps_the_laws(text in "\\PC{0,80}") {
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
    }

    #[test]
    fn any_bytes_keep_the_laws(bytes in vec(0u8..128, 0..80)) {
        let text = String::from_utf8(bytes).unwrap();
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
    }

    #[test]
    fn token_soup_keeps_the_laws(text in token_soup()) {
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
        assert_report(&text, Analyzer::new().analyze(&text, &Options::default()));
    }

    /// Every byte belongs to something: silence is not an answer.
    #[test]
    fn simple_commands_are_never_passed_over(
        text in vec(select(&["a", "b c", "'d'", "$e", ";", "&&", "|", "\n", " ", "(", ")", ">f", "x=1"][..]), 1..12)
            .prop_map(|tokens| tokens.concat()),
    ) {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&text, &OPTIONS);
        prop_assert!(is_blank(&text) || report.commands().len() + report.incomplete().len() > 0, "{text:?}");
    }

    /// The buffers that an analyzer keeps carry nothing over.
    #[test]
    fn a_reused_analyzer_says_the_same(texts in vec(token_soup(), 1..4)) {
        let mut reused = Analyzer::new();
        for text in &texts {
            let first = described(text, &mut reused, &OPTIONS);
            prop_assert_eq!(&first, &described(text, &mut reused, &OPTIONS));
            prop_assert_eq!(&first, &described(text, &mut Analyzer::new(), &OPTIONS));
        }
    }

    /// Less budget means less of an answer, and it says so.
    #[test]
    fn a_small_budget_is_told(text in token_soup(), base_steps in 0u32..200, steps_per_byte in 0u32..4, max_depth in 0u32..6) {
        let small = Options { base_steps, steps_per_byte, max_depth, ..OPTIONS };
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&text, &small);
        assert_report(&text, report);
        // What is left out is told, or stands as an unknown word.
        let mut whole = Analyzer::new();
        for command in whole.analyze(&text, &OPTIONS).commands() {
            let words: Vec<_> = command.argv().collect();
            let is_told = words.is_empty()
                || !report.is_complete()
                || report.commands().any(|found| common::may_be(found, &words));
            prop_assert!(is_told, "{command:?} is missing in {report:#?}");
        }
    }

    /// A text in front that has ended does not change how the rest is read.
    #[test]
    fn a_line_in_front_changes_nothing(
        text in token_soup().prop_filter("of the line before", |text| !text.contains("$_") && !text.contains("$?")),
    ) {
        let mut analyzer = Analyzer::new();
        let alone: Vec<_> = common::rendered_with(&mut analyzer, &text, &OPTIONS);
        let after: Vec<_> = common::rendered_with(&mut analyzer, &format!(": 1\n{text}"), &OPTIONS);
        // A text that runs nothing has one command without words.
        prop_assert!(after[1..] == alone || alone == [common::NO_WORDS], "{alone:#?}\n{after:#?}");
    }
}

fn time(text: &str) -> Duration {
    let mut analyzer = Analyzer::new();
    let start = Instant::now();
    let report = analyzer.analyze(text, &OPTIONS);
    let time = start.elapsed();
    std::hint::black_box(report.commands().len());
    time
}

/// Eight times the text may cost eight times the work, with much room for a busy machine, but not sixty-four times.
#[test]
fn work_grows_with_the_text_alone() {
    const SMALL: usize = if cfg!(debug_assertions) { 1 << 12 } else { 1 << 14 };
    const FACTOR: u32 = 8;
    // Room for what a budget of constant size may cost.
    let floor = Duration::from_millis(if cfg!(debug_assertions) { 1_000 } else { 100 });
    let wrong = on_small_stack(move || {
        let mut wrong = Vec::new();
        for (name, family) in PATHOLOGICAL {
            let (small, large) = (family(SMALL), family(SMALL * FACTOR as usize));
            // The first answer in time counts: only work that is there in every try is the text's.
            let tries = (0..5).map(|_| (time(&small), time(&large)));
            let mut last = None;
            let is_linear = tries.into_iter().any(|(small, large)| {
                last = Some((small, large));
                large < small * FACTOR * 3 + floor
            });
            if !is_linear {
                wrong.push(format!("{name}: {last:?}"));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}

/// No text is deep, long or wound enough to need more stack than is promised, or to break a law.
#[test]
fn pathological_texts_keep_the_laws() {
    on_small_stack(|| {
        for (_, family) in PATHOLOGICAL {
            for size in [30, 100, 300, 1_000, 20_000] {
                let text = family(size);
                let mut analyzer = Analyzer::new();
                let report = analyzer.analyze(&text, &OPTIONS);
                assert_report(&text, report);
                assert_report(&text, Analyzer::new().analyze(&text, &Options::default()));
            }
        }
    });
}

/// A megabyte of trouble ends, and ends soon. The whole set in one build that is optimised, a part of it otherwise.
#[test]
fn a_megabyte_ends() {
    const LIMIT: Duration = Duration::from_secs(20);
    let size = if cfg!(debug_assertions) { 1 << 15 } else { 1 << 20 };
    on_small_stack(move || {
        for (name, family) in PATHOLOGICAL {
            let time = time(&family(size));
            assert!(time < LIMIT, "{name}: {time:?} for {size} bytes");
        }
    });
}

fn is_find(command: &Command<'_>) -> bool {
    command.name().and_then(Word::value) == Some("find")
}

/// The start paths of a find, as far as they are known.
fn start_paths(command: Command<'_>) -> Vec<&str> {
    let argv: Vec<&str> = command.argv().map(Word::text).collect();
    find_expression::pieces(&argv[..])
        .filter_map(|piece| match piece {
            Piece::StartPath { word, offset: 0, .. } => command.word(word)?.value(),
            _ => None,
        })
        .collect()
}

/// Whether what the report says leaves room for a find that starts at these paths, in this directory: by a command that
/// is find or may be, with words that are the paths or may be, or by code that is not known.
fn may_find(report: Report<'_>, paths: &[&str], directory: Directory<'_>) -> bool {
    let is_covering = |command: Command<'_>| {
        let may_be_find = command.name().is_some_and(|name| name.value().is_none_or(|name| name == "find"));
        let has = |path: &str| {
            let mut words = command.argv().enumerate().filter(|(index, word)| *index > 0 || word.is_splice());
            words.any(|(_, word)| word.value().is_none_or(|value| value == path))
        };
        may_be_find
            && paths.iter().all(|path| has(path))
            && command.cwd().any(|cwd| cwd == directory || cwd == Directory::Unknown)
    };
    report.incomplete().any(|part| part.reason == IncompleteReason::UnknownCode)
        || report.commands().any(is_covering)
}

/// Whether the word is written as it is passed, so that it takes no substitution with it when it goes.
fn is_one_plain_word(word: Word<'_>) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    word.value().is_some()
        && word.is_verbatim()
        && !word.text().is_empty()
        && word.text().chars().all(is_plain)
}

/// The words that the law is about: the names of finds, and the operands of all commands but those of the builtins that
/// switch something of the shell; see the limits of the crate.
fn replaceable(report: Report<'_>) -> Vec<Span> {
    let words = |command: Command<'_>| {
        let skipped = match command.name().and_then(Word::value) {
            Some("find") => 0,
            Some("shopt" | "export") => usize::MAX,
            _ => 1,
        };
        let words = command.argv().skip(skipped).filter(|&word| is_one_plain_word(word));
        // Without its action a command of find is a list of start paths, in another directory.
        let words = words.filter(|word| !["-exec", "-execdir"].contains(&word.text()));
        words.map(Word::span).collect::<Vec<_>>()
    };
    let mut spans: Vec<_> = report.commands().flat_map(words).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// A word that becomes unknown hides no find: one from the same paths may still run, in the same directory or in one
/// that is not known.
#[test]
fn an_unknown_word_hides_nothing() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in common::cases() {
        let text = case.text.as_str();
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &OPTIONS);
        for span in replaceable(report) {
            let (before, rest) = text.split_at(span.start as usize);
            let after = rest.get(span.len() as usize..).unwrap_or_default();
            for unknown in ["\"$UNKNOWN\"", "$UNKNOWN", "$(unknown)"] {
                let changed = format!("{before}{unknown}{after}");
                let mut analyzer = Analyzer::new();
                let answer = analyzer.analyze(&changed, &OPTIONS);
                for find in report.commands().filter(is_find) {
                    count += 1;
                    if find.cwd().any(|directory| !may_find(answer, &start_paths(find), directory)) {
                        wrong.push(format!("{text:?}\n  {changed:?}\n  hides {find:?}"));
                    }
                }
            }
        }
    }
    assert!(count > 1_000, "{count}");
    assert!(wrong.is_empty(), "{} hidden\n{}", wrong.len(), wrong.join("\n"));
}

/// A text that is not blank has an answer, even when it runs nothing.
#[test]
fn every_text_is_accounted_for() {
    let families = PATHOLOGICAL.iter().map(|(_, family)| family(60));
    let mut wrong = Vec::new();
    for text in common::cases().into_iter().map(|case| case.text).chain(families) {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&text, &OPTIONS);
        if !is_blank(&text) && report.commands().len() + report.incomplete().len() == 0 {
            wrong.push(text);
        }
    }
    assert!(wrong.is_empty(), "nothing is said about {} texts: {wrong:#?}", wrong.len());
}
