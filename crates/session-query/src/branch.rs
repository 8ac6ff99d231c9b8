//! From the last entry to the root, parent by parent.

use std::borrow::Cow;
use std::io::{Read, Seek};

use serde_json::value::RawValue;

use crate::error::Error;
use crate::line::{self, Glance, Link};
use crate::reverse_lines::{ReverseLines, Span};

/// How much of a line's ends is looked at before the whole of it is parsed. The same for lines that are held and for those
/// that are not, so that the answer for a line that is not valid JSON does not depend on its length.
const GLANCE: usize = 4096;

/// A session's current branch, newest entry first.
///
/// The newest entry is the last line of the file that is one; from there each entry's parent is the nearest line
/// *before* it that bears the parent's id. The walk only ever goes backwards, so a cycle of parents cannot be followed
/// round: it ends like a parent that is not there.
///
/// Made by [`SessionReader::branch`](crate::SessionReader::branch).
#[derive(Debug)]
pub struct Branch<R> {
    lines: ReverseLines<R>,
    looking_for: LookingFor,
    current: Current,
    long: LongLine,
}

/// What has been read of a line that is too long for the buffer.
#[derive(Debug, Default)]
struct LongLine {
    front: Vec<u8>,
    back: Vec<u8>,
    /// All of it, or nothing.
    whole: Vec<u8>,
}

/// Where a walk along a branch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchEnd {
    /// More entries may come.
    Open,
    /// The root was reached: an entry without a parent, or a file without entries.
    Root,
    /// The last entry handed out names a parent that does not stand before it: it is missing, or part of a cycle.
    MissingParent,
}

#[derive(Debug, PartialEq, Eq)]
enum LookingFor {
    Leaf,
    /// The entry with the id in `Current::parent_id`.
    Parent,
    Nothing(BranchEnd),
}

/// The entry at hand. Its strings are reused from entry to entry.
#[derive(Debug, Default)]
struct Current {
    span: Span,
    id: String,
    parent_id: Option<String>,
    entry_type: Option<String>,
    custom_type: Option<String>,
}

/// One entry of a branch.
#[derive(Debug)]
pub struct BranchEntry<'a, R> {
    branch: &'a mut Branch<R>,
}

impl<R: Read + Seek> Branch<R> {
    pub(crate) fn new(lines: ReverseLines<R>) -> Self {
        Self { lines, looking_for: LookingFor::Leaf, current: Current::default(), long: LongLine::default() }
    }

    /// Returns the next older entry of the branch, or `None` when there is none.
    ///
    /// Cost: the lines up to that entry. Of those that are not on the branch only the ends are looked at.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn next_entry(&mut self) -> Result<Option<BranchEntry<'_, R>>, Error> {
        Ok(if self.step()? { Some(BranchEntry { branch: self }) } else { None })
    }

    /// Tells how the walk ended, or that it has not.
    pub fn end(&self) -> BranchEnd {
        match self.looking_for {
            LookingFor::Leaf | LookingFor::Parent => BranchEnd::Open,
            LookingFor::Nothing(end) => end,
        }
    }

    fn step(&mut self) -> Result<bool, Error> {
        while self.end() == BranchEnd::Open {
            let span =
                self.lines.next_span().map_err(|error| Error::read(self.lines.bytes_from_end(), error))?;
            let Some(span) = span else {
                let leaf = self.looking_for == LookingFor::Leaf;
                let end = if leaf { BranchEnd::Root } else { BranchEnd::MissingParent };
                self.looking_for = LookingFor::Nothing(end);
                break;
            };
            if self.take(span)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the line at `span` the current entry, if it is the one looked for.
    fn take(&mut self, span: Span) -> Result<bool, Error> {
        self.long.whole.clear();
        let wanted = self.current.parent_id.as_deref().filter(|_| self.looking_for == LookingFor::Parent);
        let glance = match wanted {
            Some(wanted) => glance(&mut self.lines, &span, &mut self.long, wanted)?,
            // Whether the last line was cut short decides which entry is the newest: it is parsed whole.
            None => Glance::Unclear,
        };
        let parsed;
        let link = match glance {
            Glance::Nothing => None,
            Glance::Entry(link) | Glance::Likely(link) => Some(link),
            Glance::Unclear => {
                parsed = line::parse(whole(&mut self.lines, &span, &mut self.long)?);
                parsed.as_ref().and_then(line::Parsed::link)
            }
        };
        let Some(link) = link.filter(|link| wanted.is_none_or(|wanted| wanted == link.id)) else {
            return Ok(false);
        };
        self.looking_for = match link.parent_id {
            Some(_) => LookingFor::Parent,
            None => LookingFor::Nothing(BranchEnd::Root),
        };
        self.current.set(link);
        self.current.span = span;
        Ok(true)
    }

    fn current_line(&mut self) -> Result<&[u8], Error> {
        whole(&mut self.lines, &self.current.span, &mut self.long)
    }
}

/// Looks at the ends of the line at `span`, and at all of it if it seems to be the wanted entry but may have been cut short.
fn glance<'a, R: Read + Seek>(
    lines: &'a mut ReverseLines<R>,
    span: &Span,
    long: &'a mut LongLine,
    wanted: &str,
) -> Result<Glance<'a>, Error> {
    if let Some(held) = span.held.clone() {
        let bytes = lines.held(held).unwrap_or_default();
        let (front, _) = bytes.split_at_checked(GLANCE).unwrap_or((bytes, &[]));
        let (_, back) = bytes.split_at_checked(bytes.len().saturating_sub(GLANCE)).unwrap_or_default();
        return Ok(match line::glance(front, back) {
            Glance::Likely(link) if link.id == wanted && !line::is_json(bytes) => Glance::Nothing,
            glance => glance,
        });
    }
    let part = (GLANCE as u64).min(span.end - span.start);
    read(lines, span.start, span.start + part, &mut long.front)?;
    read(lines, span.end - part, span.end, &mut long.back)?;
    let glance = line::glance(&long.front, &long.back);
    if matches!(glance, Glance::Likely(link) if link.id == wanted) {
        let from_end = lines.source_len().saturating_sub(span.start);
        let whole = lines.range(span.start, span.end).and_then(line::reads_json);
        if !whole.map_err(|error| Error::read(from_end, error))? {
            return Ok(Glance::Nothing);
        }
    }
    Ok(glance)
}

/// Returns the whole line at `span`.
fn whole<'a, R: Read + Seek>(
    lines: &'a mut ReverseLines<R>,
    span: &Span,
    long: &'a mut LongLine,
) -> Result<&'a [u8], Error> {
    if let Some(held) = span.held.clone() {
        return Ok(lines.held(held).unwrap_or_default());
    }
    if long.whole.is_empty() {
        read(lines, span.start, span.end, &mut long.whole)?;
    }
    Ok(&long.whole)
}

impl Current {
    fn set(&mut self, link: Link<'_>) {
        self.id.clear();
        self.id.push_str(link.id);
        set(&mut self.parent_id, link.parent_id);
        set(&mut self.entry_type, link.entry_type);
        set(&mut self.custom_type, link.custom_type);
    }
}

fn set(slot: &mut Option<String>, text: Option<&str>) {
    match (slot, text) {
        (Some(slot), Some(text)) => {
            slot.clear();
            slot.push_str(text);
        }
        (slot, text) => *slot = text.map(str::to_owned),
    }
}

impl<R: Read + Seek> BranchEntry<'_, R> {
    /// Returns the entry's `id`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.branch.current.id
    }

    /// Returns the id of the entry's parent, or `None` for a root.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.branch.current.parent_id.as_deref()
    }

    /// Returns the entry's `type`, or `None` when it has none that is a string.
    #[must_use]
    pub fn entry_type(&self) -> Option<&str> {
        self.branch.current.entry_type.as_deref()
    }

    /// Returns the key of an entry of type `custom`; `None` for every other entry.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        if self.entry_type()? == "custom" { self.branch.current.custom_type.as_deref() } else { None }
    }

    /// Returns the entry's line as it stands in the file, without its line end.
    ///
    /// Bytes that are not UTF-8 read as U+FFFD. Cost: the line's length; a line over 1 MiB is read here.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn line(&mut self) -> Result<Cow<'_, str>, Error> {
        self.branch.current_line().map(String::from_utf8_lossy)
    }

    /// Returns the entry's `data` as it is written, null when it has none, or `None` when the line is not valid JSON.
    ///
    /// Cost: one pass over the line.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn data(&mut self) -> Result<Option<Box<RawValue>>, Error> {
        self.branch.current_line().map(line::parse_data)
    }
}

fn read<R: Read + Seek>(
    lines: &mut ReverseLines<R>,
    start: u64,
    end: u64,
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    let from_end = lines.source_len().saturating_sub(start);
    lines.read_range(start, end, into).map_err(|error| Error::read(from_end, error))
}
