//! Whole processes: `brakeline` beside a program that only reads and writes the same JSON.
#![expect(clippy::expect_used, reason = "a bench that cannot be set up has to stop")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const EVENT: &str = r#"{"session_id":"00000000-0000-4000-8000-000000000000","transcript_path":"/home/ada/.claude/projects/-srv/session.jsonl","cwd":"/srv","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"sudo timeout 1 find / -name aaa","description":"Looks for aaa"},"tool_use_id":"toolu_000000000000000000000000"}"#;

/// Builds the program as it is released, and returns where it is.
fn brakeline() -> PathBuf {
    let built =
        Command::new(env!("CARGO")).args(["build", "--release", "--quiet", "-p", "brakeline-cli"]).status();
    assert!(built.is_ok_and(|status| status.success()), "brakeline builds");
    let bench = std::env::current_exe().expect("a bench has a file");
    bench.ancestors().nth(2).expect("benches stand in target/release/deps").join("brakeline")
}

/// Runs a program with the event on its standard input, to its end.
fn run(program: &Path, args: &[&str], home: &Path) -> Vec<u8> {
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
    let _ = child.stdin.take().expect("it is piped").write_all(EVENT.as_bytes());
    child.wait_with_output().expect("the program ends").stdout
}

fn processes(criterion: &mut Criterion) {
    let home = std::env::temp_dir().join(format!("brakeline-bench-{}", std::process::id()));
    std::fs::create_dir_all(home.join("brakeline")).expect("a folder for settings");
    std::fs::write(home.join("brakeline/settings.json"), r#"{"blockFindRoot": {"blockBash": true}}"#)
        .expect("settings");
    let (brakeline, empty) = (brakeline(), PathBuf::from(env!("CARGO_BIN_EXE_empty_hook")));
    let hook = run(&brakeline, &["hook", "claude-code"], &home);
    assert!(hook.windows(6).any(|window| window == b"\"deny\""), "the hook denies the event");

    let mut group = criterion.benchmark_group("whole processes");
    group.sample_size(60).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(4));
    for (name, args) in
        [("hook", &["hook", "claude-code"][..]), ("check", &["check", "sudo timeout 1 find / -name aaa"])]
    {
        group.bench_function(BenchmarkId::new("brakeline", name), |bencher| {
            bencher.iter(|| run(&brakeline, args, &home));
        });
        group.bench_function(BenchmarkId::new("empty program", name), |bencher| {
            bencher.iter(|| run(&empty, &[], &home));
        });
    }
    group.finish();
    let _ = std::fs::remove_dir_all(home);
}

criterion_group!(benches, processes);
criterion_main!(benches);
