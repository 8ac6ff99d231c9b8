//! What a lease costs, beside npm's `proper-lockfile`, `fd-lock`, std's file lock and a bare `mkdir`, all in one run.
//!
//! ```text
//! cargo bench -p brakeline-benches --bench collision_lease [-- --check]
//! ```
//!
//! Its own clockwork instead of criterion's: half of the peers are other processes, the figures that are promised are medians
//! of single operations, and eight processes at once are no function to call. The peer's file is in `peers/proper-lockfile`;
//! without Node.js, or without its `node_modules`, it is left out. `--check` makes missed targets an error.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may stop at the first surprise, and its output is a table"
)]

use collision_lease::{Beat, FsStore, LeaseSet, Options, Owner, SessionId};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 4_000;

fn set(state: &Path) -> LeaseSet {
    let store = Arc::new(FsStore::open(state).unwrap());
    let owner = Owner::for_process(SessionId::new("bench")).unwrap();
    LeaseSet::open(store, owner, Options { beat: Beat::Manual, ..Options::default() }).unwrap()
}

/// How long each of `count` calls took, shortest first.
fn sorted_times(count: usize, call: &mut impl FnMut()) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let begin = Instant::now();
            call();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

/// The median and the 99th percentile of one call, in microseconds.
fn time(mut call: impl FnMut()) -> (f64, f64) {
    for _ in 0..ROUNDS / 10 {
        call();
    }
    let times = sorted_times(ROUNDS, &mut call);
    let micros = |share: usize| times.get(ROUNDS * share / 100).map_or(0.0, |time| time.as_secs_f64() * 1e6);
    (micros(50), micros(99))
}

/// The least that a hand-made lock does for the same: claim text beside, renamed into place, removed at the end.
fn write_claim(folder: &Path) {
    let text = [b'x'; 400];
    fs::write(folder.join("claim.tmp"), text).unwrap();
    fs::rename(folder.join("claim.tmp"), folder.join("claim")).unwrap();
    fs::remove_file(folder.join("claim")).unwrap();
}

fn row(name: &str, (median, tail): (f64, f64)) -> f64 {
    println!("  {name:<44} {median:>9.1} µs  {tail:>9.1} µs");
    median
}

/// All single operations in one folder. Returns the median of acquire and release.
fn alone(folder: &Path) -> f64 {
    println!("{:<46} {:>12} {:>13}", format!("one process, in {}", folder.display()), "p50", "p99");
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    let (a, b) = (set(&folder.join("state")), set(&folder.join("state")));
    let ours = row(
        "collision-lease: acquire + release",
        time(|| {
            a.acquire(&file).unwrap();
            a.release(&file).unwrap();
        }),
    );
    a.acquire(&file).unwrap();
    row(
        "collision-lease: acquire what is held",
        time(|| {
            a.acquire(&file).unwrap();
        }),
    );
    row("collision-lease: heartbeat of one claim", time(|| assert_eq!(a.beat().count, 1)));
    row("collision-lease: conflict", time(|| assert!(b.acquire(&file).is_err())));
    row("collision-lease: commit of nothing", time(|| a.commit(&file, |_| ()).unwrap()));
    let lock = File::create(folder.join("lock")).unwrap();
    row(
        "std lock + claim write + remove",
        time(|| {
            lock.lock().unwrap();
            write_claim(folder);
            lock.unlock().unwrap();
        }),
    );
    let mut lock = fd_lock::RwLock::new(File::create(folder.join("fd-lock")).unwrap());
    row(
        "fd-lock + claim write + remove",
        time(|| {
            let _guard = lock.write().unwrap();
            write_claim(folder);
        }),
    );
    row("claim write + remove alone", time(|| write_claim(folder)));
    row(
        "mkdir + rmdir",
        time(|| {
            fs::create_dir(folder.join("dir")).unwrap();
            fs::remove_dir(folder.join("dir")).unwrap();
        }),
    );
    ours
}

/// Runs the peer; `None` if it is not there.
fn peer(arguments: &[&str]) -> Option<serde_json::Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/proper-lockfile");
    let output = Command::new("node")
        .arg("bench.mjs")
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::null())
        .output();
    serde_json::from_slice(&output.ok()?.stdout).ok()
}

/// Keeps a measurement in microseconds for the comparison of all benches.
fn keep(input: &str, name: &str, micros: f64) {
    brakeline_benches::record::save("leases", input, name, micros * 1e3).unwrap();
}

const WORKER: &str = "COLLISION_LEASE_BENCH_WORKER";

/// One of eight: acquires and releases one file as often as it can, and prints how often.
fn work(file: &str, seconds: f64) {
    let file = PathBuf::from(file);
    let set = set(&file.with_extension("state"));
    let (begin, mut count) = (Instant::now(), 0_u64);
    while begin.elapsed().as_secs_f64() < seconds {
        if set.acquire_within(&[&file], Duration::from_secs(1)).is_ok() {
            count += 1;
            set.release(&file).unwrap();
        }
    }
    println!("{count}");
}

/// Acquisitions a second of eight processes on one file.
fn contend(file: &Path, seconds: f64) -> f64 {
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.env(WORKER, file).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let counts = workers.into_iter().map(|worker| {
        let output = worker.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().parse::<f64>().unwrap()
    });
    counts.sum::<f64>() / seconds
}

/// The median of nine calls, in milliseconds.
fn median_of_nine(mut call: impl FnMut()) -> f64 {
    let times = sorted_times(9, &mut call);
    times.get(4).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

struct Targets {
    missed: u32,
}

impl Targets {
    fn check(&mut self, what: &str, met: bool) {
        println!("  {} {what}", if met { "met   " } else { "MISSED" });
        self.missed += u32::from(!met);
    }
}

fn main() -> ExitCode {
    const CONTEND: f64 = 3.0;
    if let Ok(file) = std::env::var(WORKER) {
        work(&file, CONTEND);
        return ExitCode::SUCCESS;
    }
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let memory = tempfile::tempdir_in("/dev/shm").ok();
    let mut targets = Targets { missed: 0 };

    let ours = alone(disk.path());
    keep("acquire + release, on disk", "collision-lease", ours);
    let theirs = peer(&[&disk.path().join("file").to_string_lossy(), "1000"]);
    let number = |value: &Option<serde_json::Value>, key: &str| {
        value.as_ref().and_then(|value| value.get(key)?.as_f64())
    };
    for form in ["sync", "async"] {
        match number(&theirs, form) {
            Some(micros) => {
                keep("acquire + release, on disk", &format!("proper-lockfile, {form}"), micros);
                println!("  {:<44} {micros:>9.1} µs", format!("proper-lockfile, {form}: lock + unlock"));
            }
            None => println!("  proper-lockfile, {form}: not there (npm install in peers/proper-lockfile)"),
        }
    }
    if let Some(memory) = &memory {
        alone(memory.path());
    }

    println!("eight processes on one file, on disk");
    let file = disk.path().join("contended");
    fs::write(&file, "").unwrap();
    let ours_contended = contend(&file, CONTEND);
    println!("  {:<44} {ours_contended:>9.0} acquisitions/s", "collision-lease");
    keep("acquire + release, eight processes", "collision-lease", 1e6 / ours_contended);
    let theirs_contended = peer(&["contend", &file.to_string_lossy(), "3"]);
    for form in ["default", "sync", "async"] {
        if let Some(rate) = number(&theirs_contended, form) {
            keep("acquire + release, eight processes", &format!("proper-lockfile, {form}"), 1e6 / rate);
            println!("  {:<44} {rate:>9.0} acquisitions/s", format!("proper-lockfile, {form}"));
        }
    }

    println!("a thousand claims, on disk (median of nine)");
    let many = set(&disk.path().join("many"));
    for claim in 0..1_000 {
        many.acquire(&disk.path().join(format!("file-{claim}"))).unwrap();
    }
    let status = median_of_nine(|| assert_eq!(many.status().unwrap().len(), 1_000));
    println!("  {:<44} {status:>9.1} ms", "status");
    let heartbeat = median_of_nine(|| assert_eq!(many.beat().count, 1_000));
    println!("  {:<44} {heartbeat:>9.1} ms", "heartbeat");
    keep("status of 1,000 claims", "collision-lease", status * 1e3);
    keep("heartbeat of 1,000 claims", "collision-lease", heartbeat * 1e3);

    println!("targets");
    targets.check("status of 1,000 claims under 20 ms", status < 20.0);
    targets.check("heartbeat of 1,000 claims under 300 ms", heartbeat < 300.0);
    if let Some(sync) = number(&theirs, "sync") {
        let ratio = sync / ours;
        targets.check(
            &format!("acquire + release at least 4 times faster than sync ({ratio:.1})"),
            ratio >= 4.0,
        );
    }
    if let Some(default) = number(&theirs_contended, "default") {
        let ratio = ours_contended / default;
        targets
            .check(&format!("contended throughput at least 50 times the peer's ({ratio:.0})"), ratio >= 50.0);
    }
    let check = std::env::args().any(|argument| argument == "--check");
    if check && targets.missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
