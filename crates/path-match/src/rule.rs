//! One forbidden path, checked when it is read, so that matching never meets a rule that cannot work.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use core::fmt;
use core::ops::Range;

use crate::lexical::without_trailing_wildcards;

/// A forbidden path: everything equal to it or under it hits.
///
/// The rule `/` is the exception: it means the root directory itself. Whole trailing components `*` and `**` and
/// trailing slashes say nothing and are dropped. Apart from these a rule is plain text, without wildcards, braces,
/// variables or escapes.
///
/// ```
/// use path_match::Rule;
///
/// let rule = Rule::parse("/etc/**")?;
/// assert_eq!(rule.text(), "/etc/**");
/// assert_eq!(rule.path(), "/etc");
///
/// assert_eq!(Rule::parse_with("~/.ssh", "/home/u")?.path(), "/home/u/.ssh");
/// assert!(Rule::parse("/home/*/.ssh").is_err());
/// # Ok::<(), path_match::RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    text: Box<str>,
    // INVARIANT: starts with `/`; has no wildcard; does not end in `/` unless it is the root.
    path: Box<str>,
}

impl Rule {
    /// Reads a rule where the home directory is not known; `~/` is then an error.
    ///
    /// # Errors
    ///
    /// See [`RuleErrorKind`]. Cost: one pass over the text.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_with(text, None)
    }

    /// Reads a rule; a leading `~/`, or a `~` alone, stands for `home`.
    ///
    /// `home` is `"/home/u"` or an `Option` of it.
    ///
    /// # Errors
    ///
    /// See [`RuleErrorKind`]. Cost: one pass over the text.
    pub fn parse_with<'h>(text: &str, home: impl Into<Option<&'h str>>) -> Result<Self, RuleError> {
        let fail = |kind, span| Err(RuleError { kind, text: text.into(), span });
        if text.is_empty() {
            return fail(RuleErrorKind::Empty, 0..0);
        }
        let after_tilde = text.strip_prefix('~');
        if after_tilde.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')) {
            return fail(RuleErrorKind::OtherHome, 0..text.find('/').unwrap_or(text.len()));
        }
        if after_tilde.is_none() && !text.starts_with('/') {
            return fail(RuleErrorKind::Relative, 0..text.len());
        }
        if let Some(span) = wildcard_in(without_trailing_wildcards(text)) {
            return fail(RuleErrorKind::Wildcard, span);
        }
        let path = match (after_tilde, home.into()) {
            (None, _) => text.to_owned(),
            (Some(_), None) => return fail(RuleErrorKind::HomeUnknown, 0..1),
            (Some(_), Some(home)) if !home.starts_with('/') || wildcard_in(home).is_some() => {
                return fail(RuleErrorKind::HomeUnusable, 0..1);
            }
            (Some(rest), Some(home)) => format!("{}{rest}", home.trim_end_matches('/')),
        };
        let path = match without_trailing_wildcards(&path) {
            "" => "/",
            path => path,
        };
        Ok(Self { text: text.into(), path: path.into() })
    }

    /// Returns the rule as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the absolute path that the rule forbids: `~` expanded, trailing wildcards and slashes dropped, all else
    /// as written.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a text is no rule, and which of its bytes are at fault.
///
/// ```
/// use path_match::{Rule, RuleErrorKind};
///
/// let error = Rule::parse("/home/*/.ssh").unwrap_err();
/// assert_eq!(error.kind(), RuleErrorKind::Wildcard);
/// assert_eq!(error.found(), "*");
/// assert_eq!(error.span(), 6..7);
/// assert_eq!(
///     error.to_string(),
///     "rule `/home/*/.ssh` has the wildcard `*`; only whole components `*` or `**` at the end may stand, \
///      so name each directory in a rule of its own",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    kind: RuleErrorKind,
    text: Box<str>,
    // INVARIANT: within `text`, on character boundaries.
    span: Range<usize>,
}

/// The kinds of [`RuleError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// The text is empty.
    Empty,
    /// The text starts with neither `/` nor `~`: `etc`, `./x`, `$HOME/x`, `C:\x`.
    Relative,
    /// A component has `*`, `?`, `[…]` or a brace list, and is not a whole `*` or `**` at the end.
    Wildcard,
    /// The rule starts with `~` and no home directory was given.
    HomeUnknown,
    /// The rule starts with `~` and the home directory given is relative or has a wildcard.
    HomeUnusable,
    /// The rule starts with `~name`, the home directory of some user: looking it up would need the system.
    OtherHome,
}

impl RuleError {
    /// Returns the kind of fault.
    #[must_use]
    pub fn kind(&self) -> RuleErrorKind {
        self.kind
    }

    /// Returns the whole text that was refused.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the range of bytes of [`text`](Self::text) that is at fault.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the part of the text that is at fault.
    #[must_use]
    pub fn found(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A message is one line, whatever the settings hold.
        let text = self.text.escape_debug();
        match self.kind {
            RuleErrorKind::Empty => f.write_str("the rule is empty; write an absolute path such as `/etc`"),
            RuleErrorKind::Relative => {
                write!(f, "rule `{text}` is not absolute; start it with `/` or `~/`")
            }
            RuleErrorKind::Wildcard => write!(
                f,
                "rule `{text}` has the wildcard `{}`; only whole components `*` or `**` at the end may stand, \
                 so name each directory in a rule of its own",
                self.found().escape_debug(),
            ),
            RuleErrorKind::HomeUnknown => {
                write!(f, "rule `{text}` needs the home directory, which is not known; write the path out")
            }
            RuleErrorKind::HomeUnusable => write!(
                f,
                "rule `{text}` needs the home directory, which is relative or has a wildcard; write the path out",
            ),
            RuleErrorKind::OtherHome => write!(
                f,
                "rule `{text}` needs the home directory of `{}`, which is not looked up; write the path out",
                self.found().escape_debug(),
            ),
        }
    }
}

impl core::error::Error for RuleError {}

/// Returns the first component with a wildcard, or else the first brace list, which may span components.
fn wildcard_in(path: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for component in path.split('/') {
        if has_wildcard(component) {
            return Some(start..start + component.len());
        }
        start += component.len() + 1;
    }
    brace_list_in(path)
}

fn has_wildcard(component: &str) -> bool {
    // A `[` that nothing closes is a plain character for every shell.
    component.contains(['*', '?']) || component.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}

/// Returns `{…}` with a `,` or `..` inside: a shell would expand it, and a rule that silently never hits helps nobody.
fn brace_list_in(path: &str) -> Option<Range<usize>> {
    let open = path.find('{')?;
    let (_, inside) = path.split_at_checked(open)?;
    let close = inside.rfind('}')?;
    let inside = inside.get(..=close)?;
    (inside.contains(',') || inside.contains("..")).then_some(open..open + inside.len())
}
