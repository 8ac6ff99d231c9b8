//! Reserved words.

use crate::cursor::{RESERVED, class};
use crate::parse::Parser;

/// A reserved word, read where bash recognises one: where a command may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reserved {
    None,
    Bang,
    Time,
    Coproc,
    Function,
    If,
    While,
    Until,
    For,
    Select,
    Case,
    Brace,
    Condition,
    // From here on: words that continue or close a command, so that no command begins with them.
    Then,
    Elif,
    Else,
    Fi,
    Do,
    Done,
    In,
    Esac,
    CloseBrace,
    CloseCondition,
}

impl Reserved {
    /// Returns whether the word begins no command, but continues or closes one.
    #[inline]
    pub(crate) fn continues_none(self) -> bool {
        self as u8 >= Self::Then as u8
    }

    fn of(word: &[u8]) -> Self {
        match word {
            b"!" => Self::Bang,
            b"time" => Self::Time,
            b"coproc" => Self::Coproc,
            b"function" => Self::Function,
            b"if" => Self::If,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"case" => Self::Case,
            b"{" => Self::Brace,
            b"[[" => Self::Condition,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"in" => Self::In,
            b"esac" => Self::Esac,
            b"}" => Self::CloseBrace,
            b"]]" => Self::CloseCondition,
            _ => Self::None,
        }
    }
}

/// The longest reserved word has 8 bytes.
const LONGEST: usize = 8;

impl Parser<'_, '_> {
    /// Returns the reserved word at the cursor.
    #[inline]
    pub(crate) fn reserved(&self) -> Reserved {
        if class(self.cursor.byte()) & RESERVED == 0 || !self.may_be_reserved() {
            return Reserved::None;
        }
        self.reserved_at_cursor().0
    }

    /// Returns whether the first two bytes at the cursor may begin a reserved word, which those of most names do not.
    #[inline]
    fn may_be_reserved(&self) -> bool {
        let second = self.cursor.second();
        match self.cursor.byte() {
            b'c' => matches!(second, b'a' | b'o'),
            b'd' => second == b'o',
            b'e' => matches!(second, b'l' | b's'),
            b'f' => matches!(second, b'i' | b'o' | b'u'),
            b'i' => matches!(second, b'f' | b'n'),
            b's' => second == b'e',
            b't' => matches!(second, b'i' | b'h'),
            b'u' => second == b'n',
            b'w' => second == b'h',
            _ => true,
        }
    }

    /// Moves over the reserved word at the cursor.
    pub(crate) fn take_reserved(&mut self) {
        self.cursor.pos = self.reserved_at_cursor().1;
    }

    /// Returns the reserved word at the cursor, and where it ends.
    fn reserved_at_cursor(&self) -> (Reserved, usize) {
        let start = self.cursor.pos;
        let mut end = start;
        while matches!(self.cursor.at(end), b'a'..=b'z' | b'{' | b'}' | b'[' | b']' | b'!') {
            end += 1;
            if end - start > LONGEST {
                return (Reserved::None, start);
            }
        }
        if !self.cursor.is_word_end(end) {
            return (Reserved::None, start);
        }
        let word = Reserved::of(self.cursor.text(start, end));
        if word == Reserved::Bang && self.options.extglob && self.cursor.at(end) == b'(' {
            return (Reserved::None, start);
        }
        (word, end)
    }

    /// Moves over `word` if it stands at the cursor as a whole word; returns whether it did.
    pub(crate) fn take_word(&mut self, word: &[u8]) -> bool {
        let end = self.cursor.pos + word.len();
        let stands = self.cursor.text(self.cursor.pos, end) == word && self.cursor.is_word_end(end);
        if stands {
            self.cursor.pos = end;
        }
        stands
    }
}
