//! JSON Schema of the settings that brakeline reads, made from the types that read them.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::sections::{EXTENSIONS, Settings};

/// Returns the JSON Schema (draft 2020-12) of [`Settings`], for editors that complete and check settings files.
///
/// Unknown keys are allowed, since the file is shared with the host. The same schema ships with the crate as
/// `settings.schema.json`.
///
/// ```
/// let schema = brakeline_settings::json_schema();
/// assert_eq!(schema["properties"]["defaultTimeout"]["default"], 120);
/// ```
#[must_use]
pub fn json_schema() -> Value {
    // Inlined: editors show a property's own description and default rather than those of a definition.
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Settings>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), Value::from("brakeline settings"));
    }
    schema
}

/// Returns the names of the built-in extensions as properties, so that editors complete them.
pub(crate) fn extension_properties() -> Value {
    let property = |name: &&str| {
        let description = match *name {
            "shell-permissions" | "sandbox" => {
                "Whether it takes part; when not set, only where a `sandbox.json` exists."
            }
            _ => "Whether it takes part; when not set, it does.",
        };
        ((*name).to_owned(), json!({"type": "boolean", "description": description}))
    };
    Value::Object(EXTENSIONS.iter().map(property).collect::<Map<_, _>>())
}
