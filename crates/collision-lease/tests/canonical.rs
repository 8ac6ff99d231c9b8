//! Which file is meant: every spelling of one file meets in one path.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use collision_lease::{CanonicalPath, ClaimKey, FsStore, LeaseSet, PathProblem, SessionId};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, root)
}

fn resolve(path: &Path) -> PathBuf {
    CanonicalPath::resolve(path).unwrap().as_path().to_owned()
}

fn problem(path: &Path) -> PathProblem {
    let error = CanonicalPath::resolve(path).unwrap_err();
    let text = format!("{error:?}");
    // `PathError` lends its problem; the tests want to match on it.
    match error.problem() {
        PathProblem::Empty => PathProblem::Empty,
        PathProblem::ParentOfMissing => PathProblem::ParentOfMissing,
        PathProblem::NotADirectory { at } => PathProblem::NotADirectory { at: at.clone() },
        PathProblem::Loop { at } => PathProblem::Loop { at: at.clone() },
        _ => panic!("{text}"),
    }
}

#[test]
fn spellings_of_an_existing_file() {
    let (_guard, root) = place();
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/b/file"), "").unwrap();
    symlink(root.join("a"), root.join("to-a")).unwrap();
    symlink("b/file", root.join("a/to-file")).unwrap();
    let file = root.join("a/b/file");
    for spelling in [
        "a/b/file",
        "a/./b//file",
        "a/b/../b/file",
        "to-a/b/file",
        "to-a/to-file",
        "to-a/../a/b/file",
        "a/b/file/",
    ] {
        assert_eq!(resolve(&root.join(spelling)), file, "{spelling}");
    }
    assert_eq!(resolve(&root.join("to-a/to-file")), root.join("to-a/to-file").canonicalize().unwrap());
}

#[test]
fn parent_of_a_link_is_where_the_link_leads() {
    let (_guard, root) = place();
    fs::create_dir_all(root.join("deep/er")).unwrap();
    symlink("deep/er", root.join("link")).unwrap();
    // By the text it would be ROOT/file; the kernel says ROOT/deep/file.
    assert_eq!(resolve(&root.join("link/../file")), root.join("deep/file"));
}

#[test]
fn a_file_that_does_not_exist_yet() {
    let (_guard, root) = place();
    symlink(&root, root.join("me")).unwrap();
    assert_eq!(resolve(&root.join("me/new")), root.join("new"));
    assert_eq!(resolve(&root.join("me/no/such/folder/new")), root.join("no/such/folder/new"));
    assert_eq!(resolve(&root.join("me/no/./such/new")), root.join("no/such/new"));
    assert!(matches!(problem(&root.join("no/../new")), PathProblem::ParentOfMissing));
    assert!(matches!(problem(&root.join("no/such/../../../new")), PathProblem::ParentOfMissing));
}

#[test]
fn a_dangling_link_means_the_file_that_a_write_would_create() {
    let (_guard, root) = place();
    fs::create_dir(root.join("folder")).unwrap();
    symlink("folder/target", root.join("dangling")).unwrap();
    symlink("nowhere/target", root.join("far")).unwrap();
    symlink("nowhere/../target", root.join("undecided")).unwrap();
    assert_eq!(resolve(&root.join("dangling")), root.join("folder/target"));
    assert_eq!(resolve(&root.join("far")), root.join("nowhere/target"));
    assert!(matches!(problem(&root.join("undecided")), PathProblem::ParentOfMissing));
    fs::write(root.join("dangling"), "").unwrap();
    assert_eq!(resolve(&root.join("dangling")), root.join("folder/target"));
}

#[test]
fn the_name_stays_the_same_when_the_file_comes_into_being() {
    let (_guard, root) = place();
    let path = root.join("x/y/z");
    let before = resolve(&path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    assert_eq!(resolve(&path), before);
}

#[test]
fn what_cannot_be_told() {
    let (_guard, root) = place();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    fs::write(root.join("file"), "").unwrap();
    assert!(matches!(problem(&root.join("a")), PathProblem::Loop { .. }));
    assert!(matches!(problem(&root.join("file/below")), PathProblem::NotADirectory { .. }));
    assert!(matches!(problem(&root.join("file/..")), PathProblem::NotADirectory { .. }));
    assert!(matches!(problem(Path::new("")), PathProblem::Empty));
    assert!(CanonicalPath::resolve(Path::new("/etc/a\0b")).is_err());
}

#[test]
fn bytes_that_are_no_text() {
    let (_guard, root) = place();
    let one = root.join(OsStr::from_bytes(b"caf\xe9"));
    let other = root.join(OsStr::from_bytes(b"caf\xe8"));
    let key = |path: &Path| ClaimKey::of(&CanonicalPath::resolve(path).unwrap());
    assert_ne!(key(&one), key(&other));
    let set = LeaseSet::for_process(&root.join("state"), SessionId::new("s")).unwrap();
    set.acquire(&one).unwrap();
    let store = FsStore::open(&root.join("state")).unwrap();
    let text = fs::read_to_string(store.claim_file(&key(&one))).unwrap();
    assert!(text.contains("pathHex"), "{text}");
    let status = set.status().unwrap();
    let collision_lease::EntryState::Claim { claim, .. } = &status[0].state else { panic!("{status:?}") };
    assert_eq!(claim.path.as_ref().unwrap().as_bytes(), one.as_os_str().as_bytes());
}

/// The kernel's own answer, wherever it has one.
#[test]
fn agrees_with_realpath() {
    let (_guard, root) = place();
    fs::create_dir_all(root.join("d1/d2")).unwrap();
    fs::write(root.join("d1/f"), "").unwrap();
    symlink("d1", root.join("l1")).unwrap();
    symlink("../l1/d2", root.join("d1/l2")).unwrap();
    symlink(root.join("d1/f"), root.join("l3")).unwrap();
    let names = ["d1", "d2", "f", "l1", "l2", "l3", "..", ".", "none"];
    let mut compared = 0;
    for first in names {
        for second in names {
            for third in names {
                for fourth in names {
                    let path = root.join(first).join(second).join(third).join(fourth);
                    if let Ok(expected) = path.canonicalize() {
                        assert_eq!(resolve(&path), expected, "{}", path.display());
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
