//! `brakeline doctor` as a whole process, over homes in many states.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(home.path("project")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_brakeline"))
            .args(args)
            .env_clear()
            .env("PATH", "/nowhere")
            .env("HOME", self.folder.path())
            .current_dir(self.path("project"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Status and text.
    fn doctor(&self) -> (i32, String) {
        let output = self.run(&["doctor"]);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// Asserts what is found, and whether it is a problem.
    fn shows(&self, status: i32, lines: &[&str]) {
        let (found, text) = self.doctor();
        assert_eq!(found, status, "{text}");
        for line in lines {
            assert!(text.contains(line), "{line}\n--- is not in\n{text}");
        }
    }
}

#[test]
fn an_empty_home_has_nothing_to_mend_and_stays_empty() {
    let home = Home::new();
    home.shows(
        0,
        &[
            "settings.json: not there, so defaults are in force",
            "  · blockFindRoot.forbiddenPaths = [\"/\"] (default)",
            "no host was found",
            "collision-guard: not there yet",
            "there is no sandbox.json",
            "nothing to mend",
        ],
    );
    assert_eq!(fs::read_dir(home.folder.path()).unwrap().count(), 1, "looking creates nothing");
}

#[test]
fn settings_in_force_say_where_they_come_from() {
    let home = Home::new();
    home.write(
        ".pi/agent/settings.json",
        "{\"defaultTimeout\": 60, \"guardLoop\": {\"maxContinuations\": \"many\"}}",
    );
    home.write(
        "project/.pi/settings.json",
        "{\n  \"guardLoop\": {\"auto\": \"tests pass\"},\n\n  \"defaultTimeout\": 300\n}",
    );
    home.write(
        ".config/brakeline/settings.json",
        "{\n  // Fine here.\n  \"blockFindRoot\": {\"blockBash\": true},\n}",
    );
    home.shows(
        65,
        &[
            "  · defaultTimeout = 300 (project, .pi/settings.json:4)",
            "  · guardLoop.auto = \"tests pass\" (project, .pi/settings.json:2)",
            "  ! `guardLoop.maxContinuations`: expected a whole number",
            "blockFindRoot.blockBash = true (global, ",
            "counts only if pi trusts",
            "1 problem",
        ],
    );
}

#[test]
fn a_broken_file_is_a_problem_with_its_place() {
    let home = Home::new();
    home.write(".config/brakeline/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}");
    home.write("project/.pi/sandbox.json", "{\"enabled\": 1}");
    home.shows(
        65,
        &["settings.json:2:9`: a comma is missing", "    → mend the file", "sandbox.json:1:", "2 problems"],
    );
}

#[test]
fn hosts_are_found_with_what_is_installed_in_them() {
    let home = Home::new();
    for folder in [".claude", ".codex", ".gemini", ".cursor", ".copilot", ".config/opencode", ".pi/agent"] {
        fs::create_dir_all(home.path(folder)).unwrap();
    }
    let hosts = ["claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode"];
    home.shows(0, &hosts.map(|host| format!("brakeline install {host}")).each_ref().map(String::as_str));

    for host in hosts {
        assert!(home.run(&["install", host, "--apply"]).status.success());
    }
    home.shows(0, &hosts.map(|host| format!("  · {host}: installed (")).each_ref().map(String::as_str));

    // A hook of an earlier version, and a program that is gone.
    home.write(
        ".claude/settings.json",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"/gone/brakeline hook claude-code\"}]}]}}",
    );
    home.shows(
        65,
        &[
            "  ! claude-code: what stands in ~/.claude/settings.json is not",
            "`/gone/brakeline`, which cannot be run",
        ],
    );
    assert!(home.run(&["install", "claude-code", "--apply"]).status.success());
    home.shows(0, &["  · claude-code: installed ("]);

    home.write(".config/brakeline/settings.json", "{\"blockFindRoot\": {\"blockBash\": false}}");
    home.shows(0, &["hooks leave commands given to bash alone"]);
}

#[test]
fn a_hostile_claim_is_a_problem() {
    let home = Home::new();
    let claims = ".pi/agent/collision-guard/claims";
    home.write("x", "");
    let program = env!("CARGO_BIN_EXE_brakeline");
    let held = Command::new(program)
        .args(["lease", "run", "--path", "x", "--", "true"])
        .env_clear()
        .env("HOME", home.folder.path())
        .current_dir(home.folder.path())
        .output()
        .unwrap();
    assert!(held.status.success());
    home.shows(0, &["collision-guard: 0 held"]);
    let claim = home.path(claims).join(format!("{}.json", "0".repeat(64)));
    std::os::unix::fs::symlink("/etc/hosts", claim).unwrap();
    home.shows(65, &["collision-guard: 1 held", "  ! ", "remove that entry by hand"]);
}

#[test]
fn the_sandbox_is_tested_and_what_a_project_loosens_is_said() {
    let home = Home::new();
    home.write(".pi/agent/sandbox.json", "{\"enabled\": true}");
    home.write("project/.pi/sandbox.json", "{\"network\": {\"allowedDomains\": [\"example.org\"]}}");
    let (status, text) = home.doctor();
    assert!(text.contains("the sandbox is on"), "{text}");
    assert!(text.contains("  ? `network.allowedDomains` also allows `example.org` (project, "), "{text}");
    // Whether this machine can make one is its own business; it must not be passed over.
    let holds = text.contains("the sandbox holds, by its own test");
    let (expected, sum) = if holds { (0, "nothing to mend") } else { (65, "1 problem") };
    assert_eq!(status, expected, "{text}");
    assert!(text.contains(sum), "{text}");

    home.write("project/.pi/sandbox.json", "{\"enabled\": false}");
    home.shows(0, &["the sandbox is off"]);
}

#[test]
fn programs_read_json() {
    let home = Home::new();
    let output = home.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["problems"], 0);
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["area"] == "settings" && finding["level"] == "fine"));
}

#[test]
fn schema_completions_and_pages_are_printed() {
    let home = Home::new();
    let schema: Value = serde_json::from_slice(&home.run(&["schema"]).stdout).unwrap();
    assert_eq!(schema["properties"]["defaultTimeout"]["default"], 120);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(home.run(&["completions", shell]).stdout.len() > 1000, "{shell}");
    }
    assert!(home.run(&["man"]).stdout.starts_with(b".ie"));
    let output = home.run(&["man", "pages"]);
    assert!(output.status.success());
    assert!(home.path("project/pages/brakeline-hook.1").exists());
}
