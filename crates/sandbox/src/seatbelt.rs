//! A plan as a profile of macOS's `sandbox-exec`.
//!
//! The last rule that matches wins there, so the steps of a plan, parents before what is in them, say it as they stand.

use crate::plan::{Mount, Plan};
use crate::policy::Access;
use std::fmt::Write;
use std::path::Path;

/// What every command needs that is neither a file nor a connection.
const ALWAYS: &str = "\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup
  (global-name \"com.apple.system.logger\")
  (global-name \"com.apple.system.notification_center\")
  (global-name \"com.apple.system.opendirectoryd.libinfo\")
  (global-name \"com.apple.trustd.agent\"))
(allow ipc-posix-shm ipc-posix-sem)
(allow pseudo-tty)
(allow file-ioctl (regex #\"^/dev/tty\"))
";

/// Devices that take everything.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/ptmx"];

/// Returns the profile that enforces a plan; with the port of a proxy on this machine if the plan has one.
#[must_use]
pub fn profile(plan: &Plan, proxy_port: Option<u16>) -> String {
    let mut text = ALWAYS.to_owned();
    step(&mut text, plan.root, Path::new("/"));
    for mount in &plan.mounts {
        match mount {
            Mount::Writable(path) => step(&mut text, Access::Writable, path),
            Mount::ReadOnly(path) => step(&mut text, Access::ReadOnly, path),
            Mount::HiddenDirectory { path, .. } | Mount::HiddenFile(path) => {
                step(&mut text, Access::Hidden, path);
            }
            Mount::Link { path, .. } => line(&mut text, "allow file-read*", "literal", path),
            // To pass through, its metadata is enough.
            Mount::Passage(path) => line(&mut text, "allow file-read-metadata", "literal", path),
        }
    }
    for mount in &plan.mounts {
        // What is a mount on Linux keeps its name there; here it has to be said.
        line(&mut text, "deny file-write-unlink", "literal", mount.path());
    }
    for device in DEVICES {
        line(&mut text, "allow file-read* file-write*", "literal", Path::new(device));
    }
    if let Some(port) = proxy_port.filter(|_| plan.has_proxy) {
        // Writing to a text does not fail.
        let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
    }
    text
}

fn step(text: &mut String, access: Access, path: &Path) {
    match access {
        Access::Writable => line(text, "allow file-read* file-write*", "subpath", path),
        Access::ReadOnly => {
            line(text, "allow file-read*", "subpath", path);
            line(text, "deny file-write*", "subpath", path);
        }
        Access::Hidden => line(text, "deny file-read* file-write*", "subpath", path),
    }
}

fn line(text: &mut String, what: &str, filter: &str, path: &Path) {
    let _ = writeln!(text, "({what} ({filter} \"{}\"))", quoted(path));
}

/// Returns a path as it stands between quotes. Bytes that are no text are lost: macOS has no such names.
fn quoted(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"")
}
