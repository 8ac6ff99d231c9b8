//! What a line says about itself: read from its two ends if they are plain, else by parsing it whole.
//!
//! pi writes `type`, `id` and `parentId` first, and for `custom` entries `id`, `parentId` and `timestamp` last:
//!
//! ```text
//! {"type":"message","id":"7a8bb653","parentId":"1244c00d","timestamp":…,"message":{…}}
//!  ├─────────────── front ──────────────────────────────┤
//! {"type":"custom","customType":"guard","data":{…},"id":"a909e05e","parentId":"b8befcb9","timestamp":"…"}
//!  ├─────────────── front ──────────────┤          ├─────────────────────── back ──────────────────────┤
//! ```
//!
//! Reading from the back is exact for a line that is valid JSON: its last `}` closes the entry itself, a quote before
//! it ends a string, and the nearest quote before that begins the string unless a backslash stands in front of it. So
//! the members read there are members of the entry, never of something nested, and never text inside a string. What
//! does not look like that (escapes, numbers, nesting) is left alone, and the line is parsed.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};
use std::str::Utf8Error;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A member's value as far as an answer depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Member<'a> {
    #[default]
    Unseen,
    /// A string without escapes; whether it is UTF-8 is asked only where it is used.
    Plain(&'a [u8]),
    /// Something that is not a string.
    Other,
}

impl<'a> Member<'a> {
    fn seen(self) -> bool {
        self != Self::Unseen
    }

    fn text(self) -> Result<Option<&'a str>, Utf8Error> {
        match self {
            Self::Plain(text) => str::from_utf8(text).map(Some),
            Self::Unseen | Self::Other => Ok(None),
        }
    }
}

/// The members that place an entry, read without parsing its line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ends<'a> {
    entry_type: Member<'a>,
    id: Member<'a>,
    parent_id: Member<'a>,
    custom_type: Member<'a>,
}

impl<'a> Ends<'a> {
    fn complete(&self) -> bool {
        self.entry_type.seen()
            && self.id.seen()
            && self.parent_id.seen()
            && (self.custom_type.seen() || self.entry_type != Member::Plain(b"custom"))
    }

    /// Keeps what was seen first.
    fn set(&mut self, key: &[u8], value: Member<'a>) {
        let slot = match key {
            b"type" => &mut self.entry_type,
            b"id" => &mut self.id,
            b"parentId" => &mut self.parent_id,
            b"customType" => &mut self.custom_type,
            _ => return,
        };
        if !slot.seen() {
            *slot = value;
        }
    }
}

/// An entry's place in the session, borrowed from its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link<'a> {
    pub(crate) entry_type: Option<&'a str>,
    pub(crate) id: &'a str,
    pub(crate) parent_id: Option<&'a str>,
    pub(crate) custom_type: Option<&'a str>,
}

/// What the ends of a line tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glance<'a> {
    /// The line is this entry: its links stand at its front.
    Entry(Link<'a>),
    /// The line is this entry if it is valid JSON. Else it was cut right after an inner brace, and the links are those of
    /// something nested.
    Likely(Link<'a>),
    /// The line is no entry of a branch: blank, cut short, a header, or without an id.
    Nothing,
    /// Only parsing the line can tell.
    Unclear,
}

/// Looks at the ends of a line; `front` and `back` may overlap, and each may be the whole line.
///
/// Cost: the members looked at, a hundred bytes for a line written by pi; never more than `front` and `back`.
pub(crate) fn glance<'a>(front: &'a [u8], back: &'a [u8]) -> Glance<'a> {
    match back.trim_ascii_end().last() {
        Some(b'}') => {}
        // A line cut short ends elsewhere, but for the rare cut right after an inner brace.
        Some(_) => return Glance::Nothing,
        // Blank, or followed by more blanks than were looked at.
        None => return Glance::Unclear,
    }
    let mut ends = Ends::default();
    read_front(front, &mut ends);
    let from_front = ends.complete();
    if !from_front {
        read_back(back, &mut ends);
    }
    match link(&ends) {
        _ if !ends.complete() => Glance::Unclear,
        Err(_) => Glance::Unclear,
        Ok(None) => Glance::Nothing,
        Ok(Some(link)) if from_front => Glance::Entry(link),
        Ok(Some(link)) => Glance::Likely(link),
    }
}

fn link<'a>(ends: &Ends<'a>) -> Result<Option<Link<'a>>, Utf8Error> {
    let entry_type = ends.entry_type.text()?;
    let id = ends.id.text()?.filter(|id| !id.is_empty() && entry_type != Some("session"));
    let parent_id = ends.parent_id.text()?.filter(|parent| !parent.is_empty());
    let custom_type = ends.custom_type.text()?;
    Ok(id.map(|id| Link { entry_type, id, parent_id, custom_type }))
}

/// Tells whether a line is valid JSON, by one pass over it that builds nothing.
pub(crate) fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// [`is_json`] for a line that is not in memory. An error is the source's.
pub(crate) fn reads_json(line: impl Read) -> io::Result<bool> {
    match serde_json::from_reader::<_, IgnoredAny>(BufReader::new(line)) {
        Ok(_) => Ok(true),
        Err(error) if error.is_io() => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Reads members from the front until all are known or one is not a plain scalar.
fn read_front<'a>(line: &'a [u8], ends: &mut Ends<'a>) -> Option<()> {
    let mut rest = token(line, b'{')?;
    while !ends.complete() {
        let (key, after) = plain_string(rest.trim_ascii_start())?;
        let (value, after) = scalar(token(after, b':')?.trim_ascii_start())?;
        ends.set(key, value);
        rest = token(after, b',')?;
    }
    Some(())
}

/// Reads members from the back until all are known or one is not a plain string or null.
fn read_back<'a>(line: &'a [u8], ends: &mut Ends<'a>) -> Option<()> {
    let mut rest = token_back(line, b'}')?;
    while !ends.complete() {
        let value_end = rest.trim_ascii_end();
        let (value, before) = match value_end.strip_suffix(b"null") {
            Some(before) => (Member::Other, before),
            None => plain_string_back(value_end).map(|(text, before)| (Member::Plain(text), before))?,
        };
        let (key, before) = plain_string_back(token_back(before, b':')?.trim_ascii_end())?;
        ends.set(key, value);
        rest = token_back(before, b',')?;
    }
    Some(())
}

fn token(text: &[u8], token: u8) -> Option<&[u8]> {
    text.trim_ascii_start().strip_prefix(&[token])
}

fn token_back(text: &[u8], token: u8) -> Option<&[u8]> {
    text.trim_ascii_end().strip_suffix(&[token])
}

/// Splits a string without escapes off the front.
fn plain_string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"\"")?;
    let end = memchr::memchr2(b'"', b'\\', inside)?;
    let (content, rest) = inside.split_at_checked(end)?;
    Some((content, rest.strip_prefix(b"\"")?))
}

/// Splits a string without escapes off the back. The byte in front of it must be at hand, to see that it is no backslash.
fn plain_string_back(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_suffix(b"\"")?;
    let quote = memchr::memrchr(b'"', inside)?;
    let (before, content) = (inside.get(..quote)?, inside.get(quote + 1..)?);
    if before.last().is_none_or(|&byte| byte == b'\\') || memchr::memchr(b'\\', content).is_some() {
        return None;
    }
    Some((content, before))
}

/// Splits a value off the front that is neither nested nor a string with escapes.
fn scalar(text: &[u8]) -> Option<(Member<'_>, &[u8])> {
    match text.first()? {
        b'"' => plain_string(text).map(|(text, rest)| (Member::Plain(text), rest)),
        b'{' | b'[' => None,
        _ => {
            let end = memchr::memchr2(b',', b'}', text)?;
            Some((Member::Other, text.get(end..)?))
        }
    }
}

/// A line parsed whole: valid JSON, and an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) entry_type: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) parent_id: Option<String>,
    pub(crate) custom_type: Option<String>,
    /// As it is written; of a header only.
    pub(crate) version: Option<String>,
}

impl Parsed {
    pub(crate) fn link(&self) -> Option<Link<'_>> {
        let entry_type = self.entry_type.as_deref();
        let id = self.id.as_deref().filter(|id| !id.is_empty() && entry_type != Some("session"))?;
        let parent_id = self.parent_id.as_deref().filter(|parent| !parent.is_empty());
        Some(Link { entry_type, id, parent_id, custom_type: self.custom_type.as_deref() })
    }
}

/// Parses a whole line; `None` if it is not a JSON object.
///
/// Bytes that are not UTF-8 count as U+FFFD, as they do for pi. Nothing is built for what is nested, and the depth of
/// nesting is not limited. Cost: one pass over the line.
pub(crate) fn parse(line: &[u8]) -> Option<Parsed> {
    whole(line).map(|whole| whole.parsed)
}

/// Returns the `data` of a line as it is written, null if it has none; `None` if the line is not a JSON object.
pub(crate) fn parse_data(line: &[u8]) -> Option<Box<RawValue>> {
    whole(line).map(|whole| whole.data.unwrap_or_else(|| RawValue::NULL.to_owned()))
}

fn whole(line: &[u8]) -> Option<Whole> {
    serde_json::from_str(&String::from_utf8_lossy(line)).ok()
}

struct Whole {
    parsed: Parsed,
    data: Option<Box<RawValue>>,
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WholeVisitor)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a session entry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Whole, A::Error> {
        let mut whole = Whole { parsed: Parsed::default(), data: None };
        let parsed = &mut whole.parsed;
        while let Some(key) = members.next_key::<Cow<'_, str>>()? {
            match &*key {
                "type" => parsed.entry_type = text(members.next_value()?),
                "id" => parsed.id = text(members.next_value()?),
                "parentId" => parsed.parent_id = text(members.next_value()?),
                "customType" => parsed.custom_type = text(members.next_value()?),
                "version" => parsed.version = Some(members.next_value::<&RawValue>()?.get().to_owned()),
                "data" => whole.data = Some(members.next_value::<&RawValue>()?.to_owned()),
                _ => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(whole)
    }
}

/// A member of the wrong type is as good as none; the entry stays one.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}
