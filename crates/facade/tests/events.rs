//! Every event reaches its own handler, and is reported under its own name.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use brakeline::locale::Language;
use brakeline::{
    AgentEnd, AgentSettled, AgentStart, AgentStartAnswer, BashResult, BeforeAgentStart, BeforeSettle,
    Builder, CommandRun, CommandSpec, Context, Engine, Event, EventKind, Extension, Input, InputAnswer,
    ModelContext, NoUi, Origin, ProjectTrust, Proposal, ProposalChange, ProviderRequest, ResultChanges,
    SessionShutdown, SessionStart, SessionView, Setup, Stop, ToolCall, ToolCallAnswer, ToolOutput,
    ToolResult, ToolRun, ToolSpec, TurnEnd, UserBash,
};
use brakeline_settings::Trust;
use serde_json::Value;

/// Fails everywhere, each time with the name of the handler.
struct Fails;

macro_rules! handlers {
    ($($handler:ident($($event:ty),+) -> $answer:ty;)*) => {
        impl Extension for Fails {
            $(fn $handler(&mut self, $(_: &$event,)+ _: &mut Context<'_>) -> Result<$answer, Stop> {
                Err(Stop::failure(stringify!($handler)))
            })*

            fn commands(&self, _: Language) -> Vec<CommandSpec> {
                vec![CommandSpec { name: "c".to_owned(), description: String::new() }]
            }

            fn tools(&self, _: Language) -> Vec<ToolSpec> {
                let (name, description) = ("t".to_owned(), String::new());
                vec![ToolSpec { name, description, parameters: Value::Null, sequential: false }]
            }
        }
    };
}

handlers! {
    session_start(SessionStart) -> ();
    agent_start(AgentStart) -> ();
    agent_end(AgentEnd) -> ();
    agent_settled(AgentSettled) -> ();
    session_shutdown(SessionShutdown) -> ();
    project_trust(ProjectTrust) -> Option<bool>;
    input(Input) -> InputAnswer;
    tool_call(ToolCall) -> ToolCallAnswer;
    user_bash(UserBash) -> Option<BashResult>;
    tool_result(ToolResult) -> ResultChanges;
    before_agent_start(BeforeAgentStart) -> AgentStartAnswer;
    model_context(ModelContext) -> Option<Vec<Value>>;
    provider_request(ProviderRequest) -> Option<Value>;
    turn_end(TurnEnd, Proposal) -> ProposalChange;
    before_settle(BeforeSettle, Proposal) -> ProposalChange;
    run_command(CommandRun) -> ();
    run_tool(ToolRun) -> ToolOutput;
}

fn check<E: Event>(engine: &mut Engine, event: E, handler: &str, kind: EventKind) {
    let outcome = engine.handle_with(event, SessionView::default(), &mut NoUi);
    let [report] = &outcome.reports[..] else {
        unreachable!("one handler, one failure: {:?}", outcome.reports)
    };
    assert_eq!((report.message.as_str(), report.event), (handler, kind.name()));
}

#[test]
fn every_event_reaches_its_own_handler() {
    let builder = Builder::new(Setup::new("s")).extension(Origin::User, "fails", |_| Ok(Box::new(Fails)));
    let engine = &mut builder.build(Trust::Trusted).unwrap();
    check(engine, SessionStart::default(), "session_start", EventKind::SessionStart);
    check(engine, AgentStart, "agent_start", EventKind::AgentStart);
    check(engine, AgentEnd::default(), "agent_end", EventKind::AgentEnd);
    check(engine, AgentSettled::default(), "agent_settled", EventKind::AgentSettled);
    check(engine, SessionShutdown::default(), "session_shutdown", EventKind::SessionShutdown);
    check(engine, ProjectTrust::default(), "project_trust", EventKind::ProjectTrust);
    check(engine, Input::default(), "input", EventKind::Input);
    check(engine, ToolCall::default(), "tool_call", EventKind::ToolCall);
    check(engine, UserBash::default(), "user_bash", EventKind::UserBash);
    check(engine, ToolResult::default(), "tool_result", EventKind::ToolResult);
    check(engine, BeforeAgentStart::default(), "before_agent_start", EventKind::BeforeAgentStart);
    check(engine, ModelContext::default(), "model_context", EventKind::ModelContext);
    check(engine, ProviderRequest::default(), "provider_request", EventKind::ProviderRequest);
    check(engine, TurnEnd::default(), "turn_end", EventKind::TurnEnd);
    check(engine, BeforeSettle::default(), "before_settle", EventKind::BeforeSettle);
    check(
        engine,
        CommandRun { name: "c".to_owned(), ..CommandRun::default() },
        "run_command",
        EventKind::Command,
    );
    check(engine, ToolRun { name: "t".to_owned(), ..ToolRun::default() }, "run_tool", EventKind::Tool);
    assert_eq!(engine.wanted_events(), EventKind::ALL);
}
