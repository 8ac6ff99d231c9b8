//! The tools by name: JSON parameters in, an answer out.

use crate::{Context, Error, Language, text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The tools of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool {
    /// [`read`](crate::read())
    Read,
    /// [`grep`](crate::grep())
    #[cfg(feature = "grep")]
    Grep,
    /// [`edit`](crate::edit())
    Edit,
    /// [`write`](crate::write())
    Write,
    /// [`relocate`](crate::relocate())
    Move,
    /// [`find`](crate::find())
    #[cfg(feature = "find")]
    Find,
    /// [`bash`](crate::bash())
    Bash,
    /// [`astgrep`](crate::astgrep())
    #[cfg(feature = "astgrep")]
    AstGrep,
    /// [`astedit`](crate::astedit())
    #[cfg(feature = "astgrep")]
    AstEdit,
    /// [`webfetch`](crate::webfetch())
    #[cfg(feature = "webfetch")]
    WebFetch,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Text, in the language of the call.
    Text(String),
    /// An image.
    Image {
        /// `image/png` …
        mime_type: String,
        /// The bytes of the file.
        data: Vec<u8>,
    },
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// For the model.
    pub content: Vec<Content>,
    /// The result as its schema says, for programs.
    pub result: Value,
    /// Whether a host should mark the answer as a failure: the command failed.
    pub is_error: bool,
}

/// A result that a model can read.
pub trait Answer: Serialize {
    /// Returns the result as text.
    fn text(&self, language: Language) -> String;

    /// Returns whether a host should mark the answer as a failure.
    fn is_error(&self) -> bool {
        false
    }

    /// Returns the parts of the answer; by default the text alone.
    fn content(&self, language: Language) -> Vec<Content> {
        vec![Content::Text(self.text(language))]
    }
}

impl Tool {
    /// Every tool of this build, in the order of the documents.
    pub const ALL: &'static [Self] = &[
        Self::Read,
        #[cfg(feature = "grep")]
        Self::Grep,
        Self::Edit,
        Self::Write,
        Self::Move,
        #[cfg(feature = "find")]
        Self::Find,
        Self::Bash,
        #[cfg(feature = "astgrep")]
        Self::AstGrep,
        #[cfg(feature = "astgrep")]
        Self::AstEdit,
        #[cfg(feature = "webfetch")]
        Self::WebFetch,
    ];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            #[cfg(feature = "grep")]
            Self::Grep => "grep",
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Move => "move",
            #[cfg(feature = "find")]
            Self::Find => "find",
            Self::Bash => "bash",
            #[cfg(feature = "astgrep")]
            Self::AstGrep => "astgrep",
            #[cfg(feature = "astgrep")]
            Self::AstEdit => "astedit",
            #[cfg(feature = "webfetch")]
            Self::WebFetch => "webfetch",
        }
    }

    /// Finds a tool by its name.
    ///
    /// # Errors
    /// There is none in this build; the message names those there are.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.iter().copied().find(|tool| tool.name() == name);
        found.ok_or_else(|| Error::UnknownTool { name: name.to_owned() })
    }

    /// Returns what the tool is for, in words for a model.
    #[must_use]
    pub const fn description(self, language: Language) -> &'static str {
        text::description(self, language)
    }

    /// Returns whether the tool leaves everything outside as it is.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        match self {
            Self::Edit | Self::Write | Self::Move | Self::Bash => false,
            #[cfg(feature = "astgrep")]
            Self::AstEdit => false,
            _ => true,
        }
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// The parameters do not fit, or the tool fails.
    pub fn run(self, parameters: &Value, context: &Context<'_>) -> Result<Reply, Error> {
        match self {
            Self::Read => self.call(parameters, context, crate::read),
            #[cfg(feature = "grep")]
            Self::Grep => self.call(parameters, context, crate::grep),
            Self::Edit => self.call(parameters, context, crate::edit),
            Self::Write => self.call(parameters, context, crate::write),
            Self::Move => self.call(parameters, context, crate::relocate),
            #[cfg(feature = "find")]
            Self::Find => self.call(parameters, context, crate::find),
            Self::Bash => self.call(parameters, context, crate::bash),
            #[cfg(feature = "astgrep")]
            Self::AstGrep => self.call(parameters, context, crate::astgrep),
            #[cfg(feature = "astgrep")]
            Self::AstEdit => self.call(parameters, context, crate::astedit),
            #[cfg(feature = "webfetch")]
            Self::WebFetch => self.call(parameters, context, crate::webfetch),
        }
    }

    fn call<P: DeserializeOwned, A: Answer>(
        self,
        parameters: &Value,
        context: &Context<'_>,
        run: impl FnOnce(&P, &Context<'_>) -> Result<A, Error>,
    ) -> Result<Reply, Error> {
        let wrong =
            |error: serde_json::Error| Error::Parameters { tool: self.name(), message: error.to_string() };
        let parameters = P::deserialize(parameters).map_err(wrong)?;
        context.check()?;
        let answer = run(&parameters, context)?;
        let result = serde_json::to_value(&answer).map_err(wrong)?;
        Ok(Reply { content: answer.content(context.language), result, is_error: answer.is_error() })
    }
}
