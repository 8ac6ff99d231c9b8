//! Which hosts are there, and whether brakeline is installed in them as this version installs it.

use super::finding::{Area, Finding, Level};
use super::settings::hooks_judge_bash;
use crate::host_text as text;
use crate::install::change::read;
use crate::install::environment::Environment;
use crate::install::host::{Content, InstallHost, Scope, Target, Wishes, program_of_own};
use crate::install::{json, toml};
use brakeline_settings::{Language, Layer, Source};
use clap::ValueEnum;
use serde_json::Value;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Looks at every host, in the user's configuration and in that of the project in the current directory.
pub(crate) fn look(environment: &Environment, language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut hooks_are_installed = false;
    for host in InstallHost::value_variants() {
        let found = look_at(*host, environment, language);
        hooks_are_installed |= found.installed && host.reads_own_settings();
        findings.extend(found.findings);
    }
    if hooks_are_installed && !hooks_judge_bash(environment) {
        let finding = Finding::new(Area::Hosts, Level::Note, text::bash_not_judged(language));
        findings.push(
            finding
                .with_mend(text::mend_block_bash(&environment.shown(&environment.own_settings()), language)),
        );
    }
    if findings.is_empty() {
        findings.push(Finding::new(Area::Hosts, Level::Note, text::no_hosts(language)));
    }
    findings
}

struct Found {
    installed: bool,
    findings: Vec<Finding>,
}

fn look_at(host: InstallHost, environment: &Environment, language: Language) -> Found {
    let mut found = Found { installed: false, findings: Vec::new() };
    for scope in [Scope::User, Scope::Project] {
        if scope == Scope::Project && environment.cwd == environment.home {
            continue;
        }
        let wishes = Wishes { scope, program: "brakeline", package: Some(Path::new("")) };
        let Some(target) = host.target(environment, &wishes) else { continue };
        match installed(host, scope, &target, environment) {
            Ok(Some(installation)) => {
                found.installed = true;
                found.findings.extend(judge(host, &target, &installation, environment, language));
            }
            Ok(None) => {}
            Err(cause) => found.findings.push(Finding::new(Area::Hosts, Level::Problem, cause)),
        }
    }
    if !found.installed && found.findings.is_empty() && host.folder(environment).is_dir() {
        let finding = Finding::new(Area::Hosts, Level::Note, text::host_without(host.name(), language));
        found.findings.push(finding.with_mend(text::mend_install(host.name(), language)));
    }
    found
}

/// What is installed in a file.
struct Installation {
    /// How the host calls the program; `None` for pi, whose package looks for it itself.
    program: Option<String>,
    /// Whether it is what this version would install.
    is_current: bool,
}

fn installed(
    host: InstallHost,
    scope: Scope,
    target: &Target,
    environment: &Environment,
) -> Result<Option<Installation>, String> {
    let file = &target.file;
    let Some(text) = read(file).map_err(|error| format!("`{}`: {error}", file.display()))? else {
        return Ok(None);
    };
    let again = |program: &str| {
        let wishes = Wishes { scope, program, package: None };
        host.target(environment, &wishes).map(|target| target.content)
    };
    Ok(match &target.content {
        Content::Json(..) if host == InstallHost::Pi => pi_package(&parse(file, &text)?, file),
        Content::Toml(_) => {
            let value = toml::value(&text).ok_or_else(|| format!("`{}`: this is no TOML", file.display()))?;
            hooks_of(host, &value, again)
        }
        Content::Own(_) if host == InstallHost::OpenCode => plugin(&text, again),
        Content::Json(..) | Content::Own(_) => hooks_of(host, &parse(file, &text)?, again),
    })
}

fn parse(file: &Path, text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let layer = Layer::parse(Source::Global, file, text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(layer.value().clone())
}

/// The hooks of brakeline in a document, compared with those that this version installs for the same program.
fn hooks_of(
    host: InstallHost,
    document: &Value,
    again: impl Fn(&str) -> Option<Content>,
) -> Option<Installation> {
    let command = json::own_commands(document, host).into_iter().next()?;
    let program = program_of_own(&command, host)?;
    let is_current = match again(&program)? {
        Content::Json(_, entries) | Content::Toml(entries) => json::says(document, &entries, host),
        Content::Own(text) => serde_json::from_str::<Value>(&text).ok().as_ref() == Some(document),
    };
    Some(Installation { program: Some(program), is_current })
}

fn plugin(text: &str, again: impl Fn(&str) -> Option<Content>) -> Option<Installation> {
    let (_, rest) = text.split_once("BRAKELINE_BIN || ")?;
    let program: String = serde_json::from_str(rest.lines().next()?.trim()).ok()?;
    let is_current = matches!(again(&program)?, Content::Own(current) if current == text);
    Some(Installation { program: Some(program), is_current })
}

/// The package among those of pi, by the name that it gives itself.
fn pi_package(document: &Value, file: &Path) -> Option<Installation> {
    let packages = document.get("packages").and_then(Value::as_array)?;
    let folder = file.parent()?;
    packages.iter().find_map(|package| {
        let source = package.as_str().or_else(|| package.get("source")?.as_str())?;
        let manifest = read(&folder.join(source).join("package.json")).ok()??;
        let manifest: Value = serde_json::from_str(&manifest).ok()?;
        manifest
            .get("name")?
            .as_str()?
            .contains("brakeline")
            .then_some(Installation { program: None, is_current: true })
    })
}

fn judge(
    host: InstallHost,
    target: &Target,
    installation: &Installation,
    environment: &Environment,
    language: Language,
) -> Vec<Finding> {
    let file = environment.shown(&target.file);
    let mut findings = Vec::new();
    if installation.is_current {
        findings.push(Finding::new(Area::Hosts, Level::Fine, text::host_with(host.name(), &file, language)));
    } else {
        let finding =
            Finding::new(Area::Hosts, Level::Problem, text::host_outdated(host.name(), &file, language));
        findings.push(finding.with_mend(text::mend_install(host.name(), language)));
    }
    if host.needs_trust() {
        findings.push(Finding::new(Area::Hosts, Level::Note, text::needs_trust(language)));
    }
    if let Some(program) = &installation.program {
        findings.extend(judge_program(host, program, language));
    }
    findings
}

/// A program that cannot be run blocks every tool; one of another version may not know what is asked of it.
fn judge_program(host: InstallHost, program: &str, language: Language) -> Option<Finding> {
    let Some(file) = find_program(program) else {
        let finding =
            Finding::new(Area::Hosts, Level::Problem, text::program_missing(host.name(), program, language));
        return Some(finding.with_mend(text::mend_install(host.name(), language)));
    };
    let output = Command::new(file).arg("--version").output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let own = concat!("brakeline ", env!("CARGO_PKG_VERSION"));
    (version != own).then(|| {
        Finding::new(
            Area::Hosts,
            Level::Note,
            text::other_version(host.name(), program, &version, own, language),
        )
    })
}

/// Finds a program as a shell does.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let is_executable = |file: &Path| {
        file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| is_executable(file));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| is_executable(file))
}
