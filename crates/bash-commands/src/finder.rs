//! Programs that look for files and run commands for what they find: `find`, `fd`.

use crate::arena::{Arena, Blank};
use crate::argv::Arguments;
use crate::command::Call;
use crate::evaluate::{Evaluator, Lookup};
use crate::find_expression::{Piece, pieces};
use crate::nested::Words;
use crate::report::{Field, FieldKind, Reason, Step, Via};
use crate::state::{Input, Status};
use crate::store::HOLE_TEXT;
use crate::wrappers::Program;

/// How many commands of one line are followed.
const MAX_COMMANDS: usize = 9;

/// A command among the arguments of a finder: `argv[from..to]`, where `{}` stands for what is found. Its end (`;`, `+`)
/// is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inner {
    from: u32,
    to: u32,
    /// It is run in the folder of what was found.
    dir: bool,
    /// It is run for many files at once.
    plus: bool,
}

impl Blank for Inner {
    const BLANK: Self = Self { from: 0, to: 0, dir: false, plus: false };
}

/// The commands of one line: one or two, as a rule.
type Commands = Arena<Inner, 2>;

impl Evaluator<'_> {
    /// Runs a finder, and the commands among its arguments.
    pub(crate) fn run_finder(&mut self, program: &Program, call: &Call) {
        self.emit(call);
        let words = Words { store: &self.store, fields: self.fields(call) };
        if matches!(program, Program::Fd) || may_run_commands(&words) {
            self.run_commands_of(program, call);
        }
        self.now.status = Status::Unknown;
        self.print_unknown();
    }

    #[inline(never)]
    fn run_commands_of(&mut self, program: &Program, call: &Call) {
        let words = Words { store: &self.store, fields: self.fields(call) };
        let commands = match program {
            Program::Fd => commands_of_fd(&words),
            _ => commands_of_find(&words),
        };
        for command in commands.as_slice() {
            self.now.status = Status::Unknown;
            self.deeper(call.span, |this| this.run_for_found(call, command));
        }
    }

    /// `"$X" . -exec …`: what may be find runs its commands.
    pub(crate) fn run_as_if_find(&mut self, call: &Call) {
        let words = Words { store: &self.store, fields: self.fields(call) };
        if !may_run_commands(&words) {
            return;
        }
        let commands = commands_of_find(&words);
        for command in commands.as_slice() {
            self.run_for_found(call, command);
        }
    }

    /// Runs a command that a finder starts.
    fn run_for_found(&mut self, call: &Call, command: &Inner) {
        let Inner { from, to, dir, plus } = *command;
        let start = self.findings.fields.len() as u32;
        let (first, last) = (call.start + from, (call.start + to).min(call.end));
        self.findings.fields.extend_within(first as usize..last as usize);
        let end = self.findings.fields.len() as u32;
        // `{} +` is the last argument, and the only one that is replaced.
        let replaced = if plus { end.saturating_sub(1).max(start)..end } else { start..end };
        for at in replaced {
            self.replace_found_file(at as usize, dir, plus);
        }
        let inner = Call { start, end, assignments: (0, 0), redirections: (0, 0), ..*call };
        let run = |this: &mut Self| {
            this.now.input = Input::Unknown;
            this.within(Step::Via(Via::FindExec), |this| {
                this.deeper(call.span, |this| this.dispatch(inner, Lookup::EXTERNALS, &[]))
            });
        };
        let (input, output) = (self.now.input, self.now.output);
        if dir {
            let unknown = self.unknown_directory();
            self.in_directories(unknown, run);
        } else {
            run(self);
        }
        self.now.input = input;
        self.now.output = output;
    }

    /// Puts what will have been found in the place of each `{}` of a word; with `plus`, of `{}` alone.
    fn replace_found_file(&mut self, at: usize, dir: bool, plus: bool) {
        let Some(word) = self.findings.fields.get(at) else { return };
        let text = self.store.bytes(word.value);
        let is_alone = text == b"{}";
        let is_replaced = is_alone || (!plus && text.windows(2).any(|pair| pair == b"{}"));
        if word.kind != FieldKind::Known || !is_replaced {
            return;
        }
        let value = if is_alone && !dir {
            self.hole()
        } else {
            let found = if dir { "./\u{FDD0}" } else { HOLE_TEXT };
            let replaced = self.store.text(word.value).replace("{}", found);
            self.store.keep(&replaced)
        };
        if let Some(field) = self.findings.fields.get_mut(at) {
            *field = Field { value, kind: FieldKind::Unknown(Reason::FoundFile), splice: plus, ..word };
        }
    }
}

/// Whether a find may run commands for what it finds. Most do not, which the beginnings of their words tell.
fn may_run_commands(words: &Words<'_>) -> bool {
    words.fields.iter().any(|field| match words.store.bytes(field.value) {
        [b'-', b'e', rest @ ..] => rest.starts_with(b"xec"),
        [b'-', b'o', b'k', ..] => true,
        _ => false,
    })
}

/// The commands of `-exec` and its kin.
fn commands_of_find(words: &Words<'_>) -> Commands {
    let mut commands = Commands::NEW;
    for piece in pieces(words) {
        if let Piece::Command(command) = piece
            && commands.len() < MAX_COMMANDS
        {
            let (from, to) = (command.from as u32, command.to as u32);
            commands.push(Inner { from, to, dir: command.dir, plus: command.plus });
        }
    }
    commands
}

/// `fd -x command… ;` and `-X`; the `;` may be left out. The options may end a bundle of flags.
fn commands_of_fd<A: Arguments + ?Sized>(argv: &A) -> Commands {
    const FLAGS: &str = "HIuasigFlLp0q1";
    let mut commands = Commands::NEW;
    let mut at = 1;
    while let Some(argument) = argv.get(at) {
        at += 1;
        let flags = argument.text.strip_prefix('-').unwrap_or("");
        let plus = match (argument.text, flags.trim_start_matches(|letter| FLAGS.contains(letter))) {
            ("--exec", _) | (_, "x") => false,
            ("--exec-batch", _) | (_, "X") => true,
            _ => continue,
        };
        let from = at;
        while argv.get(at).is_some_and(|word| word.value() != Some(";")) {
            at += 1;
        }
        if from < at && commands.len() < MAX_COMMANDS {
            commands.push(Inner { from: from as u32, to: at as u32, dir: false, plus });
        }
        at += 1;
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::{Inner, commands_of_fd};
    use alloc::vec::Vec;

    #[test]
    fn fd_takes_its_commands_up_to_a_semicolon() {
        let inner = |from, to, plus| Inner { from, to, dir: false, plus };
        for (line, expected) in [
            ("fd x", &[][..]),
            ("fd -x", &[]),
            ("fd -Hx find {} ; -X ls", &[inner(2, 4, false), inner(6, 7, true)]),
            ("fd --exec a b", &[inner(2, 4, false)]),
            ("fd . --exec-batch a ; b", &[inner(3, 4, true)]),
            // `-e` takes a value, so the word is no bundle of flags.
            ("fd -ex rs a", &[]),
        ] {
            let argv: Vec<&str> = line.split(' ').collect();
            assert_eq!(commands_of_fd(&argv[..]).as_slice(), expected, "{line}");
        }
    }
}
