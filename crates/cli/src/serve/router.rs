//! From lines to requests, and from requests to sessions.

use super::ServeError;
use super::fault::{Fault, read};
use super::opening::{self, Surroundings};
use super::output::Output;
use super::session::{Job, Task};
use super::wire::{
    Code, CommandRequest, Configure, EventRequest, Hello, HelloReply, Id, Open, PROTOCOLS, Reply, Response,
    TYPES, ToolRequest,
};
use crate::MAX_BYTES;
use crate::input::{Line, read_line};
use brakeline::{CommandRun, ToolRun};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, Scope};

/// How many requests wait for a session at most; then reading waits.
const QUEUE: usize = 16;

/// How many sessions there are at most: each has a thread.
const MAX_SESSIONS: usize = 256;

/// Reads lines and hands each request to whom it is for.
pub(super) struct Router<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    output: &'env Output<W>,
    surroundings: &'env Surroundings,
    sessions: BTreeMap<String, SyncSender<Job>>,
    has_greeted: bool,
}

impl<'scope, 'env, W: Write + Send> Router<'scope, 'env, W> {
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        output: &'env Output<W>,
        surroundings: &'env Surroundings,
    ) -> Self {
        Self { scope, output, surroundings, sessions: BTreeMap::new(), has_greeted: false }
    }

    /// Reads to the end of the input. Dropping the router then tells the sessions that there is no more.
    pub(super) fn read(mut self, mut input: impl BufRead) -> Result<(), ServeError> {
        let mut line = Vec::new();
        loop {
            let written = match read_line(&mut input, MAX_BYTES, &mut line).map_err(ServeError::Input)? {
                Line::End => return Ok(()),
                Line::Read | Line::Torn if line.iter().all(u8::is_ascii_whitespace) => Ok(()),
                Line::Read => self.take(&line),
                Line::TooLong => {
                    self.refuse(Code::LineTooLong, format!("a line has at most {MAX_BYTES} bytes"))
                }
                Line::Torn => {
                    self.refuse(Code::Incomplete, "the input ended before the newline of its last line")
                }
            };
            written.map_err(ServeError::Output)?;
        }
    }

    fn refuse(&self, code: Code, message: impl Into<String>) -> io::Result<()> {
        self.output.write_fault(None, Fault::new(code, message))
    }

    /// Takes one line: answers it, or hands it on.
    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        let members = match serde_json::from_slice(line) {
            Ok(Value::Object(members)) => members,
            Ok(_) => return self.refuse(Code::BadJson, "a message is a JSON object"),
            Err(error) => return self.refuse(Code::BadJson, format!("no JSON: {error}")),
        };
        let id = members.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
        self.dispatch(members, id.clone()).or_else(|stop| match stop {
            Stop::Fault(fault) => self.output.write_fault(id, fault),
            Stop::Output(error) => Err(error),
        })
    }

    fn dispatch(&mut self, members: Map<String, Value>, id: Option<Id>) -> Result<(), Stop> {
        let kind = members
            .get("type")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| Fault::new(Code::BadMessage, "`type`: expected the name of a message"))?;
        if !TYPES.contains(&kind.as_str()) {
            let message = format!("there is no message `{kind}`; known are {}", TYPES.join(", "));
            return Err(Fault::new(Code::UnknownMessage, message).into());
        }
        if kind == "hello" {
            return self.hello(&read(members.into())?, needed(id)?);
        }
        if !self.has_greeted {
            return Err(Fault::new(Code::HelloFirst, "`hello` comes first").into());
        }
        if kind == "open" {
            return self.open(read(members.into())?, needed(id)?);
        }
        let session = members.get("session").and_then(Value::as_str).map(str::to_owned);
        let session = session
            .ok_or_else(|| Fault::new(Code::BadMessage, "`session`: expected the name of a session"))?;
        let job = job(&kind, members.into(), id)?;
        self.hand_on(&session, job)
    }

    fn hello(&mut self, hello: &Hello, id: Id) -> Result<(), Stop> {
        let common = PROTOCOLS.into_iter().filter(|version| hello.protocols.contains(version)).max();
        let Some(protocol) = common else {
            let spoken = PROTOCOLS.map(|version| version.to_string()).join(", ");
            let message = format!(
                "protocol {spoken} is spoken here (brakeline {}), the host speaks {:?}",
                env!("CARGO_PKG_VERSION"),
                hello.protocols
            );
            return Err(Fault::new(Code::UnsupportedProtocol, message).into());
        };
        self.has_greeted = true;
        let hello = HelloReply {
            protocol,
            program: "brakeline",
            version: env!("CARGO_PKG_VERSION"),
            max_line_bytes: MAX_BYTES,
        };
        let reply = Box::new(Reply { hello: Some(hello), ..Reply::default() });
        Ok(self.output.write(&Response::Result { id, reply })?)
    }

    /// Opens a session: its engine is complete, and the host knows of it, before the next line is read.
    fn open(&mut self, open: Open, id: Id) -> Result<(), Stop> {
        let name = open.session.clone();
        if self.sessions.contains_key(&name) {
            let message = format!("the session `{name}` is open already; close it first");
            return Err(Fault::new(Code::SessionExists, message).into());
        }
        if self.sessions.len() >= MAX_SESSIONS {
            let message = format!("{MAX_SESSIONS} sessions are open; close some of them first");
            return Err(Fault::failed(message).into());
        }
        let session = opening::open(open, self.surroundings)?;
        let reply = Reply { opened: Some(session.opened()), ..Reply::default() };
        let (sender, jobs) = sync_channel(QUEUE);
        let output = self.output;
        Builder::new()
            .name("session".to_owned())
            .spawn_scoped(self.scope, move || session.run(&jobs, output))
            .map_err(|error| Fault::failed(format!("no thread for the session: {error}")))?;
        self.sessions.insert(name, sender);
        Ok(self.output.write(&Response::Result { id, reply: Box::new(reply) })?)
    }

    /// Waits while the session's queue is full: a host that does not read its answers is not read either.
    fn hand_on(&mut self, session: &str, job: Job) -> Result<(), Stop> {
        let is_last = matches!(job, Job::Close(_));
        let unknown =
            || Fault::new(Code::UnknownSession, format!("there is no session `{session}`; open it first"));
        let sender = self.sessions.get(session).ok_or_else(unknown)?;
        let sent = sender.send(job);
        if is_last || sent.is_err() {
            self.sessions.remove(session);
        }
        // A session ends by itself only when the output is gone.
        sent.map_err(|_| unknown().into())
    }
}

/// Why a line comes to nothing.
enum Stop {
    Fault(Fault),
    Output(io::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn needed(id: Option<Id>) -> Result<Id, Fault> {
    id.ok_or_else(|| Fault::new(Code::BadMessage, "`id`: expected a text or a whole number"))
}

/// Reads what a session is asked to do.
fn job(kind: &str, members: Value, id: Option<Id>) -> Result<Job, Fault> {
    let (entries, task) = match kind {
        "answer" => return Ok(Job::Answer(read(members)?)),
        "configure" => {
            let Configure { settings } = read(members)?;
            (None, Task::Configure(settings.into()))
        }
        "event" => {
            let EventRequest { entries, event } = read(members)?;
            (entries, Task::Event(event))
        }
        "command" => {
            let CommandRequest { entries, name, arguments } = read(members)?;
            (entries, Task::Command(CommandRun { name, arguments }))
        }
        "tool" => {
            let ToolRequest { entries, name, tool_call_id, input } = read(members)?;
            (entries, Task::Tool(ToolRun { name, id: tool_call_id, input }))
        }
        _ => return Ok(Job::Close(needed(id)?)),
    };
    Ok(Job::Request { id: needed(id)?, entries, task })
}
