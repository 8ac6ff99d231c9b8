//! Files that are not as they should be, one named case each.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]

use std::error::Error as _;
use std::io::Cursor;

use session_query::{BranchEnd, Error, ErrorKind, ReverseLines, SessionReader, open_session};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;

fn state(id: &str, parent: &str, key: &str, data: &str) -> String {
    format!(
        r#"{{"type":"custom","customType":"{key}","data":{data},"id":"{id}","parentId":{parent},"timestamp":"t"}}"#
    )
}

fn reader<T: AsRef<[u8]>>(file: T) -> Result<SessionReader<Cursor<T>>, Error> {
    SessionReader::new(Cursor::new(file))
}

/// The ids from the newest to the root, and the end; what was last written as `k`.
fn read(file: impl AsRef<[u8]> + Copy) -> (Vec<String>, BranchEnd, Option<String>) {
    let mut branch = reader(file).unwrap().branch();
    let mut ids = Vec::new();
    while let Some(entry) = branch.next_entry().unwrap() {
        ids.push(entry.id().to_owned());
    }
    let data = reader(file).unwrap().read_entry("k").unwrap();
    (ids, branch.end(), data.map(|data| data.get().to_owned()))
}

#[track_caller]
fn check(lines: &[&str], ids: &[&str], end: BranchEnd, data: Option<&str>) {
    let file = [&[HEADER], lines].concat().join("\n");
    let expected = (ids.iter().map(|id| (*id).to_owned()).collect(), end, data.map(str::to_owned));
    assert_eq!(read(&file), expected, "without a final line end");
    assert_eq!(read(&format!("{file}\n")), expected, "with a final line end");
    assert_eq!(read(&format!("{}\r\n", file.replace('\n', "\r\n"))), expected, "with CRLF");
    assert_eq!(read(&format!("{file}\n\n \n")), expected, "with blank lines at the end");
}

#[test]
fn torn_last_line() {
    let (a, b) = (state("a", "null", "k", "1"), state("b", r#""a""#, "k", "2"));
    for cut in 0..b.len() {
        check(&[&a, &b[..cut]], &["a"], BranchEnd::Root, Some("1"));
    }
    check(&[&a, &b], &["b", "a"], BranchEnd::Root, Some("2"));
}

#[test]
fn torn_line_in_the_middle() {
    let (a, torn, b) = (
        state("a", "null", "k", "1"),
        state("t", r#""a""#, "k", "{\"x\":{}}"),
        state("b", r#""a""#, "k", "2"),
    );
    for cut in 0..torn.len() {
        check(&[&a, &torn[..cut], &b], &["b", "a"], BranchEnd::Root, Some("2"));
    }
}

#[test]
fn later_line_of_a_duplicate_id_wins() {
    let lines = [state("a", "null", "k", "1"), state("a", "null", "k", "2"), state("b", r#""a""#, "x", "0")];
    check(&[&lines[0], &lines[1], &lines[2]], &["b", "a"], BranchEnd::Root, Some("2"));
}

#[test]
fn a_parent_stands_earlier() {
    let lines =
        [state("b", r#""a""#, "k", "1"), state("a", "null", "k", "2"), state("c", r#""b""#, "x", "0")];
    check(&[&lines[0], &lines[1], &lines[2]], &["c", "b"], BranchEnd::MissingParent, Some("1"));
}

#[test]
fn missing_parent() {
    check(
        &[&state("a", "null", "k", "1"), &state("b", r#""gone""#, "x", "0")],
        &["b"],
        BranchEnd::MissingParent,
        None,
    );
}

#[test]
fn own_parent() {
    check(&[&state("a", r#""a""#, "k", "1")], &["a"], BranchEnd::MissingParent, Some("1"));
}

#[test]
fn parents_in_a_circle() {
    let lines = [state("a", r#""b""#, "k", "1"), state("b", r#""a""#, "x", "0")];
    check(&[&lines[0], &lines[1]], &["b", "a"], BranchEnd::MissingParent, Some("1"));
}

#[test]
fn other_branches_do_not_count() {
    let lines =
        [state("a", "null", "k", "1"), state("b", r#""a""#, "k", "2"), state("c", r#""a""#, "x", "0")];
    check(&[&lines[0], &lines[1], &lines[2]], &["c", "a"], BranchEnd::Root, Some("1"));
}

#[test]
fn a_message_of_the_same_name_is_not_state() {
    let message = r#"{"type":"custom_message","customType":"k","content":"no","id":"b","parentId":"a","timestamp":"t"}"#;
    check(&[&state("a", "null", "k", "1"), message], &["b", "a"], BranchEnd::Root, Some("1"));
}

#[test]
fn lines_that_are_no_entries() {
    let a = state("a", "null", "k", "1");
    for line in [
        "null",
        "7",
        "[]",
        "{}",
        "\"text\"",
        "{\"id\":7}",
        "{\"id\":\"\"}",
        "{\"id\":\"x\"",
        HEADER,
        "\0",
        "}{",
    ] {
        check(&[&a, line], &["a"], BranchEnd::Root, Some("1"));
        check(&[&a, line, &state("b", r#""a""#, "x", "0")], &["b", "a"], BranchEnd::Root, Some("1"));
    }
}

#[test]
fn members_of_the_wrong_type() {
    let untyped = r#"{"id":"b","parentId":"a"}"#;
    let odd_type = r#"{"type":["custom"],"customType":"k","data":2,"id":"b","parentId":"a"}"#;
    let odd_key = r#"{"type":"custom","customType":{"k":1},"data":2,"id":"b","parentId":"a"}"#;
    for line in [untyped, odd_type, odd_key] {
        check(&[&state("a", "null", "k", "1"), line], &["b", "a"], BranchEnd::Root, Some("1"));
        check(
            &[&state("a", "null", "k", "1"), line, &state("c", r#""b""#, "x", "0")],
            &["c", "b", "a"],
            BranchEnd::Root,
            Some("1"),
        );
    }
    check(&[&state("a", "7", "k", "1")], &["a"], BranchEnd::Root, Some("1"));
}

#[test]
fn state_without_data_and_state_of_null() {
    check(
        &[r#"{"type":"custom","customType":"k","id":"a","parentId":null}"#],
        &["a"],
        BranchEnd::Root,
        Some("null"),
    );
    check(&[&state("a", "null", "k", "null")], &["a"], BranchEnd::Root, Some("null"));
}

#[test]
fn data_that_looks_like_links() {
    let text = r#""x\",\"id\":\"y\",\"parentId\":\"z\",\"timestamp\":\"t\"}""#;
    let nested = r#"{"type":"custom","id":"y","parentId":"z","timestamp":"t"}"#;
    for data in [text, nested] {
        check(
            &[&state("a", "null", "k", data), &state("b", r#""a""#, "x", data)],
            &["b", "a"],
            BranchEnd::Root,
            Some(data),
        );
    }
}

#[test]
fn data_that_other_readers_refuse() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for data in ["1e999", r#""\ud800""#, "12345678901234567890123456789", &deep] {
        check(&[&state("a", "null", "k", data)], &["a"], BranchEnd::Root, Some(data));
    }
}

#[test]
fn bytes_that_are_not_utf_8_read_as_replacement_characters() {
    let mut file = format!("{HEADER}\n").into_bytes();
    file.extend(br#"{"type":"custom","customType":"k","data":""#);
    file.extend(b"\xff\xe4\xbd");
    file.extend(br#"","id":"a","parentId":null}"#);
    assert_eq!(read(&file), (vec!["a".to_owned()], BranchEnd::Root, Some("\"\u{fffd}\u{fffd}\"".to_owned())));
    file.extend(format!("\n{}\n", state("b", r#""a""#, "x", "0")).bytes());
    let ids = vec!["b".to_owned(), "a".to_owned()];
    assert_eq!(read(&file), (ids, BranchEnd::Root, Some("\"\u{fffd}\u{fffd}\"".to_owned())));
}

#[test]
fn escapes_at_the_back() {
    let (a, data) = (state("a", "null", "k", "1"), r#""data":{"x":[]}"#);
    let escaped_id = format!(
        r#"{{"type":"custom","customType":"x",{data},"id":"\u0062","parentId":"a","timestamp":"t"}}"#
    );
    let escaped_parent = format!(
        r#"{{"type":"custom","customType":"x",{data},"id":"b","parentId":"\u0061","timestamp":"t"}}"#
    );
    let odd_names = format!(
        r#"{{"type":"custom","customType":"x",{data},"id":"b","parentId":"a","x\"id":"c","x\"parentId":"c"}}"#
    );
    let odd_name_last =
        format!(r#"{{"type":"custom","customType":"x","id":"b",{data},"parentId":"a","x\"parentId":"c"}}"#);
    let odd_text = format!(
        r#"{{"type":"custom","customType":"x",{data},"id":"b","parentId":"a","x":"\"id\":\"c\",\"parentId\":\"c"}}"#
    );
    for line in [escaped_id, escaped_parent, odd_names, odd_name_last, odd_text] {
        check(&[&a, &line, &state("c", r#""b""#, "x", "0")], &["c", "b", "a"], BranchEnd::Root, Some("1"));
    }
}

/// Only so many bytes of each end of a line are looked at. Wherever that cuts a line, in a name, behind a backslash or at a
/// quote, the answer is the same, whether the line is held in memory or not.
#[test]
fn lines_longer_than_what_is_looked_at() {
    let piece = r#"\",\"id\":\"z\",\"parentId\":\"y\",\"timestamp\":\"t\"}\\"#;
    for pad in 0..200 {
        let text = format!("\"{}{}\"", "x".repeat(pad), piece.repeat(4096 / piece.len() + 1));
        let links_in_the_middle = format!(
            r#"{{"type":"custom","first":{text},"id":"b","parentId":"a","customType":"k","data":2,"last":{text}}}"#
        );
        let lines = [
            state("a", "null", "k", "1"),
            links_in_the_middle,
            state("c", r#""b""#, "x", &text),
            state("d", r#""c""#, "y", "0") + &" ".repeat(4000 + pad),
            state("e", r#""d""#, "y", "0"),
        ];
        let file = format!("{HEADER}\n{}\n", lines.join("\n"));
        for hold in [1 << 20, 1] {
            let lines = ReverseLines::with_block_sizes(Cursor::new(&file), 1000, 1000, hold).unwrap();
            let mut branch = SessionReader::from_lines(lines).unwrap().branch();
            let mut ids = String::new();
            while let Some(mut entry) = branch.next_entry().unwrap() {
                ids.push_str(entry.id());
                if entry.id() == "b" {
                    assert_eq!(entry.key(), Some("k"));
                    assert_eq!(entry.data().unwrap().unwrap().get(), "2");
                }
            }
            assert_eq!(ids, "edcba", "pad {pad}, hold {hold}");
        }
    }
}

/// What is nested in a line may look like an entry that is on the branch; cut right after it, the line ends like that entry.
#[test]
fn a_line_cut_after_a_nested_entry() {
    let cut = format!(r#"{{"type":"custom","customType":"k","data":[{}"#, state("b", r#""gone""#, "k", "3"));
    let (a, b, c) =
        (state("a", "null", "k", "1"), state("b", r#""a""#, "k", "2"), state("c", r#""b""#, "x", "0"));
    check(&[&a, &b, &cut, &c], &["c", "b", "a"], BranchEnd::Root, Some("2"));
    let long = format!(r#"{{"type":"custom","customType":"k","data":["{}",{b}"#, "x".repeat(1_100_000));
    check(&[&a, &b, &long, &c], &["c", "b", "a"], BranchEnd::Root, Some("2"));
}

#[test]
fn a_long_line_with_its_links_at_the_back() {
    let (a, c) = (state("a", "null", "k", "1"), state("c", r#""b""#, "x", "0"));
    for data in [format!("\"{}\"", "x".repeat(1_100_000)), format!("\"{}\u{e9}\"", "\\\"".repeat(600_000))] {
        check(&[&a, &state("b", r#""a""#, "x", &data), &c], &["c", "b", "a"], BranchEnd::Root, Some("1"));
        check(&[&a, &state("b", r#""a""#, "k", &data), &c], &["c", "b", "a"], BranchEnd::Root, Some(&data));
    }
}

/// Not valid JSON, but it begins like an entry that another one names as its parent: the branch goes on, and the line answers
/// no key. Stopping there would lose the session's past for one bad byte, and parsing every line would take ten times as long.
#[test]
fn a_broken_line_with_its_links_in_front_is_followed_but_answers_nothing() {
    let broken = r#"{"type":"custom","id":"b","parentId":"a","customType":"k","data":{"x":}}"#;
    check(
        &[&state("a", "null", "k", "1"), broken, &state("c", r#""b""#, "x", "0")],
        &["c", "b", "a"],
        BranchEnd::Root,
        Some("1"),
    );
}

#[test]
fn a_broken_line_with_its_links_at_the_back_is_no_entry() {
    let broken =
        r#"{"type":"custom","customType":"k","data":{"x":},"id":"b","parentId":"a","timestamp":"t"}"#;
    check(
        &[&state("a", "null", "k", "1"), broken, &state("c", r#""b""#, "x", "0")],
        &["c"],
        BranchEnd::MissingParent,
        None,
    );
}

#[test]
fn no_entries() {
    check(&[], &[], BranchEnd::Root, None);
    assert_eq!(read(""), (vec![], BranchEnd::Root, None));
}

#[track_caller]
fn refused(file: &str) -> Error {
    reader(file).err().unwrap_or_else(|| panic!("{file:?} is no session"))
}

#[test]
fn other_versions_are_named() {
    for (member, named) in [
        ("", "1"),
        (r#""version":1,"#, "1"),
        (r#""version":2,"#, "2"),
        (r#""version":4,"#, "4"),
        (r#""version":"3","#, "\"3\""),
    ] {
        let error = refused(&format!("{{\"type\":\"session\",{member}\"id\":\"s\"}}\n"));
        assert!(
            matches!(error.kind(), ErrorKind::UnsupportedVersion { version } if version == named),
            "{error}"
        );
    }
    assert_eq!(
        refused(r#"{"type":"session","version":2,"id":"s"}"#).to_string(),
        "session format version 2 is not supported, only 3; open the session once in pi, which rewrites it",
    );
}

#[test]
fn not_a_session() {
    for file in [
        "\n",
        "text\n",
        "{}\n",
        "[1]",
        &state("a", "null", "k", "1"),
        r#"{"type":"session","version":3}"#,
        &HEADER[..20],
    ] {
        assert!(matches!(refused(file).kind(), ErrorKind::NotASession), "{file:?}");
    }
}

#[test]
fn lines_before_the_header_that_are_no_entries() {
    let file = format!("\n\nnot json\nnull\n{HEADER}\n{}\n", state("a", "null", "k", "1"));
    assert_eq!(read(&file).2.as_deref(), Some("1"));
}

#[test]
fn a_long_header() {
    let header = format!(r#"{{"cwd":"{}","type":"session","version":3,"id":"s"}}"#, "x".repeat(5000));
    assert_eq!(read(&format!("{header}\n{}\n", state("a", "null", "k", "1"))).2.as_deref(), Some("1"));
}

#[test]
fn a_file_that_is_not_there() {
    let error = open_session("no/such/session.jsonl".as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "`no/such/session.jsonl`: cannot open the session file");
    assert_eq!(error.path(), Some("no/such/session.jsonl".as_ref()));
    assert!(error.source().unwrap().is::<std::io::Error>(), "what the system said is the source");
}

#[test]
fn a_folder_is_an_error() {
    assert!(open_session(std::env::temp_dir().as_path()).is_err());
}

#[test]
fn a_place_is_told_from_the_end() {
    let file = tempfile::tempfile().unwrap();
    let lines: String = (0..1000).map(|n| state(&format!("e{n}"), r#""gone""#, "k", "1") + "\n").collect();
    std::io::Write::write_all(&mut &file, format!("{HEADER}\n{lines}").as_bytes()).unwrap();
    let mut branch = SessionReader::new(&file).unwrap().branch();
    branch.next_entry().unwrap();
    file.set_len(10).unwrap();
    let error = branch.next_entry().unwrap_err();
    let ErrorKind::Read { from_end, .. } = error.kind() else { panic!("{error}") };
    assert!((8192..3 * 8192).contains(from_end), "one block was read: {from_end}");
    assert_eq!(error.to_string(), format!("cannot read the session file, {from_end} bytes from its end"));
}
