//! From the request to open a session to the session.

use super::fault::Fault;
use super::session::Session;
use super::wire::{Code, HostName, Open};
use crate::guards::Project;
use brakeline::locale::{self, Language};
use brakeline::{Builder, Host, Leases, Setup};
use brakeline_settings::{HostLimits, Trust, read_settings};
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the program knows by itself, where a host does not say.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The absolute home directory.
    pub home: Option<String>,
    /// The locale of texts, as in `LANG`.
    pub locale: Option<OsString>,
    /// The folder of the claims on files, whatever the sessions say.
    pub state_dir: Option<PathBuf>,
    /// Whether blocked calls are written to the audit log that the settings of a session name.
    pub audits: bool,
}

impl Surroundings {
    pub(super) fn of_process(state_dir: Option<PathBuf>) -> Self {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
        let locale = variables.filter_map(env::var_os).find(|value| !value.is_empty());
        Self { home: crate::configuration::home(None), locale, state_dir, audits: true }
    }
}

/// Opens a session.
pub(super) fn open(open: Open, surroundings: &Surroundings) -> Result<Session, Fault> {
    let cwd = absolute("cwd", open.cwd)?;
    let home = match open.home {
        Some(home) => Some(absolute("home", home)?),
        None => surroundings.home.clone(),
    };
    let agent_dir = match (open.agent_dir, &home) {
        (Some(folder), _) => Some(PathBuf::from(absolute("agentDir", folder)?)),
        (None, Some(home)) => Some(Path::new(home).join(".pi/agent")),
        (None, None) => None,
    };
    let settings = Value::Object(open.settings);
    let locale = open.locale.map(OsString::from).or_else(|| surroundings.locale.clone());
    let setup = Setup {
        cwd: Some(cwd),
        home,
        host: open.host.ways(),
        language: language(&settings, locale.as_ref()),
        ..Setup::new(open.session_id.unwrap_or_else(|| open.session.clone()))
    };
    let state_dir = surroundings.state_dir.clone();
    let state_dir = state_dir.or_else(|| agent_dir.as_ref().map(|folder| folder.join("collision-guard")));
    let trust = if open.trusted { Trust::Trusted } else { Trust::Untrusted };
    let project = Project {
        home: setup.home.as_deref(),
        cwd: setup.cwd.as_deref(),
        agent_dir: agent_dir.as_deref(),
        trust,
    };
    let plain = || Builder::new(setup.clone()).settings(settings.clone());
    let mut builder = project.guard_or_refuse(plain, setup.language);
    if let Some(folder) = state_dir {
        builder = builder.leases(Leases::in_folder(folder));
    }
    let engine = builder.built_ins().build(trust).map_err(|error| Fault::failed(error.to_string()))?;
    let audited_as = surroundings.audits.then(|| open.host.name());
    Ok(Session { name: open.session, engine, has_ui: open.ui, audited_as })
}

fn absolute(member: &str, path: String) -> Result<String, Fault> {
    if path.starts_with('/') && !path.contains('\0') {
        return Ok(path);
    }
    let message = format!("`{member}`: expected an absolute path, found `{path}`");
    Err(Fault::new(Code::BadMessage, message))
}

impl HostName {
    fn ways(self) -> Host {
        match self {
            Self::Pi => Host::PI,
            Self::ClaudeCode => Host::CLAUDE_CODE,
            Self::Other => Host::PLAIN,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::ClaudeCode => "claude-code",
            Self::Other => "other",
        }
    }
}

/// The language that the settings name, else that of the locale.
fn language(settings: &Value, locale: Option<&OsString>) -> Language {
    let setting = read_settings(settings, HostLimits::default()).settings.brakeline.locale;
    locale::language(setting, |variable| locale.filter(|_| variable == "LANG").cloned())
}
