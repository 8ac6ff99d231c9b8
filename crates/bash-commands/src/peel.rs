//! Where a wrapper's own arguments end, and what it does with the rest.
//!
//! One engine reads the arguments of every wrapper by the tables in [`crate::wrappers`]. Where two systems read the
//! same words in different ways, each reading is given; where no reading accepts the words (an option nobody knows),
//! the option is taken both with and without a value, because a guard must not take «I do not know this option» for
//! «nothing is started».

use crate::argv::{Argument, Arguments};
use crate::shells;
use crate::wrappers::{Arity, Assignments, Effect, Grammar, Operand, Options, Program, Subcommand, Then};
use alloc::vec::Vec;
use core::ops::Range;

/// Some text inside an argument: a word of `argv`, from one of its bytes to its end.
///
/// Readings hold a dozen of these that are hardly ever set, and are copied: two small numbers keep that cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    word: u32,
    offset: u32,
}

/// One reading of a command that starts another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peeled {
    /// What is started.
    pub(crate) inner: Inner,
    /// Where it is started.
    pub(crate) directory: Directory,
    /// Words of the form `NAME=VALUE` that go into its environment. Options may stand between them (`sudo A=b -u root
    /// C=d find`): words without a `=` are none.
    pub(crate) assignments: Range<usize>,
    /// It starts without some or all variables of the environment, but with the assignments.
    pub(crate) clears_environment: bool,
    /// The name it is given in place of its own (`exec -a`, `env -a`).
    pub(crate) argument_zero: Option<Value>,
    /// `exec -l`: a `-` is put before its name.
    pub(crate) login_name: bool,
    /// For `Script`, `StdinScript`, `ScriptFile` and `Joined`: how the shell was set up.
    pub(crate) shell: ShellOptions,
    /// False when the reading rests on a guess: an option that is in no table, an unknown word in option position, a
    /// number in front of the command.
    pub(crate) certain: bool,
}

/// The folder a command is started in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Directory {
    /// The wrapper's own.
    #[default]
    Same,
    /// The folder an option names (`env -C`); relative to the wrapper's own.
    To(Value),
    /// The home folder of the user that it runs as (`sudo -i`, `su -`).
    Home,
    /// The root of the file system that it sees (`chroot`).
    Root,
}

/// What a wrapper does with the words behind its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// `argv[from..]`, at least one word, is run as it is.
    Argv { from: usize },
    /// `env -S`: the value is split, and env's grammar runs again on `env`, the words of it, and `argv[rest..]`.
    SplitString { value: Value, rest: usize },
    /// The value is shell text; `argv[arguments..]` are its `$0`, `$1`, ….
    Script { value: Value, arguments: usize },
    /// The words `argv[from..]` are joined by single blanks and read by a shell; with `escape`, a backslash is first put
    /// before every character other than letters, digits, `_`, `-` and `$` (`sudo -s`).
    Joined { from: usize, escape: bool },
    /// A shell reads its standard input; `argv[arguments..]` are its `$1`, `$2`, ….
    StdinScript { arguments: usize },
    /// A shell reads the file `argv[word]`; `argv[arguments..]` are its `$1`, `$2`, ….
    ScriptFile { word: usize, arguments: usize },
    /// `xargs`: `argv[from..]` with items behind or inside them; `echo` when there are no words.
    Xargs { from: usize, options: XargsOptions },
    /// GNU parallel: the words `argv[from..to]` are a command line, run for each item; none: each item is one.
    Parallel { from: usize, to: usize, options: ParallelOptions },
    /// There are more ways to read the words than are looked at: the command may be any word from `from` on.
    Unreadable { from: usize },
    /// This use starts nothing (`sudo -l`, `timeout find /`, `command -v x`, `bash -n`).
    Nothing,
}

/// How `xargs` reads its items and places them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct XargsOptions {
    /// What stands between items.
    pub(crate) delimiter: Delimiter,
    /// `-I`, `-i`: items are lines, and replace this text inside the arguments (not in the command's name).
    pub(crate) replace: Option<Replace>,
    /// `-J` (BSD): all items replace the argument that is this text.
    pub(crate) insert_at: Option<Value>,
    /// `-n`: so many items at most for each command.
    pub(crate) max_args: Option<Value>,
    /// `-L`, `-l`: the items of so many lines for each command.
    pub(crate) max_lines: Option<MaxLines>,
    /// `-r`: without an item nothing is run.
    pub(crate) no_run_if_empty: bool,
    /// `-a`: items come from this file, not from standard input.
    pub(crate) arg_file: Option<Value>,
    /// `-E`, `-e`: items end at this one.
    pub(crate) end: Option<Value>,
}

/// What stands between the items of `xargs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// Blanks and newlines, with quotes and backslashes of xargs' own.
    #[default]
    Blanks,
    /// A NUL byte.
    Nul,
    /// The one character that the value names (it may be an escape such as `\n`).
    Character(Value),
}

/// The text that items replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    /// `{}`.
    Braces,
    /// The text given.
    Text(Value),
}

/// How many lines make one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaxLines {
    /// One (`-l` with no number).
    One,
    /// The number given.
    Number(Value),
}

/// How GNU parallel (or that of moreutils) takes its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParallelOptions {
    /// Where the items come from.
    pub(crate) source: ParallelSource,
    /// `-I`: the text that stands for an item, besides `{}`'s kin.
    pub(crate) replace: Option<Value>,
    /// `-n`, `-N`, `-L`, `-X`, `-m`, `--colsep`, `--pipe` and their kin: items are not simply one a command line.
    pub(crate) rearranged: bool,
    /// `-q`: the words are quoted before the shell reads them.
    pub(crate) quoted: bool,
}

/// Where parallel's items come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParallelSource {
    /// Standard input, one a line.
    #[default]
    StandardInput,
    /// Files (`-a`, `::::`).
    Files,
    /// `argv[from..]`, one an item, behind a `:::`; with further `:::` or `::::` the items are combined, and `combined` is set.
    Words { from: usize, combined: bool },
    /// moreutils: `argv[from..]` behind a `--`; the command is run as it is with one item behind it, and without a
    /// command each item is a shell command line.
    Dashes { from: usize },
}

/// How a shell was set up by its options.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on some command line")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellOptions {
    /// Further options that are on, as [`crate::state::option`] has them: `-O extglob`, `-o pipefail`.
    pub(crate) further: u32,
    /// `-e`: it ends at a failure.
    pub(crate) errexit: bool,
    /// `-f`: no patterns.
    pub(crate) noglob: bool,
    /// `-i`, `-o posix`, a shell other than bash: aliases count.
    pub(crate) aliases: bool,
    /// It is bash (or a shell whose syntax holds bash's), not a plain POSIX shell.
    pub(crate) bash: bool,
}

/// Reads the command `argv` by the grammar of its program, and gives each reading to `emit`.
///
/// Returns the program's canonical name (`sudo` for `/usr/bin/sudo`), or `None`, with nothing emitted, when it starts
/// no other command by any table here; those of `find` and `fd` are the business of [`crate::finder`]. At least one
/// reading is given otherwise. Costs a few passes over `argv`, and allocates only when there is more than one reading.
#[cfg(test)]
pub(crate) fn peel<A: Arguments + ?Sized>(argv: &A, emit: &mut dyn FnMut(Peeled)) -> Option<&'static str> {
    peel_as(crate::wrappers::lookup(argv.get(0)?.value()?.as_bytes())?, argv, emit)
}

/// [`peel`], when the program was looked up before.
pub(crate) fn peel_as<A: Arguments + ?Sized>(
    program: &Program,
    argv: &A,
    emit: &mut dyn FnMut(Peeled),
) -> Option<&'static str> {
    if let Some((name, from)) = plainly_started(program, argv) {
        let shell = ShellOptions { bash: true, ..ShellOptions::default() };
        emit(Peeled { shell, ..Peeled::of(Inner::Argv { from }) });
        return Some(name);
    }
    Some(match *program {
        Program::Wrapper(wrapper) => {
            peel_wrapper(argv, 1, wrapper.grammars, emit);
            wrapper.name
        }
        Program::Subcommands(name, subcommands) => {
            peel_subcommand(argv, 1, subcommands, emit).then_some(name)?
        }
        Program::Sequence(name, subcommands) => peel_sequence(argv, subcommands, emit).then_some(name)?,
        Program::Shell(shell) => {
            shells::read(argv, 1, shell, emit);
            shell.name
        }
        // What they start stands among their own arguments.
        Program::Find | Program::Fd => return None,
        Program::MultiCall(name) => {
            let names_applet = argv.get(1).is_some_and(|applet| !applet.text.starts_with('-'));
            emit(Peeled::of(if names_applet { Inner::Argv { from: 1 } } else { Inner::Nothing }));
            name
        }
    })
}

/// Returns the name of a wrapper, and where the command begins that it starts, when that is all it does, every grammar
/// says so, and no option is given: `sudo find /`, `timeout 5 find /`.
///
/// Most wrappers are used so, and this costs little more than a look at the words before the command.
pub(crate) fn plainly_started<A: Arguments + ?Sized>(
    program: &Program,
    argv: &A,
) -> Option<(&'static str, usize)> {
    let Program::Wrapper(wrapper) = *program else { return None };
    let (grammar, others) = wrapper.grammars.split_first()?;
    let style = &grammar.style;
    let is_plain = matches!(grammar.then, Then::Command | Then::CommandOrShell | Then::Sudo | Then::Doas)
        && !(style.permutes || style.needs_option || style.leading_operand)
        && style.directory.is_none();
    if !is_plain {
        return None;
    }
    let mut at = 1;
    // The first word is no option, so none of the operands is taken for one either.
    let mut word = argv.get(at)?.value().filter(|word| !word.starts_with('-'))?;
    for operand in grammar.operands {
        match operand {
            Operand::Any => {}
            Operand::Duration if is_duration(word) => {}
            _ => return None,
        }
        if style.assignments != Assignments::Never {
            return None;
        }
        at += 1;
        word = argv.get(at)?.value()?;
    }
    let is_name = matches!(word.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'.' | b'_', ..])
        && !(style.assignments != Assignments::Never && word.bytes().any(|byte| byte == b'='))
        && !is_duration(word);
    (is_name && others.iter().all(|other| other.is_like(grammar))).then_some((wrapper.name, at))
}

impl Peeled {
    /// A certain reading that changes nothing else about what is started.
    pub(crate) fn of(inner: Inner) -> Self {
        Self {
            inner,
            directory: Directory::Same,
            assignments: 0..0,
            clears_environment: false,
            argument_zero: None,
            login_name: false,
            shell: ShellOptions::default(),
            certain: true,
        }
    }

    /// Any word from `from` on may be the command.
    fn unreadable(from: usize) -> Self {
        Self { certain: false, ..Self::of(Inner::Unreadable { from }) }
    }

    /// Whether both start the same thing, however sure they are.
    fn starts_the_same(&self, other: &Self) -> bool {
        // Every field is named, so that a new one is not forgotten here.
        let Self {
            inner,
            directory,
            assignments,
            clears_environment,
            argument_zero,
            login_name,
            shell,
            certain: _,
        } = self;
        *inner == other.inner
            && *directory == other.directory
            && *assignments == other.assignments
            && *clears_environment == other.clears_environment
            && *argument_zero == other.argument_zero
            && *login_name == other.login_name
            && *shell == other.shell
    }
}

/// Reads a program's own command, whose words begin at `start`; false when it is none that starts another.
fn peel_subcommand<A: Arguments + ?Sized>(
    argv: &A,
    start: usize,
    subcommands: &[Subcommand],
    emit: &mut dyn FnMut(Peeled),
) -> bool {
    let starts = |(words, wrapper): &Subcommand| Some((subcommand_end(argv, start, words)?, *wrapper));
    let found = subcommands.iter().find_map(starts);
    if let Some((start, wrapper)) = found {
        peel_wrapper(argv, start, wrapper.grammars, emit);
    }
    found.is_some()
}

/// The arguments before one of them.
struct Before<'a, A: ?Sized> {
    argv: &'a A,
    end: usize,
}

impl<A: Arguments + ?Sized> Arguments for Before<'_, A> {
    fn len(&self) -> usize {
        self.end
    }

    fn get(&self, index: usize) -> Option<Argument<'_>> {
        self.argv.get(index).filter(|_| index < self.end)
    }
}

/// Reads a program's own commands, with words that are a `;` between them.
fn peel_sequence<A: Arguments + ?Sized>(
    argv: &A,
    subcommands: &[Subcommand],
    emit: &mut dyn FnMut(Peeled),
) -> bool {
    let (mut start, mut found) = (1, false);
    while start < argv.len() {
        let is_separator = |at: &usize| argv.get(*at).is_some_and(|word| word.value() == Some(";"));
        let end = (start..argv.len()).find(is_separator).unwrap_or(argv.len());
        found |= peel_subcommand(&Before { argv, end }, start, subcommands, &mut |peeled| {
            emit(match peeled.inner {
                // What is started would take the words of the next command for its own.
                Inner::Argv { from } if end < argv.len() => Peeled::unreadable(from),
                Inner::Script { value, .. } => {
                    Peeled { inner: Inner::Script { value, arguments: argv.len() }, ..peeled }
                }
                _ => peeled,
            });
        });
        start = end + 1;
    }
    found
}

/// Where the words behind a subcommand begin. Before it stand only options, each with at most one value.
fn subcommand_end<A: Arguments + ?Sized>(argv: &A, start: usize, words: &[&str]) -> Option<usize> {
    let is_subcommand = |at: usize| {
        let word =
            |(index, word): (usize, &&str)| argv.get(at + index).and_then(|text| text.value()) == Some(*word);
        words.iter().enumerate().all(word)
    };
    let is_option = |at: usize| argv.get(at).is_some_and(|word| word.text.starts_with('-'));
    let mut at = start;
    while !is_subcommand(at) {
        let is_value = at > start && is_option(at - 1);
        if !(is_option(at) || (is_value && at < argv.len())) {
            return None;
        }
        at += 1;
    }
    Some(at + words.len())
}

/// Gives every reading that some grammar accepts; when none does, what the words may mean to a release or a system
/// whose options are in no table.
fn peel_wrapper<A: Arguments + ?Sized>(
    argv: &A,
    start: usize,
    grammars: &'static [Grammar],
    emit: &mut dyn FnMut(Peeled),
) {
    let mut readings = Readings { first: None, more: Vec::new() };
    for lenient in [false, true] {
        let mut settled: Option<&Grammar> = None;
        for (index, grammar) in grammars.iter().enumerate() {
            if settled.is_some_and(|settled| settled.is_like(grammar)) {
                continue;
            }
            let reader = Reader {
                argv,
                start,
                grammar,
                others: grammars.get(index + 1..).unwrap_or(&[]),
                is_alike: true,
                is_second: index > 0,
                readings: &mut readings,
                pending: Vec::new(),
            };
            if reader.read(lenient) {
                settled = Some(grammar);
            }
        }
        if readings.first.is_some() {
            return readings.emit(emit);
        }
    }
    // A usage error whatever the option means (an operand is missing, or no duration), unless an unknown word mends it.
    let unknown = (start..argv.len()).find(|&at| argv.get(at).is_some_and(|word| word.is_blank()));
    emit(unknown.map_or(Peeled::of(Inner::Nothing), Peeled::unreadable));
}

/// More readings than this are given as one [`Inner::Unreadable`].
const MAX_READINGS: usize = 16;
/// More open alternatives than this make a reading unreadable.
const MAX_STATES: usize = 16;
/// More alternatives than this are not tried.
const MAX_TRIED: usize = 48;

/// The readings given so far, each only once. The usual case of one reading needs no heap.
struct Readings {
    first: Option<Peeled>,
    more: Vec<Peeled>,
}

impl Readings {
    fn give(&mut self, peeled: Peeled) {
        // «Perhaps nothing» adds nothing to what is perhaps started.
        if (peeled.inner == Inner::Nothing && !peeled.certain) || self.more.len() == MAX_READINGS {
            return;
        }
        if self.first.is_none() {
            self.first = Some(peeled);
            return;
        }
        let is_given = self.first.iter().chain(&self.more).any(|given| given.starts_the_same(&peeled));
        if !is_given {
            let is_last = self.more.len() + 1 == MAX_READINGS;
            self.more.push(if is_last { Peeled::unreadable(1) } else { peeled });
        }
    }

    fn emit(self, emit: &mut dyn FnMut(Peeled)) {
        if let Some(first) = self.first {
            emit(first);
        }
        for peeled in self.more {
            emit(peeled);
        }
    }
}

/// How far one reading has come.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on some command line")]
#[derive(Clone, Copy, Debug, Default)]
struct State {
    at: usize,
    stage: Stage,
    /// How many operands were read.
    operands_read: usize,
    /// The unknown word for which the other possibilities are already open.
    forked_at: usize,
    certain: bool,
    /// An option that is in no table is taken both with and without a value; otherwise it ends the reading.
    lenient: bool,
    has_option: bool,
    /// Where the words behind `--` begin.
    dashes: Option<usize>,
    /// The first operands of a program that looks for options in the whole line.
    operands: [Option<usize>; 3],
    directory: Directory,
    stays_here: bool,
    assignments: Option<(usize, usize)>,
    clears_environment: bool,
    argument_zero: Option<Value>,
    login_name: bool,
    script: Option<Value>,
    shell: bool,
    login: bool,
    direct: bool,
    xargs: XargsOptions,
    parallel: ParallelOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Options,
    Operands,
    Assignments,
    Command,
}

/// The words are no use of the program by this grammar.
struct Refused;

/// What an argument leaves to do.
enum Continue {
    On,
    /// The reading is settled, whatever follows.
    Stop(Inner),
}

struct Reader<'r, A: ?Sized> {
    argv: &'r A,
    /// Where the wrapper's own arguments begin.
    start: usize,
    grammar: &'static Grammar,
    /// Those of other systems, which are asked behind this one.
    others: &'static [Grammar],
    /// Whether the others read every option alike that was met.
    is_alike: bool,
    /// Another system's grammar was asked before.
    is_second: bool,
    readings: &'r mut Readings,
    /// Alternatives that are still to be tried. Only unknown words and options make any.
    pending: Vec<State>,
}

impl<A: Arguments + ?Sized> Reader<'_, A> {
    /// Gives every reading. Returns whether the table of options was of no account: the other grammars have those that
    /// were met, if any, and no word was met that may be one.
    fn read(mut self, lenient: bool) -> bool {
        let mut state = State { at: self.start, certain: !lenient, lenient, ..State::default() };
        if let Some(effect) = self.grammar.style.directory {
            let _ = state.apply(effect, None);
        }
        // A refusal is no reading; the caller sees that none was given.
        let is_read = self.follow(&mut state).is_ok();
        let is_sure = state.certain && self.is_alike && self.pending.is_empty();
        for _ in 0..MAX_TRIED {
            let Some(mut state) = self.pending.pop() else { return is_read && is_sure };
            let _ = self.follow(&mut state);
        }
        self.readings.give(Peeled::unreadable(self.start));
        false
    }

    /// Puts an alternative aside for later.
    fn fork(&mut self, state: &State) {
        if self.pending.len() < MAX_STATES {
            self.pending.push(*state);
        } else {
            self.readings.give(Peeled::unreadable(state.at));
        }
    }

    fn follow(&mut self, state: &mut State) -> Result<(), Refused> {
        if state.stage == Stage::Options {
            if let Continue::Stop(inner) = self.options(state)? {
                self.give(state, inner);
                return Ok(());
            }
            if self.grammar.style.needs_option && !state.has_option {
                return Err(Refused);
            }
            state.stage = Stage::Operands;
        }
        if state.stage == Stage::Operands {
            if let Continue::Stop(inner) = self.operands(state) {
                self.give(state, inner);
                return Ok(());
            }
            state.stage = Stage::Assignments;
        }
        if state.stage == Stage::Assignments {
            self.assignments(state);
        }
        self.numbers(state);
        self.command(state)
    }

    /// Expects an option at `state.at`, and leaves it at the first word that is none.
    fn options(&mut self, state: &mut State) -> Result<Continue, Refused> {
        let style = &self.grammar.style;
        while let Some(argument) = self.argv.get(state.at) {
            let text = argument.text;
            if argument.is_blank() {
                self.fork_unknown(state);
                if !style.permutes {
                    break;
                }
                self.operand(state);
            } else if argument.value() == Some("--") {
                state.at += 1;
                state.dashes = Some(state.at);
                break;
            } else if argument.value() == Some("-") && !style.permutes {
                if let Some(effect) = style.dash {
                    state.at += 1;
                    let _ = state.apply(effect, None);
                }
                break;
            } else if argument.value() != Some("-") && text.starts_with('-') {
                if style.numbers && is_number_option(&argument) {
                    state.at += 1;
                    state.has_option = true;
                    self.is_alike = false;
                } else if let Continue::Stop(inner) = self.option(state, &argument)? {
                    return Ok(Continue::Stop(inner));
                }
            } else if style.assignments == Assignments::Among
                && is_assignment(&argument)
                && !text.starts_with(['/', '='])
            {
                state.assign();
            } else if style.leading_operand && state.at == self.start {
                state.at += 1;
            } else if style.permutes {
                self.operand(state);
            } else {
                break;
            }
        }
        // Whatever stands behind `--` is an operand too.
        if style.permutes {
            let tail = state.at..self.argv.len();
            for word in tail {
                state.at = word;
                self.operand(state);
            }
        }
        Ok(Continue::On)
    }

    /// An unknown word where an option may stand: it may be the command itself, which the caller goes on with; an
    /// option; or an option whose value is the next word.
    fn fork_unknown(&mut self, state: &mut State) {
        state.forked_at = state.at;
        let skipped = State { at: state.at + 1, certain: false, lenient: true, has_option: true, ..*state };
        self.fork(&skipped);
        let takes_values = |options: &Options| matches!(options.arity, Arity::Value | Arity::Words(_));
        if state.at + 2 < self.argv.len() && self.grammar.options.iter().any(takes_values) {
            self.fork(&State { at: state.at + 2, ..skipped });
        }
        state.certain = false;
    }

    /// Takes an operand of a program that looks for options behind operands too.
    fn operand(&mut self, state: &mut State) {
        if self.grammar.then == Then::Scripts {
            self.give(state, Inner::Script { value: Value::whole(state.at), arguments: self.argv.len() });
        }
        if let Some(place) = state.operands.iter_mut().find(|place| place.is_none()) {
            *place = Some(state.at);
        }
        state.at += 1;
    }

    /// Expects a word that begins with `-`, and leaves `state.at` behind it and its value.
    fn option(&mut self, state: &mut State, argument: &Argument<'_>) -> Result<Continue, Refused> {
        state.has_option = true;
        match argument.text.strip_prefix("--") {
            Some(name) => self.long_option(state, argument, name),
            None => self.short_options(state, argument),
        }
    }

    fn long_option(
        &mut self,
        state: &mut State,
        argument: &Argument<'_>,
        text: &str,
    ) -> Result<Continue, Refused> {
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, Some(Value::new(state.at, name.len() + 3))),
            None => (text, None),
        };
        let name_known = argument.known || attached.is_some();
        let Some((arity, effect)) = self.grammar.long(name).filter(|_| name_known) else {
            return self.unknown_option(state, attached.is_some());
        };
        self.is_alike &= self.others.iter().all(|other| other.long(name) == Some((arity, effect)));
        let value = match (arity, attached) {
            (Arity::Flag, Some(_)) if !state.lenient => return Err(Refused),
            (Arity::Flag | Arity::Attached, value) => value,
            (Arity::Words(words), _) => {
                let value = Value::whole(state.at + 1);
                state.at += usize::from(words);
                Some(value)
            }
            (Arity::Value, Some(value)) => Some(value),
            (Arity::Value, None) => {
                state.at += 1;
                Some(Value::whole(state.at))
            }
        };
        if state.at >= self.argv.len() {
            return Err(Refused);
        }
        state.at += 1;
        Ok(self.apply(state, effect, value))
    }

    fn short_options(&mut self, state: &mut State, argument: &Argument<'_>) -> Result<Continue, Refused> {
        let word = state.at;
        let letters = argument.text.char_indices().skip(1);
        for (offset, letter) in letters {
            let behind = offset + letter.len_utf8();
            let ends_word = behind == argument.text.len() && argument.known;
            let Some((arity, effect)) = self.grammar.short(letter) else {
                return self.unknown_option(state, false);
            };
            self.is_alike &= self.others.iter().all(|other| other.short(letter) == Some((arity, effect)));
            let value = match arity {
                Arity::Flag => None,
                Arity::Attached if ends_word => None,
                Arity::Value | Arity::Words(_) if ends_word => {
                    state.at += 1;
                    if state.at >= self.argv.len() {
                        return Err(Refused);
                    }
                    Some(Value::whole(state.at))
                }
                Arity::Attached | Arity::Value | Arity::Words(_) => Some(Value::new(word, behind)),
            };
            if let Continue::Stop(inner) = self.apply(state, effect, value) {
                return Ok(Continue::Stop(inner));
            }
            if arity != Arity::Flag {
                state.at += 1;
                return Ok(Continue::On);
            }
        }
        if !argument.known {
            // The letters behind the known ones may end with one that takes the next word.
            state.lenient = true;
            return self.unknown_option(state, false);
        }
        state.at += 1;
        Ok(Continue::On)
    }

    /// An option that this grammar does not know.
    fn unknown_option(&mut self, state: &mut State, attached: bool) -> Result<Continue, Refused> {
        if self.grammar.style.complete && self.argv.get(state.at).is_some_and(|option| option.known) {
            return Ok(Continue::Stop(Inner::Nothing));
        }
        if !state.lenient {
            return Err(Refused);
        }
        state.certain = false;
        if !attached && state.at + 2 < self.argv.len() {
            self.fork(&State { at: state.at + 2, ..*state });
        }
        state.at += 1;
        Ok(Continue::On)
    }

    fn apply(&mut self, state: &mut State, effect: Effect, value: Option<Value>) -> Continue {
        match value {
            Some(value) if effect == Effect::Script && self.grammar.then == Then::Scripts => {
                self.give(state, Inner::Script { value, arguments: self.argv.len() });
                Continue::On
            }
            _ => state.apply(effect, value),
        }
    }

    /// Expects the first operand at `state.at`, and leaves it behind the last.
    fn operands(&mut self, state: &mut State) -> Continue {
        while let Some(operand) = self.grammar.operands.get(state.operands_read) {
            let Some(argument) = self.argv.get(state.at) else { return Continue::Stop(Inner::Nothing) };
            if argument.splice && argument.is_blank() && state.forked_at != state.at {
                self.fork(&State { at: state.at + 1, stage: Stage::Operands, certain: false, ..*state });
            }
            state.operands_read += 1;
            match operand {
                Operand::Duration if argument.value().is_some_and(|text| !is_duration(text)) => {
                    return Continue::Stop(Inner::Nothing);
                }
                Operand::Priority if argument.value().is_some_and(|text| !is_number(text)) => {
                    state.certain = false;
                    continue;
                }
                Operand::Dashes if argument.value() != Some("--") => continue,
                Operand::NewRoot if !state.stays_here => state.directory = Directory::Root,
                Operand::Duration | Operand::Priority | Operand::NewRoot | Operand::Any | Operand::Dashes => {
                }
            }
            state.at += 1;
        }
        Continue::On
    }

    fn assignments(&mut self, state: &mut State) {
        if self.grammar.style.assignments != Assignments::Behind {
            return;
        }
        while let Some(argument) = self.argv.get(state.at) {
            if is_assignment(&argument) {
                state.assign();
                continue;
            }
            // `env "$X" find`, `env A$X find`: the word may be an assignment.
            let may_be_name = argument.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !argument.known && may_be_name && state.forked_at != state.at {
                self.fork(&State { at: state.at + 1, stage: Stage::Assignments, certain: false, ..*state });
            }
            break;
        }
    }

    /// A bare number is hardly ever a command, but often an operand of an option that is in no table.
    fn numbers(&mut self, state: &State) {
        let is_number_at = |at| self.argv.get(at).and_then(|word| word.value()).is_some_and(is_duration);
        let mut at = state.at;
        while is_number_at(at) {
            at += 1;
        }
        if at > state.at && at < self.argv.len() && !self.grammar.style.permutes {
            self.fork(&State { at, stage: Stage::Command, certain: false, ..*state });
        }
    }

    /// Expects the command at `state.at`.
    fn command(&mut self, state: &State) -> Result<(), Refused> {
        let (from, end) = (state.at, self.argv.len());
        let none = from >= end;
        // A misread option is likelier than a program whose name begins with a dash.
        if self.is_second && self.argv.get(from).is_some_and(|name| name.text.starts_with('-')) {
            return Err(Refused);
        }
        let argv = Inner::Argv { from };
        let stdin = Inner::StdinScript { arguments: end };
        let inner = match self.grammar.then {
            Then::Command if self.grammar.style.permutes => {
                let [first, ..] = state.operands;
                first.map_or(Inner::Nothing, |from| Inner::Argv { from })
            }
            Then::Command | Then::Joined | Then::CommandOrScript | Then::Script | Then::CommandOrText
                if none =>
            {
                Inner::Nothing
            }
            Then::Doas if state.shell && !none => Inner::Nothing,
            Then::CommandOrShell | Then::Doas if none => stdin,
            Then::Sudo if none => {
                let certain = state.certain && state.shell;
                self.give(&State { certain, ..*state }, stdin);
                return Ok(());
            }
            Then::Sudo if state.shell => Inner::Joined { from, escape: true },
            Then::Joined if !state.direct => Inner::Joined { from, escape: false },
            Then::CommandOrScript if self.is_command_flag(from) => {
                if from + 2 == end {
                    script_at(from + 1, end)
                } else {
                    Inner::Nothing
                }
            }
            Then::Script if self.is_command_flag(from) && from + 1 < end => script_at(from + 1, end),
            Then::Script => script_at(from, end),
            Then::CommandOrText if state.shell || from + 1 == end => script_at(from, end),
            Then::Command
            | Then::CommandOrShell
            | Then::CommandOrScript
            | Then::CommandOrText
            | Then::Sudo
            | Then::Doas
            | Then::Joined => argv,
            Then::OptionScript => match (state.script, state.dashes) {
                (Some(value), _) => Inner::Script { value, arguments: end },
                (None, Some(from)) if from < end => Inner::Argv { from },
                (None, _) => stdin,
            },
            // Each was given when it was met.
            Then::Scripts => return Ok(()),
            Then::User => {
                self.user(state);
                return Ok(());
            }
            Then::Typescript => return self.typescript(state),
            Then::Xargs => Inner::Xargs { from, options: state.xargs },
            Then::Parallel => return self.parallel(state),
        };
        self.give(state, inner);
        Ok(())
    }

    fn is_command_flag(&self, at: usize) -> bool {
        let value = self.argv.get(at).and_then(|word| word.value());
        value.is_some_and(|text| text == "-c" || (text.len() > 2 && "--command".starts_with(text)))
    }

    /// `su` and `runuser`: a user, then arguments for a shell.
    fn user(&mut self, state: &State) {
        let mut state = *state;
        let end = self.argv.len();
        if let [Some(first), second, third] = state.operands
            && self.argv.get(first).and_then(|word| word.value()) == Some("-")
        {
            state.login = true;
            if !state.stays_here {
                state.directory = Directory::Home;
            }
            state.operands = [second, third, third.map(|third| third + 1).filter(|&next| next < end)];
        }
        let [first, second, _] = state.operands;
        let inner = match (first, second, state.script) {
            (Some(from), _, None) if state.direct => Inner::Argv { from },
            (_, rest, Some(value)) => Inner::Script { value, arguments: rest.unwrap_or(end) },
            // Options of the shell itself stand behind `--`.
            (_, Some(rest), None) => {
                let shell = &shells::BASH;
                let readings = &mut *self.readings;
                shells::read(self.argv, rest, shell, &mut |peeled| {
                    readings.give(Peeled { directory: state.directory, ..peeled });
                });
                return;
            }
            (_, None, None) => Inner::StdinScript { arguments: end },
        };
        self.give(&state, inner);
    }

    /// `script`: the file of the record may be followed by `--` and a command since util-linux 2.41.
    fn typescript(&mut self, state: &State) -> Result<(), Refused> {
        let end = self.argv.len();
        let inner = match (state.script, state.dashes, state.operands) {
            (Some(value), ..) => Inner::Script { value, arguments: end },
            (None, Some(from), [Some(first), ..]) if from < end => {
                if first == from {
                    self.give(state, Inner::StdinScript { arguments: end });
                }
                self.give(&State { certain: false, ..*state }, Inner::Argv { from });
                return Ok(());
            }
            (None, _, [_, None, _]) => Inner::StdinScript { arguments: end },
            (None, _, [_, Some(_), _]) => return Err(Refused),
        };
        self.give(state, inner);
        Ok(())
    }

    fn parallel(&mut self, state: &State) -> Result<(), Refused> {
        let (from, end) = (state.at, self.argv.len());
        let gnu = self.grammar.style.gnu_long;
        let is_separator = |&at: &usize| {
            let value = self.argv.get(at).and_then(|word| word.value());
            if gnu { matches!(value, Some(":::" | ":::+" | "::::" | "::::+")) } else { value == Some("--") }
        };
        let mut separators = (from..end).filter(is_separator);
        let first = separators.next();
        let combined = separators.next().is_some();
        let to = first.unwrap_or(end);
        let mut options = state.parallel;
        match first {
            None if !gnu => return Err(Refused),
            None => {}
            Some(at) if !gnu => options.source = ParallelSource::Dashes { from: at + 1 },
            Some(at) => {
                let in_files = self.argv.get(at).is_some_and(|word| word.text.starts_with("::::"));
                options.source = if in_files {
                    ParallelSource::Files
                } else {
                    ParallelSource::Words { from: at + 1, combined }
                };
            }
        }
        self.give(state, Inner::Parallel { from, to, options });
        Ok(())
    }

    fn give(&mut self, state: &State, inner: Inner) {
        let (start, end) = state.assignments.unwrap_or_default();
        let is_home = state.login && state.directory == Directory::Same;
        let posix_shell = self.grammar.then == Then::Joined && !state.shell;
        self.readings.give(Peeled {
            inner,
            directory: if is_home { Directory::Home } else { state.directory },
            assignments: start..end,
            clears_environment: state.clears_environment,
            argument_zero: state.argument_zero,
            login_name: state.login_name,
            shell: ShellOptions { bash: !posix_shell, aliases: posix_shell, ..ShellOptions::default() },
            certain: state.certain,
        });
    }
}

impl Value {
    /// The text of `argv[word]` from byte `offset` on. Neither exceeds the length of the analysed text.
    pub(crate) fn new(word: usize, offset: usize) -> Self {
        Self { word: word as u32, offset: offset as u32 }
    }

    pub(crate) fn whole(word: usize) -> Self {
        Self::new(word, 0)
    }

    /// The index of the argument.
    pub(crate) fn word(self) -> usize {
        self.word as usize
    }

    /// Where the text begins in it, in bytes.
    pub(crate) fn offset(self) -> usize {
        self.offset as usize
    }
}

fn script_at(word: usize, arguments: usize) -> Inner {
    Inner::Script { value: Value::whole(word), arguments }
}

impl State {
    fn apply(&mut self, effect: Effect, value: Option<Value>) -> Continue {
        match effect {
            Effect::StartsNothing => return Continue::Stop(Inner::Nothing),
            Effect::Directory => {
                if let Some(value) = value {
                    self.directory = Directory::To(value);
                    self.stays_here = true;
                }
            }
            Effect::StaysHere => {
                self.stays_here = true;
                self.directory = Directory::Same;
            }
            Effect::Home if !self.stays_here => self.directory = Directory::Home,
            Effect::Root if !self.stays_here => self.directory = Directory::Root,
            Effect::ClearsEnvironment => self.clears_environment = true,
            Effect::ArgumentZero => self.argument_zero = value,
            Effect::LoginName => self.login_name = true,
            Effect::Script => self.script = value,
            Effect::SplitString => {
                if let Some(value) = value {
                    return Continue::Stop(Inner::SplitString { value, rest: value.word() + 1 });
                }
            }
            Effect::Shell => self.shell = true,
            Effect::LoginShell => (self.shell, self.login) = (true, true),
            Effect::Direct => self.direct = true,
            Effect::Nul => self.xargs.delimiter = Delimiter::Nul,
            Effect::Delimiter => self.xargs.delimiter = value.map_or(Delimiter::Blanks, Delimiter::Character),
            Effect::Replace => {
                self.xargs.replace = Some(value.map_or(Replace::Braces, Replace::Text));
                self.parallel.replace = value;
            }
            Effect::InsertAt => self.xargs.insert_at = value,
            Effect::MaxArgs => self.xargs.max_args = value,
            Effect::MaxLines => self.xargs.max_lines = Some(value.map_or(MaxLines::One, MaxLines::Number)),
            Effect::NoRunIfEmpty => self.xargs.no_run_if_empty = true,
            Effect::ArgFile => {
                self.xargs.arg_file = value;
                self.parallel.source = ParallelSource::Files;
            }
            Effect::End => self.xargs.end = value,
            Effect::Quoted => self.parallel.quoted = true,
            Effect::Rearranged => self.parallel.rearranged = true,
            Effect::CommandFollows => {
                let from = value.filter(|value| value.offset == 0).map(Value::word);
                return Continue::Stop(from.map_or(Inner::Nothing, |from| Inner::Argv { from }));
            }
            Effect::Ordinary | Effect::Home | Effect::Root => {}
        }
        Continue::On
    }

    /// Takes the word at hand as `NAME=VALUE`.
    fn assign(&mut self) {
        let start = self.assignments.map_or(self.at, |(start, _)| start);
        self.at += 1;
        self.assignments = Some((start, self.at));
    }
}

/// A beginning that is known is enough to see the `=`.
fn is_assignment(argument: &Argument<'_>) -> bool {
    argument.text.bytes().any(|byte| byte == b'=')
}

/// `-5`, `--5` and `-+5` of `nice`.
fn is_number_option(argument: &Argument<'_>) -> bool {
    let digits = argument.text.strip_prefix('-').map(|rest| rest.strip_prefix(['-', '+']).unwrap_or(rest));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number as `strtod` reads it, and a unit: what `timeout` takes.
fn is_duration(text: &str) -> bool {
    if !matches!(text.as_bytes(), [b'0'..=b'9' | b'.' | b'+' | b'i' | b'I', ..]) {
        return false;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    let plain = number.strip_prefix('+').unwrap_or(number);
    if plain.eq_ignore_ascii_case("inf") || plain.eq_ignore_ascii_case("infinity") {
        return true;
    }
    let in_number =
        |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'x' | b'X' | b'p' | b'P' | b'+' | b'-');
    plain.bytes().any(|byte| byte.is_ascii_digit())
        && plain.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && plain.bytes().all(in_number)
}

#[cfg(test)]
mod tests;
