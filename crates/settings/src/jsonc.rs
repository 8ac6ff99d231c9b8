//! JSON as people write it: text to a value, the place of every key, and notes on what strict JSON refuses.

use std::collections::BTreeMap;

use jsonc_parser::ast;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind as Parser};
use jsonc_parser::tokens::Token;
use jsonc_parser::{
    CollectOptions, ParseOptions, ParseStringErrorKind, Scanner, ScannerOptions, parse_to_ast,
};
use serde_json::{Map, Number, Value};

use crate::get::array_index;
use crate::key_path::Segment;
use crate::load_error::{LoadErrorKind, Syntax};
use crate::note::{Note, NoteKind};
use crate::position::{Cursor, Position};

/// How deep objects and arrays may nest in a settings file: as deep as `serde_json` reads, so that whatever was loaded
/// can be written and read again by every JSON reader of this workspace.
pub const MAX_DEPTH: usize = 127;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What a settings file says.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) members: Map<String, Value>,
    pub(crate) root: Place,
    pub(crate) notes: Vec<Note>,
}

/// Where a value stands, and where those in it stand. A member of an object stands where its key does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) position: Position,
    inner: Inner,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Inner {
    Nothing,
    Elements(Vec<Place>),
    Members(BTreeMap<String, Place>),
}

impl Place {
    /// Returns the place that steps lead to from this one.
    pub(crate) fn find(&self, segments: &[Segment]) -> Option<&Place> {
        segments.iter().try_fold(self, |place, segment| match (&place.inner, segment) {
            (Inner::Members(members), Segment::Key(key)) => members.get(key),
            (Inner::Members(members), Segment::Index(index)) => members.get(&index.to_string()),
            (Inner::Elements(elements), Segment::Index(index)) => elements.get(*index),
            (Inner::Elements(elements), Segment::Key(key)) => elements.get(array_index(key)?),
            (Inner::Nothing, _) => None,
        })
    }
}

/// What is wrong with a text, and where (none: with all of it).
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: LoadErrorKind,
    pub(crate) position: Option<Position>,
}

/// A fault whose place is still a byte offset into the text after the byte-order mark.
struct FaultAt {
    kind: LoadErrorKind,
    offset: usize,
}

/// Reads the bytes of a settings file. Linear in their number.
pub(crate) fn parse(bytes: &[u8]) -> Result<Document, Fault> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let (valid, _) = bytes.split_at_checked(error.valid_up_to()).unwrap_or((bytes, &[]));
            let (text, base) = without_byte_order_mark(std::str::from_utf8(valid).unwrap_or_default());
            let position = Cursor::new(text, base).advance_to(error.valid_up_to());
            return Err(Fault { kind: LoadErrorKind::NotUtf8, position: Some(position) });
        }
    };
    let (text, base) = without_byte_order_mark(text);
    parse_text(text, base).map_err(|fault| {
        let position = Cursor::new(text, base).advance_to(base.saturating_add(fault.offset));
        Fault { kind: fault.kind, position: Some(position) }
    })
}

/// Splits off the byte-order mark and returns the rest with the number of bytes before it.
fn without_byte_order_mark(text: &str) -> (&str, usize) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, BYTE_ORDER_MARK.len()),
        None => (text, 0),
    }
}

fn parse_text(text: &str, base: usize) -> Result<Document, FaultAt> {
    let survey = survey(text);
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &parse_options()).map_err(|error| fault_of(&error));
    let value = match (survey.fault, parsed) {
        (None, Ok(parsed)) => parsed.value,
        (Some(fault), Ok(_)) | (None, Err(fault)) => return Err(fault),
        // An unclosed text makes the parser stumble later: the earlier fault is the cause.
        (Some(first), Err(second)) => return Err(if second.offset < first.offset { second } else { first }),
    };
    let mut builder = Builder { text, base, cursor: Cursor::new(text, base), duplicate: None };
    let (members, root) = match value {
        None => return Err(FaultAt { kind: LoadErrorKind::Empty, offset: text.len() }),
        Some(ast::Value::Object(object)) => {
            let position = builder.position(object.range);
            let (members, inner) = builder.object(object)?;
            (members, Place { position, inner })
        }
        Some(other) => {
            let kind = LoadErrorKind::NotAnObject { found: kind_of(&other) };
            return Err(FaultAt { kind, offset: other.start() });
        }
    };
    let mut cursor = Cursor::new(text, base);
    let mut notes: Vec<_> = (base > 0)
        .then_some((NoteKind::ByteOrderMark, 0))
        .into_iter()
        .chain(survey.notes)
        .map(|(kind, offset)| Note { kind, position: cursor.advance_to(base + offset) })
        .collect();
    notes.extend(builder.duplicate);
    Ok(Document { members, root, notes })
}

/// What one pass over the tokens shows that the parser does not tell.
struct Survey {
    /// The first of each kind of what strict JSON refuses, in the order of the text.
    notes: Vec<(NoteKind, usize)>,
    fault: Option<FaultAt>,
}

/// Goes over the tokens up to the first fault. The parser comes to what is no token.
fn survey(text: &str) -> Survey {
    let mut scanner = Scanner::new(text, &scanner_options());
    let mut survey = Survey { notes: Vec::new(), fault: None };
    let mut depth = 0_usize;
    let mut comma = None;
    loop {
        let gap_start = scanner.token_end();
        let token = scanner.scan();
        let start = scanner.token_start();
        if let Some(at) = text.get(gap_start..start).and_then(|gap| gap.find(is_odd_space)) {
            survey.note(NoteKind::OddSpace, gap_start + at);
        }
        let Ok(Some(token)) = token else { break };
        let source = text.get(start..scanner.token_end()).unwrap_or_default();
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => survey.note(NoteKind::Comment, start),
            Token::OpenBrace | Token::OpenBracket => {
                depth += 1;
                if depth > MAX_DEPTH {
                    survey.fault =
                        Some(FaultAt { kind: LoadErrorKind::TooDeep { limit: MAX_DEPTH }, offset: start });
                    break;
                }
            }
            Token::CloseBrace | Token::CloseBracket => {
                depth = depth.saturating_sub(1);
                if let Some(comma) = comma {
                    survey.note(NoteKind::TrailingComma, comma);
                }
            }
            Token::String(_) => {
                if let Some(fault) = control_character(source, start) {
                    survey.fault = Some(fault);
                    break;
                }
            }
            _ => {}
        }
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => {}
            Token::Comma => comma = Some(start),
            _ => comma = None,
        }
    }
    survey.notes.sort_by_key(|(_, offset)| *offset);
    survey
}

impl Survey {
    fn note(&mut self, kind: NoteKind, offset: usize) {
        if self.notes.iter().all(|(seen, _)| *seen != kind) {
            self.notes.push((kind, offset));
        }
    }
}

/// White space that the reader skips and JSON does not know: a pasted no-break space, for one.
fn is_odd_space(char: char) -> bool {
    !matches!(char, ' ' | '\t' | '\r' | '\n')
}

/// Finds a control character written bare in a text. A line's end says that the quote before it was not closed, which
/// is told at the quote: everything after it is read upside down.
fn control_character(source: &str, start: usize) -> Option<FaultAt> {
    let (at, char) = source.char_indices().find(|(_, char)| *char < ' ')?;
    Some(if matches!(char, '\n' | '\r') {
        FaultAt { kind: Syntax::UnclosedText.into(), offset: start }
    } else {
        FaultAt { kind: Syntax::ControlCharacter(char).into(), offset: start + at }
    })
}

/// JSON with comments and trailing commas, and nothing else: what reads as something else elsewhere is refused.
fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn scanner_options() -> ScannerOptions {
    ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn fault_of(error: &ParseError) -> FaultAt {
    let syntax = match error.kind() {
        Parser::ExpectedColonAfterObjectKey => Syntax::ExpectedColon,
        Parser::ExpectedComma => Syntax::ExpectedComma,
        Parser::ExpectedStringObjectProperty | Parser::UnexpectedTokenInObject => Syntax::ExpectedKey,
        Parser::SingleQuotedStringsNotAllowed => Syntax::SingleQuotes,
        Parser::MultipleRootJsonValues => Syntax::TextAfterEnd,
        Parser::UnterminatedArray => Syntax::UnclosedArray,
        Parser::UnterminatedObject => Syntax::UnclosedObject,
        Parser::UnterminatedCommentBlock => Syntax::UnclosedComment,
        Parser::String(ParseStringErrorKind::UnterminatedStringLiteral) => Syntax::UnclosedText,
        Parser::String(_) => Syntax::BadEscape,
        Parser::ExpectedDigit
        | Parser::ExpectedDigitFollowingNegativeSign
        | Parser::ExpectedPlusMinusOrDigitInNumberLiteral
        | Parser::BareDecimalPointNumbersNotAllowed
        | Parser::HexadecimalNumbersNotAllowed
        | Parser::NonFiniteNumbersNotAllowed
        | Parser::UnaryPlusNumbersNotAllowed => Syntax::BadNumber,
        Parser::NestingDepthExceeded => {
            let kind = LoadErrorKind::TooDeep { limit: MAX_DEPTH };
            return FaultAt { kind, offset: error.range().start };
        }
        // What remains is a token where a value belongs.
        _ => Syntax::ExpectedValue,
    };
    FaultAt { kind: syntax.into(), offset: error.range().start }
}

fn kind_of(value: &ast::Value<'_>) -> &'static str {
    match value {
        ast::Value::StringLit(_) => "text",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::BooleanLit(_) => "a boolean",
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "an array",
        ast::Value::NullKeyword(_) => "null",
    }
}

/// Turns the syntax tree into a value and its places, in the order of the text, so that one cursor serves for all.
///
/// Recursion is as deep as the text nests, which [`survey`] bounds by [`MAX_DEPTH`].
struct Builder<'t> {
    text: &'t str,
    base: usize,
    cursor: Cursor<'t>,
    /// The first key written twice in one object.
    duplicate: Option<Note>,
}

impl Builder<'_> {
    fn position(&mut self, range: Range) -> Position {
        self.cursor.advance_to(self.base + range.start)
    }

    fn value(&mut self, value: ast::Value<'_>) -> Result<(Value, Inner), FaultAt> {
        Ok(match value {
            ast::Value::NullKeyword(_) => (Value::Null, Inner::Nothing),
            ast::Value::BooleanLit(literal) => (Value::Bool(literal.value), Inner::Nothing),
            ast::Value::StringLit(literal) => (Value::String(literal.value.into_owned()), Inner::Nothing),
            ast::Value::NumberLit(literal) => (Value::Number(self.number(&literal)?), Inner::Nothing),
            ast::Value::Array(array) => {
                let mut values = Vec::with_capacity(array.elements.len());
                let mut places = Vec::with_capacity(array.elements.len());
                for element in array.elements {
                    let position = self.position(element.range());
                    let (value, inner) = self.value(element)?;
                    values.push(value);
                    places.push(Place { position, inner });
                }
                (Value::Array(values), Inner::Elements(places))
            }
            ast::Value::Object(object) => {
                let (members, inner) = self.object(object)?;
                (Value::Object(members), inner)
            }
        })
    }

    fn object(&mut self, object: ast::Object<'_>) -> Result<(Map<String, Value>, Inner), FaultAt> {
        let mut members = Map::new();
        let mut places = BTreeMap::new();
        for property in object.properties {
            let position = self.position(property.range);
            let key = property.name.into_string();
            let (value, inner) = self.value(property.value)?;
            // The last one counts, as everywhere in JSON.
            members.insert(key.clone(), value);
            if places.insert(key.clone(), Place { position, inner }).is_some() && self.duplicate.is_none() {
                self.duplicate = Some(Note { kind: NoteKind::DuplicateKey(key), position });
            }
        }
        Ok((members, Inner::Members(places)))
    }

    fn number(&self, literal: &ast::NumberLit<'_>) -> Result<Number, FaultAt> {
        literal.value.parse().map_err(|_| {
            let shown = self.text.get(literal.range.start..literal.range.end).unwrap_or_default();
            let shown = shown.chars().take(40).collect();
            FaultAt { kind: LoadErrorKind::NumberOutOfRange { number: shown }, offset: literal.range.start }
        })
    }
}
