//! The evaluation of a syntax tree: which commands are run, in which state.
//!
//! It runs the text as bash would, with three-valued knowledge: a status, a value or a directory that the text fixes is
//! followed; where the text leaves a branch open, every branch is followed and the states are joined.
//!
//! INVARIANT: every function here that runs code returns with the stacks (`work`, `scratch`, `captures`, `frames`) as
//! high as it found them.

use crate::arena::{Arena, Blank};
use crate::brace;
use crate::branch::{Exits, Frame, FrameKind, Leave, Shell};
use crate::command::Call;
use crate::emission::Fingerprints;
use crate::function::{ExitTrap, Function, Local, Positional};
use crate::issue::{Fault, SyntaxError, SyntaxErrorKind};
use crate::options::Options;
use crate::output::Capture;
use crate::parse::ReadOptions;
use crate::reader::{Reader, Unread};
use crate::report::{
    CommandRecord, ContextRecord, DirectoryRecord, Field, Findings, Incomplete, IncompleteReason, Step,
};
use crate::span::Span;
use crate::state::{DirectorySet, Failure, Flow, Names, ReadAt, Scalars, Slot, SlotId, Status, option};
use crate::store::{HOLE, Store};
use crate::syntax::{Id, Tree};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// The buffers of an evaluation, kept for the next one.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) derived: String,
    tree: Tree,
    work: Arena<Field, 4>,
    pub(crate) names: Names,
    scratch: String,
    stacks: Stacks,
}

impl Workspace {
    /// An empty one.
    pub(crate) const NEW: Self = Self {
        derived: String::new(),
        tree: Tree::NEW,
        work: Arena::NEW,
        names: Names::NEW,
        scratch: String::new(),
        stacks: Stacks::NEW,
    };
}

/// What ordinary command lines never fill.
#[derive(Debug)]
pub(crate) struct Stacks {
    pub(crate) captures: Vec<Capture>,
    /// Emptied collectors, to be used again.
    pub(crate) spare_captures: Vec<Capture>,
    /// Buffers of brace expansions, to be used again.
    pub(crate) spare_words: brace::Spare,
    pub(crate) functions: Vec<Function>,
    pub(crate) positionals: Vec<Positional>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) leaves: Vec<Leave>,
    /// How shells were left, the innermost last.
    pub(crate) exits: Vec<Exits>,
    /// The texts for the end of a shell that were ever set.
    pub(crate) traps: Vec<ExitTrap>,
    /// Fingerprints of the commands found in code that may run again.
    pub(crate) seen: Fingerprints,
    /// Compound assignments among the words being expanded: index of the field, and the assignment.
    pub(crate) compounds: Vec<(usize, Id<crate::syntax::Assignment>)>,
    /// Local variables of the functions being called, the innermost last.
    pub(crate) locals: Vec<Local>,
    /// What aliases were before they were changed, each with how many lines were read by then.
    pub(crate) alias_changes: BTreeMap<SlotId, Vec<(u32, Slot)>>,
    /// Aliases being expanded, which are not expanded again inside themselves.
    pub(crate) active_aliases: Vec<SlotId>,
    /// Directory stacks of `pushd`, by [`Scalars::stack`]; the first is empty.
    pub(crate) pushed_directories: Vec<Rc<[DirectorySet]>>,
    /// What process substitutions of the present command print, by the word that they stand in.
    pub(crate) process_outputs: Vec<(Span, Span)>,
    /// Variables that stand before the commands being run, and so hold for them alone.
    pub(crate) temporary: Vec<SlotId>,
    /// The variables that wrappers hand on which may not hand on the environment.
    pub(crate) passed: Vec<SlotId>,
}

impl Stacks {
    /// Empty ones.
    const NEW: Self = Self {
        captures: Vec::new(),
        spare_captures: Vec::new(),
        spare_words: brace::Spare::NEW,
        functions: Vec::new(),
        positionals: Vec::new(),
        frames: Vec::new(),
        leaves: Vec::new(),
        exits: Vec::new(),
        traps: Vec::new(),
        seen: Fingerprints::NEW,
        compounds: Vec::new(),
        locals: Vec::new(),
        alias_changes: BTreeMap::new(),
        active_aliases: Vec::new(),
        pushed_directories: Vec::new(),
        process_outputs: Vec::new(),
        temporary: Vec::new(),
        passed: Vec::new(),
    };

    fn clear(&mut self) {
        self.captures.clear();
        self.functions.clear();
        self.positionals.clear();
        self.frames.clear();
        self.leaves.clear();
        self.exits.clear();
        self.traps.clear();
        self.seen.clear();
        self.compounds.clear();
        self.locals.clear();
        self.alias_changes.clear();
        self.active_aliases.clear();
        self.pushed_directories.clear();
        self.process_outputs.clear();
        self.temporary.clear();
        self.passed.clear();
    }
}

/// One evaluation.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the command that runs")]
#[derive(Debug)]
pub(crate) struct Evaluator<'t> {
    pub(crate) store: Store<'t>,
    pub(crate) tree: &'t mut Tree,
    pub(crate) work: &'t mut Arena<Field, 4>,
    pub(crate) findings: &'t mut Findings,
    pub(crate) names: &'t mut Names,
    pub(crate) options: Options<'t>,
    pub(crate) now: Scalars,
    /// Text under construction; nested constructions stand above their outer ones.
    pub(crate) scratch: &'t mut String,
    pub(crate) stacks: &'t mut Stacks,
    pub(crate) context: u32,
    /// The word of the source that stands for everything in the derived text being run.
    pub(crate) origin: Option<Span>,
    pub(crate) steps: u64,
    pub(crate) exhausted: bool,
    pub(crate) depth: u32,
    /// How many constructs that may run their code again are around.
    pub(crate) repeating: u32,
    /// How many constructs are around in which a failure does not end the shell under `set -e`.
    pub(crate) tested: u32,
    /// The status of the last command substitution of the command being expanded.
    pub(crate) substitution_status: Option<Status>,
    /// How many functions are being called inside each other.
    pub(crate) calls: u32,
    /// How many states were marked when the innermost of them began.
    pub(crate) marks_of_call: usize,
    /// Of the line that is run: aliases are expanded as they were when it was read.
    pub(crate) line: ReadAt,
    /// How many lines were read.
    pub(crate) lines_read: u32,
    /// The number of frames around the script being run as a shell.
    pub(crate) script_frames: usize,
    /// The rest of the present line is not run, but the next line is.
    pub(crate) discarded: bool,
    /// The status of the builtin that runs is not known after all.
    pub(crate) doubtful: bool,
    /// The wrappers around the command may not hand on the environment, but for the variables of [`Stacks::passed`].
    pub(crate) loses_environment: bool,
    /// The shell that runs.
    pub(crate) shell: Shell,
    /// The name that `exec -a` gives to the shell that is started next.
    pub(crate) next_zero: Option<Span>,
    /// The last record that was read had no delimiter.
    pub(crate) unended: bool,
    /// An expansion failed (`${x:?}`, bad arithmetic): the command is not run.
    pub(crate) failed: Option<Failure>,
    pub(crate) hole: Span,
    /// Where the wrapper itself is started whose command is about to run elsewhere (`env -C`).
    pub(crate) started_in: Option<DirectorySet>,
}

impl<'t> Evaluator<'t> {
    /// Runs `text` and fills `findings`.
    pub(crate) fn run(
        text: &'t str,
        options: &Options<'t>,
        workspace: &'t mut Workspace,
        findings: &'t mut Findings,
    ) {
        let Workspace { derived, tree, work, names, scratch, stacks } = workspace;
        tree.clear();
        work.clear();
        names.clear();
        scratch.clear();
        stacks.clear();
        findings.clear();
        let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        if text.len() > crate::options::MAX_LENGTH {
            findings.incomplete.push(Incomplete { span: whole, reason: IncompleteReason::Length });
            return;
        }
        findings.contexts.push(ContextRecord::BLANK);
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
            stacks,
            context: 0,
            origin: None,
            steps: u64::from(options.base_steps) + u64::from(options.steps_per_byte) * text.len() as u64,
            exhausted: false,
            depth: 0,
            repeating: 0,
            tested: 0,
            substitution_status: None,
            calls: 0,
            marks_of_call: 0,
            line: ReadAt::default(),
            lines_read: 0,
            script_frames: 0,
            discarded: false,
            doubtful: false,
            loses_environment: false,
            shell: Shell::default(),
            next_zero: None,
            unended: false,
            failed: None,
            hole: Span::default(),
            started_in: None,
        };
        let flow = evaluator.run_script(whole);
        evaluator.end_shell(flow);
        evaluator.finish();
    }

    /// Puts the commands in the order of the text, and says where bash would not have read on.
    fn finish(&mut self) {
        self.sort_commands(0);
        // Every byte belongs to something: a text that runs nothing (`[[ x ]]`, an uncalled function, a comment) is
        // one command without words.
        if self.findings.commands.is_empty() && self.findings.incomplete.is_empty() {
            let source = self.store.source();
            let trimmed = source.trim();
            if !trimmed.is_empty() {
                let start = (source.len() - source.trim_start().len()) as u32;
                let span = Span::new(start, start + trimmed.len() as u32);
                self.findings.commands.push(CommandRecord {
                    span,
                    directories: (0, 1),
                    ..CommandRecord::default()
                });
            }
        }
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

    pub(crate) fn steps_left(&self) -> u64 {
        self.steps
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
        self.store.place(span).or(self.origin).unwrap_or_default()
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
        let record = ContextRecord { parent: outer, step, caller: None };
        let last = self.findings.contexts.len() as u32;
        // Most pipelines of a script are reached in the same way: the last context is often the one that is wanted.
        let reuse = self.findings.contexts.last().is_some_and(|known| {
            known.parent == outer
                && last > 1
                && matches!((known.step, step), (Step::Via(a), Step::Via(b)) if a == b)
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

    /// Runs `body` as reached by `step`, which `call` takes.
    pub(crate) fn within_call<R>(&mut self, step: Step, call: &Call, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.enter_call(step, call);
        let result = body(self);
        self.context = outer;
        result
    }

    /// Goes on as reached by `step`, which `call` takes; returns the context before.
    pub(crate) fn enter_call(&mut self, step: Step, call: &Call) -> u32 {
        let outer = self.context;
        let mut record = self.record(call);
        if let Some(outside) = self.started_in.take() {
            record.directories = (outside.start, outside.end);
        }
        let caller = Some(self.findings.callers.len() as u32);
        self.findings.callers.push(record);
        self.context = self.findings.contexts.len() as u32;
        self.findings.contexts.push(ContextRecord { parent: outer, step, caller });
        outer
    }

    // ---- Texts ----

    pub(crate) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            extglob: self.has(option::EXTGLOB),
            max_depth: self.options.max_depth.saturating_sub(self.depth).max(1),
        }
    }

    /// Reads and runs a text of the store, line by line as bash does.
    pub(crate) fn run_script(&mut self, span: Span) -> Flow {
        self.run_lines(span, None)
    }

    /// [`Self::run_script`], with aliases as they were on an earlier line.
    pub(crate) fn run_lines(&mut self, span: Span, line: Option<ReadAt>) -> Flow {
        let mut reader = Reader::new(span, self.read_options());
        let mut is_first = true;
        // What is kept of the lines before: functions that they define.
        let mut mark = self.tree.mark();
        while !reader.is_at_end() {
            let functions = self.stacks.functions.len();
            let found = self.findings.commands.len();
            reader.options = self.read_options();
            let flow = match reader.next_line(&mut self.store, self.tree, &mark, &mut self.steps) {
                Ok(None) => break,
                Ok(Some(items)) => {
                    self.note_structures(&mark, items, core::mem::take(&mut is_first));
                    let line = line.unwrap_or_else(|| self.read_now());
                    self.as_read(line, |this| this.run_list(items))
                }
                Err(Unread::Faulty(fault)) => {
                    self.refuse(reader.rest(), &fault);
                    break;
                }
                Err(Unread::OutOfSteps) => {
                    self.exhausted = true;
                    Flow::Dead
                }
            };
            // Nothing is read behind the last line of the text itself.
            let is_read_on = self.depth > 0 || !reader.is_at_end();
            if self.stacks.functions.len() != functions {
                mark = self.tree.mark();
            } else if is_read_on {
                self.tree.truncate(&mark);
            }
            if self.context == 0 {
                self.sort_commands(found);
            }
            if self.exhausted {
                self.incomplete(reader.rest(), IncompleteReason::Steps);
                return Flow::Dead;
            }
            if flow == Flow::Dead {
                // An error in an expansion ends the line, not the shell.
                let is_shell = self.stacks.frames.len() == self.script_frames;
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
        let outer = core::mem::replace(&mut self.script_frames, self.stacks.frames.len());
        let flow = self.run_script(span);
        self.script_frames = outer;
        flow
    }

    /// Notes that bash refuses a text from the line on with which `rest` begins.
    fn refuse(&mut self, rest: Span, fault: &Fault) {
        if fault.kind == SyntaxErrorKind::TooDeep {
            self.incomplete(rest, IncompleteReason::Depth);
        } else {
            self.incomplete(rest, IncompleteReason::Syntax);
            // The error of a nested text is that text's own: bash runs what stands around it.
            if self.findings.syntax_error.is_none() && self.context == 0 && self.store.place(rest).is_some() {
                let place = |span| self.store.place(span).unwrap_or(span);
                let fault =
                    Fault { span: place(fault.span), opened: fault.opened.map(place), kind: fault.kind };
                self.findings.syntax_error = Some(SyntaxError::from(fault));
            }
        }
        self.now.status = Status::Failure(Some(2));
    }
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
