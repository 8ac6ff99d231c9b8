//! Text quoted for reuse as input, and case modification.

use crate::pattern::{self, Options};
use alloc::string::String;

/// Appends `text` as `printf %q` prints it; `None` when it holds a character of which only the locale knows whether it
/// can be printed (nothing is appended then).
pub(crate) fn quote_percent_q(text: &str, out: &mut String) -> Option<()> {
    if text.is_empty() {
        out.push_str("''");
        return Some(());
    }
    if needs_ansi_c(text)? {
        return quote_ansi_c(text, out);
    }
    let mut before = None;
    for char in text.chars() {
        let special = match char {
            ' ' | '!' | '"' | '$' | '&' | '\'' | '(' | ')' | '*' | ',' | ';' | '<' | '>' | '?' | '['
            | '\\' | ']' | '^' | '`' | '{' | '|' | '}' => true,
            '#' => before.is_none(),
            '~' => matches!(before, None | Some(':' | '=')),
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(char);
        before = Some(char);
    }
    Some(())
}

/// Appends `text` as `${x@Q}` gives it (`'…'` or `$'…'`); `None` as for [`quote_percent_q`].
pub(crate) fn quote_at_q(text: &str, out: &mut String) -> Option<()> {
    if needs_ansi_c(text)? {
        return quote_ansi_c(text, out);
    }
    if text == "'" {
        out.push_str("\\'");
        return Some(());
    }
    out.push('\'');
    for char in text.chars() {
        if char == '\'' {
            out.push_str("'\\''");
        } else {
            out.push(char);
        }
    }
    out.push('\'');
    Some(())
}

/// Appends `${x@E}`; false when it is no UTF-8.
pub(crate) fn expand_at_e(text: &str, out: &mut String) -> bool {
    crate::escape::decode_ansi_c(text, out)
}

/// Returns whether a character of `text` cannot be printed, so that bash writes `$'…'`.
fn needs_ansi_c(text: &str) -> Option<bool> {
    let mut needs = false;
    for char in text.chars() {
        needs |= !is_printable(char)?;
    }
    Some(needs)
}

/// Returns whether `char` can be printed; `None` where that depends on the version of the locale's tables.
fn is_printable(char: char) -> Option<bool> {
    match char {
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => Some(false),
        ' '..='~'
        | '\u{a1}'..='\u{ac}'
        | '\u{ae}'..='\u{2ff}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20bf}'
        | '\u{2190}'..='\u{23fa}'
        | '\u{2500}'..='\u{27bf}'
        | '\u{3001}'..='\u{303f}'
        | '\u{1f300}'..='\u{1f64f}' => Some(true),
        _ if char.is_alphanumeric() => Some(true),
        _ => None,
    }
}

fn quote_ansi_c(text: &str, out: &mut String) -> Option<()> {
    let mut quoted = String::from("$'");
    for char in text.chars() {
        match char {
            '\x1b' => quoted.push_str("\\E"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\\' | '\'' => quoted.extend(['\\', char]),
            _ if is_printable(char)? => quoted.push(char),
            _ => {
                for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.push('\\');
                    quoted.extend([6, 3, 0].map(|shift| char::from(b'0' + (byte >> shift & 7))));
                }
            }
        }
    }
    quoted.push('\'');
    out.push_str(&quoted);
    Some(())
}

/// Which case a modification gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `^`, `@U`, `@u`, `declare -u`.
    Upper,
    /// `,`, `@L`, `declare -l`.
    Lower,
    /// `~`.
    Toggle,
}

/// Appends `text` with the case of its first character (`all`: of each) changed, if that character matches `pattern`
/// (`None` or empty: any). `None` when the pattern cannot be decided, or a case mapping is not one to one.
pub(crate) fn change_case(
    text: &str,
    case: Case,
    all: bool,
    pattern: Option<&str>,
    options: Options,
    steps: &mut u64,
    out: &mut String,
) -> Option<()> {
    let pattern = pattern.filter(|pattern| !pattern.is_empty());
    for (index, char) in text.chars().enumerate() {
        *steps = steps.checked_sub(1)?;
        let chosen = (all || index == 0)
            && match pattern {
                None => true,
                Some(pattern) => pattern::matches(pattern, char.encode_utf8(&mut [0; 4]), options, steps)?,
            };
        let case = match case {
            Case::Toggle if char.is_lowercase() => Case::Upper,
            Case::Toggle => Case::Lower,
            case => case,
        };
        match case {
            _ if !chosen => out.push(char),
            Case::Upper => out.push(single(char.to_uppercase())?),
            _ => out.push(single(char.to_lowercase())?),
        }
    }
    Some(())
}

/// Returns the only character of a case mapping.
fn single(mut mapping: impl Iterator<Item = char>) -> Option<char> {
    let char = mapping.next()?;
    mapping.next().is_none().then_some(char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use std::format;
    use std::vec::Vec;

    #[test]
    fn quoting_agrees_with_bash() {
        let mut random = Random(31);
        let mut cases: Vec<[String; 1]> =
            (1..128_u8).map(|byte| [format!("x{}", char::from(byte))]).collect();
        cases.extend((1..128_u8).map(|byte| [String::from(char::from(byte))]));
        cases.extend(
            ["é", "€", "日本", "\u{85}", "a~b:~c=~", "~", "#", "a#", "", "'", "''", "😀", "—“”"]
                .map(|text| [text.into()]),
        );
        cases
            .extend((0..500).map(|_| {
                [random.text(&["a", "'", "\"", "$", "\\", "\n", "\t", "é", "~", "`", " ", "!"], 6)]
            }));
        let function = r#"x=$1; printf '%q|%s|' "$x" "${x@Q}""#;
        let Some(answers) = answers("", function, &cases) else { return };
        for ([case], answer) in cases.iter().zip(answers) {
            let mut got = String::new();
            quote_percent_q(case, &mut got).unwrap();
            got.push('|');
            quote_at_q(case, &mut got).unwrap();
            got.push('|');
            assert_eq!(got, String::from_utf8_lossy(&answer), "{case:?}");
        }
    }

    #[test]
    fn case_agrees_with_bash() {
        let mut random = Random(32);
        let pieces = ["a", "b", "C", "D", "é", "É", "1", " ", "-", "ж"];
        let patterns = ["", "a", "[a-c]", "?", "*", "[!b]", "ab", "C", "[[:upper:]]"];
        let cases: Vec<[String; 2]> =
            (0..1000).map(|_| [random.text(&pieces, 6), random.pick(&patterns).into()]).collect();
        let function =
            r#"x=$1 p=$2; printf '%s|' "${x^$p}" "${x^^$p}" "${x,$p}" "${x,,$p}" "${x~$p}" "${x~~$p}""#;
        let Some(answers) = answers("", function, &cases) else { return };
        for ([text, pattern], answer) in cases.iter().zip(answers) {
            if pattern.contains("[:") && !text.is_ascii() {
                continue;
            }
            let mut got = String::new();
            for case in [Case::Upper, Case::Lower, Case::Toggle] {
                for all in [false, true] {
                    let options = Options::default();
                    change_case(text, case, all, Some(pattern), options, &mut 10_000, &mut got).unwrap();
                    got.push('|');
                }
            }
            assert_eq!(got, String::from_utf8_lossy(&answer), "{text:?} {pattern:?}");
        }
    }
}
