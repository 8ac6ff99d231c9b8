//! Merging: a table of kinds, and laws.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise; this is about its helpers")]

use brakeline_settings::{merge, read_setting};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[test]
fn objects_merge_and_the_rest_replaces() {
    for (default, configured, expected) in [
        (json!({"a": 1}), json!({"b": 2}), json!({"a": 1, "b": 2})),
        (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"c": 3}}), json!({"a": {"b": 1, "c": 3}})),
        (json!({"a": [1, 2, 3]}), json!({"a": [4]}), json!({"a": [4]})),
        (json!({"a": [1, 2, 3]}), json!({"a": []}), json!({"a": []})),
        (json!({"a": 1}), json!({"a": null}), json!({"a": null})),
        (json!({"a": null}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
        (json!({"a": {"b": 1}}), json!({"a": "text"}), json!({"a": "text"})),
        (json!({"a": "text"}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
        (json!({"a": [1]}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
        (json!({"a": {"b": 1}}), json!({"a": [1]}), json!({"a": [1]})),
        (json!({"a": 1}), json!({}), json!({"a": 1})),
        (json!({"a": 1}), json!("text"), json!("text")),
        (json!({"a": 1}), json!([]), json!([])),
        (json!({"a": 1}), json!(null), json!(null)),
        (json!([1, 2]), json!({"a": 1}), json!({"a": 1})),
        (json!(120), json!("120"), json!("120")),
    ] {
        assert_eq!(merge(default.clone(), &configured), expected, "{configured} over {default}");
        let settings = json!({"key": configured});
        assert_eq!(read_setting(&settings, "key", default), expected);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_i64..9).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-d]", value(), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

/// Objects in which a key always has the same kind of value: where a middle layer turns an object into text, it hides the
/// low layer from the high one, so that grouping matters.
fn same_kinds() -> impl Strategy<Value = Value> {
    let rest = value().prop_map(|value| if value.is_object() { Value::from(vec![value]) } else { value });
    let leaf =
        prop::collection::btree_map("[c-e]", rest, 0..3).prop_map(|members| members.into_iter().collect());
    leaf.prop_recursive(3, 32, 4, |inner| {
        (inner.clone(), prop::collection::btree_map("[ab]", inner, 0..3)).prop_map(
            |(mut object, members): (Value, _)| {
                object.as_object_mut().unwrap().extend(members);
                object
            },
        )
    })
}

/// Every path to a value that is no object, with the value.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Value)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                path.push(key.clone());
                leaves(value, path, found);
                path.pop();
            }
        }
        Value::Object(_) => {}
        other => found.push((path.clone(), other.clone())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_configured_is_in_force(default in object(), configured in object()) {
        let merged = merge(default, &configured);
        let mut expected = Vec::new();
        leaves(&configured, &mut Vec::new(), &mut expected);
        for (path, value) in expected {
            prop_assert_eq!(brakeline_settings::get(&merged, path.as_slice()), Some(&value));
        }
    }

    #[test]
    fn nothing_is_invented(default in object(), configured in object()) {
        let merged = merge(default.clone(), &configured);
        let mut found = Vec::new();
        leaves(&merged, &mut Vec::new(), &mut found);
        for (path, value) in found {
            let sources = [&configured, &default].map(|source| brakeline_settings::get(source, path.as_slice()));
            prop_assert!(sources.contains(&Some(&value)));
        }
    }

    #[test]
    fn merging_twice_is_merging_once(default in value(), configured in value()) {
        let once = merge(default, &configured);
        prop_assert_eq!(merge(once.clone(), &configured), once);
    }

    #[test]
    fn layers_may_be_merged_in_any_grouping(low in same_kinds(), middle in same_kinds(), high in same_kinds()) {
        let left = merge(merge(low.clone(), &middle), &high);
        prop_assert_eq!(left, merge(low, &merge(middle, &high)));
    }
}
