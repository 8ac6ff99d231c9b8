//! Inputs and peers that the benches share.

pub mod input;
pub mod pathological;
pub mod peer;
pub mod record;
