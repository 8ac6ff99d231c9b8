//! An extension that was set up.

use crate::builder::Slot;
use crate::diagnostic::Problem;
use crate::extension::{CommandSpec, Extension, Stop, ToolSpec};
use crate::locale::Language;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An extension, and what it registered.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) slot: Slot,
    pub(crate) extension: Box<dyn Extension>,
    pub(crate) is_on: bool,
    pub(crate) problems: Vec<Problem>,
    pub(crate) commands: Vec<CommandSpec>,
    pub(crate) tools: Vec<ToolSpec>,
}

impl Loaded {
    pub(crate) fn new(
        name: String,
        slot: Slot,
        extension: Box<dyn Extension>,
        is_on: bool,
        problems: Vec<Problem>,
        language: Language,
    ) -> Self {
        let (commands, tools) = (extension.commands(language), extension.tools(language));
        Self { name, slot, extension, is_on, problems, commands, tools }
    }
}

/// Runs a handler; a panic is a failure, where the program unwinds.
///
/// What the handler left half done in its extension is as after an error: its own affair.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Stop::failure(format_args!("panicked: {text}")))
    })
}
