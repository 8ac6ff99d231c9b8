#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod rule;

mod set;

mod candidate;

mod lexical;

mod trie;

mod glob;

pub use candidate::{Candidate, Unresolved};
pub use rule::{Rule, RuleError, RuleErrorKind};
pub use set::{Case, Certainty, Hit, Mode, RuleSet, RuleSetBuilder, Verdict};
