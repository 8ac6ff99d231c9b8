//! The guard loop from set to confirmed, over a branch that is kept as a host keeps it.

#![cfg(feature = "guard-loop")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod session;

use brakeline::{Answer, CommandDecision, Effect, NoUi, RunOutcome};
use serde_json::json;
use session::Session;

#[test]
fn from_set_to_confirmed() {
    let mut session = Session::new(&json!({"guardLoop": {"maxContinuations": 2}}));
    session.start();
    assert!(session.offered().is_empty(), "no guard, no tool");

    assert_eq!(session.command("guard", "tests pass"), CommandDecision::Done);
    assert_eq!(session.offered(), ["guard_check"]);
    assert!(session.told().iter().any(|text| text.starts_with("Guard set: tests pass")));

    session.says("done");
    let proposal = session.settle(RunOutcome::Completed);
    assert!(proposal.continues, "it stopped unconfirmed");
    assert_eq!(session.last_content(), "Question: are you done? (continuation 1 of 2)");

    session.says("now it is");
    let output = session.tool(
        "guard_check",
        &json!({"note": "12 passing"}),
        &[Answer::Selected(1), Answer::Text("docs".into())],
    );
    assert_eq!((output.details, output.terminate), (Some(json!({"end": false})), false));
    assert_eq!(output.content[0]["text"], "docs");

    session.says("docs are there");
    let output = session.tool("guard_check", &json!({}), &[Answer::Selected(0)]);
    assert_eq!((output.details, output.terminate), (Some(json!({"end": true, "by": "user"})), true));
    let proposal = session.settle(RunOutcome::Completed);
    assert!(!proposal.continues);
    assert!(session.told().contains(&"✅ The user confirmed that the condition is met".to_owned()));
    assert!(session.offered().is_empty());
    assert!(!session.settle(RunOutcome::Completed).continues, "nothing is left of it");
}

#[test]
fn the_limit_lets_go_and_says_so() {
    let mut session = Session::new(&json!({}));
    session.start();
    session.command("guard", "max 1");
    session.command("guard", "tests pass");
    session.says("done");
    assert!(session.settle(RunOutcome::Completed).continues);
    session.says("done again");
    assert!(!session.settle(RunOutcome::Completed).continues);
    assert!(session.told().iter().any(|text| text.starts_with("⚠️ The limit of 1 continuations is reached")));
    assert!(session.offered().is_empty());
}

#[test]
fn a_run_that_was_stopped_or_failed_is_left_alone() {
    for outcome in [RunOutcome::Aborted, RunOutcome::Error] {
        let mut session = Session::new(&json!({}));
        session.start();
        session.command("guard", "tests pass");
        let proposal = session.settle(outcome);
        assert_eq!((proposal.entries.len(), proposal.continues), (0, false), "{outcome:?}");
        assert_eq!(session.offered(), ["guard_check"]);
    }
}

#[test]
fn whoever_cannot_be_asked_lets_go_and_is_named() {
    for (answer, by) in
        [(Answer::NoUi, "no-ui"), (Answer::Dismissed, "dismissed"), (Answer::TimedOut, "timeout")]
    {
        let mut session = Session::new(&json!({}));
        session.start();
        session.command("guard", "tests pass");
        let output = session.tool("guard_check", &json!({}), &[answer]);
        assert_eq!(output.details, Some(json!({"end": true, "by": by})));
        assert!(!session.settle(RunOutcome::Completed).continues);
    }
}

#[test]
fn dismissing_what_is_missing_stays_not_yet() {
    let mut session = Session::new(&json!({}));
    session.start();
    session.command("guard", "tests pass");
    let output = session.tool("guard_check", &json!({}), &[Answer::Selected(1), Answer::Dismissed]);
    assert_eq!(output.details, Some(json!({"end": false})));
    assert_eq!(output.content[0]["text"], "The user did not say");
}

#[test]
fn an_answer_about_another_guard_confirms_nothing() {
    let mut session = Session::new(&json!({}));
    session.start();
    session.command("guard", "old");
    let asked = session.ask_tool("guard_check", &json!({}));
    session.command("guard", "new");
    let output = session.answer_tool(asked, Answer::Selected(0), &mut NoUi);
    assert_eq!(output.details, Some(json!({"end": false})));
}

#[test]
fn the_settings_can_set_a_guard_once() {
    let settings = json!({"guardLoop": {"auto": "lint is clean"}});
    let mut session = Session::new(&settings);
    session.start();
    assert_eq!(session.offered(), ["guard_check"]);
    assert!(session.told().contains(&"Guard set by the settings: lint is clean".to_owned()));
    session.command("guard", "off");
    session.start();
    assert!(session.offered().is_empty(), "it was cleared on purpose");
}

#[test]
fn a_summary_makes_the_condition_be_sent_again() {
    let mut session = Session::new(&json!({}));
    session.start();
    session.command("guard", "tests pass");
    assert!(session.before_start().is_empty(), "the model knows");
    session.push(json!({"type": "compaction", "summary": "so far", "firstKeptEntryId": null}));
    assert_eq!(session.before_start().len(), 1);
    session.push(json!({"type": "compaction", "summary": "so far", "firstKeptEntryId": null}));
    session.says("working");
    assert_eq!(session.turn_end().entries.len(), 1);
    assert!(session.turn_end().entries.is_empty(), "once");
}

#[test]
fn a_start_tells_the_host_what_to_offer_whatever_it_knew() {
    let mut session = Session::new(&json!({}));
    for offered in [false, true, true] {
        if offered {
            session.command("guard", "tests pass");
        }
        let effects = session.start();
        let (add, remove) = effects
            .iter()
            .find_map(|effect| match effect {
                Effect::SetActiveTools { add, remove } => Some((add.len(), remove.len())),
                _ => None,
            })
            .unwrap();
        assert_eq!((add, remove), if offered { (1, 0) } else { (0, 1) });
    }
}
