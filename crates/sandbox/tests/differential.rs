//! The verdict inside the process is what bubblewrap does: forests of random trees and lists, every path asked both ways.
//!
//! `SANDBOX_FORESTS` sets how many forests are grown (30 trees each), `SANDBOX_SEED` the first seed.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]
#![cfg(target_os = "linux")]

use brakeline_sandbox::bwrap;
use brakeline_sandbox::config::{Config, Entry};
use brakeline_sandbox::plan::Plan;
use brakeline_sandbox::policy::{Place, Policy};
use brakeline_sandbox::tree::HostTree;
use brakeline_sandbox::verdict::Reason;
use brakeline_settings::Language;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const TREES: usize = 30;

/// A small generator: the same seed gives the same forest on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// Everything of one tree that can be asked about, whether it exists or not.
fn paths(root: &Path) -> Vec<PathBuf> {
    let names = ["a", "b", "c.key"];
    let mut all = vec![root.to_owned()];
    for one in names {
        all.push(root.join(one));
        for two in names {
            all.push(root.join(one).join(two));
            all.extend(names.map(|three| root.join(one).join(two).join(three)));
        }
    }
    all.push(root.join("a/../b"));
    all.push(root.join("a/b/../../c.key"));
    all
}

fn grow(dice: &mut Dice, root: &Path, depth: usize) {
    fs::create_dir_all(root).unwrap();
    for name in ["a", "b", "c.key"] {
        let path = root.join(name);
        match dice.roll(10) {
            0..=3 if depth < 2 => grow(dice, &path, depth + 1),
            0..=3 => fs::create_dir(&path).unwrap(),
            4..=6 => fs::write(&path, "content").unwrap(),
            7 => {
                let target =
                    dice.pick(&["a", "b", "../a", "../b/c.key", "c.key", "a/b", "nowhere", "../../b", "."]);
                symlink(target, &path).unwrap();
            }
            8 => {
                let mut tree = root;
                for _ in 0..depth {
                    tree = tree.parent().unwrap();
                }
                symlink(tree.join(dice.pick(&["a", "b", "a/b", "b/c.key", "new"])), &path).unwrap();
            }
            _ => {}
        }
    }
}

fn lists(dice: &mut Dice, root: &Path, config: &mut Config) {
    let entry = |dice: &mut Dice| {
        let path = dice.pick(&[
            "",
            "a",
            "b",
            "c.key",
            "a/a",
            "a/b",
            "b/a",
            "b/c.key",
            "a/b/c.key",
            "a/a/a",
            "new",
            "a/new",
            "a/new/deep",
            "*.key",
            "a/*",
            "**/c.key",
            "b/**",
            "a/../b",
            "*/b/*",
        ]);
        Entry::new(root.join(path).to_string_lossy())
    };
    let files = &mut config.filesystem;
    if dice.roll(3) > 0 {
        files.allow_write.push(Entry::new(root.to_string_lossy()));
    }
    for (list, most) in [
        (&mut files.allow_write, 2),
        (&mut files.deny_write, 3),
        (&mut files.deny_read, 3),
        (&mut files.allow_read, 3),
    ] {
        for _ in 0..dice.roll(most) {
            list.push(entry(dice));
        }
    }
}

/// Asks bubblewrap about every path: one line each, `read write`, in which a missing file counts as not read.
fn ask_bwrap(plan: &Plan, probes: &[PathBuf], folder: &Path, user: Option<u32>) -> Vec<(bool, bool)> {
    // A file is opened; in a directory something is made. What the probe made, it takes away again.
    let script = r#"
        while IFS= read -r -d '' p; do
            if { : < "$p"; } 2>/dev/null; then printf 1; else printf 0; fi
            if [ -d "$p" ]; then
                if { : > "$p/.probe"; } 2>/dev/null; then printf '1\n'; rm "$p/.probe"; else printf '0\n'; fi
            elif [ -e "$p" ]; then
                if { : >> "$p"; } 2>/dev/null; then printf '1\n'; else printf '0\n'; fi
            else
                if { : > "$p"; } 2>/dev/null; then printf '1\n'; rm "$(readlink -f "$p")"; else printf '0\n'; fi
            fi
        done < "$0"
    "#;
    let list = folder.join("probes");
    let mut bytes = Vec::new();
    for probe in probes {
        bytes.extend_from_slice(probe.as_os_str().as_encoded_bytes());
        bytes.push(0);
    }
    fs::write(&list, bytes).unwrap();
    let mut command = match user {
        None => Command::new("bwrap"),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()]);
            command.arg("bwrap");
            command
        }
    };
    let output =
        command.args(bwrap::arguments(plan)).args(["--", "bash", "-c", script]).arg(&list).output().unwrap();
    // Nothing is left to say: what the probes are refused is not shown.
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| (line.starts_with('1'), line.ends_with('1'))).collect()
}

/// Grows a forest and returns how many paths were asked about.
fn compare(seed: u64, user: Option<u32>) -> usize {
    let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    let (cwd, home) = (base.join("cwd"), base.join("home"));
    for folder in [&cwd, &home] {
        fs::create_dir_all(folder.join(".pi")).unwrap();
    }
    let mut config = Config::default();
    let mut probes = Vec::new();
    for number in 0..TREES {
        let root = base.join(format!("t{number}"));
        grow(dice, &root, 0);
        lists(dice, &root, &mut config);
        probes.extend(paths(&root));
    }
    if let Some(user) = user {
        let status = Command::new("chown").arg("-hR").arg(user.to_string()).arg(&base).status().unwrap();
        assert!(status.success());
    }
    let place = Place { cwd, start: None, home: home.clone(), state: home.join("state"), protected: vec![] };
    let policy = Policy::new(&config, &place, &HostTree).unwrap();
    let plan = Plan::new(&policy).unwrap();
    for path in &plan.placeholders {
        DirBuilder::new().mode(0o555).create(path).unwrap();
    }
    // Inside, a placeholder is an empty directory.
    let present: Vec<(bool, bool)> =
        probes.iter().map(|probe| (probe.exists(), can_be_made(probe))).collect();
    let answers = ask_bwrap(&plan, &probes, &base, user);
    for path in &plan.placeholders {
        fs::remove_dir(path).unwrap();
    }
    assert_eq!(answers.len(), probes.len());
    let mut wrong = String::new();
    for ((probe, (exists, can_be_made)), (was_read, was_written)) in probes.iter().zip(present).zip(answers) {
        let (read, write) = (policy.may_read(&HostTree, probe), policy.may_write(&HostTree, probe));
        // To read the empty placeholder of a name that is hidden, too, tells nothing.
        let is_empty = plan.placeholders.contains(&read.path) && !read.allowed;
        if was_read != (read.allowed && exists) && !is_empty {
            writeln!(wrong, "{}: read {was_read}, but {}", probe.display(), read.text(Language::En)).unwrap();
        }
        // A pattern also denies names that come later; mounts know only those that were there.
        let is_of_later = !exists && is_pattern(&write.reason);
        if is_of_later {
            assert!(!write.allowed);
        } else if was_written != (write.allowed && can_be_made) {
            writeln!(wrong, "{}: written {was_written}, but {}", probe.display(), write.text(Language::En))
                .unwrap();
        }
    }
    assert!(wrong.is_empty(), "seed {seed}, user {user:?}:\n{wrong}\n{config:#?}\n{plan:#?}");
    probes.len()
}

fn is_pattern(reason: &Reason) -> bool {
    matches!(reason, Reason::Hidden(entry) | Reason::Denied(entry) if entry.text.contains('*'))
}

/// Whether a file system without a sandbox would let it be written: what exists, or what has a folder to be made in.
fn can_be_made(path: &Path) -> bool {
    if path.exists() {
        return true;
    }
    let mut path = path.to_owned();
    // Through links that lead nowhere, the file is made where they lead.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap().join(target),
            Err(_) => return path.parent().is_some_and(Path::is_dir) && !path.ends_with(".."),
        }
    }
    false
}

#[test]
fn the_verdict_is_what_bwrap_does() {
    let forests = std::env::var("SANDBOX_FORESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(4_u64);
    let first = std::env::var("SANDBOX_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    let is_root =
        fs::metadata("/proc/self").map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata)).unwrap()
            == 0;
    let mut asked = 0;
    for seed in first..first + forests {
        asked += compare(seed, None);
        if is_root {
            asked += compare(seed, Some(61_184));
        }
    }
    let users: BTreeSet<&str> = if is_root { ["root", "a user"].into() } else { ["a user"].into() };
    println!("{asked} paths in {} trees as {users:?}", forests as usize * TREES * users.len());
    assert!(asked > 0);
}
