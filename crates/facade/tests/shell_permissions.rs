//! The policy for shell commands, in the engine.

#![cfg(feature = "shell-permissions")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use brakeline::locale::Language;
use brakeline::shell_permissions::{Action, FileRule, Language as Spoken, Options, Policy, Target};
use brakeline::{
    Block, Builder, Engine, Host, SessionView, Setup, ShellPermissions, Step, ToolCall, UserBash,
    UserBashDecision, Verdict,
};
use brakeline_sandbox::config::{Config, Entry, Permission, ShellRule};
use brakeline_sandbox::policy::Place;
use brakeline_settings::Trust;
use serde_json::{Value, json};

fn engine(language: Language, settings: Value) -> Engine {
    let rules = [("*", Action::Deny), ("git *", Action::Allow), ("git push *", Action::Deny)];
    let policy = Policy::new(Options::default(), rules).unwrap();
    let files = |target: &Target<'_>| match target.path {
        "out" if target.directory == Some("/work") => Ok(()),
        _ => Err(FileRule::NotListed { list: "allowWrite" }),
    };
    let setup =
        Setup { cwd: Some("/work".to_owned()), host: Host::CLAUDE_CODE, language, ..Setup::new("s1") };
    let builder = Builder::new(setup).settings(settings).built_ins();
    builder.shell_permissions(ShellPermissions::new(policy, files)).build(Trust::Trusted).unwrap()
}

fn judge(engine: &mut Engine, tool: &str, command: &Value) -> Verdict {
    let input = json!({"command": command}).as_object().unwrap().clone();
    let call = ToolCall { tool: tool.to_owned(), id: "c1".to_owned(), input, ..ToolCall::default() };
    match engine.handle(call, SessionView::default()) {
        Step::Done(outcome) => outcome.decision.verdict,
        Step::Ask(_) => panic!("nothing is asked"),
    }
}

fn block(verdict: Verdict) -> Block {
    match verdict {
        Verdict::Block(block) => block,
        Verdict::Allow => panic!("a block was expected"),
    }
}

#[test]
fn commands_of_the_model_are_judged() {
    let mut engine = engine(Language::En, Value::Null);
    for (tool, command, is_allowed) in [
        ("Bash", json!("git status"), true),
        ("bash", json!("git status > out"), true),
        ("bash", json!("git status > /etc/x"), false),
        ("run_shell_command", json!("git -C x push"), false),
        ("bash", json!("ls"), false),
        ("bash", json!("git status; git log"), false),
        ("shell", json!(["git", "status"]), true),
        ("shell", json!(["git", "push"]), false),
        // The shell of the tool is not the model's.
        ("shell", json!(["bash", "-lc", "git status"]), true),
        ("shell", json!(["bash", "-lc", "git push"]), false),
        ("shell", json!(["bash", "-x", "git status"]), false),
        // What cannot be read is blocked.
        ("bash", json!(1), false),
        ("bash", json!("git\u{0}"), false),
        // No shell.
        ("read", json!("ls"), true),
    ] {
        let verdict = judge(&mut engine, tool, &command);
        assert_eq!(matches!(verdict, Verdict::Allow), is_allowed, "{tool} {command}: {verdict:?}");
    }
}

#[test]
fn a_block_says_what_why_and_what_else() {
    let told = block(judge(&mut engine(Language::En, Value::Null), "Bash", &json!("git push origin")));
    assert_eq!(told.by, "shell-permissions");
    assert!(
        told.reason.starts_with("bash may not run `git push origin` (rule: `git push *`)\n"),
        "{}",
        told.reason
    );
    let details = told.details.unwrap();
    assert_eq!(
        details["refusals"][0],
        json!({"code": "denied", "command": "git push origin", "rule": "git push *", "span": [0, 15]})
    );

    let told = block(judge(&mut engine(Language::ZhCn, Value::Null), "Bash", &json!("git push origin")));
    assert!(
        told.reason.starts_with("禁止使用 bash 执行 `git push origin`（命中：`git push *`）\n"),
        "{}",
        told.reason
    );
}

#[test]
fn the_settings_switch_it_off() {
    let settings = json!({"brakeline": {"extensions": {"shell-permissions": false}}});
    assert_eq!(judge(&mut engine(Language::En, settings), "Bash", &json!("ls")), Verdict::Allow);
}

#[test]
fn what_a_person_types_is_not_judged() {
    let mut engine = engine(Language::En, Value::Null);
    let event = UserBash { command: "ls".to_owned(), ..UserBash::default() };
    let Step::Done(outcome) = engine.handle(event, SessionView::default()) else {
        panic!("nothing is asked")
    };
    assert_eq!(outcome.decision, UserBashDecision::Run);
}

#[test]
fn what_the_files_of_a_redirection_are_refused_for_is_said_in_one_language() {
    let folder = tempfile::tempdir().unwrap();
    let project = std::fs::canonicalize(folder.path()).unwrap();
    std::os::unix::fs::symlink("loop", project.join("loop")).unwrap();
    let mut config = Config::default();
    let rule = ShellRule { pattern: "ls".to_owned(), permission: Permission::Allow, origin: None };
    config.shell.permissions.push(rule);
    config.filesystem.deny_write.push(Entry::new("kept"));
    config.filesystem.deny_read.push(Entry::new("hidden"));
    let permissions = ShellPermissions::of_config(&config, Place::of_pi(&project, "/home/ada")).unwrap();
    for (text, english, chinese) in [
        ("ls > kept", "filesystem.denyWrite: `kept`", "命中 filesystem.denyWrite：`kept`"),
        ("ls < hidden", "filesystem.denyRead: `hidden`", "命中 filesystem.denyRead：`hidden`"),
        (
            "ls > /etc/x",
            "no entry of filesystem.allowWrite allows it",
            "filesystem.allowWrite 中没有允许它的路径",
        ),
        (
            "ls > .pi/sandbox.json",
            "always protected: `{project}/.pi/sandbox.json`",
            "始终受保护：`{project}/.pi/sandbox.json`",
        ),
        ("ls > loop", "it leads in a circle of links", "它是循环的符号链接"),
    ] {
        let judgement = permissions.judge(text, project.to_str(), None);
        for (language, expected) in [(Spoken::En, english), (Spoken::ZhCn, chinese)] {
            let expected = expected.replace("{project}", project.to_str().unwrap());
            let told = judgement.text(language);
            assert!(told.contains(&expected), "{text}: {told}");
        }
    }
}
