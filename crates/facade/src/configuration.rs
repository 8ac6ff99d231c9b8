//! What extensions are configured by.

use crate::session::Setup;
use brakeline_settings::{Layers, Reading, Settings, read_settings};
use serde_json::Value;

/// The settings in force, and what is fixed for a session.
#[derive(Clone, Debug)]
pub struct Configuration {
    setup: Setup,
    effective: Value,
    reading: Reading,
}

impl Configuration {
    pub(crate) fn new(setup: Setup, settings: SettingsInput) -> Self {
        let SettingsInput { effective, reading } = settings;
        Self { setup, effective, reading }
    }

    /// Returns what is fixed for the session.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns brakeline's settings, complete.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.reading.settings
    }

    /// Returns all settings in force, those of others included.
    #[must_use]
    pub fn effective(&self) -> &Value {
        &self.effective
    }

    pub(crate) fn unusable(&self) -> &[brakeline_settings::Diagnostic] {
        &self.reading.diagnostics
    }

    /// Returns whether the settings say that an extension is on; `None` if they say nothing.
    pub(crate) fn is_on(&self, extension: &str) -> Option<bool> {
        self.settings().brakeline.extensions.get(extension).copied()
    }
}

/// Settings, read.
#[derive(Clone, Debug)]
pub(crate) struct SettingsInput {
    effective: Value,
    reading: Reading,
}

impl SettingsInput {
    pub(crate) fn of_value(setup: &Setup, settings: Value) -> Self {
        Self { reading: read_settings(&settings, setup.host.limits()), effective: settings }
    }

    pub(crate) fn of_layers(setup: &Setup, layers: &Layers) -> Self {
        Self { reading: layers.read_settings(setup.host.limits()), effective: layers.effective().clone() }
    }
}
