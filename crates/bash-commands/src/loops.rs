//! Loops: followed turn by turn while everything is known, then once for all turns that are left.

use crate::branch::{Fork, Frame, FrameKind};
use crate::command::Line;
use crate::evaluate::Evaluator;
use crate::report::{Field, FieldKind};
use crate::span::Span;
use crate::state::{Flow, Input, Namespace, Scalars, Status};
use crate::syntax::{ForHeader, Id, Item, Slice, Word};
use alloc::vec::Vec;

/// How often a loop is followed turn by turn before the rest is taken at once, with unknown values.
const MAX_TURNS: u32 = 512;
/// The part of the steps that are left which the turns of one loop may take, so that what follows is read too.
const LOOP_SHARE: u64 = 4;
/// How often the turn that stands for all later ones is followed at most, each time with more that is unknown.
const MAX_WIDENINGS: u32 = 4;

/// What the condition of a loop came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    /// Success when the loop goes on.
    holds: Status,
    /// What `$?` says in the body, where the condition is no command, and so leaves it alone.
    kept: Option<Status>,
}

/// Evaluates the condition of a loop; `None` when the loop is left on every way.
type Condition<'c, 'e> = &'c mut dyn FnMut(&mut Evaluator<'e>) -> Option<Tested>;

impl<'e> Evaluator<'e> {
    /// Expands the list of a `for` or `select`, without one the positional parameters; returns where the fields begin.
    fn expand_list(&mut self, name: Span, words: Option<Slice<Word>>) -> usize {
        let base = self.work.len();
        match words {
            Some(words) => {
                for id in words.ids() {
                    self.expand_word(id);
                }
            }
            None => self.expand_positionals(name),
        }
        base
    }

    pub(crate) fn run_for(&mut self, name: Span, words: Option<Slice<Word>>, body: Slice<Item>) -> Flow {
        let base = self.expand_list(name, words);
        let end = self.work.len();
        let name = self.store.detached(name);
        if self.failed.is_some() || !crate::parameter::is_name(&name) {
            self.work.truncate(base);
            self.now.status = Status::Failure(Some(1));
            return Flow::Normal;
        }
        self.repeating += 1;
        let flow = self.framed(FrameKind::Loop, |this| {
            // The first turn sees the status of what was before; without one, the loop succeeds.
            if base == end {
                this.now.status = Status::Success;
            }
            let mut may_be_first = true;
            for (turn, at) in (base..end).enumerate() {
                let Some(field) = this.work.get(at) else { break };
                if turn >= MAX_TURNS as usize || !this.step(1) {
                    let hole = this.hole();
                    return this.run_unknown_turns(&name, hole, body, false);
                }
                let value = this.field_text(&field);
                // Any number of turns, with values that are not known.
                let is_several = field.splice || field.kind == FieldKind::Pattern;
                let flow = if is_several {
                    this.run_unknown_turns(&name, value, body, may_be_first)
                } else {
                    this.assign_text(&name, value);
                    this.run_turn(body)
                };
                if flow == Flow::Dead {
                    return Flow::Dead;
                }
                may_be_first &= is_several;
            }
            Flow::Normal
        });
        self.repeating -= 1;
        self.work.truncate(base);
        flow
    }

    /// Runs a loop's body once; `continue` ends the turn.
    pub(crate) fn run_turn(&mut self, body: Slice<Item>) -> Flow {
        let flow = self.run_list(body);
        self.join_leaves(true, flow)
    }

    /// Runs the body for a stretch of words of which neither number nor values are known; `value` is what one is. Without a
    /// turn before it either, the loop succeeds.
    fn run_unknown_turns(&mut self, name: &str, value: Span, body: Slice<Item>, may_be_first: bool) -> Flow {
        let fork = self.fork();
        let mut skipped = fork.before;
        if may_be_first {
            skipped.status = Status::Success;
        }
        self.assign_text(name, value);
        let mut flow = self.run_turn(body);
        if flow == Flow::Normal && self.changed_since(&fork, name) {
            self.widen(&fork);
            self.assign_text(name, value);
            flow = self.run_turn(body);
            if flow == Flow::Normal {
                self.widen(&fork);
            }
        }
        self.end_fork(&fork, flow, skipped);
        Flow::Normal
    }

    /// Returns whether a turn changed anything but the loop's own variable and the status.
    pub(crate) fn changed_since(&self, fork: &Fork, name: &str) -> bool {
        let own = self.names.find(Namespace::Variable, name);
        let scalars = Scalars { status: fork.before.status, ..self.now };
        self.names.differs(fork.mark, own) || scalars != fork.before || self.collected() != fork.collected
    }

    /// Takes everything that was changed since the fork as unknown, as after any number of turns.
    pub(crate) fn widen(&mut self, fork: &Fork) {
        self.step(self.names.changes_since(fork.mark) as u64);
        self.names.forget_changes(fork.mark);
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

    pub(crate) fn run_while(&mut self, condition: Slice<Item>, body: Slice<Item>, until: bool) -> Flow {
        self.run_loop(
            body,
            &mut |this| {
                if this.run_tested(condition) == Flow::Dead {
                    return None;
                }
                let holds = if until { this.now.status.negate() } else { this.now.status };
                Some(Tested { holds, kept: None })
            },
            until,
            &mut |_| Status::Success,
        )
    }

    pub(crate) fn run_for_arithmetic(&mut self, header: Id<ForHeader>, body: Slice<Item>) -> Flow {
        let header = self.tree.get(header);
        // An expression that bash cannot evaluate ends the loop with the status 1; one that is not known may be such.
        let value = |this: &mut Self, id: Id<Word>| {
            if this.is_blank(id) { Ok(Some(1)) } else { this.evaluate_arithmetic(id) }
        };
        let is_evaluated = |this: &mut Self, id: Id<Word>| match value(this, id) {
            Ok(Some(_)) => Status::Success,
            Ok(None) => Status::Unknown,
            Err(()) => Status::Failure(Some(1)),
        };
        let mut failed = false;
        let mut turns = |this: &mut Self| {
            this.run_loop(
                body,
                &mut |this| {
                    let kept = Some(this.now.status);
                    let holds = match value(this, header.test) {
                        Ok(Some(value)) => Status::from_bool(value != 0),
                        Ok(None) => Status::Unknown,
                        Err(()) => {
                            failed = true;
                            Status::Failure(Some(1))
                        }
                    };
                    Some(Tested { holds, kept })
                },
                false,
                &mut |this| is_evaluated(this, header.step),
            )
        };
        let begun = is_evaluated(self, header.init);
        let flow = match begun {
            Status::Success => turns(self),
            Status::Failure(_) => {
                self.now.status = begun;
                Flow::Normal
            }
            Status::Unknown => {
                self.now.status = Status::Failure(Some(1));
                self.maybe(turns);
                Flow::Normal
            }
        };
        if failed {
            self.now.status = self.now.status.join(Status::Failure(Some(1)));
        }
        flow
    }

    /// Runs a loop whose condition is evaluated before each turn, and `step` after it; a step that fails ends the loop.
    pub(crate) fn run_loop(
        &mut self,
        body: Slice<Item>,
        condition: Condition<'_, 'e>,
        until: bool,
        step: &mut dyn FnMut(&mut Self) -> Status,
    ) -> Flow {
        self.repeating += 1;
        let flow = self.framed(FrameKind::Loop, |this| {
            let frame = this.stacks.frames.len() - 1;
            let reserve = this.steps_left() / LOOP_SHARE * (LOOP_SHARE - 1);
            let mut turns = 0;
            let mut last = Status::Success;
            loop {
                if turns > MAX_TURNS || this.steps_left() < reserve {
                    return this.run_widened(frame, body, condition, until, step);
                }
                let fork = this.fork();
                let leaves = this.stacks.leaves.len();
                let Some(tested) = condition(this) else {
                    this.names.release(fork.mark);
                    return Flow::Dead;
                };
                match tested.holds {
                    Status::Failure(_) => {
                        this.settle_directories();
                        this.now.status = last;
                        this.names.release(fork.mark);
                        return Flow::Normal;
                    }
                    Status::Success => this.assume(!until),
                    Status::Unknown => this.leave_when_over(frame, until, last),
                }
                this.now.status = tested.kept.unwrap_or(this.now.status);
                if this.run_turn(body) == Flow::Dead {
                    this.names.release(fork.mark);
                    return Flow::Dead;
                }
                last = this.now.status;
                if !this.goes_on_after(step, frame) {
                    this.names.release(fork.mark);
                    return Flow::Dead;
                }
                turns += 1;
                let unchanged = !this.changed_since(&fork, "");
                // It went on, and may have ended as well.
                let is_open = this.stacks.leaves.len() > leaves;
                if is_open && !unchanged {
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

    /// Goes on as if the condition held, and keeps the state in which it does not: the loop's last one was `last`.
    fn leave_when_over(&mut self, frame: usize, until: bool, last: Status) {
        let here = self.now;
        self.assume(until);
        self.now.status = last;
        self.leave(frame, false);
        self.now = here;
        self.assume(!until);
    }

    /// Runs what stands between two turns, and leaves the loop if it may fail; returns whether it may succeed.
    fn goes_on_after(&mut self, step: &mut dyn FnMut(&mut Self) -> Status, frame: usize) -> bool {
        let stepped = step(self);
        if stepped != Status::Success {
            let here = self.now;
            self.now.status = Status::Failure(Some(1));
            self.leave(frame, false);
            self.now = here;
        }
        stepped.may_succeed()
    }

    /// Runs a turn that stands for all later ones: again with more that is unknown, until it changes nothing more.
    pub(crate) fn run_widened(
        &mut self,
        frame: usize,
        body: Slice<Item>,
        condition: Condition<'_, 'e>,
        until: bool,
        step: &mut dyn FnMut(&mut Self) -> Status,
    ) -> Flow {
        let Some(Frame { mark, collected, .. }) = self.stacks.frames.get(frame).copied() else {
            return Flow::Dead;
        };
        let start = Fork { mark, before: self.now, collected };
        self.widen(&start);
        for _ in 0..MAX_WIDENINGS {
            let fork = self.fork();
            let goes_on = self.run_widened_turn(frame, body, condition, until, step);
            if goes_on {
                self.widen(&start);
            }
            let is_at_rest = !goes_on || self.is_at_rest(&fork);
            self.names.release(fork.mark);
            if is_at_rest || !self.step(1) {
                return Flow::Dead;
            }
        }
        self.leave(frame, false);
        Flow::Dead
    }

    /// Returns whether a widened turn left all as it was. Directories are: among them is one that is not known.
    fn is_at_rest(&self, fork: &Fork) -> bool {
        let Scalars { status, on_success, on_failure, previous, stack, stack_on_failure, .. } = fork.before;
        let scalars =
            Scalars { status, on_success, on_failure, previous, stack, stack_on_failure, ..self.now };
        scalars == fork.before && !self.names.differs(fork.mark, None) && self.collected() == fork.collected
    }

    /// Runs one turn of any; returns whether another may follow.
    fn run_widened_turn(
        &mut self,
        frame: usize,
        body: Slice<Item>,
        condition: Condition<'_, 'e>,
        until: bool,
        step: &mut dyn FnMut(&mut Self) -> Status,
    ) -> bool {
        let Some(tested) = condition(self) else { return false };
        match tested.holds {
            Status::Success => self.assume(!until),
            Status::Failure(_) => {
                self.leave_when_over(frame, until, Status::Unknown);
                return false;
            }
            Status::Unknown => self.leave_when_over(frame, until, Status::Unknown),
        }
        self.now.status = tested.kept.unwrap_or(self.now.status);
        if self.run_turn(body) == Flow::Dead {
            return false;
        }
        self.goes_on_after(step, frame)
    }

    pub(crate) fn run_select(&mut self, name: Span, words: Option<Slice<Word>>, body: Slice<Item>) -> Flow {
        let base = self.expand_list(name, words);
        let values: Vec<Field> = self.work.as_slice().get(base..).unwrap_or(&[]).to_vec();
        self.work.truncate(base);
        let name = self.store.detached(name);
        // With no words nothing is asked.
        if values.is_empty() || self.failed.is_some() {
            self.now.status = Status::Success;
            return Flow::Normal;
        }
        let mut ended = false;
        let flow = self.run_loop(
            body,
            &mut |this| {
                let answer = this.read_answer();
                let (status, reply, chosen) = match &answer {
                    Line::Text(text) => {
                        let reply = this.store.keep(text);
                        (Status::Success, reply, Some(this.chosen(text, &values)))
                    }
                    Line::End => (Status::Failure(Some(1)), Span::default(), None),
                    Line::Unknown { .. } => (Status::Unknown, this.hole(), Some(this.hole())),
                };
                this.assign_text("REPLY", reply);
                // A line that the end of the input ends is an answer too late.
                let status = if this.unended { Status::Failure(Some(1)) } else { status };
                match chosen.filter(|_| status.may_succeed()) {
                    Some(chosen) => _ = this.assign_text(&name, chosen),
                    None => ended = true,
                }
                this.now.status = status;
                Some(Tested { holds: status, kept: None })
            },
            false,
            &mut |_| Status::Success,
        );
        if ended && flow == Flow::Normal {
            self.now.status = Status::Failure(Some(1));
        }
        flow
    }

    /// Reads what `select` is answered: of blank lines it asks again. A line without an end sets [`Self::unended`].
    fn read_answer(&mut self) -> Line {
        self.unended = false;
        loop {
            let answer = match self.read_record('\n', false) {
                Line::Text(text) => Line::Text(crate::split::read_reply(&text, false)),
                answer => answer,
            };
            if self.unended || !matches!(&answer, Line::Text(text) if text.is_empty()) {
                return answer;
            }
        }
    }

    /// Returns the word that an answer to `select` chooses: nothing for an answer that is no number of one.
    fn chosen(&mut self, answer: &str, values: &[Field]) -> Span {
        let number = answer.trim().parse::<usize>().ok();
        let value = number.and_then(|number| values.get(number.checked_sub(1)?));
        match value {
            Some(field) if field.kind == FieldKind::Known => field.value,
            // A word that is not known may be none or several, and moves the numbers of the others.
            _ if values.iter().any(|field| field.kind != FieldKind::Known) => self.hole(),
            _ => Span::default(),
        }
    }
}
