//! Why a request comes to nothing.

use super::wire::Code;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a request comes to nothing: it is answered with this, and nothing else changes.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Something that could not be done.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::Failed, message)
    }
}

/// Reads the members of a message or an event; the fault names the member that does not fit.
pub(super) fn read<T: DeserializeOwned>(members: Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(members).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        let message = if path == "." { cause.to_string() } else { format!("`{path}`: {cause}") };
        Fault::new(Code::BadMessage, message)
    })
}
