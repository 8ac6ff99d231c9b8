//! What a host tells the engine: plain data, one type for each kind of event.

use serde_json::{Map, Value};

/// The kinds of event, by which a host knows what it need not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// [`SessionStart`]
    SessionStart,
    /// [`AgentStart`]
    AgentStart,
    /// [`AgentEnd`]
    AgentEnd,
    /// [`AgentSettled`]
    AgentSettled,
    /// [`SessionShutdown`]
    SessionShutdown,
    /// [`ProjectTrust`]
    ProjectTrust,
    /// [`Input`]
    Input,
    /// [`ToolCall`]
    ToolCall,
    /// [`UserBash`]
    UserBash,
    /// [`ToolResult`]
    ToolResult,
    /// [`BeforeAgentStart`]
    BeforeAgentStart,
    /// [`ModelContext`]
    ModelContext,
    /// [`ProviderRequest`]
    ProviderRequest,
    /// [`TurnEnd`]
    TurnEnd,
    /// [`BeforeSettle`]
    BeforeSettle,
    /// [`CommandRun`]
    Command,
    /// [`ToolRun`]
    Tool,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::SessionStart,
        Self::AgentStart,
        Self::AgentEnd,
        Self::AgentSettled,
        Self::SessionShutdown,
        Self::ProjectTrust,
        Self::Input,
        Self::ToolCall,
        Self::UserBash,
        Self::ToolResult,
        Self::BeforeAgentStart,
        Self::ModelContext,
        Self::ProviderRequest,
        Self::TurnEnd,
        Self::BeforeSettle,
        Self::Command,
        Self::Tool,
    ];

    /// Returns the name that pi gives the event; `command` and `tool` for what is no event there.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::AgentStart => "agent_start",
            Self::AgentEnd => "agent_end",
            Self::AgentSettled => "agent_settled",
            Self::SessionShutdown => "session_shutdown",
            Self::ProjectTrust => "project_trust",
            Self::Input => "input",
            Self::ToolCall => "tool_call",
            Self::UserBash => "user_bash",
            Self::ToolResult => "tool_result",
            Self::BeforeAgentStart => "before_agent_start",
            Self::ModelContext => "context",
            Self::ProviderRequest => "before_provider_request",
            Self::TurnEnd => "turn_end",
            Self::BeforeSettle => "agent_before_settle",
            Self::Command => "command",
            Self::Tool => "tool",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A session begins, goes on after a pause, or takes the place of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStart {
    /// Why, in the host's word: `startup`, `new`, `resume`, …
    pub reason: String,
}

/// A run of the agent begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentStart;

/// A run of the agent ended; the host may still start another by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentEnd {
    /// The messages of the run.
    pub messages: Vec<Value>,
}

/// The agent has come to rest: nothing continues by itself any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentSettled {
    /// Whether the user stopped it.
    pub aborted: bool,
}

/// A session ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionShutdown {
    /// Why, in the host's word: `quit`, `new`, …
    pub reason: String,
}

/// The host asks whether a project is trusted, that is whether what the project brings along is loaded.
///
/// It never says what a tool may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTrust {
    /// The project's directory.
    pub cwd: String,
}

/// A person sent a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// The text.
    pub text: String,
    /// Images that came with it, in the host's form.
    pub images: Vec<Value>,
    /// Where it comes from, in the host's word: `interactive`, `rpc`, …
    pub source: String,
}

/// The model called a tool, and the tool is about to run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The tool, by the host's name for it.
    pub tool: String,
    /// The call.
    pub id: String,
    /// The call of another tool that made this one.
    pub parent: Option<String>,
    /// The tool's arguments; a handler sees the changes of those before it.
    pub input: Map<String, Value>,
}

/// A person typed a shell command, which is no tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserBash {
    /// The command.
    pub command: String,
    /// Where it would run.
    pub cwd: String,
    /// Whether the model does not get to see it.
    pub exclude_from_context: bool,
}

/// A tool has run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The tool, by the host's name for it.
    pub tool: String,
    /// The call.
    pub id: String,
    /// The call of another tool that made this one.
    pub parent: Option<String>,
    /// The arguments that the tool got.
    pub input: Map<String, Value>,
    /// What the model reads: blocks of text and images.
    pub content: Vec<Value>,
    /// What only programs read.
    pub details: Option<Value>,
    /// The result as data, beside its text.
    pub structured_content: Option<Value>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What the tool itself used of a model.
    pub usage: Option<Value>,
}

/// A run is about to begin with a prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeAgentStart {
    /// The prompt.
    pub prompt: String,
    /// Images that came with it, in the host's form.
    pub images: Vec<Value>,
    /// The system prompt; a handler sees that of those before it.
    pub system_prompt: String,
}

/// The messages that are about to be sent to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelContext {
    /// The messages; a handler sees those of the one before it.
    pub messages: Vec<Value>,
}

/// A request that is about to be sent to a provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderRequest {
    /// The request's body; a handler sees that of the one before it.
    pub payload: Value,
}

/// How a turn or a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunOutcome {
    /// The model stopped by itself.
    #[default]
    Completed,
    /// The user stopped it.
    Aborted,
    /// It failed.
    Error,
}

impl RunOutcome {
    /// Returns the word that hosts use: `completed`, `aborted` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Aborted => "aborted",
            Self::Error => "error",
        }
    }

    /// Returns the outcome with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Completed, Self::Aborted, Self::Error].into_iter().find(|outcome| outcome.name() == name)
    }
}

/// An answer of the model and the results of its tool calls are complete: entries may be added, and the agent sent on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnEnd {
    /// Which turn of the run this is, from 0.
    pub turn_index: u64,
    /// The model's answer.
    pub message: Value,
    /// The results of its tool calls.
    pub tool_results: Vec<Value>,
    /// How the turn ended.
    pub outcome: RunOutcome,
    /// Whether the context as it stands can be sent to the model, that is, does not end in one of its own answers.
    pub runnable: bool,
}

/// The agent is about to settle: the last moment at which entries may be added, and the agent sent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BeforeSettle {
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Whether the context as it stands can be sent to the model, that is, does not end in one of its own answers.
    pub runnable: bool,
}

/// A person gave a command, such as `/guard off`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRun {
    /// The command's name, without the slash.
    pub name: String,
    /// What follows the name.
    pub arguments: String,
}

/// A tool of an extension runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRun {
    /// The tool's name.
    pub name: String,
    /// The call.
    pub id: String,
    /// The tool's arguments.
    pub input: Map<String, Value>,
}
