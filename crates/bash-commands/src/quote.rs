//! Text quoted for reuse as input, and case modification.

use crate::pattern::Options;
use alloc::string::String;

/// Appends `text` as `printf %q` prints it; `None` when it holds a character of which only the locale knows whether it
/// can be printed (nothing is appended then).
pub(crate) fn quote_percent_q(text: &str, out: &mut String) -> Option<()> {
    let _ = (text, out);
    None
}

/// Appends `text` as `${x@Q}` gives it (`'…'` or `$'…'`); `None` as for [`quote_percent_q`].
pub(crate) fn quote_at_q(text: &str, out: &mut String) -> Option<()> {
    let _ = (text, out);
    None
}

/// Appends `text` as `declare -p` and `${x@A}` for arrays show a value (`"…"` or `$'…'`); `None` as for [`quote_percent_q`].
pub(crate) fn quote_declare(text: &str, out: &mut String) -> Option<()> {
    let _ = (text, out);
    None
}

/// Appends `${x@E}`; false when it is no UTF-8.
pub(crate) fn expand_at_e(text: &str, out: &mut String) -> bool {
    crate::escape::decode_ansi_c(text, out)
}

/// Which case a modification gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `^`, `@U`, `@u`, `declare -u`.
    Upper,
    /// `,`, `@L`, `declare -l`.
    Lower,
    /// `~`.
    Toggle,
}

/// Appends `text` with the case of its first character (`all`: of each) changed, if that character matches `pattern`
/// (`None` or empty: any). `None` when the pattern cannot be decided, or a case mapping is not one to one.
pub(crate) fn change_case(
    text: &str,
    case: Case,
    all: bool,
    pattern: Option<&str>,
    options: Options,
    steps: &mut u64,
    out: &mut String,
) -> Option<()> {
    let _ = (text, case, all, pattern, options, steps, out);
    None
}
