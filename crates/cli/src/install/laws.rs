//! Laws of editing documents that belong to somebody else, over random ones.

use super::environment::Environment;
use super::host::{Content, Entry, InstallHost, Scope, Tolerance, Wishes};
use super::{json, toml};
use brakeline_settings::{Language, Layer, Source};
use clap::ValueEnum;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const FILE: &str = "settings.json";

fn entries(host: InstallHost) -> Vec<Entry> {
    let home = |name: &str| (name == "HOME").then(|| "/nonexistent".into());
    let environment = Environment::of(home, PathBuf::from("/nonexistent")).unwrap();
    let wishes =
        Wishes { scope: Scope::User, program: "/opt/brakeline", package: Some(Path::new("/opt/pi")) };
    match host.target(&environment, &wishes).unwrap().content {
        Content::Json(_, entries) | Content::Toml(entries) => entries,
        Content::Own(_) => Vec::new(),
    }
}

fn hosts() -> impl Strategy<Value = InstallHost> {
    let hosts = InstallHost::value_variants().iter().copied().filter(|host| !entries(*host).is_empty());
    prop::sample::select(hosts.collect::<Vec<_>>())
}

/// Hooks of other people, in the shapes of all hosts.
fn foreign_hook() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z ]{0,9}".prop_map(|command| json!({"command": command})),
        "[a-z ]{0,9}".prop_map(
            |command| json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]})
        ),
        Just(json!({"hooks": []})),
        Just(json!("odd")),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~é]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,5}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A configuration with hooks of others and whatever else.
fn configuration() -> impl Strategy<Value = Map<String, Value>> {
    let events = ["PreToolUse", "Stop", "BeforeTool", "preToolUse", "stop", "Other"];
    let hooks = prop::collection::btree_map(
        prop::sample::select(events.to_vec()),
        prop::collection::vec(foreign_hook(), 0..3),
        0..4,
    );
    let rest = prop::collection::btree_map("[a-z]{1,6}", value(), 0..4);
    let packages = prop::option::of(prop::collection::vec("[a-z:/]{1,9}".prop_map(Value::from), 0..3));
    (prop::option::of(hooks), rest, packages).prop_map(|(hooks, rest, packages)| {
        let mut document: Map<String, Value> = rest.into_iter().filter(|(key, _)| key != "hooks").collect();
        if let Some(hooks) = hooks {
            let hooks = hooks.into_iter().map(|(event, hooks)| (event.to_owned(), Value::from(hooks)));
            document.insert("hooks".to_owned(), Value::Object(hooks.collect()));
        }
        document.remove("packages");
        document.remove("version");
        if let Some(packages) = packages {
            document.insert("packages".to_owned(), Value::from(packages));
        }
        document
    })
}

/// The text of a configuration: one line or many, with comments here and there, with either line ending.
fn written(document: &Map<String, Value>, pretty: bool, comments: bool, carriage: bool) -> String {
    let text = if pretty { serde_json::to_string_pretty(document) } else { serde_json::to_string(document) };
    let mut text = text.unwrap() + "\n";
    if comments && pretty {
        text = text.replacen("{\n", "{ // first\n", 1).replace("],\n", "], /* here */\n");
    }
    if carriage { text.replace('\n', "\r\n") } else { text }
}

fn read(text: &str) -> Value {
    Layer::parse(Source::Global, FILE, text.as_bytes()).unwrap().value().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_of_others_stays(
        host in hosts(),
        document in configuration(),
        pretty in any::<bool>(),
        comments in any::<bool>(),
        carriage in any::<bool>(),
    ) {
        let text = written(&document, pretty, comments, carriage);
        let entries = entries(host);
        let file = Path::new(FILE);
        let add = |text: &str| json::add(Some(text), &entries, host, Tolerance::Jsonc, file, Language::En).unwrap();
        let added = add(&text);
        prop_assert!(json::says(&read(&added), &entries, host), "{}", added);
        prop_assert_eq!(&add(&added), &added, "twice is once");
        let mut expected = Value::Object(document);
        let removed =
            json::remove(&added, &expected, &entries, host, Tolerance::Jsonc, file, Language::En).unwrap();
        for entry in &entries {
            // What others may count on stays.
            if let Entry::Default { path: [key], value } = entry {
                expected[*key] = value.clone();
            }
        }
        prop_assert_eq!(read(&removed), expected, "{}", removed);
        prop_assert_eq!(removed.contains("// first"), text.contains("// first"));
        prop_assert_eq!(removed.matches("/* here */").count(), text.matches("/* here */").count());
        if carriage && pretty {
            prop_assert_eq!(added.matches('\n').count(), added.matches("\r\n").count(), "{:?}", added);
        }
    }

    #[test]
    fn toml_of_others_stays(
        before in prop::sample::select(vec![
            "", "model = \"x\"\n", "# why\nmodel = 'x' # here", "[a]\nb = [1,2] # here\n\n[[c]]\nd = 1\n",
            "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"audit\"\n",
            "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"bell\" }] }] # here\n",
            "hooks = { PreToolUse = [], Other = [1] }\n",
        ]),
        carriage in any::<bool>(),
    ) {
        let text = if carriage { before.replace('\n', "\r\n") } else { before.to_owned() };
        let (host, file) = (InstallHost::Codex, Path::new("config.toml"));
        let entries = entries(host);
        let add = |text: &str| toml::add(Some(text), &entries, host, file, Language::En).unwrap();
        let added = add(&text);
        prop_assert!(json::says(&toml::value(&added).unwrap(), &entries, host), "{}", added);
        prop_assert_eq!(&add(&added), &added, "twice is once");
        if !before.contains("hooks =") && !before.contains("[hooks]") {
            prop_assert!(added.starts_with(&text), "{}", added);
        }
        let removed = toml::remove(&added, host, file, Language::En).unwrap();
        // Of TOML what is empty then goes.
        let mut expected = toml::value(&text).unwrap();
        if let Some(hooks) = expected.get_mut("hooks").and_then(Value::as_object_mut) {
            hooks.retain(|_, groups| *groups != json!([]));
        }
        prop_assert_eq!(toml::value(&removed).unwrap(), expected, "{}", removed);
        prop_assert_eq!(removed.contains("# here"), text.contains("# here"));
    }
}
