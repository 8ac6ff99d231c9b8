//! Any output of a command: what is told of it is refused by the policy, fits on a line, and is told once.

#![no_main]

use brakeline_sandbox::complaint::refused;
use brakeline_sandbox::config::{Config, Entry};
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::tree::{Kind, Tree};
use brakeline_settings::Language;
use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Directories all the way down; names with a dot are files.
struct Pretended;

impl Tree for Pretended {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let has_dot = |name: &std::ffi::OsStr| name.as_encoded_bytes().contains(&b'.');
        Some(if path.file_name().is_some_and(has_dot) { Kind::File } else { Kind::Directory })
    }

    fn link_target(&self, _: &Path) -> Option<PathBuf> {
        None
    }

    fn names(&self, _: &Path) -> Vec<(OsString, Kind)> {
        Vec::new()
    }

    fn start_of(&self, _: &Path) -> Option<Vec<u8>> {
        None
    }
}

fuzz_target!(|output: &str| {
    let mut config = Config::default();
    config.filesystem.deny_read.push(Entry::new(".env"));
    config.filesystem.deny_write.push(Entry::new("keep"));
    let policy = Policy::new(&config, &Place::of_pi("/src/app", "/home/ada"), &Pretended).unwrap();
    let told = refused(output, &policy, &Pretended);
    assert!(told.len() <= 8);
    for (at, verdict) in told.iter().enumerate() {
        assert!(!verdict.allowed);
        assert!(!verdict.text(Language::En).contains('\n') && !verdict.text(Language::ZhCn).contains('\n'));
        assert!(told.iter().take(at).all(|before| before != verdict), "told twice");
    }
});
