//! What comes of a judgement.

use crate::pattern::Mismatch;
use crate::redirection::{Access, FileRule};
use alloc::string::String;
use alloc::vec::Vec;
use bash_commands::{IncompleteReason, Span, StructureKind, SyntaxError};

/// Whether a text may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Everything in it is allowed.
    Allow,
    /// Something in it is not.
    Deny,
}

impl Verdict {
    /// Returns the name that reports use: `allow` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// The judgement of one text: what was admitted by which rule, and what was refused for which cause.
///
/// [`Judgement::text`] says it in words.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Judgement {
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) more_refusals: usize,
    pub(crate) admissions: Vec<Admission>,
}

impl Judgement {
    /// Returns whether the text may run: it may when nothing in it is refused.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.refusals.is_empty() { Verdict::Allow } else { Verdict::Deny }
    }

    /// Returns what is refused, in the order of the text, and no more than 16: see [`Judgement::more_refusals`].
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Returns how many refusals there are beside those of [`Judgement::refusals`].
    #[must_use]
    pub fn more_refusals(&self) -> usize {
        self.more_refusals
    }

    /// Returns the commands that are admitted, each with its rule, in the order in which they were found.
    #[must_use]
    pub fn admissions(&self) -> &[Admission] {
        &self.admissions
    }
}

/// A command that is allowed, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Where the command stands.
    pub span: Span,
    /// Its words, after expansion.
    pub command: String,
    /// The pattern of the rule.
    pub rule: String,
}

/// Something that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where it stands in the text.
    pub span: Span,
    /// The words of the command, after expansion; the source text where there is no command.
    pub command: String,
    /// Why it is refused.
    pub cause: Cause,
}

/// Why something is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A rule denies the command.
    Denied {
        /// The pattern of the rule.
        rule: String,
        /// The rule may apply: a word is not known.
        is_possible: bool,
        /// A rule that allows something like it.
        near: Option<Near>,
    },
    /// No rule is about the command.
    NoRule {
        /// A rule that allows something like it.
        near: Option<Near>,
    },
    /// What runs is not fixed by the text, so that only the rule `*` can allow it, and only as long as no rule denies.
    Open {
        /// Why it is not fixed.
        open: Open,
        /// The rule that denies it, or may; `None` when there is no rule `*`.
        rule: Option<String>,
    },
    /// `allowMultiple` is off, and the text is more than one command.
    Multiple(StructureKind),
    /// `allowMultiple` is off, and the text runs code that may be more than one command.
    MaybeMultiple,
    /// `allowPipe` is off, and the text has a pipe.
    Pipe,
    /// The target of a redirection.
    Target {
        /// The target as far as it is known.
        target: String,
        /// What is done with it.
        access: Access,
        /// What is wrong with it.
        cause: TargetCause,
    },
    /// bash would refuse the text.
    Syntax(Option<SyntaxError>),
    /// The text is too long or too deep to be read.
    Unreadable(IncompleteReason),
}

impl Cause {
    /// Returns the name that reports use, such as `denied`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Denied { .. } => "denied",
            Self::NoRule { .. } => "no-rule",
            Self::Open { .. } => "not-fixed",
            Self::Multiple(_) | Self::MaybeMultiple => "multiple",
            Self::Pipe => "pipe",
            Self::Target { .. } => "redirection",
            Self::Syntax(_) => "syntax",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// Returns the pattern of the rule that refuses, if one does.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Denied { rule, .. } => Some(rule),
            Self::Open { rule, .. } => rule.as_deref(),
            _ => None,
        }
    }
}

/// A rule that allows something like the command, and what is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The pattern of the rule.
    pub rule: String,
    /// What is in the way.
    pub mismatch: Mismatch,
}

/// Why it is not fixed what a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Open {
    /// Its name is not known.
    Name,
    /// The text sets this variable.
    Variable(String),
    /// There is no command, but only assignments.
    Assignments,
    /// Nothing runs (a comment, `[[ … ]]`, a function that is not called).
    Nothing,
    /// Code that is not known (`eval "$x"`, `curl … | sh`).
    Code,
    /// An argument that is not known may be the option by which the program runs another one.
    Argument,
}

/// What is wrong with the target of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetCause {
    /// It is not known which file it is.
    Unknown,
    /// It is no file but a network connection.
    Connection,
    /// The lists of the file system forbid it.
    Forbidden(FileRule),
}
