//! What one tool call costs in an engine with every built-in extension.
//!
//! ```text
//! cargo bench -p brakeline-benches --bench engine [-- --check]
//! ```
//!
//! A clockwork of its own, as in `collision_lease`: the promised figures are medians, and one of them is a ratio to what a bare
//! temporary file and a rename cost in the same run. `--check` makes missed targets an error.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may stop at the first surprise, and its output is a table"
)]

use brakeline::sandbox::wrap::Wrapper;
use brakeline::shell_permissions::{Action, AllFiles, Options as PolicyOptions, Policy};
use brakeline::{
    Branch, Builder, Engine, Leases, SessionView, Setup, ShellPermissions, Step, ToolCall, Verdict,
};
use brakeline_settings::Trust;
use collision_lease::{Beat, Clock, FsStore, LeaseSet, ManualClock, Options, Owner, SessionId, SystemClock};
use serde_json::{Value, json};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 4_000;

/// The median of single calls, in microseconds. `before` is done before each and not counted.
fn median(mut before: impl FnMut(), mut call: impl FnMut()) -> f64 {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            before();
            let begin = Instant::now();
            call();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.get(ROUNDS / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

fn row(name: &str, micros: f64) -> f64 {
    println!("  {name:<52} {micros:>8.2} µs");
    brakeline_benches::record::save("engine", name, "brakeline", micros * 1e3).unwrap();
    micros
}

fn settings() -> Value {
    json!({"blockFindRoot": {"forbiddenPaths": ["/", "/etc", "/usr", "~/keys"], "blockBash": true}})
}

fn builder(folder: &Path) -> Builder {
    let cwd = folder.to_str().map(str::to_owned);
    let setup = Setup { cwd, home: Some("/home/ada".to_owned()), ..Setup::new("bench") };
    Builder::new(setup).settings(settings()).built_ins()
}

/// Adds the extensions that need a configuration.
fn with_policy(builder: Builder) -> Builder {
    let rules = [("*", Action::Deny), ("cargo *", Action::Allow), ("tail *", Action::Allow)];
    let options = PolicyOptions { allow_pipe: true, ..PolicyOptions::default() };
    let policy = Policy::new(options, rules).unwrap();
    builder
        .shell_permissions(ShellPermissions::new(policy, AllFiles))
        .sandbox(Wrapper::new("/usr/bin/brakeline"))
}

fn call(tool: &str, input: &Value) -> ToolCall {
    let input = input.as_object().unwrap().clone();
    ToolCall { tool: tool.to_owned(), id: "call-1".to_owned(), parent: None, input }
}

/// Judges a call, which must pass or be blocked as expected. The event is made outside the time.
fn judge(engine: &mut Engine, event: &ToolCall, passes: bool) -> f64 {
    let mut events: Vec<ToolCall> = vec![event.clone(); ROUNDS];
    median(
        || {},
        || {
            let event = events.pop().unwrap();
            let Step::Done(outcome) = engine.handle(event, SessionView::default()) else { panic!("it asks") };
            assert_eq!(matches!(outcome.decision.verdict, Verdict::Allow), passes);
            let _ = black_box(outcome);
        },
    )
}

/// The least that rewriting a claim takes: its text beside, and renamed into place.
fn rename(folder: &Path) -> f64 {
    let (text, temporary, file) = ([b'x'; 400], folder.join("claim.tmp"), folder.join("claim"));
    median(
        || {},
        || {
            fs::write(&temporary, text).unwrap();
            fs::rename(&temporary, &file).unwrap();
        },
    )
}

fn main() -> ExitCode {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("main.rs");
    fs::write(&file, "").unwrap();
    let clock = Arc::new(ManualClock::at(SystemClock.read()));
    let leases = {
        let store = Arc::new(FsStore::open(&folder.path().join("state")).unwrap());
        let owner = Owner::for_process(SessionId::new("bench")).unwrap();
        let options = Options { beat: Beat::Manual, clock: Arc::clone(&clock) as _, ..Options::default() };
        Arc::new(LeaseSet::open(store, owner, options).unwrap())
    };
    let builder = builder(folder.path()).leases(Leases::shared(leases));

    println!("one engine, median of {ROUNDS}");
    row("build, as a hook does for each event", {
        median(|| {}, || _ = black_box(builder.build(Trust::Trusted).unwrap()))
    });
    let mut engine = builder.build(Trust::Trusted).unwrap();
    let view = SessionView::of(Branch::whole(&[]));
    assert_eq!(engine.offered_tools(view).count(), 0);

    let read =
        row("tool_call: read", judge(&mut engine, &call("read", &json!({"path": "src/main.rs"})), true));
    let find = call("find", &json!({"pattern": "**/*.rs", "path": "src"}));
    let find = row("tool_call: find in src", judge(&mut engine, &find, true));
    let bash = call("bash", &json!({"command": "cargo test --workspace 2>&1 | tail -20"}));
    let bash = row("tool_call: bash, a pipe", judge(&mut engine, &bash, true));
    let mut strict = with_policy(self::builder(folder.path())).build(Trust::Trusted).unwrap();
    let held_back = call("bash", &json!({"command": "cargo test --workspace 2>&1 | tail -20"}));
    let strict = row("the same, with permissions and the sandbox", judge(&mut strict, &held_back, true));
    let blocked = call("bash", &json!({"command": "sudo timeout 1 find / -name aaa"}));
    row("tool_call: bash, blocked", judge(&mut engine, &blocked, false));
    let edit = call("edit", &json!({"path": "main.rs", "edits": [{"oldText": "a", "newText": "b"}]}));
    row("tool_call: the first edit, and settling", {
        let mut events = vec![edit.clone(); ROUNDS];
        median(
            || {},
            || {
                let _ = engine.handle(events.pop().unwrap(), SessionView::default());
                let _ = engine.handle(brakeline::AgentSettled::default(), SessionView::default());
            },
        )
    });
    let held = row("tool_call: edit, the lease held already", judge(&mut engine, &edit, true));

    let mut events = vec![edit; ROUNDS];
    let renewed = median(
        || clock.advance(Duration::from_secs(6)),
        || {
            let Step::Done(outcome) = engine.handle(events.pop().unwrap(), SessionView::default()) else {
                panic!("it asks")
            };
            assert_eq!(outcome.decision.verdict, Verdict::Allow);
        },
    );
    let renewed = row("tool_call: edit, a renewal that rewrites the claim", renewed);
    let bare = row("a temporary file and a rename", rename(folder.path()));

    println!("targets");
    let mut missed = 0;
    let mut target = |what: &str, met: bool| {
        println!("  {} {what}", if met { "met   " } else { "MISSED" });
        missed += u32::from(!met);
    };
    target("a tool call without a lease under 5 µs", read.max(find).max(bash).max(strict) < 5.0);
    target("a tool call with the lease held under 60 µs", held < 60.0);
    let ratio = renewed / bare;
    target(
        &format!("a rewriting renewal at most twice a temporary file and a rename ({ratio:.2})"),
        ratio <= 2.0,
    );
    let check = std::env::args().any(|argument| argument == "--check");
    if check && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
