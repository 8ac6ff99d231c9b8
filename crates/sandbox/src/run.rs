//! Runs a command in the sandbox.

use crate::bwrap;
use crate::complaint;
use crate::config::Config;
use crate::diagnose::Obstacle;
use crate::helper::{Helper, READY, Stage, Task, janitor_words};
use crate::journal::{self, Held, Journal};
use crate::listener::Listener;
use crate::network::NetworkVerdict;
use crate::plan::{Mount, Plan, PlanError};
use crate::policy::{Access, Place, Policy, PolicyError};
use crate::proxy::{Proxy, Upstream};
use crate::text::in_language;
use crate::tree::HostTree;
use crate::verdict::Verdict;
use brakeline_settings::Language;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// What a run needs beside its command.
///
/// The process that runs commands should be one made for it, as `brakeline sandbox run` is: files are made inheritable for a
/// moment, which another thread that starts a program at that moment would pass on, and the sandbox dies with the thread
/// that started it.
#[derive(Debug)]
pub struct Sandbox<'c> {
    /// The configuration in force.
    pub config: &'c Config,
    /// Where commands run.
    pub place: Place,
    /// `bwrap`, absolute; see [`find_bwrap`](crate::self_test::find_bwrap).
    pub bwrap: PathBuf,
    /// How to start this program again.
    pub helper: Helper,
    /// The language of refusals.
    pub language: Language,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; 128 and the signal's number if one killed it.
    pub code: u8,
    /// Connections that the proxy refused.
    pub refusals: Vec<NetworkVerdict>,
    /// Files that the command complained about and that the policy refuses; see [`complaint`].
    pub refused_files: Vec<Verdict>,
}

/// Why a command was not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The configuration names a path that cannot be enforced.
    Policy(PolicyError),
    /// No command could start in the working directory.
    Plan(PlanError),
    /// There is no sandbox to be had on this machine.
    Obstacle(Obstacle),
    /// The folder of the sandbox's state cannot be used.
    State(PathBuf, io::Error),
    /// A program could not be started.
    Start(PathBuf, io::Error),
    /// The sandbox did not come up; its own message went to standard error.
    NotSetUp,
    /// The system refused something else.
    System(io::Error),
}

impl RunError {
    /// Returns the message, one line, with what to do about it.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::Policy(error) => error.text(language),
            Self::Plan(error) => error.text(language),
            Self::Obstacle(obstacle) => obstacle.text(language),
            Self::State(path, error) => {
                let path = path.display();
                in_language(
                    language,
                    format!("沙箱状态目录 `{path}` 不可用：{error}"),
                    format!("the folder of the sandbox's state, `{path}`, cannot be used: {error}"),
                )
            }
            Self::Start(path, error) => {
                let path = path.display();
                in_language(
                    language,
                    format!("无法启动 `{path}`：{error}"),
                    format!("cannot start `{path}`: {error}"),
                )
            }
            Self::NotSetUp => in_language(
                language,
                "沙箱未能启动，命令没有运行".to_owned(),
                "the sandbox did not come up, so the command was not run".to_owned(),
            ),
            Self::System(error) => {
                in_language(language, format!("系统错误：{error}"), format!("the system refuses: {error}"))
            }
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Policy(error) => Some(error),
            Self::Plan(error) => Some(error),
            Self::State(_, error) | Self::Start(_, error) | Self::System(error) => Some(error),
            Self::Obstacle(_) | Self::NotSetUp => None,
        }
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl Sandbox<'_> {
    /// Runs a command and waits for its end. Standard streams are those of this process; unless standard error is a terminal,
    /// it is listened to on its way, for complaints about files.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the command was not run: there is no way in which it would run without the sandbox.
    pub fn run(&self, command: &[OsString], upstream: Box<dyn Upstream>) -> Result<Ended, RunError> {
        let (listener, mouthpiece) = Listener::start()?.unzip();
        let entered = self.enter(Task::Run(command.to_vec()), upstream, |command| {
            if let Some(mouthpiece) = mouthpiece {
                mouthpiece.hand_to(command);
            }
        });
        let said = listener.map(Listener::finish).unwrap_or_default();
        let (ended, policy) = entered?;
        Ok(Ended { refused_files: complaint::refused(&said, &policy, &HostTree), ..ended })
    }

    /// Returns the policy and plan as they would be now, without touching anything.
    ///
    /// # Errors
    ///
    /// [`RunError::Policy`], [`RunError::Plan`]
    pub fn plan(&self) -> Result<(Policy, Plan), RunError> {
        let policy = Policy::new(self.config, &self.place, &HostTree).map_err(RunError::Policy)?;
        let plan = Plan::new(&policy).map_err(RunError::Plan)?;
        Ok((policy, plan))
    }

    /// Runs a task, and returns how it ended, and the policy that it ran under.
    pub(crate) fn enter(
        &self,
        task: Task,
        upstream: Box<dyn Upstream>,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<(Ended, Policy), RunError> {
        let (policy, plan, held) = self.settle()?;
        let (mine, theirs) = UnixStream::pair()?;
        let program = File::open(&self.helper.program)
            .map_err(|error| RunError::Start(self.helper.program.clone(), error))?;
        let janitor = held.as_ref().map(|held| self.start_janitor(held)).transpose()?;
        let mut command = self.command(&plan, &theirs, &program, janitor.as_ref(), task);
        prepare(&mut command);
        let mut child = {
            let inherited: Vec<_> = [theirs.as_fd(), program.as_fd()]
                .into_iter()
                .chain(janitor.as_ref().map(AsFd::as_fd))
                .collect();
            for file in inherited {
                fcntl_setfd(file, FdFlags::empty()).map_err(io::Error::from)?;
            }
            command.spawn().map_err(|error| RunError::Start(self.bwrap.clone(), error))?
        };
        // What the sandbox inherited is its own now: when it ends, the other side of the channel ends.
        drop((theirs, program));
        let proxy = self.answer(&mine, &policy, upstream);
        let status = child.wait()?;
        let refusals = match proxy? {
            Up::No => return Err(RunError::NotSetUp),
            Up::Alone => Vec::new(),
            Up::WithProxy(proxy) => proxy.refusals(),
        };
        drop(held);
        drop(janitor);
        Ok((Ended { code: code_of(status), refusals, refused_files: Vec::new() }, policy))
    }

    /// Plans, and takes the placeholders of the plan; both under one lock, lest another run changes what was looked at.
    fn settle(&self) -> Result<(Policy, Plan, Option<Held>), RunError> {
        let state = |error| RunError::State(self.place.state.clone(), error);
        if journal::is_quiet(&self.place.state) {
            let (policy, plan) = self.plan()?;
            if plan.placeholders.is_empty() {
                return Ok((policy, plan, None));
            }
        }
        let journal = Journal::open(&self.place.state).map_err(state)?;
        let (policy, mut plan) = self.plan()?;
        let mounts: BTreeSet<PathBuf> = plan.mounts.iter().map(|mount| mount.path().to_owned()).collect();
        let (held, taken) = journal.hold(&plan.placeholders, &mounts).map_err(state)?;
        let lost = |path: &Path| {
            plan.placeholders.iter().any(|wanted| wanted == path) && !taken.iter().any(|taken| taken == path)
        };
        let mounts = plan.mounts.iter().filter(|mount| !lost(mount.path())).cloned().collect();
        plan.mounts = mounts;
        Ok((policy, plan, Some(held)))
    }

    /// Starts what tidies up if this process is killed, and returns what keeps it waiting.
    fn start_janitor(&self, held: &Held) -> Result<OwnedFd, RunError> {
        let (reader, writer) =
            rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        Command::new(&self.helper.program)
            .args(&self.helper.arguments)
            .args(janitor_words(&self.place.state, held.record()))
            .stdin(reader)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            // Who kills this process may kill its group.
            .process_group(0)
            .spawn()
            .map_err(|error| RunError::Start(self.helper.program.clone(), error))?;
        Ok(writer)
    }

    fn command(
        &self,
        plan: &Plan,
        channel: &UnixStream,
        program: &File,
        janitor: Option<&OwnedFd>,
        task: Task,
    ) -> Command {
        let fence = (plan.root != Access::Writable).then(|| {
            let writable = plan.mounts.iter().filter_map(|mount| match mount {
                Mount::Writable(path) => Some(path.clone()),
                _ => None,
            });
            writable.collect()
        });
        let stage = Stage { channel: channel.as_raw_fd(), has_proxy: plan.has_proxy, writable: fence, task };
        let mut command = Command::new(&self.bwrap);
        command.args(bwrap::arguments(plan));
        if let Some(janitor) = janitor {
            // Held by the sandbox's first process for as long as anything lives inside.
            command.arg("--sync-fd").arg(janitor.as_raw_fd().to_string());
        }
        command.arg("--");
        // By its open file: the program itself may be hidden inside.
        command.arg(format!("/proc/self/fd/{}", program.as_raw_fd()));
        command.args(&self.helper.arguments).args(stage.words());
        command
    }

    /// Waits until the stage says that it is ready, and starts the proxy on the socket that comes with it.
    fn answer(
        &self,
        channel: &UnixStream,
        policy: &Policy,
        upstream: Box<dyn Upstream>,
    ) -> Result<Up, RunError> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let received =
            recvmsg(channel, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
                .map_err(io::Error::from)?;
        if received.bytes == 0 || byte != [READY] {
            return Ok(Up::No);
        }
        let files = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        });
        match files.flatten().next() {
            None => Ok(Up::Alone),
            Some(socket) => {
                let listener = TcpListener::from(socket);
                Ok(Up::WithProxy(Proxy::start(policy.network().clone(), upstream, listener, self.language)?))
            }
        }
    }
}

/// What came up.
enum Up {
    No,
    Alone,
    WithProxy(Proxy),
}

/// Returns the exit status as a shell would.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(i32::MAX);
    u8::try_from(code).unwrap_or(u8::MAX)
}
