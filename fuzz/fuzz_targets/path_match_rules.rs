//! Any rules and any path: no panic, and the set agrees with asking each rule in a set of its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use path_match::{Candidate, Mode, Rule, RuleSet};

fuzz_target!(|input: (Vec<&str>, &str, Option<&str>, bool, bool)| {
    let (texts, path, cwd, is_lexical, is_glob) = input;
    let mode = if is_lexical { Mode::Lexical } else { Mode::AsWritten };
    let home = "/home/ada";
    let rules: Vec<Rule> =
        texts.iter().take(16).filter_map(|text| Rule::parse_with(text, home).ok()).collect();
    let builder = || RuleSet::builder().mode(mode).home(home);
    let set = rules.iter().cloned().fold(builder(), |builder, rule| builder.parsed(rule)).build();
    let candidate = if is_glob { Candidate::glob(path) } else { Candidate::new(path) }.cwd(cwd);

    let hit = set.check(candidate);
    let each = rules.iter().any(|rule| builder().parsed(rule.clone()).build().check(candidate).is_some());
    assert_eq!(hit.is_some(), each, "the set and its rules one by one");
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
