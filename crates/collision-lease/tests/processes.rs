//! Real processes over one state folder: the acceptance scene, SIGKILL, and everything that makes a pid lie.
//!
//! The test program starts itself again to play a part: see `part`.

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
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Place {
    _guard: TempDir,
    state: PathBuf,
    file: PathBuf,
}

fn place() -> Place {
    let guard = tempfile::tempdir().unwrap();
    let root = guard.path().canonicalize().unwrap();
    Place { state: root.join("collision-guard"), file: root.join("notes.txt"), _guard: guard }
}

fn set(place: &Place, session: &str) -> LeaseSet {
    LeaseSet::for_process(&place.state, SessionId::new(session)).unwrap()
}

/// The command that starts this program in a part.
fn part_command(part: &str, place: &Place) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    set_part(&mut command, part, place);
    command.args(["--exact", "part", "--nocapture", "--test-threads=1"]);
    command
}

fn set_part(command: &mut Command, part: &str, place: &Place) {
    command.env("LEASE_PART", part).env("LEASE_STATE", &place.state).env("LEASE_FILE", &place.file);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
}

struct Player {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: BufReader<std::process::ChildStdout>,
}

impl Player {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, lines }
    }

    /// The next line that the part prints, among those of the test harness.
    fn says(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "the other process ended without a word");
            if let Some((_, text)) = line.split_once("PART ") {
                return text.trim().to_owned();
            }
        }
    }

    fn end(mut self) {
        drop(self.stdin.take());
        self.child.wait().unwrap();
    }

    /// Kills it and leaves it unreaped.
    fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(text: &str) {
    println!("PART {text}");
}

fn wait_for_stdin() {
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Not a test of its own: what a started process does. Without the variable it does nothing.
#[test]
fn part() {
    let Ok(part) = std::env::var("LEASE_PART") else { return };
    let state = PathBuf::from(std::env::var_os("LEASE_STATE").unwrap());
    let file = PathBuf::from(std::env::var_os("LEASE_FILE").unwrap());
    let outcome = |result: Result<Grant, Error>| match result {
        Ok(grant) => format!("granted {}", grant.generation),
        Err(error) => error.block_text(Language::En, SystemClock.read()).replace('\n', " "),
    };
    match part.as_str() {
        "hold" => {
            let set = LeaseSet::for_process(&state, SessionId::new("holder")).unwrap();
            say(&outcome(set.acquire(&file)));
            wait_for_stdin();
            set.shut_down();
        }
        "hold without liveness" => {
            let mut options = FsOptions::default();
            options.no_liveness_lock = true;
            let store = Arc::new(FsStore::open_with(&state, options).unwrap());
            let owner = Owner::for_process(SessionId::new("holder")).unwrap();
            let set = LeaseSet::open(store, owner, Options::default()).unwrap();
            say(&outcome(set.acquire(&file)));
            wait_for_stdin();
        }
        "try" => {
            say(&outcome(LeaseSet::for_process(&state, SessionId::new("trier")).unwrap().acquire(&file)));
        }
        "hook edit" => {
            let set = LeaseSet::for_agent(&state, SessionId::new("hooked")).unwrap();
            say(&outcome(set.acquire(&file)));
        }
        "hook stop" => {
            let set = LeaseSet::for_agent(&state, SessionId::new("hooked")).unwrap();
            let adopted = set.adopt().unwrap();
            say(&format!("adopted {adopted} released {}", set.release_all().count));
        }
        "too many files" => {
            let set = LeaseSet::for_process(&state, SessionId::new("s")).unwrap();
            set.acquire(&file).unwrap();
            let maximum = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
            let limit = rustix::process::Rlimit { current: Some(0), maximum };
            rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
            let probe = SystemProbe::new().unwrap();
            let state = probe.state(&set.owner().process);
            let refused = set.acquire(&file.with_extension("other")).unwrap_err();
            let beaten = set.beat();
            let lost = set.take_lost().len();
            say(&format!(
                "{state:?}; {refused}; beaten {} failed {} lost {lost}",
                beaten.count,
                beaten.failed.len()
            ));
        }
        "break" => break_dead_claims(&state, &file),
        other => panic!("{other}"),
    }
}

/// For each line of input: tries for a few milliseconds to get the path, and says how often it did, and how often
/// somebody else was inside at the same time. The judge of that is a kernel lock that has nothing to do with this crate.
fn break_dead_claims(state: &Path, file: &Path) {
    use rustix::fs::{FlockOperation, flock};
    let witness = std::fs::File::create(state.with_extension("witness")).unwrap();
    let store = Arc::new(FsStore::open(state).unwrap());
    let mut lines = std::io::stdin().lines();
    say("ready");
    while let Some(Ok(_)) = lines.next() {
        let options = Options { beat: Beat::Manual, ..Options::default() };
        let set =
            LeaseSet::open(store.clone(), Owner::for_process(SessionId::new("s")).unwrap(), options).unwrap();
        let (begin, mut won, mut double) = (Instant::now(), 0, 0);
        while begin.elapsed() < Duration::from_millis(12) {
            if set.acquire(file).is_err() {
                continue;
            }
            won += 1;
            if flock(&witness, FlockOperation::NonBlockingLockExclusive).is_err() {
                double += 1;
            }
            std::thread::sleep(Duration::from_millis(2));
            flock(&witness, FlockOperation::Unlock).unwrap();
            set.release_all();
        }
        say(&format!("won {won} double {double}"));
    }
}

/// Eight processes see the same dead holder at once, round after round.
#[test]
fn many_breakers_of_one_dead_claim_have_one_winner() {
    let place = place();
    let key = ClaimKey::of(&CanonicalPath::resolve(&place.file).unwrap());
    let claim = FsStore::open(&place.state).unwrap().claim_file(&key);
    let mut players: Vec<Player> = (0..8).map(|_| Player::start(part_command("break", &place))).collect();
    for player in &mut players {
        assert_eq!(player.says(), "ready");
    }
    let (mut won, mut double) = (0, 0);
    for round in 0..40 {
        // The number of a process that is gone for good.
        let mut gone = Command::new("true").spawn().unwrap();
        let pid = gone.id();
        gone.wait().unwrap();
        let dead = format!(r#"{{"pid": {pid}, "pidStart": 1, "generation": {round}}}"#);
        let temporary = claim.with_extension("new");
        std::fs::write(&temporary, dead).unwrap();
        std::fs::rename(temporary, &claim).unwrap();
        for player in &mut players {
            use std::io::Write;
            player.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
        }
        for player in &mut players {
            let said = player.says();
            let numbers: Vec<u32> = said.split(' ').filter_map(|word| word.parse().ok()).collect();
            won += numbers[0];
            double += numbers[1];
        }
    }
    println!("40 rounds of 8 processes: {won} wins, {double} double holds");
    assert_eq!(double, 0, "of {won} wins");
    assert!(won >= 40, "{won}");
}

/// The suite must notice the protocols that are known to be wrong.
#[cfg(feature = "torture")]
#[test]
fn known_wrong_protocols_are_caught() {
    for (wrong, test) in [
        ("remove-and-recreate", "many_breakers_of_one_dead_claim_have_one_winner"),
        ("rename-and-recheck", "many_breakers_of_one_dead_claim_have_one_winner"),
        ("close-only", "spawning_children_beside_it_makes_no_path_busy"),
        ("pid-only", "a_recycled_pid_is_not_the_holder"),
        ("pid-only", "a_thread_is_not_the_holder"),
        ("pid-only", "a_holder_of_another_boot_is_dead"),
        ("pid-only", "a_killed_holder_is_taken_over_at_once_even_as_a_zombie"),
    ] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env("COLLISION_LEASE_WRONG", wrong);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let counts = text
            .lines()
            .find(|line| line.contains("double holds") || line.contains("busy"))
            .unwrap_or_default();
        println!("{wrong}: {} by {test} {counts}", if output.status.success() { "MISSED" } else { "caught" });
        assert!(!output.status.success(), "{wrong} was not noticed by {test}");
    }
}

fn held(result: Result<Grant, Error>) -> Conflict {
    match result {
        Err(Error::Held { conflict, .. }) => *conflict,
        other => panic!("{other:?}"),
    }
}

/// The acceptance scene, told with processes of which none is this one.
#[test]
fn scene_a_acquires_b_conflicts_a_releases_c_acquires() {
    let place = place();
    let mut a = Player::start(part_command("hold", &place));
    let said = a.says();
    println!("A acquires:  {said}");
    assert_eq!(said, "granted 1");
    let said = Player::start(part_command("try", &place)).says();
    println!("B conflicts: {said}");
    assert!(said.starts_with("Collision guard blocked") && said.contains("session holder"), "{said}");
    a.end();
    println!("A releases");
    let said = Player::start(part_command("try", &place)).says();
    println!("C acquires:  {said}");
    assert_eq!(said, "granted 2");
}

#[test]
fn a_killed_holder_is_taken_over_at_once_even_as_a_zombie() {
    let place = place();
    let mut a = Player::start(part_command("hold", &place));
    a.says();
    let b = set(&place, "b");
    held(b.acquire(&place.file));
    a.kill();
    // Not waited for: the process stays a zombie, for which `kill(pid, 0)` succeeds. Dying takes a moment itself.
    let begin = Instant::now();
    let grant = loop {
        match b.acquire(&place.file) {
            Ok(grant) => break grant,
            Err(Error::Held { .. }) if begin.elapsed() < Duration::from_secs(5) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    };
    let pid = a.child.id();
    assert!(
        rustix::process::test_kill_process(rustix::process::Pid::from_child(&a.child)).is_ok(),
        "{pid} was reaped"
    );
    assert!(matches!(grant.replaced, Some(Replaced::Holder(_, Gone::Dead))), "{grant:?}");
    assert_eq!(a.child.wait().unwrap().signal(), Some(9));
}

/// Changes the claim of `file` as if another program had written it.
fn rewrite(place: &Place, change: impl FnOnce(&mut Claim)) {
    let key = ClaimKey::of(&CanonicalPath::resolve(&place.file).unwrap());
    let file = FsStore::open(&place.state).unwrap().claim_file(&key);
    let Record::Claim(mut claim) = Record::parse(&std::fs::read(&file).unwrap(), &key) else {
        panic!("no claim")
    };
    claim.liveness = None;
    change(&mut claim);
    std::fs::write(file, claim.to_bytes()).unwrap();
}

#[test]
fn a_recycled_pid_is_not_the_holder() {
    let place = place();
    let (a, b) = (set(&place, "a"), set(&place, "b"));
    a.acquire(&place.file).unwrap();
    rewrite(&place, |claim| claim.process.start = claim.process.start.map(|start| start + 1));
    assert!(matches!(b.acquire(&place.file).unwrap().replaced, Some(Replaced::Holder(_, Gone::Dead))));
}

#[test]
fn a_holder_of_another_boot_is_dead() {
    let place = place();
    let (a, b) = (set(&place, "a"), set(&place, "b"));
    a.acquire(&place.file).unwrap();
    rewrite(&place, |claim| claim.process.boot = Some("00000000-0000-0000-0000-000000000000".into()));
    assert!(matches!(b.acquire(&place.file).unwrap().replaced, Some(Replaced::Holder(_, Gone::Dead))));
}

#[test]
fn a_thread_is_not_the_holder() {
    let place = place();
    let (a, b) = (set(&place, "a"), set(&place, "b"));
    a.acquire(&place.file).unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        send.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
        let _ = stopped.recv();
    });
    let number = Pid::new(receive.recv().unwrap().into()).unwrap();
    assert!(
        Path::new(&format!("/proc/{number}/stat")).exists(),
        "the kernel shows threads under their number too"
    );
    rewrite(&place, |claim| claim.process = Process::with_pid(number));
    assert!(matches!(b.acquire(&place.file).unwrap().replaced, Some(Replaced::Holder(_, Gone::Dead))));
    drop(stop);
    thread.join().unwrap();
}

#[test]
fn two_sessions_in_one_process_are_two_owners() {
    let place = place();
    let (a, b) = (set(&place, "a"), set(&place, "b"));
    a.acquire(&place.file).unwrap();
    assert_eq!(held(b.acquire(&place.file)).why, Standing::Alive);
    drop(a);
    b.acquire(&place.file).unwrap();
}

#[test]
fn a_stopped_holder_keeps_its_lease() {
    let place = place();
    let mut a = Player::start(part_command("hold", &place));
    a.says();
    let pid = rustix::process::Pid::from_child(&a.child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    rewrite(&place, |claim| claim.heartbeat = Stamp { wall: Some(WallTime(0)), boot: Some(BootTime(0)) });
    assert_eq!(held(set(&place, "b").acquire(&place.file)).why, Standing::Alive);
}

/// The short-lived process of a hook, started by the agent through a shell, as hosts do.
fn hook(part: &str, place: &Place) -> String {
    let mut command = Command::new("sh");
    set_part(&mut command, part, place);
    let program = std::env::current_exe().unwrap();
    // A second command keeps the shell from turning into the program.
    command.arg("-c").arg(format!("'{}' --exact part --nocapture --test-threads=1; true", program.display()));
    let mut player = Player::start(command);
    let said = player.says();
    player.end();
    said
}

#[test]
fn one_shot_owners_live_as_long_as_their_agent() {
    let place = place();
    // This process is the agent.
    assert_eq!(hook("hook edit", &place), "granted 1");
    assert_eq!(hook("hook edit", &place), "granted 1");
    let conflict = held(set(&place, "other").acquire(&place.file));
    assert_eq!(conflict.why, Standing::Alive);
    assert_eq!(conflict.holder.pid, Some(Pid::own()));
    assert_eq!(hook("hook stop", &place), "adopted 1 released 1");
    assert_eq!(hook("hook stop", &place), "adopted 0 released 0");
    set(&place, "other").acquire(&place.file).unwrap();
}

#[test]
fn too_many_open_files_block_and_lose_nothing() {
    let place = place();
    let said = Player::start(part_command("too many files", &place)).says();
    assert!(said.starts_with("Alive; ") && said.contains("too many open files"), "{said}");
    assert!(said.ends_with("beaten 0 failed 1 lost 0"), "{said}");
}

/// `unshare` with a pid namespace of its own, if this machine lets us.
fn in_other_namespace(part: &str, place: &Place) -> Option<Command> {
    let attempts: [&[&str]; 2] = [
        &["--pid", "--fork", "--kill-child", "--mount-proc"],
        &["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"],
    ];
    for options in attempts {
        let probe = Command::new("unshare").args(options).arg("true").stderr(Stdio::null()).status();
        if probe.is_ok_and(|status| status.success()) {
            let mut command = Command::new("unshare");
            set_part(&mut command, part, place);
            command.args(options).arg(std::env::current_exe().unwrap());
            command.args(["--exact", "part", "--nocapture", "--test-threads=1"]);
            return Some(command);
        }
    }
    println!("SKIPPED: `unshare --pid` is missing or not allowed here");
    None
}

#[test]
fn a_holder_in_another_pid_namespace_is_known_to_live_by_its_lock() {
    let place = place();
    let Some(command) = in_other_namespace("hold", &place) else { return };
    let mut inside = Player::start(command);
    assert_eq!(inside.says(), "granted 1");
    rewrite_keeping_liveness(&place);
    // Silent for days, by its claim; but the lock that it holds for life is held.
    assert_eq!(held(set(&place, "outside").acquire(&place.file)).why, Standing::Alive);
}

fn rewrite_keeping_liveness(place: &Place) {
    let mut mark = None;
    let key = ClaimKey::of(&CanonicalPath::resolve(&place.file).unwrap());
    let file = FsStore::open(&place.state).unwrap().claim_file(&key);
    if let Record::Claim(claim) = Record::parse(&std::fs::read(&file).unwrap(), &key) {
        mark = claim.liveness;
    }
    assert!(mark.is_some(), "the claim names no liveness lock");
    rewrite(place, |claim| {
        claim.liveness = mark;
        claim.heartbeat = Stamp { wall: Some(WallTime(0)), boot: Some(BootTime(0)) };
    });
    age_file(&file);
}

/// Moves a file's modification time an hour back.
fn age_file(file: &Path) {
    let hour_ago = std::time::SystemTime::now() - Duration::from_hours(1);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(hour_ago).unwrap();
}

#[test]
fn a_holder_in_another_pid_namespace_without_a_lock_is_judged_by_its_silence() {
    let place = place();
    let Some(command) = in_other_namespace("hold without liveness", &place) else { return };
    let mut inside = Player::start(command);
    assert_eq!(inside.says(), "granted 1");
    let outside = set(&place, "outside");
    let conflict = held(outside.acquire(&place.file));
    assert!(
        matches!(conflict.why, Standing::CannotTell { left } if left > Duration::from_secs(20)),
        "{conflict:?}"
    );
    rewrite(&place, |claim| claim.heartbeat = Stamp { wall: Some(WallTime(0)), boot: Some(BootTime(0)) });
    // The file was changed just now, so by that it is not silent yet.
    held(outside.acquire(&place.file));
    let key = ClaimKey::of(&CanonicalPath::resolve(&place.file).unwrap());
    age_file(&FsStore::open(&place.state).unwrap().claim_file(&key));
    assert!(matches!(
        outside.acquire(&place.file).unwrap().replaced,
        Some(Replaced::Holder(_, Gone::Silent))
    ));
}

#[test]
fn from_inside_another_pid_namespace_a_holder_outside_is_not_taken_for_dead() {
    let place = place();
    let Some(command) = in_other_namespace("try", &place) else { return };
    let outside = set(&place, "outside");
    outside.acquire(&place.file).unwrap();
    rewrite(&place, |_| {});
    let said = Player::start(command).says();
    assert!(said.contains("whether it is alive cannot be told"), "{said}");
}

/// Closing a locked file is no release while another thread is between fork and exec: the crate unlocks.
#[test]
fn spawning_children_beside_it_makes_no_path_busy() {
    let place = place();
    let store = Arc::new(FsStore::open(&place.state).unwrap());
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let spawners: Vec<_> = (0..2)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            })
        })
        .collect();
    let options = Options { lock_wait: Duration::ZERO, beat: Beat::Manual, ..Options::default() };
    let set = LeaseSet::open(store, Owner::for_process(SessionId::new("s")).unwrap(), options).unwrap();
    let begin = Instant::now();
    let (mut rounds, mut busy) = (0_u32, 0_u32);
    while begin.elapsed() < Duration::from_secs(2) {
        rounds += 1;
        let spurious = |result: Result<(), Error>| u32::from(result.is_err());
        busy += spurious(set.acquire(&place.file).map(|_| ()));
        busy += spurious(set.release(&place.file));
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for thread in spawners {
        thread.join().unwrap();
    }
    println!("{rounds} rounds, {busy} spuriously busy");
    assert_eq!(busy, 0, "of {rounds} rounds");
}
