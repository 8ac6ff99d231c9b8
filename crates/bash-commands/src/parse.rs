//! Reads bash text, one complete line after the other, into a [`Tree`].

use crate::issue::Fault;
use crate::span::Span;
use crate::syntax::{Id, Item, Slice, Tree, Word};

/// How text is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadOptions {
    /// `shopt -s extglob` is on.
    pub(crate) extglob: bool,
    /// How deep constructs of every kind may nest.
    pub(crate) max_depth: u32,
}

/// Reads the lines of one text.
#[derive(Debug)]
pub(crate) struct Reader {
    base: u32,
    pub(crate) options: ReadOptions,
    position: u32,
}

impl Reader {
    /// Makes a reader for a text whose first byte has the absolute offset `base`.
    pub(crate) fn new(base: u32, options: ReadOptions) -> Self {
        Self { base, options, position: base }
    }

    /// Starts over with another text, keeping storage.
    pub(crate) fn restart(&mut self, base: u32) {
        self.base = base;
        self.position = base;
    }

    /// Reads the next complete line: a list that is ended by a newline or by the end of the text, with all
    /// here-documents that it starts. `None` at the end. After a fault nothing more should be read.
    pub(crate) fn next_line(&mut self, text: &str, tree: &mut Tree) -> Result<Option<Slice<Item>>, Fault> {
        let _ = (text, tree, self.base);
        Ok(None)
    }

    /// Returns the absolute offset of the first unread byte.
    pub(crate) fn position(&self) -> u32 {
        self.position
    }
}

/// Reads `span` of `text` (whose first byte is at `base`) as double-quoted text or as the body of a here-document.
pub(crate) fn read_quoted(
    text: &str,
    base: u32,
    span: Span,
    heredoc: bool,
    options: ReadOptions,
    tree: &mut Tree,
) -> Result<Id<Word>, Fault> {
    let _ = (text, base, heredoc, options);
    Ok(tree.add(Word { span, ..Word::default() }))
}

/// Reads the whole text as one unquoted word, blanks and operators included.
pub(crate) fn read_word(text: &str, base: u32, options: ReadOptions, tree: &mut Tree) -> Result<Id<Word>, Fault> {
    let _ = options;
    Ok(tree.add(Word { span: Span::new(base, base + text.len() as u32), ..Word::default() }))
}
