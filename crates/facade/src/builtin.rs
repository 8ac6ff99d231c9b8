//! The extensions that come with the engine, one file each.

#[cfg(feature = "block-find")]
mod block_find;
#[cfg(feature = "default-timeout")]
mod default_timeout;

use crate::builder::Builder;

/// A built-in extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltIn {
    /// Stops searches of forbidden directories.
    BlockFind,
    /// Judges shell commands by a policy.
    ShellPermissions,
    /// Gives shell commands a time limit.
    DefaultTimeout,
    /// Lets the agent stop only after the user confirmed a condition.
    GuardLoop,
    /// Keeps agents from changing a file at the same time.
    CollisionGuard,
    /// Runs shell commands in a sandbox.
    Sandbox,
}

impl BuiltIn {
    /// Returns the name that the setting `brakeline.extensions` knows it by.
    ///
    /// ```
    /// assert_eq!(brakeline::BuiltIn::BlockFind.name(), "block-find");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BlockFind => "block-find",
            Self::ShellPermissions => "shell-permissions",
            Self::DefaultTimeout => "default-timeout",
            Self::GuardLoop => "guard-loop",
            Self::CollisionGuard => "collision-guard",
            Self::Sandbox => "sandbox",
        }
    }
}

impl Builder {
    /// Adds the built-in extensions that are compiled in and need no configuration. The setting `brakeline.extensions`
    /// switches each of them off.
    pub fn built_ins(self) -> Self {
        #[cfg(feature = "block-find")]
        let this =
            self.built_in(BuiltIn::BlockFind, |_| Ok(Box::<block_find::BlockFindExtension>::default()));
        #[cfg(not(feature = "block-find"))]
        let this = self;
        #[cfg(feature = "default-timeout")]
        let this = this.built_in(BuiltIn::DefaultTimeout, |_| Ok(Box::new(default_timeout::DefaultTimeout)));
        this
    }
}
