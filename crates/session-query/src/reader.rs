//! State out of a session file.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use serde_json::value::RawValue;

use crate::branch::{Branch, BranchEntry};
use crate::error::{Error, ErrorKind};
use crate::header;
use crate::reverse_lines::ReverseLines;

/// Opens the session file at `path` for reading its current branch.
///
/// Cost: one small read, whatever the file's size.
///
/// ```no_run
/// let [guard] = session_query::open_session("session.jsonl".as_ref())?.read_entries(["guard"])?;
/// println!("{}", guard.map_or("never written".to_owned(), |data| data.get().to_owned()));
/// # Ok::<(), session_query::Error>(())
/// ```
///
/// # Errors
///
/// When the file cannot be opened or read, or is not a session of format version 3. The error names the file; what is
/// read from the reader later does not.
pub fn open_session(path: &Path) -> Result<SessionReader<File>, Error> {
    let open = File::open(path).map_err(|error| Error::new(ErrorKind::Open(error)));
    open.and_then(SessionReader::new).map_err(|error| error.with_path(path))
}

/// A session of pi's format, version 3, in a file or in memory, as it is when the reader is made.
///
/// Each call is one walk along the current branch, from the end. See [`Branch`] for what the current branch is.
///
/// ```
/// use std::io::Cursor;
/// use session_query::SessionReader;
///
/// let session = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}
/// {"type":"custom","customType":"round","data":{"n":1},"id":"a","parentId":null,"timestamp":"…"}
/// {"type":"custom","customType":"round","data":{"n":2},"id":"b","parentId":"a","timestamp":"…"}
/// {"type":"custom","customType":"other","data":true,"id":"c","parentId":"a","timestamp":"…"}
/// "#;
/// // `c` is the newest entry and follows `a`: what was written in `b` belongs to another branch.
/// let reader = SessionReader::new(Cursor::new(session))?;
/// let [round, never] = reader.read_entries(["round", "never"])?;
/// assert_eq!(round.unwrap().get(), r#"{"n":1}"#);
/// assert!(never.is_none());
/// # Ok::<(), session_query::Error>(())
/// ```
#[derive(Debug)]
pub struct SessionReader<R> {
    lines: ReverseLines<R>,
}

impl<R: Read + Seek> SessionReader<R> {
    /// Returns a reader of `source`, whose first line it checks. An empty source is a session without entries.
    ///
    /// # Errors
    ///
    /// When the source fails, or is not a session of format version 3.
    pub fn new(source: R) -> Result<Self, Error> {
        let lines = ReverseLines::new(source).map_err(|error| Error::read(0, error))?;
        Self::from_lines(lines)
    }

    /// Returns a reader over `lines`, none of which has been taken yet; for block sizes of one's own.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_lines(mut lines: ReverseLines<R>) -> Result<Self, Error> {
        let len = lines.source_len();
        header::check(lines.source_mut(), len)?;
        Ok(Self { lines })
    }

    /// Returns the current branch, newest entry first.
    pub fn branch(self) -> Branch<R> {
        Branch::new(self.lines)
    }

    /// Returns what was last written under `key` on the current branch, or `None` if it never was.
    ///
    /// The data is the JSON text as it is written; that of an entry without data is null.
    ///
    /// Cost: the lines from the end to the answer; the whole file for a key that was never written.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn read_entry(self, key: &str) -> Result<Option<Box<RawValue>>, Error> {
        let [data] = self.read_entries([key])?;
        Ok(data)
    }

    /// Returns for each of `keys` what was last written under it on the current branch, in the order of `keys`.
    ///
    /// The walk stops at the entry that answers the last open key.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn read_entries<const N: usize>(self, keys: [&str; N]) -> Result<[Option<Box<RawValue>>; N], Error> {
        let mut found = [const { None }; N];
        self.fill(&keys, &mut found)?;
        Ok(found)
    }

    /// Returns [`read_entries`](Self::read_entries) for a number of keys that is known only at run time.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn read_many(self, keys: &[&str]) -> Result<Vec<Option<Box<RawValue>>>, Error> {
        let mut found = vec![None; keys.len()];
        self.fill(keys, &mut found)?;
        Ok(found)
    }

    /// Returns every key of the current branch with what was last written under it.
    ///
    /// Cost: the whole file, and the memory of the answer.
    ///
    /// # Errors
    ///
    /// When the source fails.
    pub fn read_all(self) -> Result<BTreeMap<String, Box<RawValue>>, Error> {
        let mut found = BTreeMap::new();
        let mut branch = self.branch();
        while let Some(mut entry) = branch.next_entry()? {
            let Some(key) = entry.key().map(str::to_owned) else { continue };
            if let Slot::Vacant(slot) = found.entry(key)
                && let Some(data) = entry.data()?
            {
                slot.insert(data);
            }
        }
        Ok(found)
    }

    fn fill(self, keys: &[&str], found: &mut [Option<Box<RawValue>>]) -> Result<(), Error> {
        let mut open = keys.len();
        let mut branch = self.branch();
        while open > 0 {
            let Some(mut entry) = branch.next_entry()? else { return Ok(()) };
            let answers = |entry: &BranchEntry<'_, R>, wanted: &str, slot: &Option<_>| {
                slot.is_none() && entry.key() == Some(wanted)
            };
            if !keys.iter().zip(&*found).any(|(wanted, slot)| answers(&entry, wanted, slot)) {
                continue;
            }
            let Some(data) = entry.data()? else { continue };
            for (_, slot) in
                keys.iter().zip(&mut *found).filter(|(wanted, slot)| answers(&entry, wanted, slot))
            {
                *slot = Some(data.clone());
                open -= 1;
            }
        }
        Ok(())
    }
}
