//! What holds for all paths and all rules.
#![expect(clippy::expect_used, reason = "a law whose premise fails is a failed test")]

use path_match::{Candidate, Case, Certainty, Mode, Rule, RuleSet, Unresolved, Verdict};
use proptest::prelude::*;

const HOME: &str = "/home/u";

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}",
        Just("etc".to_owned()),
        Just("home".to_owned()),
        Just("u".to_owned()),
        "\\.[a-c]"
    ]
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => name(),
        3 => prop::sample::select(vec!["..", ".", "", "*", "**"]).prop_map(str::to_owned),
    ];
    let start = prop::sample::select(vec!["/", "/", "~/", "", "//", "$HOME/"]);
    (start, prop::collection::vec(name, 0..6))
        .prop_map(|(start, names)| format!("{start}{}", names.join("/")))
}

fn rule() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("/".to_owned()),
        1 => name().prop_map(|name| format!("~/{name}")),
        6 => prop::collection::vec(name(), 1..4).prop_map(|names| format!("/{}", names.join("/"))),
    ]
}

fn rules() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(rule(), 1..8)
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::AsWritten, Mode::Lexical])
}

fn set(mode: Mode, rules: &[String]) -> RuleSet {
    RuleSet::builder().home(HOME).mode(mode).rules(rules).expect("generated rules are good").build()
}

fn candidate(text: &str) -> Candidate<'_> {
    Candidate::new(text).cwd("/a/etc")
}

/// A path under or at one of the rules, so that hits are common.
fn rules_and_hit() -> impl Strategy<Value = (Vec<String>, String)> {
    (rules(), any::<prop::sample::Index>(), prop::collection::vec(name(), 0..3)).prop_map(
        |(rules, index, below)| {
            let rule = Rule::parse_with(index.get::<String>(&rules), HOME).expect("generated rules are good");
            let below = below.iter().fold(String::new(), |path, name| path + "/" + name);
            let path = if rule.path() == "/" { "/".to_owned() } else { format!("{}{below}", rule.path()) };
            (rules, path)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn order_and_repetition_of_rules_never_matter(
        mode in mode(),
        (original, shuffled) in rules().prop_flat_map(|rules| {
            let twice = [rules.clone(), rules.clone()].concat();
            (Just(rules), Just(twice).prop_shuffle())
        }),
        text in path(),
        glob in any::<bool>(),
    ) {
        let candidate = if glob { Candidate::glob(&text) } else { Candidate::new(&text) }.cwd("/a/etc");
        let (one, other) = (set(mode, &original), set(mode, &shuffled));
        let (one, other) = (one.check(candidate), other.check(candidate));
        prop_assert_eq!(one.is_some(), other.is_some());
        if let (Some(one), Some(other)) = (one, other) {
            prop_assert_eq!(one.certainty(), other.certainty());
            if !glob {
                prop_assert_eq!(one.rule().path(), other.rule().path());
            }
        }
    }

    #[test]
    fn the_outermost_rule_is_the_hit(mode in mode(), (rules, text) in rules_and_hit()) {
        let set = set(mode, &rules);
        let hit = set.check(text.as_str()).expect("built to hit");
        prop_assert_eq!(&set.rules()[hit.index()], hit.rule());
        for (index, rule) in set.rules().iter().enumerate() {
            let alone = RuleSet::builder().mode(mode).parsed(rule.clone()).build();
            if alone.check(text.as_str()).is_some() {
                let (found, other) = (hit.rule().path(), rule.path());
                prop_assert!(found.len() < other.len() || (found == other && hit.index() <= index));
            }
        }
    }

    #[test]
    fn one_more_rule_never_frees_a_path(mode in mode(), rules in rules(), more in rule(), text in path()) {
        let before = set(mode, &rules).check(candidate(&text)).is_some();
        let after = set(mode, &[rules, vec![more]].concat()).check(candidate(&text)).is_some();
        prop_assert!(after || !before);
    }

    #[test]
    fn below_a_hit_is_a_hit_but_for_the_root(mode in mode(), (rules, text) in rules_and_hit(), below in name()) {
        let set = set(mode, &rules);
        let hit = set.check(text.as_str()).expect("built to hit");
        let under = format!("{text}/{below}");
        if hit.rule().path() != "/" {
            prop_assert_eq!(set.check(under.as_str()).map(|hit| hit.index()), Some(hit.index()));
        }
    }

    #[test]
    fn a_longer_name_is_another_name(mode in mode(), rule in rule(), more in "[a-z.~]{1,3}") {
        let parsed = Rule::parse_with(&rule, HOME).expect("generated rules are good");
        prop_assume!(parsed.path() != "/");
        let text = format!("{}{more}", parsed.path());
        prop_assert!(set(mode, &[rule]).check(text.as_str()).is_none());
    }

    #[test]
    fn trailing_wildcards_and_slashes_say_nothing(
        mode in mode(),
        rules in rules(),
        text in path(),
        on_path in "(/\\*{0,2}){0,3}",
        on_rules in "(/\\*{0,2}){0,3}",
    ) {
        // After an empty text a slash would be the root.
        prop_assume!(!text.is_empty());
        let longer: Vec<String> = rules.iter().map(|rule| format!("{rule}{on_rules}")).collect();
        let longer_text = format!("{text}{on_path}");
        let (plain, longer) = (set(mode, &rules), set(mode, &longer));
        prop_assert_eq!(
            plain.check(candidate(&text)).map(|hit| hit.index()),
            longer.check(candidate(&longer_text)).map(|hit| hit.index())
        );
    }

    #[test]
    fn resolving_is_idempotent_and_keeps_the_answer(mode in mode(), rules in rules(), text in path(), glob in any::<bool>()) {
        let set = set(mode, &rules);
        let kind = if glob { Candidate::glob } else { Candidate::new };
        let once = set.resolve(kind(&text).cwd("/a/et*")).expect("all is known");
        prop_assert_eq!(&set.resolve(kind(&once)).expect("absolute, or as written"), &once);
        if mode == Mode::Lexical {
            prop_assert!(once.starts_with('/') && !once.contains("//"));
            prop_assert!(!once.split('/').any(|name| name == "." || name == ".."));
        }
        if !glob {
            prop_assert_eq!(
                set.check(kind(&text).cwd("/a/et*")).map(|hit| (hit.index(), hit.path())),
                set.check(kind(&once)).map(|hit| (hit.index(), hit.path()))
            );
        }
    }

    #[test]
    fn steps_that_lead_nowhere_say_nothing_in_lexical_mode(
        rules in rules(),
        text in path(),
        detour in prop::sample::select(vec!["/.", "//", "/x/..", "/x/y/../..", "/./x/.././"]),
    ) {
        let set = set(Mode::Lexical, &rules);
        let (start, end) = text.rsplit_once('/').unwrap_or((".", &text));
        prop_assume!(!start.is_empty());
        let longer = format!("{start}{detour}/{end}");
        prop_assert_eq!(
            set.check(candidate(&text)).map(|hit| hit.path()),
            set.check(candidate(&longer)).map(|hit| hit.path())
        );
    }

    #[test]
    fn a_pattern_without_wildcards_is_a_path(
        mode in mode(),
        rules in rules(),
        text in path().prop_map(|text| format!("/{}", text.replace('*', "a"))),
        escape in any::<bool>(),
    ) {
        let pattern: String =
            text.chars().flat_map(|next| if escape && next != '/' { vec!['\\', next] } else { vec![next] }).collect();
        let set = set(mode, &rules);
        let (known, glob) = (set.check(candidate(&text)), set.check(Candidate::glob(&pattern)));
        if !escape || mode == Mode::Lexical {
            prop_assert_eq!(known.map(|hit| hit.index()), glob.map(|hit| hit.index()));
        }
        prop_assert!(glob.is_none_or(|hit| hit.certainty() == Certainty::Certain));
    }

    /// Each character but a leading dot may become `?`, a class, or a part of `*`: then the path is an expansion.
    #[test]
    fn a_pattern_is_hit_if_an_expansion_is(
        mode in mode(),
        (rules, text) in rules_and_hit(),
        choices in prop::collection::vec(0..8_u8, 40),
    ) {
        let mut pattern = String::new();
        let mut before = '/';
        for (next, choice) in text.chars().zip(choices.into_iter().chain(std::iter::repeat(9))) {
            match choice {
                0 if next != '/' && (next != '.' || before != '/') => pattern.push('?'),
                1 if next != '/' && (next != '.' || before != '/') => pattern.push('*'),
                2 if next != '/' && (next != '.' || before != '/') => pattern.extend(['[', 'x', next, ']']),
                3 if next != '/' => pattern.extend(['@', '(', 'x', '|', next, ')']),
                4 if next != '/' => pattern.extend(['+', '(', next, ')', '*']),
                5 if next != '/' => pattern.extend(['\\', next]),
                _ => pattern.push(next),
            }
            before = next;
        }
        prop_assert!(set(mode, &rules).check(Candidate::glob(&pattern)).is_some(), "{} for {}", pattern, text);
    }

    #[test]
    fn a_certain_hit_of_a_pattern_is_one_of_the_plain_text(mode in mode(), rules in rules(), text in path()) {
        let set = set(mode, &rules);
        if let Some(hit) = set.check(Candidate::glob(&text).cwd("/a/etc")) {
            let plain = set.check(candidate(&text)).map(|hit| hit.index());
            prop_assert_eq!(plain.is_some(), hit.certainty() == Certainty::Certain);
            prop_assert!(plain.is_none_or(|index| index == hit.index()));
        }
    }

    #[test]
    fn folding_case_only_adds_hits(mode in mode(), rules in rules(), text in path(), glob in any::<bool>()) {
        let build = |case| {
            RuleSet::builder().home(HOME).mode(mode).case(case).rules(&rules).expect("generated rules are good").build()
        };
        let kind = if glob { Candidate::glob } else { Candidate::new };
        let (folded, sensitive) = (build(Case::Folded), build(Case::Sensitive));
        prop_assert!(folded.check(kind(&text)).is_some() || sensitive.check(kind(&text)).is_none());
        let upper = text.to_uppercase();
        if text.starts_with('/') {
            prop_assert_eq!(folded.check(kind(&text)).is_some(), folded.check(kind(&upper)).is_some());
        }
    }

    #[test]
    fn any_text_has_an_answer(
        rule in any::<String>(),
        text in any::<String>(),
        home in any::<Option<String>>(),
        cwd in any::<Option<String>>(),
    ) {
        judge_all(&rule, &text, home.as_deref(), cwd.as_deref());
    }

    #[test]
    fn any_text_of_special_characters_has_an_answer(
        rule in "[/~*?.a{},\\[\\]\\\\]{0,12}",
        text in "[/~*?.ab|()@!+:=^\\-\\[\\]\\\\$]{0,24}",
        home in proptest::option::of("[/a*]{0,4}"),
    ) {
        judge_all(&rule, &text, home.as_deref(), Some("/a"));
        judge_all(&format!("/{rule}"), &format!("/{text}"), home.as_deref(), None);
    }
}

fn judge_all(rule: &str, text: &str, home: Option<&str>, cwd: Option<&str>) {
    let parsed = match Rule::parse_with(rule, home) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert_eq!(rule.get(error.span()), Some(error.found()));
            assert!(!error.to_string().contains(['\n', '\r']));
            return;
        }
    };
    assert!(parsed.path().starts_with('/'));
    for mode in [Mode::AsWritten, Mode::Lexical] {
        for case in [Case::Sensitive, Case::Folded] {
            let set = RuleSet::builder()
                .home(home)
                .mode(mode)
                .case(case)
                .parsed(parsed.clone())
                .parsed(Rule::parse("/a/b").expect("a plain rule"))
                .build();
            assert!(set.check(parsed.path()).is_some(), "a rule forbids its own path");
            for candidate in [Candidate::new(text), Candidate::glob(text), Candidate::glob(text).quoted()] {
                if let Verdict::Hit(hit) = set.judge(candidate.cwd(cwd)) {
                    assert_eq!(Ok(hit.path()), set.resolve(candidate.cwd(cwd)));
                }
            }
        }
    }
}

/// Each of these is exponential or at least quadratic for a matcher that tries one way after the other.
#[test]
fn hard_patterns_end() {
    let long_name = "a".repeat(200);
    let rules = RuleSet::builder()
        .rules([format!("/{long_name}"), format!("/x/{}", ["d"; 100].join("/")), "/etc".to_owned()])
        .unwrap()
        .build();
    for (pattern, expected) in [
        (format!("/{}b", "*a".repeat(100)), Some(false)),
        (format!("/{}", "*a".repeat(100)), Some(true)),
        (format!("/{}b", "*".repeat(5_000)), Some(false)),
        (format!("/{}b", "@(a|*(a|?))".repeat(50)), Some(false)),
        (format!("/{}a{}", "*(".repeat(100), ")".repeat(100)), Some(true)),
        (format!("/{}x", "[".repeat(50_000)), None),
        (format!("/[{}x", "[:".repeat(50_000)), None),
        (format!("/{}x", "@(".repeat(50_000)), Some(false)),
        (format!("/{}z", "**/".repeat(10_000)), Some(true)),
        (format!("/{}z", "**/q/".repeat(10_000)), Some(true)),
        (format!("/q/{}z", "**/q/".repeat(10_000)), Some(false)),
        (format!("/{}z", ".*/".repeat(10_000)), None),
        (format!("/{}z", "**/.*/".repeat(10_000)), None),
        (format!("/{}etc", "a/*/../../".repeat(10_000)), Some(true)),
        (format!("/{}{}etc", "*/".repeat(20_000), "../".repeat(20_000)), Some(true)),
    ] {
        let shown: String = pattern.chars().take(20).collect();
        let answer = match rules.judge(Candidate::glob(&pattern)) {
            Verdict::Hit(_) => Some(true),
            Verdict::Clear => Some(false),
            Verdict::Unresolved(reason) => {
                assert_eq!(reason, Unresolved::TooComplex);
                None
            }
        };
        assert_eq!(answer, expected, "{shown}");
    }
}

#[test]
fn many_rules_give_the_answer_of_each() {
    let texts: Vec<String> = (0..50_000).map(|nth| format!("/srv/{}/data{nth}", nth % 97)).collect();
    let rules = RuleSet::builder().rules(&texts).unwrap().build();
    for (nth, text) in texts.iter().enumerate() {
        assert_eq!(rules.check(format!("{text}/x").as_str()).map(|hit| hit.index()), Some(nth));
        assert!(rules.check(format!("{text}x").as_str()).is_none());
    }
    assert!(rules.check(Candidate::glob("/srv/*/data4999?")).is_some());
}
