//! What happens in any host, once its JSON is read, and what is answered before it is written as JSON again.

use super::members::Members;
use brakeline::Changes;
use std::borrow::Cow;

/// An event of a host.
#[derive(Clone, Debug)]
pub(crate) struct Incoming<'a> {
    /// The host's name for the session, where it says one.
    pub(crate) session: Option<Cow<'a, str>>,
    /// The working directory of the session.
    pub(crate) cwd: Option<Cow<'a, str>>,
    /// What happens.
    pub(crate) moment: Moment<'a>,
}

/// The moments at which brakeline has something to do.
#[derive(Clone, Debug)]
pub(crate) enum Moment<'a> {
    /// A tool that is judged is about to run.
    Call(Call<'a>),
    /// The agent has stopped and waits for its user.
    Settled,
    /// The session is over.
    Ended,
    /// Anything else.
    Other,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// The tool, by the host's name.
    pub(crate) tool: Cow<'a, str>,
    /// The host's name for the call.
    pub(crate) id: Option<Cow<'a, str>>,
    /// What the tool is given.
    pub(crate) input: Members<'a>,
    /// The member of the input that says where a shell command runs, if it is not the session's directory.
    pub(crate) directory: Option<&'static str>,
}

/// What a host is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// What becomes of the call.
    pub(crate) verdict: Verdict,
    /// What people should know besides, one line or more each.
    pub(crate) notes: Vec<String>,
}

/// What becomes of a call.
#[derive(Clone, Debug, Default)]
pub(crate) enum Verdict {
    /// No opinion: the host's own rules decide.
    #[default]
    Pass,
    /// It does not run.
    Block {
        /// The extension that says so.
        by: String,
        /// Why, for the model.
        reason: String,
    },
    /// It runs with other input, if the host's own rules let it run.
    Rewrite(Changes),
}

impl Answer {
    /// The notes as one text.
    pub(crate) fn notes(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("\n"))
    }
}

impl<'a> Call<'a> {
    /// Returns the whole input with the changes made, everything else as it came.
    ///
    /// # Errors
    ///
    /// If a value cannot be written as JSON.
    pub(crate) fn changed(&self, changes: &Changes) -> Result<Members<'a>, String> {
        let mut input = self.input.clone();
        for (name, value) in changes.iter() {
            match value {
                Some(value) => input.set(name, value).map_err(|error| error.to_string())?,
                None => input.remove(name),
            }
        }
        Ok(input)
    }
}

/// An event that is none of the host's, or lacks something: what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadEvent(pub(crate) String);

impl BadEvent {
    /// An event that cannot be told from a tool's.
    pub(crate) fn unreadable(host: &str, error: &serde_json::Error) -> Self {
        Self(format!("the event is not one of {host}: {error}"))
    }

    /// A tool's event that lacks a member.
    pub(crate) fn missing(member: &str) -> Self {
        Self(format!("the event has no `{member}`"))
    }

    /// A tool's input that is none.
    pub(crate) fn input(tool: &str, error: &serde_json::Error) -> Self {
        Self(format!("the input of the tool `{tool}` is not what was expected: {error}"))
    }
}

/// Reads the part that most hosts share: a tool and its input as an object. `None` for a tool that is not judged.
///
/// # Errors
///
/// If the tool is judged, and its input is no object.
pub(crate) fn call<'a>(
    tool: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    input: Option<&'a serde_json::value::RawValue>,
    names: [&str; 2],
) -> Result<Option<Call<'a>>, BadEvent> {
    let [tool_name, input_name] = names;
    let tool = tool.ok_or_else(|| BadEvent::missing(tool_name))?;
    if brakeline::tool_names::kind(&tool).is_none() {
        return Ok(None);
    }
    let input = input.ok_or_else(|| BadEvent::missing(input_name))?;
    let input = Members::parse(input.get()).map_err(|error| BadEvent::input(&tool, &error))?;
    Ok(Some(Call { tool, id, input, directory: None }))
}
