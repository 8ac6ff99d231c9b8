//! Copies of texts from which line continuations were taken out, and the way back to the places they were copied from.
//!
//! ```text
//! home   f\⏎ind /; fi\⏎nd /⏎ls      a line with two joints (⏎ is a newline)
//! copy   ....find /; find /⏎ls      what stands before the last of them has moved towards it
//! ```
//!
//! A line is joined when it is about to be run, and only what comes before its last joint moves: everything behind it
//! stays where it is, so that many such lines cost no more than their own length, and what was read of earlier lines
//! stands.

use crate::cursor::CONTINUATION;
use crate::span::Span;
use crate::store::Store;
use alloc::string::String;
use alloc::vec::Vec;

/// A copy of a text.
#[derive(Debug)]
pub(crate) struct JoinedCopy {
    /// Where the copy stands.
    place: Span,
    /// Where the text stands that it was made from.
    home: u32,
    /// By how much bytes have moved: ascending in `start`, each run up to the next. None have moved before the first.
    runs: Vec<Run>,
    /// Where the line begins, at home, that was joined last, and the places of its joints there.
    line: u32,
    joints: Vec<u32>,
}

/// Neighbouring bytes that have moved together.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Where they begin in the copy.
    start: u32,
    /// How far they have moved towards the end of the text.
    moved: u32,
}

impl JoinedCopy {
    /// Returns the place in the copy of a byte at home that has not moved.
    fn unmoved(&self, home: u32) -> u32 {
        home - self.home + self.place.start
    }

    /// Returns the place at home of the byte at `place`.
    fn home_of(&self, place: u32) -> u32 {
        let behind = self.runs.partition_point(|run| run.start <= place);
        let moved = behind.checked_sub(1).and_then(|index| self.runs.get(index)).map_or(0, |run| run.moved);
        (place - self.place.start + self.home).saturating_sub(moved)
    }

    /// Returns the bytes at home that a part of the copy was made from. Joints at its ends do not belong to it.
    fn home_span(&self, span: Span) -> Span {
        let start = self.home_of(span.start);
        let end = if span.is_empty() { start } else { self.home_of(span.end - 1) + 1 };
        Span::new(start, end)
    }

    /// Notes more joints of the line that begins at `line`; all are places in the copy.
    fn add_joints(&mut self, line: u32, joints: &[u32]) {
        let home = self.home_of(line);
        if self.line != home {
            self.line = home;
            self.joints.clear();
        }
        for &joint in joints {
            self.joints.push(self.home_of(joint));
        }
        self.joints.sort_unstable();
        self.joints.dedup();
    }

    /// Writes down how the bytes of the line move; returns where it begins then.
    fn move_line(&mut self) -> u32 {
        let from = self.unmoved(self.line);
        let kept = self.runs.partition_point(|run| run.start < from);
        self.runs.truncate(kept);
        let mut moved = (self.joints.len() * CONTINUATION) as u32;
        let start = from + moved;
        self.runs.push(Run { start, moved });
        for &joint in &self.joints {
            moved -= CONTINUATION as u32;
            let start = joint - self.home + self.place.start + CONTINUATION as u32 + moved;
            // Of several joints in a row only the last has bytes behind it.
            if self.runs.last().is_some_and(|last| last.start == start) {
                self.runs.pop();
            }
            self.runs.push(Run { start, moved });
        }
        start
    }
}

impl Store<'_> {
    /// Copies a text whose lines are to be joined; returns where the copy stands.
    pub(crate) fn copy_to_join(&mut self, text: Span) -> Span {
        let copy = String::from(self.text(text));
        let place = self.keep(&copy);
        self.joined.push(JoinedCopy {
            place,
            home: text.start,
            runs: Vec::new(),
            line: u32::MAX,
            joints: Vec::new(),
        });
        place
    }

    /// Takes line continuations out of a line of a copy; returns where the line begins then.
    ///
    /// `line` is where it begins, `joints` are the places of the backslashes. Nothing of the line may be in use.
    pub(crate) fn join_line(&mut self, line: u32, joints: &[u32]) -> u32 {
        let Some(index) = self.joined_at(line) else { return line };
        let Some(copy) = self.joined.get_mut(index) else { return line };
        copy.add_joints(line, joints);
        let start = copy.move_line();
        let Some(copy) = self.joined.get(index) else { return line };
        let Some(&last) = copy.joints.last() else { return line };
        let home = Span::new(copy.line, last + CONTINUATION as u32);
        let place = Span::new(copy.unmoved(home.start), copy.unmoved(home.end));
        let mut text = String::with_capacity(home.len() as usize);
        text.extend(core::iter::repeat_n(' ', (start - place.start) as usize));
        let mut from = home.start;
        for &joint in &copy.joints {
            text.push_str(self.text(Span::new(from, joint)));
            from = joint + CONTINUATION as u32;
        }
        self.replace(place, &text);
        start
    }

    /// Returns the bytes of the analysed text that a span stands for, if it lies there or in a copy of such bytes.
    #[inline]
    pub(crate) fn place(&self, span: Span) -> Option<Span> {
        if self.is_source(span) { Some(span) } else { self.place_of_copy(span) }
    }

    #[cold]
    fn place_of_copy(&self, span: Span) -> Option<Span> {
        let mut span = span;
        // Each copy was made of something that stands before it.
        while !self.is_source(span) {
            let copy = self.joined.get(self.joined_at(span.start)?)?;
            if span.end > copy.place.end {
                return None;
            }
            span = copy.home_span(span);
        }
        Some(span)
    }

    /// Returns the index of the last copy that begins at `place` or before it.
    fn joined_at(&self, place: u32) -> Option<usize> {
        self.joined.partition_point(|copy| copy.place.start <= place).checked_sub(1)
    }
}
