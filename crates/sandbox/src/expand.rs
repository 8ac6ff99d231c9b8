//! The files that a pattern means, found when a plan is made.

use crate::glob::{GlobError, MAX_VISITED, Part, PathPattern};
use crate::location::Location;
use crate::tree::{Kind, Tree};
use std::path::PathBuf;

/// Finds what a pattern means now. Links are found, not followed; the result is sorted.
///
/// A path without wildcards means itself, whether it exists or not. A name that exists is found as a name even if it looks
/// like a pattern.
pub(crate) fn expand(
    tree: &dyn Tree,
    pattern: &PathPattern,
    visited: &mut usize,
) -> Result<Vec<PathBuf>, GlobError> {
    if pattern.parts.is_empty() {
        return Ok(vec![pattern.literal.clone()]);
    }
    let mut found = Vec::new();
    if tree.kind(&pattern.literal).is_some() {
        found.push(pattern.literal.clone());
    }
    let start = Location::of(tree, &pattern.start).map(|location| location.path);
    // Each state: a directory, and the parts that are still to be matched in it.
    let mut states: Vec<(PathBuf, &[Part])> =
        start.map(|start| (start, pattern.parts.as_slice())).into_iter().collect();
    while let Some((directory, parts)) = states.pop() {
        let Some((first, rest)) = parts.split_first() else { continue };
        if matches!(first, Part::AnyDepth) {
            states.push((directory.clone(), rest));
        }
        for (name, kind) in tree.names(&directory) {
            *visited += 1;
            if *visited > MAX_VISITED {
                return Err(GlobError::TooWide);
            }
            let path = directory.join(&name);
            match first {
                Part::AnyDepth if kind == Kind::Directory => states.push((path, parts)),
                Part::AnyDepth => {}
                part if !part.matches(&name) => {}
                _ if rest.is_empty() => found.push(path),
                _ if kind == Kind::Directory => states.push((path, rest)),
                _ => {}
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
