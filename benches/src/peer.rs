//! Other programs that read bash, each as a function from a text to a number that cannot be optimised away.

use bash_commands::{Analyzer, Options};
use std::cell::RefCell;
use std::ops::Range;

/// One way to read bash text.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The name in tables.
    pub name: &'static str,
    /// Reads a text; returns how many commands, nodes or words it saw, 0 when it refused.
    pub read: fn(&str) -> usize,
}

/// The whole analysis of `bash-commands`.
pub const OURS: Peer = Peer { name: "bash-commands", read: bash_commands };

/// Ours first, then the others. Only `shlex` does not parse: it splits words and is the yardstick.
pub const PEERS: &[Peer] = &[
    OURS,
    Peer { name: "tree-sitter-bash", read: tree_sitter_bash },
    Peer { name: "brush-parser", read: brush_parser },
    Peer { name: "rable", read: rable },
    Peer { name: "shlex", read: shlex },
];

/// Returns the peer of a name.
#[must_use]
pub fn named(name: &str) -> Option<Peer> {
    PEERS.iter().find(|peer| peer.name == name).copied()
}

/// The whole analysis, in an analyzer that is kept, as a host keeps one.
fn bash_commands(text: &str) -> usize {
    thread_local!(static ANALYZER: RefCell<Analyzer> = RefCell::default());
    ANALYZER.with_borrow_mut(|analyzer| analyzer.analyze(text, &Options::default()).commands().len())
}

/// A parse, in a parser that is kept, and a walk that collects every command with its words as they are written: the least
/// that a guard needs of a tree, before it unquotes, expands, and looks behind wrappers.
fn tree_sitter_bash(text: &str) -> usize {
    thread_local!(static PARSER: RefCell<tree_sitter::Parser> = RefCell::new({
        let mut parser = tree_sitter::Parser::new();
        // A grammar that does not fit the library leaves a parser that reads nothing, which the bench would show.
        let _ = parser.set_language(&tree_sitter_bash::LANGUAGE.into());
        parser
    }));
    let Some(tree) = PARSER.with_borrow_mut(|parser| parser.parse(text, None)) else { return 0 };
    let mut commands: Vec<(Range<usize>, Vec<&str>)> = Vec::new();
    // Commands stand inside each other: a word belongs to the innermost one that has not ended.
    let mut open: Vec<usize> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let range = node.byte_range();
        while open.last().is_some_and(|at| commands.get(*at).is_none_or(|(own, _)| range.start >= own.end)) {
            open.pop();
        }
        if node.kind() == "command" {
            open.push(commands.len());
            commands.push((range, Vec::new()));
        } else if (node.kind() == "command_name" || cursor.field_name() == Some("argument"))
            && let Some((_, words)) = open.last().and_then(|at| commands.get_mut(*at))
        {
            words.push(text.get(range).unwrap_or_default());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return std::hint::black_box(commands).iter().map(|(_, words)| words.len()).sum();
            }
        }
    }
}

fn brush_parser(text: &str) -> usize {
    // From a reader: the entry that takes text keeps a cache, which a bench must not measure.
    let mut parser = brush_parser::Parser::new(text.as_bytes(), &brush_parser::ParserOptions::default());
    parser.parse_program().map_or(0, |program| std::hint::black_box(program).complete_commands.len())
}

fn rable(text: &str) -> usize {
    rable::parse(text, false).map_or(0, |nodes| std::hint::black_box(nodes).len())
}

fn shlex(text: &str) -> usize {
    shlex::split(text).map_or(0, |words| std::hint::black_box(words).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_for_words_finds_every_word() {
        assert_eq!(tree_sitter_bash("sudo find / -name \"$(pwd)\" | wc -l >log; f() { ls -a; }"), 10);
    }

    #[test]
    fn every_peer_reads_an_ordinary_command() {
        for peer in PEERS {
            assert!((peer.read)(crate::input::SHORT) > 0, "{}", peer.name);
        }
    }
}
