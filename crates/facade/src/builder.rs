//! From extensions and settings to an engine.

use crate::builtin::BuiltIn;
use crate::configuration::{Configuration, SettingsInput};
use crate::engine::Engine;
use crate::extension::{Extension, Stop};
use crate::loaded::{Loaded, guarded};
use crate::session::Setup;
use brakeline_settings::{Layers, Trust};
use serde_json::Value;
use std::fmt;

/// Where an extension comes from, in the order in which handlers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Named on the host's command line.
    CommandLine,
    /// Brought along by the project; loaded only if the project is trusted.
    Project,
    /// The user's own.
    User,
    /// Part of an installed package.
    Package,
}

/// Where an extension stands among the others: its rank is the order in which handlers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    BuiltIn(BuiltIn),
    Host(Origin),
}

impl Slot {
    /// What block-find and the permissions judge is what the model wrote; the host's own may change it; a lease is taken on
    /// what came of that; and the sandbox wraps the command that really runs.
    fn rank(self) -> (u8, Option<Origin>) {
        match self {
            Self::BuiltIn(BuiltIn::BlockFind) => (0, None),
            Self::BuiltIn(BuiltIn::ShellPermissions) => (1, None),
            Self::BuiltIn(BuiltIn::DefaultTimeout) => (2, None),
            Self::Host(origin) => (3, Some(origin)),
            Self::BuiltIn(BuiltIn::GuardLoop) => (4, None),
            Self::BuiltIn(BuiltIn::CollisionGuard) => (5, None),
            Self::BuiltIn(BuiltIn::Sandbox) => (6, None),
        }
    }

    /// Whether the extension is asked if a project is trusted, and loaded before that is known.
    pub(crate) fn decides_on_trust(self) -> bool {
        matches!(self, Self::Host(Origin::CommandLine | Origin::User))
    }
}

type Factory = Box<dyn Fn(&Setup) -> Result<Box<dyn Extension>, Stop> + Send + Sync>;

struct Entry {
    slot: Slot,
    name: String,
    factory: Factory,
}

/// Collects what an [`Engine`] is made of. One builder can make several: that is how extensions are loaded anew once it is
/// known whether a project is trusted.
///
/// ```
/// use brakeline::{Builder, Setup};
/// use brakeline_settings::Trust;
/// use serde_json::json;
///
/// let builder = Builder::new(Setup::new("s1")).settings(json!({"defaultTimeout": 60})).built_ins();
/// let engine = builder.build(Trust::Trusted)?;
/// # Ok::<(), brakeline::BuildError>(())
/// ```
#[must_use]
pub struct Builder {
    setup: Setup,
    settings: SettingsInput,
    entries: Vec<Entry>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.entries.iter().map(|entry| &entry.name).collect();
        f.debug_struct("Builder")
            .field("setup", &self.setup)
            .field("extensions", &names)
            .finish_non_exhaustive()
    }
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An extension could not be set up.
    #[error("the extension `{extension}` could not be set up: {reason}")]
    SetUp {
        /// Which.
        extension: String,
        /// Why.
        reason: String,
    },
    /// Two extensions have a command or a tool of the same name.
    #[error("the extensions `{first}` and `{second}` both have a {what} `{name}`; leave one of them out")]
    Twice {
        /// `command` or `tool`.
        what: &'static str,
        /// Its name.
        name: String,
        /// The one that has it first.
        first: String,
        /// The other one.
        second: String,
    },
}

impl Builder {
    /// A builder without extensions and settings.
    pub fn new(setup: Setup) -> Self {
        let settings = SettingsInput::of_value(&setup, Value::Null);
        Self { setup, settings, entries: Vec::new() }
    }

    /// Uses the settings in force, which the host has merged.
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = SettingsInput::of_value(&self.setup, settings);
        self
    }

    /// Uses settings of several layers; diagnostics then say which layer a setting comes from.
    pub fn layers(mut self, layers: &Layers) -> Self {
        self.settings = SettingsInput::of_layers(&self.setup, layers);
        self
    }

    /// Adds an extension, behind those of the same origin that were added before.
    ///
    /// `factory` makes it, each time an engine is built.
    pub fn extension(
        self,
        origin: Origin,
        name: impl Into<String>,
        factory: impl Fn(&Setup) -> Result<Box<dyn Extension>, Stop> + Send + Sync + 'static,
    ) -> Self {
        self.entry(Slot::Host(origin), name.into(), Box::new(factory))
    }

    /// Adds an extension in the place of a built-in one: under its name, and where it stands among the others.
    pub fn built_in(
        self,
        extension: BuiltIn,
        factory: impl Fn(&Setup) -> Result<Box<dyn Extension>, Stop> + Send + Sync + 'static,
    ) -> Self {
        self.entry(Slot::BuiltIn(extension), extension.name().to_owned(), Box::new(factory))
    }

    /// Tells whether something stands in the place of a built-in extension already.
    pub(crate) fn has(&self, extension: BuiltIn) -> bool {
        self.entries.iter().any(|entry| entry.slot == Slot::BuiltIn(extension))
    }

    /// A built-in extension that is added again takes the place of the one before.
    fn entry(mut self, slot: Slot, name: String, factory: Factory) -> Self {
        if matches!(slot, Slot::BuiltIn(_)) {
            self.entries.retain(|entry| entry.slot != slot);
        }
        self.entries.push(Entry { slot, name, factory });
        self
    }

    /// Makes an engine of the extensions that may answer whether the project is trusted: the user's own and those of the
    /// command line. Hand it a [`ProjectTrust`](crate::ProjectTrust), drop it, and [`build`](Self::build).
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_before_trust(&self) -> Result<Engine, BuildError> {
        self.load(Slot::decides_on_trust)
    }

    /// Makes an engine: every extension is made and configured, one after the other, before this returns. Those of a project
    /// that is not trusted are left out.
    ///
    /// Cost: what the extensions do; the built-in ones take microseconds and touch no disk.
    ///
    /// # Errors
    ///
    /// If an extension cannot be set up, or two have a command or a tool of the same name.
    pub fn build(&self, trust: Trust) -> Result<Engine, BuildError> {
        self.load(|slot| trust == Trust::Trusted || slot != Slot::Host(Origin::Project))
    }

    fn load(&self, is_loaded: impl Fn(Slot) -> bool) -> Result<Engine, BuildError> {
        let mut entries: Vec<_> = self.entries.iter().filter(|entry| is_loaded(entry.slot)).collect();
        entries.sort_by_key(|entry| entry.slot.rank());
        let configuration = Configuration::new(self.setup.clone(), self.settings.clone());
        let mut loaded = Vec::with_capacity(entries.len());
        for entry in entries {
            loaded.push(self.set_up(entry, &configuration)?);
        }
        check_names(&loaded)?;
        Ok(Engine::new(configuration, loaded))
    }

    fn set_up(&self, entry: &Entry, configuration: &Configuration) -> Result<Loaded, BuildError> {
        let is_on = configuration.is_on(&entry.name).unwrap_or(true);
        let made = guarded(|| {
            let mut extension = (entry.factory)(&self.setup)?;
            // What is off is configured when it is switched on.
            let problems = if is_on { extension.configure(configuration)? } else { Vec::new() };
            Ok((extension, problems))
        });
        let (extension, problems) = made.map_err(|Stop(why)| BuildError::SetUp {
            extension: entry.name.clone(),
            reason: why.to_string(),
        })?;
        Ok(Loaded::new(entry.name.clone(), entry.slot, extension, is_on, problems, self.setup.language))
    }
}

fn check_names(loaded: &[Loaded]) -> Result<(), BuildError> {
    let commands = loaded.iter().flat_map(|owner| owner.commands.iter().map(move |spec| (&spec.name, owner)));
    first_twice("command", commands)?;
    let tools = loaded.iter().flat_map(|owner| owner.tools.iter().map(move |spec| (&spec.name, owner)));
    first_twice("tool", tools)
}

fn first_twice<'a>(
    what: &'static str,
    names: impl Iterator<Item = (&'a String, &'a Loaded)>,
) -> Result<(), BuildError> {
    let mut seen: Vec<(&String, &Loaded)> = Vec::new();
    for (name, owner) in names {
        if let Some((_, first)) = seen.iter().find(|(known, _)| *known == name) {
            let (first, second) = (first.name.clone(), owner.name.clone());
            return Err(BuildError::Twice { what, name: name.clone(), first, second });
        }
        seen.push((name, owner));
    }
    Ok(())
}
