//! Typed reads: `serde_json`'s own reader as the second judge, and errors that say where.

use std::collections::BTreeMap;

use brakeline_settings::{get_as, path, read_setting_as};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Deserialize)]
struct Everything {
    #[serde(default)]
    small: u8,
    signed: Option<i64>,
    #[serde(default)]
    float: f64,
    text: Option<String>,
    list: Option<Vec<Everything>>,
    pair: Option<(u8, String)>,
    map: Option<BTreeMap<String, bool>>,
    choice: Option<Choice>,
    wrapped: Option<Wrapped>,
    unit: Option<()>,
    any: Option<Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Choice {
    Plain,
    One(u8),
    Two(u8, u8),
    Named { value: bool },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapped(u16);

fn scalar() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(255),
        json!(256),
        json!(-1),
        json!(0.5),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("plain"),
        json!("5"),
    ])
}

fn document() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "small", "signed", "float", "text", "list", "pair", "map", "choice", "wrapped", "unit", "any",
        "plain", "one", "two", "named", "value", "other",
    ]);
    scalar().prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..4).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn serde_json_reads_the_same(document in document()) {
        let settings = json!({"here": document});
        let ours = get_as::<Everything>(&settings, "here");
        match serde_json::from_value::<Everything>(document) {
            Ok(expected) => prop_assert_eq!(ours, Ok(Some(expected))),
            Err(error) => {
                let ours = ours.expect_err(&error.to_string());
                prop_assert!(ours.path().to_string().starts_with("here"), "{}", ours);
                prop_assert!(!ours.to_string().contains('\n'));
            }
        }
    }
}

#[test]
fn errors_say_where_and_what() {
    for (document, message) in [
        (json!({"small": 256}), "`s.small`: expected a whole number from 0 to 255, found the number 256"),
        (json!({"small": 5.0}), "`s.small`: expected a whole number from 0 to 255, found the number 5.0"),
        (json!({"small": null}), "`s.small`: expected a whole number from 0 to 255, found `null`"),
        (json!({"float": "1"}), "`s.float`: expected a number, found the text \"1\""),
        (json!({"text": true}), "`s.text`: expected text, found `true`"),
        (json!({"list": {}}), "`s.list`: expected an array, found an object"),
        (json!({"list": [{}, {"list": [5]}]}), "`s.list[1].list[0]`: expected an object, found the number 5"),
        (json!({"pair": [1, "a", 2]}), "`s.pair`: expected 2 elements, found 3 elements"),
        (json!({"map": {"a.b": 1}}), "`s.map[\"a.b\"]`: expected `true` or `false`, found the number 1"),
        (
            json!({"choice": "none"}),
            "`s.choice`: expected `plain` or `one` or `two` or `named`, found the text \"none\"",
        ),
        (
            json!({"choice": {"one": -1}}),
            "`s.choice.one`: expected a whole number from 0 to 255, found the number -1",
        ),
        (
            json!({"choice": {"named": {}}}),
            "`s.choice.named`: expected an object with the key `value`, found an object without it",
        ),
    ] {
        let error = get_as::<Everything>(&json!({"s": document}), "s").unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn absent_differs_from_wrong() {
    let settings = json!({"users": [{"name": "Ada"}], "off": null});
    assert_eq!(get_as::<String>(&settings, path!["users", 0, "name"]), Ok(Some("Ada".to_owned())));
    assert_eq!(get_as::<String>(&settings, "users[1].name"), Ok(None));
    assert!(get_as::<String>(&settings, "users[0]").is_err());
    assert_eq!(get_as::<Option<u8>>(&settings, "off"), Ok(Some(None)), "`null` is a value");
    assert_eq!(read_setting_as::<u8>(&settings, "limit", 7), Ok(7));
    let error = read_setting_as::<u8>(&settings, "limit", "seven").unwrap_err();
    assert_eq!(error.path().to_string(), "limit", "the default is judged too");
}
