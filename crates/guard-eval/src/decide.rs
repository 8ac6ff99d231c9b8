//! The boundary at which an agent is about to settle: one table.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Ack, By, Condition, GuardState, NewEntry, Text};

/// How the agent's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The agent stopped by itself.
    Completed,
    /// The user stopped it.
    Aborted,
    /// It failed.
    Error,
}

/// What happens when the agent is about to settle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settle<'a> {
    /// Nothing: it settles.
    Ignore,
    /// The guard is cleared, and it settles.
    Release {
        /// What the guard asked for.
        condition: Condition<'a>,
        /// Why it lets go.
        why: Release,
    },
    /// It is sent on.
    Continue {
        /// Which continuation this is, from 1.
        number: u32,
        /// How many there may be.
        limit: u32,
    },
}

/// Why a guard lets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The condition counts as met.
    Confirmed(By),
    /// The agent was sent on as often as it may be.
    LimitReached {
        /// How often that is.
        limit: u32,
    },
}

/// Decides what happens when an agent whose session stands as `state` is about to settle.
///
/// ```
/// use guard_eval::{Condition, Fact, Outcome, Settings, Settle, decide, project};
///
/// let branch = [Fact::Set(Condition::new("tests pass").unwrap()), Fact::Continue];
/// let state = project(&branch, &Settings::default());
/// assert_eq!(decide(Outcome::Completed, &state), Settle::Continue { number: 2, limit: 5 });
/// assert_eq!(decide(Outcome::Aborted, &state), Settle::Ignore);
/// ```
#[must_use]
pub fn decide<'a>(outcome: Outcome, state: &GuardState<'a>) -> Settle<'a> {
    let limit = state.limit;
    let Some(guard) = state.guard else {
        // No guard, nothing to hold.
        return Settle::Ignore;
    };
    let condition = guard.condition;
    match (outcome, guard.ack, guard.used < limit) {
        // Who stopped it wants it stopped, and a failed run cannot be sent on. The guard stays for the next run.
        (Outcome::Aborted | Outcome::Error, _, _) => Settle::Ignore,
        // Confirmed, even at the limit. Only here is a guard cleared after an answer.
        (Outcome::Completed, Some(Ack::Confirmed(by)), _) => {
            Settle::Release { condition, why: Release::Confirmed(by) }
        }
        // Not confirmed, and sent on as often as it may be: let go, but never silently.
        (Outcome::Completed, Some(Ack::NotYet) | None, false) => {
            Settle::Release { condition, why: Release::LimitReached { limit } }
        }
        // Not confirmed: ask whether it is done.
        (Outcome::Completed, Some(Ack::NotYet) | None, true) => {
            Settle::Continue { number: guard.used.saturating_add(1), limit }
        }
    }
}

impl<'a> Settle<'a> {
    /// Returns the entries to append, in this order.
    #[must_use]
    pub fn entries(self) -> Vec<NewEntry<'a>> {
        match self {
            Self::Ignore => vec![],
            Self::Release { .. } => vec![NewEntry::Clear],
            Self::Continue { number, limit } => {
                vec![NewEntry::Continue, NewEntry::FeedbackMessage { number, limit }]
            }
        }
    }

    /// Returns what to tell the user, if anything.
    #[must_use]
    pub fn notice(self) -> Option<Text<'a>> {
        match self {
            Self::Ignore => None,
            Self::Release { why: Release::Confirmed(by), .. } => Some(Text::Released { by }),
            Self::Release { condition, why: Release::LimitReached { limit } } => {
                Some(Text::LimitReached { condition, limit })
            }
            Self::Continue { number, limit } => Some(Text::Feedback { number, limit }),
        }
    }

    /// Tells whether the agent is sent on.
    #[must_use]
    pub fn continues(self) -> bool {
        matches!(self, Self::Continue { .. })
    }
}
