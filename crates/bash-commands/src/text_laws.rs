//! Laws of all text functions: no input makes one panic, and every offset falls on a character's boundary.

use crate::arithmetic::{Read, Variables};
use crate::real_bash::Random;
use crate::split::XargsInput;
use crate::syntax::Replace;
use crate::{arithmetic, brace, escape, pattern, printf, quote, regex, split, text_tools};
use std::string::String;

const PIECES: &[&str] = &[
    "a",
    "b",
    "\\",
    "'",
    "\"",
    "{",
    "}",
    ",",
    "..",
    "1",
    "-",
    "9223372036854775807",
    "-9223372036854775808",
    "(",
    ")",
    "[",
    "]",
    "*",
    "?",
    "+",
    "@",
    "!",
    "|",
    "^",
    "$",
    "é",
    "😀",
    "\n",
    " ",
    "\t",
    ":",
    "%",
    "d",
    "s",
    "q",
    "b",
    "#",
    "0x",
    "\u{FDD0}",
    "=",
    "<",
    ">",
    "&",
    "~",
    "/",
    "\\u",
    "\\x",
    "\\c",
    "\\U",
    "ffffffff",
    "n",
    "_",
    "{1,3}",
    "[:alpha:]",
    "[:",
    "\0",
    "ß",
    "İ",
    ".5",
    "99999999999999999999999",
];

/// Enough for every honest input here, and little enough to bound the rest.
const STEPS: u64 = 20_000;

struct Extreme;

impl Variables for Extreme {
    fn read(&mut self, _: &str, _: Option<&str>) -> Read {
        Read::Text("-9223372036854775808".into())
    }
    fn write(&mut self, _: &str, _: Option<&str>, _: Option<i64>) {}
}

#[test]
fn nothing_panics() {
    let mut random = Random(99);
    for round in 0..10_000_u32 {
        let (first, second) = (random.text(PIECES, 9), random.text(PIECES, 6));
        let options = pattern::Options { extglob: round % 2 == 0, ignore_case: round % 3 == 0 };
        let mut out = String::new();
        let _ = arithmetic::evaluate(&first, &mut Extreme, &mut { STEPS });
        let _ = pattern::matches(&first, &second, options, &mut { STEPS });
        for longest in [false, true] {
            let ends = [
                pattern::remove_prefix(&first, &second, longest, options, &mut { STEPS }),
                pattern::remove_suffix(&first, &second, longest, options, &mut { STEPS }),
            ];
            assert!(ends.into_iter().flatten().flatten().all(|end| second.is_char_boundary(end)));
        }
        for how in [Replace::First, Replace::All, Replace::Prefix, Replace::Suffix] {
            let _ = pattern::replace(&first, &second, how, &second, options, &mut { STEPS }, &mut out);
        }
        let _ = pattern::has_glob(&first, true);
        let _ = escape::decode_ansi_c(&first, &mut out);
        let _ = escape::decode_echo(&first, &mut out);
        let _ = printf::format(&first, &[&second, &first], &mut out, &mut { STEPS });
        let _ = printf::echo([first.as_str(), &second].into_iter(), true, &mut out);
        let _ = (quote::quote_percent_q(&first, &mut out), quote::quote_at_q(&first, &mut out));
        let case = quote::Case::Toggle;
        let _ = quote::change_case(&first, case, true, Some(&second), options, &mut { STEPS }, &mut out);
        let _ = brace::expand(&first, 100, &mut { STEPS }, &mut { brace::Spare::NEW });
        assert_eq!(split::read_fields(&first, &second, Some(2), round % 2 == 0).len(), 2);
        let record = split::read_record(&first, 'n', false);
        assert!(first.get(record.rest..).is_some());
        let _ = (split::xargs_items(&first, XargsInput::Words), split::xargs_lines(&first));
        let _ = split::split_env_string(&first, &mut |_| Some(None));
        if let Some(Some(groups)) = regex::matches(&first, &second, round % 2 == 0, &mut { STEPS }) {
            assert!(groups.into_iter().flatten().all(|(start, end)| second.get(start..end).is_some()));
        }
        for tool in [
            "head", "tail", "sed", "grep", "tr", "cut", "seq", "basename", "dirname", "sort", "uniq", "paste",
        ] {
            let calls: [&[&str]; 5] = [
                &[&first],
                &[&first, &second],
                &["-d", &first],
                &["-n", &first],
                &["-f", &first, "-d", &second],
            ];
            for args in calls {
                let _ = text_tools::run(tool, args, &second, &mut out);
            }
        }
    }
}
