//! POSIX extended regular expressions, for `[[ text =~ pattern ]]`.
//!
//! All positions that the front part of an expression can end at are carried along, so matching does not backtrack; the
//! groups are found afterwards, from the left, each as long as the rest allows.

#![expect(
    clippy::option_option,
    reason = "the outer option is what cannot be told, the inner one what is not there"
)]

use crate::matching::{Member, Set, fold, positions, posix_class};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// How deep groups and repetitions may nest.
const DEPTH: u32 = 32;

/// What a match gives: for each group its byte range, the whole match first; `None` for a group that took no part.
pub(crate) type Captures = Vec<Option<(usize, usize)>>;

/// Finds the leftmost-longest match, `Some(None)` for none; `None` when it cannot be told: the pattern is refused or is
/// beyond the plain core, or the budget is spent.
///
/// Beyond the core are back references, word boundaries, collating elements, groups inside a repeated group, and classes
/// that meet a character beyond ASCII.
pub(crate) fn matches(
    pattern: &str,
    text: &str,
    ignore_case: bool,
    steps: &mut u64,
) -> Option<Option<Captures>> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut parser = Parser { rest: &chars, groups: 0, length: chars.len(), anchors_inside: false };
    let expression = parser.alternatives(DEPTH)?;
    // Inside an expression the C library takes some anchors to mean lines.
    if !parser.rest.is_empty() || (parser.anchors_inside && text.contains('\n')) {
        return None;
    }
    let characters: Vec<char> = text.chars().collect();
    let mut matcher = Matcher { text: &characters, ignore_case, steps };
    for start in 0..=characters.len() {
        let ends = matcher.ends(&expression, vec![start])?;
        let Some(end) = ends.last().copied() else { continue };
        let mut groups = vec![None; parser.groups + 1];
        if let Some(whole) = groups.first_mut() {
            *whole = Some((start, end));
        }
        if parser.groups > 0 {
            matcher.assign(&expression, start, end, &mut groups)?;
        }
        let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
        let offset = |position: usize| offsets.get(position).copied().unwrap_or(text.len());
        let in_bytes = |group: Option<(usize, usize)>| group.map(|(start, end)| (offset(start), offset(end)));
        return Some(Some(groups.into_iter().map(in_bytes).collect()));
    }
    Some(None)
}

/// Appends `text` so that, as a regular expression outside brackets, it matches itself only (a quoted part of the right side).
pub(crate) fn escape(text: &str, out: &mut alloc::string::String) {
    for char in text.chars() {
        if matches!(char, '.' | '[' | ']' | '\\' | '(' | ')' | '*' | '+' | '?' | '{' | '}' | '|' | '^' | '$')
        {
            out.push('\\');
        }
        out.push(char);
    }
}

#[derive(Debug)]
enum Node {
    Char(char),
    Any,
    Set(Set),
    Start,
    End,
    /// Members in a row.
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Group(usize, Box<Node>),
    Repeat {
        inner: Box<Node>,
        least: u32,
        most: Option<u32>,
    },
}

struct Parser<'p> {
    rest: &'p [char],
    groups: usize,
    /// Of the whole pattern.
    length: usize,
    /// A `^` stands behind the first place, or a `$` before the last.
    anchors_inside: bool,
}

impl Parser<'_> {
    fn take(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn alternatives(&mut self, depth: u32) -> Option<Node> {
        let mut alternatives = vec![self.sequence(depth)?];
        while self.rest.first() == Some(&'|') {
            self.take();
            alternatives.push(self.sequence(depth)?);
        }
        match alternatives.len() {
            1 => alternatives.pop(),
            _ => Some(Node::Alternatives(alternatives)),
        }
    }

    fn sequence(&mut self, depth: u32) -> Option<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(char) = self.rest.first().copied() {
            if matches!(char, '|' | ')') {
                break;
            }
            self.take();
            let node = match char {
                '(' => {
                    self.groups += 1;
                    let group = self.groups;
                    let inner = self.alternatives(depth.checked_sub(1)?)?;
                    if self.take()? != ')' {
                        return None;
                    }
                    Node::Group(group, Box::new(inner))
                }
                '*' | '+' | '?' | '{' => {
                    let (least, most) = match char {
                        '*' => (0, None),
                        '+' => (1, None),
                        '?' => (0, Some(1)),
                        _ => self.interval()?,
                    };
                    let inner = nodes.pop()?;
                    // Which round's groups count is answered differently by every implementation.
                    let inside = match &inner {
                        Node::Group(_, inside) => inside,
                        _ => &inner,
                    };
                    if inside.has_group() || matches!(inner, Node::Start | Node::End) {
                        return None;
                    }
                    let node = Node::Repeat { inner: Box::new(inner), least, most };
                    if node.depth() > DEPTH {
                        return None;
                    }
                    node
                }
                '.' => Node::Any,
                '^' => {
                    self.anchors_inside |= self.rest.len() + 1 < self.length;
                    Node::Start
                }
                '$' => {
                    self.anchors_inside |= !self.rest.is_empty();
                    Node::End
                }
                '[' => Node::Set(self.set()?),
                '\\' => match self.take()? {
                    'w' => Node::Set(word(false)),
                    'W' => Node::Set(word(true)),
                    letter @ ('s' | 'S') => {
                        let members = vec![Member::Class(posix_class("space")?)];
                        Node::Set(Set { negated: letter == 'S', members })
                    }
                    '<' | '>' | '`' | '\'' => return None,
                    char if char.is_alphanumeric() => return None,
                    char => Node::Char(char),
                },
                _ => Node::Char(char),
            };
            nodes.push(node);
        }
        Some(Node::Sequence(nodes))
    }

    /// Reads `{m}`, `{m,}`, `{,n}` or `{m,n}` behind its brace.
    fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let least = self.number()?;
        let (least, most) = match self.take()? {
            '}' => return least.map(|least| (least, Some(least))),
            ',' => (least.unwrap_or(0), self.number()?),
            _ => return None,
        };
        let in_order = most.is_none_or(|most| least <= most);
        (self.take()? == '}' && in_order).then_some((least, most))
    }

    /// Reads a number of up to three digits, if one is there.
    fn number(&mut self) -> Option<Option<u32>> {
        let mut number = None;
        while let Some(digit) = self.rest.first().and_then(|char| char.to_digit(10)) {
            number = Some(number.unwrap_or(0) * 10 + digit).filter(|number| *number < 1000);
            number?;
            self.take();
        }
        Some(number)
    }

    /// Reads a set behind its `[`. A backslash stands for itself in it.
    fn set(&mut self) -> Option<Set> {
        let negated = self.rest.first() == Some(&'^');
        if negated {
            self.take();
        }
        let mut members = Vec::new();
        loop {
            let char = self.take()?;
            match (char, self.rest) {
                (']', _) if !members.is_empty() => return Some(Set { negated, members }),
                ('[', [':', rest @ ..]) => {
                    let length = rest.windows(2).position(|pair| pair == [':', ']'])?;
                    let name: alloc::string::String = rest.get(..length)?.iter().collect();
                    members.push(Member::Class(posix_class(&name)?));
                    self.rest = rest.get(length + 2..)?;
                    if let ['-', next, ..] = self.rest
                        && *next != ']'
                    {
                        return None;
                    }
                }
                ('[', ['.' | '=', ..]) => return None,
                (first, ['-', last, rest @ ..]) if *last != ']' => {
                    if *last == '[' || first > *last {
                        return None;
                    }
                    members.push(Member::Range(first, *last));
                    self.rest = rest;
                }
                (char, _) => members.push(Member::Range(char, char)),
            }
        }
    }
}

fn word(negated: bool) -> Set {
    let members = vec![Member::Class(char::is_ascii_alphanumeric), Member::Range('_', '_')];
    Set { negated, members }
}

impl Node {
    fn children(&self) -> &[Node] {
        match self {
            Self::Sequence(nodes) | Self::Alternatives(nodes) => nodes,
            Self::Group(_, inner) | Self::Repeat { inner, .. } => core::slice::from_ref(inner),
            _ => &[],
        }
    }

    fn has_group(&self) -> bool {
        matches!(self, Self::Group(..)) || self.children().iter().any(Self::has_group)
    }

    /// Returns whether alternatives stand in it.
    fn has_choice(&self) -> bool {
        matches!(self, Self::Alternatives(_)) || self.children().iter().any(Self::has_choice)
    }

    /// How deep it nests; repetitions of repetitions count.
    fn depth(&self) -> u32 {
        match self {
            Self::Repeat { inner, .. } => 1 + inner.depth(),
            _ => 0,
        }
    }
}

struct Matcher<'t, 's> {
    text: &'t [char],
    ignore_case: bool,
    steps: &'s mut u64,
}

impl Matcher<'_, '_> {
    fn charge(&mut self, steps: usize) -> Option<()> {
        *self.steps = self.steps.checked_sub(steps as u64)?;
        Some(())
    }

    /// Returns the positions, in order, where a match of `node` that begins at one of `starts` can end.
    fn ends(&mut self, node: &Node, mut starts: Vec<usize>) -> Option<Vec<usize>> {
        self.charge(1 + starts.len())?;
        match node {
            Node::Sequence(nodes) => self.sequence_ends(nodes, starts),
            Node::Group(_, inner) => self.ends(inner, starts),
            Node::Alternatives(alternatives) => {
                let mut all = Vec::new();
                for alternative in alternatives {
                    all.extend(self.ends(alternative, starts.clone())?);
                }
                all.sort_unstable();
                all.dedup();
                Some(all)
            }
            Node::Start => {
                starts.retain(|start| *start == 0);
                Some(starts)
            }
            Node::End => {
                starts.retain(|start| *start == self.text.len());
                Some(starts)
            }
            Node::Repeat { inner, least, most } => self.repeat_ends(inner, *least, *most, starts),
            Node::Char(_) | Node::Any | Node::Set(_) => {
                let mut ends = Vec::with_capacity(starts.len());
                for start in starts {
                    if let Some(char) = self.text.get(start)
                        && self.takes(node, *char)?
                    {
                        ends.push(start + 1);
                    }
                }
                Some(ends)
            }
        }
    }

    fn sequence_ends(&mut self, nodes: &[Node], mut positions: Vec<usize>) -> Option<Vec<usize>> {
        for node in nodes {
            if positions.is_empty() {
                break;
            }
            positions = self.ends(node, positions)?;
        }
        Some(positions)
    }

    fn repeat_ends(
        &mut self,
        inner: &Node,
        least: u32,
        most: Option<u32>,
        mut starts: Vec<usize>,
    ) -> Option<Vec<usize>> {
        for _ in 0..least {
            starts = self.ends(inner, starts)?;
            if starts.is_empty() {
                return Some(starts);
            }
        }
        let mut rounds = most.map(|most| most - least);
        let mut reached = vec![false; self.text.len() + 1];
        self.charge(reached.len())?;
        let mut fresh = starts;
        loop {
            fresh.retain(|position| {
                reached.get_mut(*position).is_some_and(|reached| !core::mem::replace(reached, true))
            });
            if fresh.is_empty() || rounds == Some(0) {
                break;
            }
            fresh = self.ends(inner, fresh)?;
            rounds = rounds.map(|rounds| rounds - 1);
        }
        Some(positions(&reached))
    }

    fn takes(&mut self, node: &Node, char: char) -> Option<bool> {
        match node {
            Node::Char(own) => Some(fold(*own, self.ignore_case)? == fold(char, self.ignore_case)?),
            Node::Set(set) => {
                self.charge(set.members.len())?;
                let folded = fold(char, self.ignore_case)?;
                let mut found = false;
                for member in &set.members {
                    found |= match member {
                        Member::Range(first, last) if self.ignore_case => {
                            let upper = folded.to_ascii_uppercase();
                            let beyond = !(first.is_ascii() && last.is_ascii() && char.is_ascii());
                            if beyond
                                && (first != last || fold(*first, self.ignore_case)? == folded)
                                && *first != char
                            {
                                return None;
                            }
                            (*first..=*last).contains(&folded) || (*first..=*last).contains(&upper)
                        }
                        Member::Range(first, last) => (*first..=*last).contains(&char),
                        Member::Class(_) if !char.is_ascii() => return None,
                        Member::Class(class) if self.ignore_case => {
                            class(&char.to_ascii_lowercase()) || class(&char.to_ascii_uppercase())
                        }
                        Member::Class(class) => class(&char),
                    };
                }
                Some(found != set.negated)
            }
            _ => Some(true),
        }
    }

    /// Finds the groups of a match of `node` from `start` to `end`, which is known to exist.
    fn assign(
        &mut self,
        node: &Node,
        start: usize,
        end: usize,
        groups: &mut [Option<(usize, usize)>],
    ) -> Option<()> {
        self.charge(1)?;
        match node {
            Node::Group(index, inner) => {
                if let Some(group) = groups.get_mut(*index) {
                    *group = Some((start, end));
                }
                self.assign(inner, start, end, groups)
            }
            Node::Alternatives(alternatives) => {
                for alternative in alternatives {
                    if self.ends(alternative, vec![start])?.binary_search(&end).is_ok() {
                        return self.assign(alternative, start, end, groups);
                    }
                }
                None
            }
            Node::Sequence(nodes) => {
                let mut at = start;
                let mut rest = nodes.as_slice();
                while let [first, behind @ ..] = rest {
                    // Of alternatives of different lengths the C library does not always take the longest.
                    let is_choice = first.has_choice();
                    let mut split = None;
                    for middle in
                        self.ends(first, vec![at])?.into_iter().rev().filter(|middle| *middle <= end)
                    {
                        if self.sequence_ends(behind, vec![middle])?.binary_search(&end).is_ok() {
                            if split.is_some() {
                                return None;
                            }
                            split = Some(middle);
                            if !is_choice {
                                break;
                            }
                        }
                    }
                    let middle = split?;
                    self.assign(first, at, middle, groups)?;
                    (at, rest) = (middle, behind);
                }
                Some(())
            }
            Node::Repeat { inner, least, most } => {
                if !inner.has_group() {
                    return Some(());
                }
                let (mut at, mut least, mut most) = (start, *least, *most);
                while at < end || least > 0 {
                    least = least.saturating_sub(1);
                    most = most.map(|most| most.saturating_sub(1));
                    let mut split = None;
                    for middle in
                        self.ends(inner, vec![at])?.into_iter().rev().filter(|middle| *middle <= end)
                    {
                        let moves = middle > at || at == end;
                        if moves
                            && self.repeat_ends(inner, least, most, vec![middle])?.binary_search(&end).is_ok()
                        {
                            split = Some(middle);
                            break;
                        }
                    }
                    let middle = split?;
                    self.assign(inner, at, middle, groups)?;
                    at = middle;
                }
                Some(())
            }
            _ => Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use std::format;
    use std::string::String;

    const PIECES: &[&str] = &[
        "a",
        "b",
        "c",
        ".",
        "a*",
        "b+",
        "c?",
        "(a|b)",
        "(ab|a)",
        "(b|bc)",
        "[ab]",
        "[^a]",
        "[a-c]",
        "[]a]",
        "[[:digit:]]",
        "^",
        "$",
        "|",
        "(",
        ")",
        "a{2}",
        "b{1,2}",
        "(a)*",
        "(a|b)+",
        "(ab)?",
        "\\.",
        "\\w",
        "\\d",
        "é",
        "(.*)",
        "(.+)",
        "()",
        "[0-9]+",
        "{",
        "*",
        "[\\.]",
        "((a)b)",
        "x{0}",
        "(a*)(b*)",
        "\\s",
        "(a|ab)(c|bcd)",
        "c{,2}",
        "B",
        "([a-c]+)",
        "(a*)*",
        "(a|b|c)*",
    ];

    fn compare(setup: &str, ignore_case: bool, seed: u64) {
        let mut random = Random(seed);
        let cases: Vec<[String; 2]> = (0..3000)
            .map(|_| {
                [
                    random.text(PIECES, 4),
                    random.text(&["a", "b", "c", "a", "b", "1", ".", "é", "\n", "A", "d", " "], 7),
                ]
            })
            .collect();
        let function =
            r#"[[ $2 =~ $1 ]]; r=$?; printf '%d' $r; ((r == 0)) && printf '[%s]' "${BASH_REMATCH[@]}""#;
        let Some(answers) = answers(setup, function, &cases) else { return };
        let (mut decided, mut matched) = (0, 0);
        for ([pattern, text], answer) in cases.iter().zip(answers) {
            let got = match matches(pattern, text, ignore_case, &mut 1_000_000) {
                None => continue,
                Some(None) => String::from("1"),
                Some(Some(groups)) => {
                    matched += 1;
                    let show = |group: &Option<(usize, usize)>| {
                        format!("[{}]", group.map_or("", |(start, end)| text.get(start..end).unwrap()))
                    };
                    String::from("0") + &groups.iter().map(show).collect::<String>()
                }
            };
            decided += 1;
            assert_eq!(got, String::from_utf8_lossy(&answer), "{pattern:?} on {text:?}");
        }
        assert!(decided > 1200 && matched > 300, "{decided} decided, {matched} matched");
    }

    #[test]
    fn agrees_with_bash() {
        compare("", false, 71);
    }

    #[test]
    fn agrees_with_bash_when_case_does_not_count() {
        compare("shopt -s nocasematch", true, 72);
    }

    #[test]
    fn limits_hold() {
        let text = "a".repeat(5000);
        assert_eq!(matches("(a*)*b", &text, false, &mut 100_000), None);
        assert_eq!(matches(&"(".repeat(100_000), "", false, &mut 100_000), None);
        assert_eq!(matches(&format!("a{}", "*".repeat(100_000)), "", false, &mut 100_000), None);
    }

    #[test]
    fn escaped_text_matches_itself() {
        let text = "a.b[c]*(d)+?{1}|^$\\x/-é";
        let mut escaped = String::new();
        escape(text, &mut escaped);
        assert_eq!(matches(&escaped, text, false, &mut 10_000), Some(Some(vec![Some((0, text.len()))])));
    }
}
