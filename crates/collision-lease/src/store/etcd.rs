//! Claims in etcd: for agents on several hosts. Outside of what the crate promises for one machine.
//!
//! Why etcd and not Redis: a lease needs compare-and-swap, expiry by the server's clock, and a number that only grows, and
//! all three must survive the loss of a server. etcd has them in its transactions, its leases and its revision, and a
//! majority has stored what it acknowledges. Redis can imitate each, but replicates after it has acknowledged: after a
//! failover a path may be granted twice.
//!
//! Spoken is the JSON form of etcd's API, version 3 (since etcd 3.4), with a small blocking HTTP client: the crate has no
//! other use for an asynchronous runtime, which the gRPC client would bring along.

use super::{Listed, Locked, Store, StoreError, StoreProblem};
use crate::claim::{Claim, ClaimKey, Record};
use crate::clock::{Clock, SystemClock};
use crate::decide::Found;
use crate::operation::Publish;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How an [`EtcdStore`] behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdOptions {
    /// What all keys begin with.
    pub prefix: String,
    /// After this time without a heartbeat all claims of this store are gone. Whole seconds; the server has a minimum (2 s).
    pub time_to_live: Duration,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Default for EtcdOptions {
    /// `collision-lease/`, 30 s, 5 s.
    fn default() -> Self {
        Self {
            prefix: "collision-lease/".to_owned(),
            time_to_live: Duration::from_secs(30),
            timeout: Duration::from_secs(5),
        }
    }
}

/// Claims in etcd, shared by agents on several hosts that see the same files under the same paths.
///
/// What differs from [`FsStore`](crate::FsStore):
///
/// - A claim lives as long as its store's etcd lease. The heartbeat keeps that alive; when it stops, because the process died
///   or was cut off, the server removes the claims after [`EtcdOptions::time_to_live`]. A dead holder is therefore not taken
///   over at once. Nobody judges a pid of another host.
/// - There is no operation lock. Each change is a transaction that fails if the claim changed since it was read.
/// - [`LeaseSet::commit`](crate::LeaseSet::commit) checks the claim before the write but cannot hold off its expiry during
///   it: a host that stops in between and wakes up later writes without a lease. The grant's generation, which is etcd's
///   revision, is a fencing token for whoever can check it where the file is stored.
/// - Owners must be processes that stay: not [`LeaseSet::for_agent`](crate::LeaseSet::for_agent).
/// - The connection is plain HTTP. Keep it on the machine, in a trusted network, or behind a proxy that adds TLS.
pub struct EtcdStore {
    agent: ureq::Agent,
    endpoints: Vec<String>,
    options: EtcdOptions,
    lease: Mutex<ServerLease>,
}

/// The server's lease on which all claims of this store hang.
#[derive(Clone, Copy, Debug)]
struct ServerLease {
    id: i64,
    kept_alive: Instant,
}

impl fmt::Debug for EtcdStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdStore").field("endpoints", &self.endpoints).finish_non_exhaustive()
    }
}

impl EtcdStore {
    /// Connects to one of the servers of a cluster, given as `http://host:2379`.
    ///
    /// # Errors
    ///
    /// If none answers.
    pub fn connect(endpoints: &[&str], options: EtcdOptions) -> Result<Self, StoreError> {
        let config = ureq::Agent::config_builder().timeout_global(Some(options.timeout)).build();
        let endpoints = endpoints.iter().map(|endpoint| endpoint.trim_end_matches('/').to_owned()).collect();
        let none = ServerLease { id: 0, kept_alive: Instant::now() };
        let store = Self { agent: config.into(), endpoints, options, lease: Mutex::new(none) };
        let lease = store.grant()?;
        *store.lease() = lease;
        Ok(store)
    }

    fn lease(&self) -> MutexGuard<'_, ServerLease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grant(&self) -> Result<ServerLease, StoreError> {
        let seconds = self.options.time_to_live.as_secs().max(1);
        let answer = self.call("lease/grant", &json!({ "TTL": seconds.to_string() }))?;
        let id = number(&answer, "ID").ok_or_else(|| self.nonsense("lease/grant"))?;
        Ok(ServerLease { id, kept_alive: Instant::now() })
    }

    /// The server's lease, alive. A new one if the old one has expired: then the claims that hung on it are gone, and their
    /// holders will find them gone.
    fn living_lease(&self) -> Result<i64, StoreError> {
        let mut lease = self.lease();
        // Once for all claims of a beat, and often enough to miss several times.
        if lease.kept_alive.elapsed() > self.options.time_to_live / 10 {
            let answer = self.call("lease/keepalive", &json!({ "ID": lease.id.to_string() }))?;
            let alive =
                answer.get("result").and_then(|result| number(result, "TTL")).is_some_and(|ttl| ttl > 0);
            *lease = if alive { ServerLease { kept_alive: Instant::now(), ..*lease } } else { self.grant()? };
        }
        Ok(lease.id)
    }

    /// Asks the servers in turn until one answers.
    ///
    /// A request whose answer got lost may have been carried out. That is harmless: a claim of ours that we do not know of
    /// is found to be ours by the next acquire, or expires.
    fn call(&self, method: &str, request: &Value) -> Result<Value, StoreError> {
        let body = request.to_string();
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "no server was named");
        for endpoint in &self.endpoints {
            let url = format!("{endpoint}/v3/{method}");
            let sent = self.agent.post(&url).header("content-type", "application/json").send(body.as_str());
            match sent.and_then(|mut answer| answer.body_mut().read_to_vec()) {
                // Some answers are streams of one object a line; the first one is what was asked for.
                Ok(bytes) => match serde_json::Deserializer::from_slice(&bytes).into_iter().next() {
                    Some(Ok(value)) => return Ok(value),
                    _ => return Err(self.nonsense(method)),
                },
                Err(error) => last = io::Error::other(error),
            }
        }
        Err(self.error(last))
    }

    fn error(&self, source: io::Error) -> StoreError {
        StoreError::new(&self.place(), StoreProblem::Io(source))
    }

    fn nonsense(&self, method: &str) -> StoreError {
        self.error(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("an answer to `{method}` that makes no sense"),
        ))
    }

    fn place(&self) -> std::path::PathBuf {
        Path::new(self.endpoints.first().map_or("etcd", String::as_str)).to_owned()
    }

    fn claims_prefix(&self) -> String {
        format!("{}claims/", self.options.prefix)
    }

    fn name(&self, key: &ClaimKey) -> String {
        encode(format!("{}{key}", self.claims_prefix()).as_bytes())
    }

    fn get(&self, key: &ClaimKey) -> Result<Seen, StoreError> {
        let answer = self.call("kv/range", &json!({ "key": self.name(key) }))?;
        let revision = answer.get("header").and_then(|header| number(header, "revision")).unwrap_or(0);
        let entry = answer.get("kvs").and_then(|entries| entries.get(0));
        let Some(entry) = entry else {
            return Ok(Seen { found: Found::Nothing, changed: 0, revision, bytes: None });
        };
        let changed = number(entry, "mod_revision").ok_or_else(|| self.nonsense("kv/range"))?;
        let bytes = value_of(entry).ok_or_else(|| self.nonsense("kv/range"))?;
        Ok(Seen { found: found(&bytes, key), changed, revision, bytes: Some(bytes) })
    }

    /// Does `then` if the comparison holds, else nothing.
    fn transact(&self, compare: &Value, then: &Value) -> Result<(), StoreError> {
        let answer = self.call("kv/txn", &json!({ "compare": [compare], "success": [then] }))?;
        if answer.get("succeeded") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        Err(StoreError::new(&self.place(), StoreProblem::Contended))
    }
}

impl Drop for EtcdStore {
    /// Lets the server forget the claims at once instead of after their time.
    fn drop(&mut self) {
        let id = self.lease().id;
        let _ = self.call("lease/revoke", &json!({ "ID": id.to_string() }));
    }
}

impl Store for EtcdStore {
    fn lock<'a>(&'a self, key: &ClaimKey, _: Duration) -> Result<Box<dyn Locked + 'a>, StoreError> {
        let lease = self.living_lease()?;
        Ok(Box::new(SeenClaim { store: self, key: *key, lease, seen: None }))
    }

    fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let prefix = self.claims_prefix();
        // All keys that begin with the prefix: up to the prefix with its last byte, a slash, raised by one.
        let end = format!("{}0", prefix.trim_end_matches('/'));
        let range = json!({ "key": encode(prefix.as_bytes()), "range_end": encode(end.as_bytes()) });
        let answer = self.call("kv/range", &range)?;
        let entries = answer.get("kvs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut listed = Vec::with_capacity(entries.len());
        for entry in entries {
            let name = entry.get("key").and_then(Value::as_str).and_then(|name| STANDARD.decode(name).ok());
            let key = name
                .and_then(|name| String::from_utf8(name).ok())
                .and_then(|name| ClaimKey::parse(name.strip_prefix(&prefix)?));
            if let (Some(key), Some(bytes)) = (key, value_of(entry)) {
                listed.push(Listed { key, found: found(&bytes, &key) });
            }
        }
        listed.sort_by_key(|listed| listed.key);
        Ok(listed)
    }

    fn peek(&self, key: &ClaimKey) -> Result<Found, StoreError> {
        Ok(self.get(key)?.found)
    }

    fn liveness(&self) -> Option<Box<str>> {
        Some(mark(self.living_lease().ok()?).into())
    }

    /// Whether the server still counts down for that holder. No answer is no proof of death.
    fn is_live(&self, mark: &str) -> bool {
        let Some(id) = mark.strip_prefix("etcd-").and_then(|id| id.parse::<i64>().ok()) else { return false };
        let answer = self.call("lease/timetolive", &json!({ "ID": id.to_string() }));
        answer.map_or(true, |answer| number(&answer, "TTL").is_none_or(|ttl| ttl > 0))
    }
}

fn mark(lease: i64) -> String {
    format!("etcd-{lease}")
}

fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A number as the JSON form of the API has it: as a text, and not at all if it is zero.
fn number(value: &Value, key: &str) -> Option<i64> {
    let value = value.get(key)?;
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn value_of(entry: &Value) -> Option<Vec<u8>> {
    let text = entry.get("value").and_then(Value::as_str).unwrap_or_default();
    STANDARD.decode(text).ok()
}

/// A corrupt record has no age here, so its grace never ends: a person removes it.
fn found(bytes: &[u8], key: &ClaimKey) -> Found {
    Found::Record { record: Record::parse(bytes, key), modified: SystemClock.read().wall }
}

/// What was read, and at which revision.
struct Seen {
    found: Found,
    /// The revision of the last change of this key; 0: there is none.
    changed: i64,
    /// The revision of the whole store.
    revision: i64,
    bytes: Option<Vec<u8>>,
}

/// One claim between reading and changing it. Nothing is locked: changes compare.
struct SeenClaim<'a> {
    store: &'a EtcdStore,
    key: ClaimKey,
    lease: i64,
    seen: Option<Seen>,
}

impl SeenClaim<'_> {
    /// The condition under which a change is still the one that was decided on.
    fn unchanged(&self) -> Value {
        let name = self.store.name(&self.key);
        let changed = self.seen.as_ref().map_or(0, |seen| seen.changed);
        json!({ "key": name, "target": "MOD", "result": "EQUAL", "mod_revision": changed.to_string() })
    }
}

impl Locked for SeenClaim<'_> {
    fn read(&mut self) -> Result<Found, StoreError> {
        let seen = self.store.get(&self.key)?;
        let found = seen.found.clone();
        self.seen = Some(seen);
        Ok(found)
    }

    /// The store's revision, plus one: each grant raises it, so a later one reads a larger.
    fn next_generation(&mut self, above: u64) -> Result<u64, StoreError> {
        let revision = self.seen.as_ref().map_or(0, |seen| u64::try_from(seen.revision).unwrap_or(0));
        Ok(revision.max(above).saturating_add(1))
    }

    fn publish(&mut self, claim: &Claim, _: Publish) -> Result<(), StoreError> {
        let claim = Claim { liveness: Some(mark(self.lease).into()), ..claim.clone() };
        let put = json!({ "requestPut": {
            "key": self.store.name(&self.key),
            "value": encode(&claim.to_bytes()),
            "lease": self.lease.to_string(),
        }});
        self.store.transact(&self.unchanged(), &put)
    }

    fn touch(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn quarantine(&mut self) -> Result<(), StoreError> {
        let Some((seen, bytes)) = self.seen.as_ref().and_then(|seen| Some((seen, seen.bytes.as_ref()?)))
        else {
            return Ok(());
        };
        let name = format!("{}quarantine/{}.{}", self.store.options.prefix, self.key, seen.changed);
        self.store.call("kv/put", &json!({ "key": encode(name.as_bytes()), "value": encode(bytes) }))?;
        Ok(())
    }

    fn remove(&mut self) -> Result<(), StoreError> {
        let delete = json!({ "requestDeleteRange": { "key": self.store.name(&self.key) } });
        self.store.transact(&self.unchanged(), &delete)
    }

    fn unlock(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}
