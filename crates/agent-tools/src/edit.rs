//! The tool `edit`: exact replacements in one file, all or none, and every other byte as it was.
//!
//! Each `oldText` must occur exactly once in the original. It is looked for byte by byte; only if it does not occur so is it
//! looked for once more with every line ending taken for `\n`, since models write `\n` whatever the file has. Nothing else is
//! guessed: a place that differs in blanks or quotes is pointed out, not replaced.

use crate::newline::{adapted, endings, line_at};
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::{Context, EditFault, EditProblem, Error, Hold, Language, Snapshot, unified};
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parameters of `edit`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditParameters {
    /// The file.
    pub path: String,
    /// The replacements, each found in the original.
    pub edits: Vec<Edit>,
}

/// One replacement.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    /// The text to replace: occurs exactly once.
    pub old_text: String,
    /// The text that takes its place.
    pub new_text: String,
}

/// What `edit` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EditResult {
    /// The file, links followed.
    pub path: PathBuf,
    /// How many replacements were made.
    pub replacements: usize,
    /// The first line that changed, from 1.
    pub first_changed_line: usize,
    /// The change as a unified diff.
    pub diff: String,
    /// How many other names (hard links) of the file keep the old content.
    pub other_names: u64,
    /// The path as it is shown.
    #[serde(skip)]
    pub(crate) shown: String,
}

/// Runs `edit`.
///
/// # Errors
/// The file cannot be edited, or an edit is at fault: then all faults are listed. Nothing was changed.
pub fn edit(parameters: &EditParameters, context: &Context<'_>) -> Result<EditResult, Error> {
    let place = Place::of(&parameters.path, context)?;
    place.check_read(context)?;
    place.check_write(context)?;
    context.gate.hold(&[Hold::File(&place.real)])?;
    let snapshot = Snapshot::take(&place.real)?;
    let edits = &parameters.edits;
    let edited = edit_bytes(snapshot.bytes(), edits)
        .map_err(|faults| Error::Edits { path: place.named.clone(), faults })?;
    if edited == snapshot.bytes() {
        return Err(Error::NothingChanges { path: place.named });
    }
    context.check()?;
    commit(context, &place, || snapshot.replace(&edited))?;
    Ok(EditResult {
        replacements: edits.len(),
        first_changed_line: first_changed_line(snapshot.bytes(), &edited),
        diff: unified(snapshot.bytes(), &edited),
        other_names: snapshot.other_names(),
        shown: shown(&place.named, context.cwd),
        path: place.real,
    })
}

/// Writes under the lease.
pub(crate) fn commit(
    context: &Context<'_>,
    place: &Place,
    mut write: impl FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let mut written = Err(Error::Cancelled);
    context.gate.commit(&place.real, &mut || written = write())?;
    written
}

/// A place in the original, and the edit that replaces it.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    edit: usize,
}

/// Makes replacements in a text, and changes no byte outside of the places where `oldText` stands.
///
/// ```
/// # use brakeline_agent_tools::{Edit, edit_bytes};
/// let edit = Edit { old_text: "b\nc".into(), new_text: "B\nc".into() };
/// assert_eq!(edit_bytes(b"a\r\nb\r\nc", &[edit]).as_deref(), Ok(&b"a\r\nB\r\nc"[..]));
/// ```
///
/// # Errors
/// Every edit that is at fault, in their order.
///
/// Cost: linear in the text for each edit.
pub fn edit_bytes(original: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Vec<EditFault>> {
    if edits.is_empty() {
        return Err(vec![EditFault { index: 0, problem: EditProblem::None }]);
    }
    let text = Text::of(original);
    let mut spans = Vec::with_capacity(edits.len());
    let mut faults = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match text.locate(edit) {
            Ok((start, end)) => spans.push(Span { start, end, edit: index }),
            Err(problem) => faults.push(EditFault { index, problem }),
        }
    }
    spans.sort_by_key(|span| (span.start, span.end));
    for pair in spans.windows(2) {
        if let [first, second] = pair
            && second.start < first.end
        {
            let (index, other) = (first.edit.max(second.edit), first.edit.min(second.edit));
            faults.push(EditFault { index, problem: EditProblem::Overlaps { other } });
        }
    }
    if faults.is_empty() {
        return Ok(splice(original, edits, &spans));
    }
    faults.sort_by_key(|fault| fault.index);
    Err(faults)
}

/// Puts the new texts in the place of the spans, which are sorted and do not overlap.
fn splice(original: &[u8], edits: &[Edit], spans: &[Span]) -> Vec<u8> {
    let mut result = Vec::with_capacity(original.len());
    let mut at = 0;
    for span in spans {
        result.extend_from_slice(original.get(at..span.start).unwrap_or_default());
        if let Some(edit) = edits.get(span.edit) {
            let new = adapted(original, span.start, span.end, &edit.old_text, &edit.new_text);
            result.extend_from_slice(new.as_bytes());
        }
        at = span.end;
    }
    result.extend_from_slice(original.get(at..).unwrap_or_default());
    result
}

/// The original, prepared for looking.
struct Text<'a> {
    bytes: &'a [u8],
    /// Whether it is UTF-8 without NUL: else only plain ASCII is replaced.
    is_text: bool,
}

impl<'a> Text<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let is_text = std::str::from_utf8(bytes).is_ok() && memchr::memchr(0, bytes).is_none();
        Self { bytes, is_text }
    }

    /// Finds the one place of an edit.
    fn locate(&self, edit: &Edit) -> Result<(usize, usize), EditProblem> {
        let Edit { old_text: old, new_text: new } = edit;
        if old.is_empty() {
            return Err(EditProblem::Empty);
        }
        if old == new {
            return Err(EditProblem::Same);
        }
        if !(self.is_text || old.is_ascii() && new.is_ascii()) {
            return Err(EditProblem::NotAscii);
        }
        let exact = self.exact(old);
        let found = if exact.is_empty() { self.by_lines(old) } else { exact };
        match found.as_slice() {
            [] => Err(missing(self.bytes, old)),
            [only] => Ok(*only),
            several => Err(EditProblem::Several {
                lines: several.iter().take(10).map(|(start, _)| line_at(self.bytes, *start)).collect(),
                count: several.len(),
            }),
        }
    }

    /// Finds a text byte by byte.
    fn exact(&self, old: &str) -> Vec<(usize, usize)> {
        let mut found = occurrences(self.bytes, old.as_bytes());
        // Half of a `\r\n` is no place to begin: the whole ending is meant.
        found.retain(|start| !(old.starts_with('\n') && self.byte_before(*start) == Some(b'\r')));
        if !self.is_text {
            // Behind a byte of a legacy encoding an ASCII byte may be the second half of a character.
            found.retain(|start| self.byte_before(*start).is_none_or(|byte| byte.is_ascii()));
        }
        found.into_iter().map(|start| (start, start + old.len())).collect()
    }

    /// Finds a text with all line endings, there and here, taken for `\n`.
    fn by_lines(&self, old: &str) -> Vec<(usize, usize)> {
        if !self.is_text || !old.contains(['\n', '\r']) {
            return Vec::new();
        }
        let file = Lines::of(self.bytes);
        let old = Lines::of(old.as_bytes()).text;
        occurrences(&file.text, &old)
            .into_iter()
            .map(|start| (file.original(start), file.original(start + old.len())))
            .collect()
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.bytes.get(before).copied())
    }
}

/// Returns where a text begins, overlapping places included: `aa` occurs twice in `aaa`.
fn occurrences(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    let finder = Finder::new(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
        found.push(from + at);
        from += at + 1;
    }
    found
}

/// A text with every ending as `\n`, and the way back to the original.
struct Lines {
    text: Vec<u8>,
    /// The offsets, in `text`, just behind each `\n` that stands for two bytes.
    shrunk: Vec<usize>,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let mut text = Vec::with_capacity(bytes.len());
        let mut shrunk = Vec::new();
        let mut at = 0;
        for (start, newline) in endings(bytes) {
            text.extend_from_slice(bytes.get(at..start).unwrap_or_default());
            text.push(b'\n');
            at = start + newline.as_str().len();
            if newline.as_str().len() == 2 {
                shrunk.push(text.len());
            }
        }
        text.extend_from_slice(bytes.get(at..).unwrap_or_default());
        Self { text, shrunk }
    }

    /// Returns the offset in the original.
    fn original(&self, at: usize) -> usize {
        at + self.shrunk.partition_point(|behind| *behind <= at)
    }
}

/// The longest excerpt of a line in a message, in bytes.
const EXCERPT: usize = 160;

/// Says where a text that does not occur might have been meant to stand.
fn missing(file: &[u8], old: &str) -> EditProblem {
    let text = String::from_utf8_lossy(file);
    let folded_old: Vec<String> = old.lines().map(folded).filter(|line| !line.is_empty()).collect();
    let Some(first) = folded_old.first() else {
        return EditProblem::Missing { nearest: None, only_looks: false };
    };
    let lines: Vec<(usize, &str, String)> = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line, folded(line)))
        .filter(|(_, _, folded)| !folded.is_empty())
        .collect();
    let excerpt = |line: &str| crate::limit::head(line.trim(), EXCERPT).to_owned();
    let looks_alike = lines.windows(folded_old.len()).find(|window| {
        let last = window.len() - 1;
        window.iter().zip(&folded_old).enumerate().all(|(at, ((_, _, line), old))| match at {
            // The first and the last line of the old text need not be whole.
            0 if last == 0 => line.contains(old),
            0 => line.ends_with(old),
            at if at == last => line.starts_with(old),
            _ => line == old,
        })
    });
    if let Some([(number, line, _), ..]) = looks_alike {
        return EditProblem::Missing { nearest: Some((*number, excerpt(line))), only_looks: true };
    }
    let nearest = lines
        .iter()
        .map(|(number, line, folded)| (common_start(folded, first), *number, *line))
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        .filter(|(common, _, _)| *common >= 3 && common * 2 >= first.len());
    EditProblem::Missing {
        nearest: nearest.map(|(_, number, line)| (number, excerpt(line))),
        only_looks: false,
    }
}

/// Returns how many bytes two texts begin with in common.
fn common_start(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Makes what is easily taken for one another the same: blanks, quotes, dashes.
fn folded(line: &str) -> String {
    let plain = line.chars().map(|char| match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{feff}' | '\u{200b}' => ' ',
        other => other,
    });
    plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first line (from 1) in which two texts differ.
pub(crate) fn first_changed_line(old: &[u8], new: &[u8]) -> usize {
    let common = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    line_at(old, common)
}

impl Answer for EditResult {
    fn text(&self, language: Language) -> String {
        let Self { shown, replacements, first_changed_line, other_names, diff, .. } = self;
        let mut text = match language {
            Language::ZhCn => {
                format!("已修改 {shown}：{replacements} 处，首个变化在第 {first_changed_line} 行")
            }
            Language::En => {
                let s = if *replacements == 1 { "" } else { "s" };
                format!(
                    "{shown}: {replacements} replacement{s}, the first change on line {first_changed_line}"
                )
            }
        };
        text.push_str(&crate::text::other_names(*other_names, language));
        text.push('\n');
        text.push_str(&crate::text::cut_diff(diff, language));
        text
    }
}
