//! What a shell does with its own arguments.
//!
//! All shells of the Bourne family read them alike: `-c` is a flag, and the command string is the first word that is
//! no option. `fish` and `csh` differ: there `-c` takes the next word.

use crate::argv::{Argument, Arguments};
use crate::builtin::{option_bit, shopt_bit};
use crate::peel::{Inner, Peeled, ShellOptions, Value};

/// A shell and its habits.
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
#[derive(Debug)]
pub(crate) struct Shell {
    /// The canonical name.
    pub(crate) name: &'static str,
    /// Its syntax holds bash's.
    bash: bool,
    /// Aliases count in scripts too.
    aliases: bool,
    /// `-c` takes the next word, or the rest of `--command=`.
    command_takes_value: bool,
    /// Short options that take the next word.
    value_letters: &'static str,
    /// Long options that take the next word; they may be written with one dash.
    value_names: &'static [&'static str],
    /// Long options that run nothing.
    inert_names: &'static [&'static str],
    /// `-f` switches patterns off.
    f_is_noglob: bool,
}

const POSIX: Shell = Shell {
    name: "sh",
    bash: false,
    aliases: true,
    command_takes_value: false,
    value_letters: "o",
    value_names: &[],
    inert_names: &["help", "version"],
    f_is_noglob: true,
};

/// `sh` is bash on some systems, so bash's own options count for it.
pub(crate) static SH: Shell =
    Shell { value_letters: BASH.value_letters, value_names: BASH.value_names, ..POSIX };
pub(crate) static DASH: Shell = Shell { name: "dash", ..POSIX };
pub(crate) static ASH: Shell = Shell { name: "ash", ..POSIX };
pub(crate) static KSH: Shell = Shell { name: "ksh", value_letters: "oT", ..POSIX };
pub(crate) static ZSH: Shell =
    Shell { name: "zsh", bash: true, value_names: &["emulate"], f_is_noglob: false, ..POSIX };
pub(crate) const BASH: Shell = Shell {
    name: "bash",
    bash: true,
    aliases: false,
    value_letters: "oO",
    value_names: &["rcfile", "init-file"],
    inert_names: &["help", "version", "dump-strings", "dump-po-strings"],
    ..POSIX
};
pub(crate) static CSH: Shell =
    Shell { name: "csh", command_takes_value: true, value_letters: "", f_is_noglob: false, ..POSIX };
pub(crate) static FISH: Shell = Shell {
    name: "fish",
    command_takes_value: true,
    value_letters: "Cdo",
    value_names: &["init-command", "debug", "debug-output", "profile", "profile-startup", "features"],
    f_is_noglob: false,
    ..POSIX
};

/// What the options said so far.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on some command line")]
#[derive(Clone, Copy, Default)]
struct State {
    at: usize,
    /// `-c` was given.
    takes_command: bool,
    /// An unknown word may have been, or held, `-c`.
    may_take_command: bool,
    reads_stdin: bool,
    reads_only: bool,
    interactive: bool,
    startup_file: Option<usize>,
    options: ShellOptions,
    certain: bool,
}

/// Reads `argv[start..]` as the arguments of `shell`, and gives each reading to `emit`.
pub(crate) fn read<A: Arguments + ?Sized>(
    argv: &A,
    start: usize,
    shell: &Shell,
    emit: &mut dyn FnMut(Peeled),
) {
    let options = ShellOptions { bash: shell.bash, aliases: shell.aliases, ..ShellOptions::default() };
    let mut state = State { at: start, options, certain: true, ..State::default() };
    while let Some(argument) = argv.get(state.at) {
        if argument.is_blank() {
            // It may be the script's name, an option, or `-c`.
            give(argv, &State { certain: false, ..state }, emit);
            state.may_take_command = !state.takes_command;
            state.certain = false;
            state.at += 1;
        } else if matches!(argument.value(), Some("-" | "--")) {
            state.at += 1;
            break;
        } else if let Some(name) = long_name(&argument, shell) {
            if shell.inert_names.contains(&name) {
                return emit(Peeled::of(Inner::Nothing));
            }
            if let Some(offset) = command_offset(argument.text, shell) {
                let value = Value::new(state.at, offset);
                return give_script(&state, value, argv.len().min(state.at + 1), emit);
            }
            state.at += 1;
            if shell.value_names.contains(&name) {
                state.startup_file = Some(state.at);
                state.at += 1;
            }
        } else if argument.text.starts_with(['-', '+']) && argument.text.len() > 1 {
            if let Some(value) = short_options(argv, &argument, shell, &mut state) {
                if value.word() >= argv.len() {
                    return emit(Peeled::of(Inner::Nothing));
                }
                return give_script(&state, value, argv.len().min(value.word() + 1), emit);
            }
        } else {
            break;
        }
    }
    give(argv, &state, emit);
}

/// The name of a long option. bash takes its own with one dash too.
fn long_name<'a>(argument: &Argument<'a>, shell: &Shell) -> Option<&'a str> {
    const FLAGS: &[&str] = &["login", "norc", "noprofile", "posix", "noediting", "verbose", "restricted"];
    let name = if let Some(name) = argument.text.strip_prefix("--") {
        name
    } else {
        let name = argument.text.strip_prefix('-')?;
        let is_long = |names: &[&str]| names.contains(&name);
        let known = is_long(shell.value_names) || is_long(shell.inert_names) || is_long(FLAGS);
        (shell.bash && known).then_some(name)?
    };
    Some(name.split_once('=').map_or(name, |(name, _)| name))
}

/// `--command=TEXT` of fish: where the text begins.
fn command_offset(text: &str, shell: &Shell) -> Option<usize> {
    const OPTION: &str = "--command=";
    (shell.command_takes_value && text.starts_with(OPTION)).then_some(OPTION.len())
}

/// Expects a bundle of short options, and leaves `state.at` behind it and its values. Gives the command, when the shell
/// takes that as the value of `-c`.
fn short_options<A: Arguments + ?Sized>(
    argv: &A,
    argument: &Argument<'_>,
    shell: &Shell,
    state: &mut State,
) -> Option<Value> {
    let on = argument.text.starts_with('-');
    let bundle = state.at;
    state.at += 1;
    for (offset, letter) in argument.text.char_indices().skip(1) {
        match letter {
            'c' if shell.command_takes_value => {
                let rest = offset + 1;
                let attached = rest < argument.text.len() || !argument.known;
                return Some(if attached && shell.value_letters.contains('C') {
                    Value::new(bundle, rest)
                } else {
                    Value::whole(state.at)
                });
            }
            'c' => state.takes_command = true,
            's' => state.reads_stdin |= on,
            'n' => state.reads_only = on,
            'D' if shell.bash => state.reads_only |= on,
            'i' => {
                state.interactive |= on;
                state.options.aliases |= on;
            }
            'e' => state.options.errexit = on,
            'f' if shell.f_is_noglob => state.options.noglob = on,
            _ if shell.value_letters.contains(letter) => {
                if let Some(name) = argv.get(state.at) {
                    set_option(state, name.value(), on);
                    state.at += 1;
                }
            }
            _ => {}
        }
    }
    if !argument.known {
        state.may_take_command = !state.takes_command;
        state.certain = false;
    }
    None
}

/// `-o name`, `+o name`, `-O name`.
fn set_option(state: &mut State, name: Option<&str>, on: bool) {
    match name {
        Some("errexit") => state.options.errexit = on,
        Some("noglob") => state.options.noglob = on,
        Some("noexec") => state.reads_only = on,
        Some("expand_aliases" | "posix") => state.options.aliases = on,
        Some(name) => {
            let bit = option_bit(name).or_else(|| shopt_bit(name)).unwrap_or(0);
            state.options.further =
                if on { state.options.further | bit } else { state.options.further & !bit };
        }
        None => {}
    }
}

/// Gives what the shell runs when its options end at `state.at`.
fn give<A: Arguments + ?Sized>(argv: &A, state: &State, emit: &mut dyn FnMut(Peeled)) {
    let (at, end) = (state.at, argv.len());
    if let Some(word) = state.startup_file
        && state.interactive
        && word < end
    {
        give_inner(state, Inner::ScriptFile { word, arguments: end }, emit);
    }
    if (state.takes_command || state.may_take_command) && at < end {
        give_script(state, Value::whole(at), at + 1, emit);
    }
    if state.takes_command {
        if at >= end {
            // «-c: option requires an argument».
            emit(Peeled::of(Inner::Nothing));
        }
        return;
    }
    let inner = if at < end && !state.reads_stdin {
        Inner::ScriptFile { word: at, arguments: at + 1 }
    } else {
        Inner::StdinScript { arguments: at }
    };
    give_inner(state, inner, emit);
}

fn give_script(state: &State, value: Value, arguments: usize, emit: &mut dyn FnMut(Peeled)) {
    let state = State { certain: state.certain && !state.may_take_command, ..*state };
    give_inner(&state, Inner::Script { value, arguments }, emit);
}

fn give_inner(state: &State, inner: Inner, emit: &mut dyn FnMut(Peeled)) {
    // An interactive shell does not heed `-n`.
    let inner = if state.reads_only && !state.interactive { Inner::Nothing } else { inner };
    emit(Peeled { shell: state.options, certain: state.certain, ..Peeled::of(inner) });
}
