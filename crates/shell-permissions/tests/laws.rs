//! What holds whatever the rules and the command.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "helpers of tests may stop at the first surprise"
)]

use bash_commands::Analyzer;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use shell_permissions::{
    Action, AllFiles, Cause, Judgement, Language, Match, NoFiles, Open, Options, Pattern, Policy, Refusal,
    Verdict, Word,
};

type Rules = Vec<(String, Action)>;

const RULE_WORDS: &[&str] = &[
    "*", "git", "push", "status", "rm", "-rf", "find", "-exec", "bash", "-c", "sudo", "env", "tar", "-I",
    "xargs", "eval", "echo", "x", "/bin/rm", "--exec", "timeout", "5", "-u", "ls",
];

const WORDS: &[&str] = &[
    "git",
    "push",
    "status",
    "rm",
    "-rf",
    "find",
    ".",
    "-exec",
    "\\;",
    "bash",
    "-c",
    "'rm x'",
    "'git push; rm y'",
    "sudo",
    "-u",
    "root",
    "env",
    "-S",
    "'rm z'",
    "PATH=/x",
    "tar",
    "xf",
    "cIf",
    "-I",
    "xargs",
    "eval",
    "echo",
    "x",
    "/bin/rm",
    "--exec=x",
    "--exec",
    "timeout",
    "5",
    "--",
    "ls",
    "-C",
    "-x",
    "+",
    "{}",
    "nice",
    "-n",
    "python",
    "\"a b\"",
    "f*",
    "sh",
    "exec",
    "command",
    "-e",
    "a;b",
    "--upload-pack=x",
    "fetch",
    "clone",
    "trap",
    "EXIT",
    "watch",
    "flock",
    "if",
    "$Y",
];

/// Wrappers of which it may be unclear where their command begins.
const MISUSED: &[&str] = &["xargs", "timeout", "env", "sudo", "nice", "flock", "watch", "command", "exec"];

/// What stands between commands.
const JOINTS: &[&str] = &[";", "&&", "||", "|", "\n", "&"];

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(allow_multiple, allow_pipe, strict_allow)| {
        Options { allow_multiple, allow_pipe, strict_allow }
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    let pattern = prop::collection::vec(select(RULE_WORDS), 1..4).prop_map(|words| words.join(" "));
    let action = prop_oneof![2 => Just(Action::Allow), 1 => Just(Action::Deny)];
    prop::collection::vec((prop_oneof![3 => pattern, 1 => Just("*".to_owned())], action), 0..8)
}

/// A command line as its words and what stands between them; the second tells whether a piece is a word.
fn pieces() -> impl Strategy<Value = Vec<(&'static str, bool)>> {
    let piece = prop_oneof![8 => select(WORDS).prop_map(|word| (word, true)), 1 => select(JOINTS).prop_map(|joint| (joint, false))];
    prop::collection::vec(piece, 1..10)
}

fn text(pieces: &[(&str, bool)]) -> String {
    pieces.iter().map(|(piece, _)| *piece).collect::<Vec<_>>().join(" ")
}

fn judge(options: Options, rules: &[(String, Action)], text: &str) -> Judgement {
    let rules = rules.iter().map(|(pattern, action)| (pattern, *action));
    let policy = Policy::new(options, rules).unwrap();
    policy.judge(text, &bash_commands::Options::default(), &mut Analyzer::new(), &AllFiles)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rules_never_matters(options in options(), rules in rules(), pieces in pieces(), seed in any::<u64>()) {
        let text = text(&pieces);
        let before = judge(options, &rules, &text);
        let mut shuffled = rules.clone();
        let mut state = seed | 1;
        for index in (1..shuffled.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            shuffled.swap(index, (state % (index as u64 + 1)) as usize);
        }
        // Not just the verdict: the rules that are told, too.
        prop_assert_eq!(&before, &judge(options, &shuffled, &text));
        shuffled.extend(rules);
        prop_assert_eq!(&before, &judge(options, &shuffled, &text));
    }

    #[test]
    fn a_word_that_becomes_unknown_never_turns_deny_into_allow(
        options in options(), rules in rules(), pieces in pieces(), which in any::<Index>(), kind in 0..3_u8,
    ) {
        let known = text(&pieces);
        let words: Vec<_> = (0..pieces.len()).filter(|at| pieces[*at].1).collect();
        prop_assume!(!words.is_empty());
        let at = words[which.index(words.len())];
        // A reserved word is syntax, and an assignment is not read from a variable.
        prop_assume!(!matches!(pieces[at].0, "if" | "a;b" | "PATH=/x"));
        let mut unknown = pieces.clone();
        // All of it, perhaps of several words; all of it, as one word; or all but its beginning.
        let beginning: String = pieces[at].0.chars().take(1).filter(|c| !"'\"\\{$".contains(*c)).collect();
        let word = [String::from("$Z"), String::from("\"$Z\""), beginning + "\"$Z\""];
        unknown[at].0 = &word[usize::from(kind)];
        let unknown = text(&unknown);
        let before = judge(options, &rules, &known);
        // What bash refuses, and options that no system knows: nothing runs, and that it is refused is caution enough.
        let is_misused = |refusal: &Refusal| match &refusal.cause {
            Cause::Syntax(_) => true,
            Cause::Open { open: Open::Code, .. } | Cause::MaybeMultiple => {
                MISUSED.iter().any(|wrapper| refusal.command.contains(wrapper))
            }
            _ => false,
        };
        prop_assume!(before.refusals().is_empty() || !before.refusals().iter().all(is_misused));
        if before.verdict() == Verdict::Deny {
            let judgement = judge(options, &rules, &unknown);
            prop_assert_eq!(judgement.verdict(), Verdict::Deny, "{:?}\n{}\n{}\n{:?}", rules, known, unknown, judgement);
        }
    }

    #[test]
    fn a_deny_rule_more_never_allows_and_an_allow_rule_more_never_denies_more(
        options in options(), rules in rules(), pieces in pieces(), pattern in select(RULE_WORDS),
    ) {
        let text = text(&pieces);
        let before = judge(options, &rules, &text).verdict();
        let with = |action| {
            let mut rules = rules.clone();
            rules.push((pattern.to_owned(), action));
            judge(options, &rules, &text).verdict()
        };
        prop_assert!(before == Verdict::Allow || with(Action::Deny) == Verdict::Deny);
        prop_assert!(before == Verdict::Deny || with(Action::Allow) == Verdict::Allow);
    }

    #[test]
    fn strict_is_never_milder_than_bare_containment(options in options(), rules in rules(), pieces in pieces()) {
        let text = text(&pieces);
        let bare = judge(Options { strict_allow: false, ..options }, &rules, &text).verdict();
        let strict = judge(Options { strict_allow: true, ..options }, &rules, &text).verdict();
        prop_assert!(bare == Verdict::Allow || strict == Verdict::Deny);
    }

    #[test]
    fn the_switches_only_refuse(options in options(), rules in rules(), pieces in pieces()) {
        let text = text(&pieces);
        if judge(options, &rules, &text).verdict() == Verdict::Allow {
            for more in [Options { allow_multiple: true, ..options }, Options { allow_pipe: true, ..options }] {
                prop_assert_eq!(judge(more, &rules, &text).verdict(), Verdict::Allow);
            }
        }
    }

    #[test]
    fn every_verdict_explains_itself(options in options(), rules in rules(), text in "(\\PC|[ ;|&$<>(){}'\"\n`-]|git|rm|[a-z]){0,40}") {
        let policy = Policy::new(options, rules.iter().map(|(pattern, action)| (pattern, *action))).unwrap();
        let judgement = policy.judge(&text, &bash_commands::Options::default(), &mut Analyzer::new(), &NoFiles);
        for language in [Language::En, Language::ZhCn] {
            let message = judgement.text(language);
            prop_assert_eq!(message.is_empty(), judgement.verdict() == Verdict::Allow);
            prop_assert!(!message.contains("\n\n"));
        }
        for refusal in judgement.refusals() {
            prop_assert!(text.get(refusal.span.start as usize..refusal.span.end as usize).is_some());
        }
    }
}

// ---- The naive twin: patterns over known words, as the seed says it. ----

fn base(path: &str) -> &str {
    match path.rfind('/') {
        Some(at) if at + 1 < path.len() => &path[at + 1..],
        _ => path,
    }
}

fn naive(pattern: &str, words: &[&str], by_base: bool) -> bool {
    let parts: Vec<&str> = pattern.split_whitespace().collect();
    let head = parts[0];
    if head != "*" {
        let equal = if by_base { base(head) == base(words[0]) } else { head == words[0] };
        if !equal {
            return false;
        }
    }
    for part in &parts[1..] {
        if *part != "*" && !words[1..].contains(part) {
            return false;
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn patterns_match_as_their_naive_twin(
        pattern in prop::collection::vec(select(RULE_WORDS), 1..4), words in prop::collection::vec(select(RULE_WORDS), 1..6),
    ) {
        let text = pattern.join(" ");
        let pattern = Pattern::parse(&text).unwrap();
        let known: Vec<_> = words.iter().map(|word| Word::Known(word)).collect();
        prop_assert_eq!(pattern.denies(&known) == Match::Certain, naive(&text, &words, true));
        prop_assert_ne!(pattern.denies(&known), Match::Possible);
        prop_assert_eq!(pattern.admits(&known).is_ok(), naive(&text, &words, false));
    }

    /// The meaning of a word that is not known: what holds for some value is possible, and what holds for all is admitted.
    #[test]
    fn what_is_not_known_is_judged_for_every_value(
        pattern in prop::collection::vec(select(RULE_WORDS), 1..4),
        words in prop::collection::vec(select(RULE_WORDS), 2..5),
        which in any::<Index>(),
        values in prop::collection::vec(select(RULE_WORDS), 0..3),
        kind in 0..3,
    ) {
        let text = pattern.join(" ");
        let pattern = Pattern::parse(&text).unwrap();
        let at = 1 + which.index(words.len() - 1);
        let mut open: Vec<_> = words.iter().map(|word| Word::Known(word)).collect();
        let mut known = words.clone();
        match kind {
            0 => open[at] = Word::Unknown(""),
            1 => {
                open[at] = Word::Unknown(&words[at][..1]);
            }
            _ => {
                open[at] = Word::Some("");
                known.splice(at..=at, values);
            }
        }
        if naive(&text, &known, true) {
            prop_assert_ne!(pattern.denies(&open), Match::No);
        }
        let known: Vec<_> = known.iter().map(|word| Word::Known(word)).collect();
        if pattern.admits(&open).is_ok() {
            prop_assert!(pattern.admits(&known).is_ok());
        }
        if pattern.admits_strictly(&open).is_ok() {
            prop_assert!(pattern.admits_strictly(&known).is_ok(), "{:?} {:?} {:?}", text, open, known);
        }
    }
}
