//! Runs shell commands in a sandbox.

use crate::builder::Builder;
use crate::builtin::BuiltIn;
use crate::decision::Changes;
use crate::event::{EventKind, ToolCall};
use crate::extension::{Context, Extension, Stop, ToolCallAnswer};
use crate::shell_command::{command, member};
use crate::tool_names::{ToolKind, kind};
use brakeline_sandbox::wrap::Wrapper;
use serde_json::Value;
use std::borrow::Cow;

/// The extension: each shell command becomes one that runs it in the sandbox.
///
/// It comes last, so that it wraps what really runs. Nothing is read and nothing started here: what the configuration says,
/// and that there is a sandbox to be had, is found out by the program that is called, which refuses the command otherwise.
#[derive(Debug)]
struct Sandbox {
    wrapper: Wrapper,
}

impl Extension for Sandbox {
    fn events(&self) -> &[EventKind] {
        &[EventKind::ToolCall]
    }

    fn reads_entry(&self, _: &Value) -> bool {
        false
    }

    fn tool_call(&mut self, call: &ToolCall, _: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        if kind(&call.tool) != Some(ToolKind::Bash) {
            return Ok(ToolCallAnswer::Pass);
        }
        let command = command(call)?;
        let sandboxed = match (&command, call.input.get(member(call))) {
            // A host that takes words gets words.
            (Cow::Owned(_), Some(Value::Array(words))) => {
                let words = words.iter().filter_map(Value::as_str);
                let text = |word: std::ffi::OsString| Value::from(word.to_string_lossy().into_owned());
                Value::Array(self.wrapper.words(words).into_iter().map(text).collect())
            }
            _ => self.wrapper.shell_text(&command).into(),
        };
        Ok(ToolCallAnswer::Rewrite(Changes::new().set(member(call), sandboxed)))
    }
}

impl Builder {
    /// Runs the shell commands of the agent in the OS sandbox, by way of the program `brakeline`.
    ///
    /// A host adds it when a `sandbox.json` exists, or when its user asks for it. What `.` means in the configuration is the
    /// working directory of the session's setup, unless the wrapper says otherwise.
    ///
    /// ```
    /// use brakeline::{Builder, SessionView, Setup, Step, ToolCall, Verdict};
    /// use brakeline::sandbox::wrap::Wrapper;
    /// use brakeline_settings::Trust;
    /// use serde_json::json;
    ///
    /// let mut setup = Setup::new("s1");
    /// setup.cwd = Some("/src/app".to_owned());
    /// let mut engine =
    ///     Builder::new(setup).sandbox(Wrapper::new("/usr/bin/brakeline")).build(Trust::Trusted)?;
    /// let mut call = ToolCall::default();
    /// call.tool = "bash".to_owned();
    /// call.input = json!({"command": "ls $HOME"}).as_object().unwrap().clone();
    /// let Step::Done(outcome) = engine.handle(call, SessionView::default()) else { unreachable!("no question") };
    /// let decision = outcome.decision;
    /// assert_eq!(decision.verdict, Verdict::Allow);
    /// assert_eq!(
    ///     decision.input["command"],
    ///     "/usr/bin/brakeline sandbox run --project /src/app -- bash -c 'ls $HOME'"
    /// );
    /// # Ok::<(), brakeline::BuildError>(())
    /// ```
    pub fn sandbox(self, wrapper: Wrapper) -> Self {
        self.built_in(BuiltIn::Sandbox, move |setup| {
            let mut wrapper = wrapper.clone();
            // Where a command starts may change from call to call; what it may write must not follow it there.
            wrapper.project = wrapper.project.or_else(|| setup.cwd.as_deref().map(Into::into));
            Ok(Box::new(Sandbox { wrapper }))
        })
    }
}
