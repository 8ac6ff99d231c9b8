//! What a settings file says that strict readers refuse.

use crate::language::Language;
use crate::position::Position;

/// Something in a settings file that was read here and that a strict JSON reader refuses or takes otherwise.
///
/// Only the first of each kind is noted, so that their number is bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// Where it stands.
    pub position: Position,
}

/// The kinds of [`Note`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A comment, `//` or `/* */`.
    Comment,
    /// A comma before `}` or `]`.
    TrailingComma,
    /// A byte-order mark at the start.
    ByteOrderMark,
    /// White space that JSON does not know, such as a no-break space.
    OddSpace,
    /// A key that its object already has; the last one counts.
    DuplicateKey(String),
}

impl Note {
    /// Returns the note as a sentence for the person who edits the file.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let place = self.position;
        match (&self.kind, language) {
            (NoteKind::DuplicateKey(key), Language::En) => {
                format!("{place}: the key `{key}` stands twice in one object; the last one counts")
            }
            (NoteKind::DuplicateKey(key), Language::ZhCn) => {
                format!("{place}：键 `{key}` 在同一个对象里写了两次，以最后一个为准")
            }
            (kind, Language::En) => {
                format!("{place}: {} is tolerated here, but pi itself cannot read it", kind.name_en())
            }
            (kind, Language::ZhCn) => format!("{place}：这里允许{}，但 pi 自己读不了", kind.name_zh()),
        }
    }
}

impl NoteKind {
    fn name_en(&self) -> &'static str {
        match self {
            Self::Comment => "a comment",
            Self::TrailingComma => "a trailing comma",
            Self::ByteOrderMark => "a byte-order mark",
            Self::OddSpace => "unusual white space",
            Self::DuplicateKey(_) => "a key written twice",
        }
    }

    fn name_zh(&self) -> &'static str {
        match self {
            Self::Comment => "注释",
            Self::TrailingComma => "多余的逗号",
            Self::ByteOrderMark => "字节顺序标记（BOM）",
            Self::OddSpace => "特殊空白字符",
            Self::DuplicateKey(_) => "重复的键",
        }
    }
}
