//! What a call of a tool is given beside its parameters.

use crate::{Error, Gate, Language};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends a call from another thread. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Returns a token that nobody has used.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the call to end. Tools look at it in their loops; nothing that is already done is undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the call was asked to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns whether two tokens share one state.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Fails once the call was asked to end.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// How far a long call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// This many files were looked at.
    Files(u64),
    /// This many bytes came in, of so many if that is known.
    Bytes {
        /// So far.
        done: u64,
        /// In all.
        total: Option<u64>,
    },
}

/// Is told how far a long call has come. May be called from several threads, and often: an implementation that passes it on
/// should leave steps out.
pub trait Progress: Sync {
    /// Takes one report.
    fn report(&self, step: Step);
}

/// Takes no reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _: Step) {}
}

impl<F: Fn(Step) + Sync> Progress for F {
    fn report(&self, step: Step) {
        self(step);
    }
}

/// What a call of a tool is given beside its parameters: nothing is taken from the process's environment.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Context<'a> {
    /// Where relative paths start and commands run; absolute.
    pub cwd: &'a Path,
    /// What `~` stands for. Without it, a path that begins with `~` is an error.
    pub home: Option<&'a Path>,
    /// The folder for what does not fit an answer: the whole output of a command. Without it, it is not kept.
    pub scratch: Option<&'a Path>,
    /// The language of texts.
    pub language: Language,
    /// Is asked before every effect outside.
    pub gate: &'a dyn Gate,
    /// Ends the call from another thread.
    pub cancel: Option<&'a Cancel>,
    /// How many threads a search may use; 0 for as many as the machine runs at once.
    pub threads: usize,
    /// Is told how far the call has come.
    pub progress: &'a dyn Progress,
}

impl<'a> Context<'a> {
    /// Returns a context in English, without a home, a scratch folder, cancellation and progress.
    #[must_use]
    pub fn new(cwd: &'a Path, gate: &'a dyn Gate) -> Self {
        Self {
            cwd,
            home: None,
            scratch: None,
            language: Language::En,
            gate,
            cancel: None,
            threads: 0,
            progress: &NoProgress,
        }
    }

    /// Sets what `~` stands for.
    #[must_use]
    pub fn with_home(mut self, home: &'a Path) -> Self {
        self.home = Some(home);
        self
    }

    /// Sets the folder for what does not fit an answer.
    #[must_use]
    pub fn with_scratch(mut self, scratch: &'a Path) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// Sets the language of texts.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Sets what ends the call from another thread.
    #[must_use]
    pub fn with_cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets how many threads a search may use.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets what is told how far the call has come.
    #[must_use]
    pub fn with_progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Fails once the call was asked to end.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.cancel.map_or(Ok(()), Cancel::check)
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .field("scratch", &self.scratch)
            .field("language", &self.language)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}
