//! The guards that a `sandbox.json` asks for: the permissions of shell commands, and the sandbox that runs them.

use brakeline::sandbox::wrap::Wrapper;
use brakeline::tool_names::{ToolKind, kind};
use brakeline::{
    Builder, BuiltIn, Configuration, Context, EventKind, Extension, Problem, ShellPermissions, Stop,
    ToolCall, ToolCallAnswer,
};
use brakeline_sandbox::config::places_of_pi;
use brakeline_sandbox::policy::Place;
use brakeline_settings::{Language, Places, Trust};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where a session runs, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Project<'a> {
    pub(crate) home: Option<&'a str>,
    pub(crate) cwd: Option<&'a str>,
    /// The folder of the user's own `sandbox.json`, if it is not pi's below the home directory.
    pub(crate) agent_dir: Option<&'a Path>,
    pub(crate) trust: Trust,
}

impl Project<'_> {
    /// Where a `sandbox.json` may be.
    fn places(&self) -> Option<Places> {
        let mut places = places_of_pi(self.home?.as_ref(), self.cwd?.as_ref(), self.trust);
        if let Some(folder) = self.agent_dir {
            places.global = Some(folder.join("sandbox.json"));
        }
        Some(places)
    }

    /// Loads the permissions; `None` where no `sandbox.json` asks for any, or none can be looked for.
    ///
    /// # Errors
    ///
    /// What is wrong with a `sandbox.json` that cannot be used: nobody can tell then what was to be refused.
    pub(crate) fn permissions(&self, language: Language) -> Result<Option<ShellPermissions>, String> {
        let (Some(places), Some(home), Some(cwd)) = (self.places(), self.home, self.cwd) else {
            return Ok(None);
        };
        let mut place = Place::of_pi(cwd, home);
        place.protected.extend(self.other_agent_dir().map(Path::to_owned));
        ShellPermissions::load(&places, place).map_err(|error| error.text(language))
    }

    /// Adds the permissions and the sandbox to an engine, where a `sandbox.json` asks for them.
    ///
    /// # Errors
    ///
    /// As [`permissions`](Self::permissions), or if it cannot be told where this program is, which runs the sandbox.
    pub(crate) fn guard(&self, builder: Builder, language: Language) -> Result<Builder, String> {
        let Some(permissions) = self.permissions(language)? else { return Ok(builder) };
        Ok(builder.shell_permissions(permissions).sandbox(self.wrapper(language)?))
    }

    /// As [`guard`](Self::guard); with a `sandbox.json` that cannot be used, every shell command is refused with what is wrong.
    pub(crate) fn guard_or_refuse(&self, builder: impl Fn() -> Builder, language: Language) -> Builder {
        self.guard(builder(), language).unwrap_or_else(|fault| {
            builder().built_in(BuiltIn::ShellPermissions, move |_| {
                Ok(Box::new(NothingRuns { fault: fault.clone() }))
            })
        })
    }

    /// How commands get into the sandbox: by way of this program.
    fn wrapper(&self, language: Language) -> Result<Wrapper, String> {
        let program = std::env::current_exe().map_err(|error| match language {
            Language::ZhCn => format!("无法确定本程序的位置，沙箱要由它启动：{error}"),
            Language::En => format!("cannot tell where this program is, which runs the sandbox: {error}"),
        })?;
        let mut wrapper = Wrapper::new(program);
        wrapper.project = self.cwd.map(Into::into);
        wrapper.home = self.home.map(Into::into);
        wrapper.trust_project = self.trust == Trust::Trusted;
        if let Some(folder) = self.other_agent_dir() {
            wrapper.configs = self.places().map(|places| files(&places)).unwrap_or_default();
            // The settings and the leases are there, too.
            wrapper.protected.push(folder.to_owned());
        }
        Ok(wrapper)
    }

    /// The folder of the user's settings, where it is not the one that the sandbox knows by itself.
    fn other_agent_dir(&self) -> Option<&Path> {
        let usual = self.home.map(|home| Path::new(home).join(".pi/agent"));
        self.agent_dir.filter(|folder| Some(*folder) != usual.as_deref())
    }
}

/// The files that are there, the weaker first.
fn files(places: &Places) -> Vec<PathBuf> {
    let project = places.project.iter().filter(|_| places.trust == Trust::Trusted);
    places.global.iter().chain(project).filter(|file| file.exists()).cloned().collect()
}

/// Stands in for permissions that cannot be read.
struct NothingRuns {
    fault: String,
}

impl Extension for NothingRuns {
    fn configure(&mut self, _: &Configuration) -> Result<Vec<Problem>, Stop> {
        Ok(vec![Problem::Other(self.fault.clone())])
    }

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
        let fault = &self.fault;
        Ok(ToolCallAnswer::block(match context.language() {
            Language::ZhCn => {
                format!("命令未运行：sandbox.json 无法使用，无从判断哪些命令被允许\n请用户修正：{fault}")
            }
            Language::En => format!(
                "the command does not run: sandbox.json cannot be used, so there is no telling what it allows\nThe user \
                 has to mend it: {fault}"
            ),
        }))
    }
}
