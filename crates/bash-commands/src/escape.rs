//! Backslash escapes: `$'…'`, `echo -e`, `printf` and its `%b`.

use alloc::string::String;
use alloc::vec::Vec;

/// Whether the output goes on behind a decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The whole text was decoded.
    Continue,
    /// `\c` stood in it: nothing more is printed, not even a newline.
    Stop,
}

/// Where escapes stand; each place knows its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `$'…'`.
    AnsiC,
    /// `echo -e`.
    Echo,
    /// The argument of `printf %b`.
    PercentB,
    /// The format of `printf`.
    Format,
}

/// Appends what `$'raw'` stands for; false when that is no UTF-8 and so cannot be told (nothing is appended then).
///
/// A NUL ends the text, as in bash.
pub(crate) fn decode_ansi_c(raw: &str, out: &mut String) -> bool {
    let mut bytes = Vec::new();
    if decode(raw, Dialect::AnsiC, &mut bytes).is_none() {
        return false;
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    append(&bytes, out).is_some()
}

/// Appends what `echo -e` prints for `text`; `None` when it is no UTF-8.
pub(crate) fn decode_echo(text: &str, out: &mut String) -> Option<Flow> {
    let mut bytes = Vec::new();
    let flow = decode(text, Dialect::Echo, &mut bytes)?;
    append(&bytes, out)?;
    Some(flow)
}

/// Appends `bytes`, if they are UTF-8.
fn append(bytes: &[u8], out: &mut String) -> Option<()> {
    out.push_str(core::str::from_utf8(bytes).ok()?);
    Some(())
}

/// Appends the bytes that `text` stands for; `None` for a code point that is no character.
pub(crate) fn decode(text: &str, dialect: Dialect, out: &mut Vec<u8>) -> Option<Flow> {
    let mut rest = text.as_bytes();
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (escape, flow) = escape(rest, dialect, out)?;
        rest = escape;
        if flow == Flow::Stop {
            return Some(Flow::Stop);
        }
        if dialect == Dialect::AnsiC && out.last() == Some(&0) {
            break;
        }
    }
    Some(Flow::Continue)
}

/// Decodes one escape, with `rest` behind its backslash; returns what is left behind it.
pub(crate) fn escape<'t>(rest: &'t [u8], dialect: Dialect, out: &mut Vec<u8>) -> Option<(&'t [u8], Flow)> {
    let Some((letter, behind)) = rest.split_first() else {
        out.push(b'\\');
        return Some((rest, Flow::Continue));
    };
    let mut behind = behind;
    match letter {
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'e' | b'E' => out.push(27),
        b'f' => out.push(12),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b't' => out.push(b'\t'),
        b'v' => out.push(11),
        b'\\' => out.push(b'\\'),
        b'\'' | b'"' | b'?' if matches!(dialect, Dialect::AnsiC | Dialect::Format) => out.push(*letter),
        b'0'..=b'7' if dialect != Dialect::Echo || *letter == b'0' => {
            let extra = *letter == b'0' && matches!(dialect, Dialect::Echo | Dialect::PercentB);
            // A value above 255 loses its high bits.
            let (value, left) = digits(behind, 8, if extra { 3 } else { 2 }, u32::from(letter - b'0'));
            behind = left;
            out.push((value & 255) as u8);
        }
        b'x' => {
            let braced = (dialect == Dialect::AnsiC).then(|| behind.strip_prefix(b"{")).flatten();
            let digits_at = braced.unwrap_or(behind);
            let (value, left) = digits(digits_at, 16, if braced.is_some() { usize::MAX } else { 2 }, 0);
            if braced.is_some() {
                behind = left.strip_prefix(b"}").unwrap_or(left);
            } else if left.len() == digits_at.len() {
                out.extend(b"\\x");
                return Some((behind, Flow::Continue));
            } else {
                behind = left;
            }
            out.push((value & 255) as u8);
        }
        b'u' | b'U' => {
            let (value, left) = digits(behind, 16, if *letter == b'u' { 4 } else { 8 }, 0);
            if left.len() == behind.len() {
                out.extend([b'\\', *letter]);
                return Some((behind, Flow::Continue));
            }
            behind = left;
            out.extend_from_slice(char::from_u32(value)?.encode_utf8(&mut [0; 4]).as_bytes());
        }
        b'c' => match (dialect, behind) {
            (Dialect::Echo | Dialect::PercentB, _) => return Some((behind, Flow::Stop)),
            (Dialect::AnsiC, [byte, left @ ..]) => {
                behind = if *byte == b'\\' { left.strip_prefix(b"\\").unwrap_or(left) } else { left };
                out.push(if *byte == b'?' { 127 } else { byte.to_ascii_uppercase() & 31 });
            }
            _ => out.extend(b"\\c"),
        },
        _ => out.extend([b'\\', *letter]),
    }
    Some((behind, Flow::Continue))
}

/// Reads up to `most` digits behind `value`; returns the number and what is left.
fn digits(mut rest: &[u8], base: u32, most: usize, mut value: u32) -> (u32, &[u8]) {
    for _ in 0..most {
        let [byte, behind @ ..] = rest else { break };
        let Some(digit) = char::from(*byte).to_digit(base) else { break };
        value = value.wrapping_mul(base).wrapping_add(digit);
        rest = behind;
    }
    (value, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};

    const PIECES: &[&str] = &[
        "\\",
        "\\n",
        "\\t",
        "\\a",
        "\\e",
        "\\x",
        "\\x4",
        "\\x41",
        "\\x{",
        "{",
        "}",
        "41",
        "\\u",
        "\\u41",
        "\\u20ac",
        "\\U1F600",
        "\\u00e9",
        "\\101",
        "\\0101",
        "\\0",
        "\\1",
        "\\377",
        "\\c",
        "A",
        "\\cA",
        "\\c?",
        "\\?",
        "\\\"",
        "\\q",
        "é",
        "\\é",
        "7",
        "8",
        " ",
        "\\\\",
        "%",
        "\\U110000",
        "\\xc3\\xa9",
        "\\ud800",
    ];

    fn compare(function: &str, seed: u64, decode: fn(&str, &mut String) -> Option<bool>) {
        let mut random = Random(seed);
        let mut cases: Vec<[String; 1]> = (0..2000).map(|_| [random.text(PIECES, 6)]).collect();
        if function.starts_with("eval") {
            // There a last backslash would quote the closing quote.
            cases.retain(|[case]| case.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0);
        }
        let Some(answers) = answers("", function, &cases) else { return };
        let mut known = 0;
        for ([case], answer) in cases.iter().zip(answers) {
            let mut out = String::new();
            match decode(case, &mut out) {
                Some(stopped) => {
                    if !stopped {
                        out.push('.');
                    }
                    assert_eq!(out.as_bytes(), answer, "{case:?}");
                    known += 1;
                }
                None => assert!(
                    core::str::from_utf8(&answer).is_err() || case.contains("U110000"),
                    "{case:?} gives {:?}",
                    String::from_utf8(answer)
                ),
            }
        }
        assert!(known > 1000);
    }

    #[test]
    fn ansi_c_agrees_with_bash() {
        compare("eval \"x=\\$'$1'\"; printf '%s.' \"$x\"", 3, |text, out| {
            decode_ansi_c(text, out).then_some(false)
        });
    }

    #[test]
    fn echo_agrees_with_bash() {
        compare("echo -ne \"$1\" .", 5, |text, out| {
            let flow = decode_echo(text, out)?;
            if flow == Flow::Continue {
                out.push(' ');
            }
            Some(flow == Flow::Stop)
        });
    }

    #[test]
    fn nothing_is_appended_without_an_answer() {
        let mut out = String::from("x");
        assert!(!decode_ansi_c("a\\xff", &mut out));
        assert_eq!(out, "x");
    }
}
