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
