//! Any bytes as a session file: no panic, the same answers in blocks of any size, and only entries on the branch.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use session_query::{BranchEnd, ReverseLines, SessionReader};

const HEADER: &[u8] = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n";

fuzz_target!(|input: (bool, u8, u8, u8, &[u8])| {
    let (with_header, first, max, hold, bytes) = input;
    let file = if with_header { [HEADER, bytes].concat() } else { bytes.to_vec() };

    let whole = SessionReader::new(Cursor::new(&file));
    let in_blocks = ReverseLines::with_block_sizes(Cursor::new(&file), first.into(), max.into(), hold.into())
        .map(SessionReader::from_lines)
        .expect("memory can be read");
    let (whole, in_blocks) = match (whole, in_blocks) {
        (Ok(whole), Ok(in_blocks)) => (whole, in_blocks),
        (Err(error), Err(same)) => {
            assert_eq!(error.to_string(), same.to_string());
            assert!(!error.to_string().contains('\n'));
            return;
        }
        (one, other) => panic!("{one:?} but {other:?}"),
    };

    let (mut whole, mut in_blocks) = (whole.branch(), in_blocks.branch());
    let mut parent: Option<String> = None;
    let mut newest = true;
    while let Some(mut entry) = whole.next_entry().expect("memory can be read") {
        let mut same = in_blocks.next_entry().expect("memory can be read").expect("as many entries");
        assert_eq!((entry.id(), entry.parent_id(), entry.key()), (same.id(), same.parent_id(), same.key()));
        assert!(newest || parent.as_deref() == Some(entry.id()));
        parent = entry.parent_id().map(str::to_owned);
        newest = false;
        assert_eq!(entry.line().expect("memory"), same.line().expect("memory"));
        let (data, same) = (entry.data().expect("memory"), same.data().expect("memory"));
        assert_eq!(data.map(|data| data.get().to_owned()), same.map(|data| data.get().to_owned()));
    }
    assert!(in_blocks.next_entry().expect("memory can be read").is_none());
    assert_eq!(whole.end(), in_blocks.end());
    assert_ne!(whole.end(), BranchEnd::Open);

    let all =
        SessionReader::new(Cursor::new(&file)).and_then(SessionReader::read_all).expect("it was read before");
    let keys: Vec<&str> = all.keys().map(String::as_str).collect();
    let many = SessionReader::new(Cursor::new(&file))
        .and_then(|session| session.read_many(&keys))
        .expect("as above");
    for (key, data) in keys.iter().zip(many) {
        assert_eq!(data.map(|data| data.get().to_owned()), Some(all[*key].get().to_owned()));
    }
});
