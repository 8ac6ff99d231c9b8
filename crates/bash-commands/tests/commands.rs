//! Each text of `corpus/commands.txt`, with the commands that bash runs for it.

use std::fmt::Write as _;

mod common;

#[test]
fn every_text_has_its_commands() {
    let mut wrong = String::new();
    for case in common::cases() {
        let found = common::rendered(&case.text);
        if found != case.expected {
            let _ = write!(
                wrong,
                "\nline {}: {:?}\n  expected\n    {}\n  found\n    {}",
                case.line,
                case.text,
                case.expected.join("\n    "),
                found.join("\n    ")
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_table_is_read() {
    let cases = common::cases();
    assert!(cases.len() > 400, "{}", cases.len());
    assert!(
        cases.iter().any(|case| case.expected == [common::NO_WORDS]),
        "texts that run nothing are in the table"
    );
    assert!(cases.iter().any(|case| case.text.contains('\n')), "texts of several lines are in the table");
}
