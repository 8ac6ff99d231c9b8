//! Laws of `serve` over random input, in this process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop at the first surprise"
)]

use brakeline_cli::serve::{Surroundings, serve};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What the program answers to an input, and in the end.
fn answers(input: &[u8]) -> Vec<Value> {
    let state = tempfile::tempdir().unwrap();
    let surroundings = Surroundings { state_dir: Some(state.path().to_owned()), ..Surroundings::default() };
    let output = serve(input, Vec::new(), &surroundings).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn is_end(answer: &Value) -> bool {
    ["result", "error"].contains(&answer["type"].as_str().unwrap())
}

fn opening(session: &str) -> Value {
    json!({"type": "open", "id": format!("open {session}"), "session": session, "host": "pi", "cwd": "/nonexistent",
        "settings": {"blockFindRoot": {"blockBash": true}}})
}

/// A request for a session, without an id.
fn request(session: &'static str) -> impl Strategy<Value = Value> {
    let set =
        json!({"type": "custom", "customType": "guard", "data": {"kind": "set", "condition": "tests pass"}});
    let command =
        prop::sample::select(vec!["ls", "find /", "find .", "cd / && find .", "find $X", "f\0", ""]);
    let guard = prop::sample::select(vec!["", "off", "max", "max 2", "max x", "tests pass", "\"\""]);
    prop_oneof![
        command.prop_map(
            |command| json!({"type": "event", "event": {"type": "tool_call", "toolName": "bash", "input": {"command": command}}})
        ),
        guard.prop_map(|arguments| json!({"type": "command", "name": "guard", "arguments": arguments})),
        (0..3_usize, 0..3_usize).prop_map(move |(keep, add)| json!({"type": "event",
            "entries": {"keep": keep, "add": vec![set.clone(); add]},
            "event": {"type": "agent_before_settle", "outcome": "completed", "canContinue": false}})),
        Just(json!({"type": "event", "event": {"type": "session_start", "reason": "startup"}})),
        Just(json!({"type": "event", "event": {"type": "sunset"}})),
        Just(json!({"type": "tool", "name": "guard_check", "input": {}})),
        Just(json!({"type": "command", "name": "dance"})),
    ]
    .prop_map(move |mut request| {
        request["session"] = session.into();
        request
    })
}

/// Something else between the requests of a session: other sessions, and lines that are none.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        request("other").prop_map(|request| request.to_string().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| bytes.into_iter().filter(|byte| *byte != b'\n').collect()),
        Just(opening("other").to_string().into_bytes()),
        Just(br#"{"type":"close","id":"close","session":"other"}"#.to_vec()),
        Just(br#"{"type":"answer","session":"mine","question":"q1","answer":{"kind":"dismissed"}}"#.to_vec()),
        Just(vec![b'['; 1000]),
    ]
}

fn lines(requests: &[(Value, Vec<Vec<u8>>)], with_noise: bool) -> Vec<u8> {
    let mut input =
        format!("{}\n{}\n", json!({"type": "hello", "id": "hello", "protocols": [1]}), opening("mine"))
            .into_bytes();
    for (at, (request, noise)) in requests.iter().enumerate() {
        for line in noise.iter().filter(|_| with_noise) {
            input.extend(line);
            input.push(b'\n');
        }
        let mut request = request.clone();
        request["id"] = at.into();
        input.extend(format!("{request}\n").into_bytes());
    }
    input
}

/// The answers to the numbered requests, by their ids.
fn numbered(answers: Vec<Value>) -> Vec<Value> {
    let mut found: Vec<_> = answers.into_iter().filter(|answer| answer["id"].is_u64()).collect();
    // Each session answers in order; sessions do not wait for each other.
    found.sort_by_key(|answer| answer["id"].as_u64());
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_else_comes_in_a_session_is_answered_as_if_it_were_alone(
        requests in prop::collection::vec((request("mine"), prop::collection::vec(noise(), 0..4)), 1..12)
    ) {
        let alone = numbered(answers(&lines(&requests, false)));
        let among = numbered(answers(&lines(&requests, true)));
        prop_assert_eq!(alone.len(), requests.len(), "each request has one answer");
        prop_assert_eq!(alone, among);
    }

    #[test]
    fn every_line_is_answered(input in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = lines(&[], false);
        bytes.extend(&input);
        let asked = bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).count();
        prop_assert_eq!(answers(&bytes).iter().filter(|answer| is_end(answer)).count(), asked);
    }
}

#[test]
fn nothing_is_answered_to_nothing() {
    // The last one was once taken for a line that was torn off.
    for input in ["", "\n", " \r\n\t\n", "\n\u{c}"] {
        assert_eq!(answers(input.as_bytes()), [] as [Value; 0]);
    }
}
