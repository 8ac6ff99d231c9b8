//! Judges recorded command lines by several policies, and checks what must hold of every verdict.
//!
//! Reads files of JSON lines with a field `command`: `cargo run -p shell-permissions --example recorded_commands -- FILE…`
//! Nothing may panic; every refusal has a place and a reason in both languages; the order of the rules plays no part; and
//! the seed's example may allow nothing but git and rg.

#![allow(clippy::print_stdout, reason = "a check for developers prints what it finds")]

use bash_commands::Analyzer;
use serde_json::Value;
use shell_permissions::{Action, Judgement, Language, NoFiles, Options, Policy, Verdict};
use std::error::Error;
use std::process::ExitCode;

use Action::{Allow, Deny};

/// The example of the documents.
const GIT_AND_RG: &[(&str, Action)] = &[("*", Deny), ("git *", Allow), ("rg *", Allow)];

/// The rules that are tried.
const RULES: &[&[(&str, Action)]] = &[
    GIT_AND_RG,
    &[("*", Allow), ("rm *", Deny), ("git push *", Deny), ("sudo *", Deny)],
    &[("*", Allow)],
    &[
        ("find *", Allow),
        ("find -delete", Deny),
        ("xargs *", Allow),
        ("grep *", Allow),
        ("find -exec *", Allow),
    ],
    &[],
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut faults = 0_usize;
    let mut commands = Vec::new();
    for file in std::env::args().skip(1) {
        for line in std::fs::read_to_string(file)?.lines() {
            let row: Value = serde_json::from_str(line)?;
            commands.extend(row.get("command").and_then(Value::as_str).map(str::to_owned));
        }
    }
    let mut analyzer = Analyzer::new();
    for rules in RULES {
        let mut allowed = 0_usize;
        for options in [
            Options::default(),
            Options { allow_multiple: true, ..Options::default() },
            Options { allow_multiple: true, strict_allow: false, ..Options::default() },
        ] {
            let policy = Policy::new(options, rules.iter().copied())?;
            let reversed = Policy::new(options, rules.iter().rev().copied())?;
            for command in &commands {
                let place = bash_commands::Options::default();
                let judgement = policy.judge(command, &place, &mut analyzer, &NoFiles);
                allowed += usize::from(judgement.verdict() == Verdict::Allow);
                let mut complaints = complaints(&judgement, command);
                if judgement != reversed.judge(command, &place, &mut analyzer, &NoFiles) {
                    complaints.push("the order of the rules matters");
                }
                let is_only = |name: &str| name == "git" || name == "rg";
                let first_words = judgement.admissions().iter().filter_map(|a| a.command.split(' ').next());
                if *rules == GIT_AND_RG && !{ first_words }.all(is_only) {
                    complaints.push("something else than git and rg is admitted");
                }
                for complaint in complaints {
                    faults += 1;
                    println!("{complaint}: {command:?}\n{}", judgement.text(Language::En));
                }
            }
        }
        println!("{} rules: {allowed} of {} allowed", rules.len(), commands.len() * 3);
    }
    println!("{} commands, {faults} faults", commands.len());
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is wrong with a judgement.
fn complaints(judgement: &Judgement, command: &str) -> Vec<&'static str> {
    let mut complaints = Vec::new();
    let is_denied = judgement.verdict() == Verdict::Deny;
    for language in [Language::En, Language::ZhCn] {
        if (judgement.text(language).lines().count() >= 2) != is_denied {
            complaints.push("not explained");
        }
    }
    for refusal in judgement.refusals() {
        if command.get(refusal.span.start as usize..refusal.span.end as usize).is_none() {
            complaints.push("a place that is none");
        }
    }
    if !is_denied && judgement.admissions().is_empty() && !command.trim().is_empty() {
        complaints.push("allowed, and no rule said so");
    }
    complaints
}
