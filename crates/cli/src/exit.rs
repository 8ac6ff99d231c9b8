//! How the program ends.

use std::process::ExitCode;

/// The exit status of the program, one meaning each.
///
/// The numbers from 64 on are those of `sysexits.h`. A hook host reads 2 as «block» and most others as «go on», so
/// `hook` maps its failures to 2 unless its fail policy is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; for `check`: allowed.
    Ok = 0,
    /// Blocked.
    Block = 2,
    /// The command line could not be understood.
    Usage = 64,
    /// The input was read but is not what was expected: broken JSON, invalid UTF-8, unusable settings.
    Data = 65,
    /// The input could not be read.
    NoInput = 66,
    /// A fault of the program itself.
    Internal = 70,
    /// The output could not be written.
    Output = 74,
    /// Not now: something is held by another process; trying again later may succeed.
    TryAgain = 75,
}

impl Exit {
    /// Returns the number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
