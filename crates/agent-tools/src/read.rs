//! The tool `read`: a window of a text file, or an image.
//!
//! The window is cut between lines; a line that does not fit alone is cut between characters, and `column` reads on in it. What
//! is a text is decided before anything is cut.

use crate::limit::{ANSWER_BYTES, ANSWER_LINES};
use crate::newline::BOM;
use crate::place::{Place, shown};
use crate::tool::{Answer, Content};
use crate::{Context, Error, Language, Newline};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::PathBuf;

/// How much of a file tells what it is, in bytes.
const SNIFF: usize = 64 * 1024;

/// The largest image, in bytes.
const MAX_IMAGE: u64 = 5 * 1024 * 1024;

/// The largest UTF-16 file, in bytes: it is read whole.
const MAX_UTF_16: u64 = 32 * 1024 * 1024;

/// How many bytes behind the window are read for the sake of the number of lines.
const MAX_COUNTED: u64 = 1024 * 1024 * 1024;

/// The parameters of `read`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadParameters {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    #[serde(default)]
    pub offset: Option<u64>,
    /// The most lines.
    #[serde(default)]
    pub limit: Option<u64>,
    /// The byte to start at in the first line, from 1: reads on in a line that did not fit.
    #[serde(default)]
    pub column: Option<u64>,
}

/// What `read` found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ReadResult {
    /// A window of a text.
    Text(TextResult),
    /// An image.
    Image(ImageResult),
}

/// A window of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TextResult {
    /// The file, links followed.
    pub path: PathBuf,
    /// The lines, each ended by `\n`; the last one of a file only if it is ended there.
    pub text: String,
    /// The number of the first line, from 1.
    pub first_line: u64,
    /// How many lines there are in `text`.
    pub lines: u64,
    /// How many lines the file has; nothing if that would take too long to count.
    pub total_lines: Option<u64>,
    /// Where to go on, if there is more.
    pub next_offset: Option<u64>,
    /// Where to go on in that line, if it was cut.
    pub next_column: Option<u64>,
    /// The size of the file in bytes.
    pub size: u64,
    /// The encoding of the file.
    pub encoding: String,
    /// Whether it begins with a byte-order mark, which is not part of `text`.
    pub bom: bool,
    /// Whether lines end in `\r\n`, shown as `\n`.
    pub crlf: bool,
}

/// An image.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImageResult {
    /// The file, links followed.
    pub path: PathBuf,
    /// `image/png` …
    pub mime_type: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The file's bytes.
    #[serde(skip)]
    pub data: Vec<u8>,
    /// The path as it is shown.
    #[serde(skip)]
    pub(crate) shown: String,
}

impl std::fmt::Debug for ImageResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, mime_type, size, .. } = self;
        f.debug_struct("ImageResult")
            .field("path", path)
            .field("mime_type", mime_type)
            .field("size", size)
            .finish_non_exhaustive()
    }
}

/// Runs `read`.
///
/// # Errors
/// The file cannot be read, or is neither text nor image.
///
/// Cost: reads from the start of the file, whatever the offset, and to its end, to count the lines.
pub fn read(parameters: &ReadParameters, context: &Context<'_>) -> Result<ReadResult, Error> {
    let offset = positive("offset", parameters.offset)?.unwrap_or(1);
    let limit = positive("limit", parameters.limit)?.unwrap_or(u64::MAX).min(ANSWER_LINES as u64);
    let column = positive("column", parameters.column)?.unwrap_or(1);
    let place = Place::of(&parameters.path, context)?;
    place.check_read(context)?;
    let failed = |source| Error::io(&place.named, source);
    // A named pipe would be waited for.
    let metadata = std::fs::metadata(&place.real).map_err(failed)?;
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: place.named, directory: metadata.is_dir() });
    }
    let mut file = File::open(&place.real).map_err(failed)?;
    let size = metadata.len();
    let mut sniff = Vec::new();
    file.by_ref().take(SNIFF as u64).read_to_end(&mut sniff).map_err(failed)?;
    file.rewind().map_err(failed)?;

    if let Some(mime_type) = image_type(&sniff) {
        if size > MAX_IMAGE {
            return Err(Error::TooLarge { path: place.named, size, limit: MAX_IMAGE });
        }
        let mut data = Vec::new();
        file.take(MAX_IMAGE).read_to_end(&mut data).map_err(failed)?;
        let shown = shown(&place.named, context.cwd);
        let mime_type = mime_type.to_owned();
        return Ok(ReadResult::Image(ImageResult { path: place.real, mime_type, size, data, shown }));
    }
    let ask = Ask { offset, limit, column };
    let (window, encoding, bom) = if let Some((encoding, bom)) = utf_16(&sniff) {
        if size > MAX_UTF_16 {
            return Err(Error::TooLarge { path: place.named, size, limit: MAX_UTF_16 });
        }
        let mut bytes = Vec::new();
        file.take(MAX_UTF_16).read_to_end(&mut bytes).map_err(failed)?;
        let (text, _) = encoding.decode_without_bom_handling(bytes.get(bom..).unwrap_or_default());
        let window = Window::cut_from(&mut text.as_bytes(), ask, &place, context)?;
        (window, encoding, bom > 0)
    } else {
        if memchr(0, &sniff).is_some() {
            return Err(Error::Binary { path: place.named, size, kind: binary_type(&sniff) });
        }
        let bom = sniff.starts_with(BOM);
        let mut reader = BufReader::with_capacity(SNIFF, file);
        if bom {
            reader.seek_relative(BOM.len() as i64).map_err(failed)?;
        }
        let window = Window::cut_from(&mut reader, ask, &place, context)?;
        if memchr(0, &window.bytes).is_some() {
            return Err(Error::Binary { path: place.named, size, kind: None });
        }
        let encoding =
            if std::str::from_utf8(&window.bytes).is_ok() { UTF_8 } else { guess(&sniff, &window.bytes) };
        (window, encoding, bom)
    };
    let text = window.text(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding });
    Ok(ReadResult::Text(TextResult {
        path: place.real,
        text,
        first_line: offset,
        lines: window.lines,
        total_lines: window.total,
        next_offset: window.next.map(|(line, _)| line),
        next_column: window.next.map(|(_, column)| column).filter(|column| *column > 1),
        size,
        encoding: encoding.name().to_owned(),
        bom,
        crlf: Newline::majority(&sniff) == Some(Newline::CrLf),
    }))
}

/// Refuses 0: lines, columns and their numbers start at 1.
fn positive(parameter: &'static str, value: Option<u64>) -> Result<Option<u64>, Error> {
    match value {
        Some(0) => Err(Error::OutOfRange { parameter, least: 1, most: u64::MAX }),
        other => Ok(other),
    }
}

/// What part of a text is wanted.
#[derive(Clone, Copy, Debug)]
struct Ask {
    offset: u64,
    limit: u64,
    column: u64,
}

/// Some lines of a text.
#[derive(Debug, Default)]
struct Window {
    bytes: Vec<u8>,
    /// `\n`, or `\r` in a text that has only those.
    end: u8,
    lines: u64,
    total: Option<u64>,
    /// The line and column to go on at.
    next: Option<(u64, u64)>,
}

impl Window {
    /// Reads lines from the start of a text. Nothing but the window is kept in memory.
    fn cut_from(
        reader: &mut impl BufRead,
        ask: Ask,
        place: &Place,
        context: &Context<'_>,
    ) -> Result<Self, Error> {
        let failed = |source| Error::io(&place.named, source);
        let first = reader.fill_buf().map_err(failed)?;
        let end =
            if memchr(b'\n', first).is_none() && memchr(b'\r', first).is_some() { b'\r' } else { b'\n' };
        let mut window = Self { end, ..Self::default() };
        let mut taking = Taking { ask, line: 1, column: 1, full: false };
        let (mut ended, mut counted) = (true, 0_u64);
        loop {
            context.check()?;
            let chunk = reader.fill_buf().map_err(failed)?;
            let length = chunk.len();
            if length == 0 {
                break;
            }
            ended = chunk.last() == Some(&end);
            window.take(chunk, &mut taking);
            reader.consume(length);
            if taking.full {
                counted += length as u64;
                if counted > MAX_COUNTED {
                    return Ok(window);
                }
            }
        }
        let lines = taking.line - u64::from(ended);
        window.total = Some(lines);
        if !ended && !taking.full && taking.line >= ask.offset {
            // The last line has no ending of its own.
            window.lines += 1;
        }
        if ask.offset > lines.max(1) {
            return Err(Error::PastEnd { path: place.named.clone(), offset: ask.offset, lines });
        }
        if let Some((line, _)) = window.next
            && line > lines
        {
            window.next = None;
        }
        Ok(window)
    }

    /// Takes what belongs to the window out of the next bytes, and counts their lines.
    fn take(&mut self, chunk: &[u8], taking: &mut Taking) {
        let mut rest = chunk;
        if taking.line < taking.ask.offset {
            let Some(at) = nth(rest, self.end, taking.ask.offset - taking.line) else {
                taking.line += memchr_iter(self.end, rest).count() as u64;
                return;
            };
            taking.line = taking.ask.offset;
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        while !taking.full && !rest.is_empty() {
            let found = memchr(self.end, rest);
            let length = found.map_or(rest.len(), |at| at + 1);
            let (piece, behind) = rest.split_at(length);
            self.take_piece(piece, taking);
            if found.is_some() && !taking.full {
                self.lines += 1;
                taking.line += 1;
                taking.column = 1;
                if self.lines == taking.ask.limit {
                    taking.full = true;
                    self.next = Some((taking.line, 1));
                }
            } else if found.is_some() {
                taking.line += 1;
            }
            rest = behind;
        }
        taking.line += memchr_iter(self.end, rest).count() as u64;
    }

    /// Takes a piece of the current line: all of it, or as much as fits.
    fn take_piece(&mut self, piece: &[u8], taking: &mut Taking) {
        let skipped = if self.lines == 0 { taking.ask.column.saturating_sub(taking.column) } else { 0 };
        let piece_start = taking.column;
        taking.column += piece.len() as u64;
        let piece = piece.get(usize::try_from(skipped).unwrap_or(usize::MAX)..).unwrap_or_default();
        if self.bytes.len() + piece.len() <= ANSWER_BYTES {
            self.bytes.extend_from_slice(piece);
            return;
        }
        taking.full = true;
        if self.lines > 0 {
            // The line is left for the next window, whole.
            let line_start =
                self.bytes.len() - usize::try_from(piece_start - 1).unwrap_or(0).min(self.bytes.len());
            self.bytes.truncate(line_start);
            self.next = Some((taking.line, 1));
            return;
        }
        let fits = ANSWER_BYTES - self.bytes.len();
        self.bytes.extend(piece.iter().take(fits));
        let whole = character_end(&self.bytes);
        self.bytes.truncate(whole);
        self.next = Some((taking.line, taking.ask.column + whole as u64));
        self.lines = 1;
    }

    /// Decodes the window; endings become `\n`.
    fn text(&self, encoding: &'static Encoding) -> String {
        let (text, _) = encoding.decode_without_bom_handling(&self.bytes);
        if self.end == b'\r' { text.replace('\r', "\n") } else { text.replace("\r\n", "\n") }
    }
}

/// How far the taking has come.
#[derive(Debug)]
struct Taking {
    ask: Ask,
    /// The current line, from 1.
    line: u64,
    /// The next byte in it, from 1.
    column: u64,
    /// Nothing more is taken.
    full: bool,
}

/// Returns where the n-th of a byte stands, from 1.
fn nth(bytes: &[u8], byte: u8, n: u64) -> Option<usize> {
    memchr_iter(byte, bytes).nth(usize::try_from(n - 1).ok()?)
}

/// Returns the end of the last whole character of a text that was cut somewhere.
fn character_end(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // A legacy encoding: no byte below 0x30 is part of a longer character in any of them.
        Err(_) => bytes.iter().rposition(|byte| *byte < 0x30).map_or(bytes.len(), |at| at + 1),
    }
}

/// Returns the encoding of a UTF-16 text and the length of its byte-order mark.
fn utf_16(sniff: &[u8]) -> Option<(&'static Encoding, usize)> {
    match sniff {
        // The mark of UTF-32 begins with that of UTF-16.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some((UTF_16LE, 2)),
        [0xFE, 0xFF, ..] => Some((UTF_16BE, 2)),
        _ => None,
    }
}

/// Guesses the encoding of a text that is not UTF-8.
#[cfg(feature = "read-legacy")]
fn guess(sniff: &[u8], window: &[u8]) -> &'static Encoding {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sniff, false);
    detector.feed(window, true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(not(feature = "read-legacy"))]
fn guess(_: &[u8], _: &[u8]) -> &'static Encoding {
    UTF_8
}

/// Tells an image by its first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Tells a common binary file by its first bytes, for the message.
fn binary_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'%', b'P', b'D', b'F', ..] => Some("PDF"),
        [b'P', b'K', 3, 4, ..] => Some("ZIP"),
        [0x1F, 0x8B, ..] => Some("gzip"),
        [0x7F, b'E', b'L', b'F', ..] => Some("ELF"),
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => Some("SQLite"),
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        _ => None,
    }
}

impl Answer for ReadResult {
    fn text(&self, language: Language) -> String {
        match self {
            Self::Text(result) => result.answer(language),
            Self::Image(ImageResult { shown, mime_type, size, .. }) => match language {
                Language::ZhCn => format!("{shown}：{mime_type}，{size} 字节"),
                Language::En => format!("{shown}: {mime_type}, {size} bytes"),
            },
        }
    }

    fn content(&self, language: Language) -> Vec<Content> {
        let text = Content::Text(self.text(language));
        match self {
            Self::Text(_) => vec![text],
            Self::Image(image) => {
                vec![text, Content::Image { mime_type: image.mime_type.clone(), data: image.data.clone() }]
            }
        }
    }
}

impl TextResult {
    fn answer(&self, language: Language) -> String {
        let notes = self.notes(language);
        if self.text.is_empty() && self.next_offset.is_none() {
            let empty = language.pick("[空文件]", "[the file is empty]");
            return if self.size == 0 || self.total_lines == Some(0) { empty.to_owned() } else { notes };
        }
        if notes.is_empty() {
            return self.text.clone();
        }
        let gap = if self.text.ends_with('\n') { "\n" } else { "\n\n" };
        format!("{}{gap}{notes}", self.text)
    }

    fn notes(&self, language: Language) -> String {
        let mut notes = Vec::new();
        if !self.encoding.starts_with("UTF-") {
            let encoding = &self.encoding;
            notes.push(match language {
                Language::ZhCn => format!("[按 {encoding} 解码；edit 只能替换其中的 ASCII 文字]"),
                Language::En => format!("[decoded from {encoding}; edit can replace only plain ASCII in it]"),
            });
        }
        if let Some(next) = self.next_offset {
            let (first, last) = (self.first_line, self.first_line + self.lines.saturating_sub(1));
            let total = self.total_lines.map_or_else(|| "?".to_owned(), |total| total.to_string());
            notes.push(match (language, self.next_column) {
                (Language::ZhCn, None) => format!("[第 {first}–{last} 行，共 {total} 行；继续：offset={next}]"),
                (Language::En, None) => format!("[lines {first}-{last} of {total}; go on with offset={next}]"),
                (Language::ZhCn, Some(column)) => {
                    format!("[第 {first} 行过长，共 {total} 行；继续：offset={next}, column={column}]")
                }
                (Language::En, Some(column)) => format!(
                    "[line {first} of {total} is too long to show whole; go on with offset={next}, column={column}]"
                ),
            });
        }
        notes.join("\n")
    }
}
