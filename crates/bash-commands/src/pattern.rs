//! Shell patterns: `*`, `?`, `[…]` and extended patterns, as `case`, `[[`, `${x#…}` and globs use them.
//!
//! A backslash quotes the next character. A pattern is matched by carrying along all positions that its front part can
//! end at, so there is no backtracking: a plain pattern costs at most its length times the text's.

#![expect(
    clippy::option_option,
    reason = "the outer option is what cannot be told, the inner one what is not there"
)]

use crate::matching::{Class, Member, Set, fold, positions, posix_class};
use crate::syntax::Replace;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// How deep extended patterns may nest.
const DEPTH: usize = 32;

/// How patterns match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// `?(…) *(…) +(…) @(…) !(…)` are patterns (`shopt -s extglob`, and always in `[[`).
    pub(crate) extglob: bool,
    /// Case does not count (`shopt -s nocasematch`).
    pub(crate) ignore_case: bool,
}

/// Returns whether the whole text matches; `None` when that cannot be told: the budget is spent, extended patterns nest
/// too deep, or a class such as `[[:alpha:]]` meets a character beyond ASCII.
pub(crate) fn matches(pattern: &str, text: &str, options: Options, steps: &mut u64) -> Option<bool> {
    if is_literal(pattern) && !options.ignore_case {
        return Some(pattern == text);
    }
    let nodes = parse(pattern, options)?;
    let text: Vec<char> = text.chars().collect();
    let length = text.len();
    let ends = Matcher { text: &text, options, steps }.ends(&nodes, vec![0])?;
    Some(ends.last() == Some(&length))
}

/// Returns whether a pattern stands for itself alone. (Only a parenthesis begins an extended pattern.)
fn is_literal(pattern: &str) -> bool {
    !pattern.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'('))
}

/// `${text#pattern}`, `##` when `longest`: returns the byte offset where the rest begins, `Some(None)` for no match.
///
/// Case always counts, as in bash.
pub(crate) fn remove_prefix(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    prefix_end(pattern, text, longest, Options { ignore_case: false, ..options }, steps)
}

/// `${text%pattern}`, `%%` when `longest`: returns the byte offset where the kept part ends, `Some(None)` for no match.
///
/// Case always counts, as in bash.
pub(crate) fn remove_suffix(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    suffix_start(pattern, text, longest, Options { ignore_case: false, ..options }, steps)
}

/// `${text/pattern/replacement}`: appends the result. An empty pattern replaces nothing, except that `/#` and `/%` put
/// the replacement in front or behind.
///
/// In `replacement` an `&` stands for the match, `\&` for `&`, `\\` for `\` (`patsub_replacement`, on by default);
/// [`escape_replacement`] makes quoted text literal.
pub(crate) fn replace(
    pattern: &str,
    text: &str,
    how: Replace,
    replacement: &str,
    options: Options,
    steps: &mut u64,
    out: &mut String,
) -> Option<()> {
    if !may_replace(pattern, text, how, options, steps)? {
        out.push_str(text);
        return Some(());
    }
    match how {
        Replace::Prefix => {
            let Some(end) = prefix_end(pattern, text, true, options, steps)? else {
                out.push_str(text);
                return Some(());
            };
            let (matched, rest) = text.split_at_checked(end)?;
            substitute(replacement, matched, steps, out)?;
            out.push_str(rest);
        }
        Replace::Suffix => {
            let Some(start) = suffix_start(pattern, text, true, options, steps)? else {
                out.push_str(text);
                return Some(());
            };
            let (rest, matched) = text.split_at_checked(start)?;
            out.push_str(rest);
            substitute(replacement, matched, steps, out)?;
        }
        Replace::First | Replace::All => {
            let nodes = parse(pattern, options)?;
            let chars: Vec<char> = text.chars().collect();
            let mut at = 0;
            while at < chars.len() || (at == 0 && chars.is_empty()) {
                *steps = steps.checked_sub(1)?;
                let ends = Matcher { text: &chars, options, steps }.ends(&nodes, vec![at])?;
                let Some(end) = ends.last() else {
                    out.extend(chars.get(at));
                    at += 1;
                    continue;
                };
                let matched: String = chars.get(at..*end).unwrap_or(&[]).iter().collect();
                substitute(replacement, &matched, steps, out)?;
                if *end == at {
                    // An empty match does not stop the search: bash takes one character along.
                    out.extend(chars.get(at));
                    at += 1;
                } else {
                    at = *end;
                }
                if how == Replace::First {
                    break;
                }
            }
            out.extend(chars.get(at..).unwrap_or(&[]));
        }
    }
    Some(())
}

fn prefix_end(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    let nodes = parse(pattern, options)?;
    let chars: Vec<char> = text.chars().collect();
    let ends = Matcher { text: &chars, options, steps }.ends(&nodes, vec![0])?;
    let end = if longest { ends.last() } else { ends.first() };
    Some(end.map(|end| chars.iter().take(*end).map(|char| char.len_utf8()).sum()))
}

fn suffix_start(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    let mut nodes = parse(pattern, options)?;
    reverse(&mut nodes);
    let chars: Vec<char> = text.chars().rev().collect();
    let ends = Matcher { text: &chars, options, steps }.ends(&nodes, vec![0])?;
    let end = if longest { ends.last() } else { ends.first() };
    Some(end.map(|end| text.len() - chars.iter().take(*end).map(|char| char.len_utf8()).sum::<usize>()))
}

/// Asks bash's own first question before it looks for the place of a match; its quirks decide some odd cases.
fn may_replace(pattern: &str, text: &str, how: Replace, options: Options, steps: &mut u64) -> Option<bool> {
    let ends_open = how != Replace::Suffix;
    let starts_open = how != Replace::Prefix;
    if pattern.is_empty() {
        return Some(!(ends_open && starts_open));
    }
    // Bash counts the characters that a pattern of fixed length takes, and is wrong about where such sets end.
    let chars: Vec<char> = pattern.chars().collect();
    let mut parser = Parser { chars: &chars, at: 0, extglob: options.extglob, unclosed: false };
    parser.sequence(0)?;
    if parser.unclosed || pattern.contains("[!]") || pattern.contains("[^]") {
        return None;
    }
    // Nothing but a leading star is tried on empty text.
    if text.is_empty() && ends_open && !pattern.starts_with('*') {
        return Some(false);
    }
    let mut around = String::new();
    if starts_open && (!pattern.starts_with('*') || (options.extglob && pattern.starts_with("*("))) {
        around.push('*');
    }
    around.push_str(pattern);
    let front = pattern.strip_suffix('*');
    let open =
        front.is_some_and(|front| front.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0);
    if ends_open && !open {
        around.push('*');
    }
    matches(&around, text, options, steps)
}

/// Appends the replacement with `&` standing for the match.
fn substitute(replacement: &str, matched: &str, steps: &mut u64, out: &mut String) -> Option<()> {
    *steps = steps.checked_sub(replacement.len() as u64)?;
    let mut chars = replacement.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '&' => {
                *steps = steps.checked_sub(matched.len() as u64)?;
                out.push_str(matched);
            }
            '\\' => out.push(chars.next_if(|next| matches!(next, '&' | '\\')).unwrap_or('\\')),
            _ => out.push(char),
        }
    }
    Some(())
}

/// Appends `text` so that [`replace`] takes it literally.
pub(crate) fn escape_replacement(text: &str, out: &mut String) {
    for char in text.chars() {
        if matches!(char, '&' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
}

/// Returns whether an active `*`, `?`, closed `[…]` or, with `extglob`, an extended pattern stands in it, so that
/// pathname expansion would look for files.
pub(crate) fn has_glob(pattern: &str, extglob: bool) -> bool {
    let mut bracket = false;
    let mut chars = pattern.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '*' | '?' => return true,
            '[' => bracket = true,
            ']' if bracket => return true,
            '/' => bracket = false,
            '+' | '@' | '!' if extglob && chars.peek() == Some(&'(') => return true,
            '\\' => {
                chars.next();
            }
            _ => {}
        }
    }
    false
}

/// Appends `text` quoted so that, as a pattern, it matches itself only.
pub(crate) fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '\\' | '(' | ')' | '|' | '!' | '+' | '@' | '^' | '-') {
            out.push('\\');
        }
        out.push(char);
    }
}

/// Appends the pattern without its quoting backslashes: the word that is left when no glob is active.
pub(crate) fn unescape(pattern: &str, out: &mut String) {
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        out.push(if char == '\\' { chars.next().unwrap_or('\\') } else { char });
    }
}

#[derive(Debug)]
enum Node {
    Char(char),
    /// `?`.
    Any,
    /// `*`.
    Star,
    Set(Set),
    Group {
        kind: Kind,
        alternatives: Vec<Vec<Node>>,
    },
}

impl Node {
    /// Returns whether it may match the empty text.
    fn is_nullable(&self) -> bool {
        match self {
            Self::Char(_) | Self::Any | Self::Set(_) => false,
            Self::Group { kind: Kind::One | Kind::Some, alternatives } => {
                alternatives.iter().any(|alternative| alternative.iter().all(Self::is_nullable))
            }
            Self::Star | Self::Group { .. } => true,
        }
    }
}

/// The kinds of extended pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `?(…)`.
    Optional,
    /// `*(…)`.
    Any,
    /// `+(…)`.
    Some,
    /// `@(…)`.
    One,
    /// `!(…)`.
    Not,
}

/// The classes of the C library and the two that only the shell has.
fn class(name: &str) -> Option<Class> {
    match name {
        "ascii" => Some(char::is_ascii),
        "word" => Some(|char| char.is_ascii_alphanumeric() || *char == '_'),
        _ => posix_class(name),
    }
}

fn parse(pattern: &str, options: Options) -> Option<Vec<Node>> {
    let chars: Vec<char> = pattern.chars().collect();
    Parser { chars: &chars, at: 0, extglob: options.extglob, unclosed: false }.sequence(0)
}

struct Parser<'p> {
    chars: &'p [char],
    at: usize,
    extglob: bool,
    /// A `[` that opens no set was met.
    unclosed: bool,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let char = self.peek(0)?;
        self.at += 1;
        Some(char)
    }

    /// Reads up to the end or, inside a group (`depth` above 0), up to the `|` or `)` that belongs to it.
    fn sequence(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        // Plain parentheses inside a group nest, though they stand for themselves.
        let mut plain = 0_usize;
        while let Some(char) = self.peek(0) {
            if depth > 0 && plain == 0 && matches!(char, '|' | ')') {
                break;
            }
            if self.extglob && self.peek(1) == Some('(') {
                let kind = match char {
                    '?' => Some(Kind::Optional),
                    '*' => Some(Kind::Any),
                    '+' => Some(Kind::Some),
                    '@' => Some(Kind::One),
                    '!' => Some(Kind::Not),
                    _ => None,
                };
                if let Some(kind) = kind {
                    if depth >= DEPTH {
                        return None;
                    }
                    let alternatives = self.group(depth + 1)?;
                    nodes.push(Node::Group { kind, alternatives });
                    continue;
                }
            }
            self.at += 1;
            nodes.push(match char {
                '\\' => Node::Char(self.bump().unwrap_or('\\')),
                '?' => Node::Any,
                '*' => {
                    if matches!(nodes.last(), Some(Node::Star)) {
                        continue;
                    }
                    Node::Star
                }
                '[' => {
                    let start = self.at;
                    if let Some(set) = self.set()? {
                        Node::Set(set)
                    } else {
                        self.at = start;
                        self.unclosed = true;
                        Node::Char('[')
                    }
                }
                _ => {
                    match char {
                        '(' => plain += 1,
                        ')' => plain = plain.saturating_sub(1),
                        _ => {}
                    }
                    Node::Char(char)
                }
            });
        }
        // Behind a star, bash takes `!(…)`, and `@(…)` and `+(…)` that may match nothing, by rules of its own, which
        // depend on where the text ends; such a pattern is not decided.
        let mut behind_star = false;
        for node in &nodes {
            match node {
                Node::Star => behind_star = true,
                Node::Any | Node::Group { kind: Kind::Optional | Kind::Any, .. } => {}
                node if behind_star && node.is_nullable() => return None,
                _ => behind_star = false,
            }
        }
        Some(nodes)
    }

    /// Reads the alternatives of `?(…)` and its kin; `None` when it does not close, for then bash's answer depends on
    /// where in the pattern that is.
    fn group(&mut self, depth: usize) -> Option<Vec<Vec<Node>>> {
        self.at += 2;
        let mut alternatives = Vec::new();
        loop {
            alternatives.push(self.sequence(depth)?);
            if self.bump()? == ')' {
                return Some(alternatives);
            }
        }
    }

    /// Reads a set behind its `[`; `Some(None)` when it does not close.
    fn set(&mut self) -> Option<Option<Set>> {
        let negated = matches!(self.peek(0), Some('!' | '^'));
        self.at += usize::from(negated);
        let mut members = Vec::new();
        let mut first = true;
        loop {
            let Some(char) = self.bump() else { return Some(None) };
            if char == ']' && !first {
                return Some(Some(Set { negated, members }));
            }
            first = false;
            let start = match (char, self.peek(0)) {
                ('[', Some(':')) => {
                    if let Some(name) = self.delimited(':') {
                        // A class that does not exist matches nothing.
                        members.extend(class(&name).map(Member::Class));
                        continue;
                    }
                    '['
                }
                // Equivalence classes and the names of collating symbols are the locale's business.
                ('[', Some('=')) if self.delimited('=').is_some() => return None,
                ('[', Some('.')) => match self.delimited('.') {
                    Some(name) => {
                        let mut chars = name.chars();
                        let char = chars.next()?;
                        if chars.next().is_some() {
                            return None;
                        }
                        char
                    }
                    None => '[',
                },
                ('\\', _) => match self.bump() {
                    Some(char) => char,
                    None => return Some(None),
                },
                _ => char,
            };
            if self.peek(0) != Some('-') || matches!(self.peek(1), Some(']')) {
                members.push(Member::Range(start, start));
                continue;
            }
            self.at += 1;
            let end = match (self.bump(), self.peek(0)) {
                (None, _) => return Some(None),
                (Some('\\'), _) => match self.bump() {
                    Some(char) => char,
                    None => return Some(None),
                },
                // The end is a symbol or, oddly, a class.
                (Some('['), Some('.' | '=' | ':')) => return None,
                (Some(char), _) => char,
            };
            members.push(Member::Range(start, end));
        }
    }

    /// Reads the name between `[:` and `:]`, with the cursor at the first colon; leaves it there when there is none.
    fn delimited(&mut self, delimiter: char) -> Option<String> {
        let rest = self.chars.get(self.at + 1..)?;
        let length = rest.windows(2).position(|window| window == [delimiter, ']'])?;
        let name: String = rest.get(..length)?.iter().collect();
        self.at += length + 3;
        Some(name)
    }
}

/// Turns the nodes round, so that they match reversed text.
fn reverse(nodes: &mut [Node]) {
    nodes.reverse();
    for node in nodes {
        if let Node::Group { alternatives, .. } = node {
            for alternative in alternatives {
                reverse(alternative);
            }
        }
    }
}

struct Matcher<'t, 's> {
    text: &'t [char],
    options: Options,
    steps: &'s mut u64,
}

impl Matcher<'_, '_> {
    /// Returns the positions, in order, where a match of `nodes` that begins at one of `starts` can end.
    fn ends(&mut self, nodes: &[Node], starts: Vec<usize>) -> Option<Vec<usize>> {
        let mut positions = starts;
        for node in nodes {
            let Some(first) = positions.first().copied() else { break };
            *self.steps = self.steps.checked_sub(positions.len() as u64)?;
            match node {
                Node::Star => {
                    *self.steps = self.steps.checked_sub((self.text.len() - first) as u64)?;
                    positions = (first..=self.text.len()).collect();
                }
                Node::Group { kind, alternatives } => {
                    positions = self.group_ends(*kind, alternatives, positions)?;
                }
                Node::Char(_) | Node::Any | Node::Set(_) => {
                    let mut kept = Vec::new();
                    for position in positions {
                        if let Some(char) = self.text.get(position)
                            && self.takes(node, *char)?
                        {
                            kept.push(position + 1);
                        }
                    }
                    positions = kept;
                }
            }
        }
        Some(positions)
    }

    fn group_ends(
        &mut self,
        kind: Kind,
        alternatives: &[Vec<Node>],
        starts: Vec<usize>,
    ) -> Option<Vec<usize>> {
        let mut reached = vec![false; self.text.len() + 1];
        *self.steps = self.steps.checked_sub(reached.len() as u64)?;
        match kind {
            Kind::Not => {
                for start in starts {
                    let excluded = self.alternative_ends(alternatives, &[start])?;
                    let mut excluded = excluded.into_iter().peekable();
                    *self.steps = self.steps.checked_sub((self.text.len() - start) as u64)?;
                    for (position, reached) in reached.iter_mut().enumerate().skip(start) {
                        *reached |= excluded.next_if_eq(&position).is_none();
                    }
                }
            }
            Kind::Optional | Kind::One => {
                let ends = self.alternative_ends(alternatives, &starts)?;
                let zero = if kind == Kind::Optional { starts } else { Vec::new() };
                for position in ends.into_iter().chain(zero) {
                    if let Some(reached) = reached.get_mut(position) {
                        *reached = true;
                    }
                }
            }
            Kind::Any | Kind::Some => {
                let mut fresh = starts.clone();
                while !fresh.is_empty() {
                    let ends = self.alternative_ends(alternatives, &fresh)?;
                    fresh.clear();
                    for position in ends {
                        if let Some(reached) = reached.get_mut(position)
                            && !*reached
                        {
                            *reached = true;
                            fresh.push(position);
                        }
                    }
                }
                if kind == Kind::Any {
                    for position in starts {
                        if let Some(reached) = reached.get_mut(position) {
                            *reached = true;
                        }
                    }
                }
            }
        }
        Some(positions(&reached))
    }

    fn alternative_ends(&mut self, alternatives: &[Vec<Node>], starts: &[usize]) -> Option<Vec<usize>> {
        let mut all = Vec::new();
        for alternative in alternatives {
            *self.steps = self.steps.checked_sub(1 + starts.len() as u64)?;
            all.extend(self.ends(alternative, starts.to_vec())?);
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    fn takes(&mut self, node: &Node, char: char) -> Option<bool> {
        match node {
            Node::Char(own) => {
                Some(fold(*own, self.options.ignore_case)? == fold(char, self.options.ignore_case)?)
            }
            Node::Set(set) => {
                *self.steps = self.steps.checked_sub(set.members.len() as u64)?;
                let folded = fold(char, self.options.ignore_case)?;
                let mut found = false;
                for member in &set.members {
                    found |= match member {
                        Member::Range(first, last) => (fold(*first, self.options.ignore_case)?
                            ..=fold(*last, self.options.ignore_case)?)
                            .contains(&folded),
                        Member::Class(_) if !char.is_ascii() => return None,
                        Member::Class(class) => class(&char),
                    };
                }
                Some(found != set.negated)
            }
            _ => Some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use std::format;
    use std::string::ToString;

    const PIECES: &[&str] = &[
        "a",
        "b",
        "c",
        "a",
        "b",
        "*",
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[^b-c]",
        "[]a]",
        "[a",
        "]",
        "\\*",
        "\\a",
        "[[:alpha:]]",
        "[[:foo:]]",
        "[b-a]",
        "[a-]",
        "[\\]]",
        "-",
        "é",
        "[é-í]",
        "B",
        "[[:upper:]]",
        "[A-C]",
        ".",
        "/",
        "[[:digit:][:punct:]]",
        "[[=a=]]",
        "[[.b.]]",
        "!",
        "[!]",
        "[[:alpha:]",
    ];
    const EXTENDED: &[&str] = &[
        "?(", "*(", "+(", "@(", "!(", "?(a|b)", "*(a|bc)", "+([ab])", "@(a|*)", "!(a)", "!(a*)", "*(?(a)b)",
        ")", "|", "a", "b", "(",
    ];
    const TEXT: &[&str] =
        &["a", "b", "c", "a", "b", "]", "*", "-", "é", "A", "B", ".", "/", "[", "(", "|", ")", "!", "\\"];

    fn cases(seed: u64, count: usize, extended: bool) -> Vec<[String; 2]> {
        let mut random = Random(seed);
        (0..count)
            .map(|_| {
                let mut pattern = String::new();
                for _ in 0..=random.below(4) {
                    let from = if extended && random.below(2) == 0 { EXTENDED } else { PIECES };
                    pattern.push_str(random.pick(from));
                }
                [pattern, random.text(TEXT, 6)]
            })
            .collect()
    }

    fn show(end: Option<Option<usize>>, text: &str, keep_front: bool) -> String {
        match end.unwrap() {
            None => text.to_string(),
            Some(end) if keep_front => text.get(..end).unwrap().to_string(),
            Some(end) => text.get(end..).unwrap().to_string(),
        }
    }

    fn compare_with_bash(setup: &str, options: Options, cases: &[[String; 2]]) {
        let function = r#"
            p=$1 t=$2 r='<&>'
            case $t in $p) printf 1;; *) printf 0;; esac
            printf '|%s' "${t#$p}" "${t##$p}" "${t%$p}" "${t%%$p}" "${t/$p/$r}" "${t//$p/$r}" "${t/#$p/$r}" "${t/%$p/$r}""#;
        let Some(answers) = answers(setup, function, cases) else { return };
        let (mut hits, mut unsure) = (0, 0);
        for ([pattern, text], answer) in cases.iter().zip(answers) {
            // What is not decided on purpose is counted, so that it stays rare.
            let undecided = parse(pattern, options).is_none() || (pattern.contains("[:") && !text.is_ascii());
            if undecided {
                unsure += 1;
                continue;
            }
            let mut steps = 1_000_000;
            let matched =
                matches(pattern, text, options, &mut steps).unwrap_or_else(|| panic!("{pattern:?} {text:?}"));
            let prefix =
                |longest| show(remove_prefix(pattern, text, longest, options, &mut 100_000), text, false);
            let suffix =
                |longest| show(remove_suffix(pattern, text, longest, options, &mut 100_000), text, true);
            let replaced = |how| {
                let mut out = String::new();
                match replace(pattern, text, how, "<&>", options, &mut 100_000, &mut out) {
                    Some(()) => out,
                    None => "?".into(),
                }
            };
            let got = format!(
                "{}|{}|{}|{}|{}|{}|{}|{}|{}",
                u8::from(matched),
                prefix(false),
                prefix(true),
                suffix(false),
                suffix(true),
                replaced(Replace::First),
                replaced(Replace::All),
                replaced(Replace::Prefix),
                replaced(Replace::Suffix)
            );
            hits += usize::from(got != format!("0{}", format!("|{text}").repeat(8)));
            if got.contains('?') {
                unsure += 1;
            } else {
                assert_eq!(got, String::from_utf8_lossy(&answer), "pattern {pattern:?} text {text:?}");
            }
        }
        assert!(
            hits * 4 > cases.len() - unsure && unsure * 3 < cases.len() * 2,
            "{hits} matches, {unsure} unsure"
        );
    }

    #[test]
    fn agrees_with_bash() {
        compare_with_bash("shopt -u extglob", Options::default(), &cases(3, 3000, false));
    }

    #[test]
    fn agrees_with_bash_on_extended_patterns() {
        let options = Options { extglob: true, ..Options::default() };
        compare_with_bash("shopt -s extglob", options, &cases(5, 3000, true));
    }

    #[test]
    fn agrees_with_bash_when_case_does_not_count() {
        let options = Options { ignore_case: true, ..Options::default() };
        compare_with_bash("shopt -u extglob; shopt -s nocasematch", options, &cases(9, 1500, false));
    }

    #[test]
    fn is_bounded() {
        let text = "a".repeat(5000);
        let mut steps = 1_000_000;
        assert_eq!(matches("*a*a*a*a*a*a*a*b", &text, Options::default(), &mut steps), Some(false));
        let options = Options { extglob: true, ..Options::default() };
        assert_eq!(matches("*(*(*(a)))b", &text, options, &mut 1000), None);
        assert_eq!(matches(&"@(".repeat(100_000), "", options, &mut steps), None);
    }

    #[test]
    fn escaped_text_matches_itself() {
        let mut random = Random(11);
        let options = Options { extglob: true, ..Options::default() };
        for _ in 0..500 {
            let text = random.text(TEXT, 8) + random.pick(EXTENDED);
            let mut escaped = String::new();
            escape(&text, &mut escaped);
            assert_eq!(matches(&escaped, &text, options, &mut 10_000), Some(true));
            assert!(!has_glob(&escaped, true));
            let mut plain = String::new();
            unescape(&escaped, &mut plain);
            assert_eq!(plain, text);
        }
    }
}
