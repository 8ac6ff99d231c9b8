//! `OpenCode` 1.18.33, by way of the plugin in `hosts/opencode`, whose JSON this is.
//!
//! The plugin throws where this program says `block` or fails, which `OpenCode` tells the model; it lays `args` over the call's
//! arguments, and logs `message`.
//!
//! - `bash` takes `timeout` in milliseconds and runs in `workdir`; edits name their file `filePath`; `apply_patch` carries `patchText`.
//! - Each session, a sub-agent's too, holds leases of its own, and gives them back when it is idle.

use super::claude_code::read_as;
use super::event::{Answer, BadEvent, Incoming, Moment, Verdict};
use super::members::Members;
use brakeline::{Host, TimeoutMember};
use serde::Serialize;

/// The greatest timeout in seconds: the host's timers count milliseconds in 31 bits.
const MOST_SECONDS: f64 = 2_147_483.0;

/// The host's ways.
pub(crate) fn ways() -> Host {
    let host = Host::OPENCODE;
    let timeout = host.timeout.map(|timeout| TimeoutMember { most: Some(MOST_SECONDS), ..timeout });
    host.with_timeout(timeout)
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    let ended = ["session.deleted", "dispose"];
    let mut incoming = read_as(text, "OpenCode", "tool.execute.before", &["session.idle"], &ended)?;
    if let Moment::Call(call) = &mut incoming.moment {
        call.directory = Some("workdir");
    }
    Ok(incoming)
}

#[derive(Debug, Default, Serialize)]
struct Decision<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Members<'static>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(crate) fn write(_: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    let mut decision = Decision { message: answer.notes(), ..Decision::default() };
    match &answer.verdict {
        Verdict::Pass => {}
        Verdict::Block { reason, .. } => decision.block = Some(reason),
        Verdict::Rewrite(changes) => {
            let mut args = Members::default();
            for (name, value) in changes.iter() {
                args.set(name, &value.cloned().unwrap_or_default()).map_err(|error| error.to_string())?;
            }
            decision.args = Some(args);
        }
    }
    serde_json::to_string(&decision).map_err(|error| error.to_string())
}
