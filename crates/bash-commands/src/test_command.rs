//! `test` and `[`, and the comparisons they share with `[[`.

use crate::arena::{Arena, Blank};

/// How deep parentheses and `!` may nest.
const DEPTH: u32 = 64;

/// An argument of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand<'a> {
    /// This text.
    Known(&'a str),
    /// One argument of unknown text.
    Unknown,
}

impl Blank for Operand<'_> {
    const BLANK: Self = Self::Unknown;
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

impl From<bool> for Tri {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl Tri {
    /// `!`.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }

    /// Both, as `-a` joins them: both sides are evaluated, so an error on either is an error.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Error, _) | (_, Self::Error) => Self::Error,
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }
}

/// Evaluates the arguments of `test`, or of `[` without the closing `]`, by bash's rules for their number.
///
/// Where an argument is unknown so is the answer, for the text could be an operator. `unary` answers what the text alone
/// does not tell, `(operator, operand)`: file tests, `-v`, `-o`, `-R`, `-t`. Binary file tests (`-nt -ot -ef`) are
/// [`Tri::Unknown`]. Linear in the arguments.
pub(crate) fn evaluate(args: &[Operand<'_>], unary: &mut dyn FnMut(&str, &str) -> Tri) -> Tri {
    let mut words = Arena::<&str, 6>::NEW;
    for arg in args {
        match arg {
            Operand::Known(word) => words.push(*word),
            Operand::Unknown => return Tri::Unknown,
        }
    }
    let mut evaluation = Evaluation { unary };
    match words.as_slice() {
        [] => Tri::False,
        [word] => one(word),
        [first, second] => evaluation.two(first, second),
        [first, second, third] => evaluation.three(first, second, third),
        ["!", second, third, fourth] => evaluation.three(second, third, fourth).negated(),
        ["(", second, third, ")"] => evaluation.two(second, third),
        words => {
            let mut rest = words;
            match evaluation.or(&mut rest, DEPTH) {
                Some(value) if rest.is_empty() => value,
                _ => Tri::Error,
            }
        }
    }
}

struct Evaluation<'u> {
    unary: &'u mut dyn FnMut(&str, &str) -> Tri,
}

impl Evaluation<'_> {
    fn two(&mut self, first: &str, second: &str) -> Tri {
        match first {
            "!" => one(second).negated(),
            operator if is_unary(operator) => self.unary(operator, second),
            _ => Tri::Error,
        }
    }

    fn three(&mut self, first: &str, second: &str, third: &str) -> Tri {
        match (first, second, third) {
            (left, operator, right) if is_binary(operator) => binary(left, operator, right),
            (left, "-a", right) => one(left).and(one(right)),
            (left, "-o", right) => one(left).or(one(right)),
            ("!", operator, operand) => self.two(operator, operand).negated(),
            ("(", word, ")") => one(word),
            _ => Tri::Error,
        }
    }

    fn unary(&mut self, operator: &str, operand: &str) -> Tri {
        match operator {
            "-n" => (!operand.is_empty()).into(),
            "-z" => operand.is_empty().into(),
            _ => (self.unary)(operator, operand),
        }
    }

    /// The general grammar; `None` is a syntax error.
    fn or(&mut self, rest: &mut &[&str], depth: u32) -> Option<Tri> {
        let mut value = self.and(rest, depth)?;
        while let ["-o", behind @ ..] = *rest {
            *rest = behind;
            value = value.or(self.and(rest, depth)?);
        }
        Some(value)
    }

    fn and(&mut self, rest: &mut &[&str], depth: u32) -> Option<Tri> {
        let mut value = self.term(rest, depth)?;
        while let ["-a", behind @ ..] = *rest {
            *rest = behind;
            value = value.and(self.term(rest, depth)?);
        }
        Some(value)
    }

    fn term(&mut self, rest: &mut &[&str], depth: u32) -> Option<Tri> {
        let mut negated = false;
        while let ["!", behind @ ..] = *rest {
            *rest = behind;
            negated = !negated;
        }
        let value = match *rest {
            [] => return None,
            ["(", behind @ ..] => {
                *rest = behind;
                // Deeper nesting is an expression to bash still.
                let Some(depth) = depth.checked_sub(1) else {
                    *rest = &[];
                    return Some(Tri::Unknown);
                };
                let value = self.or(rest, depth)?;
                let [")", behind @ ..] = *rest else { return (value == Tri::Unknown).then_some(value) };
                *rest = behind;
                value
            }
            [left, operator, right, behind @ ..] if is_binary(operator) => {
                *rest = behind;
                binary(left, operator, right)
            }
            [operator, operand, behind @ ..] if is_unary(operator) => {
                *rest = behind;
                self.unary(operator, operand)
            }
            [word, behind @ ..] => {
                *rest = behind;
                one(word)
            }
        };
        // Whatever stands behind an error, the status is 2.
        Some(if negated { value.negated() } else { value })
    }
}

fn one(word: &str) -> Tri {
    (!word.is_empty()).into()
}

fn is_unary(word: &str) -> bool {
    match word.as_bytes() {
        [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
        _ => false,
    }
}

fn is_binary(word: &str) -> bool {
    matches!(
        word,
        "=" | "==" | "!=" | "<" | ">" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-nt" | "-ot" | "-ef"
    )
}

fn binary(left: &str, operator: &str, right: &str) -> Tri {
    compare_strings(left, operator, right)
        .or_else(|| compare_integers(left, operator, right))
        .unwrap_or(Tri::Unknown)
}

/// Compares two integers as `test` does (blanks around digits allowed); `None` when `operator` is none of
/// `-eq -ne -lt -le -gt -ge`, [`Tri::Error`] when one is no integer. In `[[` the operands are expressions: evaluate them first.
pub(crate) fn compare_integers(left: &str, operator: &str, right: &str) -> Option<Tri> {
    let compare: fn(&i64, &i64) -> bool = match operator {
        "-eq" => i64::eq,
        "-ne" => i64::ne,
        "-lt" => i64::lt,
        "-le" => i64::le,
        "-gt" => i64::gt,
        "-ge" => i64::ge,
        _ => return None,
    };
    Some(match (integer(left), integer(right)) {
        (Some(left), Some(right)) => compare(&left, &right).into(),
        _ => Tri::Error,
    })
}

/// Compares two texts literally; `None` when `operator` is none of `= == != < >`.
pub(crate) fn compare_strings(left: &str, operator: &str, right: &str) -> Option<Tri> {
    Some(match operator {
        "=" | "==" => (left == right).into(),
        "!=" => (left != right).into(),
        "<" => (left < right).into(),
        ">" => (left > right).into(),
        _ => return None,
    })
}

/// Reads a decimal number, with blanks around it, that fits in 64 bits.
fn integer(text: &str) -> Option<i64> {
    let digits =
        text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']).trim_end_matches([' ', '\t']);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use alloc::vec::Vec;
    use std::string::String;

    #[test]
    fn agrees_with_bash() {
        const WORDS: &[&str] = &[
            "",
            "a",
            "b",
            "!",
            "(",
            ")",
            "-a",
            "-o",
            "=",
            "==",
            "!=",
            "<",
            ">",
            "-eq",
            "-lt",
            "-ge",
            "-n",
            "-z",
            "1",
            "2",
            " 3 ",
            "03",
            "-1",
            "x1",
            "-x1",
            "-n",
            "-nt",
            "99999999999999999999",
            "+5",
            "-",
            "--",
            "-q",
            "3\n",
        ];
        let mut random = Random(61);
        let mut cases: Vec<[String; 7]> = Vec::new();
        for _ in 0..6000 {
            let mut words: Vec<String> = (0..random.below(8)).map(|_| random.pick(WORDS).into()).collect();
            words.resize(7, "-none-".into());
            cases.push(words.try_into().unwrap());
        }
        let setup = "clean() { local -a a=(\"$@\"); local i; for ((i = 6; i >= 0; i--)); do [[ ${a[i]} == -none- ]] && unset \"a[i]\"; done
            test \"${a[@]}\"; }";
        let Some(answers) = answers(setup, "clean \"$@\"; printf %d \"$?\"", &cases) else { return };
        let mut decided = 0;
        for (case, answer) in cases.iter().zip(answers) {
            let args: Vec<Operand<'_>> =
                case.iter().filter(|word| *word != "-none-").map(|word| Operand::Known(word)).collect();
            let got = match evaluate(&args, &mut |_, _| Tri::Unknown) {
                Tri::Unknown => continue,
                Tri::True => "0",
                Tri::False => "1",
                Tri::Error => "2",
            };
            decided += 1;
            assert_eq!(got.as_bytes(), answer, "{args:?}");
        }
        assert!(decided > 4000);
    }

    #[test]
    fn unknown_is_kept() {
        let unknown = &mut |_: &str, _: &str| Tri::Unknown;
        assert_eq!(evaluate(&[Operand::Known("-n"), Operand::Unknown], unknown), Tri::Unknown);
        assert_eq!(evaluate(&[Operand::Known("-f"), Operand::Known("x")], unknown), Tri::Unknown);
        let deep: Vec<Operand<'_>> = (0..100_000).map(|_| Operand::Known("(")).collect();
        assert_eq!(evaluate(&deep, unknown), Tri::Unknown);
    }
}
