//! How an engine comes to be, and in which order its extensions stand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use brakeline::locale::Language;
use brakeline::{
    BuildError, Builder, BuiltIn, Changes, CommandSpec, Configuration, Context, Effect, Engine, EventKind,
    Extension, NoUi, Origin, Problem, Question, SessionStart, SessionView, Setup, Stop, Suspended, ToolCall,
    ToolCallAnswer, ToolSpec, Verdict,
};
use brakeline_settings::Trust;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn is_send<T: Send + 'static>() {}

#[test]
fn engines_and_what_waits_may_go_to_other_threads() {
    is_send::<Engine>();
    is_send::<Builder>();
    is_send::<Suspended<ToolCall>>();
}

#[test]
fn kinds_of_event_go_by_their_names() {
    for kind in EventKind::ALL {
        assert_eq!(EventKind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(EventKind::from_name("nonsense"), None);
}

#[test]
fn the_settings_know_every_built_in_extension() {
    let all = [
        BuiltIn::BlockFind,
        BuiltIn::ShellPermissions,
        BuiltIn::DefaultTimeout,
        BuiltIn::GuardLoop,
        BuiltIn::CollisionGuard,
        BuiltIn::Sandbox,
    ];
    for built_in in all {
        assert!(brakeline_settings::EXTENSIONS.contains(&built_in.name()));
    }
    assert_eq!(all.len(), brakeline_settings::EXTENSIONS.len());
}

/// Notes what it sees of a call, and changes it.
struct Probe {
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Extension for Probe {
    fn tool_call(&mut self, call: &ToolCall, _: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let input = serde_json::to_string(&call.input)?;
        self.seen.lock().unwrap().push(format!("{} {input}", self.name));
        Ok(ToolCallAnswer::Rewrite(Changes::new().set(self.name, true)))
    }
}

#[test]
fn built_in_extensions_stand_around_the_hosts_own() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let probe = |name: &'static str| {
        let seen = Arc::clone(&seen);
        move |_: &Setup| Ok(Box::new(Probe { name, seen: Arc::clone(&seen) }) as Box<dyn Extension>)
    };
    // Added in the wrong order on purpose.
    let mut engine = Builder::new(Setup::new("s"))
        .built_in(BuiltIn::Sandbox, probe("sandbox"))
        .built_in(BuiltIn::CollisionGuard, probe("collision-guard"))
        .extension(Origin::Package, "package", probe("package"))
        .extension(Origin::User, "user", probe("user"))
        .extension(Origin::Project, "project", probe("project"))
        .extension(Origin::CommandLine, "line", probe("line"))
        .built_in(BuiltIn::DefaultTimeout, probe("default-timeout"))
        .built_in(BuiltIn::GuardLoop, probe("guard-loop"))
        .built_in(BuiltIn::ShellPermissions, probe("shell-permissions"))
        .built_in(BuiltIn::BlockFind, probe("block-find"))
        .build(Trust::Trusted)
        .unwrap();
    let order = [
        "block-find",
        "shell-permissions",
        "default-timeout",
        "line",
        "project",
        "user",
        "package",
        "guard-loop",
        "collision-guard",
        "sandbox",
    ];
    assert_eq!(engine.extensions().collect::<Vec<_>>(), order);
    let outcome = engine.handle_with(ToolCall::default(), SessionView::default(), &mut NoUi);
    let last = seen.lock().unwrap().last().cloned().unwrap();
    let before: Vec<_> = order.iter().take(9).map(|name| format!("\"{name}\":true")).collect();
    assert_eq!(last, format!("sandbox {{{}}}", before.join(",")), "each sees what those before it changed");
    assert_eq!(outcome.decision.changes.iter().count(), order.len());
}

#[test]
fn a_setting_switches_any_extension_off_and_on_again() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let make = {
        let seen = Arc::clone(&seen);
        move |_: &Setup| Ok(Box::new(Probe { name: "mine", seen: Arc::clone(&seen) }) as Box<dyn Extension>)
    };
    let set = |on: bool| json!({"brakeline": {"extensions": {"mine": on}}});
    let builder = Builder::new(Setup::new("s")).settings(set(false)).extension(Origin::User, "mine", make);
    let mut engine = builder.build(Trust::Trusted).unwrap();
    let calls = |engine: &mut Engine| {
        let _ = engine.handle_with(ToolCall::default(), SessionView::default(), &mut NoUi);
        seen.lock().unwrap().len()
    };
    assert_eq!(calls(&mut engine), 0);
    let _ = engine.configure(set(true));
    assert_eq!(calls(&mut engine), 1);
    let _ = engine.configure(set(false));
    assert_eq!(calls(&mut engine), 1);
}

/// Has a command and a tool, and a way to be set up.
struct Named {
    command: &'static str,
    tool: &'static str,
    set_up: SetUp,
}

type SetUp = fn() -> Result<Vec<Problem>, Stop>;

impl Extension for Named {
    fn configure(&mut self, _: &Configuration) -> Result<Vec<Problem>, Stop> {
        (self.set_up)()
    }

    fn commands(&self, _: Language) -> Vec<CommandSpec> {
        vec![CommandSpec { name: self.command.to_owned(), description: String::new() }]
    }

    fn tools(&self, _: Language) -> Vec<ToolSpec> {
        let (name, description) = (self.tool.to_owned(), String::new());
        vec![ToolSpec { name, description, parameters: Value::Null, sequential: false }]
    }
}

fn build(all: &[(&'static str, &'static str, SetUp)]) -> Result<Engine, BuildError> {
    let mut builder = Builder::new(Setup::new("s"));
    for (number, &(command, tool, set_up)) in all.iter().enumerate() {
        builder = builder.extension(Origin::User, format!("n{number}"), move |_| {
            Ok(Box::new(Named { command, tool, set_up }))
        });
    }
    builder.build(Trust::Trusted)
}

#[test]
fn names_are_given_once() {
    assert!(build(&[("a", "x", || Ok(vec![])), ("b", "y", || Ok(vec![]))]).is_ok());
    let error = build(&[("a", "x", || Ok(vec![])), ("a", "y", || Ok(vec![]))]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the extensions `n0` and `n1` both have a command `a`; leave one of them out"
    );
    let error = build(&[("a", "x", || Ok(vec![])), ("b", "x", || Ok(vec![]))]).unwrap_err();
    assert_eq!(error.to_string(), "the extensions `n0` and `n1` both have a tool `x`; leave one of them out");
}

#[test]
fn an_extension_that_cannot_be_set_up_is_named() {
    for (set_up, reason) in [
        ((|| Err(Stop::failure("no disk"))) as SetUp, "no disk"),
        (|| panic!("no sense"), "panicked: no sense"),
    ] {
        let error = build(&[("a", "x", set_up)]).unwrap_err();
        assert_eq!(error.to_string(), format!("the extension `n0` could not be set up: {reason}"));
    }
}

#[test]
fn what_an_extension_cannot_use_is_told_at_the_start() {
    let mut engine = build(&[("a", "x", || Ok(vec![Problem::Other("no such rule".to_owned())]))]).unwrap();
    let texts: Vec<_> = engine.diagnostics().iter().map(|diagnostic| diagnostic.text(Language::En)).collect();
    assert_eq!(texts, ["n0: no such rule"]);
    let mut start = || engine.handle_with(SessionStart::default(), SessionView::default(), &mut NoUi).effects;
    assert!(matches!(&start()[..], [Effect::Notify { message, .. }] if message == "n0: no such rule"));
    assert_eq!(start(), [], "once");
}

/// Keeps the question to itself.
struct Secretive;

impl Extension for Secretive {
    fn tool_call(&mut self, _: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let question = Question::Input { title: "?".to_owned(), placeholder: None, timeout: None };
        Ok(match context.ask(question) {
            Ok(_) => ToolCallAnswer::block("asked"),
            Err(_) => ToolCallAnswer::Pass,
        })
    }
}

#[test]
fn a_question_that_is_kept_back_is_asked_all_the_same() {
    let builder = Builder::new(Setup::new("s")).extension(Origin::User, "n", |_| Ok(Box::new(Secretive)));
    let mut engine = builder.build(Trust::Trusted).unwrap();
    let outcome = engine.handle_with(ToolCall::default(), SessionView::default(), &mut NoUi);
    assert!(matches!(outcome.decision.verdict, Verdict::Block(block) if block.reason == "asked"));
}
