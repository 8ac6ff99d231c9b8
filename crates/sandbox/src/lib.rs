#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod config;

pub mod plan;
pub mod policy;
pub mod verdict;

#[cfg(target_os = "linux")]
pub mod bwrap;
pub mod seatbelt;

pub mod network;
pub mod proxy;

pub mod complaint;
pub mod diagnose;
#[cfg(target_os = "linux")]
pub mod helper;
#[cfg(target_os = "linux")]
pub mod run;
#[cfg(target_os = "linux")]
pub mod self_test;
pub mod wrap;

pub mod address;
pub mod domain;
pub mod glob;
pub mod protect;
pub mod tree;

mod expand;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod inherited;
#[cfg(target_os = "linux")]
mod journal;
#[cfg(target_os = "linux")]
mod listener;
mod location;
mod text;
