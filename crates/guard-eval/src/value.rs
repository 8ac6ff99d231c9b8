//! Guards in entries as JSON values, pi's shapes.

use alloc::borrow::ToOwned;
use alloc::string::ToString;

use serde_json::{Map, Value, json};

use crate::{
    Ack, By, CheckResult, Condition, Entry, Fact, GUARD, GUARD_CHECK, GUARD_CONDITION, GUARD_CONTINUE,
    GUARD_DEFAULTS, Locale, NewEntry,
};

/// An entry that is not well-formed (members missing or of the wrong type, a blank condition, a limit that is no whole
/// number) says nothing.
impl Entry for Value {
    fn fact(&self) -> Option<Fact<'_>> {
        match text(self, "type")? {
            "custom" => custom(text(self, "customType")?, self.get("data")),
            "custom_message" => (text(self, "customType")? == GUARD_CONDITION).then_some(Fact::ConditionSent),
            "message" => checked(self.get("message")?),
            "compaction" => Some(Fact::Compaction),
            _ => None,
        }
    }
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

fn custom<'a>(custom_type: &str, data: Option<&'a Value>) -> Option<Fact<'a>> {
    match custom_type {
        GUARD => match text(data?, "kind")? {
            "set" => Condition::new(text(data?, "condition")?).map(Fact::Set),
            "clear" => Some(Fact::Clear),
            _ => None,
        },
        GUARD_CONTINUE => Some(Fact::Continue),
        GUARD_DEFAULTS => {
            let max_continuations = whole_number(data?.get("maxContinuations")?)?;
            Some(Fact::Defaults { max_continuations })
        }
        _ => None,
    }
}

/// JSON has one kind of number: `5.0` is as whole as `5`.
fn whole_number(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number = value.as_f64()?;
    let whole = (0.0..=f64::from(u32::MAX)).contains(&number) && number % 1.0 == 0.0;
    #[expect(clippy::cast_sign_loss, reason = "not negative, by the line above")]
    whole.then_some(number as u32)
}

fn checked(message: &Value) -> Option<Fact<'_>> {
    if text(message, "role")? != "toolResult" || text(message, "toolName")? != GUARD_CHECK {
        return None;
    }
    let failed = message.get("isError").and_then(Value::as_bool) == Some(true);
    let details = message.get("details");
    let end = details.and_then(|details| details.get("end")?.as_bool()) == Some(true);
    let by = By::from_word(details.and_then(|details| text(details, "by")));
    Some(Fact::Checked(if end && !failed { Ack::Confirmed(by) } else { Ack::NotYet }))
}

impl NewEntry<'_> {
    /// Returns the entry as a host stores it, without id, parent and time, which the host adds; its message in `locale`.
    ///
    /// ```
    /// use guard_eval::{Locale, NewEntry};
    /// use serde_json::json;
    ///
    /// assert_eq!(
    ///     NewEntry::Clear.to_value(Locale::En),
    ///     json!({"type": "custom", "customType": "guard", "data": {"kind": "clear"}}),
    /// );
    /// ```
    #[must_use]
    pub fn to_value(self, locale: Locale) -> Value {
        let mut entry = Map::new();
        let mut member = |name: &str, value: Value| _ = entry.insert(name.to_owned(), value);
        if let Some(message) = self.message() {
            member("type", "custom_message".into());
            member("content", message.in_locale(locale).to_string().into());
            // The user wrote the condition, and sees that it was set; the question is news to both.
            member("display", matches!(self, Self::FeedbackMessage { .. }).into());
        } else {
            member("type", "custom".into());
        }
        member("customType", self.custom_type().into());
        if let Some(data) = self.data() {
            member("data", data);
        }
        Value::Object(entry)
    }

    /// Returns the entry's `data`, or `None` for one that has none.
    #[must_use]
    pub fn data(self) -> Option<Value> {
        match self {
            Self::Set(condition) => Some(json!({"kind": "set", "condition": condition.as_str()})),
            Self::Clear => Some(json!({"kind": "clear"})),
            Self::Defaults { max_continuations } => Some(json!({"maxContinuations": max_continuations})),
            Self::Continue | Self::ConditionMessage(_) | Self::FeedbackMessage { .. } => None,
        }
    }
}

impl CheckResult<'_> {
    /// Returns the result's `details`.
    ///
    /// ```
    /// use guard_eval::Answer;
    /// use serde_json::json;
    ///
    /// assert_eq!(Answer::Satisfied.result().details(), json!({"end": true, "by": "user"}));
    /// assert_eq!(Answer::NotYet { missing: None }.result().details(), json!({"end": false}));
    /// ```
    #[must_use]
    pub fn details(self) -> Value {
        match self.ack {
            Ack::NotYet => json!({"end": false}),
            Ack::Confirmed(by) => match by.as_str() {
                Some(word) => json!({"end": true, "by": word}),
                None => json!({"end": true}),
            },
        }
    }
}
