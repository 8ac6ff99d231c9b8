//! A path to be judged: its text, and what is known about how it was written.

use core::fmt;

/// A path to be judged, as one borrowed and copyable value.
///
/// The text is known ([`new`](Self::new)) or a pattern that a shell would expand ([`glob`](Self::glob)). A path that
/// is not known at all, such as `$DIR`, cannot be a candidate: what to do about it is the caller's policy.
///
/// Where several working directories are possible, judge one candidate for each.
///
/// ```
/// use path_match::{Candidate, RuleSet};
///
/// let rules = RuleSet::builder().rule("/etc")?.build();
/// assert!(rules.check(Candidate::new("../etc").cwd("/home")).is_some());
/// assert!(rules.check(Candidate::glob("/e*")).is_some());
/// assert!(rules.check(Candidate::new("/e*")).is_none(), "a quoted star is a star");
/// # Ok::<(), path_match::RuleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate<'a> {
    pub(crate) text: &'a str,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) glob: bool,
    pub(crate) quoted: bool,
}

impl<'a> Candidate<'a> {
    /// Creates a candidate whose text is the path itself, after quote removal.
    ///
    /// Whole trailing components `*` and `**` are dropped even so, as in rules.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, cwd: None, glob: false, quoted: false }
    }

    /// Creates a candidate whose text is a pattern: `*`, `?`, `[…]`, `**` and the extended forms `@(a|b)`, `?(…)`,
    /// `*(…)`, `+(…)`, `!(…)` are live, and a backslash makes the next character plain.
    ///
    /// Quotes are plain characters: turn what was quoted into backslash escapes first. Braces are plain too: expand
    /// them first, and judge each result.
    #[must_use]
    pub fn glob(text: &'a str) -> Self {
        Self { glob: true, ..Self::new(text) }
    }

    /// Gives the working directory, against which *lexical* mode reads relative paths: `"/tmp"` or an `Option` of it.
    ///
    /// It must be absolute, else it counts as not known.
    #[must_use]
    pub fn cwd(self, cwd: impl Into<Option<&'a str>>) -> Self {
        Self { cwd: cwd.into(), ..self }
    }

    /// Says that a leading `~` or `$HOME` was quoted, and so is the name of a file.
    #[must_use]
    pub fn quoted(self) -> Self {
        Self { quoted: true, ..self }
    }

    /// Returns the text as written.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }
}

impl<'a> From<&'a str> for Candidate<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

/// Why it cannot be told which path a candidate means. Not a "no": the caller's policy for unknown paths applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unresolved {
    /// The path is relative, and no absolute working directory was given.
    NoWorkingDirectory,
    /// The path starts with `~` or `$HOME`, and no absolute home directory was given.
    NoHome,
    /// The path starts with `~name`, `~+` or `~-`.
    OtherHome,
    /// The pattern needs more than the fixed number of matching steps.
    TooComplex,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoWorkingDirectory => {
                "the path is relative and the working directory is not known; write an absolute path"
            }
            Self::NoHome => "the path needs the home directory, which is not known; write an absolute path",
            Self::OtherHome => {
                "the path starts with a `~` form that is not looked up; write an absolute path"
            }
            Self::TooComplex => "the pattern takes too many steps to judge; write a simpler one",
        })
    }
}

impl core::error::Error for Unresolved {}
