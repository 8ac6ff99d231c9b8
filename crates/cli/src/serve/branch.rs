//! The program's copy of a session's branch, as far as extensions read it.

use super::fault::Fault;
use super::wire::{Code, EntriesUpdate};
use brakeline::Branch;
use serde_json::Value;

/// The entries of a branch that matter, and how many there are in all.
///
/// What a host cut down to `{}` costs nothing here: a long session is as cheap as its guards.
#[derive(Debug, Default)]
pub(super) struct BranchCopy {
    /// How many entries the host has told of.
    told: usize,
    /// Those that say something, oldest first.
    entries: Vec<Value>,
    /// The place of each of them among all. INVARIANT: as long as `entries`, growing, below `told`.
    places: Vec<usize>,
}

impl BranchCopy {
    /// Brings the copy up to date.
    ///
    /// # Errors
    ///
    /// If the host wants to keep more than it told of.
    pub(super) fn update(&mut self, update: EntriesUpdate) -> Result<(), Fault> {
        let EntriesUpdate { keep, add } = update;
        if keep > self.told {
            let message = format!("`entries.keep`: {keep} of {} entries cannot be kept", self.told);
            return Err(Fault::new(Code::BadMessage, message));
        }
        let kept = self.places.partition_point(|place| *place < keep);
        self.places.truncate(kept);
        self.entries.truncate(kept);
        self.told = keep;
        for entry in add {
            if entry.as_object().is_some_and(|members| !members.is_empty()) {
                self.places.push(self.told);
                self.entries.push(entry);
            }
            self.told += 1;
        }
        Ok(())
    }

    /// The branch as the engine reads it.
    pub(super) fn view(&self) -> Branch<'_> {
        Branch::part(&self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// The copy against a plain list of all entries.
    fn check(updates: Vec<(usize, Vec<Option<u8>>)>) {
        let mut copy = BranchCopy::default();
        let mut all: Vec<Value> = Vec::new();
        for (keep, add) in updates {
            let keep = keep % (all.len() + 1);
            let add: Vec<Value> =
                add.into_iter().map(|entry| entry.map_or(json!({}), |at| json!({"at": at}))).collect();
            all.truncate(keep);
            all.extend(add.clone());
            copy.update(EntriesUpdate { keep, add }).unwrap();
            let matter: Vec<_> = all.iter().filter(|entry| **entry != json!({})).cloned().collect();
            assert_eq!(copy.view().entries(), matter);
            assert_eq!(copy.told, all.len());
        }
    }

    proptest! {
        #[test]
        fn the_copy_holds_what_matters_of_the_branch(
            updates in prop::collection::vec((0..50_usize, prop::collection::vec(any::<Option<u8>>(), 0..8)), 0..12)
        ) {
            check(updates);
        }
    }

    #[test]
    fn nothing_is_kept_that_was_never_told() {
        let mut copy = BranchCopy::default();
        let update = |keep| EntriesUpdate { keep, add: vec![json!({"a": 1}), Value::Null] };
        assert!(copy.update(update(1)).is_err());
        assert!(copy.update(update(0)).is_ok());
        assert!(copy.update(update(3)).is_err());
        assert!(copy.update(update(2)).is_ok());
    }
}
