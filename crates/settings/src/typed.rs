//! Typed reads through serde; the error names the path, what was expected and what was found.

use std::fmt;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Unexpected, Visitor,
};
use serde_json::{Map, Value, map};

use crate::get::resolve;
use crate::key_path::{KeyPath, Segment};
use crate::merge::merge;

/// A value that is there but cannot be read as the type asked for.
///
/// ```
/// use brakeline_settings::get_as;
///
/// let settings = serde_json::json!({"users": [{"age": "36"}]});
/// #[derive(Debug, serde::Deserialize)]
/// struct User { age: u8 }
///
/// let error = get_as::<Vec<User>>(&settings, "users").unwrap_err();
/// assert_eq!(error.path().to_string(), "users[0].age");
/// assert_eq!(error.expected(), "a whole number from 0 to 255");
/// assert_eq!(error.found(), r#"the text "36""#);
/// assert_eq!(error.to_string(), r#"`users[0].age`: expected a whole number from 0 to 255, found the text "36""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: expected {expected}, found {found}")]
pub struct ReadError {
    path: KeyPath,
    expected: String,
    found: String,
}

impl ReadError {
    /// Returns the path of the value that does not fit: the one asked for, or one below it.
    #[must_use]
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns what would fit there, in words.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns what stands there, in words.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }
}

/// Reads the value that a path leads to as a type; `None` where the settings have none.
///
/// Nothing is converted: text is no number, `5.0` is no whole number, and `null` is only read as an `Option` or unit.
///
/// # Errors
///
/// [`ReadError`] when a value is there and does not fit.
pub fn get_as<T: DeserializeOwned>(
    settings: &Value,
    path: impl Into<KeyPath>,
) -> Result<Option<T>, ReadError> {
    let Some((steps, value)) = resolve(settings, &path.into()) else { return Ok(None) };
    read_as(value, steps).map(Some)
}

/// Reads the value that a path leads to, laid over a default as [`read_setting`](crate::read_setting) does, as a type.
///
/// ```
/// use brakeline_settings::{GuardLoop, read_setting_as};
/// use serde_json::json;
///
/// let settings = json!({"guardLoop": {"maxContinuations": 3}});
/// let retries: u32 = read_setting_as(&settings, "guardLoop.maxContinuations", 5)?;
/// assert_eq!(retries, 3);
///
/// let guard: GuardLoop = read_setting_as(&settings, "guardLoop", json!({"auto": "tests pass"}))?;
/// assert_eq!((guard.max_continuations, guard.auto.as_str()), (3, "tests pass"));
/// # Ok::<(), brakeline_settings::ReadError>(())
/// ```
///
/// # Errors
///
/// [`ReadError`] when the result does not fit the type; that can be the default's fault too.
pub fn read_setting_as<T: DeserializeOwned>(
    settings: &Value,
    path: impl Into<KeyPath>,
    default: impl Into<Value>,
) -> Result<T, ReadError> {
    let path = path.into();
    match resolve(settings, &path) {
        Some((steps, configured)) => read_as(&merge(default.into(), configured), steps),
        None => read_as(&default.into(), path.segments().to_vec()),
    }
}

fn read_as<T: DeserializeOwned>(value: &Value, steps: Vec<Segment>) -> Result<T, ReadError> {
    T::deserialize(Reader(value)).map_err(|mismatch| {
        let below = mismatch.below.into_iter().rev();
        let path = steps.into_iter().chain(below).collect();
        ReadError { path, expected: mismatch.expected, found: mismatch.found }
    })
}

/// What did not fit, with the steps from the root of the read to it, innermost first.
#[derive(Debug)]
struct Mismatch {
    below: Vec<Segment>,
    expected: String,
    found: String,
}

impl Mismatch {
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { below: Vec::new(), expected: expected.into(), found: found.into() }
    }

    /// Says that it happened below this step.
    fn under(mut self, segment: impl Into<Segment>) -> Self {
        self.below.push(segment.into());
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        // A type's own rule, in its own words; a message is one line.
        let message = message.to_string().replace(['\n', '\r'], " ");
        Self::new("a value that the setting accepts", format!("one that it refuses ({message})"))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(in_words(&expected.to_string()), describe(found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(in_words(&expected.to_string()), format!("{length} elements"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected), describe(Unexpected::Str(variant)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected), format!("the key `{field}`"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("an object with the key `{field}`"), "an object without it")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the key `{field}` once"), "it twice")
    }
}

fn one_of(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") }
}

/// Says in JSON's words what serde says in Rust's.
fn in_words(expected: &str) -> String {
    let range = match expected {
        "u8" => Some((u64::MIN.to_string(), u8::MAX.to_string())),
        "u16" => Some((u64::MIN.to_string(), u16::MAX.to_string())),
        "u32" => Some((u64::MIN.to_string(), u32::MAX.to_string())),
        "u64" | "usize" => Some((u64::MIN.to_string(), u64::MAX.to_string())),
        "i8" => Some((i8::MIN.to_string(), i8::MAX.to_string())),
        "i16" => Some((i16::MIN.to_string(), i16::MAX.to_string())),
        "i32" => Some((i32::MIN.to_string(), i32::MAX.to_string())),
        "i64" | "isize" => Some((i64::MIN.to_string(), i64::MAX.to_string())),
        _ => None,
    };
    if let Some((least, most)) = range {
        return format!("a whole number from {least} to {most}");
    }
    match expected {
        "i128" | "u128" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a string" => "text".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "`null`".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        other if other.starts_with("enum ") || other.starts_with("variant identifier") => {
            "a name of a choice".to_owned()
        }
        other => other.to_owned(),
    }
}

fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {}", crate::excerpt::excerpt(&Value::from(value))),
        Unexpected::Str(text) => format!("the text {}", crate::excerpt::excerpt(&Value::from(text))),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::Unit | Unexpected::Option => "`null`".to_owned(),
        other => other.to_string(),
    }
}

/// Reads a borrowed value and, on the way out of a failure, collects the steps to it: `serde_json`'s own reader of a
/// `Value` gives neither the path nor expected and found apart.
struct Reader<'v>(&'v Value);

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => {
                if let Some(value) = number.as_u64() {
                    visitor.visit_u64(value)
                } else if let Some(value) = number.as_i64() {
                    visitor.visit_i64(value)
                } else {
                    // INVARIANT of `Number`: what is no integer is a float.
                    visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
                }
            }
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => read_array(elements, visitor),
            Value::Object(members) => read_object(members, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.as_str().into_deserializer()),
            Value::Object(members) if members.len() == 1 => {
                visitor.visit_enum(de::value::MapAccessDeserializer::new(Members::new(members)))
            }
            other => Err(Mismatch::new(one_of(variants), describe(unexpected(other)))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => number
            .as_u64()
            .map(Unexpected::Unsigned)
            .or_else(|| number.as_i64().map(Unexpected::Signed))
            .unwrap_or_else(|| Unexpected::Float(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

fn read_array<'de, V: Visitor<'de>>(elements: &'de [Value], visitor: V) -> Result<V::Value, Mismatch> {
    let mut access = Elements { rest: elements.iter().enumerate() };
    let value = visitor.visit_seq(&mut access)?;
    match access.rest.next() {
        None => Ok(value),
        Some((taken, _)) => {
            Err(Mismatch::new(format!("{taken} elements"), format!("{} elements", elements.len())))
        }
    }
}

fn read_object<'de, V: Visitor<'de>>(
    members: &'de Map<String, Value>,
    visitor: V,
) -> Result<V::Value, Mismatch> {
    visitor.visit_map(Members::new(members))
}

struct Elements<'v> {
    rest: std::iter::Enumerate<std::slice::Iter<'v, Value>>,
}

impl<'de> de::SeqAccess<'de> for Elements<'de> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mismatch> {
        let Some((index, element)) = self.rest.next() else { return Ok(None) };
        seed.deserialize(Reader(element)).map(Some).map_err(|mismatch| mismatch.under(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'v> {
    rest: map::Iter<'v>,
    /// The member whose key was handed out last.
    current: Option<(&'v str, &'v Value)>,
}

impl<'v> Members<'v> {
    fn new(members: &'v Map<String, Value>) -> Self {
        Self { rest: members.iter(), current: None }
    }
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Mismatch> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.current = Some((key, value));
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mismatch> {
        match self.current.take() {
            Some((key, value)) => seed.deserialize(Reader(value)).map_err(|mismatch| mismatch.under(key)),
            // Only a visitor that asks for values without keys comes here.
            None => Err(Mismatch::new("a key before its value", "none")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
