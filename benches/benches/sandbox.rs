//! What the sandbox costs: making a plan, and a whole `true` in it, beside bare bubblewrap and npm's
//! `@anthropic-ai/sandbox-runtime`, in one run.
//!
//! ```text
//! npm install --prefix benches/peers/sandbox-runtime
//! cargo bench -p brakeline-benches --bench sandbox [-- --check]
//! ```
//!
//! A clockwork of its own: the promised figures are medians of whole processes, taken in turns so that the machine's moods meet
//! all alike. Needs `bwrap`, and for the peer `node`, `socat` and `rg`. `--check` makes missed targets an error.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench may stop at the first surprise, and its output is a table"
)]

use brakeline_sandbox::bwrap;
use brakeline_sandbox::config::{Config, Entry};
use brakeline_sandbox::plan::Plan;
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::tree::HostTree;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 40;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn timed(call: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    call();
    begin.elapsed()
}

fn row(group: &str, name: &str, millis: f64) -> f64 {
    println!("  {name:<58} {millis:>8.2} ms");
    brakeline_benches::record::save("sandbox", group, name, millis * 1e6).unwrap();
    millis
}

/// A project as they are: a repository, a few hundred files, packages beside it.
fn project(folder: &Path) -> (PathBuf, PathBuf) {
    let (home, project) = (folder.join("home"), folder.join("project"));
    for inner in ["home/.pi/agent", "home/.ssh", "project/.git/hooks", "project/.pi"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    fs::write(project.join(".git/config"), "").unwrap();
    fs::write(project.join(".env"), "").unwrap();
    for number in 0..30 {
        let inner = project.join(format!("src/module{number}"));
        fs::create_dir_all(&inner).unwrap();
        for file in 0..10 {
            fs::write(inner.join(format!("file{file}.rs")), "").unwrap();
        }
    }
    (home, project)
}

fn config() -> Config {
    let mut config = Config::default();
    config.filesystem.deny_read = vec![Entry::new("~/.ssh"), Entry::new(".env")];
    config.filesystem.deny_write = vec![Entry::new("src/module0")];
    config.network.allowed_domains = vec![Entry::new("example.com")];
    config
}

fn planning(home: &Path, project: &Path) -> f64 {
    let (config, place) = (config(), Place::of_pi(project, home));
    let plan = || {
        let policy = Policy::new(&config, &place, &HostTree).unwrap();
        black_box(bwrap::arguments(&Plan::new(&policy).unwrap()));
    };
    let times = (0..ROUNDS * 10).map(|_| timed(plan)).collect();
    row("planning", "policy, plan and argv", median(times))
}

/// Builds the program as it is released, and returns where it is.
fn brakeline() -> PathBuf {
    let built =
        Command::new(env!("CARGO")).args(["build", "--release", "--quiet", "-p", "brakeline-cli"]).status();
    assert!(built.unwrap().success());
    let bench = std::env::current_exe().unwrap();
    bench.ancestors().nth(2).unwrap().join("brakeline")
}

fn run(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
}

struct Processes {
    bare: f64,
    bwrap: f64,
    ours: f64,
}

fn processes(home: &Path, project: &Path, folder: &Path) -> Processes {
    let brakeline = brakeline();
    let file = folder.join("sandbox.json");
    let text =
        r#"{"filesystem": {"denyRead": ["~/.ssh", ".env"]}, "network": {"allowedDomains": ["example.com"]}}"#;
    fs::write(&file, text).unwrap();
    let bare = || run(Command::new("true").current_dir(project));
    let plain = || {
        let always = [
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--unshare-user",
            "--unshare-pid",
            "--unshare-net",
        ];
        run(Command::new("bwrap")
            .args(always)
            .args(["--cap-drop", "ALL", "--", "true"])
            .current_dir(project));
    };
    let ours = || {
        let mut command = Command::new(&brakeline);
        command.args(["sandbox", "run", "--config"]).arg(&file).args(["--", "true"]);
        run(command.current_dir(project).env("HOME", home));
    };
    // The self-test belongs to the first command alone.
    ours();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(timed(bare));
        times[1].push(timed(plain));
        times[2].push(timed(ours));
    }
    let [bare, bwrap, ours] = times.map(median);
    Processes {
        bare: row("a true", "bare", bare),
        bwrap: row("a true", "plain bwrap", bwrap),
        ours: row("a true", "brakeline sandbox run", ours),
    }
}

/// Returns what the peer takes to wrap and run a command; `None` if it is not installed.
fn peer(home: &Path, project: &Path) -> Option<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/sandbox-runtime/bench.mjs");
    if !script.with_file_name("node_modules").is_dir() {
        println!("  sandbox-runtime is not there (npm install in peers/sandbox-runtime)");
        return None;
    }
    let mut command = Command::new("node");
    command.arg(script).arg(ROUNDS.to_string()).current_dir(project).env("HOME", home);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let middle = |name: &str| {
        let mut times: Vec<f64> =
            report[name].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    };
    println!(
        "  {:<58} {:>8.2} ms, once",
        "sandbox-runtime: initialize",
        report["initialize"].as_f64().unwrap()
    );
    println!("  {:<58} {:>8.2} ms", "sandbox-runtime: wrap", middle("wrap"));
    Some(row("a true", "sandbox-runtime, wrap and run", middle("wrap") + middle("run")))
}

fn main() -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    let (home, project) = project(&base);
    println!("sandbox, medians");
    let planning = planning(&home, &project);
    let Processes { bare, bwrap, ours } = processes(&home, &project, &base);
    let peer = peer(&home, &project);
    println!("  above plain bwrap: {:.2} ms; above bare: {:.2} ms", ours - bwrap, ours - bare);
    let mut missed = Vec::new();
    if planning >= 2.0 {
        missed.push("planning under 2 ms");
    }
    if ours - bwrap > 15.0 {
        missed.push("at most 15 ms above plain bwrap");
    }
    if let Some(peer) = peer {
        println!("  sandbox-runtime takes {:.1} times as long", peer / ours);
        if peer < 2.0 * ours {
            missed.push("twice as fast as sandbox-runtime");
        }
    }
    for target in &missed {
        println!("  MISSED: {target}");
    }
    ExitCode::from(u8::from(!missed.is_empty() && std::env::args().any(|argument| argument == "--check")))
}
