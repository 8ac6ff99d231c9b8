//! `brakeline check`: the verdict on one command.

use crate::Exit;
use crate::args::Check;
use crate::block_find::{Block, BlockFind, Verdict};
use crate::configuration::{Configuration, Surroundings};
use crate::guards::Project;
use crate::input::{InputError, check_command, read_text};
use crate::message::{self, Tool};
use crate::output::{complain, print_json, print_line};
use crate::permissions::{self, drawn};
use crate::render::{Picture, renderer};
use crate::report::{IncompleteEntry, SyntaxErrorEntry, finds, incomplete, syntax_error};
use bash_commands::{Analyzer, Directory, Kind, Options, Report, Span};
use bash_find_parser::{FindCall, StartPath};
use brakeline::shell_permissions::{Judgement, Verdict as Permitted};
use brakeline_settings::{Language, Trust};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

/// The name of the extension that judges by `sandbox.json`.
const PERMISSIONS: &str = "shell-permissions";

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
    by: &'static str,
    reason: &'static str,
    message: String,
    path: Option<&'a str>,
    resolved: Option<&'a str>,
    rule: Option<&'a str>,
    span: Option<[u32; 2]>,
}

/// Which guard blocks, and why.
#[derive(Debug)]
enum Blocked {
    Find(Block),
    Permissions(Judgement),
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

    let trust = if args.trust_project { Trust::Trusted } else { Trust::Untrusted };
    let project = Project { home: place.home, cwd: place.cwd, agent_dir: None, trust };
    let permissions = match project.permissions(language) {
        Ok(permissions) => {
            permissions.filter(|_| settings.brakeline.extensions.get(PERMISSIONS) != Some(&false))
        }
        Err(fault) => return complain(&message::printable(&fault), Exit::Data),
    };

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
    let blocked = match verdict {
        Verdict::Block(block) => Some(Blocked::Find(block)),
        Verdict::Allow => {
            let judgement = permissions.map(|permissions| permissions.judge(text, place.cwd, place.home));
            judgement.filter(|judgement| judgement.verdict() == Permitted::Deny).map(Blocked::Permissions)
        }
    };

    let exit = if blocked.is_some() { Exit::Block } else { Exit::Ok };
    let written = match &blocked {
        _ if args.json => print_json(&Answer {
            verdict: if blocked.is_none() { "allow" } else { "block" },
            block: blocked.as_ref().map(|blocked| block_answer(blocked, &guard, place.cwd, language)),
            finds,
            notes: &notes,
            incomplete: incomplete(report),
            syntax_error: syntax_error(report),
        }),
        None => {
            let lines = std::iter::once(message::allowed(finds, language))
                .chain(notes.iter().map(|note| format!("{}: {note}", message::NOTE.text(language))))
                .collect::<Vec<_>>();
            print_line(&lines.join("\n"))
        }
        Some(Blocked::Find(block)) => {
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
            print_line(&picture.draw(&renderer(&io::stdout())))
        }
        Some(Blocked::Permissions(judgement)) => print_line(&drawn(judgement, text, &notes, language)),
    };
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
    blocked: &'a Blocked,
    guard: &BlockFind,
    cwd: Option<&str>,
    language: Language,
) -> BlockAnswer<'a> {
    match blocked {
        Blocked::Find(block) => BlockAnswer {
            by: "block-find",
            reason: block.code.name(),
            message: message::block(block, guard, cwd, Tool::Bash, language).join("\n"),
            path: Some(&block.path),
            resolved: block.resolved.as_deref(),
            rule: block.rule.as_deref(),
            span: block.span.map(|Span { start, end }| [start, end]),
        },
        Blocked::Permissions(judgement) => {
            let first = judgement.refusals().first();
            BlockAnswer {
                by: PERMISSIONS,
                reason: first.map_or("", |refusal| refusal.cause.name()),
                message: judgement.text(permissions::spoken(language)),
                path: None,
                resolved: None,
                rule: first.and_then(|refusal| refusal.cause.rule()),
                span: first.map(|refusal| [refusal.span.start, refusal.span.end]),
            }
        }
    }
}
