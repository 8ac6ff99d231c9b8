//! The tool `move`: moves, renames, deletes.

use crate::atomic::{Parents, folder_of, sync_folder};
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::{Context, Error, Hold, Language};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The target that stands for deleting.
const NOWHERE: &str = "/dev/null";

/// The parameters of `move`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveParameters {
    /// What is moved: a file, a link (the link itself) or a directory.
    pub path: String,
    /// Where to; must not exist. `/dev/null` deletes.
    pub new_path: String,
}

/// What `move` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MoveResult {
    /// What was moved.
    pub path: PathBuf,
    /// Where it is now; nothing if it was deleted.
    pub new_path: Option<PathBuf>,
    /// The answer: `M a -> b` or `D a`.
    pub summary: String,
}

/// Runs `move`.
///
/// # Errors
/// The source does not exist, the target does, or the system refuses. Nothing was changed.
pub fn relocate(parameters: &MoveParameters, context: &Context<'_>) -> Result<MoveResult, Error> {
    let source = Place::of_entry(&parameters.path, context)?;
    source.check_write(context)?;
    let metadata = fs::symlink_metadata(&source.named).map_err(|error| Error::io(&source.named, error))?;
    let from = if metadata.is_dir() { Hold::Tree(&source.real) } else { Hold::File(&source.real) };
    if parameters.new_path == NOWHERE {
        context.gate.hold(&[from])?;
        context.check()?;
        delete(&source, &metadata, context)?;
        let summary = format!("D {}", shown(&source.named, context.cwd));
        return Ok(MoveResult { path: source.named, new_path: None, summary });
    }
    let target = Place::of_entry(&parameters.new_path, context)?;
    // A file that is moved can be read at its new place.
    source.check_read(context)?;
    target.check_write(context)?;
    let to = if metadata.is_dir() { Hold::Tree(&target.real) } else { Hold::File(&target.real) };
    context.gate.hold(&[from, to])?;
    context.check()?;
    rename(&source, &target, &metadata, context)?;
    let summary = format!("M {} -> {}", shown(&source.named, context.cwd), shown(&target.named, context.cwd));
    Ok(MoveResult { path: source.named, new_path: Some(target.named), summary })
}

fn delete(source: &Place, metadata: &Metadata, context: &Context<'_>) -> Result<(), Error> {
    let mut deleted = Ok(());
    context.gate.commit(&source.real, &mut || {
        deleted =
            if metadata.is_dir() { fs::remove_dir(&source.real) } else { fs::remove_file(&source.real) };
    })?;
    deleted.map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty => Error::NotEmpty { path: source.named.clone() },
        _ => Error::io(&source.named, error),
    })?;
    sync_folder(folder_of(&source.real));
    Ok(())
}

fn rename(source: &Place, target: &Place, metadata: &Metadata, context: &Context<'_>) -> Result<(), Error> {
    if metadata.is_dir() && target.real != source.real && target.real.starts_with(&source.real) {
        return Err(Error::IntoItself { path: source.named.clone() });
    }
    // Seen early for the sake of the message; the rename itself refuses too.
    if fs::symlink_metadata(&target.real).is_ok() {
        return Err(Error::TargetExists { path: target.named.clone() });
    }
    let parents = Parents::make(&target.real)?;
    let mut renamed = Ok(());
    context.gate.commit(&source.real, &mut || renamed = rename_exclusive(&source.real, &target.real))?;
    match renamed {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Error::TargetExists { path: target.named.clone() });
        }
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            move_across(source, target, metadata)?;
        }
        Err(error) => return Err(Error::io(&source.named, error)),
    }
    parents.keep();
    sync_folder(folder_of(&target.real));
    sync_folder(folder_of(&source.real));
    Ok(())
}

/// Renames; never takes the place of anything, even if it appears this moment.
fn rename_exclusive(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        // The file system cannot promise it; the check before is what there is.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP)
            if fs::symlink_metadata(to).is_err() =>
        {
            fs::rename(from, to)
        }
        Err(error) => Err(error.into()),
    }
}

/// Copies a regular file to another file system, then deletes the original.
fn move_across(source: &Place, target: &Place, metadata: &Metadata) -> Result<(), Error> {
    if !metadata.is_file() {
        return Err(Error::CrossesFileSystems { path: source.named.clone() });
    }
    crate::atomic::copy_whole(&source.real, &target.real)?;
    fs::remove_file(&source.real).map_err(|error| {
        // Two files where there was one: what failed is undone.
        let _ = fs::remove_file(&target.real);
        Error::io(&source.named, error)
    })
}

impl Answer for MoveResult {
    fn text(&self, _: Language) -> String {
        self.summary.clone()
    }
}
