//! What the tests share: a folder, and calls of tools as a host makes them.
#![allow(dead_code, reason = "each test file uses a part")]

use brakeline_agent_tools::{Answer, Content, Context, Error, Open, Reply, Tool};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder of its own for a test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::Builder::new().prefix("agent-tools-").tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.join(name)).unwrap()
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context::new(self.path(), &Open)
    }

    pub(crate) fn run(&self, tool: &str, parameters: Value) -> Result<Reply, Error> {
        Tool::named(tool)?.run(&parameters, &self.context())
    }

    /// Runs a tool and returns its text, or the message of its error.
    pub(crate) fn say(&self, tool: &str, parameters: Value) -> String {
        match self.run(tool, parameters) {
            Ok(reply) => text_of(&reply),
            Err(error) => format!("error: {error}").replace(self.path().to_str().unwrap(), "DIR"),
        }
    }
}

pub(crate) fn text_of(reply: &Reply) -> String {
    let texts = reply.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

pub(crate) fn text(answer: &impl Answer) -> String {
    answer.text(brakeline_agent_tools::Language::En)
}
