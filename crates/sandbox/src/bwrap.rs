//! A plan as an argv of bubblewrap.

use crate::plan::{Mount, Plan};
use crate::policy::Access;
use std::ffi::OsString;
use std::path::Path;

/// What always holds: namespaces of its own, no capability, no terminal to push input into, no life after its parent.
///
/// `--cap-drop ALL` is what keeps a command of root's inside: with capabilities it could remount the root writable.
const ALWAYS: [&str; 10] = [
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--new-session",
    "--die-with-parent",
];

/// Switches of the kernel in `/proc`. To root they are writable without any capability, by the modes of the files alone, and
/// some of them, such as `core_pattern`, name programs that the kernel starts outside of every sandbox. bwrap covers the
/// directories only if they themselves are writable, which they are not.
const SWITCHES: [&str; 6] =
    ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/sysrq-trigger"];

/// Returns the arguments of `bwrap` that enforce a plan, up to the command that follows them.
#[must_use]
pub fn arguments(plan: &Plan) -> Vec<OsString> {
    let mut list = Arguments::default();
    for argument in ALWAYS {
        list.word(argument);
    }
    match plan.root {
        Access::ReadOnly => list.pair("--ro-bind", Path::new("/"), Path::new("/")),
        Access::Writable => list.pair("--bind", Path::new("/"), Path::new("/")),
        // bwrap starts from an empty root of its own.
        Access::Hidden => {}
    }
    list.one("--dev", Path::new("/dev"));
    list.one("--proc", Path::new("/proc"));
    for path in SWITCHES {
        list.pair("--ro-bind-try", Path::new(path), Path::new(path));
    }
    for mount in &plan.mounts {
        list.mount(mount);
    }
    // After everything that had to be put inside them.
    for mount in &plan.mounts {
        if let Mount::HiddenDirectory { path, .. } = mount {
            list.one("--remount-ro", path);
        }
    }
    if plan.root == Access::Hidden {
        list.one("--remount-ro", Path::new("/"));
    }
    list.one("--chdir", &plan.cwd);
    for (name, value) in &plan.environment {
        list.0.extend(["--setenv".into(), name.clone(), value.clone()]);
    }
    list.0
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn word(&mut self, word: &str) {
        self.0.push(word.into());
    }

    fn one(&mut self, option: &str, path: &Path) {
        self.0.extend([option.into(), path.into()]);
    }

    fn pair(&mut self, option: &str, from: &Path, to: &Path) {
        self.0.extend([option.into(), from.into(), to.into()]);
    }

    fn mount(&mut self, mount: &Mount) {
        match mount {
            Mount::Writable(path) => self.pair("--bind", path, path),
            Mount::ReadOnly(path) => self.pair("--ro-bind", path, path),
            Mount::HiddenDirectory { path, is_passage } => {
                self.perms(*is_passage);
                self.one("--tmpfs", path);
            }
            // A device on a mount without devices: it cannot be opened, by root neither.
            Mount::HiddenFile(path) => self.pair("--ro-bind", Path::new("/dev/null"), path),
            Mount::Link { path, target } => self.pair("--symlink", target, path),
            Mount::Passage(path) => {
                self.perms(true);
                self.one("--dir", path);
            }
        }
    }

    /// Sets the mode of what comes next: to pass through, or not even that; in no case to list.
    fn perms(&mut self, is_passage: bool) {
        self.word("--perms");
        self.word(if is_passage { "0111" } else { "0000" });
    }
}
