//! What is told of a refusal: which command, which rule, why, and what would have to change.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop at the first surprise")]

use bash_commands::Analyzer;
use shell_permissions::{
    Action, AllFiles, FileRule, Judgement, Language, NoFiles, Options, Pattern, Policy, Target, Verdict,
};

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
            "ls > /dev/tcp/example.com/80",
            [
                "bash may not write `/dev/tcp/example.com/80` by a redirection (it is a network connection)",
                "Do not open connections through /dev/tcp or /dev/udp; use webfetch for web pages.",
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
        (
            "ls > /dev/udp/h/9",
            [
                "禁止通过重定向写入 `/dev/udp/h/9`（这是网络连接）",
                "不要通过 /dev/tcp 或 /dev/udp 建立网络连接；获取网页请用 webfetch。",
            ],
        ),
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

fn judge(rules: &[(&str, Action)], options: Options, text: &str) -> Judgement {
    let policy = Policy::new(options, rules.iter().copied()).unwrap();
    policy.judge(text, &bash_commands::Options::default(), &mut Analyzer::new(), &NoFiles)
}

#[test]
fn what_forbids_a_target_is_told() {
    let path = || "/secret".to_owned();
    let table = [
        (
            FileRule::Entry { list: "denyRead", entry: path() },
            "denyRead: `/secret`",
            "命中 denyRead：`/secret`",
        ),
        (
            FileRule::NotListed { list: "allowRead" },
            "no entry of allowRead allows it",
            "allowRead 中没有允许它的路径",
        ),
        (FileRule::Protected { path: path() }, "always protected: `/secret`", "始终受保护：`/secret`"),
        (FileRule::Circle, "it leads in a circle of links", "它是循环的符号链接"),
    ];
    let policy = Policy::new(Options::default(), [("cat *", Action::Allow)]).unwrap();
    let place = bash_commands::Options::default();
    for (rule, en, zh) in table {
        let files = |_: &Target<'_>| Err(rule.clone());
        let judgement = policy.judge("cat < /secret/key", &place, &mut Analyzer::new(), &files);
        let first = |language| judgement.text(language).lines().next().map(str::to_owned).unwrap();
        assert_eq!(first(Language::En), format!("bash may not read `/secret/key` by a redirection ({en})"));
        assert_eq!(first(Language::ZhCn), format!("禁止通过重定向读取 `/secret/key`（{zh}）"));
    }
}

#[test]
fn sixteen_refusals_are_told_and_the_others_counted() {
    let options = Options { allow_multiple: true, ..Options::default() };
    for count in [16, 17, 40] {
        let text = (0..count).map(|nth| format!("rm {nth}")).collect::<Vec<_>>().join("\n");
        let judgement = judge(&[("ls", Action::Allow)], options, &text);
        assert_eq!(judgement.refusals().len(), 16);
        assert_eq!(judgement.more_refusals(), count - 16);
        let last = |language| judgement.text(language).lines().last().unwrap().to_owned();
        if count == 16 {
            assert!(last(Language::En).contains("`rm 15`"), "{}", last(Language::En));
        } else {
            assert_eq!(last(Language::En), format!("and {} more refusals", count - 16));
            assert_eq!(last(Language::ZhCn), format!("另有 {} 处被拒绝", count - 16));
        }
    }
}

#[test]
fn causes_have_names_and_rules() {
    let all = Options { allow_multiple: true, allow_pipe: true, strict_allow: true };
    let one = Options { allow_multiple: false, ..all };
    let unpiped = Options { allow_pipe: false, ..all };
    let deep = "( ".repeat(200) + "ls" + &" )".repeat(200);
    let rules = [("ls", Action::Allow), ("git", Action::Allow), ("git push", Action::Deny)];
    let table: &[(Options, &str, &str, Option<&str>)] = &[
        (all, "git push", "denied", Some("git push")),
        (all, "rm x", "no-rule", None),
        (all, "$X", "not-fixed", Some("git push")),
        (one, "ls; ls", "multiple", None),
        (unpiped, "ls | ls", "pipe", None),
        (all, "ls > x", "redirection", None),
        (all, "ls )", "syntax", None),
        (all, &deep, "unreadable", None),
    ];
    for (options, text, name, rule) in table {
        let judgement = judge(&rules, *options, text);
        assert_eq!(judgement.verdict().name(), "deny", "{text}");
        let causes = judgement.refusals().iter().map(|refusal| (refusal.cause.name(), refusal.cause.rule()));
        assert!(
            causes.clone().any(|cause| cause == (*name, *rule)),
            "{text}: {:?}",
            causes.collect::<Vec<_>>()
        );
    }
    assert_eq!(judge(&rules, all, "ls; git log | ls").verdict().name(), "allow");
    // What is not known, without a rule that denies.
    let judgement = judge(&[("ls", Action::Allow)], one, "eval \"$X\"");
    let names: Vec<_> = judgement.refusals().iter().map(|refusal| refusal.cause.name()).collect();
    assert_eq!(names, ["no-rule", "multiple", "not-fixed"]);
    assert!(judgement.refusals().iter().all(|refusal| refusal.cause.rule().is_none()));
}

#[test]
fn a_pattern_without_parts_is_an_error_that_says_what_to_write() {
    for text in ["", "  ", "\t\n"] {
        let error = Pattern::parse(text).unwrap_err();
        assert_eq!(error.to_string(), "a pattern is empty; write `*` for any command, or a command's name");
    }
}

#[test]
fn a_redirection_is_let_pass_where_every_file_is() {
    let policy = Policy::new(Options::default(), [("ls", Action::Allow)]).unwrap();
    let place = bash_commands::Options::default();
    let judgement = policy.judge("ls > /etc/x", &place, &mut Analyzer::new(), &AllFiles);
    assert_eq!(judgement.verdict(), Verdict::Allow);
}
