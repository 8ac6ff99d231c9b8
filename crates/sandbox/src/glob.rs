//! Paths of the lists that stand for several: `*`, `?`, `[…]` inside one name, `**` for names at any depth.

use crate::text::in_language;
use brakeline_settings::Language;
use globset::{GlobBuilder, GlobMatcher};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Why a path of a list is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GlobError {
    /// A NUL byte.
    Nul,
    /// `~user`: whose home that is would have to be looked up.
    OtherHome,
    /// A pattern that is not one, such as `[a`.
    Broken,
    /// `..` after a wildcard.
    Upwards,
    /// The pattern has to look at more than [`MAX_VISITED`] names.
    TooWide,
}

/// The number of names that the search for a pattern may look at: 100,000.
pub const MAX_VISITED: usize = 100_000;

impl GlobError {
    /// Returns the second half of the sentence «the path `…` …».
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::Nul => in_language(language, "含有 NUL 字符", "holds a NUL byte"),
            Self::OtherHome => in_language(
                language,
                "指向他人的主目录，请写出完整路径",
                "means somebody else's home; write it in full",
            ),
            Self::Broken => in_language(
                language,
                "不是有效的通配模式；请检查方括号",
                "is no valid pattern; look at its brackets",
            ),
            Self::Upwards => in_language(
                language,
                "在通配符之后使用了 `..`",
                "has `..` after a wildcard; write the path without it",
            ),
            Self::TooWide => in_language(
                language,
                "要查找的文件太多；请改写成目录",
                "would have to look at too many files; name a directory instead",
            ),
        }
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path {}", self.text(Language::En))
    }
}

impl std::error::Error for GlobError {}

/// Refuses a path that could not be enforced.
///
/// # Errors
///
/// Any [`GlobError`] but [`TooWide`](GlobError::TooWide), which depends on what is there.
pub fn check(text: &str) -> Result<(), GlobError> {
    PathPattern::parse(text, Path::new("/"), Path::new("/")).map(|_| ())
}

/// A path of a list: where its search starts, and what it looks for there.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// The path as a name, absolute.
    pub(crate) literal: PathBuf,
    /// The names before the first wildcard.
    pub(crate) start: PathBuf,
    /// What comes after; empty: the path is a name and nothing else.
    pub(crate) parts: Vec<Part>,
}

/// One name of a pattern.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// `**`: any number of directories, none included.
    AnyDepth,
    /// A name.
    Name(OsString),
    /// A name with wildcards.
    Glob(GlobMatcher),
}

impl Part {
    pub(crate) fn matches(&self, name: &OsStr) -> bool {
        match self {
            Self::AnyDepth => true,
            Self::Name(wanted) => wanted == name,
            Self::Glob(glob) => glob.is_match(Path::new(name)),
        }
    }
}

impl PathPattern {
    /// Reads a path of a list. `~` is the home directory, a relative path starts in the working directory, and `/**` at the
    /// end changes nothing: a directory always stands for all that it holds.
    pub(crate) fn parse(text: &str, cwd: &Path, home: &Path) -> Result<Self, GlobError> {
        if text.contains('\0') {
            return Err(GlobError::Nul);
        }
        let text = text.trim_end_matches('/').trim_end_matches("/**").trim_end_matches('/');
        let literal = match text.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) => {
                home.join(rest.strip_prefix('/').ok_or(GlobError::OtherHome)?.trim_start_matches('/'))
            }
            // What was nothing but slashes.
            None if text.is_empty() => PathBuf::from("/"),
            None => cwd.join(text),
        };
        let mut start = PathBuf::new();
        let mut parts = Vec::new();
        // Directories of the host's are names even if they hold a star: only what the list wrote is a pattern.
        let given = text.trim_start_matches('~').trim_start_matches('/');
        let written = Path::new(given).components().filter(|part| *part != Component::CurDir).count();
        let total = literal.components().filter(|part| *part != Component::CurDir).count();
        for (at, component) in literal.components().filter(|part| *part != Component::CurDir).enumerate() {
            let is_written = at + written >= total;
            let name = component.as_os_str();
            match part(name, is_written)? {
                Part::Name(_) if component == Component::ParentDir && !parts.is_empty() => {
                    return Err(GlobError::Upwards);
                }
                Part::Name(_) if parts.is_empty() => start.push(name),
                part => parts.push(part),
            }
        }
        Ok(Self { literal, start, parts })
    }

    /// Returns how many names below its start the pattern needs to mean a canonical path, or the deepest directory around
    /// it; `None` if it means neither.
    pub(crate) fn covers(&self, start: &Path, path: &Path) -> Option<usize> {
        let names: Vec<_> = path.strip_prefix(start).ok()?.iter().collect();
        (1..=names.len())
            .rev()
            .find(|length| names.get(..*length).is_some_and(|names| matches_all(&self.parts, names)))
    }
}

/// Whether parts match names, all of both. The states of the parts advance together: no backtracking.
fn matches_all(parts: &[Part], names: &[&OsStr]) -> bool {
    let mut states = vec![false; parts.len() + 1];
    start_at(&mut states, parts, 0);
    for name in names {
        let mut next = vec![false; parts.len() + 1];
        for (at, part) in parts.iter().enumerate() {
            if states.get(at) == Some(&true) && part.matches(name) {
                let to = if matches!(part, Part::AnyDepth) { at } else { at + 1 };
                start_at(&mut next, parts, to);
            }
        }
        states = next;
    }
    states.last() == Some(&true)
}

/// Marks a state, and those that `**` reaches from it without a name.
fn start_at(states: &mut [bool], parts: &[Part], from: usize) {
    for at in from..=parts.len() {
        if let Some(state) = states.get_mut(at) {
            *state = true;
        }
        if !matches!(parts.get(at), Some(Part::AnyDepth)) {
            break;
        }
    }
}

fn part(name: &OsStr, is_written: bool) -> Result<Part, GlobError> {
    let text = match name.to_str() {
        Some("**") if is_written => return Ok(Part::AnyDepth),
        Some(text) if is_written && name.as_bytes().iter().any(|byte| b"*?[".contains(byte)) => text,
        _ => return Ok(Part::Name(name.to_owned())),
    };
    // Braces are part of names here, as they are in the lists of other programs that read the same file.
    let escaped = text.replace('{', "[{]").replace('}', "[}]");
    let glob = GlobBuilder::new(&escaped).literal_separator(true).backslash_escape(false).build();
    glob.map(|glob| Part::Glob(glob.compile_matcher())).map_err(|_| GlobError::Broken)
}
