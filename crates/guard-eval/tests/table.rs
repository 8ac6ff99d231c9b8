//! Rules as rows, and every text in both languages.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;
use std::time::Duration;

use guard_eval::{Ack, auto_guard};
use guard_eval::{
    Answer, By, Choice, Command, CommandError, Condition, Entry, Fact, Guard, GuardState, Locale, NewEntry,
    Outcome, Release, Settings, Settle, Text, decide, parse_command, project,
};

fn condition(text: &str) -> Condition<'_> {
    Condition::new(text).unwrap()
}

#[test]
fn arguments() {
    let set = |text| Ok(Command::Set(condition(text)));
    let after_off = |rest| Err(CommandError::AfterOff { rest });
    let not_a_limit = |rest| Err(CommandError::NotALimit { rest });
    let rows = [
        ("", Ok(Command::Show)),
        (" \n\t", Ok(Command::Show)),
        ("npm test 全绿，并且新增代码都有测试", set("npm test 全绿，并且新增代码都有测试")),
        ("  first line\nsecond line  ", set("first line\nsecond line")),
        ("off", Ok(Command::Off)),
        (" OFF ", Ok(Command::Off)),
        ("off the record", after_off("the record")),
        ("off\nnow", after_off("now")),
        ("offline mode works", set("offline mode works")),
        ("off, then on", set("off, then on")),
        ("turn it off", set("turn it off")),
        ("max", Ok(Command::ShowMax)),
        ("Max", Ok(Command::ShowMax)),
        ("max 0", Ok(Command::SetMax(0))),
        ("max  7", Ok(Command::SetMax(7))),
        ("max\t007", Ok(Command::SetMax(7))),
        ("max 4294967295", Ok(Command::SetMax(u32::MAX))),
        ("max 4294967296", not_a_limit("4294967296")),
        ("max -1", not_a_limit("-1")),
        ("max +1", not_a_limit("+1")),
        ("max 1.5", not_a_limit("1.5")),
        ("max 1e3", not_a_limit("1e3")),
        ("max 5 5", not_a_limit("5 5")),
        ("max ５", not_a_limit("５")),
        ("max abc", not_a_limit("abc")),
        ("max \"5\"", not_a_limit("\"5\"")),
        ("max5", set("max5")),
        ("maximum", set("maximum")),
        ("\"max 文件改成 json\"", set("max 文件改成 json")),
        ("'off'", set("off")),
        ("“off the record”", set("off the record")),
        ("\" kept \"", set(" kept ")),
        ("\"line\nbreak\"", set("line\nbreak")),
        ("\"a\" and \"b\"", set("\"a\" and \"b\"")),
        ("“a” and “b”", set("“a” and “b”")),
        ("\"it's\"", set("it's")),
        ("'say \"x\"'", set("say \"x\"")),
        ("\"open", set("\"open")),
        ("\"", set("\"")),
        ("\"mixed'", set("\"mixed'")),
        ("”reversed“", set("”reversed“")),
        ("\"'both'\"", set("'both'")),
        ("\"\"", Err(CommandError::EmptyCondition)),
        ("''", Err(CommandError::EmptyCondition)),
        ("“”", Err(CommandError::EmptyCondition)),
        ("\" \n\"", Err(CommandError::EmptyCondition)),
    ];
    for (argument, expected) in rows {
        assert_eq!(parse_command(argument), expected, "/guard {argument}");
    }
}

#[test]
fn the_settle_table() {
    let guard = |used, ack| Some(Guard { condition: condition("c"), used, ack, condition_sent: true });
    let release = |why| Settle::Release { condition: condition("c"), why };
    let confirmed = |by| Some(Ack::Confirmed(by));
    let rows = [
        // outcome, guard, limit, what happens
        (Outcome::Aborted, guard(0, confirmed(By::User)), 5, Settle::Ignore),
        (Outcome::Error, guard(9, None), 5, Settle::Ignore),
        (Outcome::Completed, None, 5, Settle::Ignore),
        (Outcome::Completed, guard(0, confirmed(By::User)), 5, release(Release::Confirmed(By::User))),
        (Outcome::Completed, guard(5, confirmed(By::NoUi)), 5, release(Release::Confirmed(By::NoUi))),
        (Outcome::Completed, guard(0, confirmed(By::Unstated)), 0, release(Release::Confirmed(By::Unstated))),
        (Outcome::Completed, guard(5, None), 5, release(Release::LimitReached { limit: 5 })),
        (Outcome::Completed, guard(6, Some(Ack::NotYet)), 5, release(Release::LimitReached { limit: 5 })),
        (Outcome::Completed, guard(0, None), 0, release(Release::LimitReached { limit: 0 })),
        (Outcome::Completed, guard(0, None), 5, Settle::Continue { number: 1, limit: 5 }),
        (Outcome::Completed, guard(4, Some(Ack::NotYet)), 5, Settle::Continue { number: 5, limit: 5 }),
        (
            Outcome::Completed,
            guard(u32::MAX, None),
            u32::MAX,
            release(Release::LimitReached { limit: u32::MAX }),
        ),
    ];
    for (outcome, guard, limit, expected) in rows {
        let state = GuardState { guard, limit };
        assert_eq!(decide(outcome, &state), expected, "{outcome:?} {guard:?} {limit}");
    }
}

#[test]
fn only_a_person_is_said_to_have_confirmed() {
    for locale in [Locale::ZhCn, Locale::En] {
        let text = |by| Text::Released { by }.in_locale(locale).to_string();
        for by in [By::NoUi, By::Dismissed, By::Timeout, By::Unstated] {
            assert_ne!(text(by), text(By::User));
            assert!(!text(by).contains('✅'), "{}", text(by));
        }
    }
    assert_eq!(Text::Released { by: By::User }.in_locale(Locale::ZhCn).to_string(), "✅ 用户确认条件已满足");
}

#[test]
fn effects_of_commands() {
    let set = Fact::Set(condition("old"));
    let guarded = [set, Fact::Continue];
    let guarded = project(&guarded, &Settings::default());
    let free = GuardState { guard: None, limit: 3 };
    let rows = [
        ("", &guarded, vec![], Text::Show { condition: condition("old"), used: 1, limit: 5 }),
        ("", &free, vec![], Text::NoGuard),
        ("off", &guarded, vec![NewEntry::Clear], Text::GuardCleared { condition: condition("old") }),
        ("off", &free, vec![], Text::NoGuard),
        (
            "new",
            &guarded,
            vec![NewEntry::Set(condition("new")), NewEntry::ConditionMessage(condition("new"))],
            Text::GuardSet { condition: condition("new"), limit: 5 },
        ),
        ("max", &free, vec![], Text::Limit { limit: 3 }),
        ("max 9", &free, vec![NewEntry::Defaults { max_continuations: 9 }], Text::LimitSet { limit: 9 }),
    ];
    for (argument, state, entries, reply) in rows {
        let effect = parse_command(argument).unwrap().effect(state);
        assert_eq!((effect.entries, effect.reply), (entries, reply), "/guard {argument}");
    }
}

#[test]
fn settings() {
    let read = |text| serde_json::from_str::<Settings>(text);
    assert_eq!(read("{}").unwrap(), Settings::default());
    let all = read(r#"{"maxContinuations": 0, "askTimeoutMs": 1500, "auto": "tests pass", "mode": "model"}"#)
        .unwrap();
    assert_eq!(all.max_continuations, 0);
    assert_eq!(all.ask_timeout(), Some(Duration::from_millis(1500)));
    assert_eq!(all.auto_condition(), Some(condition("tests pass")));
    assert_eq!(Settings::default().ask_timeout(), None);
    assert_eq!(read(r#"{"auto": " "}"#).unwrap().auto_condition(), None);
    assert!(read(r#"{"maxContinuations": -1}"#).is_err());
}

#[test]
fn the_settings_guard_is_set_once() {
    let settings = Settings { auto: "tests pass".to_owned(), ..Settings::default() };
    let tests_pass = condition("tests pass");
    let entries = [NewEntry::Set(tests_pass), NewEntry::ConditionMessage(tests_pass)];
    assert_eq!(auto_guard(&[Fact::Continue, Fact::Compaction], &settings), Some(entries));
    assert_eq!(auto_guard(&[Fact::Set(tests_pass), Fact::Clear], &settings), None);
}

#[test]
fn the_condition_is_sent_again_after_a_compaction() {
    let set = Fact::Set(condition("c"));
    let knows = |branch: &[Fact<'_>]| project(branch, &Settings::default()).guard.unwrap().condition_sent;
    assert!(!knows(&[set]));
    assert!(knows(&[set, Fact::ConditionSent]));
    assert!(!knows(&[set, Fact::ConditionSent, Fact::Compaction]));
    assert!(knows(&[set, Fact::ConditionSent, Fact::Compaction, Fact::ConditionSent]));
    assert!(!knows(&[Fact::ConditionSent, set]));
}

/// Every text with everything that can stand in it.
fn catalogue() -> Vec<Text<'static>> {
    let condition = condition("npm test 全绿");
    let everyone = [By::User, By::NoUi, By::Dismissed, By::Timeout, By::Unstated];
    let mut texts = vec![
        Text::Condition { condition },
        Text::Feedback { number: 1, limit: 5 },
        Text::ToolDescription,
        Text::NoteDescription,
        Text::CheckTitle { condition, note: None },
        Text::CheckTitle { condition, note: Some("12 passing") },
        Text::CheckTitle { condition, note: Some(" ") },
        Text::Satisfied,
        Text::NotYet,
        Text::AskMissing,
    ];
    texts.extend(everyone.map(|by| Text::CheckSatisfied { by }));
    texts.extend([Text::NotSaid, Text::Verbatim { text: "还差文档 and docs" }]);
    texts.extend(everyone.map(|by| Text::Released { by }));
    texts.extend([
        Text::LimitReached { condition, limit: 5 },
        Text::EngineGone,
        Text::Show { condition, used: 2, limit: 5 },
        Text::NoGuard,
        Text::GuardSet { condition, limit: 5 },
        Text::GuardSetBySettings { condition },
        Text::GuardCleared { condition },
        Text::Limit { limit: 5 },
        Text::LimitSet { limit: 0 },
        Text::Refused { error: CommandError::EmptyCondition },
        Text::Refused { error: CommandError::AfterOff { rest: "the record" } },
        Text::Refused { error: CommandError::NotALimit { rest: "abc" } },
        Text::Refused { error: CommandError::NotALimit { rest: "lines of code\nfor each file" } },
        Text::CommandDescription,
    ]);
    texts
}

#[test]
fn texts() {
    let mut snapshot = String::new();
    for text in catalogue() {
        let (zh, en) = (text.in_locale(Locale::ZhCn), text.in_locale(Locale::En));
        writeln!(snapshot, "{text:?}\n  zh-CN: {zh}\n  en:    {en}\n").unwrap();
    }
    insta::assert_snapshot!(snapshot);
}

#[test]
fn results_of_the_tool() {
    let mut snapshot = String::new();
    let answers = [
        Answer::Satisfied,
        Answer::NotYet { missing: Some("文档还没写\nand one test fails") },
        Answer::NotYet { missing: Some(" ") },
        Answer::NotYet { missing: None },
        Answer::NoUi,
        Answer::Dismissed,
        Answer::Timeout,
        Answer::NoGuard,
    ];
    for answer in answers {
        let result = answer.result();
        let (zh, en) = (result.content.in_locale(Locale::ZhCn), result.content.in_locale(Locale::En));
        let (details, terminate) = (result.details(), result.terminate);
        writeln!(
            snapshot,
            "{answer:?}\n  details {details}, terminate {terminate}\n  zh-CN: {zh}\n  en:    {en}\n"
        )
        .unwrap();
    }
    insta::assert_snapshot!(snapshot);
}

#[test]
fn entries_as_a_host_stores_them() {
    let condition = condition("npm test 全绿");
    let mut snapshot = String::new();
    for entry in [
        NewEntry::Set(condition),
        NewEntry::Clear,
        NewEntry::Continue,
        NewEntry::Defaults { max_continuations: 3 },
        NewEntry::ConditionMessage(condition),
        NewEntry::FeedbackMessage { number: 1, limit: 3 },
    ] {
        writeln!(snapshot, "{}", entry.to_value(Locale::ZhCn)).unwrap();
    }
    insta::assert_snapshot!(snapshot);
}

#[test]
fn a_reference_to_an_entry_is_that_entry() {
    let facts = [Fact::Set(condition("a")), Fact::Continue];
    let references: Vec<&Fact<'_>> = facts.iter().collect();
    let settings = Settings::default();
    assert_eq!(project(&references, &settings), project(&facts, &settings));
    assert_ne!(project(&references, &settings), project(&facts[..0], &settings));
}

/// JSON has one kind of number.
#[test]
fn a_limit_is_a_whole_number() {
    let rows = [
        ("5", Some(5)),
        ("5.0", Some(5)),
        ("4294967295.0", Some(u32::MAX)),
        ("5.5", None),
        ("0.5", None),
        ("-1", None),
        ("-1.0", None),
        ("4294967296", None),
        ("4294967296.0", None),
        ("\"5\"", None),
    ];
    for (number, limit) in rows {
        let entry = format!(
            r#"{{"type": "custom", "customType": "guard-defaults", "data": {{"maxContinuations": {number}}}}}"#
        );
        let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
        let expected = limit.map(|max_continuations| Fact::Defaults { max_continuations });
        assert_eq!(entry.fact(), expected, "{number}");
    }
}

#[test]
fn who_answered_is_shown_in_words() {
    let shown = [By::User, By::NoUi, By::Dismissed, By::Timeout, By::Unstated].map(|by| by.to_string());
    assert_eq!(shown, ["user", "no-ui", "dismissed", "timeout", "unstated"]);
}

#[test]
fn options_are_found_by_their_labels() {
    for (choice, locale) in
        Choice::ALL.into_iter().flat_map(|choice| [Locale::ZhCn, Locale::En].map(|locale| (choice, locale)))
    {
        let label = choice.text().in_locale(locale).to_string();
        assert_eq!(Choice::from_label(&label, locale), Some(choice));
        assert_eq!(Choice::from_label(label.trim_end_matches(char::is_alphabetic), locale), None);
        assert_eq!(Choice::from_label(&format!("{label}!"), locale), None);
    }
}
