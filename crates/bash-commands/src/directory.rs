//! The working directory, as far as the text fixes it: a set of candidates.

use crate::arena::Arena;
use crate::evaluate::Evaluator;
use crate::report::{DirectoryRecord, Field, FieldKind};
use crate::span::Span;
use crate::state::{DirectorySet, Flow, Namespace, Scalars, Slot, Status, Value};
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

    /// Makes a set.
    pub(crate) fn directory_set(&mut self, candidates: &[DirectoryRecord]) -> DirectorySet {
        if let [only] = candidates {
            return self.one_directory(*only);
        }
        let start = self.findings.directories.len();
        for candidate in candidates {
            let known = self.findings.directories.as_slice().get(start..).unwrap_or(&[]);
            if !known.iter().any(|known| self.same_directory(*known, *candidate)) {
                self.findings.directories.push(*candidate);
            }
        }
        if let Some([DirectoryRecord::Inherited]) = self.findings.directories.as_slice().get(start..) {
            self.findings.directories.truncate(start);
            return self.one_directory(DirectoryRecord::Inherited);
        }
        self.limit_candidates(start);
        DirectorySet { start: start as u32, end: self.findings.directories.len() as u32 }
    }

    /// Makes a set of one directory.
    fn one_directory(&mut self, directory: DirectoryRecord) -> DirectorySet {
        if directory == DirectoryRecord::Inherited {
            return DirectorySet { start: 0, end: 1 };
        }
        let start = self.findings.directories.len() as u32;
        self.findings.directories.push(directory);
        DirectorySet { start, end: start + 1 }
    }

    /// Of too many candidates, those from `start` on, takes the last ones together as unknown.
    fn limit_candidates(&mut self, start: usize) {
        let all = &mut self.findings.directories;
        if all.len() - start > MAX_CANDIDATES {
            all.truncate(start + MAX_CANDIDATES - 1);
            let is_open = all.as_slice().iter().skip(start).any(|kept| *kept == DirectoryRecord::Unknown);
            if !is_open {
                all.push(DirectoryRecord::Unknown);
            }
        }
    }

    pub(crate) fn union_directories(&mut self, a: DirectorySet, b: DirectorySet) -> DirectorySet {
        if a == b {
            return a;
        }
        // Each candidate of the one is compared with each of the other.
        let cost = self.comparing_cost(a) + self.comparing_cost(b);
        self.step(cost);
        // The set is made where it will stay.
        let start = self.findings.directories.len();
        self.findings.directories.extend_within(a.start as usize..a.end as usize);
        let before = self.findings.directories.len();
        for at in b.start..b.end {
            let Some(candidate) = self.findings.directories.get(at as usize) else { break };
            let known = self.findings.directories.as_slice().get(start..).unwrap_or(&[]);
            if !known.iter().any(|known| self.same_directory(*known, candidate)) {
                self.findings.directories.push(candidate);
            }
        }
        if self.findings.directories.len() == before {
            self.findings.directories.truncate(start);
            return a;
        }
        self.limit_candidates(start);
        DirectorySet { start: start as u32, end: self.findings.directories.len() as u32 }
    }

    fn comparing_cost(&self, set: DirectorySet) -> u64 {
        let cost = |candidate: &DirectoryRecord| match candidate {
            DirectoryRecord::Path(path) => u64::from(path.len()) / 4 + 1,
            _ => 1,
        };
        self.candidates(set).iter().map(cost).sum()
    }

    pub(crate) fn unknown_directory(&mut self) -> DirectorySet {
        self.one_directory(DirectoryRecord::Unknown)
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
    pub(crate) fn directories_at(&mut self, from: DirectorySet, path: Span) -> DirectorySet {
        if self.store.has_hole(path) {
            return self.unknown_directory();
        }
        if self.store.bytes(path).first() == Some(&b'/') {
            let clean = self.clean_path(Base::Text(""), path);
            return self.one_directory(DirectoryRecord::Path(clean));
        }
        if let [only] = *self.candidates(from) {
            let directory = self.directory_at(only, path);
            return self.one_directory(directory.unwrap_or(DirectoryRecord::Unknown));
        }
        let mut candidates = Candidates::NEW;
        candidates.extend(self.candidates(from));
        let mut all = Candidates::NEW;
        for &candidate in candidates.as_slice() {
            match self.directory_at(candidate, path) {
                Some(directory) => all.push(directory),
                None => return self.unknown_directory(),
            }
        }
        self.directory_set(all.as_slice())
    }

    /// The directory to which a relative path leads from another one; `None` when the budget is spent.
    fn directory_at(&mut self, from: DirectoryRecord, path: Span) -> Option<DirectoryRecord> {
        let base = match from {
            DirectoryRecord::Unknown => return Some(DirectoryRecord::Unknown),
            DirectoryRecord::Inherited => Base::Text(self.options.cwd.unwrap_or("")),
            DirectoryRecord::Path(base) => {
                if !self.step(u64::from(base.len() + path.len()) / 4) {
                    return None;
                }
                Base::Kept(base)
            }
        };
        let clean = self.clean_path(base, path);
        Some(if clean.is_empty() { DirectoryRecord::Inherited } else { DirectoryRecord::Path(clean) })
    }

    /// Joins a path to the directory that it starts from, and cleans it as `cd` does; an empty one stands for the
    /// inherited directory. A path that is clean as it is, as most are, is not copied.
    fn clean_path(&mut self, base: Base<'_>, path: Span) -> Span {
        let base = match base {
            Base::Text(text) => text,
            Base::Kept(span) => self.store.text(span),
        };
        let text = self.store.text(path);
        if (base.is_empty() || text.starts_with('/')) && is_clean(text) {
            return path;
        }
        let start = self.scratch.len();
        push_clean(base, text, self.scratch);
        let clean = self.store.keep(self.scratch.get(start..).unwrap_or(""));
        self.scratch.truncate(start);
        clean
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
        let operands = self.cd_operands(argv);
        let from = self.now.on_success;
        let Some((first, rest)) = operands.split_first() else {
            let target = match self.home() {
                Some(home) => self.directories_at(from, home),
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
        // A word that is not known may be an option, and another one the directory.
        if !rest.is_empty() || first.kind != FieldKind::Known {
            let target = self.unknown_directory();
            self.changed_to(target, false);
            return Flow::Normal;
        }
        let path = first.value;
        let certain = is_always_there(self.store.bytes(path));
        let target = match self.store.bytes(path) {
            b"-" => {
                self.print_unknown();
                let previous = self.now.previous;
                if previous.start == previous.end { self.unknown_directory() } else { previous }
            }
            [] => from,
            _ => {
                let direct = self.directories_at(from, path);
                self.through_cdpath(from, path, direct)
            }
        };
        self.changed_to(target, certain);
        Flow::Normal
    }

    /// The words of `cd` from the first on that is no option.
    fn cd_operands<'a>(&self, argv: &'a [Field]) -> &'a [Field] {
        for (at, field) in argv.iter().enumerate().skip(1) {
            let text = self.store.bytes(field.value);
            if field.kind == FieldKind::Known && text == b"--" {
                return argv.get(at + 1..).unwrap_or(&[]);
            }
            if field.kind != FieldKind::Known || !is_cd_option(text) {
                return argv.get(at..).unwrap_or(&[]);
            }
        }
        &[]
    }

    /// `CDPATH` may send a relative path elsewhere.
    fn through_cdpath(&mut self, from: DirectorySet, path: Span, direct: DirectorySet) -> DirectorySet {
        let text = self.store.text(path);
        if text.starts_with('/')
            || text == "."
            || text == ".."
            || text.starts_with("./")
            || text.starts_with("../")
        {
            return direct;
        }
        if self.names.find(Namespace::Variable, "CDPATH").is_none() {
            return direct;
        }
        let list = match self.lookup("CDPATH") {
            Value::Text(list) => list,
            Value::Unset => return direct,
            _ => {
                let unknown = self.unknown_directory();
                return self.union_directories(direct, unknown);
            }
        };
        let mut all = direct;
        let mut start = list.start;
        let text = self.store.detached(list);
        for entry in text.split(':').take(MAX_CANDIDATES) {
            // An empty entry is the present directory, as the empty path is.
            let entry = Span::new(start, start + entry.len() as u32);
            start = entry.end + 1;
            let base = self.directories_at(from, entry);
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
        let path = operand.value;
        if operand.kind != FieldKind::Known || matches!(self.store.bytes(path), [b'+' | b'-', ..]) {
            let target = self.unknown_directory();
            self.changed_to(target, false);
            self.now.stack = UNKNOWN_STACK;
            return Flow::Normal;
        }
        let direct = self.directories_at(before, path);
        let target = self.through_cdpath(before, path, direct);
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
            at => self.stacks.pushed_directories.get(at as usize - 1).cloned(),
        }
    }

    fn keep_stack(&mut self, stack: Vec<DirectorySet>) -> u32 {
        if stack.is_empty() {
            return 0;
        }
        self.stacks.pushed_directories.push(stack.into());
        self.stacks.pushed_directories.len() as u32
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

/// Where a path starts from.
#[derive(Clone, Copy)]
enum Base<'a> {
    Text(&'a str),
    /// A text of the store.
    Kept(Span),
}

fn is_cd_option(word: &[u8]) -> bool {
    matches!(word, [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(|b| b"LPe@".contains(b)))
}

/// Directories that every process can go to.
fn is_always_there(path: &[u8]) -> bool {
    path == b"." || (!path.is_empty() && path.iter().all(|byte| *byte == b'/'))
}

/// Returns whether cleaning a path leaves it as it is: it has no component that is empty, `.` or `..`.
fn is_clean(path: &str) -> bool {
    let relative = path.strip_prefix('/').unwrap_or(path).as_bytes();
    relative.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

/// Joins and cleans a path as `cd` does: by the text alone (bash manual, `cd -L`).
///
/// An empty result stands for the inherited directory.
fn push_clean(base: &str, path: &str, out: &mut String) {
    let base = if path.starts_with('/') { "" } else { base };
    let is_absolute = path.starts_with('/') || base.starts_with('/');
    if is_absolute {
        out.push('/');
    }
    let root = out.len();
    for part in base.split('/').chain(path.split('/')) {
        let last = out.get(root..).map_or("", |made| made.rsplit('/').next().unwrap_or(""));
        match part {
            "" | "." => continue,
            ".." if last.is_empty() && is_absolute => continue,
            ".." if !last.is_empty() && last != ".." => {
                let kept = out.len() - last.len();
                out.truncate(kept.saturating_sub(1).max(root));
                continue;
            }
            _ if last.is_empty() => {}
            _ => out.push('/'),
        }
        out.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::{is_clean, push_clean};
    use alloc::string::String;

    #[test]
    fn paths_are_joined_by_their_text() {
        for (base, path, expected) in [
            ("/home/user", "x", "/home/user/x"),
            ("/home/user", "../..", "/"),
            ("/a", "../../../b", "/b"),
            ("/a/b", "/", "/"),
            ("", "a/../b", "b"),
            ("", "a/b", "a/b"),
            ("/x", "/a/b", "/a/b"),
            ("a", "../..", ".."),
            ("", "..", ".."),
            ("..", "..", "../.."),
            ("a", "..", ""),
            ("/", "//x//y/.", "/x/y"),
        ] {
            let mut out = String::from("before/");
            push_clean(base, path, &mut out);
            assert_eq!(out, ["before/", expected].concat(), "{base} {path}");
            // What is clean stays as it is.
            let is_alone = base.is_empty() || path.starts_with('/');
            assert!(!(is_alone && is_clean(path)) || path == expected, "{base} {path}");
        }
    }
}
