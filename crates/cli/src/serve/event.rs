//! Events as a host tells of them, what the engine makes of them, and decisions as a host reads them.

use super::fault::{Fault, read};
use super::progress::{Progress, begin};
use super::wire::{BlockedCall, Code, Reply, WireMessage};
use brakeline::{
    AgentEnd, AgentSettled, AgentStart, AgentStartDecision, BeforeAgentStart, BeforeSettle, Block, Change,
    Changes, Draft, Engine, EventKind, Input, InputDecision, ModelContext, ProjectTrust, Proposal,
    ProviderRequest, ResultChanges, RunOutcome, SessionShutdown, SessionStart, SessionView, ToolCall,
    ToolCallDecision, ToolResult, TrustDecision, TurnEnd, UserBash, UserBashDecision, Verdict,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A decision's members; `None` if there is nothing to say.
type Decision = Option<Map<String, Value>>;

/// Returns the events to tell of: those that some extension listens to.
pub(super) fn heard(engine: &Engine) -> Vec<&'static str> {
    // The tools on offer follow the branch.
    let of_serve = engine.tools().next().map(|_| BRANCH_CHANGED);
    let of_engine = engine.wanted_events().into_iter().map(EventKind::name);
    // Commands and tools are messages of their own.
    of_engine.filter(|kind| TYPES.contains(kind)).chain(of_serve).collect()
}

/// The keys of entries that the built-in extensions read.
pub(super) const CUSTOM_TYPES: [&str; 4] = ["guard", "guard-continue", "guard-defaults", "guard-condition"];

/// Another branch is in force, or its history was summed up: no extension hears of it, but the tools on offer may follow.
const BRANCH_CHANGED: &str = "branch_changed";

/// The events that hosts may tell of.
const TYPES: [&str; 16] = [
    "session_start",
    BRANCH_CHANGED,
    "project_trust",
    "input",
    "before_agent_start",
    "agent_start",
    "agent_end",
    "agent_settled",
    "context",
    "before_provider_request",
    "tool_call",
    "tool_result",
    "user_bash",
    "turn_end",
    "agent_before_settle",
    "session_shutdown",
];

/// Hands an event to the engine.
pub(super) fn handle(engine: &mut Engine, event: Value, view: SessionView<'_>) -> Result<Progress, Fault> {
    let kind = event.get("type").and_then(Value::as_str).map(str::to_owned);
    let Some(kind) = kind else {
        return Err(Fault::new(Code::BadMessage, "`event.type`: expected the name of an event"));
    };
    Ok(match kind.as_str() {
        "session_start" => {
            let Reason { reason } = read(event)?;
            begin(engine, SessionStart { reason }, view, |()| Reply::default())
        }
        "session_shutdown" => {
            let Reason { reason } = read(event)?;
            begin(engine, SessionShutdown { reason }, view, |()| Reply::default())
        }
        BRANCH_CHANGED => Progress::Done(Ok(Box::default())),
        "agent_start" => begin(engine, AgentStart, view, |()| Reply::default()),
        "agent_end" => {
            let Messages { messages } = read(event)?;
            begin(engine, AgentEnd { messages }, view, |()| Reply::default())
        }
        "agent_settled" => {
            let Settled { aborted } = read(event)?;
            begin(engine, AgentSettled { aborted }, view, |()| Reply::default())
        }
        "project_trust" => {
            let Trust { cwd } = read(event)?;
            begin(engine, ProjectTrust { cwd }, view, |decision| decided(trust(decision)))
        }
        "input" => {
            let Typed { text, images, source } = read(event)?;
            begin(
                engine,
                Input { text: text.clone(), images: images.clone(), source },
                view,
                move |decision| decided(input(decision, &text, &images)),
            )
        }
        "before_agent_start" => {
            let RunBegins { prompt, images, system_prompt } = read(event)?;
            begin(engine, BeforeAgentStart { prompt, images, system_prompt }, view, |decision| {
                decided(agent_start(decision))
            })
        }
        "context" => {
            let Messages { messages } = read(event)?;
            begin(engine, ModelContext { messages }, view, |messages| {
                decided(messages.map(|messages| member("messages", messages)))
            })
        }
        "before_provider_request" => {
            let Payload { payload } = read(event)?;
            begin(engine, ProviderRequest { payload }, view, |payload| {
                decided(payload.map(|payload| member("payload", payload)))
            })
        }
        "tool_call" => {
            let Call { tool_name, tool_call_id, parent_tool_call_id, input } = read(event)?;
            let call = ToolCall { tool: tool_name, id: tool_call_id, parent: parent_tool_call_id, input };
            let tool = call.tool.clone();
            begin(engine, call, view, move |decision| tool_call(decision, tool))
        }
        "tool_result" => begin(engine, ToolResult::from(read::<CallResult>(event)?), view, |changes| {
            decided(tool_result(changes))
        }),
        "user_bash" => {
            let TypedCommand { command, cwd, exclude_from_context } = read(event)?;
            begin(engine, UserBash { command, cwd, exclude_from_context }, view, |decision| {
                decided(user_bash(decision))
            })
        }
        "turn_end" => {
            let TurnEnds { turn_index, message, tool_results, boundary } = read(event)?;
            let (outcome, runnable) = boundary.understood()?;
            let turn = TurnEnd { turn_index, message, tool_results, outcome, runnable };
            begin(engine, turn, view, |made| decided(proposal(made)))
        }
        "agent_before_settle" => {
            let (outcome, runnable) = read::<Boundary>(event)?.understood()?;
            begin(engine, BeforeSettle { outcome, runnable }, view, |made| decided(proposal(made)))
        }
        _ => {
            let message = format!("there is no event `{kind}`; known are {}", TYPES.join(", "));
            return Err(Fault::new(Code::UnknownEvent, message));
        }
    })
}

/// `session_start`, `session_shutdown`
#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    reason: String,
}

/// `agent_settled`
#[derive(Deserialize)]
struct Settled {
    #[serde(default)]
    aborted: bool,
}

/// `agent_end`, `context`
#[derive(Deserialize)]
struct Messages {
    messages: Vec<Value>,
}

/// `project_trust`
#[derive(Deserialize)]
struct Trust {
    cwd: String,
}

/// `input`
#[derive(Deserialize)]
struct Typed {
    text: String,
    #[serde(default)]
    images: Vec<Value>,
    #[serde(default)]
    source: String,
}

/// `before_agent_start`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunBegins {
    /// A text, or the blocks of a message that starts the run.
    #[serde(default, deserialize_with = "text_of")]
    prompt: String,
    #[serde(default)]
    images: Vec<Value>,
    #[serde(default)]
    system_prompt: String,
}

/// `before_provider_request`
#[derive(Deserialize)]
struct Payload {
    payload: Value,
}

/// `tool_call`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    tool_name: String,
    #[serde(default)]
    tool_call_id: String,
    #[serde(default)]
    parent_tool_call_id: Option<String>,
    input: Map<String, Value>,
}

/// `tool_result`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult {
    #[serde(flatten)]
    call: Call,
    #[serde(default)]
    content: Vec<Value>,
    #[serde(default)]
    details: Option<Value>,
    #[serde(default)]
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    usage: Option<Value>,
}

impl From<CallResult> for ToolResult {
    fn from(result: CallResult) -> Self {
        let CallResult { call, content, details, structured_content, is_error, usage } = result;
        Self {
            tool: call.tool_name,
            id: call.tool_call_id,
            parent: call.parent_tool_call_id,
            input: call.input,
            content,
            details,
            structured_content,
            is_error,
            usage,
        }
    }
}

/// `user_bash`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypedCommand {
    command: String,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    exclude_from_context: bool,
}

/// `turn_end`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TurnEnds {
    #[serde(default)]
    turn_index: u64,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    tool_results: Vec<Value>,
    #[serde(flatten)]
    boundary: Boundary,
}

/// `agent_before_settle`, and a part of `turn_end`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Boundary {
    outcome: String,
    #[serde(default)]
    can_continue: bool,
}

impl Boundary {
    fn understood(self) -> Result<(RunOutcome, bool), Fault> {
        let outcome = RunOutcome::from_name(&self.outcome).ok_or_else(|| {
            let message =
                format!("`outcome`: expected completed, aborted or error, found `{}`", self.outcome);
            Fault::new(Code::BadMessage, message)
        })?;
        Ok((outcome, self.can_continue))
    }
}

fn text_of<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let blocks = match value {
        Value::String(text) => return Ok(text),
        Value::Array(blocks) => blocks,
        _ => Vec::new(),
    };
    let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

fn decided(decision: Decision) -> Reply {
    Reply { decision, ..Reply::default() }
}

fn object(value: Value) -> Decision {
    match value {
        Value::Object(members) if !members.is_empty() => Some(members),
        _ => None,
    }
}

fn member(name: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.into())])
}

fn trust(decision: Option<TrustDecision>) -> Decision {
    let TrustDecision { trusted, by } = decision?;
    object(json!({"trusted": trusted, "by": by}))
}

fn input(decision: InputDecision, text: &str, images: &[Value]) -> Decision {
    match decision {
        InputDecision::Handled { by } => object(json!({"handled": true, "by": by})),
        InputDecision::Continue(input) => {
            let mut members = Map::new();
            if input.images != images {
                members.insert("images".to_owned(), input.images.into());
            }
            if input.text != text || !members.is_empty() {
                members.insert("text".to_owned(), input.text.into());
            }
            object(members.into())
        }
    }
}

fn agent_start(decision: AgentStartDecision) -> Decision {
    let mut members = Map::new();
    if !decision.messages.is_empty() {
        let messages = decision.messages.into_iter().map(WireMessage::from);
        let messages = messages.map(|message| serde_json::to_value(message).unwrap_or_default());
        members.insert("messages".to_owned(), messages.collect());
    }
    if let Some(prompt) = decision.system_prompt {
        members.insert("systemPrompt".to_owned(), prompt.into());
    }
    object(members.into())
}

fn tool_call(decision: ToolCallDecision, tool: String) -> Reply {
    let ToolCallDecision { changes, verdict, .. } = decision;
    match verdict {
        Verdict::Block(block) => {
            let blocked = BlockedCall { tool, by: block.by.clone(), reason: block.reason.clone() };
            Reply { blocked: Some(blocked), ..decided(Some(member("block", members_of(block)))) }
        }
        Verdict::Allow => decided(input_changes(&changes)),
    }
}

fn members_of(block: Block) -> Map<String, Value> {
    let Block { by, reason, terminate, details } = block;
    let mut members = Map::new();
    members.insert("by".to_owned(), by.into());
    members.insert("reason".to_owned(), reason.into());
    members.insert("terminate".to_owned(), terminate.into());
    if let Some(details) = details {
        members.insert("details".to_owned(), details);
    }
    members
}

fn input_changes(changes: &Changes) -> Decision {
    let mut set = Map::new();
    let mut remove = Vec::new();
    for (name, value) in changes.iter() {
        match value {
            Some(value) => _ = set.insert(name.to_owned(), value.clone()),
            None => remove.push(name.to_owned()),
        }
    }
    let mut members = Map::new();
    if !set.is_empty() {
        members.insert("set".to_owned(), set.into());
    }
    if !remove.is_empty() {
        members.insert("remove".to_owned(), remove.into());
    }
    object(members.into())
}

/// What changes of a result; `null` stands for a member that goes away.
fn tool_result(changes: ResultChanges) -> Decision {
    let mut members = Map::new();
    let mut change = |name: &str, change: Change<Value>| match change {
        Change::Keep => {}
        Change::Set(value) => _ = members.insert(name.to_owned(), value),
        Change::Drop => _ = members.insert(name.to_owned(), Value::Null),
    };
    change("details", changes.details);
    change("structuredContent", changes.structured_content);
    change("usage", changes.usage);
    if let Some(content) = changes.content {
        members.insert("content".to_owned(), content.into());
    }
    if let Some(is_error) = changes.is_error {
        members.insert("isError".to_owned(), is_error.into());
    }
    object(members.into())
}

fn user_bash(decision: UserBashDecision) -> Decision {
    match decision {
        UserBashDecision::Run => None,
        UserBashDecision::Intercepted { by, result } => object(json!({
            "by": by,
            "result": {
                "output": result.output,
                "exitCode": result.exit_code,
                "cancelled": result.cancelled,
                "truncated": result.truncated,
            },
        })),
        UserBashDecision::Stopped { by, reason } => object(json!({"block": {"by": by, "reason": reason}})),
    }
}

/// What is added to the proposal of the host's own.
fn proposal(proposal: Proposal) -> Decision {
    let Proposal { entries, continues } = proposal;
    let mut members = Map::new();
    if !entries.is_empty() {
        members.insert("entries".to_owned(), entries.iter().map(Draft::to_value).collect());
    }
    if continues {
        members.insert("continue".to_owned(), true.into());
    }
    object(members.into())
}
