//! The three spellings of a path.

use std::fmt;

/// One step of a [`KeyPath`]: into an object by key, or into an array by index.
///
/// The two kinds differ in spelling only. As in JavaScript, the key `"0"` finds the first element of an array, and the
/// index `0` finds the key `"0"` of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// The key of an object.
    Key(String),
    /// The index of an array's element, counted from 0.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<String> for Segment {
    fn from(key: String) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The way from the root of the settings to one value.
///
/// Every text is a path; reading one never fails. Three spellings lead here:
///
/// ```
/// use brakeline_settings::{KeyPath, Segment, path};
///
/// let text = KeyPath::from("guardLoop.maxContinuations");
/// let keys = KeyPath::from(["guardLoop", "maxContinuations"]);
/// assert_eq!(text.segments(), keys.segments());
///
/// let mixed = path!["users", 0, "name"];
/// assert_eq!(mixed.to_string(), "users[0].name");
///
/// // Brackets and quotes keep a dot inside a key.
/// assert_eq!(KeyPath::from(r#"a["b.c"]"#).segments(), [Segment::from("a"), Segment::from("b.c")]);
/// ```
///
/// # Text
///
/// Text is split by the rules of lodash: dots separate, brackets take an index or a key, quotes inside brackets keep dots
/// and brackets, a backslash inside quotes keeps the next character. The corners follow `get` of `es-toolkit/compat`:
///
/// | text | keys |
/// |---|---|
/// | `a.b`, `a[b]`, `a['b']` | `a`, `b` |
/// | `a["b.c"]` | `a`, `b.c` |
/// | `a[b.c]` | `a`, `b`, `c` |
/// | `a[1.5]` | `a`, `1.5` |
/// | `a..b` | `a`, the empty key, `b` |
/// | `.a`, `a.`, `a[`, the empty text | that very text, as one key |
///
/// A text that would be split is first tried whole: in `{"a.b": 1, "a": {"b": 2}}` the path `a.b` finds 1. A sequence is
/// never tried whole.
///
/// Splitting costs one pass over the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPath {
    /// The text as one key, where it was also split: the first thing to look for.
    whole: Option<String>,
    segments: Vec<Segment>,
}

impl KeyPath {
    /// Returns the steps from the root. The empty sequence leads nowhere, not to the root.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the text that counts as one key if the settings have such a key at their root.
    ///
    /// `None` for sequences, and for text that has only one reading.
    #[must_use]
    pub fn whole_key(&self) -> Option<&str> {
        self.whole.as_deref()
    }

    /// Returns this path with one step more; a path that could be read whole loses that reading.
    ///
    /// ```
    /// use brakeline_settings::KeyPath;
    ///
    /// assert_eq!(KeyPath::from("guardLoop").join("auto").to_string(), "guardLoop.auto");
    /// ```
    #[must_use]
    pub fn join(&self, segment: impl Into<Segment>) -> Self {
        let mut segments = self.segments.clone();
        segments.push(segment.into());
        Self { whole: None, segments }
    }
}

/// Writes one spelling that leads to the same segments when read as text.
///
/// A single key that text would split is written in brackets, so that what is shown is never ambiguous. The empty
/// sequence, which leads nowhere, is written as the empty text.
impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [Segment::Key(key)] = self.segments.as_slice()
            && !is_deep(key)
        {
            return f.write_str(key);
        }
        for (at, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if is_plain(key) && at == 0 => f.write_str(key)?,
                Segment::Key(key) if is_plain(key) => write!(f, ".{key}")?,
                Segment::Key(key) => write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?,
            }
        }
        Ok(())
    }
}

/// Whether a key can stand between dots.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '[', ']', '"', '\'', '\\'])
}

impl From<&str> for KeyPath {
    fn from(text: &str) -> Self {
        if is_deep(text) {
            Self { whole: Some(text.to_owned()), segments: split(text) }
        } else {
            Self { whole: None, segments: vec![Segment::from(text)] }
        }
    }
}

impl From<String> for KeyPath {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for KeyPath {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&KeyPath> for KeyPath {
    fn from(path: &KeyPath) -> Self {
        path.clone()
    }
}

impl<S: Into<Segment>, const N: usize> From<[S; N]> for KeyPath {
    fn from(segments: [S; N]) -> Self {
        segments.into_iter().collect()
    }
}

impl<S: Into<Segment>> From<Vec<S>> for KeyPath {
    fn from(segments: Vec<S>) -> Self {
        segments.into_iter().collect()
    }
}

impl<S: Into<Segment> + Clone> From<&[S]> for KeyPath {
    fn from(segments: &[S]) -> Self {
        segments.iter().cloned().collect()
    }
}

impl<S: Into<Segment>> FromIterator<S> for KeyPath {
    fn from_iter<I: IntoIterator<Item = S>>(segments: I) -> Self {
        Self { whole: None, segments: segments.into_iter().map(Into::into).collect() }
    }
}

/// Builds a [`KeyPath`] from keys and indices, mixed.
///
/// ```
/// use brakeline_settings::{path, read_setting};
///
/// let settings = serde_json::json!({"users": [{"name": "Ada"}]});
/// assert_eq!(read_setting(&settings, path!["users", 0, "name"], ""), "Ada");
/// assert_eq!(read_setting(&settings, path!["users", 1, "name"], ""), "");
/// ```
#[macro_export]
macro_rules! path {
    ($($segment:expr),* $(,)?) => {
        $crate::KeyPath::from(::std::vec::Vec::<$crate::Segment>::from([$($crate::Segment::from($segment)),*]))
    };
}

/// Whether a text is split at all, or only ever one key.
///
/// The corners are observable: a leading or trailing dot leaves the whole text one key even if there are other dots in
/// it. The reference decides by a pattern that also asks for a well-quoted key in the brackets; where that matches, some
/// bracket inside is closed anyway, so that this is the same set of texts.
fn is_deep(text: &str) -> bool {
    if text.starts_with('.') || text.ends_with('.') {
        return false;
    }
    text.contains('.')
        || matches!((text.find('['), text.rfind(']')), (Some(open), Some(close)) if open < close)
}

/// Where the splitter stands in a text.
enum Place {
    /// Outside brackets: dots and `[` separate.
    Plain,
    /// After `[`; a quote seen there keeps dots.
    Bracket { quoted: bool },
    /// Inside a quoted text between brackets.
    Quote(char),
}

/// Splits a deep text into keys; such a text neither begins nor ends with a dot.
fn split(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut key = String::new();
    let mut place = Place::Plain;
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match (&place, char) {
            (Place::Quote(_), '\\') if rest.peek().is_some() => key.extend(rest.next()),
            (Place::Quote(quote), char) if char == *quote => place = Place::Bracket { quoted: true },
            (Place::Bracket { .. }, '"' | '\'') => place = Place::Quote(char),
            (Place::Bracket { quoted }, ']') => {
                let key = std::mem::take(&mut key);
                if !quoted && key.contains('.') && !is_number(&key) {
                    segments.extend(key.split('.').filter(|part| !part.is_empty()).map(Segment::from));
                } else {
                    segments.push(Segment::Key(key));
                }
                place = Place::Plain;
            }
            (Place::Plain, '[') => {
                push_unless_empty(&mut segments, &mut key);
                place = Place::Bracket { quoted: false };
            }
            (Place::Plain, '.') => {
                push_unless_empty(&mut segments, &mut key);
                if rest.peek() == Some(&'.') {
                    segments.push(Segment::from(""));
                }
            }
            _ => key.push(char),
        }
    }
    push_unless_empty(&mut segments, &mut key);
    segments
}

fn push_unless_empty(segments: &mut Vec<Segment>, key: &mut String) {
    if !key.is_empty() {
        segments.push(Segment::Key(std::mem::take(key)));
    }
}

/// Whether a bracket's content is a decimal number, whose dot does not separate.
fn is_number(text: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once('.') {
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => is_digits(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<String> {
        KeyPath::from(text)
            .segments()
            .iter()
            .map(|segment| match segment {
                Segment::Key(key) => key.clone(),
                Segment::Index(index) => format!("index {index}"),
            })
            .collect()
    }

    #[test]
    fn text_is_split_as_the_reference_splits_it() {
        for (text, expected) in [
            ("a", vec!["a"]),
            ("a.b", vec!["a", "b"]),
            ("a[0].b", vec!["a", "0", "b"]),
            ("[0]", vec!["0"]),
            ("a[]", vec!["a", ""]),
            ("a['b.c'].d", vec!["a", "b.c", "d"]),
            (r#"a["\"]"]"#, vec!["a", "\"]"]),
            ("a[b.c]", vec!["a", "b", "c"]),
            ("a[1.5]", vec!["a", "1.5"]),
            ("a[-1.5]", vec!["a", "-1.5"]),
            ("a[1.]", vec!["a", "1"]),
            ("a..b", vec!["a", "", "b"]),
            ("a.b[", vec!["a", "b"]),
            (".a", vec![".a"]),
            ("a.", vec!["a."]),
            ("a[", vec!["a["]),
            ("", vec![""]),
        ] {
            assert_eq!(keys(text), expected, "{text}");
        }
    }

    #[test]
    fn only_text_has_a_whole_reading() {
        assert_eq!(KeyPath::from("a.b").whole_key(), Some("a.b"));
        assert_eq!(KeyPath::from("ab").whole_key(), None);
        assert_eq!(KeyPath::from(["a.b"]).whole_key(), None);
        assert_eq!(path![].segments(), []);
    }

    proptest! {
        #[test]
        fn what_is_displayed_reads_back(keys in prop::collection::vec("[ab.\\[\\]\"'\\\\\\n0键]{0,4}", 1..5)) {
            let path: KeyPath = keys.iter().map(String::as_str).collect();
            let again = KeyPath::from(path.to_string());
            prop_assert_eq!(again.segments(), path.segments());
        }
    }
}
