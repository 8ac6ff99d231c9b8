//! What to mount where: a policy as a list of steps. Pure.
//!
//! ```text
//! policy            plan                                       to enforce it
//! ------            ----                                       -------------
//! rules  ─ access ─>  mounts, parents before what is in them  ─> bwrap's argv   (Linux)
//!                     placeholders for names that must not      ─> a profile      (macOS)
//!                     come into being
//! ```

use crate::policy::{Access, List, OWN_MOUNTS, Policy};
use crate::text::in_language;
use crate::tree::Kind;
use brakeline_settings::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// One step of a plan. Each covers a path and all below it, until a later step covers it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mount {
    /// The path itself, writable.
    Writable(PathBuf),
    /// The path itself, read-only.
    ReadOnly(PathBuf),
    /// Nothing, in place of a directory.
    HiddenDirectory {
        /// The directory.
        path: PathBuf,
        /// Whether something inside is shown, so that one must be able to pass through.
        is_passage: bool,
    },
    /// Nothing, in place of a file.
    HiddenFile(PathBuf),
    /// A directory inside a hidden one that leads to something shown.
    Passage(PathBuf),
    /// A symbolic link inside a hidden directory that leads to something shown.
    Link {
        /// Where it stands.
        path: PathBuf,
        /// What it says.
        target: PathBuf,
    },
}

impl Mount {
    /// Returns the path it covers.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Writable(path)
            | Self::ReadOnly(path)
            | Self::HiddenDirectory { path, .. }
            | Self::Link { path, .. }
            | Self::HiddenFile(path)
            | Self::Passage(path) => path,
        }
    }
}

/// How a command is to be run.
///
/// ```
/// use brakeline_sandbox::config::Config;
/// use brakeline_sandbox::plan::{Mount, Plan};
/// use brakeline_sandbox::policy::{Place, Policy};
/// use brakeline_sandbox::tree::HostTree;
/// # let folder = tempfile::tempdir()?;
/// # let project = std::fs::canonicalize(folder.path())?;
/// # std::fs::create_dir_all(project.join(".git/hooks"))?;
/// # std::fs::create_dir_all(project.join(".pi"))?;
/// # std::fs::write(project.join(".git/config"), "")?;
/// let policy = Policy::new(&Config::default(), &Place::of_pi(&project, "/home/ada"), &HostTree)?;
/// let plan = Plan::new(&policy)?;
/// assert_eq!(plan.mounts, [
///     Mount::Writable(project.clone()),
///     Mount::Writable(project.join(".git")), // a mount of its own, so that it cannot be moved away
///     Mount::ReadOnly(project.join(".git/config")),
///     Mount::ReadOnly(project.join(".git/hooks")),
///     Mount::ReadOnly(project.join(".pi")),
/// ]);
/// assert!(plan.placeholders.is_empty(), "everything that is protected exists");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What the root is, before the mounts.
    pub root: Access,
    /// The steps, each after those that cover its parents.
    pub mounts: Vec<Mount>,
    /// Names that do not exist and must not come into being: they are taken by an empty directory while a command runs.
    /// Each is among the mounts, too.
    pub placeholders: Vec<PathBuf>,
    /// Whether a proxy leads out. Without one there is no network.
    pub has_proxy: bool,
    /// Where the command starts.
    pub cwd: PathBuf,
    /// Variables to set in the command's environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The working directory is hidden by the configuration, or lies in `/dev` or `/proc`.
    CwdHidden(PathBuf),
    /// The working directory does not exist.
    CwdMissing(PathBuf),
}

impl PlanError {
    /// Returns the message, one line.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::CwdHidden(path) => {
                let path = path.display();
                in_language(
                    language,
                    format!("沙箱配置隐藏了工作目录 `{path}`，命令无法在那里启动"),
                    format!(
                        "the working directory `{path}` is hidden in the sandbox, so no command can start there; show it with `filesystem.allowRead`"
                    ),
                )
            }
            Self::CwdMissing(path) => {
                let path = path.display();
                in_language(
                    language,
                    format!("工作目录 `{path}` 不存在"),
                    format!("the working directory `{path}` does not exist"),
                )
            }
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for PlanError {}

/// The port inside the sandbox's network namespace on which the proxy is reached: that of the usual local proxies.
pub const PROXY_PORT: u16 = 3128;

/// A writable folder that every sandbox has of its own.
const OWN_TEMPORARY: &str = "/dev/shm";

impl Plan {
    /// Makes the plan of a policy. Looks at nothing: the policy has looked.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if no command could start in the working directory.
    pub fn new(policy: &Policy) -> Result<Self, PlanError> {
        let cwd = policy.start().to_owned();
        let is_own = OWN_MOUNTS.iter().any(|own| cwd.starts_with(own));
        if is_own || policy.access(&cwd) == Access::Hidden {
            return Err(PlanError::CwdHidden(cwd));
        }
        let points = points(policy);
        let mounts = points.iter().filter_map(|(path, point)| mount(policy, path, *point)).collect();
        let is_placeholder = |(path, point): (&PathBuf, &Point)| {
            (point.kind.is_none() && is_needed(policy, path)).then(|| path.clone())
        };
        Ok(Self {
            root: policy.access(Path::new("/")),
            mounts,
            placeholders: points.iter().filter_map(is_placeholder).collect(),
            has_proxy: policy.network().is_open(),
            cwd,
            environment: environment(policy),
        })
    }

    /// Returns the places that may be written, outermost first: what a fence that knows no exceptions can be told.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        let root = (self.root == Access::Writable).then_some(Path::new("/"));
        root.into_iter().chain(self.mounts.iter().filter_map(|mount| match mount {
            Mount::Writable(path) => Some(path.as_path()),
            _ => None,
        }))
    }
}

/// A path at which access may change.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// What is there; nothing for a placeholder.
    kind: Option<Kind>,
    /// Whether it must be a mount even if nothing changes.
    is_pinned: bool,
    /// Whether it is only on the way to something shown.
    is_passage: bool,
}

/// Collects the paths at which access changes, parents first.
fn points(policy: &Policy) -> BTreeMap<PathBuf, Point> {
    let mut points = BTreeMap::new();
    for rule in &policy.rules {
        let is_name_kept_free = rule.list == List::DenyWrite && rule.kind.is_none();
        if rule.path != Path::new("/")
            && (rule.kind.is_some() || is_name_kept_free && is_needed(policy, &rule.path))
        {
            points.insert(rule.path.clone(), Point { kind: rule.kind, is_pinned: false, is_passage: false });
        }
    }
    let mut pins = BTreeSet::new();
    let mut passages = BTreeSet::new();
    for path in points.keys() {
        match policy.access(path) {
            Access::Hidden | Access::ReadOnly => pins.extend(pins_of(policy, path)),
            Access::Writable => {}
        }
        if policy.access(path) != Access::Hidden {
            passages.extend(passages_to(policy, path));
        }
    }
    for link in policy.links.keys().filter(|link| policy.access(link) == Access::Hidden) {
        passages.extend(passages_to(policy, link));
        points.insert(link.clone(), Point { kind: Some(Kind::Link), is_pinned: false, is_passage: false });
    }
    for pin in pins {
        points.entry(pin).and_modify(|point| point.is_pinned = true).or_insert(Point {
            kind: Some(Kind::Directory),
            is_pinned: true,
            is_passage: false,
        });
    }
    for passage in passages {
        points.entry(passage).and_modify(|point| point.is_passage = true).or_insert(Point {
            kind: Some(Kind::Directory),
            is_pinned: false,
            is_passage: true,
        });
    }
    points
}

/// Whether something could be made at a path that does not exist.
fn is_needed(policy: &Policy, path: &Path) -> bool {
    path.parent().is_some_and(|parent| policy.access(parent) == Access::Writable)
}

/// Returns the directories between a path and the mount that lets it be written.
///
/// A mount holds on to its own name: a directory that is one cannot be renamed. Its parents can, and would take the
/// protected path with them and leave the name free. So they become mounts, too.
fn pins_of<'p>(policy: &'p Policy, path: &'p Path) -> impl Iterator<Item = PathBuf> + 'p {
    path.ancestors()
        .skip(1)
        .take_while(|ancestor| {
            ancestor.parent().is_some_and(|parent| policy.access(parent) == Access::Writable)
                && policy.access(ancestor) == Access::Writable
        })
        .map(Path::to_owned)
}

/// Returns the hidden directories between a shown path and the outermost hidden one.
fn passages_to<'p>(policy: &'p Policy, path: &'p Path) -> impl Iterator<Item = PathBuf> + 'p {
    path.ancestors()
        .skip(1)
        .take_while(|ancestor| {
            policy.access(ancestor) == Access::Hidden
                && ancestor.parent().is_some_and(|parent| policy.access(parent) == Access::Hidden)
        })
        .map(Path::to_owned)
}

fn mount(policy: &Policy, path: &Path, point: Point) -> Option<Mount> {
    let access = policy.access(path);
    let around = path.parent().map_or(access, |parent| policy.access(parent));
    let path = path.to_owned();
    match (access, point.kind) {
        (_, Some(Kind::Link)) => {
            let target = policy.links.get(&path)?.clone();
            Some(Mount::Link { path, target })
        }
        (Access::Hidden, _) if point.is_passage => Some(Mount::Passage(path)),
        (access, _) if access == around && !point.is_pinned => None,
        (Access::Hidden, Some(Kind::Directory)) => {
            let is_passage = policy.leads_to_shown(&path);
            Some(Mount::HiddenDirectory { path, is_passage })
        }
        (Access::Hidden, _) => Some(Mount::HiddenFile(path)),
        (Access::ReadOnly, _) => Some(Mount::ReadOnly(path)),
        (Access::Writable, _) => Some(Mount::Writable(path)),
    }
}

fn environment(policy: &Policy) -> Vec<(OsString, OsString)> {
    let mut set: Vec<(OsString, OsString)> = vec![("BRAKELINE_SANDBOX".into(), "1".into())];
    if policy.access(Path::new("/tmp")) != Access::Writable {
        set.push(("TMPDIR".into(), OWN_TEMPORARY.into()));
    }
    if policy.network().is_open() {
        let http = format!("http://127.0.0.1:{PROXY_PORT}");
        // With the name, not an address: there is no resolver inside.
        let socks = format!("socks5h://127.0.0.1:{PROXY_PORT}");
        // What listens inside the sandbox is reached directly, unless the configuration means the machine outside.
        let direct = if policy.network().allows_loopback() { "" } else { "localhost,127.0.0.1,::1" };
        for (name, value) in
            [("HTTP_PROXY", &*http), ("HTTPS_PROXY", &*http), ("ALL_PROXY", &*socks), ("NO_PROXY", direct)]
        {
            set.push((name.into(), value.into()));
            set.push((name.to_ascii_lowercase().into(), value.into()));
        }
    }
    set
}
