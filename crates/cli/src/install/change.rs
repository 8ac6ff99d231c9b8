//! A change to one file: shown before it is made, and made whole or not at all.

use similar::TextDiff;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

/// The size in bytes beyond which a configuration file is not read: 4 MiB.
const MAX_BYTES: u64 = 4 << 20;

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) file: PathBuf,
    /// What stands there; `None`: there is no such file.
    pub(crate) before: Option<String>,
    /// What is to stand there; `None`: the file is to go.
    pub(crate) after: Option<String>,
}

/// Reads a text file; `None` if there is none.
///
/// # Errors
///
/// If it cannot be read, is no regular file, is not UTF-8, or is larger than 4 MiB.
pub(crate) fn read(file: &Path) -> io::Result<Option<String>> {
    let metadata = match fs::metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut text = String::new();
    File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 4 MiB"));
    }
    Ok(Some(text))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Change {
    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// The change as a unified diff.
    pub(crate) fn diff(&self, colored: bool) -> String {
        let [before, after] = [&self.before, &self.after].map(|text| text.as_deref().unwrap_or_default());
        let name = self.file.display().to_string();
        let [old, new] =
            [&self.before, &self.after].map(|text| if text.is_some() { name.as_str() } else { "/dev/null" });
        let diff = TextDiff::from_lines(before, after);
        let plain = diff.unified_diff().context_radius(3).header(old, new).to_string();
        if colored { painted(&plain) } else { plain }
    }

    /// Makes the change: the file holds the old text or the new one at any time, and never anything else.
    ///
    /// A symbolic link stays, and the file that it leads to is changed. The mode of an existing file stays too; a new one is the
    /// user's alone. Returns the folders that had to be made.
    ///
    /// # Errors
    ///
    /// If the file is not what it was when the change was shown, or cannot be written.
    pub(crate) fn make(&self) -> io::Result<Vec<PathBuf>> {
        if read(&self.file)? != self.before {
            return Err(io::Error::other("it was changed in the meantime; look at the new change first"));
        }
        let file = fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        let Some(after) = &self.after else {
            return fs::remove_file(&file).map(|()| Vec::new());
        };
        let folder = file.parent().ok_or_else(|| io::Error::other("it stands in no folder"))?;
        let made = make_folders(folder)?;
        write_whole(&file, folder, after.as_bytes())?;
        Ok(made)
    }
}

/// Writes a file by way of another one in the same folder.
fn write_whole(file: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = tempfile::Builder::new().prefix(".brakeline-").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Ok(metadata) = fs::metadata(file) {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(file).map_err(|error| error.error)?;
    // Without this a power failure may undo the renaming; where folders cannot be synchronised, it is as good as it gets.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Makes a folder and those above it. Returns those that were not there, the innermost first.
fn make_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    fs::create_dir_all(folder)?;
    Ok(missing)
}

fn painted(diff: &str) -> String {
    let mut text = String::new();
    for line in diff.split_inclusive('\n') {
        let color = match line.as_bytes().first() {
            Some(b'+') => "\u{1b}[32m",
            Some(b'-') => "\u{1b}[31m",
            Some(b'@') => "\u{1b}[36m",
            _ => "",
        };
        let end = if color.is_empty() { "" } else { "\u{1b}[0m" };
        let (content, newline) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let _ = write!(text, "{color}{content}{end}{newline}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_mode_and_a_link_stay_and_a_race_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link] = ["real.json", "link.json"].map(|name| folder.path().join(name));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let change = Change { file: link.clone(), before: Some("old".into()), after: Some("new".into()) };
        assert_eq!(change.make().unwrap(), Vec::<PathBuf>::new());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(change.make().unwrap_err().to_string().contains("changed in the meantime"));
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn folders_that_are_made_are_told_and_new_files_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/c.json");
        let change = Change { file: file.clone(), before: None, after: Some("{}".into()) };
        assert_eq!(change.make().unwrap(), [folder.path().join("a/b"), folder.path().join("a")]);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_text_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        assert_eq!(read(&file).unwrap(), None);
        fs::write(&file, b"\xff").unwrap();
        assert!(read(&file).is_err());
        assert!(read(folder.path()).is_err());
        assert_eq!(read(&folder.path().join("x/y")).unwrap(), None);
    }
}
