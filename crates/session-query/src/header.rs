//! The first entry of a session file: what it is, and in which version.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use crate::error::{Error, ErrorKind};
use crate::line;

/// The one version of pi's session format this crate reads.
const VERSION: &str = "3";
/// Room for a header; a longer one takes several reads.
const HEADER_BLOCK: usize = 512;

/// Checks that `source`, `len` bytes long, is a session of version 3. An empty file is one without entries.
///
/// Lines in front of the header that are no entries are passed over. Memory: the longest line looked at.
pub(crate) fn check<R: Read + Seek>(source: &mut R, len: u64) -> Result<(), Error> {
    if len == 0 {
        return Ok(());
    }
    let header = first_object(source).map_err(|error| Error::read(len, error))?;
    match header {
        Some(header) if header.entry_type.as_deref() == Some("session") && header.id.is_some() => {
            match header.version.unwrap_or_else(|| "1".to_owned()) {
                version if version == VERSION => Ok(()),
                version => Err(Error::new(ErrorKind::UnsupportedVersion { version })),
            }
        }
        _ => Err(Error::new(ErrorKind::NotASession)),
    }
}

fn first_object<R: Read + Seek>(source: &mut R) -> std::io::Result<Option<line::Parsed>> {
    source.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::with_capacity(HEADER_BLOCK, source);
    let mut line = Vec::new();
    while source.read_until(b'\n', &mut line)? > 0 {
        if let Some(object) = line::parse(&line) {
            return Ok(Some(object));
        }
        line.clear();
    }
    Ok(None)
}
