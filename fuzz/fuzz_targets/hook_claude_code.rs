//! Any event: an error or one JSON object, never a panic; and what bash would be given is judged as `check` judges it.

#![no_main]

use brakeline_cli::block_find::{BlockFind, Place, Verdict};
use brakeline_cli::hook::{Judge, answer};
use brakeline_settings::{HostLimits, Language, read_settings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let settings = serde_json::json!({"blockFindRoot": {"blockBash": true, "forbiddenPaths": ["/", "/etc"]}});
    let reading = read_settings(&settings, HostLimits::default());
    for language in [Language::En, Language::ZhCn] {
        let judge = Judge {
            settings: &reading.settings,
            diagnostics: &reading.diagnostics,
            home: Some("/home/ada"),
            language,
        };
        if let Ok(decision) = answer(input, &judge) {
            let decision: serde_json::Value = serde_json::from_str(&decision).expect("a decision is JSON");
            assert!(decision.is_object());
        }
        if input.contains('\0') {
            continue;
        }
        // The same text as a command: the hook denies exactly what the guard blocks.
        let event = serde_json::json!({"hook_event_name": "PreToolUse", "cwd": "/srv", "tool_name": "Bash",
            "tool_input": {"command": input}});
        let decision = answer(&event.to_string(), &judge).expect("a well-formed event is answered");
        let (guard, _) = BlockFind::new(&reading.settings.block_find_root, Some("/home/ada"));
        let place = Place { cwd: Some("/srv"), home: Some("/home/ada") };
        let verdict = guard.judge_bash(input, place, &mut bash_commands::Analyzer::new());
        assert_eq!(decision.contains("\"deny\""), verdict != Verdict::Allow, "{decision}");
    }
});
