//! The program as a process: what it reads, writes and returns.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// The program, away from the settings and the locale of whoever runs the tests.
fn brakeline(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brakeline"));
    command
        .args(args)
        .env_clear()
        .env("HOME", "/nonexistent/ada")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    brakeline(args).output().unwrap()
}

fn run_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = brakeline(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // The program may stop reading before the end of the input, which is no fault of the test.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("the program ends by itself")
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

fn write_settings(folder: &Path, text: &str) -> String {
    let file = folder.join("settings.json");
    fs::write(&file, text).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn check_draws_a_block_and_returns_2() {
    let output = run(&["check", "--cwd", "/srv", "sudo timeout 1 find / -name aaa"]);
    assert_eq!(status(&output), 2);
    let expected = "\
blocked: bash may not run find in / (rule: /)
  |
1 | sudo timeout 1 find / -name aaa
  |                     ^ the search starts here
  |
  = help: Allowed instead: the same search under the working directory /srv, such as find . -name …
  = note: the settings in force leave bash alone (blockFindRoot.blockBash is false): a host would let this command pass
";
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_mark_is_right_in_nested_text_and_behind_wide_characters() {
    // Columns on a terminal, on which these Chinese characters take two each.
    for (command, column) in
        [("bash -c \"find /\"", 14), ("echo \"a $(find / -name x)\"", 15), ("echo 查找; find /", 16)]
    {
        let output = run(&["check", command]);
        assert_eq!(status(&output), 2, "{command}");
        let drawn = stdout(&output).lines().find(|line| line.contains('^')).unwrap();
        assert!(drawn.starts_with(&format!("  | {}^ ", " ".repeat(column))), "{}", stdout(&output));
    }
}

#[test]
fn check_returns_0_for_what_may_run() {
    for command in ["find . -name aaa", "echo find /", "ls", "", "# find /"] {
        let output = run(&["check", "--cwd", "/srv", command]);
        assert_eq!(status(&output), 0, "{command}: {}", stdout(&output));
    }
}

#[test]
fn check_speaks_json() {
    let output = run(&["check", "--json", "--cwd", "/srv", "x; find /"]);
    assert_eq!(status(&output), 2);
    let answer: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(answer["verdict"], "block");
    assert_eq!(answer["block"]["reason"], "start-path");
    assert_eq!(answer["block"]["rule"], "/");
    assert_eq!(answer["block"]["span"], json!([8, 9]));
    assert_eq!(answer["syntax_error"], Value::Null);
    let output = run(&["check", "--json", "--cwd", "/srv", "find src"]);
    let answer: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((status(&output), &answer["verdict"], &answer["block"]), (0, &json!("allow"), &Value::Null));
}

#[test]
fn the_command_line_names_place_rules_and_settings() {
    assert_eq!(
        status(&run(&["check", "--cwd", "/etc", "--forbid", "/etc", "--forbid", "/usr", "find ."])),
        2
    );
    assert_eq!(status(&run(&["check", "--cwd", "/srv", "--forbid", "/etc", "find /"])), 0);
    assert_eq!(status(&run(&["check", "--home", "/home/ada", "--forbid", "/home/ada", "find ~"])), 2);
    let folder = tempfile::tempdir().unwrap();
    let file = write_settings(
        folder.path(),
        r#"{"blockFindRoot": {"forbiddenPaths": ["/opt"], "blockBash": true}} // ok"#,
    );
    let output = run(&["check", "--settings", &file, "find /opt/x"]);
    assert_eq!(status(&output), 2);
    assert!(!stdout(&output).contains("note"), "{}", stdout(&output));
    assert_eq!(status(&run(&["check", "--settings", &file, "find /"])), 0);
}

#[test]
fn the_users_own_settings_are_read_and_later_files_win() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("brakeline");
    fs::create_dir(&own).unwrap();
    write_settings(&own, r#"{"blockFindRoot": {"forbiddenPaths": ["/opt"]}}"#);
    let output = brakeline(&["check", "find /opt"]).env("XDG_CONFIG_HOME", folder.path()).output().unwrap();
    assert_eq!(status(&output), 2);
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let first = write_settings(folders[0].path(), r#"{"blockFindRoot": {"forbiddenPaths": ["/a"]}}"#);
    let second = write_settings(folders[1].path(), r#"{"blockFindRoot": {"forbiddenPaths": ["/b"]}}"#);
    assert_eq!(status(&run(&["check", "--settings", &first, "--settings", &second, "find /b"])), 2);
    assert_eq!(status(&run(&["check", "--settings", &first, "--settings", &second, "find /a"])), 0);
}

#[test]
fn texts_are_chinese_where_the_locale_is() {
    let output =
        brakeline(&["check", "--cwd", "/srv", "find /"]).env("LANG", "zh_CN.UTF-8").output().unwrap();
    assert!(
        stdout(&output).starts_with("已拦截: 禁止使用 bash 调用 find 查询 /（命中：/）"),
        "{}",
        stdout(&output)
    );
    let folder = tempfile::tempdir().unwrap();
    let file = write_settings(folder.path(), r#"{"brakeline": {"locale": "en"}}"#);
    let output =
        brakeline(&["check", "--settings", &file, "find /"]).env("LANG", "zh_CN.UTF-8").output().unwrap();
    assert!(stdout(&output).starts_with("blocked: bash may not run"), "{}", stdout(&output));
}

#[test]
fn there_is_no_colour_away_from_a_terminal() {
    assert!(!stdout(&run(&["check", "find /"])).contains('\u{1b}'));
}

#[test]
fn bad_input_has_a_message_and_its_own_status() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write_settings(folder.path(), "{\n  \"blockFindRoot\": }");
    let missing = folder.path().join("none.json").into_os_string().into_string().unwrap();
    let here = folder.path().to_str().unwrap();
    for (args, input, expected, words) in [
        (&["check"][..], &b""[..], 64, "--help"),
        (&["check", "a", "--stdin"], b"", 64, "--help"),
        (&["check", "--no-such-option", "a"], b"", 64, "--help"),
        (&["no-such-command"], b"", 64, "--help"),
        (&[], b"", 64, "Usage"),
        (&["check", "--stdin"], b"find \xff/", 65, "byte 5"),
        (&["check", "--stdin"], b"find /\0", 65, "byte 6"),
        (&["explain", "--stdin"], b"find /\0", 65, "byte 6"),
        (&["check", "--settings", &broken, "ls"], b"", 65, ":2:20"),
        (&["check", "--settings", &missing, "ls"], b"", 66, "none.json"),
        (&["check", "--settings", here, "ls"], b"", 66, here),
        (&["session", &missing, "--key", "guard"], b"", 66, "none.json"),
        (&["session", &broken, "--key", "guard"], b"", 65, "session"),
    ] {
        let output = run_with_input(args, input);
        assert_eq!(status(&output), expected, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{args:?}");
    }
}

#[test]
fn a_line_of_100_megabytes_is_refused_everywhere() {
    let long = vec![b'a'; 100 << 20];
    for args in [&["check", "--stdin"][..], &["explain", "--stdin"]] {
        let output = run_with_input(args, &long);
        assert_eq!(status(&output), 65);
        assert!(stderr(&output).contains("16777216 bytes"), "{}", stderr(&output));
    }
    let output = run_with_input(&["hook", "claude-code"], &long);
    assert_eq!((status(&output), stdout(&output)), (2, ""));

    let mut lines = long;
    lines.extend_from_slice(b"\n{\"id\": 1, \"command\": \"ls\"}\n");
    let output = run_with_input(&["explain", "--jsonl"], &lines);
    assert_eq!(status(&output), 0);
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["id"], Value::Null);
    assert!(answers[0]["error"].as_str().unwrap().contains("longer"));
    assert_eq!(answers[1]["id"], 1);
}

#[test]
fn a_directory_as_standard_input_cannot_be_read() {
    for (args, expected) in [
        (&["check", "--stdin"][..], 66),
        (&["explain", "--jsonl"], 66),
        (&["hook", "claude-code"], 2),
        (&["hook", "claude-code", "--on-failure", "allow"], 0),
    ] {
        let output = brakeline(args).stdin(fs::File::open("src").unwrap()).output().unwrap();
        assert_eq!(status(&output), expected, "{args:?}");
        assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
    }
}

#[test]
fn output_that_nobody_takes_is_not_a_pass() {
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(status(&brakeline(&["check", "ls"]).stdout(full()).output().unwrap()), 74);
    assert_eq!(status(&brakeline(&["check", "find /"]).stdout(full()).output().unwrap()), 2);
    assert_eq!(status(&brakeline(&["explain", "find /"]).stdout(full()).output().unwrap()), 74);
    let mut hook = brakeline(&["hook", "claude-code"]).stdin(Stdio::piped()).stdout(full()).spawn().unwrap();
    let event = br#"{"hook_event_name": "PreToolUse", "tool_name": "Glob", "tool_input": {}}"#;
    hook.stdin.take().unwrap().write_all(event).unwrap();
    assert_eq!(hook.wait().unwrap().code(), Some(2));
}

#[test]
fn a_hook_that_fails_blocks_unless_its_policy_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write_settings(folder.path(), "{");
    let glob = br#"{"hook_event_name": "PreToolUse", "tool_name": "Glob", "tool_input": {}}"#;
    for (args, input) in [
        (&["hook", "claude-code"][..], &b"{\"hook_event_name\": \"PreToolUse\""[..]),
        (&["hook", "claude-code"], b""),
        (&["hook", "claude-code"], b"\xff"),
        (&["hook", "claude-code"], br#"{"hook_event_name": "PreToolUse", "tool_name": "Glob"}"#),
        (&["hook", "claude-code", "--settings", &broken], glob),
        (&["hook", "claude-code", "--settings", "/nonexistent"], glob),
        (&["hook", "claude-code", "--no-such-option"], glob),
        (&["hook", "cursor"], br#"{"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": 1}"#),
        (&["hook", "copilot"], br#"{"toolName": "bash", "toolArgs": "{"}"#),
        (&["hook", "no-such-host"], glob),
    ] {
        let closed = run_with_input(args, input);
        assert_eq!((status(&closed), stdout(&closed)), (2, ""), "{args:?}");
        assert!(!stderr(&closed).is_empty(), "{args:?}");

        let mut args = args.to_vec();
        args.extend(["--on-failure", "allow"]);
        let open = run_with_input(&args, input);
        assert_eq!(status(&open), 0, "{args:?}: {}", stderr(&open));
        assert!(!stderr(&open).is_empty(), "{args:?}");
    }
}

#[test]
fn a_failure_at_the_end_of_a_run_never_sends_the_agent_back_to_work() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write_settings(folder.path(), "{");
    for (host, event) in [
        ("claude-code", r#"{"hook_event_name": "Stop"}"#),
        ("codex", r#"{"hook_event_name": "Interrupt"}"#),
        ("gemini-cli", r#"{"hook_event_name": "AfterAgent"}"#),
        ("cursor", r#"{"hook_event_name": "stop"}"#),
        ("copilot", r#"{"stopReason": "end_turn"}"#),
        ("opencode", r#"{"hook_event_name": "session.idle"}"#),
    ] {
        let output = run_with_input(&["hook", host, "--settings", &broken], event.as_bytes());
        assert_eq!(status(&output), 0, "{host}: {}", stderr(&output));
        assert!(stderr(&output).contains("settings.json:1:1"), "{host}: {}", stderr(&output));
        assert!(serde_json::from_str::<Value>(stdout(&output)).unwrap().is_object());
    }
}

#[test]
fn what_a_hook_blocks_is_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let settings = json!({"blockFindRoot": {"blockBash": true}, "brakeline": {"auditLog": log}});
    let file = write_settings(folder.path(), &settings.to_string());
    for command in ["find /", "ls"] {
        let event = json!({"conversation_id": "s", "cwd": "/srv", "hook_event_name": "preToolUse", "tool_name": "Shell",
            "tool_input": {"command": command}});
        assert_eq!(
            status(&run_with_input(&["hook", "cursor", "--settings", &file], event.to_string().as_bytes())),
            0
        );
    }
    let line: Value = serde_json::from_str(&fs::read_to_string(&log).unwrap()).unwrap();
    for (member, expected) in
        [("host", "cursor"), ("session", "s"), ("cwd", "/srv"), ("tool", "Shell"), ("by", "block-find")]
    {
        assert_eq!(line[member], expected, "{line}");
    }
    assert!(line["reason"].as_str().unwrap().contains("(rule: /)"));

    // A log that cannot be written is told, and changes no verdict.
    let file = write_settings(
        folder.path(),
        &json!({"blockFindRoot": {"blockBash": true}, "brakeline": {"auditLog": "x"}}).to_string(),
    );
    let event =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "find /"}});
    let output = run_with_input(&["hook", "claude-code", "--settings", &file], event.to_string().as_bytes());
    let decision: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(decision["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(decision["systemMessage"].as_str().unwrap().contains("audit log"), "{decision}");
}

#[test]
fn a_hook_answers_its_host() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_settings(folder.path(), r#"{"blockFindRoot": {"blockBash": true}}"#);
    let event = json!({"session_id": "s", "cwd": "/srv", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "bash -c 'find /'"}});
    let output = run_with_input(&["hook", "claude-code", "--settings", &file], event.to_string().as_bytes());
    assert_eq!(status(&output), 0);
    let decision: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(decision["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!(decision["hookSpecificOutput"]["permissionDecision"], "deny");
    let output = run_with_input(&["hook", "codex"], event.to_string().as_bytes());
    assert_eq!((status(&output), stdout(&output)), (0, "{}\n"));
}

#[test]
fn explain_says_what_would_run() {
    let output = run(&["explain", "--cwd", "/srv", "cd data && sudo find 'a b' -name x | wc -l"]);
    assert_eq!(status(&output), 0);
    for line in [
        "cd data",
        "find 'a b' -name x",
        "  through sudo",
        "  starts in a b (known)",
        "  working directory /srv/data (known)",
        "wc -l",
    ] {
        assert!(stdout(&output).lines().any(|shown| shown == line), "{line}: {}", stdout(&output));
    }
    let output = run(&["explain", "--json", "--cwd", "/srv", "find /e* \"$X\""]);
    let answer: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        answer["finds"][0]["paths"],
        json!([{"text": "/e*", "kind": "pattern", "span": [5, 8]}, {"text": "\"$X\"", "kind": "unknown", "span": [9, 13]}])
    );
}

struct Conversation {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Conversation {
    fn start() -> Self {
        let mut child = brakeline(&["explain", "--jsonl"]).stdin(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers }
    }

    fn ask(&mut self, line: &str) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

#[test]
fn explain_answers_line_by_line_and_goes_on_after_bad_ones() {
    let mut conversation = Conversation::start();
    let answer = conversation.ask(r#"{"id": "a", "command": "find /", "cwd": "/srv", "home": "/home/ada"}"#);
    assert_eq!(
        answer,
        json!({
            "id": "a",
            "finds": [{
                "paths": [{"text": "/", "kind": "known", "span": [5, 6]}],
                "cwd": [{"kind": "inherited", "path": "/srv"}],
                "wrappers": [],
                "via": [],
                "span": [0, 6],
                "argv": [{"text": "find", "kind": "known"}, {"text": "/", "kind": "known"}],
            }],
            "commands": [{
                "argv": [{"text": "find", "kind": "known"}, {"text": "/", "kind": "known"}],
                "span": [0, 6],
                "via": [],
            }],
            "incomplete": [],
            "syntax_error": null,
        })
    );
    for bad in
        ["find /", "{\"id\": 1}", "{\"id\": 1, \"command\": 2}", "[]", "\u{1}", "{\"command\": \"\\ud800\"}"]
    {
        let answer = conversation.ask(bad);
        assert_eq!(answer["id"], Value::Null, "{bad}");
        assert!(answer["error"].is_string(), "{bad}");
    }
    assert_eq!(conversation.ask(r#"{"id": 7, "command": "ls", "cwd": "srv"}"#)["id"], 7);
    assert_eq!(conversation.ask(r#"{"command": "$X /"}"#)["commands"][0]["argv"][0]["kind"], "unknown");
    drop(conversation.child.stdin.take());
    let mut rest = String::new();
    conversation.answers.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(conversation.child.wait().unwrap().success());
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    let output =
        run_with_input(&["explain", "--jsonl"], b"{\"id\": 10000000000000000000001.50, \"command\": \"\"}");
    assert!(stdout(&output).starts_with("{\"id\":10000000000000000000001.50,"), "{}", stdout(&output));
}

#[test]
fn session_prints_the_last_value_of_each_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}),
        json!({"type": "custom", "customType": "guard", "data": {"n": 1}, "id": "a", "parentId": null, "timestamp": "t"}),
        json!({"type": "custom", "customType": "guard", "data": null, "id": "b", "parentId": "a", "timestamp": "t"}),
        json!({"type": "custom", "customType": "other", "data": [2], "id": "c", "parentId": "b", "timestamp": "t"}),
    ];
    fs::write(&file, lines.map(|line| line.to_string() + "\n").concat()).unwrap();
    let file = file.to_str().unwrap();
    let keys = ["--key", "guard", "--key", "never", "--key", "other"];
    let output = run(&[&["session", file, "--json"], &keys[..]].concat());
    assert_eq!((status(&output), stdout(&output)), (0, "{\"guard\":null,\"other\":[2]}\n"));
    let output = run(&[&["session", file], &keys[..]].concat());
    assert_eq!((status(&output), stdout(&output)), (0, "guard = null\nother = [2]\n"));
    let output = run(&["session", file, "--all-keys", "--json"]);
    assert_eq!((status(&output), stdout(&output)), (0, "{\"guard\":null,\"other\":[2]}\n"));
    let output = run(&["session", file]);
    assert_eq!(status(&output), 64);
}

#[test]
fn help_and_version_are_no_failures() {
    for args in [&["--help"][..], &["--version"], &["check", "--help"], &["hook", "--help"]] {
        let output = run(args);
        assert_eq!(status(&output), 0, "{args:?}");
        assert!(!stdout(&output).is_empty(), "{args:?}");
    }
}
