//! What changed, for people and models.

use crate::newline::BOM;
use similar::{Algorithm, TextDiff};
use std::time::Duration;

/// The longest time that goes into finding a *small* difference; past it the difference is right and larger.
const PATIENCE: Duration = Duration::from_millis(500);

/// Lines around each change.
const CONTEXT: usize = 3;

/// Returns the difference of two texts as a unified diff without file names; empty if there is none.
///
/// Bytes that are not UTF-8 are shown as U+FFFD, line endings other than `\n` as `␍`, so that a change of endings shows.
///
/// ```
/// # use brakeline_agent_tools::unified;
/// assert_eq!(unified(b"a\nb\n", b"a\nc\n"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
#[must_use]
pub fn unified(old: &[u8], new: &[u8]) -> String {
    let (old, new) = (shown(old), shown(new));
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(&old, &new);
    diff.unified_diff().context_radius(CONTEXT).to_string()
}

/// Makes bytes printable line by line; a byte-order mark is no part of the text.
fn shown(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    String::from_utf8_lossy(bytes).replace("\r\n", "␍\n").replace('\r', "␍\n")
}
