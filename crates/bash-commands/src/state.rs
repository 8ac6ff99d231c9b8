//! What is known of the shell's state, and how two possible states become one.
//!
//! Evaluation follows one path at a time. Where the text leaves a branch open, the state before it is marked, the
//! branch is run, and what it changed is joined with what would be there had it not run. Every change since the oldest
//! mark is in a journal, so that marking costs nothing and joining costs what was changed.

use crate::arena::{Arena, Blank};
use crate::span::Span;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

/// A kind of named thing. Each has names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    Variable,
    Function,
    Alias,
    Trap,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// The text never touched it: it is what the environment makes it.
    Inherited,
    /// Known not to be set.
    Unset,
    /// A text of the store; holes mark what is not known of it.
    Text(Span),
    /// Set to something that is not known, or not known to be set.
    Unknown,
    /// An array.
    Array(Rc<Array>),
    /// A function, or several of which one is called (then also when it may be none).
    Functions(Rc<[FunctionId]>),
}

/// An index into the list of function definitions.
pub(crate) type FunctionId = u32;

/// An indexed or associative array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) associative: bool,
    /// Sorted by key when indexed; in the order of assignment when associative.
    pub(crate) elements: Vec<(Key, Span)>,
    /// There may be other elements besides.
    pub(crate) open: bool,
}

/// The key of an array's element.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) enum Key {
    Index(i64),
    Name(Rc<str>),
}

impl Array {
    pub(crate) fn new(associative: bool) -> Self {
        Self { associative, elements: Vec::new(), open: false }
    }

    /// Forgets everything, as after an assignment to a key that is not known.
    pub(crate) fn shake(&mut self) {
        self.elements.clear();
        self.open = true;
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Span> {
        if self.associative {
            self.elements.iter().find(|(k, _)| k == key).map(|(_, value)| *value)
        } else {
            let at = self.position(key).ok()?;
            self.elements.get(at).map(|(_, value)| *value)
        }
    }

    /// The elements in the order in which bash lists them.
    ///
    /// For an associative array that is the order of its hash table: 1,024 buckets, FNV-1 of the key, the newest
    /// element of a bucket first.
    pub(crate) fn listed(&self) -> Vec<(Key, Span)> {
        let mut listed = self.elements.clone();
        if self.associative {
            listed.reverse();
            listed.sort_by_key(|(key, _)| match key {
                Key::Name(name) => {
                    let hash = name.bytes().fold(2_166_136_261_u32, |hash, byte| {
                        hash.wrapping_mul(16_777_619) ^ u32::from(byte)
                    });
                    hash & 1023
                }
                Key::Index(_) => 0,
            });
        }
        listed
    }

    fn position(&self, key: &Key) -> Result<usize, usize> {
        let Key::Index(index) = key else { return Err(self.elements.len()) };
        self.elements.binary_search_by(|(k, _)| match k {
            Key::Index(i) => i.cmp(index),
            Key::Name(_) => core::cmp::Ordering::Greater,
        })
    }

    pub(crate) fn set(&mut self, key: Key, value: Span) {
        if self.associative {
            match self.elements.iter_mut().find(|(k, _)| *k == key) {
                Some((_, old)) => *old = value,
                None => self.elements.push((key, value)),
            }
        } else {
            match self.position(&key) {
                Ok(at) => {
                    if let Some((_, old)) = self.elements.get_mut(at) {
                        *old = value;
                    }
                }
                Err(at) => self.elements.insert(at.min(self.elements.len()), (key, value)),
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        self.elements.retain(|(k, _)| k != key);
    }

    /// The index behind the last one.
    pub(crate) fn next_index(&self) -> i64 {
        match self.elements.last() {
            Some((Key::Index(index), _)) => index.wrapping_add(1),
            _ => 0,
        }
    }
}

/// Attributes of a variable (`declare -x`), as bits.
pub(crate) mod attribute {
    pub(crate) const EXPORT: u8 = 1;
    pub(crate) const READONLY: u8 = 2;
    pub(crate) const INTEGER: u8 = 4;
    pub(crate) const LOWER: u8 = 8;
    pub(crate) const UPPER: u8 = 16;
    pub(crate) const NAMEREF: u8 = 32;
    pub(crate) const ARRAY: u8 = 64;
    pub(crate) const ASSOCIATIVE: u8 = 128;
}

/// What is kept for one name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    pub(crate) attributes: u8,
    /// How many shells were started inside each other when it was set; an inner shell does not see what was not exported.
    pub(crate) level: u32,
}

impl Slot {
    const INHERITED: Self = Self { value: Value::Inherited, attributes: 0, level: 0 };
}

/// The place of a name in the table.
pub(crate) type SlotId = u32;

#[derive(Debug)]
struct Named {
    namespace: Namespace,
    /// Where its name stands in [`Names::text`].
    name: Span,
    slot: Slot,
    /// The place of its last entry in the journal, if that is still there.
    journaled: u32,
}

/// A name that the shell itself looks at, for nearly every command: its place is kept, not searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// `$PATH`
    Path,
    /// `$IFS`
    Ifs,
    /// `trap … EXIT`
    ExitTrap,
}

impl Watched {
    const ALL: [Self; 3] = [Self::Path, Self::Ifs, Self::ExitTrap];

    const fn name(self) -> (Namespace, &'static str) {
        match self {
            Self::Path => (Namespace::Variable, "PATH"),
            Self::Ifs => (Namespace::Variable, "IFS"),
            Self::ExitTrap => (Namespace::Trap, "EXIT"),
        }
    }
}

/// The table of all names, with its journal.
#[derive(Debug)]
pub(crate) struct Names {
    entries: Vec<Named>,
    /// The names themselves, side by side, so that a new one costs no allocation of its own.
    text: String,
    /// The places of the watched names that were set or unset.
    watched: [Option<SlotId>; Watched::ALL.len()],
    /// Open addressing; holds index + 1, zero is free. Its length is a power of two.
    index: Vec<u32>,
    /// What names stood for: an entry for each change since the newest mark, but only for the first one of a name.
    journal: Vec<(SlotId, Slot)>,
    /// The marks in force; without one, nothing needs to be journaled.
    marks: Vec<Mark>,
}

impl Names {
    /// An empty one.
    pub(crate) const NEW: Self = Self {
        entries: Vec::new(),
        text: String::new(),
        watched: [None; _],
        index: Vec::new(),
        journal: Vec::new(),
        marks: Vec::new(),
    };
}

/// Names that changed, each with the place of its first change in the journal. A branch changes few, as a rule.
type Changes = Arena<(SlotId, u32), 4>;

impl Blank for (SlotId, u32) {
    const BLANK: Self = (0, 0);
}

/// A place in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(usize);

fn hash(namespace: Namespace, name: &[u8]) -> u64 {
    let seed = 0xcbf2_9ce4_8422_2325_u64 ^ namespace as u64;
    name.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Names {
    pub(crate) fn clear(&mut self) {
        self.journal.clear();
        self.marks.clear();
        if !self.entries.is_empty() {
            self.entries.clear();
            self.text.clear();
            self.watched = [None; _];
            self.index.fill(0);
        }
    }

    /// Returns the place of a name, if it was ever set or unset.
    pub(crate) fn find(&self, namespace: Namespace, name: &str) -> Option<SlotId> {
        if self.entries.is_empty() {
            return None;
        }
        let mask = self.index.len().wrapping_sub(1);
        let mut at = hash(namespace, name.as_bytes()) as usize & mask;
        loop {
            let id = self.index.get(at)?.checked_sub(1)?;
            let entry = self.entries.get(id as usize)?;
            if entry.namespace == namespace && self.bytes(entry.name) == name.as_bytes() {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Does the same for a watched name.
    #[inline]
    pub(crate) fn find_watched(&self, watched: Watched) -> Option<SlotId> {
        self.watched.get(watched as usize).copied().flatten()
    }

    /// Returns the place of a name, making one when there is none.
    pub(crate) fn intern(&mut self, namespace: Namespace, name: &str) -> SlotId {
        if let Some(id) = self.find(namespace, name) {
            return id;
        }
        let id = self.entries.len() as u32;
        if let Some(watched) = Watched::ALL.into_iter().find(|watched| watched.name() == (namespace, name))
            && let Some(place) = self.watched.get_mut(watched as usize)
        {
            *place = Some(id);
        }
        let start = self.text.len() as u32;
        self.text.push_str(name);
        let place = Span::new(start, self.text.len() as u32);
        self.entries.push(Named { namespace, name: place, slot: Slot::INHERITED, journaled: 0 });
        if self.index.len() < self.entries.len() * 2 {
            let len = (self.entries.len() * 4).next_power_of_two().max(16);
            self.index.clear();
            self.index.resize(len, 0);
            for old in 0..self.entries.len() as u32 {
                self.insert(old);
            }
        } else {
            self.insert(id);
        }
        id
    }

    /// A name, for what only compares it, which need not be told that it is text.
    fn bytes(&self, name: Span) -> &[u8] {
        self.text.as_bytes().get(name.start as usize..name.end as usize).unwrap_or(&[])
    }

    fn insert(&mut self, id: SlotId) {
        let Some(entry) = self.entries.get(id as usize) else { return };
        let mask = self.index.len().wrapping_sub(1);
        let mut at = hash(entry.namespace, self.bytes(entry.name)) as usize & mask;
        while let Some(slot) = self.index.get_mut(at) {
            if *slot == 0 {
                *slot = id + 1;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    pub(crate) fn slot(&self, id: SlotId) -> &Slot {
        self.entries.get(id as usize).map_or(&Slot::INHERITED, |entry| &entry.slot)
    }

    pub(crate) fn name(&self, id: SlotId) -> &str {
        self.entries.get(id as usize).map_or("", |entry| entry.name.of(&self.text))
    }

    /// Returns how many names there are in all namespaces.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the names of a namespace in the order in which they were first seen.
    pub(crate) fn all(&self, namespace: Namespace) -> impl Iterator<Item = (SlotId, &str, &Slot)> + Clone {
        self.entries
            .iter()
            .enumerate()
            .filter(move |(_, entry)| entry.namespace == namespace)
            .map(|(id, entry)| (id as SlotId, entry.name.of(&self.text), &entry.slot))
    }

    /// Replaces what a name stands for.
    pub(crate) fn set(&mut self, id: SlotId, slot: Slot) {
        let Some(entry) = self.entries.get_mut(id as usize) else { return };
        let old = core::mem::replace(&mut entry.slot, slot);
        if let Some(newest) = self.marks.last() {
            let at = entry.journaled as usize;
            let is_journaled = at >= newest.0 && self.journal.get(at).is_some_and(|(known, _)| *known == id);
            if !is_journaled {
                entry.journaled = self.journal.len() as u32;
                self.journal.push((id, old));
            }
        }
    }

    /// How many stretches were begun that have not ended.
    pub(crate) fn marks_in_force(&self) -> usize {
        self.marks.len()
    }

    /// Begins a stretch whose changes can be told and undone.
    pub(crate) fn mark(&mut self) -> Mark {
        let mark = Mark(self.journal.len());
        self.marks.push(mark);
        mark
    }

    /// Ends a stretch; its changes stay.
    pub(crate) fn release(&mut self, mark: Mark) {
        if self.marks.last() == Some(&mark) {
            self.marks.pop();
        } else if let Some(at) = self.marks.iter().rposition(|known| *known == mark) {
            self.marks.remove(at);
        }
        if self.marks.is_empty() {
            self.journal.truncate(mark.0);
        }
    }

    /// Undoes every change since `mark`, which stays in force.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        while self.journal.len() > mark.0 {
            if let Some((id, old)) = self.journal.pop()
                && let Some(entry) = self.entries.get_mut(id as usize)
            {
                entry.slot = old;
            }
        }
    }

    /// Returns how many changes are in the journal since `mark`.
    pub(crate) fn changes_since(&self, mark: Mark) -> usize {
        self.journal.len().saturating_sub(mark.0)
    }

    /// Takes what was changed since `mark` as unknown, functions left alone.
    pub(crate) fn forget_changes(&mut self, mark: Mark) {
        for &(id, _) in self.first_changes(mark).as_slice() {
            let slot = self.slot(id);
            if !matches!(slot.value, Value::Functions(_) | Value::Unknown) {
                let (attributes, level) = (slot.attributes, slot.level);
                self.set(id, Slot { value: Value::Unknown, attributes, level });
            }
        }
    }

    /// Returns whether any name but `own` differs from what it was at `mark`.
    pub(crate) fn differs(&self, mark: Mark, own: Option<SlotId>) -> bool {
        if self.changes_since(mark) == 0 {
            return false;
        }
        let is_changed = |id: SlotId, first: u32| {
            self.journal.get(first as usize).is_some_and(|(_, old)| self.slot(id) != old)
        };
        let changes = self.first_changes(mark);
        changes.as_slice().iter().any(|&(id, first)| Some(id) != own && is_changed(id, first))
    }

    /// Returns the names changed since `mark`, each once and in order, with their present values.
    pub(crate) fn capture(&self, mark: Mark) -> Vec<(SlotId, Slot)> {
        if self.changes_since(mark) == 0 {
            return Vec::new();
        }
        self.first_changes(mark).as_slice().iter().map(|&(id, _)| (id, self.slot(id).clone())).collect()
    }

    /// Returns the names changed since `mark`, in order, each with the place of its first change in the journal.
    fn first_changes(&self, mark: Mark) -> Changes {
        let mut changes = Changes::NEW;
        let journal = self.journal.iter().enumerate().skip(mark.0);
        changes.extend_from(journal.map(|(at, (id, _))| (*id, at as u32)));
        if changes.len() > 1 {
            changes.as_mut_slice().sort_unstable();
            let kept = first_of_each(changes.as_mut_slice());
            changes.truncate(kept);
        }
        changes
    }

    /// Joins two states that began at `mark`, given as their changes.
    pub(crate) fn merge(
        &self,
        mark: Mark,
        a: &[(SlotId, Slot)],
        b: &[(SlotId, Slot)],
    ) -> Vec<(SlotId, Slot)> {
        let find = |changes: &[(SlotId, Slot)], id: SlotId, first: u32| {
            let at = changes.binary_search_by_key(&id, |(id, _)| *id);
            match at {
                Ok(at) => changes.get(at).map(|(_, slot)| slot.clone()),
                Err(_) => self.journal.get(first as usize).map(|(_, old)| old.clone()),
            }
        };
        let mut merged = Vec::new();
        for &(id, first) in self.first_changes(mark).as_slice() {
            if let (Some(a), Some(b)) = (find(a, id, first), find(b, id, first)) {
                merged.push((id, if a == b { a } else { join_slots(&a, &b) }));
            }
        }
        merged
    }

    /// Makes the state what it was at `mark` with `changes`, without rewinding the journal.
    pub(crate) fn put(&mut self, mark: Mark, changes: &[(SlotId, Slot)]) {
        for &(id, first) in self.first_changes(mark).as_slice() {
            if changes.binary_search_by_key(&id, |(id, _)| *id).is_err()
                && let Some((_, old)) = self.journal.get(first as usize)
            {
                let old = old.clone();
                self.set(id, old);
            }
        }
        for (id, slot) in changes {
            self.set(*id, slot.clone());
        }
    }

    /// Joins the present state with another one that began at the same mark: what differs is not known afterwards.
    pub(crate) fn join(&mut self, mark: Mark, other: &[(SlotId, Slot)]) {
        let mine = self.first_changes(mark);
        let mine = mine.as_slice();
        for &(id, first) in mine {
            let theirs = match other.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(at) => other.get(at).map(|(_, slot)| slot),
                Err(_) => self.journal.get(first as usize).map(|(_, old)| old),
            };
            let now = self.slot(id);
            if let Some(theirs) = theirs
                && now != theirs
            {
                let joined = join_slots(now, theirs);
                self.set(id, joined);
            }
        }
        for (id, theirs) in other {
            if mine.binary_search_by_key(id, |(id, _)| *id).is_err() {
                let now = self.slot(*id);
                if now != theirs {
                    let joined = join_slots(now, theirs);
                    self.set(*id, joined);
                }
            }
        }
    }
}

/// Moves the first change of each name to the front of sorted changes; returns how many there are.
fn first_of_each(changes: &mut [(SlotId, u32)]) -> usize {
    let mut kept = 0;
    let mut last = None;
    for at in 0..changes.len() {
        let Some(&change) = changes.get(at) else { break };
        if last != Some(change.0)
            && let Some(slot) = changes.get_mut(kept)
        {
            *slot = change;
            kept += 1;
            last = Some(change.0);
        }
    }
    kept
}

/// What is known when either of two states may hold.
pub(crate) fn join_slots(a: &Slot, b: &Slot) -> Slot {
    let functions = |slot: &Slot| match &slot.value {
        Value::Functions(functions) => Some(functions.clone()),
        _ => None,
    };
    let value = match (functions(a), functions(b)) {
        (None, None) => Value::Unknown,
        (a, b) => {
            let mut all: Vec<FunctionId> = Vec::new();
            for id in a.iter().chain(b.iter()).flat_map(|list| list.iter()) {
                if !all.contains(id) {
                    all.push(*id);
                }
            }
            // A second mention stands for «or none of them».
            if let (Some(only), true) = (all.first().copied(), a.is_none() || b.is_none()) {
                all.push(only);
            }
            Value::Functions(all.into())
        }
    };
    Slot { value, attributes: a.attributes | b.attributes, level: a.level.min(b.level) }
}

/// The exit status of a command, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    #[default]
    Success,
    /// Not zero; the number when it is known.
    Failure(Option<u8>),
    Unknown,
}

impl Status {
    pub(crate) fn from_code(code: u8) -> Self {
        if code == 0 { Self::Success } else { Self::Failure(Some(code)) }
    }
    pub(crate) fn from_bool(success: bool) -> Self {
        if success { Self::Success } else { Self::Failure(Some(1)) }
    }
    pub(crate) fn negate(self) -> Self {
        match self {
            Self::Success => Self::Failure(Some(1)),
            Self::Failure(_) => Self::Success,
            Self::Unknown => Self::Unknown,
        }
    }
    pub(crate) fn may_succeed(self) -> bool {
        !matches!(self, Self::Failure(_))
    }
    pub(crate) fn may_fail(self) -> bool {
        !matches!(self, Self::Success)
    }
    /// The status of a pipeline under `pipefail` when a later command has the status `later`, not a success.
    pub(crate) fn join_failure(self, later: Self) -> Self {
        match later {
            Self::Unknown if matches!(self, Self::Failure(_)) => Self::Failure(None),
            later => later,
        }
    }
    pub(crate) fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Failure(_), Self::Failure(_)) => Self::Failure(None),
            _ => Self::Unknown,
        }
    }
}

/// Options of the shell (`set`, `shopt`), as bits.
pub(crate) mod option {
    pub(crate) const ERREXIT: u32 = 1;
    pub(crate) const NOGLOB: u32 = 2;
    pub(crate) const NOEXEC: u32 = 4;
    pub(crate) const PIPEFAIL: u32 = 8;
    pub(crate) const EXTGLOB: u32 = 16;
    pub(crate) const EXPAND_ALIASES: u32 = 32;
    pub(crate) const LASTPIPE: u32 = 64;
    pub(crate) const NOCASEMATCH: u32 = 128;
    pub(crate) const XPG_ECHO: u32 = 256;
    pub(crate) const NULLGLOB: u32 = 512;
    pub(crate) const POSIX: u32 = 1024;
    pub(crate) const NOBRACE: u32 = 2048;
    pub(crate) const NOUNSET: u32 = 4096;
    pub(crate) const ALLEXPORT: u32 = 8192;
    /// Whether [`NOGLOB`], [`ERREXIT`] and the like hold is not known (changed in a branch).
    pub(crate) const INHERIT_ERREXIT: u32 = 16384;
    pub(crate) const KEYWORD: u32 = 32768;
    pub(crate) const FAILGLOB: u32 = 65536;
}

/// The standard input of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Input {
    /// Whatever the host gives.
    #[default]
    Inherited,
    /// What is left of a text of the store; holes mark what is not known of it.
    Text(Span),
    /// Something else, such as a file.
    Unknown,
}

/// When a line was read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadAt {
    /// The number of lines read by then, this one included.
    pub(crate) lines: u32,
    /// Whether `expand_aliases` was on.
    pub(crate) expands_aliases: bool,
}

/// Where the standard output of a command goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Output {
    /// To the host, or nowhere: it is not looked at.
    #[default]
    Elsewhere,
    /// To a file, or to a descriptor that may be closed: it is not looked at, and writing may fail.
    Doubtful,
    /// It is collected for the construct that reads it.
    Collected,
}

/// A set of directory candidates: a range of the list of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DirectorySet {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The part of the state that is copied at each branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scalars {
    pub(crate) status: Status,
    /// The directories, in case the last command succeeded.
    pub(crate) on_success: DirectorySet,
    /// The directories, in case it failed.
    pub(crate) on_failure: DirectorySet,
    pub(crate) options: u32,
    /// Index into the list of positional parameter sets.
    pub(crate) positional: u32,
    /// The directory before the last `cd`; empty when that is not known.
    pub(crate) previous: DirectorySet,
    /// Index into the list of directory stacks, in case the last command succeeded.
    pub(crate) stack: u32,
    /// The same, in case it failed; looked at only while the directories differ too.
    pub(crate) stack_on_failure: u32,
    pub(crate) input: Input,
    pub(crate) output: Output,
    /// Descriptors above 2 that the text opened, as bits.
    pub(crate) descriptors: u64,
    /// How many shells are started inside each other.
    pub(crate) level: u32,
}

/// How far an error in an expansion reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The rest of the line is not run.
    Line,
    /// The shell ends (`${x:?}`, an unset variable under `set -u`).
    Shell,
}

/// Whether a piece of code comes to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flow {
    /// At its end.
    #[default]
    Normal,
    /// On every path it left a construct around it; the states are among the leaves.
    Dead,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(n: u32) -> Slot {
        Slot { value: Value::Text(Span::new(n, n + 1)), attributes: 0, level: 0 }
    }

    #[test]
    fn a_rewind_brings_every_value_back() {
        let mut names = Names::NEW;
        let x = names.intern(Namespace::Variable, "x");
        let y = names.intern(Namespace::Variable, "y");
        names.set(x, text(1));
        let mark = names.mark();
        names.set(x, text(2));
        names.set(y, text(3));
        names.set(x, text(4));
        assert_eq!(names.capture(mark), [(x, text(4)), (y, text(3))]);
        names.rewind(mark);
        assert_eq!((names.slot(x), names.slot(y)), (&text(1), &Slot::INHERITED));
        names.release(mark);
        assert_eq!(names.changes_since(mark), 0);
    }

    #[test]
    fn a_join_keeps_what_both_branches_agree_on() {
        let mut names = Names::NEW;
        let ids = ["same", "changed", "left"].map(|name| names.intern(Namespace::Variable, name));
        for id in ids {
            names.set(id, text(1));
        }
        let mark = names.mark();
        names.set(ids[0], text(5));
        names.set(ids[1], text(6));
        let one = names.capture(mark);
        names.rewind(mark);
        names.set(ids[0], text(5));
        names.set(ids[2], text(7));
        names.join(mark, &one);
        assert_eq!(names.slot(ids[0]), &text(5));
        assert_eq!(names.slot(ids[1]).value, Value::Unknown);
        assert_eq!(names.slot(ids[2]).value, Value::Unknown);
        names.rewind(mark);
        assert_eq!(names.slot(ids[1]), &text(1));
    }

    #[test]
    fn a_watched_name_is_found_as_any_other() {
        let mut names = Names::NEW;
        for watched in Watched::ALL {
            let (namespace, name) = watched.name();
            assert_eq!(names.find_watched(watched), None);
            let id = names.intern(namespace, name);
            assert_eq!(names.find_watched(watched), Some(id));
            assert_eq!(names.find(namespace, name), Some(id));
        }
        names.clear();
        assert!(names.text.is_empty(), "a kept analyzer does not grow");
        assert!(Watched::ALL.into_iter().all(|watched| names.find_watched(watched).is_none()));
    }

    #[test]
    fn many_names_are_found_again() {
        let mut names = Names::NEW;
        let all: Vec<String> = (0..500).map(|n| alloc::format!("n{n}")).collect();
        let ids: Vec<SlotId> = all.iter().map(|name| names.intern(Namespace::Variable, name)).collect();
        for (name, id) in all.iter().zip(ids) {
            assert_eq!(names.find(Namespace::Variable, name), Some(id));
            assert_eq!(names.find(Namespace::Function, name), None);
        }
    }
}
