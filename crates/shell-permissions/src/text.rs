//! Every text that a person or a model reads, in both languages.

use crate::pattern::{Mismatch, Pattern};
use crate::redirection::{Access, FileRule};
use crate::verdict::{Cause, Judgement, Near, Open, Refusal, TargetCause};
use alloc::format;
use alloc::string::{String, ToString};
use bash_commands::StructureKind;

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Simplified Chinese, `zh-CN`.
    ZhCn,
    /// English, `en`.
    #[default]
    En,
}

/// Chooses between the two languages; the texts are format strings.
macro_rules! say {
    ($language:expr, $zh:literal, $en:literal) => {
        match $language {
            Language::ZhCn => format!($zh),
            Language::En => format!($en),
        }
    };
}

pub(crate) use say;

impl Judgement {
    /// Says what is refused, why, and what would have to change; empty when nothing is refused.
    ///
    /// Fit to hand to the model that wrote the command: the first line says what happened, the second what would be
    /// allowed. Of several refusals the first is told in full, and the others by one line each.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let Some((first, others)) = self.refusals.split_first() else { return String::new() };
        let mut text = first.what(language);
        text.push('\n');
        text.push_str(&first.remedy(language));
        for other in others {
            text.push('\n');
            text.push_str(&other.what(language));
        }
        let more = self.more_refusals;
        if more > 0 {
            text.push('\n');
            text.push_str(&say!(language, "另有 {more} 处被拒绝", "and {more} more refusals"));
        }
        text
    }
}

impl Refusal {
    /// Says in one line what is refused, and by which rule.
    #[must_use]
    pub fn what(&self, language: Language) -> String {
        let command = &self.command;
        match &self.cause {
            Cause::Denied { rule, is_possible: false, .. } => say!(
                language,
                "禁止使用 bash 执行 `{command}`（命中：`{rule}`）",
                "bash may not run `{command}` (rule: `{rule}`)"
            ),
            Cause::Denied { rule, is_possible: true, .. } => say!(
                language,
                "禁止使用 bash 执行 `{command}`（可能命中：`{rule}`，其中有未知的参数）",
                "bash may not run `{command}` (rule that may apply, as an argument is not known: `{rule}`)"
            ),
            Cause::NoRule { .. } => say!(
                language,
                "禁止使用 bash 执行 `{command}`（没有允许它的规则，默认拒绝）",
                "bash may not run `{command}` (no rule allows it, and the default is to deny)"
            ),
            Cause::Open { open, rule } => {
                let why = open.why(language);
                match rule {
                    Some(rule) => say!(
                        language,
                        "禁止使用 bash 执行 `{command}`（{why}；命中：`{rule}`）",
                        "bash may not run `{command}` ({why}; rule: `{rule}`)"
                    ),
                    None => say!(
                        language,
                        "禁止使用 bash 执行 `{command}`（{why}；没有规则 `*`，默认拒绝）",
                        "bash may not run `{command}` ({why}; there is no rule `*`, and the default is to deny)"
                    ),
                }
            }
            Cause::Multiple(kind) => {
                let construct = construct(*kind, language);
                say!(
                    language,
                    "禁止多命令串联：{construct} `{command}`（allowMultiple 为 false）",
                    "more than one command is not allowed: {construct} `{command}` (allowMultiple is false)"
                )
            }
            Cause::MaybeMultiple => say!(
                language,
                "禁止多命令串联：`{command}` 运行的内容未知，可能是多条命令（allowMultiple 为 false）",
                "more than one command is not allowed: what `{command}` runs is not known, and may be several (allowMultiple is false)"
            ),
            Cause::Pipe => say!(
                language,
                "禁止使用管道：`| {command}`（allowPipe 为 false）",
                "pipes are not allowed: `| {command}` (allowPipe is false)"
            ),
            Cause::Target { target, access, cause } => target_text(target, *access, cause, language),
            Cause::Syntax(Some(error)) => {
                say!(language, "bash 无法解析该命令：{error}", "bash would not accept the command: {error}")
            }
            Cause::Syntax(None) => say!(
                language,
                "bash 无法解析其中的命令：`{command}`",
                "bash would not accept a command in it: `{command}`"
            ),
            Cause::Unreadable(reason) => {
                let reason = reason.name();
                say!(
                    language,
                    "命令过于复杂，无法分析（{reason}），按拒绝处理：`{command}`",
                    "the command is too complex to be analysed ({reason}), and refused for that: `{command}`"
                )
            }
        }
    }

    /// Says in one line what would have to change: the command, or a rule, which is the user's to change.
    #[must_use]
    pub fn remedy(&self, language: Language) -> String {
        match &self.cause {
            Cause::Denied { near: Some(near), .. } | Cause::NoRule { near: Some(near) } => {
                near.remedy(language)
            }
            Cause::Denied { is_possible: true, .. } => say!(
                language,
                "把未知的参数写成确定的文本，或由用户在 sandbox.json 的 shell.permissons 中添加更具体的 allow 规则。",
                "Write out the argument that is not known, or let the user add a more specific allow rule to shell.permissons in sandbox.json."
            ),
            Cause::Denied { .. } | Cause::NoRule { near: None } => match self.example() {
                None => say!(
                    language,
                    "请改用允许的命令或内置工具；若确有必要，由用户在 sandbox.json 的 shell.permissons 中添加更具体的 allow 规则。",
                    "Use a command that is allowed, or a built-in tool; if it is needed, the user can add a more specific allow rule to shell.permissons in sandbox.json."
                ),
                Some(command) => say!(
                    language,
                    "请改用允许的命令或内置工具；若确有必要，由用户在 sandbox.json 的 shell.permissons 中添加更具体的 allow 规则，例如 \"{command}\"。",
                    "Use a command that is allowed, or a built-in tool; if it is needed, the user can add a more specific allow rule to shell.permissons in sandbox.json, such as \"{command}\"."
                ),
            },
            Cause::Open { open, .. } => open.remedy(language),
            Cause::Multiple(_) => {
                say!(language, "请逐条调用 bash，每次只执行一条命令。", "Call bash once for each command.")
            }
            Cause::MaybeMultiple => say!(
                language,
                "请直接写出要执行的那一条命令。",
                "Write out the one command that is to be run."
            ),
            Cause::Pipe => say!(
                language,
                "请去掉管道，只执行其中一条命令。",
                "Run one of the commands without the pipe."
            ),
            Cause::Target { cause: TargetCause::Unknown, .. } => {
                say!(language, "把重定向的目标写成确定的路径。", "Write out the path of the redirection.")
            }
            Cause::Target { cause: TargetCause::Connection, .. } => say!(
                language,
                "不要通过 /dev/tcp 或 /dev/udp 建立网络连接；获取网页请用 webfetch。",
                "Do not open connections through /dev/tcp or /dev/udp; use webfetch for web pages."
            ),
            Cause::Target { .. } => say!(
                language,
                "重定向到工作目录内允许的路径，或由用户修改 sandbox.json 的 filesystem 列表。",
                "Redirect to a path that the filesystem lists of sandbox.json allow, such as one in the working directory, or let the user change them."
            ),
            Cause::Syntax(_) => say!(language, "请修正语法后重试。", "Mend the command and try again."),
            Cause::Unreadable(_) => {
                say!(language, "请拆成更简单的命令。", "Split it into simpler commands.")
            }
        }
    }
}

impl Refusal {
    /// A rule that would admit the command, if its words make one that is preferred to the rule that denies.
    fn example(&self) -> Option<&str> {
        let is_plain = !self.command.contains(['*', '$', '`', '"', '\'', '…', '\\']);
        let pattern = Pattern::parse(&self.command).ok().filter(|_| is_plain)?;
        let is_preferred = self.cause.rule().is_none_or(|rule| {
            Pattern::parse(rule).is_ok_and(|rule| pattern.specificity() > rule.specificity())
        });
        is_preferred.then_some(self.command.as_str())
    }
}

impl Near {
    fn remedy(&self, language: Language) -> String {
        let rule = &self.rule;
        match &self.mismatch {
            Mismatch::NameAsWritten(name) => say!(
                language,
                "规则 `{rule}` 只允许按规则中的写法调用该程序，而不是 `{name}`。",
                "The rule `{rule}` admits the program only by the name as it stands in the rule, not as `{name}`."
            ),
            Mismatch::MissingWord(word) => say!(
                language,
                "规则 `{rule}` 要求参数中有 `{word}`。",
                "The rule `{rule}` wants `{word}` among the arguments."
            ),
            Mismatch::NotFirst(word) => say!(
                language,
                "规则 `{rule}` 要求 `{word}` 是第一个参数。",
                "The rule `{rule}` wants `{word}` to be the first argument."
            ),
            Mismatch::RunsCode { word, option } => say!(
                language,
                "参数 `{word}` 会让程序执行代码，规则 `{rule}` 没有写明它：请去掉该参数，或由用户添加写明 `{option}` 的 allow 规则。",
                "`{word}` makes the program run code, and the rule `{rule}` does not name it: leave it out, or let the user add an allow rule that names `{option}`."
            ),
            Mismatch::MayRunCode { word, option, .. } => say!(
                language,
                "参数 `{word}` 未知，可能是会执行代码的 `{option}`，规则 `{rule}` 不允许：请写成确定的文本，或放在 `--` 之后，或以 `./` 开头。",
                "`{word}` is not known and may be `{option}`, which runs code, so the rule `{rule}` does not admit it: write it out, put it behind `--`, or begin it with `./`."
            ),
        }
    }
}

impl Open {
    fn why(&self, language: Language) -> String {
        match self {
            Self::Name => say!(
                language,
                "命令名未知，只能匹配规则 `*`",
                "the command's name is not known, so only the rule `*` can allow it"
            ),
            Self::Variable(name) => say!(
                language,
                "设置变量 {name} 会改变实际运行的程序，只能匹配规则 `*`",
                "setting {name} changes which program runs, so only the rule `*` can allow it"
            ),
            Self::Assignments => say!(
                language,
                "只有变量赋值，只能匹配规则 `*`",
                "these are assignments alone, which only the rule `*` can allow"
            ),
            Self::Nothing => say!(
                language,
                "其中没有命令，只能匹配规则 `*`",
                "there is no command in it, which only the rule `*` can allow"
            ),
            Self::Code => say!(
                language,
                "要执行的代码未知，只能匹配规则 `*`",
                "the code that it runs is not known, so only the rule `*` can allow it"
            ),
            Self::Argument => say!(
                language,
                "有未知的参数，可能让它执行其他命令，只能匹配规则 `*`",
                "an argument is not known and may make it run other commands, so only the rule `*` can allow it"
            ),
        }
    }

    fn remedy(&self, language: Language) -> String {
        match self {
            Self::Name | Self::Code | Self::Argument => say!(
                language,
                "请直接写出要执行的命令，不要使用变量或命令替换。",
                "Write out the command that is to be run, without variables and substitutions."
            ),
            Self::Variable(name) => {
                say!(language, "请去掉对 {name} 的赋值。", "Leave out the assignment of {name}.")
            }
            Self::Assignments | Self::Nothing => {
                say!(language, "请写出一条要执行的命令。", "Write a command that is to be run.")
            }
        }
    }
}

fn target_text(target: &str, access: Access, cause: &TargetCause, language: Language) -> String {
    let doing = match (access, language) {
        (Access::Read, Language::ZhCn) => "读取",
        (Access::Read, Language::En) => "read",
        (Access::Write, Language::ZhCn) => "写入",
        (Access::Write, Language::En) => "write",
    };
    match cause {
        TargetCause::Unknown => say!(
            language,
            "禁止通过重定向{doing} `{target}`（目标未知）",
            "bash may not {doing} `{target}` by a redirection (the target is not known)"
        ),
        TargetCause::Connection => say!(
            language,
            "禁止通过重定向{doing} `{target}`（这是网络连接）",
            "bash may not {doing} `{target}` by a redirection (it is a network connection)"
        ),
        TargetCause::Forbidden(FileRule::Entry { list, entry }) => say!(
            language,
            "禁止通过重定向{doing} `{target}`（命中 {list}：`{entry}`）",
            "bash may not {doing} `{target}` by a redirection ({list}: `{entry}`)"
        ),
        TargetCause::Forbidden(FileRule::NotListed { list }) => say!(
            language,
            "禁止通过重定向{doing} `{target}`（{list} 中没有允许它的路径）",
            "bash may not {doing} `{target}` by a redirection (no entry of {list} allows it)"
        ),
        TargetCause::Forbidden(FileRule::Protected { path }) => say!(
            language,
            "禁止通过重定向{doing} `{target}`（始终受保护：`{path}`）",
            "bash may not {doing} `{target}` by a redirection (always protected: `{path}`)"
        ),
        TargetCause::Forbidden(FileRule::Circle) => say!(
            language,
            "禁止通过重定向{doing} `{target}`（它是循环的符号链接）",
            "bash may not {doing} `{target}` by a redirection (it leads in a circle of links)"
        ),
    }
}

fn construct(kind: StructureKind, language: Language) -> String {
    let (zh, en) = match kind {
        StructureKind::List => ("后面还有", "after the first comes"),
        StructureKind::Background => ("后台运行", "run in the background,"),
        StructureKind::Subshell => ("子 shell", "the subshell"),
        StructureKind::Substitution => ("命令替换", "the substitution"),
        StructureKind::If => ("条件语句", "the conditional"),
        StructureKind::Loop => ("循环", "the loop"),
        StructureKind::Case => ("case 语句", "the case"),
        StructureKind::Function => ("函数", "the function"),
        StructureKind::Coprocess => ("协进程", "the coprocess"),
        _ => ("结构", "the construct"),
    };
    match language {
        Language::ZhCn => zh.to_string(),
        Language::En => en.to_string(),
    }
}
