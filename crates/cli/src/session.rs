//! `brakeline session`: the last value of keys in a session file.

use crate::Exit;
use crate::args::Session;
use crate::output::{complain, print_json, print_line};
use serde_json::value::RawValue;
use session_query::{Error, ErrorKind, open_session};
use std::collections::BTreeMap;
use std::error::Error as _;

pub(crate) fn run(args: &Session) -> Exit {
    match read(args) {
        Ok(found) if args.json => print_json(&found).map_or(Exit::Output, |()| Exit::Ok),
        Ok(found) => {
            let lines: Vec<String> =
                found.iter().map(|(key, value)| format!("{key} = {}", value.get())).collect();
            if lines.is_empty() {
                return Exit::Ok;
            }
            print_line(&lines.join("\n")).map_or(Exit::Output, |()| Exit::Ok)
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

/// A key that was never written has no member, which tells it from one whose value is null.
fn read(args: &Session) -> Result<BTreeMap<String, Box<RawValue>>, Error> {
    let session = open_session(&args.file)?;
    if args.all_keys {
        return session.read_all();
    }
    let keys: Vec<&str> = args.keys.iter().map(String::as_str).collect();
    let values = session.read_many(&keys)?;
    Ok(args.keys.iter().cloned().zip(values).filter_map(|(key, value)| Some((key, value?))).collect())
}
