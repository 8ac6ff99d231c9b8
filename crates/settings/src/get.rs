//! Lookup by path, and the raw read with a default.

use serde_json::Value;

use crate::key_path::{KeyPath, Segment};
use crate::merge::merge;

/// Returns the value that a path leads to, or `None` where the settings have none.
///
/// JSON `null` is a value. A step into text, a number, a boolean or `null` finds nothing. No key is special: `__proto__`,
/// `constructor` and `length` are found only where they are written.
///
/// Costs one lookup for each step; nothing is copied from the settings.
///
/// ```
/// use brakeline_settings::{get, path};
///
/// let settings = serde_json::json!({"users": [{"name": "Ada"}], "a.b": 1, "a": {"b": 2}, "off": null});
/// assert_eq!(get(&settings, "users[0].name").unwrap(), "Ada");
/// assert_eq!(get(&settings, path!["users", 0, "name"]).unwrap(), "Ada");
/// assert_eq!(get(&settings, "a.b").unwrap(), 1, "a key that contains the dot wins over splitting");
/// assert_eq!(get(&settings, ["a", "b"]).unwrap(), 2);
/// assert!(get(&settings, "off").unwrap().is_null());
/// assert_eq!(get(&settings, "users.length"), None);
/// ```
pub fn get(settings: &Value, path: impl Into<KeyPath>) -> Option<&Value> {
    resolve(settings, &path.into()).map(|(_, value)| value)
}

/// Returns the value that a path leads to, laid over a default.
///
/// - Absent: the default.
/// - Default and value are objects: the value [merged](crate::merge()) over the default, key by key at every depth.
/// - Otherwise: the value exactly as written. Arrays replace the default's whole, so that `[]` can empty a list; nothing
///   is converted, so that `"120"` stays text.
///
/// Reads nothing but its arguments and keeps nothing: the same settings give the same answer. Costs a copy of the value
/// and, where objects merge, of the default.
///
/// ```
/// use brakeline_settings::read_setting;
/// use serde_json::json;
///
/// let settings = json!({"blockFindRoot": {"forbiddenPaths": []}, "defaultTimeout": "120"});
/// let default = json!({"forbiddenPaths": ["/"], "blockBash": false});
///
/// assert_eq!(
///     read_setting(&settings, "blockFindRoot", default),
///     json!({"forbiddenPaths": [], "blockBash": false})
/// );
/// assert_eq!(read_setting(&settings, "defaultTimeout", 120), "120");
/// assert_eq!(read_setting(&settings, "guardLoop.maxContinuations", 5), 5);
/// ```
#[must_use]
pub fn read_setting(settings: &Value, path: impl Into<KeyPath>, default: impl Into<Value>) -> Value {
    let default = default.into();
    match get(settings, path) {
        Some(configured) => merge(default, configured),
        None => default,
    }
}

/// Returns the steps that a path takes in these settings (its whole reading, or its segments) and the value there.
pub(crate) fn resolve<'v>(settings: &'v Value, path: &KeyPath) -> Option<(Vec<Segment>, &'v Value)> {
    if let Some(key) = path.whole_key() {
        let whole = Segment::from(key);
        if let Some(value) = step(settings, &whole) {
            return Some((vec![whole], value));
        }
    }
    let value = walk(settings, path.segments())?;
    Some((path.segments().to_vec(), value))
}

/// Follows steps from a value. No steps lead nowhere, as in the reference.
fn walk<'v>(settings: &'v Value, segments: &[Segment]) -> Option<&'v Value> {
    if segments.is_empty() {
        return None;
    }
    segments.iter().try_fold(settings, step)
}

/// Takes one step into an object or an array.
pub(crate) fn step<'v>(value: &'v Value, segment: &Segment) -> Option<&'v Value> {
    match (value, segment) {
        (Value::Object(members), Segment::Key(key)) => members.get(key),
        (Value::Object(members), Segment::Index(index)) => members.get(&index.to_string()),
        (Value::Array(elements), Segment::Index(index)) => elements.get(*index),
        (Value::Array(elements), Segment::Key(key)) => elements.get(array_index(key)?),
        _ => None,
    }
}

/// Returns the index that a key spells: digits without a leading zero, as JavaScript writes array indices.
pub(crate) fn array_index(key: &str) -> Option<usize> {
    let is_canonical = key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    if is_canonical { key.parse().ok() } else { None }
}
