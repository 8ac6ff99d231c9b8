//! `brakeline permissions`: what the policy for shell commands says about a command, and what is doubtful about the policy.

use crate::Exit;
use crate::check::command_text;
use crate::message::{NOTE, language, printable};
use crate::output::{complain, print_json, print_line};
use crate::render::{Picture, renderer};
use crate::sandbox_config::{Configuration, Failure, Scene};
use bash_commands::Span;
use brakeline::ShellPermissions;
use brakeline::shell_permissions::{self, Admission, Finding, Judgement, Pattern, Refusal, Verdict};
use brakeline_settings::{Language, LocaleSetting};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::io;

#[derive(Args, Debug)]
pub(crate) struct Permissions {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge a bash command by the rules of sandbox.json: exit status 0 allows, 2 denies
    Check(Check),
    /// Find rules that never apply, and rules that do not do what they seem to: exit status 65 if there are any
    Lint(Lint),
}

#[derive(Args, Debug)]
struct Check {
    #[command(flatten)]
    configuration: Configuration,
    /// The bash command
    #[arg(
        value_name = "CMD",
        required_unless_present = "stdin",
        conflicts_with = "stdin",
        allow_hyphen_values = true
    )]
    command: Option<String>,
    /// Read the command from standard input
    #[arg(long)]
    stdin: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Lint {
    #[command(flatten)]
    configuration: Configuration,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// The JSON of a verdict.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    verdict: &'static str,
    /// What a model would be told; empty when it is allowed.
    message: String,
    refusals: Vec<RefusalEntry<'a>>,
    more_refusals: usize,
    admissions: Vec<AdmissionEntry<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct RefusalEntry<'a> {
    code: &'static str,
    command: &'a str,
    rule: Option<&'a str>,
    span: [u32; 2],
    message: String,
    remedy: String,
}

#[derive(Debug, Serialize)]
struct AdmissionEntry<'a> {
    command: &'a str,
    rule: &'a str,
    span: [u32; 2],
}

/// The JSON of a finding.
#[derive(Debug, Serialize)]
struct FindingEntry<'a> {
    code: &'static str,
    fault: bool,
    rule: Option<&'a str>,
    origin: Option<String>,
    message: String,
}

pub(crate) fn run(args: &Permissions) -> Exit {
    let language = language(LocaleSetting::Auto, |name| std::env::var_os(name));
    let done = match &args.command {
        Command::Check(args) => check(args, language),
        Command::Lint(args) => lint(args, language),
    };
    done.unwrap_or_else(|failure| complain(&printable(&failure.message), failure.exit))
}

/// The language, as the crate that judges knows it.
pub(crate) fn spoken(language: Language) -> shell_permissions::Language {
    match language {
        Language::ZhCn => shell_permissions::Language::ZhCn,
        Language::En => shell_permissions::Language::En,
    }
}

fn permissions(scene: &Scene, language: Language) -> Result<ShellPermissions, Failure> {
    ShellPermissions::of_config(&scene.config, scene.place.clone()).map_err(|error| {
        let mut rules = scene.config.shell.permissions.iter();
        let rule = rules.find(|rule| Pattern::parse(&rule.pattern).is_err());
        let origin = rule.and_then(|rule| rule.origin.as_ref()).map(|origin| origin.text(language));
        Failure::new(format!("{}: {error}", origin.unwrap_or_default()), Exit::Data)
    })
}

fn check(args: &Check, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    let text = command_text(args.command.as_deref())
        .map_err(|error| Failure::new(error.to_string(), error.exit()))?;
    let (cwd, home) = (scene.place.cwd.to_str(), scene.place.home.to_str());
    let judgement = permissions(&scene, language)?.judge(&text, cwd, home);
    let notes = notes(&args.configuration, &scene, language);
    let written = if args.json {
        print_json(&answer(&judgement, &notes, language))
    } else if judgement.verdict() == Verdict::Deny {
        print_line(&drawn(&judgement, &text, &notes, language))
    } else {
        print_line(&allowed(&judgement, &notes, language))
    };
    Ok(match (judgement.verdict(), written) {
        // A verdict that nobody could read is still obeyed by its exit status, if it denies.
        (Verdict::Deny, _) => Exit::Block,
        (Verdict::Allow, Err(_)) => Exit::Output,
        (Verdict::Allow, Ok(())) => Exit::Ok,
    })
}

/// A picture of the command with a mark under the first thing that is refused; the others are notes.
pub(crate) fn drawn(judgement: &Judgement, text: &str, notes: &[String], language: Language) -> String {
    let Some((refusal, others)) = judgement.refusals().split_first() else { return String::new() };
    let others = others.iter().map(|other| other.what(spoken(language)));
    let notes: Vec<_> = others.chain(notes.iter().cloned()).map(|note| one_line(&note)).collect();
    let [title, help] = [refusal.what(spoken(language)), refusal.remedy(spoken(language))];
    let label = match (refusal.cause.rule(), language) {
        (Some(rule), Language::ZhCn) => format!("规则 `{rule}`"),
        (Some(rule), Language::En) => format!("rule `{rule}`"),
        (None, Language::ZhCn) => "在这里".to_owned(),
        (None, Language::En) => "here".to_owned(),
    };
    let picture = Picture {
        title: &one_line(&title),
        source: text,
        span: refusal.span,
        label: &one_line(&label),
        help: &one_line(&help),
        notes: &notes,
        language,
    };
    picture.draw(&renderer(&io::stdout()))
}

/// The commands that are allowed, each with its rule.
fn allowed(judgement: &Judgement, notes: &[String], language: Language) -> String {
    let title = match language {
        Language::ZhCn => "已放行".to_owned(),
        Language::En => "allowed".to_owned(),
    };
    let line = |Admission { command, rule, .. }: &Admission| match language {
        Language::ZhCn => format!("  {}（命中：`{}`）", one_line(command), one_line(rule)),
        Language::En => format!("  {} (rule: `{}`)", one_line(command), one_line(rule)),
    };
    let notes = notes.iter().map(|note| format!("{}: {}", NOTE.text(language), one_line(note)));
    let lines = [title].into_iter().chain(judgement.admissions().iter().map(line)).chain(notes);
    lines.collect::<Vec<_>>().join("\n")
}

/// What is worth a word beside the verdict.
fn notes(args: &Configuration, scene: &Scene, language: Language) -> Vec<String> {
    let file = scene.place.cwd.join(".pi/sandbox.json");
    let is_left_out = args.files.is_empty() && !args.trust_project && file.is_file();
    let file = file.display();
    let left_out = match language {
        Language::En => format!("{file} is not read: the project is not trusted (--trust-project)"),
        Language::ZhCn => format!("未读取 {file}：项目未被信任（--trust-project）"),
    };
    is_left_out.then_some(left_out).into_iter().collect()
}

fn answer<'a>(judgement: &'a Judgement, notes: &'a [String], language: Language) -> Answer<'a> {
    let span = |Span { start, end }| [start, end];
    let refusal = |refusal: &'a Refusal| RefusalEntry {
        code: refusal.cause.name(),
        command: &refusal.command,
        rule: refusal.cause.rule(),
        span: span(refusal.span),
        message: refusal.what(spoken(language)),
        remedy: refusal.remedy(spoken(language)),
    };
    let admission = |admission: &'a Admission| AdmissionEntry {
        command: &admission.command,
        rule: &admission.rule,
        span: span(admission.span),
    };
    Answer {
        verdict: judgement.verdict().name(),
        message: judgement.text(spoken(language)),
        refusals: judgement.refusals().iter().map(refusal).collect(),
        more_refusals: judgement.more_refusals(),
        admissions: judgement.admissions().iter().map(admission).collect(),
        notes,
    }
}

fn lint(args: &Lint, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    let findings = permissions(&scene, language)?.policy().lint();
    let origin = |finding: &Finding| {
        let rules = scene.config.shell.permissions.iter();
        let rule = rules.clone().find(|rule| finding.rule.as_ref() == Some(&rule.pattern))?;
        rule.origin.as_ref().map(|origin| origin.text(language))
    };
    let written = if args.json {
        let entries = findings.iter().map(|finding| FindingEntry {
            code: finding.kind.name(),
            fault: finding.kind.is_fault(),
            rule: finding.rule.as_deref(),
            origin: origin(finding),
            message: finding.text(spoken(language)),
        });
        print_json(&entries.collect::<Vec<_>>())
    } else {
        let line = |finding: &Finding| found(finding, origin(finding).as_deref(), language);
        let notes = notes(&args.configuration, &scene, language);
        let notes = notes.iter().map(|note| format!("{}: {}", NOTE.text(language), one_line(note)));
        let none = match language {
            Language::ZhCn => "没有发现问题",
            Language::En => "nothing found",
        };
        let none = findings.is_empty().then(|| none.to_owned());
        print_line(
            &none.into_iter().chain(findings.iter().map(line)).chain(notes).collect::<Vec<_>>().join("\n"),
        )
    };
    let is_faulty = findings.iter().any(|finding| finding.kind.is_fault());
    Ok(written.map_or(Exit::Output, |()| if is_faulty { Exit::Data } else { Exit::Ok }))
}

/// A finding as one line.
fn found(finding: &Finding, origin: Option<&str>, language: Language) -> String {
    let level = match (finding.kind.is_fault(), language) {
        (true, Language::ZhCn) => "问题",
        (true, Language::En) => "fault",
        (false, _) => NOTE.text(language),
    };
    let text = finding.text(spoken(language));
    let origin = match (origin, language) {
        (Some(origin), Language::ZhCn) => format!("（{origin}）"),
        (Some(origin), Language::En) => format!(" ({origin})"),
        (None, _) => String::new(),
    };
    one_line(&format!("{level}: {text}{origin}"))
}

/// A text fit for one line on a terminal, whatever its length: [`printable`] is for names.
fn one_line(text: &str) -> String {
    text.lines().map(|line| line.chars().map(visible).collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Controls, and marks that reorder what a reader sees around them, as a space.
fn visible(char: char) -> char {
    let is_hidden = char.is_control() || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if is_hidden { ' ' } else { char }
}
