//! The tool `astgrep`: code by its structure, whatever its layout.

use crate::first::{Finding, First};
use crate::grammar::{Patterns, parse, start, text_of};
use crate::limit::{ANSWER_BYTES, head};
use crate::newline::BOM;
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::walk::{Rules, scoped};
use crate::{Context, Error, Language};
use ast_grep_core::Pattern;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most matches.
const LIMIT: u64 = 200;

/// The most lines of one match that are shown.
const MATCH_LINES: usize = 20;

/// The longest line that is shown whole, in bytes.
const LINE_BYTES: usize = 500;

/// The longest search.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// The parameters of `astgrep`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AstGrepParameters {
    /// The pattern: code with `$NAME` for one node and `$$$NAME` for several.
    pub pattern: String,
    /// The language; without it, that of each file's name.
    #[serde(default)]
    pub lang: Option<String>,
    /// The directory or file to search; without it, the working directory.
    #[serde(default)]
    pub path: Option<String>,
}

/// What `astgrep` found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AstGrepResult {
    /// The files with matches, sorted by path.
    pub files: Vec<FileNodes>,
    /// How many matches are shown.
    pub matches: u64,
    /// Whether there may be more.
    pub more: bool,
    /// How many files were parsed.
    pub searched: u64,
    /// How many files of the language were too large, nested too deep, or no UTF-8 text.
    pub left_out: u64,
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
pub struct FileNodes {
    /// The file: relative to the working directory if it lies below it.
    pub path: String,
    /// The matches in their order.
    pub matches: Vec<NodeFound>,
}

/// A piece of code that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeFound {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The byte it begins at in that line, from 1.
    pub column: u64,
    /// Its first byte in the file, from 0.
    pub start: u64,
    /// The byte behind it.
    pub end: u64,
    /// The code.
    pub text: String,
}

impl Finding for NodeFound {
    fn counts(&self) -> bool {
        true
    }
}

/// Runs `astgrep`.
///
/// # Errors
/// The pattern is no code of the language, there is no grammar, or the start cannot be read.
pub fn astgrep(parameters: &AstGrepParameters, context: &Context<'_>) -> Result<AstGrepResult, Error> {
    let patterns = Patterns::of(&parameters.pattern, parameters.lang.as_deref())?;
    let (start, is_file) = start(parameters.path.as_deref(), context)?;
    if is_file { in_file(&patterns, &start, context) } else { in_tree(&patterns, &start, context) }
}

fn in_file(patterns: &Patterns<'_>, start: &Place, context: &Context<'_>) -> Result<AstGrepResult, Error> {
    let (language, pattern) = patterns.for_named_file(&start.named)?;
    let text = text_of(&start.named).map_err(|source| Error::io(&start.named, source))?;
    let text = text.ok_or_else(|| not_parsed(&start.named))?;
    let mut first = First::new(LIMIT);
    let found = nodes(&text, language, &pattern).ok_or_else(|| not_parsed(&start.named))?;
    first.put(start.named.clone(), found);
    let mut result = AstGrepResult { searched: 1, ..AstGrepResult::default() };
    result.take(first, context.cwd);
    Ok(result)
}

/// The error for a file that was named and cannot be parsed.
pub(crate) fn not_parsed(path: &Path) -> Error {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if size > crate::grammar::MAX_PARSED {
        Error::TooLarge { path: path.to_owned(), size, limit: crate::grammar::MAX_PARSED }
    } else if text_of(path).is_ok_and(|text| text.is_some()) {
        Error::TooDeep { path: path.to_owned() }
    } else {
        Error::Binary { path: path.to_owned(), size, kind: None }
    }
}

fn in_tree(patterns: &Patterns<'_>, start: &Place, context: &Context<'_>) -> Result<AstGrepResult, Error> {
    let first = Mutex::new(First::new(LIMIT));
    let (searched, left_out) = (AtomicU64::new(0), AtomicU64::new(0));
    let unreadable = Mutex::new(Vec::new());
    let walked = scoped(start, context, Rules::Honoured, Instant::now() + PATIENCE, &|entry| {
        let path = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return Ok(());
        }
        let Some((language, pattern)) = patterns.for_file(path) else { return Ok(()) };
        if first.lock().is_ok_and(|mut first| first.is_past(path)) {
            return Ok(());
        }
        match text_of(path) {
            Ok(text) => match text.and_then(|text| nodes(&text, language, &pattern)) {
                Some(found) => {
                    searched.fetch_add(1, Ordering::Relaxed);
                    if let Ok(mut first) = first.lock() {
                        first.put(path.to_owned(), found);
                    }
                }
                None => {
                    left_out.fetch_add(1, Ordering::Relaxed);
                }
            },
            Err(error) => {
                if let Ok(mut unreadable) = unreadable.lock()
                    && unreadable.len() < 5
                {
                    unreadable.push(format!("{}: {error}", shown(path, context.cwd)));
                }
            }
        }
        Ok(())
    })?;
    patterns.check()?;
    let mut result = AstGrepResult {
        searched: searched.into_inner(),
        left_out: left_out.into_inner(),
        denied: walked.denied,
        timed_out: walked.timed_out,
        unreadable: [walked.unreadable, unreadable.into_inner().unwrap_or_default()].concat(),
        ..AstGrepResult::default()
    };
    if let Ok(first) = first.into_inner() {
        result.take(first, context.cwd);
    }
    Ok(result)
}

/// Finds the nodes of a text that match; nothing if it cannot be parsed.
fn nodes(text: &str, language: SupportLang, pattern: &Pattern) -> Option<Vec<NodeFound>> {
    // What the pattern says word for word must stand in the text: most files need no parsing.
    if !text.contains(&*pattern.fixed_string()) {
        return Some(Vec::new());
    }
    let bom = if text.as_bytes().starts_with(BOM) { BOM.len() } else { 0 };
    let tree = parse(text.get(bom..).unwrap_or(text), language)?;
    let root = tree.root();
    let found = root
        .find_all(pattern)
        .map(|found| {
            let (line, column) = found.start_pos().byte_point();
            let range = found.range();
            NodeFound {
                line: line as u64 + 1,
                column: column as u64 + 1,
                start: (range.start + bom) as u64,
                end: (range.end + bom) as u64,
                text: found.text().into_owned(),
            }
        })
        .collect();
    Some(found)
}

impl AstGrepResult {
    fn take(&mut self, first: First<NodeFound>, cwd: &Path) {
        let kept = first.finish();
        (self.matches, self.more) = (kept.count, kept.more);
        self.files = kept.into_files(cwd, |path, matches| FileNodes { path, matches });
    }
}

impl Answer for AstGrepResult {
    fn text(&self, language: Language) -> String {
        let mut text = String::new();
        let mut told = 0;
        let mut cut = false;
        'files: for file in &self.files {
            if !text.is_empty() {
                text.push('\n');
            }
            for found in &file.matches {
                if text.len() > ANSWER_BYTES {
                    break 'files;
                }
                told += 1;
                for (number, line) in (found.line..).zip(found.text.lines().take(MATCH_LINES)) {
                    let kept = head(line, LINE_BYTES);
                    cut |= kept.len() < line.len();
                    text.push_str(&[&file.path, ":", &number.to_string(), ": ", kept, "\n"].concat());
                }
                let lines = found.text.lines().count();
                if lines > MATCH_LINES {
                    cut = true;
                    let last = found.line + lines as u64 - 1;
                    text.push_str(&match language {
                        Language::ZhCn => ["…（到第 ", &last.to_string(), " 行）\n"].concat(),
                        Language::En => ["… (to line ", &last.to_string(), ")\n"].concat(),
                    });
                }
            }
        }
        let notes = self.notes(told, cut, language);
        if !notes.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&[gap, "[", &notes.join("; "), "]"].concat());
        }
        text
    }
}

impl AstGrepResult {
    fn notes(&self, told: u64, cut: bool, language: Language) -> Vec<String> {
        let Self { matches, searched, left_out, .. } = self;
        let mut notes = Vec::new();
        if *matches == 0 {
            notes.push(match language {
                Language::ZhCn => format!("没有匹配；已解析 {searched} 个文件"),
                Language::En => format!("no matches in {searched} files"),
            });
        }
        if *left_out > 0 {
            notes.push(match language {
                Language::ZhCn => format!("{left_out} 个文件过大、嵌套过深或不是 UTF-8 文本，未解析"),
                Language::En => {
                    format!(
                        "{left_out} files are too large, nested too deep or no UTF-8 text and were not parsed"
                    )
                }
            });
        }
        if told < *matches || self.more {
            notes.push(match language {
                Language::ZhCn => format!("仅显示前 {told} 处；请缩小 pattern 或 path"),
                Language::En => format!("only the first {told}; narrow the pattern or the path"),
            });
        }
        if cut {
            notes.push(
                language
                    .pick(
                        "长匹配已截断；用 read 的 offset 查看",
                        "long matches are cut; read shows them with offset",
                    )
                    .to_owned(),
            );
        }
        notes.extend(crate::text::walk_notes(self.denied, self.timed_out, &self.unreadable, language));
        notes
    }
}
