//! Which settings are in force, and where each comes from.

use super::finding::{Area, Finding, Level};
use crate::host_text as text;
use crate::install::environment::Environment;
use brakeline::{Builder, Host, Setup};
use brakeline_settings::{
    EXTENSIONS, Language, Layer, Layers, LoadError, NoteKind, Places, Settings, Trust, load, read_setting,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Every setting that is shown, but for the switches of extensions.
const KEYS: [&str; 9] = [
    "blockFindRoot.forbiddenPaths",
    "blockFindRoot.blockBash",
    "blockFindRoot.unknownPaths",
    "blockFindRoot.pathMode",
    "defaultTimeout",
    "guardLoop.maxContinuations",
    "guardLoop.askTimeoutMs",
    "guardLoop.auto",
    "brakeline.locale",
];

/// Looks at the settings that hooks read: one file, since no host tells a hook whether it trusts the project.
pub(crate) fn of_hooks(environment: &Environment, language: Language) -> Vec<Finding> {
    let places = Places { global: Some(environment.own_settings()), project: None, trust: Trust::Untrusted };
    look(Area::Settings, &places, Host::PLAIN, environment, language)
}

/// Looks at the settings that pi reads, as if the project in the current directory were trusted.
pub(crate) fn of_pi(environment: &Environment, language: Language) -> Vec<Finding> {
    let global = environment.folder_of("PI_CODING_AGENT_DIR", ".pi/agent").join("settings.json");
    let project = PathBuf::from(".pi/settings.json");
    let has_project = environment.cwd.join(&project).exists() && environment.cwd != environment.home;
    if !global.exists() && !has_project {
        return Vec::new();
    }
    let places =
        Places { global: Some(global), project: has_project.then_some(project), trust: Trust::Trusted };
    let mut findings = look(Area::PiSettings, &places, Host::PI, environment, language);
    if has_project {
        findings.push(Finding::new(Area::PiSettings, Level::Note, text::project_if_trusted(language)));
    }
    findings
}

fn look(
    area: Area,
    places: &Places,
    host: Host,
    environment: &Environment,
    language: Language,
) -> Vec<Finding> {
    let loaded = load(places, None, &Layers::default());
    let mut findings: Vec<Finding> = files(places)
        .filter(|file| loaded.errors.iter().all(|error| error.file() != *file))
        .map(|file| present(area, file, &loaded.layers, environment, language))
        .collect();
    findings.extend(loaded.errors.iter().map(|error| broken(area, error, language)));
    findings.extend(loaded.layers.layers().iter().flat_map(|layer| remarks(area, layer, language)));
    findings.extend(unusable(area, &loaded.layers, host, environment, language));
    findings.extend(in_force(area, &loaded.layers, language));
    findings
}

fn files(places: &Places) -> impl Iterator<Item = &Path> {
    places.global.iter().chain(&places.project).map(PathBuf::as_path)
}

fn present(
    area: Area,
    file: &Path,
    layers: &Layers,
    environment: &Environment,
    language: Language,
) -> Finding {
    let is_there = layers.layers().iter().any(|layer| layer.file() == Some(file));
    Finding::new(area, Level::Fine, text::settings_file(&environment.shown(file), is_there, language))
}

fn broken(area: Area, error: &LoadError, language: Language) -> Finding {
    let finding = Finding::new(area, Level::Problem, error.text(language));
    finding.with_mend(text::mend_settings(language))
}

/// What a file says that strict readers refuse: nothing to hooks, which tolerate it, unless one of two keys is lost by it.
fn remarks(area: Area, layer: &Layer, language: Language) -> impl Iterator<Item = Finding> {
    let file = layer.file().map(|file| file.display().to_string()).unwrap_or_default();
    let notes = layer.notes().iter();
    let told =
        notes.filter(move |note| area == Area::PiSettings || matches!(note.kind, NoteKind::DuplicateKey(_)));
    told.map(move |note| Finding::new(area, Level::Note, format!("{file}:{}", note.text(language))))
}

/// What cannot be used, by the word of the extensions themselves.
fn unusable(
    area: Area,
    layers: &Layers,
    host: Host,
    environment: &Environment,
    language: Language,
) -> Vec<Finding> {
    let mut setup = Setup::new("doctor");
    setup.home = environment.home.to_str().map(str::to_owned);
    setup.host = host;
    setup.language = language;
    match Builder::new(setup).layers(layers).built_ins().build(Trust::Trusted) {
        Ok(engine) => engine
            .diagnostics()
            .iter()
            .map(|diagnostic| Finding::new(area, Level::Problem, diagnostic.text(language)))
            .collect(),
        Err(error) => vec![Finding::new(area, Level::Problem, error.to_string())],
    }
}

fn in_force(area: Area, layers: &Layers, language: Language) -> Vec<Finding> {
    let defaults = serde_json::to_value(Settings::default()).unwrap_or_default();
    let line = |key: &str, default: Option<&Value>| {
        layers.describe_in(key, language).unwrap_or_else(|| text::default_setting(key, default, language))
    };
    let keys = KEYS.iter().map(|key| {
        let default = key.split('.').try_fold(&defaults, |value, name| value.get(name));
        line(key, default)
    });
    let switched = EXTENSIONS.iter().filter_map(|name| {
        let key = format!("brakeline.extensions.{name}");
        layers.describe_in(key.as_str(), language)
    });
    keys.chain(switched).map(|line| Finding::new(area, Level::Fine, line)).collect()
}

/// Whether hooks judge what is given to bash.
pub(crate) fn hooks_judge_bash(environment: &Environment) -> bool {
    let places = Places { global: Some(environment.own_settings()), project: None, trust: Trust::Untrusted };
    let loaded = load(&places, None, &Layers::default());
    read_setting(loaded.layers.effective(), "blockFindRoot.blockBash", json!(false)) == json!(true)
}
