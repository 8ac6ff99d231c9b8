//! JSON Schema of the protocol, made from the types that read and write it.

use super::wire::{
    AnswerMessage, CommandRequest, Configure, EventRequest, Hello, Id, Open, Response, ToolRequest,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// A message of the host, by its `type`.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its shape is asked for")]
enum Request {
    /// The first message.
    Hello(Numbered<Hello>),
    /// Opens a session.
    Open(Numbered<Open>),
    /// New settings of a session.
    Configure(Numbered<InSession<Configure>>),
    /// Something happened in a session.
    Event(Numbered<InSession<EventRequest>>),
    /// The user gave a command of an extension.
    Command(Numbered<InSession<CommandRequest>>),
    /// The model called a tool of an extension.
    Tool(Numbered<InSession<ToolRequest>>),
    /// The user answered a question, or did not.
    Answer(InSession<AnswerMessage>),
    /// Closes a session.
    Close(Numbered<InSession<Nothing>>),
}

/// A request and its id.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is asked for")]
struct Numbered<T> {
    /// The id, which the answer carries.
    id: Id,
    #[schemars(flatten)]
    body: T,
}

/// A message for a session.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is asked for")]
struct InSession<T> {
    /// The session's name in this process.
    session: String,
    #[schemars(flatten)]
    body: T,
}

/// Nothing more.
#[derive(JsonSchema)]
struct Nothing {}

/// Returns the JSON Schema (draft 2020-12) of the protocol's messages: `$defs/Request` for those of the host, `$defs/Response`
/// for those of the program; as a whole it takes either.
///
/// The same schema stands in `docs/protocol.schema.json`.
///
/// ```
/// let schema = brakeline_cli::serve::json_schema();
/// assert!(schema["$defs"]["Request"].is_object());
/// ```
#[must_use]
pub fn json_schema() -> Value {
    // What is read may leave members out that have a default; what is written, those that say nothing.
    let mut reading = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut writing = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let either = [reading.subschema_for::<Request>(), writing.subschema_for::<Response>()];
    let mut definitions = reading.take_definitions(true);
    definitions.extend(writing.take_definitions(true));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "brakeline serve, protocol 1",
        "anyOf": either,
        "$defs": definitions,
    })
}
