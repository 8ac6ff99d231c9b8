//! `read`: windows, what is a text, and the way to read on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    clippy::format_collect,
    clippy::similar_names,
    reason = "a test may stop at the first surprise"
)]

mod common;

use brakeline_agent_tools::{ReadParameters, ReadResult, TextResult, read};
use common::{Folder, text_of};
use proptest::prelude::*;
use serde_json::json;

fn window(folder: &Folder, offset: u64, limit: Option<u64>, column: Option<u64>) -> TextResult {
    let parameters = ReadParameters { path: "f".into(), offset: Some(offset), limit, column };
    match read(&parameters, &folder.context()).unwrap() {
        ReadResult::Text(result) => result,
        ReadResult::Image(image) => panic!("{image:?}"),
    }
}

/// Reads on until there is no more, as the notes say.
fn all(folder: &Folder, limit: Option<u64>) -> String {
    let (mut text, mut offset, mut column) = (String::new(), 1, None);
    loop {
        let result = window(folder, offset, limit, column);
        text.push_str(&result.text);
        match result.next_offset {
            Some(next) => (offset, column) = (next, result.next_column),
            None => return text,
        }
    }
}

#[test]
fn says_how_to_go_on() {
    let folder = Folder::new();
    folder.put("f", (1..=2500).map(|n| format!("line {n}\n")).collect::<String>());
    let said = folder.say("read", json!({ "path": "f" }));
    assert!(said.ends_with("line 2000\n\n[lines 1-2000 of 2500; go on with offset=2001]"), "{said}");
    let said = folder.say("read", json!({ "path": "f", "offset": 2001 }));
    assert!(said.starts_with("line 2001\n") && said.ends_with("line 2500\n"), "{said}");
    insta::assert_snapshot!(folder.say("read", json!({ "path": "f", "offset": 7, "limit": 2 })), @r"
    line 7
    line 8

    [lines 7-8 of 2500; go on with offset=9]
    ");
    insta::assert_snapshot!(folder.say("read", json!({ "path": "f", "offset": 2501 })), @"error: `DIR/f` has 2500 lines; offset 2501 lies behind its end");
    insta::assert_snapshot!(folder.say("read", json!({ "path": "f", "offset": 0 })), @"error: `offset` must be between 1 and 18446744073709551615");
}

#[test]
fn a_line_that_does_not_fit_is_read_on_by_column() {
    let folder = Folder::new();
    let line = format!("x{}", "你好🦀".repeat(20_000));
    folder.put("f", format!("{line}\nend\n"));
    let said = folder.say("read", json!({ "path": "f" }));
    assert!(
        said.ends_with("[line 1 of 2 is too long to show whole; go on with offset=1, column=51198]"),
        "{}",
        &said[said.len() - 200..]
    );
    assert_eq!(all(&folder, None), format!("{line}\nend\n"));
}

/// Seen elsewhere: a text that was cut within a character counted as binary.
#[test]
fn a_character_on_the_border_of_a_block_is_whole() {
    let folder = Folder::new();
    for shift in 0..4 {
        let text = format!("{}{}\n", "x".repeat(shift), "🦀\n".repeat(40_000));
        folder.put("f", &text);
        assert_eq!(all(&folder, None), text);
        assert_eq!(window(&folder, 1, None, None).encoding, "UTF-8");
    }
}

#[test]
fn images_come_as_such() {
    let folder = Folder::new();
    for (name, bytes, mime) in [
        ("a.png", &b"\x89PNG\r\n\x1a\nrest"[..], "image/png"),
        ("a.jpg", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("a.gif", b"GIF89arest", "image/gif"),
        ("a.webp", b"RIFF\x04\0\0\0WEBPrest", "image/webp"),
        ("a.txt", b"GIF87arest", "image/gif"),
    ] {
        folder.put(name, bytes);
        let reply = folder.run("read", json!({ "path": name })).unwrap();
        let image = brakeline_agent_tools::Content::Image { mime_type: mime.into(), data: bytes.into() };
        assert_eq!(reply.content[1], image);
        assert_eq!(text_of(&reply), format!("{name}: {mime}, {} bytes", bytes.len()));
    }
    folder.put("large.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 5 * 1024 * 1024]].concat());
    assert!(folder.say("read", json!({ "path": "large.png" })).contains("at most 5242880 are taken"));
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    let folder = Folder::new();
    folder.put("f", b"%PDF-1.7\n\0\x01");
    insta::assert_snapshot!(folder.say("read", json!({ "path": "f" })), @"error: `DIR/f` is no UTF-8 text (11 bytes, PDF), and was left alone");
    folder.put("f", [&b"text\n".repeat(20_000)[..], b"\0"].concat());
    assert!(folder.say("read", json!({ "path": "f", "offset": 19_999 })).contains("is no UTF-8 text"));
    insta::assert_snapshot!(folder.say("read", json!({ "path": "." })), @"error: `DIR` is a directory; use find to list it");
    folder.put("f", "");
    insta::assert_snapshot!(folder.say("read", json!({ "path": "f" })), @"[the file is empty]");
}

#[test]
fn encodings() {
    let folder = Folder::new();
    let utf_16: Vec<u8> = "\u{feff}你好\r\nende\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.put("f", &utf_16);
    let result = window(&folder, 2, None, None);
    assert_eq!((result.text.as_str(), result.encoding.as_str(), result.bom), ("ende\n", "UTF-16LE", true));
    folder.put("f", "\u{feff}eins\r\nzwei\r\n");
    let result = window(&folder, 1, None, None);
    assert_eq!((result.text.as_str(), result.bom, result.crlf), ("eins\nzwei\n", true, true));
    folder.put("f", "\u{feff}");
    assert_eq!(window(&folder, 1, None, None).text, "");
    folder.put("f", "eins\rzwei\rdrei");
    assert_eq!(window(&folder, 2, Some(1), None).text, "zwei\n");
    let (gbk, _, _) = encoding_rs::GBK.encode("这是一个测试文件，内容是中文。\n第二行也是中文。\n");
    folder.put("f", &gbk);
    let said = folder.say("read", json!({ "path": "f" }));
    assert!(
        said.starts_with("这是一个测试文件，内容是中文。\n第二行")
            && said.contains("edit can replace only plain ASCII"),
        "{said}"
    );
}

#[test]
fn the_home_is_what_the_host_says() {
    let folder = Folder::new();
    folder.put("home/f", "x");
    let home = folder.join("home");
    let parameters = ReadParameters { path: "~/f".into(), ..Default::default() };
    assert!(read(&parameters, &folder.context().with_home(&home)).is_ok());
    let error = read(&parameters, &folder.context()).unwrap_err();
    assert_eq!(error.to_string(), "`~/f`: what ~ stands for is not known; use an absolute path");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The naive twin: the whole text, split.
    #[test]
    fn a_window_is_what_splitting_the_text_gives(
        lines in proptest::collection::vec("[a你]{0,3}", 0..12),
        crlf in any::<bool>(), last in any::<bool>(), offset in 1..14_u64, limit in 1..6_u64,
    ) {
        let folder = Folder::new();
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        if !last && !text.is_empty() {
            text.truncate(text.len() - end.len());
        }
        folder.put("f", &text);
        let shown = text.replace("\r\n", "\n");
        let split: Vec<&str> = shown.split_inclusive('\n').collect();
        prop_assert_eq!(all(&folder, Some(limit)), shown.clone());
        let parameters = ReadParameters { path: "f".into(), offset: Some(offset), limit: Some(limit), column: None };
        match read(&parameters, &folder.context()) {
            Ok(ReadResult::Text(result)) => {
                let from = offset as usize - 1;
                let to = (from + limit as usize).min(split.len());
                prop_assert_eq!(&result.text, &split.get(from..to).unwrap_or_default().concat());
                prop_assert_eq!(result.lines as usize, to.saturating_sub(from));
                prop_assert_eq!(result.total_lines, Some(split.len() as u64));
                prop_assert_eq!(result.next_offset, (to < split.len()).then_some(to as u64 + 1));
            }
            Ok(other @ ReadResult::Image(_)) => prop_assert!(false, "{:?}", other),
            Err(_) => prop_assert!(offset as usize > split.len().max(1)),
        }
    }
}
