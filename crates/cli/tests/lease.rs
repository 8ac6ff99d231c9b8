//! `brakeline lease run` and `brakeline collision` as whole processes.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Place {
    guard: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { guard: tempfile::tempdir().unwrap() }
    }

    fn state(&self) -> PathBuf {
        self.guard.path().join("state")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.guard.path().join(name)
    }

    fn lease(&self, options: &[&str], paths: &[&str], command: &[&str]) -> Command {
        let mut run = brakeline(&["lease", "run", "--state-dir"]);
        run.arg(self.state()).args(options);
        for path in paths {
            run.arg("--path").arg(self.file(path));
        }
        run.arg("--").args(command);
        run
    }

    /// A holder that says when it holds.
    fn hold(&self, path: &str) -> (Child, BufReader<std::process::ChildStdout>) {
        let mut command = self.lease(&[], &[path], &["sh", "-c", "echo $$; exec sleep 60"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        (child, lines)
    }

    fn status(&self) -> String {
        let mut command = brakeline(&["collision", "status", "--state-dir"]);
        text(&command.arg(self.state()).output().unwrap())
    }
}

fn brakeline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brakeline"));
    command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn line(lines: &mut impl BufRead) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(5), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_exit_status_is_the_commands() {
    let place = Place::new();
    for (script, code) in [("exit 0", 0), ("exit 42", 42), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] {
        let status = place.lease(&[], &["a"], &["sh", "-c", script]).status().unwrap();
        assert_eq!(status.code(), Some(code), "{script}");
    }
    let missing = place.lease(&[], &["a"], &["/no/such/program"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(127), "{}", text(&missing));
    assert!(place.status().contains("No claims"), "{}", place.status());
}

#[test]
fn arguments_pass_unchanged() {
    let place = Place::new();
    let output =
        place.lease(&[], &["a"], &["printf", "%s|", "a b", "--path", "", "--", "-x"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a b|--path||--|-x|");
}

#[test]
fn a_conflict_is_75_and_the_command_does_not_start() {
    let place = Place::new();
    let (mut holder, mut lines) = place.hold("a");
    line(&mut lines);
    let trace = place.file("trace");
    let output = place.lease(&[], &["b", "a"], &["touch", trace.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(75), "{}", text(&output));
    assert!(text(&output).contains("Collision guard blocked"), "{}", text(&output));
    assert!(text(&output).contains(&format!("pid {}", holder.id())), "{}", text(&output));
    assert!(!trace.exists());
    let status = place.status();
    assert!(
        status.lines().count() == 1 && status.contains("[other]") && status.contains("active"),
        "{status}"
    );
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn waiting_outlasts_a_short_holder() {
    let place = Place::new();
    let mut holder = place.lease(&[], &["a"], &["sleep", "0.7"]).spawn().unwrap();
    wait_until("the claim", || place.status().contains("[other]"));
    let status = place.lease(&["--wait", "10"], &["a"], &["true"]).status().unwrap();
    assert_eq!(status.code(), Some(0));
    holder.wait().unwrap();
}

#[test]
fn a_killed_holder_takes_its_command_along() {
    let place = Place::new();
    let (mut holder, mut lines) = place.hold("a");
    let command = line(&mut lines);
    assert!(is_running(&command));
    holder.kill().unwrap();
    assert_eq!(holder.wait().unwrap().signal(), Some(9));
    wait_until("the end of the command", || !is_running(&command));
    let status = place.lease(&[], &["a"], &["true"]).status().unwrap();
    assert_eq!(status.code(), Some(0), "taken over at once");
}

#[test]
fn signals_are_passed_on() {
    let place = Place::new();
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("USR1", 138)] {
        let (mut holder, mut lines) = place.hold("a");
        line(&mut lines);
        let status =
            Command::new("kill").args([format!("-{signal}"), holder.id().to_string()]).status().unwrap();
        assert!(status.success());
        assert_eq!(holder.wait().unwrap().code(), Some(code), "{signal}");
    }
    let script = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let mut command = place.lease(&[], &["a"], &["sh", "-c", script]);
    let mut holder = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap());
    line(&mut lines);
    Command::new("kill").args(["-TERM".to_owned(), holder.id().to_string()]).status().unwrap();
    assert_eq!(holder.wait().unwrap().code(), Some(7), "the command decides what a signal means");
    assert!(place.status().contains("No claims"));
}

#[test]
fn status_as_json() {
    let place = Place::new();
    let (mut holder, mut lines) = place.hold("a");
    line(&mut lines);
    let mut command = brakeline(&["collision", "status", "--json", "--state-dir"]);
    let output = command.arg(place.state()).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value[0]["pid"], holder.id());
    assert_eq!(value[0]["state"], "active");
    assert_eq!(value[0]["process"], "alive");
    let canonical = place.file("a").parent().unwrap().canonicalize().unwrap().join("a");
    assert_eq!(value[0]["path"].as_str().map(Path::new), Some(canonical.as_path()));
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn looking_creates_nothing() {
    let place = Place::new();
    assert!(place.status().contains("No claims"));
    assert!(!place.state().exists());
}

/// `setsid` takes the terminal away, if there is one.
fn without_terminal(command: &Command) -> Command {
    let mut detached = Command::new("setsid");
    detached
        .arg("--wait")
        .arg(command.get_program())
        .args(command.get_args())
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    detached
}

#[test]
fn force_release_without_a_terminal_is_refused() {
    let place = Place::new();
    let (mut holder, mut lines) = place.hold("a");
    line(&mut lines);
    let mut command = brakeline(&["collision", "force-release", "--state-dir"]);
    command.arg(place.state()).arg(place.file("a"));
    let output = without_terminal(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(66), "{}", text(&output));
    assert!(text(&output).contains("no terminal"), "{}", text(&output));
    assert!(place.status().contains("active"));
    for option in ["--yes", "-y", "--force"] {
        let mut command = brakeline(&["collision", "force-release", option]);
        assert_eq!(command.arg(place.file("a")).output().unwrap().status.code(), Some(64), "{option}");
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
}

/// `script` gives a program a terminal of its own.
#[test]
fn force_release_asks_and_heeds_the_answer() {
    if Command::new("script").arg("--version").output().is_err() {
        println!("SKIPPED: `script` is missing");
        return;
    }
    let place = Place::new();
    let (mut holder, mut lines) = place.hold("a");
    line(&mut lines);
    let program = env!("CARGO_BIN_EXE_brakeline");
    let (state, file) = (place.state(), place.file("a"));
    let line =
        format!("{program} collision force-release --state-dir {} {}", state.display(), file.display());
    for (answer, code, held) in [("no\n", 2, true), ("\n", 2, true), ("y\n", 2, true), ("yes\n", 0, false)] {
        let mut command = Command::new("script");
        command.args(["-q", "-e", "-c", &line, "/dev/null"]).env("LC_ALL", "C");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut shown = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        // The answer is typed once the question stands.
        while !shown.contains("[yes/no]") {
            let mut byte = [0];
            assert_eq!(output.read(&mut byte).unwrap(), 1, "{shown}");
            shown.push(char::from(byte[0]));
        }
        std::io::Write::write_all(&mut input, answer.as_bytes()).unwrap();
        output.read_to_string(&mut shown).unwrap();
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{answer:?}: {shown}");
        assert!(shown.contains("token ") && shown.contains(&format!("pid {}", holder.id())), "{shown}");
        assert_eq!(place.status().contains("[other]"), held, "{answer:?}");
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
}
