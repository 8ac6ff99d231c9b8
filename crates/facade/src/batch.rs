//! The calls of one message of the model: which is judged, run and told of when.
//!
//! A host asks what is next, does it, and says that it is done. Nothing here runs anything, so a host may use threads, tasks
//! or neither.
//!
//! ```text
//!  parallel     judge 1 · judge 2 · run 1, run 2 at once · event of 2, event of 1 (as they finish) · message 1 · message 2
//!  sequential   judge 1 · run 1 · event of 1 · message 1 · judge 2 · run 2 · event of 2 · message 2
//! ```

use std::collections::VecDeque;

/// A batch of tool calls on its way.
///
/// ```
/// use brakeline::batch::{Batch, Mode, Next};
///
/// // Two calls in parallel; the first one is blocked.
/// let mut batch = Batch::new(2, Mode::Parallel);
/// assert_eq!(batch.next(), Next::Judge(0));
/// batch.blocked(0, false);
/// assert_eq!(batch.next(), Next::Judge(1));
/// batch.allowed(1);
/// assert_eq!(batch.next(), Next::Run(1));
/// assert_eq!(batch.next(), Next::Wait);
/// batch.finished(1, false);
/// assert_eq!(batch.next(), Next::ResultEvent(1));
/// assert_eq!(batch.next(), Next::Message(0));
/// assert_eq!(batch.next(), Next::Message(1));
/// assert_eq!(batch.next(), Next::Done { terminate: false });
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    mode: Mode,
    calls: Vec<Call>,
    /// Calls that have finished and whose event is due, as they finished.
    finished: VecDeque<usize>,
}

/// How the calls of a batch run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All at once, after every one was judged.
    Parallel,
    /// One runs to its end before the next one is judged.
    Sequential,
    /// None: the model's message was cut off by its output limit, so the arguments may be half of what was meant, even if they
    /// happen to parse.
    CutOff,
}

impl Mode {
    /// Returns how a batch runs: not at all if the message was cut off, one after the other if one of its tools asks for that.
    #[must_use]
    pub fn of(is_cut_off: bool, is_sequential: impl IntoIterator<Item = bool>) -> Self {
        if is_cut_off {
            Self::CutOff
        } else if is_sequential.into_iter().any(|sequential| sequential) {
            Self::Sequential
        } else {
            Self::Parallel
        }
    }
}

/// What a host does next with a batch. Calls go by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Hand the call to [`Engine::handle`](crate::Engine::handle), then say [`allowed`](Batch::allowed) or
    /// [`blocked`](Batch::blocked).
    Judge(usize),
    /// Start the tool, then ask for what is next at once; say [`finished`](Batch::finished) when it is.
    Run(usize),
    /// Wait until a verdict is in, or a tool that runs is finished.
    Wait,
    /// Hand the call's result to the engine as an event.
    ResultEvent(usize),
    /// Add the call's result to the conversation: that of the tool, of the block, or that the message was cut off.
    Message(usize),
    /// The batch is through.
    Done {
        /// Whether every call of the batch wants the run to end.
        terminate: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    state: State,
    terminate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unjudged,
    Judging,
    Allowed,
    Running,
    /// Finished, or not to run at all; its message is due.
    Over,
    Told,
}

impl Batch {
    /// A batch of so many calls.
    #[must_use]
    pub fn new(calls: usize, mode: Mode) -> Self {
        let state = if mode == Mode::CutOff { State::Over } else { State::Unjudged };
        let calls = vec![Call { state, terminate: false }; calls];
        Self { mode, calls, finished: VecDeque::new() }
    }

    /// Returns what to do next. What it names counts as begun.
    #[expect(clippy::should_implement_trait, reason = "no iterator: the host has to answer in between")]
    pub fn next(&mut self) -> Next {
        if let Some(call) = self.finished.pop_front() {
            return Next::ResultEvent(call);
        }
        match self.mode {
            Mode::Sequential => self.next_in_order(),
            Mode::Parallel | Mode::CutOff => self.next_in_phases(),
        }
    }

    /// Judging comes before running, and running before messages, over the whole batch.
    fn next_in_phases(&mut self) -> Next {
        if let Some(call) = self.advance(State::Unjudged, State::Judging) {
            return Next::Judge(call);
        }
        if self.any(State::Judging) {
            return Next::Wait;
        }
        if let Some(call) = self.advance(State::Allowed, State::Running) {
            return Next::Run(call);
        }
        if self.any(State::Running) {
            return Next::Wait;
        }
        self.next_message()
    }

    /// The first call that is not through is brought through before the next one is looked at.
    fn next_in_order(&mut self) -> Next {
        let first = self.calls.iter().position(|call| call.state != State::Told);
        let Some((call, state)) = first.and_then(|at| Some((at, &mut self.calls.get_mut(at)?.state))) else {
            return self.done();
        };
        match *state {
            State::Unjudged => {
                *state = State::Judging;
                Next::Judge(call)
            }
            State::Allowed => {
                *state = State::Running;
                Next::Run(call)
            }
            State::Over => {
                *state = State::Told;
                Next::Message(call)
            }
            State::Judging | State::Running | State::Told => Next::Wait,
        }
    }

    fn next_message(&mut self) -> Next {
        self.advance(State::Over, State::Told).map_or_else(|| self.done(), Next::Message)
    }

    fn done(&self) -> Next {
        Next::Done { terminate: !self.calls.is_empty() && self.calls.iter().all(|call| call.terminate) }
    }

    fn any(&self, state: State) -> bool {
        self.calls.iter().any(|call| call.state == state)
    }

    /// Takes the first call in one state to another.
    fn advance(&mut self, from: State, to: State) -> Option<usize> {
        let call = self.calls.iter().position(|call| call.state == from)?;
        self.calls.get_mut(call)?.state = to;
        Some(call)
    }

    /// Says that a call may run. Changes nothing for a call that is not being judged.
    pub fn allowed(&mut self, call: usize) {
        self.change(call, State::Judging, State::Allowed);
    }

    /// Says that a call may not run, and whether the run is to end with that. Changes nothing for a call that is not being
    /// judged.
    pub fn blocked(&mut self, call: usize, terminate: bool) {
        if self.change(call, State::Judging, State::Over) {
            self.terminate(call, terminate);
        }
    }

    /// Says that a tool is finished, and whether the run is to end with that. Changes nothing for a call that is not running.
    pub fn finished(&mut self, call: usize, terminate: bool) {
        if self.change(call, State::Running, State::Over) {
            self.terminate(call, terminate);
            self.finished.push_back(call);
        }
    }

    fn terminate(&mut self, call: usize, terminate: bool) {
        if let Some(call) = self.calls.get_mut(call) {
            call.terminate = terminate;
        }
    }

    fn change(&mut self, call: usize, from: State, to: State) -> bool {
        match self.calls.get_mut(call) {
            Some(call) if call.state == from => {
                call.state = to;
                true
            }
            _ => false,
        }
    }
}
