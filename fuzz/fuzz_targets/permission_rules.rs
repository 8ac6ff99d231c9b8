//! Any rules and any text: no panic, the order of the rules never matters, and one more rule changes the verdict only its own way.
//!
//! The input is lines: a first byte for the switches, `+pattern` and `-pattern` for rules, and what follows the first
//! line that is neither is the text.

#![no_main]

use bash_commands::Analyzer;
use libfuzzer_sys::fuzz_target;
use shell_permissions::{Action, AllFiles, Language, NoFiles, Options, Policy, Verdict};

fuzz_target!(|input: &str| {
    let Some(switches) = input.as_bytes().first().copied() else { return };
    let mut rules = Vec::new();
    let mut text = input.get(1..).unwrap_or_default();
    while let Some((line, rest)) = text.split_once('\n') {
        let action = match line.as_bytes().first() {
            Some(b'+') => Action::Allow,
            Some(b'-') => Action::Deny,
            _ => break,
        };
        rules.push((line.get(1..).unwrap_or_default().to_owned(), action));
        text = rest;
    }
    rules.truncate(16);
    let options = Options {
        allow_multiple: switches & 1 != 0,
        allow_pipe: switches & 2 != 0,
        strict_allow: switches & 4 == 0,
    };
    let Ok(policy) = Policy::new(options, rules.clone()) else { return };
    let place = bash_commands::Options::default();
    let mut analyzer = Analyzer::new();
    let judgement = policy.judge(text, &place, &mut analyzer, &AllFiles);

    for language in [Language::En, Language::ZhCn] {
        assert_eq!(judgement.text(language).is_empty(), judgement.verdict() == Verdict::Allow);
        for finding in policy.lint() {
            assert!(!finding.text(language).is_empty());
        }
    }
    for refusal in judgement.refusals() {
        assert!(
            text.get(refusal.span.start as usize..refusal.span.end as usize).is_some(),
            "{:?}",
            refusal.span
        );
    }
    rules.reverse();
    let reversed = Policy::new(options, rules.clone()).unwrap();
    assert_eq!(judgement, reversed.judge(text, &place, &mut analyzer, &AllFiles), "the order of the rules");

    let is_allowed = judgement.verdict() == Verdict::Allow;
    assert!(is_allowed || text.trim().is_empty() || !judgement.refusals().is_empty());
    if is_allowed {
        assert!(text.trim().is_empty() || !judgement.admissions().is_empty(), "allowed by no rule");
        let wider = Options { allow_multiple: true, allow_pipe: true, strict_allow: false };
        let wider = Policy::new(wider, rules.clone()).unwrap();
        assert_eq!(
            wider.judge(text, &place, &mut analyzer, &AllFiles).verdict(),
            Verdict::Allow,
            "wider switches"
        );
    } else {
        assert_eq!(
            policy.judge(text, &place, &mut analyzer, &NoFiles).verdict(),
            Verdict::Deny,
            "narrower lists"
        );
        rules.push(("git *".to_owned(), Action::Deny));
        let narrower = Policy::new(options, rules).unwrap();
        assert_eq!(
            narrower.judge(text, &place, &mut analyzer, &AllFiles).verdict(),
            Verdict::Deny,
            "a deny rule more"
        );
    }
});
