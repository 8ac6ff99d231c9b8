//! What the guard says, in both languages.

use super::{Block, BlockFind, Code};
use crate::locale::Language;

/// Which tool of a host a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// A search tool: `find`, `Glob`.
    Find,
    /// A shell: `bash`.
    Bash,
}

/// Returns what happened, in one sentence, and what would be allowed, in another.
#[must_use]
pub fn block(
    block: &Block,
    guard: &BlockFind,
    cwd: Option<&str>,
    tool: Tool,
    language: Language,
) -> [String; 2] {
    [what(block, tool, language), instead(block, guard, cwd, language)]
}

fn what(block: &Block, tool: Tool, language: Language) -> String {
    let path = printable(&block.path);
    let rule = printable(block.rule.as_deref().unwrap_or_default());
    match (block.code, tool, language) {
        (Code::Incomplete, _, Language::ZhCn) => "禁止使用 bash 运行内容不明的命令".to_owned(),
        (Code::Incomplete, _, Language::En) => {
            "bash may not run a command that is not known in full".to_owned()
        }
        (Code::UnknownPath, Tool::Find, Language::ZhCn) => format!("禁止使用 {path} 查询内容（路径未知）"),
        (Code::UnknownPath, Tool::Find, Language::En) => {
            format!("find is not allowed in {path} (the path is not known)")
        }
        (Code::UnknownPath, Tool::Bash, Language::ZhCn) => {
            format!("禁止使用 bash 调用 find 查询 {path}（路径未知）")
        }
        (Code::UnknownPath, Tool::Bash, Language::En) => {
            format!("bash may not run find in {path} (the path is not known)")
        }
        (_, Tool::Find, Language::ZhCn) => format!("禁止使用 {path} 查询内容"),
        (_, Tool::Find, Language::En) => format!("find is not allowed in {path}"),
        (_, Tool::Bash, Language::ZhCn) => format!("禁止使用 bash 调用 find 查询 {path}（命中：{rule}）"),
        (_, Tool::Bash, Language::En) => format!("bash may not run find in {path} (rule: {rule})"),
    }
}

fn instead(block: &Block, guard: &BlockFind, cwd: Option<&str>, language: Language) -> String {
    if block.code == Code::Incomplete {
        return match language {
            Language::ZhCn => "可以改为：把命令拆短，并把要运行的内容直接写出来".to_owned(),
            Language::En => "Allowed instead: a shorter command that writes out what it runs".to_owned(),
        };
    }
    // The advice must be one that the guard itself follows.
    let here = cwd.filter(|cwd| guard.allows_directory(cwd));
    match (here, language) {
        (Some(here), Language::ZhCn) => {
            format!("可以改为：在工作目录 {} 下查找，例如 find . -name …", printable(here))
        }
        (Some(here), Language::En) => {
            format!(
                "Allowed instead: the same search under the working directory {}, such as find . -name …",
                printable(here)
            )
        }
        (None, Language::ZhCn) => format!("可以改为：从禁用路径（{}）以外的目录开始查找", rules(guard)),
        (None, Language::En) => {
            format!("Allowed instead: a search that starts outside the forbidden paths ({})", rules(guard))
        }
    }
}

/// Lists the rules, at most a handful: a message is read by people and models.
fn rules(guard: &BlockFind) -> String {
    const SHOWN: usize = 5;
    let mut shown: Vec<_> = guard.rules().take(SHOWN).map(printable).collect();
    if guard.rules().nth(SHOWN).is_some() {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

/// Returns a text fit for one line on a terminal: control characters as escapes, and not longer than a line or two.
#[must_use]
pub fn printable(text: &str) -> String {
    const SHOWN: usize = 200;
    let mut line = String::new();
    for char in text.chars().take(SHOWN) {
        // The bidirectional controls reorder what a reader sees around them.
        if char.is_control()
            || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
        {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        line.push('…');
    }
    line
}

/// Returns the label under the bytes that a block is about.
#[must_use]
pub fn label(code: Code, language: Language) -> &'static str {
    match (code, language) {
        (Code::StartPath, Language::ZhCn) => "从这里开始查询",
        (Code::StartPath, Language::En) => "the search starts here",
        (Code::WorkingDirectory, Language::ZhCn) => "没有写路径，从工作目录开始查询",
        (Code::WorkingDirectory, Language::En) => {
            "no path is written, so the search starts in the working directory"
        }
        (Code::Pattern, Language::ZhCn) => "这个模式可能匹配到禁用路径",
        (Code::Pattern, Language::En) => "this pattern could match a forbidden path",
        (Code::UnknownPath, Language::ZhCn) => "路径无法由命令本身确定",
        (Code::UnknownPath, Language::En) => "the command alone does not tell where this leads",
        (Code::Incomplete, Language::ZhCn) => "这一部分运行什么并不清楚",
        (Code::Incomplete, Language::En) => "what this part runs is not known",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brakeline_settings::BlockFindRoot;

    #[test]
    fn the_first_sentence_is_the_documented_one() {
        let (guard, _) = BlockFind::new(&BlockFindRoot::default(), None);
        let hit = Block {
            code: Code::StartPath,
            path: "/".to_owned(),
            rule: Some("/".to_owned()),
            resolved: Some("/".to_owned()),
            span: None,
        };
        let first = |tool, language| block(&hit, &guard, Some("/srv"), tool, language)[0].clone();
        assert_eq!(first(Tool::Find, Language::ZhCn), "禁止使用 / 查询内容");
        assert_eq!(first(Tool::Find, Language::En), "find is not allowed in /");
        assert_eq!(first(Tool::Bash, Language::ZhCn), "禁止使用 bash 调用 find 查询 /（命中：/）");
        assert_eq!(first(Tool::Bash, Language::En), "bash may not run find in / (rule: /)");
    }

    #[test]
    fn advice_never_names_a_directory_that_is_forbidden_itself() {
        let (guard, _) = BlockFind::new(&BlockFindRoot::default(), None);
        let hit = Block {
            code: Code::WorkingDirectory,
            path: "/".to_owned(),
            rule: None,
            resolved: None,
            span: None,
        };
        let advice = |cwd| block(&hit, &guard, cwd, Tool::Bash, Language::En)[1].clone();
        assert!(advice(Some("/srv")).contains("under the working directory /srv"));
        assert!(!advice(Some("/")).contains("working directory"));
        assert!(!advice(None).contains("working directory"));
    }

    #[test]
    fn what_is_shown_is_one_bounded_line_without_controls() {
        let hostile = format!("/a\nb\u{1b}[2J\u{202e}{}", "x".repeat(10_000));
        let shown = printable(&hostile);
        assert!(shown.starts_with("/a\\nb\\u{1b}[2J\\u{202e}xxx"), "{shown}");
        assert!(shown.chars().count() < 300);
    }
}
