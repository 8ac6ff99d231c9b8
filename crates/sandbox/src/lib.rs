#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod config;

pub mod domain;
#[expect(dead_code, reason = "what finds the files of a pattern follows")]
pub mod glob;

mod text;
