//! Differential: what `bash -n` accepts is accepted here, what it refuses is refused.
//!
//! One process of `bash -n` for each input, so this target is slow; it is about the reader's grammar and nothing else.

#![no_main]

use bash_commands::{Analyzer, IncompleteReason, Options};
use libfuzzer_sys::fuzz_target;
use std::io::Write;
use std::process::{Command, Stdio};

/// Returns whether bash accepts the text, or `None` when its answer says nothing about grammar.
fn bash_accepts(text: &str) -> Option<bool> {
    let mut child = Command::new("bash")
        .args(["--norc", "-n"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash is installed");
    // A text that bash stops reading half-way is refused, which its status tells.
    let _ = child.stdin.take().expect("it is piped").write_all(text.as_bytes());
    let output = child.wait_with_output().expect("bash ends");
    let complaint = String::from_utf8_lossy(&output.stderr);
    // Warnings about here-documents that end with the text are no refusal. A text that bash takes for a binary file is
    // refused without being read.
    let is_binary = complaint.contains("cannot execute binary file");
    let is_error = complaint.lines().any(|line| !line.contains("warning:") && line.contains("line "));
    (!is_binary).then_some(!is_error && output.status.success())
}

/// What is left out, because the two differ on purpose; each is documented in the crate's README.
fn is_compared(text: &str) -> bool {
    // bash drops these bytes before it reads.
    !text.contains(['\0', '\r'])
        // `set -o` and `shopt` change the grammar while a text is read; so do aliases.
        && !["shopt", "set -", "alias", "extglob", "posix"].iter().any(|word| text.contains(word))
        // History expansion and the pseudo-files of `!` differ between interactive shells and scripts only.
        && text.len() <= 2000
}

fuzz_target!(|text: &str| {
    if !is_compared(text) {
        return;
    }
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let is_cut = report.incomplete().any(|part| {
        matches!(part.reason, IncompleteReason::Depth | IncompleteReason::Steps | IncompleteReason::Length)
    });
    if is_cut {
        return;
    }
    let Some(accepted) = bash_accepts(text) else { return };
    assert_eq!(
        report.syntax_error().is_none(),
        accepted,
        "bash accepts: {accepted}; here: {:?}",
        report.syntax_error()
    );
});
