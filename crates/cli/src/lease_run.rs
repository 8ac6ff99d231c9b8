//! `brakeline lease run`: holds leases while a command runs.
//!
//! The command is a child that is replaced by it after it has asked the kernel to be killed when this process dies: so a
//! command never goes on writing without its lease. That detour through a second start of this program needs no unsafe code,
//! which a hook between fork and exec would.

use crate::Exit;
use crate::collision::{State, language};
use crate::output::complain;
use clap::{Args, Subcommand};
use collision_lease::{Clock, Error, LeaseSet, SessionId, SystemClock};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct Lease {
    #[command(subcommand)]
    command: LeaseCommand,
}

#[derive(Debug, Subcommand)]
enum LeaseCommand {
    /// Run a command while files are leased to it; exit status 75 if somebody else holds one of them
    Run(Run),
    /// Not for people: becomes the command, once it is sure to die with its holder
    #[command(hide = true)]
    Become(Become),
}

#[derive(Args, Debug)]
struct Run {
    /// A file to lease; may be repeated
    #[arg(long = "path", value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    state: State,
    /// How long to wait for a file that somebody else holds
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    wait: u32,
    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

#[derive(Args, Debug)]
struct Become {
    /// The process that holds the leases
    #[arg(long)]
    holder: u32,
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// The command cannot be run, as shells say it.
const NOT_RUNNABLE: i32 = 126;
/// The command cannot be found, as shells say it.
const NOT_FOUND: i32 = 127;

pub(crate) fn run(args: &Lease) -> Exit {
    match &args.command {
        LeaseCommand::Become(args) => become_command(args),
        LeaseCommand::Run(args) => match hold_and_run(args) {
            Ok(status) => end_as(status),
            Err(exit) => exit,
        },
    }
}

/// Ends this process with the status of its command, which may be any number, unlike an `Exit`.
fn end_as(status: ExitStatus) -> ! {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    std::process::exit(code.unwrap_or(NOT_RUNNABLE))
}

fn hold_and_run(args: &Run) -> Result<ExitStatus, Exit> {
    let folder = args.state.folder().map_err(|message| complain(&message, Exit::Usage))?;
    let session = SessionId::new(&format!("run-{}", std::process::id()));
    let leases = LeaseSet::for_process(&folder, session).map_err(|error| refuse(&error))?;
    // Before anything is held, so that no signal ends this process between acquiring and releasing.
    let signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH])
        .map_err(|error| complain(&format!("signals cannot be caught: {error}"), Exit::Internal))?;
    let patience = Duration::from_secs(args.wait.into());
    leases.acquire_within(&args.paths, patience).map_err(|error| refuse(&error))?;
    let leases = Arc::new(leases);
    let child = start(&args.command).map_err(|error| complain(&error, Exit::Internal))?;
    let status = wait(child, signals, &leases);
    leases.shut_down();
    report_losses(&leases);
    status.map_err(|error| complain(&format!("the command cannot be waited for: {error}"), Exit::Internal))
}

fn refuse(error: &Error) -> Exit {
    let exit = match error {
        _ if error.may_pass() => Exit::TryAgain,
        Error::Path(_) => Exit::Usage,
        _ => Exit::NoInput,
    };
    complain(&error.block_text(language(), SystemClock.read()), exit)
}

fn start(command: &[OsString]) -> Result<Child, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("this program cannot find itself: {error}"))?;
    // From the first thread, and so from one that lives as long as the process: the kernel watches the thread.
    Command::new(program)
        .args(["lease", "become", "--holder", &std::process::id().to_string(), "--"])
        .args(command)
        .spawn()
        .map_err(|error| format!("the command cannot be started: {error}"))
}

/// Waits for the command, passes signals on to it, and says at once if a lease is lost under it.
fn wait(mut child: Child, mut signals: Signals, leases: &Arc<LeaseSet>) -> std::io::Result<ExitStatus> {
    let target = rustix::process::Pid::from_child(&child);
    let handle = signals.handle();
    let forwarding = std::thread::spawn(move || {
        for signal in signals.forever() {
            // The number cannot mean another process yet: the command is not reaped before this thread has ended.
            if let Some(signal) = rustix::process::Signal::from_named_raw(signal)
                && !came_from_terminal(signal)
            {
                let _ = rustix::process::kill_process(target, signal);
            }
        }
    });
    let (ended, end) = std::sync::mpsc::channel::<()>();
    let watched = Arc::clone(leases);
    let watching = std::thread::spawn(move || {
        while end.recv_timeout(Duration::from_secs(1)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            report_losses(&watched);
        }
    });
    // Waited for without reaping, so that no signal can meet a process that has its number by then.
    let waited = rustix::process::waitid(
        rustix::process::WaitId::Pid(target),
        rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT,
    );
    handle.close();
    drop(ended);
    let _ = forwarding.join();
    let _ = watching.join();
    waited.map_err(std::io::Error::from)?;
    child.wait()
}

/// Ctrl-C and Ctrl-\ reach the whole foreground group: the command has got them already, and two in a row mean more than
/// one to many programs.
fn came_from_terminal(signal: rustix::process::Signal) -> bool {
    use rustix::process::Signal;
    let of_terminal = [Signal::INT, Signal::QUIT, Signal::WINCH, Signal::CONT].contains(&signal);
    let Ok(terminal) = std::fs::File::open("/dev/tty") else { return false };
    of_terminal
        && rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == rustix::process::getpgrp())
}

fn report_losses(leases: &LeaseSet) {
    for lost in leases.take_lost() {
        complain(&lost.text(language(), SystemClock.read()), Exit::Ok);
    }
}

/// Runs in the child: ties its life to the holder's, then becomes the command.
fn become_command(args: &Become) -> Exit {
    #[cfg(target_os = "linux")]
    {
        // Killed, not asked to end: without the lease not one more byte may be written.
        let tied = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        // The holder may have died before the kernel was told to watch it.
        if tied.is_err() || parent != i32::try_from(args.holder).ok() {
            return complain(&"the holder of the leases is gone", Exit::TryAgain);
        }
    }
    let Some((program, arguments)) = args.command.split_first() else { return Exit::Usage };
    let error = Command::new(program).args(arguments).exec();
    let code = if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE };
    complain(&format!("`{}` cannot be run: {error}", program.display()), Exit::Internal);
    std::process::exit(code)
}
