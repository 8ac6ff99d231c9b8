//! What commands print, where a construct around them reads it.

use crate::evaluate::Evaluator;
use crate::span::Span;
use crate::state::Output;
use crate::store::HOLE;
use alloc::string::String;

impl Evaluator<'_> {
    /// How much output the innermost collector holds.
    pub(crate) fn collected(&self) -> usize {
        self.stacks.captures.last().map_or(0, String::len)
    }

    pub(crate) fn truncate_output(&mut self, len: usize) {
        if let Some(text) = self.stacks.captures.last_mut() {
            text.truncate(len);
        }
    }

    /// What was collected behind the first `len` bytes.
    pub(crate) fn collected_since(&self, len: usize) -> &str {
        self.stacks.captures.last().and_then(|text| text.get(len..)).unwrap_or("")
    }

    /// Puts `output` in the place of what was collected behind the first `len` bytes.
    pub(crate) fn replace_output(&mut self, len: usize, output: &str) {
        if let Some(text) = self.stacks.captures.last_mut() {
            text.truncate(len);
            text.push_str(output);
        }
    }

    /// Collects what `body` prints.
    pub(crate) fn collect(&mut self, body: impl FnOnce(&mut Self)) -> Span {
        let capture = self.stacks.spare_captures.pop().unwrap_or_default();
        self.stacks.captures.push(capture);
        let outer = core::mem::replace(&mut self.now.output, Output::Collected);
        body(self);
        self.now.output = outer;
        let mut text = self.stacks.captures.pop().unwrap_or_default();
        self.step(text.len() as u64 / 16);
        let output = match text.as_str() {
            "" => Span::default(),
            crate::store::HOLE_TEXT => self.hole(),
            known => self.store.keep(known),
        };
        text.clear();
        self.stacks.spare_captures.push(text);
        output
    }

    /// Prints text to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        if self.now.output == Output::Collected
            && self.step(text.len() as u64 / 16 + 1)
            && let Some(capture) = self.stacks.captures.last_mut()
        {
            capture.push_str(text);
        }
    }

    /// Prints something that is not known.
    pub(crate) fn print_unknown(&mut self) {
        if self.now.output == Output::Collected
            && let Some(capture) = self.stacks.captures.last_mut()
            && !capture.ends_with(HOLE)
        {
            capture.push(HOLE);
        }
    }
}
