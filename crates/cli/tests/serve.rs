//! `brakeline serve` as a whole process: lines in, lines out.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop at the first surprise"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running program, and what checks every line that it writes.
struct Serve {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Serve {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_brakeline"))
            .arg("serve")
            .env_clear()
            .env("HOME", "/nonexistent/ada")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), child, output, next_id: 0 }
    }

    /// A program that has been greeted.
    fn greeted() -> Self {
        let mut serve = Self::start();
        let answer = serve.ask(json!({"type": "hello", "protocols": [1]}));
        assert_eq!(answer["hello"]["protocol"], 1);
        serve
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a request without waiting, and returns its id.
    fn send(&mut self, mut request: Value) -> u64 {
        self.next_id += 1;
        request["id"] = self.next_id.into();
        self.tell(&request);
        self.next_id
    }

    fn tell(&mut self, message: &Value) {
        REQUEST.assert(message);
        self.write(format!("{message}\n").as_bytes());
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message = serde_json::from_str(&line).unwrap();
        RESPONSE.assert(&message);
        Some(message)
    }

    /// Sends a request and returns the next line, which must be the answer to it.
    fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request);
        let answer = self.read().expect("the program ended");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn open(&mut self, session: &str, place: &Place) -> Value {
        self.ask(place.open(session))
    }

    /// Ends the input, and returns what is still said.
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Some(message) = self.read() {
            rest.push(message);
        }
        let mut complaint = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert_eq!(complaint, "");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        rest
    }
}

/// One side of the schema that ships with the protocol.
struct Shape(jsonschema::Validator);

static REQUEST: LazyLock<Shape> = LazyLock::new(|| Shape::of("Request"));
static RESPONSE: LazyLock<Shape> = LazyLock::new(|| Shape::of("Response"));

impl Shape {
    fn of(side: &str) -> Self {
        let mut schema = brakeline_cli::serve::json_schema();
        schema.as_object_mut().unwrap().remove("anyOf");
        schema["$ref"] = format!("#/$defs/{side}").into();
        Self(jsonschema::validator_for(&schema).unwrap())
    }

    fn assert(&self, message: &Value) {
        if let Err(error) = self.0.validate(message) {
            panic!("{message}: {error}");
        }
    }
}

/// Where the sessions of a test live.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn claims(&self) -> usize {
        let folder = self.folder.path().join("agent/collision-guard/claims");
        let files = std::fs::read_dir(folder).into_iter().flatten();
        files.filter(|file| file.as_ref().unwrap().path().extension() == Some("json".as_ref())).count()
    }

    fn open(&self, session: &str) -> Value {
        json!({"type": "open", "session": session, "host": "pi", "cwd": self.work(), "ui": true,
            "agentDir": self.folder.path().join("agent"),
            "settings": {"blockFindRoot": {"blockBash": true}}})
    }
}

fn event(session: &str, event: &Value) -> Value {
    json!({"type": "event", "session": session, "event": event})
}

fn bash(session: &str, command: &str) -> Value {
    event(
        session,
        &json!({"type": "tool_call", "toolName": "bash", "toolCallId": "c", "input": {"command": command}}),
    )
}

fn write_file(session: &str, path: &Path) -> Value {
    let input = json!({"path": path, "content": ""});
    event(session, &json!({"type": "tool_call", "toolName": "write", "toolCallId": "c", "input": input}))
}

fn is_blocked(answer: &Value) -> bool {
    assert_eq!(answer["type"], "result", "{answer}");
    answer.pointer("/decision/block").is_some()
}

fn code(answer: &Value) -> &str {
    assert_eq!(answer["type"], "error", "{answer}");
    answer["code"].as_str().unwrap()
}

#[test]
fn the_schema_in_the_documents_is_that_of_the_types() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.schema.json");
    let schema = serde_json::to_string_pretty(&brakeline_cli::serve::json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(file, &schema).unwrap();
    }
    let printed = Command::new(env!("CARGO_BIN_EXE_brakeline")).args(["serve", "--schema"]).output().unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&printed.stdout).unwrap(),
        brakeline_cli::serve::json_schema()
    );
    let shipped = std::fs::read_to_string(file).unwrap_or_default();
    assert!(shipped == schema, "run this test with UPDATE_SCHEMA=1 and look at what changes in {file}");
}

#[test]
fn every_example_of_the_protocols_page_has_the_shape_that_it_describes() {
    let page = include_str!("../../../docs/protocol.md");
    let mut examples = 0;
    for block in page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        for message in serde_json::Deserializer::from_str(block).into_iter::<Value>() {
            let message = message.unwrap();
            let is_response = ["result", "error", "ask"].contains(&message["type"].as_str().unwrap());
            if is_response { &RESPONSE } else { &REQUEST }.assert(&message);
            examples += 1;
        }
    }
    assert!(examples > 10, "{examples}");
}

#[test]
fn one_process_serves_several_sessions_and_the_fault_of_one_is_its_own() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    let opened = serve.open("a", &place);
    assert!(opened["opened"]["events"].as_array().unwrap().contains(&json!("tool_call")), "{opened}");
    serve.open("b", &place);
    assert!(is_blocked(&serve.ask(bash("a", "find /"))));
    assert!(!is_blocked(&serve.ask(bash("b", "ls"))));

    for (request, expected) in [
        (place.open("a"), "session_exists"),
        (bash("nobody", "ls"), "unknown_session"),
        (event("a", &json!({"type": "sunrise"})), "unknown_event"),
        (event("a", &json!({})), "bad_message"),
        (event("a", &json!({"type": "tool_call", "toolName": 1, "input": {}})), "bad_message"),
        (event("a", &json!({"type": "agent_before_settle", "outcome": "great"})), "bad_message"),
        (json!({"type": "tool", "session": "a", "name": "hammer"}), "unknown_tool"),
        (json!({"type": "command", "session": "a", "name": "dance"}), "unknown_command"),
        (
            json!({"type": "event", "session": "a", "entries": {"keep": 9, "add": []}, "event": {"type": "agent_start"}}),
            "bad_message",
        ),
    ] {
        let answer = serve.ask(request.clone());
        assert_eq!(code(&answer), expected, "{request}");
        assert!(!is_blocked(&serve.ask(bash("a", "ls"))), "the session goes on after {request}");
    }
    assert_eq!(serve.ask(json!({"type": "close", "session": "a"}))["type"], "result");
    assert_eq!(code(&serve.ask(bash("a", "ls"))), "unknown_session");
    assert!(is_blocked(&serve.ask(bash("b", "find /"))), "the other one goes on");
    assert_eq!(serve.end(), [] as [Value; 0]);
}

#[test]
fn lines_that_are_no_requests_are_answered_and_nothing_else_changes() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let deep = "[".repeat(100_000);
    for (line, expected, id) in [
        (&b"\xff\xfe"[..], "bad_json", json!(null)),
        (b"{", "bad_json", json!(null)),
        (b"[]", "bad_json", json!(null)),
        (b"\"hello\"", "bad_json", json!(null)),
        (deep.as_bytes(), "bad_json", json!(null)),
        (b"{}", "bad_message", json!(null)),
        (br#"{"id": 7}"#, "bad_message", json!(7)),
        (br#"{"id": "x", "type": "sing"}"#, "unknown_message", json!("x")),
        (br#"{"id": 1.5, "type": "close", "session": "a"}"#, "bad_message", json!(null)),
        (br#"{"type": "close", "session": "a"}"#, "bad_message", json!(null)),
        (br#"{"id": 8, "type": "close"}"#, "bad_message", json!(8)),
        (br#"{"id": 9, "type": "open", "session": "c", "cwd": "here"}"#, "bad_message", json!(9)),
        (br#"{"id": 9, "type": "open", "session": "c"}"#, "bad_message", json!(9)),
        (
            br#"{"type": "answer", "session": "a", "question": "q1", "answer": {"kind": "dismissed"}}"#,
            "unknown_question",
            json!(null),
        ),
        (
            br#"{"type": "answer", "session": "a", "question": "q1", "answer": {"kind": "selected"}}"#,
            "bad_message",
            json!(null),
        ),
    ] {
        serve.write(line);
        serve.write(b"\n");
        let answer = serve.read().unwrap();
        assert_eq!((code(&answer), &answer["id"]), (expected, &id), "{answer}");
        assert!(answer["message"].as_str().unwrap().len() < 500);
    }
    serve.write(b"\n  \r\n");
    assert!(is_blocked(&serve.ask(bash("a", "find /"))), "blank lines are passed over");
    serve.end();
}

#[test]
fn unknown_members_are_passed_over() {
    let place = Place::new();
    let mut serve = Serve::start();
    assert_eq!(serve.ask(json!({"type": "hello", "protocols": [1, 99], "mood": 1}))["hello"]["protocol"], 1);
    let mut open = place.open("a");
    open["colour"] = "blue".into();
    assert_eq!(serve.ask(open)["type"], "result");
    let mut call = bash("a", "find /");
    call["event"]["later"] = json!({"a": []});
    assert!(is_blocked(&serve.ask(call)));
    serve.end();
}

#[test]
fn nothing_is_done_before_hello_and_versions_must_meet() {
    let place = Place::new();
    let mut serve = Serve::start();
    assert_eq!(code(&serve.ask(place.open("a"))), "hello_first");
    let refused = serve.ask(json!({"type": "hello", "protocols": [2, 3]}));
    assert_eq!(code(&refused), "unsupported_protocol");
    assert!(refused["message"].as_str().unwrap().contains("protocol 1 is spoken here"), "{refused}");
    assert_eq!(code(&serve.ask(place.open("a"))), "hello_first");
    serve.end();
}

#[test]
fn a_line_of_100_megabytes_is_refused_in_little_memory() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let before = peak_kilobytes(serve.child.id());
    let piece = vec![b' '; 1 << 20];
    serve.write(b"{\"id\": 1, \"type\": \"");
    for _ in 0..100 {
        serve.write(&piece);
    }
    serve.write(b"\"}\n");
    let answer = serve.read().unwrap();
    assert_eq!(code(&answer), "line_too_long");
    let more = peak_kilobytes(serve.child.id()) - before;
    assert!(more < 40 << 10, "{more} KB");
    assert!(is_blocked(&serve.ask(bash("a", "find /"))));
    serve.end();
}

fn peak_kilobytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn the_end_of_the_input_is_a_clean_end_even_in_the_middle_of_a_line() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    for _ in 0..5 {
        serve.send(bash("a", "find /"));
    }
    let torn = format!("{}", bash("a", "find /"));
    serve.write(&torn.as_bytes()[..torn.len() - 4]);
    let rest = serve.end();
    // The answers of the session and that to the torn line come in any order.
    assert_eq!(rest.len(), 6, "{rest:?}");
    let torn: Vec<_> = rest.iter().filter(|answer| answer["type"] == "error").collect();
    assert_eq!(torn.len(), 1);
    assert_eq!(code(torn[0]), "incomplete");
}

#[test]
fn answers_of_one_session_come_in_the_order_of_its_requests() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    for session in ["a", "b"] {
        serve.open(session, &place);
    }
    let mut sent = [Vec::new(), Vec::new()];
    for round in 0..100 {
        let at = round % 2;
        sent[at].push(serve.send(bash(["a", "b"][at], "ls")));
    }
    let mut seen = [Vec::new(), Vec::new()];
    for answer in serve.end() {
        let id = answer["id"].as_u64().unwrap();
        seen[usize::from(sent[1].contains(&id))].push(id);
    }
    assert_eq!(seen, sent);
}

#[test]
fn a_host_that_does_not_read_is_not_read_either() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let before = peak_kilobytes(serve.child.id());
    // Each answer is about as long as its request: 40 MB in all.
    let command = format!("find / {}", "x".repeat(20_000));
    let line = format!("{}\n", {
        let mut call = bash("a", &command);
        call["id"] = 1.into();
        call
    });
    let mut input = serve.input.take().unwrap();
    let count = 2_000;
    let writer = std::thread::spawn(move || {
        for _ in 0..count {
            input.write_all(line.as_bytes()).unwrap();
        }
        input
    });
    std::thread::sleep(Duration::from_millis(700));
    assert!(!writer.is_finished(), "writing waits for reading");
    let more = peak_kilobytes(serve.child.id()) - before;
    assert!(more < 20 << 10, "{more} KB");
    for _ in 0..count {
        assert!(is_blocked(&serve.read().unwrap()), "nothing is lost");
    }
    serve.input = Some(writer.join().unwrap());
    serve.end();
}

#[test]
fn a_host_that_is_gone_ends_the_program() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let Serve { mut child, input, output, .. } = serve;
    drop(output);
    let mut input = input.unwrap();
    // It is noticed when something is to be said.
    let end = Instant::now() + Duration::from_secs(10);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it still runs");
        let _ = input.write_all(b"garbage\n");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(child.wait().unwrap().code(), Some(74));
}

#[test]
fn files_are_held_by_sessions_and_given_back_at_every_end() {
    let place = Place::new();
    let file = place.work().join("app.txt");
    let mut first = Serve::greeted();
    for session in ["a", "b"] {
        first.open(session, &place);
    }
    assert!(!is_blocked(&first.ask(write_file("a", &file))));
    assert!(!is_blocked(&first.ask(write_file("a", &place.work().join("sub/../app.txt")))), "its own");
    let blocked = first.ask(write_file("b", &file));
    assert!(is_blocked(&blocked), "another session of the same process is another owner");
    let reason = blocked["decision"]["block"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("Collision guard blocked"), "{reason}");

    let mut second = Serve::greeted();
    second.open("a", &place);
    assert!(is_blocked(&second.ask(write_file("a", &file))));
    first.ask(event("a", &json!({"type": "agent_settled", "aborted": false})));
    assert!(!is_blocked(&second.ask(write_file("a", &file))));
    assert_eq!(place.claims(), 1);
    second.ask(json!({"type": "close", "session": "a"}));
    assert_eq!(place.claims(), 0);

    assert!(!is_blocked(&first.ask(write_file("b", &file))));
    first.end();
    assert_eq!(place.claims(), 0, "the end of the input");

    second.open("c", &place);
    assert!(!is_blocked(&second.ask(write_file("c", &file))));
    second.child.kill().unwrap();
    second.child.wait().unwrap();
    let mut third = Serve::greeted();
    third.open("a", &place);
    assert!(!is_blocked(&third.ask(write_file("a", &file))), "a program that was killed holds nothing");
    third.end();
}

fn set_guard(serve: &mut Serve) -> Vec<Value> {
    let set =
        serve.ask(json!({"type": "command", "session": "a", "name": "guard", "arguments": "tests pass"}));
    let effects = set["effects"].as_array().unwrap().clone();
    assert!(
        effects
            .iter()
            .any(|effect| effect["type"] == "set_tools" && effect["activate"] == json!(["guard_check"])),
        "{set}"
    );
    effects
        .iter()
        .filter_map(|effect| match effect["type"].as_str().unwrap() {
            "append_entry" => {
                Some(json!({"type": "custom", "customType": effect["customType"], "data": effect["data"]}))
            }
            "send_message" => Some(json!({"type": "custom_message", "customType": effect["customType"]})),
            _ => None,
        })
        .collect()
}

#[test]
fn a_question_is_asked_and_other_requests_go_on_meanwhile() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    serve.ask(event("a", &json!({"type": "session_start", "reason": "startup"})));
    let entries = set_guard(&mut serve);
    let run = json!({"type": "tool", "session": "a", "name": "guard_check", "input": {"note": "12 passing"},
        "entries": {"keep": 0, "add": entries}});
    let id = serve.send(run);
    let ask = serve.read().unwrap();
    assert_eq!(
        (&ask["type"], &ask["id"], &ask["dialog"]["kind"]),
        (&json!("ask"), &json!(id), &json!("select"))
    );
    assert!(ask["dialog"]["title"].as_str().unwrap().contains("12 passing"));
    assert!(!is_blocked(&serve.ask(bash("a", "ls"))), "the session is not held up");

    let answer = |question: &Value, answer: Value| json!({"type": "answer", "session": "a", "question": question, "answer": answer});
    serve.tell(&answer(&ask["question"], json!({"kind": "selected", "index": 1})));
    let ask = serve.read().unwrap();
    assert_eq!((&ask["id"], &ask["dialog"]["kind"]), (&json!(id), &json!("input")));
    serve.tell(&answer(&ask["question"], json!({"kind": "text", "text": "one test fails"})));
    let result = serve.read().unwrap();
    assert_eq!(result["tool"]["content"], json!([{"type": "text", "text": "one test fails"}]));
    assert_eq!(result["tool"]["details"], json!({"end": false}));
    serve.tell(&answer(&ask["question"], json!({"kind": "dismissed"})));
    assert_eq!(code(&serve.read().unwrap()), "unknown_question", "each question has one answer");
    serve.end();
}

#[test]
fn an_answer_that_does_not_fit_and_a_session_that_ends_fail_the_request() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let entries = set_guard(&mut serve);
    let run = json!({"type": "tool", "session": "a", "name": "guard_check"});
    let mut first = run.clone();
    first["entries"] = json!({"keep": 0, "add": entries});
    let id = serve.send(first);
    let ask = serve.read().unwrap();
    serve.tell(&json!({"type": "answer", "session": "a", "question": ask["question"], "answer": {"kind": "selected", "index": 7}}));
    let refused = serve.read().unwrap();
    assert_eq!((code(&refused), &refused["id"]), ("bad_message", &json!(id)));

    let id = serve.send(run);
    assert_eq!(serve.read().unwrap()["type"], "ask");
    let closing = serve.send(json!({"type": "close", "session": "a"}));
    let failed = serve.read().unwrap();
    assert_eq!((code(&failed), &failed["id"]), ("failed", &json!(id)));
    assert_eq!(serve.read().unwrap()["id"], closing);
    serve.end();
}

#[test]
fn where_nobody_can_be_asked_the_program_answers_itself() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    let mut open = place.open("a");
    open["ui"] = false.into();
    serve.ask(open);
    let entries = set_guard(&mut serve);
    let run = json!({"type": "tool", "session": "a", "name": "guard_check", "entries": {"keep": 0, "add": entries}});
    let result = serve.ask(run);
    assert_eq!(result["tool"]["details"], json!({"end": true, "by": "no-ui"}));
    serve.end();
}

#[test]
fn the_tools_on_offer_follow_the_branch() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    let set =
        json!({"type": "custom", "customType": "guard", "data": {"kind": "set", "condition": "tests pass"}});
    let told = |serve: &mut Serve, keep: usize, add: Vec<Value>| {
        let mut request = event("a", &json!({"type": "branch_changed"}));
        request["entries"] = json!({"keep": keep, "add": add});
        serve.ask(request)["effects"].clone()
    };
    let on = json!([{"type": "set_tools", "activate": ["guard_check"], "deactivate": []}]);
    let off = json!([{"type": "set_tools", "activate": [], "deactivate": ["guard_check"]}]);
    assert_eq!(told(&mut serve, 0, vec![json!({}), set.clone(), json!({})]), on);
    assert_eq!(told(&mut serve, 3, vec![json!({})]), Value::Null, "nothing changes");
    assert_eq!(told(&mut serve, 1, vec![]), off, "the user went back to before it was set");
    assert_eq!(told(&mut serve, 1, vec![set]), on);
    serve.end();
}

#[test]
fn settings_may_change_in_a_session() {
    let place = Place::new();
    let mut serve = Serve::greeted();
    serve.open("a", &place);
    assert!(is_blocked(&serve.ask(bash("a", "find /"))));
    let change = |settings: Value| json!({"type": "configure", "session": "a", "settings": settings});
    assert_eq!(serve.ask(change(json!({"blockFindRoot": {"blockBash": false}})))["type"], "result");
    assert!(!is_blocked(&serve.ask(bash("a", "find /"))));
    let broken = serve.ask(change(json!({"blockFindRoot": {"blockBash": true, "forbiddenPaths": 3}})));
    assert_eq!(broken["effects"][0]["type"], "notify", "{broken}");
    assert!(is_blocked(&serve.ask(bash("a", "find /"))), "the default counts");
    serve.end();
}

#[test]
fn blocked_calls_are_written_to_the_log_that_the_settings_name() {
    let place = Place::new();
    let log = place.work().join("audit.jsonl");
    let mut serve = Serve::greeted();
    let mut open = place.open("a");
    open["settings"]["brakeline"] = json!({"auditLog": log});
    serve.ask(open);
    serve.ask(bash("a", "ls"));
    assert!(is_blocked(&serve.ask(bash("a", "find /"))));
    let line: Value = serde_json::from_str(&std::fs::read_to_string(&log).unwrap()).unwrap();
    assert_eq!(
        (&line["host"], &line["by"], &line["tool"]),
        (&json!("pi"), &json!("block-find"), &json!("bash"))
    );
    std::fs::remove_file(&log).unwrap();
    std::fs::create_dir(&log).unwrap();
    let answer = serve.ask(bash("a", "find /"));
    assert!(is_blocked(&answer), "a log that cannot be written changes no verdict");
    assert_eq!(answer["effects"][0]["type"], "notify", "{answer}");
    serve.end();
}
