//! `edit`: its contract, and that it changes no byte that it was not asked to change.
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

use brakeline_agent_tools::{Edit, EditProblem, Error, Newline, edit_bytes};
use common::Folder;
use proptest::prelude::*;
use serde_json::json;

fn edit(old: &str, new: &str) -> Edit {
    Edit { old_text: old.into(), new_text: new.into() }
}

fn edited(original: &[u8], old: &str, new: &str) -> Vec<u8> {
    edit_bytes(original, &[edit(old, new)]).unwrap()
}

fn problem(original: &[u8], edits: &[Edit]) -> EditProblem {
    edit_bytes(original, edits).unwrap_err().remove(0).problem
}

#[test]
fn each_text_is_found_in_the_original_not_in_what_other_edits_made() {
    let edits = [edit("one", "two"), edit("two", "three")];
    assert_eq!(edit_bytes(b"one two", &edits).as_deref(), Ok(&b"two three"[..]));
}

#[test]
fn what_is_wrong_is_said_of_every_edit_and_nothing_is_done() {
    let folder = Folder::new();
    folder.put("a.txt", "alpha\nbeta\nbeta\ngamma\n");
    let edits = json!([
        { "oldText": "alpha", "newText": "ALPHA" },
        { "oldText": "beta", "newText": "x" },
        { "oldText": "", "newText": "x" },
        { "oldText": "gammma", "newText": "x" },
        { "oldText": "gamma", "newText": "gamma" },
        { "oldText": "lpha\nb", "newText": "x" },
    ]);
    insta::assert_snapshot!(folder.say("edit", json!({ "path": "a.txt", "edits": edits })), @"error: `DIR/a.txt` was not changed: edits[1]: oldText occurs 2 times (lines 2, 3); add context until it is unique; edits[2]: oldText is empty; use write to create or replace a file; edits[3]: oldText does not occur; line 4 comes nearest: gamma; edits[4]: oldText and newText are the same; edits[5] overlaps edits[0]; make one edit of them");
    assert_eq!(folder.get("a.txt"), b"alpha\nbeta\nbeta\ngamma\n");
}

#[test]
fn the_answer_shows_the_change() {
    let folder = Folder::new();
    folder.put("a.txt", "alpha\r\nbeta\r\ngamma\r\n");
    let edits = json!([{ "oldText": "alpha\nbeta", "newText": "alpha\nBETA\nmore" }]);
    insta::assert_snapshot!(folder.say("edit", json!({ "path": "a.txt", "edits": edits })), @r"
    a.txt: 1 replacement, the first change on line 2
    @@ -1,3 +1,4 @@
     alpha␍
    -beta␍
    +BETA␍
    +more␍
     gamma␍
    ");
    assert_eq!(folder.get("a.txt"), b"alpha\r\nBETA\r\nmore\r\ngamma\r\n");
}

#[test]
fn overlapping_occurrences_count() {
    assert_eq!(problem(b"aaa", &[edit("aa", "b")]), EditProblem::Several { lines: vec![1, 1], count: 2 });
}

/// Seen elsewhere: an exact match was refused because a curly twin counted.
#[test]
fn a_twin_that_only_looks_alike_does_not_count() {
    let file = "say 'hi'\nsay \u{2018}hi\u{2019}\n";
    assert_eq!(edited(file.as_bytes(), "say 'hi'", "x"), "x\nsay \u{2018}hi\u{2019}\n".as_bytes());
    let file = b"a\nb|a\r\nb";
    assert_eq!(edited(file, "a\nb", "x"), b"x|a\r\nb");
}

/// What a loose match would have taken is pointed out, not replaced.
#[test]
fn a_place_that_looks_alike_is_named() {
    let file = "one\n  say \u{201c}hi\u{201d} \u{2014} now\nthree\n";
    assert_eq!(
        problem(file.as_bytes(), &[edit("say \"hi\" - now", "x")]),
        EditProblem::Missing {
            nearest: Some((2, "say \u{201c}hi\u{201d} \u{2014} now".into())),
            only_looks: true
        }
    );
}

/// Seen elsewhere: mixed endings and a lone `\r` in other lines were rewritten.
#[test]
fn endings_elsewhere_stay() {
    let file = b"a\r\nb\nc\rd\r\n";
    assert_eq!(edited(file, "b\n", "B\n"), b"a\r\nB\nc\rd\r\n");
    assert_eq!(edited(b"p 1%\rp 2%\rdone\nx\r\n", "x", "y"), b"p 1%\rp 2%\rdone\ny\r\n");
}

#[test]
fn half_an_ending_is_no_place_to_begin() {
    assert_eq!(edited(b"a\r\nb\r\n", "\nb", ""), b"a\r\n");
    assert_eq!(edited(b"a\r\nb\r\n", "\nb", "\nc"), b"a\r\nc\r\n");
}

#[test]
fn a_byte_order_mark_stays_and_may_be_left_out() {
    assert_eq!(edited(b"\xEF\xBB\xBFa\nb", "a\n", "x\n"), b"\xEF\xBB\xBFx\nb");
}

#[test]
fn in_what_is_no_text_only_ascii_is_replaced() {
    let gbk = b"name = \xC4\xE3\xBA\xC3\nport = 1\n";
    assert_eq!(edited(gbk, "port = 1", "port = 2"), b"name = \xC4\xE3\xBA\xC3\nport = 2\n");
    assert_eq!(problem(gbk, &[edit("port", "\u{4f60}")]), EditProblem::NotAscii);
    // The second byte of a GBK character is an `A`: it is no letter.
    assert!(matches!(problem(b"\xC1A=1\xff", &[edit("A=1", "B=1")]), EditProblem::Missing { .. }));
}

#[test]
fn what_is_not_a_file_is_not_edited() {
    let folder = Folder::new();
    std::fs::create_dir(folder.join("d")).unwrap();
    let edits = json!([{ "oldText": "a", "newText": "b" }]);
    let say = |path: &str| folder.say("edit", json!({ "path": path, "edits": edits }));
    assert_eq!(say("d"), "error: `DIR/d` is a directory; use find to list it");
    assert_eq!(say("none"), "error: `DIR/none` does not exist; find can look for it");
    assert_eq!(say(""), "error: the path is empty; name a file or a directory");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert_eq!(say("pipe"), "error: `DIR/pipe` is not a regular file");
    folder.put("big", vec![b'x'; 10 * 1024 * 1024 + 1]);
    assert!(say("big").contains("at most 10485760 are taken"), "{}", say("big"));
}

#[test]
fn parameters_that_are_not_known_are_refused() {
    let folder = Folder::new();
    folder.put("a.txt", "a");
    let edits = json!([{ "old_text": "a", "newText": "b" }]);
    let said = folder.say("edit", json!({ "path": "a.txt", "edits": edits }));
    assert!(said.contains("unknown field `old_text`, expected `oldText` or `newText`"), "{said}");
}

#[test]
fn an_edit_that_changes_nothing_is_an_error() {
    let folder = Folder::new();
    folder.put("a.txt", "a\r\nb");
    // Different texts, the same bytes.
    let edits = json!([{ "oldText": "a\nb", "newText": "a\r\nb" }]);
    let error = folder.run("edit", json!({ "path": "a.txt", "edits": edits })).unwrap_err();
    assert!(matches!(error, Error::NothingChanges { .. }), "{error}");
}

/// Text with every kind of ending, marks, wide characters and repetition.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab]{1,2}",
        1 => Just("é".to_owned()),
        1 => Just("你".to_owned()),
        1 => Just("🦀".to_owned()),
        1 => Just("\u{feff}".to_owned()),
        2 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => Just(" ".to_owned()),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// As a model writes it: with `\n` only.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The model: every way to read the places of `old`, found by trying each.
fn naive_places(file: &str, old: &str) -> Vec<(usize, usize)> {
    let bytes = file.as_bytes();
    let starts = (0..file.len()).filter(|at| file.is_char_boundary(*at));
    let exact: Vec<_> = starts
        .filter(|at| file[*at..].starts_with(old))
        .filter(|at| !(old.starts_with('\n') && *at > 0 && bytes[at - 1] == b'\r'))
        .map(|at| (at, at + old.len()))
        .collect();
    if !exact.is_empty() || !old.contains(['\n', '\r']) {
        return exact;
    }
    let boundary = |at: usize| {
        file.is_char_boundary(at)
            && !(at > 0 && at < file.len() && bytes[at - 1] == b'\r' && bytes[at] == b'\n')
    };
    let mut found = Vec::new();
    for start in (0..=file.len()).filter(|at| boundary(*at)) {
        for end in (start + 1..=file.len()).filter(|at| boundary(*at)) {
            if plain(&file[start..end]) == plain(old) {
                found.push((start, end));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn agrees_with_the_naive_model(file in text(), old in text(), new in text(), cut in any::<(u16, u16)>()) {
        // Half of the old texts are taken out of the file, as a model would see them.
        let old = if cut.0 % 2 == 0 {
            let shown: Vec<char> = plain(&file).chars().collect();
            let from = usize::from(cut.0) % (shown.len() + 1);
            let to = (from + 1 + usize::from(cut.1) % 6).min(shown.len());
            shown[from.min(to)..to].iter().collect()
        } else {
            old
        };
        prop_assume!(!old.is_empty() && old != new);
        let places = naive_places(&file, &old);
        match edit_bytes(file.as_bytes(), &[edit(&old, &new)]) {
            Ok(result) => {
                prop_assert_eq!(places.len(), 1);
                let (start, end) = places[0];
                let result = String::from_utf8(result).unwrap();
                prop_assert!(result.starts_with(&file[..start]), "what stands before the span changed");
                prop_assert!(result.ends_with(&file[end..]), "what stands behind the span changed");
                let inserted = &result[start..result.len() - (file.len() - end)];
                prop_assert_eq!(plain(inserted), plain(&new), "only endings are adapted");
                if new.contains('\r') {
                    prop_assert_eq!(inserted, new);
                }
            }
            Err(faults) => match &faults[0].problem {
                EditProblem::Missing { .. } => prop_assert!(places.is_empty(), "{:?}", places),
                EditProblem::Several { count, .. } => prop_assert_eq!(*count, places.len()),
                other => prop_assert!(false, "{:?}", other),
            },
        }
    }

    #[test]
    fn a_file_with_one_ending_keeps_to_it(lines in proptest::collection::vec("[a-c]{0,3}", 2..12), at in any::<u8>(), new in "[x\n]{1,6}") {
        for newline in [Newline::Lf, Newline::CrLf, Newline::Cr] {
            let marked: Vec<String> = lines.iter().enumerate().map(|(n, line)| format!("{n}:{line}")).collect();
            let file = marked.join(newline.as_str());
            let from = usize::from(at) % (marked.len() - 1);
            let old = format!("{}\n{}", marked[from], marked[from + 1]);
            // `1:…` also ends `11:…`; only places that are unique are of interest here.
            if let Ok(result) = edit_bytes(file.as_bytes(), &[edit(&old, &new)]) {
                prop_assert!(matches!(Newline::uniform(&result), None | Some(_)));
                let left: String = String::from_utf8(result).unwrap().replace(newline.as_str(), "");
                prop_assert!(!left.contains(['\r', '\n']), "{:?}", left);
            }
        }
    }

    #[test]
    fn several_edits_are_as_one_after_another_from_the_back(words in proptest::collection::vec("[a-z]{1,4}", 1..8)) {
        let file: String = words.iter().enumerate().map(|(n, word)| format!("<{n}:{word}>\r\n")).collect();
        let edits: Vec<Edit> =
            words.iter().enumerate().map(|(n, word)| edit(&format!("<{n}:{word}>"), &format!("[{n}]\n"))).collect();
        let mut one_by_one = file.clone().into_bytes();
        for edit in edits.iter().rev() {
            one_by_one = edit_bytes(&one_by_one, std::slice::from_ref(edit)).unwrap();
        }
        prop_assert_eq!(edit_bytes(file.as_bytes(), &edits).unwrap(), one_by_one);
    }

    #[test]
    fn bytes_of_any_kind_never_panic(file in proptest::collection::vec(any::<u8>(), 0..60), old in ".{0,4}", new in ".{0,4}") {
        if let Ok(result) = edit_bytes(&file, &[edit(&old, &new)]) {
            prop_assert_ne!(result, file);
        }
    }
}
