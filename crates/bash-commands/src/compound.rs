//! Compound commands: `if`, `case`, groups, subshells.

use crate::branch::{Branch, Fork};
use crate::evaluate::Evaluator;
use crate::report::{Step, Via};
use crate::state::{Flow, Input, Output, Status};
use crate::syntax::{Arm, ArmEnd, Clause, Command, CommandKind, Id, Item, Slice, Word};
use alloc::vec::Vec;

impl Evaluator<'_> {
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
            let (opened, records) = this.redirect(command.redirections);
            this.emit_redirections(&command, records);
            let flow = if let Some(failure) = this.failed.take() {
                this.discard_line(failure)
            } else if opened == Status::Failure(Some(1)) {
                this.now.status = opened;
                Flow::Normal
            } else {
                this.run_opened(opened, |this| this.run_compound(&command))
            };
            this.now.input = outer.input;
            this.now.output = outer.output;
            this.now.descriptors = outer.descriptors;
            flow
        })
    }

    pub(crate) fn run_compound(&mut self, command: &Command) -> Flow {
        let flow = self.run_compound_kind(command);
        match self.failed.take() {
            Some(_)
                if matches!(command.kind, CommandKind::Condition { .. } | CommandKind::Arithmetic { .. }) =>
            {
                self.now.status = Status::Failure(Some(1));
                flow
            }
            Some(failure) if flow == Flow::Normal => self.discard_line(failure),
            _ => flow,
        }
    }

    pub(crate) fn run_compound_kind(&mut self, command: &Command) -> Flow {
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
                        this.now.output = Output::Doubtful;
                        this.run_command(body)
                    });
                });
                self.now.status = Status::Success;
                Flow::Normal
            }
        }
    }

    pub(crate) fn run_tested(&mut self, condition: Slice<Item>) -> Flow {
        self.tested += 1;
        let flow = self.run_list(condition);
        self.tested -= 1;
        flow
    }

    pub(crate) fn run_if(&mut self, clauses: Slice<Clause>, otherwise: Option<Slice<Item>>) -> Flow {
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

    pub(crate) fn join_ifs(&mut self, fork: &Fork, branches: &[Branch]) -> Flow {
        self.names.rewind(fork.mark);
        self.join_all(fork, branches)
    }

    pub(crate) fn run_case(&mut self, word: Id<Word>, arms: Slice<Arm>) -> Flow {
        let subject = self.expand_to_text(word);
        if self.failed.is_some() {
            return Flow::Normal;
        }
        let fork = self.fork();
        let mut branches: Vec<Branch> = Vec::new();
        let mut falling = false;
        // On the way that goes on: whether the last arm that was run may have had a body, whose status stands, and whether
        // it may have been empty, or there was none. `$?` is the old one until then.
        let (mut may_stand, mut may_succeed) = (false, true);
        for id in arms.ids() {
            let arm = self.tree.get(id);
            let matched = if falling { Some(true) } else { self.matches_any(subject, arm.patterns) };
            falling = false;
            match matched {
                Some(false) => {}
                Some(true) => {
                    if self.run_list(arm.body) == Flow::Dead {
                        return self.join_ifs(&fork, &branches);
                    }
                    (may_stand, may_succeed) = (!arm.body.is_empty(), arm.body.is_empty());
                    match arm.end {
                        ArmEnd::Break => break,
                        ArmEnd::FallThrough => falling = true,
                        ArmEnd::Continue => {}
                    }
                }
                None => {
                    let inner = self.fork();
                    let flow = self.run_list(arm.body);
                    match (flow, arm.end) {
                        (Flow::Normal, ArmEnd::Break) => {
                            if arm.body.is_empty() {
                                self.now.status = Status::Success;
                            }
                            let branch = self.branch_since(fork.mark, fork.collected);
                            branches.push(branch);
                            self.restore(&inner);
                        }
                        // Where it goes on, it goes on either way.
                        (Flow::Normal, ArmEnd::FallThrough) => {
                            self.join_skipped(&inner, inner.before);
                            self.names.release(inner.mark);
                            self.run_maybe_arms(arms, id.index + 1);
                            (may_stand, may_succeed) = (true, true);
                            continue;
                        }
                        (Flow::Normal, ArmEnd::Continue) => {
                            self.join_skipped(&inner, inner.before);
                            may_stand |= !arm.body.is_empty();
                            may_succeed |= arm.body.is_empty();
                        }
                        _ => self.restore(&inner),
                    }
                    self.names.release(inner.mark);
                }
            }
        }
        if may_succeed {
            let status = self.now.status;
            self.now.status = if may_stand { status.join(Status::Success) } else { Status::Success };
        }
        for branch in &branches {
            self.join_branch(fork.mark, fork.collected, branch);
        }
        self.names.release(fork.mark);
        Flow::Normal
    }

    /// Runs the arm at `index` and those it falls through to, which may or may not run.
    pub(crate) fn run_maybe_arms(&mut self, arms: Slice<Arm>, index: u32) {
        for at in index..arms.end {
            let arm = self.tree.get(Id::<Arm>::new(at));
            self.maybe(|this| this.run_list(arm.body));
            if arm.end != ArmEnd::FallThrough {
                break;
            }
        }
    }
}
