//! The words of a `find` command: leading options, start paths, expression, commands inside the expression.
//!
//! One table of primaries for the finds of GNU (4.9), BSD and macOS, busybox, toybox and bfs, and one pass that tells
//! which word is what. Where they disagree, a word that any of them would walk is a start path: a guard that runs on
//! one machine does not know which find stands on the other.
//!
//! ```
//! use bash_commands::find_expression::{self, Piece, Place};
//!
//! let argv = ["find", "-L", "src", "/", "-name", "x", "-exec", "rm", "{}", ";"];
//! let mut paths = Vec::new();
//! for piece in find_expression::pieces(&argv[..]) {
//!     if let Piece::StartPath { word, place: Place::Leading, .. } = piece {
//!         paths.push(argv[word]);
//!     }
//! }
//! assert_eq!(paths, ["src", "/"]);
//! ```
//!
//! # Limits
//!
//! An unquoted variable or pattern in the place of a value counts as one word (`-name $X`), as those who write it mean it.

use crate::argv::{Argument, Arguments};

/// One piece of a find command line; the pieces tile `argv[1..]`, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// An option before the start paths, or `--`; with its value when that is a word of its own.
    Leading {
        /// Index of the option.
        word: usize,
        /// Number of words, 1 or 2.
        words: usize,
    },
    /// A start path: `argv[word]` from byte `offset` on (more than 0 only for the attached `-f/path` of BSD).
    StartPath {
        /// Index of the argument.
        word: usize,
        /// Where the path begins in it, in bytes.
        offset: usize,
        /// Where it stands.
        place: Place,
    },
    /// A test, an action that runs no command, or a global option, with its values.
    Primary {
        /// Index of the primary.
        word: usize,
        /// Number of words, values included.
        words: usize,
    },
    /// `(`, `)`, `!`, `,`, `-o` and so on.
    Operator {
        /// Index of the argument.
        word: usize,
    },
    /// `-exec` and its kin, with the command and its end.
    Command(Command),
    /// `-files0-from`: the start paths stand in a file; `argv[word + 1]` names it.
    PathsFrom {
        /// Index of the primary.
        word: usize,
        /// Number of words, 1 or 2.
        words: usize,
    },
}

/// A command that find runs for what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Index of the action (`-exec`).
    pub word: usize,
    /// Index of the command's name.
    pub from: usize,
    /// Index behind its last argument.
    pub to: usize,
    /// Index behind its `;` or `+`.
    pub end: usize,
    /// It is run in the folder of what was found (`-execdir`, `-okdir`).
    pub dir: bool,
    /// It asks before each run (`-ok`, `-okdir`).
    pub asks: bool,
    /// It ends with `{} +`: many paths for one run.
    pub plus: bool,
}

/// Where a start path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the expression, where every find takes it.
    Leading,
    /// The value of an option (`-f PATH` of BSD).
    OptionValue,
    /// Behind the first word of the expression: GNU find refuses it, bfs walks it. Also a word that may be the
    /// value of a primary that no table here knows.
    Late,
}

/// What a word that begins the expression, or stands in it, takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Primary {
    /// A test, an action or an option with so many values.
    Values(u8),
    /// One value if the next word is a number: `-depth`, which BSD gives an argument and GNU does not.
    OptionalNumber,
    /// `(`, `)`, `!`, `,`, `-a`, `-o`, `-not` and their long names.
    Operator,
    /// `-exec`, `-execdir`, `-ok`, `-okdir`: a command up to `;`.
    Command {
        /// It is run in the folder of what was found.
        dir: bool,
        /// It asks before each run, and has no `{} +` form.
        asks: bool,
    },
    /// `-files0-from`: one value, a file that holds the start paths.
    PathsFrom,
    /// `-f` (BSD, bfs): one value, a start path.
    Path,
}

/// Looks `word` up among the primaries of all finds; `None` for a word that none of them knows, and for one that
/// does not begin like a primary.
///
/// ```
/// use bash_commands::find_expression::{Primary, primary};
///
/// assert_eq!(primary("-name"), Some(Primary::Values(1)));
/// assert_eq!(primary("-newermt"), Some(Primary::Values(1)));
/// assert_eq!(primary("-frobnicate"), None);
/// assert_eq!(primary("/etc"), None);
/// ```
#[must_use]
#[expect(
    clippy::match_same_arms,
    reason = "an arm for each family of finds, so that a reader can hold it against its manual"
)]
pub fn primary(word: &str) -> Option<Primary> {
    // Bytes are compared by a few branches on length and letters; a text is compared with one name after the other.
    Some(match word.as_bytes() {
        b"(" | b")" | b"!" | b"," | b"-a" | b"-and" | b"-o" | b"-or" | b"-not" | b"-exclude" => {
            Primary::Operator
        }
        b"-exec" => Primary::Command { dir: false, asks: false },
        b"-execdir" => Primary::Command { dir: true, asks: false },
        b"-ok" => Primary::Command { dir: false, asks: true },
        b"-okdir" => Primary::Command { dir: true, asks: true },
        b"-files0-from" => Primary::PathsFrom,
        b"-f" => Primary::Path,
        b"-depth" => Primary::OptionalNumber,
        // Options that bfs takes in any place.
        b"-E" | b"-H" | b"-L" | b"-P" | b"-X" | b"-d" | b"-s" | b"-x" | b"--" | b"--help" | b"--version" => {
            Primary::Values(0)
        }
        // GNU.
        b"-daystart"
        | b"-delete"
        | b"-empty"
        | b"-executable"
        | b"-false"
        | b"-follow"
        | b"-help"
        | b"-ignore_readdir_race"
        | b"-ls"
        | b"-mount"
        | b"-nogroup"
        | b"-noignore_readdir_race"
        | b"-noleaf"
        | b"-nouser"
        | b"-nowarn"
        | b"-print"
        | b"-print0"
        | b"-prune"
        | b"-quit"
        | b"-readable"
        | b"-true"
        | b"-version"
        | b"-warn"
        | b"-writable"
        | b"-xdev" => Primary::Values(0),
        // BSD, macOS, Solaris.
        b"-acl" | b"-local" | b"-sparse" | b"-xattr" => Primary::Values(0),
        // bfs.
        b"-capable" | b"-color" | b"-exit" | b"-hidden" | b"-nocolor" | b"-noerror" | b"-nohidden"
        | b"-printx" | b"-rm" | b"-status" | b"-unique" => Primary::Values(0),
        // GNU.
        b"-D" | b"-amin" | b"-anewer" | b"-atime" | b"-cmin" | b"-cnewer" | b"-context" | b"-ctime"
        | b"-fls" | b"-fprint" | b"-fprint0" | b"-fstype" | b"-gid" | b"-group" | b"-ilname" | b"-iname"
        | b"-inum" | b"-ipath" | b"-iregex" | b"-iwholename" | b"-links" | b"-lname" | b"-maxdepth"
        | b"-mindepth" | b"-mmin" | b"-mtime" | b"-name" | b"-newer" | b"-path" | b"-perm" | b"-printf"
        | b"-regex" | b"-regextype" | b"-samefile" | b"-size" | b"-type" | b"-uid" | b"-used" | b"-user"
        | b"-wholename" | b"-xtype" => Primary::Values(1),
        // BSD, macOS, Solaris, bfs.
        b"-Bmin" | b"-Bnewer" | b"-Bsince" | b"-Btime" | b"-S" | b"-asince" | b"-cpio" | b"-csince"
        | b"-flags" | b"-limit" | b"-mnewer" | b"-msince" | b"-ncpio" | b"-since" | b"-xattrname" => {
            Primary::Values(1)
        }
        b"-fprintf" => Primary::Values(2),
        _ if is_newer(word) => Primary::Values(1),
        // `-O3` and `-j4`, which bfs takes in any place.
        _ if is_level(word) => Primary::Values(0),
        _ => return None,
    })
}

/// `-newerXY`: a time of the file against a time of another, or against a date.
fn is_newer(word: &str) -> bool {
    matches!(word.strip_prefix("-newer").map(str::as_bytes), Some([x, y]) if b"aBcm".contains(x) && b"aBcmt".contains(y))
}

fn is_level(word: &str) -> bool {
    let digits = word.strip_prefix("-O").or_else(|| word.strip_prefix("-j"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads `argv` as the arguments of find (`argv[0]` is its name).
///
/// Where the finds of GNU, BSD, busybox, toybox and bfs disagree, a word that any of them walks is a start path. So is
/// a word that may be the value of a primary in no table, and an unknown word in a place where an option, a path or a
/// primary may stand. An `-exec` without its end is an error of every find: its words are a [`Piece::Primary`].
///
/// Costs one pass over the arguments, and two over those of an unended `-exec`; allocates nothing.
#[must_use]
pub fn pieces<A: Arguments>(argv: A) -> Pieces<A> {
    Pieces { argv, at: 1, stage: Stage::Leading { options_ended: false }, path_expected: None }
}

/// The pieces of a find command line; made by [`pieces`].
#[derive(Clone, Copy, Debug)]
pub struct Pieces<A> {
    argv: A,
    at: usize,
    stage: Stage,
    /// The next word is a start path, whatever it looks like.
    path_expected: Option<Place>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Before the first word of the expression. A `--` or a path ends the options.
    Leading {
        options_ended: bool,
    },
    Expression,
}

/// What a word before the expression is.
#[derive(Clone, Copy)]
enum Lead {
    Options {
        words: usize,
    },
    /// BSD options that end with `-f`: the path is the next word.
    PathFollows,
    /// The path is attached to `-f`.
    Attached {
        offset: usize,
    },
    Path,
    Expression,
}

impl<A: Arguments> Iterator for Pieces<A> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let argument = self.argv.get(self.at)?;
        if let Some(place) = self.path_expected.take() {
            return Some(self.path(place));
        }
        if let Stage::Leading { options_ended } = self.stage {
            let lead = lead(&argument, options_ended);
            if !matches!(lead, Lead::Expression) {
                // What is not known may have been an option, and others may follow it.
                let ends_options = argument.known && (argument.text == "--" || matches!(lead, Lead::Path));
                self.stage = Stage::Leading { options_ended: options_ended || ends_options };
                return self.leading(lead);
            }
        }
        let primary = primary_at(&argument);
        self.stage = Stage::Expression;
        Some(self.expression(primary))
    }
}

impl<A: Arguments> Pieces<A> {
    fn leading(&mut self, lead: Lead) -> Option<Piece> {
        Some(match lead {
            Lead::Options { words } => Piece::Leading { word: self.at, words: self.take(words) },
            Lead::PathFollows => self.path_option(Place::OptionValue),
            Lead::Attached { offset } => {
                self.take(1);
                Piece::StartPath { word: self.at - 1, offset, place: Place::OptionValue }
            }
            Lead::Path => self.path(Place::Leading),
            Lead::Expression => return None,
        })
    }

    fn expression(&mut self, primary: Option<Primary>) -> Piece {
        let word = self.at;
        match primary {
            Some(Primary::Operator) => {
                self.take(1);
                Piece::Operator { word }
            }
            Some(Primary::Values(values)) => self.primary(usize::from(values)),
            Some(Primary::OptionalNumber) => {
                let next = self.argv.get(word + 1).and_then(|next| next.value());
                self.primary(usize::from(next.is_some_and(is_numeric)))
            }
            Some(Primary::PathsFrom) => Piece::PathsFrom { word, words: self.take(2) },
            Some(Primary::Path) => self.path_option(Place::Late),
            Some(Primary::Command { dir, asks }) => self.command(dir, asks),
            None => self.path(Place::Late),
        }
    }

    fn primary(&mut self, values: usize) -> Piece {
        Piece::Primary { word: self.at, words: self.take(1 + values) }
    }

    fn path(&mut self, place: Place) -> Piece {
        self.take(1);
        Piece::StartPath { word: self.at - 1, offset: 0, place }
    }

    /// Takes an option whose value is a start path.
    fn path_option(&mut self, place: Place) -> Piece {
        self.path_expected = Some(place);
        Piece::Leading { word: self.at, words: self.take(1) }
    }

    fn command(&mut self, dir: bool, asks: bool) -> Piece {
        let (word, from, len) = (self.at, self.at + 1, self.argv.len());
        let mut braces_before = false;
        let mut has_unknown = false;
        for at in from..len {
            let Some(argument) = self.argv.get(at) else { break };
            let plus = braces_before && !asks && argument.value() == Some("+");
            if plus || argument.value() == Some(";") {
                if at == from {
                    return self.primary(1);
                }
                self.take(at + 1 - word);
                return Piece::Command(Command { word, from, to: at, end: at + 1, dir, asks, plus });
            }
            braces_before = argument.value() == Some("{}");
            has_unknown |= !argument.known;
        }
        // An unknown word may be the end that is missing.
        if has_unknown {
            self.take(len - word);
            Piece::Command(Command { word, from, to: len, end: len, dir, asks, plus: false })
        } else {
            self.primary(len - from)
        }
    }

    /// Passes over so many words, as far as there are any, and returns how many.
    fn take(&mut self, words: usize) -> usize {
        let words = words.min(self.argv.len().saturating_sub(self.at));
        self.at += words;
        words
    }
}

/// Tells what a word of the expression takes; `None` for an operand. What looks like a primary and is none takes
/// nothing for sure, so the next word is looked at for itself.
fn primary_at(argument: &Argument<'_>) -> Option<Primary> {
    // `-` alone is a path to GNU and bfs.
    let looks_so = argument.text.starts_with('-') && argument.value() != Some("-");
    argument.value().and_then(primary).or_else(|| looks_so.then_some(Primary::Values(0)))
}

/// Tells what a word before the expression is. `options_ended` says that a `--` or a path stood before it.
fn lead(argument: &Argument<'_>, options_ended: bool) -> Lead {
    let text = argument.text;
    if !argument.known {
        // `-n$X` may be anything that begins so, but it is no path.
        return if text.starts_with('-') && text != "-" { Lead::Expression } else { Lead::Path };
    }
    if text == "(" || text == "!" {
        return Lead::Expression;
    }
    if text == "-" || !text.starts_with('-') {
        return Lead::Path;
    }
    if options_ended {
        return Lead::Expression;
    }
    match text {
        "--" => Lead::Options { words: 1 },
        "-D" => Lead::Options { words: 2 },
        _ if is_level(text) => Lead::Options { words: 1 },
        _ => bundle(text),
    }
}

/// Reads `-HLx` and the like, the bundled options of BSD; a word that is a primary is none.
fn bundle(text: &str) -> Lead {
    const FLAGS: &str = "EHLPXdsx";
    let letters = text.strip_prefix('-').unwrap_or(text);
    if !matches!(letters.as_bytes(), [b'E' | b'H' | b'L' | b'P' | b'X' | b'd' | b's' | b'x' | b'f', ..]) {
        return Lead::Expression;
    }
    let rest = letters.trim_start_matches(|letter| FLAGS.contains(letter));
    match (rest, text.len() - rest.len()) {
        ("", _) => Lead::Options { words: 1 },
        ("f", _) => Lead::PathFollows,
        (_, before) if rest.starts_with('f') && primary(text).is_none() => {
            Lead::Attached { offset: before + 1 }
        }
        _ => Lead::Expression,
    }
}

fn is_numeric(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn paths(line: &str) -> Vec<String> {
        let argv: Vec<&str> = line.split(' ').collect();
        let mut paths = Vec::new();
        for piece in pieces(&argv[..]) {
            if let Piece::StartPath { word, offset, place } = piece {
                let mark = match place {
                    Place::Leading => "",
                    Place::OptionValue => "f:",
                    Place::Late => "late:",
                };
                paths.push(alloc::format!("{mark}{}", argv[word].split_at(offset).1));
            }
        }
        paths
    }

    #[test]
    fn start_paths_of_every_find() {
        const TABLE: &[(&str, &[&str])] = &[
            ("find", &[]),
            ("find -name f", &[]),
            ("find ! -name f", &[]),
            ("find ( -name f )", &[]),
            ("find -- a", &["a"]),
            ("find -L -- a", &["a"]),
            ("find -P -H -L a", &["a"]),
            ("find -- -name f", &[]),
            ("find -D tree a", &["a"]),
            ("find -D a", &[]),
            ("find -D", &[]),
            ("find -O3 a", &["a"]),
            ("find - +", &["-", "+"]),
            ("find a , b", &["a", ",", "b"]),
            ("find !x (x )x ,x {} ) \\(", &["!x", "(x", ")x", ",x", "{}", ")", "\\("]),
            ("find -files0-from F", &[]),
            ("find -maxdepth 0 a", &["late:a"]),
            ("find a -maxdepth 1 b", &["a", "late:b"]),
            ("find ! a", &["late:a"]),
            ("find ( a )", &["late:a"]),
            ("find / -name x /b", &["/", "late:/b"]),
            ("find -x /", &["/"]),
            ("find -Hx . -iname a", &["."]),
            ("find -d a", &["a"]),
            ("find -f /a -- /b", &["f:/a", "/b"]),
            ("find -f/a /b", &["f:/a", "/b"]),
            ("find -xf /a", &["f:/a"]),
            ("find -f", &[]),
            ("find -fstype ext4", &[]),
            ("find -false /a", &["late:/a"]),
            ("find --file=/a", &[]),
            ("find --x -f", &[]),
            // A path ends the options, `-` too, so the `--` is a primary that nobody knows.
            ("find - -- /", &["-", "late:/"]),
            ("find /tmp/x -newer /etc/passwd -delete", &["/tmp/x"]),
            ("find . -newermt 2020 -fprintf /o %p /x", &[".", "late:/x"]),
            ("find . -depth 3 -depth -print", &["."]),
            ("find . -frob /a", &[".", "late:/a"]),
            ("find src -exec rm -f -- {} + /b", &["src", "late:/b"]),
            ("find src -exec a ; b", &["src", "late:b"]),
            ("find a -name", &["a"]),
            ("bfs -name x -f /a /etc", &["late:/a", "late:/etc"]),
        ];
        for (line, expected) in TABLE {
            assert_eq!(paths(line), *expected, "{line}");
        }
    }

    fn commands(line: &str) -> Vec<String> {
        let argv: Vec<&str> = line.split(' ').collect();
        let mut commands = Vec::new();
        for piece in pieces(&argv[..]) {
            if let Piece::Command(Command { from, to, dir, asks, plus, .. }) = piece {
                let marks = [(dir, "dir "), (asks, "asks "), (plus, "plus ")];
                let marks: String = marks.iter().filter(|(set, _)| *set).map(|(_, mark)| *mark).collect();
                commands.push(marks + &argv[from..to].join(" "));
            }
        }
        commands
    }

    #[test]
    fn commands_inside() {
        const TABLE: &[(&str, &[&str])] = &[
            ("find / -exec find /etc ;", &["find /etc"]),
            (
                "find -exec a {} + -execdir b {} + -ok c ; -okdir d ;",
                &["plus a {}", "dir plus b {}", "asks c", "dir asks d"],
            ),
            // A `+` ends only behind `{}`, and never for `-ok`.
            ("find -exec a + {} x+ + b ;", &["a + {} x+ + b"]),
            ("find -ok a {} + ;", &["asks a {} +"]),
            ("find -exec echo {} b +", &[]),
            ("find -exec a", &[]),
            ("find -exec ; x", &[]),
            ("find a -name -exec -o -exec true find ;", &["true find"]),
        ];
        for (line, expected) in TABLE {
            assert_eq!(commands(line), *expected, "{line}");
        }
    }

    #[test]
    fn unknown_words_are_paths_but_values_stay_values() {
        let argv = [
            Argument::known("find"),
            Argument::splice(""),
            Argument::unknown("/e"),
            Argument::unknown("-n"),
            Argument::unknown(""),
            Argument::known("-name"),
            Argument::splice(""),
        ];
        assert_eq!(
            pieces(&argv[..]).collect::<Vec<_>>(),
            [
                Piece::StartPath { word: 1, offset: 0, place: Place::Leading },
                Piece::StartPath { word: 2, offset: 0, place: Place::Leading },
                Piece::Primary { word: 3, words: 1 },
                Piece::StartPath { word: 4, offset: 0, place: Place::Late },
                Piece::Primary { word: 5, words: 2 },
            ]
        );
    }
}
