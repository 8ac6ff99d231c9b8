//! brakeline's own settings: defaults, each key on its own, diagnostics, and the schema as a second judge.

#![expect(
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise; this is about its helpers"
)]

use brakeline_settings::{
    Brakeline, EXTENSIONS, GuardLoop, HostLimits, Language, Layer, Layers, LocaleSetting, PathMode, Reported,
    Settings, Source, UnknownPaths, json_schema, read_setting_as, read_settings,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn diagnostics(settings: &Value) -> Vec<String> {
    let reading = read_settings(settings, HostLimits::of_pi());
    reading.diagnostics.iter().map(|diagnostic| diagnostic.text(Language::En)).collect()
}

#[test]
fn no_settings_give_the_defaults() {
    for empty in [json!({}), json!({"theme": "dark", "guardLoop": {"mode": "model"}}), json!(null), json!([])]
    {
        let reading = read_settings(&empty, HostLimits::default());
        assert_eq!(reading.settings, Settings::default());
        assert!(reading.diagnostics.is_empty(), "unknown keys are left alone");
    }
    let settings = Settings::default();
    assert_eq!(settings.block_find_root.forbidden_paths, ["/"]);
    assert_eq!(settings.block_find_root.path_mode, PathMode::Lexical);
    assert!((settings.default_timeout.get() - 120.0).abs() < f64::EPSILON);
    assert_eq!((settings.guard_loop.max_continuations, settings.guard_loop.ask_timeout_ms), (5, 0));
    assert_eq!(settings.brakeline, Brakeline::default());
}

#[test]
fn every_key_is_read() {
    let text = json!({
        "blockFindRoot":
            {"forbiddenPaths": [], "blockBash": true, "unknownPaths": "block", "pathMode": "asWritten"},
        "defaultTimeout": 2_147_483,
        "guardLoop": {"maxContinuations": 0, "askTimeoutMs": 60_000, "auto": "tests pass"},
        "brakeline":
            {"locale": "zh-CN", "extensions": {"sandbox": false, "my-own": true}, "auditLog": "~/audit.jsonl"},
    });
    let reading = read_settings(&text, HostLimits::of_pi());
    assert_eq!(reading.diagnostics, []);
    let settings = reading.settings;
    assert!(settings.block_find_root.forbidden_paths.is_empty() && settings.block_find_root.block_bash);
    assert_eq!(settings.block_find_root.unknown_paths, UnknownPaths::Block);
    assert_eq!(settings.block_find_root.path_mode, PathMode::AsWritten);
    assert_eq!(settings.default_timeout.to_number().to_string(), "2147483");
    assert_eq!(settings.guard_loop.auto, "tests pass");
    assert_eq!(settings.brakeline.locale, LocaleSetting::ZhCn);
    assert!(!settings.brakeline.extensions["sandbox"]);
    assert_eq!(settings.brakeline.audit_log, "~/audit.jsonl");
    assert_eq!(serde_json::to_value(&settings).unwrap(), text, "and written as it was");
}

#[test]
fn each_unusable_key_gives_one_diagnostic_and_its_default() {
    for (settings, message) in [
        (
            json!({"blockFindRoot": {"forbiddenPaths": "/etc"}}),
            r#"`blockFindRoot.forbiddenPaths`: expected a list of texts, found `"/etc"`; `["/"]` is used"#,
        ),
        (
            json!({"blockFindRoot": {"forbiddenPaths": ["/etc", 5]}}),
            r#"`blockFindRoot.forbiddenPaths`: expected a list of texts, found `["/etc",5]`; `["/"]` is used"#,
        ),
        (
            json!({"blockFindRoot": {"blockBash": "true"}}),
            r#"`blockFindRoot.blockBash`: expected `true` or `false`, found `"true"`; `false` is used"#,
        ),
        (
            json!({"blockFindRoot": {"unknownPaths": "deny"}}),
            r#"`blockFindRoot.unknownPaths`: expected `"allow"` or `"block"`, found `"deny"`; `"allow"` is used"#,
        ),
        (
            json!({"blockFindRoot": {"pathMode": null}}),
            r#"`blockFindRoot.pathMode`: expected `"lexical"` or `"asWritten"`, found `null`; `"lexical"` is used"#,
        ),
        (
            json!({"blockFindRoot": true}),
            "`blockFindRoot`: expected an object, found `true`; its defaults are used",
        ),
        (
            json!({"guardLoop": {"maxContinuations": -1}}),
            "`guardLoop.maxContinuations`: expected a whole number from 0 to 4294967295, found `-1`; `5` is used",
        ),
        (
            json!({"guardLoop": {"askTimeoutMs": 0.5}}),
            "`guardLoop.askTimeoutMs`: expected a whole number from 0 to 9007199254740991, found `0.5`; `0` is used",
        ),
        (json!({"guardLoop": {"auto": []}}), "`guardLoop.auto`: expected text, found `[]`; `\"\"` is used"),
        (
            json!({"brakeline": {"locale": "fr"}}),
            r#"`brakeline.locale`: expected `"auto"` or `"zh-CN"` or `"en"`, found `"fr"`; `"auto"` is used"#,
        ),
        (
            json!({"brakeline": {"extensions": {"sandbox": 1}}}),
            "`brakeline.extensions.sandbox`: expected `true` or `false`, found `1`; its defaults are used",
        ),
    ] {
        assert_eq!(diagnostics(&settings), [message]);
        assert_eq!(read_settings(&settings, HostLimits::of_pi()).settings, Settings::default());
    }
    assert_eq!(
        diagnostics(&json!({"guardLoop": {"maxContinuations": 3.0}})),
        [""; 0],
        "JSON has one kind of number"
    );
}

#[test]
fn the_default_timeout_is_positive_finite_and_what_the_host_takes() {
    for unusable in [json!(0), json!(-1), json!("120"), json!(null), json!([120]), json!(true)] {
        let settings = json!({"defaultTimeout": unusable});
        assert_eq!(
            diagnostics(&settings),
            [format!(
                "`defaultTimeout`: expected a finite number of seconds above 0, found `{unusable}`; `120` is used"
            )]
        );
        let reading = read_settings(&settings, HostLimits::of_pi());
        assert_eq!(reading.settings.default_timeout.to_number().to_string(), "120");
    }
    for (written, host, used) in [
        (json!(2_147_483), HostLimits::of_pi(), "2147483"),
        (json!(0.25), HostLimits::of_pi(), "0.25"),
        (json!(9_999_999), HostLimits::default(), "9999999"),
        (json!(2_147_484), HostLimits::of_pi(), "2147483"),
        (json!(1e300), HostLimits::of_pi(), "2147483"),
    ] {
        let reading = read_settings(&json!({"defaultTimeout": written}), host);
        assert_eq!(reading.settings.default_timeout.to_number().to_string(), used);
        let written = written.to_string();
        assert_eq!(reading.diagnostics.is_empty(), written == used, "{written}");
    }
    let clamped = diagnostics(&json!({"defaultTimeout": 2_147_484}));
    let expected = "`defaultTimeout`: expected at most 2147483 seconds, which is all the host takes, \
                    found `2147484`; `2147483` is used";
    assert_eq!(clamped, [expected]);
}

#[test]
fn a_diagnostic_says_where_and_is_news_once() {
    let layers = |text: &str| {
        Layers::new([Layer::parse(Source::Project, ".pi/settings.json", text.as_bytes()).unwrap()])
    };
    let read = |text: &str| layers(text).read_settings(HostLimits::default()).diagnostics;

    let first = read("{\n  \"guardLoop\": {\n    \"auto\": 1 } }");
    let zh = "`guardLoop.auto`：应为文本，实际是 `1`（项目，.pi/settings.json:3）；改用 `\"\"`";
    assert_eq!(first[0].text(Language::ZhCn), zh);

    let mut reported = Reported::default();
    assert_eq!(reported.news(first.clone()), first);
    assert_eq!(reported.news(first.clone()), []);
    assert_eq!(reported.news(read("{\"guardLoop\": {\"auto\": 1}}")), [], "it moved to another line");
    assert_eq!(reported.news(read("{\"guardLoop\": {\"auto\": 2}}")).len(), 1, "it is another value");
    assert_eq!(reported.news(read("{}")), []);
    assert_eq!(reported.news(first.clone()), first, "it was mended and broken again");
}

#[test]
fn a_section_can_be_read_strictly_too() {
    let settings = json!({"guardLoop": {"maxContinuations": "5"}});
    let error = read_setting_as::<GuardLoop>(&settings, "guardLoop", json!({})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`guardLoop.maxContinuations`: expected a whole number from 0 to 4294967295, found the text \"5\""
    );
    let error =
        read_setting_as::<Settings>(&json!({"s": {"defaultTimeout": 0}}), "s", json!({})).unwrap_err();
    assert_eq!(error.path().to_string(), "s.defaultTimeout");
    let error =
        read_setting_as::<Settings>(&json!({"s": {"brakeline": {"locale": 5}}}), "s", json!({})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`s.brakeline.locale`: expected `auto` or `zh-CN` or `en`, found the number 5"
    );
}

/// Writes the shipped schema anew when asked to: `BRAKELINE_WRITE_SCHEMA=1 cargo test -p brakeline-settings schema`.
#[test]
fn the_shipped_schema_is_the_generated_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/settings.schema.json");
    let generated = json_schema();
    if std::env::var_os("BRAKELINE_WRITE_SCHEMA").is_some() {
        std::fs::write(file, format!("{generated:#}\n")).unwrap();
    }
    let shipped: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(shipped, generated, "generate it again as the comment above says");
}

#[test]
fn the_schema_tells_an_editor_keys_defaults_and_descriptions() {
    let schema = json_schema();
    let property = |pointer: &str| schema.pointer(&format!("/properties/{pointer}")).expect(pointer).clone();
    assert_eq!(property("blockFindRoot/properties/forbiddenPaths")["default"], json!(["/"]));
    assert_eq!(property("guardLoop/properties/maxContinuations")["default"], json!(5));
    assert_eq!(property("defaultTimeout")["exclusiveMinimum"], json!(0));
    for name in EXTENSIONS {
        assert_eq!(
            property(&format!("brakeline/properties/extensions/properties/{name}"))["type"],
            "boolean"
        );
    }
    let text = schema.to_string();
    for unwanted in ["additionalProperties\":false", "$ref"] {
        assert!(!text.contains(unwanted), "{unwanted}");
    }
}

/// Values that fit somewhere, nearly fit, or do not fit.
fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(5),
        json!(0.5),
        json!(120),
        json!(4_294_967_296_u64),
        json!(9_007_199_254_740_992_u64),
        json!(1e300),
        json!("120"),
        json!(""),
        json!("allow"),
        json!("block"),
        json!("lexical"),
        json!("asWritten"),
        json!("zh-CN"),
        json!("auto"),
        json!([]),
        json!(["/"]),
        json!(["/", 5]),
        json!({}),
        json!({"sandbox": false}),
        json!({"sandbox": "no"}),
    ])
}

fn settings() -> impl Strategy<Value = Value> {
    let keys = [
        ["blockFindRoot", "forbiddenPaths"].as_slice(),
        &["blockFindRoot", "blockBash"],
        &["blockFindRoot", "unknownPaths"],
        &["blockFindRoot", "pathMode"],
        &["blockFindRoot"],
        &["defaultTimeout"],
        &["guardLoop", "maxContinuations"],
        &["guardLoop", "askTimeoutMs"],
        &["guardLoop", "auto"],
        &["guardLoop"],
        &["brakeline", "locale"],
        &["brakeline", "auditLog"],
        &["brakeline", "extensions"],
        &["brakeline"],
        &["theme"],
    ];
    prop::collection::vec((prop::sample::select(keys.to_vec()), value()), 0..4).prop_map(|written| {
        let mut settings = json!({});
        for (path, value) in written {
            match path {
                [section, key] if settings[*section].is_object() || settings[*section].is_null() => {
                    settings[*section][*key] = value;
                }
                [key] => settings[*key] = value,
                _ => {}
            }
        }
        settings
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_schema_and_the_reader_judge_alike(settings in settings()) {
        let schema = json_schema();
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        let reading = read_settings(&settings, HostLimits::default());
        prop_assert_eq!(validator.is_valid(&settings), reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    }

    #[test]
    fn what_was_read_reads_the_same_again(settings in settings()) {
        let first = read_settings(&settings, HostLimits::of_pi()).settings;
        let again = read_settings(&serde_json::to_value(&first).unwrap(), HostLimits::of_pi());
        prop_assert_eq!(&again.settings, &first);
        prop_assert!(again.diagnostics.is_empty());
    }
}
