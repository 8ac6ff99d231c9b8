//! What the engine itself says to people and models, in both languages.

use crate::locale::Language;
#[cfg(feature = "collision-guard")]
use std::fmt::Display;

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

/// How often the agent was sent on, in a word or two.
#[cfg(feature = "guard-loop")]
pub(crate) fn guard_status(used: u32, limit: u32, language: Language) -> String {
    match language {
        Language::ZhCn => format!("守卫 {used}/{limit}"),
        Language::En => format!("guard {used}/{limit}"),
    }
}

/// An edit is blocked for a reason that is none of the leases' own; `blocked` are the words that every such text begins with.
#[cfg(feature = "collision-guard")]
pub(crate) fn edit_blocked(blocked: &str, cause: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!(
            "{blocked}: 无法判断要修改哪个文件：{cause}\n未作任何修改（fail-closed）。请先排除原因再重试。"
        ),
        Language::En => {
            format!(
                "{blocked}: it cannot be told which file would be changed: {cause}\nNothing was changed. Mend the cause, then try again."
            )
        }
    }
}

/// A lease could not be given back.
#[cfg(feature = "collision-guard")]
pub(crate) fn lease_not_released(path: &impl Display, error: &impl Display, language: Language) -> String {
    match language {
        Language::ZhCn => format!("Collision guard：未能释放 `{path}` 的 lease，下次再试：{error}"),
        Language::En => {
            format!(
                "Collision guard: the lease on `{path}` could not be released, it is tried again: {error}"
            )
        }
    }
}

/// What `/collision` is for.
#[cfg(feature = "collision-guard")]
pub(crate) fn collision_command(language: Language) -> &'static str {
    match language {
        Language::ZhCn => {
            "文件占用：/collision status 看谁占用哪个文件，/collision force-release <path> 确认后强制释放一个文件"
        }
        Language::En => {
            "Who holds which file: /collision status lists them, /collision force-release <path> releases one after a yes"
        }
    }
}

/// The argument of `/collision` is none of its own.
#[cfg(feature = "collision-guard")]
pub(crate) fn collision_usage(argument: &str, language: Language) -> String {
    match language {
        Language::ZhCn => {
            format!("不认识 `{argument}`：写成 /collision status 或 /collision force-release <path>")
        }
        Language::En => {
            format!("`{argument}` is not known: write /collision status or /collision force-release <path>")
        }
    }
}

/// Title of the dialog before a forced release.
#[cfg(feature = "collision-guard")]
pub(crate) fn force_release_title(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("强制释放 {path}？"),
        Language::En => format!("Release {path} by force?"),
    }
}

/// There is nothing to release.
#[cfg(feature = "collision-guard")]
pub(crate) fn nothing_holds(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("`{path}` 没有被占用"),
        Language::En => format!("nothing holds `{path}`"),
    }
}

/// A claim was deleted.
#[cfg(feature = "collision-guard")]
pub(crate) fn force_released(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("已强制释放 `{path}`"),
        Language::En => format!("`{path}` was released by force"),
    }
}

/// The user did not say yes.
#[cfg(feature = "collision-guard")]
pub(crate) fn not_force_released(path: &str, language: Language) -> String {
    match language {
        Language::ZhCn => format!("未释放 `{path}`"),
        Language::En => format!("`{path}` was not released"),
    }
}

/// Nobody can say yes.
#[cfg(feature = "collision-guard")]
pub(crate) fn force_release_needs_ui(language: Language) -> &'static str {
    match language {
        Language::ZhCn => "没有界面，无人可以确认：拒绝 force-release",
        Language::En => "there is no user interface, so nobody can say yes: force-release is refused",
    }
}
