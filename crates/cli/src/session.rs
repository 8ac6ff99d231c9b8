//! `brakeline session`: the last value of keys in a session file.

use crate::Exit;
use crate::args::Session;
use crate::output::{complain, print_json};
use serde_json::value::RawValue;
use session_query::{ErrorKind, open_session};
use std::collections::BTreeMap;
use std::error::Error as _;

pub(crate) fn run(args: &Session) -> Exit {
    let keys: Vec<_> = args.keys.iter().map(String::as_str).collect();
    match open_session(&args.file).and_then(|session| session.read_many(&keys)) {
        Ok(values) => {
            // A key that was never written has no member, which tells it from one whose value is null.
            let found: BTreeMap<&str, Box<RawValue>> =
                keys.into_iter().zip(values).filter_map(|(key, value)| Some((key, value?))).collect();
            print_json(&found).map_or(Exit::Output, |()| Exit::Ok)
        }
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::Open(_) | ErrorKind::Read { .. } => Exit::NoInput,
                _ => Exit::Data,
            };
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            complain(&format!("{error}{cause}"), exit)
        }
    }
}
