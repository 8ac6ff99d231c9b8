//! pi's session entries, typed.

use alloc::string::String;

use serde::Deserialize;
use serde_json::Value;

use crate::Entry;
use crate::entry::NULL;

/// An entry of pi's session format, version 3, with the members that state and messages need.
///
/// The kinds of entry that carry neither are [`Other`](Self::Other), which keeps a branch's entries in their places.
///
/// ```
/// use session_query::{PiEntry, read_entry};
///
/// let branch: Vec<PiEntry> = serde_json::from_str(
///     r#"[{"type": "model_change", "id": "a", "parentId": null, "provider": "p", "modelId": "m"},
///         {"type": "custom", "customType": "round", "data": {"n": 1}, "id": "b", "parentId": "a"}]"#,
/// )?;
/// assert_eq!(read_entry(&branch, "round"), Some(&serde_json::json!({"n": 1})));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum PiEntry {
    /// State that an extension wrote; never in the model's context.
    Custom {
        /// The key.
        custom_type: String,
        /// What was written, if anything.
        #[serde(default)]
        data: Option<Value>,
    },
    /// Something that an extension says to the model.
    CustomMessage {
        /// Who says it.
        custom_type: String,
        /// Text, or a list of blocks.
        #[serde(default)]
        content: Value,
    },
    /// A message of the conversation.
    Message {
        /// The message.
        message: PiMessage,
    },
    /// The conversation so far was replaced by a summary.
    Compaction {},
    /// Any other kind of entry.
    #[serde(other)]
    Other,
}

/// A message of the conversation, with the members that tool results need.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PiMessage {
    /// `user`, `assistant`, `toolResult`, …
    pub role: String,
    /// The tool, of a tool result.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// What the tool tells beside its text.
    #[serde(default)]
    pub details: Option<Value>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: Option<bool>,
}

impl PiEntry {
    /// Returns the entry that an object of a branch is; [`Other`](Self::Other) for one whose members do not fit.
    ///
    /// ```
    /// use session_query::PiEntry;
    ///
    /// let dirty = serde_json::json!({"type": "custom", "customType": 7});
    /// assert_eq!(PiEntry::from_value(&dirty), PiEntry::Other);
    /// ```
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        Self::deserialize(value).unwrap_or(Self::Other)
    }
}

impl Entry for PiEntry {
    type Data = Value;

    fn entry_type(&self) -> Option<&str> {
        match self {
            Self::Custom { .. } => Some("custom"),
            Self::CustomMessage { .. } => Some("custom_message"),
            Self::Message { .. } => Some("message"),
            Self::Compaction {} => Some("compaction"),
            Self::Other => None,
        }
    }

    fn custom_type(&self) -> Option<&str> {
        match self {
            Self::Custom { custom_type, .. } | Self::CustomMessage { custom_type, .. } => Some(custom_type),
            _ => None,
        }
    }

    fn data(&self) -> &Value {
        match self {
            Self::Custom { data: Some(data), .. } => data,
            _ => &NULL,
        }
    }
}
