//! Values of the engine as they stand on the wire, and back.

use super::wire::{Dialog, Reply, WireAnswer, WireEffect, WireMessage, WireReport};
use brakeline::{Answer, CustomMessage, Effect, Question, Report};
use std::time::Duration;

impl From<CustomMessage> for WireMessage {
    fn from(message: CustomMessage) -> Self {
        let CustomMessage { custom_type, content, display, details } = message;
        Self { custom_type, content, display, details }
    }
}

impl From<Effect> for WireEffect {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::AppendEntry { custom_type, data } => Self::AppendEntry { custom_type, data },
            Effect::SendMessage { message, starts_turn } => {
                Self::SendMessage { message: message.into(), trigger_turn: starts_turn }
            }
            Effect::SetActiveTools { add, remove } => Self::SetTools { activate: add, deactivate: remove },
            Effect::Notify { level, message } => Self::Notify { level: level.name(), text: message },
            Effect::SetStatus { key, text } => Self::SetStatus { key, text },
        }
    }
}

impl From<Report> for WireReport {
    fn from(report: Report) -> Self {
        let Report { extension, event, message } = report;
        Self { extension, event, message }
    }
}

impl Reply {
    /// A reply that only wants something done.
    pub(super) fn of(effects: Vec<Effect>, reports: Vec<Report>) -> Self {
        Self {
            effects: effects.into_iter().map(WireEffect::from).collect(),
            reports: reports.into_iter().map(WireReport::from).collect(),
            ..Self::default()
        }
    }
}

impl From<&Question> for Dialog {
    fn from(question: &Question) -> Self {
        let timeout_ms = question.timeout().map(millis);
        match question.clone() {
            Question::Select { title, options, .. } => Self::Select { title, options, timeout_ms },
            Question::Confirm { title, message, .. } => Self::Confirm { title, message, timeout_ms },
            Question::Input { title, placeholder, .. } => Self::Input { title, placeholder, timeout_ms },
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl From<WireAnswer> for Answer {
    fn from(answer: WireAnswer) -> Self {
        match answer {
            WireAnswer::Selected { index } => Self::Selected(index),
            WireAnswer::Confirmed { yes } => Self::Confirmed(yes),
            WireAnswer::Text { text } => Self::Text(text),
            WireAnswer::Dismissed => Self::Dismissed,
            WireAnswer::TimedOut => Self::TimedOut,
            WireAnswer::NoUi => Self::NoUi,
        }
    }
}
