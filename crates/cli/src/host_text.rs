//! What installing and looking into an installation say, in both languages.

use brakeline_settings::Language::{self, En, ZhCn};
use std::io;
use std::path::Path;

pub(crate) fn no_home(language: Language) -> &'static str {
    match language {
        En => "HOME is not set to an absolute path; set it",
        ZhCn => "HOME 不是绝对路径，请先设置",
    }
}

pub(crate) fn no_program(language: Language) -> &'static str {
    match language {
        En => "cannot tell where this program stands; name it with --program",
        ZhCn => "无法确定本程序的位置，请用 --program 指定",
    }
}

pub(crate) fn other_name(program: &str, language: Language) -> String {
    match language {
        En => format!(
            "the program is called `{program}`; name one whose file is called `brakeline` with --program"
        ),
        ZhCn => format!("程序名是 `{program}`；请用 --program 指定文件名为 `brakeline` 的程序"),
    }
}

pub(crate) fn no_package(language: Language) -> &'static str {
    match language {
        En => "there is no pi package beside this program; name its folder (hosts/pi) with --package",
        ZhCn => "本程序旁边没有 pi 扩展包，请用 --package 指定其目录（hosts/pi）",
    }
}

pub(crate) fn file_failed(file: &Path, error: &io::Error, language: Language) -> String {
    match language {
        En => format!("`{}`: {error}; nothing was written to it", file.display()),
        ZhCn => format!("`{}`：{error}；没有写入", file.display()),
    }
}

pub(crate) fn not_ours(file: &Path, language: Language) -> String {
    match language {
        En => format!("`{}` exists and is not brakeline's; move it away first", file.display()),
        ZhCn => format!("`{}` 已存在且不是 brakeline 的文件，请先移走", file.display()),
    }
}

pub(crate) fn already_installed(language: Language) -> &'static str {
    match language {
        En => "already installed: there is nothing to change",
        ZhCn => "已经安装，无需改动",
    }
}

pub(crate) fn installed(host: &str, language: Language) -> String {
    match language {
        En => format!("installed into {host}; `brakeline uninstall {host}` gives back what was there"),
        ZhCn => format!("已安装到 {host}；`brakeline uninstall {host}` 可还原"),
    }
}

pub(crate) fn not_installed(host: &str, language: Language) -> String {
    match language {
        En => format!("not installed into {host}: there is nothing to remove"),
        ZhCn => format!("没有安装到 {host}，无需移除"),
    }
}

pub(crate) fn uninstalled(host: &str, language: Language) -> String {
    match language {
        En => format!("removed from {host}"),
        ZhCn => format!("已从 {host} 移除"),
    }
}

pub(crate) fn wrote(file: &str, language: Language) -> String {
    match language {
        En => format!("wrote {file}"),
        ZhCn => format!("已写入 {file}"),
    }
}

pub(crate) fn dry_run(language: Language) -> &'static str {
    match language {
        En => "nothing was written (--dry-run)",
        ZhCn => "没有写入（--dry-run）",
    }
}

pub(crate) fn nothing_written(language: Language) -> &'static str {
    match language {
        En => "nothing was written",
        ZhCn => "没有写入",
    }
}

pub(crate) fn no_terminal(language: Language) -> &'static str {
    match language {
        En => "nothing was written: there is no terminal to ask on; --apply writes without asking",
        ZhCn => "没有写入：没有可以询问的终端；用 --apply 直接写入",
    }
}

pub(crate) fn ask_to_write(language: Language) -> &'static str {
    match language {
        En => "Write these changes?",
        ZhCn => "写入以上改动？",
    }
}

pub(crate) fn needs_trust(language: Language) -> &'static str {
    match language {
        En => "Codex runs new hooks only after you have trusted them: start codex and enter /hooks",
        ZhCn => "Codex 只运行你信任过的 hook：启动 codex 并输入 /hooks",
    }
}

pub(crate) fn own_program(version: &str, file: &str, language: Language) -> String {
    match language {
        En => format!("brakeline {version} ({file})"),
        ZhCn => format!("brakeline {version}（{file}）"),
    }
}

pub(crate) fn settings_file(file: &str, is_there: bool, language: Language) -> String {
    match (is_there, language) {
        (true, _) => file.to_owned(),
        (false, En) => format!("{file}: not there, so defaults are in force"),
        (false, ZhCn) => format!("{file}：不存在，使用默认值"),
    }
}

pub(crate) fn default_setting(key: &str, value: Option<&serde_json::Value>, language: Language) -> String {
    let value = value.map(ToString::to_string).unwrap_or_default();
    match language {
        En => format!("{key} = {value} (default)"),
        ZhCn => format!("{key} = {value}（默认）"),
    }
}

pub(crate) fn mend_settings(language: Language) -> &'static str {
    match language {
        En => "mend the file; until then hooks and commands refuse to judge by it",
        ZhCn => "请改正这个文件；在此之前 hook 与命令都不会据此判断",
    }
}

pub(crate) fn project_if_trusted(language: Language) -> &'static str {
    match language {
        En => "the project's file counts only if pi trusts the project",
        ZhCn => "只有 pi 信任该项目时，项目配置才生效",
    }
}

pub(crate) fn no_hosts(language: Language) -> &'static str {
    match language {
        En => "no host was found in this home directory",
        ZhCn => "在主目录下没有发现任何宿主",
    }
}

pub(crate) fn host_with(host: &str, file: &str, language: Language) -> String {
    match language {
        En => format!("{host}: installed ({file})"),
        ZhCn => format!("{host}：已安装（{file}）"),
    }
}

pub(crate) fn host_outdated(host: &str, file: &str, language: Language) -> String {
    match language {
        En => format!("{host}: what stands in {file} is not what this version installs"),
        ZhCn => format!("{host}：{file} 中的内容与本版本安装的不一致"),
    }
}

pub(crate) fn host_without(host: &str, language: Language) -> String {
    match language {
        En => format!("{host}: found, and brakeline is not installed in it"),
        ZhCn => format!("{host}：已发现，但没有安装 brakeline"),
    }
}

pub(crate) fn mend_install(host: &str, language: Language) -> String {
    match language {
        En => format!("brakeline install {host}"),
        ZhCn => format!("运行 brakeline install {host}"),
    }
}

pub(crate) fn program_missing(host: &str, program: &str, language: Language) -> String {
    match language {
        En => format!(
            "{host}: its hooks call `{program}`, which cannot be run, so every tool they judge is blocked"
        ),
        ZhCn => format!("{host}：hook 调用的 `{program}` 无法运行，被检测的工具都会被拦截"),
    }
}

pub(crate) fn other_version(
    host: &str,
    program: &str,
    version: &str,
    own: &str,
    language: Language,
) -> String {
    match language {
        En => format!("{host}: its hooks call `{program}`, which is `{version}`; this is `{own}`"),
        ZhCn => format!("{host}：hook 调用的 `{program}` 是 `{version}`，而本程序是 `{own}`"),
    }
}

pub(crate) fn bash_not_judged(language: Language) -> &'static str {
    match language {
        En => "hooks leave commands given to bash alone (blockFindRoot.blockBash is false)",
        ZhCn => "hook 不检测交给 bash 的命令（blockFindRoot.blockBash 为 false）",
    }
}

pub(crate) fn mend_block_bash(file: &str, language: Language) -> String {
    match language {
        En => format!("set \"blockBash\": true in {file}, if that is not on purpose"),
        ZhCn => format!("若非有意，请在 {file} 中设置 \"blockBash\": true"),
    }
}

pub(crate) fn no_claims_folder(folder: &str, language: Language) -> String {
    match language {
        En => format!("{folder}: not there yet, the first edit makes it"),
        ZhCn => format!("{folder}：尚不存在，第一次编辑时创建"),
    }
}

pub(crate) fn claims(folder: &str, count: usize, language: Language) -> String {
    match language {
        En => format!("{folder}: {count} held"),
        ZhCn => format!("{folder}：占用 {count} 个"),
    }
}

pub(crate) fn claims_unusable(folder: &str, error: &impl std::fmt::Display, language: Language) -> String {
    match language {
        En => format!("{folder}: {error}; every edit is blocked until that is mended"),
        ZhCn => format!("{folder}：{error}；在解决之前，所有编辑都会被拦截"),
    }
}

pub(crate) fn mend_claims(language: Language) -> &'static str {
    match language {
        En => "look at the folder; if no agent is at work, it may be deleted",
        ZhCn => "检查该目录；如果没有 agent 在工作，可以删除它",
    }
}

pub(crate) fn mend_newer(language: Language) -> &'static str {
    match language {
        En => "a newer brakeline wrote it; bring this one up to date",
        ZhCn => "它由更新版本的 brakeline 写入，请升级本程序",
    }
}

pub(crate) fn mend_hostile(language: Language) -> &'static str {
    match language {
        En => "remove that entry by hand; edits of its file are blocked until then",
        ZhCn => "请人工移除该条目；在此之前对应文件的编辑会被拦截",
    }
}

pub(crate) fn sandbox_holds(program: &Path, language: Language) -> String {
    match language {
        En => format!("the sandbox holds, by its own test ({})", program.display()),
        ZhCn => format!("沙箱自检通过（{}）", program.display()),
    }
}

pub(crate) fn no_sandbox_file(language: Language) -> &'static str {
    match language {
        En => "there is no sandbox.json: neither sandbox nor shell permissions take part",
        ZhCn => "没有 sandbox.json：沙箱与 shell 权限都不参与",
    }
}

pub(crate) fn sandbox_enabled(is_on: bool, language: Language) -> &'static str {
    match (is_on, language) {
        (true, En) => "the sandbox is on",
        (true, ZhCn) => "沙箱已启用",
        (false, En) => "the sandbox is off (enabled is false)",
        (false, ZhCn) => "沙箱已关闭（enabled 为 false）",
    }
}

pub(crate) fn mend_sandbox(language: Language) -> &'static str {
    match language {
        En => "commands do not run until that is mended, or \"enabled\" is false",
        ZhCn => "在解决之前命令不会运行；也可以设置 \"enabled\": false",
    }
}

pub(crate) fn sum(problems: usize, language: Language) -> String {
    match (problems, language) {
        (0, En) => "nothing to mend".to_owned(),
        (0, ZhCn) => "没有需要处理的问题".to_owned(),
        (1, En) => "1 problem".to_owned(),
        (problems, En) => format!("{problems} problems"),
        (problems, ZhCn) => format!("{problems} 个问题"),
    }
}
