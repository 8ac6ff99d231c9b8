//! The projection from the end equals a fold from the front, on every sequence of entries.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use guard_eval::{Ack, GuardState, Settings, auto_guard, find_guard_ack, project};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
enum Answered {
    Never,
    NotYet,
    /// By whom, as far as that is one of the known words.
    Yes(String),
}

/// The clear one: every entry from the front changes what is known.
#[derive(Debug, Default, PartialEq)]
struct Forward {
    /// Condition, continuations, newest answer, whether the model knows.
    guard: Option<(String, u32, Answered, bool)>,
    limit: Option<u32>,
    ever_guarded: bool,
}

impl Forward {
    fn read(&mut self, entry: &Value) {
        let name = entry["customType"].as_str().unwrap_or_default();
        let data = &entry["data"];
        match (entry["type"].as_str().unwrap_or_default(), name) {
            ("custom", "guard") => match (data["kind"].as_str(), data["condition"].as_str()) {
                (Some("set"), Some(condition)) if !condition.trim().is_empty() => {
                    self.guard = Some((condition.to_owned(), 0, Answered::Never, false));
                    self.ever_guarded = true;
                }
                (Some("clear"), _) => {
                    self.guard = None;
                    self.ever_guarded = true;
                }
                _ => {}
            },
            ("custom", "guard-continue") => {
                if let Some((_, used, ..)) = &mut self.guard {
                    *used += 1;
                }
            }
            ("custom", "guard-defaults") => {
                let number = data["maxContinuations"].as_f64();
                let whole =
                    |number: &f64| *number >= 0.0 && number.fract() == 0.0 && *number <= 4_294_967_295.0;
                if let Some(number) = number.filter(whole) {
                    self.limit = Some(format!("{:.0}", number.abs()).parse().unwrap());
                }
            }
            ("custom_message", "guard-condition") => self.know(true),
            ("compaction", _) => self.know(false),
            ("message", _) => {
                let message = &entry["message"];
                if message["role"] == "toolResult"
                    && message["toolName"] == "guard_check"
                    && let Some((_, _, ack, _)) = &mut self.guard
                {
                    let confirms = message["details"]["end"] == true && message["isError"] != true;
                    let by = message["details"]["by"].as_str().unwrap_or_default();
                    let known = ["user", "no-ui", "dismissed", "timeout"].contains(&by);
                    *ack = match confirms {
                        true if known => Answered::Yes(by.to_owned()),
                        true => Answered::Yes(String::new()),
                        false => Answered::NotYet,
                    };
                }
            }
            _ => {}
        }
    }

    fn know(&mut self, knows: bool) {
        if let Some((.., known)) = &mut self.guard {
            *known = knows;
        }
    }
}

fn same(forward: &Forward, state: &GuardState<'_>, settings: &Settings) {
    assert_eq!(state.limit, forward.limit.unwrap_or(settings.max_continuations));
    let guard = state.guard.map(|guard| {
        let ack = match guard.ack {
            None => Answered::Never,
            Some(Ack::NotYet) => Answered::NotYet,
            Some(Ack::Confirmed(by)) => Answered::Yes(by.as_str().unwrap_or_default().to_owned()),
        };
        (guard.condition.as_str().to_owned(), guard.used, ack, guard.condition_sent)
    });
    assert_eq!(guard, forward.guard);
}

fn any_junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..9).prop_map(Value::from),
        prop::sample::select(&[0.5, 3.0, -0.0, 4_294_967_295.0, 4_294_967_296.0, 1e300][..])
            .prop_map(Value::from),
        prop::sample::select(&["", " ", "set", "clear", "guard", "true"][..]).prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ]
}

fn or_junk(value: impl Into<Value>) -> impl Strategy<Value = Value> {
    let value = value.into();
    prop_oneof![12 => Just(value), 1 => any_junk()]
}

fn any_guard_data() -> impl Strategy<Value = Value> {
    let set = (or_junk("set"), or_junk("tests pass"))
        .prop_map(|(kind, text)| json!({"kind": kind, "condition": text}));
    let set_other = "[a-z ]{0,3}".prop_map(|text| json!({"kind": "set", "condition": text}));
    let clear = or_junk("clear").prop_map(|kind| json!({"kind": kind}));
    prop_oneof![4 => set, 2 => set_other, 2 => clear, 1 => any_junk()]
}

fn any_check() -> impl Strategy<Value = Value> {
    let by = prop::sample::select(&["user", "no-ui", "dismissed", "timeout", "someone"][..]);
    let end = prop_oneof![4 => Just(json!(true)), 4 => Just(json!(false)), 1 => any_junk()];
    let details = prop_oneof![
        8 => (end, by).prop_map(|(end, by)| json!({"end": end, "by": by})),
        1 => Just(json!({"end": true})),
        1 => any_junk(),
    ];
    let tool = prop::sample::select(&["guard_check", "guard_check", "guard_check", "find"][..]);
    (or_junk("toolResult"), tool, details, or_junk(false)).prop_map(|(role, tool, details, error)| {
        json!({"type": "message", "message": {"role": role, "toolName": tool, "details": details, "isError": error}})
    })
}

fn any_entry() -> impl Strategy<Value = Value> {
    let custom =
        |name: &'static str| move |data: Value| json!({"type": "custom", "customType": name, "data": data});
    let number = prop_oneof![4 => (0_u32..9).prop_map(Value::from), 1 => any_junk()];
    let names = prop::sample::select(
        &["guard", "guard-continue", "guard-defaults", "guard-condition", "guard-feedback"][..],
    );
    prop_oneof![
        4 => any_guard_data().prop_map(custom("guard")),
        4 => any_junk().prop_map(custom("guard-continue")),
        2 => number.prop_map(|max| json!({"maxContinuations": max})).prop_map(custom("guard-defaults")),
        1 => any_junk().prop_map(custom("guard-defaults")),
        4 => any_check(),
        // Messages that bear the names of state, and say the same.
        2 => (names, any_guard_data()).prop_map(|(name, data)| json!({"type": "custom_message", "customType": name, "data": data, "content": ""})),
        2 => Just(json!({"type": "custom_message", "customType": "guard-condition", "content": "", "display": false})),
        1 => Just(json!({"type": "compaction", "summary": ""})),
        1 => Just(json!({"type": "message", "message": {"role": "user", "content": "guard_check"}})),
        1 => any_junk(),
        1 => (any_junk(), any_junk()).prop_map(|(kind, name)| json!({"type": kind, "customType": name})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn from_the_end_is_from_the_front(branch in prop::collection::vec(any_entry(), 0..24), max_continuations in 0_u32..9) {
        let settings = Settings { max_continuations, auto: "tests pass".to_owned(), ..Settings::default() };
        let mut forward = Forward::default();
        for entry in &branch {
            forward.read(entry);
        }
        let state = project(&branch, &settings);
        same(&forward, &state, &settings);
        prop_assert_eq!(find_guard_ack(&branch), state.guard.and_then(|guard| guard.ack));
        prop_assert_eq!(auto_guard(&branch, &settings).is_some(), !forward.ever_guarded);
        prop_assert!(auto_guard(&branch, &Settings::default()).is_none());
    }
}
