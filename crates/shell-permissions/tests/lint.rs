//! One row for each finding, and rows that are clean.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::type_complexity,
    reason = "helpers of tests may stop at the first surprise"
)]

use shell_permissions::{Action, FindingKind as Kind, Language, Options, Policy};

const STRICT: Options = Options { allow_multiple: false, allow_pipe: true, strict_allow: true };
const BARE: Options = Options { strict_allow: false, ..STRICT };

fn lint(options: Options, rules: &[&str]) -> Vec<(String, Kind)> {
    let rules = rules.iter().map(|rule| {
        let action = if rule.starts_with('+') { Action::Allow } else { Action::Deny };
        (&rule[1..], action)
    });
    let findings = Policy::new(options, rules).unwrap().lint();
    for finding in &findings {
        // Each is told in both languages, on one line, and with the rule.
        for language in [Language::En, Language::ZhCn] {
            let text = finding.text(language);
            assert!(!text.contains('\n') && text.contains(finding.rule.as_deref().unwrap_or("*")), "{text}");
        }
        assert!(!finding.kind.name().is_empty());
    }
    findings.into_iter().map(|finding| (finding.rule.unwrap_or_default(), finding.kind)).collect()
}

#[test]
fn each_finding() {
    let by = |text: &str| Kind::Shadowed { by: text.to_owned() };
    let table: &[(Options, &[&str], &[(&str, Kind)])] = &[
        // Clean.
        (STRICT, &["-*", "+git *", "+rg *"], &[]),
        (STRICT, &["-*", "+git *", "-git push *", "+git push origin *"], &[]),
        (STRICT, &["-*", "+find *", "-find -exec *"], &[]),
        (STRICT, &["+*"], &[]),
        // Shadowed.
        (STRICT, &["-git push *", "+git push"], &[("git push", by("git push *"))]),
        (STRICT, &["+git push *", "-git push"], &[]),
        (STRICT, &["+git push *", "+git push"], &[("git push", by("git push *"))]),
        (STRICT, &["-git push origin", "+git origin push"], &[("git origin push", by("git push origin"))]),
        (STRICT, &["-git  push *", "+/bin/git push"], &[]),
        (STRICT, &["-/bin/git  *", "+/bin/git"], &[("/bin/git", by("/bin/git  *"))]),
        // Ties.
        (STRICT, &["+git aa", "-git bb"], &[("git aa", Kind::Tie { with: "git bb".to_owned() })]),
        // Words that no command has.
        (STRICT, &["+git*"], &[("git*", Kind::WildcardInWord("git*".to_owned()))]),
        (STRICT, &["+git:*"], &[("git:*", Kind::WildcardInWord("git:*".to_owned()))]),
        (STRICT, &["-rm *.rs"], &[("rm *.rs", Kind::WildcardInWord("*.rs".to_owned()))]),
        (STRICT, &["+echo \"a b\""], &[("echo \"a b\"", Kind::Quotes("\"a".to_owned()))]),
        (STRICT, &["+cd x && ls"], &[("cd x && ls", Kind::Operator("&&".to_owned()))]),
        (STRICT, &["+cd x; ls"], &[("cd x; ls", Kind::Operator("x;".to_owned()))]),
        (STRICT, &["-while *"], &[("while *", Kind::NoCommand("while".to_owned()))]),
        (STRICT, &["+X=1 ls"], &[("X=1 ls", Kind::NoCommand("X=1".to_owned()))]),
        // Deny rules that look safe.
        (STRICT, &["-rm -rf"], &[("rm -rf", Kind::Bundle("-rf".to_owned()))]),
        (STRICT, &["-git push -f"], &[("git push -f", Kind::Bundle("-f".to_owned()))]),
        (STRICT, &["-git reset --hard"], &[("git reset --hard", Kind::Spelling("--hard".to_owned()))]),
        (STRICT, &["-rm /etc"], &[("rm /etc", Kind::Path("/etc".to_owned()))]),
        (STRICT, &["-kill -9"], &[]),
        (STRICT, &["+*", "-rm *"], &[("", Kind::DenyList)]),
        // Allow rules that are wide.
        (STRICT, &["+bash *"], &[("bash *", Kind::RunsAnything)]),
        (STRICT, &["+/usr/bin/sudo"], &[("/usr/bin/sudo", Kind::RunsAnything)]),
        (STRICT, &["+sudo apt *"], &[]),
        (STRICT, &["+git -c *"], &[("git -c *", Kind::NamesCodeOption("-c"))]),
        (BARE, &["+git status"], &[("git status", Kind::Containment)]),
        (BARE, &["+git *"], &[]),
    ];
    for (options, rules, expected) in table {
        let expected: Vec<_> =
            expected.iter().map(|(rule, kind)| ((*rule).to_owned(), kind.clone())).collect();
        assert_eq!(lint(*options, rules), expected, "{rules:?}");
    }
}

#[test]
fn findings_are_faults_or_remarks() {
    let kinds = [
        (true, Kind::Shadowed { by: String::new() }),
        (false, Kind::Tie { with: String::new() }),
        (true, Kind::WildcardInWord(String::new())),
        (true, Kind::Quotes(String::new())),
        (true, Kind::Operator(String::new())),
        (true, Kind::NoCommand(String::new())),
        (true, Kind::Bundle(String::new())),
        (true, Kind::Spelling(String::new())),
        (true, Kind::Path(String::new())),
        (true, Kind::DenyList),
        (false, Kind::RunsAnything),
        (false, Kind::NamesCodeOption("-c")),
        (false, Kind::Containment),
    ];
    for (is_fault, kind) in kinds {
        assert_eq!(kind.is_fault(), is_fault, "{}", kind.name());
    }
}

/// What `Shadowed` claims, tried: taking the rule away changes no verdict.
#[test]
fn a_shadowed_rule_decides_nothing() {
    use bash_commands::Analyzer;
    use shell_permissions::AllFiles;

    let words = ["git", "/bin/git", "push", "origin", "--hard", "x"];
    let patterns = [
        "git",
        "git *",
        "git push",
        "git push *",
        "git  push",
        "git origin push",
        "/bin/git push",
        "* push",
        "*",
    ];
    let mut shadowed = 0;
    for (a, b) in patterns.iter().flat_map(|a| patterns.iter().map(move |b| (a, b))) {
        for actions in [
            [Action::Allow, Action::Deny],
            [Action::Deny, Action::Allow],
            [Action::Allow; 2],
            [Action::Deny; 2],
        ] {
            if a == b {
                continue;
            }
            let options = Options { strict_allow: true, ..STRICT };
            let both = Policy::new(options, [(a, actions[0]), (b, actions[1])]).unwrap();
            let is_shadowed = both.lint().iter().any(|finding| {
                finding.rule.as_deref() == Some(*b) && matches!(finding.kind, Kind::Shadowed { .. })
            });
            if !is_shadowed {
                continue;
            }
            shadowed += 1;
            let one = Policy::new(options, [(a, actions[0])]).unwrap();
            let mut analyzer = Analyzer::new();
            for name in &words[..2] {
                for first in words {
                    for second in words {
                        let text = format!("{name} {first} {second}");
                        let mut verdict = |policy: &Policy| {
                            policy
                                .judge(&text, &bash_commands::Options::default(), &mut analyzer, &AllFiles)
                                .verdict()
                        };
                        assert_eq!(verdict(&both), verdict(&one), "{a} {b} {actions:?}: {text}");
                    }
                }
            }
        }
    }
    assert!(shadowed > 5, "{shadowed}");
}
