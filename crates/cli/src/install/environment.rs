//! Where this user keeps configuration and state: the environment, read once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The places that installing and looking into an installation need.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// The home directory.
    pub(crate) home: PathBuf,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    pub(crate) config: PathBuf,
    /// `$XDG_STATE_HOME`, else `~/.local/state`.
    pub(crate) state: PathBuf,
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// Variables with which hosts move their folders.
    moved: Vec<(&'static str, PathBuf)>,
}

/// The variables with which hosts move their folders.
const MOVING: [&str; 4] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR"];

impl Environment {
    /// Reads the process's environment. `None` without an absolute home directory.
    pub(crate) fn read() -> Option<Self> {
        // A working directory that was deleted is no reason to fail: only what belongs to a project needs one.
        Self::of(|name| env::var_os(name), env::current_dir().unwrap_or_default())
    }

    pub(crate) fn of(variable: impl Fn(&str) -> Option<OsString>, cwd: PathBuf) -> Option<Self> {
        // Empty and relative values count as unset, as the XDG base directory specification asks.
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME")?;
        Some(Self {
            config: folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            state: folder("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")),
            moved: MOVING.into_iter().filter_map(|name| Some((name, folder(name)?))).collect(),
            home,
            cwd,
        })
    }

    /// The folder that a variable names, else the usual one below the home directory.
    pub(crate) fn folder_of(&self, variable: &str, usual: &str) -> PathBuf {
        let moved = self.moved.iter().find(|(name, _)| *name == variable);
        moved.map_or_else(|| self.home.join(usual), |(_, folder)| folder.clone())
    }

    /// brakeline's own settings, for hosts that have none of it.
    pub(crate) fn own_settings(&self) -> PathBuf {
        self.config.join("brakeline").join("settings.json")
    }

    /// What brakeline remembers of its installations.
    pub(crate) fn own_state(&self) -> PathBuf {
        self.state.join("brakeline")
    }

    /// A path for people: with `~` where it lies in the home directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}
