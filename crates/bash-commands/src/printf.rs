//! What `printf` and `echo` print.

#![expect(
    clippy::option_option,
    reason = "the outer option is what cannot be told, the inner one what is not there"
)]

use crate::escape::{self, Dialect, Flow};
use crate::quote::quote_percent_q;
use alloc::string::String;
use alloc::vec::Vec;

/// Appends what `printf format arguments…` prints; returns whether its status is 0, `None` when it cannot be told
/// (nothing is appended then).
///
/// Floating point, `%(…)T`, `%n` and output that is no UTF-8 cannot be told. Every output byte costs a step.
pub(crate) fn format(format: &str, arguments: &[&str], out: &mut String, steps: &mut u64) -> Option<bool> {
    let mut printer = Printer { arguments, bytes: Vec::new(), succeeded: true, steps };
    loop {
        let left = printer.arguments.len();
        let go_on = printer.pass(format)?;
        // The format is used again while it takes arguments and some are left.
        if !go_on || printer.arguments.is_empty() || printer.arguments.len() == left {
            break;
        }
    }
    out.push_str(core::str::from_utf8(&printer.bytes).ok()?);
    Some(printer.succeeded)
}

/// Returns whether [`format()`] succeeds whatever the arguments are, since it only prints them as they are.
pub(crate) fn cannot_fail(format: &str) -> bool {
    let mut bytes = format.bytes();
    while let Some(byte) = bytes.next() {
        let is_plain = match byte {
            b'%' => matches!(bytes.next(), Some(b's' | b'%')),
            b'\\' => matches!(bytes.next(), Some(b'n' | b't' | b'r' | b'\\' | b'"')),
            _ => true,
        };
        if !is_plain {
            return false;
        }
    }
    true
}

/// Appends what `echo arguments…` prints, options `-n -e -E` and the newline included; `None` when it is no UTF-8.
pub(crate) fn echo<'a>(
    arguments: impl Iterator<Item = &'a str> + Clone,
    xpg_echo: bool,
    out: &mut String,
) -> Option<()> {
    let (mut newline, mut escapes) = (true, xpg_echo);
    let mut words = arguments;
    loop {
        let mut rest = words.clone();
        let letters = rest.next().and_then(|option| option.strip_prefix('-'));
        let Some(letters) = letters.filter(|letters| !letters.is_empty()) else { break };
        if !letters.bytes().all(|letter| matches!(letter, b'n' | b'e' | b'E')) {
            break;
        }
        for letter in letters.bytes() {
            match letter {
                b'n' => newline = false,
                _ => escapes = letter == b'e',
            }
        }
        words = rest;
    }
    if escapes {
        return echo_escaped(words, newline, out);
    }
    for (index, word) in words.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    if newline {
        out.push('\n');
    }
    Some(())
}

/// `echo -e`. The escapes of several words may make one character.
fn echo_escaped<'a>(words: impl Iterator<Item = &'a str>, newline: bool, out: &mut String) -> Option<()> {
    let mut bytes = Vec::new();
    let mut newline = newline;
    for (index, word) in words.enumerate() {
        if index > 0 {
            bytes.push(b' ');
        }
        if escape::decode(word, Dialect::Echo, &mut bytes)? == Flow::Stop {
            newline = false;
            break;
        }
    }
    if newline {
        bytes.push(b'\n');
    }
    out.push_str(core::str::from_utf8(&bytes).ok()?);
    Some(())
}

/// A conversion: `%[flags][width][.precision]letter`.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "the five flags of C, each with its own meaning")]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

struct Printer<'a, 's> {
    /// Those not used yet.
    arguments: &'a [&'a str],
    bytes: Vec<u8>,
    succeeded: bool,
    steps: &'s mut u64,
}

impl<'a> Printer<'a, '_> {
    /// Prints the format once; returns whether it may be used again.
    fn pass(&mut self, format: &str) -> Option<bool> {
        let mut rest = format.as_bytes();
        while let [byte, behind @ ..] = rest {
            *self.steps = self.steps.checked_sub(1)?;
            rest = behind;
            match byte {
                b'\\' => (rest, _) = escape::escape(rest, Dialect::Format, &mut self.bytes)?,
                b'%' => {
                    if let [b'%', behind @ ..] = rest {
                        self.bytes.push(b'%');
                        rest = behind;
                        continue;
                    }
                    let Some(behind) = self.conversion(rest)? else { return Some(false) };
                    rest = behind;
                }
                _ => self.bytes.push(*byte),
            }
        }
        Some(true)
    }

    /// Prints one conversion, with `rest` behind its `%`; `Some(None)` ends all output.
    fn conversion<'f>(&mut self, mut rest: &'f [u8]) -> Option<Option<&'f [u8]>> {
        let mut conversion = Conversion::default();
        while let [flag @ (b'#' | b'\'' | b'-' | b'+' | b' ' | b'0'), behind @ ..] = rest {
            match flag {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternative = true,
                b'0' => conversion.zero = true,
                _ => {}
            }
            rest = behind;
        }
        if let [b'*', behind @ ..] = rest {
            let width = self.integer();
            conversion.left |= width < 0;
            conversion.width = usize::try_from(width.unsigned_abs()).ok()?;
            rest = behind;
        } else {
            conversion.width = number(&mut rest)?.unwrap_or(0);
        }
        if let [b'.', behind @ ..] = rest {
            rest = behind;
            if let [b'*', behind @ ..] = rest {
                conversion.precision = usize::try_from(self.integer()).ok();
                rest = behind;
            } else if rest.starts_with(b"-") {
                return None;
            } else {
                conversion.precision = Some(number(&mut rest)?.unwrap_or(0));
            }
        }
        // The C library counts in `int`.
        if conversion.width.max(conversion.precision.unwrap_or(0)) >= 0x7fff_ffff {
            return None;
        }
        while let [b'h' | b'j' | b'l' | b'L' | b't' | b'z', behind @ ..] = rest {
            rest = behind;
        }
        let Some((letter, behind)) = rest.split_first() else {
            self.succeeded = false;
            return Some(None);
        };
        match letter {
            b's' => {
                let text = self.text();
                self.string(&conversion, text.as_bytes())?;
            }
            b'c' => {
                let text = self.text();
                let byte = text.bytes().next().unwrap_or(0);
                self.string(&Conversion { precision: None, ..conversion }, &[byte])?;
            }
            b'b' => {
                let mut bytes = Vec::new();
                let flow = escape::decode(self.text(), Dialect::PercentB, &mut bytes)?;
                self.string(&conversion, &bytes)?;
                if flow == Flow::Stop {
                    return Some(None);
                }
            }
            b'q' => {
                let mut quoted = String::new();
                quote_percent_q(self.text(), &mut quoted)?;
                self.string(&conversion, quoted.as_bytes())?;
            }
            b'Q' => {
                let text = self.text();
                let mut quoted = String::new();
                quote_percent_q(
                    text.get(..conversion.precision.unwrap_or(text.len())).unwrap_or(text),
                    &mut quoted,
                )?;
                self.string(&Conversion { precision: None, ..conversion }, quoted.as_bytes())?;
            }
            b'd' | b'i' => {
                let value = self.integer();
                let sign: &[u8] = match value {
                    ..0 => b"-",
                    _ if conversion.plus => b"+",
                    _ if conversion.space => b" ",
                    _ => b"",
                };
                self.digits(&conversion, sign, value.unsigned_abs(), 10, false)?;
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.unsigned();
                let base = match letter {
                    b'u' => 10,
                    b'o' => 8,
                    _ => 16,
                };
                let prefix: &[u8] = match letter {
                    b'x' if conversion.alternative && value != 0 => b"0x",
                    b'X' if conversion.alternative && value != 0 => b"0X",
                    _ => b"",
                };
                self.digits(&conversion, prefix, value, base, *letter == b'X')?;
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'n' | b'(' => return None,
            _ => {
                self.succeeded = false;
                return Some(None);
            }
        }
        Some(Some(behind))
    }

    /// Takes the next argument; empty when none is left.
    fn text(&mut self) -> &'a str {
        let Some((text, rest)) = self.arguments.split_first() else { return "" };
        self.arguments = rest;
        text
    }

    /// Takes the next argument as a signed integer, held in range.
    fn integer(&mut self) -> i64 {
        let (negative, magnitude) = self.magnitude();
        let value = i128::try_from(magnitude).unwrap_or(i128::MAX);
        // Out of range is no failure, only a warning.
        i64::try_from(value)
            .map_or(if negative { i64::MIN } else { i64::MAX }, |value| if negative { -value } else { value })
    }

    /// Takes the next argument as an unsigned integer: a negative one counts from the top.
    fn unsigned(&mut self) -> u64 {
        let (negative, magnitude) = self.magnitude();
        let Ok(value) = u64::try_from(magnitude) else { return u64::MAX };
        if negative { value.wrapping_neg() } else { value }
    }

    /// Takes the next argument as C reads a number: sign, `0` octal, `0x` hexadecimal, or `'c`, a character's code.
    fn magnitude(&mut self) -> (bool, u128) {
        let text = self.text();
        if let Some(character) = text.strip_prefix(['\'', '"']) {
            return (false, character.chars().next().map_or(0, |char| u128::from(u32::from(char))));
        }
        let digits = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
        let negative = digits.starts_with('-');
        let digits = digits.strip_prefix(['-', '+']).unwrap_or(digits);
        let hexadecimal = digits
            .strip_prefix("0x")
            .or_else(|| digits.strip_prefix("0X"))
            .filter(|digits| digits.starts_with(|char: char| char.is_ascii_hexdigit()));
        let (base, digits) = match hexadecimal {
            Some(digits) => (16, digits),
            None if digits.starts_with('0') => (8, digits),
            None => (10, digits),
        };
        let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(base)).count();
        let mut value = 0_u128;
        for digit in digits.chars().take(length).filter_map(|char| char.to_digit(base)) {
            value = value.saturating_mul(base.into()).saturating_add(digit.into()).min(1 << 100);
        }
        // What follows the digits is an error; no digits at all are one unless the argument is empty.
        self.succeeded &= if length == 0 { text.is_empty() } else { length == digits.len() };
        (negative, value)
    }

    /// Prints a text, cut to the precision and filled up to the width.
    fn string(&mut self, conversion: &Conversion, text: &[u8]) -> Option<()> {
        let text = conversion.precision.and_then(|precision| text.get(..precision)).unwrap_or(text);
        let fill = conversion.width.saturating_sub(text.len());
        *self.steps = self.steps.checked_sub((text.len() + fill) as u64)?;
        if !conversion.left {
            self.fill(b' ', fill);
        }
        self.bytes.extend_from_slice(text);
        if conversion.left {
            self.fill(b' ', fill);
        }
        Some(())
    }

    fn digits(
        &mut self,
        conversion: &Conversion,
        prefix: &[u8],
        value: u64,
        base: u32,
        upper: bool,
    ) -> Option<()> {
        let mut digits = Vec::new();
        let mut left = value;
        while left > 0 {
            let digit = char::from_digit((left % u64::from(base)) as u32, base)?;
            digits.push(if upper { digit.to_ascii_uppercase() } else { digit } as u8);
            left /= u64::from(base);
        }
        let mut zeros = conversion.precision.unwrap_or(1).saturating_sub(digits.len());
        if base == 8 && conversion.alternative && zeros == 0 && digits.last() != Some(&b'0') {
            zeros = 1;
        }
        let length = prefix.len() + zeros + digits.len();
        let mut fill = conversion.width.saturating_sub(length);
        *self.steps = self.steps.checked_sub((length + fill) as u64)?;
        if conversion.zero && !conversion.left && conversion.precision.is_none() {
            zeros += fill;
            fill = 0;
        }
        if !conversion.left {
            self.fill(b' ', fill);
        }
        self.bytes.extend_from_slice(prefix);
        self.fill(b'0', zeros);
        self.bytes.extend(digits.iter().rev());
        if conversion.left {
            self.fill(b' ', fill);
        }
        Some(())
    }

    fn fill(&mut self, byte: u8, count: usize) {
        self.bytes.resize(self.bytes.len() + count, byte);
    }
}

/// Reads decimal digits from the front of `rest`, if any; `None` when the number is too big.
fn number(rest: &mut &[u8]) -> Option<Option<usize>> {
    let mut value = None;
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        let digit = usize::from(digit - b'0');
        value = Some(value.unwrap_or(0_usize).checked_mul(10)?.checked_add(digit)?);
        *rest = behind;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};

    const FORMAT: &[&str] = &[
        "%", "%s", "%s ", "%d", "%i", "%5d", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%x", "%#x", "%X", "%#X",
        "%o", "%#o", "%u", "%c", "%b", "%q", "%%", "%10s|", "%-8s|", "%.2s", "%*d", "%-*s", "%.*s", "%5.1s",
        "\\n", "\\t", "\\x41", "\\101", "\\c", "a", "é", "\\\"", "%ld", "%#8.3x", "%08.3d", "%y", "%5%",
        "%lls", "%5c|", "%-#9x|", "%0#9x|", "%#.0o", "%.0d", "%5b|", "%Q", "\\u20ac", "%5q",
    ];
    const ARGUMENT: &[&str] = &[
        "",
        "a",
        "b c",
        "12",
        "-7",
        "0x1f",
        "017",
        "08",
        "5x",
        " 9",
        "9 ",
        "'A",
        "\"é",
        "'",
        "99999999999999999999",
        "-99999999999999999999",
        "18446744073709551615",
        "\\n",
        "a\\cb",
        "\\0101",
        "x'y",
        "é",
        "0x",
        "-0x10",
        "+3",
        "--3",
        "it's",
        "$(x)",
        "a\\x41",
        "2#1",
    ];

    #[test]
    fn what_cannot_fail_succeeds() {
        let mut random = Random(23);
        let mut sure = 0;
        for _ in 0..4000 {
            let text = random.text(FORMAT, 3);
            if cannot_fail(&text) {
                sure += 1;
                let arguments = [(); 2].map(|()| random.pick(ARGUMENT));
                assert_eq!(format(&text, &arguments, &mut String::new(), &mut 10_000), Some(true), "{text}");
            }
        }
        assert!(sure > 50, "{sure}");
    }

    #[test]
    fn format_agrees_with_bash() {
        let mut random = Random(21);
        let cases: Vec<[String; 4]> = (0..4000)
            .map(|_| {
                let format = random.text(FORMAT, 4);
                let count = random.below(4);
                // A huge width makes bash print gigabytes.
                let choices = if format.contains('*') { &ARGUMENT[..14] } else { ARGUMENT };
                let mut arguments = [(); 3].map(|()| random.pick(choices).into());
                for argument in arguments.iter_mut().skip(count) {
                    *argument = String::from("-none-");
                }
                let [first, second, third] = arguments;
                [format, first, second, third]
            })
            .collect();
        let function = r#"local -a args=("$@"); local i; for i in 3 2 1; do [[ ${args[i]} == -none- ]] && unset "args[i]"; done
            printf -- "${args[@]}"; printf '|%d' "$?""#;
        let Some(answers) = answers("", function, &cases) else { return };
        let mut known = 0;
        for (case, answer) in cases.iter().zip(answers) {
            let arguments: Vec<&str> =
                case[1..].iter().map(String::as_str).filter(|text| *text != "-none-").collect();
            let mut out = String::new();
            if let Some(succeeded) = format(&case[0], &arguments, &mut out, &mut 10_000) {
                known += 1;
                out.push_str(if succeeded { "|0" } else { "|1" });
                assert_eq!(out, String::from_utf8_lossy(&answer), "{case:?}");
            } else {
                assert!(core::str::from_utf8(&answer).is_err(), "{case:?} {:?}", String::from_utf8(answer));
            }
        }
        assert!(known > 3000);
    }

    #[test]
    fn echo_agrees_with_bash() {
        const WORDS: &[&str] =
            &["-n", "-e", "-E", "-ne", "-nE", "-", "--", "-x", "a", "\\t", "b\\c", "", "-ee"];
        let mut random = Random(22);
        for (setup, xpg) in [("", false), ("shopt -s xpg_echo", true)] {
            let cases: Vec<[String; 3]> =
                (0..500).map(|_| [(); 3].map(|()| random.pick(WORDS).into())).collect();
            let Some(answers) = answers(setup, "echo \"$@\"", &cases) else { return };
            for (case, answer) in cases.iter().zip(answers) {
                let words: Vec<&str> = case.iter().map(String::as_str).collect();
                let mut out = String::new();
                echo(words.iter().copied(), xpg, &mut out).unwrap();
                assert_eq!(out.as_bytes(), answer, "{case:?}");
            }
        }
    }

    #[test]
    fn output_is_bounded() {
        assert_eq!(format("%999999999d", &["1"], &mut String::new(), &mut 1000), None);
        assert_eq!(format("%99999999999999999999999d", &["1"], &mut String::new(), &mut 1000), None);
    }
}
