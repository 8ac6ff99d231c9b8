//! The one place with unsafe code: a number that this process was told becomes a file that it owns.
#![allow(
    unsafe_code,
    reason = "an inherited file has no safe constructor: only its number comes over an exec"
)]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// Takes over a file that was open when this process started. Ask for each number once.
///
/// # Errors
///
/// When the number is one of the standard streams, or no file is open under it.
pub(crate) fn take(number: i32) -> io::Result<OwnedFd> {
    let is_open = number > 2 && std::fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_ok();
    if !is_open {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("no file {number} was inherited")));
    }
    // SAFETY: the file is open, as was just looked up, and nothing in this process owns it: the runner opened it for this
    // process alone, tells each number once, and the process has only read its arguments so far. Even under a wrong number
    // nothing is read or written past the kernel's checks; at worst another file is closed.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
