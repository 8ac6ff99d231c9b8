//! One component of a pattern, run on all its states at once.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Budget, Exhausted};
use crate::set::Case;

/// One component with live wildcards, as an automaton; the end of `ops` accepts.
#[derive(Debug)]
pub(super) struct Pattern {
    ops: Vec<Op>,
    case: Case,
    /// Whether a name with a leading dot can match: the dot is written out, or a group may hold it.
    shows_dot: bool,
}

#[derive(Debug, Clone)]
enum Op {
    Char(char),
    AnyChar,
    Class(Class),
    Fork(usize, usize),
    Jump(usize),
}

impl Pattern {
    pub(super) fn new(text: &str, case: Case, budget: &mut Budget) -> Result<Self, Exhausted> {
        let chars: Vec<char> = text.chars().collect();
        let shows_dot = match (chars.first(), chars.get(1)) {
            (Some('.'), _) | (Some('\\'), Some('.')) => true,
            (Some(first), Some('(')) => opens_group(*first),
            _ => false,
        };
        // A group that nothing closes is plain text.
        let ops = match compile(&chars, true, budget)? {
            Some(ops) => ops,
            None => compile(&chars, false, budget)?.unwrap_or_default(),
        };
        Ok(Self { ops, case, shows_dot })
    }

    /// Whether the automaton accepts the name, in at most (name × pattern) steps.
    pub(super) fn matches(&self, name: &str, budget: &mut Budget) -> Result<bool, Exhausted> {
        if name.is_empty() || (name.starts_with('.') && !self.shows_dot) {
            return Ok(false);
        }
        let mut states = States::new(self.ops.len() + 1);
        states.add(0, &self.ops);
        for (nth, next) in name.chars().enumerate() {
            budget.spend(states.visited)?;
            let current = states.take();
            if current.is_empty() {
                return Ok(false);
            }
            for at in current {
                let Some(op) = self.ops.get(at) else { continue };
                if let Op::Class(class) = op {
                    budget.spend(class.items.len())?;
                }
                if op.accepts(next, self.case, nth == 0) {
                    states.add(at + 1, &self.ops);
                }
            }
        }
        Ok(states.current.contains(&self.ops.len()))
    }
}

impl Op {
    fn accepts(&self, next: char, case: Case, first: bool) -> bool {
        match self {
            Self::Char(wanted) => case.eq_char(*wanted, next),
            // A leading dot is matched by a written dot only.
            Self::AnyChar => !(first && next == '.'),
            Self::Class(class) => !(first && next == '.') && class.accepts(next, case),
            Self::Fork(..) | Self::Jump(_) => false,
        }
    }
}

/// The states an automaton is in; each at most once.
#[derive(Debug)]
struct States {
    current: Vec<usize>,
    /// The generation in which a state was last added.
    added: Vec<usize>,
    generation: usize,
    /// The work done in this generation.
    visited: usize,
}

impl States {
    fn new(count: usize) -> Self {
        Self { current: Vec::new(), added: vec![0; count], generation: 1, visited: count }
    }

    fn take(&mut self) -> Vec<usize> {
        self.generation += 1;
        self.visited = 1;
        core::mem::take(&mut self.current)
    }

    /// Adds a state and all that it leads to without a character.
    fn add(&mut self, state: usize, ops: &[Op]) {
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            self.visited += 1;
            match self.added.get_mut(state) {
                Some(added) if *added != self.generation => *added = self.generation,
                _ => continue,
            }
            match ops.get(state) {
                Some(Op::Fork(one, other)) => open.extend([*one, *other]),
                Some(Op::Jump(to)) => open.push(*to),
                _ => self.current.push(state),
            }
        }
    }
}

/// Whether the character starts an extended group when a `(` follows.
pub(super) fn opens_group(kind: char) -> bool {
    matches!(kind, '?' | '*' | '+' | '@' | '!')
}

/// An extended group that is still open.
///
/// ```text
/// start:   Jump(+1), or Fork(+1, exit) when it may be left out
///          Fork(+1, next alternative)   or, before the last alternative, Jump(+1)
///          … the alternative …
///          Jump(close)
///          …
/// close:   Jump(exit), or Fork(start + 1, exit) when it may repeat
/// exit:
/// ```
struct Group {
    kind: char,
    start: usize,
    alternative: usize,
    ends: Vec<usize>,
}

/// Translates a component; nothing when `extended` groups are looked for and one is not closed.
fn compile(chars: &[char], extended: bool, budget: &mut Budget) -> Result<Option<Vec<Op>>, Exhausted> {
    let mut ops = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0;
    while let Some(&next) = chars.get(at) {
        at += 1;
        if extended && opens_group(next) && chars.get(at) == Some(&'(') {
            at += 1;
            let start = ops.len();
            groups.push(Group { kind: next, start, alternative: start + 1, ends: Vec::new() });
            ops.extend([Op::Jump(start + 1), Op::Jump(start + 2)]);
            continue;
        }
        match (next, groups.last_mut()) {
            ('|', Some(group)) => {
                group.ends.push(ops.len());
                ops.push(Op::Jump(0));
                let following = ops.len();
                set(&mut ops, group.alternative, Op::Fork(group.alternative + 1, following));
                group.alternative = following;
                ops.push(Op::Jump(following + 1));
            }
            (')', Some(_)) => groups.pop().into_iter().for_each(|group| close(&mut ops, &group)),
            // A run of stars is one star.
            ('*', _) if chars.get(at) == Some(&'*') && chars.get(at + 1) != Some(&'(') => {}
            ('*', _) => push_any_text(&mut ops),
            ('?', _) => ops.push(Op::AnyChar),
            ('[', _) => match parse_class(chars, at, budget)? {
                Some((op, end)) => {
                    ops.push(op);
                    at = end;
                }
                None => ops.push(Op::Char(next)),
            },
            ('\\', _) => {
                ops.push(Op::Char(chars.get(at).copied().unwrap_or(next)));
                at += 1;
            }
            _ => ops.push(Op::Char(next)),
        }
    }
    Ok(groups.is_empty().then_some(ops))
}

fn close(ops: &mut Vec<Op>, group: &Group) {
    let (start, close) = (group.start, ops.len());
    if group.kind == '!' {
        // What is not matched by the alternatives: any text at all contains it.
        ops.truncate(start);
        return push_any_text(ops);
    }
    let (optional, repeats) = (matches!(group.kind, '?' | '*'), matches!(group.kind, '*' | '+'));
    let into = |branch| if branch { Op::Fork(start + 1, close + 1) } else { Op::Jump(close + 1) };
    ops.push(into(repeats));
    if optional {
        set(ops, start, into(true));
    }
    for end in &group.ends {
        set(ops, *end, Op::Jump(close));
    }
}

fn push_any_text(ops: &mut Vec<Op>) {
    let start = ops.len();
    ops.extend([Op::Fork(start + 1, start + 3), Op::AnyChar, Op::Jump(start)]);
}

fn set(ops: &mut [Op], at: usize, op: Op) {
    if let Some(slot) = ops.get_mut(at) {
        *slot = op;
    }
}

/// A bracket expression.
#[derive(Debug, Clone)]
struct Class {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Debug, Clone)]
enum Item {
    Range(char, char),
    Named(fn(char) -> bool),
}

impl Class {
    /// Where case is folded the name on the disk may be in either, so any of its forms will do, also for `[!a]`.
    fn accepts(&self, next: char, case: Case) -> bool {
        match case {
            Case::Sensitive => self.holds(next),
            Case::Folded => {
                self.holds(next)
                    || next.to_lowercase().any(|form| self.holds(form))
                    || next.to_uppercase().any(|form| self.holds(form))
            }
        }
    }

    fn holds(&self, next: char) -> bool {
        self.negated
            != self.items.iter().any(|item| match item {
                Item::Range(low, high) => (*low..=*high).contains(&next),
                Item::Named(is_member) => is_member(next),
            })
    }
}

/// Reads a bracket expression from behind its `[`, and says where it ends; nothing if nothing closes it. What depends
/// on the locale, or is not known, stands for any character.
fn parse_class(chars: &[char], start: usize, budget: &mut Budget) -> Result<Option<(Op, usize)>, Exhausted> {
    let negated = matches!(chars.get(start), Some('!' | '^'));
    let first = start + usize::from(negated);
    let (mut items, mut any) = (Vec::new(), false);
    let mut at = first;
    while let Some(&next) = chars.get(at) {
        if next == ']' && at > first {
            let op = if any { Op::AnyChar } else { Op::Class(Class { negated, items }) };
            return Ok(Some((op, at + 1)));
        }
        if let ('[', Some(&kind @ (':' | '.' | '='))) = (next, chars.get(at + 1)) {
            if let Some((item, end)) = parse_named(chars, at + 2, kind) {
                any |= item.is_none();
                items.extend(item);
                at = end;
                continue;
            }
            // The search went to the end for nothing; many of these would be quadratic.
            budget.spend(chars.len() - at)?;
        }
        let (low, after_low) = parse_member(chars, at, next);
        at = after_low;
        let mut high = low;
        if let (Some('-'), Some(&next)) = (chars.get(at), chars.get(at + 1).filter(|next| **next != ']')) {
            (high, at) = parse_member(chars, at + 1, next);
        }
        items.push(Item::Range(low, high));
    }
    budget.spend(chars.len().saturating_sub(start))?;
    Ok(None)
}

fn parse_member(chars: &[char], at: usize, first: char) -> (char, usize) {
    match (first, chars.get(at + 1)) {
        ('\\', Some(escaped)) => (*escaped, at + 2),
        _ => (first, at + 1),
    }
}

/// Reads `alpha:]`, `a.]` or `a=]`; no item where it may be any character.
fn parse_named(chars: &[char], start: usize, kind: char) -> Option<(Option<Item>, usize)> {
    let rest = chars.get(start..)?;
    let length = rest.windows(2).position(|pair| pair == [kind, ']'])?;
    let name: String = rest.get(..length)?.iter().collect();
    let item = match (kind, rest.first()) {
        (':', _) => named_class(&name).map(Item::Named),
        ('.', Some(only)) if length == 1 => Some(Item::Range(*only, *only)),
        _ => None,
    };
    Some((item, start + length + 2))
}

fn named_class(name: &str) -> Option<fn(char) -> bool> {
    Some(match name {
        "alpha" => char::is_alphabetic,
        "digit" => |next| next.is_ascii_digit(),
        "alnum" => |next| next.is_alphabetic() || next.is_ascii_digit(),
        "upper" => char::is_uppercase,
        "lower" => char::is_lowercase,
        "space" => char::is_whitespace,
        "blank" => |next| matches!(next, ' ' | '\t'),
        "cntrl" => char::is_control,
        "xdigit" => |next| next.is_ascii_hexdigit(),
        "word" => |next| next.is_alphanumeric() || next == '_',
        // `punct`, `print` and `graph` depend on the locale beyond ASCII.
        _ => return None,
    })
}
