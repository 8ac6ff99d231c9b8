//! Is that process alive, dead, or is there no telling?
//!
//! Never from the pid alone: `kill(pid, 0)` succeeds for a zombie, for a thread of somebody else and for a recycled pid, and
//! fails for a living process of another pid namespace.

use crate::decide::ProcessState;
use crate::faults;
use crate::identity::{Pid, Process, SessionId};
use std::fmt;
use std::io;

/// Finds out about processes.
pub trait ProcessProbe: Send + Sync + fmt::Debug {
    /// Returns whether this process lives. In doubt it does.
    fn state(&self, process: &Process) -> ProcessState;
}

/// What the system says about a pid, before anything is concluded from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What is under that number.
    pub entry: Entry,
    /// When the process under that number started.
    pub start: Option<u64>,
}

/// What is under a pid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Nothing,
    /// A thread of a process that has another pid.
    Thread,
    /// A process that has ended, and whose parent has not noticed yet (a zombie).
    Ended,
    /// A process that runs.
    Running,
    /// The system does not say.
    Unsaid,
}

/// Concludes from the facts whether `process` lives, as seen by `observer`. Pure.
///
/// ```
/// use collision_lease::{Entry, Facts, Pid, Process, ProcessState, judge_process};
///
/// let me = Process { start: Some(10), boot: Some("b".into()), ..Process::with_pid(Pid::own()) };
/// let recycled = Process { start: Some(7), ..me.clone() };
/// let facts = Facts { entry: Entry::Running, start: Some(10) };
/// assert_eq!(judge_process(&me, &me, facts), ProcessState::Alive);
/// assert_eq!(judge_process(&recycled, &me, facts), ProcessState::Dead);
/// ```
#[must_use]
pub fn judge_process(process: &Process, observer: &Process, facts: Facts) -> ProcessState {
    use ProcessState::{Alive, Dead, Unknown};
    if !comparable(process, observer) {
        return if other_boot(process, observer) { Dead } else { Unknown };
    }
    match (facts.entry, process.start, facts.start) {
        (Entry::Nothing | Entry::Thread | Entry::Ended, _, _) => Dead,
        // The number was given to somebody else since.
        (_, Some(recorded), Some(found)) if recorded != found => Dead,
        (Entry::Running | Entry::Unsaid, _, _) => Alive,
    }
}

/// All processes of another boot are gone.
fn other_boot(process: &Process, observer: &Process) -> bool {
    matches!((&process.boot, &observer.boot), (Some(a), Some(b)) if a != b)
}

/// Whether the observer's own look at the pid says anything. In another pid namespace the number means somebody else; in
/// another time namespace the start time is shifted.
fn comparable(process: &Process, observer: &Process) -> bool {
    let differ = |a: Option<u64>, b: Option<u64>| matches!((a, b), (Some(a), Some(b)) if a != b);
    !other_boot(process, observer)
        && !differ(process.pid_namespace, observer.pid_namespace)
        && !differ(process.time_namespace, observer.time_namespace)
}

/// The machine's own processes. About 10 µs a look.
#[derive(Clone, Debug)]
pub struct SystemProbe {
    observer: Process,
}

impl SystemProbe {
    /// A probe that looks from this process.
    ///
    /// # Errors
    ///
    /// Never on Linux and macOS as they are today; kept for systems on which a process cannot learn its own identity.
    pub fn new() -> io::Result<Self> {
        Ok(Self { observer: Process::current()? })
    }
}

impl ProcessProbe for SystemProbe {
    fn state(&self, process: &Process) -> ProcessState {
        if faults::pid_only() {
            let running = system::facts(process.pid).entry != Entry::Nothing;
            return if running { ProcessState::Alive } else { ProcessState::Dead };
        }
        if !comparable(process, &self.observer) {
            return judge_process(process, &self.observer, Facts { entry: Entry::Unsaid, start: None });
        }
        judge_process(process, &self.observer, system::facts(process.pid))
    }
}

impl Process {
    /// This process.
    ///
    /// # Errors
    ///
    /// If the system does not tell even that.
    pub fn current() -> io::Result<Self> {
        Ok(system::describe(Pid::own()))
    }

    /// The process on whose behalf this one was started: its nearest ancestor that is no shell.
    ///
    /// For short-lived hook processes: the agent runs `sh -c 'brakeline hook …'`, and outlives both. `None` if there is no
    /// such process, since the line ends at the system's first process or at one that takes in orphans.
    #[must_use]
    pub fn agent() -> Option<Self> {
        const DEEPEST: usize = 64;
        let mut pid = Pid::own();
        for _ in 0..DEEPEST {
            let (parent, _) = system::parent_and_name(pid)?;
            let (_, name) = system::parent_and_name(parent)?;
            if !is_shell(&name) {
                return (!takes_in_orphans(&name)).then(|| system::describe(parent));
            }
            pid = parent;
        }
        None
    }
}

/// Whether a process of this name is a shell. Names as the kernel keeps them: cut to 15 bytes.
fn is_shell(name: &str) -> bool {
    let shells = [
        "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "oksh",
        "pwsh",
    ];
    let more = ["sh", "tcsh", "xonsh", "yash", "zsh"];
    let name = name.strip_prefix('-').unwrap_or(name);
    shells.contains(&name) || more.contains(&name)
}

/// Whether processes without a parent become children of a process of this name.
fn takes_in_orphans(name: &str) -> bool {
    ["init", "systemd", "launchd", "tini", "dumb-init", "docker-init", "catatonit", "s6-svscan", "runit"]
        .contains(&name)
}

/// The text of an owner that acts for the agent process which started this one.
impl crate::identity::Owner {
    /// This process, in a session, with a random token.
    ///
    /// # Errors
    ///
    /// If the system gives no randomness, or does not tell what this process is.
    pub fn for_process(session: SessionId) -> io::Result<Self> {
        Ok(Self { token: crate::identity::OwnerToken::random()?, session, process: Process::current()? })
    }

    /// An agent process, seen through the short-lived processes that it starts. All of them are the same owner.
    #[must_use]
    pub fn for_agent(agent: Process, session: SessionId) -> Self {
        Self { token: crate::identity::OwnerToken::of_agent(&agent, &session), session, process: agent }
    }
}

/// The fields of `/proc/PID/stat` that matter.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
struct Stat {
    name: String,
    state: u8,
    parent: i64,
    threads: u64,
    start: u64,
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
impl Stat {
    /// Reads the line. The name may itself contain spaces and parentheses, so it ends at the last one.
    fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once('(')?;
        let (name, fields) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // Fields are numbered from 1 in proc_pid_stat(5), and these start with the third.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            name: name.to_owned(),
            state: *field(3)?.as_bytes().first()?,
            parent: field(4)?.parse().ok()?,
            threads: field(20)?.parse().ok()?,
            start: field(22)?.parse().ok()?,
        })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Entry, Facts, Stat};
    use crate::identity::{Pid, Process};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::PidfdFlags;
    use std::sync::OnceLock;

    /// The file descriptor first, then the start time, then whether the process has ended meanwhile: so the pid cannot be
    /// recycled between two of these.
    pub(super) fn facts(pid: Pid) -> Facts {
        let Some(number) = i32::try_from(pid.get()).ok().and_then(rustix::process::Pid::from_raw) else {
            return Facts { entry: Entry::Unsaid, start: None };
        };
        let descriptor = match rustix::process::pidfd_open(number, PidfdFlags::empty()) {
            Ok(descriptor) => descriptor,
            Err(Errno::SRCH) => return Facts { entry: Entry::Nothing, start: None },
            // Older kernels say EINVAL, newer ones ENOENT, of a thread's number.
            Err(Errno::NOENT | Errno::INVAL) => return Facts { entry: Entry::Thread, start: None },
            Err(Errno::NOSYS | Errno::PERM) => return facts_without_descriptor(pid),
            // Too many open files and the like: no evidence.
            Err(_) => return Facts { entry: Entry::Unsaid, start: stat(pid).map(|stat| stat.start) },
        };
        let start = stat(pid).map(|stat| stat.start);
        let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
        let entry = match poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            // The whole process, not only its first thread, whose state in `stat` may be Z while others run on.
            Ok(ready) if ready > 0 => Entry::Ended,
            Ok(_) => Entry::Running,
            Err(_) => Entry::Unsaid,
        };
        Facts { entry, start }
    }

    /// For kernels and sandboxes without `pidfd_open`.
    fn facts_without_descriptor(pid: Pid) -> Facts {
        if !proc_is_ours() {
            return Facts { entry: Entry::Unsaid, start: None };
        }
        let Some(stat) = stat(pid) else {
            // Hidden processes (`hidepid`) look absent: only a signal tells them apart.
            let number = i32::try_from(pid.get()).ok().and_then(rustix::process::Pid::from_raw);
            let gone = number.is_none_or(|n| rustix::process::test_kill_process(n) == Err(Errno::SRCH));
            return Facts { entry: if gone { Entry::Nothing } else { Entry::Unsaid }, start: None };
        };
        let own_number = std::fs::read_to_string(format!("/proc/{pid}/status")).ok().and_then(|status| {
            status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse::<u32>().ok())
        });
        let entry = match (own_number, stat.state) {
            (Some(group), _) if group != pid.get() => Entry::Thread,
            (_, b'Z' | b'X') if stat.threads <= 1 => Entry::Ended,
            _ => Entry::Running,
        };
        Facts { entry, start: Some(stat.start) }
    }

    fn stat(pid: Pid) -> Option<Stat> {
        proc_is_ours().then(|| read_stat(&pid.to_string()))?
    }

    fn read_stat(name: &str) -> Option<Stat> {
        let bytes = std::fs::read(format!("/proc/{name}/stat")).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Whether `/proc` shows our own pid namespace. After `unshare --pid` without a new mount it shows the outer one, where
    /// the same numbers mean other processes.
    fn proc_is_ours() -> bool {
        static OURS: OnceLock<bool> = OnceLock::new();
        *OURS.get_or_init(|| {
            std::fs::read_link("/proc/self")
                .is_ok_and(|link| link.as_os_str() == Pid::own().to_string().as_str())
        })
    }

    pub(super) fn parent_and_name(pid: Pid) -> Option<(Pid, String)> {
        let stat = stat(pid)?;
        // Pid 1 has the parent 0; it stands for itself so that its name can be asked for.
        Some((Pid::new(stat.parent).unwrap_or(pid), stat.name))
    }

    pub(super) fn describe(pid: Pid) -> Process {
        let own = pid == Pid::own();
        let stat = if own { read_stat("self") } else { stat(pid) };
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        // Ancestors may have left us in a namespace of our own; what cannot be read of them is what we see from here.
        let namespace = |kind: &str| {
            let process = if own { "self".to_owned() } else { pid.to_string() };
            let link = std::fs::read_link(format!("/proc/{process}/ns/{kind}"));
            let link = link.or_else(|_| std::fs::read_link(format!("/proc/self/ns/{kind}"))).ok()?;
            link.to_str()?.split_once('[')?.1.strip_suffix(']')?.parse().ok()
        };
        Process {
            pid,
            start: stat.map(|stat| stat.start),
            boot: boot.filter(|id| !id.trim().is_empty()).map(|id| id.trim().into()),
            pid_namespace: namespace("pid"),
            time_namespace: namespace("time"),
        }
    }
}

#[cfg(target_os = "macos")]
use crate::macos as system;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("collision-lease knows how to tell processes apart on Linux and macOS only");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_line_whose_name_imitates_one() {
        let line = "42 (a) R 1 (b) Z) S 7 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 987654 1 1";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.name.as_str(), stat.state, stat.parent), ("a) R 1 (b) Z", b'S', 7));
        assert_eq!((stat.threads, stat.start), (3, 987_654));
    }

    #[test]
    fn broken_stat_lines() {
        for line in ["", "1", "1 (x", "1 (x) ", "1 (x) S", "1 (x) S y"] {
            assert_eq!(Stat::parse(line), None, "{line}");
        }
    }

    #[test]
    fn shells_and_agents() {
        for name in ["sh", "bash", "-bash", "zsh", "fish", "dash"] {
            assert!(is_shell(name), "{name}");
        }
        for name in ["node", "claude", "pi", "bashful", "systemd", ""] {
            assert!(!is_shell(name), "{name}");
        }
    }
}
