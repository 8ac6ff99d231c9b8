//! Reads and merges as lodash does them: the corners as a table, and es-toolkit itself on random cases.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise; this is about its helpers"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use brakeline_settings::{KeyPath, Segment, get, path, read_setting};
use serde_json::{Map, Value, json};

/// What es-toolkit 1.53.2 answers; `null` in the last column of a row is a value, `-` is "absent".
#[test]
fn the_corners_of_the_reference() {
    const ABSENT: &str = "-";
    let document = json!({
        "a": {"b": {"c": 1}, "": 2, "b.c": 3, "null": null, "0": "zero"},
        "a.b": 4,
        "a[0]": 5,
        "list": [10, [11], {"x": 12}],
        ".lead": 6,
        "trail.": 7,
        "": 8,
        "open[": 9,
        "text": "abc",
        "__proto__": 13,
    });
    for (path, expected) in [
        ("a.b", json!(4)),
        ("a.b.c", json!(1)),
        ("a['b.c']", json!(3)),
        ("a[\"b.c\"]", json!(3)),
        ("a[b][c]", json!(1)),
        ("a[b.c]", json!(1)),
        ("a[0]", json!(5)),
        ("a.0", json!("zero")),
        ("a.null", json!(null)),
        ("a.null.x", json!(ABSENT)),
        ("a[]", json!(2)),
        ("a..b", json!(ABSENT)),
        ("list[0]", json!(10)),
        ("list.0", json!(10)),
        ("list[1][0]", json!(11)),
        ("list.2.x", json!(12)),
        ("list[2]['x']", json!(12)),
        ("list[00]", json!(ABSENT)),
        ("list[-1]", json!(ABSENT)),
        ("list[3]", json!(ABSENT)),
        ("list[1.0]", json!(ABSENT)),
        (".lead", json!(6)),
        ("trail.", json!(7)),
        ("", json!(8)),
        ("open[", json!(9)),
        ("text[0]", json!(ABSENT)),
        ("text.length", json!(ABSENT)),
        ("list.length", json!(ABSENT)),
        ("a.constructor", json!(ABSENT)),
        ("__proto__", json!(13)),
    ] {
        let expected = if expected == ABSENT { None } else { Some(&expected) };
        assert_eq!(get(&document, path), expected, "{path}");
    }
    assert_eq!(get(&document, ["a", "b"]), Some(&json!({"c": 1})), "a sequence is never tried whole");
    assert_eq!(get(&document, ["a.b"]), Some(&json!(4)));
    assert_eq!(get(&document, path!["list", 2, "x"]), Some(&json!(12)));
    assert_eq!(get(&document, path!["a", 0]), Some(&json!("zero")));
    assert_eq!(get(&document, path![]), None);
    assert_eq!(get(&json!([1, 2]), "1"), Some(&json!(2)));
    assert_eq!(get(&Value::Null, "a"), None);
}

/// One comparison.
struct Case {
    settings: Value,
    path: CasePath,
    default: Value,
}

enum CasePath {
    Text(String),
    Sequence(Vec<Segment>),
}

impl CasePath {
    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Sequence(segments) => segments
                .iter()
                .map(|segment| match segment {
                    Segment::Key(key) => Value::from(key.as_str()),
                    Segment::Index(index) => Value::from(*index),
                })
                .collect(),
        }
    }

    fn to_path(&self) -> KeyPath {
        match self {
            Self::Text(text) => KeyPath::from(text.as_str()),
            Self::Sequence(segments) => KeyPath::from(segments.as_slice()),
        }
    }
}

/// `SplitMix64`: the same cases for the same seed, here and everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    fn key(&mut self) -> String {
        const PLAIN: [&str; 6] = ["a", "b", "c", "0", "1", "2"];
        const ODD: [&str; 26] = [
            "",
            "a.b",
            "a.b.c",
            ".a",
            "a.",
            "a[0]",
            "[0]",
            "a[",
            "]",
            "\"",
            "'",
            "\\",
            "\\\"",
            "b c",
            "键",
            "😀",
            "00",
            "-1",
            "1.5",
            "-0",
            "\n",
            "constructor",
            "toString",
            "length",
            "__proto__",
            "a\"].b",
        ];
        if self.below(4) > 0 { self.pick(&PLAIN).to_owned() } else { self.pick(&ODD).to_owned() }
    }

    fn scalar(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => Value::from(self.below(2) == 0),
            2 => Value::from(i64::try_from(self.below(1 << 20)).unwrap() - (1 << 19)),
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            3 => Value::from(self.below(1 << 20) as f64 / 8.0 - 7.0),
            _ => Value::from(self.key()),
        }
    }

    fn object(&mut self, depth: u64) -> Value {
        let count = self.below(5);
        Value::Object((0..count).map(|_| (self.key(), self.value(depth))).collect::<Map<_, _>>())
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.below(5) {
            0 | 1 if depth > 0 => self.object(depth - 1),
            2 if depth > 0 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.scalar(),
        }
    }

    /// Another value at the same places: it shares keys, and changes kind now and then.
    fn variation(&mut self, value: &Value, depth: u64) -> Value {
        match value {
            _ if self.below(6) == 0 => self.value(depth),
            Value::Object(members) => {
                let mut varied = Map::new();
                for (key, value) in members {
                    if self.below(4) > 0 {
                        varied.insert(key.clone(), self.variation(value, depth.saturating_sub(1)));
                    }
                }
                if self.below(2) == 0 {
                    varied.insert(self.key(), self.value(depth.saturating_sub(1)));
                }
                Value::Object(varied)
            }
            _ => self.value(depth.saturating_sub(1)),
        }
    }

    /// A walk down a document: mostly to something that is there.
    fn walk(&mut self, document: &Value) -> Vec<String> {
        let mut steps = Vec::new();
        let mut value = document;
        loop {
            let keys: Vec<String> = match value {
                Value::Object(members) => members.keys().cloned().collect(),
                Value::Array(elements) => (0..elements.len()).map(|index| index.to_string()).collect(),
                _ => Vec::new(),
            };
            let stray = self.below(12) == 0;
            if stray || keys.is_empty() {
                if stray {
                    steps.push(self.key());
                }
                return steps;
            }
            let key = keys[usize::try_from(self.below(keys.len() as u64)).unwrap()].clone();
            value = match value {
                Value::Object(members) => &members[&key],
                Value::Array(elements) => &elements[key.parse::<usize>().unwrap()],
                _ => return steps,
            };
            steps.push(key);
            if self.below(3) == 0 {
                return steps;
            }
        }
    }

    /// One of the ways to write a walk as text, right or nearly so.
    fn spelling(&mut self, steps: &[String]) -> String {
        let mut text = String::new();
        for (at, step) in steps.iter().enumerate() {
            match self.below(6) {
                0..=2 if at == 0 => text.push_str(step),
                0..=2 => text.extend([".", step]),
                3 => text.extend(["[", step, "]"]),
                4 => text.extend(["['", &step.replace('\\', "\\\\").replace('\'', "\\'"), "']"]),
                _ => text.extend(["[\"", step, "\"]"]),
            }
        }
        text
    }

    /// Text out of the signs that paths are made of.
    fn noise(&mut self) -> String {
        const SIGNS: [&str; 16] =
            ["a", "b", "0", "1", ".", ".", "[", "]", "[", "]", "\"", "'", "\\", "键", "-", "\n"];
        (0..self.below(9)).map(|_| self.pick(&SIGNS)).collect()
    }

    fn path(&mut self, document: &Value) -> CasePath {
        let steps = self.walk(document);
        match self.below(8) {
            0 => CasePath::Text(self.noise()),
            1 => CasePath::Text(self.key()),
            2..=4 => CasePath::Text(self.spelling(&steps)),
            _ => {
                let segment = |step: String| match step.parse::<usize>() {
                    Ok(index) if index.to_string() == step && self.below(2) == 0 => Segment::Index(index),
                    _ => Segment::Key(step),
                };
                CasePath::Sequence(steps.into_iter().map(segment).collect())
            }
        }
    }

    fn case(&mut self) -> Case {
        let settings = if self.below(12) == 0 { self.value(3) } else { self.object(4) };
        let path = self.path(&settings);
        let default = match get(&settings, path.to_path()) {
            Some(found) if self.below(4) > 0 => self.variation(&found.clone(), 3),
            _ => self.value(3),
        };
        Case { settings, path, default }
    }
}

/// Numbers as JavaScript has them: `1.0` is `1`.
fn as_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(elements) => elements.iter().map(as_floats).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), as_floats(value))).collect()
        }
        other => other.clone(),
    }
}

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}: no number")))
}

#[test]
#[ignore = "needs node and npm's es-toolkit: run tests/es-toolkit/run.sh"]
fn es_toolkit_answers_the_same() {
    let folder =
        std::env::var("BRAKELINE_ES_TOOLKIT").expect("BRAKELINE_ES_TOOLKIT names the folder of answer.mjs");
    let seed = number_from("BRAKELINE_SEED", 1);
    let count = number_from("BRAKELINE_CASES", 100_000);

    let mut node = Command::new("node")
        .arg(Path::new(&folder).join("answer.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let mut questions = node.stdin.take().unwrap();
    let answers = BufReader::new(node.stdout.take().unwrap());
    let asking = std::thread::spawn(move || {
        let mut random = Random(seed);
        for _ in 0..count {
            let case = random.case();
            let line =
                json!({"settings": case.settings, "path": case.path.to_json(), "default": case.default});
            writeln!(questions, "{line}").expect("node reads on");
        }
    });

    // The same seed gives the same cases again, so that none has to be kept.
    let mut random = Random(seed);
    let mut tally = BTreeMap::<&str, u64>::new();
    let (mut passed, mut failed) = (0_u64, 0_u64);
    for line in answers.lines() {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let case = random.case();
        let deviates = answer["deviates"] == true;
        let expected = if deviates { &answer["documented"] } else { &answer };

        let path = case.path.to_path();
        let found = get(&case.settings, &path).is_some();
        let value = read_setting(&case.settings, &path, case.default.clone());
        let is_same = expected["found"] == found && as_floats(&expected["value"]) == as_floats(&value);
        if is_same {
            passed += 1;
        } else {
            failed += 1;
            if failed <= 10 {
                let (settings, default) = (&case.settings, &case.default);
                println!("{settings}\n  path {}\n  default {default}\n  gave {value}", case.path.to_json());
                println!("  expected {}", expected["value"]);
            }
        }
        let merges =
            found && case.default.is_object() && get(&case.settings, &path).is_some_and(Value::is_object);
        for (name, applies) in
            [("found", found), ("merged objects", merges), ("deviations as documented", deviates)]
        {
            *tally.entry(name).or_default() += u64::from(applies);
        }
    }
    asking.join().unwrap();
    assert!(node.wait().unwrap().success());

    println!("seed {seed}: compared {} cases with es-toolkit: {tally:?}", passed + failed);
    println!("{passed} passed, {failed} failed");
    assert_eq!(passed + failed, count, "every case has its answer");
    assert_eq!(failed, 0);
    // A generator that never gets anywhere would agree with anything.
    assert!(count < 1000 || tally["found"] > count / 3 && tally["merged objects"] > count / 50);
    assert!(count < 1000 || tally["deviations as documented"] < count / 4);
}
