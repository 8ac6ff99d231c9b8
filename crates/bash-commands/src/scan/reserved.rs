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

    /// Returns the only word that may begin with these bytes.
    fn beginning_with(bytes: [u8; 3]) -> Self {
        match bytes {
            [b'!', ..] => Self::Bang,
            [b'{', ..] => Self::Brace,
            [b'}', ..] => Self::CloseBrace,
            [b'[', b'[', _] => Self::Condition,
            [b']', b']', _] => Self::CloseCondition,
            [b'c', b'a', _] => Self::Case,
            [b'c', b'o', _] => Self::Coproc,
            [b'd', b'o', b'n'] => Self::Done,
            [b'd', b'o', _] => Self::Do,
            [b'e', b'l', b'i'] => Self::Elif,
            [b'e', b'l', _] => Self::Else,
            [b'e', b's', _] => Self::Esac,
            [b'f', b'i', _] => Self::Fi,
            [b'f', b'o', _] => Self::For,
            [b'f', b'u', _] => Self::Function,
            [b'i', b'f', _] => Self::If,
            [b'i', b'n', _] => Self::In,
            [b's', b'e', _] => Self::Select,
            [b't', b'h', _] => Self::Then,
            [b't', b'i', _] => Self::Time,
            [b'u', b'n', _] => Self::Until,
            [b'w', b'h', _] => Self::While,
            _ => Self::None,
        }
    }
}

impl Parser<'_, '_> {
    /// Returns the reserved word at the cursor.
    #[inline]
    pub(crate) fn reserved(&self) -> Reserved {
        if class(self.cursor.byte()) & RESERVED == 0 { Reserved::None } else { self.reserved_or_name() }
    }

    /// Does the same where the first byte may begin a reserved word. The first bytes of most names show that it does not.
    #[inline(never)]
    fn reserved_or_name(&self) -> Reserved {
        let start = self.cursor.pos;
        let bytes = [self.cursor.byte(), self.cursor.second(), self.cursor.at(start + 2)];
        let word = Reserved::beginning_with(bytes);
        let end = start + word.text().len();
        let stands = word != Reserved::None
            && self.cursor.is_word_end(end)
            && self.cursor.text(start, end) == word.text()
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
