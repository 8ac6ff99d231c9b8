//! Leases across hosts, against the real server. Without an `etcd` program the tests say so and are skipped.

#![cfg(all(target_os = "linux", feature = "etcd"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use collision_lease::*;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Server {
    child: Child,
    endpoint: String,
    _data: TempDir,
}

impl Server {
    fn start() -> Option<Self> {
        let data = tempfile::tempdir().unwrap();
        let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (client, peer) = (format!("http://127.0.0.1:{}", port()), format!("http://127.0.0.1:{}", port()));
        let mut command = Command::new("etcd");
        command.arg("--data-dir").arg(data.path()).args(["--listen-client-urls", &client]);
        command.args(["--advertise-client-urls", &client, "--listen-peer-urls", &peer]);
        command.args([
            "--initial-advertise-peer-urls",
            &peer,
            "--initial-cluster",
            &format!("default={peer}"),
        ]);
        let Ok(child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            println!("SKIPPED: there is no `etcd` program");
            return None;
        };
        let server = Self { child, endpoint: client, _data: data };
        let begin = Instant::now();
        while EtcdStore::connect(&[&server.endpoint], options()).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(20), "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    fn store(&self) -> Arc<EtcdStore> {
        Arc::new(EtcdStore::connect(&[&self.endpoint], options()).unwrap())
    }

    /// The set of a process on another host: a boot that this machine never had.
    fn set(&self, host: &str) -> LeaseSet {
        set_in(self.store(), host)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn set_in(store: Arc<EtcdStore>, host: &str) -> LeaseSet {
    let mut owner = Owner::for_process(SessionId::new(host)).unwrap();
    owner.process.boot = Some(host.into());
    LeaseSet::open(store, owner, Options { beat: Beat::Manual, ..Options::default() }).unwrap()
}

fn options() -> EtcdOptions {
    EtcdOptions { time_to_live: Duration::from_secs(2), ..EtcdOptions::default() }
}

fn file() -> &'static Path {
    Path::new("/nowhere/shared.txt")
}

#[test]
fn leases_across_hosts() {
    let Some(server) = Server::start() else { return };
    acquire_conflict_release(&server);
    a_silent_host_loses_its_claims_after_their_time(&server);
    a_forced_release_is_reported(&server);
    nobody_is_overwritten(&server);
    many_hosts_one_holder(&server);
    no_server_no_lease();
}

fn acquire_conflict_release(server: &Server) {
    let (a, b) = (server.set("host-a"), server.set("host-b"));
    let first = a.acquire(file()).unwrap();
    assert!(!a.acquire(file()).unwrap().new);
    assert!(
        matches!(b.acquire(file()), Err(Error::Held { .. })),
        "a boot that is not ours must not look dead here"
    );
    assert_eq!(a.beat().count, 1);
    assert_eq!(b.status().unwrap().len(), 1);
    assert_eq!(a.release_all().count, 1);
    let second = b.acquire(file()).unwrap();
    assert!(second.generation > first.generation, "the fencing token grows");
    drop(b);
    assert!(server.set("host-c").status().unwrap().is_empty());
}

fn a_silent_host_loses_its_claims_after_their_time(server: &Server) {
    let (store, b) = (server.store(), server.set("host-b"));
    let a = set_in(store.clone(), "host-a");
    a.acquire(file()).unwrap();
    // Kept alive beyond its time to live by beating …
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        assert_eq!(a.beat().count, 1);
        assert!(b.acquire(file()).is_err());
        std::thread::sleep(Duration::from_millis(250));
    }
    // … and gone without. (The server looks for expired leases now and then.)
    let begin = Instant::now();
    let taken = loop {
        match b.acquire(file()) {
            Ok(grant) => break grant,
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "never expired");
    };
    println!("taken after {:?}", begin.elapsed());
    assert!(begin.elapsed() > Duration::from_secs(1), "{taken:?}");
    assert!(matches!(a.commit(file(), |_| ()), Err(Error::Lost { .. })));
    assert_eq!(a.take_lost().len(), 1);
    b.release_all();
}

fn a_forced_release_is_reported(server: &Server) {
    let (a, b) = (server.set("host-a"), server.set("host-b"));
    a.acquire(file()).unwrap();
    assert!(matches!(b.force_release(file(), None), Err(Error::NotAsShown { .. })));
    b.force_release(file(), Some(&a.owner().token)).unwrap();
    assert_eq!(a.beat().lost.len(), 1);
    assert!(b.status().unwrap().is_empty(), "written back");
}

/// A change that was decided on an older state fails.
fn nobody_is_overwritten(server: &Server) {
    let store = server.store();
    let path = CanonicalPath::resolve(file()).unwrap();
    let key = ClaimKey::of(&path);
    let owner = Owner::for_process(SessionId::new("s")).unwrap();
    let claim = Claim::new(&path, &owner, 1, SystemClock.read());
    let contended =
        |result: Result<(), StoreError>| matches!(result.unwrap_err().problem(), StoreProblem::Contended);
    let (mut first, mut second) =
        (store.lock(&key, Duration::ZERO).unwrap(), store.lock(&key, Duration::ZERO).unwrap());
    first.read().unwrap();
    second.read().unwrap();
    first.publish(&claim, Publish::New).unwrap();
    assert!(contended(second.publish(&claim, Publish::New)));
    assert!(contended(second.publish(&claim, Publish::InPlace)));
    assert!(contended(second.remove()));
    second.read().unwrap();
    second.remove().unwrap();
}

fn many_hosts_one_holder(server: &Server) {
    let inside = AtomicU32::new(0);
    let grants = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (inside, grants) = (&inside, &grants);
            let set = server.set(&format!("host-{number}"));
            scope.spawn(move || {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_secs(3) {
                    set.beat();
                    if set.acquire(file()).is_ok() {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two hold at once");
                        grants.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(1));
                        inside.fetch_sub(1, Ordering::SeqCst);
                        set.release(file()).unwrap();
                    }
                }
            });
        }
    });
    println!("{} grants to eight hosts", grants.load(Ordering::SeqCst));
    assert!(grants.load(Ordering::SeqCst) > 20);
}

fn no_server_no_lease() {
    let error = EtcdStore::connect(&["http://127.0.0.1:1"], options()).unwrap_err();
    assert!(matches!(error.problem(), StoreProblem::Io(_)), "{error}");
}
