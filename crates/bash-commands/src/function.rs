//! Functions and traps: code that is kept and run later.

use crate::branch::FrameKind;
use crate::evaluate::Evaluator;
use crate::report::{Step, Via};
use crate::span::Span;
use crate::state::{Flow, FunctionId, Namespace, ReadAt, Slot, SlotId, Status, Value, Watched};
use crate::syntax::{Command, Id};
use alloc::rc::Rc;
use alloc::vec::Vec;

/// A function's definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) body: Id<Command>,
    /// What stands for its text when the definition is in derived text.
    pub(crate) origin: Option<Span>,
    /// The line of its definition.
    pub(crate) line: ReadAt,
    /// It was already taken as called by something unknown.
    pub(crate) called_by_unknown: bool,
}

/// What `trap … EXIT` set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExitTrap {
    text: Span,
    /// The word that carries it.
    source: Span,
}

/// A variable that `local` made.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// How many functions were being called inside each other.
    pub(crate) owner: u32,
    pub(crate) slot: SlotId,
    /// What it is again afterwards.
    pub(crate) old: Slot,
    /// It was made on every way through the function.
    pub(crate) is_certain: bool,
}

/// The positional parameters of a shell or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Positional {
    pub(crate) zero: Span,
    pub(crate) values: Rc<[Span]>,
    /// There may be any others in their place.
    pub(crate) open: bool,
}

impl Evaluator<'_> {
    pub(crate) fn define_function(&mut self, name: Span, body: Id<Command>) {
        let id = self.stacks.functions.len() as FunctionId;
        self.stacks.functions.push(Function {
            body,
            origin: self.origin,
            line: self.line,
            called_by_unknown: false,
        });
        let name = self.store.detached(name);
        let slot = self.names.intern(Namespace::Function, &name);
        let value = Value::Functions(Rc::from([id]));
        self.names.set(slot, Slot { value, attributes: 0, level: self.now.level });
        self.now.status = Status::Success;
    }

    /// Calls a function with the given positional parameters.
    pub(crate) fn call_function(&mut self, id: FunctionId, positional: Positional) -> Flow {
        let Some(function) = self.stacks.functions.get(id as usize).copied() else { return Flow::Normal };
        let span = self.tree.get(function.body).span;
        let outer_positional = self.now.positional;
        let outer_origin = core::mem::replace(&mut self.origin, function.origin);
        let locals = self.stacks.locals.len();
        let marks_of_call = self.marks_of_call;
        self.calls += 1;
        self.repeating += 1;
        let flow = self.within(Step::Via(Via::Function), |this| {
            this.deeper(span, |this| {
                this.now.positional = this.add_positional(positional);
                this.framed(FrameKind::Function, |this| {
                    this.marks_of_call = this.names.marks_in_force();
                    this.as_read(function.line, |this| this.run_command(function.body))
                })
            })
        });
        self.repeating -= 1;
        self.calls -= 1;
        self.origin = outer_origin;
        self.end_locals(locals);
        self.marks_of_call = marks_of_call;
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
            let Some(function) = self.stacks.functions.get_mut(id as usize) else { continue };
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

    /// Returns the number of a set of parameters. The same set in force keeps its number, so that a loop that shifts
    /// parameters that are not known comes to rest.
    pub(crate) fn add_positional(&mut self, positional: Positional) -> u32 {
        if self.stacks.positionals.is_empty() {
            // The first set is that of the whole text: whatever the host gives.
            let hole = self.hole();
            self.stacks.positionals.push(Positional { zero: hole, values: Rc::from([]), open: true });
        }
        if self.stacks.positionals.get(self.now.positional as usize) == Some(&positional) {
            return self.now.positional;
        }
        self.stacks.positionals.push(positional);
        self.stacks.positionals.len() as u32 - 1
    }

    pub(crate) fn open_positional(&mut self) -> u32 {
        let hole = self.hole();
        self.add_positional(Positional { zero: hole, values: Rc::from([]), open: true })
    }

    /// Returns the set that stands for either of two.
    pub(crate) fn join_positional(&mut self, a: u32, b: u32) -> u32 {
        let same =
            a == b || self.stacks.positionals.get(a as usize) == self.stacks.positionals.get(b as usize);
        if same { a } else { self.open_positional() }
    }

    pub(crate) fn positional(&mut self) -> Positional {
        if let Some(positional) = self.stacks.positionals.get(self.now.positional as usize) {
            return positional.clone();
        }
        let hole = self.hole();
        Positional { zero: hole, values: Rc::from([]), open: true }
    }

    /// A child shell does not run what its parent set for its own end.
    #[inline]
    pub(crate) fn forget_exit_trap(&mut self) {
        if let Some(id) = self.names.find_watched(Watched::ExitTrap) {
            self.names.set(id, Slot { value: Value::Unset, attributes: 0, level: self.now.level });
        }
    }

    /// `trap … EXIT`; an empty text takes the trap away.
    pub(crate) fn set_exit_trap(&mut self, text: Span, source: Span) {
        let slot = self.names.intern(Namespace::Trap, "EXIT");
        let level = self.now.level;
        let value = if text.is_empty() { Value::Unset } else { Value::Text(text) };
        self.names.set(slot, Slot { value, attributes: 0, level });
        let trap = ExitTrap { text, source };
        // One that a loop sets at each turn is the last one.
        if !text.is_empty() && self.traps_of_shell().last() != Some(&trap) {
            self.stacks.traps.push(trap);
        }
    }

    /// The traps that the present shell ever set.
    fn traps_of_shell(&self) -> &[ExitTrap] {
        self.stacks.traps.get(self.shell.first_trap..).unwrap_or(&[])
    }

    /// Returns whether something may be run when the present shell ends.
    #[inline]
    pub(crate) fn has_exit_trap(&self) -> bool {
        self.names
            .find_watched(Watched::ExitTrap)
            .is_some_and(|id| matches!(self.names.slot(id).value, Value::Text(_) | Value::Unknown))
    }

    /// Runs what `trap … EXIT` left, at the end of a shell.
    #[cold]
    pub(crate) fn run_exit_trap(&mut self) -> Flow {
        let Some(id) = self.names.find_watched(Watched::ExitTrap) else { return Flow::Normal };
        let slot = self.names.slot(id).clone();
        self.names.set(id, Slot { value: Value::Unset, ..slot });
        // A shell may be left at many places.
        self.repeating += 1;
        let mut flow = Flow::Normal;
        if let Value::Text(text) = slot.value {
            let trap = self.traps_of_shell().iter().rfind(|trap| trap.text == text);
            let source = trap.map_or(text, |trap| trap.source);
            flow = self.with_origin(source, |this| this.run_trap(text));
        } else {
            // It was set, or changed, on some ways only.
            for ExitTrap { text, source } in self.traps_of_shell().to_vec() {
                self.maybe(|this| this.with_origin(source, |this| this.run_trap(text)));
            }
        }
        self.repeating -= 1;
        flow
    }

    /// Runs the text of a trap.
    pub(crate) fn run_trap(&mut self, text: Span) -> Flow {
        self.within(Step::Via(Via::Trap), |this| {
            let status = this.now.status;
            let flow = this
                .deeper(text, |this| this.framed(FrameKind::Function, |this| this.run_shell_script(text)));
            this.now.status = status;
            flow
        })
    }
}
