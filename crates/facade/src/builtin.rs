//! The extensions that come with the engine, one file each.

#[cfg(feature = "block-find")]
mod block_find;
#[cfg(feature = "collision-guard")]
mod collision_guard;
#[cfg(feature = "default-timeout")]
mod default_timeout;
#[cfg(feature = "guard-loop")]
mod guard_loop;

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
    ///
    /// The claims of collision-guard live below the home directory of the setup, unless [`leases`](Self::leases) says where;
    /// where no home directory is known, edits are blocked.
    pub fn built_ins(self) -> Self {
        let mut this = self;
        #[cfg(feature = "block-find")]
        {
            this = this.built_in_unless_there(BuiltIn::BlockFind, |_| {
                Ok(Box::<block_find::BlockFindExtension>::default())
            });
        }
        #[cfg(feature = "default-timeout")]
        {
            this = this.built_in_unless_there(BuiltIn::DefaultTimeout, |_| {
                Ok(Box::new(default_timeout::DefaultTimeout))
            });
        }
        #[cfg(feature = "guard-loop")]
        {
            this = this
                .built_in_unless_there(BuiltIn::GuardLoop, |_| Ok(Box::<guard_loop::GuardLoop>::default()));
        }
        #[cfg(feature = "collision-guard")]
        {
            this = this.built_in_unless_there(BuiltIn::CollisionGuard, |setup| {
                let leases = setup.home.as_deref().map(|home| crate::Leases::in_home(home.as_ref()));
                Ok(Box::new(collision_guard::CollisionGuard::new(leases, &setup.session)))
            });
        }
        this
    }
}
