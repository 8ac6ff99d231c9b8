//! The table of `corpus/commands.txt`, and how a finding is written in it.

#![allow(dead_code, reason = "each test target uses its part")]
#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use bash_commands::{Analyzer, Command, Directory, Kind, Options, Via, Word};

/// The directory that every text of the table is started in.
pub(crate) const CWD: &str = "/home/user/project";
/// The home directory of every text of the table.
pub(crate) const HOME: &str = "/home/user";

const TABLE: &str = include_str!("../corpus/commands.txt");

/// A text of the table with what should be found.
pub(crate) struct Case {
    /// The line of the table that the text begins at.
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) expected: Vec<String>,
}

/// Reads the table: `$ ` begins a text, `| ` continues it, `> ` and `? ` are findings, `#` is a remark.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (index, line) in TABLE.lines().enumerate() {
        match (line.split_at_checked(2), cases.last_mut()) {
            (Some(("$ ", text)), _) => {
                cases.push(Case { line: index + 1, text: text.to_owned(), expected: Vec::new() });
            }
            (Some(("| ", text)), Some(case)) => {
                case.text.push('\n');
                case.text.push_str(text);
            }
            (Some(("> " | "? ", _)), Some(case)) => case.expected.push(line.to_owned()),
            _ => assert!(line.is_empty() || line.starts_with('#'), "line {}: {line:?}", index + 1),
        }
    }
    cases
}

/// Writes what an analysis of `text` found, one line for each finding.
pub(crate) fn rendered(text: &str) -> Vec<String> {
    let options = Options { cwd: Some(CWD), home: Some(HOME), ..Options::default() };
    rendered_with(&mut Analyzer::new(), text, &options)
}

/// [`rendered`], with an analyzer and options of one's own.
pub(crate) fn rendered_with(analyzer: &mut Analyzer, text: &str, options: &Options<'_>) -> Vec<String> {
    // Copied so that both borrows end together.
    let options = *options;
    let report = analyzer.analyze(text, &options);
    let commands = report.commands().map(render_command);
    let incomplete =
        report.incomplete().map(|part| format!("? {} {:?}", part.reason.name(), part.span.of(text)));
    commands.chain(incomplete).collect()
}

/// How a command without words is written: assignments or redirections alone, or a text that runs nothing.
pub(crate) const NO_WORDS: &str = "> (no words)";

fn render_command(command: Command<'_>) -> String {
    let assignments = command.assignments().map(|a| format!("{}={}", a.name(), render_word(a.value())));
    let words = assignments.chain(command.argv().map(render_word));
    let words = words.collect::<Vec<_>>().join(" ");
    let mut line = if words.is_empty() { NO_WORDS.to_owned() } else { format!("> {words}") };
    let directories: Vec<_> = command
        .cwd()
        .map(|directory| match directory {
            Directory::Inherited(_) => ".",
            Directory::Known(path) | Directory::Relative(path) => path,
            Directory::Unknown => "?",
        })
        .collect();
    let facts = [
        ("in", if directories == ["."] { Vec::new() } else { directories }),
        ("by", command.wrappers().collect()),
        ("via", command.via().map(Via::name).collect()),
    ];
    for (name, values) in facts.iter().filter(|(_, values)| !values.is_empty()) {
        line.push_str("  ·");
        line.push_str(name);
        line.push(' ');
        line.push_str(&values.join(", "));
    }
    line
}

fn render_word(word: Word<'_>) -> String {
    let is_plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "/._-+:=,%@$~#!;{}[]*()".contains(char))
    };
    let text = if is_plain(word.text()) { word.text().to_owned() } else { format!("{:?}", word.text()) };
    match word.kind() {
        Kind::Known => text,
        Kind::Pattern => format!("<pattern {text}>"),
        Kind::Unknown(_) if word.is_splice() => format!("<unknown {text} …>"),
        Kind::Unknown(_) => format!("<unknown {text}>"),
    }
}

/// Returns whether a command, with all that is not known of it, may turn out to have these words.
pub(crate) fn may_be(command: Command<'_>, wanted: &[Word<'_>]) -> bool {
    let is_same =
        |word: Word<'_>, wanted: Word<'_>| word.value().is_none_or(|value| wanted.value() == Some(value));
    // reachable[i]: the words so far can stand for the first i of those that are wanted.
    let mut reachable = vec![false; wanted.len() + 1];
    reachable[0] = true;
    for word in command.argv() {
        let is_open = word.is_splice() || word.pattern().is_some();
        let mut next = vec![false; wanted.len() + 1];
        for at in 0..=wanted.len() {
            next[at] = if is_open {
                reachable[..=at].contains(&true)
            } else {
                at > 0 && reachable[at - 1] && is_same(word, wanted[at - 1])
            };
        }
        reachable = next;
    }
    reachable[wanted.len()]
}
