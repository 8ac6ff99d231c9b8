//! `brakeline install` and `brakeline uninstall`: the host's configuration, shown before it is written, and given back as it was.

pub(crate) mod change;
pub(crate) mod environment;
pub(crate) mod host;
pub(crate) mod json;
pub(crate) mod record;
pub(crate) mod toml;

#[cfg(test)]
mod laws;

use self::change::{Change, read};
use self::environment::Environment;
use self::host::{Content, Entry, InstallHost, Scope, Target, Tolerance, Wishes};
use self::json::Unusable;
use self::record::{Changed, Record};
use crate::Exit;
use crate::configuration::environment_language;
use crate::host_text as text;
use crate::output::{complain, print_line};
use brakeline_settings::Language;
use clap::Args;
use serde_json::Value;
use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct Install {
    /// The host to install into
    pub(crate) host: InstallHost,
    #[command(flatten)]
    how: How,
    /// Whose configuration to write
    #[arg(long, value_enum, default_value_t)]
    scope: Scope,
    /// The program as the host is to call it [default: this file]
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// Folder of the extension package, for pi [default: share/brakeline/pi beside the program's folder]
    #[arg(long, value_name = "DIR")]
    package: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Uninstall {
    /// The host to leave
    pub(crate) host: InstallHost,
    #[command(flatten)]
    how: How,
    /// Whose configuration to clean
    #[arg(long, value_enum, default_value_t)]
    scope: Scope,
}

// Whether to write.
#[derive(Args, Clone, Copy, Debug)]
struct How {
    /// Show the change and write nothing
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Write without asking [default: ask on a terminal, write nothing elsewhere]
    #[arg(long)]
    apply: bool,
}

/// What stops an installation.
#[derive(Debug)]
struct Failure {
    message: String,
    exit: Exit,
}

impl From<Unusable> for Failure {
    fn from(Unusable(message): Unusable) -> Self {
        Self { message, exit: Exit::Data }
    }
}

impl Failure {
    fn of(file: &Path, error: &io::Error, exit: Exit, language: Language) -> Self {
        Self { message: text::file_failed(file, error, language), exit }
    }
}

pub(crate) fn run(args: &Install) -> Exit {
    let language = environment_language();
    finish(install(args, language))
}

pub(crate) fn run_uninstall(args: &Uninstall) -> Exit {
    let language = environment_language();
    finish(uninstall(args, language))
}

fn finish(result: Result<Exit, Failure>) -> Exit {
    result.unwrap_or_else(|failure| complain(&failure.message, failure.exit))
}

fn surroundings(language: Language) -> Result<Environment, Failure> {
    let message = || text::no_home(language).to_owned();
    Environment::read().ok_or_else(|| Failure { message: message(), exit: Exit::Usage })
}

fn install(args: &Install, language: Language) -> Result<Exit, Failure> {
    let environment = surroundings(language)?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => own_program()
            .ok_or_else(|| Failure { message: text::no_program(language).to_owned(), exit: Exit::Usage })?,
    };
    // By its name its hooks are known again.
    if program.rsplit('/').next() != Some("brakeline") {
        return Err(Failure { message: text::other_name(&program, language), exit: Exit::Usage });
    }
    let package = package(args, &environment, language)?;
    let wishes = Wishes { scope: args.scope, program: &program, package: package.as_deref() };
    let mut changes = Vec::new();
    for target in targets(args.host, &environment, &wishes) {
        changes.push(installing(args.host, target, language)?);
    }
    let state = environment.own_state();
    let mut record = load(&state, language)?;
    changes.retain(|change| !change.is_empty());
    if changes.is_empty() {
        say(text::already_installed(language))?;
        return Ok(Exit::Ok);
    }
    if !agreed(&changes, args.how, language)? {
        return Ok(Exit::Ok);
    }
    // What is not yet made is remembered all the same: undoing then finds the old text, and has nothing to do.
    for change in &changes {
        record.note(args.host.name(), change);
    }
    save(&record, &state, language)?;
    for change in &changes {
        let folders =
            change.make().map_err(|error| Failure::of(&change.file, &error, Exit::Output, language))?;
        record.note_folders(args.host.name(), &change.file, folders);
    }
    save(&record, &state, language)?;
    for change in &changes {
        say(&text::wrote(&environment.shown(&change.file), language))?;
    }
    if args.host.needs_trust() {
        say(text::needs_trust(language))?;
    }
    say(&text::installed(args.host.name(), language))?;
    Ok(Exit::Ok)
}

/// The program that runs, by its own file: hosts may search other folders than this shell.
fn own_program() -> Option<String> {
    env::current_exe().ok()?.into_os_string().into_string().ok()
}

/// The folder of pi's package.
fn package(
    args: &Install,
    environment: &Environment,
    language: Language,
) -> Result<Option<PathBuf>, Failure> {
    if args.host != InstallHost::Pi {
        return Ok(None);
    }
    let beside = || Some(env::current_exe().ok()?.parent()?.parent()?.join("share/brakeline/pi"));
    let folder = args.package.as_ref().map(|folder| environment.cwd.join(folder)).or_else(beside);
    let folder = folder.filter(|folder| folder.join("package.json").is_file());
    match folder.and_then(|folder| fs::canonicalize(folder).ok()) {
        Some(folder) => Ok(Some(folder)),
        None => Err(Failure { message: text::no_package(language).to_owned(), exit: Exit::NoInput }),
    }
}

/// The files of an installation: the host's own, and brakeline's settings for hosts that have none of it.
fn targets(host: InstallHost, environment: &Environment, wishes: &Wishes<'_>) -> Vec<Target> {
    let settings = host.reads_own_settings().then(|| own_settings(environment));
    host.target(environment, wishes).into_iter().chain(settings).collect()
}

/// Hook hosts have no `find` tool whose judging would be enough, so commands are judged too.
fn own_settings(environment: &Environment) -> Target {
    let block_bash = Entry::Default { path: &["blockFindRoot", "blockBash"], value: Value::Bool(true) };
    Target { file: environment.own_settings(), content: Content::Json(Tolerance::Jsonc, vec![block_bash]) }
}

/// What installing does to one file.
fn installing(host: InstallHost, target: Target, language: Language) -> Result<Change, Failure> {
    let before =
        read(&target.file).map_err(|error| Failure::of(&target.file, &error, Exit::NoInput, language))?;
    let (file, text) = (target.file.as_path(), before.as_deref());
    let after = match &target.content {
        Content::Json(tolerance, entries) => json::add(text, entries, host, *tolerance, file, language)?,
        Content::Toml(entries) => toml::add(text, entries, host, file, language)?,
        Content::Own(content) => match text {
            Some(text) if !is_ours(text) => {
                return Err(Failure { message: text::not_ours(file, language), exit: Exit::Data });
            }
            _ => content.clone(),
        },
    };
    Ok(Change { file: target.file, before, after: Some(after) })
}

/// A file of brakeline's own names it in any version.
fn is_ours(text: &str) -> bool {
    text.trim().is_empty() || text.contains("brakeline")
}

fn uninstall(args: &Uninstall, language: Language) -> Result<Exit, Failure> {
    let environment = surroundings(language)?;
    let state = environment.own_state();
    let mut record = load(&state, language)?;
    let name = args.host.name();
    let wishes = Wishes { scope: args.scope, program: "brakeline", package: None };
    let target = args.host.target(&environment, &wishes);
    let settings = environment.own_settings();
    let mut undone = files(args, &environment, &record, target.as_ref());
    let is_undone =
        |changed: &Changed, undone: &[PathBuf]| changed.host == name && undone.contains(&changed.file);
    // Settings that other installations still count on stay.
    if record.files.iter().any(|changed| changed.file != settings && !is_undone(changed, &undone)) {
        undone.retain(|file| *file != settings);
    }
    let mut changes = Vec::new();
    for file in &undone {
        let noted = record.files.iter().find(|changed| changed.host == name && changed.file == *file);
        changes.push(leaving(args.host, file, noted, target.as_ref(), language)?);
    }
    changes.retain(|change| !change.is_empty());
    if changes.is_empty() {
        say(&text::not_installed(name, language))?;
    } else if !agreed(&changes, args.how, language)? {
        return Ok(Exit::Ok);
    }
    if args.how.dry_run {
        return Ok(Exit::Ok);
    }
    for change in &changes {
        change.make().map_err(|error| Failure::of(&change.file, &error, Exit::Output, language))?;
        say(&text::wrote(&environment.shown(&change.file), language))?;
    }
    for changed in record.files.iter().filter(|changed| is_undone(changed, &undone)) {
        for folder in &changed.folders {
            // One that is in use by now stays.
            let _ = fs::remove_dir(folder);
        }
    }
    record.files.retain(|changed| !is_undone(changed, &undone));
    // The settings pass on to an installation that is still there.
    if let Some(heir) =
        record.files.iter().find(|changed| changed.file != settings).map(|changed| changed.host.clone())
    {
        for changed in record.files.iter_mut().filter(|changed| changed.file == settings) {
            changed.host.clone_from(&heir);
        }
    }
    save(&record, &state, language)?;
    if !changes.is_empty() {
        say(&text::uninstalled(name, language))?;
    }
    Ok(Exit::Ok)
}

/// The files that an installation of this scope may have changed.
fn files(
    args: &Uninstall,
    environment: &Environment,
    record: &Record,
    target: Option<&Target>,
) -> Vec<PathBuf> {
    let folder = match args.scope {
        Scope::Project => Some(&environment.cwd),
        Scope::User => None,
    };
    let belongs = |file: &Path| match folder {
        Some(folder) => file.starts_with(folder),
        None => file.starts_with(args.host.folder(environment)) || file == environment.own_settings(),
    };
    let recorded =
        record.files.iter().filter(|changed| changed.host == args.host.name()).map(|changed| &changed.file);
    let mut files: Vec<PathBuf> = recorded.filter(|file| belongs(file)).cloned().collect();
    if let Some(target) = target
        && !files.contains(&target.file)
    {
        files.push(target.file.clone());
    }
    files
}

/// What uninstalling does to one file: the old text where nobody else wrote since, else only what is brakeline's goes.
fn leaving(
    host: InstallHost,
    file: &Path,
    changed: Option<&Changed>,
    target: Option<&Target>,
    language: Language,
) -> Result<Change, Failure> {
    let before = read(file).map_err(|error| Failure::of(file, &error, Exit::NoInput, language))?;
    let after = match (&before, changed) {
        (None, _) => None,
        (Some(text), Some(changed)) if *text == changed.after => changed.before.clone(),
        (Some(text), changed) => without_own(host, file, text, changed, target, language)?,
    };
    Ok(Change { file: file.to_owned(), before, after })
}

fn without_own(
    host: InstallHost,
    file: &Path,
    text: &str,
    changed: Option<&Changed>,
    target: Option<&Target>,
    language: Language,
) -> Result<Option<String>, Failure> {
    let is_own_file =
        target.is_some_and(|target| target.file == file && matches!(target.content, Content::Own(_)));
    if is_own_file {
        return Ok(if is_ours(text) { None } else { Some(text.to_owned()) });
    }
    if file.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Some(toml::remove(text, host, file, language)?));
    }
    // The folder of a package stands in the record alone.
    let packages = changed.map(added_packages).unwrap_or_default();
    let tolerance = if host == InstallHost::GeminiCli { Tolerance::Comments } else { Tolerance::Jsonc };
    let before =
        changed.and_then(|changed| changed.before.as_deref()).and_then(|text| json::value(text, file));
    Ok(Some(json::remove(text, &before.unwrap_or_default(), &packages, host, tolerance, file, language)?))
}

/// The packages that an installation added to pi's settings.
fn added_packages(changed: &Changed) -> Vec<Entry> {
    let packages = |text: &str| -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let packages = value.get("packages").and_then(Value::as_array);
        packages.into_iter().flatten().filter_map(|package| Some(package.as_str()?.to_owned())).collect()
    };
    let before = packages(changed.before.as_deref().unwrap_or_default());
    packages(&changed.after)
        .into_iter()
        .filter(|package| !before.contains(package))
        .map(|folder| Entry::Package { key: "packages", folder })
        .collect()
}

fn load(state: &Path, language: Language) -> Result<Record, Failure> {
    Record::load(state).map_err(|error| Failure::of(&Record::file(state), &error, Exit::Data, language))
}

fn save(record: &Record, state: &Path, language: Language) -> Result<(), Failure> {
    record.save(state).map_err(|error| Failure::of(&Record::file(state), &error, Exit::Output, language))
}

/// Shows the changes, and returns whether to make them.
fn agreed(changes: &[Change], how: How, language: Language) -> Result<bool, Failure> {
    let colored = io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    for change in changes {
        say(change.diff(colored).trim_end())?;
    }
    if how.apply {
        return Ok(true);
    }
    if how.dry_run {
        say(text::dry_run(language))?;
        return Ok(false);
    }
    match crate::collision::ask(text::ask_to_write(language)) {
        Some(true) => Ok(true),
        Some(false) => {
            say(text::nothing_written(language))?;
            Ok(false)
        }
        None => {
            say(text::no_terminal(language))?;
            Ok(false)
        }
    }
}

fn say(line: &str) -> Result<(), Failure> {
    print_line(line).map_err(|error| Failure { message: error.to_string(), exit: Exit::Output })
}
