//! Laws of the block-find judgement over random command lines.

use bash_commands::Analyzer;
use brakeline_cli::block_find::{Block, BlockFind, Place, Verdict};
use brakeline_settings::{HostLimits, read_settings};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Command lines of the pieces that matter here, well-formed or not.
fn command_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "find",
        "find",
        " ",
        " ",
        " / ",
        " /etc",
        " ..",
        " .",
        " $X",
        " \"$X\"",
        " /e*",
        " ~",
        "; ",
        " && ",
        " | ",
        "\n",
        "cd ",
        "cd /tmp",
        "sudo ",
        "timeout 1 ",
        "bash -c '",
        "'",
        "\"",
        "$(",
        ")",
        "(",
        "`",
        "eval ",
        "$X",
        "x=/ ",
        "xargs ",
        " -name x",
        " -exec ",
        " \\;",
        "if true; then ",
        "; fi",
        "<<E\n",
        "\nE\n",
        "#",
        "é",
        "\\",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn judge(settings: &Value, text: &str, cwd: Option<&str>) -> Option<Block> {
    let reading = read_settings(&json!({"blockFindRoot": settings}), HostLimits::default());
    let (guard, _) = BlockFind::new(&reading.settings.block_find_root, Some("/home/ada"));
    match guard.judge_bash(text, Place { cwd, home: Some("/home/ada") }, &mut Analyzer::new()) {
        Verdict::Allow => None,
        Verdict::Block(block) => Some(block),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_block_names_its_bytes(text in command_line()) {
        if let Some(block) = judge(&json!({"forbiddenPaths": ["/", "/etc"]}), &text, Some("/srv")) {
            let span = block.span.expect("a command has bytes");
            prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{:?}", span);
            prop_assert!(block.rule.is_some());
        }
    }

    #[test]
    fn blocking_the_unknown_is_never_milder(text in command_line()) {
        if judge(&json!({}), &text, Some("/srv")).is_some() {
            let stricter = judge(&json!({"unknownPaths": "block"}), &text, Some("/srv"));
            prop_assert!(stricter.is_some());
        }
    }

    #[test]
    fn another_rule_is_never_milder(text in command_line()) {
        for cwd in [None, Some("/"), Some("/etc")] {
            if judge(&json!({"forbiddenPaths": ["/"]}), &text, cwd).is_some() {
                let stricter = judge(&json!({"forbiddenPaths": ["/etc", "/"]}), &text, cwd);
            prop_assert!(stricter.is_some());
            }
        }
    }

    #[test]
    fn without_rules_everything_passes(text in command_line()) {
        let off = json!({"forbiddenPaths": [], "unknownPaths": "block"});
        prop_assert_eq!(judge(&off, &text, Some("/")), None);
    }

    #[test]
    fn an_unknown_word_behind_find_is_never_milder(text in command_line()) {
        // Behind a complete line, so that the words stay those of `find`.
        let [plain, unknown] = ["find / -name x", "find / $X -name x"].map(|find| format!("{text}\n{find}"));
        if judge(&json!({}), &plain, Some("/srv")).is_some() {
            let stricter = judge(&json!({}), &unknown, Some("/srv"));
            prop_assert!(stricter.is_some());
        }
    }
}
