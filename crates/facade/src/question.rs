//! Questions to the user, and their answers, as values.

use std::time::Duration;

/// A question to the user.
///
/// The engine never waits: an operation that needs an answer gives the question back, and is resumed with the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// One of several options.
    Select {
        /// What is asked; may have several lines.
        title: String,
        /// What may be answered.
        options: Vec<String>,
        /// How long to wait for the answer; `None`: without end.
        timeout: Option<Duration>,
    },
    /// Yes or no.
    Confirm {
        /// What is asked.
        title: String,
        /// What the user has to know; may have several lines.
        message: String,
        /// How long to wait for the answer; `None`: without end.
        timeout: Option<Duration>,
    },
    /// A text.
    Input {
        /// What is asked.
        title: String,
        /// What stands in the empty field.
        placeholder: Option<String>,
        /// How long to wait for the answer; `None`: without end.
        timeout: Option<Duration>,
    },
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The option with this index, of [`Question::Select`].
    Selected(usize),
    /// Yes or no, to [`Question::Confirm`].
    Confirmed(bool),
    /// The text, to [`Question::Input`].
    Text(String),
    /// The user closed the question without an answer.
    Dismissed,
    /// The user did not answer in time.
    TimedOut,
    /// There is nobody to ask.
    NoUi,
}

/// An answer to another kind of question than the one that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer does not fit the question: expected {expected}")]
pub struct Misfit {
    /// What would fit.
    expected: &'static str,
}

impl Question {
    /// Returns what is asked.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Select { title, .. } | Self::Confirm { title, .. } | Self::Input { title, .. } => title,
        }
    }

    /// Returns how long to wait for the answer, or `None` for without end.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Select { timeout, .. } | Self::Confirm { timeout, .. } | Self::Input { timeout, .. } => {
                *timeout
            }
        }
    }

    /// Returns the answer that is the option with this label: for hosts whose dialogs give labels back.
    ///
    /// ```
    /// use brakeline::{Answer, Question};
    ///
    /// let question = Question::Select {
    ///     title: "Go on?".to_owned(),
    ///     options: vec!["yes".to_owned(), "no".to_owned()],
    ///     timeout: None,
    /// };
    /// assert_eq!(question.answer_of("no"), Some(Answer::Selected(1)));
    /// assert_eq!(question.answer_of("perhaps"), None);
    /// ```
    #[must_use]
    pub fn answer_of(&self, label: &str) -> Option<Answer> {
        match self {
            Self::Select { options, .. } => {
                options.iter().position(|option| option == label).map(Answer::Selected)
            }
            Self::Confirm { .. } | Self::Input { .. } => None,
        }
    }

    /// Checks that an answer is one to this question.
    ///
    /// # Errors
    ///
    /// If it is one to another kind of question, or an option that was not offered.
    pub fn check(&self, answer: &Answer) -> Result<(), Misfit> {
        let fits = match (self, answer) {
            (_, Answer::Dismissed | Answer::TimedOut | Answer::NoUi)
            | (Self::Confirm { .. }, Answer::Confirmed(_))
            | (Self::Input { .. }, Answer::Text(_)) => true,
            (Self::Select { options, .. }, Answer::Selected(index)) => *index < options.len(),
            _ => false,
        };
        let expected = match self {
            Self::Select { .. } => "one of the options",
            Self::Confirm { .. } => "yes or no",
            Self::Input { .. } => "a text",
        };
        if fits { Ok(()) } else { Err(Misfit { expected }) }
    }
}

/// Somebody who can be asked, for hosts that can wait: see [`Engine::handle_with`](crate::Engine::handle_with).
pub trait Ui {
    /// Asks, and waits for the end of it, at most the question's own timeout.
    fn ask(&mut self, question: &Question) -> Answer;
}

/// Nobody: every question ends at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoUi;

impl Ui for NoUi {
    fn ask(&mut self, _: &Question) -> Answer {
        Answer::NoUi
    }
}
