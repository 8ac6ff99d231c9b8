//! The plan as text: snapshots of bwrap's argv and of macOS's profile, and a reader of profiles that judges as the policy does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

use brakeline_sandbox::config::{Config, Entry};
use brakeline_sandbox::plan::{Mount, Plan};
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::seatbelt;
use brakeline_sandbox::tree::{Kind, Tree};
use brakeline_settings::Language;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A file system in memory: directories end in a slash, links name their target.
#[derive(Debug, Default)]
struct Pretended(BTreeMap<PathBuf, Option<PathBuf>>, Vec<PathBuf>);

impl Pretended {
    fn of(paths: &[&str]) -> Self {
        let mut tree = Self::default();
        for path in paths {
            let (path, target) =
                path.split_once(" -> ").map_or((*path, None), |(path, to)| (path, Some(to.into())));
            for folder in Path::new(path).ancestors().skip(1) {
                tree.1.push(folder.to_owned());
            }
            if path.ends_with('/') {
                tree.1.push(Path::new(path).components().collect());
            } else {
                tree.0.insert(path.into(), target);
            }
        }
        tree
    }
}

impl Tree for Pretended {
    fn kind(&self, path: &Path) -> Option<Kind> {
        match self.0.get(path) {
            Some(Some(_)) => Some(Kind::Link),
            Some(None) => Some(Kind::File),
            None => self.1.iter().any(|folder| folder == path).then_some(Kind::Directory),
        }
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        self.0.get(path)?.clone()
    }

    fn names(&self, directory: &Path) -> Vec<(OsString, Kind)> {
        let all = self.0.keys().chain(&self.1).filter(|path| path.parent() == Some(directory));
        let mut names: Vec<_> =
            all.map(|path| (path.file_name().unwrap().to_owned(), self.kind(path).unwrap())).collect();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        names.dedup();
        names
    }

    fn start_of(&self, _: &Path) -> Option<Vec<u8>> {
        None
    }
}

fn example() -> (Pretended, Policy) {
    let tree = Pretended::of(&[
        "/home/ada/.ssh/known_hosts",
        "/home/ada/.ssh/id",
        "/home/ada/.netrc",
        "/src/app/.git/hooks/",
        "/src/app/.git/config",
        "/src/app/secret \"quoted\"/key.pem",
        "/src/app/data -> /srv/data",
        "/srv/data/",
    ]);
    let mut config = Config::default();
    let entries = |texts: &[&str]| texts.iter().map(|text| Entry::new(*text)).collect();
    config.filesystem.deny_read = entries(&["~/.ssh", "~/.netrc", "**/*.pem"]);
    config.filesystem.allow_read = entries(&["~/.ssh/known_hosts"]);
    config.filesystem.allow_write = entries(&[".", "data", "/missing"]);
    config.filesystem.deny_write = entries(&["new/file"]);
    config.network.allowed_domains = entries(&["example.com"]);
    let policy = Policy::new(&config, &Place::of_pi("/src/app", "/home/ada"), &tree).unwrap();
    (tree, policy)
}

#[test]
fn the_argv_of_an_example() {
    let (_, policy) = example();
    let plan = Plan::new(&policy).unwrap();
    let words: Vec<_> = brakeline_sandbox::bwrap::arguments(&plan)
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .map(|word| if word.starts_with("--") { format!("\n{word}") } else { format!(" {word}") })
        .collect();
    insta::assert_snapshot!(words.concat().trim());
    let notes: Vec<_> = policy.notes().iter().map(|note| note.text(Language::En)).collect();
    assert_eq!(
        notes,
        ["`/missing` does not exist, so nothing can be written there; create it first (default)"]
    );
    let placeholders = ["/src/app/.pi", "/src/app/new"].map(PathBuf::from);
    assert_eq!(plan.placeholders, placeholders);
}

#[test]
fn the_profile_of_an_example() {
    let (_, policy) = example();
    insta::assert_snapshot!(seatbelt::profile(&Plan::new(&policy).unwrap(), Some(40_000)));
}

/// Reads a profile back: the rules about paths, in order.
fn rules(profile: &str) -> Vec<(bool, String, String, PathBuf)> {
    let rule = |line: &str| {
        let inner = line.strip_prefix('(')?.strip_suffix("\"))")?;
        let (head, path) = inner.split_once(" (")?;
        let (filter, path) = path.split_once(" \"")?;
        let (verb, operations) = head.split_once(' ')?;
        let path = path.replace("\\\"", "\"").replace("\\\\", "\\");
        Some((verb == "allow", operations.to_owned(), filter.to_owned(), PathBuf::from(path)))
    };
    profile.lines().filter_map(rule).collect()
}

/// Judges as the kernel of macOS does: the last rule that matches.
fn judge(rules: &[(bool, String, String, PathBuf)], operation: &str, path: &Path) -> bool {
    let matches = |(_, operations, filter, of): &&(bool, String, String, PathBuf)| {
        operations.split(' ').any(|one| one == operation)
            && match filter.as_str() {
                "subpath" => path.starts_with(of),
                "literal" => path == of,
                other => panic!("unknown filter {other}"),
            }
    };
    rules.iter().rev().find(matches).is_some_and(|rule| rule.0)
}

fn entry() -> impl Strategy<Value = Entry> {
    "(/|/r|/r/(a|b|c)|/r/(a|b)/(a|b|c)|/r/a/b/(a|c)|/r/\\*|/r/a/\\*\\*/c)".prop_map(Entry::new)
}

proptest! {
    #[test]
    fn a_profile_says_what_the_policy_says(
        lists in proptest::collection::vec(proptest::collection::vec(entry(), 0..4), 4),
        files in proptest::collection::vec("/r/(a|b|c)(/(a|b|c)){0,2}", 0..8),
    ) {
        let mut names: Vec<String> = files.iter().map(|file| format!("{file}/")).collect();
        names.extend(["/r/".to_owned(), "/w/.pi/".to_owned(), "/w/.git/hooks/".to_owned(), "/w/.git/config".to_owned()]);
        let tree = Pretended::of(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut config = Config::default();
        let files = &mut config.filesystem;
        [files.deny_read, files.allow_read, files.deny_write, files.allow_write] = lists.try_into().unwrap();
        files.allow_read.push(Entry::new("/w"));
        let policy = Policy::new(&config, &Place::of_pi("/w", "/h"), &tree).unwrap();
        let plan = Plan::new(&policy).unwrap();
        let rules = rules(&seatbelt::profile(&plan, None));
        for path in tree.1.iter().filter(|path| path.starts_with("/r") || path.starts_with("/w")) {
            prop_assert_eq!(judge(&rules, "file-read*", path), policy.may_read(&tree, path).allowed, "read {:?}", path);
            prop_assert_eq!(judge(&rules, "file-write*", path), policy.may_write(&tree, path).allowed, "write {:?}", path);
        }
        // Parents come before what is in them, and nothing is mounted twice.
        let paths: Vec<_> = plan.mounts.iter().map(Mount::path).collect();
        prop_assert!(paths.is_sorted() && paths.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
