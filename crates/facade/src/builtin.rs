//! The extensions that come with the engine, one file each.

#[cfg(feature = "block-find")]
mod block_find;
#[cfg(feature = "collision-guard")]
mod collision_guard;
#[cfg(feature = "default-timeout")]
mod default_timeout;
#[cfg(feature = "guard-loop")]
mod guard_loop;
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(feature = "shell-permissions")]
mod shell_permissions;

#[cfg(feature = "shell-permissions")]
pub use shell_permissions::ShellPermissions;

use crate::builder::Builder;
use crate::extension::Extension;
use crate::session::Setup;

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
    ///
    /// The claims of collision-guard live below the home directory of the setup, unless [`leases`](Self::leases) says where;
    /// where no home directory is known, edits are blocked.
    pub fn built_ins(self) -> Self {
        let all: &[(BuiltIn, Make)] = &[
            #[cfg(feature = "block-find")]
            (BuiltIn::BlockFind, |_| Box::<block_find::BlockFindExtension>::default()),
            #[cfg(feature = "default-timeout")]
            (BuiltIn::DefaultTimeout, |_| Box::new(default_timeout::DefaultTimeout)),
            #[cfg(feature = "guard-loop")]
            (BuiltIn::GuardLoop, |_| Box::<guard_loop::GuardLoop>::default()),
            #[cfg(feature = "collision-guard")]
            (BuiltIn::CollisionGuard, |setup| Box::new(collision_guard::CollisionGuard::of(setup))),
        ];
        all.iter().fold(self, |this, (extension, make)| {
            if this.has(*extension) { this } else { this.built_in(*extension, |setup| Ok(make(setup))) }
        })
    }
}

/// Makes a built-in extension as it is without further configuration.
type Make = fn(&Setup) -> Box<dyn Extension>;
