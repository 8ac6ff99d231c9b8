//! What the engine tells a host: plain data, one type for each kind of event.

use crate::effect::{CustomMessage, Effect};
use crate::event::{Input, ToolResult};
use serde_json::{Map, Value};

/// What came of an operation: the decision, what to do besides, and what went wrong.
#[must_use = "effects are carried out by the host"]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome<D> {
    /// The decision.
    pub decision: D,
    /// What the host is to do, in this order.
    pub effects: Vec<Effect>,
    /// Handlers that failed, in the order in which they did.
    pub reports: Vec<Report>,
}

/// A handler that failed, or whose proposal cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The extension.
    pub extension: String,
    /// The event, by the name that hosts use: `tool_call`, …
    pub event: &'static str,
    /// What went wrong.
    pub message: String,
}

/// Who decided that a project is trusted, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustDecision {
    /// The decision.
    pub trusted: bool,
    /// The extension that owns it.
    pub by: String,
}

/// What becomes of a text that a person sent.
#[derive(Clone, Debug, PartialEq)]
pub enum InputDecision {
    /// It goes on, perhaps rewritten.
    Continue(Input),
    /// An extension took care of it: nothing is sent to the model.
    Handled {
        /// The extension.
        by: String,
    },
}

/// What becomes of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallDecision {
    /// The arguments that the tool gets.
    pub input: Map<String, Value>,
    /// The changes that led to them.
    pub changes: Changes,
    /// Whether it may run.
    pub verdict: Verdict,
}

/// Whether a tool may run. Not `#[non_exhaustive]` on purpose: whoever obeys it should have to think when one is added.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not.
    Block(Block),
}

/// Why a tool may not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The extension that says so.
    pub by: String,
    /// Why, in words for the model.
    pub reason: String,
    /// Whether the run ends, if every call of the batch says so.
    pub terminate: bool,
    /// Why, as data.
    pub details: Option<Value>,
}

/// Changes of an object's members, in the order in which they were made.
///
/// A host applies them to the input that it has, in place: what is not named keeps its value, its spelling and its position.
///
/// ```
/// use brakeline::Changes;
/// use serde_json::json;
///
/// let mut input = json!({"timeout": null, "command": "make", "x": 1}).as_object().unwrap().clone();
/// Changes::new().set("timeout", 120).remove("x").apply(&mut input);
/// assert_eq!(serde_json::to_string(&input)?, r#"{"timeout":120,"command":"make"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// INVARIANT: each name stands here once.
    members: Vec<(String, Option<Value>)>,
}

impl Changes {
    /// No changes.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// Adds that a member gets a value.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.push(name.into(), Some(value.into()));
        self
    }

    /// Adds that a member goes away.
    #[must_use]
    pub fn remove(mut self, name: impl Into<String>) -> Self {
        self.push(name.into(), None);
        self
    }

    /// Adds later changes; of two to the same member the later one counts.
    pub fn extend(&mut self, later: Self) {
        for (name, value) in later.members {
            self.push(name, value);
        }
    }

    fn push(&mut self, name: String, value: Option<Value>) {
        match self.members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.members.push((name, value)),
        }
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the members that change, each with its new value, or `None` where it goes away.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.members.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// Makes the changes. A member that is new comes last.
    pub fn apply(&self, object: &mut Map<String, Value>) {
        for (name, value) in &self.members {
            match value {
                Some(value) => _ = object.insert(name.clone(), value.clone()),
                None => _ = object.shift_remove(name),
            }
        }
    }
}

/// What becomes of a command that a person typed.
#[derive(Clone, Debug, PartialEq)]
pub enum UserBashDecision {
    /// It runs.
    Run,
    /// An extension ran it, or something in its place.
    Intercepted {
        /// The extension.
        by: String,
        /// What came of it.
        result: BashResult,
    },
    /// It does not run, since a handler failed.
    Stopped {
        /// The extension that failed.
        by: String,
        /// Why.
        reason: String,
    },
}

/// What came of a shell command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BashResult {
    /// What it wrote.
    pub output: String,
    /// Its exit status; `None` if it did not end by itself.
    pub exit_code: Option<i32>,
    /// Whether the user stopped it.
    pub cancelled: bool,
    /// Whether the output was cut.
    pub truncated: bool,
}

/// What becomes of a value that may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Change<T> {
    /// It stays.
    #[default]
    Keep,
    /// It is replaced.
    Set(T),
    /// It goes away.
    Drop,
}

impl<T: Clone> Change<T> {
    fn apply(&self, value: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Set(new) => *value = Some(new.clone()),
            Self::Drop => *value = None,
        }
    }
}

/// Changes of a tool's result: what is present replaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultChanges {
    /// What the model reads. Replacing it without [`structured_content`](Self::structured_content) drops that.
    pub content: Option<Vec<Value>>,
    /// What only programs read.
    pub details: Change<Value>,
    /// The result as data.
    pub structured_content: Change<Value>,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// What the tool itself used of a model.
    pub usage: Change<Value>,
}

impl ResultChanges {
    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Makes the changes.
    pub fn apply(&self, result: &mut ToolResult) {
        if let Some(content) = &self.content {
            result.content.clone_from(content);
        }
        self.details.apply(&mut result.details);
        self.structured_content.apply(&mut result.structured_content);
        if let Some(is_error) = self.is_error {
            result.is_error = is_error;
        }
        self.usage.apply(&mut result.usage);
    }

    /// Adds later changes.
    pub fn extend(&mut self, later: Self) {
        let Self { content, details, structured_content, is_error, usage } = later;
        self.content = content.or(self.content.take());
        self.is_error = is_error.or(self.is_error);
        for (old, new) in [
            (&mut self.details, details),
            (&mut self.structured_content, structured_content),
            (&mut self.usage, usage),
        ] {
            if new != Change::Keep {
                *old = new;
            }
        }
    }

    /// Text that is replaced no longer fits the data beside it, unless that is replaced too.
    pub(crate) fn without_stale_data(mut self) -> Self {
        if self.content.is_some() && self.structured_content == Change::Keep {
            self.structured_content = Change::Drop;
        }
        self
    }
}

/// What is added before a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentStartDecision {
    /// Messages to store before the prompt, in this order.
    pub messages: Vec<CustomMessage>,
    /// The system prompt, if it was replaced.
    pub system_prompt: Option<String>,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandDecision {
    /// It was carried out; what there is to say is among the effects.
    Done,
    /// No extension has a command of this name.
    Unknown,
    /// It failed.
    Failed {
        /// Why.
        reason: String,
    },
}

/// What a tool of an extension answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model reads: blocks of text and images.
    pub content: Vec<Value>,
    /// What only programs read.
    pub details: Option<Value>,
    /// Whether it failed.
    pub is_error: bool,
    /// Whether the run ends, if every call of the batch says so.
    pub terminate: bool,
}

impl ToolOutput {
    /// An answer of one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let block = serde_json::json!({"type": "text", "text": text.into()});
        Self { content: vec![block], ..Self::default() }
    }

    /// A failure.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
}
