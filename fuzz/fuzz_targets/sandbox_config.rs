//! Any bytes as `sandbox.json`: an error points into the file; what is read gives a policy that contradicts itself nowhere, and a
//! plan whose steps come in order.

#![no_main]

use brakeline_sandbox::config::Config;
use brakeline_sandbox::plan::{Mount, Plan};
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::tree::{Kind, Tree};
use brakeline_settings::{Layer, Layers, Source};
use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A file system that follows from the names alone: directories down to a depth, some names that are not there, some links.
struct Pretended;

impl Tree for Pretended {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let last = path.as_os_str().as_encoded_bytes().last().copied().unwrap_or_default();
        match (path.components().count(), last) {
            (0..=3, _) => Some(Kind::Directory),
            (_, b'x' | b'/') => None,
            (_, b'l') => Some(Kind::Link),
            (4..=6, _) => Some(Kind::Directory),
            _ => Some(Kind::File),
        }
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        Some(PathBuf::from("..").join(path.file_name()?.to_str()?.trim_end_matches('l')))
    }

    fn names(&self, directory: &Path) -> Vec<(OsString, Kind)> {
        let names = ["a", "b.pem", ".env"].map(OsString::from);
        names.into_iter().filter_map(|name| Some((name.clone(), self.kind(&directory.join(name))?))).collect()
    }

    fn start_of(&self, _: &Path) -> Option<Vec<u8>> {
        Some(b"gitdir: ../main/.git".to_vec())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(layer) = Layer::parse(Source::Project, "sandbox.json", bytes) else { return };
    let config = match Config::from_layers(&Layers::new([layer])) {
        Ok(config) => config,
        Err(error) => {
            assert!(error.position().is_none_or(|position| position.offset <= bytes.len()));
            assert!(!error.to_string().contains('\n'));
            return;
        }
    };
    let tree = &Pretended;
    let place = Place::of_pi("/home/ada/app", "/home/ada");
    let Ok(policy) = Policy::new(&config, &place, tree) else { return };
    let files = &config.filesystem;
    for entry in
        [&files.deny_read, &files.allow_read, &files.deny_write, &files.allow_write].into_iter().flatten()
    {
        let path = Path::new(&entry.text);
        let (read, write) = (policy.may_read(tree, path), policy.may_write(tree, path));
        // What a `denyRead` names and does not exist may be made: there is nothing to hide yet.
        let is_missing = tree.kind(&read.path).is_none()
            || read.path.ancestors().skip(1).any(|parent| tree.kind(parent) != Some(Kind::Directory));
        assert!(!write.allowed || read.allowed || is_missing || path.starts_with("/dev"), "written unread");
    }
    let protected = policy.may_write(tree, Path::new(".pi/sandbox.json"));
    assert!(!protected.allowed, "its own configuration");
    if let Ok(plan) = Plan::new(&policy) {
        let paths: Vec<_> = plan.mounts.iter().map(Mount::path).collect();
        assert!(paths.is_sorted(), "parents first");
        assert!(plan.placeholders.iter().all(|path| paths.contains(&path.as_path())));
    }
});
