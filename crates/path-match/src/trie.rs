//! All rules as one tree of components, so that a check costs the path's depth and not the number of rules.
//!
//! ```text
//! rules /, /etc, /home/u/.ssh
//!
//!          root (rule /)
//!          /          \
//!   etc (rule /etc)   home
//!                       \
//!                        u
//!                         \
//!                          .ssh (rule /home/u/.ssh)
//! ```

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::set::Case;

pub(crate) type NodeId = usize;

/// The start of absolute paths.
pub(crate) const ROOT: NodeId = 0;

/// The start of paths without a leading slash, which *as written* mode compares too.
pub(crate) const RELATIVE: NodeId = 1;

/// Where a walk through the tree stands: at a node, or some components below one, where the tree has nothing.
///
/// Below the root the leading whole wildcards are counted apart: a path that is nothing but these is the root, and
/// whether it is can only be told at its end, once every `..` is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    node: NodeId,
    // INVARIANT: not zero only at ROOT.
    stars: usize,
    beyond: usize,
}

impl Position {
    pub(crate) fn start(absolute: bool) -> Self {
        Self { node: if absolute { ROOT } else { RELATIVE }, stars: 0, beyond: 0 }
    }

    /// One component further, to where no rule reaches.
    pub(crate) fn past(self) -> Self {
        Self { beyond: self.beyond + 1, ..self }
    }

    /// One component further by a whole `*` or `**`.
    pub(crate) fn past_whole_wildcard(self) -> Self {
        if self.node == ROOT && self.beyond == 0 {
            return Self { stars: self.stars + 1, ..self };
        }
        self.past()
    }

    fn is_at_node(self) -> bool {
        self.stars == 0 && self.beyond == 0
    }
}

#[derive(Debug, Clone)]
struct Node {
    name: Box<str>,
    parent: NodeId,
    /// The lowest index of the rules that end here.
    rule: Option<usize>,
    first_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
}

#[derive(Debug, Clone)]
pub(crate) struct Trie {
    case: Case,
    nodes: Vec<Node>,
    /// A hash table with linear probing from (parent, name) to the node; at most half full. `core` and `alloc` have no
    /// hash map, and a search among sorted siblings would grow with the number of rules.
    slots: Vec<Option<NodeId>>,
}

impl Trie {
    pub(crate) fn new(case: Case) -> Self {
        let start = |node| Node {
            name: Box::default(),
            parent: node,
            rule: None,
            first_child: None,
            next_sibling: None,
        };
        Self { case, nodes: vec![start(ROOT), start(RELATIVE)], slots: vec![None; 8] }
    }

    /// Adds a rule. A rule that ends where another does is kept only if it comes first, so add in order.
    pub(crate) fn insert<'a>(
        &mut self,
        absolute: bool,
        names: impl IntoIterator<Item = &'a str>,
        rule: usize,
    ) {
        let mut node = Position::start(absolute).node;
        for name in names {
            node = match self.child(node, name) {
                Some(child) => child,
                None => self.push_child(node, name),
            };
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.rule.get_or_insert(rule);
        }
    }

    /// Goes into the directory `name`.
    ///
    /// A node with a rule is never left downwards: all below it is hit, and the outermost rule is the one to report.
    pub(crate) fn enter(&self, at: Position, name: &str) -> Position {
        if at.is_at_node()
            && !self.is_covered(at.node)
            && let Some(node) = self.child(at.node, name)
        {
            return Position { node, ..at };
        }
        at.past()
    }

    /// Goes to the parent directory; that of the root is the root.
    pub(crate) fn leave(&self, at: Position) -> Position {
        if at.beyond > 0 {
            return Position { beyond: at.beyond - 1, ..at };
        }
        if at.stars > 0 {
            return Position { stars: at.stars - 1, ..at };
        }
        Position { node: self.nodes.get(at.node).map_or(ROOT, |node| node.parent), ..at }
    }

    /// Returns the rule that is hit by a path that ends here. The rule `/` is the root itself, not what is below it.
    pub(crate) fn rule_at(&self, at: Position) -> Option<usize> {
        let rule = self.nodes.get(at.node)?.rule;
        rule.filter(|_| at.node != ROOT || at.beyond == 0)
    }

    /// Forgets differences that no longer matter when a path can leave at most `leaves` more directories. Returns
    /// nothing where a path can no longer hit.
    pub(crate) fn settle(&self, at: Position, leaves: usize) -> Option<Position> {
        if at.beyond > leaves && !self.is_covered(at.node) {
            return None;
        }
        let most = leaves + 1;
        Some(Position { node: at.node, stars: at.stars.min(most), beyond: at.beyond.min(most) })
    }

    /// The nodes one component further, with their names.
    pub(crate) fn children(&self, at: Position) -> impl Iterator<Item = (Position, &str)> {
        let open = at.is_at_node() && !self.is_covered(at.node);
        let mut next = self.nodes.get(at.node).filter(|_| open).and_then(|node| node.first_child);
        core::iter::from_fn(move || {
            let id = next?;
            let node = self.nodes.get(id)?;
            next = node.next_sibling;
            Some((Position { node: id, ..at }, &*node.name))
        })
    }

    /// Returns how names are compared.
    pub(crate) fn case(&self) -> Case {
        self.case
    }

    /// Whether everything under the node is hit.
    fn is_covered(&self, node: NodeId) -> bool {
        node != ROOT && self.nodes.get(node).is_some_and(|node| node.rule.is_some())
    }

    fn child(&self, parent: NodeId, name: &str) -> Option<NodeId> {
        self.probe(parent, name).find_map(|slot| {
            let id = self.slots.get(slot).copied().flatten()?;
            let node = self.nodes.get(id)?;
            (node.parent == parent && self.case.eq(&node.name, name)).then_some(id)
        })
    }

    fn push_child(&mut self, parent: NodeId, name: &str) -> NodeId {
        let id = self.nodes.len();
        let next_sibling = self.nodes.get_mut(parent).and_then(|parent| parent.first_child.replace(id));
        self.nodes.push(Node { name: name.into(), parent, rule: None, first_child: None, next_sibling });
        if self.nodes.len() * 2 > self.slots.len() {
            self.slots = vec![None; self.slots.len() * 2];
            (RELATIVE + 1..self.nodes.len()).for_each(|id| self.index(id));
        } else {
            self.index(id);
        }
        id
    }

    /// Puts a node into the hash table.
    fn index(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get(id) else { return };
        let free = self.probe_all(node.parent, &node.name).find(|slot| self.slots.get(*slot) == Some(&None));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = Some(id);
        }
    }

    /// The used slots in which a child may be, up to the first free one.
    fn probe(&self, parent: NodeId, name: &str) -> impl Iterator<Item = usize> {
        self.probe_all(parent, name).take_while(|slot| self.slots.get(*slot).is_some_and(Option::is_some))
    }

    fn probe_all(&self, parent: NodeId, name: &str) -> impl Iterator<Item = usize> + use<> {
        // The number of slots is a power of two.
        let mask = self.slots.len() - 1;
        let first = self.case.hash(parent, name);
        (0..=mask).map(move |nth| first.wrapping_add(nth) & mask)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::{Case, ROOT, Trie};

    /// The mean number of slots looked at stays the same when there are hundreds of times as many rules, both for names
    /// that are there and for names that are not.
    #[test]
    fn a_look_up_does_not_cost_more_with_more_rules() {
        for case in [Case::Sensitive, Case::Folded] {
            for count in [100_usize, 30_000] {
                let mut trie = Trie::new(case);
                for nth in 0..count {
                    trie.insert(true, [format!("project{nth}").as_str(), "secret"], nth);
                }
                assert!(trie.nodes.len() * 2 <= trie.slots.len());
                let slots = |name: &str| trie.probe(ROOT, name).count();
                for kind in ["project", "other"] {
                    let looked_at: usize = (0..count).map(|nth| slots(&format!("{kind}{nth}"))).sum();
                    assert!(looked_at < 4 * count, "{looked_at} for {count} of {kind}");
                }
            }
        }
    }
}
