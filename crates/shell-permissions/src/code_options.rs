//! Options by which a program runs code, and where its options end.
//!
//! `git -c core.fsmonitor=CMD status` is a status only by name. The table, `table.rs`, says for each program which of its
//! options make it run other programs or code out of the command line, and what is needed to tell options from their
//! values. A program that is not in the table has no such options, and every word of it that begins with `-` is an option
//! without a value.
//!
//! Not in the table: wrappers and shells as far as `bash-commands` follows them into what they run, and programs whose
//! every use runs code (`make`, `awk`): a rule for those allows just that.

mod by_name;
mod table;

use crate::word::Word;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// What is known of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) names: &'static [&'static str],
    pub(crate) reading: Reading,
    /// Options whose value is the next word. With [`Reading::Subcommands`], those before the subcommand.
    pub(crate) valued: &'static [&'static str],
    pub(crate) code: &'static [CodeOption],
}

/// Which arguments a program takes for options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Those before and behind the operands, up to `--`.
    Anywhere,
    /// Those before the first operand, which may be a program or a script with options of its own.
    UntilOperand,
    /// Its own before the subcommand, the subcommand's behind it.
    Subcommands,
    /// All, whatever stands around them: the expression of `find`.
    Expression,
    /// As `Anywhere`, and the first argument may be letters without a dash: `tar xf`.
    Bundle,
}

/// An option that makes a program run code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeOption {
    /// `--long`, `-s`, `-word`; `word` for an argument that is no option; one that ends in `:`, `=` or is `+` for the
    /// beginning of a word.
    pub(crate) spelling: &'static str,
    pub(crate) place: Place,
    /// It runs code only when its value begins with one of these, in any case; empty: always.
    pub(crate) values: &'static [&'static str],
}

/// Where an option is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Any,
    /// Before the subcommand.
    Head,
    /// Behind one of these subcommands.
    Behind(&'static [&'static str]),
}

/// An argument that is, or may be, an option that runs code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeWord {
    pub(crate) index: usize,
    pub(crate) option: &'static CodeOption,
    pub(crate) is_certain: bool,
}

/// Returns what the table says of a program, by its name without folders; a version behind the name does not count.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let is_versioned = unversioned.len() < name.len();
    by_name::find(name).or_else(|| is_versioned.then(|| by_name::find(unversioned))?)
}

/// Returns the options by which a program runs code, as they are spelled.
pub(crate) fn code_options(name: &str) -> impl Iterator<Item = &'static str> {
    program(name).into_iter().flat_map(|program| program.code).map(|option| option.spelling)
}

/// Returns whether a word of a rule is an option that runs code, and the arguments have it in some spelling.
pub(crate) fn has_option(program: &'static Program, word: &str, arguments: &[Word<'_>]) -> bool {
    let is_meant = |found: &CodeWord| found.is_certain && found.option.spelling == word;
    program.code.iter().any(|option| option.spelling == word)
        && code_words(program, arguments).iter().any(is_meant)
}

/// Returns whether this is a shell whose code is followed.
pub(crate) fn is_shell(name: &str) -> bool {
    program(name).is_some_and(Program::is_shell)
}

/// Returns whether `words` start a shell with a word that is not known and may be `-c`, so that what stands behind it may
/// be code.
pub(crate) fn may_be_given_code(name: &str, words: &[Word<'_>]) -> bool {
    let shell = program(name).filter(|program| program.is_shell());
    let arguments = words.get(1..).unwrap_or_default();
    shell.is_some_and(|shell| code_words(shell, arguments).iter().any(|word| !word.is_certain))
}

/// The arguments before the first that is no option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    arguments: &'a [Word<'a>],
    program: Option<&'static Program>,
    /// Where the first operand stands; or an argument that is not known, which may be one.
    operand: usize,
}

impl<'a> Head<'a> {
    pub(crate) fn of(program: Option<&'static Program>, arguments: &'a [Word<'a>]) -> Self {
        let mut head = Self { arguments, program, operand: 0 };
        while let Some(text) = arguments.get(head.operand).and_then(|word| word.value()) {
            if text == "--" {
                head.operand += 1;
                break;
            }
            if !is_option(text) {
                break;
            }
            head.operand += head.words_at(head.operand);
        }
        head
    }

    /// Returns the first argument that is no option, or may be none.
    pub(crate) fn operand(&self) -> Option<Word<'a>> {
        self.arguments.get(self.operand).copied()
    }

    /// Returns the options of the head with the values that they take.
    pub(crate) fn options(&self) -> impl Iterator<Item = HeadOption<'a>> + use<'a> {
        let head = *self;
        let mut at = 0;
        core::iter::from_fn(move || {
            let name = head.arguments.get(at).filter(|_| at < head.operand)?.value()?;
            let words = head.words_at(at);
            let value = head.arguments.get(at + 1).filter(|_| words > 1).copied();
            at += words;
            Some(HeadOption { name, value })
        })
    }

    /// How many arguments an option takes, itself included.
    fn words_at(&self, at: usize) -> usize {
        let text = self.arguments.get(at).map_or("", |word| word.beginning());
        let takes_value = self.program.is_some_and(|program| program.takes_value(text));
        // A stretch of several words is no value alone.
        let value = self.arguments.get(at + 1).filter(|value| takes_value && value.is_single());
        1 + usize::from(value.is_some())
    }
}

/// An option before the first operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadOption<'a> {
    pub(crate) name: &'a str,
    /// The value, when it is a word of its own.
    value: Option<Word<'a>>,
}

impl HeadOption<'_> {
    /// Returns whether this is the option wanted, with the value wanted if there is one.
    pub(crate) fn is_such(&self, wanted: HeadOption<'_>) -> bool {
        self.name == wanted.name && wanted.value.is_none_or(|value| self.value == Some(value))
    }
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

impl Program {
    fn is_shell(&self) -> bool {
        self.names.contains(&"bash")
    }

    /// Returns whether options may stand behind operands too.
    pub(crate) fn takes_options_anywhere(&self) -> bool {
        matches!(self.reading, Reading::Anywhere | Reading::Bundle | Reading::Expression)
    }

    /// Returns whether the word behind this option is its value.
    fn takes_value(&self, option: &str) -> bool {
        if self.valued.contains(&option) {
            return true;
        }
        let Some(letters) = short_letters(option) else { return false };
        let mut letters = letters.chars();
        letters.find(|letter| self.is_valued(*letter)).is_some() && letters.next().is_none()
    }

    fn is_valued(&self, letter: char) -> bool {
        self.valued.iter().any(|option| short_letters(option).is_some_and(|own| own.chars().eq([letter])))
    }
}

/// Returns the letters of `-xvf`.
fn short_letters(text: &str) -> Option<&str> {
    text.strip_prefix('-').filter(|letters| !letters.is_empty() && !letters.starts_with('-'))
}

impl CodeOption {
    /// An option wherever the program reads options.
    pub(crate) const fn any(spelling: &'static str) -> Self {
        Self { spelling, place: Place::Any, values: &[] }
    }

    /// An option before the subcommand.
    pub(crate) const fn head(spelling: &'static str) -> Self {
        Self { spelling, place: Place::Head, values: &[] }
    }

    /// An option of these subcommands.
    pub(crate) const fn behind(spelling: &'static str, subcommands: &'static [&'static str]) -> Self {
        Self { spelling, place: Place::Behind(subcommands), values: &[] }
    }

    /// Only with a value that begins so.
    pub(crate) const fn with(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// Returns whether a word of a rule names this option.
    pub(crate) fn is_named_by(&self, word: &str) -> bool {
        self.is(word, None)
    }

    /// Returns whether this word is the option, alone, with its value behind it or in a bundle of letters.
    fn is(&self, word: &str, program: Option<&Program>) -> bool {
        let name = word.split('=').next().unwrap_or(word);
        match self.style() {
            // GNU and git take every beginning of a long option that is clear.
            Style::Long => name == self.spelling || (name.len() > 3 && self.spelling.starts_with(name)),
            Style::Short(letter) => is_in_bundle(letter, word, program) == Some(true),
            Style::Exact => word == self.spelling || (is_option(word) && name == self.spelling),
            Style::Beginning => {
                word.len() > self.spelling.len() && starts_with_ignoring_case(word, self.spelling)
            }
        }
    }

    /// Returns whether a word that is not known, but for its beginning, may be the option.
    fn may_begin(&self, beginning: &str, program: &Program) -> bool {
        match self.style() {
            _ if beginning.is_empty() => true,
            Style::Long | Style::Exact => {
                self.spelling.starts_with(beginning) || self.is(beginning, Some(program))
            }
            Style::Short(letter) => {
                beginning == "-" || is_in_bundle(letter, beginning, Some(program)).is_some_and(|_| true)
            }
            Style::Beginning => {
                starts_with_ignoring_case(self.spelling, beginning)
                    || starts_with_ignoring_case(beginning, self.spelling)
            }
        }
    }

    fn style(&self) -> Style {
        let mut letters = self.spelling.chars();
        match (letters.next(), letters.next(), letters.next()) {
            _ if self.spelling.ends_with([':', '=', '+']) => Style::Beginning,
            (Some('-'), Some('-'), _) => Style::Long,
            (Some('-'), Some(letter), None) => Style::Short(letter),
            _ => Style::Exact,
        }
    }

    /// Returns whether the option, at `index`, has a value with which it runs code.
    fn has_such_value(&self, arguments: &[Word<'_>], index: usize) -> bool {
        if self.values.is_empty() {
            return true;
        }
        let word = arguments.get(index).map_or("", |word| word.beginning());
        let attached = match self.style() {
            Style::Short(letter) => {
                word.split_once(letter).map(|(_, value)| value).filter(|value| !value.is_empty())
            }
            _ => word.split_once('=').map(|(_, value)| value),
        };
        let value = attached.map(Word::Known).or_else(|| arguments.get(index + 1).copied());
        let Some(value) = value else { return false };
        let text = value.beginning().trim_start();
        self.values.iter().any(|wanted| {
            starts_with_ignoring_case(text, wanted)
                || (value.value().is_none() && starts_with_ignoring_case(wanted, text))
        })
    }
}

/// Returns whether a letter is in a bundle; `None` when it cannot be, nor in a longer one that begins so.
fn is_in_bundle(letter: char, word: &str, program: Option<&Program>) -> Option<bool> {
    for own in short_letters(word)?.chars() {
        if own == letter {
            return Some(true);
        }
        if program.is_some_and(|program| program.is_valued(own)) {
            return None;
        }
    }
    Some(false)
}

/// How an option is spelled; see [`CodeOption::spelling`].
enum Style {
    Long,
    Short(char),
    Exact,
    Beginning,
}

fn starts_with_ignoring_case(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

/// The part of the command line that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region<'a> {
    Head,
    /// Behind a subcommand.
    Behind(&'a str),
    /// Behind a word that is not known: it may be any of the others.
    Uncertain,
    /// No more options.
    Ended,
}

impl Region<'_> {
    fn reads(self, option: &CodeOption, reading: Reading) -> bool {
        match (self, option.place) {
            (Region::Ended, _) => option.spelling.starts_with(|c: char| c.is_ascii_alphabetic()),
            (Region::Uncertain, _) | (_, Place::Any) | (Region::Head, Place::Head) => true,
            (Region::Head, Place::Behind(_)) => reading != Reading::Subcommands,
            (Region::Behind(_), Place::Head) => false,
            (Region::Behind(subcommand), Place::Behind(list)) => list.contains(&subcommand),
        }
    }
}

/// Returns the arguments that are, or may be, options by which the program runs code, in their order; one that is several
/// (`-cIF`) once for each.
///
/// A word that is not known may be any option that is read where it stands, unless it is the value of one.
pub(crate) fn code_words(program: &'static Program, arguments: &[Word<'_>]) -> Vec<CodeWord> {
    let mut scan = Scan { program, arguments, at: 0, region: Region::Head, found: Vec::new() };
    while let Some(argument) = arguments.get(scan.at) {
        scan.argument(*argument);
    }
    scan.found
}

struct Scan<'a> {
    program: &'static Program,
    arguments: &'a [Word<'a>],
    at: usize,
    region: Region<'a>,
    found: Vec<CodeWord>,
}

impl<'a> Scan<'a> {
    /// Reads the argument at the cursor, and moves behind it and the value that it takes.
    fn argument(&mut self, argument: Word<'a>) {
        let index = self.at;
        self.at += 1;
        let Some(text) = argument.value() else {
            self.note(index, false, |option| option.may_begin(argument.beginning(), self.program));
            if self.region == Region::Head && self.program.reading != Reading::Expression {
                self.region = Region::Uncertain;
            }
            return;
        };
        let is_bundle = index == 0 && self.program.reading == Reading::Bundle && !text.starts_with('-');
        let read = if is_bundle { Cow::Owned(alloc::format!("-{text}")) } else { Cow::Borrowed(text) };
        self.note(index, true, |option| {
            option.is(&read, Some(self.program)) && option.has_such_value(self.arguments, index)
        });
        self.go_on(index, text, &read);
    }

    fn note(&mut self, index: usize, is_certain: bool, is: impl Fn(&CodeOption) -> bool) {
        let reading = self.program.reading;
        let options =
            self.program.code.iter().filter(|option| self.region.reads(option, reading) && is(option));
        let words = options.map(|option| CodeWord { index, option, is_certain });
        // Of a word that is not known one possibility is enough.
        let count = if is_certain { usize::MAX } else { 1 };
        let words: Vec<_> = words.take(count).collect();
        self.found.extend(words);
    }

    /// Goes on behind a known argument, past the value that it takes.
    fn go_on(&mut self, index: usize, written: &'a str, read: &str) {
        match (self.region, self.program.reading) {
            (Region::Ended | Region::Uncertain, _) | (_, Reading::Expression) => {}
            (region, reading) if read == "--" => {
                // Behind an option it may be that option's value.
                let is_end = index
                    .checked_sub(1)
                    .and_then(|before| self.arguments.get(before))
                    .is_none_or(|before| before.value().is_some_and(|before| !is_option(before)));
                if region == Region::Head && reading == Reading::Subcommands {
                    self.region = Region::Uncertain;
                } else if is_end {
                    self.region = Region::Ended;
                }
            }
            (Region::Head, _) if is_option(read) => {
                let is_bundle = read.len() != written.len();
                let values = if is_bundle {
                    read.chars().skip(1).filter(|letter| self.program.is_valued(*letter)).count()
                } else {
                    usize::from(self.program.takes_value(read))
                };
                for _ in 0..values {
                    if self.arguments.get(self.at).is_some_and(|value| value.is_single()) {
                        self.at += 1;
                    }
                }
            }
            (Region::Head, Reading::Subcommands) => self.region = Region::Behind(written),
            (Region::Head, Reading::UntilOperand) => self.region = Region::Ended,
            (Region::Head | Region::Behind(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests;
