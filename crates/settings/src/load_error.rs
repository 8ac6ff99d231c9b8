//! Settings files that cannot be read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::language::Language;
use crate::position::Position;

/// A settings file that cannot be read, or that is no settings file.
///
/// ```
/// use brakeline_settings::{Language, Layer, Source};
///
/// let text = "{\n  \"defaultTimeout\": 120\n  \"guardLoop\": {}\n}";
/// let error = Layer::parse(Source::Project, ".pi/settings.json", text.as_bytes()).unwrap_err();
/// assert_eq!(error.to_string(), "`.pi/settings.json:2:24`: a comma is missing here");
/// assert_eq!(error.text(Language::ZhCn), "`.pi/settings.json:2:24`：这里缺少逗号");
/// ```
#[derive(Debug)]
pub struct LoadError {
    file: PathBuf,
    position: Option<Position>,
    kind: LoadErrorKind,
}

impl LoadError {
    pub(crate) fn new(file: impl Into<PathBuf>, position: Option<Position>, kind: LoadErrorKind) -> Self {
        Self { file: file.into(), position, kind }
    }

    /// Returns the file, spelled as the loader was given it.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the place in the file; `None` when it could not be read at all.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> &LoadErrorKind {
        &self.kind
    }

    /// Returns the message, one line, in a language. [`Display`](fmt::Display) writes the English one.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let file = self.file.display();
        let place = self.position.map(|position| format!(":{position}")).unwrap_or_default();
        match language {
            Language::En => format!("`{file}{place}`: {}", self.kind.text_en()),
            Language::ZhCn => format!("`{file}{place}`：{}", self.kind.text_zh()),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            LoadErrorKind::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

/// What can be wrong with a settings file.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The system refuses to read it.
    Unreadable(io::Error),
    /// The path leads to a folder, a pipe or a device.
    NotAFile,
    /// The file has more bytes than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES).
    TooLarge {
        /// The number of bytes that is still read.
        limit: u64,
    },
    /// A byte that is not UTF-8.
    NotUtf8,
    /// Nothing but white space and comments: what an interrupted write leaves, so it is not taken for "no settings".
    Empty,
    /// The file holds something other than one JSON object.
    NotAnObject {
        /// What it holds, in English words.
        found: &'static str,
    },
    /// Objects and arrays nest too deep.
    TooDeep {
        /// The depth that is still read.
        limit: usize,
    },
    /// A number beyond what 64 bits of floating point hold.
    NumberOutOfRange {
        /// The number as written, cut after 40 digits.
        number: String,
    },
    /// The text is no JSON.
    Syntax(Syntax),
}

/// Where a text stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Syntax {
    /// Something other than a value.
    ExpectedValue,
    /// Something other than a key in double quotes.
    ExpectedKey,
    /// No colon after a key.
    ExpectedColon,
    /// No comma between two elements or members.
    ExpectedComma,
    /// More text after the value.
    TextAfterEnd,
    /// `{` without `}`; the place is that of the `{`.
    UnclosedObject,
    /// `[` without `]`; the place is that of the `[`.
    UnclosedArray,
    /// `/*` without `*/`; the place is that of the `/*`.
    UnclosedComment,
    /// A double quote that is not closed on its line; the place is that of the quote.
    UnclosedText,
    /// Text in single quotes.
    SingleQuotes,
    /// A backslash and what does not belong after it.
    BadEscape,
    /// A number as JSON does not write it.
    BadNumber,
    /// A control character that must be written as an escape.
    ControlCharacter(char),
}

impl From<Syntax> for LoadErrorKind {
    fn from(syntax: Syntax) -> Self {
        Self::Syntax(syntax)
    }
}

impl LoadErrorKind {
    fn text_en(&self) -> String {
        match self {
            Self::Unreadable(error) => format!("cannot be read ({error}); check its permissions"),
            Self::NotAFile => "is not a regular file".to_owned(),
            Self::TooLarge { limit } => format!("is larger than {limit} bytes, which no settings file needs"),
            Self::NotUtf8 => "this byte is not UTF-8; save the file as UTF-8".to_owned(),
            Self::Empty => "the file is empty; write `{}` for no settings, or remove it".to_owned(),
            Self::NotAnObject { found } => {
                format!("expected an object, found {found}; settings stand in `{{ }}`")
            }
            Self::TooDeep { limit } => format!("nested deeper than {limit} levels"),
            Self::NumberOutOfRange { number } => format!("the number `{number}` is too large"),
            Self::Syntax(syntax) => match syntax {
                Syntax::ExpectedValue => "expected a value here".to_owned(),
                Syntax::ExpectedKey => "expected a key in double quotes here".to_owned(),
                Syntax::ExpectedColon => "expected a colon after the key".to_owned(),
                Syntax::ExpectedComma => "a comma is missing here".to_owned(),
                Syntax::TextAfterEnd => "expected the end of the file here".to_owned(),
                Syntax::UnclosedObject => "this `{` is never closed".to_owned(),
                Syntax::UnclosedArray => "this `[` is never closed".to_owned(),
                Syntax::UnclosedComment => "this comment is never closed".to_owned(),
                Syntax::UnclosedText => "this quote is not closed on its line".to_owned(),
                Syntax::SingleQuotes => "write text in double quotes".to_owned(),
                Syntax::BadEscape => "unknown escape; a backslash itself is written `\\\\`".to_owned(),
                Syntax::BadNumber => "not a number as JSON writes them".to_owned(),
                Syntax::ControlCharacter(char) => {
                    format!("write this control character as `\\u{:04x}`", u32::from(*char))
                }
            },
        }
    }

    fn text_zh(&self) -> String {
        match self {
            Self::Unreadable(error) => format!("无法读取（{error}），请检查权限"),
            Self::NotAFile => "不是普通文件".to_owned(),
            Self::TooLarge { limit } => format!("超过 {limit} 字节，配置文件不该这么大"),
            Self::NotUtf8 => "这个字节不是 UTF-8，请把文件存为 UTF-8".to_owned(),
            Self::Empty => "文件是空的；没有配置就写 `{}`，或删掉文件".to_owned(),
            Self::NotAnObject { found } => {
                let found = match *found {
                    "text" => "文本",
                    "a number" => "数字",
                    "a boolean" => "布尔值",
                    "an array" => "数组",
                    other => other,
                };
                format!("应为对象，实际是 {found}；配置要写在 `{{ }}` 里")
            }
            Self::TooDeep { limit } => format!("嵌套超过 {limit} 层"),
            Self::NumberOutOfRange { number } => format!("数字 `{number}` 太大"),
            Self::Syntax(syntax) => match syntax {
                Syntax::ExpectedValue => "这里应该是一个值".to_owned(),
                Syntax::ExpectedKey => "这里应该是双引号括起来的键".to_owned(),
                Syntax::ExpectedColon => "键后面应该是冒号".to_owned(),
                Syntax::ExpectedComma => "这里缺少逗号".to_owned(),
                Syntax::TextAfterEnd => "文件应该在这里结束".to_owned(),
                Syntax::UnclosedObject => "这个 `{` 没有闭合".to_owned(),
                Syntax::UnclosedArray => "这个 `[` 没有闭合".to_owned(),
                Syntax::UnclosedComment => "这个注释没有闭合".to_owned(),
                Syntax::UnclosedText => "这个引号在本行没有闭合".to_owned(),
                Syntax::SingleQuotes => "文本要用双引号".to_owned(),
                Syntax::BadEscape => "未知的转义；反斜杠本身写作 `\\\\`".to_owned(),
                Syntax::BadNumber => "不是 JSON 的数字写法".to_owned(),
                Syntax::ControlCharacter(char) => format!("这个控制字符要写作 `\\u{:04x}`", u32::from(*char)),
            },
        }
    }
}
