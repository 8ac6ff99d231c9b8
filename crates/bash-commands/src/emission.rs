//! Commands that were found.

use crate::evaluate::Evaluator;
use crate::report::{CommandRecord, Field, FieldKind, Reason, Step};
use crate::span::Span;
use alloc::vec::Vec;

/// A set of fingerprints: a table with open addressing, at most half full.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    /// Its length is a power of two; zero is free.
    slots: Vec<u64>,
    len: usize,
}

impl Fingerprints {
    /// An empty one.
    pub(crate) const NEW: Self = Self { slots: Vec::new(), len: 0 };
}

impl Fingerprints {
    pub(crate) fn clear(&mut self) {
        /// A table of more places is dropped: to fill it again costs more than a text of a few lines.
        const KEPT: usize = 256;
        if self.len > 0 {
            self.slots.truncate(KEPT);
            self.slots.fill(0);
            self.len = 0;
        }
    }

    /// Adds a fingerprint; returns whether it is new.
    fn insert(&mut self, fingerprint: u64) -> bool {
        if self.len * 2 >= self.slots.len() {
            let size = (self.slots.len() * 2).max(64);
            let old = core::mem::replace(&mut self.slots, alloc::vec![0; size]);
            for fingerprint in old {
                self.place(fingerprint);
            }
        }
        let is_new = self.place(fingerprint.max(1));
        self.len += usize::from(is_new);
        is_new
    }

    fn place(&mut self, fingerprint: u64) -> bool {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = fingerprint as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == fingerprint {
                return false;
            }
            if *slot == 0 {
                *slot = fingerprint;
                return true;
            }
            at = (at + 1) & mask;
        }
        false
    }
}

/// A hash of numbers and texts, eight bytes at a time: each is folded in by a multiplication whose halves are mixed.
#[derive(Clone, Copy, Debug)]
struct Hash(u64);

impl Hash {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);
    /// The golden ratio's fraction: odd, and with no pattern in its bits.
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;

    #[inline]
    fn add(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * Self::FACTOR;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }

    /// Adds a text, and its length, so that the next one begins anew.
    #[inline]
    fn add_text(&mut self, text: &str) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        self.add(rest.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
        self.add(text.len() as u64);
    }
}

impl Evaluator<'_> {
    /// Notes a command. `argv` is a range of the found words.
    pub(crate) fn found(&mut self, command: CommandRecord) {
        if self.repeating > 0 {
            let fingerprint = self.fingerprint(&command);
            if !self.stacks.seen.insert(fingerprint) {
                return;
            }
            self.step(1);
        }
        self.findings.commands.push(command);
    }

    pub(crate) fn fingerprint(&self, command: &CommandRecord) -> u64 {
        let mut hash = Hash::NEW;
        hash.add(u64::from(command.span.start) << 32 | u64::from(command.span.end));
        hash.add(u64::from(command.directories.0) << 32 | u64::from(command.directories.1));
        let (start, end) = command.words;
        for field in self.findings.fields.as_slice().get(start as usize..end as usize).unwrap_or(&[]) {
            if field.shown == field.source && field.kind == FieldKind::Known {
                // It stands in the source as it is: its place says which text it is.
                hash.add(u64::from(field.source.start) << 32 | u64::from(field.source.end));
            } else {
                hash.add_text(self.store.text(field.shown));
            }
            hash.add(match field.kind {
                FieldKind::Known => 256,
                FieldKind::Pattern => 257,
                FieldKind::Unknown(_) => 258,
            });
        }
        let mut at = command.context as usize;
        while at != 0 {
            let Some(context) = self.findings.contexts.as_slice().get(at) else { break };
            hash.add(match context.step {
                Step::Top => 300,
                Step::Rewritten => 298,
                Step::FunctionCall => 299,
                Step::Via(via) => 301 + via as u64,
                Step::Wrapper(name, _) => 400 + name.len() as u64,
            });
            at = context.parent as usize;
        }
        hash.0
    }

    /// A field of which nothing is known.
    pub(crate) fn unknown_field(&mut self, source: Span, reason: Reason, splice: bool) -> Field {
        Field { value: self.hole(), shown: source, source, kind: FieldKind::Unknown(reason), splice }
    }

    /// The text of a field: its value, or a hole where it is a pattern.
    pub(crate) fn field_text(&mut self, field: &Field) -> Span {
        match field.kind {
            FieldKind::Pattern => self.hole(),
            FieldKind::Known | FieldKind::Unknown(_) => field.value,
        }
    }
}
