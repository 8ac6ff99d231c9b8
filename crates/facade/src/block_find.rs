//! The block-find judgement: may a search start where it would start?
//!
//! Pure: settings, a text and what is known of its place go in, a verdict comes out.

pub mod text;

use bash_commands::{Analyzer, Directory, IncompleteReason, Kind, Options, Reason, Span};
use bash_find_parser::{FindCall, Name, StartPath, find_calls};
use brakeline_settings::{BlockFindRoot, Diagnostic, Expected, PathMode, UnknownPaths};
use path_match::{Candidate, Certainty, Mode, Rule, RuleSet, Verdict as Judged};
use std::borrow::Cow;

/// The key of the settings that names the forbidden paths.
const FORBIDDEN_PATHS: &str = "blockFindRoot.forbiddenPaths";

/// The guard, ready to judge.
#[derive(Clone, Debug)]
pub struct BlockFind {
    rules: RuleSet,
    block_bash: bool,
    block_unknown: bool,
}

/// What is known of the place where a search would run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The absolute working directory.
    pub cwd: Option<&'a str>,
    /// The absolute home directory.
    pub home: Option<&'a str>,
}

/// The answer of the guard. Not `#[non_exhaustive]` on purpose: whoever obeys it should have to think when one is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The search may run.
    Allow,
    /// It may not, for this reason: the first one in the order of the text.
    Block(Block),
}

/// Why a search is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of reason.
    pub code: Code,
    /// The start path as written, or the working directory where none is written. For [`Code::Incomplete`], empty.
    pub path: String,
    /// The rule that was hit, as it stands in the settings.
    pub rule: Option<String>,
    /// The absolute path that the start path stands for, where that is known.
    pub resolved: Option<String>,
    /// The bytes of the command that the reason stands in; `None` for the `find` tool.
    pub span: Option<Span>,
}

/// The kinds of reason for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The start path is forbidden, or lies under a forbidden one.
    StartPath,
    /// No start path is written, and the working directory is forbidden.
    WorkingDirectory,
    /// The start path is a pattern that could stand for a forbidden path.
    Pattern,
    /// The start path is not known, and the settings forbid unknown ones.
    UnknownPath,
    /// A part of what the command runs is not known (beyond the budget, or text that is run but comes from elsewhere),
    /// and the settings forbid what is unknown.
    Incomplete,
}

impl Code {
    /// Returns the name that reports use, such as `start-path`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartPath => "start-path",
            Self::WorkingDirectory => "working-directory",
            Self::Pattern => "pattern",
            Self::UnknownPath => "unknown-path",
            Self::Incomplete => "incomplete",
        }
    }
}

impl BlockFind {
    /// Makes the guard that the settings describe.
    ///
    /// A rule that cannot be used (relative, with a wildcard inside, `~` without a home directory) gives a diagnostic, and
    /// the default of the whole key is in force beside the rules that can be used: a mistyped rule never makes the guard
    /// milder.
    #[must_use]
    pub fn new(settings: &BlockFindRoot, home: Option<&str>) -> (Self, Vec<Diagnostic>) {
        let mode = match settings.path_mode {
            PathMode::Lexical => Mode::Lexical,
            PathMode::AsWritten => Mode::AsWritten,
        };
        let mut builder = RuleSet::builder().mode(mode).home(home);
        let mut unusable = Vec::new();
        let mut used = Vec::new();
        for text in &settings.forbidden_paths {
            match Rule::parse_with(text, home) {
                Ok(rule) => {
                    builder = builder.parsed(rule);
                    used.push(text.clone());
                }
                Err(_) => unusable.push(text),
            }
        }
        if !unusable.is_empty() {
            for default in BlockFindRoot::default().forbidden_paths {
                if let Ok(rule) = Rule::parse(&default)
                    && !used.contains(&default)
                {
                    builder = builder.parsed(rule);
                    used.push(default);
                }
            }
        }
        let diagnostics = unusable
            .into_iter()
            .map(|text| {
                let (found, used) = (text.as_str().into(), used.clone().into());
                Diagnostic::unusable(FORBIDDEN_PATHS, Expected::AbsolutePathList, &found, Some(&used))
            })
            .collect();
        let block_unknown = settings.unknown_paths == UnknownPaths::Block;
        (Self { rules: builder.build(), block_bash: settings.block_bash, block_unknown }, diagnostics)
    }

    /// Returns whether commands given to bash are judged by hosts; [`BlockFind::judge_bash`] judges in any case.
    #[must_use]
    pub fn blocks_bash(&self) -> bool {
        self.block_bash
    }

    /// Returns whether there is no rule, so that nothing is forbidden.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.rules.rules().is_empty()
    }

    /// Returns the rules in force, as they stand in the settings.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.rules().iter().map(Rule::text)
    }

    /// Returns whether a search may start in an absolute directory.
    #[must_use]
    pub fn allows_directory(&self, path: &str) -> bool {
        matches!(self.rules.judge(Candidate::new(path).quoted()), Judged::Clear)
    }

    /// Judges a call of a host's `find` tool, which searches `path`, or the working directory.
    #[must_use]
    pub fn judge_find_tool(&self, path: Option<&str>, place: Place<'_>) -> Verdict {
        let verdict = match path {
            Some(path) => self.judge().path(Candidate::new(path).cwd(place.cwd), path, None, Code::StartPath),
            None => self.judge().directory(place.cwd, None),
        };
        verdict.map_or(Verdict::Allow, Verdict::Block)
    }

    /// Judges a call of a tool like Claude Code's `Glob`, whose pattern may name the folders that the search starts in.
    ///
    /// The search starts at `path`, or the working directory, and below that at the part of the pattern before its first
    /// wildcard.
    #[must_use]
    pub fn judge_glob_tool(&self, path: Option<&str>, pattern: Option<&str>, place: Place<'_>) -> Verdict {
        let path = path.filter(|path| !path.is_empty());
        let folder = pattern.and_then(fixed_folder);
        let below = match (folder, path) {
            // From the root or the home directory on, the path plays no part.
            (Some(folder), _) if folder.starts_with(['/', '~']) => {
                return self.judge_find_tool(Some(folder), place);
            }
            (Some(folder), Some(path)) => Some(Cow::Owned(format!("{path}/{folder}"))),
            (folder, _) => folder.map(Cow::Borrowed),
        };
        match (self.judge_find_tool(path, place), below) {
            (Verdict::Allow, Some(below)) => self.judge_find_tool(Some(&below), place),
            (verdict, _) => verdict,
        }
    }

    /// Judges a command given to bash: every `find` that it would run, from each directory that it may run in.
    ///
    /// Costs one analysis of the text, which is linear, and one look-up for each start path and directory.
    #[must_use]
    pub fn judge_bash(&self, text: &str, place: Place<'_>, analyzer: &mut Analyzer) -> Verdict {
        if self.is_off() {
            return Verdict::Allow;
        }
        let report =
            analyzer.analyze(text, &Options { cwd: place.cwd, home: place.home, ..Options::default() });
        if let Some(block) = find_calls(report).find_map(|call| self.judge_call(call)) {
            return Verdict::Block(block);
        }
        // Of a line that is no bash, bash runs nothing: there is nothing unknown about that.
        let mut unread = report.incomplete().filter(|part| part.reason != IncompleteReason::Syntax);
        let unread = unread.next().filter(|_| self.block_unknown);
        unread.map_or(Verdict::Allow, |incomplete| {
            Verdict::Block(Block {
                code: Code::Incomplete,
                path: String::new(),
                rule: None,
                resolved: None,
                span: Some(incomplete.span),
            })
        })
    }

    fn judge(&self) -> Judge<'_> {
        Judge { rules: &self.rules, block_unknown: self.block_unknown }
    }

    fn judge_call(&self, call: FindCall<'_>) -> Option<Block> {
        match call.name() {
            Name::Find | Name::Pattern => self.judge_places(call, self.block_unknown),
            // It may not be find at all: what it names that is unknown is no reason then, a forbidden path is.
            Name::Unknown if self.block_unknown => self.judge_places(call, false),
            Name::Unknown => None,
        }
    }

    /// Judges every start path, from each directory that the call may be started in.
    fn judge_places(&self, call: FindCall<'_>, block_unknown: bool) -> Option<Block> {
        let judge = Judge { rules: &self.rules, block_unknown };
        let paths = call.start_paths();
        let mut blocks =
            paths.flat_map(|path| call.cwd().filter_map(move |cwd| judge.start_path(path, absolute(cwd))));
        blocks.next().or_else(|| {
            let mut directories = call.cwd().filter(|_| call.may_walk_cwd());
            directories.find_map(|cwd| judge.directory(absolute(cwd), Some(call.span())))
        })
    }
}

/// The rules, and what becomes of what is unknown.
#[derive(Clone, Copy, Debug)]
struct Judge<'r> {
    rules: &'r RuleSet,
    block_unknown: bool,
}

impl Judge<'_> {
    fn start_path(&self, path: StartPath<'_>, cwd: Option<&str>) -> Option<Block> {
        let span = Some(path.span());
        match path.kind() {
            // What was expanded is expanded: a tilde that is left is the name of a file.
            Kind::Known => {
                self.path(Candidate::new(path.text()).quoted().cwd(cwd), path.text(), span, Code::StartPath)
            }
            Kind::Pattern => {
                let pattern = path.pattern().unwrap_or(path.text());
                self.path(Candidate::glob(pattern).quoted().cwd(cwd), path.text(), span, Code::Pattern)
            }
            // Compared as written, `~/x` can be a rule, home directory or not.
            Kind::Unknown(Reason::Home) => {
                self.path(Candidate::new(path.text()).cwd(cwd), path.text(), span, Code::StartPath)
            }
            Kind::Unknown(_) => self.unknown(path.text(), span),
        }
    }

    fn directory(&self, directory: Option<&str>, span: Option<Span>) -> Option<Block> {
        match directory {
            Some(path) => self.path(Candidate::new(path).quoted(), path, span, Code::WorkingDirectory),
            None => self.unknown(".", span),
        }
    }

    fn path(&self, candidate: Candidate<'_>, path: &str, span: Option<Span>, code: Code) -> Option<Block> {
        match self.rules.judge(candidate) {
            Judged::Hit(hit) => Some(Block {
                // A pattern that stands for nothing but a forbidden path is no guess.
                code: if code == Code::Pattern && hit.certainty() == Certainty::Certain {
                    Code::StartPath
                } else {
                    code
                },
                path: path.to_owned(),
                rule: Some(hit.rule().text().to_owned()),
                resolved: Some(hit.path()),
                span,
            }),
            Judged::Clear => None,
            Judged::Unresolved(_) => self.unknown(path, span),
        }
    }

    fn unknown(&self, path: &str, span: Option<Span>) -> Option<Block> {
        self.block_unknown.then(|| Block {
            code: Code::UnknownPath,
            path: path.to_owned(),
            rule: None,
            resolved: None,
            span,
        })
    }
}

/// Returns the folders that stand in front of a pattern's first wildcard, if there are any.
fn fixed_folder(pattern: &str) -> Option<&str> {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    match fixed.rfind('/') {
        None => None,
        Some(0) => Some("/"),
        Some(at) => fixed.get(..at),
    }
}

/// Returns the absolute path of a directory, where the text and the host fix it.
fn absolute(directory: Directory<'_>) -> Option<&str> {
    match directory {
        Directory::Inherited(path) => path,
        Directory::Known(path) => Some(path),
        Directory::Relative(_) | Directory::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brakeline_settings::{HostLimits, read_settings};
    use serde_json::{Value, json};

    fn guard(settings: &Value) -> BlockFind {
        let reading = read_settings(&json!({"blockFindRoot": settings}), HostLimits::default());
        BlockFind::new(&reading.settings.block_find_root, Some("/home/ada")).0
    }

    fn judge(settings: &Value, text: &str, cwd: Option<&str>) -> Option<Block> {
        let place = Place { cwd, home: Some("/home/ada") };
        match guard(settings).judge_bash(text, place, &mut Analyzer::new()) {
            Verdict::Allow => None,
            Verdict::Block(block) => Some(block),
        }
    }

    fn code(settings: &Value, text: &str, cwd: Option<&str>) -> Option<Code> {
        judge(settings, text, cwd).map(|block| block.code)
    }

    #[test]
    fn the_first_start_path_that_hits_blocks_with_its_bytes() {
        let text = "find . -name x; sudo timeout 1 find src / -name aaa";
        let block = judge(&json!({}), text, Some("/home/ada")).unwrap();
        assert_eq!(
            (block.code, block.path.as_str(), block.rule.as_deref()),
            (Code::StartPath, "/", Some("/"))
        );
        assert_eq!(block.span.unwrap().of(text), "/");
        assert_eq!(block.span.unwrap().start, 40);
    }

    #[test]
    fn every_kind_of_reason() {
        let default = json!({});
        let strict = json!({"unknownPaths": "block"});
        let etc = json!({"forbiddenPaths": ["/etc"]});
        for (settings, text, cwd, expected) in [
            (&default, "find / -name x", Some("/srv"), Some(Code::StartPath)),
            (&default, "find ..", Some("/tmp"), Some(Code::StartPath)),
            (&default, "find", Some("/"), Some(Code::WorkingDirectory)),
            (&default, "cd / && find", Some("/srv"), Some(Code::WorkingDirectory)),
            (&default, "cd / ; find . -name x", Some("/srv"), Some(Code::StartPath)),
            (&default, "find /tmp/..", None, Some(Code::StartPath)),
            (&default, "find .", None, None),
            (&strict, "find .", None, Some(Code::UnknownPath)),
            (&default, "find \"$DIR\"", Some("/srv"), None),
            (&strict, "find \"$DIR\"", Some("/srv"), Some(Code::UnknownPath)),
            (&strict, "find src", Some("/srv"), None),
            (&default, "eval \"$CODE\"", Some("/srv"), None),
            (&strict, "eval \"$CODE\"", Some("/srv"), Some(Code::Incomplete)),
            (&strict, "find / (", Some("/srv"), None),
            (&etc, "find /e*", Some("/srv"), Some(Code::Pattern)),
            (&etc, "find '/e*'", Some("/srv"), None),
            (&etc, "find /etc/*", Some("/srv"), Some(Code::StartPath)),
            (&etc, "find /", Some("/srv"), None),
            (&etc, "find /etcfoo", Some("/srv"), None),
            (&json!({"forbiddenPaths": []}), "find /", Some("/"), None),
            (&json!({"forbiddenPaths": ["~/keys"]}), "find ~/keys", Some("/srv"), Some(Code::StartPath)),
            (&json!({"forbiddenPaths": ["~/keys"]}), "find '~/keys'", Some("/srv"), None),
            (&json!({"pathMode": "asWritten"}), "find /tmp/..", Some("/srv"), None),
            (&json!({"pathMode": "asWritten"}), "find /", Some("/srv"), Some(Code::StartPath)),
            (&default, "echo find /", Some("/srv"), None),
            (&default, "find $X", Some("/"), Some(Code::WorkingDirectory)),
            (&default, "find \"$X\"", Some("/"), None),
            (&default, "$X /", Some("/srv"), None),
            (&strict, "$X /", Some("/srv"), Some(Code::StartPath)),
            (&strict, "$EDITOR \"$FILE\"", Some("/srv"), None),
        ] {
            assert_eq!(code(settings, text, cwd), expected, "{settings} {text} {cwd:?}");
        }
    }

    #[test]
    fn the_find_tool_is_judged_by_its_path_or_the_working_directory() {
        let guard = guard(&json!({"forbiddenPaths": ["/", "/etc"]}));
        let is_blocked = |path, cwd| guard.judge_find_tool(path, Place { cwd, home: None }) != Verdict::Allow;
        assert!(is_blocked(Some("/etc/ssl"), Some("/srv")));
        assert!(is_blocked(Some("../etc"), Some("/srv")));
        assert!(!is_blocked(Some("/srv"), Some("/etc")));
        assert!(is_blocked(None, Some("/etc")));
        assert!(!is_blocked(None, Some("/srv")));
    }

    #[test]
    fn a_rule_that_cannot_be_used_leaves_the_default_in_force_beside_the_others() {
        let settings = json!({"blockFindRoot": {"forbiddenPaths": ["etc", "/srv", "/a*b"]}});
        let reading = read_settings(&settings, HostLimits::default());
        let (guard, diagnostics) = BlockFind::new(&reading.settings.block_find_root, None);
        assert_eq!(guard.rules().collect::<Vec<_>>(), ["/srv", "/"]);
        assert_eq!(diagnostics.len(), 2);
        assert_eq!(diagnostics[0].key().to_string(), "blockFindRoot.forbiddenPaths");
        assert_eq!(diagnostics[0].found(), "\"etc\"");
    }
}
