//! `sandbox.json`: what it says, and which file said it.
//!
//! ```text
//! defaults  <  ~/.pi/agent/sandbox.json  <  <cwd>/.pi/sandbox.json  <  overrides
//!              (global)                     (project, only if trusted)
//! ```
//!
//! Objects merge key by key, arrays replace whole.

mod error;
mod layers;
mod loosening;
mod read;

pub use error::{ConfigError, ConfigErrorKind};
pub use loosening::{Loosening, LooseningKind};

use brakeline_settings::{Language, Layers, Origin, Places, Trust, load};
use std::path::Path;

/// The sandbox's configuration in force.
///
/// ```
/// use brakeline_sandbox::config::{Config, Permission};
/// use brakeline_settings::{Layer, Layers, Source};
///
/// let global = br#"{"shell": {"permissons": {"git *": "allow"}}, "filesystem": {"denyRead": ["~/.ssh"]}}"#;
/// let project = b"{\"network\": {\n  \"allowedDomains\": [\"*.example.com\"]\n}}";
/// let config = Config::from_layers(&Layers::new([
///     Layer::parse(Source::Global, "/home/ada/.pi/agent/sandbox.json", global)?,
///     Layer::parse(Source::Project, ".pi/sandbox.json", project)?,
/// ]))?;
///
/// assert!(config.enabled.value);
/// assert_eq!(config.filesystem.allow_write[0].text, ".", "a default");
/// assert_eq!(config.filesystem.deny_read[0].text, "~/.ssh");
/// assert_eq!(config.shell.rules(), [("*", Permission::Deny), ("git *", Permission::Allow)]);
/// let domain = &config.network.allowed_domains[0];
/// assert_eq!(domain.origin_text(brakeline_settings::Language::En), "project, .pi/sandbox.json:2");
/// assert_eq!(config.loosenings().len(), 1, "the project's file opens the network to a domain");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whether commands run in the OS sandbox at all. The shell's policy holds either way.
    pub enabled: Setting,
    /// Which hosts may be reached.
    pub network: Network,
    /// Which files may be read and written.
    pub filesystem: Filesystem,
    /// Which commands may run.
    pub shell: Shell,
    /// What the project's file loosens.
    loosenings: Vec<Loosening>,
}

/// A switch and where it was set; no origin: the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The value in force.
    pub value: bool,
    /// The file and line that set it.
    pub origin: Option<Origin>,
}

/// One entry of a list and where it was written; no origin: a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry as written.
    pub text: String,
    /// The file and line that wrote it.
    pub origin: Option<Origin>,
}

impl Entry {
    /// Makes an entry that stands in no file.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), origin: None }
    }

    /// Returns where the entry stands, for people: `project, .pi/sandbox.json:4`, or `default`.
    #[must_use]
    pub fn origin_text(&self, language: Language) -> String {
        origin_text(self.origin.as_ref(), language)
    }
}

/// Returns an origin for people; no origin: a default.
pub(crate) fn origin_text(origin: Option<&Origin>, language: Language) -> String {
    match (origin, language) {
        (Some(origin), language) => origin.text(language),
        (None, Language::En) => "default".to_owned(),
        (None, Language::ZhCn) => "默认".to_owned(),
    }
}

/// `network`
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Network {
    /// Hosts that may be reached; none: no network.
    pub allowed_domains: Vec<Entry>,
    /// Hosts that may not, whatever the other list says.
    pub denied_domains: Vec<Entry>,
}

/// `filesystem`
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Filesystem {
    /// Paths that are hidden.
    pub deny_read: Vec<Entry>,
    /// Paths inside hidden ones that are shown all the same.
    pub allow_read: Vec<Entry>,
    /// Paths that stay as they are, whatever the other list says.
    pub deny_write: Vec<Entry>,
    /// Paths that may be written.
    pub allow_write: Vec<Entry>,
}

/// `shell`, as plain data: what it means is the business of the crate that judges commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Whether one text may hold several commands.
    pub allow_multiple: Setting,
    /// Whether commands may be piped.
    pub allow_pipe: Setting,
    /// Whether allow rules ask for more than containment.
    pub strict_allow: Setting,
    /// The rules of `permissons`, each pattern once, in the order of their text.
    pub permissions: Vec<ShellRule>,
}

impl Shell {
    /// Returns the rules as pairs.
    #[must_use]
    pub fn rules(&self) -> Vec<(&str, Permission)> {
        self.permissions.iter().map(|rule| (rule.pattern.as_str(), rule.permission)).collect()
    }
}

/// One rule of `shell.permissons`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellRule {
    /// The pattern as written.
    pub pattern: String,
    /// What happens to a command that it matches.
    pub permission: Permission,
    /// The file and line that wrote it.
    pub origin: Option<Origin>,
}

/// What a rule of `shell.permissons` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// The command may run.
    Allow,
    /// It may not.
    Deny,
}

impl Default for Config {
    fn default() -> Self {
        let on = |value| Setting { value, origin: None };
        Self {
            enabled: on(true),
            network: Network::default(),
            filesystem: Filesystem { allow_write: vec![Entry::new(".")], ..Filesystem::default() },
            shell: Shell {
                allow_multiple: on(false),
                allow_pipe: on(true),
                strict_allow: on(true),
                permissions: vec![ShellRule {
                    pattern: "*".to_owned(),
                    permission: Permission::Deny,
                    origin: None,
                }],
            },
            loosenings: Vec::new(),
        }
    }
}

impl Config {
    /// Lays layers over the defaults. Pure.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with file, line and column for a value of the wrong kind, an unknown key, a pattern that means
    /// nothing, or two spellings of the permissions that disagree.
    pub fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let normalised = layers.layers().iter().map(layers::normalise).collect::<Result<Vec<_>, _>>()?;
        let mut config = read::config(&normalised);
        config.loosenings = loosening::of_project(&normalised);
        Ok(config)
    }

    /// Loads the configuration from files. A missing file is an empty one; a project that is not trusted is not read.
    ///
    /// Blocks on the file system; see [`places_of_pi`] for the usual places.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first file that cannot be used. There is no fallback: a sandbox that is not understood must
    /// not be taken for a wide one.
    pub fn load(places: &Places) -> Result<Self, ConfigError> {
        let layers = load(places, None, &Layers::default()).into_result()?;
        Self::from_layers(&layers)
    }

    /// Returns what the project's file loosens, compared with the defaults and the user's own file.
    #[must_use]
    pub fn loosenings(&self) -> &[Loosening] {
        &self.loosenings
    }
}

/// Returns pi's places: `.pi/agent/sandbox.json` in the home directory, `.pi/sandbox.json` in the working directory.
///
/// ```
/// use brakeline_sandbox::config::places_of_pi;
/// use brakeline_settings::Trust;
/// use std::path::Path;
///
/// let places = places_of_pi(Path::new("/home/ada"), Path::new("/src/app"), Trust::Trusted);
/// assert_eq!(places.project.as_deref(), Some(Path::new("/src/app/.pi/sandbox.json")));
/// ```
#[must_use]
pub fn places_of_pi(home: &Path, cwd: &Path, trust: Trust) -> Places {
    Places {
        global: Some(home.join(".pi/agent/sandbox.json")),
        project: Some(cwd.join(".pi/sandbox.json")),
        trust,
    }
}
