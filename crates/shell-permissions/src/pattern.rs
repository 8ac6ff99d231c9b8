//! Patterns: what a rule says about a command's words.

use crate::code_options::{self, CodeWord, Head, HeadOption, Program};
use crate::specificity::Specificity;
use crate::word::Word;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A pattern of words: `*`, `git *`, `git push *`, `git reset --hard`.
///
/// It is split at blanks. The first part is the command's name, or `*` for any command; the others are words that must
/// occur among the command's arguments, wherever they stand; a `*` among them says nothing. Words are compared whole and
/// with case, after bash removed the quotes; `*` inside a word is an ordinary character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    /// `None` for `*`.
    name: Option<String>,
    /// The parts behind the first, `*` left out.
    arguments: Vec<String>,
}

/// A text that is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternError {
    /// It has no parts.
    Empty,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a pattern is empty; write `*` for any command, or a command's name"),
        }
    }
}

impl core::error::Error for PatternError {}

/// Whether a pattern matches words that may not all be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// Whatever the unknown words are, it does not.
    No,
    /// It depends on words that are not known.
    Possible,
    /// It does.
    Certain,
}

/// Why an allow rule for the program does not admit a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The rule names the program; the command names it by this path.
    NameAsWritten(String),
    /// A word of the rule is not among the known arguments.
    MissingWord(String),
    /// This word of the rule must stand first, and does not.
    NotFirst(String),
    /// This argument makes the program run code, and the rule does not name the option.
    RunsCode {
        /// The argument.
        word: String,
        /// The option, as the rule would have to name it.
        option: &'static str,
    },
    /// This argument is not known, and may be an option that makes the program run code.
    MayRunCode {
        /// The argument as it is written, filled in by the judge; empty here where nothing of it is known.
        word: String,
        /// Which argument it is, from 0.
        index: usize,
        /// The option that it may be.
        option: &'static str,
    },
}

impl Mismatch {
    /// How much of the rule holds all the same.
    pub(crate) fn closeness(&self) -> u8 {
        match self {
            Self::NameAsWritten(_) => 0,
            Self::MissingWord(_) => 1,
            Self::NotFirst(_) => 2,
            Self::MayRunCode { .. } | Self::RunsCode { .. } => 3,
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// When the text is blank.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut parts = text.split_whitespace();
        let first = parts.next().ok_or(PatternError::Empty)?;
        Ok(Self {
            text: text.to_owned(),
            name: (first != "*").then(|| first.to_owned()),
            arguments: parts.filter(|part| *part != "*").map(ToOwned::to_owned).collect(),
        })
    }

    /// Returns the pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the command's name; `None` when any command is meant.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the words that the arguments must contain.
    #[must_use]
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.arguments.iter().map(String::as_str)
    }

    /// Returns whether the pattern is `*`: every command, whatever its words.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.name.is_none() && self.arguments.is_empty()
    }

    /// Returns how specific the pattern is.
    #[must_use]
    pub fn specificity(&self) -> Specificity {
        Specificity {
            parts: usize::from(self.name.is_some()) + self.arguments.len(),
            length: self.text.chars().count(),
        }
    }

    /// Returns whether a deny rule with this pattern applies to the words of a command, its name first.
    ///
    /// The program is compared by the last component of its path, on both sides: a rule against `rm` is one against
    /// `/bin/rm` too. A name that is not known may be any. Costs the number of words times that of the pattern's parts.
    ///
    /// ```
    /// use shell_permissions::{Match, Pattern, Word};
    ///
    /// let pattern = Pattern::parse("git reset --hard")?;
    /// let words = ["git", "-C", "p", "reset", "HEAD~1", "--hard"].map(Word::Known);
    /// assert_eq!(pattern.denies(&words), Match::Certain);
    /// assert_eq!(pattern.denies(&["/tmp/git", "reset", "--soft"].map(Word::Known)), Match::No);
    ///
    /// let words = [Word::Known("git"), Word::Known("reset"), Word::Unknown("--")];
    /// assert_eq!(pattern.denies(&words), Match::Possible);
    /// # Ok::<(), shell_permissions::PatternError>(())
    /// ```
    #[must_use]
    pub fn denies(&self, words: &[Word<'_>]) -> Match {
        let Some((name, arguments)) = words.split_first() else {
            return if self.is_any() { Match::Certain } else { Match::No };
        };
        let name = match (&self.name, name.value()) {
            (None, _) if self.is_any() => return Match::Certain,
            // What an unknown command does with its arguments is unknown too: it may be a wrapper, or read more words.
            (_, None) => return Match::Possible,
            (Some(wanted), Some(name)) if base_name(wanted) != base_name(name) => return Match::No,
            (_, Some(_)) => Match::Certain,
        };
        let words = self.arguments.iter().map(|word| contains(arguments, word));
        words.fold(name, Match::min)
    }

    /// Returns whether an allow rule with this pattern, taken for bare containment, admits the words of a command.
    ///
    /// The name counts as it is written: `git` does not admit `/tmp/git`. What is not known admits nothing.
    ///
    /// # Errors
    ///
    /// What is in the way, when the rule is about this program.
    pub fn admits(&self, words: &[Word<'_>]) -> Result<(), Option<Mismatch>> {
        self.admits_with(words, |_, _| false)
    }

    /// As [`admits`](Self::admits); `has` tells of other ways in which the arguments have a word of the rule.
    fn admits_with(
        &self,
        words: &[Word<'_>],
        has: impl Fn(&[Word<'_>], &str) -> bool,
    ) -> Result<(), Option<Mismatch>> {
        let (name, arguments) = match words.split_first() {
            Some((Word::Known(name), arguments)) => (*name, arguments),
            _ => return if self.is_any() { Ok(()) } else { Err(None) },
        };
        if let Some(wanted) = &self.name
            && wanted != name
        {
            let is_same_program = base_name(wanted) == base_name(name);
            return Err(is_same_program.then(|| Mismatch::NameAsWritten(name.to_owned())));
        }
        let is_missing =
            |word: &&String| contains(arguments, word) != Match::Certain && !has(arguments, word);
        match self.arguments.iter().find(is_missing) {
            None => Ok(()),
            Some(word) => Err(Some(Mismatch::MissingWord(word.clone()))),
        }
    }

    /// Returns whether an allow rule with this pattern admits the words of a command by the strict reading.
    ///
    /// Beside [`admits`](Self::admits): the rule's first word that is no option must be the command's first argument that
    /// is none, and when the rule begins with an option, that must stand before it; and an option by which a program runs
    /// code must be named by the rule. The rule `*` admits every command.
    ///
    /// ```
    /// use shell_permissions::{Mismatch, Pattern, Word};
    ///
    /// let pattern = Pattern::parse("git status")?;
    /// assert!(pattern.admits_strictly(&["git", "-C", "p", "status", "-s"].map(Word::Known)).is_ok());
    /// let mismatch = pattern.admits_strictly(&["git", "push", "origin", "status"].map(Word::Known)).unwrap_err();
    /// assert_eq!(mismatch, Some(Mismatch::NotFirst("status".into())));
    /// # Ok::<(), shell_permissions::PatternError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is in the way, when the rule is about this program.
    pub fn admits_strictly(&self, words: &[Word<'_>]) -> Result<(), Option<Mismatch>> {
        self.admits_in_place(words)?;
        let Some((Word::Known(name), arguments)) = words.split_first().filter(|_| !self.is_any()) else {
            return Ok(());
        };
        let Some(program) = code_options::program(base_name(name)) else { return Ok(()) };
        let unnamed = |word: &CodeWord| {
            !word.is_certain || !self.arguments.iter().any(|own| word.option.is_named_by(own))
        };
        match code_options::code_words(program, arguments).into_iter().find(unnamed) {
            None => Ok(()),
            Some(CodeWord { index, option, is_certain }) => {
                let word = arguments.get(index).map_or("", |word| word.beginning()).to_owned();
                let option = option.spelling;
                Err(Some(if is_certain {
                    Mismatch::RunsCode { word, option }
                } else {
                    Mismatch::MayRunCode { word, index, option }
                }))
            }
        }
    }

    /// As [`admits_strictly`](Self::admits_strictly), for a command that runs others, which are judged by themselves: what
    /// its options run is not looked at.
    pub(crate) fn admits_in_place(&self, words: &[Word<'_>]) -> Result<(), Option<Mismatch>> {
        let program = words.first().and_then(|name| code_options::program(base_name(name.value()?)));
        // `--upload-pack=x` is the option that a rule names as `--upload-pack`.
        let has_option = |arguments: &[Word<'_>], word: &str| {
            program.is_some_and(|program| code_options::has_option(program, word, arguments))
        };
        self.admits_with(words, has_option)?;
        let Some((_, arguments)) = words.split_first().filter(|_| !self.is_any()) else { return Ok(()) };
        match self.misplaced(program, arguments) {
            None => Ok(()),
            Some(word) => Err(Some(Mismatch::NotFirst(word))),
        }
    }

    /// Returns the pattern's word that must stand first and does not.
    ///
    /// The pattern is read as the program would read it: `python -m pytest` is an option with its value.
    fn misplaced(&self, program: Option<&'static Program>, arguments: &[Word<'_>]) -> Option<String> {
        let own: Vec<Word<'_>> = self.arguments().map(Word::Known).collect();
        let wanted = Head::of(program, &own);
        let head = Head::of(program, arguments);
        let is_placed = !program.is_some_and(Program::takes_options_anywhere);
        let is_missing = |option: &HeadOption<'_>| !head.options().any(|given| given.is_such(*option));
        let option = wanted.options().filter(|_| is_placed).find(is_missing);
        let operand = wanted.operand().filter(|operand| head.operand() != Some(*operand));
        let misplaced = option.map(|option| option.name).or_else(|| operand.and_then(Word::value));
        misplaced.map(ToOwned::to_owned)
    }
}

/// Returns the last component of a path; a name that ends in a slash has none, and stands for itself.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// Returns whether some argument is `word`.
fn contains(arguments: &[Word<'_>], word: &str) -> Match {
    let is = |argument: &Word<'_>| match argument {
        Word::Known(value) if *value == word => Match::Certain,
        argument if argument.may_be(word) => Match::Possible,
        _ => Match::No,
    };
    arguments.iter().map(is).max().unwrap_or(Match::No)
}
