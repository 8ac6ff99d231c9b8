//! Files: what is tolerated, what is refused and where, and what stays in force.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise; this is about its helpers")]

use std::fs;
use std::path::{Path, PathBuf};

use brakeline_settings::{
    Language, Layer, Layers, LoadErrorKind, MAX_DEPTH, MAX_FILE_BYTES, NoteKind, Places, Source, Syntax,
    Trust, load, load_file, read_setting,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn parse(text: &str) -> Result<Layer, brakeline_settings::LoadError> {
    Layer::parse(Source::Project, "s.json", text.as_bytes())
}

#[test]
fn every_fault_has_its_place_and_its_words() {
    for (text, place, message) in [
        ("", "1:1", "the file is empty"),
        (" // nothing\n\n", "3:1", "the file is empty"),
        ("[1]", "1:1", "found an array"),
        ("\n  true", "2:3", "found a boolean"),
        ("{", "1:1", "this `{` is never closed"),
        ("{\n  \"a\": [1,\n", "2:8", "this `[` is never closed"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "2:9", "a comma is missing"),
        ("{\"a\": [1 2]}", "1:9", "a comma is missing"),
        ("{\"a\" 1}", "1:6", "expected a colon"),
        ("{\"a\": }", "1:7", "expected a value"),
        ("{\"a\": 1,, \"b\": 2}", "1:9", "expected a key in double quotes"),
        ("{a: 1}", "1:2", "expected a key in double quotes"),
        ("{'a': 1}", "1:2", "double quotes"),
        ("{\"a\": True}", "1:7", "expected a value"),
        ("{\"a\": 1} }", "1:10", "expected the end of the file"),
        ("{\"a\": \"x\\q\"}", "1:9", "unknown escape"),
        ("{\"a\": 0x10}", "1:7", "not a number"),
        ("{\"a\": +1}", "1:7", "not a number"),
        ("{\"a\": 1.}", "1:7", "not a number"),
        ("{\"a\": .5}", "1:7", "not a number"),
        ("{\"a\": NaN}", "1:7", "expected a value"),
        ("{\"a\": 1e999}", "1:7", "the number `1e999` is too large"),
        ("{\"a\": \"x\ty\"}", "1:9", "`\\u0009`"),
        ("{\n  \"a\": \"x,\n  \"b\": \"y\"\n}", "2:8", "this quote is not closed on its line"),
        ("{\n  \"a\": \"x", "2:8", "this quote is not closed"),
        ("{} /* no end", "1:4", "this comment is never closed"),
        ("{\"键\": 1 2}", "1:8", "a comma is missing"),
    ] {
        let error = parse(text).expect_err(text);
        let prefix = format!("`s.json:{place}`: ");
        let shown = error.to_string();
        assert!(shown.starts_with(&prefix) && shown.contains(message), "{text:?} gave {shown}");
        assert!(!error.text(Language::ZhCn).is_empty());
        assert_eq!(error.file(), Path::new("s.json"));
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_found() {
    let error = Layer::parse(Source::Global, "s.json", b"\xef\xbb\xbf{\n  \"a\": \"\xff\"}").unwrap_err();
    assert!(matches!(error.kind(), LoadErrorKind::NotUtf8));
    let position = error.position().unwrap();
    assert_eq!((position.line, position.column, position.offset), (2, 9, 13));
}

#[test]
fn what_a_person_writes_is_read_with_a_note() {
    for (text, notes) in [
        ("{\"a\": 1}", vec![]),
        ("\u{feff}{\"a\": 1}", vec![("1:1", NoteKind::ByteOrderMark)]),
        ("{\"a\": 1,}", vec![("1:8", NoteKind::TrailingComma)]),
        ("// one\n{\"a\": /* two */ 1}", vec![("1:1", NoteKind::Comment)]),
        (
            "{\r\n\t\"a\": 1, // last\r\n}\r\n",
            vec![("2:8", NoteKind::TrailingComma), ("2:10", NoteKind::Comment)],
        ),
        ("{\"a\":\u{a0}1}", vec![("1:6", NoteKind::OddSpace)]),
        ("{\"a\": 0, \"a\": 1}", vec![("1:10", NoteKind::DuplicateKey("a".to_owned()))]),
    ] {
        let layer = parse(text).expect(text);
        assert_eq!(layer.value(), &json!({"a": 1}), "{text:?}");
        let found: Vec<_> =
            layer.notes().iter().map(|note| (note.position.to_string(), note.kind.clone())).collect();
        let notes: Vec<_> = notes.into_iter().map(|(place, kind)| (place.to_owned(), kind)).collect();
        assert_eq!(found, notes, "{text:?}");
    }
    let note = &parse("{} // why").unwrap().notes()[0].clone();
    assert_eq!(note.text(Language::En), "1:4: a comment is tolerated here, but pi itself cannot read it");
    assert_eq!(note.text(Language::ZhCn), "1:4：这里允许注释，但 pi 自己读不了");
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{{\"a\": {}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let deepest = parse(&nested(MAX_DEPTH)).unwrap();
    assert!(
        serde_json::from_str::<Value>(&deepest.value().to_string()).is_ok(),
        "what was loaded can be read again"
    );
    let error = parse(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert!(matches!(error.kind(), LoadErrorKind::TooDeep { limit: MAX_DEPTH }));
    assert_eq!(error.position().unwrap().column, MAX_DEPTH + 6);
    for bomb in ["[", "{\"a\":", "[{\"a\":"] {
        assert!(parse(&bomb.repeat(100_000)).is_err());
    }
}

/// A file of two megabytes on one line is read in a moment: nothing is quadratic.
#[test]
fn long_lines_are_no_trouble() {
    let text =
        format!("{{{}}}", (0..100_000).map(|n| format!("\"key{n}\": [1, 2]")).collect::<Vec<_>>().join(", "));
    let start = std::time::Instant::now();
    let layer = parse(&text).unwrap();
    assert_eq!(layer.position("key99999").unwrap().column, text.rfind("\"key").unwrap() + 1);
    assert!(start.elapsed().as_secs() < 20, "a quadratic reader takes minutes");
}

struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("home/.pi/agent")).unwrap();
        fs::create_dir_all(root.path().join("project/.pi")).unwrap();
        Self { root }
    }

    fn global(&self) -> PathBuf {
        self.root.path().join("home/.pi/agent/settings.json")
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project/.pi/settings.json")
    }

    fn places(&self, trust: Trust) -> Places {
        let places = Places::of_pi(&self.root.path().join("home"), &self.root.path().join("project"), trust);
        assert_eq!(places.global, Some(self.global()));
        assert_eq!(places.project, Some(self.project()));
        places
    }
}

#[test]
fn missing_files_are_empty_settings() {
    let folder = Folder::new();
    fs::remove_dir_all(folder.root.path().join("project/.pi")).unwrap();
    fs::write(folder.root.path().join("project/.pi"), "a file where the folder would be").unwrap();
    let layers = load(&folder.places(Trust::Trusted), None, &Layers::default()).into_result().unwrap();
    assert_eq!(layers, Layers::default());
    assert_eq!(layers.effective(), &json!({}));
}

#[test]
fn the_project_overrides_the_user_and_overrides_override_both() {
    let folder = Folder::new();
    fs::write(
        folder.global(),
        r#"{"defaultTimeout": 60, "guardLoop": {"maxContinuations": 2, "auto": "g"}, "l": [1, 2]}"#,
    )
    .unwrap();
    fs::write(folder.project(), "{\"guardLoop\":\n{\"auto\": \"p\"}, \"l\": []}").unwrap();
    let overrides = json!({"defaultTimeout": 1}).as_object().cloned();

    let layers = load(&folder.places(Trust::Trusted), overrides, &Layers::default()).into_result().unwrap();
    let expected = json!({"defaultTimeout": 1, "guardLoop": {"maxContinuations": 2, "auto": "p"}, "l": []});
    assert_eq!(layers.effective(), &expected);

    let origin = |path: &str| layers.origin(path).map(|origin| origin.to_string());
    let (global, project) = (folder.global().display().to_string(), folder.project().display().to_string());
    assert_eq!(origin("defaultTimeout").unwrap(), "override");
    assert_eq!(origin("guardLoop.maxContinuations").unwrap(), format!("global, {global}:1"));
    assert_eq!(origin("guardLoop.auto").unwrap(), format!("project, {project}:2"));
    assert_eq!(
        origin("guardLoop").unwrap(),
        format!("project, {project}:1"),
        "the strongest that contributes"
    );
    assert_eq!(origin("l[0]"), None, "the project's list replaced the user's");
    assert_eq!(
        layers.describe_in("guardLoop.auto", Language::ZhCn).unwrap(),
        format!("guardLoop.auto = \"p\"（项目，{project}:2）")
    );

    let untrusted = load(&folder.places(Trust::Untrusted), None, &layers).into_result().unwrap();
    assert_eq!(read_setting(untrusted.effective(), "guardLoop.auto", ""), "g");
    assert_eq!(untrusted.layers().len(), 1);
}

#[test]
fn a_broken_file_leaves_what_was_loaded_before_in_force() {
    let folder = Folder::new();
    fs::write(folder.global(), r#"{"a": 1, "b": 1}"#).unwrap();
    fs::write(folder.project(), r#"{"b": 2}"#).unwrap();
    let before = load(&folder.places(Trust::Trusted), None, &Layers::default()).into_result().unwrap();

    // The other file is read anew all the same.
    fs::write(folder.global(), r#"{"a": 3, "b": 3}"#).unwrap();
    fs::write(folder.project(), "{\n\"b\": ").unwrap();
    let loaded = load(&folder.places(Trust::Trusted), None, &before);
    assert_eq!(loaded.layers.effective(), &json!({"a": 3, "b": 2}));
    assert_eq!(loaded.errors.len(), 1);
    assert_eq!(loaded.errors[0].file(), folder.project());
    assert_eq!(loaded.errors[0].position().unwrap().line, 2);

    // Without earlier layers there is nothing to keep; with those of another project neither.
    let other =
        Layers::new([Layer::parse(Source::Project, "/elsewhere/.pi/settings.json", b"{\"b\": 9}").unwrap()]);
    for before in [Layers::default(), other] {
        let loaded = load(&folder.places(Trust::Trusted), None, &before);
        assert_eq!(loaded.layers.effective(), &json!({"a": 3, "b": 3}));
        assert!(loaded.into_result().is_err());
    }

    // An untrusted project's broken file is nobody's business, and its earlier layer goes.
    let untrusted = load(&folder.places(Trust::Untrusted), None, &before);
    assert!(untrusted.errors.is_empty());
    assert_eq!(untrusted.layers.effective(), &json!({"a": 3, "b": 3}));

    // A file that was removed is empty settings, not a broken file.
    fs::remove_file(folder.project()).unwrap();
    assert_eq!(
        load(&folder.places(Trust::Trusted), None, &before).layers.effective(),
        &json!({"a": 3, "b": 3})
    );
}

#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let folder = Folder::new();
    fs::create_dir(folder.global()).unwrap();
    let error = load_file(Source::Global, &folder.global()).unwrap_err();
    assert!(matches!(error.kind(), LoadErrorKind::NotAFile));
    assert_eq!(error.position(), None);
    assert_eq!(error.to_string(), format!("`{}`: is not a regular file", folder.global().display()));

    let largest = format!("{{}}{}", " ".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() - 2));
    fs::write(folder.project(), &largest).unwrap();
    assert!(load_file(Source::Project, &folder.project()).unwrap().is_some());
    fs::write(folder.project(), largest + " ").unwrap();
    let error = load_file(Source::Project, &folder.project()).unwrap_err();
    assert!(matches!(error.kind(), LoadErrorKind::TooLarge { limit: MAX_FILE_BYTES }));
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_hang_the_loader() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.project()).status().unwrap();
    assert!(made.success());
    let error = load_file(Source::Project, &folder.project()).unwrap_err();
    assert!(matches!(error.kind(), LoadErrorKind::NotAFile));
}

#[test]
fn the_syntax_kinds_are_told_apart() {
    let kind = |text: &str| match parse(text).unwrap_err().kind() {
        LoadErrorKind::Syntax(syntax) => *syntax,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind("{\"a\": \"\u{1}\"}"), Syntax::ControlCharacter('\u{1}'));
    assert_eq!(kind("{\"a\" \"b\"}"), Syntax::ExpectedColon);
    assert_eq!(kind("{\"a\": \"\\ud800\"}"), Syntax::BadEscape);
}

/// Pieces of which valid, nearly valid and broken files are made.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"键\"",
        "1",
        "-0",
        "1e5",
        "0x1",
        "null",
        "true",
        "// c\n",
        "/* c */",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\\",
        "\\u00e9",
        "\u{feff}",
        "\u{a0}",
        "'",
        "{\"a\": 1}",
        "\"a\": [1, 2]",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn strict_readers_agree(text in prop_oneof![pieces(), pieces().prop_map(|text| format!("{{{text}}}"))]) {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let strict = serde_json::from_str::<Value>(bare);
        match parse(&text) {
            Ok(layer) => {
                let is_lenient = layer.notes().iter().any(|note| {
                    matches!(note.kind, NoteKind::Comment | NoteKind::TrailingComma | NoteKind::OddSpace)
                });
                prop_assert_eq!(strict.is_err(), is_lenient, "a note says exactly when a strict reader refuses");
                if let Ok(strict) = strict {
                    prop_assert_eq!(layer.value(), &strict);
                }
            }
            Err(error) => {
                prop_assert!(!strict.is_ok_and(|value| value.is_object()), "refused what is strict JSON: {}", error);
                let position = error.position().unwrap();
                prop_assert!(text.is_char_boundary(position.offset) && position.offset <= text.len());
            }
        }
    }
}
