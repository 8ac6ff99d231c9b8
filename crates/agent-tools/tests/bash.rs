//! `bash`: what comes back, what is cut, and that nothing is left running.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test may stop at the first surprise"
)]

mod common;

use brakeline_agent_tools::{
    BashParameters, BashResult, Cancel, Context, Error, Gate, Launch, Refusal, Step, bash,
};
use common::Folder;
use serde_json::json;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

fn run(folder: &Folder, command: &str, timeout: f64) -> BashResult {
    bash(&BashParameters { command: command.into(), timeout: Some(timeout) }, &folder.context()).unwrap()
}

fn say(folder: &Folder, command: &str) -> String {
    folder.say("bash", json!({ "command": command }))
}

#[test]
fn output_and_status() {
    let folder = Folder::new();
    folder.put("here", "");
    assert_eq!(say(&folder, "ls; echo err >&2; sleep 0.05; echo out"), "here\nerr\nout");
    assert_eq!(say(&folder, "true"), "[no output]");
    assert_eq!(say(&folder, "echo no; exit 3"), "no\n[exit code 3]");
    assert_eq!(say(&folder, "printf x; kill -9 $$"), "x\n[ended by signal 9]");
    assert_eq!(say(&folder, "no-such-program 2>/dev/null"), "[no output]\n[exit code 127]");
    assert_eq!(say(&folder, "cat"), "[no output]", "there is no input");
    assert!(folder.run("bash", json!({ "command": "false" })).unwrap().is_error);
    assert!(!folder.run("bash", json!({ "command": "true" })).unwrap().is_error);
}

#[test]
fn long_output_is_cut_between_characters_and_the_whole_is_in_a_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.join("scratch")).unwrap();
    let scratch = folder.join("scratch");
    let context = folder.context().with_scratch(&scratch);
    let command = "for i in $(seq 1 5000); do echo \"$i 你好\"; done";
    let result = bash(&BashParameters { command: command.into(), timeout: None }, &context).unwrap();
    assert!(result.truncated && result.output.ends_with("\n5000 你好\n"));
    assert!(result.output.starts_with("3001 你好\n"), "{}", result.output);
    let whole = std::fs::read_to_string(result.full_output.as_ref().unwrap()).unwrap();
    assert_eq!(whole.len() as u64, result.total_bytes);
    assert!(whole.starts_with("1 你好\n") && whole.lines().count() == 5000);
    let said = common::text(&result);
    assert!(said.contains("only the last 2000 of 5000 lines, ") && said.contains("bash-"), "{said}");

    for shift in 0..3 {
        let command = format!("printf '%0{shift}d'; for i in $(seq 1 60000); do printf '你'; done");
        let result = run(&folder, &command, 60.0);
        assert!(result.truncated && !result.output.contains('\u{fffd}') && result.output.ends_with('你'));
        assert_eq!((result.full_output, result.not_text), (None, 0));
    }
    let result = run(&folder, "seq 1 10; printf end", 60.0);
    assert_eq!((result.total_lines, result.total_bytes, result.truncated), (11, 24, false));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 1, "no file for what fits");
}

#[test]
fn what_is_no_text_is_shown_as_such() {
    let folder = Folder::new();
    assert_eq!(say(&folder, r"printf 'a\0b\377c'"), "a␀b\u{fffd}c\n[2 bytes of the output are no text]");
    let result = run(&folder, "head -c 300000 /dev/urandom", 20.0);
    assert!(result.truncated && result.not_text > 0 && result.total_bytes == 300_000);
}

/// Waits until nobody holds a lock that every process of the group had open.
fn is_gone(marker: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        let alive = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let state = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            line.windows(marker.len()).any(|part| part == marker.as_bytes()) && !state.contains(") Z ")
        });
        if !alive {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_limit_ends_the_whole_group() {
    let folder = Folder::new();
    let start = Instant::now();
    let result = run(&folder, "echo begun; sleep 7771 & (trap '' TERM; sleep 7771) & sleep 7771", 0.3);
    assert!(result.timed_out && result.output == "begun\n", "{result:?}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(is_gone("sleep\x007771"));
    let said = common::text(&result);
    assert!(said.starts_with("begun\n[timed out: its process group was ended after "), "{said}");
}

#[test]
fn a_command_may_clean_up_at_its_limit() {
    let folder = Folder::new();
    let result = run(&folder, "trap 'echo bye; exit 5' TERM; while :; do sleep 0.05; done", 0.3);
    assert!(result.timed_out && result.output.contains("bye\n"), "{result:?}");
}

#[test]
fn what_it_leaves_behind_is_ended_and_not_waited_for() {
    let folder = Folder::new();
    let start = Instant::now();
    let result = run(&folder, "sleep 7772 & echo done", 60.0);
    assert!(result.left_processes && result.output == "done\n" && result.exit_code == Some(0), "{result:?}");
    run(&folder, "sleep 7773 >/dev/null 2>&1 & true", 60.0);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(is_gone("sleep\x007772") && is_gone("sleep\x007773"));
}

#[test]
fn cancelling_ends_it() {
    let folder = Folder::new();
    let cancel = Cancel::new();
    let context = folder.context().with_cancel(&cancel);
    let parameters = BashParameters { command: "sleep 7774".into(), timeout: None };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        });
        let start = Instant::now();
        assert!(matches!(bash(&parameters, &context), Err(Error::Cancelled)));
        assert!(start.elapsed() < Duration::from_secs(4));
    });
    assert!(is_gone("sleep\x007774"));
}

#[test]
fn progress_is_told() {
    let folder = Folder::new();
    let steps = Mutex::new(Vec::new());
    let tell = |step: Step| steps.lock().unwrap().push(step);
    let context = folder.context().with_progress(&tell);
    let command = "echo 12345; sleep 0.1; echo 12345; sleep 0.1".to_owned();
    bash(&BashParameters { command, timeout: None }, &context).unwrap();
    assert!(steps.lock().unwrap().contains(&Step::Bytes { done: 6, total: None }));
}

#[test]
fn the_gate_decides_what_runs_and_may_add_notes() {
    struct Policy;
    impl Gate for Policy {
        fn launch(&self, command: &str, cwd: &Path) -> Result<Launch, Refusal> {
            if command.contains("rm") {
                return Err(Refusal::new("rm is not allowed"));
            }
            Ok(Launch::bash(command, cwd)
                .on_finish(|stderr| vec![format!("stderr had {} bytes", stderr.len())]))
        }
    }
    let folder = Folder::new();
    let context = Context::new(folder.path(), &Policy);
    let parameters = |command: &str| BashParameters { command: command.into(), timeout: Some(3000.0) };
    let error = bash(&parameters("rm -rf x"), &context).unwrap_err();
    assert_eq!(error.to_string(), "rm is not allowed");
    let result = bash(&parameters("echo err >&2"), &context).unwrap();
    assert_eq!(common::text(&result), "err\n[stderr had 4 bytes]\n[timeout is in seconds: 3000 s]");
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    for timeout in [0.0, -1.0, 1e9, f64::NAN] {
        let parameters = BashParameters { command: "true".into(), timeout: Some(timeout) };
        assert!(matches!(bash(&parameters, &folder.context()), Err(Error::OutOfRange { .. })));
    }
    let missing = folder.join("missing");
    let context = Context::new(&missing, &brakeline_agent_tools::Open);
    let parameters = BashParameters { command: "true".into(), timeout: None };
    assert!(matches!(bash(&parameters, &context), Err(Error::Start { .. })));
}
