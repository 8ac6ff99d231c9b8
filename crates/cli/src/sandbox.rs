//! `brakeline sandbox`: run a command in the OS sandbox, see what that means, and why.

use crate::Exit;
use crate::message::{language, printable};
use crate::output::{complain, print_json, print_line};
use crate::sandbox_config::{Configuration, Failure, Scene};
use brakeline_sandbox::bwrap;
use brakeline_sandbox::config::Config;
use brakeline_sandbox::domain::{Host, split_host_port};
use brakeline_sandbox::helper;
use brakeline_sandbox::plan::Plan;
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::proxy::HostUpstream;
use brakeline_sandbox::run::{RunError, Sandbox as Runner};
use brakeline_sandbox::seatbelt;
use brakeline_sandbox::self_test;
use brakeline_sandbox::tree::HostTree;
use brakeline_sandbox::wrap::quote;
use brakeline_settings::{Language, LocaleSetting};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

#[derive(Args, Debug)]
pub(crate) struct Sandbox {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command in the sandbox; its exit status is the command's
    Run(Run),
    /// Say whether a path may be read and written, or a host reached, and which entry decides
    Why(Why),
    /// Show how a command would be run, without running it
    Plan(PlanArgs),
    /// Test the sandbox: whether it is there, and whether it holds
    Test(Test),
    /// For the sandbox itself
    #[command(hide = true, disable_help_flag = true)]
    Helper(HelperArgs),
}

#[derive(Args, Debug)]
struct Run {
    #[command(flatten)]
    configuration: Configuration,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Args, Debug)]
struct Why {
    #[command(flatten)]
    configuration: Configuration,
    /// A path, or a host with or without a port
    #[arg(value_name = "PATH|HOST")]
    subject: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct PlanArgs {
    #[command(flatten)]
    configuration: Configuration,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Show the profile for macOS instead
    #[arg(long, conflicts_with = "json")]
    profile: bool,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Args, Debug)]
struct Test {
    #[command(flatten)]
    configuration: Configuration,
}

#[derive(Args, Debug)]
struct HelperArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(args: &Sandbox) -> Exit {
    let language = language(LocaleSetting::Auto, |name| std::env::var_os(name));
    let done = match &args.command {
        Command::Run(args) => run_command(args, language),
        Command::Why(args) => why(args, language),
        Command::Plan(args) => plan(args, language),
        Command::Test(args) => test(args, language),
        // The status is the helper's own, which this program's list does not have.
        Command::Helper(args) => std::process::exit(helper::run(&args.words).into()),
    };
    done.unwrap_or_else(|failure| complain(&printable(&failure.message), failure.exit))
}

fn runner(scene: &Scene, language: Language, bwrap: PathBuf) -> Runner<'_> {
    Runner {
        config: &scene.config,
        place: scene.place.clone(),
        bwrap,
        helper: scene.helper.clone(),
        language,
    }
}

fn of_run(error: &RunError, language: Language) -> Failure {
    let exit = match error {
        RunError::Policy(_) | RunError::Plan(_) => Exit::Data,
        RunError::Obstacle(_) | RunError::NotSetUp => Exit::Block,
        _ => Exit::Internal,
    };
    Failure::new(error.text(language), exit)
}

fn run_command(args: &Run, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    note_untrusted(&args.configuration, &scene.place, language);
    if !scene.config.enabled.value {
        return Err(run_plain(&args.command, start(&scene.place)));
    }
    let failed = |error: RunError| of_run(&error, language);
    let policy = scene.policy(language)?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let bwrap =
        self_test::find_bwrap(&search, &policy).map_err(|obstacle| failed(RunError::Obstacle(obstacle)))?;
    self_test::once(&bwrap, &scene.helper, &scene.place.state)
        .map_err(|obstacle| failed(RunError::Obstacle(obstacle)))?;
    let ended = runner(&scene, language, bwrap).run(&args.command, Box::new(HostUpstream)).map_err(failed)?;
    let files = ended.refused_files.iter().map(|refusal| refusal.text(language));
    for refusal in files.chain(ended.refusals.iter().map(|refusal| refusal.text(language))) {
        // The last word is the command's exit status; that this line got out is not worth another one.
        let _ = writeln!(std::io::stderr(), "brakeline sandbox: {}", printable(&refusal));
    }
    std::process::exit(ended.code.into())
}

/// Returns the directory in which commands start.
fn start(place: &Place) -> &Path {
    place.start.as_ref().unwrap_or(&place.cwd)
}

/// Becomes the command, as the configuration asks; comes back only if that fails.
fn run_plain(command: &[OsString], cwd: &Path) -> Failure {
    let Some((program, arguments)) = command.split_first() else {
        return Failure::new("there is no command", Exit::Usage);
    };
    let error = Process::new(program).args(arguments).current_dir(cwd).exec();
    Failure::new(format!("{}: {error}", program.display()), Exit::NoInput)
}

/// A configuration that lies there and does not count is worth a word.
fn note_untrusted(args: &Configuration, place: &Place, language: Language) {
    let file = place.cwd.join(".pi/sandbox.json");
    if args.files.is_empty() && !args.trust_project && file.is_file() {
        let file = printable(&file.to_string_lossy());
        let note = match language {
            Language::En => format!("{file} is not read: the project is not trusted (--trust-project)"),
            Language::ZhCn => format!("未读取 {file}：项目未被信任（--trust-project）"),
        };
        let _ = writeln!(std::io::stderr(), "brakeline sandbox: {note}");
    }
}

fn why(args: &Why, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    let policy = scene.policy(language)?;
    let mut answers = Vec::new();
    if let Some((host, port)) = host_of(&args.subject, start(&scene.place)) {
        let verdict = policy.network().may_connect(&host, port);
        answers.push(Answer { about: "connect", allowed: verdict.allowed, text: verdict.text(language) });
    } else {
        let path = start(&scene.place).join(expand_home(&args.subject, &scene.place.home));
        let read = policy.may_read(&HostTree, &path);
        answers.push(Answer { about: "read", allowed: read.allowed, text: read.text(language) });
        let write = policy.may_write(&HostTree, &path);
        answers.push(Answer { about: "write", allowed: write.allowed, text: write.text(language) });
    }
    let written = if args.json {
        let of =
            |answer: &Answer| json!({"about": answer.about, "allowed": answer.allowed, "text": answer.text});
        print_json(&answers.iter().map(of).collect::<Vec<_>>())
    } else {
        let label = |about: &str| match (about, language) {
            ("read", Language::ZhCn) => "读取",
            ("write", Language::ZhCn) => "写入",
            ("connect", Language::ZhCn) => "连接",
            ("read", Language::En) => "read",
            ("write", Language::En) => "write",
            _ => "connect",
        };
        let lines: Vec<_> = answers
            .iter()
            .map(|answer| format!("{}: {}", label(answer.about), printable(&answer.text)))
            .collect();
        let off = match language {
            _ if scene.config.enabled.value => None,
            Language::En => Some("note: the sandbox is off (`enabled` is false): none of this is enforced"),
            Language::ZhCn => Some("说明：沙箱已关闭（`enabled` 为 false），以上均不生效"),
        };
        print_line(&lines.into_iter().chain(off.map(str::to_owned)).collect::<Vec<_>>().join("\n"))
    };
    let is_allowed = answers.iter().all(|answer| answer.allowed);
    Ok(written.map_or(Exit::Output, |()| if is_allowed { Exit::Ok } else { Exit::Block }))
}

struct Answer {
    about: &'static str,
    allowed: bool,
    text: String,
}

fn expand_home(text: &str, home: &Path) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if text == "~" => home.to_owned(),
        None => PathBuf::from(text),
    }
}

/// Tells a host from a path: a URL, or something that could be a host and is no file.
fn host_of(subject: &str, cwd: &Path) -> Option<(String, u16)> {
    const HTTPS: u16 = 443;
    if let Some((scheme, rest)) = subject.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next()?;
        let (host, port) = split_host_port(authority)?;
        let usual = if scheme.eq_ignore_ascii_case("http") { 80 } else { HTTPS };
        return Some((host.to_owned(), port.unwrap_or(usual)));
    }
    let looks_like_a_path =
        subject.contains('/') || subject.starts_with(['.', '~']) || cwd.join(subject).exists();
    let (host, port) = split_host_port(subject)?;
    let is_host = port.is_some() || host.contains('.') || host == "localhost";
    (!looks_like_a_path && is_host && Host::parse(host).is_some())
        .then(|| (host.to_owned(), port.unwrap_or(HTTPS)))
}

fn plan(args: &PlanArgs, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    let planned = runner(&scene, language, PathBuf::from("bwrap"));
    let (policy, plan) = planned.plan().map_err(|error| of_run(&error, language))?;
    let written = if args.json {
        print_json(&plan_json(&scene.config, &policy, &plan, &args.command))
    } else if args.profile {
        print_line(seatbelt::profile(&plan, None).trim_end())
    } else {
        print_line(&plan_text(&scene.config, &policy, &plan, &args.command, language))
    };
    Ok(written.map_or(Exit::Output, |()| Exit::Ok))
}

fn plan_json(config: &Config, policy: &Policy, plan: &Plan, command: &[OsString]) -> Value {
    let words =
        |words: &[OsString]| words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>();
    json!({
        "enabled": config.enabled.value,
        "arguments": words(&bwrap::arguments(plan)),
        "command": words(command),
        "placeholders": plan.placeholders.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "proxy": plan.has_proxy,
        "notes": policy.notes().iter().map(|note| note.text(Language::En)).collect::<Vec<_>>(),
    })
}

fn plan_text(
    config: &Config,
    policy: &Policy,
    plan: &Plan,
    command: &[OsString],
    language: Language,
) -> String {
    let mut text = "bwrap".to_owned();
    for word in bwrap::arguments(plan) {
        let word = word.to_string_lossy().into_owned();
        text += if word.starts_with("--") { " \\\n  " } else { " " };
        text += &quote(&word);
    }
    text += " \\\n  --";
    for word in command {
        text.push(' ');
        text += &quote(&word.to_string_lossy());
    }
    let pick = |zh, en| match language {
        Language::ZhCn => zh,
        Language::En => en,
    };
    if !config.enabled.value {
        text += pick("\n# 沙箱已关闭（`enabled` 为 false）", "\n# the sandbox is off (`enabled` is false)");
    }
    let kept = pick("运行期间占位（目前不存在）：", "kept free while the command runs (does not exist now):");
    let kept = plan.placeholders.iter().map(|path| format!("{kept} {}", path.to_string_lossy()));
    let proxy = plan.has_proxy.then(|| pick("网络经由代理过滤", "a proxy leads out, and filters").to_owned());
    let notes = policy.notes().iter().map(|note| note.text(language));
    let closed = policy.network().denies_everything().map(|entry| {
        let what = pick(
            "拒绝一切主机，`allowedDomains` 因此无效",
            "denies every host, so `allowedDomains` is without effect",
        );
        format!("`network.deniedDomains`: `{}` {what} ({})", entry.text, entry.origin_text(language))
    });
    for remark in kept.chain(proxy).chain(closed).chain(notes) {
        text += "\n# ";
        text += &printable(&remark);
    }
    text
}

fn test(args: &Test, language: Language) -> Result<Exit, Failure> {
    let scene = Scene::load(&args.configuration, language)?;
    let policy = scene.policy(language)?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let tested =
        self_test::find_bwrap(&search, &policy).and_then(|bwrap| self_test::run(&bwrap, &scene.helper));
    match tested {
        Ok(()) => Ok(print_line(match language {
            Language::En => "the sandbox is there, and it holds",
            Language::ZhCn => "沙箱可用，自检通过",
        })
        .map_or(Exit::Output, |()| Exit::Ok)),
        Err(obstacle) => Err(Failure::new(obstacle.text(language), Exit::Block)),
    }
}
