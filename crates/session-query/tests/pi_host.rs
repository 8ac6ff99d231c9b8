//! The reader gives what the real pi reads from the same file; how to run it stands in `pi/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::value::RawValue;
use session_query::open_session;

/// What `pi/write-sessions.mjs` prints for a session. Entries and data stay text: some hold what Rust's strings cannot.
struct Session<'a> {
    file: String,
    branch: Vec<&'a RawValue>,
    state: BTreeMap<String, &'a RawValue>,
}

fn parse(line: &str) -> Session<'_> {
    let mut members: BTreeMap<&str, &RawValue> = serde_json::from_str(line).unwrap();
    let mut member = |name| members.remove(name).unwrap().get();
    Session {
        file: serde_json::from_str(member("file")).unwrap(),
        branch: serde_json::from_str(member("branch")).unwrap(),
        state: serde_json::from_str(member("state")).unwrap(),
    }
}

/// JSON without the spaces between its tokens, which is how pi writes it.
fn compact(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    json.chars()
        .filter(|&letter| {
            let keep = inside || !letter.is_ascii_whitespace();
            inside ^= letter == '"' && !escaped;
            escaped = inside && letter == '\\' && !escaped;
            keep
        })
        .collect()
}

#[test]
#[ignore = "needs pi installed by npm: see tests/pi/README.md"]
fn agrees_with_pi() {
    let pi = std::env::var("SESSION_QUERY_PI")
        .expect("SESSION_QUERY_PI names a folder with pi in its node_modules");
    let node = std::env::var("NODE").unwrap_or_else(|_| "node".to_owned());
    let wanted = std::env::var("SESSION_QUERY_PI_SESSIONS").unwrap_or_else(|_| "300".to_owned());
    let out = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi/write-sessions.mjs");
    let output = Command::new(node)
        .arg(script)
        .args([Path::new(&pi), out.path(), Path::new(&wanted)])
        .env("HOME", out.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (mut sessions, mut entries, mut keys) = (0, 0, 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let session = parse(line);
        let path = Path::new(&session.file);

        let mut branch = open_session(path).unwrap().branch();
        let mut newest_first = session.branch.iter().rev();
        while let Some(mut entry) = branch.next_entry().unwrap() {
            let expected = newest_first.next().map(|entry| entry.get().to_owned());
            assert_eq!(Some(compact(&entry.line().unwrap())), expected, "{line}");
            entries += 1;
        }
        assert!(newest_first.next().is_none(), "{line}");

        let state = open_session(path).unwrap().read_all().unwrap();
        let state: BTreeMap<_, _> =
            state.iter().map(|(key, data)| (key.clone(), compact(data.get()))).collect();
        let expected: BTreeMap<_, _> =
            session.state.iter().map(|(key, data)| (key.clone(), data.get().to_owned())).collect();
        assert_eq!(state, expected, "{line}");
        let names: Vec<&str> = expected.keys().map(String::as_str).collect();
        let found = open_session(path).unwrap().read_many(&names).unwrap();
        assert!(found.iter().all(Option::is_some), "{line}");
        (sessions, keys) = (sessions + 1, keys + names.len());
    }
    assert_eq!(sessions.to_string(), wanted);
    assert!(entries > sessions && keys > 0, "the sessions hold something");
    println!("compared with pi: {sessions} sessions, {entries} entries of their branches, {keys} keys");
}
