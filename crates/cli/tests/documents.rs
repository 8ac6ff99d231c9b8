//! What the documents show is what the program prints: each `console` block of the workspace's Markdown is run.
//!
//! A line that starts with `$ ` is given to bash, and the lines up to the next one are what it prints, standard error
//! included. `/home/ada` stands for the home directory, `/home/ada/project` for the working directory, which is fresh for each
//! document, and `…` for any text within a line. A block that must not run here is marked `text` instead.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests may stop at the first surprise"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

const HOME: &str = "/home/ada";

/// A command of a document and what the document says that it prints.
#[derive(Debug, PartialEq)]
struct Shown {
    command: String,
    output: String,
}

/// Returns the commands of a document, in order.
fn shown(document: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            shown.push(Shown { command: command.to_owned(), output: String::new() });
        } else if let Some(last) = shown.last_mut().filter(|_| inside) {
            // A command goes on in the next line as it does in a terminal.
            if let Some(more) = line.strip_prefix("> ") {
                last.command = format!("{}\n{more}", last.command);
            } else {
                last.output.extend([line, "\n"]);
            }
        }
    }
    shown
}

/// Returns the Markdown files that show commands, with the folder of the workspace in front.
fn documents(root: &Path) -> Vec<PathBuf> {
    let folders = ["", "docs", "crates/cli"].map(|folder| root.join(folder));
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten())
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .filter(|file| fs::read_to_string(file).unwrap().contains("```console"))
        .collect();
    files.sort();
    files
}

/// A home directory with a project in it, and the program under the names that documents call it by.
struct Stage {
    root: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let stage = Self { root };
        fs::create_dir_all(stage.path("project")).unwrap();
        let programs = stage.root.path().join("bin");
        fs::create_dir(&programs).unwrap();
        let program = env!("CARGO_BIN_EXE_brakeline");
        std::os::unix::fs::symlink(program, programs.join("brakeline")).unwrap();
        // The commands of the workspace's README build the program first; it is built already.
        let cargo = r#"#!/bin/sh
case "$*" in "run -q -p brakeline-cli -- "*) shift 5; exec brakeline "$@" ;; *) exit 64 ;; esac
"#;
        fs::write(programs.join("cargo"), cargo).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(programs.join("cargo"), executable).unwrap();
        stage
    }

    fn path(&self, below_home: &str) -> PathBuf {
        self.root.path().join("home/ada").join(below_home)
    }

    /// Returns what bash prints for a command, with the home directory as documents write it.
    fn run(&self, command: &str) -> String {
        let home = self.path("");
        let home = home.to_str().unwrap().trim_end_matches('/');
        let path = format!("{}/bin:{}", self.root.path().display(), env::var("PATH").unwrap());
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{}", command.replace(HOME, home))])
            .current_dir(self.path("project"))
            .env_clear()
            .envs([("HOME", home), ("PATH", path.as_str()), ("LANG", "C.UTF-8")])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().replace(home, HOME)
    }
}

/// Returns whether a text is the one that a document shows.
fn is_as_shown(printed: &str, shown: &str) -> bool {
    let lines = || printed.lines().zip(shown.lines());
    printed.lines().count() == shown.lines().count()
        && lines().all(|(printed, shown)| is_line(printed, shown))
}

fn is_line(printed: &str, shown: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return printed == shown };
    let Some(mut left) = printed.strip_prefix(start) else { return false };
    let mut parts = rest.split('…').peekable();
    while let Some(part) = parts.next() {
        let found = if parts.peek().is_none() { left.rsplit_once(part) } else { left.split_once(part) };
        let Some((_, behind)) = found else { return false };
        left = behind;
    }
    left.is_empty()
}

#[test]
fn dots_stand_for_any_text_within_a_line() {
    for (printed, shown, is_shown) in [
        ("a b c", "a b c", true),
        ("a b c", "a b", false),
        ("a b c", "a … c", true),
        ("a b c", "a …", true),
        ("a b c", "… b …", true),
        ("a b c", "a … d", false),
        ("a b c", "b …", false),
        ("a c c", "… c", true),
        ("a\nb", "…", false),
        ("a\nb", "a\n…", true),
    ] {
        assert_eq!(is_as_shown(printed, shown), is_shown, "{printed:?} {shown:?}");
    }
}

#[test]
fn documents_show_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut wrong = Vec::new();
    for file in documents(&root) {
        let stage = Stage::new();
        for Shown { command, output } in shown(&fs::read_to_string(&file).unwrap()) {
            let printed = stage.run(&command);
            if !is_as_shown(printed.trim_end(), output.trim_end()) {
                wrong
                    .push(format!("{}\n$ {command}\n{printed}", file.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "other than the documents show:\n\n{}", wrong.join("\n"));
}

#[test]
fn blocks_are_read_as_they_stand() {
    let document = "```console\n$ a\n1\n\n2\n$ b \\\n> c\n```\n$ not run\n```text\n$ d\n```\n";
    let expected = [("a", "1\n\n2\n"), ("b \\\nc", "")]
        .map(|(command, output)| Shown { command: command.to_owned(), output: output.to_owned() });
    assert_eq!(shown(document), expected);
}
