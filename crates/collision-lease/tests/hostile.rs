//! A state folder that is full, read-only, somebody else's, or prepared by an enemy.
//!
//! What needs root or a mount says so and is skipped elsewhere.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]
#![cfg(target_os = "linux")]

use collision_lease::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let root = guard.path().canonicalize().unwrap();
    (guard, root)
}

fn set(state: &Path) -> Result<LeaseSet, Error> {
    LeaseSet::for_process(state, SessionId::new("s"))
}

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("SKIPPED: needs root");
    }
    root
}

/// A small file system in memory, unmounted at the end.
struct Mount(PathBuf);

impl Mount {
    fn new(at: &Path, options: &str) -> Option<Self> {
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(at)
            .stderr(Stdio::null())
            .status();
        if is_root() && status.is_ok_and(|status| status.success()) {
            return Some(Self(at.to_owned()));
        }
        println!("SKIPPED: cannot mount a tmpfs here");
        None
    }

    fn remount(&self, options: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.0).status();
        assert!(status.unwrap().success());
    }

    /// Writes until no byte is left.
    fn fill(&self) {
        use std::io::Write;
        let mut file = fs::File::create(self.0.join("ballast")).unwrap();
        for size in [4096, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn problem(error: &Error) -> &StoreProblem {
    match error {
        Error::Store(error) => error.problem(),
        other => panic!("{other}"),
    }
}

fn claims(state: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(state.join("claims")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

#[test]
fn new_folders_and_files_are_private() {
    let (_guard, root) = folder();
    let state = root.join("a/b/collision-guard");
    let set = set(&state).unwrap();
    set.acquire(&root.join("file")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in
        ["a", "a/b", "a/b/collision-guard", "a/b/collision-guard/claims", "a/b/collision-guard/locks"]
    {
        assert_eq!(mode(&root.join(folder)), 0o700, "{folder}");
    }
    for folder in ["claims", "locks"] {
        for entry in
            fs::read_dir(state.join(folder)).unwrap().map(Result::unwrap).filter(|e| e.path().is_file())
        {
            assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
        }
    }
}

#[test]
fn full_disk() {
    let (_guard, root) = folder();
    let Some(mount) = Mount::new(&root, "size=64k") else { return };
    let state = root.join("state");
    let set = set(&state).unwrap();
    set.acquire("/nowhere/kept".as_ref()).unwrap();
    mount.fill();
    let before = claims(&state);
    let error = set.acquire("/nowhere/refused".as_ref()).unwrap_err();
    assert!(matches!(problem(&error), StoreProblem::NoSpace), "{error}");
    assert_eq!(claims(&state), before, "a refused acquire left something behind");

    // The heartbeat cannot write, so it touches.
    let claim = before.iter().find(|path| path.extension().is_some()).unwrap();
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    fs::File::options().write(true).open(claim).unwrap().set_modified(hour_ago).unwrap();
    let beaten = set.beat();
    assert_eq!((beaten.count, beaten.lost.len(), beaten.failed.len()), (1, 0, 0));
    assert!(fs::metadata(claim).unwrap().modified().unwrap() > hour_ago + Duration::from_mins(50));
    assert_eq!(set.release_all().count, 1);
}

#[test]
fn no_inode_left() {
    let (_guard, root) = folder();
    let Some(_mount) = Mount::new(&root, "nr_inodes=10") else { return };
    let set = set(&root.join("state")).unwrap();
    let mut refused = None;
    for number in 0..20 {
        if let Err(error) = set.acquire(Path::new(&format!("/nowhere/{number}"))) {
            refused = Some(error);
            break;
        }
    }
    let error = refused.expect("there were inodes enough");
    assert!(matches!(problem(&error), StoreProblem::NoSpace), "{error}");
    let beaten = set.beat();
    assert_eq!((beaten.lost.len(), beaten.failed.len()), (0, 0));
}

#[test]
fn read_only_file_system() {
    let (_guard, root) = folder();
    let Some(mount) = Mount::new(&root, "size=256k") else { return };
    // Without the liveness lock, which keeps a file open for writing, and with it the mount busy.
    let mut options = FsOptions::default();
    options.no_liveness_lock = true;
    let store = std::sync::Arc::new(FsStore::open_with(&root.join("state"), options).unwrap());
    let set =
        LeaseSet::open(store, Owner::for_process(SessionId::new("s")).unwrap(), Options::default()).unwrap();
    set.acquire("/nowhere/kept".as_ref()).unwrap();
    mount.remount("ro");
    let error = set.acquire("/nowhere/refused".as_ref()).unwrap_err();
    assert!(matches!(problem(&error), StoreProblem::ReadOnly), "{error}");
    assert!(set.commit("/nowhere/kept".as_ref(), |_| ()).is_err());
    let beaten = set.beat();
    assert_eq!((beaten.lost.len(), beaten.failed.len()), (0, 1));
    assert_eq!(set.status().unwrap().len(), 1);
    mount.remount("rw");
    assert_eq!(set.beat().count, 1);
}

#[test]
fn folder_without_permission() {
    let (_guard, root) = folder();
    if rustix::process::geteuid().is_root() {
        println!("SKIPPED: root may write everywhere");
        return;
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o500)).unwrap();
    let error = set(&root.join("state")).unwrap_err();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(matches!(problem(&error), StoreProblem::Denied), "{error}");
}

#[test]
fn state_folder_of_another_user() {
    if !is_root() {
        return;
    }
    for inner in ["", "claims", "locks"] {
        let (_guard, root) = folder();
        let state = root.join("state");
        drop(FsStore::open(&state).unwrap());
        chown(state.join(inner), Some(12_345), None).unwrap();
        let error = set(&state).unwrap_err();
        assert!(matches!(problem(&error), StoreProblem::Unsafe(Unsafe::OtherOwner)), "{inner}: {error}");
    }
}

#[test]
fn state_folder_that_others_may_write() {
    for inner in ["", "claims", "locks"] {
        for mode in [0o770, 0o702, 0o777] {
            let (_guard, root) = folder();
            let state = root.join("state");
            drop(FsStore::open(&state).unwrap());
            fs::set_permissions(state.join(inner), fs::Permissions::from_mode(mode)).unwrap();
            let error = set(&state).unwrap_err();
            assert!(
                matches!(problem(&error), StoreProblem::Unsafe(Unsafe::WritableByOthers)),
                "{inner}: {error}"
            );
            let after = fs::metadata(state.join(inner)).unwrap().permissions().mode() & 0o777;
            assert_eq!(after, mode, "an existing folder was changed");
        }
    }
}

#[test]
fn state_folder_that_is_a_link_or_a_file() {
    for inner in ["", "claims", "locks"] {
        let (_guard, root) = folder();
        let state = root.join("state");
        if !inner.is_empty() {
            fs::create_dir(&state).unwrap();
        }
        fs::create_dir(root.join("elsewhere")).unwrap();
        let target = if inner.is_empty() { state.clone() } else { state.join(inner) };
        symlink(root.join("elsewhere"), &target).unwrap();
        let error = set(&state).unwrap_err();
        assert!(matches!(problem(&error), StoreProblem::Unsafe(Unsafe::Symlink)), "{inner}: {error}");
        fs::remove_file(&target).unwrap();
        fs::write(&target, "").unwrap();
        let error = set(&state).unwrap_err();
        assert!(matches!(problem(&error), StoreProblem::Unsafe(Unsafe::NotADirectory)), "{inner}: {error}");
    }
}

/// Puts something in place of a claim, and returns what an acquire says, at once and after a day.
fn acquire_beside(put: impl FnOnce(&Path)) -> (Error, PathBuf, TempDir) {
    let (guard, root) = folder();
    let state = root.join("state");
    let store = FsStore::open(&state).unwrap();
    let key = ClaimKey::of(&CanonicalPath::resolve("/nowhere/x".as_ref()).unwrap());
    let claim = store.claim_file(&key);
    put(&claim);
    let error = set(&state).unwrap().acquire("/nowhere/x".as_ref()).unwrap_err();
    // Looking at it, as `status` does, must neither wait nor fail.
    assert_eq!(set(&state).unwrap().status().unwrap().len(), 1);
    assert!(claim.symlink_metadata().is_ok(), "it was removed");
    (error, claim, guard)
}

#[test]
fn claim_that_is_a_link() {
    let (error, claim, _guard) = acquire_beside(|claim| {
        let target = claim.with_extension("target");
        fs::write(&target, "precious").unwrap();
        symlink(target, claim).unwrap();
    });
    assert!(matches!(error, Error::Hostile { what: Hostile::Symlink, .. }), "{error}");
    assert_eq!(fs::read_to_string(claim.with_extension("target")).unwrap(), "precious");
}

#[test]
fn claim_that_is_a_fifo() {
    let (error, ..) = acquire_beside(|claim| {
        rustix::fs::mknodat(rustix::fs::CWD, claim, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
    });
    assert!(matches!(error, Error::Hostile { what: Hostile::NotAFile, .. }), "{error}");
}

#[test]
fn claim_that_is_a_folder() {
    let (error, ..) = acquire_beside(|claim| fs::create_dir(claim).unwrap());
    assert!(matches!(error, Error::Hostile { what: Hostile::NotAFile, .. }), "{error}");
}

#[test]
fn claim_of_another_user() {
    if !is_root() {
        return;
    }
    let (error, ..) = acquire_beside(|claim| {
        fs::write(claim, r#"{"pid": 1}"#).unwrap();
        chown(claim, Some(12_345), None).unwrap();
    });
    assert!(matches!(error, Error::Hostile { what: Hostile::OtherOwner, .. }), "{error}");
}

#[test]
fn huge_claim_is_corrupt_and_not_read_whole() {
    let (error, ..) = acquire_beside(|claim| {
        let file = fs::File::create(claim).unwrap();
        file.set_len(1 << 34).unwrap();
    });
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
}

#[test]
fn deeply_nested_claim_is_corrupt() {
    let (error, ..) = acquire_beside(|claim| fs::write(claim, "[".repeat(60_000)).unwrap());
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
}

#[test]
fn corrupt_claim_past_its_grace_is_replaced_and_kept() {
    for (age, replaced) in [(Duration::from_secs(29), false), (Duration::from_millis(30_001), true)] {
        let (_guard, root) = folder();
        let state = root.join("state");
        let key = ClaimKey::of(&CanonicalPath::resolve("/nowhere/x".as_ref()).unwrap());
        let claim = FsStore::open(&state).unwrap().claim_file(&key);
        fs::write(&claim, "half a cla").unwrap();
        fs::File::options().write(true).open(&claim).unwrap().set_modified(SystemTime::now() - age).unwrap();
        let result = set(&state).unwrap().acquire("/nowhere/x".as_ref());
        assert_eq!(result.is_ok(), replaced);
        let quarantine = state.join("claims/.quarantine");
        let kept: Vec<_> = fs::read_dir(quarantine).into_iter().flatten().map(Result::unwrap).collect();
        assert_eq!(kept.len(), usize::from(replaced));
        for kept in kept {
            assert_eq!(fs::read_to_string(kept.path()).unwrap(), "half a cla");
        }
    }
}

#[test]
fn lock_file_that_is_a_link() {
    let (_guard, root) = folder();
    let state = root.join("state");
    drop(FsStore::open(&state).unwrap());
    let key = ClaimKey::of(&CanonicalPath::resolve("/nowhere/x".as_ref()).unwrap());
    fs::write(root.join("precious"), "precious").unwrap();
    symlink(root.join("precious"), state.join(format!("locks/{key}.lock"))).unwrap();
    let error = set(&state).unwrap().acquire("/nowhere/x".as_ref()).unwrap_err();
    assert!(matches!(problem(&error), StoreProblem::Unsafe(Unsafe::Symlink)), "{error}");
    assert_eq!(fs::read_to_string(root.join("precious")).unwrap(), "precious");
}

#[test]
fn generation_only_grows_even_if_its_file_is_spoilt() {
    let (_guard, root) = folder();
    let state = root.join("state");
    let set = set(&state).unwrap();
    let file: &Path = "/nowhere/x".as_ref();
    let mut last = 0;
    let key = ClaimKey::of(&CanonicalPath::resolve(file).unwrap());
    for spoil in [None, None, Some("garbage"), None, Some("99999999999999999999999"), None] {
        if let Some(text) = spoil {
            fs::write(state.join(format!("locks/{key}.lock")), text).unwrap();
        }
        let grant = set.acquire(file).unwrap();
        assert!(grant.generation > last, "{} after {last}", grant.generation);
        last = grant.generation;
        set.release(file).unwrap();
    }
}

#[test]
fn deleted_state_folder_is_a_loss_and_no_standstill() {
    let (_guard, root) = folder();
    let state = root.join("state");
    let set = set(&state).unwrap();
    set.acquire("/nowhere/x".as_ref()).unwrap();
    fs::remove_dir_all(&state).unwrap();
    assert_eq!(set.beat().lost.len(), 1);
    assert!(set.acquire("/nowhere/x".as_ref()).unwrap().new);
    assert_eq!(claims(&state).len(), 1);
}

#[test]
fn what_a_killed_writer_left_is_in_nobodys_way() {
    let (_guard, root) = folder();
    let state = root.join("state");
    drop(FsStore::open(&state).unwrap());
    let key = ClaimKey::of(&CanonicalPath::resolve("/nowhere/x".as_ref()).unwrap());
    fs::write(state.join(format!("claims/.{key}.tmp")), "half").unwrap();
    let set = set(&state).unwrap();
    assert!(set.status().unwrap().is_empty());
    set.acquire("/nowhere/x".as_ref()).unwrap();
    set.release_all();
    assert!(claims(&state).is_empty());
}

/// A spare that is a trap is not written to, and neither is what the quarantine keeps.
#[test]
fn spare_file_with_a_second_name() {
    let (_guard, root) = folder();
    let state = root.join("state");
    drop(FsStore::open(&state).unwrap());
    let key = ClaimKey::of(&CanonicalPath::resolve("/nowhere/x".as_ref()).unwrap());
    let spare = state.join(format!("claims/.{key}.tmp"));
    let precious = root.join("precious");
    for make in [|from: &Path, to: &Path| fs::hard_link(from, to), |from: &Path, to: &Path| symlink(from, to)]
    {
        fs::write(&precious, "precious").unwrap();
        let _ = fs::remove_file(&spare);
        make(&precious, &spare).unwrap();
        let set = set(&state).unwrap();
        set.acquire("/nowhere/x".as_ref()).unwrap();
        set.release_all();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    }
}

/// A long claim after a short one, and the other way round, in the same spare file.
#[test]
fn spare_file_of_another_length() {
    let (_guard, root) = folder();
    let state = root.join("state");
    for length in [1, 3_000, 10, 900, 20_000, 1] {
        let set = LeaseSet::for_process(&state, SessionId::new(&"s".repeat(length))).unwrap();
        set.acquire("/nowhere/x".as_ref()).unwrap();
        let status = set.status().unwrap();
        let EntryState::Claim { claim, .. } = &status[0].state else { panic!("{status:?}") };
        assert_eq!(claim.session.as_ref().unwrap().as_str().len(), length);
    }
}

/// A heartbeat has room even on a full disk, once there was one before.
#[test]
fn full_disk_after_the_first_heartbeat() {
    let (_guard, root) = folder();
    let Some(mount) = Mount::new(&root, "size=64k") else { return };
    let state = root.join("state");
    let set = set(&state).unwrap();
    set.acquire("/nowhere/kept".as_ref()).unwrap();
    assert_eq!(set.beat().count, 1);
    mount.fill();
    let before = fs::read(&claims(&state)[0]).unwrap();
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(set.beat().count, 1);
    assert_ne!(fs::read(&claims(&state)[0]).unwrap(), before, "only touched");
}

#[test]
fn commit_notices_that_the_name_leads_elsewhere() {
    let (_guard, root) = folder();
    fs::create_dir_all(root.join("one")).unwrap();
    fs::create_dir_all(root.join("two")).unwrap();
    symlink("one", root.join("link")).unwrap();
    let set = set(&root.join("state")).unwrap();
    let file = root.join("link/file");
    set.acquire(&file).unwrap();
    fs::remove_file(root.join("link")).unwrap();
    symlink("two", root.join("link")).unwrap();
    let error = set.commit(&file, |path| fs::write(path.as_path(), "")).unwrap_err();
    assert!(matches!(error, Error::Moved { .. }), "{error}");
    assert!(!root.join("one/file").exists() && !root.join("two/file").exists());
}
