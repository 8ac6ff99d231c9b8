//! The tool `bash`: one command, with a limit in time, and its output up to a limit in size.
//!
//! The command runs in a process group of its own. When it ends, by itself, by its limit or by cancellation, whatever is left of
//! the group is ended too. Output is kept from its end, since that is where errors stand; all of it goes to a file if the host
//! names a folder for it.

use crate::limit::{ANSWER_BYTES, ANSWER_LINES, tail};
use crate::tool::Answer;
use crate::{Context, Error, Language, Step};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The limit of a command without one, in seconds.
const TIMEOUT: f64 = 120.0;

/// The largest limit, in seconds: a day.
const MAX_TIMEOUT: u32 = 86_400;

/// How often cancellation is looked at.
const TICK: Duration = Duration::from_millis(10);

/// What a command that is told to end gets for its last words.
const GRACE: Duration = Duration::from_millis(500);

/// How long output is waited for after the command has ended and a process it left holds its pipe.
const LINGER: Duration = Duration::from_millis(200);

/// The most of an output that goes to a file, in bytes.
const MAX_KEPT: u64 = 256 * 1024 * 1024;

/// The most of standard error that a gate is shown, in bytes.
const MAX_STDERR: usize = 64 * 1024;

/// The parameters of `bash`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BashParameters {
    /// The command.
    pub command: String,
    /// The limit in seconds.
    #[serde(default)]
    pub timeout: Option<f64>,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BashResult {
    /// Standard output and standard error in the order in which they came; the end of it, if it is long.
    pub output: String,
    /// The exit status; nothing if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was ended at its limit.
    pub timed_out: bool,
    /// How many bytes it wrote in all.
    pub total_bytes: u64,
    /// How many lines it wrote in all.
    pub total_lines: u64,
    /// Whether `output` is only the end of what it wrote.
    pub truncated: bool,
    /// How many bytes of `output` stand for something that is no UTF-8 text.
    pub not_text: u64,
    /// The file that holds the whole output, if that did not fit.
    pub full_output: Option<PathBuf>,
    /// Whether it left processes behind that still wrote; they were ended.
    pub left_processes: bool,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// Notes of the gate, e.g. what the sandbox refused.
    pub notes: Vec<String>,
}

/// Runs `bash`.
///
/// # Errors
/// The command may not run, cannot be started, or was cancelled. That it fails is a result.
pub fn bash(parameters: &BashParameters, context: &Context<'_>) -> Result<BashResult, Error> {
    let seconds = parameters.timeout.unwrap_or(TIMEOUT);
    if !(seconds > 0.0 && seconds <= f64::from(MAX_TIMEOUT)) {
        return Err(Error::OutOfRange { parameter: "timeout", least: 1, most: MAX_TIMEOUT.into() });
    }
    let launch = context.gate.launch(&parameters.command, context.cwd)?;
    let (mut command, finish) = launch.into_parts();
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let started = Instant::now();
    let child = command.spawn().map_err(|source| Error::Start { program, source })?;
    let limit = Duration::from_secs_f64(seconds);
    let mut run = Run::of(child, context.scratch).map_err(|source| Error::io(context.cwd, source))?;
    let ended = run.until(started + limit, context).map_err(|source| Error::io(context.cwd, source))?;
    if ended.cause == Cause::Cancelled {
        return Err(Error::Cancelled);
    }
    let mut notes = finish.map_or_else(Vec::new, |finish| finish(&run.output.stderr));
    notes.extend(unit_note(parameters.timeout, context.language));
    let Output { kept, total_bytes, total_lines, spill, .. } = std::mem::take(&mut run.output);
    let cut = Cut::of(&kept, total_bytes);
    Ok(BashResult {
        output: cut.text,
        exit_code: ended.status.code(),
        signal: ended.status.signal(),
        timed_out: ended.cause == Cause::TimedOut,
        total_bytes,
        total_lines,
        truncated: cut.truncated,
        not_text: cut.not_text,
        full_output: spill.filter(|_| cut.truncated).and_then(Spill::keep),
        left_processes: ended.left_processes,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        notes,
    })
}

/// Says that a limit looks like milliseconds.
fn unit_note(timeout: Option<f64>, language: Language) -> Option<String> {
    let seconds = timeout.filter(|seconds| *seconds >= 1000.0 && seconds % 1000.0 == 0.0)?;
    Some(match language {
        Language::ZhCn => format!("timeout 的单位是秒：{seconds} 秒"),
        Language::En => format!("timeout is in seconds: {seconds} s"),
    })
}

/// Why a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Itself,
    TimedOut,
    Cancelled,
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    status: ExitStatus,
    cause: Cause,
    left_processes: bool,
}

/// A command that runs.
struct Run {
    child: Child,
    group: Pid,
    output: Output,
}

impl Run {
    fn of(child: Child, scratch: Option<&Path>) -> io::Result<Self> {
        for stream in [child.stdout.as_ref().map(AsFd::as_fd), child.stderr.as_ref().map(AsFd::as_fd)] {
            ioctl_fionbio(stream.ok_or(io::ErrorKind::BrokenPipe)?, true)?;
        }
        // It leads a group of its own.
        let group = Pid::from_child(&child);
        Ok(Self { child, group, output: Output::to(scratch) })
    }

    /// Collects output until the command has ended, or is made to.
    fn until(&mut self, deadline: Instant, context: &Context<'_>) -> io::Result<Ended> {
        let mut cause = Cause::Itself;
        while !self.has_ended()? {
            self.collect(TICK)?;
            context.progress.report(Step::Bytes { done: self.output.total_bytes, total: None });
            if context.check().is_err() {
                cause = Cause::Cancelled;
            } else if Instant::now() >= deadline {
                cause = Cause::TimedOut;
            }
            if cause != Cause::Itself {
                self.signal(Signal::TERM);
                self.wait(GRACE)?;
                break;
            }
        }
        // What came before the end is in the pipes already.
        self.collect(Duration::ZERO)?;
        let start = Instant::now();
        while cause == Cause::Itself && self.is_open() && start.elapsed() < LINGER {
            self.collect(TICK)?;
        }
        let left_processes = cause == Cause::Itself && self.is_open();
        // The command itself is not reaped yet, so that the group's number is still its own.
        self.signal(Signal::KILL);
        self.drain(LINGER)?;
        let status = self.child.wait()?;
        Ok(Ended { status, cause, left_processes })
    }

    fn wait(&mut self, limit: Duration) -> io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < limit && (self.is_open() || !self.has_ended()?) {
            self.collect(TICK)?;
        }
        Ok(())
    }

    /// Reads what is left. A process that has left the group may hold a pipe for ever.
    fn drain(&mut self, limit: Duration) -> io::Result<()> {
        let start = Instant::now();
        while self.is_open() && start.elapsed() < limit {
            self.collect(TICK)?;
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.child.stdout.is_some() || self.child.stderr.is_some()
    }

    /// Returns whether the command has ended, without reaping it.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.group), options)?.is_some())
    }

    fn signal(&self, signal: Signal) {
        // It fails when nobody is left.
        let _ = kill_process_group(self.group, signal);
    }

    /// Waits for output at most so long, and takes what there is.
    fn collect(&mut self, wait: Duration) -> io::Result<()> {
        let mut streams: Vec<PollFd<'_>> =
            [self.child.stdout.as_ref().map(AsFd::as_fd), self.child.stderr.as_ref().map(AsFd::as_fd)]
                .into_iter()
                .flatten()
                .map(|stream| PollFd::from_borrowed_fd(stream, PollFlags::IN))
                .collect();
        if streams.is_empty() {
            std::thread::sleep(wait.min(Duration::from_millis(1)));
            return Ok(());
        }
        let timeout = Timespec::try_from(wait).map_err(io::Error::other)?;
        match poll(&mut streams, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(stdout) = &mut self.child.stdout
            && self.output.take(stdout, false)?
        {
            self.child.stdout = None;
        }
        if let Some(stderr) = &mut self.child.stderr
            && self.output.take(stderr, true)?
        {
            self.child.stderr = None;
        }
        Ok(())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // On the way out of an error too, nothing is left running. After a normal end the number is no longer its own.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// What a command wrote.
#[derive(Default)]
struct Output {
    /// The end of it: at least [`ANSWER_BYTES`], at most twice as much and one block.
    kept: Vec<u8>,
    /// The beginning of standard error.
    stderr: Vec<u8>,
    total_bytes: u64,
    total_lines: u64,
    /// Whether the last byte did not end a line.
    open_line: bool,
    scratch: Option<PathBuf>,
    spill: Option<Spill>,
}

impl Output {
    fn to(scratch: Option<&Path>) -> Self {
        Self { scratch: scratch.map(Path::to_owned), ..Self::default() }
    }

    /// Takes what a stream has, at most some blocks so that neither stream waits for the other; returns whether it has ended.
    fn take(&mut self, stream: &mut impl Read, is_stderr: bool) -> io::Result<bool> {
        let mut block = [0; 16 * 1024];
        for _ in 0..4 {
            match stream.read(&mut block) {
                Ok(0) => return Ok(true),
                Ok(length) => self.put(block.get(..length).unwrap_or_default(), is_stderr),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    fn put(&mut self, bytes: &[u8], is_stderr: bool) {
        self.total_bytes += bytes.len() as u64;
        // A line that is still open was counted when it began.
        self.total_lines += memchr::memchr_iter(b'\n', bytes).count() as u64
            + u64::from(!bytes.ends_with(b"\n"))
            - u64::from(self.open_line);
        self.open_line = !bytes.ends_with(b"\n");
        if is_stderr {
            let room = MAX_STDERR.saturating_sub(self.stderr.len());
            self.stderr.extend(bytes.iter().take(room));
        }
        if self.spill.is_none()
            && self.kept.len() + bytes.len() > ANSWER_BYTES
            && let Some(folder) = &self.scratch
        {
            self.spill = Spill::of(folder, &self.kept);
        }
        if let Some(spill) = &mut self.spill {
            spill.put(bytes);
        }
        self.kept.extend_from_slice(bytes);
        if self.kept.len() > 2 * ANSWER_BYTES {
            self.kept.drain(..self.kept.len() - ANSWER_BYTES);
        }
    }
}

/// The file for an output that does not fit; removed unless it is kept.
struct Spill {
    file: tempfile::NamedTempFile,
    written: u64,
    is_whole: bool,
}

impl Spill {
    /// Starts a file with what came so far. Without one the output is only cut.
    fn of(folder: &Path, before: &[u8]) -> Option<Self> {
        let file = tempfile::Builder::new().prefix("bash-").suffix(".log").tempfile_in(folder).ok()?;
        let mut spill = Self { file, written: 0, is_whole: true };
        spill.put(before);
        Some(spill)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.is_whole = self.is_whole
            && self.written + bytes.len() as u64 <= MAX_KEPT
            && File::write_all(self.file.as_file_mut(), bytes).is_ok();
        self.written += bytes.len() as u64;
    }

    /// Lets the file stay, if it holds everything.
    fn keep(self) -> Option<PathBuf> {
        if !self.is_whole {
            return None;
        }
        self.file.keep().ok().map(|(_, path)| path)
    }
}

/// The part of an output that is shown.
struct Cut {
    text: String,
    truncated: bool,
    not_text: u64,
}

impl Cut {
    fn of(kept: &[u8], total: u64) -> Self {
        let is_whole = kept.len() as u64 == total;
        // Its beginning is gone: it may start within a character.
        let start = if is_whole { 0 } else { kept.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(0) };
        let kept = kept.get(start..).unwrap_or_default();
        let not_text: usize = kept.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        let whole = String::from_utf8_lossy(kept);
        let nuls = memchr::memchr_iter(0, whole.as_bytes()).count();
        let whole = whole.replace('\0', "␀");
        let end = tail(&whole, ANSWER_BYTES);
        let lines = end.split_inclusive('\n').count();
        let end: String = end.split_inclusive('\n').skip(lines.saturating_sub(ANSWER_LINES)).collect();
        // A line that was begun before is left out, unless it is all there is.
        let cut_line = end.len() < whole.len()
            && !whole.get(..whole.len() - end.len()).is_some_and(|before| before.ends_with('\n'));
        let text = match end.split_once('\n') {
            Some((_, rest)) if cut_line && !rest.is_empty() => rest.to_owned(),
            _ => end,
        };
        let truncated = text.len() < whole.len() || !is_whole;
        Self { text, truncated, not_text: (not_text + nuls) as u64 }
    }
}

impl Answer for BashResult {
    fn text(&self, language: Language) -> String {
        let mut text = self.output.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for note in self.remarks(language) {
            text.push_str(&["[", &note, "]\n"].concat());
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    fn is_error(&self) -> bool {
        self.timed_out || self.exit_code != Some(0)
    }
}

impl BashResult {
    fn remarks(&self, language: Language) -> Vec<String> {
        let Self { total_bytes, total_lines, not_text, .. } = self;
        let mut notes = Vec::new();
        if self.output.is_empty() && *total_bytes == 0 {
            notes.push(language.pick("没有输出", "no output").to_owned());
        }
        if self.truncated {
            let shown = self.output.lines().count();
            let whole = self.full_output.as_ref().map(|path| path.display());
            notes.push(match (language, whole) {
                (Language::ZhCn, Some(path)) => format!(
                    "仅显示最后 {shown} 行；共 {total_lines} 行，{total_bytes} 字节，完整输出：{path}（用 read 或 grep 查看）"
                ),
                (Language::En, Some(path)) => format!(
                    "only the last {shown} of {total_lines} lines, {total_bytes} bytes in all; the whole output: {path} (use read or grep)"
                ),
                (Language::ZhCn, None) => {
                    format!("仅显示最后 {shown} 行；共 {total_lines} 行，{total_bytes} 字节")
                }
                (Language::En, None) => {
                    format!("only the last {shown} of {total_lines} lines, {total_bytes} bytes in all")
                }
            });
        }
        if *not_text > 0 {
            notes.push(match language {
                Language::ZhCn => format!("输出含 {not_text} 个非文本字节"),
                Language::En => format!("{not_text} bytes of the output are no text"),
            });
        }
        if self.left_processes {
            notes.push(
                language
                    .pick("命令结束后遗留的后台进程已被结束", "background processes that it left were ended")
                    .to_owned(),
            );
        }
        notes.extend(self.notes.iter().cloned());
        let seconds = Duration::from_millis(self.duration_ms).as_secs_f64();
        match (self.timed_out, self.exit_code, self.signal) {
            (true, _, _) => notes.push(match language {
                Language::ZhCn => format!("超时，{seconds:.1} 秒后结束了整个进程组；可用 timeout（秒）放宽"),
                Language::En => format!(
                    "timed out: its process group was ended after {seconds:.1} s; a larger timeout (seconds) gives it longer"
                ),
            }),
            (false, Some(0), _) => {}
            (false, Some(code), _) => notes.push(match language {
                Language::ZhCn => format!("退出码 {code}"),
                Language::En => format!("exit code {code}"),
            }),
            (false, None, signal) => {
                let signal = signal.unwrap_or(0);
                notes.push(match language {
                    Language::ZhCn => format!("被信号 {signal} 终止"),
                    Language::En => format!("ended by signal {signal}"),
                });
            }
        }
        notes
    }
}
