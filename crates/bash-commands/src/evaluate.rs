//! The evaluation of a syntax tree: which commands are run, in which state.
//!
//! It runs the text as bash would, with three-valued knowledge: a status, a value or a directory that the text fixes is
//! followed; where the text leaves a branch open, every branch is followed and the states are joined.
//!
//! INVARIANT: every function here that runs code returns with the stacks (`work`, `scratch`, `captures`, `frames`) as
//! high as it found them.

use crate::arena::Arena;
use crate::issue::{Fault, SyntaxError, SyntaxErrorKind};
use crate::options::Options;
use crate::parse::{ReadOptions, Reader};
use crate::report::{
    CommandRecord, ContextRecord, DirectoryRecord, Field, FieldKind, Findings, Incomplete, IncompleteReason, Reason,
    Step, Via,
};
use crate::span::Span;
use crate::state::{
    DirectorySet, Failure, Flow, FunctionId, Input, Mark, Names, Namespace, Output, Scalars, Slot, SlotId, Status, Value, option,
};
use crate::store::{HOLE, Store};
use crate::syntax::{Command, CommandKind, Connector, Id, Item, Slice, Substitution, Tree, Word};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// How often a loop is followed turn by turn before the rest is taken at once, with unknown values.
const MAX_TURNS: u32 = 512;

/// The buffers of an evaluation, kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) derived: String,
    tree: Tree,
    work: Arena<Field, 16>,
    names: Names,
    stacks: Stacks,
}

/// Buffers that ordinary command lines never fill.
#[derive(Debug, Default)]
struct Stacks {
    scratch: String,
    captures: Vec<String>,
    spare_captures: Vec<String>,
    functions: Vec<Function>,
    positionals: Vec<Positional>,
    frames: Vec<Frame>,
    leaves: Vec<Leave>,
    seen: Vec<u64>,
}

/// A function's definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) body: Id<Command>,
    /// What stands for its text when the definition is in derived text.
    pub(crate) origin: Option<Span>,
    /// It was already taken as called by something unknown.
    pub(crate) called_by_unknown: bool,
}

/// The positional parameters of a shell or function.
#[derive(Clone, Debug)]
pub(crate) struct Positional {
    pub(crate) zero: Span,
    pub(crate) values: Rc<[Span]>,
    /// There may be any others in their place.
    pub(crate) open: bool,
}

/// A construct that code inside can leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    kind: FrameKind,
    mark: Mark,
    /// How much output was collected when it began.
    collected: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Loop,
    Function,
    Shell,
}

/// The state in which a construct was left from inside.
#[derive(Clone, Debug)]
struct Leave {
    frame: usize,
    again: bool,
    branch: Branch,
}

/// A state that one branch ended in, as the difference to the state at a mark.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    now: Scalars,
    changes: Vec<(SlotId, Slot)>,
    output: String,
}

/// The state before a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fork {
    mark: Mark,
    before: Scalars,
    collected: usize,
}

/// The names under which a command may be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) functions: bool,
    pub(crate) builtins: bool,
    pub(crate) externals: bool,
}

impl Lookup {
    pub(crate) const ALL: Self = Self { functions: true, builtins: true, externals: true };
    pub(crate) const NO_FUNCTIONS: Self = Self { functions: false, builtins: true, externals: true };
    pub(crate) const BUILTINS: Self = Self { functions: false, builtins: true, externals: false };
    pub(crate) const EXTERNALS: Self = Self { functions: false, builtins: false, externals: true };
}

/// One evaluation.
#[derive(Debug)]
pub(crate) struct Evaluator<'t> {
    pub(crate) store: Store<'t>,
    pub(crate) tree: &'t mut Tree,
    pub(crate) work: &'t mut Arena<Field, 16>,
    pub(crate) findings: &'t mut Findings,
    pub(crate) names: &'t mut Names,
    pub(crate) options: Options<'t>,
    pub(crate) now: Scalars,
    /// Text under construction; nested constructions stand above their outer ones.
    pub(crate) scratch: &'t mut String,
    pub(crate) captures: &'t mut Vec<String>,
    /// Emptied collectors, to be used again.
    spare_captures: &'t mut Vec<String>,
    pub(crate) functions: &'t mut Vec<Function>,
    pub(crate) positionals: &'t mut Vec<Positional>,
    pub(crate) frames: &'t mut Vec<Frame>,
    leaves: &'t mut Vec<Leave>,
    /// Fingerprints of the commands found in code that may run again.
    pub(crate) seen: &'t mut Vec<u64>,
    pub(crate) context: u32,
    /// The word of the source that stands for everything in the derived text being run.
    pub(crate) origin: Option<Span>,
    steps: u64,
    exhausted: bool,
    depth: u32,
    /// How many constructs that may run their code again are around.
    pub(crate) repeating: u32,
    /// How many constructs are around in which a failure does not end the shell under `set -e`.
    pub(crate) tested: u32,
    /// The status of the last command substitution of the command being expanded.
    pub(crate) substitution_status: Option<Status>,
    /// Compound assignments among the words being expanded: index of the field, and the assignment.
    pub(crate) compounds: Vec<(usize, Id<crate::syntax::Assignment>)>,
    /// How many functions are being called inside each other.
    pub(crate) calls: u32,
    /// Variables saved for `local`: the depth of the call, the slot and what it was.
    pub(crate) locals: Vec<(u32, SlotId, Slot)>,
    /// Counts lines: an alias counts from the line after the one that defines it.
    pub(crate) line: u32,
    /// The lines on which aliases were defined.
    pub(crate) alias_lines: Vec<(SlotId, u32)>,
    /// Aliases being expanded, which are not expanded again inside themselves.
    pub(crate) active_aliases: Vec<SlotId>,
    /// The number of frames around the script being run as a shell.
    script_frames: usize,
    /// The rest of the present line is not run, but the next line is.
    discarded: bool,
    /// Directory stacks of `pushd`, by [`Scalars::stack`]; the first is empty.
    pub(crate) directory_stacks: Vec<Rc<[DirectorySet]>>,
    /// What process substitutions of the present command print, by the word that they stand in.
    pub(crate) process_outputs: Vec<(Span, Span)>,
    /// Variables that stand before the commands being run, and so hold for them alone.
    pub(crate) temporary: Vec<SlotId>,
    /// The status of the builtin that runs is not known after all.
    pub(crate) doubtful: bool,
    /// The name that `exec -a` gives to the shell that is started next.
    pub(crate) next_zero: Option<Span>,
    /// The last record that was read had no delimiter.
    pub(crate) unended: bool,
    /// An expansion failed (`${x:?}`, bad arithmetic): the command is not run.
    pub(crate) failed: Option<Failure>,
    hole: Span,
}

impl<'t> Evaluator<'t> {
    /// Runs `text` and fills `findings`.
    pub(crate) fn run(text: &'t str, options: &Options<'t>, workspace: &'t mut Workspace, findings: &'t mut Findings) {
        let Workspace { derived, tree, work, names, stacks } = workspace;
        let Stacks { scratch, captures, spare_captures, functions, positionals, frames, leaves, seen } = stacks;
        tree.clear();
        work.clear();
        names.clear();
        scratch.clear();
        captures.clear();
        functions.clear();
        positionals.clear();
        frames.clear();
        leaves.clear();
        seen.clear();
        findings.clear();
        let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        if text.len() > crate::options::MAX_LENGTH {
            findings.incomplete.push(Incomplete { span: whole, reason: IncompleteReason::Length });
            return;
        }
        findings.contexts.push(ContextRecord { parent: 0, step: Step::Top });
        findings.directories.push(DirectoryRecord::Inherited);
        let start = DirectorySet { start: 0, end: 1 };
        let mut evaluator = Evaluator {
            store: Store::new(text, derived),
            tree,
            work,
            findings,
            names,
            options: *options,
            now: Scalars { on_success: start, on_failure: start, ..Scalars::default() },
            scratch,
            captures,
            spare_captures,
            functions,
            positionals,
            frames,
            leaves,
            seen,
            context: 0,
            origin: None,
            steps: u64::from(options.base_steps) + u64::from(options.steps_per_byte) * text.len() as u64,
            exhausted: false,
            depth: 0,
            repeating: 0,
            tested: 0,
            substitution_status: None,
            compounds: Vec::new(),
            calls: 0,
            locals: Vec::new(),
            line: 0,
            alias_lines: Vec::new(),
            active_aliases: Vec::new(),
            script_frames: 0,
            discarded: false,
            directory_stacks: Vec::new(),
            process_outputs: Vec::new(),
            temporary: Vec::new(),
            doubtful: false,
            next_zero: None,
            unended: false,
            failed: None,
            hole: Span::default(),
        };
        evaluator.run_script(whole);
        evaluator.run_exit_trap();
        evaluator.finish();
    }

    /// Puts the commands in the order of the text, and says where bash would not have read on.
    fn finish(&mut self) {
        self.sort_commands(0);
    }

    /// Puts the commands from `first` on in the order of the text. Those of one line are few, and nearly in order.
    fn sort_commands(&mut self, first: usize) {
        let commands = self.findings.commands.as_mut_slice().get_mut(first..).unwrap_or(&mut []);
        if !commands.is_sorted_by_key(|command| command.span.start) {
            commands.sort_by_key(|command| command.span.start);
        }
    }

    /// Takes `count` steps from the budget; false, once and for all, when it is used up.
    #[inline]
    pub(crate) fn step(&mut self, count: u64) -> bool {
        if self.steps >= count {
            self.steps -= count;
            true
        } else {
            self.steps = 0;
            self.exhausted = true;
            false
        }
    }

    /// The budget, for functions that charge it themselves.
    pub(crate) fn budget(&mut self) -> &mut u64 {
        &mut self.steps
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub(crate) fn has(&self, option: u32) -> bool {
        self.now.options & option != 0
    }

    /// A text that is wholly unknown.
    pub(crate) fn hole(&mut self) -> Span {
        if self.hole.is_empty() {
            let mut buffer = [0; 4];
            self.hole = self.store.keep(HOLE.encode_utf8(&mut buffer));
        }
        self.hole
    }

    /// Returns the place in the source that stands for `span`.
    #[inline]
    pub(crate) fn source_span(&self, span: Span) -> Span {
        if self.store.is_source(span) { span } else { self.origin.unwrap_or_default() }
    }

    /// Notes that nothing is said about `span`.
    pub(crate) fn incomplete(&mut self, span: Span, reason: IncompleteReason) {
        let incomplete = Incomplete { span: self.source_span(span), reason };
        // A loop may come here at each turn; the same fact is noted once.
        if !self.findings.incomplete.as_slice().iter().rev().take(16).any(|known| *known == incomplete) {
            self.findings.incomplete.push(incomplete);
        }
    }

    /// Goes one level deeper, and runs `body` there unless that is too deep.
    pub(crate) fn deeper<R: Default>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= self.options.max_depth {
            self.incomplete(span, IncompleteReason::Depth);
            self.now.status = Status::Unknown;
            return R::default();
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn enter(&mut self, step: Step) -> u32 {
        let outer = self.context;
        let record = ContextRecord { parent: outer, step };
        let last = self.findings.contexts.len() as u32;
        // Most pipelines of a script are reached in the same way: the last context is often the one that is wanted.
        let reuse = self.findings.contexts.last().is_some_and(|known| {
            known.parent == outer && last > 1 && matches!((known.step, step), (Step::Via(a), Step::Via(b)) if a == b)
        });
        if reuse {
            self.context = last - 1;
        } else {
            self.findings.contexts.push(record);
            self.context = last;
        }
        outer
    }

    /// Runs `body` as reached by `step`.
    pub(crate) fn within<R>(&mut self, step: Step, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.enter(step);
        let result = body(self);
        self.context = outer;
        result
    }

    // ---- Texts ----

    fn read_options(&self) -> ReadOptions {
        ReadOptions {
            extglob: self.has(option::EXTGLOB),
            max_depth: self.options.max_depth.saturating_sub(self.depth).max(1),
        }
    }

    /// Reads and runs a text of the store, line by line as bash does.
    pub(crate) fn run_script(&mut self, span: Span) -> Flow {
        let mut reader = Reader::new(span.start, self.read_options());
        loop {
            let mark = self.tree.mark();
            let functions = self.functions.len();
            let line_start = reader.position();
            let found = self.findings.commands.len();
            reader.options = self.read_options();
            self.line += 1;
            let line = reader.next_line(self.store.text(span), self.tree);
            let flow = match line {
                Ok(None) => break,
                Ok(Some(items)) => self.run_list(items),
                Err(fault) => {
                    self.refuse(span, line_start, &fault);
                    break;
                }
            };
            if self.functions.len() == functions {
                self.tree.truncate(mark);
            }
            if self.context == 0 {
                self.sort_commands(found);
            }
            if self.exhausted {
                let rest = Span::new(line_start.min(span.end), span.end);
                self.incomplete(rest, IncompleteReason::Steps);
                return Flow::Dead;
            }
            if flow == Flow::Dead {
                // An error in an expansion ends the line, not the shell.
                let is_shell = self.frames.len() == self.script_frames;
                if !(is_shell && core::mem::take(&mut self.discarded)) {
                    return Flow::Dead;
                }
                self.now.status = Status::Failure(Some(1));
            }
        }
        Flow::Normal
    }

    /// Gives up the present line, as bash does when an expansion fails; inside a subshell, the subshell.
    pub(crate) fn discard_line(&mut self, failure: Failure) -> Flow {
        if failure == Failure::Shell {
            self.now.status = Status::Failure(None);
            return self.leave_shell();
        }
        self.now.status = Status::Failure(Some(1));
        let inside = self.innermost(FrameKind::Shell).is_some_and(|frame| frame >= self.script_frames);
        if inside {
            return self.leave_shell();
        }
        self.discarded = true;
        Flow::Dead
    }

    /// Runs the text of a new shell.
    pub(crate) fn run_shell_script(&mut self, span: Span) -> Flow {
        let outer = core::mem::replace(&mut self.script_frames, self.frames.len());
        let flow = self.run_script(span);
        self.script_frames = outer;
        flow
    }

    /// Notes a line that bash refuses.
    fn refuse(&mut self, text: Span, line_start: u32, fault: &Fault) {
        let rest = Span::new(line_start, text.end.max(line_start));
        if fault.kind == SyntaxErrorKind::TooDeep {
            self.incomplete(rest, IncompleteReason::Depth);
        } else {
            self.incomplete(rest, IncompleteReason::Syntax);
            // The error of a nested text is that text's own: bash runs what stands around it.
            if self.findings.syntax_error.is_none() && self.context == 0 && self.store.is_source(text) {
                self.findings.syntax_error = Some(SyntaxError::from(*fault));
            }
        }
        self.now.status = Status::Failure(Some(2));
    }

    // ---- Lists ----

    pub(crate) fn run_list(&mut self, items: Slice<Item>) -> Flow {
        let mut at = items.start;
        while at < items.end {
            if self.exhausted {
                return Flow::Dead;
            }
            // `set -n` reads on, but runs nothing more, not even `set +n`.
            if self.has(option::NOEXEC) {
                return Flow::Normal;
            }
            let mut last = at;
            let connector = loop {
                let connector = self.tree.get(Id::<Item>::new(last)).connector;
                match connector {
                    Connector::And | Connector::Or if last + 1 < items.end => last += 1,
                    other => break other,
                }
            };
            self.settle_directories();
            let flow = if connector == Connector::Background {
                self.run_background(at, last)
            } else {
                self.run_chain(at, last)
            };
            if flow == Flow::Dead {
                return Flow::Dead;
            }
            at = last + 1;
        }
        Flow::Normal
    }

    fn run_background(&mut self, first: u32, last: u32) -> Flow {
        self.within(Step::Via(Via::Background), |this| {
            this.in_child(|this| {
                let input = this.now.input;
                if input == Input::Inherited {
                    this.now.input = Input::Unknown;
                }
                this.run_chain(first, last)
            });
            // What it prints comes at any time.
            if this.now.output == Output::Collected && this.collected() > 0 {
                this.print_unknown();
            }
        });
        self.now.status = Status::Success;
        Flow::Normal
    }

    /// Runs the pipelines `first..=last`, joined by `&&` and `||`.
    fn run_chain(&mut self, first: u32, last: u32) -> Flow {
        let item = self.tree.get(Id::<Item>::new(first));
        let mut flow = self.run_link(&item, first == last);
        let mut connector = item.connector;
        for at in first + 1..=last {
            if flow == Flow::Dead {
                break;
            }
            let item = self.tree.get(Id::<Item>::new(at));
            let on_success = connector == Connector::And;
            connector = item.connector;
            match (self.now.status, on_success) {
                (Status::Success, true) | (Status::Failure(_), false) => {
                    self.assume(on_success);
                    flow = self.run_link(&item, at == last);
                }
                (Status::Success, false) | (Status::Failure(_), true) => {}
                (Status::Unknown, _) => {
                    let fork = self.fork();
                    self.assume(!on_success);
                    let skipped = self.now;
                    self.now = fork.before;
                    self.assume(on_success);
                    if self.run_link(&item, at == last) == Flow::Dead {
                        self.restore(&fork);
                        self.now = skipped;
                    } else {
                        self.join_skipped(&fork, skipped);
                    }
                    self.names.release(fork.mark);
                }
            }
        }
        flow
    }

    /// Runs one pipeline of a chain; only the last one's failure counts for `set -e`.
    fn run_link(&mut self, item: &Item, is_last: bool) -> Flow {
        if !is_last || item.negated {
            self.tested += 1;
            let flow = self.run_item(item);
            self.tested -= 1;
            return flow;
        }
        let flow = self.run_item(item);
        if flow == Flow::Normal && self.has(option::ERREXIT) && self.ends_under_errexit(item) {
            self.check_errexit()
        } else {
            flow
        }
    }

    /// Returns whether `set -e` looks at the status of this pipeline (bash manual, «The Set Builtin»).
    fn ends_under_errexit(&self, item: &Item) -> bool {
        let mut commands = self.tree.slice(item.commands).iter();
        match (commands.next(), commands.next()) {
            (Some(only), None) => matches!(
                only.kind,
                CommandKind::Simple { .. }
                    | CommandKind::Subshell { .. }
                    | CommandKind::Condition { .. }
                    | CommandKind::Arithmetic { .. }
            ),
            _ => true,
        }
    }

    fn check_errexit(&mut self) -> Flow {
        if self.tested > 0 {
            return Flow::Normal;
        }
        match self.now.status {
            Status::Success => Flow::Normal,
            Status::Failure(_) => self.leave_shell(),
            // Whatever comes next runs only if it succeeded.
            Status::Unknown => {
                let here = self.now;
                self.assume(false);
                self.leave_shell();
                self.now = here;
                self.assume(true);
                Flow::Normal
            }
        }
    }

    /// Runs one pipeline.
    fn run_item(&mut self, item: &Item) -> Flow {
        let flow = if item.commands.len() == 1 {
            match item.commands.first() {
                Some(id) => self.run_command(id),
                None => Flow::Normal,
            }
        } else {
            self.run_pipeline(item)
        };
        if item.negated {
            self.now.status = self.now.status.negate();
        }
        flow
    }

    fn run_pipeline(&mut self, item: &Item) -> Flow {
        let outer = self.enter(Step::Via(Via::Pipe));
        let lastpipe = self.has(option::LASTPIPE);
        let pipefail = self.has(option::PIPEFAIL);
        let before = self.now;
        let mut input = before.input;
        let mut failed = Status::Success;
        let mut flow = Flow::Normal;
        let count = item.commands.len();
        for (index, id) in item.commands.ids().enumerate() {
            let is_last = index + 1 == count;
            self.now = Scalars { input, ..before };
            if is_last {
                if lastpipe {
                    flow = self.run_command(id);
                    self.now.input = before.input;
                } else {
                    self.in_child(|this| this.run_command(id));
                }
            } else {
                let pipes_stderr = self.tree.get(id).pipes_stderr;
                let output = self.collect(|this| {
                    this.in_child(|this| this.run_command(id));
                    if pipes_stderr {
                        this.print_unknown();
                    }
                });
                input = Input::Text(output);
            }
            if pipefail {
                failed = match self.now.status {
                    Status::Success => failed,
                    status => failed.join_failure(status),
                };
            }
        }
        self.context = outer;
        if pipefail {
            self.now.status = failed;
        }
        if !lastpipe {
            self.now = Scalars { status: self.now.status, ..before };
        }
        flow
    }

    // ---- Branches ----

    /// Marks the state before something that may or may not happen.
    ///
    /// The caller ends with [`Names::release`] of the fork's mark.
    pub(crate) fn fork(&mut self) -> Fork {
        Fork { mark: self.names.mark(), before: self.now, collected: self.collected() }
    }

    /// Goes back to the state at the fork.
    pub(crate) fn restore(&mut self, fork: &Fork) {
        self.names.rewind(fork.mark);
        self.now = fork.before;
        self.truncate_output(fork.collected);
    }

    /// Takes the present state as the end of one branch, and goes back to the fork.
    pub(crate) fn take_branch(&mut self, fork: &Fork) -> Branch {
        let branch = self.branch_since(fork.mark, fork.collected);
        self.restore(fork);
        branch
    }

    fn branch_since(&mut self, mark: Mark, collected: usize) -> Branch {
        self.step(self.names.changes_since(mark) as u64);
        let output = self.captures.last().and_then(|text| text.get(collected..)).unwrap_or("");
        let output = if self.now.output == Output::Collected { String::from(output) } else { String::new() };
        self.step(output.len() as u64);
        Branch { now: self.now, changes: self.names.capture(mark), output }
    }

    /// Puts the state that a branch ended in.
    fn put_branch(&mut self, fork: &Fork, branch: &Branch) {
        for (id, slot) in &branch.changes {
            self.names.set(*id, slot.clone());
        }
        self.put_scalars(fork, branch);
    }

    fn put_scalars(&mut self, fork: &Fork, branch: &Branch) {
        self.now = branch.now;
        self.truncate_output(fork.collected);
        if branch.now.output == Output::Collected && let Some(text) = self.captures.last_mut() {
            text.push_str(&branch.output);
        }
    }

    /// Joins the present state with that of a branch that began at the same mark.
    fn join_branch(&mut self, mark: Mark, collected: usize, branch: &Branch) {
        self.step(self.names.changes_since(mark) as u64 + branch.changes.len() as u64);
        self.names.join(mark, &branch.changes);
        self.now = self.join_scalars(self.now, branch.now);
        if self.now.output == Output::Collected {
            let same = self.captures.last().and_then(|text| text.get(collected..)) == Some(branch.output.as_str());
            if !same {
                self.truncate_output(collected);
                self.print_unknown();
            }
        }
    }

    /// Joins the present state with the state at the fork, where `skipped` is all that differs from then.
    fn join_skipped(&mut self, fork: &Fork, skipped: Scalars) {
        if self.names.changes_since(fork.mark) > 0 {
            self.step(self.names.changes_since(fork.mark) as u64);
            self.names.join(fork.mark, &[]);
        }
        self.now = self.join_scalars(self.now, skipped);
        if self.collected() > fork.collected {
            self.truncate_output(fork.collected);
            self.print_unknown();
        }
    }

    /// Takes the branches of a fork together; dead when none came to its end.
    fn join_all(&mut self, fork: &Fork, branches: &[Branch]) -> Flow {
        let flow = match branches.split_first() {
            None => Flow::Dead,
            Some((first, rest)) => {
                self.put_branch(fork, first);
                for branch in rest {
                    self.join_branch(fork.mark, fork.collected, branch);
                }
                Flow::Normal
            }
        };
        self.names.release(fork.mark);
        flow
    }

    fn join_scalars(&mut self, a: Scalars, b: Scalars) -> Scalars {
        if a == b {
            return a;
        }
        // In which directory the shell is when the status is success, is told by the branches that can succeed.
        let side = |this: &mut Self, possible: fn(Status) -> bool, of: fn(&Scalars) -> DirectorySet| {
            match (possible(a.status), possible(b.status)) {
                (true, false) => of(&a),
                (false, true) => of(&b),
                _ => this.union_directories(of(&a), of(&b)),
            }
        };
        let on_success = side(self, Status::may_succeed, |scalars| scalars.on_success);
        let on_failure = side(self, Status::may_fail, |scalars| scalars.on_failure);
        let positional = if a.positional == b.positional { a.positional } else { self.open_positional() };
        Scalars {
            status: a.status.join(b.status),
            on_success,
            on_failure,
            // What makes bash do less (`set -e`, `set -n`, `set -f`) holds only when it holds in both.
            options: a.options & b.options,
            positional,
            previous: if a.previous == b.previous { a.previous } else { DirectorySet::default() },
            stack: if a.stack == b.stack { a.stack } else { 0 },
            input: if a.input == b.input { a.input } else { Input::Unknown },
            output: a.output,
            descriptors: a.descriptors | b.descriptors,
            level: a.level,
        }
    }

    /// Takes the status of the last command to be success, or failure.
    pub(crate) fn assume(&mut self, success: bool) {
        let directories = if success { self.now.on_success } else { self.now.on_failure };
        self.now.on_success = directories;
        self.now.on_failure = directories;
        self.now.status = match (success, self.now.status) {
            (true, _) => Status::Success,
            (false, failure @ Status::Failure(_)) => failure,
            (false, _) => Status::Failure(None),
        };
    }

    /// Forgets which directory goes with which status of the last command.
    pub(crate) fn settle_directories(&mut self) {
        let Scalars { status, on_success, on_failure, .. } = self.now;
        if on_success != on_failure {
            let both = match status {
                Status::Success => on_success,
                Status::Failure(_) => on_failure,
                Status::Unknown => self.union_directories(on_success, on_failure),
            };
            self.now.on_success = both;
            self.now.on_failure = both;
        }
    }

    /// Runs code that may or may not run, when nothing about its state matters afterwards but that it may have run.
    pub(crate) fn maybe(&mut self, body: impl FnOnce(&mut Self) -> Flow) {
        let fork = self.fork();
        let flow = body(self);
        if flow == Flow::Dead {
            self.restore(&fork);
        } else {
            self.join_skipped(&fork, fork.before);
        }
        self.names.release(fork.mark);
    }

    /// Runs code in a child process: nothing of its state comes back but the status.
    pub(crate) fn in_child(&mut self, body: impl FnOnce(&mut Self) -> Flow) {
        let mark = self.names.mark();
        let before = self.now;
        let (leaves, collected) = (self.leaves.len(), self.collected());
        self.frames.push(Frame { kind: FrameKind::Shell, mark, collected });
        let flow = body(self);
        self.run_exit_trap();
        let frame = self.frames.len().saturating_sub(1);
        // A shell that was left by `exit` on every path has no status of its own end.
        let mut status = (flow == Flow::Normal).then_some(self.now.status);
        let mut index = leaves.min(self.leaves.len());
        while index < self.leaves.len() {
            if self.leaves.get(index).is_some_and(|leave| leave.frame == frame) {
                let left = self.leaves.remove(index).branch.now.status;
                status = Some(status.map_or(left, |known| known.join(left)));
            } else {
                index += 1;
            }
        }
        self.frames.pop();
        self.names.rewind(mark);
        self.names.release(mark);
        self.now = Scalars { status: status.unwrap_or(Status::Unknown), ..before };
    }

    // ---- Leaving constructs ----

    /// Leaves the construct at `frame` with the present state. `again`: for its next turn.
    fn leave(&mut self, frame: usize, again: bool) -> Flow {
        if let Some(Frame { mark, collected, .. }) = self.frames.get(frame).copied() {
            let branch = self.branch_since(mark, collected);
            self.leaves.push(Leave { frame, again, branch });
        }
        Flow::Dead
    }

    fn innermost(&self, kind: FrameKind) -> Option<usize> {
        let at = self.frames.iter().rposition(|frame| frame.kind == kind || frame.kind == FrameKind::Shell)?;
        self.frames.get(at).filter(|frame| frame.kind == kind).map(|_| at)
    }

    /// `exit`, or a failure under `set -e`.
    pub(crate) fn leave_shell(&mut self) -> Flow {
        match self.innermost(FrameKind::Shell) {
            Some(frame) => self.leave(frame, false),
            None => Flow::Dead,
        }
    }

    /// `return`; `None` outside of functions and sourced files.
    pub(crate) fn leave_function(&mut self) -> Option<Flow> {
        let frame = self.innermost(FrameKind::Function)?;
        Some(self.leave(frame, false))
    }

    /// `break` (`again` false) and `continue` out of `count` loops; `None` outside of loops.
    pub(crate) fn leave_loops(&mut self, count: u32, again: bool) -> Option<Flow> {
        let mut wanted = count.max(1);
        let mut found = None;
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if frame.kind != FrameKind::Loop {
                break;
            }
            found = Some(at);
            wanted -= 1;
            if wanted == 0 {
                break;
            }
        }
        found.map(|frame| self.leave(frame, again))
    }

    /// Joins the states in which the innermost frame was left into the present one, which counts when `flow` is normal.
    fn join_leaves(&mut self, again: bool, flow: Flow) -> Flow {
        let at = self.frames.len().saturating_sub(1);
        let Some(frame) = self.frames.last().copied() else { return flow };
        if self.leaves.is_empty() {
            return flow;
        }
        let mut flow = flow;
        let mut index = 0;
        while index < self.leaves.len() {
            if self.leaves.get(index).is_some_and(|leave| leave.frame == at && leave.again == again) {
                let leave = self.leaves.remove(index);
                if flow == Flow::Dead {
                    // Marks inside the construct stay in force, so the journal is not rewound: the state is set anew.
                    self.names.put(frame.mark, &leave.branch.changes);
                    let fork = Fork { mark: frame.mark, before: self.now, collected: frame.collected };
                    self.put_scalars(&fork, &leave.branch);
                    flow = Flow::Normal;
                } else {
                    self.join_branch(frame.mark, frame.collected, &leave.branch);
                }
            } else {
                index += 1;
            }
        }
        flow
    }

    /// Runs `body` in a frame that it can leave, and joins the states that left it.
    pub(crate) fn framed(&mut self, kind: FrameKind, body: impl FnOnce(&mut Self) -> Flow) -> Flow {
        let mark = self.names.mark();
        let collected = self.collected();
        self.frames.push(Frame { kind, mark, collected });
        let flow = body(self);
        let flow = self.join_leaves(false, flow);
        self.frames.pop();
        self.names.release(mark);
        flow
    }

    // ---- Output ----

    /// How much output the innermost collector holds.
    pub(crate) fn collected(&self) -> usize {
        self.captures.last().map_or(0, String::len)
    }

    fn truncate_output(&mut self, len: usize) {
        if let Some(text) = self.captures.last_mut() {
            text.truncate(len);
        }
    }

    /// Collects what `body` prints.
    pub(crate) fn collect(&mut self, body: impl FnOnce(&mut Self)) -> Span {
        let capture = self.spare_captures.pop().unwrap_or_default();
        self.captures.push(capture);
        let outer = core::mem::replace(&mut self.now.output, Output::Collected);
        body(self);
        self.now.output = outer;
        let mut text = self.captures.pop().unwrap_or_default();
        self.step(text.len() as u64 / 16);
        let output = match text.as_str() {
            "" => Span::default(),
            crate::store::HOLE_TEXT => self.hole(),
            known => self.store.keep(known),
        };
        text.clear();
        self.spare_captures.push(text);
        output
    }

    /// Prints text to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        if self.now.output == Output::Collected
            && self.step(text.len() as u64 / 16 + 1)
            && let Some(capture) = self.captures.last_mut()
        {
            capture.push_str(text);
        }
    }

    /// Prints something that is not known.
    pub(crate) fn print_unknown(&mut self) {
        if self.now.output == Output::Collected
            && let Some(capture) = self.captures.last_mut()
            && !capture.ends_with(HOLE)
        {
            capture.push(HOLE);
        }
    }

    // ---- Commands ----

    pub(crate) fn run_command(&mut self, id: Id<Command>) -> Flow {
        let command = self.tree.get(id);
        if !self.step(1) {
            return Flow::Dead;
        }
        if let CommandKind::Simple { assignments, words } = command.kind {
            return self.run_simple(&command, assignments, words);
        }
        if let CommandKind::Function { name, body } = command.kind {
            self.define_function(name, body);
            return Flow::Normal;
        }
        self.deeper(command.span, |this| {
            if command.redirections.is_empty() {
                return this.run_compound(&command);
            }
            let outer = this.now;
            let first = this.findings.redirections.len() as u32;
            let opened = this.redirect(command.redirections);
            this.emit_redirections(&command, first);
            let flow = if opened == Status::Failure(Some(1)) {
                this.now.status = opened;
                Flow::Normal
            } else {
                this.run_compound(&command)
            };
            this.now.input = outer.input;
            this.now.output = outer.output;
            this.now.descriptors = outer.descriptors;
            if opened == Status::Unknown && flow == Flow::Normal {
                this.now.status = this.now.status.join(Status::Failure(Some(1)));
            }
            flow
        })
    }

    fn run_compound(&mut self, command: &Command) -> Flow {
        let flow = self.run_compound_kind(command);
        match self.failed.take() {
            None => flow,
            Some(_) if matches!(command.kind, CommandKind::Condition { .. } | CommandKind::Arithmetic { .. }) => {
                self.now.status = Status::Failure(Some(1));
                flow
            }
            Some(failure) if flow == Flow::Normal => self.discard_line(failure),
            Some(_) => flow,
        }
    }

    fn run_compound_kind(&mut self, command: &Command) -> Flow {
        match command.kind {
            CommandKind::Simple { .. } | CommandKind::Function { .. } => Flow::Normal,
            CommandKind::Group { body } => self.run_list(body),
            CommandKind::Subshell { body } => {
                self.within(Step::Via(Via::Subshell), |this| {
                    this.in_child(|this| this.run_list(body));
                });
                Flow::Normal
            }
            CommandKind::If { clauses, otherwise } => self.run_if(clauses, otherwise),
            CommandKind::Loop { condition, body, until } => self.run_while(condition, body, until),
            CommandKind::For { name, words, body } => self.run_for(name, words, body),
            CommandKind::ForArithmetic { header, body } => self.run_for_arithmetic(header, body),
            CommandKind::Select { name, words, body } => self.run_select(name, words, body),
            CommandKind::Case { word, arms } => self.run_case(word, arms),
            CommandKind::Condition { condition } => {
                self.now.status = self.judge_condition(condition);
                Flow::Normal
            }
            CommandKind::Arithmetic { arithmetic } => {
                let expression = self.tree.get(arithmetic).expression;
                self.now.status = match self.evaluate_arithmetic(expression) {
                    Ok(Some(value)) => Status::from_bool(value != 0),
                    Ok(None) => Status::Unknown,
                    Err(()) => Status::Failure(Some(1)),
                };
                Flow::Normal
            }
            CommandKind::Coprocess { body } => {
                self.within(Step::Via(Via::Coprocess), |this| {
                    this.in_child(|this| {
                        this.now.input = Input::Unknown;
                        this.now.output = Output::Elsewhere;
                        this.run_command(body)
                    });
                });
                self.now.status = Status::Success;
                Flow::Normal
            }
        }
    }

    fn run_tested(&mut self, condition: Slice<Item>) -> Flow {
        self.tested += 1;
        let flow = self.run_list(condition);
        self.tested -= 1;
        flow
    }

    fn run_if(&mut self, clauses: Slice<crate::syntax::Clause>, otherwise: Option<Slice<Item>>) -> Flow {
        let fork = self.fork();
        let mut branches: Vec<Branch> = Vec::new();
        // The present state is always that in which every condition so far was false.
        for id in clauses.ids() {
            let clause = self.tree.get(id);
            if self.run_tested(clause.condition) == Flow::Dead {
                return self.join_ifs(&fork, &branches);
            }
            match self.now.status {
                Status::Success => {
                    self.assume(true);
                    if self.run_list(clause.body) == Flow::Normal {
                        if branches.is_empty() {
                            self.names.release(fork.mark);
                            return Flow::Normal;
                        }
                        let branch = self.branch_since(fork.mark, fork.collected);
                        branches.push(branch);
                    }
                    return self.join_ifs(&fork, &branches);
                }
                Status::Failure(_) => self.assume(false),
                Status::Unknown => {
                    let inner = self.fork();
                    self.assume(true);
                    if self.run_list(clause.body) == Flow::Normal {
                        let branch = self.branch_since(fork.mark, fork.collected);
                        branches.push(branch);
                    }
                    self.restore(&inner);
                    self.names.release(inner.mark);
                    self.assume(false);
                }
            }
        }
        self.now.status = Status::Success;
        if let Some(body) = otherwise
            && self.run_list(body) == Flow::Dead
        {
            return self.join_ifs(&fork, &branches);
        }
        if branches.is_empty() {
            self.names.release(fork.mark);
            return Flow::Normal;
        }
        for branch in &branches {
            self.join_branch(fork.mark, fork.collected, branch);
        }
        self.names.release(fork.mark);
        Flow::Normal
    }

    fn join_ifs(&mut self, fork: &Fork, branches: &[Branch]) -> Flow {
        self.names.rewind(fork.mark);
        self.join_all(fork, branches)
    }

    fn run_case(&mut self, word: Id<Word>, arms: Slice<crate::syntax::Arm>) -> Flow {
        use crate::syntax::ArmEnd;
        let subject = self.expand_to_text(word);
        let fork = self.fork();
        let mut branches: Vec<Branch> = Vec::new();
        self.now.status = Status::Success;
        let mut falling = false;
        for id in arms.ids() {
            let arm = self.tree.get(id);
            let matched = if falling { Some(true) } else { self.matches_any(subject, arm.patterns) };
            falling = false;
            match matched {
                Some(false) => {}
                Some(true) => {
                    let flow = self.run_list(arm.body);
                    if flow == Flow::Dead {
                        return self.join_ifs(&fork, &branches);
                    }
                    match arm.end {
                        ArmEnd::Break => {
                            for branch in &branches {
                                self.join_branch(fork.mark, fork.collected, branch);
                            }
                            self.names.release(fork.mark);
                            return Flow::Normal;
                        }
                        ArmEnd::FallThrough => falling = true,
                        ArmEnd::Continue => {}
                    }
                }
                None => {
                    let inner = self.fork();
                    let flow = self.run_list(arm.body);
                    match (flow, arm.end) {
                        (Flow::Normal, ArmEnd::Break) => {
                            let branch = self.branch_since(fork.mark, fork.collected);
                            branches.push(branch);
                            self.restore(&inner);
                        }
                        // Where it goes on, it goes on either way.
                        (Flow::Normal, ArmEnd::FallThrough) => {
                            self.join_skipped(&inner, inner.before);
                            self.names.release(inner.mark);
                            self.run_maybe_arms(arms, id.index + 1);
                            continue;
                        }
                        (Flow::Normal, ArmEnd::Continue) => self.join_skipped(&inner, inner.before),
                        _ => self.restore(&inner),
                    }
                    self.names.release(inner.mark);
                }
            }
        }
        for branch in &branches {
            self.join_branch(fork.mark, fork.collected, branch);
        }
        self.names.release(fork.mark);
        Flow::Normal
    }

    /// Runs the arm at `index` and those it falls through to, which may or may not run.
    fn run_maybe_arms(&mut self, arms: Slice<crate::syntax::Arm>, index: u32) {
        for at in index..arms.end {
            let arm = self.tree.get(Id::<crate::syntax::Arm>::new(at));
            self.maybe(|this| this.run_list(arm.body));
            if arm.end != crate::syntax::ArmEnd::FallThrough {
                break;
            }
        }
    }

    // ---- Loops ----

    fn run_for(&mut self, name: Span, words: Option<Slice<Word>>, body: Slice<Item>) -> Flow {
        let base = self.work.len();
        match words {
            Some(words) => {
                for id in words.ids() {
                    self.expand_word(id);
                }
            }
            None => self.expand_positionals(name),
        }
        let end = self.work.len();
        let name = self.name_of(name);
        if !crate::parameter::is_name(&name) {
            self.work.truncate(base);
            self.now.status = Status::Failure(Some(1));
            return Flow::Normal;
        }
        self.repeating += 1;
        let flow = self.framed(FrameKind::Loop, |this| {
            this.now.status = Status::Success;
            let mut turns = 0;
            for at in base..end {
                let Some(field) = this.work.get(at) else { break };
                turns += 1;
                let exact = field.kind == FieldKind::Known || (field.kind == FieldKind::Pattern && !field.splice);
                if turns > MAX_TURNS || !this.step(1) {
                    let flow = this.run_open_turns(&name, body);
                    return flow;
                }
                let value = if field.kind == FieldKind::Known { field.value } else { this.field_text(&field) };
                if exact && field.kind == FieldKind::Known {
                    this.assign_text(&name, value);
                    if this.run_turn(body) == Flow::Dead {
                        return Flow::Dead;
                    }
                } else if field.splice || field.kind == FieldKind::Pattern {
                    // Any number of turns, with values that are not known.
                    let flow = this.run_unknown_turns(&name, value, body);
                    if flow == Flow::Dead {
                        return Flow::Dead;
                    }
                } else {
                    this.assign_text(&name, value);
                    if this.run_turn(body) == Flow::Dead {
                        return Flow::Dead;
                    }
                }
            }
            Flow::Normal
        });
        self.repeating -= 1;
        self.work.truncate(base);
        flow
    }

    /// Runs a loop's body once; `continue` ends the turn.
    fn run_turn(&mut self, body: Slice<Item>) -> Flow {
        let flow = self.run_list(body);
        self.join_leaves(true, flow)
    }

    /// Runs the body for a stretch of words of which neither number nor values are known; `value` is what one is.
    fn run_unknown_turns(&mut self, name: &str, value: Span, body: Slice<Item>) -> Flow {
        let fork = self.fork();
        self.assign_text(name, value);
        let flow = self.run_turn(body);
        if flow == Flow::Dead {
            self.restore(&fork);
            self.names.release(fork.mark);
            return Flow::Normal;
        }
        if self.changed_since(&fork, name) {
            self.widen(&fork);
            self.assign_text(name, value);
            if self.run_turn(body) == Flow::Dead {
                self.restore(&fork);
                self.names.release(fork.mark);
                return Flow::Normal;
            }
            self.widen(&fork);
        }
        self.join_skipped(&fork, fork.before);
        self.names.release(fork.mark);
        Flow::Normal
    }

    /// Runs the remaining turns of a long loop at once.
    fn run_open_turns(&mut self, name: &str, body: Slice<Item>) -> Flow {
        let hole = self.hole();
        self.run_unknown_turns(name, hole, body)
    }

    /// Returns whether a turn changed anything but the loop's own variable and the status.
    fn changed_since(&self, fork: &Fork, name: &str) -> bool {
        let own = self.names.find(Namespace::Variable, name);
        let scalars = Scalars { status: fork.before.status, ..self.now };
        self.names.differs(fork.mark, own) || scalars != fork.before || self.collected() != fork.collected
    }

    /// Takes everything that was changed since the fork as unknown, as after any number of turns.
    fn widen(&mut self, fork: &Fork) {
        self.step(self.names.changes_since(fork.mark) as u64);
        for (id, slot) in self.names.capture(fork.mark) {
            if !matches!(slot.value, Value::Functions(_)) {
                self.names.set(id, Slot { value: Value::Unknown, ..slot });
            }
        }
        if self.now.positional != fork.before.positional {
            self.now.positional = self.open_positional();
        }
        if self.now.input != fork.before.input {
            self.now.input = Input::Unknown;
        }
        self.settle_directories();
        let before = self.union_directories(fork.before.on_success, fork.before.on_failure);
        if self.now.on_success != before {
            let open = self.unknown_directory();
            let both = self.union_directories(before, self.now.on_success);
            let all = self.union_directories(both, open);
            self.now.on_success = all;
            self.now.on_failure = all;
        }
        if self.collected() > fork.collected {
            self.truncate_output(fork.collected);
            self.print_unknown();
        }
        self.now.status = Status::Unknown;
    }

    fn run_while(&mut self, condition: Slice<Item>, body: Slice<Item>, until: bool) -> Flow {
        self.run_loop(
            body,
            &mut |this| {
                if this.run_tested(condition) == Flow::Dead {
                    return None;
                }
                Some(if until { this.now.status.negate() } else { this.now.status })
            },
            until,
            &mut |_| {},
        )
    }

    fn run_for_arithmetic(&mut self, header: Id<crate::syntax::ForHeader>, body: Slice<Item>) -> Flow {
        let header = self.tree.get(header);
        let truth = |this: &mut Self, id: Id<Word>, blank: Status| {
            if this.is_blank(id) {
                return blank;
            }
            match this.evaluate_arithmetic(id) {
                Ok(Some(value)) => Status::from_bool(value != 0),
                Ok(None) => Status::Unknown,
                Err(()) => Status::Failure(Some(1)),
            }
        };
        truth(self, header.init, Status::Success);
        self.run_loop(
            body,
            &mut |this| Some(truth(this, header.test, Status::Success)),
            false,
            &mut |this| {
                truth(this, header.step, Status::Success);
            },
        )
    }

    /// Runs a loop whose condition is evaluated before each turn, and `step` after it.
    fn run_loop(
        &mut self,
        body: Slice<Item>,
        condition: &mut dyn FnMut(&mut Self) -> Option<Status>,
        until: bool,
        step: &mut dyn FnMut(&mut Self),
    ) -> Flow {
        self.repeating += 1;
        let flow = self.framed(FrameKind::Loop, |this| {
            let frame = this.frames.len() - 1;
            let mut turns = 0;
            let mut last = Status::Success;
            loop {
                let fork = this.fork();
                let widened = turns > MAX_TURNS;
                if widened {
                    this.names.release(fork.mark);
                    return this.run_widened(frame, body, condition, until, step);
                }
                let Some(holds) = condition(this) else {
                    this.names.release(fork.mark);
                    return Flow::Dead;
                };
                match holds {
                    Status::Failure(_) => {
                        this.settle_directories();
                        this.now.status = last;
                        this.names.release(fork.mark);
                        return Flow::Normal;
                    }
                    Status::Success => this.assume(!until),
                    Status::Unknown => {
                        let here = this.now;
                        this.assume(until);
                        this.now.status = last;
                        this.leave(frame, false);
                        this.now = here;
                        this.assume(!until);
                    }
                }
                if this.run_turn(body) == Flow::Dead {
                    this.names.release(fork.mark);
                    return Flow::Dead;
                }
                last = this.now.status;
                step(this);
                turns += 1;
                let unchanged = !this.changed_since(&fork, "");
                if holds == Status::Unknown && !unchanged {
                    // The first turn was followed exactly; what later turns see is not known.
                    this.widen(&fork);
                    this.names.release(fork.mark);
                    return this.run_widened(frame, body, condition, until, step);
                }
                this.names.release(fork.mark);
                if unchanged || !this.step(1) {
                    // Every further turn is like this one: the loop ends through its leaves, or never.
                    return Flow::Dead;
                }
            }
        });
        self.repeating -= 1;
        flow
    }

    /// Runs a turn that stands for all later ones.
    fn run_widened(
        &mut self,
        frame: usize,
        body: Slice<Item>,
        condition: &mut dyn FnMut(&mut Self) -> Option<Status>,
        until: bool,
        step: &mut dyn FnMut(&mut Self),
    ) -> Flow {
        let Some(Frame { mark, collected, .. }) = self.frames.get(frame).copied() else { return Flow::Dead };
        let start = Fork { mark, before: self.now, collected };
        self.widen(&start);
        if condition(self).is_none() {
            return Flow::Dead;
        }
        let here = self.now;
        self.assume(until);
        self.now.status = Status::Unknown;
        self.leave(frame, false);
        self.now = here;
        self.assume(!until);
        if self.run_turn(body) == Flow::Normal {
            step(self);
            self.widen(&start);
            self.leave(frame, false);
        }
        Flow::Dead
    }

    fn run_select(&mut self, name: Span, words: Option<Slice<Word>>, body: Slice<Item>) -> Flow {
        let base = self.work.len();
        match words {
            Some(words) => {
                for id in words.ids() {
                    self.expand_word(id);
                }
            }
            None => self.expand_positionals(name),
        }
        let values: Vec<Field> = self.work.as_slice().get(base..).unwrap_or(&[]).to_vec();
        self.work.truncate(base);
        let name = self.name_of(name);
        // With no words nothing is asked.
        if values.is_empty() {
            self.now.status = Status::Success;
            return Flow::Normal;
        }
        let mut ended = false;
        let flow = self.run_loop(
            body,
            &mut |this| {
                let reply = this.read_line();
                let (status, value) = match &reply {
                    crate::command::Line::Text(text) => {
                        let chosen = text.trim().parse::<usize>().ok().and_then(|number| {
                            values.get(number.checked_sub(1)?).filter(|field| field.kind == FieldKind::Known)
                        });
                        let exact = values.iter().all(|field| field.kind == FieldKind::Known);
                        let value = match chosen {
                            Some(field) => field.value,
                            None if exact => Span::default(),
                            None => this.hole(),
                        };
                        (Status::Success, value)
                    }
                    crate::command::Line::End => {
                        ended = true;
                        (Status::Failure(Some(1)), Span::default())
                    }
                    crate::command::Line::Unknown => (Status::Unknown, this.hole()),
                };
                this.assign_text(&name, value);
                this.now.status = status;
                Some(status)
            },
            false,
            &mut |_| {},
        );
        if ended && flow == Flow::Normal {
            self.now.status = Status::Failure(Some(1));
        }
        flow
    }

    // ---- Substitutions ----

    /// Runs a command substitution and returns its output, trailing newlines taken off.
    pub(crate) fn substitute(&mut self, id: Id<Substitution>) -> Span {
        use crate::syntax::SubstitutionForm;
        let substitution = self.tree.get(id);
        let via = match substitution.form {
            SubstitutionForm::Dollar => Via::CommandSubstitution,
            SubstitutionForm::Backquote { .. } => Via::Backquote,
            SubstitutionForm::ProcessIn | SubstitutionForm::ProcessOut => Via::ProcessSubstitution,
        };
        let before = self.now;
        let tested = self.tested;
        let mut output = Span::default();
        let saved_status = self.substitution_status.take();
        let compounds = core::mem::take(&mut self.compounds);
        self.within(Step::Via(via), |this| {
            this.deeper(substitution.span, |this| {
                // Unless inherit_errexit is on, `set -e` is off inside.
                if !this.has(option::INHERIT_ERREXIT | option::POSIX) {
                    this.now.options &= !option::ERREXIT;
                }
                output = this.collect(|this| {
                    this.in_child(|this| {
                        if substitution.form == SubstitutionForm::ProcessOut {
                            this.now.input = Input::Unknown;
                        }
                        match substitution.form {
                            SubstitutionForm::Backquote { in_double_quotes } => {
                                this.run_backquoted(&substitution, in_double_quotes)
                            }
                            _ if this.is_file_read(&substitution) => Flow::Normal,
                            _ => this.run_list(substitution.body),
                        }
                    });
                });
                if this.is_exhausted() {
                    output = this.hole();
                }
            });
        });
        self.compounds = compounds;
        self.substitution_status = saved_status;
        self.tested = tested;
        let status = self.now.status;
        self.now = before;
        self.substitution_status = Some(status);
        let text = self.store.text(output);
        if text.contains('\0') {
            // bash leaves them out.
            let kept = text.replace('\0', "");
            return self.store.keep(kept.trim_end_matches('\n'));
        }
        let trimmed = text.trim_end_matches('\n').len() as u32;
        Span::new(output.start, output.start + trimmed)
    }

    fn run_backquoted(&mut self, substitution: &Substitution, in_double_quotes: bool) -> Flow {
        let raw = String::from(self.store.text(substitution.text));
        if raw.trim_start().strip_prefix('<').is_some_and(|rest| !rest.contains(['<', '\n', ';', '|', '&'])) {
            // `< file`: prints the file.
            self.print_unknown();
        }
        if !raw.contains('\\') {
            return self.run_script(substitution.text);
        }
        let mut text = String::with_capacity(raw.len());
        let mut chars = raw.chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some(c @ ('$' | '`' | '\\')) => text.push(c),
                Some('"') if in_double_quotes => text.push('"'),
                Some(c) => {
                    text.push('\\');
                    text.push(c);
                }
                None => text.push('\\'),
            }
        }
        self.step(text.len() as u64);
        let span = self.store.keep(&text);
        self.with_origin(self.source_span(substitution.span), |this| this.run_script(span))
    }

    /// Runs `body` where everything in derived text is carried by `origin`.
    pub(crate) fn with_origin<R>(&mut self, origin: Span, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.origin.replace(origin);
        let result = body(self);
        self.origin = outer;
        result
    }

    /// `$(< file)`: prints the file.
    fn is_file_read(&mut self, substitution: &Substitution) -> bool {
        let [item] = self.tree.slice(substitution.body) else { return false };
        let [command] = self.tree.slice(item.commands) else { return false };
        let CommandKind::Simple { assignments, words } = command.kind else { return false };
        if !assignments.is_empty() || !words.is_empty() || command.redirections.len() != 1 {
            return false;
        }
        let redirections = command.redirections;
        let is_read = self.tree.slice(redirections).iter().all(|redirection| {
            matches!(
                redirection.operator,
                crate::syntax::RedirectionOperator::Input | crate::syntax::RedirectionOperator::HereString
            )
        });
        if is_read && self.tree.slice(redirections).iter().all(|r| r.operator == crate::syntax::RedirectionOperator::Input) {
            self.redirect(redirections);
            self.print_unknown();
            self.now.status = Status::Unknown;
        }
        is_read
    }

    // ---- Functions ----

    fn define_function(&mut self, name: Span, body: Id<Command>) {
        let id = self.functions.len() as FunctionId;
        self.functions.push(Function { body, origin: self.origin, called_by_unknown: false });
        let name = self.name_of(name);
        let slot = self.names.intern(Namespace::Function, &name);
        let value = Value::Functions(Rc::from([id]));
        self.names.set(slot, Slot { value, attributes: 0, level: self.now.level });
        self.now.status = Status::Success;
    }

    /// Calls a function with the given positional parameters.
    pub(crate) fn call_function(&mut self, id: FunctionId, positional: Positional) -> Flow {
        let Some(function) = self.functions.get(id as usize).copied() else { return Flow::Normal };
        let span = self.tree.get(function.body).span;
        let outer_positional = self.now.positional;
        let outer_origin = core::mem::replace(&mut self.origin, function.origin);
        let locals = self.locals.len();
        self.calls += 1;
        self.repeating += 1;
        let flow = self.within(Step::Via(Via::Function), |this| {
            this.deeper(span, |this| {
                this.now.positional = this.add_positional(positional);
                this.framed(FrameKind::Function, |this| this.run_command(function.body))
            })
        });
        self.repeating -= 1;
        self.calls -= 1;
        self.origin = outer_origin;
        while self.locals.len() > locals {
            if let Some((_, slot, old)) = self.locals.pop() {
                self.names.set(slot, old);
            }
        }
        self.now.positional = outer_positional;
        flow
    }

    /// Something unknown is run: it may be a call of any function, with any arguments.
    pub(crate) fn run_anything(&mut self) {
        let ids: Vec<FunctionId> = self
            .names
            .all(Namespace::Function)
            .filter_map(|(_, _, slot)| match &slot.value {
                Value::Functions(list) => Some(list.clone()),
                _ => None,
            })
            .flat_map(|list| list.to_vec())
            .collect();
        for id in ids {
            let Some(function) = self.functions.get_mut(id as usize) else { continue };
            if core::mem::replace(&mut function.called_by_unknown, true) {
                continue;
            }
            let hole = self.hole();
            let positional = Positional { zero: hole, values: Rc::from([]), open: true };
            self.maybe(|this| {
                this.in_child(|this| this.call_function(id, positional));
                Flow::Normal
            });
        }
    }

    pub(crate) fn add_positional(&mut self, positional: Positional) -> u32 {
        if self.positionals.is_empty() {
            // The first set is that of the whole text: whatever the host gives.
            let hole = self.hole();
            self.positionals.push(Positional { zero: hole, values: Rc::from([]), open: true });
        }
        self.positionals.push(positional);
        self.positionals.len() as u32 - 1
    }

    fn open_positional(&mut self) -> u32 {
        let hole = self.hole();
        self.add_positional(Positional { zero: hole, values: Rc::from([]), open: true })
    }

    pub(crate) fn positional(&mut self) -> Positional {
        if let Some(positional) = self.positionals.get(self.now.positional as usize) {
            return positional.clone();
        }
        let hole = self.hole();
        Positional { zero: hole, values: Rc::from([]), open: true }
    }

    /// Runs what `trap … EXIT` left, at the end of a shell.
    fn run_exit_trap(&mut self) {
        let Some(id) = self.names.find(Namespace::Trap, "EXIT") else { return };
        let slot = self.names.slot(id).clone();
        if slot.level != self.now.level {
            return;
        }
        let Value::Text(text) = slot.value else { return };
        self.names.set(id, Slot { value: Value::Unset, ..slot });
        self.run_trap(text);
    }

    /// Runs the text of a trap.
    pub(crate) fn run_trap(&mut self, text: Span) {
        self.within(Step::Via(Via::Trap), |this| {
            let status = this.now.status;
            this.deeper(text, |this| this.framed(FrameKind::Function, |this| this.run_shell_script(text)));
            this.now.status = status;
        });
    }

    // ---- What was found ----

    /// Notes a command. `argv` is a range of the found words.
    pub(crate) fn found(&mut self, command: CommandRecord) {
        if self.repeating > 0 {
            let fingerprint = self.fingerprint(&command);
            match self.seen.binary_search(&fingerprint) {
                Ok(_) => return,
                Err(at) => {
                    self.step(1 + self.seen.len() as u64 / 64);
                    self.seen.insert(at, fingerprint);
                }
            }
        }
        self.findings.commands.push(command);
    }

    fn fingerprint(&self, command: &CommandRecord) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u64| hash = (hash ^ byte).wrapping_mul(0x0100_0000_01b3);
        add(u64::from(command.span.start));
        add(u64::from(command.span.end));
        add(u64::from(command.directories.0));
        add(u64::from(command.directories.1));
        let (start, end) = command.words;
        for field in self.findings.fields.as_slice().get(start as usize..end as usize).unwrap_or(&[]) {
            for byte in self.store.text(field.shown).bytes() {
                add(u64::from(byte));
            }
            add(match field.kind {
                FieldKind::Known => 256,
                FieldKind::Pattern => 257,
                FieldKind::Unknown(_) => 258,
            });
        }
        let mut at = command.context as usize;
        while at != 0 {
            let Some(context) = self.findings.contexts.as_slice().get(at) else { break };
            add(match context.step {
                Step::Top => 300,
                Step::Via(via) => 301 + via as u64,
                Step::Wrapper(name, _) => 400 + name.len() as u64,
            });
            at = context.parent as usize;
        }
        hash
    }

    /// A field of which nothing is known.
    pub(crate) fn unknown_field(&mut self, source: Span, reason: Reason, splice: bool) -> Field {
        Field { value: self.hole(), shown: source, source, kind: FieldKind::Unknown(reason), splice }
    }

    /// The text of a field: its value, or a hole where it is a pattern.
    pub(crate) fn field_text(&mut self, field: &Field) -> Span {
        match field.kind {
            FieldKind::Known => field.value,
            FieldKind::Pattern => self.hole(),
            FieldKind::Unknown(_) => field.value,
        }
    }
}
