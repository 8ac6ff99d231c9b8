//! The languages of texts that people and models read.

/// The language of a text: every text of this crate exists in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Simplified Chinese, `zh-CN`.
    ZhCn,
    /// English, `en`.
    #[default]
    En,
}

impl Language {
    /// Returns the text of this language.
    pub(crate) const fn pick(self, zh: &'static str, en: &'static str) -> &'static str {
        match self {
            Self::ZhCn => zh,
            Self::En => en,
        }
    }
}
