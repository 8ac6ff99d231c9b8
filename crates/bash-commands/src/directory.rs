//! The working directory, as far as the text fixes it: a set of candidates.

use crate::arena::Arena;
use crate::evaluate::Evaluator;
use crate::report::{DirectoryRecord, Field, FieldKind};
use crate::span::Span;
use crate::state::{DirectorySet, Flow, Namespace, Scalars, Slot, Status, Value};
use crate::store::HOLE;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// How many candidates are told apart; more are taken together as unknown.
const MAX_CANDIDATES: usize = 8;

/// Stands for a directory stack that is not known.
pub(crate) const UNKNOWN_STACK: u32 = u32::MAX;

/// Directories on their way into a set: few, as a rule.
type Candidates = Arena<DirectoryRecord, 4>;

impl Evaluator<'_> {
    fn candidates(&self, set: DirectorySet) -> &[DirectoryRecord] {
        self.findings.directories.as_slice().get(set.start as usize..set.end as usize).unwrap_or(&[])
    }

    fn same_directory(&self, a: DirectoryRecord, b: DirectoryRecord) -> bool {
        match (a, b) {
            (DirectoryRecord::Path(a), DirectoryRecord::Path(b)) => self.store.text(a) == self.store.text(b),
            (a, b) => a == b,
        }
    }

    /// Makes a set; an equal one that was just made is used again.
    pub(crate) fn directory_set(&mut self, candidates: &[DirectoryRecord]) -> DirectorySet {
        let mut all = Candidates::NEW;
        for candidate in candidates {
            if !all.as_slice().iter().any(|known| self.same_directory(*known, *candidate)) {
                all.push(*candidate);
            }
        }
        if all.len() > MAX_CANDIDATES {
            all.truncate(MAX_CANDIDATES - 1);
            if !all.as_slice().contains(&DirectoryRecord::Unknown) {
                all.push(DirectoryRecord::Unknown);
            }
        }
        if let [DirectoryRecord::Inherited] = all.as_slice() {
            return DirectorySet { start: 0, end: 1 };
        }
        let start = self.findings.directories.len() as u32;
        self.findings.directories.extend(all.as_slice());
        DirectorySet { start, end: self.findings.directories.len() as u32 }
    }

    pub(crate) fn union_directories(&mut self, a: DirectorySet, b: DirectorySet) -> DirectorySet {
        if a == b {
            return a;
        }
        // Each candidate of the one is compared with each of the other.
        let cost: u64 = [a, b]
            .into_iter()
            .flat_map(|set| self.candidates(set))
            .map(|candidate| match candidate {
                DirectoryRecord::Path(path) => u64::from(path.len()) / 4 + 1,
                _ => 1,
            })
            .sum();
        self.step(cost);
        let mut all = Candidates::NEW;
        all.extend(self.candidates(a));
        let before = all.len();
        for candidate in self.candidates(b) {
            if !all.as_slice().iter().any(|known| self.same_directory(*known, *candidate)) {
                all.push(*candidate);
            }
        }
        if all.len() == before { a } else { self.directory_set(all.as_slice()) }
    }

    pub(crate) fn unknown_directory(&mut self) -> DirectorySet {
        self.directory_set(&[DirectoryRecord::Unknown])
    }

    /// The present directory, when there is one candidate and its path is known.
    pub(crate) fn present_directory(&mut self) -> Option<Span> {
        let set = self.now.on_success;
        if set != self.now.on_failure {
            return None;
        }
        match self.candidates(set) {
            [DirectoryRecord::Inherited] => self.options.cwd.map(|cwd| self.store.keep(cwd)),
            [DirectoryRecord::Path(path)] if self.store.text(*path).starts_with('/') => Some(*path),
            _ => None,
        }
    }

    /// The directories that `path` may lead to from those of `from`.
    pub(crate) fn directories_at(&mut self, from: DirectorySet, path: &str) -> DirectorySet {
        if path.contains(HOLE) {
            return self.unknown_directory();
        }
        if path.starts_with('/') {
            let clean = clean_path("", path);
            let span = self.store.keep(&clean);
            return self.directory_set(&[DirectoryRecord::Path(span)]);
        }
        let mut candidates = Candidates::NEW;
        candidates.extend(self.candidates(from));
        let mut all = Candidates::NEW;
        for &candidate in candidates.as_slice() {
            if let DirectoryRecord::Path(base) = candidate
                && !self.step((u64::from(base.len()) + path.len() as u64) / 4)
            {
                return self.unknown_directory();
            }
            let base = match candidate {
                DirectoryRecord::Unknown => None,
                DirectoryRecord::Inherited => Some(self.options.cwd.unwrap_or("")),
                DirectoryRecord::Path(base) => Some(self.store.text(base)),
            };
            all.push(match base.map(|base| clean_path(base, path)) {
                None => DirectoryRecord::Unknown,
                Some(clean) if clean.is_empty() => DirectoryRecord::Inherited,
                Some(clean) => DirectoryRecord::Path(self.store.keep(&clean)),
            });
        }
        self.directory_set(all.as_slice())
    }

    /// Sets the directories for the case that a command succeeds; it fails in the present ones.
    fn changed_to(&mut self, target: DirectorySet, certain: bool) {
        let before = self.now.on_success;
        self.now.on_success = target;
        self.now.on_failure = before;
        self.now.stack_on_failure = self.now.stack;
        self.now.previous = before;
        self.now.status = if certain { Status::Success } else { Status::Unknown };
        // The variables follow the directory by themselves.
        for name in ["PWD", "OLDPWD"] {
            if let Some(id) = self.names.find(Namespace::Variable, name) {
                let slot = self.names.slot(id).clone();
                self.names.set(id, Slot { value: Value::Inherited, ..slot });
            }
        }
    }

    /// `cd`.
    pub(crate) fn run_cd(&mut self, argv: &[Field]) -> Flow {
        let mut operands = Arena::<Field, 2>::NEW;
        let mut options = true;
        for field in argv.iter().skip(1) {
            let text = self.store.text(field.value);
            if options && field.kind == FieldKind::Known && text == "--" {
                options = false;
            } else if options && field.kind == FieldKind::Known && is_cd_option(text) {
            } else {
                options = false;
                operands.push(*field);
            }
        }
        let operands = operands.as_slice();
        let from = self.now.on_success;
        let Some((first, rest)) = operands.split_first() else {
            let target = match self.home() {
                Some(home) => {
                    let home = self.store.detached(home);
                    self.directories_at(from, &home)
                }
                None => self.unknown_directory(),
            };
            self.changed_to(target, false);
            return Flow::Normal;
        };
        if !rest.is_empty() && operands.iter().all(|field| field.kind == FieldKind::Known) {
            // bash: too many arguments.
            self.now.status = Status::Failure(Some(1));
            return Flow::Normal;
        }
        let path = self.store.detached(first.value);
        let target = match first.kind {
            // A word that is not known may be an option, and another one the directory.
            _ if !rest.is_empty() => self.unknown_directory(),
            FieldKind::Known if path == "-" => {
                self.print_unknown();
                let previous = self.now.previous;
                if previous.start == previous.end { self.unknown_directory() } else { previous }
            }
            FieldKind::Known if path.is_empty() => from,
            FieldKind::Known => {
                let direct = self.directories_at(from, &path);
                self.through_cdpath(from, &path, direct)
            }
            FieldKind::Pattern | FieldKind::Unknown(_) => self.unknown_directory(),
        };
        let certain = first.kind == FieldKind::Known && rest.is_empty() && is_always_there(&path);
        self.changed_to(target, certain);
        Flow::Normal
    }

    /// `CDPATH` may send a relative path elsewhere.
    fn through_cdpath(&mut self, from: DirectorySet, path: &str, direct: DirectorySet) -> DirectorySet {
        if path.starts_with('/')
            || path == "."
            || path == ".."
            || path.starts_with("./")
            || path.starts_with("../")
        {
            return direct;
        }
        if self.names.find(Namespace::Variable, "CDPATH").is_none() {
            return direct;
        }
        let list = match self.lookup("CDPATH") {
            Value::Text(list) => self.store.detached(list),
            Value::Unset => return direct,
            _ => {
                let unknown = self.unknown_directory();
                return self.union_directories(direct, unknown);
            }
        };
        let mut all = direct;
        for entry in list.split(':').take(MAX_CANDIDATES) {
            let base = self.directories_at(from, if entry.is_empty() { "." } else { entry });
            let target = self.directories_at(base, path);
            all = self.union_directories(all, target);
        }
        all
    }

    /// `pushd`.
    pub(crate) fn run_pushd(&mut self, argv: &[Field]) -> Flow {
        self.print_unknown();
        let operand = argv.iter().skip(1).find(|field| {
            let text = self.store.text(field.value);
            !(field.kind == FieldKind::Known && matches!(text, "--" | "-n"))
        });
        let before = self.now.on_success;
        let Some(operand) = operand.copied() else {
            // The two on top change places.
            let Some(stack) = self.directory_stack() else {
                let target = self.unknown_directory();
                self.changed_to(target, false);
                return Flow::Normal;
            };
            match stack.split_last() {
                Some((top, below)) => {
                    let mut next: Vec<DirectorySet> = below.to_vec();
                    next.push(before);
                    self.changed_to(*top, false);
                    self.now.stack = self.keep_stack(next);
                }
                None => self.now.status = Status::Failure(Some(1)),
            }
            return Flow::Normal;
        };
        let path = self.store.detached(operand.value);
        if operand.kind != FieldKind::Known || path.starts_with('+') || path.starts_with('-') {
            let target = self.unknown_directory();
            self.changed_to(target, false);
            self.now.stack = UNKNOWN_STACK;
            return Flow::Normal;
        }
        let direct = self.directories_at(before, &path);
        let target = self.through_cdpath(before, &path, direct);
        let stack = self.directory_stack();
        self.changed_to(target, false);
        self.now.stack = match stack {
            Some(stack) if self.step(stack.len() as u64) => {
                let mut next: Vec<DirectorySet> = stack.to_vec();
                next.push(before);
                self.keep_stack(next)
            }
            _ => UNKNOWN_STACK,
        };
        Flow::Normal
    }

    /// `popd`.
    pub(crate) fn run_popd(&mut self, argv: &[Field]) -> Flow {
        self.print_unknown();
        let stack = match self.directory_stack() {
            Some(stack) if argv.len() == 1 => stack,
            _ => {
                let target = self.unknown_directory();
                self.changed_to(target, false);
                self.now.stack = UNKNOWN_STACK;
                return Flow::Normal;
            }
        };
        self.step(stack.len() as u64);
        match stack.split_last() {
            Some((top, below)) => {
                let below = below.to_vec();
                self.changed_to(*top, false);
                self.now.stack = self.keep_stack(below);
            }
            // The stack of the host's shell is empty too: a new shell begins with none.
            None => self.now.status = Status::Failure(Some(1)),
        }
        Flow::Normal
    }

    /// The directories below the present one; `None` when they are not known.
    fn directory_stack(&self) -> Option<Rc<[DirectorySet]>> {
        match self.now.stack {
            UNKNOWN_STACK => None,
            0 => Some(Rc::from([])),
            at => self.directory_stacks.get(at as usize - 1).cloned(),
        }
    }

    fn keep_stack(&mut self, stack: Vec<DirectorySet>) -> u32 {
        if stack.is_empty() {
            return 0;
        }
        self.directory_stacks.push(stack.into());
        self.directory_stacks.len() as u32
    }

    /// Runs `body` in other directories, which do not outlive it.
    pub(crate) fn in_directories<R>(&mut self, set: DirectorySet, body: impl FnOnce(&mut Self) -> R) -> R {
        let Scalars { on_success, on_failure, .. } = self.now;
        self.now.on_success = set;
        self.now.on_failure = set;
        let result = body(self);
        self.now.on_success = on_success;
        self.now.on_failure = on_failure;
        result
    }
}

fn is_cd_option(text: &str) -> bool {
    text.len() > 1
        && text.strip_prefix('-').is_some_and(|letters| letters.bytes().all(|b| b"LPe@".contains(&b)))
}

/// Directories that every process can go to.
fn is_always_there(path: &str) -> bool {
    path == "." || (!path.is_empty() && path.bytes().all(|byte| byte == b'/'))
}

/// Joins and cleans a path as `cd` does: by the text alone (bash manual, `cd -L`).
///
/// An empty result stands for the inherited directory.
pub(crate) fn clean_path(base: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || base.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { base };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") => parts.push(".."),
                Some(_) => {
                    parts.pop();
                }
                None if absolute => {}
                None => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let mut out = String::with_capacity(base.len() + path.len() + 1);
    if absolute {
        out.push('/');
    }
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::clean_path;

    #[test]
    fn paths_are_joined_by_their_text() {
        for (base, path, expected) in [
            ("/home/user", "x", "/home/user/x"),
            ("/home/user", "../..", "/"),
            ("/a", "../../../b", "/b"),
            ("/a/b", "/", "/"),
            ("", "a/../b", "b"),
            ("", "..", ".."),
            ("..", "..", "../.."),
            ("a", "..", ""),
            ("/", "//x//y/.", "/x/y"),
        ] {
            assert_eq!(clean_path(base, path), expected, "{base} {path}");
        }
    }
}
