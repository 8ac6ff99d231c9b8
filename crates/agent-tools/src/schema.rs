//! JSON Schemas, with descriptions in either language.

#![cfg(feature = "schema")]

use crate::{Language, Tool, text};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

impl Tool {
    /// Returns the JSON Schema of the parameters, with descriptions for a model.
    #[must_use]
    pub fn parameters(self, language: Language) -> Value {
        let schema = match self {
            Self::Read => schema_of::<crate::ReadParameters>(),
            #[cfg(feature = "grep")]
            Self::Grep => schema_of::<crate::GrepParameters>(),
            Self::Edit => schema_of::<crate::EditParameters>(),
            Self::Write => schema_of::<crate::WriteParameters>(),
            Self::Move => schema_of::<crate::MoveParameters>(),
            #[cfg(feature = "find")]
            Self::Find => schema_of::<crate::FindParameters>(),
            Self::Bash => schema_of::<crate::BashParameters>(),
            #[cfg(feature = "astgrep")]
            Self::AstGrep => schema_of::<crate::AstGrepParameters>(),
            #[cfg(feature = "astgrep")]
            Self::AstEdit => schema_of::<crate::AstEditParameters>(),
            #[cfg(feature = "webfetch")]
            Self::WebFetch => schema_of::<crate::WebFetchParameters>(),
        };
        let mut value = schema.to_value();
        plain(&mut value);
        self.describe(&mut value, language);
        without_null(&mut value);
        value
    }

    /// Returns the JSON Schema of the result.
    #[must_use]
    pub fn result(self) -> Value {
        let schema = match self {
            Self::Read => schema_of::<crate::ReadResult>(),
            #[cfg(feature = "grep")]
            Self::Grep => schema_of::<crate::GrepResult>(),
            Self::Edit => schema_of::<crate::EditResult>(),
            Self::Write => schema_of::<crate::WriteResult>(),
            Self::Move => schema_of::<crate::MoveResult>(),
            #[cfg(feature = "find")]
            Self::Find => schema_of::<crate::FindResult>(),
            Self::Bash => schema_of::<crate::BashResult>(),
            #[cfg(feature = "astgrep")]
            Self::AstGrep => schema_of::<crate::AstGrepResult>(),
            #[cfg(feature = "astgrep")]
            Self::AstEdit => schema_of::<crate::AstEditResult>(),
            #[cfg(feature = "webfetch")]
            Self::WebFetch => schema_of::<crate::WebFetchResult>(),
        };
        let mut value = schema.to_value();
        plain(&mut value);
        if let Some(object) = value.as_object_mut() {
            // Every result is an object; of an enum the schema says so only in its branches, and hosts look at the root.
            object.insert("type".to_owned(), "object".into());
        }
        value
    }

    /// Puts the catalogue's words in the place of the code's, at every depth.
    fn describe(self, schema: &mut Value, language: Language) {
        let Value::Object(object) = schema else { return };
        object.remove("description");
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            for (name, property) in properties {
                self.describe(property, language);
                if let (Some(words), Some(property)) =
                    (text::parameter(self, name, language), property.as_object_mut())
                {
                    let rest = std::mem::take(property);
                    // In front, where a reader looks first.
                    *property = Map::from_iter([("description".to_owned(), words.into())]);
                    property.extend(rest);
                }
            }
        }
        if let Some(items) = object.get_mut("items") {
            self.describe(items, language);
        }
    }
}

/// Takes out what says nothing to a host: titles, and formats such as `uint64` that only Rust knows.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.remove("$schema");
            // A property of that name is an object.
            for key in ["title", "format"] {
                if object.get(key).is_some_and(Value::is_string) {
                    object.remove(key);
                }
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Says of optional parameters only what they are when they are there: some hosts take no lists of types. `null` is read all
/// the same.
fn without_null(schema: &mut Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(mut variants)) = property.remove("anyOf") {
            variants.retain(|variant| variant.get("type").is_none_or(|kind| kind != "null"));
            if let [Value::Object(only)] = variants.as_mut_slice() {
                only.remove("description");
                property.append(only);
            }
        }
        property.remove("default");
        // A choice of words, each with the code's own description.
        if let Some(Value::Array(choices)) = property.get("oneOf") {
            let words: Option<Vec<Value>> =
                choices.iter().map(|choice| choice.get("const").cloned()).collect();
            if let Some(words) = words {
                property.remove("oneOf");
                property.insert("type".to_owned(), "string".into());
                property.insert("enum".to_owned(), words.into());
            }
        }
    }
}

/// Draft 2020-12 without references: some hosts do not follow them.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
}
