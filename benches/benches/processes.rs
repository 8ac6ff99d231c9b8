//! Whole processes: `brakeline` beside a program that only reads and writes the same JSON.
#![expect(clippy::expect_used, reason = "a bench that cannot be set up has to stop")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// An event of Claude Code, with the members that it has in every session.
fn event(name: &str, tool: &str) -> String {
    format!(
        r#"{{"session_id":"00000000-0000-4000-8000-000000000000","transcript_path":"/home/ada/.claude/projects/-srv/session.jsonl","cwd":"/srv","permission_mode":"default","hook_event_name":"{name}"{tool}}}"#
    )
}

/// A call of a tool.
fn call(tool: &str, input: &str) -> String {
    let id = "toolu_000000000000000000000000";
    event("PreToolUse", &format!(r#","tool_name":"{tool}","tool_input":{input},"tool_use_id":"{id}""#))
}

/// Builds the program as it is released, and returns where it is.
fn brakeline() -> PathBuf {
    let built =
        Command::new(env!("CARGO")).args(["build", "--release", "--quiet", "-p", "brakeline-cli"]).status();
    assert!(built.is_ok_and(|status| status.success()), "brakeline builds");
    let bench = std::env::current_exe().expect("a bench has a file");
    bench.ancestors().nth(2).expect("benches stand in target/release/deps").join("brakeline")
}

/// Runs a program with an event on its standard input, to its end.
fn run(program: &Path, args: &[&str], event: &str, home: &Path) -> Vec<u8> {
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // `check` may have ended already: it does not read.
    let _ = child.stdin.take().expect("it is piped").write_all(event.as_bytes());
    child.wait_with_output().expect("the program ends").stdout
}

fn processes(criterion: &mut Criterion) {
    let home = std::env::temp_dir().join(format!("brakeline-bench-{}", std::process::id()));
    std::fs::create_dir_all(home.join("brakeline")).expect("a folder for settings");
    std::fs::write(home.join("brakeline/settings.json"), r#"{"blockFindRoot": {"blockBash": true}}"#)
        .expect("settings");
    // The same, where a `sandbox.json` brings the permissions and the sandbox along.
    let strict = home.join("strict");
    std::fs::create_dir_all(strict.join(".pi/agent")).expect("a folder for sandbox.json");
    let rules = r#"{"shell": {"permissons": {"*": "deny", "cargo *": "allow", "git *": "allow"}}}"#;
    std::fs::write(strict.join(".pi/agent/sandbox.json"), rules).expect("sandbox.json");
    let (brakeline, empty) = (brakeline(), PathBuf::from(env!("CARGO_BIN_EXE_empty_hook")));
    let find = "sudo timeout 1 find / -name aaa";
    let file = home.join("notes.txt").display().to_string();
    let hook = ["hook", "claude-code"];
    let tests = call("Bash", r#"{"command":"cargo test --workspace","description":"Tests"}"#);
    // Every extension that needs no configuration is in force in each of them.
    let cases = [
        (
            "hook, a block",
            &hook[..],
            call("Bash", &format!(r#"{{"command":"{find}","description":"Looks"}}"#)),
            &home,
        ),
        ("hook, a timeout", &hook, tests.clone(), &home),
        ("hook, a sandboxed command", &hook, tests, &strict),
        ("hook, a search", &hook, call("Glob", r#"{"pattern":"**/*.rs"}"#), &home),
        (
            "hook, a lease",
            &hook,
            call("Edit", &format!(r#"{{"file_path":"{file}","old_string":"a","new_string":"b"}}"#)),
            &home,
        ),
        ("hook, a stop", &hook, event("Stop", r#","stop_hook_active":false"#), &home),
        ("check", &["check", find], call("Bash", r#"{"command":"true"}"#), &home),
    ];
    for (name, expected) in [
        ("hook, a block", "\"deny\""),
        ("hook, a timeout", "120000"),
        ("hook, a sandboxed command", " sandbox run "),
        ("hook, a lease", "{}"),
    ] {
        let (_, args, event, home) = cases.iter().find(|case| case.0 == name).expect("it is there");
        let decision = String::from_utf8(run(&brakeline, args, event, home)).expect("JSON");
        assert!(decision.contains(expected), "{name}: {decision}");
    }

    let mut group = criterion.benchmark_group("whole processes");
    group.sample_size(60).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(4));
    for (name, args, event, home) in &cases {
        group.bench_function(BenchmarkId::new("brakeline", name), |bencher| {
            bencher.iter(|| run(&brakeline, args, event, home));
        });
        group.bench_function(BenchmarkId::new("empty program", name), |bencher| {
            bencher.iter(|| run(&empty, &[], event, home));
        });
    }
    group.finish();
    let _ = std::fs::remove_dir_all(&home);
}

criterion_group!(benches, processes);
criterion_main!(benches);
