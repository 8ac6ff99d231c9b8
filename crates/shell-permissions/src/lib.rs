#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

// Rules.
mod code_options;
mod pattern;
mod policy;
mod specificity;

// What is judged.
mod redirection;
mod surroundings;
mod word;

// The judgement.
mod judge;
mod text;
mod verdict;

mod lint;

pub use lint::{Finding, FindingKind};
pub use pattern::{Match, Mismatch, Pattern, PatternError};
pub use policy::{Action, Options, Policy, Rule};
pub use redirection::{Access, AllFiles, FileRule, Files, NoFiles, Target};
pub use specificity::Specificity;
pub use text::Language;
pub use verdict::{Admission, Cause, Judgement, Near, Open, Refusal, TargetCause, Verdict};
pub use word::Word;
