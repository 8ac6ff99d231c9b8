//! Every text that a person or a model reads, in both languages.

use crate::clock::{Reading, WallTime};
use crate::decide::{Conflict, Holder, Hostile, Standing};
use crate::error::Error;
use crate::lease_set::{EntryState, LostLease, StatusEntry};
use crate::operation::Loss;
use std::time::Duration;

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, `en`.
    #[default]
    En,
    /// Simplified Chinese, `zh-CN`.
    ZhCn,
}

use Language::{En, ZhCn};

/// The first words of every text that blocks a tool, in every language: tests and people look for them.
pub const BLOCKED: &str = "Collision guard blocked";

impl Error {
    /// The text with which a host blocks `edit` or `write`: what is in the way, and how to go on.
    ///
    /// ```
    /// use collision_lease::{Error, Language, Reading};
    ///
    /// let text = Error::NoAgent.block_text(Language::En, Reading::default());
    /// assert!(text.starts_with("Collision guard blocked"));
    /// ```
    #[must_use]
    pub fn block_text(&self, language: Language, now: Reading) -> String {
        format!("{BLOCKED}: {}\n{}", cause(self, language, now), recovery(self, language))
    }
}

fn cause(error: &Error, language: Language, now: Reading) -> String {
    match (error, language) {
        (Error::Held { path, conflict }, En) => {
            format!(
                "`{path}` is held by {}{}.",
                holder(&conflict.holder, language, now),
                standing(conflict, language)
            )
        }
        (Error::Held { path, conflict }, ZhCn) => {
            format!(
                "`{path}` 正由{}占用{}。",
                holder(&conflict.holder, language, now),
                standing(conflict, language)
            )
        }
        (Error::Corrupt { path, reason, left }, En) => {
            format!(
                "the claim of `{path}` is corrupt ({reason}); {} of its grace are left.",
                span(*left, language)
            )
        }
        (Error::Corrupt { path, reason, left }, ZhCn) => {
            format!("`{path}` 的 claim 已损坏（{reason}），corrupt grace 还剩 {}。", span(*left, language))
        }
        (Error::Hostile { path, what, entry }, En) => {
            format!("the claim of `{path}` is {} (`{}`).", hostile(*what, language), entry.display())
        }
        (Error::Hostile { path, what, entry }, ZhCn) => {
            format!("`{path}` 的 claim 是{}（`{}`）。", hostile(*what, language), entry.display())
        }
        (Error::Lost { path, loss: why }, En) => {
            format!("the lease on `{path}` was lost: {}.", loss(why, language, now))
        }
        (Error::Lost { path, loss: why }, ZhCn) => {
            format!("对 `{path}` 的 lease 已丢失：{}。", loss(why, language, now))
        }
        (Error::NoAgent, ZhCn) => "无法确定启动本进程的 agent 进程。".to_owned(),
        (Error::Path(_), ZhCn) => format!("路径规范化失败：{error}。"),
        (Error::Store(_), ZhCn) => format!("lease 状态存储失败：{error}。"),
        (Error::Heartbeat(_), ZhCn) => format!("heartbeat 线程无法启动：{error}。"),
        (Error::NotHeld { .. } | Error::Moved { .. } | Error::NotAsShown { .. }, ZhCn) => {
            format!("lease 状态已变化：{error}。")
        }
        (_, En) => format!("{error}."),
    }
}

fn recovery(error: &Error, language: Language) -> &'static str {
    match (error, language) {
        (Error::Held { .. } | Error::Corrupt { .. }, En) => {
            "To recover: 1. run `/collision status`; 2. wait until the other run settles, or end it in the normal way; 3. try again: \
             a dead holder is taken over at once, an unknown one after 30 s without a heartbeat, a corrupt claim after \
             30 s; 4. only if you are sure that nobody is writing: `/collision force-release <path>`, and say yes."
        }
        (Error::Held { .. } | Error::Corrupt { .. }, ZhCn) => {
            "恢复步骤：1. 执行 `/collision status`；2. 等原 agent 到达 `agent_settled`，或正常退出原 PI；3. 重试操作：死亡 PID \
             可立即接管，未知进程需等待 heartbeat 超过 30 秒，损坏 claim 需等待 30 秒 corrupt grace；4. 只有确认没有活动 writer \
             时，才执行 `/collision force-release <path>` 并在 UI 中确认。"
        }
        (Error::Lost { .. }, En) => {
            "Read the file again before you change it: somebody else may have. Then try again."
        }
        (Error::Lost { .. }, ZhCn) => "其他 agent 可能已修改该文件：请先重新读取，再重试。",
        (Error::Hostile { .. }, En) => {
            "Look at that entry and remove it by hand; nothing is done until then."
        }
        (Error::Hostile { .. }, ZhCn) => "请人工检查并移除该条目；在此之前一律阻止（fail-closed）。",
        (_, En) => {
            "Nothing was changed. Mend the cause, then try again; `/collision status` shows all claims."
        }
        (_, ZhCn) => {
            "未作任何修改（fail-closed）。请先排除原因再重试；`/collision status` 可列出所有 claim。"
        }
    }
}

fn holder(holder: &Holder, language: Language, now: Reading) -> String {
    let mut parts = Vec::new();
    match (&holder.session, language) {
        (Some(session), En) => parts.push(format!("session {}", session.short())),
        (Some(session), ZhCn) => parts.push(format!(" session {}", session.short())),
        (None, En) => parts.push("an unnamed session".to_owned()),
        (None, ZhCn) => parts.push("未知 session ".to_owned()),
    }
    if let Some(pid) = holder.pid {
        parts.push(format!("pid {pid}"));
    }
    if let Some(since) = holder.since {
        let ago = span(now.wall.since(since), language);
        parts.push(match language {
            En => format!("since {} ({ago} ago)", utc(since)),
            ZhCn => format!("自 {} 起（{ago}前）", utc(since)),
        });
    }
    parts.join(match language {
        En => ", ",
        ZhCn => "，",
    })
}

fn standing(conflict: &Conflict, language: Language) -> String {
    match (conflict.why, language) {
        (Standing::Alive, En) => ", which is alive".to_owned(),
        (Standing::Alive, ZhCn) => "（进程存活）".to_owned(),
        (Standing::CannotTell { left }, En) => {
            format!(
                "; whether it is alive cannot be told, it is taken over after {} more of silence",
                span(left, language)
            )
        }
        (Standing::CannotTell { left }, ZhCn) => {
            format!("（进程状态未知，若 heartbeat 再静默 {}即可接管）", span(left, language))
        }
        (Standing::NewerFormat, En) => "; its record is of a newer version, please upgrade".to_owned(),
        (Standing::NewerFormat, ZhCn) => "（claim 格式版本较新，请升级）".to_owned(),
    }
}

fn hostile(what: Hostile, language: Language) -> &'static str {
    match (what, language) {
        (Hostile::Symlink, En) => "a symbolic link",
        (Hostile::Symlink, ZhCn) => "符号链接",
        (Hostile::NotAFile, En) => "not a regular file",
        (Hostile::NotAFile, ZhCn) => "非普通文件",
        (Hostile::OtherOwner, En) => "a file of another user",
        (Hostile::OtherOwner, ZhCn) => "其他用户的文件",
    }
}

fn loss(loss: &Loss, language: Language, now: Reading) -> String {
    match (loss, language) {
        (Loss::Removed, En) => {
            "its claim was removed (a forced release, or the state folder was deleted)".to_owned()
        }
        (Loss::Removed, ZhCn) => "claim 已被删除（force-release，或状态目录被删除）".to_owned(),
        (Loss::TakenOver(by), En) => format!("it was taken over by {}", holder(by, language, now)),
        (Loss::TakenOver(by), ZhCn) => format!("已被{}接管", holder(by, language, now)),
        (Loss::Unreadable(reason), En) => format!("its claim cannot be read ({reason})"),
        (Loss::Unreadable(reason), ZhCn) => format!("claim 无法读取（{reason}）"),
    }
}

impl LostLease {
    /// The text with which a host reports a lost lease.
    #[must_use]
    pub fn text(&self, language: Language, now: Reading) -> String {
        let why = loss(&self.loss, language, now);
        match language {
            En => format!("Collision guard: the lease on `{}` was lost: {why}", self.path),
            ZhCn => format!("Collision guard：对 `{}` 的 lease 已丢失：{why}", self.path),
        }
    }
}

impl StatusEntry {
    /// One line of `/collision status`.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match &self.state {
            EntryState::Claim { claim, mine, stale, .. } => {
                let path = claim.path.as_ref().map_or_else(|| self.key.short(), ToString::to_string);
                let session = claim.session.as_ref().map_or_else(|| "-".to_owned(), crate::SessionId::short);
                let since = claim
                    .acquired
                    .wall
                    .map_or_else(|| "-".to_owned(), |at| span(self.now.wall.since(at), language));
                let whose = if *mine { "[self]" } else { "[other]" };
                let state = if *stale { "stale" } else { "active" };
                match language {
                    En => format!(
                        "{whose} {path}  session {session}  pid {}  held {since}  {state}",
                        claim.process.pid
                    ),
                    ZhCn => format!(
                        "{whose} {path}  session {session}  pid {}  已占用 {since}  {state}",
                        claim.process.pid
                    ),
                }
            }
            EntryState::Newer { holder: by } => match language {
                En => format!(
                    "[other] claim {}  {}  newer format, held",
                    self.key.short(),
                    holder(by, language, self.now)
                ),
                ZhCn => format!(
                    "[other] claim {} {}  格式版本较新，视为占用",
                    self.key.short(),
                    holder(by, language, self.now)
                ),
            },
            EntryState::Corrupt { held_by: Some(by), .. } => match language {
                En => format!(
                    "[other] claim {}  corrupt, held by {}",
                    self.key.short(),
                    holder(by, language, self.now)
                ),
                ZhCn => format!(
                    "[other] claim {}  已损坏，由{}占用",
                    self.key.short(),
                    holder(by, language, self.now)
                ),
            },
            EntryState::Corrupt { reason, left, .. } => match (language, left.is_zero()) {
                (En, false) => {
                    format!(
                        "claim {}  corrupt ({reason})  {} of grace left",
                        self.key.short(),
                        span(*left, language)
                    )
                }
                (En, true) => format!("claim {}  corrupt ({reason})  grace is over", self.key.short()),
                (ZhCn, false) => {
                    format!(
                        "claim {}  已损坏（{reason}）  grace 剩余 {}",
                        self.key.short(),
                        span(*left, language)
                    )
                }
                (ZhCn, true) => format!("claim {}  已损坏（{reason}）  grace 已结束", self.key.short()),
            },
            EntryState::Hostile(what) => match language {
                En => {
                    format!("claim {}  is {}; remove it by hand", self.key.short(), hostile(*what, language))
                }
                ZhCn => format!("claim {}  是{}，请人工移除", self.key.short(), hostile(*what, language)),
            },
        }
    }

    /// All of `/collision status`.
    #[must_use]
    pub fn list_text(entries: &[Self], language: Language) -> String {
        if entries.is_empty() {
            return match language {
                En => "No claims.".to_owned(),
                ZhCn => "没有 claim。".to_owned(),
            };
        }
        entries.iter().map(|entry| entry.text(language)).collect::<Vec<_>>().join("\n")
    }

    /// The question that a person must answer with yes before a forced release: it names holder and token.
    #[must_use]
    pub fn force_question(&self, language: Language) -> String {
        let token = match &self.state {
            EntryState::Claim { claim, .. } => claim.token.as_ref().map(ToString::to_string),
            _ => None,
        };
        let token = token.unwrap_or_else(|| "-".to_owned());
        let line = self.text(language);
        match language {
            En => format!(
                "{line}\ntoken {token}\nReleasing it by force may let two running agents write the same file. Release it?"
            ),
            ZhCn => format!(
                "{line}\ntoken {token}\nforce-release 会直接删除该 claim，可能让两个仍在运行的 PI 同时写文件。确认释放吗？"
            ),
        }
    }
}

/// `2m 13s`, rounded down; under a second in milliseconds.
fn span(duration: Duration, language: Language) -> String {
    let (hours, minutes, seconds) = match language {
        En => ("h", "m", "s"),
        ZhCn => (" 小时", " 分", " 秒"),
    };
    let total = duration.as_secs();
    match (total / 3600, total / 60 % 60, total % 60) {
        (0, 0, 0) if !duration.is_zero() => format!("0.{:03}{seconds}", duration.subsec_millis()),
        (0, 0, s) => format!("{s}{seconds}"),
        (0, m, s) => format!("{m}{minutes} {s}{seconds}"),
        (h, m, _) => format!("{h}{hours} {m}{minutes}"),
    }
}

/// `2026-11-30 17:49:22 UTC`.
fn utc(at: WallTime) -> String {
    let seconds = at.0 / 1000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days to a date of the Gregorian calendar, counted in years that begin in March, so that the leap day comes last.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (millis, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_796_060_962_000, "2026-11-30 17:49:22 UTC"),
            (4_107_542_399_999, "2100-02-28 23:59:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(WallTime(millis)), text);
        }
    }

    #[test]
    fn the_last_moment_does_not_overflow() {
        assert!(utc(WallTime(u64::MAX)).ends_with("UTC"));
    }

    #[test]
    fn spans() {
        let millis = Duration::from_millis;
        assert_eq!(span(millis(0), En), "0s");
        assert_eq!(span(millis(999), En), "0.999s");
        assert_eq!(span(millis(133_000), En), "2m 13s");
        assert_eq!(span(millis(7_260_000), ZhCn), "2 小时 1 分");
    }
}
