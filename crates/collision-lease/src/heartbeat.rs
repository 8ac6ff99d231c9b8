//! The thread that confirms the leases of a set.
//!
//! It never panics and never gives up: what fails now (full disk, busy lock, i/o error) is tried again at the next beat, and
//! a lease counts as lost only on proof, which is a claim that is gone or carries another token.

use crate::lease_set::Core;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

/// A running heartbeat. Dropping it stops the thread and waits for it.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// Dropped to stop the thread; nothing is ever sent.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    started_by: u32,
}

impl Heartbeat {
    pub(crate) fn start(core: Arc<Core>) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let run = move || {
            while stopped.recv_timeout(core.interval()) == Err(RecvTimeoutError::Timeout) {
                // Losses are kept for `take_lost`, failures are tried again.
                let _ = core.beat();
            }
        };
        let thread = std::thread::Builder::new().name("lease-heartbeat".into()).spawn(run)?;
        Ok(Self { stop: Some(stop), thread: Some(thread), started_by: std::process::id() })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        // In a forked child there is no such thread to wait for.
        if let Some(thread) = self.thread.take().filter(|_| self.started_by == std::process::id()) {
            let _ = thread.join();
        }
    }
}
