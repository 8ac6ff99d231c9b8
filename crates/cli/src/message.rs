//! Every text that a person or a model reads, in both languages.

pub(crate) use brakeline::block_find::text::{Tool, block, label, printable};
pub(crate) use brakeline::locale::language;
use brakeline_settings::Language;
use std::collections::BTreeSet;

/// A word in both languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    zh: &'static str,
    en: &'static str,
}

impl Word {
    pub(crate) const fn text(self, language: Language) -> &'static str {
        match language {
            Language::ZhCn => self.zh,
            Language::En => self.en,
        }
    }
}

/// What stands before the sentence that says what is blocked.
pub(crate) const BLOCKED: Word = Word { zh: "已拦截", en: "blocked" };
/// What stands before advice.
pub(crate) const HELP: Word = Word { zh: "建议", en: "help" };
/// What stands before a remark.
pub(crate) const NOTE: Word = Word { zh: "说明", en: "note" };

/// The words of `explain`. How a command is reached (`pipe`, `shell-command`, …) is a name and the same in both languages.
pub(crate) mod explained {
    use super::{Language, Word};

    pub(crate) const VIA: Word = Word { zh: "经由", en: "via" };
    pub(crate) const THROUGH: Word = Word { zh: "包装命令", en: "through" };
    pub(crate) const STARTS_IN: Word = Word { zh: "起始路径", en: "starts in" };
    pub(crate) const CWD: Word = Word { zh: "工作目录", en: "working directory" };
    pub(crate) const OR: Word = Word { zh: " 或 ", en: " or " };
    pub(crate) const THE_CWD: Word = Word { zh: "当前工作目录", en: "the working directory" };
    pub(crate) const NO_WORDS: Word =
        Word { zh: "（只有赋值和重定向）", en: "(assignments and redirections alone)" };
    pub(crate) const NOTHING: Word = Word { zh: "不会运行任何命令", en: "nothing would run" };

    /// Returns the name of a kind (`known`, `pattern`, `unknown`, `inherited`) for people.
    pub(crate) fn kind(kind: &str, language: Language) -> &str {
        match (kind, language) {
            ("known", Language::ZhCn) => "已知",
            ("pattern", Language::ZhCn) => "模式",
            ("unknown", Language::ZhCn) => "未知",
            ("inherited", Language::ZhCn) => "沿用",
            (kind, _) => kind,
        }
    }

    /// Returns what is said of bytes that were not read, for a reason by name.
    pub(crate) fn not_read([start, end]: [u32; 2], reason: &str, language: Language) -> String {
        match language {
            Language::ZhCn => format!("字节 {start}..{end}：未作判断（{reason}）"),
            Language::En => format!("bytes {start}..{end}: nothing is said about them ({reason})"),
        }
    }

    /// Returns what is said of a text that bash would refuse.
    pub(crate) fn syntax_error([start, end]: [u32; 2], message: &str, language: Language) -> String {
        match language {
            Language::ZhCn => format!("字节 {start}..{end}：语法错误：{message}"),
            Language::En => format!("bytes {start}..{end}: syntax error: {message}"),
        }
    }
}

/// Returns what `collision force-release` says about a path that nobody holds.
pub(crate) fn nothing_holds(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("`{path}` 没有被占用"),
        Language::En => format!("nothing holds `{path}`"),
    }
}

/// Returns what `collision force-release` says once a path is free.
pub(crate) fn released(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("已释放 {path}"),
        Language::En => format!("released {path}"),
    }
}

/// What `collision force-release` says when it could not ask.
pub(crate) const NO_TERMINAL: Word = Word {
    zh: "没有可供询问的终端，未释放任何占用",
    en: "there is no terminal to ask on, so nothing was released",
};
/// What it says when the answer was not yes.
pub(crate) const NOT_RELEASED: Word = Word { zh: "未释放任何占用", en: "nothing was released" };

/// Returns the note of `check` for settings under which a host would not even ask.
pub(crate) fn bash_is_not_judged(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "当前配置不检测 bash 命令（blockFindRoot.blockBash 为 false），宿主会放行这条命令",
        Language::En => {
            "the settings in force leave bash alone (blockFindRoot.blockBash is false): a host would let this command pass"
        }
    }
}

/// Returns the note of `check` for settings without any forbidden path.
pub(crate) fn guard_is_off(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "没有禁用路径（blockFindRoot.forbiddenPaths 为空），守卫已关闭",
        Language::En => "no path is forbidden (blockFindRoot.forbiddenPaths is empty): the guard is off",
    }
}

/// Returns the note of `check` for a text that was not read to its end.
pub(crate) fn not_read_whole(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "命令没有全部读懂，未读懂的部分不在此结论之内",
        Language::En => "not all of the command could be read; the verdict says nothing about the rest",
    }
}

/// Returns the note of `check` for start paths that the text does not tell, as they are written there.
pub(crate) fn unknown_starts(paths: &BTreeSet<&str>, language: Language) -> String {
    /// A note names some; the command itself shows the rest.
    const MOST: usize = 3;
    let more = if paths.len() > MOST { ", …" } else { "" };
    let paths = paths.iter().take(MOST).map(|path| printable(path)).collect::<Vec<_>>().join(", ");
    match language {
        Language::ZhCn => {
            format!("命令本身看不出从哪里开始查找：{paths}{more}（blockFindRoot.unknownPaths 决定是否放行）")
        }
        Language::En => format!(
            "the command alone does not tell where these lead: {paths}{more} (blockFindRoot.unknownPaths decides)"
        ),
    }
}

/// Returns what `check` says about a command that passes.
pub(crate) fn allowed(finds: usize, language: Language) -> String {
    match (finds, language) {
        (0, Language::ZhCn) => "放行：没有 find".to_owned(),
        (0, Language::En) => "allowed: no find".to_owned(),
        (1, Language::En) => "allowed: 1 find, none of its start paths is forbidden".to_owned(),
        (finds, Language::ZhCn) => format!("放行：{finds} 个 find，起始路径都未被禁用"),
        (finds, Language::En) => format!("allowed: {finds} finds, none of their start paths is forbidden"),
    }
}

/// Returns what a hook says when it failed and the call is blocked for that.
pub(crate) fn hook_failed_closed(cause: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("brakeline 无法判断这次调用，已拦截：{cause}"),
        Language::En => format!("brakeline could not judge this call and blocks it: {cause}"),
    }
}

/// Returns what a hook says when it failed at a moment when no tool waits.
pub(crate) fn hook_failed_late(cause: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("brakeline 未能处理这个事件，lease 可能没有释放：{cause}"),
        Language::En => {
            format!("brakeline could not handle this event, so leases may not be given back yet: {cause}")
        }
    }
}

/// Returns what a hook says when it failed and the call goes on all the same.
pub(crate) fn hook_failed_open(cause: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("brakeline 无法判断这次调用，未经检查放行：{cause}"),
        Language::En => format!("brakeline could not judge this call and lets it pass unchecked: {cause}"),
    }
}
