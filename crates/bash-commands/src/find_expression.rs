//! The words of a `find` command: leading options, start paths, expression, commands inside the expression.

use crate::argv::Arguments;

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
    /// `-exec` and its kin: `argv[word]` is the action, `argv[from..to]` the command, and the words up to `end` are its
    /// `;` or `+`.
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

/// Reads `argv` as the arguments of find (`argv[0]` is its name) and gives each piece to `visit`, in order.
///
/// Where the finds of GNU, BSD, busybox, toybox and bfs disagree, a word that any of them walks is a start path.
pub fn read<A: Arguments + ?Sized>(argv: &A, visit: &mut dyn FnMut(Piece)) {
    let _ = (argv, visit);
}
