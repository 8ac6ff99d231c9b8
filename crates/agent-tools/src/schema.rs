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
        self.describe(&mut value, language);
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
        schema.to_value()
    }

    /// Puts the catalogue's words in the place of the code's, at every depth.
    fn describe(self, schema: &mut Value, language: Language) {
        let Value::Object(object) = schema else { return };
        for key in ["title", "$schema", "description"] {
            object.remove(key);
        }
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

/// Draft 2020-12 without references: some hosts do not follow them.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
}
