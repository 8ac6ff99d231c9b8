//! Laws over any input of any tool: never a panic or a question, never a pass of what cannot be read.

#![cfg(all(feature = "block-find", feature = "default-timeout", feature = "collision-guard"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use brakeline::host_path::absolute;
use brakeline::tool_names::{ToolKind, kind};
use brakeline::{Builder, Host, Leases, PathRules, SessionView, Setup, Step, ToolCall, Verdict};
use brakeline_settings::Trust;
use collision_lease::{Beat, LeaseSet, MemoryStore, Options, Owner, SessionId, SystemClock};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const TOOLS: [&str; 12] = [
    "find",
    "Glob",
    "bash",
    "shell",
    "exec_command",
    "edit",
    "Edit",
    "NotebookEdit",
    "apply_patch",
    "move",
    "create",
    "read",
];

fn member() -> impl Strategy<Value = (String, Value)> {
    let name = prop::sample::select(vec![
        "path",
        "file_path",
        "command",
        "cmd",
        "pattern",
        "newPath",
        "input",
        "timeout",
        "notebook_path",
        "dir_path",
    ]);
    let text = prop_oneof![
        "[@~]?(/?[a-c.]{1,3}){0,3}",
        "(file://)?(/[a%2F.]{1,4}){0,3}",
        "(find|ls|echo) [/.a]{0,4}( ;| &&)? ?(find /)?",
        Just("*** Begin Patch\n*** Update File: a\n*** Move to: /b\n*** End Patch".to_owned()),
        any::<String>(),
    ];
    let value = prop_oneof![
        6 => text.clone().prop_map(Value::from),
        1 => vec(text, 0..4).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(null), json!(0), json!(120_000), json!(1.5), json!(true), json!({}), json!([1])]),
    ];
    (name.prop_map(str::to_owned), value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn calls(tool in prop::sample::select(TOOLS.to_vec()), members in vec(member(), 0..4), host in 0..3_usize) {
        let input: Map<String, Value> = members.into_iter().collect();
        let host = *[Host::PI, Host::CLAUDE_CODE, Host::CODEX].get(host).unwrap();
        let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
        let owner = Owner::for_process(SessionId::new("laws")).unwrap();
        let options = Options { beat: Beat::Manual, ..Options::default() };
        let leases = Arc::new(LeaseSet::open(store, owner, options).unwrap());
        let setup = Setup {
            cwd: Some("/srv/app".to_owned()),
            home: Some("/home/ada".to_owned()),
            host,
            ..Setup::new("laws")
        };
        let settings = json!({"blockFindRoot": {"blockBash": true, "forbiddenPaths": ["/", "/etc"]}});
        let builder = Builder::new(setup).settings(settings).built_ins().leases(Leases::shared(Arc::clone(&leases)));
        let mut engine = builder.build(Trust::Trusted).unwrap();

        let call = ToolCall { tool: tool.to_owned(), id: "c".to_owned(), parent: None, input: input.clone() };
        let Step::Done(outcome) = engine.handle(call, SessionView::default()) else { panic!("nothing is asked") };
        let decision = outcome.decision;

        let mut changed = input.clone();
        decision.changes.apply(&mut changed);
        prop_assert_eq!(&decision.input, &changed, "the changes lead to what the tool gets");
        prop_assert!(decision.changes.iter().all(|(name, _)| name == "timeout"), "nothing else is changed");
        let allowed = decision.verdict == Verdict::Allow;
        prop_assert!(outcome.reports.is_empty() || !allowed, "what fails is blocked");
        let names_files = input.keys().any(|name| !matches!(name.as_str(), "pattern" | "timeout" | "cmd" | "dir_path" | "newPath"));
        match kind(tool) {
            Some(ToolKind::Edit) if allowed && (names_files || !matches!(tool, "move" | "create")) => {
                prop_assert!(!leases.held().is_empty(), "no edit without a lease");
            }
            Some(ToolKind::Bash) if allowed && host.timeout.is_some() => {
                prop_assert!(!decision.input.get("timeout").unwrap().is_null(), "no command without a limit");
            }
            None => prop_assert!(allowed && decision.changes.is_empty() && leases.held().is_empty(), "nobody's affair"),
            _ => {}
        }
        prop_assert!(allowed || leases.held().is_empty(), "a call that is blocked here holds nothing new");
    }

    #[test]
    fn absolute_paths_are_absolute(text in any::<String>(), piece in "[@~]?(file://)?[/.%2Fa ]{0,12}") {
        for text in [text, piece] {
            if let Ok(path) = absolute(&text, PathRules::ALL, Some("/srv"), Some("/home/ada")) {
                prop_assert!(path.starts_with('/') && !path.split('/').any(|part| matches!(part, "." | "..")), "{}", path);
                let again = absolute(&path, PathRules::LEXICAL, None, None);
                prop_assert_eq!(again, Ok(path), "what is resolved stays");
            }
        }
    }
}
