//! The reader of session files equals loading the whole file and following parents, on files with forks, duplicate
//! ids, cycles, missing parents, dirty lines and cut lines, whatever the block size.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;

use proptest::prelude::*;
use serde_json::{Value, json};
use session_query::{BranchEnd, ReverseLines, SessionReader};

/// An entry as the naive twin keeps it.
struct Loaded {
    id: String,
    parent: Option<String>,
    value: Value,
}

/// Every line of the file that is an entry, in the order of the file.
fn load(file: &[u8]) -> Vec<Loaded> {
    let text =
        |value: &Value, key: &str| value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    file.split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|value| value["type"] != "session")
        .filter_map(|value| Some(Loaded { id: text(&value, "id")?, parent: text(&value, "parentId"), value }))
        .collect()
}

/// The branch of the last entry, newest first, and how it ends.
fn branch(entries: &[Loaded]) -> (Vec<&Loaded>, BranchEnd) {
    let mut path = Vec::new();
    let Some((leaf, mut earlier)) = entries.split_last() else { return (path, BranchEnd::Root) };
    path.push(leaf);
    let mut parent = &leaf.parent;
    while let Some(wanted) = parent {
        let Some(place) = earlier.iter().rposition(|entry| entry.id == *wanted) else {
            return (path, BranchEnd::MissingParent);
        };
        path.push(&earlier[place]);
        parent = &earlier[place].parent;
        earlier = &earlier[..place];
    }
    (path, BranchEnd::Root)
}

fn state(path: &[&Loaded]) -> BTreeMap<String, Value> {
    let mut last = BTreeMap::new();
    for entry in path.iter().rev().filter(|entry| entry.value["type"] == "custom") {
        if let Some(key) = entry.value["customType"].as_str() {
            last.insert(key.to_owned(), entry.value["data"].clone());
        }
    }
    last
}

/// How a line is written down.
#[derive(Debug, Clone)]
enum Spelling {
    /// As pi writes a message: the links first.
    LinksFirst,
    /// As pi writes state: the links last.
    LinksLast,
    /// With a space after every `:` and `,`.
    Spaced,
    /// Members in an order that only parsing can read.
    Shuffled,
    /// Names and ids in escapes.
    Escaped,
    /// The links last, the id in escapes.
    EscapedId,
    /// After the links, names that end in `"id` and `"parentId`.
    OddNames,
    /// A member of the wrong type.
    Mistyped,
}

#[derive(Debug, Clone)]
enum Step {
    Entry {
        spelling: Spelling,
        kind: &'static str,
        key: &'static str,
        data: Option<Value>,
        parent: Parent,
        duplicate: bool,
    },
    /// A line that is no entry.
    Dirty(&'static str),
    /// An entry cut short after so many thousandths of its length, then its line end, or another entry right behind it.
    Cut { share: usize, data: Value, glued: bool },
}

#[derive(Debug, Clone)]
enum Parent {
    Previous,
    Older(usize),
    None,
    Missing,
    Later,
    Itself,
}

fn any_data() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i16>().prop_map(Value::from),
        Just(json!({"id": "e1", "parentId": "e0", "timestamp": "t"})),
        Just(json!([{"type": "custom", "id": "e2", "parentId": null}])),
        Just(json!("x\",\"id\":\"e1\",\"parentId\":\"e0\",\"timestamp\":\"t\"}")),
        Just(json!("ends in a backslash \\")),
        "[a-z\"\\\\\n{}:, é]{0,12}".prop_map(Value::from),
        "[a-z\"\\\\\n{}:, é]{0,200}".prop_map(|text| json!({"text": text})),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let spelling = prop_oneof![
        6 => Just(Spelling::LinksFirst),
        6 => Just(Spelling::LinksLast),
        1 => Just(Spelling::Spaced),
        1 => Just(Spelling::Shuffled),
        1 => Just(Spelling::Escaped),
        1 => Just(Spelling::EscapedId),
        1 => Just(Spelling::OddNames),
        1 => Just(Spelling::Mistyped),
    ];
    let kind =
        prop::sample::select(&["custom", "custom", "custom_message", "message", "compaction", "session"][..]);
    let key = prop::sample::select(&["guard", "guard-defaults", "x"][..]);
    let parent = prop_oneof![
        20 => Just(Parent::Previous),
        4 => any::<usize>().prop_map(Parent::Older),
        1 => Just(Parent::None),
        1 => Just(Parent::Missing),
        1 => Just(Parent::Later),
        1 => Just(Parent::Itself),
    ];
    let entry = (spelling, kind, key, prop::option::of(any_data()), parent, prop::bool::weighted(0.05))
        .prop_map(|(spelling, kind, key, data, parent, duplicate)| Step::Entry {
            spelling,
            kind,
            key,
            data,
            parent,
            duplicate,
        });
    let dirty = prop::sample::select(
        &[
            "",
            "null",
            "[1]",
            "\"text\"",
            "{}",
            "{",
            "}",
            "\u{feff}{}",
            "{\"id\":7,\"type\":\"custom\",\"parentId\":null}",
        ][..],
    );
    prop_oneof![
        20 => entry,
        1 => dirty.prop_map(Step::Dirty),
        1 => (0_usize..1000, any_data(), any::<bool>()).prop_map(|(share, data, glued)| Step::Cut { share, data, glued }),
    ]
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn in_escapes(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        write!(escaped, "\\u{byte:04x}").unwrap();
    }
    format!("\"{escaped}\"")
}

fn spell(
    spelling: &Spelling,
    kind: &str,
    key: &str,
    data: Option<&Value>,
    id: &str,
    parent: Option<&str>,
) -> String {
    let (kind, key, id) = (quoted(kind), quoted(key), quoted(id));
    let parent = parent.map_or("null".to_owned(), quoted);
    let data = |comma: &str| data.map_or(String::new(), |data| format!("{comma}\"data\":{data}"));
    match spelling {
        Spelling::LinksFirst => format!(
            r#"{{"type":{kind},"id":{id},"parentId":{parent},"timestamp":"t","customType":{key}{}}}"#,
            data(",")
        ),
        Spelling::LinksLast => format!(
            r#"{{"type":{kind},"customType":{key}{},"id":{id},"parentId":{parent},"timestamp":"t"}}"#,
            data(",")
        ),
        Spelling::EscapedId => format!(
            r#"{{"type":{kind},"customType":{key}{},"id":{},"parentId":{parent},"timestamp":"t"}}"#,
            data(","),
            in_escapes(id.trim_matches('"')),
        ),
        Spelling::OddNames => format!(
            r#"{{"type":{kind},"customType":{key}{},"id":{id},"parentId":{parent},"x\"id":"e0","y\"parentId":"e1"}}"#,
            data(",")
        ),
        Spelling::Spaced => format!(
            r#" {{ "type" : {kind}, "customType" : {key}{}, "id" : {id}, "parentId" : {parent}, "timestamp" : "t" }} "#,
            data(", ")
        ),
        Spelling::Shuffled => format!(
            r#"{{"nested":{{"id":"e1"}}{},"parentId":{parent},"n":[1],"id":{id},"m":2e3,"customType":{key},"type":{kind},"o":{{"type":"custom"}}}}"#,
            data(",")
        ),
        Spelling::Escaped => {
            let name = in_escapes;
            format!(
                r"{{{}:{kind},{}:{},{}:{parent},{}:{key}{}}}",
                name("type"),
                name("id"),
                in_escapes(id.trim_matches('"')),
                name("parentId"),
                name("customType"),
                data(",")
            )
        }
        Spelling::Mistyped => format!(
            r#"{{"type":{kind},"id":{id},"parentId":{parent},"timestamp":7,"customType":[{key}]{}}}"#,
            data(",")
        ),
    }
}

/// Writes a session file. Ids are `e0`, `e1`, …; cut lines have ids of their own, which are nobody's parent.
fn session(steps: &[Step], crlf: bool, final_line_end: bool) -> Vec<u8> {
    let line_end = if crlf { "\r\n" } else { "\n" };
    let mut file = format!(r#"{{"type":"session","version":3,"id":"s","cwd":"/"}}{line_end}"#).into_bytes();
    let mut ids: Vec<String> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Dirty(line) => file.extend(line.bytes()),
            Step::Cut { share, data, glued } => {
                let id = format!("cut{number}");
                let parent = ids.last().map(String::as_str);
                let whole = spell(&Spelling::LinksLast, "custom", "guard", Some(data), &id, parent);
                let keep = whole.len() * share / 1000;
                file.extend(&whole.as_bytes()[..keep]);
                if *glued {
                    file.extend(whole.bytes());
                }
            }
            Step::Entry { spelling, kind, key, data, parent, duplicate } => {
                let id = match ids.first() {
                    Some(first) if *duplicate => ids.get(number % ids.len()).unwrap_or(first).clone(),
                    _ => format!("e{number}"),
                };
                let parent = match parent {
                    Parent::Previous => ids.last().cloned(),
                    Parent::Older(place) => ids.get(place % ids.len().max(1)).cloned(),
                    Parent::None => None,
                    Parent::Missing => Some("missing".to_owned()),
                    Parent::Later => Some(format!("e{}", number + 1)),
                    Parent::Itself => Some(id.clone()),
                };
                file.extend(spell(spelling, kind, key, data.as_ref(), &id, parent.as_deref()).bytes());
                ids.push(id);
            }
        }
        file.extend(line_end.bytes());
    }
    if !final_line_end {
        file.truncate(file.len() - line_end.len());
    }
    file
}

fn sizes() -> impl Strategy<Value = (usize, usize, usize)> {
    prop_oneof![
        Just((8 << 10, 256 << 10, 1 << 20)),
        (1_usize..200, 1_usize..400, 1_usize..300),
        Just((1, 1, 1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn from_the_end_is_the_whole_file(
        steps in prop::collection::vec(any_step(), 0..30),
        crlf in prop::bool::weighted(0.2),
        final_line_end in prop::bool::weighted(0.8),
        (first, max, hold) in sizes(),
    ) {
        let file = session(&steps, crlf, final_line_end);
        let entries = load(&file);
        let (path, end) = branch(&entries);
        let reader = || {
            let lines = ReverseLines::with_block_sizes(Cursor::new(&file), first, max, hold).unwrap();
            SessionReader::from_lines(lines).unwrap()
        };

        let mut walked = reader().branch();
        let mut walked_path = Vec::new();
        while let Some(mut entry) = walked.next_entry().unwrap() {
            let value: Value = serde_json::from_str(&entry.line().unwrap()).unwrap();
            prop_assert_eq!(entry.entry_type(), value["type"].as_str());
            prop_assert_eq!(entry.parent_id(), value["parentId"].as_str().filter(|parent| !parent.is_empty()));
            walked_path.push((entry.id().to_owned(), value));
        }
        prop_assert_eq!(walked.end(), end);
        let expected_path: Vec<_> = path.iter().map(|entry| (entry.id.clone(), entry.value.clone())).collect();
        prop_assert_eq!(walked_path, expected_path);

        let expected = state(&path);
        let all = reader().read_all().unwrap();
        let all: BTreeMap<_, Value> =
            all.into_iter().map(|(key, data)| (key, serde_json::from_str(data.get()).unwrap())).collect();
        prop_assert_eq!(&all, &expected);

        let keys = ["guard", "guard-defaults", "never", "guard"];
        let found = reader().read_entries(keys).unwrap();
        let many = reader().read_many(&keys).unwrap();
        for ((key, data), same) in keys.into_iter().zip(found).zip(many) {
            let data: Option<Value> = data.map(|data| serde_json::from_str(data.get()).unwrap());
            prop_assert_eq!(data.as_ref(), expected.get(key));
            prop_assert_eq!(same.map(|data| serde_json::from_str(data.get()).unwrap()), data);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut file = br#"{"type":"session","version":3,"id":"s"}"#.to_vec();
        file.push(b'\n');
        file.extend(&noise);
        SessionReader::new(Cursor::new(&file)).unwrap().read_all().unwrap();
        if let Ok(reader) = SessionReader::new(Cursor::new(&noise)) {
            reader.read_all().unwrap();
        }
    }
}
