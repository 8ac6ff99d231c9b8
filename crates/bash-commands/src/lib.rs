#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod analyzer;
mod options;
mod report;
mod span;

// The text, read.
mod arena;
mod cursor;
mod issue;
mod joined;
mod parse;
mod reader;
mod scan;
mod syntax;

// What it does when it is run.
mod branch;
mod builtin;
mod command;
mod compound;
mod condition;
mod directory;
mod emission;
mod evaluate;
mod expand;
mod finder;
mod function;
mod list;
mod loops;
mod nested;
mod output;
mod parameter;
mod state;
mod store;
mod structure;
mod substitution;
mod variables;

// Commands that start other commands.
mod argv;
pub mod find_expression;
mod peel;
mod shells;
mod wrappers;

// Pure text functions of bash.
mod arithmetic;
mod brace;
mod escape;
mod matching;
mod pattern;
mod printf;
mod quote;
#[cfg(test)]
mod real_bash;
mod regex;
mod split;
mod test_command;
#[cfg(test)]
mod text_laws;
mod text_tools;

pub use analyzer::Analyzer;
pub use argv::{Argument, Arguments};
pub use issue::{Construct, SyntaxError, SyntaxErrorKind};
pub use options::Options;
pub use report::{
    Assignment, Caller, Command, Directory, Incomplete, IncompleteReason, Kind, Reason, Redirection,
    RedirectionKind, Report, Via, Word,
};
pub use span::Span;
pub use structure::{Structure, StructureKind};
