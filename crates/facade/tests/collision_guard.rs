//! Leases over the events of two sessions that share a state folder.

#![cfg(feature = "collision-guard")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use brakeline::{
    AgentSettled, Answer, Block, Builder, CommandDecision, CommandRun, Effect, Engine, Event, LeaseOwner,
    Leases, Outcome, SessionShutdown, SessionView, Setup, Step, ToolCall, Verdict,
};
use brakeline_settings::Trust;
use collision_lease::{LeaseSet, SessionId};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn engine(session: &str, folder: &Path) -> Engine {
    let cwd = folder.join("work");
    std::fs::create_dir_all(&cwd).unwrap();
    let setup = Setup { cwd: cwd.to_str().map(str::to_owned), ..Setup::new(session) };
    Builder::new(setup)
        .built_ins()
        .leases(Leases::in_folder(folder.join("state")))
        .build(Trust::Trusted)
        .unwrap()
}

fn done<E: Event>(step: Step<E>) -> Outcome<E::Decision> {
    match step {
        Step::Done(outcome) => outcome,
        Step::Ask(asked) => panic!("nobody expected {:?}", asked.question()),
    }
}

fn call(engine: &mut Engine, tool: &str, input: &Value) -> Option<Block> {
    let input = input.as_object().unwrap().clone();
    let call = ToolCall { tool: tool.to_owned(), id: "c1".to_owned(), parent: None, input };
    let outcome = done(engine.handle(call, SessionView::default()));
    assert_eq!(outcome.reports, []);
    match outcome.decision.verdict {
        Verdict::Allow => None,
        Verdict::Block(block) => Some(block),
    }
}

fn edit(engine: &mut Engine, path: &str) -> Option<Block> {
    call(engine, "edit", &json!({"path": path, "edits": []}))
}

fn settle(engine: &mut Engine) {
    let outcome = done(engine.handle(AgentSettled::default(), SessionView::default()));
    assert_eq!((outcome.effects, outcome.reports), (vec![], vec![]));
}

fn notices(effects: &[Effect]) -> String {
    let text = |effect: &Effect| match effect {
        Effect::Notify { message, .. } => message.clone(),
        other => panic!("nobody expected {other:?}"),
    };
    effects.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn command(engine: &mut Engine, arguments: &str) -> Step<CommandRun> {
    let run = CommandRun { name: "collision".to_owned(), arguments: arguments.to_owned() };
    engine.handle(run, SessionView::default())
}

#[test]
fn one_holds_and_the_other_waits_until_it_settles() {
    let folder = tempfile::tempdir().unwrap();
    let (mut a, mut b) = (engine("session-a", folder.path()), engine("session-b", folder.path()));
    assert_eq!(edit(&mut a, "x.rs"), None);
    assert_eq!(edit(&mut a, "./y/../x.rs"), None, "renewed");

    let block = edit(&mut b, "@x.rs").unwrap();
    assert!(block.reason.starts_with("Collision guard blocked"), "{}", block.reason);
    assert!(block.reason.contains("/collision status"), "{}", block.reason);
    let details = block.details.unwrap();
    assert_eq!((&details["code"], &details["sessionId"]), (&json!("held"), &json!("session-a")));
    assert_eq!(edit(&mut b, "y.rs"), None, "another path");

    settle(&mut a);
    assert_eq!(edit(&mut b, "x.rs"), None);
    assert!(edit(&mut a, "x.rs").is_some());
    let outcome = done(b.handle(SessionShutdown::default(), SessionView::default()));
    assert_eq!((outcome.effects, outcome.reports), (vec![], vec![]));
    assert_eq!(edit(&mut a, "x.rs"), None);
}

#[test]
fn a_patch_takes_all_its_files_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let (mut a, mut b, mut c) =
        (engine("a", folder.path()), engine("b", folder.path()), engine("c", folder.path()));
    assert_eq!(edit(&mut a, "2"), None);
    let patch = "*** Begin Patch\n*** Update File: 1\n*** Update File: 2\n*** Add File: 3\n*** End Patch";
    assert!(call(&mut b, "apply_patch", &json!({"input": patch})).is_some());
    for path in ["1", "3"] {
        assert_eq!(edit(&mut c, path), None, "{path} was given back");
    }
    settle(&mut a);
    settle(&mut c);
    assert_eq!(call(&mut b, "apply_patch", &json!({"input": patch})), None);
    for path in ["1", "2", "3"] {
        assert!(edit(&mut c, path).is_some(), "{path}");
    }
}

#[test]
fn what_is_not_an_edit_touches_no_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine("a", folder.path());
    assert_eq!(call(&mut engine, "read", &json!({"path": "x"})), None);
    assert_eq!(call(&mut engine, "bash", &json!({"command": "echo > x"})), None);
    settle(&mut engine);
    assert_eq!(notices(&done(command(&mut engine, "")).effects), "No claims.");
    assert!(!folder.path().join("state").exists());
}

#[test]
fn whatever_fails_blocks_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("state"), "no folder").unwrap();
    let mut engine = engine("a", folder.path());
    for input in [json!({"path": "x"}), json!({}), json!({"path": 1}), json!({"path": "file://server/x"})] {
        let block = call(&mut engine, "write", &input).unwrap();
        assert!(block.reason.starts_with("Collision guard blocked"), "{}", block.reason);
        assert!(block.reason.contains("Mend the cause"), "{}", block.reason);
    }
}

#[test]
fn without_a_home_edits_are_blocked() {
    let mut engine = Builder::new(Setup::new("a")).built_ins().build(Trust::Trusted).unwrap();
    let block = edit(&mut engine, "/x").unwrap();
    assert!(block.reason.starts_with("Collision guard blocked"), "{}", block.reason);
}

#[test]
fn status_tells_own_claims_from_others() {
    let folder = tempfile::tempdir().unwrap();
    let (mut a, mut b) = (engine("session-a", folder.path()), engine("session-b", folder.path()));
    edit(&mut a, "x.rs");
    let status = |engine: &mut Engine| notices(&done(command(engine, "status")).effects);
    assert!(status(&mut a).starts_with("[self] "), "{}", status(&mut a));
    assert!(status(&mut b).starts_with("[other] "), "{}", status(&mut b));
    assert!(status(&mut b).contains("x.rs"));
    assert!(notices(&done(command(&mut b, "statistics")).effects).contains("is not known"));
}

#[test]
fn a_forced_release_needs_a_person_and_the_claim_that_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (mut a, mut b) = (engine("session-a", folder.path()), engine("session-b", folder.path()));
    assert!(notices(&done(command(&mut b, "force-release x.rs")).effects).contains("nothing holds"));
    edit(&mut a, "x.rs");

    for answer in [Answer::NoUi, Answer::Confirmed(false), Answer::Dismissed] {
        let Step::Ask(asked) = command(&mut b, "force-release x.rs") else { panic!("it asks") };
        assert!(asked.question().title().contains("x.rs"));
        let outcome = done(b.resume(asked, answer, SessionView::default()));
        assert_eq!(outcome.decision, CommandDecision::Done);
        assert!(edit(&mut b, "x.rs").is_some(), "{:?}", outcome.effects);
    }

    // Between the question and the yes, the file changes hands.
    let mut c = engine("session-c", folder.path());
    let Step::Ask(asked) = command(&mut b, "force-release x.rs") else { panic!("it asks") };
    settle(&mut a);
    edit(&mut c, "x.rs");
    let outcome = done(b.resume(asked, Answer::Confirmed(true), SessionView::default()));
    assert!(matches!(outcome.decision, CommandDecision::Failed { .. }), "{outcome:?}");
    assert!(edit(&mut b, "x.rs").is_some());

    let Step::Ask(asked) = command(&mut b, "force-release x.rs") else { panic!("it asks") };
    let outcome = done(b.resume(asked, Answer::Confirmed(true), SessionView::default()));
    assert_eq!(outcome.decision, CommandDecision::Done);
    assert_eq!(edit(&mut b, "x.rs"), None);

    // The holder learns of it, and does not get the file back by itself.
    let call = ToolCall {
        tool: "edit".to_owned(),
        id: "c1".to_owned(),
        parent: None,
        input: json!({"path": "x.rs"}).as_object().unwrap().clone(),
    };
    let outcome = done(c.handle(call, SessionView::default()));
    assert!(matches!(outcome.decision.verdict, Verdict::Block(_)));
}

#[test]
fn a_sub_agent_works_on_its_parents_files() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let leases = Arc::new(LeaseSet::for_process(&state, SessionId::new("parent")).unwrap());
    let with = |name: &str, leases: Leases| {
        let setup = Setup { cwd: folder.path().to_str().map(str::to_owned), ..Setup::new(name) };
        Builder::new(setup).built_ins().leases(leases).build(Trust::Trusted).unwrap()
    };
    let mut parent = with("parent", Leases::shared(Arc::clone(&leases)));
    let token = leases.owner().token.clone();
    let mut child = with("child", Leases::in_folder(&state).owned_by(LeaseOwner::Parent(token)));
    let mut other = engine("other", folder.path());
    let path = folder.path().join("x.rs");
    let path = path.to_str().unwrap();
    assert_eq!(edit(&mut parent, path), None);
    // That it does not release them shows only between processes: see the tests of `collision-lease`.
    assert_eq!(edit(&mut child, path), None);
    assert!(edit(&mut other, path).is_some());
    settle(&mut parent);
    assert_eq!(edit(&mut other, path), None);
}

#[test]
fn switching_it_off_gives_everything_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut a, mut b) = (engine("a", folder.path()), engine("b", folder.path()));
    edit(&mut a, "x.rs");
    let outcome = a.configure(json!({"brakeline": {"extensions": {"collision-guard": false}}}));
    assert_eq!((outcome.effects, outcome.reports), (vec![], vec![]));
    assert_eq!(edit(&mut b, "x.rs"), None);
    assert_eq!(edit(&mut a, "x.rs"), None, "it takes no part");
}
