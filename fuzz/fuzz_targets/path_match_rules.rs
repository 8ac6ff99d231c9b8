//! Any rules and any path: no panic, and the set agrees with asking each rule in a set of its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use path_match::{Candidate, Mode, Rule, RuleSet, Unresolved, Verdict};

fuzz_target!(|input: (Vec<&str>, &str, Option<&str>, bool, bool)| {
    let (texts, path, cwd, is_lexical, is_glob) = input;
    let mode = if is_lexical { Mode::Lexical } else { Mode::AsWritten };
    let home = "/home/ada";
    let rules: Vec<Rule> =
        texts.iter().take(16).filter_map(|text| Rule::parse_with(text, home).ok()).collect();
    let builder = || RuleSet::builder().mode(mode).home(home);
    let set = rules.iter().cloned().fold(builder(), |builder, rule| builder.parsed(rule)).build();
    let candidate = if is_glob { Candidate::glob(path) } else { Candidate::new(path) }.cwd(cwd);

    let verdict = set.judge(candidate);
    let singles: Vec<RuleSet> = rules.iter().map(|rule| builder().parsed(rule.clone()).build()).collect();
    let each = singles.iter().any(|single| single.check(candidate).is_some());
    // More rules may take more steps than a check has; such a path is told as too complex, never as clear.
    let is_cut = |verdict| matches!(verdict, Verdict::Unresolved(Unresolved::TooComplex));
    let hit = verdict.hit();
    if !is_cut(verdict) && !singles.iter().any(|single| is_cut(single.judge(candidate))) {
        assert_eq!(hit.is_some(), each, "the set and its rules one by one");
    }
    if let Some(hit) = hit {
        assert!(rules.contains(hit.rule()));
        // Where a path hits a rule, what lies below hits too; the root forbids itself alone.
        let below = format!("{path}/x");
        if !is_glob && is_lexical && !path.is_empty() && hit.path() != "/" {
            assert!(set.check(Candidate::new(&below).cwd(cwd)).is_some(), "below a hit");
        }
    }
    // Every rule hits itself.
    for rule in &rules {
        assert!(set.check(Candidate::new(rule.path())).is_some(), "{rule:?}");
    }
});
