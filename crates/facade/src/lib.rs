// The example of the page needs the extensions that it shows.
#![cfg_attr(all(feature = "block-find", feature = "default-timeout", feature = "guard-loop"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "block-find", feature = "default-timeout", feature = "guard-loop")),
    doc = "Brakes for coding agents as an extension engine. The README and the page built with all features tell more."
)]
#![forbid(unsafe_code)]

mod decision;
mod effect;
mod event;
mod question;
mod session;

mod boundary;
mod configuration;
mod extension;

mod builder;
mod builtin;
mod loaded;

mod compose;
mod engine;

pub mod batch;

mod diagnostic;
pub mod locale;
mod text;

#[cfg(feature = "collision-guard")]
mod edited_paths;
mod host;
pub mod host_path;
#[cfg(any(feature = "block-find", feature = "shell-permissions", feature = "sandbox"))]
mod shell_command;
#[cfg(any(
    feature = "block-find",
    feature = "collision-guard",
    feature = "shell-permissions",
    feature = "sandbox"
))]
mod tool_input;
pub mod tool_names;

#[cfg(feature = "block-find")]
pub mod block_find;
#[cfg(feature = "collision-guard")]
mod leases;

/// The crate of the policy, whose types the engine takes and gives.
#[cfg(feature = "shell-permissions")]
pub use ::shell_permissions;
/// The crate of the sandbox.
#[cfg(feature = "sandbox")]
pub use brakeline_sandbox as sandbox;

pub use boundary::{BadDraft, Draft, Proposal, ProposalChange};
pub use builder::{BuildError, Builder, Origin};
pub use builtin::BuiltIn;
#[cfg(feature = "shell-permissions")]
pub use builtin::ShellPermissions;
pub use compose::Event;
pub use configuration::Configuration;
pub use decision::{
    AgentStartDecision, BashResult, Block, Change, Changes, CommandDecision, InputDecision, Outcome, Report,
    ResultChanges, ToolCallDecision, ToolOutput, TrustDecision, UserBashDecision, Verdict,
};
pub use diagnostic::{Diagnostic, Problem};
pub use effect::{CustomMessage, Effect, Level};
pub use engine::{Engine, Step, Suspended};
pub use event::{
    AgentEnd, AgentSettled, AgentStart, BeforeAgentStart, BeforeSettle, CommandRun, EventKind, Input,
    ModelContext, ProjectTrust, ProviderRequest, RunOutcome, SessionShutdown, SessionStart, ToolCall,
    ToolResult, ToolRun, TurnEnd, UserBash,
};
pub use extension::{
    AgentStartAnswer, CommandSpec, Context, Extension, InputAnswer, Stop, ToolCallAnswer, ToolSpec,
};
pub use host::{Host, PathRules, TimeUnit, TimeoutMember};
#[cfg(feature = "collision-guard")]
pub use leases::{LeaseOwner, Leases};
pub use question::{Answer, Misfit, NoUi, Question, Ui};
pub use session::{Branch, SessionView, Setup};

/// The guide for authors of hosts, whose examples are tested with the crate's own.
#[cfg(all(
    doctest,
    feature = "block-find",
    feature = "default-timeout",
    feature = "guard-loop",
    feature = "collision-guard"
))]
#[doc = include_str!("../../../docs/host-guide.md")]
struct HostGuide;
