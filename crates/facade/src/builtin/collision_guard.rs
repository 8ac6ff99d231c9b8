//! Keeps agents from changing a file at the same time.
//!
//! Claims, their life and their texts are `collision-lease`'s; here they meet the events. A call that is blocked later by
//! somebody else keeps its lease until the run settles: nothing tells of it.

use crate::builder::Builder;
use crate::builtin::BuiltIn;
use crate::edited_paths::edited_paths;
use crate::effect::Level;
use crate::event::{AgentSettled, CommandRun, EventKind, SessionShutdown, ToolCall};
use crate::extension::{CommandSpec, Context, Extension, Stop, ToolCallAnswer};
use crate::host_path::absolute;
use crate::leases::{LeaseOwner, LeaseSource, Leases};
use crate::locale::Language;
use crate::question::{Answer, Question};
use crate::session::Setup;
use crate::text;
use crate::tool_names::{ToolKind, kind};
use collision_lease::{
    BLOCKED, EntryState, Error, FsStore, LeaseSet, Options, Owner, OwnerToken, Released, SessionId,
    StatusEntry, StoreError,
};
use serde_json::{Value, json};
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// The name of the command.
const COLLISION: &str = "collision";

/// The extension. The store is opened by the first event that needs it.
#[derive(Debug)]
pub(crate) struct CollisionGuard {
    /// `None`: there is no telling where claims live, so edits are blocked.
    leases: Option<Leases>,
    session: String,
    open: Option<Arc<LeaseSet>>,
}

impl Builder {
    /// Adds collision-guard with these leases, in place of the ones that [`built_ins`](Self::built_ins) looks for in the home
    /// directory of the setup.
    pub fn leases(self, leases: Leases) -> Self {
        self.built_in(BuiltIn::CollisionGuard, move |setup| {
            Ok(Box::new(CollisionGuard { leases: Some(leases.clone()), ..CollisionGuard::of(setup) }))
        })
    }
}

impl CollisionGuard {
    /// With leases in pi's folder, if it is known where that is.
    pub(crate) fn of(setup: &Setup) -> Self {
        let leases = setup.home.as_deref().map(|home| Leases::in_home(home.as_ref()));
        Self { leases, session: setup.session.clone(), open: None }
    }

    /// Opens the store, which creates its folder.
    fn open(&mut self) -> Result<Arc<LeaseSet>, NotOpen> {
        if let Some(open) = &self.open {
            return Ok(Arc::clone(open));
        }
        let leases = self.leases.as_ref().ok_or(NotOpen::NoFolder)?;
        let session = SessionId::new(&self.session);
        let set = match &leases.source {
            LeaseSource::Shared(set) => Arc::clone(set),
            LeaseSource::Folder { folder, owner: LeaseOwner::Process } => {
                Arc::new(LeaseSet::for_process(folder, session)?)
            }
            LeaseSource::Folder { folder, owner: LeaseOwner::Agent } => {
                Arc::new(LeaseSet::for_agent(folder, session)?)
            }
            LeaseSource::Folder { folder, owner: LeaseOwner::Parent(token) } => {
                Arc::new(sharing(folder, session, token)?)
            }
        };
        self.open = Some(Arc::clone(&set));
        Ok(set)
    }

    /// Opens the store if there is one: looking and releasing must not create it.
    fn open_if_there(&mut self) -> Result<Option<Arc<LeaseSet>>, NotOpen> {
        let folder = match self.leases.as_ref().map(|leases| &leases.source) {
            Some(LeaseSource::Folder { folder, .. }) if self.open.is_none() => folder,
            Some(_) => return self.open().map(Some),
            None => return Ok(None),
        };
        match folder.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::from(StoreError::from_io(folder, error)).into()),
            Ok(_) => self.open().map(Some),
        }
    }

    /// The set whose leases end with the run, if it can hold any.
    fn held(&mut self) -> Result<Option<Arc<LeaseSet>>, NotOpen> {
        let is_agents = self.leases.as_ref().is_some_and(|leases| {
            matches!(leases.source, LeaseSource::Folder { owner: LeaseOwner::Agent, .. })
        });
        if !is_agents {
            return Ok(self.open.clone());
        }
        // The processes that acquired them are gone.
        let set = self.open_if_there()?;
        if let Some(set) = &set {
            set.adopt()?;
        }
        Ok(set)
    }

    fn acquire(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<(), Refusal> {
        let setup = context.configuration().setup();
        let (cwd, home) = (context.cwd(), setup.home.as_deref());
        let paths = edited_paths(call).map_err(Refusal::other)?;
        let paths = paths.iter().map(|path| absolute(path, setup.host.paths, cwd, home));
        let paths = paths.collect::<Result<Vec<_>, _>>().map_err(Refusal::other)?;
        let set = self.open().map_err(Refusal::from)?;
        let acquired = set.acquire_all(&paths);
        self.report_lost(&set, context);
        acquired.map(|_| ()).map_err(Refusal::Lease)
    }

    fn report_lost(&self, set: &LeaseSet, context: &mut Context<'_>) {
        let Some(leases) = &self.leases else { return };
        for lost in set.take_lost() {
            let text = lost.text(lease_language(context.language()), leases.clock.read());
            context.notify(Level::Warning, text);
        }
    }

    fn report_released(&self, set: &LeaseSet, released: &Released, context: &mut Context<'_>) {
        self.report_lost(set, context);
        for (path, error) in &released.failed {
            context.notify(Level::Error, text::lease_not_released(path, error, context.language()));
        }
    }

    fn show_status(&mut self, context: &mut Context<'_>) -> Result<(), Stop> {
        let entries = self.open_if_there()?.map_or(Ok(Vec::new()), |set| set.status())?;
        context.notify(Level::Info, StatusEntry::list_text(&entries, lease_language(context.language())));
        Ok(())
    }

    /// Deletes the claim that the user saw, if the user says yes. Without a user, nothing.
    fn force_release(&mut self, path: &str, context: &mut Context<'_>) -> Result<(), Stop> {
        let setup = context.configuration().setup();
        let language = context.language();
        let absolute = absolute(path, setup.host.paths, context.cwd(), setup.home.as_deref())?;
        let file = Path::new(&absolute);
        let set = self.open_if_there()?;
        let entry = set.as_ref().map_or(Ok(None), |set| set.inspect(file))?;
        let (Some(set), Some(entry)) = (set, entry) else {
            context.notify(Level::Info, text::nothing_holds(path, language));
            return Ok(());
        };
        let question = Question::Confirm {
            title: text::force_release_title(path, language),
            message: entry.force_question(lease_language(language)),
            timeout: None,
        };
        let token = match &entry.state {
            EntryState::Claim { claim, .. } => claim.token.as_ref().map(OwnerToken::as_str),
            _ => None,
        };
        match context.ask_about(question, token.unwrap_or_default())? {
            (Answer::Confirmed(true), shown) => {
                set.force_release(file, OwnerToken::parse(shown).as_ref())?;
                context.notify(Level::Warning, text::force_released(path, language));
            }
            (Answer::NoUi, _) => context.notify(Level::Error, text::force_release_needs_ui(language)),
            _ => context.notify(Level::Info, text::not_force_released(path, language)),
        }
        Ok(())
    }
}

impl Extension for CollisionGuard {
    fn events(&self) -> &[EventKind] {
        &[EventKind::ToolCall, EventKind::AgentSettled, EventKind::SessionShutdown, EventKind::Command]
    }

    fn reads_entry(&self, _: &Value) -> bool {
        false
    }

    fn commands(&self, language: Language) -> Vec<CommandSpec> {
        let description = text::collision_command(language).to_owned();
        vec![CommandSpec { name: COLLISION.to_owned(), description }]
    }

    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        if kind(&call.tool) != Some(ToolKind::Edit) {
            return Ok(ToolCallAnswer::Pass);
        }
        let Err(refusal) = self.acquire(call, context) else { return Ok(ToolCallAnswer::Pass) };
        let now = self.leases.as_ref().map(|leases| leases.clock.read()).unwrap_or_default();
        let reason = match &refusal {
            Refusal::Lease(error) => error.block_text(lease_language(context.language()), now),
            Refusal::Other(cause) => text::edit_blocked(BLOCKED, cause, context.language()),
        };
        Ok(ToolCallAnswer::Block { reason, terminate: false, details: Some(refusal.details()) })
    }

    fn agent_settled(&mut self, _: &AgentSettled, context: &mut Context<'_>) -> Result<(), Stop> {
        if let Some(set) = self.held()? {
            let released = set.release_all();
            self.report_released(&set, &released, context);
        }
        Ok(())
    }

    fn session_shutdown(&mut self, _: &SessionShutdown, context: &mut Context<'_>) -> Result<(), Stop> {
        if let Some(set) = self.held()? {
            let released = set.shut_down();
            self.report_released(&set, &released, context);
        }
        Ok(())
    }

    fn run_command(&mut self, run: &CommandRun, context: &mut Context<'_>) -> Result<(), Stop> {
        let arguments = run.arguments.trim();
        let (word, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        match (word, rest.trim()) {
            ("" | "status", "") => self.show_status(context),
            ("force-release", path) if !path.is_empty() => self.force_release(path, context),
            _ => {
                context.notify(Level::Error, text::collision_usage(arguments, context.language()));
                Ok(())
            }
        }
    }
}

/// A set of this process's that uses the leases of its parent.
fn sharing(folder: &Path, session: SessionId, token: &OwnerToken) -> Result<LeaseSet, Error> {
    let own =
        Owner::for_process(session).map_err(|error| StoreError::from_io(Path::new("/proc/self"), error))?;
    let owner = Owner { token: token.clone(), ..own };
    LeaseSet::open(Arc::new(FsStore::open(folder)?), owner, Options::default())
}

/// Why a call is blocked.
#[derive(Debug)]
enum Refusal {
    Lease(Error),
    Other(String),
}

impl Refusal {
    fn other(cause: impl fmt::Display) -> Self {
        Self::Other(cause.to_string())
    }

    /// Returns the reason as data.
    fn details(&self) -> Value {
        let Self::Lease(error) = self else { return json!({"code": "unreadable"}) };
        match error {
            Error::Held { path, conflict } => json!({
                "code": "held",
                "path": path.to_string_lossy(),
                "sessionId": conflict.holder.session.as_ref().map(SessionId::as_str),
                "pid": conflict.holder.pid.map(collision_lease::Pid::get),
            }),
            Error::Corrupt { path, .. } => json!({"code": "corrupt", "path": path.to_string_lossy()}),
            Error::Lost { path, .. } => json!({"code": "lost", "path": path.to_string_lossy()}),
            _ => json!({"code": "failed"}),
        }
    }
}

impl From<NotOpen> for Refusal {
    fn from(error: NotOpen) -> Self {
        match error {
            NotOpen::NoFolder => Self::other(error),
            NotOpen::Failed(error) => Self::Lease(error),
        }
    }
}

/// Why there are no leases.
#[derive(Debug, thiserror::Error)]
enum NotOpen {
    #[error("the home directory is not known, so neither is the folder of the claims; name one")]
    NoFolder,
    #[error(transparent)]
    Failed(#[from] Error),
}

fn lease_language(language: Language) -> collision_lease::Language {
    match language {
        Language::ZhCn => collision_lease::Language::ZhCn,
        Language::En => collision_lease::Language::En,
    }
}
