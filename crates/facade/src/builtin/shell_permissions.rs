//! Judges shell commands by a policy.

use crate::builder::Builder;
use crate::builtin::BuiltIn;
use crate::event::{EventKind, ToolCall};
use crate::extension::{Context, Extension, Stop, ToolCallAnswer};
use crate::locale::Language;
use crate::shell_command::{command, member};
use crate::tool_names::{ToolKind, kind};
use bash_commands::{Analyzer, Span};
use brakeline_sandbox::config::{Config, ConfigError, Entry, Permission, Shell};
use brakeline_sandbox::policy::{List, Place, Policy as FilePolicy};
use brakeline_sandbox::tree::HostTree;
use brakeline_sandbox::verdict::Reason;
use brakeline_settings::{Places, Trust};
use serde_json::{Value, json};
use shell_permissions::{
    Access, Action, FileRule, Files, Judgement, NoFiles, Options, PatternError, Policy, Refusal, Target,
    Verdict,
};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A policy for shell commands, and who judges the targets of their redirections.
///
/// Cheap to clone. The extension of [`Builder::shell_permissions`] asks it about the commands of the model, and a host may
/// ask it about any other.
///
/// ```
/// use brakeline::ShellPermissions;
/// use brakeline::shell_permissions::{Action, AllFiles, Options, Policy, Verdict};
///
/// let policy = Policy::new(Options::default(), [("*", Action::Deny), ("git *", Action::Allow)])?;
/// let permissions = ShellPermissions::new(policy, AllFiles);
/// assert_eq!(permissions.judge("git status", None, None).verdict(), Verdict::Allow);
/// assert_eq!(permissions.judge("git status; rm x", None, None).verdict(), Verdict::Deny);
/// # Ok::<(), brakeline::shell_permissions::PatternError>(())
/// ```
#[derive(Clone)]
pub struct ShellPermissions {
    policy: Arc<Policy>,
    files: Arc<dyn Files + Send + Sync>,
}

impl fmt::Debug for ShellPermissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShellPermissions").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl ShellPermissions {
    /// Puts a policy and the lists of the file system together.
    pub fn new(policy: Policy, files: impl Files + Send + Sync + 'static) -> Self {
        Self { policy: Arc::new(policy), files: Arc::new(files) }
    }

    /// Takes the policy of a `sandbox.json`, and its lists of the file system, applied to a place.
    ///
    /// The lists are applied when a redirection is judged, so that files and links count as they are then.
    ///
    /// # Errors
    ///
    /// When a pattern is blank, which a configuration that was loaded has not.
    pub fn of_config(config: &Config, place: Place) -> Result<Self, PatternError> {
        Ok(Self::new(policy(&config.shell)?, Lists { config: config.clone(), place }))
    }

    /// Loads the `sandbox.json` of some places; `None` when there is none. A project that is not trusted is not read.
    ///
    /// Blocks on the file system.
    ///
    /// # Errors
    ///
    /// For a file that cannot be used: then no command should run, since nobody can tell what was to be refused.
    pub fn load(places: &Places, place: Place) -> Result<Option<Self>, ConfigError> {
        let project = places.project.as_ref().filter(|_| places.trust == Trust::Trusted);
        // What cannot be looked at is there, as far as it is known, and loading tells what is wrong with it.
        let is_there = |file: &PathBuf| file.try_exists().unwrap_or(true);
        if !places.global.iter().chain(project).any(is_there) {
            return Ok(None);
        }
        let config = Config::load(places)?;
        Ok(Some(Self::of_config(&config, place).unwrap_or_else(|_| Self::of_nothing())))
    }

    /// Refuses everything.
    fn of_nothing() -> Self {
        Self::new(Policy::default(), NoFiles)
    }

    /// Returns the policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Judges a command that would be started in `cwd`, for a user whose home directory is `home`.
    #[must_use]
    pub fn judge(&self, command: &str, cwd: Option<&str>, home: Option<&str>) -> Judgement {
        let place = bash_commands::Options { cwd, home, ..bash_commands::Options::default() };
        self.policy.judge(command, &place, &mut Analyzer::new(), &*self.files)
    }
}

/// Returns the policy that the section `shell` of a `sandbox.json` asks for.
fn policy(shell: &Shell) -> Result<Policy, PatternError> {
    let options = Options {
        allow_multiple: shell.allow_multiple.value,
        allow_pipe: shell.allow_pipe.value,
        strict_allow: shell.strict_allow.value,
    };
    let action = |permission| match permission {
        Permission::Allow => Action::Allow,
        Permission::Deny => Action::Deny,
    };
    Policy::new(options, shell.rules().into_iter().map(|(pattern, permission)| (pattern, action(permission))))
}

/// The lists of a `sandbox.json`.
struct Lists {
    config: Config,
    place: Place,
}

impl Files for Lists {
    fn judge(&self, target: &Target<'_>) -> Result<(), FileRule> {
        let policy = FilePolicy::new(&self.config, &self.place, &HostTree)
            .map_err(|error| FileRule::Entry { list: "filesystem", entry: error.entry().text.clone() })?;
        let start = self.place.start.as_ref().unwrap_or(&self.place.cwd);
        let path = start.join(target.directory.unwrap_or_default()).join(target.path);
        let verdict = match target.access {
            Access::Read => policy.may_read(&HostTree, &path),
            Access::Write => policy.may_write(&HostTree, &path),
        };
        if verdict.allowed { Ok(()) } else { Err(rule(&verdict.reason, &verdict.path)) }
    }
}

/// Returns what refuses.
fn rule(reason: &Reason, path: &Path) -> FileRule {
    let entry = |list: List, entry: &Entry| FileRule::Entry { list: list.key(), entry: entry.text.clone() };
    match reason {
        Reason::Hidden(hidden) => entry(List::DenyRead, hidden),
        Reason::Denied(denied) => entry(List::DenyWrite, denied),
        Reason::Protected(_) => FileRule::Protected { path: path.display().to_string() },
        Reason::Circle => FileRule::Circle,
        // The others allow.
        Reason::NotListed | Reason::Default | Reason::Shown(_) | Reason::Writable(_) | Reason::Device => {
            FileRule::NotListed { list: List::AllowWrite.key() }
        }
    }
}

impl Builder {
    /// Adds shell-permissions: commands of the model that the policy refuses are blocked, with the reason. What a person types
    /// is not judged.
    pub fn shell_permissions(self, permissions: ShellPermissions) -> Self {
        self.built_in(BuiltIn::ShellPermissions, move |_| {
            Ok(Box::new(ShellPermissionsExtension { permissions: permissions.clone() }))
        })
    }
}

struct ShellPermissionsExtension {
    permissions: ShellPermissions,
}

impl Extension for ShellPermissionsExtension {
    fn events(&self) -> &[EventKind] {
        &[EventKind::ToolCall]
    }

    fn reads_entry(&self, _: &Value) -> bool {
        false
    }

    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        if kind(&call.tool) != Some(ToolKind::Bash) {
            return Ok(ToolCallAnswer::Pass);
        }
        let command = match shell_text(call) {
            Some(text) => Cow::Borrowed(text),
            None => command(call)?,
        };
        let setup = context.configuration().setup();
        let judgement = self.permissions.judge(&command, context.cwd(), setup.home.as_deref());
        Ok(match judgement.verdict() {
            Verdict::Allow => ToolCallAnswer::Pass,
            Verdict::Deny => ToolCallAnswer::Block {
                reason: judgement.text(language(setup.language)),
                terminate: false,
                details: Some(details(&judgement)),
            },
        })
    }
}

/// Returns the text that a list of words hands to a shell, as Codex's shell tool is used: there the shell is the tool's, and
/// not a command that the model chose.
fn shell_text(call: &ToolCall) -> Option<&str> {
    let [shell, option, text] = call.input.get(member(call))?.as_array()?.as_slice() else { return None };
    let is_shell = matches!(shell.as_str()?, "bash" | "sh" | "/bin/bash" | "/bin/sh");
    (is_shell && matches!(option.as_str()?, "-c" | "-lc")).then_some(())?;
    text.as_str().filter(|text| !text.contains('\0'))
}

/// The language, as the crate that judges knows it.
pub(crate) fn language(language: Language) -> shell_permissions::Language {
    match language {
        Language::ZhCn => shell_permissions::Language::ZhCn,
        Language::En => shell_permissions::Language::En,
    }
}

/// Returns the refusals as data, for hosts that draw them.
fn details(judgement: &Judgement) -> Value {
    let refusal = |Refusal { span: Span { start, end }, command, cause }: &Refusal| json!({"code": cause.name(), "command": command, "rule": cause.rule(), "span": [start, end]});
    let refusals: Vec<_> = judgement.refusals().iter().map(refusal).collect();
    json!({"refusals": refusals, "more": judgement.more_refusals()})
}
