//! Both languages of every text.

use brakeline_settings::Language;

/// Picks the text of a language.
pub(crate) fn in_language<T>(language: Language, zh: T, en: T) -> T {
    match language {
        Language::ZhCn => zh,
        Language::En => en,
    }
}
