//! The scan from the end equals a fold from the front, on sequences with dirty data.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use session_query::{PiEntry, read_entries, read_entry, read_many};

const KEYS: [&str; 5] = ["guard", "guard-defaults", "guard-continue", "", "never"];

/// The clear one: from the front, each write replaces the one before.
fn forward(branch: &[Value]) -> HashMap<&str, Value> {
    let mut last = HashMap::new();
    for entry in branch {
        if entry["type"] == "custom"
            && let Some(key) = entry["customType"].as_str()
        {
            last.insert(key, entry["data"].clone());
        }
    }
    last
}

fn any_data() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"]{0,4}".prop_map(Value::from),
        Just(json!({"type": "custom", "customType": "guard", "data": "nested"})),
    ]
}

fn any_key() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => prop::sample::select(&["guard", "guard-defaults", "guard-continue", "", "other"][..]).prop_map(Value::from),
        1 => any_data(),
    ]
}

fn any_type() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => Just(json!("custom")),
        2 => Just(json!("custom_message")),
        1 => Just(json!("message")),
        1 => any_data(),
    ]
}

fn any_entry() -> impl Strategy<Value = Value> {
    let object = (
        prop::option::weighted(0.95, any_type()),
        prop::option::weighted(0.95, any_key()),
        prop::option::of(any_data()),
    )
        .prop_map(|(entry_type, key, data)| {
            let members = [("type", entry_type), ("customType", key), ("data", data)];
            members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
        });
    prop_oneof![9 => object, 1 => any_data(), 1 => prop::collection::vec(any_data(), 0..3).prop_map(Value::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn from_the_end_is_from_the_front(branch in prop::collection::vec(any_entry(), 0..24)) {
        let expected = forward(&branch);
        let found = read_entries(&branch, KEYS);
        for (key, data) in KEYS.into_iter().zip(found) {
            prop_assert_eq!(data, expected.get(key));
            prop_assert_eq!(read_entry(&branch, key), data);
        }
        let typed: Vec<PiEntry> = branch.iter().map(PiEntry::from_value).collect();
        prop_assert_eq!(read_entries(&typed, KEYS), found);
    }

    #[test]
    fn a_branch_may_come_in_pieces(branch in prop::collection::vec(any_entry(), 0..24), cut in any::<prop::sample::Index>()) {
        let (older, newer) = branch.split_at(cut.index(branch.len() + 1));
        let mut found = [None; KEYS.len()];
        read_many(newer, &KEYS, &mut found);
        read_many(older, &KEYS, &mut found);
        prop_assert_eq!(found, read_entries(&branch, KEYS));
    }
}

#[test]
fn a_key_given_twice_is_answered_twice() {
    let branch = [json!({"type": "custom", "customType": "a", "data": 1})];
    assert_eq!(read_entries(&branch, ["a", "b", "a"]), [Some(&json!(1)), None, Some(&json!(1))]);
}

#[test]
fn the_scan_stops_at_the_last_open_key() {
    let branch: Vec<Value> =
        ["a", "b", "a", "c"].iter().map(|key| json!({"type": "custom", "customType": key})).collect();
    let mut seen = 0;
    let counted = CountFromTheEnd { entries: &branch, seen: &mut seen };
    read_entries(counted, ["a", "c"]);
    assert_eq!(seen, 2);
}

/// A branch that counts how many of its entries are looked at.
struct CountFromTheEnd<'a, 'c> {
    entries: &'a [Value],
    seen: &'c mut usize,
}

impl<'a> Iterator for CountFromTheEnd<'a, '_> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<&'a Value> {
        panic!("a scan from the end takes nothing from the front")
    }
}

impl<'a> DoubleEndedIterator for CountFromTheEnd<'a, '_> {
    fn next_back(&mut self) -> Option<&'a Value> {
        *self.seen += 1;
        let (last, rest) = self.entries.split_last()?;
        self.entries = rest;
        Some(last)
    }
}
