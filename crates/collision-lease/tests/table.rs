//! The policy as tables: one row, one verdict. No files, no processes; the clock is set by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use collision_lease::*;
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FILE: &str = "/nowhere/file.txt";

#[derive(Debug, Default)]
struct FakeProbe(Mutex<HashMap<u32, ProcessState>>);

impl FakeProbe {
    fn set(&self, pid: u32, state: ProcessState) {
        self.0.lock().unwrap().insert(pid, state);
    }
}

impl ProcessProbe for FakeProbe {
    fn state(&self, process: &Process) -> ProcessState {
        *self.0.lock().unwrap().get(&process.pid.get()).unwrap_or(&ProcessState::Alive)
    }
}

struct Bench {
    clock: Arc<ManualClock>,
    probe: Arc<FakeProbe>,
    store: Arc<MemoryStore>,
}

impl Bench {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        Self { probe: Arc::default(), store: Arc::new(MemoryStore::new(clock.clone())), clock }
    }

    fn set(&self, pid: u32) -> LeaseSet {
        self.set_of(owner(pid))
    }

    fn set_of(&self, owner: Owner) -> LeaseSet {
        let options = Options { beat: Beat::Manual, clock: self.clock.clone(), ..Options::default() };
        LeaseSet::open_with(self.store.clone(), owner, self.probe.clone(), options)
    }

    fn put(&self, text: &str) {
        self.store.put_raw(key(), text.as_bytes());
    }
}

fn owner(pid: u32) -> Owner {
    let process = Process { boot: Some("boot".into()), ..Process::with_pid(Pid::new(pid.into()).unwrap()) };
    Owner {
        token: OwnerToken::random().unwrap(),
        session: SessionId::new(&format!("session-{pid}")),
        process,
    }
}

fn key() -> ClaimKey {
    ClaimKey::of(&CanonicalPath::resolve(FILE.as_ref()).unwrap())
}

fn path() -> &'static Path {
    Path::new(FILE)
}

fn seconds(text: f64) -> Duration {
    Duration::from_secs_f64(text)
}

#[test]
fn a_living_holder_is_never_taken_over() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    a.acquire(path()).unwrap();
    bench.clock.advance(seconds(86_400.0));
    let error = b.acquire(path()).unwrap_err();
    assert!(matches!(&error, Error::Held { conflict, .. } if conflict.why == Standing::Alive), "{error}");
}

#[test]
fn a_dead_holder_is_taken_over_at_once() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    let first = a.acquire(path()).unwrap();
    bench.probe.set(1, ProcessState::Dead);
    let second = b.acquire(path()).unwrap();
    assert!(matches!(second.replaced, Some(Replaced::Holder(_, Gone::Dead))));
    assert!(second.generation > first.generation);
    // The one who was only thought dead learns of it, once, and cannot write.
    assert!(matches!(a.commit(path(), |_| ()), Err(Error::Lost { loss: Loss::TakenOver(_), .. })));
    assert_eq!(a.take_lost().len(), 1);
    assert!(a.take_lost().is_empty());
    assert!(matches!(a.commit(path(), |_| ()), Err(Error::NotHeld { .. })));
}

#[test]
fn an_unknown_holder_is_taken_over_after_thirty_seconds_of_silence() {
    for (age, taken) in [(29.999, false), (30.0, false), (30.001, true)] {
        let bench = Bench::new();
        let (a, b) = (bench.set(1), bench.set(2));
        a.acquire(path()).unwrap();
        bench.probe.set(1, ProcessState::Unknown);
        bench.clock.advance(seconds(age));
        assert_eq!(b.acquire(path()).is_ok(), taken, "{age}");
    }
}

#[test]
fn a_corrupt_claim_blocks_for_thirty_seconds_and_goes_into_quarantine() {
    for text in [
        "",
        "{",
        "[]",
        "{}",
        "null",
        r#"{"pid": 0}"#,
        r#"{"pid": 1.5}"#,
        r#"{"pid": -1}"#,
        r#"{"pid": 1e99}"#,
    ] {
        for (age, replaced) in [(0.0, false), (29.999, false), (30.0, false), (30.001, true)] {
            let bench = Bench::new();
            bench.put(text);
            bench.clock.advance(seconds(age));
            let result = bench.set(2).acquire(path());
            match result {
                Ok(grant) => {
                    assert_eq!((replaced, grant.replaced), (true, Some(Replaced::Corrupt)), "{text} {age}");
                }
                Err(Error::Corrupt { left, .. }) => {
                    assert!(!replaced, "{text} {age}");
                    assert_eq!(left, seconds(30.0).saturating_sub(seconds(age)));
                }
                Err(other) => panic!("{text} {age}: {other}"),
            }
            assert_eq!(bench.store.quarantined().len(), usize::from(replaced));
        }
    }
}

#[test]
fn records_that_name_a_living_process_are_held() {
    // Written by hand; a wrong type; about another path.
    let texts = [r#"{"pid": 7}"#, r#"{"pid": 7, "ownerToken": 5}"#, r#"{"pid": 7, "path": "/elsewhere"}"#];
    for text in texts {
        let bench = Bench::new();
        bench.put(text);
        bench.clock.advance(seconds(3_600.0));
        let error = bench.set(2).acquire(path()).unwrap_err();
        assert!(
            matches!(&error, Error::Held { conflict, .. } if conflict.holder.pid == Pid::new(7)),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_record_written_by_hand_with_a_dead_pid_is_taken_at_once() {
    let bench = Bench::new();
    bench.put(r#"{"pid": 7}"#);
    bench.probe.set(7, ProcessState::Dead);
    assert!(bench.set(2).acquire(path()).is_ok());
}

#[test]
fn a_newer_format_is_held_whatever_its_pid_does() {
    for text in [
        r#"{"v": 2, "pid": 7}"#,
        r#"{"v": 2}"#,
        r#"{"v": "next"}"#,
        r#"{"v": 2, "pid": "p7", "holders": []}"#,
    ] {
        let bench = Bench::new();
        bench.put(text);
        bench.probe.set(7, ProcessState::Dead);
        bench.clock.advance(seconds(86_400.0));
        let error = bench.set(2).acquire(path()).unwrap_err();
        assert!(
            matches!(&error, Error::Held { conflict, .. } if conflict.why == Standing::NewerFormat),
            "{text}: {error}"
        );
    }
}

#[test]
fn the_wall_clock_has_no_say() {
    for wall in [0, 1_000, 1_780_000_000_000 - 3_600_000, 1_780_000_000_000 + 3_600_000] {
        let bench = Bench::new();
        let (a, b) = (bench.set(1), bench.set(2));
        a.acquire(path()).unwrap();
        bench.probe.set(1, ProcessState::Unknown);
        bench.clock.set_wall(WallTime(wall));
        bench.clock.advance(seconds(29.0));
        assert!(b.acquire(path()).is_err(), "taken over before its time with the wall clock at {wall}");
    }
}

#[test]
fn after_a_sleep_a_silent_holder_gets_the_time_for_one_heartbeat() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    a.acquire(path()).unwrap();
    bench.probe.set(1, ProcessState::Unknown);
    assert!(b.acquire(path()).is_err());
    bench.clock.sleep(seconds(3_600.0));
    let error = b.acquire(path()).unwrap_err();
    let left = match error {
        Error::Held { conflict, .. } => conflict.why,
        other => panic!("{other}"),
    };
    assert_eq!(left, Standing::CannotTell { left: seconds(5.0) });
    bench.clock.advance(seconds(4.999));
    assert!(b.acquire(path()).is_err());
    bench.clock.advance(seconds(0.001));
    assert!(b.acquire(path()).is_ok());
}

#[test]
fn a_holder_renews_and_does_not_write_without_need() {
    let bench = Bench::new();
    let a = bench.set(1);
    assert!(a.acquire(path()).unwrap().new);
    let first = bench.store.raw(&key()).unwrap();
    bench.clock.advance(seconds(4.999));
    assert!(!a.acquire(path()).unwrap().new);
    assert_eq!(bench.store.raw(&key()).unwrap(), first);
    bench.clock.advance(seconds(0.001));
    assert!(!a.acquire(path()).unwrap().new);
    assert_ne!(bench.store.raw(&key()).unwrap(), first);
}

#[test]
fn what_was_lost_is_never_written_back() {
    let bench = Bench::new();
    let a = bench.set(1);
    a.acquire(path()).unwrap();
    let entry = a.inspect(path()).unwrap().unwrap();
    let EntryState::Claim { claim, .. } = entry.state else { panic!("{entry:?}") };
    bench.set(2).force_release(path(), claim.token.as_ref()).unwrap();
    let beaten = a.beat();
    assert_eq!((beaten.count, beaten.lost.len()), (0, 1));
    assert_eq!(bench.store.raw(&key()), None);
    assert!(matches!(a.take_lost().as_slice(), [LostLease { loss: Loss::Removed, .. }]));
}

#[test]
fn an_acquire_after_a_loss_says_so_once() {
    let bench = Bench::new();
    let a = bench.set(1);
    let first = a.acquire(path()).unwrap();
    bench.set(2).force_release(path(), Some(&a.owner().token)).unwrap();
    assert!(matches!(a.acquire(path()), Err(Error::Lost { .. })));
    let again = a.acquire(path()).unwrap();
    assert!(again.new && again.generation > first.generation);
}

#[test]
fn a_forced_release_must_repeat_the_token_that_was_shown() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    a.acquire(path()).unwrap();
    assert!(matches!(b.force_release(path(), None), Err(Error::NotAsShown { .. })));
    assert!(matches!(b.force_release(path(), Some(&b.owner().token)), Err(Error::NotAsShown { .. })));
    assert!(b.force_release(path(), Some(&a.owner().token)).is_ok());
    assert!(matches!(
        b.force_release(path(), Some(&a.owner().token)),
        Err(Error::NotAsShown { holder: None, .. })
    ));
}

#[test]
fn a_child_with_its_parents_token_shares_and_does_not_release() {
    let bench = Bench::new();
    let parent = bench.set(1);
    parent.acquire(path()).unwrap();
    let child = bench.set_of(Owner { token: parent.owner().token.clone(), ..owner(2) });
    assert!(!child.acquire(path()).unwrap().new);
    assert_eq!(child.release_all().count, 1);
    assert!(bench.store.raw(&key()).is_some());
    assert_eq!(parent.beat().count, 1);
}

#[test]
fn a_claim_of_a_dead_child_with_my_token_becomes_mine() {
    let bench = Bench::new();
    let parent = bench.set(1);
    let child = bench.set_of(Owner { token: parent.owner().token.clone(), ..owner(2) });
    child.acquire(path()).unwrap();
    bench.probe.set(2, ProcessState::Dead);
    parent.acquire(path()).unwrap();
    let record = Record::parse(&bench.store.raw(&key()).unwrap(), &key());
    assert!(matches!(record, Record::Claim(claim) if claim.process.pid.get() == 1));
}

#[test]
fn several_paths_are_granted_together_or_not_at_all() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    b.acquire("/nowhere/2".as_ref()).unwrap();
    assert!(a.acquire_all(&["/nowhere/1", "/nowhere/2", "/nowhere/3"]).is_err());
    assert!(a.held().is_empty());
    b.release_all();
    assert_eq!(a.acquire_all(&["/nowhere/1", "/nowhere/2", "/nowhere/./1"]).unwrap().len(), 2);
}

#[test]
fn releasing_twice_does_no_harm() {
    let bench = Bench::new();
    let a = bench.set(1);
    a.acquire(path()).unwrap();
    assert_eq!(a.shut_down().count, 1);
    assert_eq!(a.shut_down().count, 0);
}

#[test]
fn status_tells_self_from_other_and_active_from_stale() {
    let bench = Bench::new();
    let (a, b) = (bench.set(1), bench.set(2));
    a.acquire("/nowhere/a".as_ref()).unwrap();
    b.acquire("/nowhere/b".as_ref()).unwrap();
    bench.put("{");
    bench.probe.set(2, ProcessState::Dead);
    bench.clock.advance(seconds(10.0));
    let entries = a.status().unwrap();
    let text = StatusEntry::list_text(&entries, Language::En);
    assert!(text.contains("[self] /nowhere/a  session session-  pid 1  held 10s  active"), "{text}");
    assert!(text.contains("[other] /nowhere/b  session session-  pid 2  held 10s  stale"), "{text}");
    assert!(text.contains("corrupt (not JSON)  20s of grace left"), "{text}");
    let chinese = StatusEntry::list_text(&entries, Language::ZhCn);
    assert!(chinese.contains("已占用 10 秒"), "{chinese}");
}

#[test]
fn block_texts_name_the_holder_and_the_way_out() {
    let bench = Bench::new();
    bench.set(1).acquire(path()).unwrap();
    let error = bench.set(2).acquire(path()).unwrap_err();
    for language in [Language::En, Language::ZhCn] {
        let text = error.block_text(language, bench.clock.read());
        assert!(text.starts_with("Collision guard blocked"), "{text}");
        for part in [FILE, "session-", "pid 1", "2026-", "/collision status", "/collision force-release"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn a_session_id_cannot_forge_a_line_of_the_status() {
    assert_eq!(SessionId::new("a\n[self] b").short(), "a[self] ");
}

/// A row: the claim's process, the observer, what the system says, the verdict.
#[test]
fn the_life_of_a_process() {
    use ProcessState::{Alive, Dead, Unknown};
    let me = Process {
        start: Some(10),
        boot: Some("now".into()),
        pid_namespace: Some(1),
        time_namespace: Some(1),
        ..Process::with_pid(Pid::new(50).unwrap())
    };
    let running = |start| Facts { entry: Entry::Running, start };
    let entry = |entry| Facts { entry, start: None };
    let bare = Process::with_pid(me.pid);
    let other_boot = Process { boot: Some("before".into()), ..me.clone() };
    let other_space = Process { pid_namespace: Some(2), ..me.clone() };
    let other_time = Process { time_namespace: Some(2), ..me.clone() };
    for (name, process, facts, expected) in [
        ("itself", &me, running(Some(10)), Alive),
        ("recycled pid", &me, running(Some(11)), Dead),
        ("start unreadable", &me, running(None), Alive),
        ("no start in the record", &bare, running(Some(11)), Alive),
        ("gone", &me, entry(Entry::Nothing), Dead),
        ("gone, by a bare record", &bare, entry(Entry::Nothing), Dead),
        ("zombie", &me, entry(Entry::Ended), Dead),
        ("thread", &me, entry(Entry::Thread), Dead),
        ("no evidence", &me, entry(Entry::Unsaid), Alive),
        ("another boot", &other_boot, running(Some(10)), Dead),
        ("another pid namespace", &other_space, entry(Entry::Nothing), Unknown),
        ("another time namespace", &other_time, running(Some(11)), Unknown),
        (
            "another boot and namespace",
            &Process { boot: other_boot.boot.clone(), ..other_space.clone() },
            running(None),
            Dead,
        ),
    ] {
        assert_eq!(judge_process(process, &me, facts), expected, "{name}");
    }
}

/// A caller that dies at any step leaves nothing that is in anybody's way, and no half of a claim.
#[test]
fn a_death_at_any_step_of_any_operation() {
    for task in ["acquire", "renew", "release", "take over", "replace"] {
        for calls in 0..8 {
            let bench = Bench::new();
            let (a, b) = (bench.set(1), bench.set(2));
            match task {
                "take over" => {
                    bench.set(3).acquire(path()).unwrap();
                    bench.probe.set(3, ProcessState::Dead);
                }
                "replace" => {
                    bench.put("");
                    bench.clock.advance(seconds(31.0));
                }
                "acquire" => {}
                _ => {
                    a.acquire(path()).unwrap();
                    bench.clock.advance(seconds(6.0));
                }
            }
            bench.store.fail_after(Some(calls));
            let _ = if task == "release" { a.release(path()) } else { a.acquire(path()).map(|_| ()) };
            bench.store.fail_after(None);
            let bytes = bench.store.raw(&key()).unwrap_or_default();
            let whole = bytes.is_empty() || matches!(Record::parse(&bytes, &key()), Record::Claim(_));
            assert!(whole, "{task}, dead after {calls} calls");
            bench.probe.set(1, ProcessState::Dead);
            b.acquire(path()).unwrap_or_else(|error| panic!("{task}, dead after {calls} calls: {error}"));
        }
    }
}

fn any_claim() -> impl Strategy<Value = Claim> {
    let process = (1_i64..1 << 22, any::<Option<u64>>(), any::<Option<u64>>(), "[a-f0-9-]{0,36}");
    let stamps = (any::<Option<u64>>(), any::<Option<u64>>());
    (process, any::<u64>(), stamps, "\\PC{0,20}", prop::collection::vec(any::<u8>(), 1..20)).prop_map(
        |((pid, start, space, boot), generation, (wall, on_boot), session, name)| {
            use std::os::unix::ffi::OsStringExt;
            let name: Vec<u8> =
                name.into_iter().map(|b| if matches!(b, 0 | b'/' | b'.') { b'x' } else { b }).collect();
            let path = Path::new("/nowhere").join(std::ffi::OsString::from_vec(name));
            let stamp = Stamp { wall: wall.map(WallTime), boot: on_boot.map(BootTime) };
            Claim {
                path: Some(CanonicalPath::resolve(&path).unwrap()),
                session: Some(SessionId::new(&session)),
                token: Some(OwnerToken::random().unwrap()),
                generation,
                process: Process {
                    pid: Pid::new(pid).unwrap(),
                    start,
                    boot: Some(boot.into()),
                    pid_namespace: space,
                    time_namespace: space,
                },
                liveness: None,
                acquired: stamp,
                heartbeat: stamp,
            }
        },
    )
}

proptest! {
    /// What is written is read back, whatever bytes the path has.
    #[test]
    fn claims_survive_the_disk(claim in any_claim()) {
        let key = ClaimKey::of(claim.path.as_ref().unwrap());
        prop_assert_eq!(Record::parse(&claim.to_bytes(), &key), Record::Claim(Box::new(claim)));
    }

    /// No bytes make reading fail, and a cut claim never passes for one.
    #[test]
    fn cut_claims_are_corrupt(claim in any_claim(), cut in any::<prop::sample::Index>()) {
        let bytes = claim.to_bytes();
        let cut = cut.index(bytes.len() - 1);
        let record = Record::parse(&bytes[..cut], &key());
        let corrupt = matches!(record, Record::Corrupt { .. });
        prop_assert!(corrupt);
    }

    #[test]
    fn any_bytes_are_a_record(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Record::parse(&bytes, &key());
    }

    /// A holder seen alive is never taken over, whatever the clocks say.
    #[test]
    fn the_living_keep_what_they_hold(claim in any_claim(), wall in any::<u64>(), boot in any::<u64>(), modified in any::<u64>()) {
        let found = Found::Record { record: Record::Claim(Box::new(claim)), modified: WallTime(modified) };
        let now = Reading { wall: WallTime(wall), boot: BootTime(boot), awake: boot };
        let seen = Observation { found: &found, process: ProcessState::Alive, now, since_wake: None };
        prop_assert!(matches!(decide(&seen, &owner(1), &Limits::default()), Decision::Conflict(_)));
    }
}
