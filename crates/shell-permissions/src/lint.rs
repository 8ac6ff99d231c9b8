//! What is doubtful about a policy: rules that never apply, and rules that do not do what they seem to.

use crate::code_options;
use crate::pattern::{Pattern, base_name};
use crate::policy::{Action, Policy, Rule};
use crate::text::{Language, say};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Something doubtful about a rule, or about the policy as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The pattern of the rule; `None` when it is about the policy as a whole.
    pub rule: Option<String>,
    /// What it is.
    pub kind: FindingKind,
}

/// What is doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Never applies: another rule matches all that it matches, and is preferred.
    Shadowed {
        /// The pattern of the other rule.
        by: String,
    },
    /// Two rules of opposite action are equally specific, and both may match: deny wins.
    Tie {
        /// The pattern of the other rule.
        with: String,
    },
    /// Never applies, or only to a strange command: a wildcard inside a word is an ordinary character.
    WildcardInWord(String),
    /// Never applies: quotes are no part of the words that a rule is compared with.
    Quotes(String),
    /// Never applies: an operator of the shell is no word of a command.
    Operator(String),
    /// Never applies: no command has this name (a keyword, an assignment).
    NoCommand(String),
    /// A deny rule that is easily missed: the letters may be given apart or in another order.
    Bundle(String),
    /// A deny rule that is easily missed: the option has other spellings (shortened, `--option=value`, one letter).
    Spelling(String),
    /// A deny rule that is easily missed: a path has other spellings.
    Path(String),
    /// Everything is allowed but what is denied: the same can be done in other ways.
    DenyList,
    /// An allow rule for a program that runs any other program, or code of any kind.
    RunsAnything,
    /// An allow rule that names an option by which any code can be run.
    NamesCodeOption(&'static str),
    /// `strictAllow` is off, and the words of the rule may stand anywhere.
    Containment,
}

impl FindingKind {
    /// Returns the name that reports use, such as `shadowed`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Shadowed { .. } => "shadowed",
            Self::Tie { .. } => "tie",
            Self::WildcardInWord(_) => "wildcard-in-word",
            Self::Quotes(_) => "quotes",
            Self::Operator(_) => "operator",
            Self::NoCommand(_) => "no-command",
            Self::Bundle(_) => "bundle",
            Self::Spelling(_) => "spelling",
            Self::Path(_) => "path",
            Self::DenyList => "deny-list",
            Self::RunsAnything => "runs-anything",
            Self::NamesCodeOption(_) => "names-code-option",
            Self::Containment => "containment",
        }
    }

    /// Returns whether the rule has no effect, or fails to do what it is there for; otherwise it is a remark.
    #[must_use]
    pub const fn is_fault(&self) -> bool {
        !matches!(self, Self::Tie { .. } | Self::RunsAnything | Self::NamesCodeOption(_) | Self::Containment)
    }
}

/// Words of the shell's grammar, which are no commands.
const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "select", "then", "time", "until", "while", "{", "}",
];

/// Programs whose purpose is to run other programs or code, so that a rule for them allows anything.
const RUN_ANYTHING: &[&str] = &[
    "awk",
    "bash",
    "busybox",
    "bun",
    "dash",
    "deno",
    "docker",
    "doas",
    "env",
    "eval",
    "exec",
    "fish",
    "gawk",
    "ksh",
    "lua",
    "make",
    "node",
    "npx",
    "parallel",
    "perl",
    "php",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python3",
    "ruby",
    "screen",
    "sh",
    "source",
    "ssh",
    "su",
    "sudo",
    "tmux",
    "watch",
    "xargs",
    "zsh",
    ".",
];

impl Policy {
    /// Returns what is doubtful about the rules, in their order, and then about the policy as a whole.
    ///
    /// Compares each rule with each other for the same program: quadratic in those.
    ///
    /// ```
    /// use shell_permissions::{Action, FindingKind, Options, Policy};
    ///
    /// let rules = [("*", Action::Deny), ("git *", Action::Allow), ("git* push", Action::Deny)];
    /// let findings = Policy::new(Options::default(), rules)?.lint();
    /// assert_eq!(findings[0].rule.as_deref(), Some("git* push"));
    /// assert_eq!(findings[0].kind, FindingKind::WildcardInWord("git*".into()));
    /// # Ok::<(), shell_permissions::PatternError>(())
    /// ```
    #[must_use]
    pub fn lint(&self) -> Vec<Finding> {
        let of_rule = |rule: &Rule| {
            let text = rule.pattern.text().to_owned();
            self.findings(rule).into_iter().map(move |kind| Finding { rule: Some(text.clone()), kind })
        };
        let mut findings: Vec<_> = self.rules().iter().flat_map(of_rule).collect();
        let denies = self.rules().iter().any(|rule| rule.action == Action::Deny && !rule.pattern.is_any());
        if self.allows_any() && denies {
            findings.push(Finding { rule: None, kind: FindingKind::DenyList });
        }
        findings
    }

    fn findings(&self, rule: &Rule) -> Vec<FindingKind> {
        let mut kinds = Vec::new();
        kinds.extend(strange_word(&rule.pattern));
        if kinds.is_empty() {
            kinds.extend(self.rival(rule));
        }
        match rule.action {
            Action::Deny => kinds.extend(rule.pattern.arguments().filter_map(|word| missed(word, rule))),
            Action::Allow => kinds.extend(self.width(&rule.pattern)),
        }
        kinds
    }

    /// A rule that is preferred, or as good.
    fn rival(&self, rule: &Rule) -> Option<FindingKind> {
        let others = || self.rules_for(rule.pattern.name()).filter(|other| *other != rule);
        let is_preferred = |other: &&Rule| other.rank() > rule.rank() && self.covers(other, rule);
        let is_equal = |other: &&Rule| {
            other.pattern.specificity() == rule.pattern.specificity()
                && (rule.action, other.action) == (Action::Allow, Action::Deny)
        };
        let shadow =
            others().find(is_preferred).map(|by| FindingKind::Shadowed { by: by.pattern.text().into() });
        shadow.or_else(|| {
            others().find(is_equal).map(|with| FindingKind::Tie { with: with.pattern.text().into() })
        })
    }

    /// Returns whether `other` matches whatever `rule` matches.
    fn covers(&self, other: &Rule, rule: &Rule) -> bool {
        let (wide, narrow) = (&other.pattern, &rule.pattern);
        let has_name = match (wide.name(), narrow.name(), other.action) {
            (None, ..) => true,
            (Some(_), None, _) => false,
            (Some(wide), Some(narrow), Action::Deny) => base_name(wide) == base_name(narrow),
            // A deny rule matches by the last component, and an allow rule does not.
            (Some(wide), Some(narrow), Action::Allow) => wide == narrow && rule.action == Action::Allow,
        };
        let has_words = if other.action == Action::Allow && self.options().strict_allow {
            wide.arguments().eq(narrow.arguments())
        } else {
            wide.arguments().all(|word| narrow.arguments().any(|own| own == word))
        };
        has_name && has_words
    }

    fn width(&self, pattern: &Pattern) -> Vec<FindingKind> {
        let mut kinds = Vec::new();
        let name = pattern.name().map(base_name).unwrap_or_default();
        let named = |option: &&'static str| pattern.arguments().any(|word| word == *option);
        if let Some(option) = code_options::code_options(name).find(named) {
            kinds.push(FindingKind::NamesCodeOption(option));
        } else if pattern.arguments().len() == 0 && RUN_ANYTHING.contains(&name) {
            kinds.push(FindingKind::RunsAnything);
        }
        if pattern.arguments().len() > 0 && !self.options().strict_allow {
            kinds.push(FindingKind::Containment);
        }
        kinds
    }
}

/// A word of a pattern that no command has.
fn strange_word(pattern: &Pattern) -> Option<FindingKind> {
    let of_name = |name: &str| {
        let is_assignment = name.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        (KEYWORDS.contains(&name) || is_assignment).then(|| FindingKind::NoCommand(name.to_owned()))
    };
    let of_word = |word: &str| {
        let is_quoted = word.starts_with(['"', '\'']) || word.ends_with(['"', '\'']);
        let is_operator = matches!(word, "&&" | "||" | ";" | "|" | "|&" | "&" | ">" | ">>" | "<" | "(" | ")")
            || (word.len() > 1 && word.ends_with(';'));
        match () {
            () if is_quoted => Some(FindingKind::Quotes(word.to_owned())),
            () if is_operator => Some(FindingKind::Operator(word.to_owned())),
            () if word.contains('*') => Some(FindingKind::WildcardInWord(word.to_owned())),
            () => None,
        }
    };
    let name = pattern.name();
    name.and_then(of_name).or_else(|| name.into_iter().chain(pattern.arguments()).find_map(of_word))
}

/// How a command gets around a word of a deny rule.
fn missed(word: &str, rule: &Rule) -> Option<FindingKind> {
    let name = rule.pattern.name().map(base_name).unwrap_or_default();
    // `-exec` and `-Dkey` are words, not letters.
    let is_word = code_options::code_options(name).any(|option| option == word) || name == "find";
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-') && !letters.is_empty());
    match letters {
        _ if word.starts_with("--") && word.len() > 2 => Some(FindingKind::Spelling(word.to_owned())),
        Some(_) if is_word => None,
        Some(letters) if letters.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            Some(FindingKind::Bundle(word.to_owned()))
        }
        None if word.contains('/') || matches!(word, "." | ".." | "~") => {
            Some(FindingKind::Path(word.to_owned()))
        }
        _ => None,
    }
}

impl Finding {
    /// Says in one line what is doubtful, and what to do.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let rule = self.rule.as_deref().unwrap_or_default();
        match &self.kind {
            FindingKind::Shadowed { by } => say!(
                language,
                "规则 `{rule}` 永远不会生效：`{by}` 匹配它匹配的一切，并且优先。请删除其中一条。",
                "the rule `{rule}` never applies: `{by}` matches all that it matches, and is preferred; remove one of them"
            ),
            FindingKind::Tie { with } => say!(
                language,
                "规则 `{rule}` 与 `{with}` 同样具体：两者都匹配时按 deny 处理。",
                "the rules `{rule}` and `{with}` are equally specific: where both match, deny wins"
            ),
            FindingKind::WildcardInWord(word) => say!(
                language,
                "规则 `{rule}` 中的 `{word}`：词内的 * 只是普通字符，只有单独的 `*` 才是通配；请写完整的词。",
                "in the rule `{rule}`, `{word}`: a `*` inside a word is an ordinary character, only one that stands alone is a wildcard; write whole words"
            ),
            FindingKind::Quotes(word) => say!(
                language,
                "规则 `{rule}` 中的 {word}：引号不属于命令的参数，规则按空白拆成词；请去掉引号。",
                "in the rule `{rule}`, {word}: quotes are no part of a command's words, and a rule is split at blanks; leave them out"
            ),
            FindingKind::Operator(word) => say!(
                language,
                "规则 `{rule}` 中的 `{word}` 是 shell 运算符，不是命令的参数，该规则不会生效；串联与管道由 allowMultiple 和 allowPipe 控制。",
                "the rule `{rule}` never applies: `{word}` is an operator of the shell and no word of a command; lists and pipes are switched by allowMultiple and allowPipe"
            ),
            FindingKind::NoCommand(word) => say!(
                language,
                "规则 `{rule}` 不会生效：`{word}` 是 shell 语法或赋值，不是命令；请为其中运行的命令写规则。",
                "the rule `{rule}` never applies: `{word}` is a keyword or an assignment and no command; write a rule for the commands inside"
            ),
            FindingKind::Bundle(word) => say!(
                language,
                "deny 规则 `{rule}` 容易绕过：`{word}` 的字母可以拆开、换序或写成长选项；请禁止整个命令，再允许安全的用法。",
                "the deny rule `{rule}` is easily missed: the letters of `{word}` may be given apart, in another order, or as long options; deny the command as a whole, and allow what is safe"
            ),
            FindingKind::Spelling(word) => say!(
                language,
                "deny 规则 `{rule}` 容易绕过：`{word}` 可以缩写、带 `=` 值或写成单字母选项；请禁止整个命令，再允许安全的用法。",
                "the deny rule `{rule}` is easily missed: `{word}` may be shortened, given with `=`, or as one letter; deny the command as a whole, and allow what is safe"
            ),
            FindingKind::Path(word) => say!(
                language,
                "deny 规则 `{rule}` 容易绕过：路径 `{word}` 有其他写法；请用 filesystem 列表保护文件。",
                "the deny rule `{rule}` is easily missed: the path `{word}` has other spellings; protect files by the filesystem lists"
            ),
            FindingKind::DenyList => say!(
                language,
                "`*` 为 allow 时，deny 规则只挡得住写明的命令：同样的事可以用别的程序做到（`python -c`、`git -c alias…`、脚本、复制出来的程序）。请改为 `\"*\": \"deny\"`，再允许需要的命令。",
                "with `*` allowed, deny rules stop only the commands that they spell out: other programs do the same (`python -c`, `git -c alias…`, a script, a copy of the program); write `\"*\": \"deny\"` and allow what is needed"
            ),
            FindingKind::RunsAnything => say!(
                language,
                "规则 `{rule}` 允许的程序可以运行任意程序或代码。",
                "the rule `{rule}` allows a program that runs any other program or code"
            ),
            FindingKind::NamesCodeOption(option) => say!(
                language,
                "规则 `{rule}` 写明了 `{option}`，允许通过它执行任意代码。",
                "the rule `{rule}` names `{option}`, and so allows any code to be run by it"
            ),
            FindingKind::Containment => say!(
                language,
                "strictAllow 为 false：规则 `{rule}` 的词可以出现在任何位置，例如别的子命令的参数。",
                "strictAllow is false: the words of the rule `{rule}` may stand anywhere, such as among the arguments of another subcommand"
            ),
        }
    }
}
