//! `sandbox.json`: layers, spellings, errors with their place, loosenings.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use brakeline_sandbox::config::{Config, ConfigErrorKind, Permission, places_of_pi};
use brakeline_settings::{Language, Layer, Layers, Source, Trust};
use serde_json::{Value, json};

fn layer(source: Source, text: &str) -> Layer {
    let file = if source == Source::Global { "~/.pi/agent/sandbox.json" } else { ".pi/sandbox.json" };
    Layer::parse(source, file, text.as_bytes()).unwrap()
}

fn project(text: &str) -> Result<Config, String> {
    let layer = Layer::parse(Source::Project, ".pi/sandbox.json", text.as_bytes())
        .map_err(|error| error.to_string())?;
    Config::from_layers(&Layers::new([layer])).map_err(|error| error.to_string())
}

fn both(global: &str, project: &str) -> Config {
    Config::from_layers(&Layers::new([layer(Source::Global, global), layer(Source::Project, project)]))
        .unwrap()
}

fn texts(entries: &[brakeline_sandbox::config::Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.text.as_str()).collect()
}

#[test]
fn the_defaults_are_those_of_the_page() {
    let config = Config::from_layers(&Layers::default()).unwrap();
    assert_eq!(config, Config::default());
    assert!(config.enabled.value);
    assert!(config.network.allowed_domains.is_empty() && config.network.denied_domains.is_empty());
    assert_eq!(texts(&config.filesystem.allow_write), ["."]);
    assert!(
        !config.shell.allow_multiple.value
            && config.shell.allow_pipe.value
            && config.shell.strict_allow.value
    );
    assert_eq!(config.shell.rules(), [("*", Permission::Deny)]);
    assert_eq!(project("{}").unwrap(), config);
}

#[test]
fn objects_merge_and_arrays_replace() {
    let config = both(
        r#"{"filesystem": {"denyRead": ["~/.ssh", "~/.aws"], "allowWrite": [".", "/tmp"]},
            "shell": {"permissons": {"git *": "allow", "rg *": "allow"}}}"#,
        r#"{"filesystem": {"denyRead": []}, "shell": {"permissions": {"git *": "deny", "ls *": "allow"}}}"#,
    );
    assert!(config.filesystem.deny_read.is_empty());
    assert_eq!(texts(&config.filesystem.allow_write), [".", "/tmp"]);
    let rules = [
        ("*", Permission::Deny),
        ("git *", Permission::Deny),
        ("ls *", Permission::Allow),
        ("rg *", Permission::Allow),
    ];
    assert_eq!(config.shell.rules(), rules, "both spellings are one key before they merge");
}

#[test]
fn a_file_may_hold_both_spellings_only_if_they_agree() {
    let same = r#"{"shell": {"permissons": {"a": "deny"}, "permissions": {"a": "deny"}}}"#;
    assert_eq!(project(same).unwrap().shell.rules().len(), 2);
    let differ =
        "{\"shell\": {\n  \"permissons\": {\"a\": \"deny\"},\n  \"permissions\": {\"a\": \"allow\"}}}";
    assert_eq!(
        project(differ).unwrap_err(),
        "`.pi/sandbox.json:3:3`: `shell` has both `permissons` and `permissions`, and they differ; keep one of them"
    );
}

#[test]
fn errors_name_the_place_and_the_way_out() {
    let table = [
        (r#"{"enable": false}"#, "`.pi/sandbox.json:1:2`: there is no key `enable`; did you mean `enabled`?"),
        (
            r#"{"enabled": "no"}"#,
            "`.pi/sandbox.json:1:2`: `enabled`: expected `true` or `false`, found `\"no\"`",
        ),
        (r#"{"network": []}"#, "`.pi/sandbox.json:1:2`: `network`: expected an object, found `[]`"),
        (
            r#"{"network": {"allowedDomains": "x"}}"#,
            "`.pi/sandbox.json:1:14`: `network.allowedDomains`: expected an array of texts that are not empty, found `\"x\"`",
        ),
        (
            r#"{"filesystem": {"denyRead": ["a", 1]}}"#,
            "`.pi/sandbox.json:1:17`: `filesystem.denyRead`: expected an array of texts that are not empty, found `1`",
        ),
        (
            r#"{"filesystem": {"denyread": []}}"#,
            "`.pi/sandbox.json:1:17`: `filesystem` has no key `denyread`; did you mean `denyRead`?",
        ),
        (
            r#"{"network": {"allowedDomains": ["ok.org", "https://x.com/"]}}"#,
            "`.pi/sandbox.json:1:43`: the domain `https://x.com/` is a URL; write the host alone",
        ),
        (
            r#"{"network": {"allowedDomains": ["*.com"]}}"#,
            "`.pi/sandbox.json:1:33`: the domain `*.com` spans a whole top-level domain; name at least two labels, as in `*.example.com`",
        ),
        (
            r#"{"filesystem": {"denyWrite": ["[a"]}}"#,
            "`.pi/sandbox.json:1:31`: the path `[a` is no valid pattern; look at its brackets",
        ),
        (
            r#"{"filesystem": {"denyWrite": ["~bob/x"]}}"#,
            "`.pi/sandbox.json:1:31`: the path `~bob/x` means somebody else's home; write it in full",
        ),
        (
            r#"{"shell": {"permissons": {"git *": "ask"}}}"#,
            "`.pi/sandbox.json:1:27`: `shell.permissons.git *`: expected `\"allow\"` or `\"deny\"`, found `\"ask\"`",
        ),
        (
            r#"{"filesystem": {"d\nyWrite": []}}"#,
            r"`.pi/sandbox.json:1:17`: `filesystem` has no key `d\nyWrite`; did you mean `denyWrite`?",
        ),
        (
            r#"{"shell": {"permissons": {" ": "deny"}}}"#,
            "`.pi/sandbox.json:1:27`: a pattern is empty; write `*` for any command, or a command's name",
        ),
        (
            r#"{"shell": {"permissons": {"a": "deny", "a": "allow"}}}"#,
            "`.pi/sandbox.json:1:40`: the key `a` stands twice in one object; keep one of them",
        ),
        (r#"{"shell": {"zzzzzzzz": 1}}"#, "`.pi/sandbox.json:1:12`: `shell` has no key `zzzzzzzz`"),
    ];
    for (text, message) in table {
        assert_eq!(project(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn every_value_knows_where_it_was_written() {
    let config = both("{\n\"enabled\": false}", "{\"filesystem\": {\n\"denyWrite\": [\"a\",\n\"b\"]}}");
    assert_eq!(config.enabled.origin.as_ref().unwrap().to_string(), "global, ~/.pi/agent/sandbox.json:2");
    let entry = &config.filesystem.deny_write[1];
    assert_eq!(entry.origin_text(Language::En), "project, .pi/sandbox.json:3");
    assert_eq!(entry.origin_text(Language::ZhCn), "项目，.pi/sandbox.json:3");
    assert_eq!(config.filesystem.allow_write[0].origin_text(Language::ZhCn), "默认");
}

#[test]
fn what_the_project_loosens_is_named() {
    let global = r#"{"network": {"deniedDomains": ["evil.org"]}, "filesystem": {"denyRead": ["~/.ssh"]},
        "shell": {"permissons": {"rm *": "deny"}}}"#;
    let loose = r#"{"enabled": false,
        "network": {"allowedDomains": ["a.org"], "deniedDomains": []},
        "filesystem": {"denyRead": ["b"], "allowRead": ["c"], "allowWrite": [".", "/d"]},
        "shell": {"allowMultiple": true, "strictAllow": false, "permissons": {"rm *": "allow", "ls": "allow", "x": "deny"}}}"#;
    let texts: Vec<_> =
        both(global, loose).loosenings().iter().map(|loosening| loosening.text(Language::En)).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    `enabled` is now false (project, .pi/sandbox.json:1)
    `network.allowedDomains` also allows `a.org` (project, .pi/sandbox.json:2)
    `network.deniedDomains` no longer denies `evil.org` (project, .pi/sandbox.json:2)
    `filesystem.denyRead` no longer denies `~/.ssh` (project, .pi/sandbox.json:3)
    `filesystem.allowRead` also allows `c` (project, .pi/sandbox.json:3)
    `filesystem.allowWrite` also allows `/d` (project, .pi/sandbox.json:3)
    `shell.allowMultiple` is now true (project, .pi/sandbox.json:4)
    `shell.strictAllow` is now false (project, .pi/sandbox.json:4)
    `shell.permissons` also allows `ls` (project, .pi/sandbox.json:4)
    `shell.permissons` no longer denies `rm *` (project, .pi/sandbox.json:4)
    ");
    let tight = r#"{"network": {"deniedDomains": ["evil.org", "more.org"]}, "filesystem": {"allowWrite": []},
        "shell": {"allowPipe": false, "permissons": {"a": "deny"}}}"#;
    assert_eq!(both(global, tight).loosenings(), []);
}

#[test]
fn files_are_read_only_of_trusted_projects() {
    let folder = tempfile::tempdir().unwrap();
    let (home, cwd) = (folder.path().join("home"), folder.path().join("project"));
    for (base, text) in [(home.join(".pi/agent"), "{}"), (cwd.join(".pi"), r#"{"enabled": false}"#)] {
        std::fs::create_dir_all(&base).unwrap();
        std::fs::write(base.join("sandbox.json"), text).unwrap();
    }
    let load = |trust| Config::load(&places_of_pi(&home, &cwd, trust)).unwrap();
    assert!(load(Trust::Untrusted).enabled.value);
    assert!(!load(Trust::Trusted).enabled.value);
    std::fs::write(cwd.join(".pi/sandbox.json"), "{").unwrap();
    let error = Config::load(&places_of_pi(&home, &cwd, Trust::Trusted)).unwrap_err();
    assert!(matches!(error.kind(), ConfigErrorKind::File(_)), "no fallback: {error}");
}

mod laws {
    use super::*;
    use proptest::prelude::*;

    fn document() -> impl Strategy<Value = Value> {
        let list = |entries: &'static [&'static str]| {
            proptest::option::of(proptest::sample::subsequence(entries, 0..=entries.len()))
        };
        let rules = proptest::collection::hash_map("(git|ls|rm|\\*)", proptest::bool::ANY, 0..4);
        (
            list(&["a.org", "*.b.org", "*"]),
            list(&["x", "~/y", "/z"]),
            rules,
            proptest::option::of(proptest::bool::ANY),
        )
            .prop_map(|(domains, paths, rules, enabled)| {
                let mut value = json!({"network": {}, "filesystem": {}, "shell": {}});
                if let Some(domains) = domains {
                    value["network"]["allowedDomains"] = json!(domains);
                }
                if let Some(paths) = paths {
                    value["filesystem"]["denyWrite"] = json!(paths);
                }
                if let Some(enabled) = enabled {
                    value["enabled"] = json!(enabled);
                }
                let rules: serde_json::Map<_, _> = rules
                    .into_iter()
                    .map(|(pattern, allow)| (pattern, json!(if allow { "allow" } else { "deny" })))
                    .collect();
                value["shell"]["permissons"] = Value::Object(rules);
                value
            })
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}", key in "[a-zA-Z]{1,8}") {
            let _ = project(&text).is_ok();
            let _ = project(&json!({key: text}).to_string()).is_ok();
            let _ = project(&json!({"filesystem": {"denyRead": [text]}, "network": {"deniedDomains": [text]}}).to_string()).is_ok();
        }

        #[test]
        fn laying_over_is_what_the_generic_merge_does(global in document(), over in document()) {
            let config = both(&global.to_string(), &over.to_string());
            let merged = brakeline_settings::merge(global, &over);
            let once = project(&merged.to_string()).unwrap();
            prop_assert_eq!(config.shell.rules(), once.shell.rules());
            prop_assert_eq!(texts(&config.network.allowed_domains), texts(&once.network.allowed_domains));
            prop_assert_eq!(texts(&config.filesystem.deny_write), texts(&once.filesystem.deny_write));
            prop_assert_eq!(config.enabled.value, once.enabled.value);
        }

        #[test]
        fn the_spelling_makes_no_difference(document in document()) {
            let renamed = document.to_string().replace("permissons", "permissions");
            let (one, other) = (project(&document.to_string()).unwrap(), project(&renamed).unwrap());
            prop_assert_eq!(one.shell.rules(), other.shell.rules());
        }
    }
}
