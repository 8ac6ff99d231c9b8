//! Could a pattern expand to a path that a rule forbids?
//!
//! The answer errs to "yes" only: where shells differ (`.*` matching `..`, `**` spanning directories) every reading
//! counts. A component becomes a small automaton that is run on all its states at once, so no pattern takes time that
//! is exponential in its length, and a budget of steps bounds the whole.

mod automaton;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use self::automaton::{Pattern, opens_group};
use crate::lexical::{Component, Origin, Step, is_whole_wildcard};
use crate::set::Case;
use crate::trie::{Position, Trie};

/// Steps of matching that one check may take: some hundredths of a second, and more than any pattern people write
/// needs against thousands of rules.
const MAX_STEPS: usize = 1 << 22;

/// Whether the text has a character that could be a live wildcard.
pub(crate) fn is_wild(text: &str) -> bool {
    let mut rest = text.chars();
    let mut before = None;
    while let Some(next) = rest.next() {
        match next {
            '\\' => drop(rest.next()),
            '*' | '?' | '[' => return true,
            '(' if before.is_some_and(opens_group) => return true,
            _ => {}
        }
        before = (next != '\\').then_some(next);
    }
    false
}

/// The text with its backslash escapes removed; a lone backslash at the end stays.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        plain.push(if next == '\\' { rest.next().unwrap_or(next) } else { next });
    }
    Cow::Owned(plain)
}

/// The pattern that matches the text and nothing else.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    let special = ['*', '?', '[', '\\', '('];
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut pattern = String::with_capacity(text.len() * 2);
    for next in text.chars() {
        if special.contains(&next) {
            pattern.push('\\');
        }
        pattern.push(next);
    }
    Cow::Owned(pattern)
}

/// The budget ran out.
#[derive(Debug)]
pub(crate) struct Exhausted;

#[derive(Debug)]
struct Budget(usize);

impl Budget {
    fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    }
}

/// Follows the steps of a pattern without expanding it: its wildcards lead to where no rule reaches. What is hit even
/// so is hit whatever the pattern expands to.
pub(crate) fn walk<'a>(trie: &Trie, start: Position, steps: impl Iterator<Item = Step<'a>>) -> Position {
    steps.fold(start, |at, step| match step {
        Step::Leave => trie.leave(at),
        Step::Enter(Component { text, origin }) => match origin {
            Origin::Known | Origin::Pattern if is_whole_wildcard(text) => at.past_whole_wildcard(),
            Origin::Known | Origin::Base => trie.enter(at, text),
            Origin::Pattern if is_wild(text) => at.past(),
            Origin::Pattern => trie.enter(at, &unescaped(text)),
        },
    })
}

/// Returns the first rule that an expansion of the pattern could hit.
///
/// `lexical` says whether names that turn out to be `.` or `..` are resolved.
pub(crate) fn reach<'a>(
    trie: &Trie,
    start: Position,
    steps: impl Iterator<Item = Step<'a>>,
    lexical: bool,
) -> Result<Option<usize>, Exhausted> {
    let mut budget = Budget(MAX_STEPS);
    let parts = parts(steps, trie.case(), lexical, &mut budget)?;
    let mut leaves = parts.iter().filter(|part| part.can_leave()).count();
    let mut current = vec![start];
    for part in &parts {
        leaves -= usize::from(part.can_leave());
        let mut next = Vec::new();
        for at in current {
            budget.spend(1)?;
            part.follow(trie, at, leaves, &mut next, &mut budget)?;
        }
        // What is left is sorted.
        budget.spend(4 * next.len())?;
        current = next.into_iter().filter_map(|at| trie.settle(at, leaves)).collect();
        current.sort_unstable();
        current.dedup();
    }
    Ok(current.into_iter().filter_map(|at| trie.rule_at(at)).min())
}

/// One step of a pattern, ready to be followed from many places.
#[derive(Debug)]
enum Part<'a> {
    Name(Cow<'a, str>),
    Leave,
    Wild {
        pattern: Pattern,
        whole: bool,
        /// Whether it can match `.` and `..`; older shells expand `.*` to these.
        dot: bool,
        dot_dot: bool,
    },
    /// `**`: any number of components, as under `globstar`; without that it is `*`, which this includes.
    Globstar,
}

fn parts<'a>(
    steps: impl Iterator<Item = Step<'a>>,
    case: Case,
    lexical: bool,
    budget: &mut Budget,
) -> Result<Vec<Part<'a>>, Exhausted> {
    let mut parts = Vec::new();
    for step in steps {
        let part = match step {
            Step::Leave => Part::Leave,
            Step::Enter(Component { text, origin: Origin::Known | Origin::Base }) => Part::Name(text.into()),
            // A second `**` adds nothing.
            Step::Enter(Component { text: "**", .. }) if matches!(parts.last(), Some(Part::Globstar)) => {
                continue;
            }
            Step::Enter(Component { text: "**", .. }) => Part::Globstar,
            Step::Enter(Component { text, .. }) if !is_wild(text) => Part::Name(unescaped(text)),
            Step::Enter(Component { text, .. }) => {
                let pattern = Pattern::new(text, case, budget)?;
                let dot = lexical && pattern.matches(".", budget)?;
                let dot_dot = lexical && pattern.matches("..", budget)?;
                Part::Wild { pattern, whole: is_whole_wildcard(text), dot, dot_dot }
            }
        };
        parts.push(part);
    }
    Ok(parts)
}

impl Part<'_> {
    fn can_leave(&self) -> bool {
        matches!(self, Self::Leave | Self::Wild { dot_dot: true, .. })
    }

    /// Adds every place to which this part can lead from `at`.
    fn follow(
        &self,
        trie: &Trie,
        at: Position,
        leaves: usize,
        next: &mut Vec<Position>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        match self {
            Self::Name(name) => next.push(trie.enter(at, name)),
            Self::Leave => next.push(trie.leave(at)),
            Self::Wild { pattern, whole, dot, dot_dot } => {
                for (child, name) in trie.children(at) {
                    budget.spend(1)?;
                    let matches = if *whole { is_visible(name) } else { pattern.matches(name, budget)? };
                    if matches {
                        next.push(child);
                    }
                }
                next.push(if *whole { at.past_whole_wildcard() } else { at.past() });
                next.extend(dot.then_some(at));
                next.extend(dot_dot.then(|| trie.leave(at)));
            }
            Self::Globstar => {
                next.push(at.past_whole_wildcard());
                let mut open = vec![at];
                while let Some(at) = open.pop() {
                    budget.spend(1)?;
                    // No more than `leaves` components off the tree can be taken back.
                    let mut off = at;
                    for _ in 0..=leaves {
                        budget.spend(1)?;
                        next.push(off);
                        off = off.past();
                    }
                    open.extend(
                        trie.children(at).filter(|(_, name)| is_visible(name)).map(|(child, _)| child),
                    );
                }
            }
        }
        Ok(())
    }
}

/// Whether a whole `*` matches the name.
fn is_visible(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.')
}
