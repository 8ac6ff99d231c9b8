//! The first so many findings by path: the same whatever the order in which threads come with them.

use crate::place::shown;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Something that counts towards a limit, or comes along with something that does.
pub(crate) trait Finding {
    fn counts(&self) -> bool;
}

/// The first findings, and whether there may be more.
#[derive(Debug)]
pub(crate) struct First<T> {
    limit: u64,
    files: BTreeMap<PathBuf, Vec<T>>,
    count: u64,
    more: bool,
}

/// What was kept.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    files: BTreeMap<PathBuf, Vec<T>>,
    pub(crate) count: u64,
    /// Files were passed over or findings dropped: there may be more.
    pub(crate) more: bool,
}

impl<T: Finding> First<T> {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, files: BTreeMap::new(), count: 0, more: false }
    }

    /// Returns whether nothing in a file can be among the first any more.
    pub(crate) fn is_past(&mut self, path: &Path) -> bool {
        let past = self.count >= self.limit
            && self.files.last_key_value().is_some_and(|(last, _)| path > last.as_path());
        self.more |= past;
        past
    }

    /// Takes the findings of a file. Files that they push past the limit are dropped.
    pub(crate) fn put(&mut self, path: PathBuf, found: Vec<T>) {
        if found.is_empty() {
            return;
        }
        self.count += count(&found);
        self.files.insert(path, found);
        while let Some(last) = self.files.last_entry()
            && self.count - count(last.get()) >= self.limit
        {
            self.count -= count(last.get());
            last.remove();
            self.more = true;
        }
    }

    /// Cuts the last file to the limit.
    pub(crate) fn finish(mut self) -> Kept<T> {
        let mut over = self.count.saturating_sub(self.limit);
        self.more |= over > 0;
        if let Some(mut last) = self.files.last_entry() {
            while over > 0
                && let Some(dropped) = last.get_mut().pop()
            {
                over -= u64::from(dropped.counts());
            }
        }
        Kept { files: self.files, count: self.count.min(self.limit), more: self.more }
    }
}

impl<T> Kept<T> {
    /// Turns each file into its part of an answer, with its path as it is shown from `cwd`.
    pub(crate) fn into_files<F>(self, cwd: &Path, part: impl Fn(String, Vec<T>) -> F) -> Vec<F> {
        self.files.into_iter().map(|(path, found)| part(shown(&path, cwd), found)).collect()
    }
}

fn count<T: Finding>(found: &[T]) -> u64 {
    found.iter().filter(|found| found.counts()).count() as u64
}
