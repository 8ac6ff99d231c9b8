//! Lines from the end, named by where the line ends stand in the buffer, and judged against splitting the whole text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use proptest::prelude::*;
use session_query::ReverseLines;

/// What the lines are, by splitting.
fn naive(text: &[u8]) -> Vec<Vec<u8>> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|&byte| byte == b'\n').rev().map(<[u8]>::to_vec).collect()
}

/// What the lines are, read in blocks; a long line is fetched by its place, and every place is checked.
fn in_blocks(text: &[u8], first: usize, max: usize, hold: usize) -> Vec<Vec<u8>> {
    let mut lines = ReverseLines::with_block_sizes(Cursor::new(text), first, max, hold).unwrap();
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        let (start, end, bytes) = (line.start, line.end, line.bytes.map(<[u8]>::to_vec));
        let mut fetched = Vec::new();
        lines.read_range(start, end, &mut fetched).unwrap();
        assert_eq!(bytes.unwrap_or_else(|| fetched.clone()), fetched);
        all.push(fetched);
    }
    assert!(lines.next_line().unwrap().is_none(), "the end is the end");
    all
}

#[track_caller]
fn same(text: &str, first: usize) {
    assert_eq!(in_blocks(text.as_bytes(), first, first, 1 << 20), naive(text.as_bytes()), "{text:?}");
}

#[test]
fn nothing() {
    same("", 8);
}

#[test]
fn one_line_end_only() {
    same("\n", 8);
    same("\n\n\n", 1);
}

#[test]
fn whole_text_in_one_block() {
    same("one\ntwo\nthree\n", 64);
}

#[test]
fn without_a_final_line_end() {
    same("one\ntwo", 64);
    same("one\ntwo", 2);
}

#[test]
fn line_end_is_the_first_byte_of_a_block() {
    same("abc\ndefg", 5);
}

#[test]
fn line_end_is_the_last_byte_of_a_block() {
    same("abc\ndefg", 4);
}

#[test]
fn block_of_one_byte() {
    same("a\n\nbc\nd\n", 1);
}

#[test]
fn line_spans_many_blocks() {
    same("short\na line that spans many blocks of the smallest size\nshort\n", 3);
}

#[test]
fn first_line_is_empty() {
    same("\nabc\n", 2);
}

#[test]
fn carriage_returns_stay() {
    same("a\r\nb\r\n", 3);
}

#[test]
fn long_lines_are_handed_out_by_place() {
    let text = format!("short\n{}\nlast\n", "x".repeat(50));
    let mut lines = ReverseLines::with_block_sizes(Cursor::new(&text), 4, 8, 10).unwrap();
    assert_eq!(lines.next_line().unwrap().unwrap().bytes, Some(&b"last"[..]));
    let long = lines.next_line().unwrap().unwrap();
    assert_eq!((long.start, long.end, long.bytes), (6, 56, None));
    assert_eq!(lines.next_line().unwrap().unwrap().bytes, Some(&b"short"[..]));
}

#[test]
fn long_first_line() {
    let text = format!("{}\nlast", "x".repeat(50));
    assert_eq!(in_blocks(text.as_bytes(), 4, 4, 10), naive(text.as_bytes()));
}

#[test]
fn what_is_appended_later_is_not_seen() {
    let file = tempfile::tempfile().unwrap();
    io::Write::write_all(&mut &file, b"one\ntwo\n").unwrap();
    let mut lines = ReverseLines::new(&file).unwrap();
    io::Write::write_all(&mut &file, b"three\n").unwrap();
    assert_eq!(lines.next_line().unwrap().unwrap().bytes, Some(&b"two"[..]));
}

#[test]
fn a_source_that_became_shorter_is_an_error_and_then_the_end() {
    let file = tempfile::tempfile().unwrap();
    io::Write::write_all(&mut &file, "0123456\n".repeat(4).as_bytes()).unwrap();
    let mut lines = ReverseLines::with_block_sizes(&file, 8, 8, 1 << 20).unwrap();
    file.set_len(3).unwrap();
    assert!(lines.next_line().is_err());
    assert!(lines.next_line().unwrap().is_none());
}

/// Reads one byte a call: short reads are the source's right.
struct Trickle<'a>(Cursor<&'a [u8]>);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let one = into.len().min(1);
        self.0.read(&mut into[..one])
    }
}

impl Seek for Trickle<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn short_reads() {
    let text = b"one\ntwo\nthree\n";
    let mut lines = ReverseLines::new(Trickle(Cursor::new(text))).unwrap();
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        all.push(line.bytes.unwrap().to_vec());
    }
    assert_eq!(all, naive(text));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn blocks_of_any_size_give_the_same_lines(
        text in "[ab\n\r]{0,80}", first in 0_usize..12, max in 0_usize..24, hold in 0_usize..40,
    ) {
        prop_assert_eq!(in_blocks(text.as_bytes(), first, max, hold), naive(text.as_bytes()));
    }
}
