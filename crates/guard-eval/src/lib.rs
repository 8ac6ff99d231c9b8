// The page names items of every feature; its examples need the features they show.
#![cfg_attr(all(feature = "serde", feature = "serde_json"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "serde", feature = "serde_json")),
    doc = "An agent may stop only after the user confirmed a condition. The README and the page built with all features tell more."
)]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod entry;
mod settings;

mod command;

mod ack;
mod project;

mod check;
mod decide;

mod text;

#[cfg(feature = "serde_json")]
mod value;

pub use ack::{Ack, By, find_guard_ack};
pub use check::{Answer, CheckResult, Choice};
pub use command::{Command, CommandError, Effect, parse_command};
pub use decide::{Outcome, Release, Settle, decide};
pub use entry::{
    Condition, Entry, Fact, GUARD, GUARD_CHECK, GUARD_CONDITION, GUARD_CONTINUE, GUARD_DEFAULTS,
    GUARD_FEEDBACK, NewEntry,
};
pub use project::{Guard, GuardState, auto_guard, project};
pub use settings::{DEFAULT_MAX_CONTINUATIONS, Settings};
pub use text::{Locale, Localized, Text};
