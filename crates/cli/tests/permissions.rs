//! `brakeline permissions`, as a process.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CONFIGURATION: &str = r#"{
  "shell": {
    "permissons": { "*": "deny", "git *": "allow", "git push *": "deny", "rg *": "allow" }
  },
  "filesystem": { "denyRead": ["secret"], "denyWrite": ["kept"] }
}"#;

/// A folder with a configuration, and the program in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sandbox.json"), configuration).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, locale: &str, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_brakeline"))
            .arg("permissions")
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("LANG", locale)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The exit status, and what is written to standard output and standard error.
    fn told(&self, locale: &str, args: &[&str]) -> (i32, String) {
        let output = self.run(locale, args);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().expect("it ends by itself"), String::from_utf8(text).unwrap())
    }
}

const CHECK: &[&str] = &["check", "--config", "sandbox.json"];

fn check(folder: &Folder, command: &str) -> (i32, String) {
    folder.told("C", &[CHECK, &[command]].concat())
}

#[test]
fn the_exit_status_is_the_verdict() {
    let folder = Folder::new(CONFIGURATION);
    for (command, expected) in [
        ("git status", 0),
        ("git log | rg fix", 0),
        ("git log > out", 0),
        ("git log 2>/dev/null", 0),
        ("git push", 2),
        ("ls", 2),
        ("git log; git diff", 2),
        ("git log > kept", 2),
        ("git log > ./sub/../kept", 2),
        ("git log > /etc/brakeline", 2),
        ("git log < secret", 2),
        ("git log > sandbox.json", 2),
        ("git log > $X", 2),
        ("git 'log", 2),
        ("", 0),
    ] {
        let (status, told) = check(&folder, command);
        assert_eq!(status, expected, "{command}\n{told}");
    }
}

#[test]
fn a_denial_is_drawn_with_what_would_have_to_change() {
    let folder = Folder::new(CONFIGURATION);
    let (_, told) = check(&folder, "git -C x push origin");
    for part in [
        "blocked: bash may not run `git -C x push origin` (rule: `git push *`)",
        "^^^^^^^^^^^^^^^^^^^^ rule `git push *`",
        "help: Use a command that is allowed",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let (_, told) = folder.told("zh_CN.UTF-8", &[CHECK, &["git push"]].concat());
    assert!(told.contains("已拦截: 禁止使用 bash 执行 `git push`（命中：`git push *`）"), "{told}");
    let (_, told) = check(&folder, "git status");
    assert_eq!(told, "allowed\n  git status (rule: `git *`)\n");
}

#[test]
fn the_answer_in_json() {
    let folder = Folder::new(CONFIGURATION);
    let answer = |command| {
        let (_, told) = folder.told("C", &[CHECK, &["--json", command]].concat());
        serde_json::from_str::<Value>(&told).unwrap()
    };
    let denied = answer("git log && git push");
    assert_eq!(denied.get("verdict"), Some(&json!("deny")));
    let codes: Vec<_> = denied.get("refusals").unwrap().as_array().unwrap().iter().collect();
    let of = |key: &str| codes.iter().map(|refusal| refusal.get(key).unwrap().clone()).collect::<Vec<_>>();
    assert_eq!(of("code"), ["multiple", "denied"]);
    assert_eq!(of("span"), [json!([11, 19]), json!([11, 19])]);
    assert_eq!(of("rule"), [Value::Null, json!("git push *")]);
    let allowed = answer("git log");
    assert_eq!(allowed.get("message"), Some(&json!("")));
    assert_eq!(
        allowed.get("admissions"),
        Some(&json!([{"command": "git log", "rule": "git *", "span": [0, 7]}]))
    );
}

#[test]
fn lint_tells_what_is_doubtful_and_where_it_stands() {
    let folder =
        Folder::new("{\"shell\": {\"permissons\": {\n  \"git*\": \"allow\",\n  \"rm -rf\": \"deny\"\n}}}");
    let (status, told) = folder.told("C", &["lint", "--config", "sandbox.json"]);
    assert_eq!(status, 65, "{told}");
    assert!(told.contains("`git*`") && told.contains("sandbox.json:2"), "{told}");
    assert!(told.contains("`rm -rf`") && told.contains("sandbox.json:3"), "{told}");
    let (_, told) = folder.told("C", &["lint", "--json", "--config", "sandbox.json"]);
    let findings: Value = serde_json::from_str(&told).unwrap();
    let codes: Vec<_> =
        findings.as_array().unwrap().iter().filter_map(|finding| finding.get("code")).collect();
    assert_eq!(codes, ["bundle", "wildcard-in-word"]);

    let clean = Folder::new(CONFIGURATION);
    assert_eq!(clean.told("C", &["lint", "--config", "sandbox.json"]), (0, "nothing found\n".to_owned()));
}

#[test]
fn what_is_configured_where_counts() {
    let folder = Folder::new(CONFIGURATION);
    // Without any file: the default denies.
    assert_eq!(folder.told("C", &["check", "git log"]).0, 2);
    // A project's file counts only when it is trusted.
    fs::create_dir_all(folder.path().join(".pi")).unwrap();
    fs::copy(folder.path().join("sandbox.json"), folder.path().join(".pi/sandbox.json")).unwrap();
    let (status, told) = folder.told("C", &["check", "git log"]);
    assert!(status == 2 && told.contains("--trust-project"), "{told}");
    assert_eq!(folder.told("C", &["check", "--trust-project", "git log"]).0, 0);
    // The user's own always does.
    fs::create_dir_all(folder.path().join(".pi/agent")).unwrap();
    fs::copy(folder.path().join("sandbox.json"), folder.path().join(".pi/agent/sandbox.json")).unwrap();
    assert_eq!(folder.told("C", &["check", "git log"]).0, 0);
}

/// What a hook answers to a shell command, with the user's `sandbox.json` as it stands.
fn hook(folder: &Folder, command: &str) -> (i32, String) {
    let event = json!({
        "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": folder.path(),
        "tool_name": "Bash", "tool_input": {"command": command},
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_brakeline"))
        .args(["hook", "claude-code"])
        .env_clear()
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("it ends by itself"), String::from_utf8(text).unwrap())
}

#[test]
fn hooks_follow_the_users_policy_if_there_is_one() {
    let folder = Folder::new(CONFIGURATION);
    let (status, told) = hook(&folder, "ls");
    assert!(status == 0 && !told.contains("deny"), "without a sandbox.json nothing is judged: {told}");
    fs::create_dir_all(folder.path().join(".pi/agent")).unwrap();
    let file = folder.path().join(".pi/agent/sandbox.json");
    fs::copy(folder.path().join("sandbox.json"), &file).unwrap();
    for (command, is_denied) in
        [("git status", false), ("ls", true), ("git push", true), ("git log > kept", true)]
    {
        let (status, told) = hook(&folder, command);
        assert!(status == 0 && told.contains("deny") == is_denied, "{command}: {told}");
    }
    fs::write(&file, "{").unwrap();
    let (status, told) = hook(&folder, "git status");
    assert!(status == 2 && told.contains("sandbox.json"), "a policy that cannot be read: {told}");
}

#[test]
fn what_cannot_be_used_is_told_and_nothing_is_allowed() {
    for (configuration, expected) in [("{", 65), ("{\"shell\": {\"permissons\": {\"\": \"allow\"}}}", 65)] {
        let folder = Folder::new(configuration);
        let (status, told) = check(&folder, "git log");
        assert_eq!(status, expected, "{told}");
        assert!(told.contains("sandbox.json"), "{told}");
    }
    let folder = Folder::new(CONFIGURATION);
    assert_eq!(folder.told("C", &["check", "--config", "missing.json", "ls"]).0, 66);
    assert_eq!(folder.told("C", &["check"]).0, 64);
}
