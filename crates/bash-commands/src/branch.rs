//! Branches that the text leaves open, and constructs that are left from inside.
//!
//! A fork marks the state; each branch is followed from there; at the end the states are joined. `break`, `continue`,
//! `return` and `exit` leave a frame: the state at that moment is kept, and joined where the frame ends.

use crate::directory::UNKNOWN_STACK;
use crate::evaluate::Evaluator;
use crate::output::Capture;
use crate::state::{DirectorySet, Flow, Input, Mark, Output, Scalars, Slot, SlotId, Status};
use crate::store::{HOLE, HOLE_TEXT};
use alloc::string::String;
use alloc::vec::Vec;

/// A construct that code inside can leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    pub(crate) mark: Mark,
    /// How much output was collected when it began.
    pub(crate) collected: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Loop,
    Function,
    Shell,
}

/// The state in which a construct was left from inside.
#[derive(Clone, Debug)]
pub(crate) struct Leave {
    pub(crate) frame: usize,
    pub(crate) again: bool,
    pub(crate) branch: Branch,
}

/// The shell that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shell {
    /// Its frame; the outermost shell has none.
    frame: Option<usize>,
    /// How much output was collected when it began.
    collected: usize,
    /// Where its standard output goes.
    output: Output,
    /// Where its traps begin among [`Stacks::traps`](crate::evaluate::Stacks).
    pub(crate) first_trap: usize,
    /// Where its local variables begin among those of the calls around.
    pub(crate) first_local: usize,
}

/// What the ways have in common on which a shell was left from inside: nothing else of its state comes back.
#[derive(Clone, Debug)]
pub(crate) struct Exits {
    /// The frame of the shell; the outermost shell has none.
    frame: Option<usize>,
    status: Status,
    /// What it had printed by then; a hole when that was not the same on each.
    output: String,
}

/// A state that one branch ended in, as the difference to the state at a mark.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) now: Scalars,
    pub(crate) changes: Vec<(SlotId, Slot)>,
    pub(crate) output: String,
}

/// The state before a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fork {
    pub(crate) mark: Mark,
    pub(crate) before: Scalars,
    pub(crate) collected: usize,
}

impl Evaluator<'_> {
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

    pub(crate) fn branch_since(&mut self, mark: Mark, collected: usize) -> Branch {
        self.step(self.names.changes_since(mark) as u64);
        let output = self.collected_since(collected);
        let output = if self.now.output == Output::Collected { String::from(output) } else { String::new() };
        self.step(output.len() as u64);
        Branch { now: self.now, changes: self.names.capture(mark), output }
    }

    /// Puts the state that a branch ended in.
    pub(crate) fn put_branch(&mut self, fork: &Fork, branch: &Branch) {
        for (id, slot) in &branch.changes {
            self.names.set(*id, slot.clone());
        }
        self.put_scalars(fork, branch);
    }

    pub(crate) fn put_scalars(&mut self, fork: &Fork, branch: &Branch) {
        self.now = branch.now;
        let output = if branch.now.output == Output::Collected { branch.output.as_str() } else { "" };
        self.replace_output(fork.collected, output);
    }

    /// Joins the present state with that of a branch that began at the same mark.
    pub(crate) fn join_branch(&mut self, mark: Mark, collected: usize, branch: &Branch) {
        let changes = self.names.changes_since(mark) + branch.changes.len();
        if changes > 0 {
            self.step(changes as u64);
            self.names.join(mark, &branch.changes);
        }
        self.now = self.join_scalars(self.now, branch.now);
        if self.now.output == Output::Collected && self.collected_since(collected) != branch.output {
            self.truncate_output(collected);
            self.print_unknown();
        }
    }

    /// Joins the present state with the state at the fork, where `skipped` is all that differs from then.
    pub(crate) fn join_skipped(&mut self, fork: &Fork, skipped: Scalars) {
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
    pub(crate) fn join_all(&mut self, fork: &Fork, branches: &[Branch]) -> Flow {
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

    pub(crate) fn join_scalars(&mut self, a: Scalars, b: Scalars) -> Scalars {
        let status = a.status.join(b.status);
        // Most branches end with another status, and nothing else.
        if (Scalars { status: a.status, ..b }) == a && a.on_success == a.on_failure {
            return Scalars { status, ..a };
        }
        // In which directory the shell is when the status is success, is told by the branches that can succeed.
        let side = |this: &mut Self, possible: fn(Status) -> bool, of: fn(&Scalars) -> DirectorySet| match (
            possible(a.status),
            possible(b.status),
        ) {
            (true, false) => of(&a),
            (false, true) => of(&b),
            _ => this.union_directories(of(&a), of(&b)),
        };
        let on_success = side(self, Status::may_succeed, |scalars| scalars.on_success);
        let on_failure = side(self, Status::may_fail, |scalars| scalars.on_failure);
        let positional = self.join_positional(a.positional, b.positional);
        Scalars {
            status,
            on_success,
            on_failure,
            // What makes bash do less (`set -e`, `set -n`, `set -f`) holds only when it holds in both.
            options: a.options & b.options,
            positional,
            previous: if a.previous == b.previous { a.previous } else { DirectorySet::default() },
            stack: side_stack(a.status.may_succeed(), b.status.may_succeed(), a.stack, b.stack),
            stack_on_failure: side_stack(
                a.status.may_fail(),
                b.status.may_fail(),
                failed_stack(&a),
                failed_stack(&b),
            ),
            input: if a.input == b.input { a.input } else { Input::Unknown },
            output: a.output,
            descriptors: a.descriptors | b.descriptors,
            level: a.level,
        }
    }

    /// `!`: what was success is failure, and the directory of the one is that of the other.
    pub(crate) fn negate(&mut self) {
        let failed = failed_stack(&self.now);
        self.now.status = self.now.status.negate();
        core::mem::swap(&mut self.now.on_success, &mut self.now.on_failure);
        self.now.stack_on_failure = self.now.stack;
        self.now.stack = failed;
    }

    /// Joins two states that began at the same mark, neither of which is the present one.
    pub(crate) fn merge_branches(&mut self, mark: Mark, a: &Branch, b: &Branch) -> Branch {
        let changes = if a.changes.is_empty() && b.changes.is_empty() {
            Vec::new()
        } else {
            self.step(self.names.changes_since(mark) as u64 + (a.changes.len() + b.changes.len()) as u64);
            self.names.merge(mark, &a.changes, &b.changes)
        };
        let output = if a.output == b.output { a.output.clone() } else { String::from(HOLE) };
        Branch { now: self.join_scalars(a.now, b.now), changes, output }
    }

    /// Takes the status of the last command to be success, or failure.
    pub(crate) fn assume(&mut self, success: bool) {
        let directories = if success { self.now.on_success } else { self.now.on_failure };
        if !success {
            self.now.stack = failed_stack(&self.now);
        }
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
            let failed = failed_stack(&self.now);
            self.now.stack = match status {
                Status::Failure(_) => failed,
                Status::Unknown if failed != self.now.stack => UNKNOWN_STACK,
                _ => self.now.stack,
            };
            self.now.on_success = both;
            self.now.on_failure = both;
        }
    }

    /// Runs code that may or may not run, when nothing about its state matters afterwards but that it may have run.
    pub(crate) fn maybe(&mut self, body: impl FnOnce(&mut Self) -> Flow) {
        let fork = self.fork();
        let flow = body(self);
        self.end_fork(&fork, flow, fork.before);
    }

    /// Ends a fork at which one way, whose end is the present state unless `flow` says that it has none, was followed and
    /// another did nothing: `skipped` is all that differs there from the state at the fork.
    pub(crate) fn end_fork(&mut self, fork: &Fork, flow: Flow, skipped: Scalars) {
        if flow == Flow::Dead {
            self.restore(fork);
            self.now = skipped;
        } else {
            self.join_skipped(fork, skipped);
        }
        self.names.release(fork.mark);
    }

    /// Runs code in a child process: nothing of its state comes back but the status.
    pub(crate) fn in_child(&mut self, body: impl FnOnce(&mut Self) -> Flow) {
        let mark = self.names.mark();
        let before = self.now;
        let frame = Some(self.stacks.frames.len());
        let collected = self.collected();
        self.stacks.frames.push(Frame { kind: FrameKind::Shell, mark, collected });
        let shell = Shell {
            frame,
            collected,
            output: before.output,
            first_trap: self.stacks.traps.len(),
            first_local: self.stacks.locals.len(),
        };
        let outer = core::mem::replace(&mut self.shell, shell);
        self.forget_exit_trap();
        let flow = body(self);
        let flow = self.end_shell(flow);
        self.stacks.locals.truncate(self.shell.first_local);
        self.shell = outer;
        let mut status = self.now.status;
        match self.stacks.exits.pop_if(|exits| exits.frame == frame) {
            Some(exits) if flow == Flow::Normal => {
                status = status.join(exits.status);
                if self.collected_since(collected) != exits.output {
                    self.replace_output(collected, HOLE_TEXT);
                }
            }
            Some(exits) => {
                status = exits.status;
                self.replace_output(collected, &exits.output);
            }
            None if flow == Flow::Dead => status = Status::Unknown,
            None => {}
        }
        self.stacks.frames.pop();
        self.names.rewind(mark);
        self.names.release(mark);
        self.now = Scalars { status, ..before };
    }

    /// Leaves the construct at `frame` with the present state. `again`: for its next turn.
    pub(crate) fn leave(&mut self, frame: usize, again: bool) -> Flow {
        if let Some(Frame { mark, collected, .. }) = self.stacks.frames.get(frame).copied() {
            let branch = self.branch_since(mark, collected);
            self.stacks.leaves.push(Leave { frame, again, branch });
        }
        Flow::Dead
    }

    pub(crate) fn innermost(&self, kind: FrameKind) -> Option<usize> {
        let at = self
            .stacks
            .frames
            .iter()
            .rposition(|frame| frame.kind == kind || frame.kind == FrameKind::Shell)?;
        self.stacks.frames.get(at).filter(|frame| frame.kind == kind).map(|_| at)
    }

    /// `exit`, or a failure under `set -e`.
    pub(crate) fn leave_shell(&mut self) -> Flow {
        self.may_leave_shell(self.now.status);
        Flow::Dead
    }

    /// Notes that the shell may be left here with a status; where it is not, all is as it was.
    #[inline]
    pub(crate) fn may_leave_shell(&mut self, status: Status) {
        if self.has_exit_trap() {
            self.leave_by_trap(status);
        } else {
            self.note_exit(status);
        }
    }

    #[cold]
    fn leave_by_trap(&mut self, status: Status) {
        let fork = self.fork();
        if let Status::Failure(_) = status {
            self.assume(false);
        }
        self.now.status = status;
        if self.now.output != self.shell.output {
            // Whether bash takes back the redirections around first, hangs on what they belong to.
            self.now.output = self.shell.output;
            self.print_unknown();
            self.now.output = Output::Elsewhere;
        }
        if self.run_exit_trap() == Flow::Normal {
            self.note_exit(self.now.status);
        }
        self.restore(&fork);
        self.names.release(fork.mark);
    }

    /// `exec`: another program takes the place of the shell, which is left as ever if that fails.
    pub(crate) fn leave_for_program(&mut self) -> Flow {
        self.note_exit(self.now.status);
        if self.has_exit_trap() { self.leave_shell() } else { Flow::Dead }
    }

    fn note_exit(&mut self, status: Status) {
        let Shell { frame, collected, .. } = self.shell;
        let output = Capture::since(&self.stacks.captures, collected);
        match self.stacks.exits.last_mut() {
            Some(exits) if exits.frame == frame => {
                exits.status = exits.status.join(status);
                if exits.output != HOLE_TEXT && exits.output != output {
                    exits.output.clear();
                    exits.output.push_str(HOLE_TEXT);
                }
            }
            _ => {
                let output = String::from(output);
                self.step(output.len() as u64);
                self.stacks.exits.push(Exits { frame, status, output });
            }
        }
    }

    /// Ends a shell that came to its end, or that nothing in its text left (a loop without end: a signal ends it).
    pub(crate) fn end_shell(&mut self, flow: Flow) -> Flow {
        if !self.has_exit_trap() {
            return flow;
        }
        let was_left = self.stacks.exits.last().is_some_and(|exits| exits.frame == self.shell.frame);
        if flow == Flow::Normal {
            return self.run_exit_trap();
        }
        if !was_left {
            self.run_exit_trap();
        }
        flow
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
        for (at, frame) in self.stacks.frames.iter().enumerate().rev() {
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

    /// [`Self::leave_loops`] with a count that is not known: it may be any of the loops, and a bad count ends them all.
    pub(crate) fn leave_any_loop(&mut self, again: bool) -> Flow {
        let loops = self.stacks.frames.iter().rev().take_while(|frame| frame.kind == FrameKind::Loop).count();
        for count in 1..=loops as u32 {
            self.leave_loops(count, again);
        }
        self.leave_loops(u32::MAX, false).unwrap_or(Flow::Dead)
    }

    /// Whether `break` and `continue` have a loop to end.
    pub(crate) fn in_loop(&self) -> bool {
        self.stacks.frames.last().is_some_and(|frame| frame.kind == FrameKind::Loop)
    }

    /// Joins the states in which the innermost frame was left into the present one, which counts when `flow` is normal.
    pub(crate) fn join_leaves(&mut self, again: bool, flow: Flow) -> Flow {
        let at = self.stacks.frames.len().saturating_sub(1);
        let Some(frame) = self.stacks.frames.last().copied() else { return flow };
        if self.stacks.leaves.is_empty() {
            return flow;
        }
        let mut flow = flow;
        let mut index = 0;
        while index < self.stacks.leaves.len() {
            if self.stacks.leaves.get(index).is_some_and(|leave| leave.frame == at && leave.again == again) {
                let leave = self.stacks.leaves.remove(index);
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
        self.stacks.frames.push(Frame { kind, mark, collected });
        let flow = body(self);
        let flow = self.join_leaves(false, flow);
        self.stacks.frames.pop();
        self.names.release(mark);
        flow
    }
}

/// The directory stack in case the last command failed.
fn failed_stack(scalars: &Scalars) -> u32 {
    if scalars.on_success == scalars.on_failure { scalars.stack } else { scalars.stack_on_failure }
}

/// The directory stack of two joined states, of which only some can have the status that is asked for.
fn side_stack(a_possible: bool, b_possible: bool, a: u32, b: u32) -> u32 {
    match (a_possible, b_possible) {
        (true, false) => a,
        (false, true) => b,
        _ if a == b => a,
        _ => UNKNOWN_STACK,
    }
}
