//! Text taken apart into fields: IFS, `read`, `xargs`, `env -S`.

use alloc::string::String;
use alloc::vec::Vec;

/// The value of `IFS` when it is unset or untouched.
pub(crate) const DEFAULT_IFS: &str = " \t\n";

/// One record that `read` takes from its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The text before the delimiter, backslashes kept.
    pub(crate) text: &'a str,
    /// Offset in the input behind the record and its delimiter.
    pub(crate) rest: usize,
    /// The delimiter was there; without it `read` assigns all the same, but fails.
    pub(crate) ended: bool,
}

/// Takes one record from `input`; without `raw` (`-r`) an escaped delimiter does not end it.
pub(crate) fn read_record(input: &str, delimiter: char, raw: bool) -> Record<'_> {
    let mut escaped = false;
    for (at, char) in input.char_indices() {
        if escaped {
            escaped = false;
        } else if char == '\\' && !raw {
            escaped = true;
        } else if char == delimiter {
            let text = input.get(..at).unwrap_or("");
            return Record { text, rest: at + char.len_utf8(), ended: true };
        }
    }
    Record { text: input, rest: input.len(), ended: false }
}

/// A character of a record, and whether a backslash stood before it.
type Character = (char, bool);

/// Takes the backslashes away, and each escaped newline with its own.
fn unescape(record: &str, raw: bool) -> Vec<Character> {
    if raw {
        return record.chars().map(|char| (char, false)).collect();
    }
    let mut characters = Vec::with_capacity(record.len());
    let mut chars = record.chars();
    while let Some(char) = chars.next() {
        if char == '\\' {
            characters.extend(chars.next().filter(|char| *char != '\n').map(|char| (char, true)));
        } else {
            characters.push((char, false));
        }
    }
    characters
}

fn text(characters: &[Character]) -> String {
    characters.iter().map(|(char, _)| char).collect()
}

/// Splits a record for `read name…`: returns `count` values; `None` as `count` returns all fields (`read -a`).
pub(crate) fn read_fields(record: &str, ifs: &str, count: Option<usize>, raw: bool) -> Vec<String> {
    let characters = unescape(record, raw);
    let mut rest = characters.as_slice();
    let is_separator = |(char, escaped): &Character| !escaped && ifs.contains(*char);
    let is_blank =
        |character: &Character| is_separator(character) && matches!(character.0, ' ' | '\t' | '\n');
    let skip_blanks = |rest: &mut &[Character]| {
        while let [first, behind @ ..] = *rest
            && is_blank(first)
        {
            *rest = behind;
        }
    };
    // Takes one field and the separator behind it.
    let take = |rest: &mut &[Character]| {
        let end = rest.iter().position(is_separator).unwrap_or(rest.len());
        let (field, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        *rest = behind;
        if let [separator, behind @ ..] = *rest {
            *rest = behind;
            skip_blanks(rest);
            if is_blank(separator)
                && let [next, behind @ ..] = *rest
                && is_separator(next)
            {
                *rest = behind;
                skip_blanks(rest);
            }
        }
        text(field)
    };
    skip_blanks(&mut rest);
    let mut fields = Vec::new();
    let Some(count) = count else {
        while !rest.is_empty() {
            fields.push(take(&mut rest));
        }
        return fields;
    };
    for index in 0..count {
        if index + 1 < count {
            fields.push(take(&mut rest));
            continue;
        }
        // The last name takes the rest: as a field if it is only one, else all of it without blanks at its end.
        let mut behind = rest;
        let field = take(&mut behind);
        fields.push(if behind.is_empty() {
            field
        } else {
            // Bash takes escaped blanks off the end too, and where nothing else is left, its own quoting shows.
            let is_kept = |(char, _): &Character| !(ifs.contains(*char) && matches!(char, ' ' | '\t' | '\n'));
            match rest.iter().rposition(is_kept) {
                Some(last) => text(rest.get(..=last).unwrap_or(rest)),
                None => String::from("\x01"),
            }
        });
    }
    fields
}

/// Returns what `read` without names puts in `REPLY`.
pub(crate) fn read_reply(record: &str, raw: bool) -> String {
    text(&unescape(record, raw))
}

/// How `xargs` takes its input apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XargsInput {
    /// Blanks and newlines separate, quotes and backslashes quote.
    Words,
    /// `-I`: one item a line; quotes still quote.
    Lines,
    /// `-d` and `-0`: this character separates, nothing quotes.
    Delimiter(char),
}

/// Returns the items of `input`; `None` when a quote is not closed (xargs stops with an error there).
pub(crate) fn xargs_items(input: &str, how: XargsInput) -> Option<Vec<String>> {
    match how {
        XargsInput::Delimiter(delimiter) => {
            let mut items: Vec<String> = input.split(delimiter).map(String::from).collect();
            // What ends with the delimiter has no empty item behind it.
            if items.last().is_some_and(String::is_empty) {
                items.pop();
            }
            Some(items)
        }
        XargsInput::Words | XargsInput::Lines => {
            let lines = xargs_read(input, how == XargsInput::Words)?;
            Some(lines.into_iter().flatten().collect())
        }
    }
}

/// Returns the items of `input` line by line for `xargs -L 1`: blank lines are skipped, a trailing blank joins the next line.
pub(crate) fn xargs_lines(input: &str) -> Option<Vec<Vec<String>>> {
    xargs_read(input, true)
}

fn xargs_read(input: &str, blanks_separate: bool) -> Option<Vec<Vec<String>>> {
    let is_space = |char: char| matches!(char, ' ' | '\t'..='\r');
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut chars = input.chars().peekable();
    let mut before = '\n';
    loop {
        // Between items: white space of any kind, newlines too.
        while let Some(char) = chars.next_if(|char| is_space(*char)) {
            before = char;
        }
        if chars.peek().is_none() {
            break;
        }
        let mut item = String::new();
        let mut quoted = false;
        let mut ends_line = true;
        let mut at_end = true;
        while let Some(char) = chars.next() {
            let last = core::mem::replace(&mut before, char);
            match char {
                '\n' if item.is_empty() && !quoted => {}
                '\n' => {
                    ends_line = !matches!(last, ' ' | '\t');
                    at_end = false;
                    break;
                }
                ' ' | '\t' if blanks_separate => {
                    ends_line = false;
                    at_end = false;
                    break;
                }
                '\\' => item.extend(chars.next().inspect(|char| before = *char)),
                '\'' | '"' => {
                    quoted = true;
                    loop {
                        match chars.next() {
                            // A quote that opens an item at the very end is overlooked.
                            None if item.is_empty() => break,
                            None | Some('\n') => return None,
                            Some(inside) if inside == char => break,
                            Some(inside) => item.push(inside),
                        }
                    }
                }
                _ => item.push(char),
            }
        }
        // Empty quotes at the very end make no item.
        if !item.is_empty() || (quoted && !at_end) {
            line.push(item);
        }
        if ends_line && !line.is_empty() {
            lines.push(core::mem::take(&mut line));
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    Some(lines)
}

/// Splits the string of `env -S`; `None` when env refuses it, or a `${NAME}` is not known.
///
/// `environment` gives the value of a variable: `None` not known, `Some(None)` unset.
pub(crate) fn split_env_string(
    text: &str,
    environment: &mut dyn FnMut(&str) -> Option<Option<String>>,
) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let (mut single, mut double) = (false, false);
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        rest = rest.get(char.len_utf8()..)?;
        match char {
            '\'' if !double => {
                single = !single;
                word.get_or_insert_default();
            }
            '"' if !single => {
                double = !double;
                word.get_or_insert_default();
            }
            ' ' | '\t'..='\r' if !single && !double => words.extend(word.take()),
            '#' if word.is_none() => break,
            '\\' => {
                let escape = rest.chars().next()?;
                let behind = rest.get(escape.len_utf8()..)?;
                let meant = match escape {
                    '\\' | '\'' if single => escape,
                    // Within single quotes other backslashes stand for themselves.
                    _ if single => {
                        word.get_or_insert_default().push('\\');
                        continue;
                    }
                    '_' if !double => {
                        words.extend(word.take());
                        rest = behind;
                        continue;
                    }
                    '_' => ' ',
                    'c' if double => return None,
                    'c' => break,
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    '"' | '#' | '$' | '\'' | '\\' => escape,
                    _ => return None,
                };
                word.get_or_insert_default().push(meant);
                rest = behind;
            }
            '$' if !single => {
                let (name, behind) = rest.strip_prefix('{')?.split_once('}')?;
                let starts_well = name.starts_with(|char: char| char == '_' || char.is_ascii_alphabetic());
                if !starts_well || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                    return None;
                }
                if let Some(value) = environment(name)? {
                    word.get_or_insert_default().push_str(&value);
                }
                rest = behind;
            }
            _ => word.get_or_insert_default().push(char),
        }
    }
    if single || double {
        return None;
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use std::format;

    fn show(fields: &[String]) -> String {
        fields.iter().flat_map(|field| ["[", field, "]"]).collect()
    }

    #[test]
    fn read_agrees_with_bash() {
        let mut random = Random(52);
        let ifs_values = [" \t\n", ":", ": ", "", "x"];
        let cases: Vec<[String; 2]> = (0..2000)
            .map(|_| {
                let line = random
                    .text(&["a", "b", " ", ":", "\\", "\\ ", "\\:", "\t", "é", "x", "\\\n", "\n", " "], 9);
                [random.pick(&ifs_values).into(), line]
            })
            .collect();
        let function = r#"local a b c r; for r in '' -r; do
            IFS=$1 read $r a <<<"$2"; printf '[%s]|' "$a"; IFS=$1 read $r a b <<<"$2"; printf '[%s]' "$a" "$b"; printf '|'
            IFS=$1 read $r a b c <<<"$2"; printf '[%s]' "$a" "$b" "$c"; printf '|'; IFS=$1 read $r -a a <<<"$2"
            ((${#a[@]})) && printf '[%s]' "${a[@]}"; unset a; IFS=$1 read $r <<<"$2"; printf '|[%s]' "$REPLY"; done"#;
        let Some(answers) = answers("", function, &cases) else { return };
        for ([ifs, line], answer) in cases.iter().zip(answers) {
            let input = format!("{line}\n");
            let mut got = String::new();
            for raw in [false, true] {
                let record = read_record(&input, '\n', raw).text;
                let fields = |count| show(&read_fields(record, ifs, count, raw));
                got.extend([format!(
                    "{}|{}|{}|{}|[{}]",
                    fields(Some(1)),
                    fields(Some(2)),
                    fields(Some(3)),
                    fields(None),
                    read_reply(record, raw)
                )]);
            }
            assert_eq!(got, String::from_utf8_lossy(&answer), "{ifs:?} {line:?}");
        }
    }

    #[test]
    fn xargs_agrees_with_the_real_one() {
        let mut random = Random(53);
        let cases: Vec<[String; 1]> = (0..100)
            .map(|_| {
                [random.text(
                    &["a", "b", " ", "\n", "'", "\"", "\\", " \n", "\t", "'a b'", "\"c\"", "''", ",", "\x0b"],
                    9,
                )]
            })
            .collect();
        // The one failure of xargs that counts is a quote that does not close.
        let function = r#"type xargs >/dev/null || { printf none; return; }
            p() { printf '%s' "$1" | xargs "${@:2}" || printf fault; printf '|'; }
            p "$1" -r printf '[%s]'; p "$1" -r -I@ printf '[%s]' @; p "$1" -r -d, printf '[%s]'; p "$1" -r -L1 printf '[%s]' ';'"#;
        let Some(answers) = answers("", function, &cases) else { return };
        for ([input], answer) in cases.iter().zip(answers) {
            if answer == b"none" {
                return;
            }
            let answer = String::from_utf8_lossy(&answer).into_owned();
            let answer: Vec<&str> = answer.split('|').collect();
            let lines = xargs_lines(input)
                .map(|lines| lines.iter().map(|line| String::from("[;]") + &show(line)).collect());
            let got = [
                xargs_items(input, XargsInput::Words).map(|items| show(&items)),
                xargs_items(input, XargsInput::Lines).map(|items| show(&items)),
                xargs_items(input, XargsInput::Delimiter(',')).map(|items| show(&items)),
                lines,
            ];
            for (got, answer) in got.iter().zip(answer) {
                match got {
                    Some(got) => assert_eq!(got, answer, "{input:?}"),
                    None => assert!(answer.ends_with("fault"), "{input:?} {answer}"),
                }
            }
        }
    }

    #[test]
    fn env_strings_agree_with_the_real_one() {
        let mut random = Random(54);
        let pieces = [
            "a", "b", " ", "\t", "'", "\"", "\\_", "\\c", "#", "\\#", "${V}", "${W}", "$V", "\\n", "\\'",
            "\\\"", "\\\\", "\\$", "\\q", "'a b'", "\"c d\"", "''", "${}", "${1}", "\\",
        ];
        let cases: Vec<[String; 1]> = (0..400).map(|_| [random.text(&pieces, 7)]).collect();
        let function = r#"V='x  y' env -S "printf <%s> $1" || printf fault"#;
        let Some(answers) = answers("unset W", function, &cases) else { return };
        if !answers.iter().any(|answer| answer.starts_with(b"<a")) {
            std::println!("skipped: no env -S here");
            return;
        }
        for ([text], answer) in cases.iter().zip(answers) {
            let mut environment = |name: &str| Some((name == "V").then(|| "x  y".into()));
            let got = split_env_string(text, &mut environment).map_or("fault".into(), |words| {
                match words.as_slice() {
                    [] => String::from("<>"),
                    words => words.iter().flat_map(|word| ["<", word, ">"]).collect(),
                }
            });
            assert_eq!(got, String::from_utf8_lossy(&answer), "{text:?}");
        }
    }
}
