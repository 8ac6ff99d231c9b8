//! The tool `astedit`: code rewritten by its structure, in one file or a tree, all or nothing.
//!
//! First every file is read, searched and rewritten in memory; then may and lease are asked for all of them; then they are
//! replaced one by one. If one cannot be, those before it are put back.

use crate::astgrep::{PATIENCE, not_parsed};
use crate::edit::{commit, first_changed_line};
use crate::grammar::{MAX_PARSED, Patterns, errors, parse, start};
use crate::newline::BOM;
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::walk::{Rules, scoped};
use crate::{Context, Error, Hold, Language, Newline, Snapshot, unified};
use ast_grep_core::Pattern;
use ast_grep_core::replacer::TemplateFix;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

/// The most files that are rewritten in one call.
const MAX_FILES: usize = 1000;

/// The parameters of `astedit`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AstEditParameters {
    /// The pattern: code with `$NAME` for one node and `$$$NAME` for several.
    pub pattern: String,
    /// What takes its place, with the same variables.
    pub rewrite: String,
    /// The language; without it, that of each file's name.
    #[serde(default)]
    pub lang: Option<String>,
    /// The directory or file to rewrite; without it, the working directory.
    #[serde(default)]
    pub path: Option<String>,
}

/// What `astedit` did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AstEditResult {
    /// The files that were rewritten, sorted by path.
    pub files: Vec<FileRewritten>,
    /// How many pieces of code were replaced.
    pub replacements: u64,
    /// How many entries may not be read, with everything below them.
    pub denied: u64,
}

/// A file that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileRewritten {
    /// The file: relative to the working directory if it lies below it.
    pub path: String,
    /// How many pieces of code were replaced in it.
    pub replacements: u64,
    /// The first line that changed, from 1.
    pub first_changed_line: usize,
    /// Whether the grammar understands less of the file than before.
    pub broken: bool,
    /// How many other names (hard links) of the file keep the old content.
    pub other_names: u64,
    /// The change as a unified diff.
    pub diff: String,
}

/// Runs `astedit`.
///
/// # Errors
/// The pattern is no code of the language, nothing matches, or a file cannot be replaced. Nothing was changed, unless
/// [`Error::Partly`] says so.
pub fn astedit(parameters: &AstEditParameters, context: &Context<'_>) -> Result<AstEditResult, Error> {
    let patterns = Patterns::of(&parameters.pattern, parameters.lang.as_deref())?;
    let (start, is_file) = start(parameters.path.as_deref(), context)?;
    let (plans, denied) = if is_file {
        let (language, pattern) = patterns.for_named_file(&start.named)?;
        let plan = plan(&start, language, &pattern, &parameters.rewrite)?;
        (plan.into_iter().collect(), 0)
    } else {
        plan_tree(&patterns, &start, &parameters.rewrite, context)?
    };
    if plans.is_empty() {
        return Err(Error::NothingMatches { pattern: parameters.pattern.clone() });
    }
    for plan in &plans {
        plan.place.check_write(context)?;
    }
    let holds: Vec<Hold<'_>> = plans.iter().map(|plan| Hold::File(&plan.place.real)).collect();
    context.gate.hold(&holds)?;
    context.check()?;
    replace_all(&plans, context)?;
    let replacements = plans.iter().map(|plan| plan.replacements).sum();
    Ok(AstEditResult { files: plans.iter().map(|plan| plan.told(context)).collect(), replacements, denied })
}

/// What will become of a file.
struct Plan {
    place: Place,
    snapshot: Snapshot,
    new: Vec<u8>,
    replacements: u64,
    broken: bool,
}

impl Plan {
    fn told(&self, context: &Context<'_>) -> FileRewritten {
        let old = self.snapshot.bytes();
        FileRewritten {
            path: shown(&self.place.named, context.cwd),
            replacements: self.replacements,
            first_changed_line: first_changed_line(old, &self.new),
            broken: self.broken,
            other_names: self.snapshot.other_names(),
            diff: unified(old, &self.new),
        }
    }
}

fn plan_tree(
    patterns: &Patterns<'_>,
    start: &Place,
    rewrite: &str,
    context: &Context<'_>,
) -> Result<(Vec<Plan>, u64), Error> {
    let plans = Mutex::new(BTreeMap::<PathBuf, Plan>::new());
    let walked = scoped(start, context, Rules::Honoured, Instant::now() + PATIENCE, &|entry| {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return Ok(());
        }
        let Some((language, pattern)) = patterns.for_file(entry.path()) else { return Ok(()) };
        let place = Place { named: entry.path().to_owned(), real: entry.path().to_owned() };
        let planned = match plan(&place, language, &pattern, rewrite) {
            Ok(planned) => planned,
            // In a tree these are passed over, as a search passes over them.
            Err(Error::TooLarge { .. } | Error::Binary { .. } | Error::TooDeep { .. }) => None,
            Err(error) => return Err(error),
        };
        if let (Some(planned), Ok(mut plans)) = (planned, plans.lock()) {
            plans.insert(entry.path().to_owned(), planned);
            if plans.len() > MAX_FILES {
                return Err(Error::TooManyFiles { most: MAX_FILES });
            }
        }
        Ok(())
    })?;
    if walked.timed_out {
        // Half a rewrite would be worse than none.
        return Err(Error::TimedOut { limit_ms: PATIENCE.as_millis() as u64 });
    }
    patterns.check()?;
    Ok((plans.into_inner().unwrap_or_default().into_values().collect(), walked.denied))
}

/// Rewrites a file in memory; nothing if nothing matches or nothing would change.
fn plan(
    place: &Place,
    language: SupportLang,
    pattern: &Pattern,
    rewrite: &str,
) -> Result<Option<Plan>, Error> {
    let snapshot = Snapshot::take(&place.real)?;
    if snapshot.bytes().len() as u64 > MAX_PARSED {
        return Err(not_parsed(&place.real));
    }
    let whole = std::str::from_utf8(snapshot.bytes()).map_err(|_| not_parsed(&place.real))?;
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    if !text.contains(&*pattern.fixed_string()) {
        return Ok(None);
    }
    let tree = parse(text, language).ok_or_else(|| not_parsed(&place.real))?;
    let Ok(template) = TemplateFix::try_new(rewrite, &language);
    let newline = Newline::majority(text.as_bytes()).unwrap_or(Newline::Lf);
    let mut new = Vec::with_capacity(snapshot.bytes().len());
    if text.len() < whole.len() {
        new.extend_from_slice(BOM);
    }
    let (mut at, mut replacements) = (0, 0);
    for found in tree.root().find_all(pattern) {
        let edit = found.make_edit(pattern, &template);
        if edit.position < at {
            // Within one that is replaced already.
            continue;
        }
        new.extend_from_slice(text.as_bytes().get(at..edit.position).unwrap_or_default());
        new.extend(with_endings(&edit.inserted_text, newline));
        at = edit.position + edit.deleted_length;
        replacements += 1;
    }
    new.extend_from_slice(text.as_bytes().get(at..).unwrap_or_default());
    if new == snapshot.bytes() {
        return Ok(None);
    }
    let after = String::from_utf8_lossy(&new);
    let after = parse(after.trim_start_matches('\u{feff}'), language);
    let broken = after.is_some_and(|after| errors(&after) > errors(&tree));
    Ok(Some(Plan { place: place.clone(), snapshot, new, replacements, broken }))
}

/// Gives bare `\n` of a replacement the endings of the file; those that were captured keep theirs.
fn with_endings(bytes: &[u8], newline: Newline) -> Vec<u8> {
    if newline != Newline::CrLf {
        return bytes.to_vec();
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut before = 0;
    for byte in bytes {
        if *byte == b'\n' && before != b'\r' {
            result.push(b'\r');
        }
        result.push(*byte);
        before = *byte;
    }
    result
}

/// Replaces all files, or puts back those that were.
fn replace_all(plans: &[Plan], context: &Context<'_>) -> Result<(), Error> {
    for (at, plan) in plans.iter().enumerate() {
        let replaced =
            context.check().and_then(|()| commit(context, &plan.place, || plan.snapshot.replace(&plan.new)));
        if let Err(error) = replaced {
            let done: Vec<PathBuf> = plans
                .iter()
                .take(at)
                .rev()
                .filter(|plan| put_back(plan, context).is_err())
                .map(|plan| plan.place.named.clone())
                .collect();
            return Err(if done.is_empty() {
                error
            } else {
                Error::Partly { done, source: Box::new(error) }
            });
        }
    }
    Ok(())
}

/// Puts the old content back, unless somebody has changed the new one meanwhile.
fn put_back(plan: &Plan, context: &Context<'_>) -> Result<(), Error> {
    let now = Snapshot::take(&plan.place.real)?;
    if now.bytes() != plan.new {
        return Err(Error::ChangedMeanwhile { path: plan.place.named.clone() });
    }
    commit(context, &plan.place, || now.replace(plan.snapshot.bytes()))
}

impl Answer for AstEditResult {
    fn text(&self, language: Language) -> String {
        let (count, files) = (self.replacements, self.files.len());
        let mut text = match language {
            Language::ZhCn => format!("已改写 {files} 个文件，共 {count} 处\n"),
            Language::En => {
                let s = if count == 1 { "" } else { "s" };
                let files_s = if files == 1 { "" } else { "s" };
                format!("{count} replacement{s} in {files} file{files_s}\n")
            }
        };
        if self.denied > 0 {
            text.push_str(&crate::text::walk_notes(self.denied, false, &[], language).concat());
            text.push('\n');
        }
        let mut diffs = String::new();
        for file in &self.files {
            let broken = if file.broken {
                language.pick(" [改写后有语法错误，请检查]", " [it has syntax errors now: look at it]")
            } else {
                ""
            };
            let names = crate::text::other_names(file.other_names, language);
            diffs.push_str(&["--- ", &file.path, broken, &names, "\n", &file.diff].concat());
        }
        text.push_str(&crate::text::cut_diff(&diffs, language));
        text
    }
}
