//! The tool `find`: files and directories by glob.
//!
//! A pattern without `/` is held against the name at any depth; one with `/` against the path below the start. `*` stops at `/`,
//! `**` does not. Directories end in `/`.

use crate::error::PatternProblem;
use crate::limit::ANSWER_BYTES;
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::walk::{Rules, left_out, scoped};
use crate::{Context, Error, Language};
use globset::{GlobBuilder, GlobMatcher};
use ignore::DirEntry;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The most paths, unless asked for another number.
const LIMIT: u64 = 1000;

/// The longest walk.
const PATIENCE: Duration = Duration::from_mins(1);

/// The parameters of `find`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindParameters {
    /// The glob.
    pub pattern: String,
    /// The directory to search; without it, the working directory.
    #[serde(default)]
    pub path: Option<String>,
    /// The most paths.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What `find` found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindResult {
    /// The paths, sorted: relative to the working directory where they lie below it; directories end in `/`.
    pub paths: Vec<String>,
    /// How many there are in all.
    pub total: u64,
    /// If nothing was found: how many would be, were it not for ignore files.
    pub ignored: u64,
    /// The first of those.
    pub first_ignored: Option<String>,
    /// How many entries may not be read, with everything below them.
    pub denied: u64,
    /// Whether the search ended before it had seen everything.
    pub timed_out: bool,
    /// Directories that could not be read, the first few.
    pub unreadable: Vec<String>,
}

/// Runs `find`.
///
/// # Errors
/// The glob cannot be read, or the directory cannot.
///
/// Cost: the whole tree is walked, whatever the limit, so that the answer is always the same.
pub fn find(parameters: &FindParameters, context: &Context<'_>) -> Result<FindResult, Error> {
    let limit = parameters.limit.unwrap_or(LIMIT);
    let start = Place::of(parameters.path.as_deref().unwrap_or("."), context)?;
    start.check_search(context)?;
    let metadata = std::fs::metadata(&start.named).map_err(|source| Error::io(&start.named, source))?;
    if !metadata.is_dir() {
        return Err(Error::io(&start.named, std::io::ErrorKind::NotADirectory.into()));
    }
    let wanted = Wanted::of(&parameters.pattern)?;
    let matches = |entry: &DirEntry| entry.depth() > 0 && wanted.matches(entry, &start.named);
    let found = Mutex::new(Vec::new());
    let walked = scoped(&start, context, Rules::Honoured, Instant::now() + PATIENCE, &|entry| {
        if matches(entry)
            && let Ok(mut found) = found.lock()
        {
            let slash = if is_directory(entry) { "/" } else { "" };
            found.push(format!("{}{slash}", shown(entry.path(), context.cwd)));
        }
        Ok(())
    })?;
    let mut paths = found.into_inner().unwrap_or_default();
    let total = paths.len() as u64;
    paths.sort_unstable();
    paths.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let (ignored, first_ignored) =
        if total == 0 { left_out(&start, context, matches)? } else { Default::default() };
    Ok(FindResult {
        paths,
        total,
        ignored,
        first_ignored: first_ignored.filter(|_| ignored > 0),
        denied: walked.denied,
        timed_out: walked.timed_out,
        unreadable: walked.unreadable,
    })
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// A glob, and what it is held against.
#[derive(Debug)]
pub(crate) struct Wanted {
    glob: GlobMatcher,
    against: Against,
    /// The pattern ends in `/`.
    directories_only: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    Name,
    Relative,
    Absolute,
}

impl Wanted {
    pub(crate) fn of(pattern: &str) -> Result<Self, Error> {
        let wrong = |problem| Error::Pattern { pattern: pattern.to_owned(), problem };
        let directories_only = pattern.len() > 1 && pattern.ends_with('/');
        let text = pattern.trim_end_matches('/').trim_start_matches("./");
        if text.is_empty() {
            return Err(wrong(PatternProblem::Empty));
        }
        let against = match text {
            absolute if absolute.starts_with('/') => Against::Absolute,
            relative if relative.contains('/') => Against::Relative,
            _ => Against::Name,
        };
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        let glob =
            glob.map_err(|error| wrong(PatternProblem::Engine(error.kind().to_string())))?.compile_matcher();
        Ok(Self { glob, against, directories_only })
    }

    pub(crate) fn matches(&self, entry: &DirEntry, start: &Path) -> bool {
        if self.directories_only && !is_directory(entry) {
            return false;
        }
        let path = entry.path();
        match self.against {
            Against::Name => self.glob.is_match(Path::new(path.file_name().unwrap_or(OsStr::new("")))),
            Against::Relative => self.glob.is_match(path.strip_prefix(start).unwrap_or(path)),
            Against::Absolute => self.glob.is_match(path),
        }
    }
}

impl Answer for FindResult {
    fn text(&self, language: Language) -> String {
        let mut text = String::new();
        let mut shown = 0_u64;
        for path in &self.paths {
            if text.len() + path.len() > ANSWER_BYTES {
                break;
            }
            text.push_str(path);
            text.push('\n');
            shown += 1;
        }
        let mut notes = Vec::new();
        let total = self.total;
        if total == 0 {
            notes.push(language.pick("没有匹配的文件", "nothing matches").to_owned());
        }
        if let (ignored @ 1.., Some(first)) = (self.ignored, &self.first_ignored) {
            notes.push(crate::text::left_out(ignored, first, language));
        }
        if shown < total {
            notes.push(match language {
                Language::ZhCn => {
                    format!("显示 {shown} 个，共 {total} 个；请缩小 pattern 或 path，或提高 limit")
                }
                Language::En => {
                    format!("{shown} of {total}; narrow the pattern or the path, or raise the limit")
                }
            });
        }
        notes.extend(crate::text::walk_notes(self.denied, self.timed_out, &self.unreadable, language));
        if !notes.is_empty() {
            text.push_str(&["[", &notes.join("; "), "]"].concat());
        }
        text
    }
}
