//! The store of all texts that an analysis looks at.

use crate::joined::JoinedCopy;
use crate::span::Span;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Stands for text that is not known: it may be anything, the empty text included.
///
/// It is a Unicode noncharacter, so ordinary text has none; one that is written in a command line is taken as unknown,
/// which is the safe side.
pub(crate) const HOLE: char = '\u{FDD0}';
/// The first of its three bytes.
const HOLE_FIRST_BYTE: u8 = 0xEF;
/// [`HOLE`] as text.
pub(crate) const HOLE_TEXT: &str = "\u{FDD0}";

/// Returns whether a text has a hole. Most text is ASCII; of what is not, most is short, and has one: that is looked at
/// directly, as a searcher costs more to set up.
#[inline]
pub(crate) fn has_hole(text: &str) -> bool {
    const SHORT: usize = 32;
    let bytes = text.as_bytes();
    !text.is_ascii()
        && if bytes.len() <= SHORT {
            bytes.windows(HOLE_TEXT.len()).any(|window| window == HOLE_TEXT.as_bytes())
        } else {
            bytes.contains(&HOLE_FIRST_BYTE) && text.contains(HOLE)
        }
}

/// The analysed text, and behind it every text that was made from it: values, nested command lines, patterns.
///
/// Positions are absolute: those below the length of the source are in the source, later ones in what was derived.
/// A text that stands verbatim in the source is therefore never copied, and a nested command line that was written
/// inside quotes keeps its exact place.
#[derive(Debug)]
pub(crate) struct Store<'t> {
    source: &'t str,
    derived: &'t mut String,
    source_has_holes: bool,
    /// Copies without line continuations, in the order of their places.
    pub(crate) joined: Vec<JoinedCopy>,
}

impl<'t> Store<'t> {
    /// INVARIANT: `derived` begins with [`HOLE`], so that [`Store::hole`] is a place.
    pub(crate) fn new(source: &'t str, derived: &'t mut String) -> Self {
        derived.clear();
        Self { source, derived, source_has_holes: has_hole(source), joined: Vec::new() }
    }

    pub(crate) fn source(&self) -> &'t str {
        self.source
    }

    /// Returns the text of a span.
    #[inline]
    pub(crate) fn text(&self, span: Span) -> &str {
        let base = self.source.len();
        if (span.start as usize) < base || span.is_empty() {
            span.of(self.source)
        } else {
            self.derived.get(span.start as usize - base..span.end as usize - base).unwrap_or("")
        }
    }

    /// Returns the bytes of a span: for what only compares them, which need not be told that they are text.
    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &[u8] {
        let base = self.source.len();
        let (start, end) = (span.start as usize, span.end as usize);
        let bytes = if start < base || span.is_empty() {
            self.source.as_bytes().get(start..end)
        } else {
            self.derived.as_bytes().get(start - base..end - base)
        };
        bytes.unwrap_or(&[])
    }

    /// Returns the text of a span, to be read while the store grows: what stands in the source is not copied for that.
    #[inline]
    pub(crate) fn detached(&self, span: Span) -> Cow<'t, str> {
        if self.is_source(span) {
            Cow::Borrowed(span.of(self.source))
        } else {
            Cow::Owned(String::from(self.text(span)))
        }
    }

    /// Returns whether a text has a hole.
    #[inline]
    pub(crate) fn has_hole(&self, span: Span) -> bool {
        !self.is_known_source(span) && self.has_hole_inside(span)
    }

    /// Most spans lie in the source, and need no look at the text.
    #[inline(never)]
    fn has_hole_inside(&self, span: Span) -> bool {
        has_hole(self.text(span))
    }

    /// Returns whether a span lies in the analysed text itself.
    #[inline]
    pub(crate) fn is_source(&self, span: Span) -> bool {
        span.end as usize <= self.source.len()
    }

    /// Returns whether a span lies in the analysed text itself, and that has no holes.
    #[inline]
    pub(crate) fn is_known_source(&self, span: Span) -> bool {
        self.is_source(span) && !self.source_has_holes
    }

    /// Returns the place where the next derived text will stand.
    pub(crate) fn end(&self) -> u32 {
        (self.source.len() + self.derived.len()) as u32
    }

    /// Keeps a text.
    pub(crate) fn keep(&mut self, text: &str) -> Span {
        let start = self.end();
        self.derived.push_str(text);
        Span::new(start, self.end())
    }

    /// Returns the place of the same text where it stands for no bytes of the source: what a value is used for has the
    /// place of its use, not of the assignment. Only what stands in the source is copied.
    pub(crate) fn displaced(&mut self, span: Span) -> Span {
        if self.place(span).is_none() { span } else { self.keep_again(span) }
    }

    /// Keeps a text of the store once more, behind all others.
    pub(crate) fn keep_again(&mut self, span: Span) -> Span {
        let start = self.end();
        let base = self.source.len();
        if self.is_source(span) {
            self.derived.push_str(span.of(self.source));
        } else {
            self.derived.extend_from_within(span.start as usize - base..span.end as usize - base);
        }
        Span::new(start, self.end())
    }

    /// Keeps a number as text.
    pub(crate) fn keep_number(&mut self, number: i64) -> Span {
        let start = self.end();
        // Writing to a text does not fail.
        let _ = write!(self.derived, "{number}");
        Span::new(start, self.end())
    }

    /// Puts another text of the same length in the place of a derived one.
    pub(crate) fn replace(&mut self, place: Span, text: &str) {
        let base = self.source.len();
        let range = place.start as usize - base..place.end as usize - base;
        if self.derived.get(range.clone()).is_some_and(|old| old.len() == text.len()) {
            self.derived.replace_range(range, text);
        }
    }

    /// The buffer of derived texts, to append to; see [`Store::end`].
    pub(crate) fn derived(&mut self) -> &mut String {
        self.derived
    }

    /// Returns the whole text that `span` lies in, and the position of its first byte.
    pub(crate) fn home_of(&self, span: Span) -> (&str, u32) {
        if self.is_source(span) { (self.source, 0) } else { (self.derived, self.source.len() as u32) }
    }
}
