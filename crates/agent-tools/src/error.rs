//! What can go wrong, and how to mend it, in both languages.

use crate::{Language, Refusal};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a tool did not do what it was asked to. Nothing was changed, unless [`Error::Cancelled`] or [`Error::Partly`] says so.
///
/// `Display` is English; [`Error::text`] gives either language.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no tool of this name in this build.
    UnknownTool {
        /// The name that was asked for.
        name: String,
    },
    /// The parameters are not what the tool takes.
    Parameters {
        /// The tool.
        tool: &'static str,
        /// What was expected, with the place.
        message: String,
    },
    /// A path is empty.
    EmptyPath,
    /// A path begins with `~`, and nobody said what that is.
    NoHome {
        /// The path as it was given.
        path: String,
    },
    /// The gate said no.
    Refused(Refusal),
    /// The system said no.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file was expected, and this is something else.
    NotAFile {
        /// What it is.
        path: PathBuf,
        /// Whether it is a directory.
        directory: bool,
    },
    /// The file is larger than the tool takes.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The most bytes that are taken.
        limit: u64,
    },
    /// The code of a file is nested too deep to be searched.
    TooDeep {
        /// The file.
        path: PathBuf,
    },
    /// The file is no text.
    Binary {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// What it seems to be, e.g. `UTF-16`.
        kind: Option<&'static str>,
    },
    /// An offset lies behind the end.
    PastEnd {
        /// The file.
        path: PathBuf,
        /// The line that was asked for.
        offset: u64,
        /// How many lines there are.
        lines: u64,
    },
    /// Edits that cannot be made; none was.
    Edits {
        /// The file.
        path: PathBuf,
        /// Each edit that is at fault, in their order.
        faults: Vec<EditFault>,
    },
    /// The file would be as it is.
    NothingChanges {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else changed the file while the tool worked on it.
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// An attribute of the file would be lost by replacing it.
    Attribute {
        /// The file.
        path: PathBuf,
        /// Which attribute, e.g. `owner`.
        attribute: String,
        /// What the system said.
        source: io::Error,
    },
    /// The target of a move exists.
    TargetExists {
        /// The target.
        path: PathBuf,
    },
    /// A directory cannot be moved below itself.
    IntoItself {
        /// The directory.
        path: PathBuf,
    },
    /// Only files, links and empty directories are deleted.
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Only files are moved between file systems.
    CrossesFileSystems {
        /// The directory.
        path: PathBuf,
    },
    /// Several files were to be changed, and the tool was stopped after some of them.
    Partly {
        /// What was changed.
        done: Vec<PathBuf>,
        /// Why it stopped.
        source: Box<Error>,
    },
    /// A pattern (regular expression, glob, structure) cannot be read.
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: PatternProblem,
    },
    /// Nothing matches a pattern that was to be rewritten.
    NothingMatches {
        /// The pattern.
        pattern: String,
    },
    /// More files match than are rewritten in one call.
    TooManyFiles {
        /// How many are.
        most: usize,
    },
    /// There is no grammar for this language, or none can be told from the file names.
    NoGrammar {
        /// The language that was asked for, if one was.
        language: Option<String>,
        /// The languages there are.
        known: Vec<&'static str>,
    },
    /// A number is out of its range.
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// The smallest that is taken.
        least: u64,
        /// The largest that is taken.
        most: u64,
    },
    /// A program could not be started.
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The address of a page cannot be used.
    Url {
        /// The address.
        url: String,
        /// Why.
        problem: UrlProblem,
    },
    /// A page could not be fetched.
    Fetch {
        /// The address that was asked last.
        url: String,
        /// What happened.
        message: String,
    },
    /// It took longer than it may.
    TimedOut {
        /// The limit in milliseconds.
        limit_ms: u64,
    },
    /// The call was asked to end, and did.
    Cancelled,
}

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlProblem {
    /// It is not an address with a host.
    Malformed,
    /// Only `http` and `https` are fetched.
    Scheme,
    /// It carries a user name or a password.
    Credentials,
    /// No address of the host may be reached.
    Address {
        /// The host.
        host: String,
        /// The first of its addresses.
        address: std::net::IpAddr,
    },
    /// More redirects than are followed.
    Redirects {
        /// How many are.
        most: u32,
    },
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// There is nothing in it.
    Empty,
    /// It is longer than is taken.
    TooLong {
        /// The most bytes.
        most: usize,
    },
    /// It is nested deeper than is taken.
    TooDeep {
        /// The most levels.
        most: usize,
    },
    /// The engine's own words, in English.
    Engine(String),
    /// It is more than one piece of code.
    SeveralNodes,
    /// It is no code of the language.
    NotCode {
        /// The language.
        language: String,
    },
    /// It is a regular expression where code is expected.
    Regex,
}

impl PatternProblem {
    /// Chinese first.
    fn texts(&self) -> [String; 2] {
        match self {
            Self::Empty => ["模式为空".to_owned(), "it is empty".to_owned()],
            Self::TooLong { most } => {
                [format!("超过 {most} 字节"), format!("it is longer than {most} bytes")]
            }
            Self::TooDeep { most } => {
                [format!("嵌套超过 {most} 层"), format!("it is nested deeper than {most} levels")]
            }
            Self::Engine(words) => [words.clone(), words.clone()],
            Self::SeveralNodes => [
                "它不是单个语法节点；请写成一个完整的表达式、语句或声明".to_owned(),
                "it is more than one node; write one whole expression, statement or declaration".to_owned(),
            ],
            Self::NotCode { language } => [
                format!("它不是有效的 {language} 代码；模式须是可解析的代码，用 $NAME、$$$NAME 代替可变部分"),
                format!(
                    "it is no valid {language} code; a pattern is code that parses, with $NAME and $$$NAME for what varies"
                ),
            ],
            Self::Regex => [
                "这里需要代码而不是正则表达式；用 $NAME、$$$NAME 代替可变部分，正则请用 grep".to_owned(),
                "code is expected here, not a regular expression; write $NAME and $$$NAME for what varies, or use grep"
                    .to_owned(),
            ],
        }
    }
}

/// One edit that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditFault {
    /// Which edit, from 0.
    pub index: usize,
    /// What is wrong.
    pub problem: EditProblem,
}

/// What is wrong with an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditProblem {
    /// There are no edits at all.
    None,
    /// `oldText` is empty.
    Empty,
    /// `oldText` and `newText` are the same.
    Same,
    /// `oldText` does not occur.
    Missing {
        /// The line that comes nearest, from 1, with its text.
        nearest: Option<(usize, String)>,
        /// Whether that place differs only in blanks, quotes or dashes.
        only_looks: bool,
    },
    /// `oldText` occurs several times.
    Several {
        /// The lines it begins on, from 1; at most ten.
        lines: Vec<usize>,
        /// How often it occurs.
        count: usize,
    },
    /// The span overlaps that of another edit.
    Overlaps {
        /// The other edit, from 0.
        other: usize,
    },
    /// The file is not UTF-8, or holds NUL, and this edit is not plain ASCII.
    NotAscii,
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// Returns the message in a language, fit to hand to a model: it says what to do next where there is something to do.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let [zh, en] = self.texts();
        match language {
            Language::ZhCn => zh,
            Language::En => en,
        }
    }

    /// The catalogue: Chinese first.
    fn texts(&self) -> [String; 2] {
        match self {
            Self::UnknownTool { name } => {
                let known = crate::Tool::ALL.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
                [
                    format!("没有工具 `{name}`；可用：{known}"),
                    format!("there is no tool `{name}`; there are: {known}"),
                ]
            }
            Self::Parameters { tool, message } => [
                format!("`{tool}` 的参数有误：{message}"),
                format!("the parameters of `{tool}` cannot be used: {message}"),
            ],
            Self::EmptyPath => [
                "路径为空；请给出文件或目录的路径".to_owned(),
                "the path is empty; name a file or a directory".to_owned(),
            ],
            Self::NoHome { path } => [
                format!("`{path}`：不知道 ~ 指什么；请使用绝对路径"),
                format!("`{path}`: what ~ stands for is not known; use an absolute path"),
            ],
            Self::Refused(refusal) => [refusal.to_string(), refusal.to_string()],
            Self::Io { path, source } => io_texts(path, source),
            Self::NotAFile { path, directory: true } => [
                format!("`{}` 是目录；列出内容请用 find", path.display()),
                format!("`{}` is a directory; use find to list it", path.display()),
            ],
            Self::NotAFile { path, directory: false } => [
                format!("`{}` 不是普通文件", path.display()),
                format!("`{}` is not a regular file", path.display()),
            ],
            Self::TooLarge { path, size, limit } => [
                format!("`{}` 有 {size} 字节，上限为 {limit}；请用 grep 查找所需部分", path.display()),
                format!(
                    "`{}` has {size} bytes, and at most {limit} are taken; use grep to find the part you need",
                    path.display()
                ),
            ],
            Self::TooDeep { path } => [
                format!("`{}` 的代码嵌套过深，无法解析", path.display()),
                format!("the code of `{}` is nested too deep to be searched", path.display()),
            ],
            Self::Binary { path, size, kind } => {
                let kind = kind.map_or_else(String::new, |kind| format!(", {kind}"));
                [
                    format!("`{}` 不是 UTF-8 文本（{size} 字节{kind}），未作改动", path.display()),
                    format!("`{}` is no UTF-8 text ({size} bytes{kind}), and was left alone", path.display()),
                ]
            }
            Self::PastEnd { path, offset, lines } => [
                format!("`{}` 只有 {lines} 行，offset {offset} 超出末尾", path.display()),
                format!("`{}` has {lines} lines; offset {offset} lies behind its end", path.display()),
            ],
            Self::Edits { path, faults } => edits_texts(path, faults),
            Self::NothingChanges { path } => [
                format!("`{}` 不会有任何变化，未写入", path.display()),
                format!("`{}` would stay as it is; nothing was written", path.display()),
            ],
            Self::ChangedMeanwhile { path } => [
                format!("`{}` 在读取之后被其他程序改动，未写入；请重新 read 再试", path.display()),
                format!(
                    "`{}` was changed by somebody else meanwhile; nothing was written: read it again, then retry",
                    path.display()
                ),
            ],
            Self::Attribute { path, attribute, source } => [
                format!("替换 `{}` 会丢失其 {attribute}（{source}），未写入", path.display()),
                format!(
                    "replacing `{}` would lose its {attribute} ({source}); nothing was written",
                    path.display()
                ),
            ],
            Self::TargetExists { path } => [
                format!("目标 `{}` 已存在；请先移走它，或换一个名称", path.display()),
                format!("`{}` exists already; move it away first, or take another name", path.display()),
            ],
            Self::IntoItself { path } => [
                format!("不能把目录 `{}` 移到它自身之下", path.display()),
                format!("the directory `{}` cannot be moved below itself", path.display()),
            ],
            Self::NotEmpty { path } => [
                format!("目录 `{}` 不为空；move 只删除文件、链接和空目录", path.display()),
                format!(
                    "the directory `{}` is not empty; move deletes files, links and empty directories only",
                    path.display()
                ),
            ],
            Self::CrossesFileSystems { path } => [
                format!("`{}` 与目标不在同一文件系统；只有普通文件可以跨文件系统移动", path.display()),
                format!(
                    "`{}` and the target are on different file systems; only regular files are moved across",
                    path.display()
                ),
            ],
            Self::Partly { done, source } => {
                let names =
                    done.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ");
                let [zh, en] = source.texts();
                [format!("{zh}；此前已改写：{names}"), format!("{en}; changed before that: {names}")]
            }
            Self::Pattern { pattern, problem } => {
                let [zh, en] = problem.texts();
                [
                    format!("无法使用模式 `{pattern}`：{zh}"),
                    format!("the pattern `{pattern}` cannot be read: {en}"),
                ]
            }
            Self::NothingMatches { pattern } => [
                format!("没有代码匹配 `{pattern}`，未作改动；可先用 astgrep 试模式"),
                format!(
                    "nothing matches `{pattern}`, and nothing was changed; try the pattern with astgrep first"
                ),
            ],
            Self::TooManyFiles { most } => [
                format!("匹配的文件超过 {most} 个，未作改动；请缩小 path"),
                format!("more than {most} files match, and nothing was changed; narrow the path"),
            ],
            Self::NoGrammar { language, known } => {
                let known = known.join(", ");
                match language {
                    Some(language) => [
                        format!("没有语言 `{language}` 的语法；可用：{known}"),
                        format!("there is no grammar for `{language}`; there are: {known}"),
                    ],
                    None => [
                        format!("无法从文件名判断语言；请用 lang 指明，可用：{known}"),
                        format!("the file names do not tell the language; name it with lang: {known}"),
                    ],
                }
            }
            Self::OutOfRange { parameter, least, most } => [
                format!("`{parameter}` 必须在 {least} 到 {most} 之间"),
                format!("`{parameter}` must be between {least} and {most}"),
            ],
            Self::Start { program, source } => [
                format!("无法启动 `{program}`：{source}"),
                format!("`{program}` could not be started: {source}"),
            ],
            Self::Url { url, problem } => url_texts(url, problem),
            Self::Fetch { url, message } => {
                [format!("获取 `{url}` 失败：{message}"), format!("`{url}` could not be fetched: {message}")]
            }
            Self::TimedOut { limit_ms } => [
                format!("超过 {limit_ms} 毫秒，已停止；可用 timeout 放宽"),
                format!("stopped after {limit_ms} ms; a larger timeout gives it longer"),
            ],
            Self::Cancelled => ["已取消".to_owned(), "cancelled".to_owned()],
        }
    }
}

fn io_texts(path: &Path, source: &io::Error) -> [String; 2] {
    let shown = path.display();
    match source.kind() {
        io::ErrorKind::NotFound => [
            format!("`{shown}` 不存在；可用 find 查找"),
            format!("`{shown}` does not exist; find can look for it"),
        ],
        io::ErrorKind::PermissionDenied => {
            [format!("`{shown}`：没有权限（{source}）"), format!("`{shown}`: no permission ({source})")]
        }
        _ => [format!("`{shown}`：{source}"), format!("`{shown}`: {source}")],
    }
}

fn edits_texts(path: &Path, faults: &[EditFault]) -> [String; 2] {
    let list = |one: fn(&EditFault) -> String| faults.iter().map(one).collect::<Vec<_>>().join("; ");
    [
        format!("`{}` 未作改动：{}", path.display(), list(|fault| fault.texts()[0].clone())),
        format!("`{}` was not changed: {}", path.display(), list(|fault| fault.texts()[1].clone())),
    ]
}

fn url_texts(url: &str, problem: &UrlProblem) -> [String; 2] {
    let [zh, en] = match problem {
        UrlProblem::Malformed => [
            "不是完整的网址，例如 https://example.com/".to_owned(),
            "not a whole address, such as https://example.com/".to_owned(),
        ],
        UrlProblem::Scheme => {
            ["只支持 http 和 https".to_owned(), "only http and https are fetched".to_owned()]
        }
        UrlProblem::Credentials => [
            "网址中不能带用户名或密码".to_owned(),
            "an address with a user name or a password is not fetched".to_owned(),
        ],
        UrlProblem::Address { host, address } => [
            format!("主机 `{host}` 解析为 {address}（本机、链路本地或保留地址），拒绝连接"),
            format!(
                "the host `{host}` resolves to {address}, which is this machine, link-local or reserved, and is not reached"
            ),
        ],
        UrlProblem::Redirects { most } => {
            [format!("重定向超过 {most} 次"), format!("more than {most} redirects")]
        }
    };
    [format!("`{url}`：{zh}"), format!("`{url}`: {en}")]
}

impl EditFault {
    /// Chinese first.
    fn texts(&self) -> [String; 2] {
        let at = self.index;
        match &self.problem {
            EditProblem::None => ["edits 为空".to_owned(), "there are no edits".to_owned()],
            EditProblem::Empty => [
                format!("edits[{at}]：oldText 为空；创建或整体覆盖请用 write"),
                format!("edits[{at}]: oldText is empty; use write to create or replace a file"),
            ],
            EditProblem::Same => [
                format!("edits[{at}]：oldText 与 newText 相同"),
                format!("edits[{at}]: oldText and newText are the same"),
            ],
            EditProblem::Missing { nearest: None, .. } => [
                format!("edits[{at}]：找不到 oldText；请重新 read 文件"),
                format!("edits[{at}]: oldText does not occur; read the file again"),
            ],
            EditProblem::Missing { nearest: Some((line, text)), only_looks: true } => [
                format!("edits[{at}]：找不到 oldText；第 {line} 行仅空白、引号或破折号不同：{text}"),
                format!(
                    "edits[{at}]: oldText does not occur; line {line} differs only in blanks, quotes or dashes: {text}"
                ),
            ],
            EditProblem::Missing { nearest: Some((line, text)), only_looks: false } => [
                format!("edits[{at}]：找不到 oldText；最接近的是第 {line} 行：{text}"),
                format!("edits[{at}]: oldText does not occur; line {line} comes nearest: {text}"),
            ],
            EditProblem::Several { lines, count } => {
                let lines = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                [
                    format!("edits[{at}]：oldText 出现 {count} 次（行 {lines}）；请多带上下文使其唯一"),
                    format!(
                        "edits[{at}]: oldText occurs {count} times (lines {lines}); add context until it is unique"
                    ),
                ]
            }
            EditProblem::Overlaps { other } => [
                format!("edits[{at}] 与 edits[{other}] 重叠；请合并为一处"),
                format!("edits[{at}] overlaps edits[{other}]; make one edit of them"),
            ],
            EditProblem::NotAscii => [
                format!("edits[{at}]：文件不是 UTF-8 文本，只能替换纯 ASCII 文字"),
                format!("edits[{at}]: the file is no UTF-8 text, and only plain ASCII can be replaced in it"),
            ],
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Io { source, .. } | Self::Attribute { source, .. } | Self::Start { source, .. } => {
                Some(source)
            }
            Self::Partly { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
