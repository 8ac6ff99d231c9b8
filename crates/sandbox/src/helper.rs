//! The program that is started again: inside the sandbox, before the command; and beside it, to tidy up.
//!
//! ```text
//! runner ──> bwrap ──> stage: listening socket out, fence, filter ──> command
//!    └─────> janitor: waits until runner and sandbox are gone, then takes the placeholders away
//! ```
//!
//! The program that embeds this library gives itself: it must call [`run`] when it is started with the arguments it was
//! named in [`Helper::arguments`].

use crate::journal;
use crate::plan::PROXY_PORT;
use crate::{fence, filter, inherited};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mount::MountFlags;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IoSlice, Write};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How the runner starts the embedding program again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    /// The program, absolute.
    pub program: PathBuf,
    /// What stands in front of the arguments that [`run`] is to be given.
    pub arguments: Vec<OsString>,
}

const STAGE: &str = "stage";
const PROBE: &str = "probe";
const JANITOR: &str = "janitor";

/// The exit status when the sandbox itself could not be set up.
pub const NOT_SET_UP: u8 = 125;

/// What the stage is told. It arrives as words, since the only way in is an argv.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Number of the socket to the runner.
    pub(crate) channel: i32,
    /// Whether a listening socket is to be handed out.
    pub(crate) has_proxy: bool,
    /// Where the fence lets write; `None`: no fence.
    pub(crate) writable: Option<Vec<PathBuf>>,
    /// What to do then.
    pub(crate) task: Task,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Become this command.
    Run(Vec<OsString>),
    /// Try to get out.
    Probe(Probe),
}

/// Places of a self-test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) inside: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) denied: PathBuf,
    pub(crate) hidden: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) port: u16,
}

impl Stage {
    /// Returns the words for [`run`].
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![match self.task {
            Task::Run(_) => STAGE.into(),
            Task::Probe(_) => PROBE.into(),
        }];
        words.push(self.channel.to_string().into());
        words.push(u8::from(self.has_proxy).to_string().into());
        match &self.writable {
            None => words.push("-".into()),
            Some(paths) => {
                words.push(paths.len().to_string().into());
                words.extend(paths.iter().map(|path| path.clone().into_os_string()));
            }
        }
        match &self.task {
            Task::Run(command) => words.extend(command.iter().cloned()),
            Task::Probe(probe) => {
                let Probe { inside, outside, denied, hidden, socket, port } = probe.clone();
                words.extend([inside, outside, denied, hidden, socket].map(PathBuf::into_os_string));
                words.push(port.to_string().into());
            }
        }
        words
    }

    fn from_words(words: &[OsString]) -> Option<Self> {
        let mut words = words.iter();
        let role = words.next()?.clone();
        let mut text = || words.next().and_then(|word| word.to_str());
        let channel = text()?.parse().ok()?;
        let has_proxy = text()? == "1";
        let count = text()?;
        let writable = match count {
            "-" => None,
            count => {
                let count: usize = count.parse().ok()?;
                let paths: Vec<PathBuf> = words.by_ref().take(count).map(PathBuf::from).collect();
                (paths.len() == count).then_some(Some(paths))?
            }
        };
        let task = if role == PROBE {
            Task::Probe(Probe::from_words(words.as_slice())?)
        } else {
            Task::Run(words.cloned().collect())
        };
        Some(Self { channel, has_proxy, writable, task })
    }
}

impl Probe {
    fn from_words(words: &[OsString]) -> Option<Self> {
        let [inside, outside, denied, hidden, socket, port] = words else { return None };
        let port = port.to_str()?.parse().ok()?;
        let [inside, outside, denied, hidden, socket] =
            [inside, outside, denied, hidden, socket].map(PathBuf::from);
        Some(Self { inside, outside, denied, hidden, socket, port })
    }
}

/// Returns the words that start the janitor of the run with a record.
pub(crate) fn janitor_words(state: &Path, record: &Path) -> [OsString; 3] {
    [JANITOR.into(), state.into(), record.into()]
}

/// Does what the runner started this process for, and returns the exit status. A stage that becomes its command does not
/// return.
///
/// Not for people: what it is given comes from the runner of the same program.
#[must_use = "the exit status is the answer"]
pub fn run(words: &[OsString]) -> u8 {
    match words {
        [role, state, record] if role == JANITOR => janitor(Path::new(state), Path::new(record)),
        [role, ..] if role == STAGE || role == PROBE => match Stage::from_words(words) {
            Some(stage) => enter(&stage),
            None => complain("the stage was told something it does not understand"),
        },
        _ => complain("there is no such helper"),
    }
}

fn complain(message: &str) -> u8 {
    // Where even this fails, the exit status says it all.
    let _ = writeln!(io::stderr(), "brakeline sandbox: {message}");
    NOT_SET_UP
}

/// Waits for the end of standard input, which the runner and its sandbox hold open, and takes the placeholders away.
fn janitor(state: &Path, record: &Path) -> u8 {
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    // The files of a killed runner are closed one after the other, and its record may be the last of them.
    journal::wait_for(record);
    u8::from(journal::sweep(state).is_err())
}

fn enter(stage: &Stage) -> u8 {
    let channel = match adopt(stage) {
        Ok(channel) => channel,
        Err(error) => return complain(&format!("the stage has no way back to its runner: {error}")),
    };
    match fence_in(stage, &channel) {
        Ok(()) => {}
        Err(message) => return complain(&message),
    }
    match &stage.task {
        Task::Probe(probe) => report(probe),
        Task::Run(command) => become_command(command),
    }
}

/// Takes over the files that were inherited, so that the command does not inherit them as well. The program's own is among
/// those that are closed: it runs by now.
fn adopt(stage: &Stage) -> io::Result<UnixStream> {
    let channel = inherited::take_all()?.remove(&stage.channel).ok_or(io::ErrorKind::NotConnected)?;
    fcntl_setfd(&channel, FdFlags::CLOEXEC)?;
    Ok(UnixStream::from(channel))
}

/// What a stage says to its runner when all is in place; with it comes the listening socket, if there is one.
pub(crate) const READY: u8 = b'r';

/// Hands out the listening socket and raises what holds from now on, for this process and its command.
fn fence_in(stage: &Stage, channel: &UnixStream) -> Result<(), String> {
    // Before the filter, which does not tell this socket from others.
    let listen = || {
        TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))
            .map_err(|error| format!("cannot listen on port {PROXY_PORT} inside the sandbox: {error}"))
    };
    let listener = stage.has_proxy.then(listen).transpose()?;
    if let Some(writable) = &stage.writable {
        fence::raise(writable).map_err(|error| format!("Landlock refuses: {error}"))?;
    }
    filter::apply().map_err(|error| format!("the filter of system calls is refused: {error}"))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let files: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
    if !files.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(&files));
    }
    sendmsg(channel, &[IoSlice::new(&[READY])], &mut ancillary, SendFlags::NOSIGNAL)
        .map(drop)
        .map_err(|error| format!("the runner is gone: {error}"))
}

/// Becomes the command; comes back only if that fails, with the status that shells use.
fn become_command(words: &[OsString]) -> u8 {
    const CANNOT_RUN: u8 = 126;
    const NOT_FOUND: u8 = 127;
    let Some((program, arguments)) = words.split_first() else { return complain("there is no command") };
    let error = Command::new(program).args(arguments).exec();
    let _ = writeln!(io::stderr(), "brakeline sandbox: {}: {error}", program.display());
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN }
}

/// Tries to get out, and says for each way whether it is shut: one line, `name yes` or `name no`.
fn report(probe: &Probe) -> u8 {
    let local = SocketAddr::from((Ipv4Addr::LOCALHOST, probe.port));
    let checks = [
        ("write-inside", fs::write(probe.inside.join("probe"), "x").is_ok()),
        ("write-outside", fs::write(probe.outside.join("probe"), "x").is_err()),
        ("write-denied", fs::write(probe.denied.join("probe"), "x").is_err()),
        ("read-hidden", fs::read(&probe.hidden).is_err()),
        ("network", TcpStream::connect_timeout(&local, CONNECT_PATIENCE).is_err()),
        ("unix-socket", UnixStream::connect(&probe.socket).is_err()),
        // Opened, not written.
        ("kernel-switches", File::options().write(true).open("/proc/sys/kernel/core_pattern").is_err()),
        ("remount", rustix::mount::mount_remount("/", MountFlags::BIND, "").is_err()),
    ];
    let lines = checks.map(|(name, is_shut)| format!("{name} {}\n", if is_shut { "yes" } else { "no" }));
    let text = lines.concat();
    u8::from(io::stdout().write_all(text.as_bytes()).is_err())
}

const CONNECT_PATIENCE: Duration = Duration::from_secs(2);
