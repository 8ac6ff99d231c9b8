//! `grep` and `find`: the same lines and files as ripgrep and fd, the same answer every time, and what is said when there is none.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test may stop at the first surprise"
)]
#![cfg(feature = "grep")]

mod common;

use brakeline_agent_tools::{
    Cancel, Context, Error, FindParameters, Gate, GrepParameters, Refusal, find, grep,
};
use common::Folder;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A tree like a source tree: nested ignore files, negations, hidden files, links, odd names, several kinds of text.
fn source_tree(folder: &Folder) {
    let mut random = 12_345_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % below
    };
    std::fs::create_dir_all(folder.join(".git/objects")).unwrap();
    folder.put(".git/config", "needle in git\n");
    folder.put(".gitignore", "*.log\n/build/\nnode_modules\n!keep.log\n# comment\n\\#odd\ndocs/**/tmp\n");
    folder.put("src/.gitignore", "/generated/\n*.o\n!important.o\n");
    folder.put("src/deep/.ignore", "*.secret\n");
    folder.put("src/deep/.gitignore", "!*.log\n");
    let folders = [
        "",
        "src",
        "src/deep",
        "src/generated",
        "build",
        "build/x",
        "node_modules/a",
        "docs/a/b/tmp",
        "docs/a",
        ".hidden",
        "src/ü 你",
    ];
    let names = [
        "a.rs",
        "b.ts",
        "keep.log",
        "c.log",
        "x.o",
        "important.o",
        "y.secret",
        "#odd",
        ".env",
        "README",
        "ü.txt",
        "tmp",
    ];
    for place in folders {
        for name in names {
            let mut text = String::new();
            for line in 0..next(30) {
                let word = ["needle", "Needle", "hay", "fn main() {", "née", "needle needle", "", "end"]
                    [next(8) as usize];
                let end = if next(6) == 0 { "\r\n" } else { "\n" };
                text += &[&line.to_string(), " ", word, " ", &next(100).to_string(), end].concat();
            }
            if next(5) == 0 {
                text.push_str("needle without an end");
            }
            let path = Path::new(place).join(name);
            if !folder.join(path.to_str().unwrap()).is_dir() {
                folder.put(path.to_str().unwrap(), text);
            }
        }
    }
    folder.put("src/binary.rs", b"needle\0needle\n");
    folder.put(
        "src/utf16.rs",
        "\u{feff}needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    folder.put("src/latin.rs", b"needle \xe9\n");
    std::os::unix::fs::symlink("src/a.rs", folder.join("link.rs")).unwrap();
    std::os::unix::fs::symlink(".", folder.join("src/loop")).unwrap();
}

/// Runs a program for its lines; nothing if it is not installed.
fn lines_of(program: &str, args: &[&str], folder: &Path) -> Option<BTreeSet<String>> {
    let Ok(output) = Command::new(program).args(args).current_dir(folder).output() else {
        println!("skipped: {program} is not installed");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text.lines().map(|line| line.trim_end_matches('\r').trim_start_matches("./").to_owned()).collect())
}

fn grep_lines(folder: &Folder, parameters: GrepParameters) -> BTreeSet<String> {
    let result = grep(&GrepParameters { limit: Some(10_000), ..parameters }, &folder.context()).unwrap();
    assert!(!result.more && !result.timed_out);
    let files = result.files.iter();
    files
        .flat_map(|file| file.lines.iter().map(|line| format!("{}:{}:{}", file.path, line.line, line.text)))
        .collect()
}

#[test]
fn grep_finds_the_lines_that_ripgrep_finds() {
    let folder = Folder::new();
    source_tree(&folder);
    let rg = ["--hidden", "--glob", "!.git", "--no-heading", "--line-number", "--crlf", "--color=never"];
    let patterns = [
        "needle",
        "Needle|hay",
        "^1[0-9] ",
        r"\bneedle$",
        "n.e",
        r"fn \w+\(",
        "end$",
        r"\d{2}$",
        "^$",
        "née",
    ];
    for pattern in patterns {
        let Some(theirs) = lines_of("rg", &[&rg[..], &["--", pattern, "."]].concat(), folder.path()) else {
            return;
        };
        let ours = grep_lines(&folder, GrepParameters { pattern: pattern.into(), ..Default::default() });
        assert_eq!(ours, theirs, "{pattern}");
    }
    for (pattern, args) in
        [(r"(?<!1)2 needle", "-P"), (r"(ne)edle \1", "-P"), ("needle", "-i"), ("main() {", "-F")]
    {
        let args = [&rg[..], &[args, "--", pattern, "."]].concat();
        let theirs = lines_of("rg", &args, folder.path()).unwrap();
        let ours = grep_lines(
            &folder,
            GrepParameters {
                pattern: pattern.into(),
                ignore_case: Some(args.contains(&"-i")),
                literal: Some(args.contains(&"-F")),
                ..Default::default()
            },
        );
        assert_eq!(ours, theirs, "{pattern}");
    }
    for glob in ["*.rs", "*.{ts,log}", "ü*"] {
        let args = [&rg[..], &["--glob", glob, "--", "needle", "."]].concat();
        // For ripgrep a glob also overrides ignore files; what they leave out is not asked for here.
        let theirs: BTreeSet<String> = lines_of("rg", &args, folder.path()).unwrap();
        let seen = grep_lines(&folder, GrepParameters { pattern: "needle".into(), ..Default::default() });
        let theirs: BTreeSet<String> = theirs.intersection(&seen).cloned().collect();
        let ours = grep_lines(
            &folder,
            GrepParameters { pattern: "needle".into(), glob: Some(glob.into()), ..Default::default() },
        );
        assert_eq!(ours, theirs, "{glob}");
    }
}

#[test]
fn find_finds_the_files_that_fd_finds() {
    let folder = Folder::new();
    source_tree(&folder);
    let program =
        ["fdfind", "fd"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(program) = program else {
        println!("skipped: fd is not installed");
        return;
    };
    for pattern in ["*", "*.rs", "*.{ts,log}", "[a-c]*", "tmp", "ü*", ".*", "README", "nothing*"] {
        let args = ["--hidden", "--exclude", ".git", "--glob", "--case-sensitive", "--color=never", pattern];
        let theirs: BTreeSet<String> = lines_of(program, &args, folder.path())
            .unwrap()
            .iter()
            .map(|path| path.trim_end_matches('/').to_owned())
            .collect();
        let parameters = FindParameters { pattern: pattern.into(), ..Default::default() };
        let result = find(&parameters, &folder.context()).unwrap();
        let ours: BTreeSet<String> =
            result.paths.iter().map(|path| path.trim_end_matches('/').to_owned()).collect();
        assert_eq!(ours, theirs, "{pattern}");
    }
}

#[test]
fn the_answer_of_grep() {
    let folder = Folder::new();
    folder.put("a/one.txt", "x\nneedle 1\ny\nz\nw\nneedle 2\r\n");
    folder.put("b.txt", format!("{}needle{}\n", "ü".repeat(300), "x".repeat(1000)));
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "needle [0-9]", "context": 1 })), @r"
    a/one.txt-1- x
    a/one.txt:2: needle 1
    a/one.txt-3- y
    --
    a/one.txt-5- w
    a/one.txt:6: needle 2
    ");
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "NEEDLE 1", "ignoreCase": true, "path": "a" })), @"a/one.txt:2: needle 1");
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "needle", "limit": 1 })), @r"
    a/one.txt:2: needle 1

    [only the first 1; narrow the search or raise the limit]
    ");
    let said = folder.say("grep", json!({ "pattern": "needle", "glob": "b*" }));
    assert!(said.ends_with("…[cut]\n\n[long lines are cut; read shows them with offset]"), "{said}");
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "none" })), @"[no matches in 2 files]");
    let said = folder.say("grep", json!({ "pattern": "(unclosed" }));
    assert!(said.starts_with("error: the pattern `(unclosed` cannot be read:"), "{said}");
    assert!(
        folder.say("grep", json!({ "pattern": "x", "limit": 0 })).contains("must be between 1 and 10000")
    );
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "needle 1\\ny" })), @r"
    a/one.txt:2: needle 1
    a/one.txt:3: y
    ");
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "needle [1" , "literal": true })), @"[no matches in 2 files]");
}

#[test]
fn the_answer_of_find() {
    let folder = Folder::new();
    for name in ["src/a.ts", "src/deep/b.ts", "src/deep/c.json", "d.ts"] {
        folder.put(name, "");
    }
    let say = |pattern: &str| folder.say("find", json!({ "pattern": pattern }));
    assert_eq!(say("*.ts"), "d.ts\nsrc/a.ts\nsrc/deep/b.ts\n");
    assert_eq!(say("src/*.ts"), "src/a.ts\n");
    assert_eq!(say("**/*.ts"), say("*.ts"));
    assert_eq!(say("src/**"), "src/a.ts\nsrc/deep/\nsrc/deep/b.ts\nsrc/deep/c.json\n");
    assert_eq!(say("*/"), "src/\nsrc/deep/\n");
    assert_eq!(say("./d.ts"), "d.ts\n");
    assert_eq!(say(&format!("{}/src/*", folder.path().display())), "src/a.ts\nsrc/deep/\n");
    assert_eq!(say("none"), "[nothing matches]");
    assert_eq!(
        folder.say("find", json!({ "pattern": "*", "limit": 1 })),
        "d.ts\n[1 of 6; narrow the pattern or the path, or raise the limit]"
    );
    assert!(say("[").starts_with("error: the pattern `[` cannot be read:"));
    assert!(folder.say("find", json!({ "pattern": "*", "path": "d.ts" })).starts_with("error: `DIR/d.ts`: "));
    assert_eq!(folder.say("find", json!({ "pattern": "*.json", "path": "src" })), "src/deep/c.json\n");
}

/// Seen elsewhere: no hits in a directory that is hidden or ignored, and no word why.
#[test]
fn what_is_named_is_searched_and_what_is_left_out_is_told() {
    let folder = Folder::new();
    folder.put(".gitignore", "out/\n");
    folder.put("out/sub/a.txt", "needle\n");
    folder.put(".hidden/a.txt", "needle h\n");
    assert_eq!(folder.say("grep", json!({ "pattern": "needle h" })), ".hidden/a.txt:1: needle h\n");
    assert_eq!(
        folder.say("grep", json!({ "pattern": "needle", "path": "out" })),
        "out/sub/a.txt:1: needle\n"
    );
    assert_eq!(folder.say("find", json!({ "pattern": "*.txt", "path": "out/sub" })), "out/sub/a.txt\n");
    assert_eq!(
        folder.say("grep", json!({ "pattern": "needle", "path": "out/sub/a.txt" })),
        "out/sub/a.txt:1: needle\n"
    );
    insta::assert_snapshot!(folder.say("grep", json!({ "pattern": "needle$" })), @"[no matches in 2 files; 1 left out by ignore files, such as .gitignore; name its directory as path to search it]");
    insta::assert_snapshot!(folder.say("find", json!({ "pattern": "sub" })), @"[nothing matches; 1 left out by ignore files, such as out/sub; name its directory as path to search it]");
}

/// Looking into hidden files must not bring `.git`.
#[test]
fn git_is_left_alone_unless_it_is_named() {
    let folder = Folder::new();
    folder.put(".git/config", "needle\n");
    folder.put("sub/.git", "needle\n");
    assert!(folder.say("grep", json!({ "pattern": "needle" })).starts_with("[no matches in 0 files"));
    assert_eq!(folder.say("grep", json!({ "pattern": "needle", "path": ".git" })), ".git/config:1: needle\n");
}

#[test]
fn what_may_not_be_read_is_not_seen() {
    struct No;
    impl Gate for No {
        fn may_read(&self, path: &Path) -> Result<(), Refusal> {
            if path.to_string_lossy().contains("secret") { Err(Refusal::new("hidden")) } else { Ok(()) }
        }
    }
    let folder = Folder::new();
    folder.put("secret/deep/a.txt", "needle\n");
    folder.put("a.txt", "needle\n");
    let context = Context::new(folder.path(), &No);
    let result = grep(&GrepParameters { pattern: "needle".into(), ..Default::default() }, &context).unwrap();
    assert_eq!((result.matches, result.denied), (1, 1));
    let result = find(&FindParameters { pattern: "*".into(), ..Default::default() }, &context).unwrap();
    assert_eq!((result.paths, result.denied), (vec!["a.txt".to_owned()], 1));
    let named =
        GrepParameters { pattern: "needle".into(), path: Some("secret".into()), ..Default::default() };
    assert!(matches!(grep(&named, &context), Err(Error::Refused(_))));
}

#[test]
fn the_first_matches_are_the_same_however_many_threads_look() {
    let folder = Folder::new();
    for n in 0..200 {
        folder.put(&format!("d{}/f{n}.txt", n % 7), "needle\n".repeat(n % 5));
    }
    let parameters = GrepParameters { pattern: "needle".into(), limit: Some(37), ..Default::default() };
    let one = grep(&parameters, &folder.context().with_threads(1)).unwrap();
    assert_eq!((one.matches, one.more), (37, true));
    for _ in 0..20 {
        let many = grep(&parameters, &folder.context().with_threads(4)).unwrap();
        assert_eq!((many.files, many.matches, many.more), (one.files.clone(), 37, true));
    }
}

#[test]
fn a_pattern_without_end_is_given_up() {
    let folder = Folder::new();
    folder.put("a.txt", format!("{}!\n", "a".repeat(60)));
    let started = std::time::Instant::now();
    // Linear for one engine …
    assert!(folder.say("grep", json!({ "pattern": "(a+)+$" })).starts_with("[no matches"));
    // … and past its limits for the other.
    #[cfg(feature = "pcre2")]
    {
        let said = folder.say("grep", json!({ "pattern": r"(?=a)(a+)+\1$" }));
        assert!(said.contains("cannot be read") && said.contains("limit"), "{said}");
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_call_that_was_cancelled_ends() {
    let folder = Folder::new();
    folder.put("a.txt", "needle\n");
    let cancel = Cancel::new();
    cancel.cancel();
    let context = folder.context().with_cancel(&cancel);
    let parameters = GrepParameters { pattern: "needle".into(), ..Default::default() };
    assert!(matches!(grep(&parameters, &context), Err(Error::Cancelled)));
    assert!(matches!(
        find(&FindParameters { pattern: "*".into(), ..Default::default() }, &context),
        Err(Error::Cancelled)
    ));
}
