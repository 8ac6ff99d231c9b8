//! Walks a tree as ripgrep does: ignore files are honoured, with or without a repository, hidden files are seen, `.git` never is,
//! links are not followed.
//!
//! A start that is itself ignored was asked for by name: rules from above it do not count there.

use crate::place::Place;
use crate::{Context, Error, Step};
use ignore::gitignore::Gitignore;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many entries make one report.
const REPORT_EVERY: u64 = 1024;

/// How long a second look, at what the rules left out, may take.
const SECOND_LOOK: Duration = Duration::from_millis(500);

/// Which entries a walk shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Those that no ignore file leaves out.
    Honoured,
    /// All but `.git`.
    Off,
}

/// Looks at one entry; an error ends the walk.
pub(crate) type Visitor<'v> = Box<dyn FnMut(&DirEntry) -> Result<(), Error> + Send + 'v>;

/// What a walk left out and met.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Entries that the gate hides.
    pub(crate) denied: u64,
    /// The walk ended at its deadline.
    pub(crate) timed_out: bool,
    /// Entries that could not be read, the first few.
    pub(crate) unreadable: Vec<String>,
}

/// Calls `visit` for every entry below a start that may be seen, from several threads and in no order.
///
/// `visit` may end the walk by an error.
pub(crate) fn walk<'v>(
    start: &Place,
    context: &Context<'_>,
    rules: Rules,
    deadline: Instant,
    visitor: impl Fn() -> Visitor<'v>,
) -> Result<Walked, Error> {
    let (seen, denied, timed_out) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let unreadable = Mutex::new(Vec::new());
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let fail = |error: Error| {
        if let Ok(mut failure) = failure.lock() {
            failure.get_or_insert(error);
        }
        WalkState::Quit
    };
    builder(start, context, rules).build_parallel().run(|| {
        let mut visit = visitor();
        let (seen, denied, timed_out, unreadable, fail) = (&seen, &denied, &timed_out, &unreadable, &fail);
        Box::new(move |entry| {
            if let Err(error) = context.check() {
                return fail(error);
            }
            if Instant::now() > deadline {
                timed_out.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    if let Ok(mut unreadable) = unreadable.lock()
                        && unreadable.len() < 5
                    {
                        unreadable.push(error.to_string());
                    }
                    return WalkState::Continue;
                }
            };
            if context.gate.may_read(entry.path()).is_err() {
                denied.fetch_add(1, Ordering::Relaxed);
                return WalkState::Skip;
            }
            let count = seen.fetch_add(1, Ordering::Relaxed) + 1;
            if count.is_multiple_of(REPORT_EVERY) {
                context.progress.report(Step::Files(count));
            }
            match visit(&entry) {
                Ok(()) => WalkState::Continue,
                Err(error) => fail(error),
            }
        })
    });
    if let Some(error) = failure.into_inner().unwrap_or_default() {
        return Err(error);
    }
    Ok(Walked {
        denied: denied.into_inner(),
        timed_out: timed_out.into_inner(),
        unreadable: unreadable.into_inner().unwrap_or_default(),
    })
}

/// Counts entries that the ignore rules leave out, and names one: for the answer when nothing was found.
pub(crate) fn left_out(
    start: &Place,
    context: &Context<'_>,
    counts: impl Fn(&DirEntry) -> bool + Sync,
) -> Result<(u64, Option<String>), Error> {
    let count = |rules| -> Result<(u64, Option<String>), Error> {
        let (number, first) = (AtomicU64::new(0), Mutex::new(None::<std::path::PathBuf>));
        scoped(start, context, rules, Instant::now() + SECOND_LOOK, &|entry: &DirEntry| {
            if counts(entry) {
                number.fetch_add(1, Ordering::Relaxed);
                if let Ok(mut first) = first.lock()
                    && first.as_deref().is_none_or(|first| entry.path() < first)
                {
                    *first = Some(entry.path().to_owned());
                }
            }
            Ok(())
        })?;
        let first = first.into_inner().unwrap_or_default();
        Ok((number.into_inner(), first.map(|path| crate::place::shown(&path, context.cwd))))
    };
    let (with_rules, _) = count(Rules::Honoured)?;
    let (without, first) = count(Rules::Off)?;
    Ok((without.saturating_sub(with_rules), first))
}

/// [`walk`] with one visitor for all threads.
pub(crate) fn scoped(
    start: &Place,
    context: &Context<'_>,
    rules: Rules,
    deadline: Instant,
    visit: &(dyn Fn(&DirEntry) -> Result<(), Error> + Sync),
) -> Result<Walked, Error> {
    walk(start, context, rules, deadline, || Box::new(visit))
}

fn builder(start: &Place, context: &Context<'_>, rules: Rules) -> WalkBuilder {
    let mut builder = WalkBuilder::new(&start.named);
    let honoured = rules == Rules::Honoured;
    builder
        .standard_filters(honoured)
        .hidden(false)
        .require_git(false)
        .parents(honoured && !is_ignored(&start.named))
        .threads(context.threads)
        .current_dir(context.cwd)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

/// Returns whether ignore files above a directory leave it out.
fn is_ignored(start: &Path) -> bool {
    start.ancestors().skip(1).any(|folder| {
        [".gitignore", ".ignore"].iter().any(|name| {
            let file = folder.join(name);
            file.is_file() && {
                let (rules, _) = Gitignore::new(&file);
                rules.matched_path_or_any_parents(start, true).is_ignore()
            }
        })
    })
}
