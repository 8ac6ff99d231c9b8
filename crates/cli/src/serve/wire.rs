//! The messages of protocol 1, as they stand on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The versions of the protocol that are spoken here.
pub(super) const PROTOCOLS: [u32; 1] = [1];

/// What a host calls a request; the answer carries it back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Id {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

/// The types of the messages of a host.
pub(super) const TYPES: [&str; 8] =
    ["hello", "open", "configure", "event", "command", "tool", "answer", "close"];

/// `hello`
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Hello {
    /// The versions of the protocol that the host speaks.
    pub(super) protocols: Vec<u32>,
}

/// `open`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Open {
    /// The session's name in this process.
    pub(super) session: String,
    /// The absolute working directory.
    pub(super) cwd: String,
    /// Whose ways with tools count.
    #[serde(default)]
    pub(super) host: HostName,
    /// The absolute home directory; default: that of the program's environment.
    #[serde(default)]
    pub(super) home: Option<String>,
    /// The absolute folder of the user's settings of the host; default: `.pi/agent` in the home directory.
    #[serde(default)]
    pub(super) agent_dir: Option<String>,
    /// What others are shown of the holder of a lease; default: the name.
    #[serde(default)]
    pub(super) session_id: Option<String>,
    /// Whether there is somebody to ask.
    #[serde(default)]
    pub(super) ui: bool,
    /// Whether files of the project may be read.
    #[serde(default)]
    pub(super) trusted: bool,
    /// The locale for texts where the settings say `auto`; default: that of the program's environment.
    #[serde(default)]
    pub(super) locale: Option<String>,
    /// The settings in force.
    #[serde(default)]
    pub(super) settings: Map<String, Value>,
}

/// Whose ways with tools count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HostName {
    /// pi's.
    Pi,
    /// Claude Code's.
    ClaudeCode,
    /// No timeout in calls of the shell, and paths as they are.
    #[default]
    #[serde(other)]
    Other,
}

/// `configure`
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Configure {
    /// The settings in force from now on.
    pub(super) settings: Map<String, Value>,
}

/// `event`
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EventRequest {
    /// What is new on the branch.
    #[serde(default)]
    pub(super) entries: Option<EntriesUpdate>,
    /// What happened.
    pub(super) event: Value,
}

/// What brings the copy of the branch up to date.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EntriesUpdate {
    /// How many of the entries sent so far still stand at the start of the branch.
    pub(super) keep: usize,
    /// Those that follow, oldest first.
    pub(super) add: Vec<Value>,
}

/// `command`
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CommandRequest {
    /// What is new on the branch.
    #[serde(default)]
    pub(super) entries: Option<EntriesUpdate>,
    /// The command's name, without a slash.
    pub(super) name: String,
    /// What follows the name.
    #[serde(default)]
    pub(super) arguments: String,
}

/// `tool`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolRequest {
    /// What is new on the branch.
    #[serde(default)]
    pub(super) entries: Option<EntriesUpdate>,
    /// The tool's name.
    pub(super) name: String,
    /// The call.
    #[serde(default)]
    pub(super) tool_call_id: String,
    /// The call's arguments.
    #[serde(default)]
    pub(super) input: Map<String, Value>,
}

/// `answer`
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AnswerMessage {
    /// The question.
    pub(super) question: String,
    /// How it ended.
    pub(super) answer: WireAnswer,
}

/// How a question ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum WireAnswer {
    /// An option was chosen.
    Selected {
        /// Which, from 0.
        index: usize,
    },
    /// Yes or no.
    Confirmed {
        /// Whether it is yes.
        yes: bool,
    },
    /// A text was written.
    Text {
        /// The text.
        text: String,
    },
    /// The user closed the dialog.
    Dismissed,
    /// The user did not answer in time.
    TimedOut,
    /// There is nobody to ask.
    NoUi,
}

/// A message of the program.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Response {
    /// The answer to a request.
    Result {
        /// The request.
        id: Id,
        /// What came of it.
        #[serde(flatten)]
        reply: Box<Reply>,
    },
    /// A request that came to nothing, or a line that is none.
    Error {
        /// The request; `null` where it is not known.
        id: Option<Id>,
        /// What is wrong.
        code: Code,
        /// The same in words, and how to mend it.
        message: String,
    },
    /// A question to the user, before the answer to a request.
    Ask {
        /// The request that waits.
        id: Id,
        /// The session.
        session: String,
        /// The question's name, for its answer.
        question: String,
        /// What to show.
        dialog: Dialog,
    },
}

/// What came of a request.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Reply {
    /// The answer to `hello`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hello: Option<HelloReply>,
    /// The answer to `open`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opened: Option<Opened>,
    /// What an event leads to; absent where it leads to nothing. Its members are those of the event's row in `protocol.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<Map<String, Value>>,
    /// What a tool answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<ToolReply>,
    /// What the host is to do, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) effects: Vec<WireEffect>,
    /// Handlers that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reports: Vec<WireReport>,
    /// The call that the decision blocks, for the audit log.
    #[serde(skip)]
    pub(super) blocked: Option<BlockedCall>,
}

/// A call that was blocked, as far as the audit log tells of it.
#[derive(Debug)]
pub(super) struct BlockedCall {
    /// The tool.
    pub(super) tool: String,
    /// The extension that blocked it.
    pub(super) by: String,
    /// What the model reads.
    pub(super) reason: String,
}

/// The answer to `hello`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HelloReply {
    /// The version of the protocol from now on.
    pub(super) protocol: u32,
    /// The program's name.
    pub(super) program: &'static str,
    /// The program's version.
    pub(super) version: &'static str,
    /// The longest line that is read, in bytes.
    pub(super) max_line_bytes: usize,
}

/// The answer to `open`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Opened {
    /// The events to tell of; others lead to nothing.
    pub(super) events: Vec<&'static str>,
    /// The commands to offer to the user.
    pub(super) commands: Vec<WireCommand>,
    /// The tools to offer to the model.
    pub(super) tools: Vec<WireTool>,
    /// The entries to tell of; others may be cut down to `{}`.
    pub(super) entries: WantedEntries,
    /// The language of texts: `zh-CN` or `en`.
    pub(super) language: &'static str,
}

/// A command of an extension.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WireCommand {
    /// Its name, without a slash.
    pub(super) name: String,
    /// What it is for.
    pub(super) description: String,
}

/// A tool of an extension.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WireTool {
    /// Its name.
    pub(super) name: String,
    /// Its name for people.
    pub(super) label: String,
    /// What it is for.
    pub(super) description: String,
    /// JSON Schema of its input.
    pub(super) parameters: Value,
    /// Whether it must not run beside other tools.
    pub(super) sequential: bool,
    /// Whether it is offered to the model now.
    pub(super) active: bool,
}

/// The entries of a session that matter.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WantedEntries {
    /// Entries and messages of extensions with these keys.
    pub(super) custom_types: Vec<String>,
    /// Results of these tools.
    pub(super) tool_names: Vec<String>,
}

/// What a tool answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolReply {
    /// What the model reads: blocks of text and images.
    pub(super) content: Vec<Value>,
    /// What only programs read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
    /// Whether it failed.
    pub(super) is_error: bool,
    /// Whether the run ends, if every call of the batch says so.
    pub(super) terminate: bool,
}

/// Something that the host is to do.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum WireEffect {
    /// Store an entry outside the model's sight.
    AppendEntry {
        /// Its key.
        custom_type: String,
        /// What it holds.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// Store a message for the model to read.
    SendMessage {
        /// The message.
        #[serde(flatten)]
        message: WireMessage,
        /// Whether the model is to answer it.
        trigger_turn: bool,
    },
    /// Change which tools the model is offered; all others stay as they are.
    SetTools {
        /// To offer from now on.
        activate: Vec<String>,
        /// Not to offer any more.
        deactivate: Vec<String>,
    },
    /// Tell the user something.
    Notify {
        /// How much it matters: `info`, `warning` or `error`.
        level: &'static str,
        /// What to tell.
        text: String,
    },
    /// Show a short text all the time; `null`: not any more.
    SetStatus {
        /// Which text this replaces.
        key: String,
        /// The text.
        text: Option<String>,
    },
}

/// A message of an extension to the model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireMessage {
    /// Its key.
    pub(super) custom_type: String,
    /// A text, or blocks of text and images.
    pub(super) content: Value,
    /// Whether the user gets to see it.
    pub(super) display: bool,
    /// What only programs read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
}

/// A handler that failed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WireReport {
    /// The extension.
    pub(super) extension: String,
    /// The event.
    pub(super) event: &'static str,
    /// What went wrong.
    pub(super) message: String,
}

/// What to show to the user.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Dialog {
    /// One of several options.
    Select {
        /// What is asked; may have several lines.
        title: String,
        /// What may be answered.
        options: Vec<String>,
        /// How long to wait for the answer; absent: without end.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// Yes or no.
    Confirm {
        /// What is asked.
        title: String,
        /// What the user has to know; may have several lines.
        message: String,
        /// How long to wait for the answer; absent: without end.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// A text.
    Input {
        /// What is asked.
        title: String,
        /// What stands in the empty field.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
        /// How long to wait for the answer; absent: without end.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
}

/// What is wrong with a line or a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    /// The line is no JSON object in UTF-8.
    BadJson,
    /// The line is longer than what is read.
    LineTooLong,
    /// The input ended in the middle of the line.
    Incomplete,
    /// There is no message of this type.
    UnknownMessage,
    /// A member is missing or of the wrong kind.
    BadMessage,
    /// Something else came before `hello`.
    HelloFirst,
    /// The host speaks no version that is spoken here.
    UnsupportedProtocol,
    /// There is no session of this name.
    UnknownSession,
    /// There is one already.
    SessionExists,
    /// There is no event of this type.
    UnknownEvent,
    /// There is no command of this name.
    UnknownCommand,
    /// There is no tool of this name.
    UnknownTool,
    /// There is no such question, or it has ended.
    UnknownQuestion,
    /// It could not be done.
    Failed,
}
