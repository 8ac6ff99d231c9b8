//! What matching has in common for patterns and for regular expressions: sets, cases, and the positions a match reaches.

use alloc::vec::Vec;

/// `[…]`.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) negated: bool,
    pub(crate) members: Vec<Member>,
}

#[derive(Debug)]
pub(crate) enum Member {
    Range(char, char),
    Class(Class),
}

/// A class, by its test on ASCII.
pub(crate) type Class = fn(&char) -> bool;

/// The class `[:name:]` of POSIX.
pub(crate) fn posix_class(name: &str) -> Option<Class> {
    Some(match name {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "blank" => |char| matches!(char, ' ' | '\t'),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |char| matches!(char, ' '..='~'),
        "punct" => char::is_ascii_punctuation,
        "space" => |char| matches!(char, ' ' | '\t'..='\r'),
        "upper" => char::is_ascii_uppercase,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Returns the character by which `char` is compared; `None` when its case is more than one character's business.
pub(crate) fn fold(char: char, ignore_case: bool) -> Option<char> {
    if !ignore_case {
        return Some(char);
    }
    let mut lower = char.to_lowercase();
    let folded = lower.next()?;
    lower.next().is_none().then_some(folded)
}

/// The positions that are marked, in order.
pub(crate) fn positions(reached: &[bool]) -> Vec<usize> {
    let marked = reached.iter().enumerate().filter(|(_, reached)| **reached);
    marked.map(|(position, _)| position).collect()
}
