//! Sixteen processes fight for eight paths while they are killed at random moments and at every point of the protocol.
//!
//! ```text
//! cargo run --release -p collision-lease --features torture --example torture -- SECONDS
//! ```
//!
//! The judge shares nothing with the crate: a kernel lock of its own for each path, held while a process believes that it
//! holds the lease. Counters are kept in files which only ever grow, so that killing anybody loses nothing. Exit status 1
//! if two ever held a path at once, an update was lost, a path stayed stuck, or a loss went unreported.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program may stop at the first surprise"
)]

use collision_lease::{
    CanonicalPath, ClaimKey, EntryState, Error, FsStore, LeaseSet, Limits, Options, Owner, SessionId, faults,
};
use rustix::fs::{FlockOperation, flock};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

const WORKERS: usize = 16;
const PATHS: usize = 8;

/// Randomness that needs to be neither good nor repeatable: what races do is not repeatable either.
fn random(below: u64) -> u64 {
    RandomState::new().hash_one(0) % below.max(1)
}

struct Place(PathBuf);

impl Place {
    fn state(&self) -> PathBuf {
        self.0.join("state")
    }

    fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("data-{number}"))
    }

    /// The path that is released by force and damaged, and therefore not watched by the judge.
    fn abused(&self) -> PathBuf {
        self.0.join("abused")
    }

    /// Adds to a log. One small append is never torn or lost, whoever is killed.
    fn log(&self, name: &str, text: &str) {
        let file = OpenOptions::new().append(true).create(true).open(self.0.join(name));
        file.and_then(|mut file| file.write_all(text.as_bytes())).expect("the log can be written");
    }

    fn read_log(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

fn limits() -> Limits {
    // A quick heartbeat, so that many are in the race.
    Limits { heartbeat: Duration::from_millis(7), ..Limits::default() }
}

fn open_set(place: &Place) -> LeaseSet {
    let store = Arc::new(FsStore::open(&place.state()).expect("the state folder is usable"));
    let owner = Owner::for_process(SessionId::new("torture")).expect("a process knows itself");
    LeaseSet::open(store, owner, Options { limits: limits(), ..Options::default() })
        .expect("a set can be opened")
}

/// One process: acquire, hold, write, release, for ever.
fn work(place: &Place) -> ! {
    let set = open_set(place);
    let witnesses: Vec<File> = (0..PATHS)
        .map(|n| File::create(place.0.join(format!("witness-{n}"))).expect("a witness file"))
        .collect();
    loop {
        if random(6) == 0 {
            be_abused(place, &set);
            continue;
        }
        let number = usize::try_from(random(PATHS as u64)).unwrap_or(0);
        let file = place.file(number);
        match set.acquire(&file) {
            Ok(grant) => {
                place.log("acquires", "a");
                if grant.replaced.is_some() {
                    place.log("takeovers", "t");
                }
                hold(place, &set, &file, &witnesses[number], number);
            }
            Err(Error::Held { .. }) => {
                place.log("conflicts", "c");
                // Turned away sixteen to one, they would leave the processor to nobody else.
                std::thread::sleep(Duration::from_micros(random(1_000)));
            }
            Err(error) => place.log("errors", &format!("acquire: {error}\n")),
        }
    }
}

fn hold(place: &Place, set: &LeaseSet, file: &Path, witness: &File, number: usize) {
    if flock(witness, FlockOperation::NonBlockingLockExclusive).is_err() {
        place.log("violations", &format!("two held path {number}\n"));
    }
    std::thread::sleep(Duration::from_micros(random(3_000)));
    let committed = set.commit(file, |path| {
        let count: u64 =
            fs::read_to_string(path.as_path()).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        let next = path.as_path().with_extension("next");
        fs::write(&next, (count + 1).to_string()).expect("the data can be written");
        fs::rename(&next, path.as_path()).expect("the data can be replaced");
        place.log(&format!("commits-{number}"), "c");
    });
    if let Err(error) = committed {
        place.log("errors", &format!("commit: {error}\n"));
    }
    flock(witness, FlockOperation::Unlock).expect("the witness can be unlocked");
    match set.release(file) {
        Ok(()) => {}
        Err(error) => place.log("errors", &format!("release: {error}\n")),
    }
}

/// Holds the path that is released by force now and then, and says how that ended.
fn be_abused(place: &Place, set: &LeaseSet) {
    let file = place.abused();
    // Reports of earlier grants, such as one whose release failed: not to be taken for this one's.
    let _ = set.take_lost();
    let Ok(grant) = set.acquire(&file) else { return };
    place.log("acquires", "a");
    std::thread::sleep(Duration::from_micros(random(20_000)));
    match set.release(&file) {
        Ok(()) => place.log("released", &format!("{}\n", grant.generation)),
        Err(Error::Lost { .. }) => place.log("lost", &format!("{}\n", grant.generation)),
        // The heartbeat noticed first; then the loss is in the report.
        Err(Error::NotHeld { .. }) if !set.take_lost().is_empty() => {
            place.log("lost", &format!("{}\n", grant.generation));
        }
        // Still held, or lost without anybody having noticed yet: no ending of this grant is known.
        Err(error @ Error::Store(_)) => place.log("errors", &format!("release: {error}\n")),
        Err(error) => place.log("violations", &format!("a loss went unreported: {error}\n")),
    }
}

struct Worker {
    child: Child,
    point: Option<&'static str>,
}

fn spawn(place: &Place) -> Worker {
    let mut command = Command::new(std::env::current_exe().expect("a program knows its name"));
    command.env("TORTURE_PLACE", &place.0);
    // Half of them kill themselves at a point of the protocol, the others are killed from outside.
    let point = (random(2) == 0)
        .then(|| faults::POINTS[usize::try_from(random(faults::POINTS.len() as u64)).unwrap_or(0)]);
    if let Some(point) = point {
        command.env("COLLISION_LEASE_KILL_AT", format!("{point}:{}", random(40) + 1));
    }
    Worker { child: command.spawn().expect("a process can be started"), point }
}

#[derive(Default)]
struct Kills {
    outside: u64,
    at_point: BTreeMap<&'static str, u64>,
}

fn abuse(place: &Place, set: &LeaseSet) {
    let file = place.abused();
    if random(3) == 0 {
        let key = ClaimKey::of(&CanonicalPath::resolve(&file).expect("the path can be resolved"));
        let claim = place.state().join(format!("claims/{key}.json"));
        // Written beside and renamed, as a program that knows no lock would damage it at worst.
        let beside = place.0.join("damage");
        let old = SystemTime::now() - Duration::from_secs(31);
        let written = fs::write(&beside, "{")
            .and_then(|()| File::options().write(true).open(&beside)?.set_modified(old));
        if written.and_then(|()| fs::rename(&beside, claim)).is_ok() {
            place.log("damages", "d");
        }
        return;
    }
    let Ok(Some(entry)) = set.inspect(&file) else { return };
    if let EntryState::Claim { claim, .. } = entry.state
        && let Ok(holder) = set.force_release(&file, claim.token.as_ref())
    {
        place.log("forced", &format!("{}\n", holder.generation));
    }
}

fn main() -> ExitCode {
    if let Some(place) = std::env::var_os("TORTURE_PLACE") {
        work(&Place(place.into()));
    }
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Place(folder.path().canonicalize().expect("the folder exists"));
    let set = open_set(&place);
    let begin = Instant::now();
    let mut workers: Vec<Worker> = (0..WORKERS).map(|_| spawn(&place)).collect();
    let mut kills = Kills::default();
    while begin.elapsed() < Duration::from_secs(seconds) {
        std::thread::sleep(Duration::from_micros(random(6_000)));
        abuse(&place, &set);
        for worker in &mut workers {
            if let Ok(Some(status)) = worker.child.try_wait() {
                match (status.signal(), worker.point) {
                    (Some(9), Some(point)) => *kills.at_point.entry(point).or_default() += 1,
                    _ => place.log("violations", &format!("a worker ended by itself: {status}\n")),
                }
                *worker = spawn(&place);
            }
        }
        let victim = &mut workers[usize::try_from(random(WORKERS as u64)).unwrap_or(0)];
        if victim.point.is_none() && victim.child.kill().is_ok() {
            kills.outside += 1;
            // A zombie for a while: its lease must be free all the same.
            std::thread::sleep(Duration::from_micros(random(2_000)));
            let _ = victim.child.wait();
            *victim = spawn(&place);
        }
    }
    for worker in &mut workers {
        let _ = worker.child.kill();
        let _ = worker.child.wait();
    }
    report(&place, &set, &kills)
}

/// Everybody is dead now: every path must be free at once, and the numbers must add up.
fn report(place: &Place, set: &LeaseSet, kills: &Kills) -> ExitCode {
    let total = kills.outside + kills.at_point.values().sum::<u64>() + WORKERS as u64;
    for number in 0..PATHS {
        if let Err(error) = set.acquire(&place.file(number)) {
            place.log("violations", &format!("path {number} is stuck: {error}\n"));
        }
        let commits = place.read_log(&format!("commits-{number}")).len() as u64;
        let count: u64 =
            fs::read_to_string(place.file(number)).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        if count < commits || count > commits + total {
            place.log(
                "violations",
                &format!("path {number}: {commits} commits, but the data counts {count}\n"),
            );
        }
    }
    if let Err(error) = set.acquire(&place.abused()) {
        place.log("violations", &format!("the abused path is stuck: {error}\n"));
    }
    let numbers = |name: &str| -> BTreeSet<u64> {
        place.read_log(name).lines().filter_map(|l| l.parse().ok()).collect()
    };
    for generation in numbers("forced").intersection(&numbers("released")) {
        place.log(
            "violations",
            &format!("grant {generation} was taken by force, and its holder released it in peace\n"),
        );
    }
    println!("acquires    {}", place.read_log("acquires").len());
    println!("conflicts   {}", place.read_log("conflicts").len());
    println!("takeovers   {}", place.read_log("takeovers").len());
    println!("kills       {} at random moments, and at points:", kills.outside);
    for (point, count) in &kills.at_point {
        println!("            {count:6} {point}");
    }
    println!("forced      {}, lost and reported {}", numbers("forced").len(), numbers("lost").len());
    println!("damaged     {}", place.read_log("damages").len());
    let errors = place.read_log("errors");
    println!("errors      {} (each blocked its path and did no harm)", errors.lines().count());
    for line in errors.lines().collect::<BTreeSet<_>>().iter().take(5) {
        println!("            {line}");
    }
    let violations = place.read_log("violations");
    println!("violations  {}", violations.lines().count());
    for line in violations.lines().take(20) {
        println!("            {line}");
    }
    if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
