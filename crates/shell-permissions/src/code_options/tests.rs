use super::table::PROGRAMS;
use super::*;
use alloc::collections::BTreeSet;
use alloc::string::ToString;

#[test]
fn every_program_stands_in_the_table_once() {
    let mut names = BTreeSet::new();
    for name in PROGRAMS.iter().flat_map(|program| program.names) {
        assert!(names.insert(name), "{name}");
        assert!(program(name).is_some_and(|program| program.names.contains(name)), "{name}");
    }
}

#[test]
fn the_spellings_are_of_a_known_style() {
    for program in PROGRAMS {
        for option in program.code {
            let spelling = option.spelling;
            let is_operand = spelling.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '+');
            assert!(is_operand || is_option(spelling), "{spelling}");
            assert!(
                !spelling.starts_with("--") || !spelling.contains('=') || spelling.ends_with('='),
                "{spelling}"
            );
            assert!(option.values.iter().all(|value| !value.is_empty()), "{spelling}");
            let is_placed = !matches!(option.place, Place::Any);
            assert!(!is_placed || program.reading == Reading::Subcommands, "{spelling}");
        }
        for option in program.valued {
            assert!(is_option(option), "{option}");
        }
    }
}

/// Each option of the table is found where it is read, and named by a rule that spells it.
#[test]
fn each_option_of_the_table_is_found() {
    for program in PROGRAMS {
        for option in program.code {
            let value = option.values.first().copied().unwrap_or("x").to_string();
            let spelled = if option.spelling.ends_with([':', '=', '+']) {
                alloc::format!("{}{value}", option.spelling)
            } else {
                option.spelling.to_string()
            };
            let mut arguments = Vec::new();
            if let Place::Behind(subcommands) = option.place {
                arguments.extend(subcommands.first().map(|subcommand| Word::Known(subcommand)));
            }
            arguments.extend([Word::Known(&spelled), Word::Known(&value)]);
            let found = code_words(program, &arguments);
            let is_found =
                found.iter().any(|word| word.is_certain && word.option.spelling == option.spelling);
            assert!(is_found, "{} {arguments:?}", program.names[0]);
            assert!(option.is_named_by(&spelled), "{spelled}");

            // What is not known may be it, where it stands.
            let at = arguments.len() - 2;
            for word in [Word::Unknown(""), Word::Some(""), Word::Names("*")] {
                arguments[at] = word;
                assert!(!code_words(program, &arguments).is_empty(), "{} {arguments:?}", program.names[0]);
            }
        }
    }
}

#[test]
fn a_version_behind_the_name_does_not_count() {
    for name in ["python", "python3", "python3.12", "gcc-14", "7z", "lua5.4"] {
        assert!(program(name).is_some(), "{name}");
    }
    for name in ["pythonx", "", "3", "git-lfs"] {
        assert!(program(name).is_none(), "{name}");
    }
}
