//! What the engine itself says to people and models, in both languages.

use crate::locale::Language;

/// A call is blocked since the extension that was to judge it failed.
pub(crate) fn call_blocked_by_failure(extension: &str, message: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("扩展 {extension} 出错，已拦截这次调用：{message}"),
        Language::En => format!("the extension `{extension}` failed, so the call is blocked: {message}"),
    }
}

/// A command does not run since the extension that was to look at it failed.
pub(crate) fn command_stopped_by_failure(extension: &str, message: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("扩展 {extension} 出错，命令未运行：{message}"),
        Language::En => format!("the extension `{extension}` failed, so the command does not run: {message}"),
    }
}

/// A number of seconds looks like one of milliseconds.
#[cfg(feature = "default-timeout")]
pub(crate) fn timeout_in_milliseconds(seconds: u64, language: Language) -> String {
    match language {
        Language::ZhCn => {
            format!("bash 的 timeout 以秒为单位：{seconds} 秒（若原意是毫秒，应写 {}）", seconds / 1000)
        }
        Language::En => {
            format!(
                "the timeout of bash is in seconds: {seconds} s (if milliseconds were meant, write {})",
                seconds / 1000
            )
        }
    }
}
