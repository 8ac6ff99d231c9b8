//! Hooks as hosts run them: by the commands that `brakeline install` wrote, through a shell, from a long-lived agent process.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use tempfile::TempDir;

const HOSTS: [&str; 5] = ["claude-code", "codex", "gemini-cli", "cursor", "copilot"];

/// A home directory with brakeline installed into every host.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        for host in HOSTS {
            let output = home.brakeline(&["install", host, "--apply"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn brakeline(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_brakeline"))
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The command that a host runs at one of its events.
    fn command(&self, host: &str, event: &str) -> String {
        let json = |file: &str| -> Value {
            serde_json::from_str(&fs::read_to_string(self.path(file)).unwrap()).unwrap()
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match host {
            "claude-code" => text(&json(".claude/settings.json")["hooks"][event][0]["hooks"][0]["command"]),
            "gemini-cli" => text(&json(".gemini/settings.json")["hooks"][event][0]["hooks"][0]["command"]),
            "cursor" => text(&json(".cursor/hooks.json")["hooks"][event][0]["command"]),
            "copilot" => text(&json(".copilot/hooks/brakeline.json")["hooks"][event][0]["bash"]),
            _ => {
                let toml: toml_edit::DocumentMut =
                    fs::read_to_string(self.path(".codex/config.toml")).unwrap().parse().unwrap();
                toml["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
            }
        }
    }
}

/// An agent: a process that is no shell, lives on, and runs each hook through a shell.
struct Agent<'h> {
    home: &'h Home,
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Runs `sh -c COMMAND` with an event on its standard input, and answers with status and standard output.
const AGENT: &str = r#"
    $| = 1;
    while (my $command = <STDIN>) {
        my $event = <STDIN>;
        chomp $command;
        open(my $file, ">", $ARGV[0]) or die; print $file $event; close $file;
        my $out = qx{sh -c '$command' < $ARGV[0] 2> $ARGV[0].err};
        my $status = $? >> 8;
        $out =~ s/\n//g;
        print "$status $out\n";
    }
"#;

impl<'h> Agent<'h> {
    fn start(home: &'h Home, name: &str) -> Self {
        let mut process = Command::new("perl")
            .args(["-e", AGENT])
            .arg(home.path(name))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { home, process, requests, answers }
    }

    /// Runs the hook of an event. Returns its status and its decision as text.
    fn hook(&mut self, host: &str, name: &str, event: &Value) -> (i32, String) {
        let command = self.home.command(host, name);
        writeln!(self.requests, "{command}\n{event}").unwrap();
        self.requests.flush().unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let (status, out) = line.trim_end_matches('\n').split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        (status.parse().unwrap(), out.to_owned())
    }

    fn edit(&mut self, host: &str, session: &str, files: &[&Path]) -> bool {
        let (name, event) = edit(host, session, files);
        let (status, decision) = self.hook(host, name, &event);
        assert_eq!(status, 0, "{host}: {decision}");
        let is_blocked = decision.contains("Collision guard blocked");
        assert_eq!(is_blocked, decision.contains("\"deny\""), "{host}: {decision}");
        !is_blocked
    }

    fn stop(&mut self, host: &str, session: &str) {
        let (name, event) = stop(host, session);
        let (status, decision) = self.hook(host, name, &event);
        assert_eq!((status, decision.as_str()), (0, "{}"), "{host}");
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The event before an edit. Only a patch names several files.
fn edit(host: &str, session: &str, files: &[&Path]) -> (&'static str, Value) {
    let file = files[0];
    let headers: Vec<String> =
        files.iter().map(|file| format!("*** Add File: {}\n+x\n", file.display())).collect();
    let headers = headers.concat();
    let patch = format!("*** Begin Patch\n{headers}*** End Patch");
    match host {
        "claude-code" => (
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": "/", "tool_name": "Write",
                "tool_input": {"file_path": file, "content": "x"}}),
        ),
        "codex" => (
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": "/", "tool_name": "apply_patch",
                "tool_input": {"command": patch}}),
        ),
        "gemini-cli" => (
            "BeforeTool",
            json!({"hook_event_name": "BeforeTool", "session_id": session, "cwd": "/", "tool_name": "replace",
                "tool_input": {"file_path": file, "old_string": "", "new_string": "x"}}),
        ),
        "cursor" => (
            "preToolUse",
            json!({"hook_event_name": "preToolUse", "conversation_id": session, "cwd": "/", "tool_name": "Write",
                "tool_input": {"file_path": file, "content": "x"}}),
        ),
        _ => (
            "preToolUse",
            json!({"sessionId": session, "cwd": "/", "toolName": "apply_patch", "toolArgs": json!({"input": patch}).to_string()}),
        ),
    }
}

fn stop(host: &str, session: &str) -> (&'static str, Value) {
    match host {
        "claude-code" | "codex" => {
            ("Stop", json!({"hook_event_name": "Stop", "session_id": session, "cwd": "/"}))
        }
        "gemini-cli" => {
            ("AfterAgent", json!({"hook_event_name": "AfterAgent", "session_id": session, "cwd": "/"}))
        }
        "cursor" => {
            ("stop", json!({"hook_event_name": "stop", "conversation_id": session, "status": "completed"}))
        }
        _ => ("agentStop", json!({"sessionId": session, "cwd": "/", "stopReason": "end_turn"})),
    }
}

#[test]
fn an_agent_holds_what_it_edits_until_its_run_is_over() {
    for (host, other) in HOSTS.iter().zip(HOSTS.iter().cycle().skip(1)) {
        let home = Home::new();
        let file = home.path("notes.txt");
        let file = file.as_path();
        let mut alice = Agent::start(&home, "alice");
        // Hosts of all kinds meet.
        let mut bob = Agent::start(&home, "bob");
        assert!(alice.edit(host, "a", &[file]), "{host}");
        assert!(alice.edit(host, "a", &[file]), "{host}: it is its own");
        assert!(!bob.edit(other, "b", &[file]), "{other}");
        bob.stop(other, "b");
        assert!(!bob.edit(other, "b", &[file]), "{other}: stopping gives back one's own only");
        assert!(
            !alice.edit(host, "a2", &[file]),
            "{host}: another session of the same process is another owner"
        );
        alice.stop(host, "a");
        assert!(bob.edit(other, "b", &[file]), "{other}");
        assert!(!alice.edit(host, "a", &[file]), "{host}");
        // Dead holders are taken over at once.
        drop(bob);
        assert!(alice.edit(host, "a", &[file]), "{host}");
    }
}

#[test]
fn of_several_files_all_are_leased_or_none() {
    let home = Home::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| home.path(name));
    let mut alice = Agent::start(&home, "alice");
    let mut bob = Agent::start(&home, "bob");
    assert!(alice.edit("codex", "a", &[&b]));
    assert!(!bob.edit("codex", "b", &[&c, &b, &a]));
    // Nothing of it was kept.
    assert!(alice.edit("codex", "a", &[&a, &c]));
    alice.stop("codex", "a");
    assert!(bob.edit("codex", "b", &[&c, &b, &a]));
    assert!(!alice.edit("codex", "a", &[&a]));
}

#[test]
fn a_program_that_is_missing_blocks_and_does_not_keep_the_agent_from_stopping() {
    let home = Home::new();
    for host in HOSTS {
        let output = home.brakeline(&["install", host, "--apply", "--program", "/no/such/brakeline"]);
        assert!(output.status.success());
        let mut agent = Agent::start(&home, "agent");
        let (name, event) = edit(host, "s", &[Path::new("/x")]);
        assert_eq!(agent.hook(host, name, &event).0, 2, "{host}");
        let (name, event) = stop(host, "s");
        assert_ne!(agent.hook(host, name, &event).0, 2, "{host}");
    }
}

#[test]
fn commands_are_judged_by_what_was_installed() {
    let home = Home::new();
    let mut agent = Agent::start(&home, "agent");
    for (host, name, event) in [
        (
            "claude-code",
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "find /"}}),
        ),
        (
            "codex",
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "find /"}}),
        ),
        (
            "gemini-cli",
            "BeforeTool",
            json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": "find /"}}),
        ),
        (
            "cursor",
            "preToolUse",
            json!({"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": "find /"}}),
        ),
        ("copilot", "preToolUse", json!({"toolName": "bash", "toolArgs": "{\"command\": \"find /\"}"})),
    ] {
        let (status, decision) = agent.hook(host, name, &event);
        assert_eq!(status, 0, "{host}");
        assert!(decision.contains("\"deny\"") && decision.contains("(rule: /)"), "{host}: {decision}");
    }
}
