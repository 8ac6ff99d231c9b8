//! Where a path leads.

use crate::tree::{Kind, Tree};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// The number of symbolic links after which the kernel gives up, and so do we.
const MAX_LINKS: usize = 40;

/// Where a path leads: its links followed as far as it exists, the rest as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The path without links.
    pub(crate) path: PathBuf,
    /// What stands there; never a link.
    pub(crate) kind: Option<Kind>,
    /// The first part that is missing and could be created; `None` if nothing is missing, or something that is no directory
    /// stands in the way.
    pub(crate) missing: Option<PathBuf>,
    /// The links on the way, each where it stands.
    pub(crate) links: Vec<PathBuf>,
    /// Directories that the way leaves by `..`; it needs them to exist.
    pub(crate) left: Vec<PathBuf>,
}

impl Location {
    /// Follows an absolute path. `None` for a loop of links.
    pub(crate) fn of(tree: &dyn Tree, path: &Path) -> Option<Self> {
        let mut location = Self {
            path: PathBuf::from("/"),
            kind: Some(Kind::Directory),
            missing: None,
            links: vec![],
            left: vec![],
        };
        let mut ahead: VecDeque<OsString> = VecDeque::new();
        queue(&mut ahead, path);
        while let Some(part) = ahead.pop_front() {
            location.enter(tree, &part, &mut ahead)?;
        }
        Some(location)
    }

    /// Goes up. Out of what does not exist, the kernel would not; whoever wrote the path meant the text, so the text it is.
    fn leave(&mut self, tree: &dyn Tree) {
        self.left.push(self.path.clone());
        self.path.pop();
        if self.kind != Some(Kind::Directory) {
            self.kind = tree.kind(&self.path);
            self.missing.take_if(|missing| !self.path.starts_with(missing));
        }
    }

    fn enter(&mut self, tree: &dyn Tree, part: &OsStr, ahead: &mut VecDeque<OsString>) -> Option<()> {
        if part == ".." {
            self.leave(tree);
            return Some(());
        }
        let next = self.path.join(part);
        if self.kind != Some(Kind::Directory) {
            // Below what is missing, or below a file, there is nothing to look at.
            self.path = next;
            self.kind = None;
            return Some(());
        }
        match tree.kind(&next) {
            Some(Kind::Link) => {
                self.links.push(next.clone());
                let target = tree.link_target(&next).filter(|_| self.links.len() <= MAX_LINKS)?;
                if target.is_absolute() {
                    self.path = PathBuf::from("/");
                }
                queue(ahead, &target);
            }
            kind => {
                if kind.is_none() {
                    self.missing = Some(next.clone());
                }
                self.path = next;
                self.kind = kind;
            }
        }
        Some(())
    }
}

/// Puts the parts of a path in front of those that are still ahead.
fn queue(ahead: &mut VecDeque<OsString>, path: &Path) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => ahead.push_front(name.to_owned()),
            Component::ParentDir => ahead.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}
