//! Any lines as the client's side of a conversation over MCP: no panic, and every line that is said is a message.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A project whose rules let tools reach nothing but the project.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("brakeline-fuzz-mcp-{}", std::process::id()));
    std::fs::create_dir_all(folder.join(".pi/agent")).expect("a temporary folder can be made");
    std::fs::write(
        folder.join(".pi/agent/sandbox.json"),
        r#"{ "network": { "deniedDomains": ["*"] }, "filesystem": { "denyRead": ["/usr", "/etc", "/home", "/proc", "/sys", "/var"] } }"#,
    )
    .expect("a temporary file can be written");
    std::fs::write(folder.join("a.txt"), "one\ntwo\n").expect("a temporary file can be written");
    folder
});

fuzz_target!(|input: &[u8]| {
    let said = brakeline_cli::mcp::answer_all(input.to_vec(), &FOLDER).expect("the folder can be used");
    for line in said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: serde_json::Value = serde_json::from_slice(line).expect("a line is a message");
        assert_eq!(message["jsonrpc"], "2.0");
    }
});
