//! The tool `guard_check`: what it asks the user, and what it answers the model.

use crate::{Ack, By, Locale, Text};

/// What the user may choose when asked whether the condition is met: the options of the dialog
/// [`Text::CheckTitle`], in the order of [`ALL`](Self::ALL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It is met.
    Satisfied,
    /// Something is missing; [`Text::AskMissing`] asks what.
    NotYet,
}

impl Choice {
    /// Both options, in the order they are shown.
    pub const ALL: [Self; 2] = [Self::Satisfied, Self::NotYet];

    /// Returns the option's label.
    #[must_use]
    pub fn text(self) -> Text<'static> {
        match self {
            Self::Satisfied => Text::Satisfied,
            Self::NotYet => Text::NotYet,
        }
    }

    /// Returns the option with this label; for hosts whose dialogs answer with the label.
    ///
    /// ```
    /// use guard_eval::{Choice, Locale};
    ///
    /// assert_eq!(Choice::from_label("🔁 还没，继续干", Locale::ZhCn), Some(Choice::NotYet));
    /// assert_eq!(Choice::from_label("?", Locale::ZhCn), None);
    /// ```
    #[must_use]
    pub fn from_label(label: &str, locale: Locale) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.text().in_locale(locale).is(label))
    }
}

/// How the question to the user ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The user chose [`Choice::Satisfied`].
    Satisfied,
    /// The user chose [`Choice::NotYet`].
    NotYet {
        /// What the user says is missing; `None` if that dialog was dismissed or timed out.
        missing: Option<&'a str>,
    },
    /// There is nobody to ask.
    NoUi,
    /// The user closed the first dialog.
    Dismissed,
    /// The user did not answer the first dialog in time.
    Timeout,
    /// No guard is in force: the tool was called although the model should not see it.
    NoGuard,
}

/// What the tool answers the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckResult<'a> {
    /// What the model reads.
    pub content: Text<'a>,
    /// What the details say: `{end: true, by}` or `{end: false}`.
    pub ack: Ack,
    /// Whether the agent's run ends with this result.
    pub terminate: bool,
}

impl<'a> Answer<'a> {
    /// Returns what the tool answers the model.
    ///
    /// Whatever keeps the user from being asked counts as satisfied: a guard is a brake, and must not jam a session.
    /// The details say by whom.
    ///
    /// ```
    /// use guard_eval::{Ack, Answer, By, Locale};
    ///
    /// let not_yet = Answer::NotYet { missing: Some("one test fails") }.result();
    /// assert_eq!(not_yet.content.in_locale(Locale::En).to_string(), "one test fails");
    /// assert_eq!((not_yet.ack, not_yet.terminate), (Ack::NotYet, false));
    ///
    /// let nobody = Answer::NoUi.result();
    /// assert_eq!((nobody.ack, nobody.terminate), (Ack::Confirmed(By::NoUi), true));
    /// ```
    #[must_use]
    pub fn result(self) -> CheckResult<'a> {
        let satisfied = |by| CheckResult {
            content: Text::CheckSatisfied { by },
            ack: Ack::Confirmed(by),
            terminate: true,
        };
        let not_yet = |content| CheckResult { content, ack: Ack::NotYet, terminate: false };
        match self {
            Self::Satisfied => satisfied(By::User),
            Self::NoUi => satisfied(By::NoUi),
            Self::Dismissed => satisfied(By::Dismissed),
            Self::Timeout => satisfied(By::Timeout),
            Self::NotYet { missing: Some(missing) } if !missing.trim().is_empty() => {
                not_yet(Text::Verbatim { text: missing })
            }
            Self::NotYet { .. } => not_yet(Text::NotSaid),
            Self::NoGuard => not_yet(Text::NoGuard),
        }
    }
}
