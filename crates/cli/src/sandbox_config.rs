//! Which `sandbox.json` is in force, and for which place: for every command that reads it.

use crate::Exit;
use brakeline_sandbox::config::{Config, ConfigError, ConfigErrorKind, places_of_pi};
use brakeline_sandbox::helper::Helper;
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::tree::HostTree;
use brakeline_settings::{Language, Layer, Layers, Source, Trust, load_file};
use clap::Args;
use std::path::{Path, PathBuf};

// Which configuration, for which place.
#[derive(Args, Debug, Default)]
pub(crate) struct Configuration {
    /// Configuration instead of ~/.pi/agent/sandbox.json and .pi/sandbox.json; may be repeated, later ones win
    #[arg(id = "config", long = "config", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// File or folder that no command may write, whatever the configuration says; may be repeated
    #[arg(long = "protect", value_name = "PATH")]
    pub(crate) protected: Vec<PathBuf>,
    /// Read the project's .pi/sandbox.json, which may also loosen
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Directory that `.` in the configuration means [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Home directory, for `~` [default: $HOME]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
}

/// What went wrong, and the exit status for it.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) exit: Exit,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, exit: Exit) -> Self {
        Self { message: message.into(), exit }
    }

    pub(crate) fn of_config(error: &ConfigError, language: Language) -> Self {
        let exit = match error.kind() {
            ConfigErrorKind::File(error) if error.position().is_none() => Exit::NoInput,
            _ => Exit::Data,
        };
        Self::new(error.text(language), exit)
    }
}

/// The configuration in force, and the place it is for.
pub(crate) struct Scene {
    pub(crate) config: Config,
    pub(crate) place: Place,
    pub(crate) helper: Helper,
}

impl Scene {
    pub(crate) fn load(args: &Configuration, language: Language) -> Result<Self, Failure> {
        // Elsewhere a file that is missing says nothing; one that was asked for was meant.
        if let Some(missing) = args.files.iter().find(|file| !file.exists()) {
            return Err(Failure::new(format!("`{}` does not exist", missing.display()), Exit::NoInput));
        }
        let start = absolute(args.cwd.as_deref().unwrap_or(Path::new(".")))?;
        let project = args.project.as_deref().map(absolute).transpose()?.unwrap_or_else(|| start.clone());
        let home = args.home.clone().or_else(|| std::env::var_os("HOME").map(PathBuf::from));
        let home = home.filter(|home| home.is_absolute()).ok_or_else(|| {
            Failure::new("HOME is not set; name the home directory with --home", Exit::Usage)
        })?;
        let config =
            configuration(args, &project, &home).map_err(|error| Failure::of_config(&error, language))?;
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(format!("cannot tell where this program is: {error}"), Exit::Internal)
        })?;
        let mut place = Place::of_pi(project, home);
        place.start = Some(start);
        place.protected.extend(args.files.iter().chain(&args.protected).map(|path| from_here(path)));
        place.protected.push(program.clone());
        let settings = brakeline_settings::global_file_of_xdg(|name| std::env::var_os(name));
        place.protected.extend(settings.and_then(|file| file.parent().map(Path::to_owned)));
        let helper = Helper { program, arguments: vec!["sandbox".into(), "helper".into(), "--".into()] };
        Ok(Self { config, place, helper })
    }

    pub(crate) fn policy(&self, language: Language) -> Result<Policy, Failure> {
        Policy::new(&self.config, &self.place, &HostTree)
            .map_err(|error| Failure::new(error.text(language), Exit::Data))
    }
}

/// Returns a path of the command line as an absolute one: it starts where this program does, wherever the project is.
pub(crate) fn from_here(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path)
        .map_err(|error| Failure::new(format!("`{}`: {error}", path.display()), Exit::NoInput))
}

fn configuration(args: &Configuration, cwd: &Path, home: &Path) -> Result<Config, ConfigError> {
    if args.files.is_empty() {
        let trust = if args.trust_project { Trust::Trusted } else { Trust::Untrusted };
        return Config::load(&places_of_pi(home, cwd, trust));
    }
    let mut layers: Vec<Layer> = Vec::new();
    for file in &args.files {
        // Of layers with one source the later is the stronger.
        layers.extend(load_file(Source::Override, file)?);
    }
    Config::from_layers(&Layers::new(layers))
}
