//! Why there is no sandbox to be had, and what to do about it.

use crate::text::in_language;
use brakeline_settings::Language;
use std::fs;
use std::path::PathBuf;

/// What stands in the way of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// There is no `bwrap`.
    NoBwrap,
    /// The only `bwrap` lies where sandboxed commands may write.
    WritableBwrap(PathBuf),
    /// `AppArmor` keeps programs from making user namespaces.
    AppArmor,
    /// The kernel's switch for user namespaces of ordinary users is off.
    UserNamespacesOff,
    /// The limit of user namespaces is zero, or reached.
    UserNamespaceLimit,
    /// Something around this process, a container as a rule, forbids namespaces.
    NamespacesForbidden,
    /// Something around this process forbids a fresh `/proc`.
    NoProc,
    /// The network namespace's loopback cannot be switched on.
    NoLoopback,
    /// `bwrap` says something else.
    Other(String),
    /// The sandbox comes up and does not hold: what a command could do in it.
    Leaks(Vec<String>),
}

/// What the kernel says about user namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// `/proc/sys/kernel/unprivileged_userns_clone` is 0.
    pub is_userns_off: bool,
    /// `/proc/sys/kernel/apparmor_restrict_unprivileged_userns` is not 0.
    pub is_restricted_by_apparmor: bool,
    /// `/proc/sys/user/max_user_namespaces` is 0.
    pub is_limit_zero: bool,
}

impl KernelFacts {
    /// Asks the kernel.
    #[must_use]
    pub fn of_host() -> Self {
        let number = |file: &str| {
            fs::read_to_string(format!("/proc/sys/{file}"))
                .ok()
                .and_then(|text| text.trim().parse::<u64>().ok())
        };
        Self {
            is_userns_off: number("kernel/unprivileged_userns_clone") == Some(0),
            is_restricted_by_apparmor: number("kernel/apparmor_restrict_unprivileged_userns")
                .is_some_and(|value| value > 0),
            is_limit_zero: number("user/max_user_namespaces") == Some(0),
        }
    }
}

/// Finds the obstacle in what `bwrap` said and what the kernel says. Pure.
///
/// ```
/// use brakeline_sandbox::diagnose::{KernelFacts, Obstacle, diagnose};
///
/// let facts = KernelFacts { is_restricted_by_apparmor: true, ..KernelFacts::default() };
/// assert_eq!(diagnose("bwrap: setting up uid map: Permission denied", facts), Obstacle::AppArmor);
/// ```
#[must_use]
pub fn diagnose(stderr: &str, facts: KernelFacts) -> Obstacle {
    let says = |text: &str| stderr.contains(text);
    let is_about_namespaces = says("uid map")
        || says("namespace")
        || says("user.max_user_namespaces")
        || says("setting up")
        || says("No permissions to create");
    if says("mount proc") {
        Obstacle::NoProc
    } else if facts.is_limit_zero || says("No space left on device") {
        Obstacle::UserNamespaceLimit
    } else if facts.is_userns_off && is_about_namespaces {
        Obstacle::UserNamespacesOff
    } else if facts.is_restricted_by_apparmor && (is_about_namespaces || says("RTM_NEWADDR")) {
        Obstacle::AppArmor
    } else if says("RTM_NEWADDR") || says("loopback") {
        Obstacle::NoLoopback
    } else if is_about_namespaces {
        Obstacle::NamespacesForbidden
    } else {
        Obstacle::Other(stderr.lines().last().unwrap_or_default().trim().to_owned())
    }
}

impl Obstacle {
    /// Returns the message, one line: that commands are refused, why, and what to do.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (why_zh, why_en) = self.why();
        in_language(
            language,
            format!("沙箱不可用，命令已拒绝：{why_zh}"),
            format!("there is no sandbox, so commands are refused: {why_en}"),
        )
    }

    fn why(&self) -> (String, String) {
        let (zh, en) = match self {
            Self::NoBwrap => (
                "缺少 `bwrap`；请安装 bubblewrap（Debian/Ubuntu：`apt-get install bubblewrap`，Fedora：`dnf install bubblewrap`，Arch：`pacman -S bubblewrap`），或在 sandbox.json 中设置 `\"enabled\": false`",
                "`bwrap` is missing; install bubblewrap (Debian, Ubuntu: `apt-get install bubblewrap`; Fedora: `dnf install bubblewrap`; Arch: `pacman -S bubblewrap`), or set `\"enabled\": false` in sandbox.json",
            ),
            Self::WritableBwrap(path) => {
                let path = path.display();
                return (
                    format!("`{path}` 位于沙箱内命令可写的目录，不可信；请安装到 /usr/bin"),
                    format!(
                        "`{path}` lies where sandboxed commands may write, so it cannot be trusted; install it in /usr/bin"
                    ),
                );
            }
            Self::AppArmor => (
                "AppArmor 禁止创建用户命名空间；请为 bwrap 添加 AppArmor 配置，或运行 `sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
                "AppArmor forbids user namespaces; give bwrap a profile that allows them, or run `sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
            ),
            Self::UserNamespacesOff => (
                "内核禁止普通用户创建用户命名空间；请运行 `sysctl kernel.unprivileged_userns_clone=1`",
                "the kernel forbids user namespaces to ordinary users; run `sysctl kernel.unprivileged_userns_clone=1`",
            ),
            Self::UserNamespaceLimit => (
                "用户命名空间数量已达上限；请调大 `sysctl user.max_user_namespaces`",
                "the limit of user namespaces is reached; raise `sysctl user.max_user_namespaces`",
            ),
            Self::NamespacesForbidden => (
                "当前环境（通常是容器）禁止创建命名空间；请放宽容器的 seccomp 配置，或在容器外运行",
                "this environment, a container as a rule, forbids namespaces; loosen the container's seccomp profile, or run outside of it",
            ),
            Self::NoProc => (
                "当前环境禁止挂载新的 /proc（嵌套沙箱或容器）；请在其外部运行",
                "this environment, a sandbox or container, forbids a fresh /proc; run outside of it",
            ),
            Self::NoLoopback => (
                "无法在新的网络命名空间中启用回环接口；请检查容器权限和 AppArmor 配置",
                "the loopback of a new network namespace cannot be switched on; look at the container's rights and at AppArmor",
            ),
            Self::Other(message) => {
                return (format!("bwrap 报告 `{message}`"), format!("bwrap says `{message}`"));
            }
            Self::Leaks(what) => {
                let what = what.join(", ");
                return (
                    format!("自检未通过，沙箱没有拦住：{what}"),
                    format!("its self-test failed, it does not hold against: {what}"),
                );
            }
        };
        (zh.to_owned(), en.to_owned())
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for Obstacle {}
