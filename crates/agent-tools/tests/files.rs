//! What replacing a file keeps, and what is seen of it while it is replaced.
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

use brakeline_agent_tools::{Context, Error, Gate, Open, Refusal, Snapshot, Tool, create};
use common::Folder;
use rustix::fs::XattrFlags;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn edit_a_to_b(folder: &Folder, path: &str) -> String {
    folder.say("edit", json!({ "path": path, "edits": [{ "oldText": "a", "newText": "b" }] }))
}

/// Seen elsewhere: the executable bit was lost.
#[test]
fn the_mode_stays() {
    let folder = Folder::new();
    for mode in [0o755, 0o600, 0o444, 0o4755, 0o2711, 0o640] {
        let path = folder.put("a", "a");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        edit_a_to_b(&folder, "a");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        assert_eq!(folder.get("a"), b"b");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_new_file_gets_the_mode_that_the_umask_leaves() {
    let folder = Folder::new();
    fs::write(folder.join("usual"), "").unwrap();
    folder.run("write", json!({ "path": "new", "content": "x" })).unwrap();
    let mode = |name| fs::metadata(folder.join(name)).unwrap().mode();
    assert_eq!(mode("new"), mode("usual"));
}

#[test]
fn the_owner_stays() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give a file away");
        return;
    }
    let folder = Folder::new();
    let path = folder.put("a", "a");
    std::os::unix::fs::chown(&path, Some(1234), Some(2345)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    edit_a_to_b(&folder, "a");
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (1234, 2345, 0o6755));
}

#[test]
fn extended_attributes_stay() {
    let folder = Folder::new();
    let path = folder.put("a", "a");
    let large = vec![7_u8; 3000];
    for (name, value) in [("user.note", &b"kept"[..]), ("user.empty", b""), ("user.large", &large)] {
        if let Err(error) = rustix::fs::setxattr(&path, name, value, XattrFlags::empty()) {
            println!("skipped: no extended attributes here: {error}");
            return;
        }
    }
    edit_a_to_b(&folder, "a");
    let mut buffer = [0; 4096];
    for (name, value) in [("user.note", &b"kept"[..]), ("user.empty", b""), ("user.large", &large)] {
        let length = rustix::fs::getxattr(&path, name, &mut buffer).unwrap();
        assert_eq!(&buffer[..length], value, "{name}");
    }
    assert_eq!(folder.get("a"), b"b");
}

#[test]
fn a_link_is_followed_and_stays() {
    let folder = Folder::new();
    folder.put("real/a", "a");
    symlink("real/a", folder.join("link")).unwrap();
    symlink("link", folder.join("link2")).unwrap();
    edit_a_to_b(&folder, "link2");
    assert!(folder.join("link").is_symlink() && folder.join("link2").is_symlink());
    assert_eq!(folder.get("real/a"), b"b");
}

#[test]
fn a_link_to_nothing_is_written_through() {
    let folder = Folder::new();
    symlink("real/deep/a", folder.join("link")).unwrap();
    folder.run("write", json!({ "path": "link", "content": "x" })).unwrap();
    assert!(folder.join("link").is_symlink());
    assert_eq!(folder.get("real/deep/a"), b"x");
    symlink("round", folder.join("round")).unwrap();
    let said = folder.say("write", json!({ "path": "round", "content": "x" }));
    assert!(said.contains("Too many levels of symbolic links"), "{said}");
}

#[test]
fn other_names_keep_the_old_content_and_it_is_said() {
    let folder = Folder::new();
    let path = folder.put("a", "a");
    fs::hard_link(&path, folder.join("other")).unwrap();
    let said = edit_a_to_b(&folder, "a");
    assert!(said.contains("1 other hard link keeps the old content"), "{said}");
    assert_eq!((folder.get("a"), folder.get("other")), (b"b".to_vec(), b"a".to_vec()));
}

#[test]
fn a_change_meanwhile_is_noticed() {
    let folder = Folder::new();
    let path = folder.put("a", "old");
    let snapshot = Snapshot::take(&path).unwrap();
    // The same size, and perhaps the same time.
    fs::write(&path, "new").unwrap();
    let error = snapshot.replace(b"mine").unwrap_err();
    assert!(matches!(error, Error::ChangedMeanwhile { .. }), "{error}");
    assert_eq!(folder.get("a"), b"new");

    let snapshot = Snapshot::take(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(matches!(snapshot.replace(b"mine"), Err(Error::ChangedMeanwhile { .. })));
    assert!(!path.exists());

    // Another file with the same content took its place.
    folder.put("a", "old");
    let snapshot = Snapshot::take(&path).unwrap();
    folder.put("b", "old");
    fs::rename(folder.join("b"), &path).unwrap();
    assert!(matches!(snapshot.replace(b"mine"), Err(Error::ChangedMeanwhile { .. })));

    let snapshot = Snapshot::take(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(matches!(snapshot.replace(b"mine"), Err(Error::ChangedMeanwhile { .. })));
    assert_eq!(names(folder.path()), ["a"], "nothing is left behind");
}

/// Somebody changes the file in the moment between the reading and the writing of a call.
#[test]
fn a_change_between_read_and_write_is_noticed_by_the_tools() {
    struct Meddler;
    impl Gate for Meddler {
        fn commit(&self, path: &Path, write: &mut dyn FnMut()) -> Result<(), Refusal> {
            fs::write(path, "theirs").unwrap();
            write();
            Ok(())
        }
    }
    let folder = Folder::new();
    folder.put("f", "a");
    let context = Context::new(folder.path(), &Meddler);
    for (tool, parameters) in [
        ("edit", json!({ "path": "f", "edits": [{ "oldText": "a", "newText": "b" }] })),
        ("write", json!({ "path": "f", "content": "mine" })),
        ("write", json!({ "path": "new", "content": "mine" })),
    ] {
        folder.put("f", "a");
        let error = Tool::named(tool).unwrap().run(&parameters, &context).unwrap_err();
        assert!(matches!(error, Error::ChangedMeanwhile { .. }), "{error}");
        let path = parameters["path"].as_str().unwrap();
        assert_eq!(folder.get(path), b"theirs");
    }
}

#[test]
fn a_refusal_changes_nothing() {
    struct No;
    impl Gate for No {
        fn may_write(&self, path: &Path) -> Result<(), Refusal> {
            if path.ends_with("real") { Err(Refusal::new("not there")) } else { Ok(()) }
        }
    }
    let folder = Folder::new();
    folder.put("real", "a");
    symlink("real", folder.join("link")).unwrap();
    let context = Context::new(folder.path(), &No);
    for (tool, parameters) in [
        ("edit", json!({ "path": "link", "edits": [{ "oldText": "a", "newText": "b" }] })),
        ("write", json!({ "path": "link", "content": "mine" })),
        ("move", json!({ "path": "real", "newPath": "x" })),
        ("move", json!({ "path": "link", "newPath": "sub/real" })),
        ("move", json!({ "path": "real", "newPath": "/dev/null" })),
    ] {
        let error = Tool::named(tool).unwrap().run(&parameters, &context).unwrap_err();
        assert!(matches!(&error, Error::Refused(refusal) if refusal.reason() == "not there"), "{error}");
    }
    assert_eq!(names(folder.path()), ["link", "real"], "the folder of the target is not left behind either");
}

#[test]
fn create_makes_the_way_and_takes_no_place() {
    let folder = Folder::new();
    create(&folder.join("a/b/c"), b"x").unwrap();
    assert!(matches!(create(&folder.join("a/b/c"), b"y"), Err(Error::ChangedMeanwhile { .. })));
    assert_eq!(folder.get("a/b/c"), b"x");
    assert!(create(&folder.join("a/b/c/d/e"), b"y").is_err());
    assert!(create(&folder.join(&format!("new/{}", "n".repeat(300))), b"y").is_err());
    assert_eq!(names(folder.path()), ["a"], "folders that were made for nothing are removed");
}

#[test]
fn write_says_what_it_did() {
    let folder = Folder::new();
    let say = |content: &str| folder.say("write", json!({ "path": "sub/a.txt", "content": content }));
    insta::assert_snapshot!(say("one\n"), @"created sub/a.txt (4 bytes)");
    assert_eq!(say("one\n"), "error: `DIR/sub/a.txt` would stay as it is; nothing was written");
    folder.put("sub/a.txt", "\u{feff}one\r\ntwo\r\n");
    insta::assert_snapshot!(say("one\n2\n"), @r"
    replaced sub/a.txt (11 bytes); line endings stay CRLF; the byte-order mark stays
    @@ -1,2 +1,2 @@
     one␍
    -two␍
    +2␍
    ");
    assert_eq!(folder.get("sub/a.txt"), "\u{feff}one\r\n2\r\n".as_bytes());
    say("no newline");
    assert_eq!(
        folder.get("sub/a.txt"),
        "\u{feff}no newline".as_bytes(),
        "the last line is taken at its word"
    );
    std::fs::create_dir(folder.join("d")).unwrap();
    assert_eq!(
        folder.say("write", json!({ "path": "d", "content": "x" })),
        "error: `DIR/d` is a directory; use find to list it"
    );
    folder.put("empty", "");
    assert_eq!(folder.say("write", json!({ "path": "empty", "content": "x" })), "replaced empty (1 bytes)");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The variable that makes this test program the one that is killed.
const VICTIM: &str = "AGENT_TOOLS_VICTIM";

/// Contents that tell themselves: one letter, repeated.
const LENGTH: usize = 300_000;

/// Not a test of its own: replaces a file for ever, once with each letter.
#[test]
fn victim() {
    let Some(folder) = std::env::var_os(VICTIM) else { return };
    let folder = Path::new(&folder);
    let context = Context::new(folder, &Open);
    loop {
        let old = fs::read_to_string(folder.join("f")).unwrap();
        let letter = old.as_bytes()[0];
        let next = if letter == b'z' { b'a' } else { letter + 1 };
        let content = String::from_utf8(vec![next; LENGTH]).unwrap();
        let parameters = if next.is_multiple_of(2) {
            json!({ "path": "f", "content": content })
        } else {
            json!({ "path": "f", "edits": [{ "oldText": old, "newText": content }] })
        };
        let tool = if next.is_multiple_of(2) { Tool::Write } else { Tool::Edit };
        tool.run(&parameters, &context).unwrap();
    }
}

fn assert_whole(path: &Path, moment: &str) {
    let content = fs::read(path).unwrap();
    assert_eq!(content.len(), LENGTH, "{moment}: old or new, never a part");
    assert!(content.iter().all(|byte| *byte == content[0]), "{moment}: old or new, never a mix");
}

/// Seen elsewhere: readers saw an empty file. And whoever kills the tool finds the old content or the new.
#[test]
fn killed_at_any_moment_and_read_at_any_moment() {
    let folder = Folder::new();
    let path = folder.put("f", vec![b'a'; LENGTH]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let done = AtomicBool::new(false);
    let mut rounds = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_whole(&path, "while it is replaced");
            }
        });
        let start = Instant::now();
        let mut wait = 7;
        while start.elapsed() < Duration::from_secs(5) {
            let before = fs::read(&path).unwrap()[0];
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "victim", "--nocapture", "--quiet"])
                .env(VICTIM, folder.path())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            // The kill shall fall into its work, not into its start.
            while fs::read(&path).unwrap()[0] == before && start.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(1));
            }
            wait = wait * 31 % 97;
            std::thread::sleep(Duration::from_micros(wait * 150));
            child.kill().unwrap();
            child.wait().unwrap();
            assert_whole(&path, "after a kill");
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o751);
            rounds += 1;
        }
        done.store(true, Ordering::Relaxed);
    });
    let litter = names(folder.path()).len() - 1;
    println!("{rounds} kills, {litter} temporary names left");
    assert!(rounds > 5, "{rounds}");
    assert!(litter <= rounds / 4 + 1, "a name that is left behind is rare: {litter} of {rounds}");
}
