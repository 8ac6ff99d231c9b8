//! Which paths may be read and written: one policy for the sandbox of commands and for tools inside the process.
//!
//! A path is judged where it leads. Of the entries that cover that place:
//!
//! | | |
//! |---|---|
//! | hidden | the deepest of `denyRead`, `allowRead`, `allowWrite` is a `denyRead`; the same path in `denyRead` and `allowRead` is not hidden |
//! | writable | not hidden, an `allowWrite` is deeper than every `denyRead`, and neither a `denyWrite` nor a protection covers it |
//! | read-only | all the rest |

use crate::config::{Config, Entry};
use crate::expand::expand;
use crate::glob::{GlobError, PathPattern};
use crate::location::Location;
use crate::network::NetworkPolicy;
use crate::protect::{Protection, protected};
use crate::tree::{Kind, Tree};
use crate::verdict::{Reason, Verdict};
use brakeline_settings::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where commands run and what belongs to the sandbox itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The working directory, absolute: what `.` and relative entries mean.
    pub cwd: PathBuf,
    /// Where commands start, absolute, if that is another directory.
    pub start: Option<PathBuf>,
    /// The home directory, absolute: what `~` means.
    pub home: PathBuf,
    /// The folder of the sandbox's own state; it need not exist.
    pub state: PathBuf,
    /// More files and folders that no command may write, such as other configuration and the state of leases.
    pub protected: Vec<PathBuf>,
}

impl Place {
    /// Returns the place of pi's layout: the state is `~/.pi/agent/sandbox`.
    #[must_use]
    pub fn of_pi(cwd: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            cwd: cwd.into(),
            start: None,
            state: home.join(".pi/agent/sandbox"),
            home,
            protected: Vec::new(),
        }
    }
}

/// A list of `filesystem`, or the list that is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// `filesystem.denyRead`
    DenyRead,
    /// `filesystem.allowRead`
    AllowRead,
    /// `filesystem.denyWrite`
    DenyWrite,
    /// `filesystem.allowWrite`
    AllowWrite,
}

impl List {
    /// Returns the key in `sandbox.json`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::DenyRead => "filesystem.denyRead",
            Self::AllowRead => "filesystem.allowRead",
            Self::DenyWrite => "filesystem.denyWrite",
            Self::AllowWrite => "filesystem.allowWrite",
        }
    }
}

/// What a place in the file system is to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Neither read nor written.
    Hidden,
    /// Read.
    ReadOnly,
    /// Read and written.
    Writable,
}

/// Why something stands in the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Entry(Entry),
    Protection(Protection),
}

/// One place that the policy speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) list: List,
    pub(crate) path: PathBuf,
    pub(crate) kind: Option<Kind>,
    pub(crate) cause: Cause,
}

/// A pattern that denies, for names that come later.
#[derive(Clone, Debug)]
struct Later {
    list: List,
    start: PathBuf,
    pattern: PathPattern,
    entry: Entry,
}

/// A remark on an entry that does less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An `allowWrite` entry that does not exist: nothing can be written there.
    NothingToWrite(Entry),
    /// An entry that leads in a circle of links.
    Circle(Entry),
    /// An entry inside `/dev` or `/proc`, which the sandbox has of its own.
    OwnMount(Entry),
    /// A `denyWrite` entry that is a symbolic link: what it leads to is protected, the link itself can be replaced.
    LinkItself(Entry),
}

impl Note {
    /// Returns the note as a sentence.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (entry, zh, en) = match self {
            Self::NothingToWrite(entry) => (
                entry,
                "不存在，因此无法在那里写入；请先创建它",
                "does not exist, so nothing can be written there; create it first",
            ),
            Self::Circle(entry) => (entry, "是循环的符号链接", "leads in a circle of links"),
            Self::OwnMount(entry) => (
                entry,
                "位于 /dev 或 /proc 内，沙箱有自己的一份，此条无效",
                "lies in /dev or /proc, of which the sandbox has its own; it has no effect",
            ),
            Self::LinkItself(entry) => (
                entry,
                "是符号链接：受保护的是它指向的内容，链接本身仍可被替换",
                "is a symbolic link: what it leads to is protected, the link itself can be replaced",
            ),
        };
        let origin = entry.origin_text(language);
        match language {
            Language::En => format!("`{}` {en} ({origin})", entry.text),
            Language::ZhCn => format!("`{}` {zh}（{origin}）", entry.text),
        }
    }
}

/// Why there is no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    entry: Entry,
    kind: GlobError,
}

impl PolicyError {
    /// Returns the entry that cannot be enforced.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the message, one line.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (what, origin) = (self.kind.text(language), self.entry.origin_text(language));
        match language {
            Language::En => format!("the path `{}` {what} ({origin})", self.entry.text),
            Language::ZhCn => format!("路径 `{}` {what}（{origin}）", self.entry.text),
        }
    }
}

impl std::fmt::Display for PolicyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for PolicyError {}

/// The configuration, applied to a place.
///
/// ```
/// use brakeline_sandbox::config::{Config, Entry};
/// use brakeline_sandbox::policy::{Place, Policy};
/// use brakeline_sandbox::tree::HostTree;
/// use brakeline_settings::Language;
/// use std::fs;
///
/// # let folder = tempfile::tempdir()?;
/// # let project = fs::canonicalize(folder.path())?;
/// fs::write(project.join(".env"), "TOKEN=1")?;
/// let mut config = Config::default();
/// config.filesystem.deny_read.push(Entry::new(".env"));
/// let policy = Policy::new(&config, &Place::of_pi(&project, "/home/ada"), &HostTree)?;
///
/// assert!(policy.may_write(&HostTree, &project.join("main.rs")).allowed);
/// assert!(!policy.may_write(&HostTree, "/etc/passwd".as_ref()).allowed);
/// let verdict = policy.may_read(&HostTree, &project.join(".env"));
/// assert!(!verdict.allowed);
/// assert!(verdict.text(Language::En).contains("`filesystem.denyRead` hides `.env` (default)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    place: Place,
    /// Where the directory in which commands start leads.
    start: PathBuf,
    pub(crate) rules: Vec<Rule>,
    /// Links that lead to what an entry shows, each where it stands: inside something hidden they are shown as well.
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    later: Vec<Later>,
    network: NetworkPolicy,
    notes: Vec<Note>,
}

/// Mounts that the sandbox has of its own.
pub(crate) const OWN_MOUNTS: [&str; 2] = ["/dev", "/proc"];
/// Names in the sandbox's own `/dev` that may be written.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/stdout",
    "/dev/stderr",
];

impl Policy {
    /// Applies a configuration to a place: looks where the entries lead, and which files patterns mean.
    ///
    /// Costs a few looks at the file system per entry, and a walk for each pattern.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] for a path that cannot be enforced.
    pub fn new(config: &Config, place: &Place, tree: &dyn Tree) -> Result<Self, PolicyError> {
        let mut policy = Self {
            place: place.clone(),
            start: start(tree, place),
            rules: Vec::new(),
            links: BTreeMap::new(),
            later: Vec::new(),
            network: NetworkPolicy::new(&config.network),
            notes: Vec::new(),
        };
        let mut visited = 0;
        let files = &config.filesystem;
        for (list, entries) in [
            (List::DenyRead, &files.deny_read),
            (List::AllowRead, &files.allow_read),
            (List::DenyWrite, &files.deny_write),
            (List::AllowWrite, &files.allow_write),
        ] {
            for entry in entries {
                policy
                    .add_entry(tree, list, entry, &mut visited)
                    .map_err(|kind| PolicyError { entry: entry.clone(), kind })?;
            }
        }
        policy.protect(tree);
        policy.lift();
        Ok(policy)
    }

    fn add_entry(
        &mut self,
        tree: &dyn Tree,
        list: List,
        entry: &Entry,
        visited: &mut usize,
    ) -> Result<(), GlobError> {
        let pattern = PathPattern::parse(&entry.text, &self.place.cwd, &self.place.home)?;
        let is_literal = pattern.parts.is_empty();
        for path in expand(tree, &pattern, visited)? {
            let Some(location) = Location::of(tree, &path) else {
                self.notes.push(Note::Circle(entry.clone()));
                continue;
            };
            if OWN_MOUNTS.iter().any(|own| location.path.starts_with(own)) {
                self.notes.push(Note::OwnMount(entry.clone()));
                continue;
            }
            if list == List::DenyWrite && location.links.contains(&path) {
                self.notes.push(Note::LinkItself(entry.clone()));
            }
            if list == List::AllowWrite && location.kind.is_none() && is_literal {
                self.notes.push(Note::NothingToWrite(entry.clone()));
            }
            if matches!(list, List::AllowRead | List::AllowWrite) && location.kind.is_some() {
                let target = |link: &PathBuf| Some((link.clone(), tree.link_target(link)?));
                self.links.extend(location.links.iter().filter_map(target));
            }
            self.add_rule(list, location, Cause::Entry(entry.clone()));
        }
        if !is_literal && matches!(list, List::DenyRead | List::DenyWrite) {
            let start =
                Location::of(tree, &pattern.start).map_or_else(|| pattern.start.clone(), |at| at.path);
            self.later.push(Later { list, start, pattern, entry: entry.clone() });
        }
        Ok(())
    }

    /// Adds a rule for where an entry leads. What does not exist is denied to be made, from its first missing part on.
    fn add_rule(&mut self, list: List, location: Location, cause: Cause) {
        let path = match (list, location.kind, location.missing) {
            (List::DenyWrite, None, Some(missing)) => missing,
            // Below a file nothing can be made.
            (List::DenyWrite, None, None) => return,
            _ => location.path,
        };
        self.rules.push(Rule { list, path, kind: location.kind, cause });
    }

    fn protect(&mut self, tree: &dyn Tree) {
        for protected in protected(tree, &self.place) {
            let Some(location) = Location::of(tree, &protected.path) else { continue };
            if location.kind.is_none() && (!protected.even_if_missing || self.is_named(&location.path)) {
                continue;
            }
            self.add_rule(List::DenyWrite, location, Cause::Protection(protected.why));
        }
    }

    /// Whether an `allowWrite` entry names exactly this path: the way to allow `git init`, say.
    fn is_named(&self, path: &Path) -> bool {
        self.rules.iter().any(|rule| rule.list == List::AllowWrite && rule.path == path)
    }

    /// Drops each `denyRead` that an `allowRead` of the same path lifts.
    fn lift(&mut self) {
        let lifted: Vec<PathBuf> = self
            .rules
            .iter()
            .filter(|rule| rule.list == List::AllowRead)
            .map(|rule| rule.path.clone())
            .collect();
        self.rules.retain(|rule| rule.list != List::DenyRead || !lifted.contains(&rule.path));
    }

    /// Returns the place it was made for.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns where the directory in which commands start leads.
    pub(crate) fn start(&self) -> &Path {
        &self.start
    }

    /// Returns which hosts may be reached.
    #[must_use]
    pub fn network(&self) -> &NetworkPolicy {
        &self.network
    }

    /// Returns remarks on entries that do less than they seem to.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether every path may be read, so that asking for each is needless.
    #[must_use]
    pub fn hides_nothing(&self) -> bool {
        !self.rules.iter().any(|rule| rule.list == List::DenyRead)
            && !self.later.iter().any(|later| later.list == List::DenyRead)
    }

    /// Judges whether a file may be read. A relative path starts in the working directory.
    ///
    /// The verdict is about the policy; that the file exists, and that its owner lets it be read, is another matter.
    pub fn may_read(&self, tree: &dyn Tree, path: &Path) -> Verdict {
        let Some(location) = Location::of(tree, &self.place.cwd.join(path)) else {
            return Verdict::no(path, Reason::Circle);
        };
        if let Some(reason) = self.hidden_on_the_way(&location) {
            return Verdict::no(&location.path, reason);
        }
        // What a `denyRead` names and does not exist: there is nothing to hide, and nothing to be read either.
        let missing = self.rules.iter().find(|rule| {
            rule.list == List::DenyRead && rule.kind.is_none() && location.path.starts_with(&rule.path)
        });
        match self.judge(&location.path, Patterns::AndLater) {
            Judged { access: Access::Hidden, reason } => Verdict::no(&location.path, reason),
            _ if missing.is_some() => {
                Verdict::no(&location.path, missing.map_or(Reason::Default, Reason::hidden))
            }
            Judged { reason: Reason::Shown(entry), .. } => Verdict::yes(&location.path, Reason::Shown(entry)),
            _ => Verdict::yes(&location.path, Reason::Default),
        }
    }

    /// Judges whether a file may be written or made, or things made in a directory. See [`may_read`](Self::may_read).
    pub fn may_write(&self, tree: &dyn Tree, path: &Path) -> Verdict {
        let path = self.place.cwd.join(path);
        if DEVICES.iter().any(|device| path == Path::new(device)) || path.starts_with("/dev/fd") {
            return Verdict::yes(&path, Reason::Device);
        }
        let Some(location) = Location::of(tree, &path) else { return Verdict::no(&path, Reason::Circle) };
        if let Some(reason) = self.hidden_on_the_way(&location) {
            return Verdict::no(&location.path, reason);
        }
        let Judged { access, reason } = self.judge(&location.path, Patterns::AndLater);
        Verdict { allowed: access == Access::Writable, path: location.path, reason }
    }

    /// A link inside a hidden directory is hidden with it, and so is a directory that the path goes through and leaves.
    fn hidden_on_the_way(&self, location: &Location) -> Option<Reason> {
        let hidden = |path: &PathBuf| match self.judge(path, Patterns::Expanded) {
            Judged { access: Access::Hidden, reason } => Some(reason),
            _ => None,
        };
        let in_links = location.links.iter().filter(|link| !self.links.contains_key(*link)).find_map(hidden);
        in_links.or_else(|| location.left.iter().filter(|path| !self.leads_to_shown(path)).find_map(hidden))
    }

    /// Whether a hidden directory is there all the same, because something inside it is shown.
    pub(crate) fn leads_to_shown(&self, path: &Path) -> bool {
        let is_shown = |rule: &Rule| {
            rule.kind.is_some() && rule.path.starts_with(path) && self.access(&rule.path) != Access::Hidden
        };
        self.rules.iter().any(is_shown) || self.links.keys().any(|link| link.starts_with(path))
    }

    /// Returns what a canonical path is to a command.
    pub(crate) fn access(&self, path: &Path) -> Access {
        self.judge(path, Patterns::Expanded).access
    }

    /// Judges a canonical path by the table of this module.
    fn judge(&self, path: &Path, patterns: Patterns) -> Judged {
        let hidden = self.deepest(List::DenyRead, path, patterns);
        let shown = self.deepest(List::AllowRead, path, patterns);
        let writable = self.deepest(List::AllowWrite, path, patterns);
        let depth_hidden = hidden.as_ref().map_or(0, |cover| cover.depth);
        let is_deeper =
            |cover: &Option<Cover<'_>>| cover.as_ref().is_some_and(|cover| cover.depth > depth_hidden);
        let denied = || self.deepest(List::DenyWrite, path, patterns);
        match (hidden, shown, writable) {
            (Some(hidden), shown, writable) if !is_deeper(&shown) && !is_deeper(&writable) => {
                Judged { access: Access::Hidden, reason: hidden.reason(Reason::Hidden) }
            }
            (_, _, Some(writable)) if writable.depth > depth_hidden => match denied() {
                Some(denied) => Judged { access: Access::ReadOnly, reason: denied.reason(Reason::Denied) },
                None => Judged { access: Access::Writable, reason: writable.reason(Reason::Writable) },
            },
            (Some(_), Some(shown), _) => {
                Judged { access: Access::ReadOnly, reason: shown.reason(Reason::Shown) }
            }
            _ => Judged { access: Access::ReadOnly, reason: Reason::NotListed },
        }
    }

    /// Whether an `allowRead` names the part of a path with this many names: [`lift`](Self::lift), for what comes later.
    fn is_shown_at(&self, path: &Path, depth: usize) -> bool {
        let named = |rule: &&Rule| rule.path.components().count() == depth && path.starts_with(&rule.path);
        self.rules.iter().filter(|rule| rule.list == List::AllowRead).any(|rule| named(&rule))
    }

    /// Finds the deepest entry of a list that covers a path.
    fn deepest(&self, list: List, path: &Path, patterns: Patterns) -> Option<Cover<'_>> {
        // An entry that leads to nothing hides and allows nothing; one that denies writing keeps the name free.
        let counts = |rule: &&Rule| {
            rule.list == list
                && (rule.kind.is_some() || list == List::DenyWrite)
                && path.starts_with(&rule.path)
        };
        let placed = self.rules.iter().filter(counts).map(|rule| Cover::new(&rule.path, &rule.cause));
        let later = self.later.iter().filter(|later| later.list == list && patterns == Patterns::AndLater);
        let later = later.filter_map(|later| {
            let depth = later.pattern.covers(&later.start, path)?;
            let depth = depth + later.start.components().count();
            let is_lifted = list == List::DenyRead && self.is_shown_at(path, depth);
            (!is_lifted).then_some(Cover { depth, entry: Ok(&later.entry) })
        });
        // Of equals the one that is written first, and a protection only if nothing was written.
        placed.chain(later).reduce(|best, next| if next.depth > best.depth { next } else { best })
    }
}

fn start(tree: &dyn Tree, place: &Place) -> PathBuf {
    let start = place.start.as_ref().unwrap_or(&place.cwd);
    Location::of(tree, start).map_or_else(|| start.clone(), |location| location.path)
}

/// Which names a pattern means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patterns {
    /// Those that it meant when the policy was made: what can be mounted.
    Expanded,
    /// Those that came later, too.
    AndLater,
}

struct Judged {
    access: Access,
    reason: Reason,
}

/// An entry that covers a path, and the number of names in it.
struct Cover<'p> {
    depth: usize,
    entry: Result<&'p Entry, Protection>,
}

impl<'p> Cover<'p> {
    fn new(path: &Path, cause: &'p Cause) -> Self {
        let entry = match cause {
            Cause::Entry(entry) => Ok(entry),
            Cause::Protection(protection) => Err(*protection),
        };
        Self { depth: path.components().count(), entry }
    }

    fn reason(&self, of_entry: impl FnOnce(Entry) -> Reason) -> Reason {
        match self.entry {
            Ok(entry) => of_entry(entry.clone()),
            Err(protection) => Reason::Protected(protection),
        }
    }
}
