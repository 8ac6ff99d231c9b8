//! Memory is bounded by the longest line that matters, whatever the size of the file.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may stop at the first surprise"
)]
#![cfg(feature = "file")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use session_query::open_session;

/// Counts what is allocated, and the most that ever was at once.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MIB: usize = 1 << 20;

type WriteLine<'a> = dyn Fn(&mut dyn Write) + 'a;

/// Writes a session of `count` messages of about 2.7 KB, each the parent of the next, then `last` lines.
fn write_session(path: &Path, count: usize, last: &[&WriteLine]) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    writeln!(file, r#"{{"type":"session","version":3,"id":"s","cwd":"/"}}"#).unwrap();
    let text = "word ".repeat(520);
    for n in 0..count {
        let parent = n.checked_sub(1).map_or("null".to_owned(), |before| format!("\"e{before}\""));
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        writeln!(
            file,
            r#"{{"type":"message","id":"e{n}","parentId":{parent},"timestamp":"t","message":{message}}}"#
        )
        .unwrap();
    }
    for line in last {
        line(&mut file);
    }
}

fn peak_of(action: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    action();
    PEAK.load(Relaxed) - before
}

fn fill(file: &mut dyn Write, bytes: usize) {
    let block = vec![b'x'; MIB];
    for _ in 0..bytes / MIB {
        file.write_all(&block).unwrap();
    }
}

// One test: the counters are the process's.
#[test]
fn memory_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let read = |key: &str| open_session(&path).unwrap().read_entry(key).unwrap().map(|data| data.get().len());

    write_session(&path, 20_000, &[]);
    assert!(path.metadata().unwrap().len() > 50 << 20);
    let absent = peak_of(|| assert_eq!(read("never"), None));
    assert!(absent < MIB, "20,000 entries on the branch, an absent key: {absent} bytes");

    let long_message = |file: &mut dyn Write| {
        write!(
            file,
            r#"{{"type":"message","id":"l","parentId":"e9","timestamp":"t","message":{{"content":""#
        )
        .unwrap();
        fill(file, 50 * MIB);
        writeln!(file, r#""}}}}"#).unwrap();
    };
    let tail = |file: &mut dyn Write| {
        writeln!(
            file,
            r#"{{"type":"custom","customType":"k","data":1,"id":"t","parentId":"l","timestamp":"t"}}"#
        )
        .unwrap();
    };
    write_session(&path, 10, &[&long_message, &tail]);
    let long = peak_of(|| assert_eq!(read("never"), None));
    assert!(long < 4 * MIB, "a message of 50 MiB on the branch is not gathered: {long} bytes");

    let long_state = |file: &mut dyn Write| {
        write!(file, r#"{{"type":"custom","customType":"big","data":""#).unwrap();
        fill(file, 50 * MIB);
        writeln!(file, r#"","id":"l","parentId":"e9","timestamp":"t"}}"#).unwrap();
    };
    write_session(&path, 10, &[&long_state, &tail]);
    let unasked = peak_of(|| assert_eq!(read("k"), Some(1)));
    assert!(unasked < MIB, "state of 50 MiB before the answer: {unasked} bytes");
    let unwanted = peak_of(|| assert_eq!(read("never"), None));
    assert!(unwanted < 4 * MIB, "state of 50 MiB under another key: {unwanted} bytes");
    let wanted = peak_of(|| assert_eq!(read("big"), Some(50 * MIB + 2)));
    assert!(wanted < 200 * MIB, "state of 50 MiB that is asked for: {wanted} bytes");
    assert!(wanted > 50 * MIB, "the counters count");
}
