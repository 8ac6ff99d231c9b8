//! Listens to what a command says on standard error, and passes it on at once.
//!
//! Where standard error is a terminal nobody listens: a program looks at its terminal to decide how to write. Where standard
//! output is the same pipe, both are listened to, by one pipe, so that their order stays.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat};
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;
use std::thread::{self, JoinHandle};

/// So much is kept, of the end, in bytes.
const KEPT: usize = 64 << 10;

/// A thread that passes on what comes through a pipe, until nobody holds the other end.
#[derive(Debug)]
pub(crate) struct Listener(JoinHandle<Vec<u8>>);

/// The end of the pipe that the command gets.
#[derive(Debug)]
pub(crate) struct Mouthpiece {
    errors: OwnedFd,
    output: Option<OwnedFd>,
}

impl Listener {
    /// Begins to listen; `None` where nobody should.
    pub(crate) fn start() -> io::Result<Option<(Self, Mouthpiece)>> {
        let (output, errors) = (fstat(io::stdout())?, fstat(io::stderr())?);
        let is_stream = matches!(
            FileType::from_raw_mode(errors.st_mode),
            FileType::Fifo | FileType::Socket | FileType::RegularFile
        );
        if !is_stream {
            return Ok(None);
        }
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let is_same = (output.st_dev, output.st_ino) == (errors.st_dev, errors.st_ino);
        let output = is_same.then(|| writer.try_clone()).transpose()?;
        let there = File::from(io::stderr().as_fd().try_clone_to_owned()?);
        let thread = thread::spawn(move || pass_on(File::from(reader), there));
        Ok(Some((Self(thread), Mouthpiece { errors: writer, output })))
    }

    /// Waits until nobody holds the pipe any more, and returns the end of what was said.
    pub(crate) fn finish(self) -> String {
        let said = self.0.join().unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }
}

impl Mouthpiece {
    /// Makes a command speak into the pipe.
    pub(crate) fn hand_to(self, command: &mut Command) {
        command.stderr(self.errors);
        if let Some(output) = self.output {
            command.stdout(output);
        }
    }
}

/// Reads to the end, or until what is read can no longer be passed on: then the command is told so by the pipe.
fn pass_on(mut from: File, mut to: File) -> Vec<u8> {
    let mut said = Vec::new();
    let mut buffer = vec![0; KEPT];
    loop {
        let bytes = match from.read(&mut buffer) {
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return said,
        };
        if bytes.is_empty() || write_all(&mut to, bytes).is_err() {
            return said;
        }
        said.extend_from_slice(bytes);
        let surplus = said.len().saturating_sub(KEPT);
        said.drain(..surplus);
    }
}

/// As [`Write::write_all`], also where the host has made its end non-blocking.
fn write_all(to: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                poll(&mut [PollFd::new(&*to, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
