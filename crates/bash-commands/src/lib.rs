//! See the README.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod cursor;
mod issue;
mod parse;
mod scan;
mod argv;
pub mod find_expression;
mod peel;
mod shells;
mod wrappers;
mod span;
mod syntax;

// Pure text functions of bash.
mod arithmetic;
mod brace;
mod escape;
mod pattern;
mod printf;
mod quote;
mod regex;
mod split;
mod test_command;
mod text_tools;
#[cfg(test)]
mod real_bash;

pub use issue::{Construct, SyntaxError, SyntaxErrorKind};
pub use span::Span;
pub use argv::{Argument, Arguments};
