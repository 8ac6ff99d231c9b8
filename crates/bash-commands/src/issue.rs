//! What is wrong with a text, and where.

use crate::span::Span;
use core::fmt;

/// A construct that has an opening and a closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Construct {
    /// `'…'`.
    SingleQuotes,
    /// `"…"`.
    DoubleQuotes,
    /// `$'…'`.
    AnsiCQuotes,
    /// `` `…` ``.
    Backquotes,
    /// `$(…)`.
    CommandSubstitution,
    /// `<(…)` or `>(…)`.
    ProcessSubstitution,
    /// `${…}`.
    Parameter,
    /// `$((…))` or `((…))`.
    Arithmetic,
    /// `$[…]`.
    ArithmeticBrackets,
    /// The subscript of an array element.
    Subscript,
    /// `name=(…)`.
    Array,
    /// `( … )`.
    Subshell,
    /// `{ …; }`.
    Group,
    /// `if … fi`.
    If,
    /// The body of a loop.
    Loop,
    /// `case … esac`.
    Case,
    /// `[[ … ]]`.
    Condition,
    /// A parenthesised part of a pattern or regular expression.
    Pattern,
    /// `name() …`.
    Function,
}

impl Construct {
    /// Returns the text that closes the construct; empty for a function, whose body closes it.
    #[must_use]
    pub const fn closing(self) -> &'static str {
        match self {
            Self::SingleQuotes | Self::AnsiCQuotes => "'",
            Self::DoubleQuotes => "\"",
            Self::Backquotes => "`",
            Self::CommandSubstitution
            | Self::ProcessSubstitution
            | Self::Array
            | Self::Subshell
            | Self::Pattern => ")",
            Self::Parameter | Self::Group => "}",
            Self::Arithmetic => "))",
            Self::ArithmeticBrackets | Self::Subscript => "]",
            Self::If => "fi",
            Self::Loop => "done",
            Self::Case => "esac",
            Self::Condition => "]]",
            Self::Function => "",
        }
    }

    /// Returns the name of the construct, as it is used in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleQuotes => "single-quoted text",
            Self::DoubleQuotes => "double-quoted text",
            Self::AnsiCQuotes => "`$'…'` text",
            Self::Backquotes => "backquoted command",
            Self::CommandSubstitution => "command substitution",
            Self::ProcessSubstitution => "process substitution",
            Self::Parameter => "parameter expansion",
            Self::Arithmetic | Self::ArithmeticBrackets => "arithmetic expression",
            Self::Subscript => "subscript",
            Self::Array => "array",
            Self::Subshell => "subshell",
            Self::Group => "command group",
            Self::If => "`if` command",
            Self::Loop => "loop",
            Self::Case => "`case` command",
            Self::Condition => "conditional expression",
            Self::Pattern => "pattern list",
            Self::Function => "function definition",
        }
    }
}

/// What kind of mistake a [`SyntaxError`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// Something stands where bash allows no such thing; the span is that token, empty at the end of the text.
    Unexpected,
    /// A command must stand here: between two operators, or in an empty body.
    MissingCommand,
    /// A word must stand here: behind a redirection operator, `for`, `case` or `function`.
    MissingWord,
    /// The body of a function must be a compound command.
    MissingBody,
    /// The text ends, or something else comes, before this construct is closed.
    Unterminated(Construct),
    /// The keyword (`then`, `do`, `in`) that must come next does not.
    MissingKeyword(&'static str),
    /// `[[ … ]]` holds something that is no conditional expression.
    InvalidCondition,
    /// `for ((…))` holds more or fewer than three expressions.
    InvalidForHeader,
    /// More than sixteen here-documents start on one line, which bash refuses.
    TooManyHeredocs,
    /// Constructs are nested deeper than the limit of the analysis. Bash itself might accept the text.
    TooDeep,
}

/// What the reader reports; the public face of it is [`SyntaxError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: SyntaxErrorKind,
    pub(crate) span: Span,
    pub(crate) opened: Option<Span>,
}

/// Text that bash refuses to run, with the place of the mistake.
///
/// The message says what is wrong and what to write instead; [`span`](Self::span) says where. For a construct that is
/// not closed, [`opened`](Self::opened) is the place where it begins, which is usually where the mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    kind: SyntaxErrorKind,
    span: Span,
    opened: Option<Span>,
}

impl SyntaxError {
    /// Returns what kind of mistake it is.
    #[must_use]
    pub const fn kind(&self) -> SyntaxErrorKind {
        self.kind
    }

    /// Returns the bytes of the text that bash trips over; an empty span behind the last byte when the text ends too soon.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns where the construct begins that is not closed.
    #[must_use]
    pub const fn opened(&self) -> Option<Span> {
        self.opened
    }
}

impl From<Fault> for SyntaxError {
    fn from(fault: Fault) -> Self {
        Self { kind: fault.kind, span: fault.span, opened: fault.opened }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            SyntaxErrorKind::Unexpected => {
                f.write_str(
                    "unexpected token; end the command before it with `;` or a newline, or quote it",
                )?;
            }
            SyntaxErrorKind::MissingCommand => {
                f.write_str("a command is missing; write one, or `:` when nothing is to be done")?;
            }
            SyntaxErrorKind::MissingWord => {
                f.write_str("a word is missing; write one, or `''` for an empty one")?;
            }
            SyntaxErrorKind::MissingBody => {
                f.write_str(
                    "the body of the function is missing; write a compound command such as `{ …; }`",
                )?;
            }
            SyntaxErrorKind::Unterminated(construct) => {
                write!(f, "{} is not closed; add `{}`", construct.name(), construct.closing())?;
            }
            SyntaxErrorKind::MissingKeyword(keyword) => {
                write!(f, "`{keyword}` is missing; put it behind a `;` or a newline")?;
            }
            SyntaxErrorKind::InvalidCondition => {
                f.write_str("no conditional expression; write `-op word`, `word op word` or `word` between `[[` and `]]`")?;
            }
            SyntaxErrorKind::InvalidForHeader => {
                f.write_str("an arithmetic `for` needs three expressions; write `for ((init; test; step))`")?;
            }
            SyntaxErrorKind::TooManyHeredocs => {
                f.write_str("more than 16 here-documents on one line; split the line")?;
            }
            SyntaxErrorKind::TooDeep => f.write_str("nested too deeply; split the command")?,
        }
        write!(f, " (byte {}", self.span.start)?;
        if let Some(opened) = self.opened {
            write!(f, ", opened at byte {}", opened.start)?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for SyntaxError {}
