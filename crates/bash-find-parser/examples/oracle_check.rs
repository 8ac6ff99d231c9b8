//! Holds the parser against what real bash ran.
//!
//! usage: `oracle_check [--list] [--expected FILE] TRUTH.jsonl…`
//!
//! Each line of a truth file is a command line with the finds that bash started for it (`all`: argv and directory, over
//! several assumptions about how programs fare). Every one of them must be covered by a reported call: known words
//! equal, unknown words standing for anything. What is reported beyond them is counted too. Rows that are out of reach
//! by design stand in the `--expected` file, one id and reason a line.
//!
//! Exits with 1 when a row fails that is not expected to, or an expected one passes.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a check for developers: it prints, and stops at a truth file that it cannot read"
)]

use bash_commands::find_expression::{self, Piece, Place};
use bash_commands::{Analyzer, Command, Directory, Kind, Options, Word};
use bash_find_parser::{FindCall, Name, find_calls};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

#[derive(Default)]
struct Score {
    rows: usize,
    finds: usize,
    exact: usize,
    /// Finds that were not only seen where the oracle made values up for unset variables.
    decided: usize,
    decided_exact: usize,
    /// Finds that were seen alike with and without values for unset variables.
    settled: usize,
    settled_exact: usize,
    missing: usize,
    wrong: usize,
    false_rows: usize,
    directory: usize,
}

struct Truth {
    argv: Vec<String>,
    cwd: String,
    /// It was seen in a world other than `rich`, where unset variables get a value.
    decided: bool,
    /// It was seen there too.
    is_settled: bool,
}

fn main() -> std::process::ExitCode {
    let mut list = false;
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--expected" => {
                let path = arguments.next().expect("--expected needs a file");
                let text = std::fs::read_to_string(&path).expect("the file of expected rows is readable");
                for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
                    let (id, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                    expected.insert(id.to_owned(), reason.trim().to_owned());
                }
            }
            path => files.push(path.to_owned()),
        }
    }
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut unexpected = Vec::new();
    let mut passing_expected = Vec::new();
    let mut analyzer = Analyzer::new();
    let options = Options { cwd: Some("/home/user/project"), home: Some("/home/user"), ..Options::default() };
    for path in &files {
        let file = std::fs::File::open(path).expect("the truth file is readable");
        for line in BufReader::new(file).lines() {
            let row: Value = serde_json::from_str(&line.expect("text")).expect("a truth row is JSON");
            let id = row["id"].as_str().expect("a row has an id").to_owned();
            let source = row["source"].as_str().unwrap_or("hard");
            let group = if source.ends_with("-mut") {
                "mutated"
            } else if source == "hard" {
                "hard"
            } else {
                "plain"
            };
            let truths: Vec<Truth> = row["all"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|find| {
                    let is_rich = |world: &&Value| *world == "rich";
                    let worlds = find["worlds"].as_array().into_iter().flatten();
                    let rich = worlds.clone().filter(is_rich).count();
                    let decided = worlds.count() > rich;
                    let argv = find["argv"].as_array().into_iter().flatten();
                    Truth {
                        argv: argv.map(|word| word.as_str().unwrap_or("").to_owned()).collect(),
                        cwd: find["cwd"].as_str().unwrap_or("").to_owned(),
                        decided,
                        is_settled: decided && rich > 0,
                    }
                })
                .collect();
            let command = row["command"].as_str().expect("a row has a command");
            let report = analyzer.analyze(command, &options);
            let score = scores.entry(group).or_default();
            let faults = judge(&truths, report, score);
            if faults.is_empty() {
                if expected.contains_key(&id) {
                    passing_expected.push(id);
                }
            } else if !expected.contains_key(&id) {
                if list {
                    println!("== {id}\n{command}");
                    for fault in &faults {
                        println!("   {fault}");
                    }
                }
                unexpected.push(id);
            }
        }
    }
    println!(
        "group     rows  finds  exact         decided  exact         settled  exact         missing  wrong  false rows  directory"
    );
    for (group, score) in &scores {
        println!(
            "{group:<8} {:>5} {:>6} {:>6} {:>5.1}% {:>9} {:>6} {:>5.1}% {:>9} {:>6} {:>5.1}% {:>8} {:>6} {:>11} {:>10}",
            score.rows,
            score.finds,
            score.exact,
            100.0 * score.exact as f64 / score.finds.max(1) as f64,
            score.decided,
            score.decided_exact,
            100.0 * score.decided_exact as f64 / score.decided.max(1) as f64,
            score.settled,
            score.settled_exact,
            100.0 * score.settled_exact as f64 / score.settled.max(1) as f64,
            score.missing,
            score.wrong,
            score.false_rows,
            score.directory
        );
    }
    for id in &passing_expected {
        println!("expected to be out of reach, but right: {id}");
    }
    let rows: usize = scores.values().map(|score| score.rows).sum();
    println!("{} rows are out of reach by design", expected.len() - passing_expected.len());
    println!("{} passed, {} failed", rows - unexpected.len(), unexpected.len() + passing_expected.len());
    std::process::ExitCode::from(u8::from(!unexpected.is_empty() || !passing_expected.is_empty()))
}

fn judge(truths: &[Truth], report: bash_commands::Report<'_>, score: &mut Score) -> Vec<String> {
    let mut faults = Vec::new();
    score.rows += 1;
    score.finds += truths.len();
    score.settled += truths.iter().filter(|truth| truth.is_settled).count();
    score.decided += truths.iter().filter(|truth| truth.decided).count();
    let calls: Vec<FindCall<'_>> = find_calls(report).filter(|call| call.name() == Name::Find).collect();
    let open: Vec<Command<'_>> = report
        .commands()
        .filter(|command| command.name().is_some_and(|name| name.kind() != Kind::Known))
        .collect();
    for truth in truths {
        let covering: Vec<&FindCall<'_>> =
            calls.iter().filter(|call| aligns(&words(call.command()), &truth.argv[1..])).collect();
        let truth_paths = gnu_paths(&truth.argv);
        if covering.is_empty() {
            // A command whose name is not known may be this find.
            if !open.iter().any(|command| {
                command.name().is_some_and(bash_commands::Word::is_splice)
                    || aligns(&words(*command), &truth.argv[1..])
            }) {
                score.missing += 1;
                faults.push(format!("missing {:?} in {}", truth.argv, truth.cwd));
            }
            continue;
        }
        let is_exact = covering.iter().any(|call| {
            let paths: Vec<_> = call.start_paths().filter(|path| path.place() != Place::Late).collect();
            paths.iter().all(|path| path.kind() == Kind::Known)
                && paths.iter().map(|path| path.text()).eq(truth_paths.iter().map(String::as_str))
        });
        score.exact += usize::from(is_exact);
        score.settled_exact += usize::from(is_exact && truth.is_settled);
        score.decided_exact += usize::from(is_exact && truth.decided);
        if !covering.iter().any(|call| {
            call.cwd().any(|directory| match directory {
                Directory::Unknown => true,
                Directory::Inherited(path) => path == Some(truth.cwd.as_str()),
                Directory::Known(path) => path == truth.cwd,
                Directory::Relative(_) => false,
            })
        }) {
            score.directory += 1;
            let directories: Vec<_> = covering.iter().flat_map(|call| call.cwd()).collect();
            faults.push(format!("directory {} is not in {directories:?}", truth.cwd));
        }
    }
    for call in &calls {
        let argv = words(call.command());
        if !truths.iter().any(|truth| aligns(&argv, &truth.argv[1..])) {
            let is_known = call.start_paths().all(|path| path.kind() == Kind::Known);
            if truths.is_empty() {
                score.false_rows += 1;
                faults.push(format!("false {:?}", call.command()));
            } else if is_known && open.is_empty() {
                score.wrong += 1;
                faults.push(format!("wrong {:?}", call.command()));
            }
        }
    }
    faults
}

fn words(command: Command<'_>) -> Vec<Word<'_>> {
    command.argv().skip(1).collect()
}

/// Returns whether the reported words can stand for these arguments.
fn aligns(words: &[Word<'_>], argv: &[String]) -> bool {
    // reachable[i]: the words so far can stand for the first i arguments.
    let mut reachable = vec![false; argv.len() + 1];
    reachable[0] = true;
    for word in words {
        let mut next = vec![false; argv.len() + 1];
        match (word.kind(), word.is_splice()) {
            (Kind::Known, _) => {
                for at in 0..argv.len() {
                    next[at + 1] = reachable[at] && word.text() == argv[at];
                }
            }
            (Kind::Unknown(_), false) => {
                next[1..].copy_from_slice(&reachable[..argv.len()]);
            }
            (Kind::Pattern, _) | (Kind::Unknown(_), true) => {
                let mut open = false;
                for at in 0..=argv.len() {
                    open |= reachable[at];
                    next[at] = open;
                }
            }
        }
        reachable = next;
    }
    reachable[argv.len()]
}

/// The start paths that GNU find takes from an argv.
fn gnu_paths(argv: &[String]) -> Vec<String> {
    find_expression::pieces(argv)
        .filter_map(|piece| match piece {
            Piece::StartPath { word, offset, place } if place != Place::Late => {
                argv.get(word).and_then(|text| text.get(offset..)).map(str::to_owned)
            }
            _ => None,
        })
        .collect()
}
