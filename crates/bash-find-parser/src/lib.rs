#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod actions;
mod arguments;
mod call;
mod name;

pub use actions::{Action, ActionKind};
pub use arguments::StartPath;
pub use bash_commands::find_expression::Place;
pub use call::{FindCall, Name, find_calls};

use alloc::string::String;
use alloc::vec::Vec;
use bash_commands::{Analyzer, Options};

/// Returns the start paths of each find that `text` would run, one inner list for each, in the order of the text.
///
/// Paths stand as bash would pass them, after expansion and removal of quotes; a pattern and a word that is not known
/// stand as they are written. An empty inner list is a find that names no start path, and so walks its working
/// directory. Paths behind the expression count too: GNU find refuses them, but bfs, which some systems put in its
/// place, walks them. Start paths that are read from a file stand as the option that says so, `-files0-from`.
///
/// The text is analysed with [`Options::default`], so `~` stays as written, and a text beyond the default budget gives
/// the finds up to there: [`find_calls`] over a report of one's own tells that, and much more. A command whose name is
/// not known (`$X /`) is left out here, and given there as [`Name::Unknown`].
///
/// Costs one analysis, linear in the text.
///
/// ```
/// use bash_find_parser::extract_find_paths;
///
/// assert_eq!(extract_find_paths("sudo timeout 1 find / -name aaa"), [["/"]]);
/// assert_eq!(extract_find_paths("a; find /etc && find"), [vec!["/etc"], vec![]]);
/// assert!(extract_find_paths("echo find /; git find; findstr x").is_empty());
/// ```
#[must_use]
pub fn extract_find_paths(text: &str) -> Vec<Vec<String>> {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let named = find_calls(report).filter(|call| call.name() != Name::Unknown);
    named.map(|call| call.start_paths().map(|path| String::from(path.text())).collect()).collect()
}

/// The workspace's README, whose example is tested with the crate's own.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct WorkspaceReadme;
