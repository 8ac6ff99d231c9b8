//! Languages with a grammar, patterns over their syntax, and files parsed.

use crate::error::PatternProblem;
use crate::place::Place;
use crate::{Context, Error};
use ast_grep_core::matcher::PatternError;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Language as _, Pattern};
use ast_grep_language::SupportLang;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// The grammars of this crate. Asking for another one's would end the program.
const GRAMMARS: [(SupportLang, &str); 14] = [
    (SupportLang::Bash, "bash"),
    (SupportLang::C, "c"),
    (SupportLang::Cpp, "cpp"),
    (SupportLang::Css, "css"),
    (SupportLang::Go, "go"),
    (SupportLang::Html, "html"),
    (SupportLang::Java, "java"),
    (SupportLang::JavaScript, "javascript"),
    (SupportLang::Json, "json"),
    (SupportLang::Python, "python"),
    (SupportLang::Rust, "rust"),
    (SupportLang::Tsx, "tsx"),
    (SupportLang::TypeScript, "typescript"),
    (SupportLang::Yaml, "yaml"),
];

/// The longest pattern, in bytes: the time to read one grows with its depth.
const MAX_PATTERN: usize = 4096;

/// The deepest pattern, in nodes: the engine goes down by recursion.
const MAX_PATTERN_DEPTH: usize = 100;

/// The deepest file that is searched, in nodes: two pieces of code are compared by recursion.
const MAX_DEPTH: usize = 1000;

/// The largest file that is parsed, in bytes.
pub(crate) const MAX_PARSED: u64 = 2 * 1024 * 1024;

/// A pattern, read for each language it is used in.
pub(crate) struct Patterns<'a> {
    text: &'a str,
    only: Option<SupportLang>,
    read: Mutex<BTreeMap<&'static str, Result<Pattern, PatternProblem>>>,
}

impl<'a> Patterns<'a> {
    /// Reads a pattern for a language that was named, or prepares to read it for those of the files.
    pub(crate) fn of(text: &'a str, language: Option<&str>) -> Result<Self, Error> {
        let wrong = |problem| Error::Pattern { pattern: text.to_owned(), problem };
        if text.trim().is_empty() {
            return Err(wrong(PatternProblem::Empty));
        }
        if text.len() > MAX_PATTERN {
            return Err(wrong(PatternProblem::TooLong { most: MAX_PATTERN }));
        }
        let only = language.map(named).transpose()?;
        let patterns = Self { text, only, read: Mutex::default() };
        if let Some((_, Err(problem))) = only.and_then(|language| patterns.in_language(language)) {
            return Err(wrong(problem));
        }
        Ok(patterns)
    }

    /// Returns the language of a file and the pattern in it; nothing if the file is not to be searched.
    pub(crate) fn for_file(&self, path: &Path) -> Option<(SupportLang, Pattern)> {
        let language = SupportLang::from_path(path).filter(|language| is_known(*language));
        let language = match self.only {
            Some(only) if language == Some(only) => only,
            Some(_) => return None,
            None => language?,
        };
        self.in_language(language)?.1.ok().map(|pattern| (language, pattern))
    }

    /// As [`Patterns::for_file`] for a file that was named: the language that was named counts, whatever the file's name.
    pub(crate) fn for_named_file(&self, path: &Path) -> Result<(SupportLang, Pattern), Error> {
        let language =
            self.only.or_else(|| SupportLang::from_path(path).filter(|language| is_known(*language)));
        let language = language.ok_or_else(|| Error::NoGrammar { language: None, known: known() })?;
        match self.in_language(language) {
            Some((_, Ok(pattern))) => Ok((language, pattern)),
            Some((_, Err(problem))) => Err(Error::Pattern { pattern: self.text.to_owned(), problem }),
            None => Err(Error::NoGrammar { language: None, known: known() }),
        }
    }

    /// Fails if the pattern could be read in none of the languages that were met. A pattern that is wrong is not one that is
    /// not found.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Ok(read) = self.read.lock() else { return Ok(()) };
        if read.values().any(Result::is_ok) {
            return Ok(());
        }
        match read.values().find_map(|pattern| pattern.as_ref().err()) {
            Some(problem) => Err(Error::Pattern { pattern: self.text.to_owned(), problem: problem.clone() }),
            None => Ok(()),
        }
    }

    fn in_language(&self, language: SupportLang) -> Option<(&'static str, Result<Pattern, PatternProblem>)> {
        let name = GRAMMARS.iter().find(|(grammar, _)| *grammar == language)?.1;
        let mut read = self.read.lock().ok()?;
        let pattern = read.entry(name).or_insert_with(|| pattern_in(self.text, language));
        Some((name, pattern.clone()))
    }
}

fn pattern_in(text: &str, language: SupportLang) -> Result<Pattern, PatternProblem> {
    let regex = || looks_like_regex(text);
    let source = language.pre_process_pattern(text);
    let shallow =
        StrDoc::try_new(&source, language).is_ok_and(|doc| depth(&AstGrep::doc(doc)) <= MAX_PATTERN_DEPTH);
    if !shallow {
        return Err(PatternProblem::TooDeep { most: MAX_PATTERN_DEPTH });
    }
    match Pattern::try_new(text, language) {
        Ok(pattern) if pattern.has_error() => Err(if regex() {
            PatternProblem::Regex
        } else {
            PatternProblem::NotCode { language: language.to_string() }
        }),
        Ok(pattern) => Ok(pattern),
        Err(PatternError::MultipleNode(_)) => {
            Err(if regex() { PatternProblem::Regex } else { PatternProblem::SeveralNodes })
        }
        Err(error) => Err(PatternProblem::Engine(error.to_string())),
    }
}

/// Whether a pattern holds what is common in regular expressions and rare in code.
fn looks_like_regex(text: &str) -> bool {
    [".*", ".+", "\\w", "\\d", "\\s", "\\b", "\\(", "[a-z", "[^", "(?"]
        .iter()
        .any(|piece| text.contains(piece))
}

fn is_known(language: SupportLang) -> bool {
    GRAMMARS.iter().any(|(grammar, _)| *grammar == language)
}

fn known() -> Vec<&'static str> {
    GRAMMARS.iter().map(|(_, name)| *name).collect()
}

fn named(name: &str) -> Result<SupportLang, Error> {
    let language: Option<SupportLang> = name.parse().ok();
    language
        .filter(|language| is_known(*language))
        .ok_or_else(|| Error::NoGrammar { language: Some(name.to_owned()), known: known() })
}

/// A text with its syntax.
pub(crate) type Tree = AstGrep<StrDoc<SupportLang>>;

/// Parses a text; nothing if it is nested too deep to be searched.
pub(crate) fn parse(text: &str, language: SupportLang) -> Option<Tree> {
    StrDoc::try_new(text, language).ok().map(AstGrep::doc).filter(|tree| depth(tree) <= MAX_DEPTH)
}

/// Returns how deep the nodes of a tree are nested. Goes down without recursion.
fn depth(tree: &Tree) -> usize {
    let root = tree.root();
    let mut cursor = root.get_inner_node().walk();
    let (mut depth, mut deepest) = (1, 1);
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            deepest = deepest.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            depth -= 1;
        }
    }
}

/// Returns how many places of a text its grammar does not understand.
pub(crate) fn errors(tree: &Tree) -> usize {
    tree.root().dfs().filter(|node| node.is_error() || node.is_missing()).count()
}

/// Reads a file to parse; nothing if it is too large or no UTF-8 text.
pub(crate) fn text_of(path: &Path) -> std::io::Result<Option<String>> {
    if std::fs::metadata(path)?.len() > MAX_PARSED {
        return Ok(None);
    }
    Ok(String::from_utf8(std::fs::read(path)?).ok())
}

/// The start of a search, and whether it is one file.
pub(crate) fn start(path: Option<&str>, context: &Context<'_>) -> Result<(Place, bool), Error> {
    let start = Place::of(path.unwrap_or("."), context)?;
    start.check_search(context)?;
    let metadata = std::fs::metadata(&start.named).map_err(|source| Error::io(&start.named, source))?;
    Ok((start, metadata.is_file()))
}
