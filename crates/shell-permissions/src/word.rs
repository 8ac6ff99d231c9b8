//! The words of a command, as far as they are known.

use bash_commands::Kind;

/// A word of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word<'a> {
    /// Just this.
    Known(&'a str),
    /// One word that begins so.
    Unknown(&'a str),
    /// Names of files that match this pattern, or the pattern itself: `*`, `?` and `[…]` are active, a backslash takes the
    /// meaning of what follows.
    Names(&'a str),
    /// Any number of words, none included; the first of them begins so.
    Some(&'a str),
}

impl<'a> Word<'a> {
    /// Takes over what the analysis of a command line tells of a word.
    #[must_use]
    pub fn of(word: bash_commands::Word<'a>) -> Self {
        match (word.kind(), word.value(), word.pattern()) {
            (Kind::Known, Some(value), _) => Self::Known(value),
            (Kind::Pattern, _, Some(pattern)) => Self::Names(pattern),
            _ if word.is_splice() => Self::Some(word.beginning()),
            _ => Self::Unknown(word.beginning()),
        }
    }

    /// Returns the word, when it is known.
    #[must_use]
    pub fn value(self) -> Option<&'a str> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown(_) | Self::Names(_) | Self::Some(_) => None,
        }
    }

    /// Returns whether this is one word, whatever it is.
    #[must_use]
    pub fn is_single(self) -> bool {
        matches!(self, Self::Known(_) | Self::Unknown(_))
    }

    /// Returns what is known of the beginning.
    #[must_use]
    pub fn beginning(self) -> &'a str {
        match self {
            Self::Known(text) | Self::Unknown(text) | Self::Some(text) => text,
            // The `@` of `@(a|b)` is no text.
            Self::Names(pattern) if pattern.contains('(') => "",
            Self::Names(pattern) => {
                let end = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
                pattern.get(..end).unwrap_or(pattern)
            }
        }
    }

    /// Returns whether one of the words that this stands for may be `word`.
    pub(crate) fn may_be(self, word: &str) -> bool {
        match self {
            Self::Known(value) => value == word,
            Self::Unknown(beginning) => word.starts_with(beginning),
            Self::Names(pattern) => word.starts_with(self.beginning()) && may_match(pattern, word),
            Self::Some(_) => true,
        }
    }
}

/// Returns whether a file name pattern may match `word`. Bracket expressions count for any character, and extended
/// patterns for any text.
fn may_match(pattern: &str, word: &str) -> bool {
    if pattern.contains('(') {
        return true;
    }
    let (mut pattern, mut rest) = (pattern.chars(), word.chars());
    // Where to go on when what follows the last `*` does not fit: one character further.
    let mut retry = None;
    loop {
        let fits = match pattern.next() {
            Some('*') => {
                retry = Some((pattern.clone(), rest.clone()));
                continue;
            }
            None if rest.as_str().is_empty() => return true,
            None => false,
            Some('?') => rest.next().is_some(),
            Some('[') if skip_bracket(&mut pattern) => rest.next().is_some(),
            Some('\\') => rest.next() == Some(pattern.next().unwrap_or('\\')),
            Some(letter) => rest.next() == Some(letter),
        };
        if fits {
            continue;
        }
        // INVARIANT: each turn of the retries takes a character off, so that there are at most as many as in `word`.
        let Some((behind_star, mut from)) = retry.take() else { return false };
        if from.next().is_none() {
            return false;
        }
        pattern = behind_star.clone();
        rest = from.clone();
        retry = Some((behind_star, from));
    }
}

/// Moves behind the `]` of a bracket expression; false when there is none.
fn skip_bracket(pattern: &mut core::str::Chars<'_>) -> bool {
    let mut ahead = pattern.clone();
    // A `]` that stands first, or behind `!` or `^`, is an ordinary character.
    let text = ahead.as_str();
    let text = text.strip_prefix(['!', '^']).unwrap_or(text);
    let text = text.strip_prefix(']').unwrap_or(text);
    let Some((_, rest)) = text.split_once(']') else { return false };
    while ahead.as_str().len() > rest.len() {
        ahead.next();
    }
    *pattern = ahead;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_what_the_pattern_matches() {
        for (pattern, word, expected) in [
            ("*", "", true),
            ("*", "push", true),
            ("*.rs", "main.rs", true),
            ("*.rs", "push", false),
            ("p*h", "push", true),
            ("p*h*", "push", true),
            ("p?sh", "push", true),
            ("p?sh", "posh", true),
            ("p?h", "push", false),
            ("[op]ush", "push", true),
            ("[]]ush", "]ush", true),
            ("[!]]ush", "push", true),
            ("[op", "[op", true),
            ("[op", "push", false),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("@(push|pull)", "push", true),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaa", false),
            ("é*", "éa", true),
        ] {
            assert_eq!(Word::Names(pattern).may_be(word), expected, "{pattern} {word}");
        }
    }
}
