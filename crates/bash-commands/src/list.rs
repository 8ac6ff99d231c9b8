//! Lists, `&&` and `||` chains, and pipelines.

use crate::branch::{Branch, Fork};
use crate::evaluate::Evaluator;
use crate::report::{Step, Via};
use crate::state::{Flow, Input, Scalars, Status, option};
use crate::syntax::{CommandKind, Connector, Id, Item, Slice};

impl Evaluator<'_> {
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
                self.run_and_or(at, last)
            };
            if flow == Flow::Dead {
                return Flow::Dead;
            }
            at = last + 1;
        }
        Flow::Normal
    }

    pub(crate) fn run_background(&mut self, first: u32, last: u32) -> Flow {
        let collected = self.collected();
        self.within(Step::Via(Via::Background), |this| {
            this.in_child(|this| {
                let input = this.now.input;
                if input == Input::Inherited {
                    this.now.input = Input::Unknown;
                }
                this.run_and_or(first, last)
            });
            // What it prints comes at any time.
            if this.collected() > collected {
                this.mix_output(collected);
            }
        });
        self.now.status = Status::Success;
        Flow::Normal
    }

    /// Runs the pipelines `first..=last`, joined by `&&` and `||`; most often it is one.
    #[inline]
    fn run_and_or(&mut self, first: u32, last: u32) -> Flow {
        if first < last {
            return self.run_chain(first, last);
        }
        let item = self.tree.get(Id::<Item>::new(first));
        self.run_link(&item, true)
    }

    /// Runs several pipelines.
    ///
    /// Where a status is not known the chain goes on with the one that runs the next pipeline; the state with the other
    /// one waits until a connector comes that takes it in again: in `a && b && c || d` the failures of `a` and `b` wait
    /// for the `||`, and what `c` sees is only what follows from their success.
    fn run_chain(&mut self, first: u32, last: u32) -> Flow {
        let item = self.tree.get(Id::<Item>::new(first));
        let mut flow = self.run_link(&item, false);
        let mut connector = item.connector;
        let mut fork = None;
        let mut waiting: Option<(Branch, bool)> = None;
        for at in first + 1..=last {
            let item = self.tree.get(Id::<Item>::new(at));
            let wanted = connector == Connector::And;
            connector = item.connector;
            if let (Some(fork), Some((branch, success))) = (&fork, &waiting)
                && *success == wanted
            {
                flow = self.take_in(fork, branch, flow);
                waiting = None;
            }
            if flow == Flow::Dead {
                continue;
            }
            match (self.now.status, wanted) {
                (Status::Success, true) | (Status::Failure(_), false) => self.assume(wanted),
                (Status::Success, false) | (Status::Failure(_), true) => continue,
                (Status::Unknown, _) => {
                    let fork = *fork.get_or_insert_with(|| self.fork());
                    let here = self.now;
                    self.assume(!wanted);
                    let mut branch = self.branch_since(fork.mark, fork.collected);
                    if let Some((earlier, _)) = waiting.take() {
                        branch = self.merge_branches(fork.mark, &branch, &earlier);
                    }
                    waiting = Some((branch, !wanted));
                    self.now = here;
                    self.assume(wanted);
                }
            }
            flow = self.run_link(&item, at == last);
        }
        if let Some(fork) = fork {
            if let Some((branch, _)) = &waiting {
                flow = self.take_in(&fork, branch, flow);
            }
            self.names.release(fork.mark);
        }
        flow
    }

    /// Joins a waiting state into the present one, or takes its place when that one has left.
    fn take_in(&mut self, fork: &Fork, branch: &Branch, flow: Flow) -> Flow {
        if flow == Flow::Dead {
            self.names.put(fork.mark, &branch.changes);
            self.put_scalars(fork, branch);
        } else {
            self.join_branch(fork.mark, fork.collected, branch);
        }
        Flow::Normal
    }

    /// Runs one pipeline of a chain; only the last one's failure counts for `set -e`.
    pub(crate) fn run_link(&mut self, item: &Item, is_last: bool) -> Flow {
        // `!` spares what it stands before only where `set -e` was on before, as bash has it.
        if !is_last || (item.negated && self.has(option::ERREXIT)) {
            self.tested += 1;
            let flow = self.run_item(item);
            self.tested -= 1;
            return flow;
        }
        let flow = self.run_item(item);
        let is_looked_at = !item.negated && self.has(option::ERREXIT) && self.ends_under_errexit(item);
        if flow == Flow::Normal && is_looked_at { self.check_errexit() } else { flow }
    }

    /// Returns whether `set -e` looks at the status of this pipeline (bash manual, «The Set Builtin»).
    pub(crate) fn ends_under_errexit(&self, item: &Item) -> bool {
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

    pub(crate) fn check_errexit(&mut self) -> Flow {
        if self.tested > 0 {
            return Flow::Normal;
        }
        match self.now.status {
            Status::Success => Flow::Normal,
            Status::Failure(_) => self.leave_shell(),
            // Whatever comes next runs only if it succeeded.
            Status::Unknown => {
                self.may_leave_shell(Status::Failure(None));
                self.assume(true);
                Flow::Normal
            }
        }
    }

    /// Runs one pipeline.
    pub(crate) fn run_item(&mut self, item: &Item) -> Flow {
        let flow = if item.commands.len() == 1 {
            match item.commands.first() {
                Some(id) => self.run_command(id),
                None => Flow::Normal,
            }
        } else {
            self.run_pipeline(item)
        };
        if item.negated {
            self.negate();
        }
        flow
    }

    pub(crate) fn run_pipeline(&mut self, item: &Item) -> Flow {
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
}
