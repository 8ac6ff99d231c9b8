//! The only way out of the sandbox: a proxy that asks the policy before it dials.
//!
//! ```text
//! command ── TCP, inside the sandbox's namespace ──> proxy ── checked address ──> host
//!            HTTP CONNECT, plain HTTP, SOCKS5          │
//!                                                      └── one decision for all three
//! ```
//!
//! The listening socket is made inside the sandbox and handed out over a unix socket pair; a socket stays in the namespace
//! in which it was made, so the proxy accepts from inside and dials from outside. There is no relay and no socket file.

pub mod http;
pub mod socks5;

mod tunnel;
mod upstream;

pub use upstream::{HostUpstream, Upstream};

use crate::network::{NetworkPolicy, NetworkVerdict};
use brakeline_settings::Language;
use rustix::event::{PollFd, PollFlags, poll};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a client may take to say what it wants, and a host to answer the call.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections at one time. One more is closed at once.
const MAX_CONNECTIONS: usize = 256;
/// Different refusals that are kept to be reported.
const MAX_REFUSALS: usize = 100;

/// A proxy that runs in threads of its own until it is dropped.
///
/// Dropping it stops accepting; connections that are open end when one of their sides does.
#[derive(Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
    /// Closing it wakes the thread that accepts.
    _stop: OwnedFd,
}

/// What the threads of a proxy have in common.
pub(crate) struct Shared {
    policy: NetworkPolicy,
    upstream: Box<dyn Upstream>,
    language: Language,
    open: AtomicUsize,
    refusals: Mutex<BTreeMap<String, NetworkVerdict>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Why a connection is not made.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The policy says no.
    Denied(Box<NetworkVerdict>),
    /// The policy says yes, and the host does not answer.
    Unreachable(io::Error),
}

impl Proxy {
    /// Serves a listening socket, in a thread.
    ///
    /// # Errors
    ///
    /// What the system says when it gives no thread or pipe.
    pub fn start(
        policy: NetworkPolicy,
        upstream: Box<dyn Upstream>,
        listener: TcpListener,
        language: Language,
    ) -> io::Result<Self> {
        let (stopped, stop) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let shared = Arc::new(Shared {
            policy,
            upstream,
            language,
            open: AtomicUsize::new(0),
            refusals: Mutex::default(),
        });
        listener.set_nonblocking(true)?;
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("brakeline-proxy".to_owned())
            .spawn(move || accept(&accepting, &listener, &stopped))?;
        Ok(Self { shared, _stop: stop })
    }

    /// Returns the connections that were refused so far, each once, in the order of their names.
    #[must_use]
    pub fn refusals(&self) -> Vec<NetworkVerdict> {
        self.shared.refusals.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener, stopped: &OwnedFd) {
    loop {
        let mut waiting = [PollFd::new(listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) => {}
        }
        let [_, stop] = &waiting;
        if !stop.revents().is_empty() {
            return;
        }
        if let Ok((stream, _)) = listener.accept() {
            begin(shared, stream);
        }
    }
}

fn begin(shared: &Arc<Shared>, stream: TcpStream) {
    let connection = Connection::count(shared);
    if shared.open.load(Ordering::Relaxed) > MAX_CONNECTIONS {
        return;
    }
    // Without a thread the connection is dropped, which its client sees.
    let _ = thread::Builder::new().name("brakeline-proxy-connection".to_owned()).spawn(move || {
        // Clients go away; that is their business.
        let _ = serve(&connection.0, stream);
    });
}

/// A connection that counts while it is open.
struct Connection(Arc<Shared>);

impl Connection {
    fn count(shared: &Arc<Shared>) -> Self {
        shared.open.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one connection in the protocol that its first byte tells.
fn serve(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut first = [0];
    if stream.peek(&mut first)? == 0 {
        return Ok(());
    }
    match first {
        [socks5::VERSION] => tunnel::socks5(shared, stream),
        _ => tunnel::http(shared, stream),
    }
}

impl Shared {
    /// The one decision: judges the name, resolves it, judges each address, and dials one that was judged.
    pub(crate) fn connect(&self, host: &str, port: u16) -> Result<TcpStream, Refusal> {
        let by_name = self.policy.may_connect(host, port);
        if !by_name.allowed {
            return Err(self.refuse(by_name));
        }
        let addresses = self.addresses(&by_name.host, port).map_err(Refusal::Unreachable)?;
        let mut refused = None;
        let mut failed = None;
        for address in addresses {
            let verdict = self.policy.may_reach(&by_name.host, port, address, self.upstream.is_own(address));
            if !verdict.allowed {
                refused = Some(verdict);
                continue;
            }
            match self.upstream.dial(SocketAddr::new(address, port), PATIENCE) {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = Some(error),
            }
        }
        Err(match (refused, failed) {
            (_, Some(error)) => Refusal::Unreachable(error),
            (Some(verdict), None) => self.refuse(verdict),
            (None, None) => Refusal::Unreachable(io::ErrorKind::HostUnreachable.into()),
        })
    }

    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>> {
        match crate::domain::Host::parse(host) {
            Some(crate::domain::Host::Address(address)) => Ok(vec![address]),
            _ => self.upstream.resolve(host, port),
        }
    }

    fn refuse(&self, verdict: NetworkVerdict) -> Refusal {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() < MAX_REFUSALS {
            refusals.entry(format!("{}:{}", verdict.host, verdict.port)).or_insert_with(|| verdict.clone());
        }
        Refusal::Denied(Box::new(verdict))
    }

    pub(crate) fn language(&self) -> Language {
        self.language
    }
}
