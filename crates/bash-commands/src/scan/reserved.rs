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

    /// Returns how the word is written.
    pub(crate) const fn text(self) -> &'static [u8] {
        match self {
            Self::None => b"",
            Self::Bang => b"!",
            Self::Time => b"time",
            Self::Coproc => b"coproc",
            Self::Function => b"function",
            Self::If => b"if",
            Self::While => b"while",
            Self::Until => b"until",
            Self::For => b"for",
            Self::Select => b"select",
            Self::Case => b"case",
            Self::Brace => b"{",
            Self::Condition => b"[[",
            Self::Then => b"then",
            Self::Elif => b"elif",
            Self::Else => b"else",
            Self::Fi => b"fi",
            Self::Do => b"do",
            Self::Done => b"done",
            Self::In => b"in",
            Self::Esac => b"esac",
            Self::CloseBrace => b"}",
            Self::CloseCondition => b"]]",
        }
    }

    /// Returns the longest word that begins `text`.
    fn beginning(text: &[u8]) -> Self {
        match text {
            [b'!', ..] => Self::Bang,
            [b'{', ..] => Self::Brace,
            [b'}', ..] => Self::CloseBrace,
            [b'[', b'[', ..] => Self::Condition,
            [b']', b']', ..] => Self::CloseCondition,
            [b'c', b'a', b's', b'e', ..] => Self::Case,
            [b'c', b'o', b'p', b'r', b'o', b'c', ..] => Self::Coproc,
            [b'd', b'o', b'n', b'e', ..] => Self::Done,
            [b'd', b'o', ..] => Self::Do,
            [b'e', b'l', b'i', b'f', ..] => Self::Elif,
            [b'e', b'l', b's', b'e', ..] => Self::Else,
            [b'e', b's', b'a', b'c', ..] => Self::Esac,
            [b'f', b'i', ..] => Self::Fi,
            [b'f', b'o', b'r', ..] => Self::For,
            [b'f', b'u', b'n', b'c', b't', b'i', b'o', b'n', ..] => Self::Function,
            [b'i', b'f', ..] => Self::If,
            [b'i', b'n', ..] => Self::In,
            [b's', b'e', b'l', b'e', b'c', b't', ..] => Self::Select,
            [b't', b'h', b'e', b'n', ..] => Self::Then,
            [b't', b'i', b'm', b'e', ..] => Self::Time,
            [b'u', b'n', b't', b'i', b'l', ..] => Self::Until,
            [b'w', b'h', b'i', b'l', b'e', ..] => Self::While,
            _ => Self::None,
        }
    }
}

impl Parser<'_, '_> {
    /// Returns the reserved word at the cursor.
    #[inline]
    pub(crate) fn reserved(&self) -> Reserved {
        self.reserved_from(self.cursor.byte())
    }

    /// Does the same where the byte at the cursor is known.
    #[inline]
    pub(crate) fn reserved_from(&self, first: u8) -> Reserved {
        if class(first) & RESERVED == 0 { Reserved::None } else { self.reserved_or_name() }
    }

    /// Does the same where the first byte may begin a reserved word.
    #[inline(never)]
    fn reserved_or_name(&self) -> Reserved {
        let start = self.cursor.pos;
        let word = Reserved::beginning(self.cursor.bytes.get(start..).unwrap_or(&[]));
        let end = start + word.text().len();
        let stands = word != Reserved::None
            && self.cursor.is_word_end(end)
            // An extended glob.
            && !(word == Reserved::Bang && self.options.extglob && self.cursor.at(end) == b'(');
        if stands { word } else { Reserved::None }
    }

    /// Moves over the reserved word at the cursor, which is `word`.
    #[inline]
    pub(crate) fn take_reserved(&mut self, word: Reserved) {
        self.cursor.pos += word.text().len();
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
