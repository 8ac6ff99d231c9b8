//! What people are told, in both languages, and what a program can ask of it.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise; this is about its helpers")]

use std::error::Error as _;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use brakeline_settings::{
    Diagnostic, Expected, HostLimits, Language, Layer, Layers, LoadErrorKind, MAX_DEPTH, MAX_FILE_BYTES,
    Places, Source, Trust, global_file_of_xdg, load_file, read_setting_as,
};
use serde::Deserialize;
use serde_json::{Value, json};

fn parse(text: &str) -> Layer {
    Layer::parse(Source::Project, "s.json", text.as_bytes()).unwrap()
}

#[test]
fn what_has_to_be_there_is_said_in_both_languages() {
    for (expected, english, chinese) in [
        (Expected::Object, "an object", "对象"),
        (Expected::Text, "text", "文本"),
        (Expected::Bool, "`true` or `false`", "`true` 或 `false`"),
        (Expected::TextList, "a list of texts", "文本列表"),
        (Expected::AbsolutePathList, "a list of absolute paths", "绝对路径列表"),
        (Expected::WholeNumber { most: 9 }, "a whole number from 0 to 9", "0 到 9 的整数"),
        (Expected::Seconds, "a finite number of seconds above 0", "大于 0 的有限秒数"),
        (
            Expected::SecondsUpTo { most: "9.5".to_owned() },
            "at most 9.5 seconds, which is all the host takes",
            "不超过 9.5 秒（宿主的上限）",
        ),
        (Expected::OneOf(&["a", "b"]), "`\"a\"` or `\"b\"`", "`\"a\"` 或 `\"b\"`"),
    ] {
        assert_eq!(expected.text(Language::En), english);
        assert_eq!(expected.text(Language::ZhCn), chinese);
        let diagnostic = Diagnostic::unusable("a.b", expected.clone(), &json!([1]), Some(&json!(2)));
        let shown = diagnostic.text(Language::En);
        assert!(shown.contains(english) && shown.contains("`a.b`") && shown.contains("`[1]`"), "{shown}");
        assert!(diagnostic.text(Language::ZhCn).contains(chinese));
        assert_eq!((diagnostic.expected(), diagnostic.found()), (&expected, "[1]"));
        assert_eq!((diagnostic.used(), diagnostic.origin()), (Some("2"), None));
    }
}

#[test]
fn a_diagnostic_knows_where_the_setting_stands() {
    let layers = Layers::new([parse("{\n  \"guardLoop\": {\"maxContinuations\": true}\n}")]);
    let reading = layers.read_settings(HostLimits::default());
    let [diagnostic] = reading.diagnostics.as_slice() else { panic!("{:?}", reading.diagnostics) };
    let origin = diagnostic.origin().unwrap();
    assert_eq!((origin.source, origin.position.unwrap().line), (Source::Project, 2));
    assert!(diagnostic.text(Language::ZhCn).contains("0 到 4294967295 的整数"));
}

#[test]
fn tolerated_spellings_are_told_in_both_languages() {
    for (text, english, chinese) in [
        ("{} // why", "a comment is tolerated", "这里允许注释"),
        ("{\"a\": 1,}", "a trailing comma is tolerated", "这里允许多余的逗号"),
        ("\u{feff}{}", "a byte-order mark is tolerated", "这里允许字节顺序标记（BOM）"),
        ("{\"a\":\u{a0}1}", "unusual white space is tolerated", "这里允许特殊空白字符"),
        ("{\"a\": 1, \"a\": 2}", "the key `a` stands twice", "键 `a` 在同一个对象里写了两次"),
    ] {
        let layer = parse(text);
        let [note] = layer.notes() else { panic!("{text:?}: {:?}", layer.notes()) };
        assert!(note.text(Language::En).contains(english), "{}", note.text(Language::En));
        assert!(note.text(Language::ZhCn).contains(chinese), "{}", note.text(Language::ZhCn));
    }
}

#[test]
fn files_that_cannot_be_used_say_why_in_both_languages() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
    let large = vec![b' '; usize::try_from(MAX_FILE_BYTES).unwrap() + 1];
    for (path, english, chinese) in [
        (folder.path().to_owned(), "is not a regular file", "不是普通文件"),
        (Path::new("a\0b").to_owned(), "cannot be read", "无法读取"),
        (file("large", &large), "is larger than 4194304 bytes", "超过 4194304 字节"),
        (file("latin", b"{\"\xff\"}"), "is not UTF-8", "不是 UTF-8"),
        (file("deep", format!("{{\"a\": {deep}}}").as_bytes()), "nested deeper than", "嵌套超过"),
        (file("text", b"\"a\""), "expected an object, found text", "应为对象，实际是 文本"),
        (file("number", b"1"), "found a number", "实际是 数字"),
        (file("flag", b"true"), "found a boolean", "实际是 布尔值"),
        (file("list", b"[]"), "found an array", "实际是 数组"),
        (file("null", b"null"), "found null", "实际是 null"),
    ] {
        let error = load_file(Source::Global, &path).unwrap_err();
        assert!(error.text(Language::En).contains(english), "{error}");
        assert!(error.text(Language::ZhCn).contains(chinese), "{}", error.text(Language::ZhCn));
        assert_eq!(error.source().is_some(), matches!(error.kind(), LoadErrorKind::Unreadable(_)));
    }
}

#[test]
fn the_places_of_a_host_without_settings_of_its_own() {
    let environment = |config: Option<&'static str>, home: Option<&'static str>| {
        move |name: &str| match name {
            "XDG_CONFIG_HOME" => config.map(OsString::from),
            "HOME" => home.map(OsString::from),
            _ => None,
        }
    };
    for (config, home, file) in [
        (Some("/c"), Some("/h"), Some("/c/brakeline/settings.json")),
        (None, Some("/h"), Some("/h/.config/brakeline/settings.json")),
        (Some("relative"), Some("/h"), Some("/h/.config/brakeline/settings.json")),
        (Some(""), Some("h"), None),
        (None, None, None),
    ] {
        assert_eq!(global_file_of_xdg(environment(config, home)).as_deref(), file.map(Path::new));
        let places = Places::of_xdg(environment(config, home), Path::new("/p"), Trust::Trusted);
        assert_eq!(places.global.as_deref(), file.map(Path::new));
        assert_eq!(places.project.as_deref(), Some(Path::new("/p/.pi/settings.json")));
    }
}

#[test]
fn a_setting_in_force_is_described_with_its_origin() {
    let global =
        Layer::parse(Source::Global, "g.json", b"{\"a\": {\"b\": [1, null, false]}, \"c\": 1}").unwrap();
    let project = parse("{\"a\": {\"b\": [2]}, \"d\": {\"0\": true}}");
    let layers = Layers::new([global, project]);
    assert_eq!(layers.describe("c").unwrap(), "c = 1 (global, g.json:1)");
    assert!(layers.describe_in("c", Language::ZhCn).unwrap().contains("全局"));
    assert_eq!(layers.origin("a.b[0]").unwrap().source, Source::Project);
    assert_eq!(layers.origin("a.b.0").unwrap().source, Source::Project);
    assert_eq!(layers.origin("d[0]").unwrap().position.unwrap().column, 25);
    assert!(layers.origin("a.b[0].x").is_none() && layers.describe("x").is_none());
    let names = [Source::Global, Source::Project, Source::Override];
    assert_eq!(names.map(|source| source.to_string()), ["global", "project", "override"]);
    assert_eq!(names.map(|source| source.name(Language::ZhCn)), ["全局", "项目", "覆盖"]);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(rename = "size")]
    _size: u8,
    #[serde(rename = "name")]
    _name: Option<String>,
}

#[test]
fn a_value_of_the_wrong_type_is_named_beside_the_right_one() {
    for (value, key, expected, found) in [
        (json!(null), "a", "an object", "`null`"),
        (json!(true), "a", "an object", "`true`"),
        (json!("x"), "a", "an object", "the text \"x\""),
        (json!({"size": 1, "colour": 2}), "a", "`size`", "the key `colour`"),
        (json!({}), "a", "an object with the key `size`", "an object without it"),
        (json!({"size": -1}), "a.size", "a whole number", "the number -1"),
        (json!({"size": 1, "name": 0.5}), "a.name", "text", "the number 0.5"),
        (json!({"size": {}}), "a.size", "a whole number", "an object"),
        (json!({"size": []}), "a.size", "a whole number", "an array"),
    ] {
        let settings = json!({"a": value});
        let error = read_setting_as::<Strict>(&settings, "a", Value::Null).unwrap_err();
        assert_eq!(error.path().to_string(), key, "{error}");
        assert!(error.expected().contains(expected), "{}", error.expected());
        assert_eq!(error.found(), found);
        assert!(error.to_string().contains(found), "{error}");
    }
}
