//! The JSON of `explain`: what a command would run.
//!
//! The shape is part of the program's interface and described in the README.

use bash_commands::{Command, Directory, Report, Span, Word};
use bash_find_parser::{FindCall, Name, StartPath, find_calls};
use serde::Serialize;

/// Everything that a command would run.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation<'a> {
    pub(crate) finds: Vec<FindEntry<'a>>,
    pub(crate) commands: Vec<CommandEntry<'a>>,
    pub(crate) incomplete: Vec<IncompleteEntry>,
    pub(crate) syntax_error: Option<SyntaxErrorEntry>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FindEntry<'a> {
    pub(crate) paths: Vec<PathEntry<'a>>,
    pub(crate) cwd: Vec<DirectoryEntry<'a>>,
    pub(crate) wrappers: Vec<&'static str>,
    pub(crate) via: Vec<&'static str>,
    pub(crate) span: [u32; 2],
    pub(crate) argv: Vec<WordEntry<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PathEntry<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: &'static str,
    pub(crate) span: [u32; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct DirectoryEntry<'a> {
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CommandEntry<'a> {
    pub(crate) argv: Vec<WordEntry<'a>>,
    pub(crate) span: [u32; 2],
    pub(crate) via: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WordEntry<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct IncompleteEntry {
    pub(crate) span: [u32; 2],
    pub(crate) reason: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct SyntaxErrorEntry {
    pub(crate) span: [u32; 2],
    pub(crate) message: String,
}

impl<'a> Explanation<'a> {
    pub(crate) fn of(report: Report<'a>) -> Self {
        Self {
            finds: finds(report).map(FindEntry::of).collect(),
            commands: report.commands().map(CommandEntry::of).collect(),
            incomplete: incomplete(report),
            syntax_error: syntax_error(report),
        }
    }
}

/// Returns the calls of find, without the commands of which it is only possible.
pub(crate) fn finds(report: Report<'_>) -> impl Iterator<Item = FindCall<'_>> {
    find_calls(report).filter(|call| call.name() != Name::Unknown)
}

pub(crate) fn incomplete(report: Report<'_>) -> Vec<IncompleteEntry> {
    report
        .incomplete()
        .map(|part| IncompleteEntry { span: offsets(part.span), reason: part.reason.name() })
        .collect()
}

pub(crate) fn syntax_error(report: Report<'_>) -> Option<SyntaxErrorEntry> {
    report
        .syntax_error()
        .map(|error| SyntaxErrorEntry { span: offsets(error.span()), message: error.to_string() })
}

impl<'a> FindEntry<'a> {
    fn of(call: FindCall<'a>) -> Self {
        Self {
            paths: call.start_paths().map(PathEntry::of).collect(),
            cwd: call.cwd().map(DirectoryEntry::of).collect(),
            wrappers: call.wrappers().collect(),
            via: call.via().map(bash_commands::Via::name).collect(),
            span: offsets(call.span()),
            argv: call.command().argv().map(WordEntry::of).collect(),
        }
    }
}

impl<'a> PathEntry<'a> {
    fn of(path: StartPath<'a>) -> Self {
        Self { text: path.text(), kind: path.kind().name(), span: offsets(path.span()) }
    }
}

impl<'a> DirectoryEntry<'a> {
    fn of(directory: Directory<'a>) -> Self {
        match directory {
            Directory::Inherited(path) => Self { kind: "inherited", path },
            // A relative one is relative to the inherited directory, which was not given.
            Directory::Known(path) | Directory::Relative(path) => Self { kind: "known", path: Some(path) },
            Directory::Unknown => Self { kind: "unknown", path: None },
        }
    }
}

impl<'a> CommandEntry<'a> {
    fn of(command: Command<'a>) -> Self {
        Self {
            argv: command.argv().map(WordEntry::of).collect(),
            span: offsets(command.span()),
            via: command.via().map(bash_commands::Via::name).collect(),
        }
    }
}

impl<'a> WordEntry<'a> {
    fn of(word: Word<'a>) -> Self {
        Self { text: word.text(), kind: word.kind().name() }
    }
}

fn offsets(span: Span) -> [u32; 2] {
    [span.start, span.end]
}
