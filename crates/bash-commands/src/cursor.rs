//! The only code that moves through the text: classes of bytes, and a place among them.

use crate::span::Span;

/// Ends an unquoted word, or may do so: blanks, newlines, metacharacters. NUL is in it because it stands for the end
/// of the text. `\r` is an ordinary character, as in bash.
pub(crate) const BREAK: u16 = 1;
/// Begins a quotation or an expansion in an unquoted word.
pub(crate) const QUOTE: u16 = 2;
/// Ordinary in a word, but a later expansion asks for it: `* ? [ { ~ =`.
pub(crate) const NOTE: u16 = 4;
/// Not ordinary inside double quotes.
pub(crate) const ACTIVE: u16 = 8;
/// May begin a name.
pub(crate) const LETTER: u16 = 16;
/// A decimal digit.
pub(crate) const DIGIT: u16 = 32;
/// Space or tab.
pub(crate) const BLANK: u16 = 64;
/// Begins some reserved word.
pub(crate) const RESERVED: u16 = 128;
/// Begins a word, and no assignment, redirection, quotation or comment does.
pub(crate) const PLAIN: u16 = 256;
/// Ends an unquoted word whatever follows.
pub(crate) const END: u16 = 512;
/// Stands between two tokens, or begins what may stand there: blanks, `#` and `\`.
pub(crate) const GAP: u16 = 1024;
/// May begin a redirection: `<`, `>`, `&`, and what may stand before those.
pub(crate) const REDIRECTS: u16 = 2048;

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        let mut class = 0;
        if matches!(b, 0 | b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>') {
            class |= BREAK;
        }
        if matches!(b, b'\'' | b'"' | b'`' | b'\\' | b'$') {
            class |= QUOTE;
        }
        if matches!(b, b'*' | b'?' | b'[' | b'{' | b'~' | b'=') {
            class |= NOTE;
        }
        if matches!(b, b'"' | b'`' | b'\\' | b'$') {
            class |= ACTIVE;
        }
        if b.is_ascii_alphabetic() || b == b'_' {
            class |= LETTER;
        }
        if b.is_ascii_digit() {
            class |= DIGIT;
        }
        if b == b' ' || b == b'\t' {
            class |= BLANK;
        }
        if matches!(
            b,
            b'!' | b'[' | b']' | b'c' | b'd' | b'e' | b'f' | b'i' | b's' | b't' | b'u' | b'w' | b'{' | b'}'
        ) {
            class |= RESERVED;
        }
        if class & (BREAK | QUOTE | NOTE | DIGIT) == 0 && b != b'#' {
            class |= PLAIN;
        }
        if class & BREAK != 0 && !matches!(b, 0 | b'(' | b'<' | b'>') {
            class |= END;
        }
        if class & DIGIT != 0 || matches!(b, b'<' | b'>' | b'&' | b'{') {
            class |= REDIRECTS;
        }
        if class & BLANK != 0 || matches!(b, b'#' | b'\\') {
            class |= GAP;
        }
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated by the compiler, which would refuse a bad index"
        )]
        {
            table[byte] = class;
        }
        byte += 1;
    }
    table
}

static CLASSES: [u16; 256] = classes();

/// Returns the classes of a byte.
#[inline]
pub(crate) fn class(byte: u8) -> u16 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Eight bytes that are 1.
const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// The length of a backslash and a newline.
pub(crate) const CONTINUATION: usize = 2;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'t> {
    /// The text, or the part of it that may be read.
    pub(crate) bytes: &'t [u8],
    /// The offset of the next byte in `bytes`.
    pub(crate) pos: usize,
    /// The absolute offset of the first byte of `bytes`.
    pub(crate) base: u32,
}

impl<'t> Cursor<'t> {
    /// Returns the byte at `pos`; 0 at the end, where [`is_end`](Self::is_end) tells it from a NUL byte.
    #[inline]
    pub(crate) fn at(&self, pos: usize) -> u8 {
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    /// Returns the next byte, or 0 at the end.
    #[inline]
    pub(crate) fn byte(&self) -> u8 {
        self.at(self.pos)
    }

    /// Returns the byte behind the next one, or 0.
    #[inline]
    pub(crate) fn second(&self) -> u8 {
        self.at(self.pos + 1)
    }

    #[inline]
    pub(crate) fn is_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    /// Returns the first place from `from` on whose byte has one of the classes in `mask`; the end when none has.
    #[inline]
    pub(crate) fn find(&self, from: usize, mask: u16) -> usize {
        self.find_with_byte(from, mask).0
    }

    /// Does the same, and returns the byte that stands there too, or 0.
    #[inline]
    pub(crate) fn find_with_byte(&self, from: usize, mask: u16) -> (usize, u8) {
        // Narrow, so that the compiler sees that no sum below overflows.
        let mut pos = from as u32;
        // In steps of four bytes: to count them one by one costs as much as to look at them.
        while let Some(step) = self.bytes.get(pos as usize..pos as usize + 4) {
            for (place, &byte) in (pos as usize..).zip(step) {
                if class(byte) & mask != 0 {
                    return (place, byte);
                }
            }
            pos += 4;
        }
        let mut pos = pos as usize;
        while let Some(&byte) = self.bytes.get(pos) {
            if class(byte) & mask != 0 {
                return (pos, byte);
            }
            pos += 1;
        }
        (pos, 0)
    }

    /// Returns the place of the first `byte` from `from` on.
    #[inline]
    pub(crate) fn find_byte(&self, from: usize, byte: u8) -> Option<usize> {
        let wanted = ONES * u64::from(byte);
        let mut rest = self.bytes.get(from..)?;
        // Eight bytes at once, as quotations, comments and here-documents are long.
        while let Some((step, behind)) = rest.split_first_chunk::<8>() {
            let differences = u64::from_le_bytes(*step) ^ wanted;
            // The high bits of the bytes that are 0, and of some behind the first of these.
            let zeros = differences.wrapping_sub(ONES) & !differences & (ONES << 7);
            if zeros != 0 {
                return Some(self.bytes.len() - rest.len() + zeros.trailing_zeros() as usize / 8);
            }
            rest = behind;
        }
        let offset = rest.iter().position(|&b| b == byte)?;
        Some(self.bytes.len() - rest.len() + offset)
    }

    /// Returns whether a line continuation stands at `pos`: [`CONTINUATION`] bytes, a backslash and a newline.
    #[inline]
    pub(crate) fn is_continuation(&self, pos: usize) -> bool {
        self.at(pos) == b'\\' && self.at(pos + 1) == b'\n'
    }

    /// Moves over blanks and a comment, but not over the line end.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        // Eight bytes at once, as lines are indented.
        while let Some(step) = self.bytes.get(self.pos..).and_then(<[u8]>::first_chunk::<8>) {
            let others = u64::from_le_bytes(*step) ^ (ONES * 0x20);
            self.pos += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
        while class(self.byte()) & BLANK != 0 {
            self.pos += 1;
        }
        if self.byte() == b'#' {
            self.pos = self.find_byte(self.pos, b'\n').unwrap_or(self.bytes.len());
        }
    }

    /// Returns whether an unquoted word that has come to `pos` ends there.
    #[inline]
    pub(crate) fn is_word_end(&self, pos: usize) -> bool {
        let byte = self.at(pos);
        class(byte) & BREAK != 0
            && match byte {
                0 => pos >= self.bytes.len(),
                b'<' | b'>' => self.at(pos + 1) != b'(',
                _ => true,
            }
    }

    /// Returns whether an unquoted word can begin at the next byte.
    #[inline]
    pub(crate) fn is_word_start(&self) -> bool {
        !self.is_word_end(self.pos)
    }

    /// Returns the end of the name that begins at `from`; `from` if none does.
    #[inline]
    pub(crate) fn name_end(&self, from: usize) -> usize {
        if class(self.at(from)) & LETTER == 0 {
            return from;
        }
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        from + rest.iter().position(|&byte| class(byte) & (LETTER | DIGIT) == 0).unwrap_or(rest.len())
    }

    /// Returns the end of the digits that begin at `from`.
    #[inline]
    pub(crate) fn digits_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        from + rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
    }

    /// Returns the length of the character at `pos`, so that spans fall on character boundaries.
    #[inline]
    pub(crate) fn character(&self, pos: usize) -> usize {
        match self.at(pos) {
            0xF0.. => 4,
            0xE0.. => 3,
            0xC0.. => 2,
            _ => usize::from(pos < self.bytes.len()),
        }
    }

    /// Returns the bytes from `start` to `end`.
    #[inline]
    pub(crate) fn text(&self, start: usize, end: usize) -> &'t [u8] {
        self.bytes.get(start..end).unwrap_or(&[])
    }

    /// Returns the absolute span from `start` to `end`.
    #[inline]
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }
}
