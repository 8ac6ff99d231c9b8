//! `brakeline check`: the verdict on one command.

use crate::Exit;
use crate::args::Check;
use crate::block_find::{Block, BlockFind, Verdict};
use crate::configuration::{Configuration, Surroundings};
use crate::input::{InputError, check_command, read_text};
use crate::message::{self, Tool};
use crate::output::{complain, print_json, print_line};
use crate::render::{Picture, renderer};
use crate::report::{IncompleteEntry, SyntaxErrorEntry, finds, incomplete, syntax_error};
use bash_commands::{Analyzer, Directory, Kind, Options, Report, Span};
use bash_find_parser::{FindCall, StartPath};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

/// The JSON of a verdict.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    verdict: &'static str,
    block: Option<BlockAnswer<'a>>,
    finds: usize,
    notes: &'a [String],
    incomplete: Vec<IncompleteEntry>,
    syntax_error: Option<SyntaxErrorEntry>,
}

#[derive(Debug, Serialize)]
struct BlockAnswer<'a> {
    reason: &'static str,
    message: String,
    path: &'a str,
    resolved: Option<&'a str>,
    rule: Option<&'a str>,
    span: Option<[u32; 2]>,
}

pub(crate) fn run(args: &Check) -> Exit {
    let configuration = match Configuration::load(&args.settings) {
        Ok(configuration) => configuration,
        Err(unusable) => return complain(&unusable.message, unusable.exit),
    };
    match command_text(args.text.command.as_deref()) {
        Ok(text) => judge(args, configuration, &text),
        Err(error) => complain(&error, error.exit()),
    }
}

/// Returns the command of the command line, else that of standard input.
pub(crate) fn command_text(given: Option<&str>) -> Result<Cow<'_, str>, InputError> {
    let text = match given {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(read_text(io::stdin().lock())?),
    };
    check_command(&text)?;
    Ok(text)
}

fn judge(args: &Check, configuration: Configuration, text: &str) -> Exit {
    let Configuration { mut settings, mut diagnostics, language, .. } = configuration;
    if !args.forbid.is_empty() {
        settings.block_find_root.forbidden_paths.clone_from(&args.forbid);
    }
    let surroundings = Surroundings::of(&args.text.place);
    let place = surroundings.place();
    let (guard, unusable) = BlockFind::new(&settings.block_find_root, place.home);
    diagnostics.extend(unusable);

    let mut analyzer = Analyzer::new();
    let verdict = guard.judge_bash(text, place, &mut analyzer);
    let report = analyzer.analyze(text, &Options { cwd: place.cwd, home: place.home, ..Options::default() });

    let mut notes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.text(language)).collect();
    if guard.is_off() {
        notes.push(message::guard_is_off(language).to_owned());
    } else if !guard.blocks_bash() && matches!(verdict, Verdict::Block(_)) {
        notes.push(message::bash_is_not_judged(language).to_owned());
    }
    if !report.is_complete() {
        notes.push(message::not_read_whole(language).to_owned());
    }
    let starts = unknown_starts(report);
    if verdict == Verdict::Allow && !guard.is_off() && !starts.is_empty() {
        notes.push(message::unknown_starts(&starts, language));
    }
    let finds = finds(report).count();

    let (exit, written) = match &verdict {
        Verdict::Allow if args.json => (Exit::Ok, None),
        Verdict::Block(_) if args.json => (Exit::Block, None),
        Verdict::Allow => {
            let lines = std::iter::once(message::allowed(finds, language))
                .chain(notes.iter().map(|note| format!("{}: {note}", message::NOTE.text(language))))
                .collect::<Vec<_>>();
            (Exit::Ok, Some(print_line(&lines.join("\n"))))
        }
        Verdict::Block(block) => {
            let [title, help] = message::block(block, &guard, place.cwd, Tool::Bash, language);
            let picture = Picture {
                title: &title,
                source: text,
                span: block.span.unwrap_or_default(),
                label: message::label(block.code, language),
                help: &help,
                notes: &notes,
                language,
            };
            (Exit::Block, Some(print_line(&picture.draw(&renderer(&io::stdout())))))
        }
    };
    let written = written.unwrap_or_else(|| {
        print_json(&Answer {
            verdict: if exit == Exit::Ok { "allow" } else { "block" },
            block: match &verdict {
                Verdict::Allow => None,
                Verdict::Block(block) => Some(block_answer(block, &guard, place.cwd, language)),
            },
            finds,
            notes: &notes,
            incomplete: incomplete(report),
            syntax_error: syntax_error(report),
        })
    });
    // A verdict that nobody could read is still obeyed by its exit status, if it is a block.
    match written {
        Err(_) if exit == Exit::Ok => Exit::Output,
        _ => exit,
    }
}

/// Returns the start paths, as written and each once, of which the text does not tell where they lead.
fn unknown_starts(report: Report<'_>) -> BTreeSet<&str> {
    let unknown = |call: FindCall<'_>, path: &StartPath<'_>| {
        let is_relative = path.value().is_some_and(|path| !path.starts_with('/'));
        matches!(path.kind(), Kind::Unknown(_))
            || is_relative && call.cwd().any(|cwd| cwd == Directory::Unknown)
    };
    finds(report)
        .flat_map(|call| call.start_paths().filter(move |path| unknown(call, path)))
        .map(StartPath::text)
        .collect()
}

fn block_answer<'a>(
    block: &'a Block,
    guard: &BlockFind,
    cwd: Option<&str>,
    language: brakeline_settings::Language,
) -> BlockAnswer<'a> {
    BlockAnswer {
        reason: block.code.name(),
        message: message::block(block, guard, cwd, Tool::Bash, language).join("\n"),
        path: &block.path,
        resolved: block.resolved.as_deref(),
        rule: block.rule.as_deref(),
        span: block.span.map(|Span { start, end }| [start, end]),
    }
}
