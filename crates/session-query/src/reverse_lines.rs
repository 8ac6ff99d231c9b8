//! Lines of a file, the last one first.
//!
//! ```text
//!  file  ──────────────────────────────────────────────────────────────
//!        not yet read          │ block just read │ kept │ handed out …
//!                              start             │      end
//!  buffer                      ├─────────────────┼──────┤
//!                              line ends are looked for here, backwards
//! ```
//!
//! The buffer always begins at file position `start`. When no line end is left in it, the unfinished line moves up
//! and a block from before it is read in front. Blocks double from [`FIRST_BLOCK`] to [`MAX_BLOCK`]: a tail costs
//! one small read, a whole file few large ones.

use std::io::{self, Read, Seek, SeekFrom, Take};
use std::ops::Range;

/// The last entries of a session usually fit; reading 8 KiB from the page cache takes about 1 µs.
const FIRST_BLOCK: usize = 8 << 10;
/// Stays inside a core's second-level cache, so that the search for line ends runs on warm memory.
const MAX_BLOCK: usize = 256 << 10;
/// Blocks begin at multiples of this: where source and buffer are aligned differently, copying out of the page cache was seen
/// to take twice as long.
const PAGE: usize = 4 << 10;
/// A line longer than this is not gathered in memory; its place is handed out instead.
const HOLD: usize = 1 << 20;

/// The lines of a source, last first, in memory of one block plus the line at hand.
///
/// Line ends are `\n`; a `\r` before one belongs to the line. A `\n` at the very end ends the last line rather than
/// starting an empty one. Lines longer than 1 MiB are not gathered: [`Line::bytes`] is `None` for them, and
/// [`read_range`](Self::read_range) reads as much of them as is wanted.
///
/// What is appended to the source after [`new`](Self::new) is not seen.
///
/// ```
/// use std::io::Cursor;
/// use session_query::ReverseLines;
///
/// let mut lines = ReverseLines::new(Cursor::new(b"first\nsecond\n"))?;
/// assert_eq!(lines.next_line()?.unwrap().bytes, Some(&b"second"[..]));
/// assert_eq!(lines.next_line()?.unwrap().bytes, Some(&b"first"[..]));
/// assert!(lines.next_line()?.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ReverseLines<R> {
    source: R,
    /// Position in the source of the buffer's first byte.
    start: u64,
    buffer: Vec<u8>,
    /// The buffer's bytes before this are not handed out yet.
    end: usize,
    /// No line end stands in `buffer[searched..end]`.
    searched: usize,
    block: usize,
    max_block: usize,
    hold: usize,
    /// The source's first line has been handed out.
    done: bool,
    len: u64,
}

/// One line and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Position of the line's first byte, from the start of the source.
    pub start: u64,
    /// Position after the line's last byte, before its line end.
    pub end: u64,
    /// The line without its line end; `None` if it is too long to be held.
    pub bytes: Option<&'a [u8]>,
}

/// A line's place in the source, and in the buffer if it is held there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) held: Option<Range<usize>>,
}

impl<R: Read + Seek> ReverseLines<R> {
    /// Returns the lines of `source` as it is now, from its end.
    ///
    /// # Errors
    ///
    /// When the source cannot be asked for its length.
    pub fn new(source: R) -> io::Result<Self> {
        Self::with_block_sizes(source, FIRST_BLOCK, MAX_BLOCK, HOLD)
    }

    /// Returns the lines of `source`, read in blocks of `first` bytes doubling up to `max`, and holding lines of up to
    /// `hold` bytes. All are taken as 1 at least. The lines are the same whatever the sizes; only time and memory differ.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_block_sizes(mut source: R, first: usize, max: usize, hold: usize) -> io::Result<Self> {
        let len = source.seek(SeekFrom::End(0))?;
        let mut lines = Self {
            source,
            start: len,
            buffer: Vec::new(),
            end: 0,
            searched: 0,
            block: first.max(1),
            max_block: max.max(1),
            hold: hold.max(1),
            done: len == 0,
            len,
        };
        lines.drop_final_line_end()?;
        Ok(lines)
    }

    /// Returns the line before the one handed out last, or `None` when all have been.
    ///
    /// # Errors
    ///
    /// When the source fails, or has become shorter. After that no more lines come.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let Some(Span { start, end, held }) = self.next_span()? else { return Ok(None) };
        Ok(Some(Line { start, end, bytes: held.and_then(|held| self.buffer.get(held)) }))
    }

    /// Replaces the content of `into` by the source's bytes from `start` to `end`.
    ///
    /// # Errors
    ///
    /// When the source fails, or ends before `end`.
    pub fn read_range(&mut self, start: u64, end: u64, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        // Grows as bytes arrive: a range that is not there must not cost its length.
        let got = self.range(start, end)?.read_to_end(into)?;
        if got as u64 == end.saturating_sub(start) {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// Returns the source's length when reading began, in bytes.
    pub fn source_len(&self) -> u64 {
        self.len
    }

    /// The source's bytes from `start` to `end`, to be read before anything else is.
    pub(crate) fn range(&mut self, start: u64, end: u64) -> io::Result<Take<&mut R>> {
        self.source.seek(SeekFrom::Start(start))?;
        Ok((&mut self.source).take(end.saturating_sub(start)))
    }

    pub(crate) fn source_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// Bytes between the reader's place and the end.
    pub(crate) fn bytes_from_end(&self) -> u64 {
        self.len.saturating_sub(self.start)
    }

    pub(crate) fn held(&self, held: Range<usize>) -> Option<&[u8]> {
        self.buffer.get(held)
    }

    pub(crate) fn next_span(&mut self) -> io::Result<Option<Span>> {
        if self.done {
            return Ok(None);
        }
        let span = self.find_span();
        self.done |= span.is_err();
        span.map(Some)
    }

    fn find_span(&mut self) -> io::Result<Span> {
        loop {
            if let Some(line_end) = self.find_line_end(self.searched) {
                let held = line_end + 1..self.end;
                let span = self.span(held);
                self.end = line_end;
                self.searched = line_end;
                return Ok(span);
            }
            self.searched = 0;
            if self.start == 0 {
                self.done = true;
                return Ok(self.span(0..self.end));
            }
            if self.end > self.hold {
                return self.skip_long_line();
            }
            self.fill()?;
        }
    }

    fn span(&self, held: Range<usize>) -> Span {
        let at = |index: usize| self.start + index as u64;
        Span { start: at(held.start), end: at(held.end), held: Some(held) }
    }

    fn find_line_end(&self, before: usize) -> Option<usize> {
        memchr::memrchr(b'\n', self.buffer.get(..before)?)
    }

    /// Reads a block in front of the unfinished line.
    fn fill(&mut self) -> io::Result<()> {
        let block = self.next_block();
        let needed = block + self.end;
        if self.buffer.len() < needed {
            self.buffer.resize(needed, 0);
        }
        self.buffer.copy_within(..self.end, block);
        self.read_block(block)?;
        self.end = needed;
        self.searched = block;
        Ok(())
    }

    /// Finds the start of a line that is too long to be held; what is in the buffer of it is given up.
    fn skip_long_line(&mut self) -> io::Result<Span> {
        let end = self.start + self.end as u64;
        loop {
            let block = self.next_block();
            self.read_block(block)?;
            if let Some(line_end) = self.find_line_end(block) {
                self.end = line_end;
                self.searched = line_end;
                return Ok(Span { start: self.start + line_end as u64 + 1, end, held: None });
            }
            if self.start == 0 {
                self.done = true;
                return Ok(Span { start: 0, end, held: None });
            }
        }
    }

    /// How much to read next: a block, and what makes it begin at a page of the source.
    fn next_block(&self) -> usize {
        let block_start = self.start.saturating_sub(self.block as u64);
        let page_start = block_start - block_start % (PAGE as u64).min(self.block as u64);
        // At most a block and a page.
        usize::try_from(self.start - page_start).unwrap_or(self.block)
    }

    /// Reads the `block` bytes before `start` to the front of the buffer, and moves `start` to them.
    fn read_block(&mut self, block: usize) -> io::Result<()> {
        let start = self.start.saturating_sub(block as u64);
        if self.buffer.len() < block {
            self.buffer.resize(block, 0);
        }
        self.source.seek(SeekFrom::Start(start))?;
        if let Some(front) = self.buffer.get_mut(..block) {
            self.source.read_exact(front)?;
        }
        self.start = start;
        self.block = self.block.saturating_mul(2).min(self.max_block);
        Ok(())
    }

    fn drop_final_line_end(&mut self) -> io::Result<()> {
        if self.done {
            return Ok(());
        }
        self.fill()?;
        if self.buffer.get(..self.end).is_some_and(|read| read.ends_with(b"\n")) {
            self.end -= 1;
        }
        self.searched = self.end;
        Ok(())
    }
}
