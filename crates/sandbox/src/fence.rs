//! The second fence around what may be written: Landlock, by the kernel, beside the mounts.
//!
//! It knows places that may be written and no exceptions inside them, so the mounts carry the policy; the fence holds if a
//! mount should not. It is left out by kernels that do not have it.

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError,
};
use std::path::{Path, PathBuf};

/// What the sandbox has of its own, to write in.
const OWN: [&str; 2] = ["/dev", "/proc"];

/// Lets this process, and what it starts, write only below some places.
///
/// # Errors
///
/// When the kernel has Landlock and refuses.
pub(crate) fn raise(writable: &[PathBuf]) -> Result<(), RulesetError> {
    // The newest version whose rights are about files. Older kernels enforce what they know.
    let write = AccessFs::from_write(ABI::V5);
    let mut ruleset =
        Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(write)?.create()?;
    for path in writable.iter().map(PathBuf::as_path).chain(OWN.map(Path::new)) {
        // A place that is gone cannot be written.
        if let Ok(opened) = PathFd::new(path) {
            let rights = if path.is_dir() { write } else { write & AccessFs::from_file(ABI::V5) };
            ruleset = ruleset.add_rule(PathBeneath::new(opened, rights))?;
        }
    }
    ruleset.restrict_self().map(drop)
}
