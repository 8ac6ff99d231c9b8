//! What of the configuration cannot be used.

use crate::locale::Language;

/// Something in the configuration that cannot be used as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The extension that it is about; `None`: settings as a whole.
    pub extension: Option<String>,
    /// What it is.
    pub problem: Problem,
}

/// What cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A key of the settings: which, what was found there, and what is used instead.
    Setting(brakeline_settings::Diagnostic),
    /// Anything else, in words.
    Other(String),
}

impl Diagnostic {
    /// Returns the diagnostic as one line for people.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match (&self.problem, &self.extension) {
            (Problem::Setting(setting), _) => setting.text(language),
            (Problem::Other(text), Some(extension)) => format!("{extension}: {text}"),
            (Problem::Other(text), None) => text.clone(),
        }
    }
}

impl From<brakeline_settings::Diagnostic> for Problem {
    fn from(setting: brakeline_settings::Diagnostic) -> Self {
        Self::Setting(setting)
    }
}
