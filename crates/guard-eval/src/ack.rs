//! The newest answer to the question whether the condition is met.

use core::fmt;

use crate::{Entry, Fact};

/// What a result of the tool [`GUARD_CHECK`](crate::GUARD_CHECK) says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ack {
    /// The condition counts as met.
    Confirmed(By),
    /// It does not.
    NotYet,
}

/// How it came that the condition counts as met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The user said so.
    User,
    /// There was nobody to ask.
    NoUi,
    /// The user closed the question.
    Dismissed,
    /// The user did not answer in time.
    Timeout,
    /// The result does not say.
    Unstated,
}

impl By {
    /// Returns the word that a result's details carry, or `None` for [`Unstated`](Self::Unstated).
    #[must_use]
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Self::User => Some("user"),
            Self::NoUi => Some("no-ui"),
            Self::Dismissed => Some("dismissed"),
            Self::Timeout => Some("timeout"),
            Self::Unstated => None,
        }
    }

    /// Returns what a result's `details.by` says; a word that is not known says nothing.
    ///
    /// ```
    /// use guard_eval::By;
    ///
    /// assert_eq!(By::from_word(Some("no-ui")), By::NoUi);
    /// assert_eq!(By::from_word(None), By::Unstated);
    /// ```
    #[must_use]
    pub fn from_word(word: Option<&str>) -> Self {
        [Self::User, Self::NoUi, Self::Dismissed, Self::Timeout]
            .into_iter()
            .find(|by| by.as_str() == word)
            .unwrap_or(Self::Unstated)
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or("unstated"))
    }
}

/// Returns the newest answer since the guard in force was set; `None` if there is none, or no guard.
///
/// Scans `branch` (oldest entry first) from its end, up to the entry that set or cleared the guard.
///
/// ```
/// use guard_eval::{Ack, By, Condition, Fact, find_guard_ack};
///
/// let set = Fact::Set(Condition::new("tests pass").unwrap());
/// let (yes, no) = (Fact::Checked(Ack::Confirmed(By::User)), Fact::Checked(Ack::NotYet));
///
/// assert_eq!(find_guard_ack(&[set, no, yes]), Some(Ack::Confirmed(By::User)));
/// assert_eq!(find_guard_ack(&[set, yes, no]), Some(Ack::NotYet));
/// assert_eq!(find_guard_ack(&[set, yes, set]), None); // a new guard: ask again
/// assert_eq!(find_guard_ack(&[yes]), None); // no guard
/// ```
pub fn find_guard_ack<'a, B, E>(branch: B) -> Option<Ack>
where
    B: IntoIterator<Item = &'a E, IntoIter: DoubleEndedIterator>,
    E: Entry + 'a,
{
    let mut newest = None;
    for entry in branch.into_iter().rev() {
        match entry.fact() {
            Some(Fact::Set(_)) => return newest,
            Some(Fact::Clear) => return None,
            Some(Fact::Checked(ack)) => newest = newest.or(Some(ack)),
            _ => {}
        }
    }
    None
}
