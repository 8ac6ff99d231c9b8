//! What holds for every session, argument and answer.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use guard_eval::{
    Ack, Answer, By, Command, CommandError, Condition, Entry, Fact, Locale, NewEntry, Outcome, Release,
    Settings, Settle, decide, find_guard_ack, parse_command, project,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const LOCALES: [Locale; 2] = [Locale::ZhCn, Locale::En];

fn any_condition() -> impl Strategy<Value = String> {
    "[a-z\"'“” \n守]{1,20}".prop_filter("blank", |text| !text.trim().is_empty())
}

fn any_by() -> impl Strategy<Value = By> {
    prop::sample::select(&[By::User, By::NoUi, By::Dismissed, By::Timeout, By::Unstated][..])
}

fn any_fact() -> impl Strategy<Value = Fact<'static>> {
    let condition = Condition::new("tests pass").unwrap();
    prop_oneof![
        4 => Just(Fact::Set(condition)),
        1 => Just(Fact::Clear),
        4 => Just(Fact::Continue),
        1 => (0_u32..6).prop_map(|max_continuations| Fact::Defaults { max_continuations }),
        1 => Just(Fact::ConditionSent),
        1 => Just(Fact::Compaction),
        2 => any_by().prop_map(|by| Fact::Checked(Ack::Confirmed(by))),
        2 => Just(Fact::Checked(Ack::NotYet)),
    ]
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop::sample::select(&[Outcome::Completed, Outcome::Completed, Outcome::Aborted, Outcome::Error][..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn a_condition_is_part_of_the_argument(argument in "\\PC{0,40}|[ \noffmax0-9\"'“”-]{0,12}") {
        match parse_command(&argument) {
            Ok(Command::Set(condition)) => prop_assert!(argument.contains(condition.as_str())),
            Ok(Command::Show) => prop_assert!(argument.trim().is_empty()),
            Ok(Command::SetMax(limit)) => prop_assert!(argument.contains(&limit.to_string())),
            Err(CommandError::AfterOff { rest } | CommandError::NotALimit { rest }) => prop_assert!(argument.contains(rest)),
            _ => {}
        }
        // White space around it does not matter.
        let spaced = format!(" \n{argument}\t");
        prop_assert_eq!(parse_command(&spaced), parse_command(&argument));
    }

    #[test]
    fn a_quoted_condition_is_kept_to_the_letter(text in any_condition()) {
        for (open, close) in [('"', '"'), ('\'', '\''), ('“', '”')] {
            let quoted = format!("{open}{text}{close}");
            let expected = if text.contains([open, close]) { quoted.as_str() } else { &text };
            prop_assert_eq!(parse_command(&quoted), Ok(Command::Set(Condition::new(expected).unwrap())));
        }
    }

    #[test]
    fn a_refused_argument_is_accepted_in_quotes_as_its_text_says(argument in "(off|max|OFF|Max) [a-z0-9-]{1,8}") {
        if let Err(error) = parse_command(&argument) {
            let hint = format!("/guard \"{}\"", argument.to_lowercase());
            let text = error.to_string().to_lowercase();
            prop_assert!(text.contains(&hint), "{text}");
            let quoted = format!("\"{argument}\"");
            prop_assert_eq!(parse_command(&quoted), Ok(Command::Set(Condition::new(&argument).unwrap())));
        }
    }

    #[test]
    fn the_decision_follows_its_rules(branch in prop::collection::vec(any_fact(), 0..20), outcome in any_outcome()) {
        let state = project(&branch, &Settings::default());
        let settle = decide(outcome, &state);
        match (outcome, state.guard) {
            (Outcome::Aborted | Outcome::Error, _) | (_, None) => prop_assert_eq!(settle, Settle::Ignore),
            (Outcome::Completed, Some(guard)) => match settle {
                Settle::Ignore => prop_assert!(false, "a guard is never passed over"),
                Settle::Release { why: Release::Confirmed(by), .. } => {
                    prop_assert_eq!(find_guard_ack(&branch), Some(Ack::Confirmed(by)));
                }
                Settle::Release { why: Release::LimitReached { limit }, .. } => prop_assert!(guard.used >= limit),
                Settle::Continue { number, limit } => {
                    prop_assert!(guard.used < limit);
                    prop_assert_eq!(number, guard.used + 1);
                }
            },
        }
        // What it does is never silent, and the next projection shows it.
        prop_assert_eq!(settle.notice().is_none(), settle == Settle::Ignore);
        let entries = settle.entries();
        let after: Vec<Fact> = branch.iter().copied().chain(entries.iter().filter_map(Entry::fact)).collect();
        let after = project(&after, &Settings::default());
        match settle {
            Settle::Ignore => prop_assert_eq!(after, state),
            Settle::Release { .. } => prop_assert_eq!(after.guard, None),
            Settle::Continue { number, .. } => prop_assert_eq!(after.guard.unwrap().used, number),
        }
    }

    #[test]
    fn a_guard_never_holds_longer_than_its_limit(limit in 0_u32..20, answers in prop::collection::vec(any::<bool>(), 25)) {
        let settings = Settings { max_continuations: limit, ..Settings::default() };
        let mut branch = vec![Fact::Set(Condition::new("never met").unwrap())];
        let mut rounds = 0;
        for asks in answers {
            if asks {
                branch.push(Fact::Checked(Ack::NotYet));
            }
            let settle = decide(Outcome::Completed, &project(&branch, &settings));
            let continues = settle.continues();
            let counted = settle.entries().contains(&NewEntry::Continue);
            prop_assert_eq!(continues, counted);
            if !continues {
                break;
            }
            branch.push(Fact::Continue);
            rounds += 1;
        }
        prop_assert_eq!(rounds, limit);
    }

    #[test]
    fn what_is_written_is_read_back(text in any_condition(), max_continuations in any::<u32>()) {
        let condition = Condition::new(&text).unwrap();
        let entries = [
            NewEntry::Set(condition),
            NewEntry::Clear,
            NewEntry::Continue,
            NewEntry::Defaults { max_continuations },
            NewEntry::ConditionMessage(condition),
            NewEntry::FeedbackMessage { number: 1, limit: 5 },
        ];
        for (entry, locale) in entries.iter().flat_map(|entry| LOCALES.map(|locale| (entry, locale))) {
            let value = entry.to_value(locale);
            prop_assert_eq!(value.fact(), entry.fact());
            prop_assert_eq!(value.get("content").is_some(), entry.message().is_some());
        }
    }

    #[test]
    fn an_answer_is_read_back_from_its_result(missing in prop::option::of("[a-z \n守]{0,8}")) {
        let missing = missing.as_deref();
        let answers = [Answer::Satisfied, Answer::NotYet { missing }, Answer::NoUi, Answer::Dismissed, Answer::Timeout, Answer::NoGuard];
        for answer in answers {
            let result = answer.result();
            let details = result.details();
            let entry = json!({"type": "message", "message": {"role": "toolResult", "toolName": "guard_check", "details": details}});
            prop_assert_eq!(entry.fact(), Some(Fact::Checked(result.ack)));
            prop_assert_eq!(result.terminate, result.ack != Ack::NotYet);
        }
        if let Some(missing) = missing.filter(|missing| !missing.trim().is_empty()) {
            for locale in LOCALES {
                let content = Answer::NotYet { missing: Some(missing) }.result().content;
                prop_assert_eq!(content.in_locale(locale).to_string(), missing);
            }
        }
    }

    #[test]
    fn no_value_makes_it_panic(text in "\\PC{0,60}") {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let _ = value.fact();
        }
    }
}
