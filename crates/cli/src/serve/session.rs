//! One session: its engine, its entries, and the questions that are open.

use super::branch::BranchCopy;
use super::event;
use super::fault::Fault;
use super::output::Output;
use super::progress::{self, Progress, Resume};
use super::wire::{
    AnswerMessage, BlockedCall, Code, EntriesUpdate, Id, Opened, Reply, Response, WantedEntries, WireCommand,
    WireEffect, WireTool,
};
use crate::audit::{self, Blocked};
use brakeline::locale::Language;
use brakeline::{
    Answer, CommandRun, Engine, Level, Outcome, Question, SessionShutdown, SessionView, ToolRun,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc::Receiver;

/// How many questions of a session may be open at once.
const MAX_OPEN_QUESTIONS: usize = 64;

/// How many questions one request may ask. An extension that never stops asking must not hold a host without a user.
const MAX_QUESTIONS_EACH: usize = 64;

/// What a session is asked to do.
#[derive(Debug)]
pub(super) enum Job {
    /// Something that is answered.
    Request { id: Id, entries: Option<EntriesUpdate>, task: Task },
    /// The answer to a question.
    Answer(AnswerMessage),
    /// The end.
    Close(Id),
}

/// What a request wants.
#[derive(Debug)]
pub(super) enum Task {
    Configure(Value),
    Event(Value),
    Command(CommandRun),
    Tool(ToolRun),
}

/// A session that is about to be served.
pub(super) struct Session {
    /// Its name in this process.
    pub(super) name: String,
    pub(super) engine: Engine,
    /// Whether there is somebody to ask.
    pub(super) has_ui: bool,
    /// What the audit log calls the host; `None`: no log is kept, whatever the settings say.
    pub(super) audited_as: Option<&'static str>,
}

impl Session {
    /// What the host has to know from the start.
    pub(super) fn opened(&self) -> Opened {
        let commands = self.engine.commands().map(|command| WireCommand {
            name: command.name.clone(),
            description: command.description.clone(),
        });
        let tools = self.engine.tools().map(|tool| WireTool {
            name: tool.name.clone(),
            label: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
            sequential: tool.sequential,
            active: false,
        });
        Opened {
            events: event::heard(&self.engine),
            commands: commands.collect(),
            tools: tools.collect(),
            entries: WantedEntries {
                custom_types: event::CUSTOM_TYPES.map(str::to_owned).to_vec(),
                tool_names: self.engine.tools().map(|tool| tool.name.clone()).collect(),
            },
            language: match self.engine.configuration().setup().language {
                Language::ZhCn => "zh-CN",
                Language::En => "en",
            },
        }
    }

    /// Does one job after the other, until the session is closed, there are no more, or nobody reads the answers.
    pub(super) fn run(self, jobs: &Receiver<Job>, output: &Output<impl Write>) {
        let mut worker = Worker {
            session: self,
            branch: BranchCopy::default(),
            offered: Vec::new(),
            waiting: BTreeMap::new(),
            asked: 0,
            output,
        };
        let mut closing = None;
        for job in jobs {
            if let Job::Close(id) = job {
                closing = Some(id);
                break;
            }
            if worker.take(job).is_err() {
                break;
            }
        }
        // Where answers cannot be written there is nobody left to tell.
        let _ = worker.end(closing);
    }
}

/// A session at work, in its thread.
struct Worker<'a, W> {
    session: Session,
    branch: BranchCopy,
    /// The tools that the host was told to offer.
    offered: Vec<String>,
    waiting: BTreeMap<u64, Waiting>,
    asked: u64,
    output: &'a Output<W>,
}

/// A request that waits for an answer.
struct Waiting {
    id: Id,
    question: Question,
    resume: Resume,
    /// Which question of the request this is, from 1.
    number: usize,
}

impl<W: Write> Worker<'_, W> {
    fn take(&mut self, job: Job) -> io::Result<()> {
        match job {
            Job::Request { id, entries, task } => self.request(id, entries, task),
            Job::Answer(answer) => self.answer(answer),
            Job::Close(_) => Ok(()),
        }
    }

    fn request(&mut self, id: Id, entries: Option<EntriesUpdate>, task: Task) -> io::Result<()> {
        let begun = self.bring_up_to_date(entries).and_then(|news| Ok((news, self.begin(task)?)));
        match begun {
            Ok((news, progress)) => self.go_on(id, progress, 1, news),
            Err(fault) => self.output.write_fault(Some(id), fault),
        }
    }

    fn begin(&mut self, task: Task) -> Result<Progress, Fault> {
        let view = view(&self.branch);
        match task {
            Task::Configure(settings) => Ok(self.configure(settings)),
            Task::Event(event) => event::handle(&mut self.session.engine, event, view),
            Task::Command(run) => Ok(progress::command(&mut self.session.engine, run, view)),
            Task::Tool(run) => Ok(progress::tool(&mut self.session.engine, run, view)),
        }
    }

    fn configure(&mut self, settings: Value) -> Progress {
        let Outcome { effects, reports, .. } = self.session.engine.configure(settings);
        Progress::Done(Ok(Box::new(Reply::of(effects, reports))))
    }

    /// Takes up what is new on the branch, and returns what the host has to be told about tools for it.
    fn bring_up_to_date(&mut self, entries: Option<EntriesUpdate>) -> Result<Option<WireEffect>, Fault> {
        let Some(entries) = entries else { return Ok(None) };
        self.branch.update(entries)?;
        let now: Vec<String> =
            self.session.engine.offered_tools(view(&self.branch)).map(|tool| tool.name.clone()).collect();
        let missing_in = |names: &[String], from: &[String]| -> Vec<String> {
            from.iter().filter(|name| !names.contains(name)).cloned().collect()
        };
        let (activate, deactivate) = (missing_in(&self.offered, &now), missing_in(&now, &self.offered));
        let is_same = activate.is_empty() && deactivate.is_empty();
        Ok((!is_same).then_some(WireEffect::SetTools { activate, deactivate }))
    }

    /// Notes what the host is told about tools.
    fn note_offers(&mut self, effects: &[WireEffect]) {
        for effect in effects {
            if let WireEffect::SetTools { activate, deactivate } = effect {
                self.offered.retain(|name| !deactivate.contains(name));
                for name in activate {
                    if !self.offered.contains(name) {
                        self.offered.push(name.clone());
                    }
                }
            }
        }
    }

    /// Answers a request, or asks the user first. `news` is done before what the answer wants.
    fn go_on(
        &mut self,
        id: Id,
        mut progress: Progress,
        mut number: usize,
        news: Option<WireEffect>,
    ) -> io::Result<()> {
        loop {
            let (question, resume) = match progress {
                Progress::Done(Err(fault)) => return self.output.write_fault(Some(id), fault),
                Progress::Done(Ok(mut reply)) => {
                    let unwritten = reply.blocked.as_ref().and_then(|blocked| self.audit(blocked));
                    reply.effects.extend(unwritten);
                    reply.effects.splice(0..0, news);
                    self.note_offers(&reply.effects);
                    return self.output.write(&Response::Result { id, reply });
                }
                Progress::Ask(question, resume) => (question, resume),
            };
            if number > MAX_QUESTIONS_EACH {
                let message = format!("more than {MAX_QUESTIONS_EACH} questions for one request");
                return self.output.write_fault(Some(id), Fault::failed(message));
            }
            if self.session.has_ui {
                return self.ask(id, question, resume, number);
            }
            progress = resume(&mut self.session.engine, Answer::NoUi, view(&self.branch));
            number += 1;
        }
    }

    /// Writes a blocked call to the audit log, and returns what to tell of a log that cannot be written.
    fn audit(&self, BlockedCall { tool, by, reason }: &BlockedCall) -> Option<WireEffect> {
        let host = self.session.audited_as?;
        let configuration = self.session.engine.configuration();
        let setup = configuration.setup();
        let (session, cwd) = (Some(setup.session.as_str()), setup.cwd.as_deref());
        let blocked = Blocked { host, session, cwd, tool, by, reason };
        let log = &configuration.settings().brakeline.audit_log;
        let error = audit::append(log, setup.home.as_deref(), blocked).err()?;
        Some(WireEffect::Notify { level: Level::Warning.name(), text: error.to_string() })
    }

    fn ask(&mut self, id: Id, question: Question, resume: Resume, number: usize) -> io::Result<()> {
        if self.waiting.len() >= MAX_OPEN_QUESTIONS {
            let message = format!("{MAX_OPEN_QUESTIONS} questions are open; answer some of them first");
            return self.output.write_fault(Some(id), Fault::failed(message));
        }
        self.asked += 1;
        let dialog = (&question).into();
        let ask = Response::Ask {
            id: id.clone(),
            session: self.session.name.clone(),
            question: question_name(self.asked),
            dialog,
        };
        self.waiting.insert(self.asked, Waiting { id, question, resume, number });
        self.output.write(&ask)
    }

    fn answer(&mut self, message: AnswerMessage) -> io::Result<()> {
        let AnswerMessage { question: name, answer, .. } = message;
        let waiting = number_of(&name).and_then(|number| self.waiting.remove(&number));
        let Some(Waiting { id, question, resume, number }) = waiting else {
            let message = format!("no question `{name}` is open in the session `{}`", self.session.name);
            return self.output.write_fault(None, Fault::new(Code::UnknownQuestion, message));
        };
        let answer = Answer::from(answer);
        if let Err(misfit) = question.check(&answer) {
            return self
                .output
                .write_fault(Some(id), Fault::new(Code::BadMessage, format!("`answer`: {misfit}")));
        }
        let progress = resume(&mut self.session.engine, answer, view(&self.branch));
        self.go_on(id, progress, number + 1, None)
    }

    /// Ends the session: what waits comes to nothing, and the extensions give back what they hold.
    fn end(mut self, closing: Option<Id>) -> io::Result<()> {
        let mut written = Ok(());
        for Waiting { id, .. } in std::mem::take(&mut self.waiting).into_values() {
            let fault = Fault::failed("the session is closed");
            written = written.and_then(|()| self.output.write_fault(Some(id), fault));
        }
        let shutdown = SessionShutdown { reason: "closed".to_owned() };
        let outcome = self.session.engine.handle_with(shutdown, view(&self.branch), &mut brakeline::NoUi);
        let Outcome { effects, reports, .. } = outcome;
        drop(self.session);
        let Some(id) = closing else { return written };
        let reply = Box::new(Reply::of(effects, reports));
        written.and_then(|()| self.output.write(&Response::Result { id, reply }))
    }
}

fn view(branch: &BranchCopy) -> SessionView<'_> {
    SessionView::of(branch.view())
}

fn question_name(number: u64) -> String {
    format!("q{number}")
}

fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_prefix('q')?.parse().ok()?;
    // One spelling each.
    (question_name(number) == name).then_some(number)
}
