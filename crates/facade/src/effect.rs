//! What a handler wants done: values that the host carries out, in their order.

use serde_json::Value;

/// Something that a handler wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Store an entry in the session, outside the model's sight.
    AppendEntry {
        /// The entry's key.
        custom_type: String,
        /// What it holds.
        data: Option<Value>,
    },
    /// Store a message in the session, for the model to read.
    SendMessage {
        /// The message.
        message: CustomMessage,
        /// Whether the model is to answer it: a run starts, or the one under way goes on.
        starts_turn: bool,
    },
    /// Change the set of tools that the model is offered: what it was, without `remove`, and with `add`.
    ///
    /// Changes and not the whole set, so that two extensions do not undo each other.
    SetActiveTools {
        /// Tools to offer from now on.
        add: Vec<String>,
        /// Tools not to offer any more.
        remove: Vec<String>,
    },
    /// Tell the user something.
    Notify {
        /// How much it matters.
        level: Level,
        /// What to tell.
        message: String,
    },
    /// Show a short text all the time, or stop showing it.
    SetStatus {
        /// Which text this replaces.
        key: String,
        /// The text; `None`: none.
        text: Option<String>,
    },
}

/// How much a notification matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Good to know.
    #[default]
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}

impl Level {
    /// Returns the word that hosts use: `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A message of an extension to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomMessage {
    /// Its key.
    pub custom_type: String,
    /// A text, or a list of blocks of text and images.
    pub content: Value,
    /// Whether the user gets to see it.
    pub display: bool,
    /// What only programs read.
    pub details: Option<Value>,
}
