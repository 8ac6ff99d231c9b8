//! Any input of `brakeline serve`: every line of its output is one message, and every line of its input is answered.

#![no_main]

use brakeline_cli::serve::{Surroundings, serve};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

/// Claims go here, whatever a session says: an input must not choose what is written where.
static STATE: LazyLock<std::path::PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("brakeline-fuzz-{}", std::process::id())));

/// Greeted, with a session: what follows need not find the way there.
const OPENING: &str = concat!(
    r#"{"type":"hello","id":"h","protocols":[1]}"#,
    "\n",
    r#"{"type":"open","id":"o","session":"a","host":"pi","cwd":"/nonexistent","ui":true,"settings":{"blockFindRoot":{"blockBash":true}}}"#,
    "\n",
);

fuzz_target!(|input: &[u8]| {
    let surroundings =
        Surroundings { state_dir: Some(STATE.clone()), audits: false, ..Surroundings::default() };
    let mut bytes = OPENING.as_bytes().to_vec();
    bytes.extend_from_slice(input);
    let output = serve(&bytes[..], Vec::new(), &surroundings).expect("memory can be read and written");

    let mut answers = 0;
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).expect("a line is one JSON value");
        match message["type"].as_str() {
            Some("result" | "error") => answers += 1,
            Some("ask") => {}
            kind => panic!("a message of the type {kind:?}"),
        }
    }
    // Each line but those with an answer of the user, which may have none of their own.
    let asked = bytes.split(|byte| *byte == b'\n').filter(|line| {
        let is_answer = serde_json::from_slice::<Value>(line).is_ok_and(|line| line["type"] == "answer");
        !line.iter().all(u8::is_ascii_whitespace) && !is_answer
    });
    assert!(answers >= asked.count(), "a line was not answered");
});
