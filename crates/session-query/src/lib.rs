// The page names items of every feature; its examples need the features they show.
#![cfg_attr(all(feature = "file", feature = "serde_json", feature = "pi"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "file", feature = "serde_json", feature = "pi")),
    doc = "What was last written under a key in an agent's session? The README and the page built with all features tell more."
)]
#![cfg_attr(not(feature = "file"), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "pi")]
extern crate alloc;

mod entry;
mod scan;

#[cfg(feature = "pi")]
mod pi;

#[cfg(feature = "file")]
mod branch;
#[cfg(feature = "file")]
mod error;
#[cfg(feature = "file")]
mod header;
#[cfg(feature = "file")]
mod line;
#[cfg(feature = "file")]
mod reader;
#[cfg(feature = "file")]
mod reverse_lines;

pub use entry::Entry;
pub use scan::{read_entries, read_entry, read_many};

#[cfg(feature = "pi")]
pub use pi::{PiEntry, PiMessage};

#[cfg(feature = "file")]
pub use {
    branch::{Branch, BranchEnd, BranchEntry},
    error::{Error, ErrorKind},
    reader::{SessionReader, open_session},
    reverse_lines::{Line, ReverseLines},
};
