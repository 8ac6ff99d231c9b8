//! Reads a text of the store line by line, and takes out line continuations where bash does.
//!
//! Bash drops a backslash and a newline before it looks for tokens, but not in single quotes, comments and quoted
//! here-documents, so only who reads the text knows which of them go. The parser therefore reads a line as it stands,
//! passes over those that stand between tokens or between the parts of a word, as nearly all do, and notes the others
//! as joints. A line with joints is then read again from a [copy](crate::joined) that lacks them, until none is left.

use crate::issue::Fault;
use crate::parse::{ReadOptions, read_line};
use crate::span::Span;
use crate::store::Store;
use crate::syntax::{Item, Mark, Slice, Tree};

/// Why there is no next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Bash would refuse it.
    Faulty(Fault),
    /// The budget is used up.
    OutOfSteps,
}

/// Reads the lines of one text.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) options: ReadOptions,
    /// What is read: the text, or the copy of its rest.
    text: Span,
    is_copy: bool,
    /// Where the line begins that was read last, and the next one.
    line: u32,
    next: u32,
}

impl Reader {
    /// Makes a reader for a text of the store.
    pub(crate) fn new(text: Span, options: ReadOptions) -> Self {
        Self { options, text, is_copy: false, line: text.start, next: text.start }
    }

    /// Reads the next complete line: a list that is ended by a newline or by the end of the text, with all
    /// here-documents that it starts. `None` at the end. After an error nothing more should be read.
    ///
    /// `mark` is where the tree stands; what is copied or read again is charged to `budget`, a step for each byte.
    #[inline]
    pub(crate) fn next_line(
        &mut self,
        store: &mut Store<'_>,
        tree: &mut Tree,
        mark: &Mark,
        budget: &mut u64,
    ) -> Result<Option<Slice<Item>>, Unread> {
        self.line = self.next;
        loop {
            let text = store.text(self.text);
            let (line, next) = read_line(text, self.text.start, self.line, self.options, tree);
            self.next = next;
            if tree.scratch.joints.is_empty() {
                return line.map_err(Unread::Faulty);
            }
            tree.truncate(mark);
            self.join(store, &mut tree.scratch.joints, budget)?;
        }
    }

    /// Takes the joints out of the present line, and goes back to its beginning.
    #[cold]
    fn join(&mut self, store: &mut Store<'_>, joints: &mut [u32], budget: &mut u64) -> Result<(), Unread> {
        let mut cost = self.next.saturating_sub(self.line);
        if !self.is_copy {
            cost += self.text.end - self.line;
        }
        let Some(rest) = budget.checked_sub(u64::from(cost)) else {
            *budget = 0;
            return Err(Unread::OutOfSteps);
        };
        *budget = rest;
        if !self.is_copy {
            let copy = store.copy_to_join(Span::new(self.line, self.text.end));
            for joint in &mut *joints {
                *joint = *joint - self.line + copy.start;
            }
            (self.text, self.is_copy, self.line) = (copy, true, copy.start);
        }
        self.line = store.join_line(self.line, joints);
        Ok(())
    }

    /// Returns the part of the text from the line that was read last on.
    pub(crate) fn rest(&self) -> Span {
        Span::new(self.line.min(self.text.end), self.text.end)
    }

    /// Returns whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.next >= self.text.end
    }
}
