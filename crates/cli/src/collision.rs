//! `brakeline collision`: who holds which file, and the way out when a holder is stuck.

use crate::Exit;
use crate::configuration::environment_language;
use crate::message::{self, printable};
use crate::output::{complain, print_json, print_line};
use clap::{Args, Subcommand};
use collision_lease::{
    EntryState, Holder, Language, LeaseSet, OwnerToken, ProcessState, SessionId, StatusEntry, StoreError,
};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct Collision {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the claims: whose, which file, since when, active or stale (also without a subcommand)
    Status(Status),
    /// Delete the claim of one file, after a yes on the terminal
    ForceRelease(ForceRelease),
}

#[derive(Args, Debug, Default)]
struct Status {
    #[command(flatten)]
    state: State,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct ForceRelease {
    /// The file whose claim is in the way
    path: PathBuf,
    #[command(flatten)]
    state: State,
}

// Where the claims live.
#[derive(Args, Debug, Default)]
pub(crate) struct State {
    /// Folder of the claims [default: ~/.pi/agent/collision-guard]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl State {
    /// Returns the folder, or what to say if there is no telling where it is.
    pub(crate) fn folder(&self) -> Result<PathBuf, &'static str> {
        match (&self.state_dir, std::env::var_os("HOME").filter(|home| !home.is_empty())) {
            (Some(folder), _) => Ok(folder.clone()),
            (None, Some(home)) => Ok(Path::new(&home).join(".pi/agent/collision-guard")),
            (None, None) => Err("HOME is not set; name the folder of the claims with --state-dir"),
        }
    }
}

/// Returns the language of the environment, as the lease crate names it.
pub(crate) fn language() -> Language {
    match environment_language() {
        brakeline_settings::Language::ZhCn => Language::ZhCn,
        brakeline_settings::Language::En => Language::En,
    }
}

pub(crate) fn run(args: &Collision) -> Exit {
    match &args.command {
        None => status(&Status::default()),
        Some(Command::Status(args)) => status(args),
        Some(Command::ForceRelease(args)) => force_release(args),
    }
}

/// A set without leases, to look through. `None` if the folder does not exist: looking must not create it.
pub(crate) fn open(folder: &Path) -> Result<Option<LeaseSet>, collision_lease::Error> {
    match folder.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::from_io(folder, error).into()),
        Ok(_) => LeaseSet::for_process(folder, SessionId::new("brakeline")).map(Some),
    }
}

fn status(args: &Status) -> Exit {
    let folder = match args.state.folder() {
        Ok(folder) => folder,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let entries = match open(&folder).and_then(|set| set.map_or(Ok(Vec::new()), |set| set.status())) {
        Ok(entries) => entries,
        Err(error) => return complain(&error, Exit::NoInput),
    };
    let written = if args.json {
        print_json(&entries.iter().map(as_json).collect::<Vec<_>>())
    } else {
        let lines: Vec<String> = entries.iter().map(|entry| printable(&entry.text(language()))).collect();
        let text = if lines.is_empty() { StatusEntry::list_text(&[], language()) } else { lines.join("\n") };
        print_line(&text)
    };
    written.map_or(Exit::Output, |()| Exit::Ok)
}

fn as_json(entry: &StatusEntry) -> Value {
    let mut value = match &entry.state {
        EntryState::Claim { claim, mine, process, heartbeat_age, stale } => json!({
            "kind": "claim",
            "self": mine,
            "path": claim.path.as_ref().map(collision_lease::CanonicalPath::to_string_lossy),
            "sessionId": claim.session.as_ref().map(SessionId::as_str),
            "ownerToken": claim.token.as_ref().map(OwnerToken::as_str),
            "generation": claim.generation,
            "pid": claim.process.pid.get(),
            "process": match process {
                ProcessState::Alive => "alive",
                ProcessState::Dead => "dead",
                ProcessState::Unknown => "unknown",
            },
            "acquiredAt": claim.acquired.wall.map(|at| at.0),
            "heartbeatAgeMs": millis(*heartbeat_age),
            "state": if *stale { "stale" } else { "active" },
        }),
        EntryState::Newer { holder } => {
            json!({ "kind": "newer", "state": "active", "holder": holder_json(holder) })
        }
        EntryState::Corrupt { reason, left, held_by } => json!({
            "kind": "corrupt",
            "reason": reason,
            "graceLeftMs": millis(*left),
            "holder": held_by.as_ref().map(holder_json),
        }),
        EntryState::Hostile(what) => json!({ "kind": "hostile", "what": format!("{what:?}") }),
    };
    if let Some(object) = value.as_object_mut() {
        object.insert("claimId".to_owned(), entry.key.to_string().into());
    }
    value
}

fn holder_json(holder: &Holder) -> Value {
    json!({
        "sessionId": holder.session.as_ref().map(SessionId::as_str),
        "pid": holder.pid.map(collision_lease::Pid::get),
    })
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Asks a person at the terminal; nobody else can say yes, so there is no option that does.
fn force_release(args: &ForceRelease) -> Exit {
    let folder = match args.state.folder() {
        Ok(folder) => folder,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let (path, words) = (printable(&args.path.to_string_lossy()), environment_language());
    let looked = open(&folder).and_then(|set| match set {
        Some(set) => Ok(set.inspect(&args.path)?.map(|entry| (set, entry))),
        None => Ok(None),
    });
    let (set, entry) = match looked {
        Ok(Some(found)) => found,
        Ok(None) => return complain(&message::nothing_holds(&path, words), Exit::Ok),
        Err(error) => return complain(&error, Exit::NoInput),
    };
    match ask(&entry.force_question(language())) {
        None => return complain(&message::NO_TERMINAL.text(words), Exit::NoInput),
        Some(false) => return complain(&message::NOT_RELEASED.text(words), Exit::Block),
        Some(true) => {}
    }
    let shown = match &entry.state {
        EntryState::Claim { claim, .. } => claim.token.as_ref(),
        _ => None,
    };
    match set.force_release(&args.path, shown) {
        Ok(_) => print_line(&message::released(&path, words)).map_or(Exit::Output, |()| Exit::Ok),
        Err(error) => complain(&error, Exit::TryAgain),
    }
}

/// Asks on the controlling terminal, whatever standard input and output are. `None` if there is no terminal.
pub(crate) fn ask(question: &str) -> Option<bool> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
    let question: Vec<String> = question.lines().map(printable).collect();
    write!(terminal, "{}\n[yes/no] ", question.join("\n")).ok()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok()?;
    Some(matches!(answer.trim(), "yes" | "YES" | "Yes" | "是"))
}
