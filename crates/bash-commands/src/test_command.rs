//! `test` and `[`, and the comparisons they share with `[[`.

/// An argument of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand<'a> {
    /// This text.
    Known(&'a str),
    /// One argument of unknown text.
    Unknown,
}

/// What a test answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tri {
    /// Status 0.
    True,
    /// Status 1.
    False,
    /// Cannot be told.
    Unknown,
    /// Status 2: not an expression.
    Error,
}

/// Evaluates the arguments of `test`, or of `[` without the closing `]`, by bash's rules for their number.
///
/// `unary` answers what the text alone does not tell, `(operator, operand)`: file tests, `-v`, `-o`, `-R`, `-t`. Binary
/// file tests (`-nt -ot -ef`) are [`Tri::Unknown`].
pub(crate) fn evaluate(args: &[Operand<'_>], unary: &mut dyn FnMut(&str, &str) -> Tri) -> Tri {
    let _ = (args, unary);
    Tri::Unknown
}

/// Compares two integers as `test` does (blanks around digits allowed); `None` when `operator` is none of
/// `-eq -ne -lt -le -gt -ge`, [`Tri::Error`] when one is no integer. In `[[` the operands are expressions: evaluate them first.
pub(crate) fn compare_integers(left: &str, operator: &str, right: &str) -> Option<Tri> {
    let _ = (left, operator, right);
    Some(Tri::Unknown)
}

/// Compares two texts literally; `None` when `operator` is none of `= == != < >`.
pub(crate) fn compare_strings(left: &str, operator: &str, right: &str) -> Option<Tri> {
    let _ = (left, operator, right);
    Some(Tri::Unknown)
}
