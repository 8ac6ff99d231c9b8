//! The one place with unsafe code: numbers that were open when this process started become files that it owns.
#![allow(
    unsafe_code,
    reason = "an inherited file has no safe constructor: only its number comes over an exec"
)]

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// Takes over every file beyond the standard streams that was open when this process started. What is dropped is closed:
/// an open directory of the caller's would be a way past every mount.
///
/// To be called once, before the process opens anything.
///
/// # Errors
///
/// When `/proc` cannot be read.
pub(crate) fn take_all() -> io::Result<BTreeMap<i32, OwnedFd>> {
    let numbers: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    // Without the one that the list itself was read by.
    let is_open = |number: &i32| std::fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_ok();
    let take = |number: i32| {
        // SAFETY: the number is open, as was just looked up; it was so before the process did anything, since the only file
        // opened since is closed again; and nothing in this process owns it, since this is called first and once.
        (number, unsafe { OwnedFd::from_raw_fd(number) })
    };
    Ok(numbers.into_iter().filter(is_open).map(take).collect())
}
