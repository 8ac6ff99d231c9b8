//! What a look at this machine brings up.

use brakeline_settings::Language::{self, En, ZhCn};
use serde::Serialize;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) area: Area,
    pub(crate) level: Level,
    /// One line or more.
    pub(crate) text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mend: Option<String>,
}

/// What a finding is about, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Area {
    /// The program itself.
    Program,
    /// The settings that hooks read.
    Settings,
    /// The settings that pi reads.
    PiSettings,
    /// The hosts and what is installed in them.
    Hosts,
    /// Leases on files.
    Leases,
    /// The sandbox and the permissions.
    Sandbox,
}

impl Area {
    pub(crate) fn title(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Program, En) => "program",
            (Self::Program, ZhCn) => "程序",
            (Self::Settings, En) => "settings of hooks",
            (Self::Settings, ZhCn) => "hook 的配置",
            (Self::PiSettings, En) => "settings of pi",
            (Self::PiSettings, ZhCn) => "pi 的配置",
            (Self::Hosts, En) => "hosts",
            (Self::Hosts, ZhCn) => "宿主",
            (Self::Leases, En) => "leases",
            (Self::Leases, ZhCn) => "租约",
            (Self::Sandbox, En) => "sandbox and permissions",
            (Self::Sandbox, ZhCn) => "沙箱与权限",
        }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// As it should be.
    Fine,
    /// Worth knowing.
    Note,
    /// Something does not work as it is configured.
    Problem,
}

impl Level {
    pub(crate) fn mark(self) -> char {
        match self {
            Self::Fine => '·',
            Self::Note => '?',
            Self::Problem => '!',
        }
    }
}

impl Finding {
    pub(crate) fn new(area: Area, level: Level, text: impl Into<String>) -> Self {
        Self { area, level, text: text.into(), mend: None }
    }

    pub(crate) fn with_mend(self, mend: impl Into<String>) -> Self {
        Self { mend: Some(mend.into()), ..self }
    }
}
