//! A backslash and a newline between any two characters change nothing, as bash drops them before it looks for tokens.

#![no_main]

use bash_commands::{Analyzer, IncompleteReason, Options};
use bash_find_parser::extract_find_paths;
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

const JOINT: &str = "\\\n";

fuzz_target!(|input: (u16, &str)| {
    let (place, text) = input;
    // Where single quotes, comments and here-documents keep a backslash, or a backslash quotes the next one.
    if text.contains(['\'', '#', '\\', '\0']) || text.contains("<<") {
        return;
    }
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let Some(&place) = places.get(usize::from(place) % places.len().max(1)) else { return };
    let (before, behind) = text.split_at(place);
    // Behind `((` bash looks for two closing bytes side by side, or refuses the line.
    if before.ends_with(')') && before.contains("((") {
        return;
    }
    let joined = format!("{before}{JOINT}{behind}");
    let (Some(found), Some(wanted)) = (found(&joined), found(text)) else { return };
    assert_eq!(found, wanted, "{joined:?}");
});

/// Whether the text is read to its end, and what it runs: words, start paths. A text that runs nothing has one command
/// without words, unless it is blank. What stands for unknown words is shown as written, joints included.
///
/// `None` when the budget ends the analysis: a joint costs steps of its own, so that the two are not cut at one place.
fn found(text: &str) -> Option<(bool, Vec<Vec<String>>, Vec<Vec<String>>)> {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    if report.incomplete().any(|part| part.reason == IncompleteReason::Steps) {
        return None;
    }
    let bare = |text: &str| text.replace(JOINT, "");
    let words = report.commands().map(|command| command.argv().map(|word| bare(word.text())).collect());
    let commands = words.filter(|words: &Vec<String>| !words.is_empty());
    let paths = extract_find_paths(text);
    let paths = paths.iter().map(|paths| paths.iter().map(|path| bare(path)).collect());
    Some((report.is_complete(), each_once(commands), each_once(paths)))
}

/// Where a wrapper can be read in several ways that come to the same command, it stands once for each place that its
/// words may be from, which a joint may change.
fn each_once(lists: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let mut seen = HashSet::new();
    lists.filter(|list| seen.insert(list.clone())).collect()
}
