//! The settings in force, and what of the environment a command needs.

use crate::Exit;
use crate::args::{Place as PlaceArgs, SettingsFiles};
use crate::message;
use brakeline_settings::{
    Diagnostic, HostLimits, Language, Layer, Layers, LoadErrorKind, LocaleSetting, Reading, Settings, Source,
    global_file_of_xdg, load_file,
};
use std::env;
use std::path::{Path, PathBuf};

/// The settings in force, and what could not be used of them.
#[derive(Debug)]
pub(crate) struct Configuration {
    pub(crate) layers: Layers,
    pub(crate) settings: Settings,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) language: Language,
}

/// Settings that cannot be used at all.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) message: String,
    pub(crate) exit: Exit,
}

impl Configuration {
    /// Loads the files of the command line, or else the user's own file if there is one.
    pub(crate) fn load(files: &SettingsFiles) -> Result<Self, Unusable> {
        let layers = if files.files.is_empty() {
            let file = global_file_of_xdg(|name| env::var_os(name));
            file.map(|file| load_layer(Source::Global, &file)).transpose()?.flatten().into_iter().collect()
        } else {
            named_layers(&files.files)?
        };
        let layers = Layers::new(layers);
        let Reading { settings, diagnostics } = layers.read_settings(HostLimits::default());
        let language = message::language(settings.brakeline.locale, |name| env::var_os(name));
        Ok(Self { layers, settings, diagnostics, language })
    }
}

/// Returns the language for texts that come before any settings are read.
pub(crate) fn environment_language() -> Language {
    message::language(LocaleSetting::Auto, |name| env::var_os(name))
}

/// Loads files that must be there, the weakest first.
fn named_layers(files: &[PathBuf]) -> Result<Vec<Layer>, Unusable> {
    files
        .iter()
        .enumerate()
        .map(|(at, file)| {
            // The order within one source is kept, so that later files win.
            let source = if at == 0 { Source::Global } else { Source::Project };
            load_layer(source, file)?.ok_or_else(|| Unusable {
                message: match environment_language() {
                    Language::ZhCn => format!("`{}`：没有这个文件", file.display()),
                    Language::En => format!("`{}`: there is no such file", file.display()),
                },
                exit: Exit::NoInput,
            })
        })
        .collect()
}

fn load_layer(source: Source, file: &Path) -> Result<Option<Layer>, Unusable> {
    load_file(source, file).map_err(|error| Unusable {
        message: error.text(environment_language()),
        exit: match error.kind() {
            LoadErrorKind::Unreadable(_) | LoadErrorKind::NotAFile => Exit::NoInput,
            _ => Exit::Data,
        },
    })
}

/// Where a command would run, owned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    pub(crate) cwd: Option<String>,
    pub(crate) home: Option<String>,
}

impl Surroundings {
    /// Takes the command line's word, else the process's own directory and `$HOME`.
    ///
    /// A directory whose name is not UTF-8 counts as not known.
    pub(crate) fn of(args: &PlaceArgs) -> Self {
        let here = env::current_dir().ok();
        let cwd = match &args.cwd {
            Some(cwd) => here.map(|here| here.join(cwd)).or_else(|| Some(PathBuf::from(cwd))),
            None => here,
        };
        Self {
            cwd: cwd.and_then(|path| path.into_os_string().into_string().ok()),
            home: home(args.home.clone()),
        }
    }

    pub(crate) fn place(&self) -> crate::block_find::Place<'_> {
        crate::block_find::Place { cwd: self.cwd.as_deref(), home: self.home.as_deref() }
    }
}

/// Returns the home directory given, else `$HOME`; a relative one counts as not known.
pub(crate) fn home(given: Option<String>) -> Option<String> {
    given.or_else(|| env::var("HOME").ok()).filter(|home| home.starts_with('/'))
}
