//! The judge of patterns is bash: what it expands to in a real directory is what a pattern could be.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "without bash and a directory there is nothing to test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use path_match::{Candidate, RuleSet};

/// Names in the test directory; rules are made of them, so none has a wildcard.
const NAMES: &[&str] = &[
    "a", "b", "c", "ab", "ba", "abc", "aab", "A", "B1", "1", "a-b", "a]", "-", "!a", "^", ".a", ".ab", "..a",
    "a.b", "é",
];

/// Expands each pattern in `directory` with bash.
fn expand(directory: &PathBuf, options: &str, patterns: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    // `nullglob` is off: with it a word that needs no expansion would be kept and one that fails would not.
    let script = format!(
        "shopt -s extglob {options}; shopt -u globskipdots 2>/dev/null; IFS=\n\
         while read -r -d '' pattern; do for found in $pattern; do printf '%s\\0' \"$found\"; done; printf '\\0'; done"
    );
    let mut child = Command::new("bash")
        .args(["--norc", "-c", &script])
        .env("LC_ALL", "C.UTF-8")
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("these tests need bash");
    let mut input = child.stdin.take().unwrap();
    let text = patterns.join("\0") + "\0";
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let mut lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.pop(), Some('\0'));
    let mut found = lines.split('\0').map(str::to_owned);
    patterns
        .iter()
        .map(|pattern| (pattern.clone(), found.by_ref().take_while(|name| !name.is_empty()).collect()))
        .collect()
}

fn directory(name: &str, paths: &[&str]) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    for path in paths {
        fs::create_dir_all(directory.join(path)).unwrap();
    }
    directory
}

fn sequences(pieces: &[&str], longest: usize) -> Vec<String> {
    let (mut all, mut last) = (Vec::new(), vec![String::new()]);
    for _ in 0..longest {
        last =
            last.iter().flat_map(|start| pieces.iter().map(move |piece| format!("{start}{piece}"))).collect();
        all.extend_from_slice(&last);
    }
    all.retain(|pattern| pattern.contains(['*', '?', '[', '(']));
    all
}

#[test]
fn one_component_could_be_just_what_bash_finds() {
    let directory = directory("one", NAMES);
    let pieces = [
        "a",
        "b",
        ".",
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[^.]",
        "[a-c]",
        "[[:upper:]]",
        "[![:alpha:]]",
        "[]a]",
        "[-a]",
        "[",
        "]",
        "\\a",
        "@(a|b)",
        "?(a)",
        "*(a|b)",
        "+(ab|c)",
        "@(a*|[[:digit:]])",
        "@(@(a)|+(b))",
    ];
    let patterns = sequences(&pieces, 3);
    assert!(patterns.len() > 9_000);
    let expanded = expand(&directory, "", &patterns);
    let mut hits = 0;
    let sets: Vec<(&str, RuleSet)> = NAMES
        .iter()
        .map(|name| (*name, RuleSet::builder().rule(&format!("/{name}")).unwrap().build()))
        .collect();
    for (pattern, found) in &expanded {
        for (name, rules) in &sets {
            // `*` and `**` are the root as well, and no rule here is the root.
            let answer = rules.check(Candidate::glob(pattern).cwd("/")).is_some();
            assert_eq!(answer, found.contains(*name), "pattern {pattern}, name {name}");
            hits += usize::from(answer);
        }
    }
    assert!(hits > 10_000, "the patterns and names must meet: {hits}");
}

#[test]
fn several_components_could_be_at_least_what_bash_finds() {
    let paths = ["etc/ssh", "etc/.git/x", "home/u/.ssh", "home/u/etc", "a/b/c/d", "a/.b/c", "usr/lib"];
    let directory = directory("several", &paths);
    let pieces = [
        "*",
        "**",
        ".*",
        ".?",
        "?",
        "..",
        ".",
        "e*",
        "[a-h]*",
        "!(etc)",
        "@(etc|home)",
        "etc",
        "a",
        "c",
        "+(.)",
    ];
    let longer = |starts: &[String]| -> Vec<String> {
        starts.iter().flat_map(|start| pieces.iter().map(move |piece| format!("{start}/{piece}"))).collect()
    };
    let one: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    let two = longer(&one);
    let patterns = [longer(&two), two, one].concat();
    // The working directory is one of a chain, so that `..` leads to rules too.
    let rules = ["/", "/w/etc", "/w/home/u/.ssh", "/w/a/b/c", "/w/a/.b", "/other"];
    let sets: Vec<RuleSet> =
        rules.iter().map(|rule| RuleSet::builder().rule(rule).unwrap().build()).collect();
    let mut hits = 0;
    for options in ["", "globstar"] {
        for (pattern, found) in &expand(&directory, options, &patterns) {
            for rules in &sets {
                let expected = found.iter().any(|path| rules.check(Candidate::new(path).cwd("/w")).is_some());
                let answer = rules.check(Candidate::glob(pattern).cwd("/w")).is_some();
                assert!(answer || !expected, "pattern {pattern}, {:?}, found {found:?}", rules.rules());
                hits += usize::from(expected);
            }
        }
    }
    assert!(hits > 1_000, "the patterns and rules must meet: {hits}");
}
