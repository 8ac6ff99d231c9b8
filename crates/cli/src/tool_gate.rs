//! The gate of the tools: what `sandbox.json`, the settings and the leases of others allow.
//!
//! | effect | asked |
//! |---|---|
//! | read, also each entry of a walk | `filesystem.denyRead`, `allowRead` |
//! | write | `filesystem.allowWrite`, `denyWrite`, and what is always protected |
//! | start of a search | block-find |
//! | command | block-find (with `blockBash`), shell-permissions, then the OS sandbox runs it |
//! | edit, write, move, rewrite | leases of collision-guard |
//! | connection | `network.deniedDomains`; `allowedDomains` where it is not empty; resolved addresses |
//!
//! `"enabled": false` switches the lists of the file system and the OS sandbox off; commands and connections are judged all the same.

use crate::block_find::{BlockFind, Place as FindPlace, Verdict as FindVerdict};
use crate::configuration::Configuration as Settings;
use crate::message;
use crate::permissions::spoken;
use crate::sandbox_config::{Configuration, Failure, Scene, from_here};
use crate::tools::tool_language;
use bash_commands::Analyzer;
use brakeline::ShellPermissions;
use brakeline_agent_tools::{Gate, Hold, Language as ToolLanguage, Launch, Leases, Refusal};
use brakeline_sandbox::network::{NetworkPolicy, NetworkReason};
use brakeline_sandbox::policy::Policy;
use brakeline_sandbox::tree::HostTree;
use brakeline_settings::Language;
use collision_lease::{LeaseSet, SessionId};
use shell_permissions::AllFiles;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where leases of all hosts are kept, below the home directory.
const LEASES: &str = ".pi/agent/collision-guard";

/// What the tools ask.
#[derive(Debug)]
pub(crate) struct ToolGate {
    pub(crate) language: Language,
    pub(crate) cwd: PathBuf,
    pub(crate) home: PathBuf,
    /// The lists of the file system; nothing if the sandbox is switched off.
    files: Option<Policy>,
    network: NetworkPolicy,
    commands: ShellPermissions,
    find: Option<BlockFind>,
    leases: Option<LazyLeases>,
    sandbox: Option<SandboxRun>,
}

/// How to run a command in the OS sandbox: by this program itself, which holds the proxy and the journal.
#[derive(Debug)]
struct SandboxRun {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// Leases, opened with the first edit: who only reads leaves no folder behind.
#[derive(Debug)]
struct LazyLeases {
    folder: PathBuf,
    session: String,
    opened: OnceLock<Result<Leases, String>>,
}

impl LazyLeases {
    fn get(&self) -> Result<&Leases, Refusal> {
        let open = || {
            LeaseSet::for_process(&self.folder, SessionId::new(&self.session))
                .map(Leases::new)
                .map_err(|error| error.to_string())
        };
        let opened = self.opened.get_or_init(open).as_ref();
        opened.map_err(|message| {
            Refusal::new(format!("{}: {message}", collision_lease::BLOCKED)).by("collision-guard")
        })
    }
}

impl ToolGate {
    /// Puts the gate together from the files in force.
    pub(crate) fn load(args: &Configuration, settings: &Settings, session: &str) -> Result<Self, Failure> {
        let language = settings.language;
        let scene = Scene::load(args, language)?;
        let home = scene.place.home.clone();
        let cwd = scene.place.start.clone().unwrap_or_else(|| scene.place.cwd.clone());
        let is_on = |name: &str| settings.settings.brakeline.extensions.get(name).copied().unwrap_or(true);
        let enabled = scene.config.enabled.value;
        let mut scene = scene;
        // Edits must not reach the claims either.
        scene.place.protected.push(home.join(LEASES));
        let files = if enabled { Some(scene.policy(language)?) } else { None };
        let find = is_on("block-find").then(|| {
            let (guard, _) = BlockFind::new(&settings.settings.block_find_root, home.to_str());
            guard
        });
        let leases = is_on("collision-guard").then(|| LazyLeases {
            folder: home.join(LEASES),
            session: session.to_owned(),
            opened: OnceLock::new(),
        });
        Ok(Self {
            language,
            files,
            network: NetworkPolicy::new(&scene.config.network),
            commands: commands(&scene)?,
            find: find.filter(|guard| !guard.is_off()),
            leases,
            sandbox: enabled.then(|| SandboxRun::of(args, &scene)),
            cwd,
            home,
        })
    }

    /// Gives back every lease: at the end of a run.
    pub(crate) fn release(&self) {
        if let Some(Ok(leases)) = self.leases.as_ref().and_then(|leases| leases.opened.get()) {
            leases.set().shut_down();
        }
    }

    pub(crate) fn tool_language(&self) -> ToolLanguage {
        tool_language(self.language)
    }

    fn find_place(&self) -> FindPlace<'_> {
        FindPlace { cwd: self.cwd.to_str(), home: self.home.to_str() }
    }

    fn find_refusal(
        &self,
        guard: &BlockFind,
        verdict: &FindVerdict,
        tool: message::Tool,
    ) -> Result<(), Refusal> {
        match verdict {
            FindVerdict::Allow => Ok(()),
            FindVerdict::Block(block) => {
                let sentences = message::block(block, guard, self.cwd.to_str(), tool, self.language);
                Err(Refusal::new(sentences.join("\n")).by("block-find"))
            }
        }
    }
}

/// Returns the policy for commands, with the lists of the file system unless they are switched off.
fn commands(scene: &Scene) -> Result<ShellPermissions, Failure> {
    let permissions = ShellPermissions::of_config(&scene.config, scene.place.clone())
        .map_err(|error| Failure::new(format!("shell.permissons: {error}"), crate::Exit::Data))?;
    Ok(if scene.config.enabled.value {
        permissions
    } else {
        ShellPermissions::new(permissions.policy().clone(), AllFiles)
    })
}

impl SandboxRun {
    fn of(args: &Configuration, scene: &Scene) -> Self {
        let mut arguments: Vec<OsString> = vec!["sandbox".into(), "run".into()];
        for file in &args.files {
            arguments.extend(["--config".into(), from_here(file).into()]);
        }
        for path in &args.protected {
            arguments.extend(["--protect".into(), from_here(path).into()]);
        }
        if args.trust_project {
            arguments.push("--trust-project".into());
        }
        arguments.extend(["--home".into(), scene.place.home.clone().into()]);
        arguments.extend(["--project".into(), scene.place.cwd.clone().into(), "--cwd".into()]);
        Self { program: scene.helper.program.clone(), arguments }
    }

    fn command(&self, text: &str, cwd: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(cwd).args(["--", "bash", "-c", text]).current_dir(cwd);
        command
    }
}

impl Gate for ToolGate {
    fn may_read(&self, path: &Path) -> Result<(), Refusal> {
        let Some(policy) = self.files.as_ref().filter(|policy| !policy.hides_nothing()) else {
            return Ok(());
        };
        let verdict = policy.may_read(&HostTree, path);
        if verdict.allowed { Ok(()) } else { Err(Refusal::new(verdict.text(self.language)).by("sandbox")) }
    }

    fn may_write(&self, path: &Path) -> Result<(), Refusal> {
        let Some(policy) = &self.files else { return Ok(()) };
        let verdict = policy.may_write(&HostTree, path);
        if verdict.allowed { Ok(()) } else { Err(Refusal::new(verdict.text(self.language)).by("sandbox")) }
    }

    fn may_search(&self, start: &Path) -> Result<(), Refusal> {
        let (Some(guard), Some(start)) = (&self.find, start.to_str()) else { return Ok(()) };
        let verdict = guard.judge_find_tool(Some(start), self.find_place());
        self.find_refusal(guard, &verdict, message::Tool::Find)
    }

    fn hold(&self, holds: &[Hold<'_>]) -> Result<(), Refusal> {
        self.leases.as_ref().map_or(Ok(()), |leases| leases.get()?.hold(holds, self.tool_language()))
    }

    fn commit(&self, path: &Path, write: &mut dyn FnMut()) -> Result<(), Refusal> {
        let Some(leases) = &self.leases else {
            write();
            return Ok(());
        };
        leases.get()?.commit(path, write, self.tool_language())
    }

    fn launch(&self, command: &str, cwd: &Path) -> Result<Launch, Refusal> {
        if let Some(guard) = self.find.as_ref().filter(|guard| guard.blocks_bash()) {
            let verdict = guard.judge_bash(command, self.find_place(), &mut Analyzer::new());
            self.find_refusal(guard, &verdict, message::Tool::Bash)?;
        }
        let judgement = self.commands.judge(command, self.cwd.to_str(), self.home.to_str());
        if judgement.verdict() == shell_permissions::Verdict::Deny {
            return Err(Refusal::new(judgement.text(spoken(self.language))).by("shell-permissions"));
        }
        Ok(match &self.sandbox {
            Some(sandbox) => Launch::new(sandbox.command(command, cwd)),
            None => Launch::bash(command, cwd),
        })
    }

    fn may_connect(&self, host: &str, port: u16) -> Result<(), Refusal> {
        let verdict = self.network.may_connect(host, port);
        // An empty list of allowed domains closes the network for commands; this tool is checked in other ways.
        if verdict.allowed || matches!(verdict.reason, NetworkReason::NoNetwork) {
            return Ok(());
        }
        Err(Refusal::new(verdict.text(self.language)).by("sandbox"))
    }

    fn may_reach(&self, host: &str, port: u16, address: IpAddr) -> Result<(), Refusal> {
        let verdict = if self.network.is_open() {
            self.network.may_reach(host, port, address, false)
        } else {
            self.network.may_connect(&bracketed(address), port)
        };
        if verdict.allowed || matches!(verdict.reason, NetworkReason::NoNetwork) {
            return Ok(());
        }
        Err(Refusal::new(verdict.text(self.language)).by("sandbox"))
    }

    fn is_exempt(&self, host: &str, port: u16, address: IpAddr) -> bool {
        // Only an entry that names the host or the address itself opens what is local.
        self.network.is_open() && self.network.may_reach(host, port, address, true).allowed
    }
}

/// An address as a host is written.
fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
