//! Which of several rules that match counts.

/// How specific a pattern is: the greater of two wins.
///
/// More parts other than `*` win; with as many, the longer text. Two rules that are equal in both are settled by their
/// actions: deny wins. The order in which rules are written plays no part.
///
/// ```
/// use shell_permissions::Pattern;
///
/// let specificity = |text| Pattern::parse(text).map(|pattern| pattern.specificity());
/// assert!(specificity("git push *")? > specificity("git *")?);
/// assert!(specificity("git push *")? > specificity("git push")?);
/// # Ok::<(), shell_permissions::PatternError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specificity {
    /// How many parts are not `*`.
    pub parts: usize,
    /// The length of the text as it is written, in characters.
    pub length: usize,
}
