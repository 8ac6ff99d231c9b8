//! Every text that a person or a model reads, in both languages.

use core::fmt;

use crate::{By, CommandError, Condition};

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Locale {
    /// Simplified Chinese, `zh-CN`.
    ZhCn,
    /// English, `en`.
    #[default]
    En,
}

/// A text of the catalogue, with what stands in it.
///
/// ```
/// use guard_eval::{Locale, Text};
///
/// let text = Text::Feedback { number: 1, limit: 5 };
/// assert_eq!(text.in_locale(Locale::ZhCn).to_string(), "提问：你是否做完了？（第 1/5 次续跑）");
/// assert_eq!(text.in_locale(Locale::En).to_string(), "Question: are you done? (continuation 1 of 5)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text<'a> {
    /// To the model: there is a guard, and what to do before stopping.
    Condition {
        /// What must be met.
        condition: Condition<'a>,
    },
    /// To the model and the user: it stopped unconfirmed.
    Feedback {
        /// Which continuation this is, from 1.
        number: u32,
        /// How many there may be.
        limit: u32,
    },

    /// To the model: what the tool `guard_check` is for.
    ToolDescription,
    /// To the model: what the tool's parameter `note` is for.
    NoteDescription,
    /// To the user: title of the dialog that asks whether the condition is met. Shows all of both.
    CheckTitle {
        /// What must be met.
        condition: Condition<'a>,
        /// What the model says it has done; a blank note is as good as none.
        note: Option<&'a str>,
    },
    /// To the user: the option that the condition is met.
    Satisfied,
    /// To the user: the option that it is not.
    NotYet,
    /// To the user: title of the dialog that asks what is missing.
    AskMissing,
    /// To the model: the condition counts as met.
    CheckSatisfied {
        /// How that came.
        by: By,
    },
    /// To the model: it is not met, and the user did not say why.
    NotSaid,
    /// Someone's own words, in any language.
    Verbatim {
        /// The words.
        text: &'a str,
    },

    /// To the user: the guard lets go since the condition counts as met.
    Released {
        /// How that came.
        by: By,
    },
    /// To the user: the guard lets go since the limit was reached.
    LimitReached {
        /// What was to be met.
        condition: Condition<'a>,
        /// How often the agent was sent on at most.
        limit: u32,
    },
    /// To the user: the guard lets go since the program that decides is gone.
    EngineGone,

    /// To the user: the guard in force.
    Show {
        /// What must be met.
        condition: Condition<'a>,
        /// How often the agent was sent on.
        used: u32,
        /// How often it may be.
        limit: u32,
    },
    /// There is no guard.
    NoGuard,
    /// To the user: a guard was set.
    GuardSet {
        /// What must be met.
        condition: Condition<'a>,
        /// How often the agent may be sent on.
        limit: u32,
    },
    /// To the user: the settings set a guard as the session started.
    GuardSetBySettings {
        /// What must be met.
        condition: Condition<'a>,
    },
    /// To the user: the guard was cleared.
    GuardCleared {
        /// What was to be met.
        condition: Condition<'a>,
    },
    /// To the user: this session's limit.
    Limit {
        /// How often the agent may be sent on.
        limit: u32,
    },
    /// To the user: this session's limit was changed.
    LimitSet {
        /// How often the agent may be sent on.
        limit: u32,
    },
    /// To the user: the argument of `/guard` was refused, and how to mend it.
    Refused {
        /// Why.
        error: CommandError<'a>,
    },
    /// To the user: what `/guard` is for.
    CommandDescription,
}

/// A text in a language; its `Display` is the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Localized<'a> {
    text: Text<'a>,
    locale: Locale,
}

impl<'a> Text<'a> {
    /// Returns the text in a language.
    #[must_use]
    pub fn in_locale(self, locale: Locale) -> Localized<'a> {
        Localized { text: self, locale }
    }
}

impl Localized<'_> {
    /// Tells whether this is what `text` reads, without building it.
    pub(crate) fn is(self, text: &str) -> bool {
        let mut rest = Rest(text);
        fmt::write(&mut rest, format_args!("{self}")).is_ok() && rest.0.is_empty()
    }
}

/// What is left of a text after what was written is taken off its front.
struct Rest<'a>(&'a str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(piece).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// What a user wrote, as far as it fits into one line of an answer.
struct Brief<'a>(&'a str);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 60;
        let line = self.0.lines().next().unwrap_or_default();
        let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(end, _)| end);
        f.write_str(line.get(..end).unwrap_or(line))?;
        if end < self.0.len() { f.write_str("…") } else { Ok(()) }
    }
}

impl fmt::Display for Localized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locale = self.locale;
        // Chinese first, English second; what stands in a text is named alike in both.
        macro_rules! say {
            ($zh:literal, $en:literal) => {
                match locale {
                    Locale::ZhCn => write!(f, $zh),
                    Locale::En => write!(f, $en),
                }
            };
        }
        match self.text {
            Text::Condition { condition } => say!(
                "本会话有一条守卫条件：\n{condition}\n\n收工之前必须先调用 guard_check 工具，由用户本人判定条件是否已满足；没有确认就停下会被打回继续。",
                "This session has a guard condition:\n{condition}\n\nBefore you stop you must call the tool guard_check: the user decides whether the condition is met. If you stop unconfirmed you will be sent on."
            ),
            Text::Feedback { number, limit } => say!(
                "提问：你是否做完了？（第 {number}/{limit} 次续跑）",
                "Question: are you done? (continuation {number} of {limit})"
            ),

            Text::ToolDescription => say!(
                "请用户判定守卫条件是否已满足。收工之前必须调用。",
                "Asks the user whether the guard condition is met. Must be called before you stop."
            ),
            Text::NoteDescription => {
                say!(
                    "做完了什么，一两句话，给用户看",
                    "What was done, in a sentence or two, for the user to read"
                )
            }
            Text::CheckTitle { condition, note } => {
                say!("守卫条件是否已满足：{condition}", "Is the guard condition met? {condition}")?;
                match note.filter(|note| !note.trim().is_empty()) {
                    Some(note) => say!("\n模型说明：{note}", "\nThe model says: {note}"),
                    None => Ok(()),
                }
            }
            Text::Satisfied => say!("✅ 满足了，可以收工", "✅ It is met, you may stop"),
            Text::NotYet => say!("🔁 还没，继续干", "🔁 Not yet, go on"),
            Text::AskMissing => say!("还差什么", "What is still missing?"),
            Text::CheckSatisfied { by } => match by {
                By::User => say!(
                    "用户确认条件已满足，可以收工。",
                    "The user confirmed that the condition is met. You may stop."
                ),
                By::NoUi => {
                    say!("没有可以询问的人，按已满足放行。", "There is nobody to ask; it counts as met.")
                }
                By::Dismissed => {
                    say!("用户关闭了询问，按已满足放行。", "The user closed the question; it counts as met.")
                }
                By::Timeout => {
                    say!("询问超时，按已满足放行。", "The user did not answer in time; it counts as met.")
                }
                By::Unstated => say!("按已满足放行。", "It counts as met."),
            },
            Text::NotSaid => say!("用户未说明", "The user did not say"),
            Text::Verbatim { text } => f.write_str(text),

            Text::Released { by } => match by {
                By::User => say!("✅ 用户确认条件已满足", "✅ The user confirmed that the condition is met"),
                By::NoUi => say!(
                    "⚠️ 没有可以询问的人，守卫按已满足放行",
                    "⚠️ There was nobody to ask: the guard lets go as if the condition were met"
                ),
                By::Dismissed => say!(
                    "⚠️ 询问被关闭，守卫按已满足放行",
                    "⚠️ The question was closed: the guard lets go as if the condition were met"
                ),
                By::Timeout => say!(
                    "⚠️ 询问超时，守卫按已满足放行",
                    "⚠️ Nobody answered in time: the guard lets go as if the condition were met"
                ),
                By::Unstated => say!(
                    "⚠️ 未注明由谁确认，守卫按已满足放行",
                    "⚠️ It is not said who confirmed: the guard lets go as if the condition were met"
                ),
            },
            Text::LimitReached { condition, limit } => say!(
                "⚠️ 已达续跑上限（{limit} 次），守卫未获确认，清除并放行：{condition}",
                "⚠️ The limit of {limit} continuations is reached: the guard lets go unconfirmed: {condition}"
            ),
            Text::EngineGone => say!(
                "⚠️ 守卫程序已退出，守卫放行",
                "⚠️ The program that keeps the guard is gone: the guard lets go"
            ),

            Text::Show { condition, used, limit } => say!(
                "守卫：{condition}（已续跑 {used}/{limit} 次）",
                "Guard: {condition} ({used} of {limit} continuations used)"
            ),
            Text::NoGuard => say!("当前没有守卫", "There is no guard"),
            Text::GuardSet { condition, limit } => say!(
                "已设守卫：{condition}（最多续跑 {limit} 次）。接下来正常描述任务。",
                "Guard set: {condition} (up to {limit} continuations). Now describe the task as usual."
            ),
            Text::GuardSetBySettings { condition } => {
                say!("已按配置设守卫：{condition}", "Guard set by the settings: {condition}")
            }
            Text::GuardCleared { condition } => say!("已解除守卫：{condition}", "Guard cleared: {condition}"),
            Text::Limit { limit } => {
                say!("本会话续跑上限：{limit} 次", "Limit of this session: {limit} continuations")
            }
            Text::LimitSet { limit } => {
                say!("本会话续跑上限已改为 {limit} 次", "Limit of this session is now {limit} continuations")
            }
            Text::Refused { error } => match error {
                CommandError::EmptyCondition => say!(
                    "守卫条件不能为空：写成 /guard <条件>，解除用 /guard off",
                    "a guard needs a condition: write /guard <condition>, or /guard off to clear the guard"
                ),
                CommandError::AfterOff { rest } => {
                    let rest = Brief(rest);
                    say!(
                        "off 后面不能跟 `{rest}`：解除守卫用 /guard off；如果这是条件，请用引号包起来：/guard \"off {rest}\"",
                        "nothing may follow `off`, but `{rest}` does: write /guard off to clear the guard, or quote a condition: /guard \"off {rest}\""
                    )
                }
                CommandError::NotALimit { rest } => {
                    let rest = Brief(rest);
                    say!(
                        "`{rest}` 不是续跑上限（0 到 4294967295 的整数）；如果这是条件，请用引号包起来：/guard \"max {rest}\"",
                        "`{rest}` is not a limit (a whole number from 0 to 4294967295): write /guard max 5, or quote a condition: /guard \"max {rest}\""
                    )
                }
            },
            Text::CommandDescription => say!(
                "守卫：用户确认条件已满足之前不让收工。/guard 看，/guard <条件> 设，/guard off 解除，/guard max [n] 看或改续跑上限",
                "Guard: no stopping before the user confirms a condition. /guard shows it, /guard <condition> sets it, /guard off clears it, /guard max [n] shows or changes the limit"
            ),
        }
    }
}
