//! The tool `write`: a file with the whole of its content.
//!
//! What `read` does not show is kept when a file is replaced: a byte-order mark, and the line endings of a file whose lines all
//! end in `\r\n` if the content has only `\n`. Everything that `read` does show is taken at its word, the last line ending included.

use crate::edit::commit;
use crate::newline::{BOM, with_newline};
use crate::place::{Place, shown};
use crate::tool::Answer;
use crate::{Context, Error, Hold, Language, Newline, Snapshot, create, unified};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// The parameters of `write`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteParameters {
    /// The file.
    pub path: String,
    /// The whole content.
    pub content: String,
}

/// What `write` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WriteResult {
    /// The file, links followed.
    pub path: PathBuf,
    /// Whether it was created; else it was replaced.
    pub created: bool,
    /// How many bytes were written.
    pub bytes: u64,
    /// Whether `\n` was written as `\r\n`, since the file had those.
    pub kept_crlf: bool,
    /// Whether the file's byte-order mark was put in front of the content.
    pub kept_bom: bool,
    /// How many other names (hard links) of the file keep the old content.
    pub other_names: u64,
    /// The change as a unified diff; empty for a file that was created or is too large.
    pub diff: String,
    /// The path as it is shown.
    #[serde(skip)]
    pub(crate) shown: String,
}

/// Runs `write`.
///
/// # Errors
/// The file cannot be written, or has that content already. Nothing was changed.
pub fn write(parameters: &WriteParameters, context: &Context<'_>) -> Result<WriteResult, Error> {
    let place = Place::of(&parameters.path, context)?;
    place.check_write(context)?;
    context.gate.hold(&[Hold::File(&place.real)])?;
    context.check()?;
    let whole = &parameters.content;
    let shown = shown(&place.named, context.cwd);
    match Snapshot::glance(&place.real) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            commit(context, &place, || create(&place.real, whole.as_bytes()))?;
            Ok(WriteResult {
                path: place.real,
                created: true,
                bytes: whole.len() as u64,
                kept_crlf: false,
                kept_bom: false,
                other_names: 0,
                diff: String::new(),
                shown,
            })
        }
        Err(error) => Err(error),
        Ok(old) => {
            let kept = Kept::of(old.bytes(), whole);
            let new = kept.apply(whole);
            if old.bytes() == new.as_bytes() && !new.is_empty() {
                return Err(Error::NothingChanges { path: place.named });
            }
            commit(context, &place, || old.replace(new.as_bytes()))?;
            let diff = if old.bytes().is_empty() || !is_text(old.bytes()) {
                String::new()
            } else {
                unified(old.bytes(), new.as_bytes())
            };
            Ok(WriteResult {
                path: place.real,
                created: false,
                bytes: new.len() as u64,
                kept_crlf: kept.crlf,
                kept_bom: kept.bom,
                other_names: old.other_names(),
                diff,
                shown,
            })
        }
    }
}

fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok()
}

/// What a content does not say and the file it replaces had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    bom: bool,
    crlf: bool,
}

impl Kept {
    fn of(old: &[u8], content: &str) -> Self {
        let crlf = content.contains('\n')
            && !content.contains('\r')
            && is_text(old)
            && Newline::uniform(old) == Some(Newline::CrLf);
        Self { bom: old.starts_with(BOM) && !content.as_bytes().starts_with(BOM), crlf }
    }

    fn apply(self, content: &str) -> Cow<'_, str> {
        let text =
            if self.crlf { with_newline(content, Newline::CrLf).into() } else { Cow::Borrowed(content) };
        if self.bom { format!("\u{feff}{text}").into() } else { text }
    }
}

impl Answer for WriteResult {
    fn text(&self, language: Language) -> String {
        let Self { shown, bytes, created, .. } = self;
        let mut text = match (language, created) {
            (Language::ZhCn, true) => format!("已创建 {shown}（{bytes} 字节）"),
            (Language::ZhCn, false) => format!("已覆盖 {shown}（{bytes} 字节）"),
            (Language::En, true) => format!("created {shown} ({bytes} bytes)"),
            (Language::En, false) => format!("replaced {shown} ({bytes} bytes)"),
        };
        if self.kept_crlf {
            text.push_str(language.pick("；换行符保持 CRLF", "; line endings stay CRLF"));
        }
        if self.kept_bom {
            text.push_str(language.pick("；保留了 BOM", "; the byte-order mark stays"));
        }
        text.push_str(&crate::text::other_names(self.other_names, language));
        if !self.diff.is_empty() {
            text.push('\n');
            text.push_str(&crate::text::cut_diff(&self.diff, language));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_read_does_not_show_is_kept() {
        let kept = |old: &[u8], content: &str| Kept::of(old, content).apply(content).into_owned();
        assert_eq!(kept(b"a\r\nb\r\n", "x\ny"), "x\r\ny");
        assert_eq!(kept(b"a\r\nb\n", "x\ny"), "x\ny", "mixed endings are no rule to follow");
        assert_eq!(kept(b"a\r\n", "x\r\ny\n"), "x\r\ny\n", "explicit endings are meant");
        assert_eq!(kept(b"\xEF\xBB\xBFa\n", "x\n"), "\u{feff}x\n");
        assert_eq!(kept(b"\xEF\xBB\xBFa\n", "\u{feff}x\n"), "\u{feff}x\n");
        assert_eq!(kept(b"a\r\n\0", "x\n"), "x\n", "a binary file has no line endings");
    }
}
