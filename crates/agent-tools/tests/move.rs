//! `move`: files, links and directories; deleting; what is never overwritten.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    clippy::format_collect,
    clippy::similar_names,
    reason = "a test may stop at the first surprise"
)]

mod common;

use common::Folder;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

fn mv(folder: &Folder, from: &str, to: &str) -> String {
    folder.say("move", json!({ "path": from, "newPath": to }))
}

#[test]
fn moves_and_makes_the_way() {
    let folder = Folder::new();
    folder.put("a", "x");
    assert_eq!(mv(&folder, "a", "new/deep/b"), "M a -> new/deep/b");
    assert_eq!(folder.get("new/deep/b"), b"x");
    assert!(!folder.join("a").exists());
    assert_eq!(mv(&folder, "new", "old"), "M new -> old");
    assert_eq!(folder.get("old/deep/b"), b"x");
}

#[test]
fn deletes_files_links_and_empty_directories() {
    let folder = Folder::new();
    folder.put("d/a", "x");
    symlink("d", folder.join("link")).unwrap();
    assert_eq!(
        mv(&folder, "d", "/dev/null"),
        "error: the directory `DIR/d` is not empty; move deletes files, links and empty directories only"
    );
    assert_eq!(mv(&folder, "link", "/dev/null"), "D link");
    assert_eq!(mv(&folder, "d/a", "/dev/null"), "D d/a");
    assert_eq!(mv(&folder, "d", "/dev/null"), "D d");
    assert_eq!(mv(&folder, "d", "/dev/null"), "error: `DIR/d` does not exist; find can look for it");
}

#[test]
fn never_takes_the_place_of_anything() {
    let folder = Folder::new();
    folder.put("a", "a");
    folder.put("b", "b");
    fs::create_dir(folder.join("d")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    for target in ["b", "d", "dangling", "a", "./a", "d/../b"] {
        let said = mv(&folder, "a", target);
        assert!(
            said.ends_with("exists already; move it away first, or take another name"),
            "{target}: {said}"
        );
    }
    assert_eq!((folder.get("a"), folder.get("b")), (b"a".to_vec(), b"b".to_vec()));
    assert_eq!(mv(&folder, "d", "d/e/f"), "error: the directory `DIR/d` cannot be moved below itself");
    assert!(!folder.join("d/e").exists());
    assert!(mv(&folder, "a", "b/c").starts_with("error: "), "a file is no folder");
    assert!(mv(&folder, "none", "x/y").ends_with("does not exist; find can look for it"));
    assert!(!folder.join("x").exists(), "no folder is made for nothing");
}

#[test]
fn a_link_is_moved_itself() {
    let folder = Folder::new();
    folder.put("real", "x");
    symlink("real", folder.join("link")).unwrap();
    assert_eq!(mv(&folder, "link", "link2"), "M link -> link2");
    assert_eq!(fs::read_link(folder.join("link2")).unwrap().to_str(), Some("real"));
    assert_eq!(folder.get("real"), b"x");
}

#[test]
fn files_cross_file_systems_with_their_attributes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = Folder::new();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: there is no /dev/shm");
        return;
    };
    if fs::metadata(other.path()).unwrap().dev() == fs::metadata(folder.path()).unwrap().dev() {
        println!("skipped: /dev/shm and the temporary folder are one file system");
        return;
    }
    let path = folder.put("a", "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let before = fs::metadata(&path).unwrap();
    let target = other.path().join("sub/a");
    mv(&folder, "a", target.to_str().unwrap());
    let after = fs::metadata(&target).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"x");
    assert_eq!(
        (after.mode(), after.mtime(), after.mtime_nsec()),
        (before.mode(), before.mtime(), before.mtime_nsec())
    );
    assert!(!path.exists());
    folder.put("d/a", "x");
    let said = mv(&folder, "d", other.path().join("d").to_str().unwrap());
    assert!(said.contains("only regular files are moved across"), "{said}");
}
