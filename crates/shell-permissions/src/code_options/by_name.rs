//! The table by name. It is sorted when this crate is compiled, so that a look-up is a binary search.

#![expect(
    clippy::indexing_slicing,
    reason = "only at compile time, where a wrong index is an error of the build"
)]

use super::Program;
use super::table::PROGRAMS;

/// Returns the program that stands in the table under just this name.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    let at = BY_NAME.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    BY_NAME.get(at).map(|(_, program)| *program)
}

/// A name, and the program that has it.
type Entry = (&'static str, &'static Program);

static BY_NAME: [Entry; COUNT] = sorted(entries());

/// How many names there are.
const COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < PROGRAMS.len() {
        count += PROGRAMS[at].names.len();
        at += 1;
    }
    count
};

const fn entries() -> [Entry; COUNT] {
    let mut entries = [("", &PROGRAMS[0]); COUNT];
    let (mut count, mut at) = (0, 0);
    while at < PROGRAMS.len() {
        let program = &PROGRAMS[at];
        let mut name = 0;
        while name < program.names.len() {
            entries[count] = (program.names[name], program);
            (count, name) = (count + 1, name + 1);
        }
        at += 1;
    }
    entries
}

/// By insertion: `sort` does not run at compile time.
const fn sorted(mut entries: [Entry; COUNT]) -> [Entry; COUNT] {
    let mut at = 1;
    while at < COUNT {
        let mut place = at;
        while place > 0 && is_less(entries[place].0, entries[place - 1].0) {
            entries.swap(place, place - 1);
            place -= 1;
        }
        at += 1;
    }
    entries
}

const fn is_less(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() {
        if left[at] != right[at] {
            return left[at] < right[at];
        }
        at += 1;
    }
    left.len() < right.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_the_search_compares_them() {
        for turn in 0..COUNT {
            let mut mixed = entries();
            mixed.reverse();
            mixed.rotate_left(turn);
            let mut names = mixed.map(|(name, _)| name);
            names.sort_unstable();
            assert_eq!(sorted(mixed).map(|(name, _)| name), names);
        }
    }

    #[test]
    fn every_name_finds_its_own_program() {
        for program in PROGRAMS {
            for name in program.names {
                assert!(find(name).is_some_and(|found| found.names == program.names), "{name}");
                let other = alloc::format!("{name}\0");
                assert!(find(&other).is_none(), "{other:?}");
            }
        }
    }
}
