//! The lines that go out, whole and one after the other, whichever thread they come from.

use super::fault::Fault;
use super::wire::{Id, Response};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Where answers go.
///
/// Writing waits for the reader: that is what holds back a session whose answers nobody reads.
#[derive(Debug)]
pub(super) struct Output<W> {
    writer: Mutex<W>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer: Mutex::new(writer) }
    }

    /// Writes one message as one line.
    ///
    /// # Errors
    ///
    /// If it cannot be written: the host is gone.
    pub(super) fn write(&self, response: &Response) -> io::Result<()> {
        let mut line = serde_json::to_vec(response)?;
        line.push(b'\n');
        // A thread that panicked while it wrote may have left half a line; the host says so of the line it reads.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(&line)?;
        writer.flush()
    }

    pub(super) fn write_fault(&self, id: Option<Id>, fault: Fault) -> io::Result<()> {
        self.write(&Response::Error { id, code: fault.code, message: fault.message })
    }

    pub(super) fn into_inner(self) -> W {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
