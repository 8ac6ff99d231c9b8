//! The tool `grep`: lines by regular expression, with ripgrep's engine.

use crate::error::PatternProblem;
use crate::find::Wanted;
use crate::first::{Finding, First};
use crate::limit::{ANSWER_BYTES, head};
use crate::place::{Place, shown};
use crate::regex_choice::reads_alike;
use crate::tool::Answer;
use crate::walk::{Rules, left_out, walk};
use crate::{Context, Error, Language};
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch,
};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most matching lines, unless asked for another number.
const LIMIT: u64 = 200;

/// The most matching lines that can be asked for.
const MAX_LIMIT: u64 = 10_000;

/// The most lines around a match.
const MAX_CONTEXT: u64 = 100;

/// The longest line that is shown whole, in bytes.
const LINE_BYTES: usize = 500;

/// The longest search.
const PATIENCE: Duration = Duration::from_mins(1);

/// How much memory a search across lines may take for one file.
const HEAP: usize = 256 * 1024 * 1024;

/// The parameters of `grep`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GrepParameters {
    /// The regular expression (PCRE), or with `literal` the text.
    pub pattern: String,
    /// The file or directory to search; without it, the working directory.
    #[serde(default)]
    pub path: Option<String>,
    /// Which files: a glob as `find` takes it.
    #[serde(default)]
    pub glob: Option<String>,
    /// Whether case does not matter.
    #[serde(default)]
    pub ignore_case: Option<bool>,
    /// Whether the pattern is a text and not a regular expression.
    #[serde(default)]
    pub literal: Option<bool>,
    /// How many lines to show before and after each match.
    #[serde(default)]
    pub context: Option<u64>,
    /// The most matching lines.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What `grep` found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GrepResult {
    /// The files with matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// How many matching lines are shown.
    pub matches: u64,
    /// Whether there are more than the limit.
    pub more: bool,
    /// How many files were searched.
    pub searched: u64,
    /// How many files were left out for being binary.
    pub binary: u64,
    /// If nothing was found: how many files were left out by ignore files.
    pub ignored: u64,
    /// The first of those.
    pub first_ignored: Option<String>,
    /// How many entries may not be read, with everything below them.
    pub denied: u64,
    /// Whether the search ended before it had seen everything.
    pub timed_out: bool,
    /// Files and directories that could not be read, the first few.
    pub unreadable: Vec<String>,
}

/// The matches of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileMatches {
    /// The file: relative to the working directory if it lies below it.
    pub path: String,
    /// The lines, in their order.
    pub lines: Vec<MatchLine>,
}

/// A line that matches, or one beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatchLine {
    /// The number of the line, from 1.
    pub line: u64,
    /// The line without its ending, cut if it is long.
    pub text: String,
    /// Whether it matches; else it is shown for context.
    pub matched: bool,
    /// Whether `text` is only the beginning of the line.
    pub cut: bool,
}

/// Runs `grep`.
///
/// # Errors
/// A pattern cannot be read, or the start cannot. A file below it that cannot be read is named in the result.
pub fn grep(parameters: &GrepParameters, context: &Context<'_>) -> Result<GrepResult, Error> {
    let limit = parameters.limit.unwrap_or(LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(Error::OutOfRange { parameter: "limit", least: 1, most: MAX_LIMIT });
    }
    let around = parameters.context.unwrap_or(0);
    if around > MAX_CONTEXT {
        return Err(Error::OutOfRange { parameter: "context", least: 0, most: MAX_CONTEXT });
    }
    let start = Place::of(parameters.path.as_deref().unwrap_or("."), context)?;
    start.check_search(context)?;
    let metadata = std::fs::metadata(&start.named).map_err(|source| Error::io(&start.named, source))?;
    let glob = parameters.glob.as_deref().map(Wanted::of).transpose()?;
    let search = Search {
        pattern: &parameters.pattern,
        engine: Engine::of(parameters)?,
        multi_line: spans_lines(parameters),
        around,
        limit,
        context,
    };
    if metadata.is_dir() { search.tree(&start, glob.as_ref()) } else { search.file(&start) }
}

/// Whether a match may go over the end of a line.
fn spans_lines(parameters: &GrepParameters) -> bool {
    let pattern = &parameters.pattern;
    let escaped = parameters.literal != Some(true) && (pattern.contains("\\n") || pattern.contains("(?s"));
    pattern.contains('\n') || escaped
}

/// One of the two engines.
enum Engine {
    Linear(RegexMatcher),
    #[cfg(feature = "pcre2")]
    Pcre(grep_pcre2::RegexMatcher),
}

impl Engine {
    fn of(parameters: &GrepParameters) -> Result<Self, Error> {
        let GrepParameters { pattern, .. } = parameters;
        let literal = parameters.literal.unwrap_or(false);
        let ignore_case = parameters.ignore_case.unwrap_or(false);
        if literal || reads_alike(pattern) {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_insensitive(ignore_case).multi_line(true).unicode(true).fixed_strings(literal);
            if !spans_lines(parameters) {
                builder.crlf(true);
            }
            match builder.build(pattern) {
                Ok(matcher) => return Ok(Self::Linear(matcher)),
                Err(error) if literal => return Err(wrong(pattern, &error)),
                // Too large for it, perhaps; the other may take it.
                Err(_) => {}
            }
        }
        Self::pcre(pattern, ignore_case)
    }

    #[cfg(feature = "pcre2")]
    fn pcre(pattern: &str, ignore_case: bool) -> Result<Self, Error> {
        let matcher = grep_pcre2::RegexMatcherBuilder::new()
            .caseless(ignore_case)
            .multi_line(true)
            .utf(true)
            .ucp(true)
            .crlf(true)
            .jit_if_available(true)
            .build(pattern);
        matcher.map(Self::Pcre).map_err(|error| wrong(pattern, &error))
    }

    #[cfg(not(feature = "pcre2"))]
    fn pcre(pattern: &str, ignore_case: bool) -> Result<Self, Error> {
        // What is not common to both is tried all the same, and refused where only PCRE knows it.
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(ignore_case)
            .multi_line(true)
            .crlf(true)
            .build(pattern);
        matcher.map(Self::Linear).map_err(|error| wrong(pattern, &error))
    }
}

fn wrong(pattern: &str, error: &impl std::fmt::Display) -> Error {
    Error::Pattern { pattern: pattern.to_owned(), problem: PatternProblem::Engine(error.to_string()) }
}

/// What is searched for, and how.
struct Search<'a> {
    pattern: &'a str,
    engine: Engine,
    multi_line: bool,
    around: u64,
    limit: u64,
    context: &'a Context<'a>,
}

impl Search<'_> {
    fn searcher(&self, binary: BinaryDetection) -> Searcher {
        let around = usize::try_from(self.around).unwrap_or(0);
        let terminator = if self.multi_line { LineTerminator::byte(b'\n') } else { LineTerminator::crlf() };
        SearcherBuilder::new()
            .line_number(true)
            .line_terminator(terminator)
            .multi_line(self.multi_line)
            .heap_limit(Some(HEAP))
            .before_context(around)
            .after_context(around)
            // One more than is shown, so that it is known whether there are more.
            .max_matches(Some(self.limit + 1))
            .binary_detection(binary)
            .build()
    }

    /// Searches one file that was named: ignore files and globs do not count, and a NUL does not end the search.
    fn file(&self, start: &Place) -> Result<GrepResult, Error> {
        let mut searcher = self.searcher(BinaryDetection::convert(0));
        let deadline = Instant::now() + PATIENCE;
        let mut found = Found::default();
        self.search(&mut searcher, &start.named, deadline, &mut found)?;
        let mut result = GrepResult { searched: 1, ..GrepResult::default() };
        let mut kept = First::new(self.limit);
        kept.put(start.named.clone(), found.lines);
        result.take(kept, self.context.cwd);
        result.timed_out = found.timed_out;
        result.unreadable.extend(found.unreadable);
        Ok(result)
    }

    fn tree(&self, start: &Place, glob: Option<&Wanted>) -> Result<GrepResult, Error> {
        let kept = Mutex::new(First::new(self.limit));
        let (files, binary, late) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let unreadable = Mutex::new(Vec::new());
        let deadline = Instant::now() + PATIENCE;
        let is_wanted = |entry: &ignore::DirEntry| {
            entry.file_type().is_some_and(|kind| kind.is_file())
                && glob.is_none_or(|glob| glob.matches(entry, &start.named))
        };
        let walked = {
            walk(start, self.context, Rules::Honoured, deadline, || {
                let mut searcher = self.searcher(BinaryDetection::quit(0));
                let mut found = Found::default();
                let (kept, files, binary, late, unreadable, is_wanted) =
                    (&kept, &files, &binary, &late, &unreadable, &is_wanted);
                Box::new(move |entry| {
                    if !is_wanted(entry) || kept.lock().is_ok_and(|mut kept| kept.is_past(entry.path())) {
                        return Ok(());
                    }
                    self.search(&mut searcher, entry.path(), deadline, &mut found)?;
                    files.fetch_add(1, Ordering::Relaxed);
                    binary.fetch_add(u64::from(found.binary), Ordering::Relaxed);
                    late.fetch_add(u64::from(found.timed_out), Ordering::Relaxed);
                    if let (Some(text), Ok(mut unreadable)) = (found.unreadable.take(), unreadable.lock())
                        && unreadable.len() < 5
                    {
                        unreadable.push(text);
                    }
                    if !found.lines.is_empty()
                        && let Ok(mut kept) = kept.lock()
                    {
                        kept.put(entry.path().to_owned(), std::mem::take(&mut found.lines));
                    }
                    Ok(())
                })
            })
        }?;
        let mut result = GrepResult {
            searched: files.into_inner(),
            binary: binary.into_inner(),
            denied: walked.denied,
            timed_out: walked.timed_out || late.into_inner() > 0,
            unreadable: walked.unreadable,
            ..GrepResult::default()
        };
        result.unreadable.extend(unreadable.into_inner().unwrap_or_default());
        if let Ok(kept) = kept.into_inner() {
            result.take(kept, self.context.cwd);
        }
        if result.matches == 0 {
            let (ignored, first) = left_out(start, self.context, is_wanted)?;
            result.ignored = ignored;
            result.first_ignored = first.filter(|_| ignored > 0);
        }
        Ok(result)
    }

    /// Searches one file. What cannot be read is noted, not an error.
    fn search(
        &self,
        searcher: &mut Searcher,
        path: &Path,
        deadline: Instant,
        found: &mut Found,
    ) -> Result<(), Error> {
        *found = Found::default();
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => {
                found.unreadable = Some(format!("{}: {error}", shown(path, self.context.cwd)));
                return Ok(());
            }
        };
        let reader = Watched { file, context: self.context, deadline };
        let outcome = match &self.engine {
            Engine::Linear(matcher) => run(searcher, matcher, reader, found),
            #[cfg(feature = "pcre2")]
            Engine::Pcre(matcher) => run(searcher, matcher, reader, found),
        };
        self.context.check()?;
        match outcome {
            Ok(()) => Ok(()),
            Err(_) if Instant::now() > deadline => {
                found.timed_out = true;
                Ok(())
            }
            // The engine gave up: the pattern is too complex for this text. No other file will do better.
            Err(error) if error.kind() == io::ErrorKind::Other => {
                let message = format!("{}: {error}", shown(path, self.context.cwd));
                Err(Error::Pattern {
                    pattern: self.pattern.to_owned(),
                    problem: PatternProblem::Engine(message),
                })
            }
            Err(error) => {
                found.unreadable = Some(format!("{}: {error}", shown(path, self.context.cwd)));
                Ok(())
            }
        }
    }
}

fn run<M: Matcher>(
    searcher: &mut Searcher,
    matcher: &M,
    reader: Watched<'_>,
    found: &mut Found,
) -> io::Result<()> {
    searcher.search_reader(matcher, reader, found)
}

/// A file whose reading ends when the call shall end.
struct Watched<'a> {
    file: File,
    context: &'a Context<'a>,
    deadline: Instant,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.context.check().is_err() || Instant::now() > self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}

/// What was found in one file.
#[derive(Debug, Default)]
struct Found {
    lines: Vec<MatchLine>,
    binary: bool,
    timed_out: bool,
    unreadable: Option<String>,
}

impl Found {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], matched: bool) {
        // A match over several lines comes as one piece.
        for (number, line) in (number.unwrap_or(1)..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let whole = String::from_utf8_lossy(line);
            let text = head(&whole, LINE_BYTES);
            self.lines.push(MatchLine {
                line: number,
                text: text.to_owned(),
                matched,
                cut: text.len() < whole.len(),
            });
        }
    }
}

impl Sink for Found {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.push(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if *context.kind() != SinkContextKind::Other {
            self.push(context.line_number(), context.bytes(), false);
        }
        Ok(true)
    }

    fn binary_data(&mut self, searcher: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = searcher.binary_detection().quit_byte().is_some();
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        if self.binary {
            self.lines.clear();
        }
        Ok(())
    }
}

impl Finding for MatchLine {
    fn counts(&self) -> bool {
        self.matched
    }
}

impl GrepResult {
    fn take(&mut self, first: First<MatchLine>, cwd: &Path) {
        let kept = first.finish();
        (self.matches, self.more) = (kept.count, kept.more);
        self.files = kept.into_files(cwd, |path, lines| FileMatches { path, lines });
    }
}

impl Answer for GrepResult {
    fn text(&self, language: Language) -> String {
        let mut text = String::new();
        let mut left: Option<(u64, u64)> = None;
        let mut told = 0;
        'files: for file in &self.files {
            if !text.is_empty() {
                text.push('\n');
            }
            let mut before: Option<u64> = None;
            for line in &file.lines {
                if text.len() > ANSWER_BYTES {
                    left = Some((told, self.matches));
                    break 'files;
                }
                // Context blocks that do not touch.
                if before.is_some_and(|before| before + 1 < line.line)
                    && file.lines.iter().any(|line| !line.matched)
                {
                    text.push_str("--\n");
                }
                before = Some(line.line);
                told += u64::from(line.matched);
                let mark = if line.matched { ':' } else { '-' };
                let cut = if line.cut { language.pick("…[已截断]", "…[cut]") } else { "" };
                let MatchLine { line: number, text: content, .. } = line;
                text.push_str(
                    &[
                        &file.path,
                        &mark.to_string(),
                        &number.to_string(),
                        &mark.to_string(),
                        " ",
                        content,
                        cut,
                        "\n",
                    ]
                    .concat(),
                );
            }
        }
        let notes = self.notes(left, language);
        if !notes.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&[gap, "[", &notes.join("; "), "]"].concat());
        }
        text
    }
}

impl GrepResult {
    fn notes(&self, left: Option<(u64, u64)>, language: Language) -> Vec<String> {
        let mut notes = Vec::new();
        if self.matches == 0 {
            let searched = self.searched;
            notes.push(match language {
                Language::ZhCn => format!("没有匹配；已搜索 {searched} 个文件"),
                Language::En => format!("no matches in {searched} files"),
            });
            if self.binary > 0 {
                let binary = self.binary;
                notes.push(match language {
                    Language::ZhCn => format!("跳过 {binary} 个二进制文件"),
                    Language::En => format!("{binary} binary files left out"),
                });
            }
        }
        if let (ignored @ 1.., Some(first)) = (self.ignored, &self.first_ignored) {
            notes.push(crate::text::left_out(ignored, first, language));
        }
        if let Some((told, all)) = left {
            notes.push(match language {
                Language::ZhCn => format!("显示 {told} 处，共 {all} 处；请缩小 pattern、glob 或 path"),
                Language::En => format!("{told} of {all} shown; narrow the pattern, the glob or the path"),
            });
        } else if self.more {
            let shown = self.matches;
            notes.push(match language {
                Language::ZhCn => format!("仅显示前 {shown} 处；请缩小范围，或提高 limit"),
                Language::En => format!("only the first {shown}; narrow the search or raise the limit"),
            });
        }
        if self.files.iter().any(|file| file.lines.iter().any(|line| line.cut)) {
            notes.push(
                language
                    .pick(
                        "长行已截断；用 read 的 offset 查看整行",
                        "long lines are cut; read shows them with offset",
                    )
                    .to_owned(),
            );
        }
        notes.extend(crate::text::walk_notes(self.denied, self.timed_out, &self.unreadable, language));
        notes
    }
}
