//! Brace expansion of a raw word: `{a,b}`, `{1..9..2}`.

#![expect(
    clippy::option_option,
    reason = "the outer option is what cannot be told, the inner one what is not there"
)]

use crate::cursor::{DIGIT, LETTER, class};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;
use core::iter;
use core::ops::Range;

/// How deep braces may nest.
const DEPTH: u32 = 40;

/// What the source text of a word expands to.
#[derive(Debug)]
pub(crate) enum Expanded {
    /// Itself: nothing in it is a brace expansion.
    Same,
    /// These words. An element may be empty text: bash drops such a word unless something quoted is beside it.
    Words(Words),
    /// It is not known what: more words come out than the limit, or the budget is spent (a step for each byte looked at
    /// or made), or the nesting is too deep, or a letter sequence would make a `\` or a backquote, or it cannot be told
    /// where a `$(…)` ends since a `case`, a comment or a here-document may stand in it.
    Unknown,
}

/// Texts, side by side in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Words {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Words {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.end_word();
    }

    /// Ends the word whose text stands behind the last one.
    fn end_word(&mut self) {
        self.ends.push(self.text.len());
    }

    /// All the texts, without anything between them.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The place of each in [`text`](Self::text).
    pub(crate) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.places().map(|place| self.text.get(place).unwrap_or(""))
    }
}

/// Words that are no longer needed, whose buffers are used again.
#[derive(Debug)]
pub(crate) struct Spare(Vec<Words>);

impl Spare {
    pub(crate) const NEW: Self = Self(Vec::new());

    fn take(&mut self) -> Words {
        self.0.pop().unwrap_or_default()
    }

    /// Takes words back.
    pub(crate) fn give(&mut self, mut words: Words) {
        words.text.clear();
        words.ends.clear();
        self.0.push(words);
    }
}

/// Expands the braces in the source text of one word, to at most `limit` words.
///
/// Quotes, `$(…)`, `${…}`, `<(…)` and backquotes are left alone, `${` never opens a brace.
pub(crate) fn expand(raw: &str, limit: usize, steps: &mut u64, spare: &mut Spare) -> Expanded {
    if !may_expand(raw.as_bytes()) {
        return Expanded::Same;
    }
    let mut expansion = Expansion { limit, steps, spare, expanded: false };
    let mut words = expansion.spare.take();
    let read = expansion.words(raw, DEPTH, &mut words);
    let is_expanded = expansion.expanded;
    if read.is_some() && is_expanded {
        return Expanded::Words(words);
    }
    spare.give(words);
    if read.is_some() { Expanded::Same } else { Expanded::Unknown }
}

/// Returns whether the source text of a word may be a brace expansion: `{}` of `find -exec` and the like are none.
///
/// Only what has a `,` or a `..` between braces is expanded; where the two stand is not looked at.
fn may_expand(raw: &[u8]) -> bool {
    raw.contains(&b'{') && (raw.contains(&b',') || raw.windows(2).any(|pair| pair == b".."))
}

struct Expansion<'s> {
    limit: usize,
    steps: &'s mut u64,
    spare: &'s mut Spare,
    expanded: bool,
}

impl Expansion<'_> {
    fn charge(&mut self, steps: usize) -> Option<()> {
        *self.steps = self.steps.checked_sub(steps as u64)?;
        Some(())
    }

    /// Appends the words of a text.
    fn words(&mut self, text: &str, depth: u32, out: &mut Words) -> Option<()> {
        // What stands before `rest` comes to each of these.
        let mut stems = self.spare.take();
        stems.push("");
        let mut rest = text;
        while let Some((open, close)) = self.brace(rest)? {
            let preamble = rest.get(..open)?;
            let inside = rest.get(open + 1..close)?;
            let postamble = rest.get(close + 1..)?;
            let mut middle = self.spare.take();
            if has_separator(inside) {
                self.expanded = true;
                self.elements(inside, depth.checked_sub(1)?, &mut middle)?;
            } else if self.sequence(inside, &mut middle)? {
                self.expanded = true;
            } else if postamble.is_empty() {
                self.spare.give(middle);
                break;
            } else {
                middle.push(rest.get(open..=close)?);
            }
            let mut longer = self.spare.take();
            self.product(&stems, preamble, &middle, &mut longer)?;
            self.spare.give(middle);
            self.spare.give(core::mem::replace(&mut stems, longer));
            rest = postamble;
        }
        if rest.is_empty() && out.len() == 0 {
            self.spare.give(core::mem::replace(out, stems));
            return Some(());
        }
        if stems.len() > self.limit.saturating_sub(out.len()) {
            return None;
        }
        for stem in stems.iter() {
            self.charge(stem.len() + rest.len() + 1)?;
            out.text.push_str(stem);
            out.push(rest);
        }
        self.spare.give(stems);
        Some(())
    }

    /// Appends each of `left` with `between` and each of `right` behind it.
    fn product(&mut self, left: &Words, between: &str, right: &Words, out: &mut Words) -> Option<()> {
        left.len().checked_mul(right.len()).filter(|count| *count <= self.limit)?;
        for first in left.iter() {
            for second in right.iter() {
                self.charge(first.len() + between.len() + second.len() + 1)?;
                out.text.push_str(first);
                out.text.push_str(between);
                out.push(second);
            }
        }
        Some(())
    }

    /// Returns the offsets of the first brace that opens an expansion and of the one that closes it.
    fn brace(&mut self, text: &str) -> Option<Option<(usize, usize)>> {
        let mut at = 0;
        loop {
            let Some(open) = self.find(text, at, b'{')? else { return Some(None) };
            if let Some(close) = self.find(text, open + 1, b'}')? {
                return Some(Some((open, close)));
            }
            at = open + 1;
        }
    }

    /// Appends the words of the elements between the commas of `{…}`.
    fn elements(&mut self, inside: &str, depth: u32, out: &mut Words) -> Option<()> {
        let mut start = 0;
        loop {
            let end = self.find(inside, start, b',')?;
            let element = inside.get(start..end.unwrap_or(inside.len()))?;
            if element.contains('{') {
                self.words(element, depth, out)?;
            } else {
                self.charge(element.len() * 2 + 1)?;
                out.push(element);
            }
            if out.len() > self.limit {
                return None;
            }
            match end {
                Some(end) => start = end + 1,
                None => return Some(()),
            }
        }
    }

    /// Returns the offset of the next `wanted` from `at` on that is neither quoted nor inside other braces. A `}` counts
    /// only when a comma or `..` came before it.
    fn find(&mut self, text: &str, mut at: usize, wanted: u8) -> Option<Option<usize>> {
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let (mut level, mut quote) = (0_usize, 0);
        let mut separated = wanted != b'}';
        while at < bytes.len() {
            let ordinary = bytes.iter().skip(at).take_while(|byte| is_ordinary(**byte)).count();
            at += ordinary;
            self.charge(ordinary + 1)?;
            let (current, next) = (byte(at), byte(at + 1));
            if current == b'\\' && quote != b'\'' {
                at += 2;
            } else if current == b'$' && next == b'{' && quote != b'\'' {
                level += usize::from(quote == 0);
                at += 2;
            } else if (quote == 0 && matches!(current, b'$' | b'<' | b'>')
                || quote == b'"' && current == b'$')
                && next == b'('
            {
                at = self.substitution_end(bytes, at + 2)?;
            } else if quote != 0 {
                if current == quote {
                    quote = 0;
                }
                at += 1;
            } else if matches!(current, b'"' | b'\'' | b'`') {
                quote = current;
                at += 1;
            } else if current == wanted && level == 0 && separated {
                let blank_before = at == 0 || is_blank(byte(at - 1));
                if !(current == b'{'
                    && blank_before
                    && (is_blank(next) || next == b'}' || at + 1 == bytes.len()))
                {
                    return Some(Some(at));
                }
                at += 1;
            } else {
                match current {
                    b'{' => level += 1,
                    b'}' => level = level.saturating_sub(1),
                    b',' if level == 0 => separated = true,
                    b'.' if level == 0 && next == b'.' && byte(at + 2) != wanted => separated = true,
                    _ => {}
                }
                at += 1;
            }
        }
        Some(None)
    }

    /// Returns the offset behind the `)` that closes a substitution whose text begins at `at`.
    fn substitution_end(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        // Parentheses and double quotes nest in each other: `$(echo "$(x)")`.
        let mut open = vec![b')'];
        let start = at;
        while let (Some(byte), Some(innermost)) = (bytes.get(at).copied(), open.last().copied()) {
            self.charge(1)?;
            at += 1;
            match (innermost, byte) {
                (b'\'' | b'`' | b'"', _) if byte == innermost && byte != b'(' => {
                    open.pop();
                }
                (b'`', b'\\') => at += 1,
                (b'\'' | b'`', _) => {}
                (_, b'\\') => at += 1,
                (b'"', b'$') if bytes.get(at) == Some(&b'(') => {
                    at += 1;
                    open.push(b')');
                }
                (b'"', b'`') | (b')', b'\'' | b'"' | b'`') => open.push(byte),
                (b')', b'(') => open.push(b')'),
                (b')', b')') => {
                    open.pop();
                }
                _ => {}
            }
        }
        let inside = bytes.get(start..at.min(bytes.len()))?;
        let is_hard = |part: &[u8]| matches!(part, b"case" | b"esac");
        let hard = inside.contains(&b'#')
            || inside.windows(2).any(|pair| pair == b"<<")
            || inside.windows(4).any(is_hard);
        self.charge(inside.len())?;
        (!hard && open.is_empty()).then_some(at)
    }

    /// Appends the words of `{x..y[..step]}`; false when the text is no such sequence.
    fn sequence(&mut self, inside: &str, out: &mut Words) -> Option<bool> {
        let Some(sequence) = parse_sequence(inside) else { return Some(false) };
        let Sequence { first, last, step, width, letters } = sequence;
        let step = step.unsigned_abs().max(1);
        let distance = first.abs_diff(last);
        // Bash refuses what its own arithmetic could not hold.
        let fits =
            last.checked_sub(first).is_some_and(|distance| (i64::MIN + 3..=i64::MAX - 2).contains(&distance));
        if !fits || distance / step > 0x7fff_fffc {
            return Some(false);
        }
        let count = usize::try_from(distance / step).ok()?.checked_add(1)?;
        if count > self.limit {
            return None;
        }
        for index in 0..count as u64 {
            self.charge(20 + width)?;
            let offset = i64::try_from(index.checked_mul(step)?).ok()?;
            let value = if first <= last { first.checked_add(offset)? } else { first.checked_sub(offset)? };
            if letters {
                let letter = char::from(u8::try_from(value).ok()?);
                if matches!(letter, '\\' | '`') {
                    return None;
                }
                out.text.push(letter);
            } else {
                write!(out.text, "{value:0width$}").ok()?;
            }
            out.end_word();
        }
        Some(true)
    }
}

struct Sequence {
    first: i64,
    last: i64,
    step: i64,
    /// To which the numbers are filled up with zeros.
    width: usize,
    letters: bool,
}

fn parse_sequence(inside: &str) -> Option<Sequence> {
    let (first, rest) = inside.split_once("..")?;
    let (last, step) = match rest.split_once("..") {
        Some((last, step)) => (last, integer(step)?),
        None => (rest, 1),
    };
    if let (Some(first), Some(last)) = (letter(first), letter(last)) {
        return Some(Sequence { first, last, step, width: 0, letters: true });
    }
    let is_padded = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    Some(Sequence { first: integer(first)?, last: integer(last)?, step, width, letters: false })
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Returns whether a comma that no backslash quotes stands in it; bash looks no closer here.
fn has_separator(inside: &str) -> bool {
    let mut chars = inside.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            ',' => return true,
            _ => {}
        }
    }
    false
}

/// Returns whether a byte means nothing to [`Expansion::find`], wherever it stands.
fn is_ordinary(byte: u8) -> bool {
    class(byte) & (LETTER | DIGIT) != 0 || matches!(byte, b'-' | b'/')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};

    const PIECES: &[&str] = &[
        "{",
        "}",
        ",",
        "a",
        "b",
        "{a,b}",
        "{1..3}",
        "{c..a}",
        "..",
        "1",
        "01",
        "-5",
        "{01..10..3}",
        "{-1..2}",
        "$x",
        "${",
        "${x}",
        "${x:-{1,2}}",
        "'",
        "\"",
        "\\",
        "\\{",
        "$(: {1,2})",
        "{}",
        "{,}",
        "{a,{b,c}d}",
        "'{a,b}'",
        "\"{a,b}\"",
        "\"$(: \"{a,b}\")\"",
        "`: {3,4}`",
        "{1..a}",
        "{a..}",
        "{x..z..2}",
        "{5..1..-2}",
        "{0..10..0}",
        "{+1..+3}",
        "{a}",
        "é",
        "{é..z}",
        "{9223372036854775806..9223372036854775807}",
        "{1..99999999999999999999}",
        "{00..3}",
        "{-01..3}",
        "{3..-02}",
        "$'{'",
        "{$x,b}",
        "{'a,b'}",
        "{\\,a}",
        "{1..3..}",
        "{a..c..1}",
        "{1...3}",
    ];

    #[test]
    fn agrees_with_bash() {
        let mut random = Random(41);
        let (mut cases, mut expanded) = (Vec::new(), 0);
        let mut spare = Spare::NEW;
        for _ in 0..800 {
            let raw = random.text(PIECES, 6);
            let result = expand(&raw, 1000, &mut 1_000_000, &mut spare);
            let words: Vec<&str> = match &result {
                Expanded::Unknown => continue,
                Expanded::Same => vec![&raw],
                Expanded::Words(words) => {
                    expanded += 1;
                    words.iter().collect()
                }
            };
            if words.iter().any(|word| word.ends_with('\\')) {
                // It would quote the blank that joins the words below.
                continue;
            }
            let words = words.join(" ");
            cases.push([raw, words]);
        }
        assert!(expanded > 200 && cases.len() > 550, "{expanded} of {}", cases.len());
        let function = r#"x=v; set -B; (eval "printf '[%s]' $1") ; printf '|'
            set +B; (eval "printf '[%s]' $2")"#;
        let Some(answers) = answers("", function, &cases) else { return };
        let mut judged = 0;
        for (case, answer) in cases.iter().zip(answers) {
            let answer = String::from_utf8_lossy(&answer).into_owned();
            let (bash, ours) = answer.split_once('|').unwrap();
            // Bash prints nothing where the word is no valid text.
            if !bash.is_empty() {
                judged += 1;
                assert_eq!(ours, bash, "{case:?}");
            }
        }
        assert!(judged > 300, "{judged}");
    }

    #[test]
    fn limits_hold() {
        let mut spare = Spare::NEW;
        let mut is_unknown =
            |raw: &str| matches!(expand(raw, 1000, &mut 100_000, &mut spare), Expanded::Unknown);
        assert!(is_unknown(&"{a,b}".repeat(50)));
        assert!(is_unknown("{1..1000000000}"));
        assert!(is_unknown(&("{".repeat(100_000) + ",")));
        assert!(is_unknown(&"{a,".repeat(1000)));
        assert!(is_unknown(&("{a,".repeat(100) + &"}".repeat(100))));
        assert!(!is_unknown("{a,b}"));
    }
}
