//! A `sandbox.json` brings the permissions and the sandbox along: in `check`, in hooks, and in `serve`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A home directory with a `sandbox.json`, and a project in it.
fn home(sandbox: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".pi/agent");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(home.path().join("project")).unwrap();
    if !sandbox.is_empty() {
        fs::write(folder.join("sandbox.json"), sandbox).unwrap();
    }
    home
}

const GIT_ONLY: &str = r#"{"shell": {"permissons": {"*": "deny", "git *": "allow"}}}"#;

fn run(home: &Path, arguments: &[&str], input: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_brakeline"))
        .args(arguments)
        .current_dir(home.join("project"))
        .env_clear()
        .env("HOME", home)
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    program.wait_with_output().unwrap()
}

fn check(home: &Path, command: &str) -> (Option<i32>, Value) {
    let output = run(home, &["check", "--json", command], "");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// What Claude Code is told of a command, and the exit status.
fn hook(home: &Path, command: &str) -> (Option<i32>, Value) {
    let cwd = home.join("project");
    let event = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "timeout": 1000}, "tool_use_id": "u"});
    let output = run(home, &["hook", "claude-code"], &event.to_string());
    let decision = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
    (output.status.code(), decision["hookSpecificOutput"].clone())
}

/// What a host that talks to `serve` is told of a command.
fn serve(home: &Path, command: &str) -> Value {
    serve_with(home, &home.join(".pi/agent"), command)
}

/// As [`serve`], for a host whose folder of the user's settings is another one.
fn serve_with(home: &Path, agent_dir: &Path, command: &str) -> Value {
    let messages = [
        json!({"type": "hello", "id": 1, "protocols": [1]}),
        json!({"type": "open", "id": 2, "session": "a", "host": "pi", "cwd": home.join("project"), "home": home,
            "agentDir": agent_dir, "settings": {}, "trusted": false}),
        json!({"type": "event", "id": 3, "session": "a", "event": {"type": "tool_call", "toolName": "bash",
            "toolCallId": "c", "input": {"command": command, "timeout": 1}}}),
        json!({"type": "close", "id": 4, "session": "a"}),
    ];
    let input = messages.map(|message| message.to_string()).join("\n") + "\n";
    let output = run(home, &["serve"], &input);
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answer = answers.iter().find(|answer| answer["id"] == 3);
    answer.unwrap_or_else(|| unreachable!("{text}"))["decision"].clone()
}

#[test]
fn without_a_sandbox_json_nothing_changes() {
    let home = home("");
    assert_eq!(check(home.path(), "ls").0, Some(0));
    assert_eq!(hook(home.path(), "ls"), (Some(0), Value::Null));
    assert_eq!(serve(home.path(), "ls")["block"], Value::Null);
}

#[test]
fn what_it_does_not_allow_is_blocked() {
    let home = home(GIT_ONLY);
    let (status, answer) = check(home.path(), "ls -l");
    assert_eq!((status, &answer["block"]["by"]), (Some(2), &json!("shell-permissions")));
    assert_eq!(answer["block"]["span"], json!([0, 5]));
    assert_eq!(hook(home.path(), "ls -l").1["permissionDecision"], "deny");
    assert!(serve(home.path(), "ls -l")["block"]["reason"].as_str().unwrap().contains("ls"));
}

#[test]
fn what_it_allows_runs_in_the_sandbox() {
    let home = home(GIT_ONLY);
    assert_eq!(check(home.path(), "git status").0, Some(0));
    let command = hook(home.path(), "git status").1["updatedInput"]["command"].as_str().unwrap().to_owned();
    assert!(command.contains(" sandbox run ") && command.contains("git status"), "{command}");
    let decision = serve(home.path(), "git status");
    assert!(decision.to_string().contains(" sandbox run "), "{decision}");
}

#[test]
fn a_host_names_the_folder_of_the_users_own() {
    // What lies where pi has it by default is not this host's.
    let home = home(r#"{"shell": {"permissons": {"*": "deny", "rg *": "allow"}}}"#);
    let agent_dir = home.path().join("elsewhere");
    fs::create_dir(&agent_dir).unwrap();
    assert_eq!(serve_with(home.path(), &agent_dir, "ls")["block"], Value::Null);
    let file = agent_dir.join("sandbox.json");
    fs::write(&file, GIT_ONLY).unwrap();
    let reason = serve_with(home.path(), &agent_dir, "rg x")["block"]["reason"].to_string();
    assert!(reason.contains("rg x"), "{reason}");
    // The sandbox reads the same file.
    let decision = serve_with(home.path(), &agent_dir, "git status").to_string();
    let (file_text, folder_text) = (file.display(), agent_dir.display());
    let expected = format!(" --config {file_text} --protect {folder_text} -- bash -c");
    assert!(decision.contains(&expected), "{decision}");
    // One that cannot be used is named by its place.
    fs::write(&file, "{").unwrap();
    let reason = serve_with(home.path(), &agent_dir, "git status")["block"]["reason"].to_string();
    assert!(reason.contains(file.to_str().unwrap()), "{reason}");
}

#[test]
fn one_that_cannot_be_used_lets_nothing_run_and_says_so() {
    let home = home(r#"{"shell": {"permissons": 1}}"#);
    let (status, answer) = check(home.path(), "git status");
    assert_eq!((status, answer), (Some(65), Value::Null));
    assert_eq!(hook(home.path(), "git status").0, Some(2));
    assert!(serve(home.path(), "git status")["block"]["reason"].as_str().unwrap().contains("sandbox.json"));
}

#[test]
fn a_projects_own_file_counts_only_where_it_is_trusted() {
    let home = home("");
    let folder = home.path().join("project/.pi");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sandbox.json"), GIT_ONLY).unwrap();
    assert_eq!(check(home.path(), "ls").0, Some(0));
    assert_eq!(run(home.path(), &["check", "--trust-project", "ls"], "").status.code(), Some(2));
    assert_eq!(hook(home.path(), "ls"), (Some(0), Value::Null));
}
