//! Asks the extensions in their order: one loop for every event, [`Engine::drive`]. What is done with an answer stands in
//! `compose.rs`.

use crate::builder::Builder;
use crate::compose::{Event, Flow, Handler};
use crate::configuration::{Configuration, SettingsInput};
use crate::decision::{Outcome, Report};
use crate::diagnostic::{Diagnostic, Problem};
use crate::effect::{Effect, Level};
use crate::event::{EventKind, SessionShutdown};
use crate::extension::{Answered, Asked, CommandSpec, Context, Stop, ToolSpec};
use crate::loaded::{Loaded, guarded};
use crate::question::{Answer, Question, Ui};
use crate::session::{SessionView, Setup};
use brakeline_settings::Reported;
use serde_json::Value;
use std::fmt;

/// Runs extensions in their order. One engine serves one session; a process may have any number of them.
///
/// It never runs an agent: it is given events and gives decisions back.
///
/// ```
/// use brakeline::{Builder, Setup, Step, ToolCall, SessionView, Verdict};
/// use brakeline_settings::Trust;
/// use serde_json::json;
///
/// let setup = Setup { cwd: Some("/srv/app".to_owned()), ..Setup::new("s1") };
/// let mut engine = Builder::new(setup).built_ins().build(Trust::Trusted)?;
///
/// let input = json!({"path": "/", "pattern": "*.rs"}).as_object().unwrap().clone();
/// let call = ToolCall { tool: "find".to_owned(), id: "c1".to_owned(), parent: None, input };
/// let Step::Done(outcome) = engine.handle(call, SessionView::default()) else { unreachable!("nothing is asked") };
/// # #[cfg(feature = "block-find")]
/// match outcome.decision.verdict {
///     Verdict::Block(block) => assert!(block.reason.starts_with("find is not allowed in /")),
///     Verdict::Allow => unreachable!("the root is forbidden"),
/// }
/// # Ok::<(), brakeline::BuildError>(())
/// ```
pub struct Engine {
    configuration: Configuration,
    loaded: Vec<Loaded>,
    reported: Reported,
    /// Diagnostics that no outcome has told the user of.
    untold: Vec<Diagnostic>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.loaded.iter().map(|loaded| &loaded.name).collect();
        f.debug_struct("Engine")
            .field("configuration", &self.configuration)
            .field("extensions", &names)
            .finish_non_exhaustive()
    }
}

/// How far an operation came: to its end, or to a question.
#[must_use = "a question waits for its answer"]
#[derive(Debug)]
pub enum Step<E: Event> {
    /// It is done.
    Done(Outcome<E::Decision>),
    /// It waits for an answer: hand it to [`Engine::resume`], or drop it to give the operation up, and its effects so far with
    /// it. A tool call that is given up must not run.
    Ask(Suspended<E>),
}

/// An operation that waits for an answer. It holds nothing of the engine, which may handle other events meanwhile.
#[derive(Debug)]
pub struct Suspended<E: Event> {
    running: Running<E>,
    asked: Asked,
}

impl<E: Event> Suspended<E> {
    /// Returns what is asked.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.asked.question
    }
}

/// An event on its way through the extensions.
#[derive(Debug)]
struct Running<E: Event> {
    event: E,
    /// What the answers so far come to.
    folded: E::Folded,
    /// The index of the extension that is asked.
    at: usize,
    /// What the user answered to the questions of that extension.
    answers: Vec<Answered>,
    effects: Vec<Effect>,
    reports: Vec<Report>,
}

impl Engine {
    /// Returns a builder: the same as [`Builder::new`].
    pub fn builder(setup: Setup) -> Builder {
        Builder::new(setup)
    }

    pub(crate) fn new(configuration: Configuration, loaded: Vec<Loaded>) -> Self {
        let mut engine = Self { configuration, loaded, reported: Reported::default(), untold: Vec::new() };
        engine.note_news(&[]);
        engine
    }

    /// Handles an event.
    ///
    /// An outcome may hold effects even where its decision is nothing: the host carries them out.
    pub fn handle<E: Event>(&mut self, event: E, view: SessionView<'_>) -> Step<E> {
        let effects = if E::STARTS_SESSION { self.tell_news() } else { Vec::new() };
        let running = Running {
            event,
            folded: E::Folded::default(),
            at: 0,
            answers: Vec::new(),
            effects,
            reports: Vec::new(),
        };
        self.drive(running, view)
    }

    /// Goes on with an operation, with the answer to its question. An answer that does not fit the question makes the handler
    /// that asked fail.
    ///
    /// The operation goes on in the engine that it began in.
    pub fn resume<E: Event>(
        &mut self,
        suspended: Suspended<E>,
        answer: Answer,
        view: SessionView<'_>,
    ) -> Step<E> {
        let mut running = suspended.running;
        running.answers.push(Answered { asked: suspended.asked, answer });
        self.drive(running, view)
    }

    /// Handles an event and asks what there is to ask, for hosts that can wait.
    ///
    /// ```
    /// use brakeline::{AgentStart, Builder, NoUi, SessionView, Setup};
    /// use brakeline_settings::Trust;
    ///
    /// let mut engine = Builder::new(Setup::new("s1")).built_ins().build(Trust::Trusted)?;
    /// let outcome = engine.handle_with(AgentStart, SessionView::default(), &mut NoUi);
    /// assert!(outcome.reports.is_empty());
    /// # Ok::<(), brakeline::BuildError>(())
    /// ```
    pub fn handle_with<E: Event>(
        &mut self,
        event: E,
        view: SessionView<'_>,
        ui: &mut dyn Ui,
    ) -> Outcome<E::Decision> {
        let mut step = self.handle(event, view);
        loop {
            match step {
                Step::Done(outcome) => return outcome,
                Step::Ask(suspended) => {
                    let answer = ui.ask(suspended.question());
                    step = self.resume(suspended, answer, view);
                }
            }
        }
    }

    /// Asks one extension after the other, until one of them stops the chain or asks the user.
    fn drive<E: Event>(&mut self, mut running: Running<E>, view: SessionView<'_>) -> Step<E> {
        while let Some(loaded) = self.loaded.get_mut(running.at) {
            if !loaded.is_on || !running.event.concerns(loaded) {
                running.at += 1;
                continue;
            }
            let (name, extension) = (loaded.name.as_str(), &mut *loaded.extension);
            let Running { event, folded, answers, .. } = &mut running;
            let mut context = Context::new(&self.configuration, view, answers);
            let answer = guarded(|| event.offer(folded, Handler { name, extension }, &mut context));
            let (asked, effects) = context.into_parts();
            // A question that the handler kept to itself is a question all the same.
            if let Some(asked) = asked {
                return Step::Ask(Suspended { running, asked });
            }
            running.effects.extend(effects);
            running.answers.clear();
            running.at += 1;
            let flow = answer.unwrap_or_else(|Stop(why)| {
                let message = why.to_string();
                let flow = running.event.fail(&mut running.folded, name, &message, &self.configuration);
                running.reports.push(Report { extension: name.to_owned(), event: E::KIND.name(), message });
                flow
            });
            if let Some(unusable) = running.event.judge(&running.folded, view.branch) {
                let report = Report {
                    extension: name.to_owned(),
                    event: E::KIND.name(),
                    message: unusable.to_string(),
                };
                running.reports.push(report);
            }
            if flow == Flow::Stop {
                break;
            }
        }
        let Running { event, folded, effects, mut reports, .. } = running;
        let decision = event.decide(folded, view.branch, &mut reports);
        Step::Done(Outcome { decision, effects, reports })
    }

    /// Takes up settings that changed. An extension that they switch off is told that the session ends, for it.
    ///
    /// Settings that are the same as before cost a comparison.
    pub fn configure(&mut self, settings: Value) -> Outcome<()> {
        let mut outcome = Outcome::default();
        if settings == *self.configuration.effective() {
            return outcome;
        }
        let setup = self.configuration.setup().clone();
        let input = SettingsInput::of_value(&setup, settings);
        self.configuration = Configuration::new(setup, input);
        let before = self.problems();
        for loaded in &mut self.loaded {
            let was_on = loaded.is_on;
            loaded.is_on = self.configuration.is_on(&loaded.name).unwrap_or(true);
            let mut context = Context::new(&self.configuration, SessionView::default(), &[]);
            let done = match (was_on, loaded.is_on) {
                (_, true) => guarded(|| loaded.extension.configure(&self.configuration)),
                (true, false) => guarded(|| {
                    let event = SessionShutdown { reason: "disabled".to_owned() };
                    loaded.extension.session_shutdown(&event, &mut context).map(|()| Vec::new())
                }),
                (false, false) => Ok(Vec::new()),
            };
            outcome.effects.extend(context.into_parts().1);
            match done {
                Ok(problems) => loaded.problems = problems,
                Err(Stop(why)) => {
                    let message = why.to_string();
                    let extension = loaded.name.clone();
                    outcome.reports.push(Report { extension, event: "configure", message });
                }
            }
        }
        self.note_news(&before);
        outcome.effects.extend(self.tell_news());
        outcome
    }

    /// Returns the settings, and what else is fixed for the session.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns what of the configuration cannot be used. A `session_start` tells the user of it, once.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let settings = self.configuration.unusable().iter().cloned();
        let settings = settings.map(|problem| Diagnostic { extension: None, problem: problem.into() });
        settings.chain(self.problems()).collect()
    }

    fn problems(&self) -> Vec<Diagnostic> {
        let of = |loaded: &Loaded, problem: &Problem| Diagnostic {
            extension: Some(loaded.name.clone()),
            problem: problem.clone(),
        };
        let all = self.loaded.iter().filter(|loaded| loaded.is_on);
        all.flat_map(|loaded| loaded.problems.iter().map(move |problem| of(loaded, problem))).collect()
    }

    /// Notes the diagnostics that were not there before.
    fn note_news(&mut self, before: &[Diagnostic]) {
        let settings = self.reported.news(self.configuration.unusable().to_vec());
        let settings =
            settings.into_iter().map(|problem| Diagnostic { extension: None, problem: problem.into() });
        let problems = self.problems().into_iter().filter(|problem| !before.contains(problem));
        self.untold.extend(settings.chain(problems));
    }

    fn tell_news(&mut self) -> Vec<Effect> {
        let language = self.configuration.setup().language;
        let news = std::mem::take(&mut self.untold).into_iter();
        news.map(|news| Effect::Notify { level: Level::Warning, message: news.text(language) }).collect()
    }

    /// Returns the names of the extensions that are on, in the order of their handlers.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.loaded.iter().filter(|loaded| loaded.is_on).map(|loaded| loaded.name.as_str())
    }

    /// Returns the kinds of event that some extension that is on handles; others need not be sent.
    #[must_use]
    pub fn wanted_events(&self) -> Vec<EventKind> {
        let wants = |kind: &EventKind| {
            self.loaded.iter().any(|loaded| loaded.is_on && loaded.extension.events().contains(kind))
        };
        EventKind::ALL.into_iter().filter(wants).collect()
    }

    /// Returns whether some extension that is on reads an entry of the session; others may be left out of a
    /// [`Branch::part`](crate::Branch::part).
    #[must_use]
    pub fn reads_entry(&self, entry: &Value) -> bool {
        self.loaded.iter().any(|loaded| loaded.is_on && loaded.extension.reads_entry(entry))
    }

    /// Returns the commands of all extensions that are on.
    pub fn commands(&self) -> impl Iterator<Item = &CommandSpec> {
        self.loaded.iter().filter(|loaded| loaded.is_on).flat_map(|loaded| &loaded.commands)
    }

    /// Returns the tools of all extensions that are on, offered or not: those that a host registers.
    pub fn tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.loaded.iter().filter(|loaded| loaded.is_on).flat_map(|loaded| &loaded.tools)
    }

    /// Returns the tools that the model is offered in a session that stands as `view`.
    pub fn offered_tools(&self, view: SessionView<'_>) -> impl Iterator<Item = &ToolSpec> {
        let all = self.loaded.iter().filter(|loaded| loaded.is_on);
        all.flat_map(move |loaded| {
            let offers =
                move |tool: &&ToolSpec| loaded.extension.offers(&tool.name, view, &self.configuration);
            loaded.tools.iter().filter(offers)
        })
    }
}
