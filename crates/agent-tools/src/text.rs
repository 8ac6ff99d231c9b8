//! Texts that several tools share, and what the tools and their parameters are called, in both languages.

use crate::limit::{ANSWER_BYTES, head};
use crate::{Language, Tool};

/// Says that other names of a file keep the old content; nothing if there are none.
pub(crate) fn other_names(count: u64, language: Language) -> String {
    match (count, language) {
        (0, _) => String::new(),
        (_, Language::ZhCn) => format!("；另有 {count} 个硬链接，内容不变"),
        (1, Language::En) => "; 1 other hard link keeps the old content".to_owned(),
        (_, Language::En) => format!("; {count} other hard links keep the old content"),
    }
}

/// Cuts a diff that does not fit an answer.
pub(crate) fn cut_diff(diff: &str, language: Language) -> String {
    if diff.len() <= ANSWER_BYTES {
        return diff.to_owned();
    }
    let kept = head(diff, ANSWER_BYTES);
    let kept = kept.rfind('\n').and_then(|end| kept.get(..=end)).unwrap_or(kept);
    let (shown, total) = (kept.lines().count(), diff.lines().count());
    let note = match language {
        Language::ZhCn => format!("[差异共 {total} 行，显示 {shown} 行；用 read 查看文件]"),
        Language::En => format!("[{shown} of {total} lines of the diff; read the file to see the rest]"),
    };
    format!("{kept}{note}")
}

/// Says what ignore files left out.
#[cfg(feature = "find")]
pub(crate) fn left_out(count: u64, first: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("另有 {count} 个被忽略规则排除，如 {first}；用 path 指定其目录即可搜索"),
        Language::En => format!(
            "{count} left out by ignore files, such as {first}; name its directory as path to search it"
        ),
    }
}

/// Says what else a walk did not see.
#[cfg(feature = "find")]
pub(crate) fn walk_notes(
    denied: u64,
    timed_out: bool,
    unreadable: &[String],
    language: Language,
) -> Vec<String> {
    let mut notes = Vec::new();
    if denied > 0 {
        notes.push(match language {
            Language::ZhCn => format!("{denied} 个路径不允许读取，已跳过"),
            Language::En => format!("{denied} paths may not be read and were left out"),
        });
    }
    if timed_out {
        notes.push(
            language
                .pick(
                    "搜索超时，结果不完整；请缩小 path",
                    "the search took too long and is not complete; narrow the path",
                )
                .to_owned(),
        );
    }
    if !unreadable.is_empty() {
        let list = unreadable.join(", ");
        notes.push(match language {
            Language::ZhCn => format!("无法读取：{list}"),
            Language::En => format!("could not be read: {list}"),
        });
    }
    notes
}

/// What a tool is for: the seed's wording, and the same in English.
pub(crate) const fn description(tool: Tool, language: Language) -> &'static str {
    let (zh, en) = match tool {
        Tool::Read => (
            "读取文件内容，支持文本和图片（jpg/png/gif/webp）。文本输出按行数或大小自动截断，大文件用 offset/limit 分段读取。使用 read 而不是 bash(cat/bat/sed)。目录列表请用 find。",
            "Reads a file: text, or an image (jpg/png/gif/webp). Text is cut by lines or size; read large files in parts with offset/limit. Use read instead of bash(cat/bat/sed). To list a directory use find.",
        ),
        Tool::Edit => (
            "精确替换文件内容（oldText/newText）。每个 oldText 必须在原始文件中唯一、不重叠地匹配。支持单文件多处非重叠编辑。不匹配时抛出错误。邻近或重叠的改动合并为一次 edit。oldText 尽量简短但保持唯一。创建新文件或整体覆盖用 write。",
            "Replaces exact text in a file (oldText/newText). Each oldText must occur exactly once in the original file, and the places must not overlap. Several edits of one file can be made at once, all or none. If one does not match it is an error. Make one edit of changes that touch or overlap. Keep oldText short but unique. To create or replace a whole file use write.",
        ),
        Tool::Write => (
            "创建或覆盖文件。文件不存在时自动创建（含父目录），存在时整体覆盖。新建文件或整体覆盖用 write，精确修改用 edit。",
            "Creates or replaces a file. A file that does not exist is created with its parent directories; one that exists is replaced whole. Use write for new files and whole replacements, edit for exact changes.",
        ),
        Tool::Move => (
            "移动或重命名文件。目标父目录不存在时自动创建。newPath 设为 /dev/null 时删除文件。返回 M <path> -> <newPath>（移动）或 D <path>（删除）。",
            "Moves or renames a file or directory. Missing parent directories of the target are created; an existing target is an error. With newPath /dev/null the file is deleted. Returns M <path> -> <newPath> (moved) or D <path> (deleted).",
        ),
        #[cfg(feature = "grep")]
        Tool::Grep => (
            "正则搜索文本（ripgrep），遵守 .gitignore。按文件拆分返回匹配行（file:line: content）。使用 grep 而不是 bash(rg)。",
            "Searches text by regular expression (ripgrep), honouring .gitignore. Returns matching lines file by file (file:line: content). Use grep instead of bash(rg).",
        ),
        #[cfg(feature = "find")]
        Tool::Find => (
            "按 glob 模式搜索文件，遵守 .gitignore。返回匹配文件的相对路径列表。使用 find 而不是 bash(find/fd)。",
            "Searches files by glob, honouring .gitignore. Returns the relative paths that match. Use find instead of bash(find/fd).",
        ),
        Tool::Bash => (
            "在当前工作目录执行命令，返回 stdout 和 stderr。内置 OS 级沙箱约束文件系统和网络访问。Shell 命令通过权限策略校验（默认拒绝所有命令，需在沙箱配置中显式允许）。内置工具能解决的问题，请勿使用 bash。禁止 &&、; 多命令串联。",
            "Runs a command in the working directory and returns stdout and stderr. An OS sandbox restricts the file system and the network. Commands pass a permission policy (all are denied unless the sandbox configuration allows them). Do not use bash for what the other tools can do. Do not chain commands with && or ;.",
        ),
        #[cfg(feature = "astgrep")]
        Tool::AstGrep => (
            "AST 模式搜索代码结构，不受格式/空格干扰。使用 $NAME 匹配标识符，$$$NAME 匹配多节点。",
            "Searches code by its structure, whatever its layout. $NAME matches one node, $$$NAME several.",
        ),
        #[cfg(feature = "astgrep")]
        Tool::AstEdit => (
            "AST 结构化改写。pattern 搜索匹配，rewrite 替换（$ 变量展开为匹配到的原值）。",
            "Rewrites code by its structure: pattern finds it, rewrite takes its place ($ variables stand for what they matched).",
        ),
        #[cfg(feature = "webfetch")]
        Tool::WebFetch => (
            "获取指定 URL 的内容，自动 HTML→Markdown 转换（基于 Content-Type 判断）。使用 webfetch 而不是 bash(curl/wget)。",
            "Fetches a URL; HTML becomes Markdown (by its Content-Type). Use webfetch instead of bash(curl/wget).",
        ),
    };
    language.pick(zh, en)
}

/// What a parameter means.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "only schemas say it"))]
pub(crate) fn parameter(tool: Tool, name: &str, language: Language) -> Option<&'static str> {
    let (zh, en) = match (tool, name) {
        (Tool::Read, "path") => ("文件路径（相对或绝对）", "The file, relative or absolute"),
        (Tool::Read, "offset") => ("起始行号，从 1 开始", "The first line, from 1"),
        (Tool::Read, "limit") => ("最大读取行数", "The most lines to read"),
        (Tool::Read, "column") => (
            "起始行内的起始字节，从 1 开始；用于继续读取过长的行",
            "The byte to start at in the first line, from 1; reads on in a line that was too long",
        ),
        (Tool::Edit | Tool::Write, "path") => ("文件路径", "The file"),
        (Tool::Edit, "edits") => (
            "一次或多次精确替换，基于原始文件匹配，非增量式",
            "One or more exact replacements, each matched against the original file, not one after another",
        ),
        (Tool::Edit, "oldText") => (
            "要替换的原文，在原始文件中唯一",
            "The text to replace; occurs exactly once in the original file",
        ),
        (Tool::Edit, "newText") => ("替换后的文本", "The text that takes its place"),
        (Tool::Write, "content") => ("要写入的完整内容", "The whole content to write"),
        (Tool::Move, "path") => ("源文件路径", "What to move"),
        (Tool::Move, "newPath") => {
            ("目标路径。设为 /dev/null 时删除文件", "Where to. /dev/null deletes the file")
        }
        #[cfg(feature = "grep")]
        (Tool::Grep, "pattern") => (
            "正则匹配模式（PCRE），或 literal: true 时作为字面字符串",
            "The regular expression (PCRE), or with literal: true the text itself",
        ),
        #[cfg(feature = "grep")]
        (Tool::Grep, "path") => (
            "搜索目录或文件，默认当前目录",
            "The directory or file to search; the working directory by default",
        ),
        #[cfg(feature = "grep")]
        (Tool::Grep, "glob") => {
            ("文件过滤，如 *.ts 或 **/*.spec.ts", "Which files, such as *.ts or **/*.spec.ts")
        }
        #[cfg(feature = "grep")]
        (Tool::Grep, "ignoreCase") => ("忽略大小写", "Whether case does not matter"),
        #[cfg(feature = "grep")]
        (Tool::Grep, "literal") => (
            "将 pattern 视为字面字符串而非正则",
            "Whether the pattern is a text and not a regular expression",
        ),
        #[cfg(feature = "grep")]
        (Tool::Grep, "context") => {
            ("匹配行前后各显示的行数", "How many lines to show before and after each match")
        }
        #[cfg(feature = "grep")]
        (Tool::Grep, "limit") => ("最大匹配数", "The most matches"),
        #[cfg(feature = "find")]
        (Tool::Find, "pattern") => ("glob 模式，如 *.ts、**/*.json", "The glob, such as *.ts or **/*.json"),
        #[cfg(feature = "find")]
        (Tool::Find, "path") => ("搜索目录", "The directory to search; the working directory by default"),
        #[cfg(feature = "find")]
        (Tool::Find, "limit") => ("最大结果数", "The most results"),
        (Tool::Bash, "command") => ("要执行的单条命令", "The command: one, not several"),
        (Tool::Bash, "timeout") => ("超时秒数", "The limit in seconds"),
        #[cfg(feature = "astgrep")]
        (Tool::AstGrep | Tool::AstEdit, "pattern") => {
            ("AST 匹配模式", "The pattern: code with $NAME and $$$NAME for what varies")
        }
        #[cfg(feature = "astgrep")]
        (Tool::AstEdit, "rewrite") => {
            ("替换模板，使用相同的 $ 变量", "What takes its place, with the same $ variables")
        }
        #[cfg(feature = "astgrep")]
        (Tool::AstGrep, "lang") => (
            "解析语言（ts/js/css/go/rust/python…）",
            "The language (ts/js/css/go/rust/python…); by default that of each file's name",
        ),
        #[cfg(feature = "astgrep")]
        (Tool::AstEdit, "lang") => ("解析语言", "The language; by default that of each file's name"),
        #[cfg(feature = "astgrep")]
        (Tool::AstGrep | Tool::AstEdit, "path") => {
            ("搜索的目录或文件", "The directory or file; the working directory by default")
        }
        #[cfg(feature = "webfetch")]
        (Tool::WebFetch, "url") => ("要获取的 URL", "The URL"),
        #[cfg(feature = "webfetch")]
        (Tool::WebFetch, "format") => {
            ("期望的返回格式，默认 auto", "The form of the answer; auto by default")
        }
        #[cfg(feature = "webfetch")]
        (Tool::WebFetch, "timeout") => ("超时时间（ms）", "The limit in milliseconds"),
        #[cfg(feature = "webfetch")]
        (Tool::WebFetch, "maxBytes") => ("最大响应体大小（bytes）", "The most bytes of the page"),
        _ => return None,
    };
    Some(language.pick(zh, en))
}
