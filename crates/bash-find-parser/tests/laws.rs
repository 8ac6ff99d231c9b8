//! What holds for any arguments and any text.

#![expect(clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use bash_commands::find_expression::{Piece, Place, Primary, pieces, primary};
use bash_find_parser::extract_find_paths;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn argument() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "/",
        ".",
        "a",
        "a b",
        "",
        "-",
        "--",
        "-L",
        "-P",
        "-H",
        "-D",
        "-O3",
        "-O",
        "-x",
        "-f",
        "-fa",
        "-Hx",
        "-d",
        "(",
        ")",
        "!",
        ",",
        "!x",
        "(x",
        "-name",
        "-newermt",
        "-depth",
        "3",
        "-print",
        "-delete",
        "-fprintf",
        "-exec",
        "-ok",
        "-execdir",
        "{}",
        "+",
        ";",
        "-files0-from",
        "-frob",
        "é",
        "-é",
        "it's",
        "$x",
        "*",
    ];
    prop_oneof![9 => select(WORDS).prop_map(str::to_owned), 1 => "[ -~]{0,4}"]
}

fn argv() -> impl Strategy<Value = Vec<String>> {
    argv_of(argument())
}

fn argv_of(argument: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<String>> {
    vec(argument, 0..12).prop_map(|mut argv| {
        argv.insert(0, "find".to_owned());
        argv
    })
}

/// Whether the word means the same to GNU find and to the others.
fn is_common(word: &str) -> bool {
    const COMMON: &[&str] = &["-", "--", "-H", "-L", "-P", "-D", "-O3", "-ok"];
    let attached_path = word.starts_with("-f") && primary(word).is_none();
    !attached_path && (!word.starts_with('-') || word.len() > 4 || COMMON.contains(&word))
}

/// Whether the word leads to no other command and to no file of paths.
fn is_plain(word: &str) -> bool {
    !matches!(primary(word), Some(Primary::Command { .. } | Primary::PathsFrom))
}

/// The start paths by GNU find's own rules, in their shortest form.
fn gnu_start_paths(argv: &[String]) -> Vec<&str> {
    let mut rest = &argv[1..];
    loop {
        match rest {
            [option, tail @ ..] if ["-H", "-L", "-P"].contains(&option.as_str()) => rest = tail,
            [option, _, tail @ ..] if option == "-D" => rest = tail,
            [option, tail @ ..] if option.starts_with("-O") && option.len() > 2 => rest = tail,
            [option, tail @ ..] if option == "--" => {
                rest = tail;
                break;
            }
            _ => break,
        }
    }
    let begins_expression =
        |word: &String| (word.starts_with('-') && word.len() > 1) || word == "(" || word == "!";
    rest.iter().take_while(|word| !begins_expression(word)).map(String::as_str).collect()
}

fn paths_at(argv: &[String], wanted: impl Fn(Place) -> bool) -> Vec<&str> {
    pieces(argv)
        .filter_map(|piece| match piece {
            Piece::StartPath { word, offset, place } if wanted(place) => argv[word].get(offset..),
            _ => None,
        })
        .collect()
}

/// Quotes a word so that bash passes it as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn command_line(argv: &[String]) -> String {
    argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn pieces_tile_the_arguments(argv in argv()) {
        let mut at = 1;
        for piece in pieces(&argv[..]) {
            let (start, end) = match piece {
                Piece::Leading { word, words } | Piece::Primary { word, words } | Piece::PathsFrom { word, words } => {
                    (word, word + words)
                }
                Piece::StartPath { word, offset, .. } => {
                    prop_assert!(argv[word].is_char_boundary(offset));
                    (word, word + 1)
                }
                Piece::Operator { word } => (word, word + 1),
                Piece::Command(command) => {
                    prop_assert!(command.word < command.from && command.from < command.to);
                    prop_assert!(command.to + 1 == command.end);
                    (command.word, command.end)
                }
                other => return Err(TestCaseError::fail(format!("a new kind of piece: {other:?}"))),
            };
            prop_assert_eq!(start, at);
            prop_assert!(end > start);
            at = end;
        }
        prop_assert_eq!(at, argv.len());
    }

    /// Whatever GNU find would walk is among the start paths, in its order.
    #[test]
    fn gnu_start_paths_are_found(argv in argv()) {
        let all = paths_at(&argv, |_| true);
        let mut found = all.iter();
        for path in gnu_start_paths(&argv) {
            prop_assert!(found.any(|candidate| *candidate == path), "{path:?} is not in {all:?}");
        }
    }

    /// Without the options of BSD and bfs the leading paths are exactly GNU's.
    #[test]
    fn leading_paths_are_those_of_gnu(argv in argv_of(argument().prop_filter("of BSD", |word| is_common(word)))) {
        prop_assert_eq!(paths_at(&argv, |place| place == Place::Leading), gnu_start_paths(&argv));
    }

    /// What stands behind the expression's first word never makes a leading path of it, or hides one.
    #[test]
    fn expression_changes_no_leading_path(paths in vec("[a-z/]{1,4}", 0..4), tail in vec(argument(), 0..6)) {
        let mut argv = vec!["find".to_owned()];
        argv.extend(paths.iter().cloned());
        argv.push("-true".to_owned());
        argv.extend(tail);
        prop_assert_eq!(paths_at(&argv, |place| place == Place::Leading), paths);
    }

    /// Quoting is taken away, and nothing else is.
    #[test]
    fn a_quoted_call_has_the_paths_of_its_arguments(
        argv in argv_of(argument().prop_filter("runs a command", |word| is_plain(word))),
    ) {
        let expected = paths_at(&argv, |_| true);
        prop_assert_eq!(extract_find_paths(&command_line(&argv)), [expected]);
    }

    /// Wrappers neither add a path nor take one away.
    #[test]
    fn wrappers_change_nothing(
        argv in argv(),
        wrappers in vec(select(&[
            "sudo", "sudo -u root", "sudo -n --", "env", "env A=b", "env -u X", "timeout 5", "timeout -k 1 --signal=9 5s",
            "nice", "nice -n 5", "nice -10", "nohup", "stdbuf -oL", "setsid -w", "ionice -c3", "chrt -b 0", "taskset 1",
            "flock /l", "doas -u root", "time -p", "strace -f -o /o", "unshare -m", "busybox",
        ][..]), 0..4),
    ) {
        let line = command_line(&argv);
        let prefix = wrappers.join(" ");
        let expected = extract_find_paths(&line);
        prop_assert_eq!(&extract_find_paths(&format!("{prefix} {line}")), &expected);
        // A builtin counts only where no program stands before it.
        prop_assert_eq!(&extract_find_paths(&format!("command {prefix} {line}")), &expected);
    }

    /// The words of a program that runs no other are data.
    #[test]
    fn data_is_no_command(argv in argv(), program in select(&["echo", "printf %s", "grep -e", "git", "man", "ls"][..])) {
        let text = format!("{program} {}", command_line(&argv));
        prop_assert_eq!(extract_find_paths(&text), Vec::<Vec<String>>::new());
    }

    #[test]
    fn any_text_has_an_answer(text in "\\PC{0,60}") {
        let _ = extract_find_paths(&text);
    }

    #[test]
    fn any_shell_like_text_has_an_answer(
        words in vec(select(&[
            "find", "/", " ", ";", "|", "&&", "(", ")", "{", "}", "$(", "`", "\"", "'", "\\", "\n", "<<E", "E", "if", "then",
            "fi", "case", "in", "esac", "for", "do", "done", "$x", "${x:-", "}", ">", "<(", "bash -c ", "xargs ", "sudo ",
        ][..]), 0..30),
    ) {
        let _ = extract_find_paths(&words.concat());
    }
}
