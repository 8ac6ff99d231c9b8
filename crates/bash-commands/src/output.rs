//! What commands print, where a construct around them reads it.

use crate::evaluate::Evaluator;
use crate::span::Span;
use crate::state::Output;
use crate::store::HOLE;
use alloc::string::String;

/// What a construct that reads the output of commands has collected.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    text: String,
    /// Several processes write to it at once.
    is_mixed: bool,
}

impl Capture {
    /// What the innermost one holds behind the first `len` bytes.
    pub(crate) fn since(captures: &[Self], len: usize) -> &str {
        captures.last().and_then(|capture| capture.text.get(len..)).unwrap_or("")
    }

    fn push_hole(&mut self) {
        if !self.text.ends_with(HOLE) {
            self.text.push(HOLE);
        }
    }
}

impl Evaluator<'_> {
    /// How much output the innermost collector holds.
    pub(crate) fn collected(&self) -> usize {
        self.stacks.captures.last().map_or(0, |capture| capture.text.len())
    }

    pub(crate) fn truncate_output(&mut self, len: usize) {
        if let Some(capture) = self.stacks.captures.last_mut() {
            capture.text.truncate(len);
        }
    }

    /// What was collected behind the first `len` bytes.
    pub(crate) fn collected_since(&self, len: usize) -> &str {
        Capture::since(&self.stacks.captures, len)
    }

    /// Puts `output` in the place of what was collected behind the first `len` bytes.
    pub(crate) fn replace_output(&mut self, len: usize, output: &str) {
        if let Some(capture) = self.stacks.captures.last_mut() {
            capture.text.truncate(len);
            capture.text.push_str(output);
        }
    }

    /// Collects what `body` prints.
    pub(crate) fn collect(&mut self, body: impl FnOnce(&mut Self)) -> Span {
        let capture = self.stacks.spare_captures.pop().unwrap_or_default();
        self.stacks.captures.push(capture);
        let outer = core::mem::replace(&mut self.now.output, Output::Collected);
        body(self);
        self.now.output = outer;
        let mut capture = self.stacks.captures.pop().unwrap_or_default();
        let text = &mut capture.text;
        self.step(text.len() as u64 / 16);
        let output = match text.as_str() {
            "" => Span::default(),
            crate::store::HOLE_TEXT => self.hole(),
            known => self.store.keep(known),
        };
        text.clear();
        capture.is_mixed = false;
        self.stacks.spare_captures.push(capture);
        output
    }

    /// Prints text to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        if self.now.output == Output::Collected
            && self.step(text.len() as u64 / 16 + 1)
            && let Some(capture) = self.stacks.captures.last_mut()
        {
            if capture.is_mixed {
                capture.push_hole();
            } else {
                capture.text.push_str(text);
            }
        }
    }

    /// Prints something that is not known.
    pub(crate) fn print_unknown(&mut self) {
        if self.now.output == Output::Collected
            && let Some(capture) = self.stacks.captures.last_mut()
        {
            capture.push_hole();
        }
    }

    /// What was collected behind the first `len` bytes, and all that follows, is printed in an order that is not known.
    pub(crate) fn mix_output(&mut self, len: usize) {
        if let Some(capture) = self.stacks.captures.last_mut() {
            capture.text.truncate(len);
            capture.push_hole();
            capture.is_mixed = true;
        }
    }
}
