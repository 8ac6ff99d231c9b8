//! Any event of any host: an error or one JSON object, never a panic; and what a shell would be given is judged as `check` judges
//! it, in every host's JSON.

#![no_main]

use brakeline_cli::block_find::{BlockFind, Place, Verdict};
use brakeline_cli::hook::{HookHost, Situation, answer};
use brakeline_settings::{HostLimits, Language, Layer, Layers, Source, read_settings};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const HOSTS: [HookHost; 6] = [
    HookHost::ClaudeCode,
    HookHost::Codex,
    HookHost::GeminiCli,
    HookHost::Cursor,
    HookHost::Copilot,
    HookHost::OpenCode,
];

/// The event with which a host asks before a command runs.
fn shell(host: HookHost, command: &str) -> Value {
    let input = json!({"command": command});
    let call = |event: &str, tool: &str| json!({"hook_event_name": event, "cwd": "/srv", "tool_name": tool, "tool_input": input});
    match host {
        HookHost::ClaudeCode | HookHost::Codex => call("PreToolUse", "Bash"),
        HookHost::GeminiCli => call("BeforeTool", "run_shell_command"),
        HookHost::Cursor => call("preToolUse", "Shell"),
        HookHost::Copilot => json!({"cwd": "/srv", "toolName": "bash", "toolArgs": input.to_string()}),
        HookHost::OpenCode => call("tool.execute.before", "bash"),
    }
}

/// Whether a decision keeps the call from running.
fn blocks(decision: &Value) -> bool {
    let denies = |path: &str| decision.pointer(path) == Some(&json!("deny"));
    denies("/hookSpecificOutput/permissionDecision")
        || denies("/decision")
        || denies("/permission")
        || denies("/permissionDecision")
        || decision.get("block").is_some()
}

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let host = HOSTS[usize::from(*first) % HOSTS.len()];
    let Ok(input) = std::str::from_utf8(rest) else { return };
    let settings = json!({"blockFindRoot": {"blockBash": true, "forbiddenPaths": ["/", "/etc"]},
        "brakeline": {"extensions": {"collision-guard": false}}});
    let layers = Layers::new([Layer::from_members(Source::Override, settings.as_object().unwrap().clone())]);
    let reading = read_settings(&settings, HostLimits::default());
    for language in [Language::En, Language::ZhCn] {
        let situation = Situation {
            layers: &layers,
            home: Some("/home/ada"),
            leases: None,
            most_seconds: None,
            language,
        };
        if let Ok((decision, _)) = answer(host, input, &situation) {
            let decision: Value = serde_json::from_str(&decision).expect("a decision is JSON");
            assert!(decision.is_object());
        }
        // The same text as a command: the hook denies exactly what the guard blocks, and what no shell could be given.
        let event = shell(host, input).to_string();
        let (decision, _) = answer(host, &event, &situation).expect("a well-formed event is answered");
        let decision: Value = serde_json::from_str(&decision).expect("a decision is JSON");
        let (guard, _) = BlockFind::new(&reading.settings.block_find_root, Some("/home/ada"));
        let place = Place { cwd: Some("/srv"), home: Some("/home/ada") };
        let blocked = input.contains('\0')
            || guard.judge_bash(input, place, &mut bash_commands::Analyzer::new()) != Verdict::Allow;
        assert_eq!(blocks(&decision), blocked, "{decision}");
    }
});
