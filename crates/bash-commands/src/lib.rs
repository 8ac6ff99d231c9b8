//! See the README.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod span;
mod syntax;

pub use span::Span;
