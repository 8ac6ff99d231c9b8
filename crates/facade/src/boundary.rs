//! The boundaries of a run, where entries may be added and the agent sent on: how proposals combine, and when they count.

use crate::effect::CustomMessage;
use crate::session::Branch;
use serde_json::{Map, Value};

/// An entry to store, without the id, parent and time that the host adds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Draft {
    /// State of an extension, outside the model's sight.
    Custom {
        /// Its key.
        custom_type: String,
        /// What it holds.
        data: Option<Value>,
    },
    /// A message for the model.
    CustomMessage(CustomMessage),
    /// An entry that the model sees otherwise, or not any more.
    ContextEdit {
        /// The entry.
        target_id: String,
        /// The message to see in its place; `None`: none.
        replacement: Option<Value>,
    },
    /// A summary in place of what was said before.
    Compaction {
        /// The summary.
        summary: String,
        /// The first entry that is kept; `None`: none is.
        first_kept_entry_id: Option<String>,
        /// What only programs read.
        details: Option<Value>,
        /// What making the summary used of a model.
        usage: Option<Value>,
    },
    /// A kind of entry that the engine does not know: skipped.
    Unknown(Value),
}

/// A draft of a known type whose members do not fit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a draft of the type `{draft}` needs a `{member}` that is text")]
pub struct BadDraft {
    draft: &'static str,
    member: &'static str,
}

impl Draft {
    /// Reads a draft from pi's shape.
    ///
    /// ```
    /// use brakeline::Draft;
    /// use serde_json::json;
    ///
    /// let draft = json!({"type": "custom", "customType": "seen", "data": {"at": 3}});
    /// assert_eq!(Draft::from_value(draft.clone())?.to_value(), draft);
    /// assert!(matches!(Draft::from_value(json!({"type": "label"}))?, Draft::Unknown(_)));
    /// assert!(Draft::from_value(json!({"type": "custom"})).is_err());
    /// # Ok::<(), brakeline::BadDraft>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the type is a known one and a member that it needs is missing or no text.
    pub fn from_value(value: Value) -> Result<Self, BadDraft> {
        let Value::Object(mut members) = value else { return Ok(Self::Unknown(value)) };
        match members.get("type").and_then(Value::as_str) {
            Some("custom") => Ok(Self::Custom {
                custom_type: take_text(&mut members, "custom", "customType")?,
                data: members.remove("data"),
            }),
            Some("custom_message") => Ok(Self::CustomMessage(CustomMessage {
                custom_type: take_text(&mut members, "custom_message", "customType")?,
                content: members.remove("content").unwrap_or_default(),
                display: members.get("display").and_then(Value::as_bool).unwrap_or_default(),
                details: members.remove("details"),
            })),
            Some("context_edit") => Ok(Self::ContextEdit {
                target_id: take_text(&mut members, "context_edit", "targetId")?,
                replacement: members.remove("replacement").filter(|value| !value.is_null()),
            }),
            Some("compaction") => Ok(Self::Compaction {
                summary: take_text(&mut members, "compaction", "summary")?,
                first_kept_entry_id: members
                    .get("firstKeptEntryId")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                details: members.remove("details"),
                usage: members.remove("usage"),
            }),
            _ => Ok(Self::Unknown(Value::Object(members))),
        }
    }

    /// Returns the draft in pi's shape.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        let mut member = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        match self {
            Self::Custom { custom_type, data } => {
                member("type", Some("custom".into()));
                member("customType", Some(custom_type.as_str().into()));
                member("data", data.clone());
            }
            Self::CustomMessage(message) => {
                member("type", Some("custom_message".into()));
                member("customType", Some(message.custom_type.as_str().into()));
                member("content", Some(message.content.clone()));
                member("display", Some(message.display.into()));
                member("details", message.details.clone());
            }
            Self::ContextEdit { target_id, replacement } => {
                member("type", Some("context_edit".into()));
                member("targetId", Some(target_id.as_str().into()));
                member("replacement", Some(replacement.clone().unwrap_or_default()));
            }
            Self::Compaction { summary, first_kept_entry_id, details, usage } => {
                member("type", Some("compaction".into()));
                member("summary", Some(summary.as_str().into()));
                member("firstKeptEntryId", Some(first_kept_entry_id.as_deref().into()));
                member("details", details.clone());
                member("usage", usage.clone());
            }
            Self::Unknown(value) => return value.clone(),
        }
        Value::Object(members)
    }
}

fn take_text(
    members: &mut Map<String, Value>,
    draft: &'static str,
    member: &'static str,
) -> Result<String, BadDraft> {
    match members.remove(member) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(BadDraft { draft, member }),
    }
}

/// What is proposed at a boundary so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Entries to store, in this order.
    pub entries: Vec<Draft>,
    /// Whether the agent is sent on.
    pub continues: bool,
}

/// What a handler makes of a proposal: what is present replaces.
///
/// A handler that wants to add entries gives those of the proposal and its own:
///
/// ```
/// use brakeline::{Draft, Proposal, ProposalChange};
///
/// fn add(proposal: &Proposal) -> ProposalChange {
///     let mine = Draft::Custom { custom_type: "seen".to_owned(), data: None };
///     ProposalChange::adding(proposal, [mine])
/// }
/// assert_eq!(add(&Proposal::default()).entries.unwrap().len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposalChange {
    /// All entries to store.
    pub entries: Option<Vec<Draft>>,
    /// Whether the agent is sent on.
    pub continues: Option<bool>,
}

impl ProposalChange {
    /// Keeps the entries that were proposed so far and adds some.
    #[must_use]
    pub fn adding(proposal: &Proposal, more: impl IntoIterator<Item = Draft>) -> Self {
        let entries = proposal.entries.iter().cloned().chain(more).collect();
        Self { entries: Some(entries), continues: None }
    }

    /// Returns this change with a decision on whether the agent is sent on.
    #[must_use]
    pub fn continuing(self, continues: bool) -> Self {
        Self { continues: Some(continues), ..self }
    }
}

/// Why a proposal cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("invalid boundary entries: entry `{0}` not found")]
    UnknownEntry(String),
    #[error(
        "continuation requested without runnable model context; add a message, or take the last answer away"
    )]
    NotRunnable,
}

/// Checks that every entry that a draft names is there, where that can be told.
pub(crate) fn check_entries(drafts: &[Draft], branch: Branch<'_>) -> Result<(), Unusable> {
    if !branch.is_whole() {
        return Ok(());
    }
    let named = drafts.iter().filter_map(|draft| match draft {
        Draft::ContextEdit { target_id, .. } => Some(target_id),
        Draft::Compaction { first_kept_entry_id, .. } => first_kept_entry_id.as_ref(),
        Draft::Custom { .. } | Draft::CustomMessage(_) | Draft::Unknown(_) => None,
    });
    for name in named {
        if !branch.entries().iter().any(|entry| id(entry) == Some(name)) {
            return Err(Unusable::UnknownEntry(name.clone()));
        }
    }
    Ok(())
}

/// Tells whether the context that the drafts lead to can be sent to the model: it has messages, and the last one is not the
/// model's own.
///
/// `runnable` is the host's word on the context without them; it counts where the branch is not there as a whole. Where
/// drafts change what is not there, the host judges, and this says yes.
pub(crate) fn check_continuation(
    drafts: &[Draft],
    branch: Branch<'_>,
    runnable: bool,
) -> Result<(), Unusable> {
    let mut context = FromTheEnd::default();
    let said = drafts.iter().rev().find_map(|draft| context.look_at_draft(draft));
    let said = match said {
        Some(said) => said,
        None if branch.is_whole() => {
            let mut entries = branch.entries().iter();
            let mut said = None;
            while said.is_none()
                && let Some(entry) = entries.next_back()
            {
                said = context.look_at_entry(entry, entries.as_slice());
            }
            said.unwrap_or(context.summarised)
        }
        None => runnable || context.depends_on_entries(),
    };
    if said { Ok(()) } else { Err(Unusable::NotRunnable) }
}

/// What is known of a context on the way back from its end.
#[derive(Default)]
struct FromTheEnd<'a> {
    /// Entries that are seen otherwise, the newest edit of each first.
    edits: Vec<(&'a str, Option<&'a Value>)>,
    /// A summary stands in front of what is kept.
    summarised: bool,
    /// The first entry that is kept behind the summary.
    first_kept: Option<&'a str>,
}

impl<'a> FromTheEnd<'a> {
    fn depends_on_entries(&self) -> bool {
        self.summarised || !self.edits.is_empty()
    }

    /// Returns whether the message that this gives may come last; `None` if it gives none.
    fn look_at_draft(&mut self, draft: &'a Draft) -> Option<bool> {
        match draft {
            Draft::Custom { .. } | Draft::Unknown(_) => None,
            Draft::CustomMessage(_) => Some(true),
            Draft::ContextEdit { target_id, replacement } => {
                self.edits.push((target_id, replacement.as_ref()));
                None
            }
            Draft::Compaction { first_kept_entry_id, .. } => {
                self.look_at_summary(first_kept_entry_id.as_deref())
            }
        }
    }

    fn look_at_summary(&mut self, first_kept: Option<&'a str>) -> Option<bool> {
        if self.summarised {
            // An older summary was summed up itself, unless it is the first that is kept.
            return None;
        }
        self.summarised = true;
        self.first_kept = first_kept;
        // Nothing is kept: the summary is all there is, and it is not the model's own.
        first_kept.is_none().then_some(true)
    }

    fn look_at_entry(&mut self, entry: &'a Value, older: &[Value]) -> Option<bool> {
        let said = self.message_of(entry, older);
        if said.is_none() && self.first_kept.is_some() && self.first_kept == id(entry) {
            // The summary comes before the first entry that is kept.
            return Some(true);
        }
        said
    }

    fn message_of(&mut self, entry: &'a Value, older: &[Value]) -> Option<bool> {
        let kind = text(entry, "type")?;
        if kind == "context_edit" {
            // Counts even if it is edited itself: it gives no message.
            let replacement = entry.get("replacement").filter(|value| !value.is_null());
            self.edits.push((text(entry, "targetId")?, replacement));
            return None;
        }
        if let Some((_, replacement)) = self.edits.iter().find(|(target, _)| Some(*target) == id(entry)) {
            return replacement.and_then(may_come_last);
        }
        match kind {
            "message" => may_come_last(entry.get("message")?),
            "custom_message" | "branch_summary" => Some(true),
            "compaction" => {
                // A compaction that keeps nothing names itself.
                let is_kept = |kept: &&str| older.iter().any(|entry| id(entry) == Some(kept));
                let first_kept = text(entry, "firstKeptEntryId").filter(is_kept);
                self.look_at_summary(first_kept)
            }
            _ => None,
        }
    }
}

/// Returns whether a context may end in this message, `None` if the model does not get to see it.
fn may_come_last(message: &Value) -> Option<bool> {
    match text(message, "role")? {
        "assistant" => Some(false),
        // The system prompt stands beside the messages.
        "system" => None,
        "bashExecution" if message.get("excludeFromContext").and_then(Value::as_bool) == Some(true) => None,
        _ => Some(true),
    }
}

fn id(entry: &Value) -> Option<&str> {
    text(entry, "id")
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}
