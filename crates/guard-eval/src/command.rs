//! `/guard` text to a command, and what the command does.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::{Condition, GuardState, Locale, NewEntry, Text};

/// What `/guard` was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command<'a> {
    /// Show the guard: `/guard`.
    Show,
    /// Set a guard, in place of one in force: `/guard <condition>`.
    Set(Condition<'a>),
    /// Clear the guard: `/guard off`.
    Off,
    /// Show this session's limit: `/guard max`.
    ShowMax,
    /// Change this session's limit: `/guard max <n>`.
    SetMax(u32),
}

/// Why the argument of `/guard` was refused.
///
/// Its `Display` is the English text; [`Text::Refused`] has both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandError<'a> {
    /// The quotes hold nothing.
    EmptyCondition,
    /// Something follows `off`.
    AfterOff {
        /// What follows.
        rest: &'a str,
    },
    /// What follows `max` is not a whole number from 0 to 4294967295.
    NotALimit {
        /// What follows.
        rest: &'a str,
    },
}

impl fmt::Display for CommandError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::Refused { error: *self }.in_locale(Locale::En).fmt(f)
    }
}

impl core::error::Error for CommandError<'_> {}

/// Returns the command that `argument`, the text after `/guard`, stands for.
///
/// White space around the argument does not count. A first word `off` or `max`, in any ASCII case, is a keyword. A
/// condition that begins with one of them is put in quotes; matching outer quotes (`"…"`, `'…'`, `“…”`) are removed
/// when they do not occur inside. Otherwise a condition is kept to the letter, line breaks included.
///
/// Cost: one pass over the argument.
///
/// ```
/// use guard_eval::{Command, CommandError, Condition, parse_command};
///
/// let set = |text| Ok(Command::Set(Condition::new(text).unwrap()));
/// assert_eq!(parse_command(" tests pass "), set("tests pass"));
/// assert_eq!(parse_command(r#""max 文件改成 json""#), set("max 文件改成 json"));
/// assert_eq!(parse_command("maximal coverage"), set("maximal coverage"));
/// assert_eq!(parse_command("MAX 3"), Ok(Command::SetMax(3)));
/// assert_eq!(parse_command("off the record"), Err(CommandError::AfterOff { rest: "the record" }));
/// ```
///
/// # Errors
///
/// When quotes hold nothing but white space, or when what follows a keyword does not fit it: then the user most likely
/// meant a condition, and the error's text says to quote it.
pub fn parse_command(argument: &str) -> Result<Command<'_>, CommandError<'_>> {
    let argument = argument.trim();
    let (word, rest) = split_word(argument);
    if word.eq_ignore_ascii_case("off") {
        return if rest.is_empty() { Ok(Command::Off) } else { Err(CommandError::AfterOff { rest }) };
    }
    if word.eq_ignore_ascii_case("max") {
        return if rest.is_empty() { Ok(Command::ShowMax) } else { parse_limit(rest) };
    }
    if argument.is_empty() {
        return Ok(Command::Show);
    }
    Condition::new(unquoted(argument)).map(Command::Set).ok_or(CommandError::EmptyCondition)
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

fn parse_limit(rest: &str) -> Result<Command<'_>, CommandError<'_>> {
    // `u32::from_str` would take a sign, too.
    let digits = rest.bytes().all(|byte| byte.is_ascii_digit());
    let limit = rest.parse().ok().filter(|_| digits);
    limit.map(Command::SetMax).ok_or(CommandError::NotALimit { rest })
}

/// Removes matching outer quotes, unless one of them occurs inside.
fn unquoted(text: &str) -> &str {
    [('"', '"'), ('\'', '\''), ('“', '”')]
        .into_iter()
        .find_map(|(open, close)| {
            text.strip_prefix(open)?.strip_suffix(close).filter(|inside| !inside.contains([open, close]))
        })
        .unwrap_or(text)
}

/// What a command does: entries to append, and what to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect<'a> {
    /// Entries to append to the session, in this order. None of them starts a run.
    pub entries: Vec<NewEntry<'a>>,
    /// What to tell the user.
    pub reply: Text<'a>,
}

impl<'a> Command<'a> {
    /// Returns what the command does in a session that stands as `state`.
    ///
    /// ```
    /// use guard_eval::{Fact, NewEntry, Settings, Text, parse_command, project};
    ///
    /// let none: [Fact; 0] = [];
    /// let state = project(&none, &Settings::default());
    /// let effect = parse_command("tests pass")?.effect(&state);
    /// assert!(matches!(effect.entries[..], [NewEntry::Set(_), NewEntry::ConditionMessage(_)]));
    /// assert!(matches!(parse_command("off")?.effect(&state).reply, Text::NoGuard));
    /// # Ok::<(), guard_eval::CommandError>(())
    /// ```
    #[must_use]
    pub fn effect(self, state: &GuardState<'a>) -> Effect<'a> {
        let limit = state.limit;
        let (entries, reply) = match (self, state.guard) {
            (Self::Show, Some(guard)) => {
                (vec![], Text::Show { condition: guard.condition, used: guard.used, limit })
            }
            (Self::Show | Self::Off, None) => (vec![], Text::NoGuard),
            (Self::Set(condition), _) => (
                vec![NewEntry::Set(condition), NewEntry::ConditionMessage(condition)],
                Text::GuardSet { condition, limit },
            ),
            (Self::Off, Some(guard)) => {
                (vec![NewEntry::Clear], Text::GuardCleared { condition: guard.condition })
            }
            (Self::ShowMax, _) => (vec![], Text::Limit { limit }),
            (Self::SetMax(limit), _) => {
                (vec![NewEntry::Defaults { max_continuations: limit }], Text::LimitSet { limit })
            }
        };
        Effect { entries, reply }
    }
}
