//! Any tool call in any host: never a panic or a question; what fails is blocked; what may edit holds its files; the changes
//! lead from the input to what the tool gets.

#![no_main]

use brakeline::host_path::absolute;
use brakeline::tool_names::{ToolKind, kind};
use brakeline::{Builder, Draft, Host, Leases, PathRules, SessionView, Setup, Step, ToolCall, Verdict};
use brakeline_settings::Trust;
use collision_lease::{Beat, LeaseSet, MemoryStore, Options, Owner, SessionId, SystemClock};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::sync::Arc;

const TOOLS: [&str; 10] =
    ["find", "Glob", "bash", "shell", "edit", "Edit", "NotebookEdit", "apply_patch", "move", "read"];

fn judge(host: Host, call: ToolCall) {
    let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
    let owner = Owner::for_process(SessionId::new("fuzz")).expect("this process can be told");
    let leases = LeaseSet::open(store, owner, Options { beat: Beat::Manual, ..Options::default() });
    let leases = Arc::new(leases.expect("this process can be told"));
    let setup = Setup {
        cwd: Some("/srv".to_owned()),
        home: Some("/home/ada".to_owned()),
        host,
        ..Setup::new("fuzz")
    };
    let settings = json!({"blockFindRoot": {"blockBash": true, "forbiddenPaths": ["/", "/etc"]}});
    let builder =
        Builder::new(setup).settings(settings).built_ins().leases(Leases::shared(Arc::clone(&leases)));
    let mut engine = builder.build(Trust::Trusted).expect("the built-in extensions are sound");

    let mut expected = call.input.clone();
    // A `move` that names no path is no host's.
    let edits =
        kind(&call.tool) == Some(ToolKind::Edit) && (call.tool != "move" || call.input.contains_key("path"));
    let Step::Done(outcome) = engine.handle(call, SessionView::default()) else { panic!("nothing is asked") };
    outcome.decision.changes.apply(&mut expected);
    assert_eq!(outcome.decision.input, expected);
    let allowed = outcome.decision.verdict == Verdict::Allow;
    assert!(outcome.reports.is_empty() || !allowed, "{:?}", outcome.reports);
    assert!(!(edits && allowed) || !leases.held().is_empty(), "an edit without a lease");
}

fuzz_target!(|text: &str| {
    if let Ok(path) = absolute(text, PathRules::ALL, Some("/srv"), Some("/home/ada")) {
        assert!(path.starts_with('/') && !path.split('/').any(|component| component == ".."), "{path}");
    }
    let value: Value =
        serde_json::from_str(text).unwrap_or_else(|_| json!({"path": text, "command": text, "input": text}));
    if let Ok(draft) = Draft::from_value(value.clone()) {
        assert_eq!(Draft::from_value(draft.to_value()), Ok(draft));
    }
    let Value::Object(input) = value else { return };
    for tool in TOOLS {
        for host in [Host::PI, Host::CLAUDE_CODE, Host::CODEX] {
            let call =
                ToolCall { tool: tool.to_owned(), id: "c".to_owned(), parent: None, input: input.clone() };
            judge(host, call);
        }
    }
});
