//! What any program costs that reads a hook's event and writes a decision: the yardstick for `brakeline hook`.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut event = String::new();
    std::io::stdin().lock().read_to_string(&mut event)?;
    let event: serde_json::Value = serde_json::from_str(&event)?;
    let is_known = event.get("hook_event_name").is_some();
    let decision = serde_json::json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": if is_known { "deny" } else { "allow" },
        "permissionDecisionReason": "bash may not run find in / (rule: /)\n\
            Allowed instead: the same search under the working directory /srv, such as find . -name …",
    }});
    let mut stdout = std::io::stdout().lock();
    serde_json::to_writer(&mut stdout, &decision)?;
    stdout.write_all(b"\n")
}
