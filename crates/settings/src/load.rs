//! Files to layers: the only place of this crate that reads anything.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::layer::{Layer, Layers, Source};
use crate::load_error::{LoadError, LoadErrorKind};

/// The size of a settings file in bytes beyond which it is not read: 4 MiB.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// Whether the user trusts a project, so that its settings count.
///
/// Who is asked, and where the answer is kept, is the host's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// The project's settings count.
    Trusted,
    /// The project's file is not even opened.
    Untrusted,
}

/// The files to load. The loader reads no environment and no working directory: paths come from here alone.
///
/// ```
/// use std::path::Path;
/// use brakeline_settings::{Places, Trust};
///
/// let places = Places::of_pi(Path::new("/home/ada"), Path::new("/src/app"), Trust::Trusted);
/// assert_eq!(places.global.as_deref(), Some(Path::new("/home/ada/.pi/agent/settings.json")));
/// assert_eq!(places.project.as_deref(), Some(Path::new("/src/app/.pi/settings.json")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's file.
    pub global: Option<PathBuf>,
    /// The project's file.
    pub project: Option<PathBuf>,
    /// Whether the project's file counts.
    pub trust: Trust,
}

impl Places {
    /// Returns pi's places: `.pi/agent/settings.json` in the home directory, `.pi/settings.json` in the project.
    #[must_use]
    pub fn of_pi(home: &Path, project: &Path, trust: Trust) -> Self {
        let global =
            [".pi", "agent", "settings.json"].iter().fold(home.to_owned(), |path, part| path.join(part));
        Self { global: Some(global), project: Some(project.join(".pi").join("settings.json")), trust }
    }

    /// Returns the places for a host that has no settings of its own: [`global_file_of_xdg`] for the user, and
    /// `.pi/settings.json` in the project.
    #[must_use]
    pub fn of_xdg(environment: impl FnMut(&str) -> Option<OsString>, project: &Path, trust: Trust) -> Self {
        let project = Some(project.join(".pi").join("settings.json"));
        Self { global: global_file_of_xdg(environment), project, trust }
    }
}

/// Returns `brakeline/settings.json` in `$XDG_CONFIG_HOME`, or in `$HOME/.config`.
///
/// The environment is a function, so that it can be any. Relative and empty values count as unset, as the XDG base
/// directory specification asks; with neither variable there is no file.
///
/// ```
/// use std::path::Path;
/// use brakeline_settings::global_file_of_xdg;
///
/// let file = global_file_of_xdg(|name| (name == "HOME").then(|| "/home/ada".into()));
/// assert_eq!(file.as_deref(), Some(Path::new("/home/ada/.config/brakeline/settings.json")));
/// ```
#[must_use]
pub fn global_file_of_xdg(mut environment: impl FnMut(&str) -> Option<OsString>) -> Option<PathBuf> {
    let mut folder = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("brakeline").join("settings.json"))
}

/// What loading gave: layers in force, and an error for each file that cannot be used.
#[derive(Debug)]
#[must_use = "a file that cannot be used leaves an error here and older or no settings in force"]
pub struct Loaded {
    /// The settings in force.
    pub layers: Layers,
    /// What is wrong with files that were left out, global first.
    pub errors: Vec<LoadError>,
}

impl Loaded {
    /// Returns the layers if every file could be used: for programs that run once and have no earlier settings.
    ///
    /// # Errors
    ///
    /// The first file's error.
    pub fn into_result(self) -> Result<Layers, LoadError> {
        match self.errors.into_iter().next() {
            None => Ok(self.layers),
            Some(error) => Err(error),
        }
    }
}

/// Loads the files of some places and lays overrides on top.
///
/// - A missing file is empty settings.
/// - A broken file is an error; its layer among those loaded before, if it has one, stays in force.
/// - An untrusted project's file is not opened, and its layer loaded before does not stay.
///
/// Blocks on the file system. Reads at most [`MAX_FILE_BYTES`] of each file, and regular files only, so that a pipe cannot
/// hang it.
///
/// ```
/// use brakeline_settings::{Layers, Places, Trust, load, read_setting};
/// # let home = tempfile::tempdir()?;
/// # let home = home.path();
/// std::fs::create_dir_all(home.join(".pi/agent"))?;
/// let file = home.join(".pi/agent/settings.json");
/// let places = Places::of_pi(home, &home.join("project"), Trust::Untrusted);
///
/// std::fs::write(&file, r#"{"defaultTimeout": 300}"#)?;
/// let layers = load(&places, None, &Layers::default()).into_result()?;
/// assert_eq!(read_setting(layers.effective(), "defaultTimeout", 120), 300);
///
/// std::fs::write(&file, r#"{"defaultTimeout": }"#)?;
/// let loaded = load(&places, None, &layers);
/// assert_eq!(loaded.errors[0].position().unwrap().to_string(), "1:20");
/// assert_eq!(read_setting(loaded.layers.effective(), "defaultTimeout", 120), 300, "what was loaded before stays");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(places: &Places, overrides: Option<Map<String, Value>>, before: &Layers) -> Loaded {
    let project = places.project.as_deref().filter(|_| places.trust == Trust::Trusted);
    let files = [(Source::Global, places.global.as_deref()), (Source::Project, project)];
    let mut layers = Vec::new();
    let mut errors = Vec::new();
    for (source, file) in files {
        let Some(file) = file else { continue };
        match load_file(source, file) {
            Ok(layer) => layers.extend(layer),
            Err(error) => {
                errors.push(error);
                layers.extend(before.find(source, file).cloned());
            }
        }
    }
    layers.extend(overrides.map(|members| Layer::from_members(Source::Override, members)));
    Loaded { layers: Layers::new(layers), errors }
}

/// Loads one file as a layer; `None` if there is no such file.
///
/// # Errors
///
/// [`LoadError`] as [`Layer::parse`] gives it, or when the file cannot be read, is no regular file, or is larger than
/// [`MAX_FILE_BYTES`].
pub fn load_file(source: Source, file: &Path) -> Result<Option<Layer>, LoadError> {
    match read(file) {
        Ok(bytes) => Layer::parse(source, file, &bytes).map(Some),
        Err(LoadErrorKind::Unreadable(error)) if is_missing(&error) => Ok(None),
        Err(kind) => Err(LoadError::new(file, None, kind)),
    }
}

/// Whether there is no such file. A file in the place of the folder means the same.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read(file: &Path) -> Result<Vec<u8>, LoadErrorKind> {
    // Asked before opening: to open a pipe would wait for its writer.
    if !fs::metadata(file).map_err(LoadErrorKind::Unreadable)?.is_file() {
        return Err(LoadErrorKind::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(LoadErrorKind::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(LoadErrorKind::TooLarge { limit: MAX_FILE_BYTES });
    }
    Ok(bytes)
}
