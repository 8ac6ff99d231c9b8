//! `brakeline tools` and `brakeline mcp` as whole processes: what the gate lets through, and the protocol line by line.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brakeline");

/// A home with a project in it.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::Builder::new().prefix("brakeline-tools-").tempdir().unwrap());
        std::fs::create_dir_all(scene.project()).unwrap();
        scene
    }

    fn home(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    fn put(&self, name: &str, content: &str) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// The user's own `sandbox.json`.
    fn configure(&self, sandbox: Value) {
        let folder = self.home().join(".pi/agent");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("sandbox.json"), sandbox.to_string()).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn tool(&self, name: &str, parameters: Value) -> Output {
        self.command(&["tools", "run", name, "--json", &parameters.to_string()]).output().unwrap()
    }

    /// Returns what a tool prints, wherever, and its exit status.
    fn say(&self, name: &str, parameters: Value) -> (i32, String) {
        let output = self.tool(name, parameters);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }
}

#[test]
fn the_list_has_the_ten_tools_in_both_languages() {
    let scene = Scene::new();
    let names = |output: Output| -> Vec<String> {
        let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let output = scene.command(&["tools", "list", "--json"]).output().unwrap();
    let all = ["read", "grep", "edit", "write", "move", "find", "bash", "astgrep", "astedit", "webfetch"];
    assert_eq!(names(output), all);
    let output = scene.command(&["tools", "list"]).env("LC_ALL", "zh_CN.UTF-8").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("读取文件内容，支持文本和图片") && text.lines().count() == 10, "{text}");
}

#[test]
fn a_tool_from_the_shell() {
    let scene = Scene::new();
    scene.put("a.txt", "one\ntwo\n");
    assert_eq!(scene.say("read", json!({ "path": "a.txt" })), (0, "one\ntwo\n".into()));
    let (code, text) =
        scene.say("edit", json!({ "path": "a.txt", "edits": [{ "oldText": "two", "newText": "2" }] }));
    assert!(code == 0 && text.contains("+2"), "{text}");
    assert_eq!(scene.get("a.txt"), "one\n2\n");
    let (code, text) =
        scene.say("edit", json!({ "path": "a.txt", "edits": [{ "oldText": "two", "newText": "2" }] }));
    assert!(code == 65 && text.contains("oldText does not occur"), "{text}");
    assert_eq!(scene.say("read", json!({ "path": "none" })).0, 66);
    assert_eq!(scene.say("read", json!({ "file": "none" })).0, 65);
    assert_eq!(scene.say("cat", json!({})).0, 64);
    let output = scene.command(&["tools", "run", "read", "--json", "{}x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(65));
    let mut child = scene
        .command(&["tools", "run", "find", "--result"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"pattern":"*.txt"}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["paths"], json!(["a.txt"]));
    let claims = scene.command(&["collision", "status", "--json"]).output().unwrap();
    assert_eq!(claims.stdout, b"[]\n", "leases are given back");
}

#[test]
fn the_lists_of_the_file_system_are_in_force() {
    let scene = Scene::new();
    scene.configure(json!({ "filesystem": { "denyRead": ["secret"], "denyWrite": ["fixed.txt"] } }));
    scene.put("secret/key.txt", "key\n");
    scene.put("open.txt", "key\n");
    scene.put("fixed.txt", "a\n");
    for (tool, parameters) in [
        ("read", json!({ "path": "secret/key.txt" })),
        ("grep", json!({ "pattern": "key", "path": "secret" })),
        ("find", json!({ "pattern": "*", "path": "secret" })),
        ("write", json!({ "path": "fixed.txt", "content": "b" })),
        ("write", json!({ "path": "../outside.txt", "content": "b" })),
        ("move", json!({ "path": "open.txt", "newPath": "../outside.txt" })),
        ("edit", json!({ "path": ".git/config", "edits": [{ "oldText": "a", "newText": "b" }] })),
        ("write", json!({ "path": ".pi/sandbox.json", "content": "{}" })),
    ] {
        let (code, text) = scene.say(tool, parameters.clone());
        assert_eq!(code, 2, "{tool} {parameters}: {text}");
    }
    let (_, text) = scene.say("grep", json!({ "pattern": "key" }));
    assert!(text.contains("open.txt:1: key") && text.contains("1 paths may not be read"), "{text}");
    scene.configure(json!({ "enabled": false }));
    assert_eq!(scene.say("write", json!({ "path": "../outside.txt", "content": "b" })).0, 0);
}

#[test]
fn searches_of_the_root_are_blocked() {
    let scene = Scene::new();
    for (tool, parameters) in
        [("find", json!({ "pattern": "*.x", "path": "/" })), ("grep", json!({ "pattern": "x", "path": "/" }))]
    {
        let (code, text) = scene.say(tool, parameters);
        assert!(code == 2 && text.contains('/'), "{text}");
    }
}

#[test]
fn commands_need_a_permission_and_blocks_are_logged() {
    let scene = Scene::new();
    let log = scene.home().join("audit.jsonl");
    let settings = scene.home().join("settings.json");
    std::fs::write(&settings, json!({ "brakeline": { "auditLog": log } }).to_string()).unwrap();
    let output = scene
        .command(&["tools", "run", "bash", "--json", r#"{"command":"echo hi"}"#, "--settings"])
        .arg(&settings)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let line: Value = serde_json::from_str(std::fs::read_to_string(&log).unwrap().trim()).unwrap();
    assert_eq!((line["tool"].as_str(), line["by"].as_str()), (Some("bash"), Some("shell-permissions")));

    scene.configure(
        json!({ "enabled": false, "shell": { "permissons": { "*": "deny", "echo *": "allow" } } }),
    );
    assert_eq!(scene.say("bash", json!({ "command": "echo hi" })), (0, "hi\n".into()));
    assert_eq!(scene.say("bash", json!({ "command": "echo hi; id" })).0, 2);
}

/// Needs bubblewrap, and a kernel that lets it work.
#[test]
fn commands_run_in_the_sandbox() {
    let scene = Scene::new();
    scene.configure(json!({ "shell": { "permissons": { "touch *": "allow", "cat *": "allow" } } }));
    let probe = scene.command(&["sandbox", "test"]).output().unwrap();
    if !probe.status.success() {
        println!("skipped: no sandbox here: {}", String::from_utf8_lossy(&probe.stderr));
        return;
    }
    scene.put("a.txt", "text\n");
    assert_eq!(scene.say("bash", json!({ "command": "cat a.txt" })), (0, "text\n".into()));
    scene.say("bash", json!({ "command": "touch inside" }));
    assert!(scene.project().join("inside").exists());
    let (_, text) =
        scene.say("bash", json!({ "command": format!("touch {}/outside", scene.home().display()) }));
    assert!(!scene.home().join("outside").exists() && text.contains("exit code 1"), "{text}");
    // The model reads which rule it was.
    assert!(text.contains("is denied by the sandbox: no `filesystem.allowWrite` covers it"), "{text}");
}

/// What a client says and hears, line by line.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Client {
    fn start(scene: &Scene, args: &[&str]) -> Self {
        let mut child = scene
            .command(&[&["mcp"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).expect(&line)).is_err() {
                    return;
                }
            }
        });
        let mut client = Self { input: child.stdin.take(), child, lines };
        client.say(json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } },
        }));
        let answer = client.hear();
        assert_eq!(answer["result"]["serverInfo"]["name"], "brakeline", "{answer}");
        client.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn say(&mut self, message: Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, id: u64, name: &str, arguments: Value) {
        self.say(json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": name, "arguments": arguments, "_meta": { "progressToken": id } },
        }));
    }

    fn hear(&self) -> Value {
        self.lines.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// Hears until the answer to a call; returns it and the progress before it.
    fn answer(&self, id: u64) -> (Value, Vec<Value>) {
        let mut progress = Vec::new();
        loop {
            let message = self.hear();
            if message["id"] == id {
                return (message, progress);
            }
            progress.push(message);
        }
    }

    /// Closes the conversation and returns how the program ended.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_conversation() {
    let scene = Scene::new();
    scene.put("a.txt", "one\n");
    std::fs::write(scene.project().join("a.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let mut client = Client::start(&scene, &["--structured"]);
    client.say(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let (list, _) = client.answer(1);
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 10);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        let parameters = tool["inputSchema"]["properties"].as_object().unwrap();
        for (name, parameter) in parameters {
            let kind = &parameter["type"];
            assert!(parameter["description"].is_string() && kind.is_string(), "{} of {}", name, tool["name"]);
        }
    }
    client.call(2, "read", json!({ "path": "a.txt" }));
    let (answer, _) = client.answer(2);
    assert_eq!(answer["result"]["content"], json!([{ "type": "text", "text": "one\n" }]));
    assert_eq!(answer["result"]["structuredContent"]["totalLines"], 1);
    client.call(3, "read", json!({ "path": "a.png" }));
    let (answer, _) = client.answer(3);
    assert_eq!(
        answer["result"]["content"][1],
        json!({ "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=" })
    );
    client.call(4, "read", json!({ "path": "none" }));
    let (answer, _) = client.answer(4);
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("does not exist"));
    client.call(5, "nothing", json!({}));
    let (answer, _) = client.answer(5);
    assert!(answer["error"]["message"].as_str().unwrap().contains("there is no tool `nothing`"), "{answer}");
    client.call(6, "bash", json!({ "command": "id" }));
    let (answer, _) = client.answer(6);
    assert_eq!(answer["result"]["isError"], true, "commands are denied unless they are allowed");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_call_is_cancelled_and_tells_how_far_it_is() {
    let scene = Scene::new();
    scene.configure(json!({ "enabled": false, "shell": { "permissons": { "*": "allow" } } }));
    let mut client = Client::start(&scene, &[]);
    client.call(1, "bash", json!({ "command": "for i in 1 2 3 4 5; do echo $i; sleep 0.15; done" }));
    let (answer, progress) = client.answer(1);
    // `*` allows any command, not several of them.
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(progress.is_empty());
    client.call(2, "bash", json!({ "command": "seq 1 3 | while read i; do echo $i; sleep 0.2; done" }));
    client.answer(2);
    scene.configure(
        json!({ "enabled": false, "shell": { "allowMultiple": true, "permissons": { "*": "allow" } } }),
    );
    assert_eq!(client.end(), Some(0));

    let mut client = Client::start(&scene, &[]);
    client.call(3, "bash", json!({ "command": "for i in 1 2 3 4 5; do echo $i; sleep 0.15; done" }));
    let (answer, progress) = client.answer(3);
    assert_eq!(answer["result"]["content"][0]["text"], "1\n2\n3\n4\n5", "{answer}");
    assert!(!progress.is_empty());
    let values: Vec<f64> = progress.iter().map(|step| step["params"]["progress"].as_f64().unwrap()).collect();
    assert!(values.is_sorted() && progress[0]["params"]["progressToken"] == 3, "{progress:?}");

    let start = Instant::now();
    client.call(4, "bash", json!({ "command": "sleep 4242" }));
    std::thread::sleep(Duration::from_millis(300));
    client
        .say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4 } }));
    assert!(is_gone("4242"), "the command is ended");
    // Calls run beside each other, and the server goes on.
    client.call(5, "find", json!({ "pattern": "*" }));
    client.answer(5);
    assert!(start.elapsed() < Duration::from_secs(15));

    // A client that goes takes its calls along.
    client.call(6, "bash", json!({ "command": "sleep 4243" }));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(client.end(), Some(0));
    assert!(is_gone("4243"));
}

fn is_gone(marker: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(8) {
        let alive = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == marker.as_bytes())
        });
        if !alive {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn leases_are_held_until_the_client_goes() {
    let scene = Scene::new();
    scene.put("a.txt", "one\n");
    scene.put("d/b.txt", "one\n");
    let mut ours = Client::start(&scene, &[]);
    let mut theirs = Client::start(&scene, &[]);
    ours.call(1, "write", json!({ "path": "a.txt", "content": "ours\n" }));
    ours.answer(1);
    ours.call(2, "write", json!({ "path": "d/b.txt", "content": "ours\n" }));
    ours.answer(2);
    for (id, tool, parameters) in [
        (1, "edit", json!({ "path": "a.txt", "edits": [{ "oldText": "ours", "newText": "theirs" }] })),
        (2, "move", json!({ "path": "d", "newPath": "e" })),
        (3, "move", json!({ "path": "a.txt", "newPath": "/dev/null" })),
    ] {
        theirs.call(id, tool, parameters);
        let (answer, _) = theirs.answer(id);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Collision guard blocked"), "{text}");
    }
    assert_eq!(ours.end(), Some(0));
    theirs.call(4, "move", json!({ "path": "d", "newPath": "e" }));
    let (answer, _) = theirs.answer(4);
    assert_eq!(answer["result"]["content"][0]["text"], "M d -> e");
}

#[test]
fn lines_that_are_no_messages_end_nothing() {
    let scene = Scene::new();
    let mut client = Client::start(&scene, &[]);
    for line in ["", "{", "null", "[]", "{\"jsonrpc\":\"2.0\"}", "\u{feff}{}", "\u{0}"] {
        writeln!(client.input.as_mut().unwrap(), "{line}").unwrap();
    }
    client.call(9, "find", json!({ "pattern": "*" }));
    let (answer, _) = client.answer(9);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_configuration_that_cannot_be_read_starts_nothing() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.home().join(".pi/agent")).unwrap();
    std::fs::write(scene.home().join(".pi/agent/sandbox.json"), "{").unwrap();
    let output = scene.command(&["mcp"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(65), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(scene.say("read", json!({ "path": "x" })).0, 65);
}
