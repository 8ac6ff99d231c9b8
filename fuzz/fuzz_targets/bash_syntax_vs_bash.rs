//! Differential: what `bash -n` accepts is accepted here, what it refuses is refused.
//!
//! One process of `bash -n` for each input, so this target is slow; it is about the reader's grammar and nothing else.

#![no_main]

use bash_commands::{Analyzer, IncompleteReason, Options, SyntaxError, SyntaxErrorKind};
use libfuzzer_sys::fuzz_target;
use std::process::{Command, Stdio};

/// Returns whether bash reads the whole text without complaint, or `None` where its reader is known to lose the thread.
fn bash_accepts(text: &str) -> Option<bool> {
    let output = Command::new("bash")
        .args(["--norc", "-n", "-c", "--", text])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("bash is installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    // Warnings about here-documents that end with the text are no refusal; a delimiter of several lines gives them more than
    // one. Some refusals end with status 0.
    let is_error = complaint.lines().any(|line| line.starts_with("bash: ") && !line.contains(": warning: "));
    // The body of a here-document that is started in `$(…)`, and read when that is closed, may end within a line.
    let is_lost =
        complaint.contains("command substitution:") && complaint.contains("unterminated here-document");
    (!is_lost).then_some(!is_error && output.status.success())
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

/// Where bash 5.2 is known to be the odd one; each is a sentence of this folder's README.
fn is_quirk(text: &str, fault: Option<&SyntaxError>, accepted: bool) -> bool {
    match fault.map(SyntaxError::kind) {
        // bash stops reading there without a word, so that it does not trip over what follows either.
        Some(SyntaxErrorKind::InvalidForHeader | SyntaxErrorKind::InvalidCondition) => {
            accepted && bash_accepts(&format!("{text}\n)")) == Some(true)
        }
        // bash reads an arithmetic expression as text first, in which a `${` or `$[` without an end may be closed by chance.
        Some(SyntaxErrorKind::Unterminated(_)) => {
            let has_arithmetic = text.contains("((") || text.contains("$[");
            accepted && has_arithmetic && (text.contains("${") || text.contains("$["))
        }
        // Behind a command that ends the shell nothing is read here, since nothing runs. bash reads `((` as arithmetic first,
        // and then no subshell where the line ends right behind the inner parenthesis; with a blank before the end it does.
        None => {
            let ends_shell = ["exit", "exec"].iter().any(|word| text.replace("\\\n", "").contains(word));
            let spaced = text.replace(")\n", ") \n");
            ends_shell || text.contains("((") && spaced != text && bash_accepts(&spaced) == Some(true)
        }
        _ => false,
    }
}

/// What the two readers say, where they do not agree.
fn difference(text: &str) -> Option<String> {
    if !is_compared(text) {
        return None;
    }
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let is_cut = report.incomplete().any(|part| {
        matches!(part.reason, IncompleteReason::Depth | IncompleteReason::Steps | IncompleteReason::Length)
    });
    if is_cut {
        return None;
    }
    let accepted = bash_accepts(text)?;
    let fault = report.syntax_error();
    let differs = fault.is_none() != accepted && !is_quirk(text, fault, accepted);
    differs.then(|| format!("bash accepts: {accepted}; here: {fault:?}"))
}

fuzz_target!(|text: &str| assert_eq!(difference(text), None));
