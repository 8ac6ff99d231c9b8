//! Gives shell commands a time limit.

use crate::configuration::Configuration;
use crate::decision::Changes;
use crate::effect::Level;
use crate::event::{EventKind, ToolCall};
use crate::extension::{Context, Extension, Stop, ToolCallAnswer};
use crate::host::{TimeUnit, TimeoutMember};
use crate::text;
use crate::tool_names::{ToolKind, kind};
use brakeline_settings::TimeoutSeconds;
use serde_json::{Number, Value};

/// The extension: a call without a limit gets one, and one that was given stays, whatever it is.
#[derive(Debug)]
pub(crate) struct DefaultTimeout;

impl Extension for DefaultTimeout {
    fn events(&self) -> &[EventKind] {
        &[EventKind::ToolCall]
    }

    fn reads_entry(&self, _: &Value) -> bool {
        false
    }

    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let configuration = context.configuration();
        let Some(member) = configuration.setup().host.timeout else { return Ok(ToolCallAnswer::Pass) };
        if kind(&call.tool) != Some(ToolKind::Bash) {
            return Ok(ToolCallAnswer::Pass);
        }
        match call.input.get(member.name) {
            None | Some(Value::Null) => {
                let changes = Changes::new().set(member.name, default(configuration, member));
                Ok(ToolCallAnswer::Rewrite(changes))
            }
            Some(given) => {
                if member.unit == TimeUnit::Seconds
                    && let Some(seconds) = meant_as_milliseconds(given)
                {
                    context
                        .notify(Level::Warning, text::timeout_in_milliseconds(seconds, context.language()));
                }
                Ok(ToolCallAnswer::Pass)
            }
        }
    }
}

fn default(configuration: &Configuration, member: TimeoutMember) -> Number {
    let seconds = configuration.settings().default_timeout;
    match member.unit {
        TimeUnit::Seconds => seconds.to_number(),
        // A number of seconds that overflows as milliseconds is as good as none.
        TimeUnit::Milliseconds => TimeoutSeconds::new(seconds.get() * 1000.0).unwrap_or(seconds).to_number(),
    }
}

/// Returns a number of seconds that looks like one of milliseconds: a whole number of thousands.
fn meant_as_milliseconds(given: &Value) -> Option<u64> {
    #[expect(clippy::cast_sign_loss, reason = "at least 1,000, by the check below")]
    let whole = |number: f64| (number >= 1000.0 && number % 1000.0 == 0.0).then_some(number as u64);
    given.as_f64().and_then(whole)
}
