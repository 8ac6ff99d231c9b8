//! See the README.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod argv;
pub mod find_expression;
mod peel;
mod shells;
mod wrappers;
mod span;
mod syntax;

pub use span::Span;
pub use argv::{Argument, Arguments};
