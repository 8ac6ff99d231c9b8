//! Objects merge, the rest replaces.

use serde_json::{Map, Value};

/// Lays a configured value over a default and returns the result.
///
/// | default | configured | result |
/// |---|---|---|
/// | object | object | every key of both; a key of both merges by this table |
/// | anything | anything else, `null` too | the configured value, whole |
///
/// Arrays are never merged by index. The order of keys is the default's, then what the configured object adds (where the
/// map keeps an order at all).
///
/// Costs a copy of the configured value. Recursion goes as deep as *both* values nest, which is at most
/// [`MAX_DEPTH`](crate::MAX_DEPTH) for settings that were loaded.
///
/// ```
/// use brakeline_settings::merge;
/// use serde_json::json;
///
/// let default = json!({"paths": ["/", "/etc"], "limits": {"files": 10, "seconds": 5}});
/// let configured = json!({"paths": ["/srv"], "limits": {"files": 3}});
/// assert_eq!(merge(default, &configured), json!({"paths": ["/srv"], "limits": {"files": 3, "seconds": 5}}));
/// ```
#[must_use]
pub fn merge(default: Value, configured: &Value) -> Value {
    match (default, configured) {
        (Value::Object(mut base), Value::Object(over)) => {
            merge_into(&mut base, over);
            Value::Object(base)
        }
        (_, configured) => configured.clone(),
    }
}

/// Lays the members of one object over another, in place.
pub(crate) fn merge_into(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(base)), Value::Object(over)) => merge_into(base, over),
            (Some(slot), value) => *slot = value.clone(),
            (None, value) => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}
