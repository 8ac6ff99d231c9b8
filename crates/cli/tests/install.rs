//! `brakeline install` and `uninstall` as whole processes, in homes of their own, over configurations that people have.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A home directory of its own.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn run(&self, args: &[&str]) -> Output {
        // `setsid` takes the terminal away, if there is one: nobody can be asked.
        Command::new("setsid")
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_brakeline"))
            .args(args)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = text(&output);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {text}");
        text
    }

    /// Every file and folder with its content.
    fn snapshot(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut seen = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    seen.insert(path.clone(), None);
                    folders.push(path);
                } else {
                    seen.insert(path.clone(), Some(fs::read(&path).unwrap()));
                }
            }
        }
        seen
    }

    /// The same without what brakeline keeps for itself.
    fn snapshot_of_others(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let own = self.path(".local");
        self.snapshot().into_iter().filter(|(path, _)| !path.starts_with(&own)).collect()
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Host, its file, and configurations that people have there.
fn configurations() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let nested = vec![
        "{}",
        "{}\n",
        "",
        "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
        "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"audit\"}]}\n\t\t],\n\t\t\"PostToolUse\": []\n\t},\n\t\"z\": 1\n}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\"hooks\": {}}",
        "{\r\n    \"theme\": \"dark\",\r\n    \"env\": {\"A\": \"1\"}\r\n}\r\n",
        "\u{feff}{\"theme\": \"dark\"}\n",
        "{\"unknown\": [1, 2.50, -3e7, null, \"\\u00e9\\n\"], \"deep\": {\"a\": {\"b\": [[]]}}}",
    ];
    let mut commented = nested.clone();
    commented.push("// mine\n{\n  /* why */ \"hooks\": {\n    // before\n    \"BeforeTool\": [ /* none yet */ ]\n  } // end\n}\n");
    let mut tolerant = commented.clone();
    tolerant.push("{\n  \"a\": [1, 2,],\n}\n");
    vec![
        ("claude-code", ".claude/settings.json", nested.clone()),
        ("gemini-cli", ".gemini/settings.json", commented),
        (
            "cursor",
            ".cursor/hooks.json",
            vec![
                "{\"version\": 1, \"hooks\": {}}",
                "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [{ \"command\": \"./audit.sh\" }],\n    \"stop\": [{ \"command\": \"./bell.sh\" }]\n  }\n}\n",
            ],
        ),
        (
            "codex",
            ".codex/config.toml",
            vec![
                "",
                "model = \"gpt-5\"\n",
                "# mine\nmodel = \"gpt-5\" # best\n\n[profiles.fast]\nmodel='x'",
                "model = \"gpt-5\"\r\n[features]\r\nx = true\r\n",
                "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"audit\"\n",
                "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"bell\" }] }] # inline\n",
                "hooks = { Stop = [] }\n",
                "[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
            ],
        ),
        ("codex", ".codex/hooks.json", nested.clone()),
        (
            "pi",
            ".pi/agent/settings.json",
            vec!["{}", "{\n  \"packages\": [\"npm:@example/tools\"],\n  \"defaultTimeout\": 60\n}\n"],
        ),
        ("copilot", ".copilot/config.json", vec!["{}"]),
        ("opencode", ".config/opencode/opencode.json", vec!["{}"]),
    ]
}

fn install<'a>(host: &'a str, package: &'a str) -> Vec<&'a str> {
    let mut args = vec!["install", host];
    if host == "pi" {
        args.extend(["--package", package]);
    }
    args
}

fn with<'a>(args: &[&'a str], more: &'a str) -> Vec<&'a str> {
    [args, &[more]].concat()
}

#[test]
fn an_installation_is_shown_made_once_and_undone_to_the_byte() {
    for (host, file, texts) in configurations() {
        for text in texts.iter().map(|text| Some(*text)).chain([None]) {
            let home = Home::new();
            home.write("package/package.json", "{}");
            let package = home.path("package").to_str().unwrap().to_owned();
            if let Some(text) = text {
                home.write(file, text);
            }
            let args = install(host, &package);
            let before = home.snapshot();

            for how in [with(&args, "--dry-run"), args.clone()] {
                let shown = home.succeed(&how);
                assert!(shown.contains("+++ "), "{shown}");
                assert_eq!(home.snapshot(), before, "{host}: showing writes nothing");
            }

            let shown = home.succeed(&with(&args, "--apply"));
            assert!(shown.contains("+++ ") && shown.contains("uninstall"), "{shown}");
            let installed = home.snapshot();
            assert_ne!(installed, before);

            let again = home.succeed(&with(&args, "--apply"));
            assert!(again.contains("already installed"), "{again}");
            assert_eq!(home.snapshot(), installed, "{host}: installing twice changes nothing");

            let undone = home.succeed(&["uninstall", host, "--dry-run"]);
            assert!(undone.contains("--- "), "{undone}");
            assert_eq!(home.snapshot(), installed, "{host}: showing writes nothing");
            home.succeed(&["uninstall", host, "--apply"]);
            let mut after = home.snapshot_of_others();
            // Of brakeline's own folder nothing but the folder itself stays.
            after.remove(&home.path(".config"));
            let mut before = before;
            before.remove(&home.path(".config"));
            assert_eq!(after, before, "{host}: {text:?}");
            assert!(!home.path(".local/state/brakeline/installed.json").exists());
        }
    }
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    for (host, file, texts) in configurations() {
        for text in texts {
            let home = Home::new();
            home.write("package/package.json", "{}");
            let package = home.path("package").to_str().unwrap().to_owned();
            home.write(file, text);
            home.succeed(&with(&install(host, &package), "--apply"));
            let text_now = home.read(file);
            let changed = if file == ".codex/config.toml" {
                format!("{text_now}\n[mine]\nlater = true\n")
            } else {
                let rest = text_now.trim_start_matches('\u{feff}').trim_start_matches("// mine\n");
                rest.replacen('{', "{\"later\": true, ", 1).replacen(", }", "}", 1)
            };
            home.write(file, &changed);
            home.succeed(&["uninstall", host, "--apply"]);
            let after = home.read(file);
            assert!(after.contains("later"), "{host} {text:?}: {after}");
            assert!(!after.contains("brakeline") && !after.contains(&package), "{host} {text:?}: {after}");
        }
    }
}

#[test]
fn the_hooks_are_those_of_each_host() {
    let home = Home::new();
    for host in ["claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode"] {
        home.succeed(&["install", host, "--apply", "--program", "/opt/my tools/brakeline"]);
    }
    let judge = |host: &str| format!("'/opt/my tools/brakeline' hook {host} || exit 2");
    let release = |host: &str| format!("'/opt/my tools/brakeline' hook {host} --on-failure allow");

    let claude = home.json(".claude/settings.json");
    let hook = |command: String| json!({"type": "command", "command": command, "timeout": 30});
    assert_eq!(
        claude,
        json!({"hooks": {
            "PreToolUse": [{"matcher": "Bash|Glob|Edit|MultiEdit|NotebookEdit|Write", "hooks": [hook(judge("claude-code"))]}],
            "Stop": [{"hooks": [hook(release("claude-code"))]}],
            "SessionEnd": [{"hooks": [hook(release("claude-code"))]}],
        }})
    );
    let gemini = home.json(".gemini/settings.json");
    // Gemini CLI counts milliseconds, the others seconds.
    assert_eq!(gemini["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"], 30_000);
    assert_eq!(gemini["hooks"]["BeforeTool"][0]["hooks"][0]["command"], judge("gemini-cli"));
    assert_eq!(gemini["hooks"]["AfterAgent"][0]["hooks"][0]["command"], release("gemini-cli"));
    let cursor = home.json(".cursor/hooks.json");
    assert_eq!(cursor["version"], 1);
    assert_eq!(cursor["hooks"]["preToolUse"][0]["failClosed"], true);
    assert_eq!(cursor["hooks"]["stop"][0]["command"], release("cursor"));
    let copilot = home.json(".copilot/hooks/brakeline.json");
    assert_eq!(copilot["version"], 1);
    assert_eq!(copilot["hooks"]["preToolUse"][0]["bash"], judge("copilot"));
    assert_eq!(copilot["hooks"]["preToolUse"][0]["timeoutSec"], 30);
    let codex = home.read(".codex/config.toml");
    assert!(codex.contains("[[hooks.PreToolUse]]\nmatcher = \"Bash|apply_patch\"\n"), "{codex}");
    assert!(codex.contains("[[hooks.PreToolUse.hooks]]\n"), "{codex}");
    assert!(codex.contains("timeout = 30\n"), "{codex}");
    let opencode = home.read(".config/opencode/plugin/brakeline.js");
    assert!(opencode.contains("process.env.BRAKELINE_BIN || \"/opt/my tools/brakeline\""), "{opencode}");
    assert_eq!(home.json(".config/brakeline/settings.json"), json!({"blockFindRoot": {"blockBash": true}}));
}

#[test]
fn settings_that_are_there_are_kept_and_shared_by_all_hosts() {
    let home = Home::new();
    let settings =
        "{\n  // Mine.\n  \"blockFindRoot\": {\"forbiddenPaths\": [\"/etc\"], \"blockBash\": false},\n}\n";
    home.write(".config/brakeline/settings.json", settings);
    home.succeed(&["install", "claude-code", "--apply"]);
    assert_eq!(home.read(".config/brakeline/settings.json"), settings, "a choice is kept");

    let home = Home::new();
    home.succeed(&["install", "claude-code", "--apply"]);
    home.succeed(&["install", "cursor", "--apply"]);
    home.succeed(&["uninstall", "claude-code", "--apply"]);
    assert!(home.path(".config/brakeline/settings.json").exists(), "cursor still counts on it");
    home.succeed(&["uninstall", "cursor", "--apply"]);
    assert!(!home.path(".config/brakeline/settings.json").exists());
}

#[test]
fn entries_of_earlier_versions_are_replaced_and_others_stay() {
    let home = Home::new();
    let old = json!({"hooks": {
        "PreToolUse": [
            {"matcher": "Bash|Glob", "hooks": [{"type": "command", "command": "brakeline hook claude-code"}]},
            {"matcher": "Bash", "hooks": [
                {"type": "command", "command": "audit"},
                {"type": "command", "command": "/old/brakeline hook claude-code"},
            ]},
        ],
        "SubagentStop": [{"hooks": [{"type": "command", "command": "brakeline hook claude-code"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "echo brakeline hook claude-code"}]}],
    }});
    home.write(".claude/settings.json", &old.to_string());
    home.succeed(&["install", "claude-code", "--apply", "--program", "brakeline"]);
    let new = home.json(".claude/settings.json");
    assert_eq!(
        new["hooks"]["PreToolUse"][0],
        json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "audit"}]})
    );
    assert_eq!(new["hooks"]["PreToolUse"].as_array().unwrap().len(), 2);
    assert_eq!(new["hooks"]["PostToolUse"], old["hooks"]["PostToolUse"]);
    assert_eq!(new["hooks"].get("SubagentStop"), None);
}

#[test]
fn a_broken_file_is_refused_with_its_place_and_nothing_is_written() {
    for (host, file, content, expected) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "settings.json:2:9`: a comma is missing",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  // no\n}",
            "settings.json:2:3`: the host itself cannot read",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"a\": 1, \"a\": 2}",
            "settings.json:1:10`: the key `a` stands twice",
        ),
        ("claude-code", ".claude/settings.json", "[]", "settings.json:1:1`: expected an object"),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"x\": 1,\n \"hooks\": []}",
            "settings.json:2:2`: `hooks` should be an object",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"hooks\": {\"Stop\": {}}}",
            "settings.json:1:12`: `hooks.Stop` should be an array",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\"a\": 1,}",
            "settings.json:1:8`: the host itself cannot read",
        ),
        ("codex", ".codex/config.toml", "a = 1\nb = = 2\n", "config.toml:2:5`"),
        ("codex", ".codex/config.toml", "hooks = 1\n", "`hooks` should be a table"),
        ("codex", ".codex/config.toml", "[hooks]\nStop = 1\n", "`hooks.Stop` should be an array"),
        ("cursor", ".config/brakeline/settings.json", "{\"blockFindRoot\": [}", "settings.json:1:"),
        ("copilot", ".copilot/hooks/brakeline.json", "{\"mine\": true}", "is not brakeline's"),
    ] {
        let home = Home::new();
        home.write(file, content);
        let before = home.snapshot();
        let output = home.run(&["install", host, "--apply"]);
        let shown = text(&output);
        assert_eq!(output.status.code(), Some(65), "{host} {content}: {shown}");
        assert!(shown.contains(expected), "{host} {content}: {shown}");
        assert_eq!(home.snapshot(), before, "{host} {content}");
    }
}

#[test]
fn projects_have_their_own_files() {
    let home = Home::new();
    home.succeed(&["install", "claude-code", "--scope", "project", "--apply"]);
    assert!(home.path(".claude/settings.json").exists());
    home.succeed(&["uninstall", "claude-code", "--scope", "project", "--apply"]);
    assert!(!home.path(".claude").exists(), "the folder was made for it");
}

#[test]
fn hosts_that_were_moved_are_found() {
    let home = Home::new();
    let moved = home.path("elsewhere");
    let output = Command::new(env!("CARGO_BIN_EXE_brakeline"))
        .args(["install", "claude-code", "--apply"])
        .env_clear()
        .env("HOME", home.folder.path())
        .env("CLAUDE_CONFIG_DIR", &moved)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(moved.join("settings.json").exists());
}

#[test]
fn pi_needs_its_package() {
    let home = Home::new();
    let output = home.run(&["install", "pi", "--apply"]);
    assert_eq!(output.status.code(), Some(66), "{}", text(&output));
    assert!(text(&output).contains("--package"), "{}", text(&output));
    home.write("pi package/package.json", "{}");
    home.succeed(&["install", "pi", "--package", "pi package", "--apply"]);
    let package = fs::canonicalize(home.path("pi package")).unwrap();
    assert_eq!(home.json(".pi/agent/settings.json"), json!({"packages": [package]}));
    assert!(!Path::new(&home.path(".config/brakeline/settings.json")).exists(), "pi has settings of its own");
}
