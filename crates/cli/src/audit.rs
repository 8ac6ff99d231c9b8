//! The audit log: a line of JSON for every call that was blocked, where the settings name a file for it.
//!
//! A log that cannot be written never changes a verdict; it is told beside it.

use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fmt, io};

/// A call that was blocked. Its input is not kept: commands may hold secrets. Reasons name paths and rules as written.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Blocked<'a> {
    /// The host, by the name that `hook` and `serve` know it by.
    pub(crate) host: &'a str,
    /// The host's session, where it has told one.
    pub(crate) session: Option<&'a str>,
    /// Where the call would have run.
    pub(crate) cwd: Option<&'a str>,
    /// The tool, as the host calls it.
    pub(crate) tool: &'a str,
    /// The extension that blocked it.
    pub(crate) by: &'a str,
    /// What the model was told.
    pub(crate) reason: &'a str,
}

/// One line of the log.
#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since 1970, as the sessions of hosts count them.
    timestamp: u64,
    #[serde(flatten)]
    blocked: Blocked<'a>,
}

/// A log that could not be written.
#[derive(Debug)]
pub(crate) struct AuditError {
    file: PathBuf,
    cause: io::Error,
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}`: the block is not in the audit log: {}; mend `brakeline.auditLog`",
            self.file.display(),
            self.cause
        )
    }
}

/// Appends a block to the log that the settings name; does nothing where they name none.
///
/// Lines of several processes do not mix: each is one write at the end of the file. A new file is the user's alone.
///
/// # Errors
///
/// When the file is relative, or cannot be opened or written.
pub(crate) fn append(setting: &str, home: Option<&str>, blocked: Blocked<'_>) -> Result<(), AuditError> {
    if setting.is_empty() {
        return Ok(());
    }
    let file = file(setting, home);
    append_to(&file, blocked, SystemTime::now()).map_err(|cause| AuditError { file, cause })
}

fn file(setting: &str, home: Option<&str>) -> PathBuf {
    match (setting.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => Path::new(home).join(below),
        _ => PathBuf::from(setting),
    }
}

fn append_to(file: &Path, blocked: Blocked<'_>, at: SystemTime) -> io::Result<()> {
    if !file.is_absolute() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path is neither absolute nor below `~/`",
        ));
    }
    let timestamp = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let line = Line { timestamp: u64::try_from(timestamp).unwrap_or(u64::MAX), blocked };
    let mut text = serde_json::to_vec(&line)?;
    text.push(b'\n');
    OpenOptions::new().append(true).create(true).mode(0o600).open(file)?.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    const BLOCKED: Blocked<'_> = Blocked {
        host: "claude-code",
        session: Some("s"),
        cwd: Some("/srv"),
        tool: "Bash",
        by: "block-find",
        reason: "bash may not run find in / (rule: /)\nAllowed instead: …",
    };

    #[test]
    fn a_block_is_a_line_behind_the_others() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("audit.jsonl");
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_796_052_888_749);
        append_to(&file, BLOCKED, at).unwrap();
        append("~/audit.jsonl", home.path().to_str(), Blocked { session: None, ..BLOCKED }).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = json!({
            "timestamp": 1_796_052_888_749_u64, "host": "claude-code", "session": "s", "cwd": "/srv", "tool": "Bash",
            "by": "block-find", "reason": BLOCKED.reason,
        });
        assert_eq!(lines.first(), Some(&expected));
        assert_eq!(lines.len(), 2);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn no_file_is_named_no_file_is_written() {
        assert!(append("", None, BLOCKED).is_ok());
    }

    #[test]
    fn a_log_that_cannot_be_written_says_so() {
        for (setting, cause) in [("audit.jsonl", "neither absolute"), ("/proc/none/audit.jsonl", "os error")]
        {
            let error = append(setting, None, BLOCKED).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{setting}`")) && error.contains(cause), "{error}");
        }
    }

    #[test]
    fn lines_of_several_writers_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.jsonl");
        let reason = "r".repeat(3000);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let write = || append_to(&file, Blocked { reason: &reason, ..BLOCKED }, SystemTime::now());
                scope.spawn(move || (0..50).for_each(|_| write().unwrap()));
            }
        });
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 400);
    }
}
