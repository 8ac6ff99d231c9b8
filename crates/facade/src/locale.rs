//! Which language texts are in.

pub use brakeline_settings::{Language, LocaleSetting};
use std::ffi::OsString;

/// Returns the language of texts: the setting, else the locale of the environment, Chinese for `zh*`.
///
/// The variables are those of POSIX, in their order of precedence; an empty one counts as unset. The environment is a
/// function, so that it can be any.
///
/// ```
/// use brakeline::locale::{Language, LocaleSetting, language};
///
/// let environment = |name: &str| (name == "LANG").then(|| "zh_CN.UTF-8".into());
/// assert_eq!(language(LocaleSetting::Auto, environment), Language::ZhCn);
/// assert_eq!(language(LocaleSetting::En, environment), Language::En);
/// ```
pub fn language(setting: LocaleSetting, environment: impl Fn(&str) -> Option<OsString>) -> Language {
    match setting {
        LocaleSetting::ZhCn => Language::ZhCn,
        LocaleSetting::En => Language::En,
        LocaleSetting::Auto => {
            let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
                .into_iter()
                .filter_map(environment)
                .find(|value| !value.is_empty())
                .unwrap_or_default();
            let is_chinese =
                locale.as_encoded_bytes().get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"zh"));
            if is_chinese { Language::ZhCn } else { Language::En }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language_of(variables: &[(&str, &str)]) -> Language {
        language(LocaleSetting::Auto, |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        assert_eq!(language_of(&[]), Language::En);
        assert_eq!(language_of(&[("LANG", "zh_CN.UTF-8")]), Language::ZhCn);
        assert_eq!(language_of(&[("LC_ALL", "C.UTF-8"), ("LANG", "zh_CN.UTF-8")]), Language::En);
        assert_eq!(language_of(&[("LC_ALL", ""), ("LC_MESSAGES", "ZH_TW"), ("LANG", "en")]), Language::ZhCn);
        assert_eq!(language_of(&[("LANG", "z")]), Language::En);
    }
}
