//! What is told of a refusal: which command, which rule, why, and what would have to change.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop at the first surprise")]

use bash_commands::Analyzer;
use shell_permissions::{Action, AllFiles, Language, NoFiles, Options, Policy};

fn told(text: &str, language: Language) -> Vec<String> {
    let rules = [
        ("*", Action::Deny),
        ("git *", Action::Allow),
        ("git push *", Action::Deny),
        ("cargo test", Action::Allow),
        ("ls *", Action::Allow),
    ];
    let policy = Policy::new(Options::default(), rules).unwrap();
    let place = bash_commands::Options::default();
    let mut analyzer = Analyzer::new();
    let judgement = if text.contains('>') {
        policy.judge(text, &place, &mut analyzer, &NoFiles)
    } else {
        policy.judge(text, &place, &mut analyzer, &AllFiles)
    };
    judgement.text(language).lines().map(str::to_owned).collect()
}

#[test]
fn messages_in_english() {
    let table: &[(&str, [&str; 2])] = &[
        (
            "git push origin main",
            [
                "bash may not run `git push origin main` (rule: `git push *`)",
                "Use a command that is allowed, or a built-in tool; if it is needed, the user can add a more specific allow rule to shell.permissons in sandbox.json, such as \"git push origin main\".",
            ],
        ),
        (
            "git -c a.b=c log",
            [
                "bash may not run `git -c a.b=c log` (rule: `*`)",
                "`-c` makes the program run code, and the rule `git *` does not name it: leave it out, or let the user add an allow rule that names `-c`.",
            ],
        ),
        (
            "/tmp/git log",
            [
                "bash may not run `/tmp/git log` (rule: `*`)",
                "The rule `git *` admits the program only by the name as it stands in the rule, not as `/tmp/git`.",
            ],
        ),
        (
            "cargo run test",
            [
                "bash may not run `cargo run test` (rule: `*`)",
                "The rule `cargo test` wants `test` to be the first argument.",
            ],
        ),
        (
            "git \"$X\"",
            [
                "bash may not run `git \"$X\"` (rule that may apply, as an argument is not known: `git push *`)",
                "Write out the argument that is not known, or let the user add a more specific allow rule to shell.permissons in sandbox.json.",
            ],
        ),
        (
            "$X log",
            [
                "bash may not run `$X log` (the command's name is not known, so only the rule `*` can allow it; rule: `git push *`)",
                "Write out the command that is to be run, without variables and substitutions.",
            ],
        ),
        (
            "PATH=/x git log",
            [
                "bash may not run `git log` (setting PATH changes which program runs, so only the rule `*` can allow it; rule: `git push *`)",
                "Leave out the assignment of PATH.",
            ],
        ),
        (
            "git log && git diff",
            [
                "more than one command is not allowed: after the first comes `git diff` (allowMultiple is false)",
                "Call bash once for each command.",
            ],
        ),
        (
            "ls > /etc/x",
            [
                "bash may not write `/etc/x` by a redirection (no entry of allowWrite allows it)",
                "Redirect to a path that the filesystem lists of sandbox.json allow, such as one in the working directory, or let the user change them.",
            ],
        ),
        (
            "ls > $X",
            [
                "bash may not write `$X` by a redirection (the target is not known)",
                "Write out the path of the redirection.",
            ],
        ),
        (
            "ls 'x",
            [
                "bash would not accept the command: single-quoted text is not closed; add `'` (byte 5, opened at byte 3)",
                "Mend the command and try again.",
            ],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(told(text, Language::En).get(..2).unwrap(), expected, "{text}");
    }
}

#[test]
fn messages_in_chinese() {
    let table: &[(&str, [&str; 2])] = &[
        (
            "git push origin main",
            [
                "禁止使用 bash 执行 `git push origin main`（命中：`git push *`）",
                "请改用允许的命令或内置工具；若确有必要，由用户在 sandbox.json 的 shell.permissons 中添加更具体的 allow 规则，例如 \"git push origin main\"。",
            ],
        ),
        (
            "git log && git diff",
            [
                "禁止多命令串联：后面还有 `git diff`（allowMultiple 为 false）",
                "请逐条调用 bash，每次只执行一条命令。",
            ],
        ),
        (
            "git -c a.b=c log",
            [
                "禁止使用 bash 执行 `git -c a.b=c log`（命中：`*`）",
                "参数 `-c` 会让程序执行代码，规则 `git *` 没有写明它：请去掉该参数，或由用户添加写明 `-c` 的 allow 规则。",
            ],
        ),
        ("ls > $X", ["禁止通过重定向写入 `$X`（目标未知）", "把重定向的目标写成确定的路径。"]),
    ];
    for (text, expected) in table {
        assert_eq!(told(text, Language::ZhCn).get(..2).unwrap(), expected, "{text}");
    }
}

#[test]
fn an_example_of_a_rule_is_one_that_would_be_preferred() {
    for text in ["git push", "git push 'a b'", "git push $X x"] {
        assert!(!told(text, Language::En).join("\n").contains("such as \""), "{text}");
    }
}

#[test]
fn long_and_strange_commands_stay_on_one_line() {
    let text = format!("rm '{}' 'a\nb\u{7}'", "x".repeat(5000));
    let lines = told(&text, Language::En);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line.len() < 600 && !line.contains(char::is_control)));
}
