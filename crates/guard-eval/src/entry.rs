//! What a guard leaves in a session, and what an entry says about it.

use core::fmt;

use crate::{Ack, Text};

/// `customType` of the entries that set and clear a guard.
pub const GUARD: &str = "guard";
/// `customType` of the entries that count continuations.
pub const GUARD_CONTINUE: &str = "guard-continue";
/// `customType` of the entry that holds this session's limit.
pub const GUARD_DEFAULTS: &str = "guard-defaults";
/// `customType` of the message that tells the model of the guard.
pub const GUARD_CONDITION: &str = "guard-condition";
/// `customType` of the message that asks a model which stopped unconfirmed whether it is done.
pub const GUARD_FEEDBACK: &str = "guard-feedback";
/// Name of the tool by which the model asks the user.
pub const GUARD_CHECK: &str = "guard_check";

/// A guard's condition, in the user's words: text that is not blank.
///
/// ```
/// use guard_eval::Condition;
///
/// assert_eq!(Condition::new("all tests pass\n").unwrap().as_str(), "all tests pass\n");
/// assert_eq!(Condition::new(" \n"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition<'a>(
    // INVARIANT: holds something else than white space.
    &'a str,
);

impl<'a> Condition<'a> {
    /// Returns the condition that `text` is, to the letter; `None` if it is blank.
    #[must_use]
    pub fn new(text: &'a str) -> Option<Self> {
        if text.trim().is_empty() { None } else { Some(Self(text)) }
    }

    /// Returns the condition's text.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.0
    }
}

impl fmt::Display for Condition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What one entry of a session says about guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact<'a> {
    /// A guard was set; it replaces one in force.
    Set(Condition<'a>),
    /// The guard was cleared.
    Clear,
    /// The agent was sent on because it had stopped unconfirmed.
    Continue,
    /// The limit of this session was changed.
    Defaults {
        /// How often the agent may be sent on.
        max_continuations: u32,
    },
    /// The model was told of the guard.
    ConditionSent,
    /// The tool [`GUARD_CHECK`] gave a result.
    Checked(Ack),
    /// The conversation so far was replaced by a summary: the model may not know of the guard any more.
    Compaction,
}

/// An entry of a session, as far as guards are concerned.
///
/// An implementation says `None` for what is not well-formed: such entries do not exist for a guard. With the feature
/// `serde_json` it is there for `serde_json::Value`.
pub trait Entry {
    /// Returns what the entry says about guards, or `None` if it says nothing.
    fn fact(&self) -> Option<Fact<'_>>;
}

impl<E: Entry + ?Sized> Entry for &E {
    fn fact(&self) -> Option<Fact<'_>> {
        (**self).fact()
    }
}

impl Entry for Fact<'_> {
    fn fact(&self) -> Option<Fact<'_>> {
        Some(*self)
    }
}

/// An entry to append to the session, by the host.
///
/// With the feature `serde_json`, `to_value` gives it as a host stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewEntry<'a> {
    /// `guard`: `{kind: "set", condition}`.
    Set(Condition<'a>),
    /// `guard`: `{kind: "clear"}`.
    Clear,
    /// `guard-continue`, without data.
    Continue,
    /// `guard-defaults`: `{maxContinuations}`.
    Defaults {
        /// How often the agent may be sent on in this session.
        max_continuations: u32,
    },
    /// `guard-condition`, a message in the model's context.
    ConditionMessage(Condition<'a>),
    /// `guard-feedback`, a message in the model's context.
    FeedbackMessage {
        /// Which continuation this is, from 1.
        number: u32,
        /// How many there may be.
        limit: u32,
    },
}

impl<'a> NewEntry<'a> {
    /// Returns the entry's `customType`.
    #[must_use]
    pub fn custom_type(self) -> &'static str {
        match self {
            Self::Set(_) | Self::Clear => GUARD,
            Self::Continue => GUARD_CONTINUE,
            Self::Defaults { .. } => GUARD_DEFAULTS,
            Self::ConditionMessage(_) => GUARD_CONDITION,
            Self::FeedbackMessage { .. } => GUARD_FEEDBACK,
        }
    }

    /// Returns what the entry says to the model, or `None` for one that stays out of the model's context.
    #[must_use]
    pub fn message(self) -> Option<Text<'a>> {
        match self {
            Self::ConditionMessage(condition) => Some(Text::Condition { condition }),
            Self::FeedbackMessage { number, limit } => Some(Text::Feedback { number, limit }),
            Self::Set(_) | Self::Clear | Self::Continue | Self::Defaults { .. } => None,
        }
    }
}

impl Entry for NewEntry<'_> {
    fn fact(&self) -> Option<Fact<'_>> {
        match *self {
            Self::Set(condition) => Some(Fact::Set(condition)),
            Self::Clear => Some(Fact::Clear),
            Self::Continue => Some(Fact::Continue),
            Self::Defaults { max_continuations } => Some(Fact::Defaults { max_continuations }),
            Self::ConditionMessage(_) => Some(Fact::ConditionSent),
            Self::FeedbackMessage { .. } => None,
        }
    }
}
