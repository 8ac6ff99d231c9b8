//! What was changed for an installation, so that it can be undone exactly: the text of each file before and after.

use super::change::{Change, read};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The installations of this user, as `installed.json` in brakeline's state folder keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The format.
    version: u32,
    #[serde(default)]
    pub(crate) files: Vec<Changed>,
}

/// One file that an installation changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    /// For which host, by its name on the command line.
    pub(crate) host: String,
    pub(crate) file: PathBuf,
    /// The text before the first installation; `None`: there was no file.
    pub(crate) before: Option<String>,
    /// The text that the last installation left.
    pub(crate) after: String,
    /// Folders that were made for it, the innermost first.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
}

const VERSION: u32 = 1;

impl Record {
    /// Reads the record; an empty one if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is of a later version.
    pub(crate) fn load(state: &Path) -> io::Result<Self> {
        let Some(text) = read(&Self::file(state))? else {
            return Ok(Self { version: VERSION, files: Vec::new() });
        };
        let record: Self = serde_json::from_str(&text)?;
        if record.version != VERSION {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it is of version {}, and this program knows version {VERSION}", record.version),
            ));
        }
        Ok(record)
    }

    /// Where the record stands.
    pub(crate) fn file(state: &Path) -> PathBuf {
        state.join("installed.json")
    }

    /// Writes the record, or removes it if there is nothing left to remember.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn save(&self, state: &Path) -> io::Result<()> {
        let file = Self::file(state);
        let after = if self.files.is_empty() {
            None
        } else {
            Some(format!("{}\n", serde_json::to_string_pretty(self)?))
        };
        let change = Change { before: read(&file)?, after, file };
        if change.is_empty() { Ok(()) } else { change.make().map(drop) }
    }

    /// Remembers folders that were made for a file.
    pub(crate) fn note_folders(&mut self, host: &str, file: &Path, folders: Vec<PathBuf>) {
        if let Some(changed) =
            self.files.iter_mut().find(|changed| changed.host == host && changed.file == file)
        {
            changed.folders.extend(folders);
        }
    }

    /// Remembers a change, on top of earlier ones of the same file.
    ///
    /// The oldest text stays the one that is given back, as long as nobody else wrote in between.
    pub(crate) fn note(&mut self, host: &str, change: &Change) {
        let Some(after) = change.after.clone() else { return };
        let noted = self.files.iter_mut().find(|changed| changed.host == host && changed.file == change.file);
        if let Some(changed) = noted {
            if change.before.as_ref() != Some(&changed.after) {
                changed.before.clone_from(&change.before);
            }
            changed.after = after;
        } else {
            let (host, file, before) = (host.to_owned(), change.file.clone(), change.before.clone());
            self.files.push(Changed { host, file, before, after, folders: Vec::new() });
        }
    }
}
