//! The languages of texts that people read.

/// The language of a text for people: every such text exists in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Simplified Chinese, `zh-CN`.
    ZhCn,
    /// English, `en`.
    En,
}
