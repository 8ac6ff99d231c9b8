//! Arithmetic expressions: `$((…))`, `((…))`, `let`, subscripts, substring offsets.
//!
//! The caller has already expanded the expression as inside double quotes. What the expansion could not tell stands in
//! the text as [`UNKNOWN`].

use crate::cursor::{DIGIT, LETTER, class};
use crate::store::has_hole;
use alloc::string::{String, ToString};

/// Stands for text that is not known, inside an expression.
pub(crate) const UNKNOWN: char = crate::store::HOLE;

/// How deep parentheses, operands and the texts of variables may nest.
const DEPTH: u32 = 64;

/// The variables an expression reads and writes.
pub(crate) trait Variables {
    /// Returns the text of a variable or of one element.
    ///
    /// `subscript` is the decimal index of an indexed array (`None` for a plain name), the raw text for an associative
    /// one or for `@` and `*`, and holds [`UNKNOWN`] when it is not known.
    fn read(&mut self, name: &str, subscript: Option<&str>) -> Read;
    /// Assigns `value`; `None` is a value that is not known, or an assignment that may not happen.
    ///
    /// A `name` that holds [`UNKNOWN`] may be any variable.
    fn write(&mut self, name: &str, subscript: Option<&str>, value: Option<i64>);
    /// Returns whether subscripts of `name` are text and no expressions: an associative array.
    fn is_associative(&mut self, name: &str) -> bool {
        let _ = name;
        false
    }
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// Nothing: counts as 0.
    Unset,
    /// This text, itself an expression.
    Text(String),
    /// This number, written in the usual way.
    Number(i64),
    /// Text that is not known.
    Unknown,
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Bash refuses the expression: an operand or operator is missing, a number has a bad digit or base, …
    Syntax,
    /// Division by zero.
    DivisionByZero,
    /// `**` with a negative exponent.
    NegativeExponent,
    /// The step budget is spent or the nesting is too deep; bash might find a value.
    Limit,
}

/// Evaluates `expression` as bash does; `Ok(None)` is a value that is not known.
///
/// Side effects happen in bash's order, also those before a fault. The side of `&&`, `||`, `?:` that is not taken has
/// none; behind a condition that is not known, both sides are evaluated and assign `None`. An operand that is not known
/// is taken to be a number that causes no fault; an expression that only such an operand could mend has no known value,
/// and then any variable may have been assigned.
/// Every token costs a step, and so does every byte of variable text read.
pub(crate) fn evaluate(
    expression: &str,
    variables: &mut dyn Variables,
    steps: &mut u64,
) -> Result<Option<i64>, Fault> {
    evaluate_within(expression, &mut Context { variables, steps, depth: DEPTH, mode: Mode::Run })
}

/// A value, or `None` when it is not known.
type Value = Option<i64>;

/// Whether an operand is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Run,
    /// It stands behind a condition that is not known.
    Maybe,
    /// The side that is not taken: read for its syntax only.
    Skip,
}

struct Context<'v> {
    variables: &'v mut dyn Variables,
    steps: &'v mut u64,
    depth: u32,
    mode: Mode,
}

impl Context<'_> {
    fn charge(&mut self, steps: usize) -> Result<(), Fault> {
        *self.steps = self.steps.checked_sub(steps as u64).ok_or(Fault::Limit)?;
        Ok(())
    }

    fn read(&mut self, target: &Target<'_>) -> Result<Value, Fault> {
        if self.mode == Mode::Skip {
            return Ok(Some(0));
        }
        if has_hole(target.name) {
            return Ok(None);
        }
        match self.variables.read(target.name, target.subscript.evaluated()) {
            Read::Unset => Ok(Some(0)),
            Read::Unknown => Ok(None),
            Read::Number(number) => {
                self.charge(1)?;
                Ok(Some(number))
            }
            Read::Text(text) => {
                self.charge(text.len())?;
                match evaluate_within(&text, self) {
                    Err(fault) if fault != Fault::Limit && self.mode == Mode::Maybe => Ok(None),
                    result => result,
                }
            }
        }
    }

    fn write(&mut self, target: &mut Target<'_>, value: Value) -> Result<(), Fault> {
        if self.mode == Mode::Skip {
            return Ok(());
        }
        self.settle_subscript(target)?;
        let value = value.filter(|_| self.mode == Mode::Run);
        self.variables.write(target.name, target.subscript.evaluated(), value);
        Ok(())
    }

    /// Evaluates the subscript of `target`, once.
    fn settle_subscript(&mut self, target: &mut Target<'_>) -> Result<(), Fault> {
        let Subscript::Raw(raw) = target.subscript else { return Ok(()) };
        if self.mode == Mode::Skip {
            return Ok(());
        }
        let text = if matches!(raw, "@" | "*") || self.variables.is_associative(target.name) {
            raw.to_string()
        } else {
            match evaluate_within(raw, self) {
                Ok(Some(index)) => index.to_string(),
                Ok(None) => UNKNOWN.to_string(),
                Err(fault) if fault != Fault::Limit && self.mode == Mode::Maybe => UNKNOWN.to_string(),
                Err(fault) => return Err(fault),
            }
        };
        target.subscript = Subscript::Evaluated(text);
        Ok(())
    }
}

/// Evaluates a whole text: the expression itself, a variable's text or a subscript.
fn evaluate_within(text: &str, context: &mut Context<'_>) -> Result<Value, Fault> {
    if text.bytes().all(is_blank) {
        return Ok(Some(0));
    }
    let outer = context.depth;
    context.depth = outer.checked_sub(1).ok_or(Fault::Limit)?;
    let mode = context.mode;
    let mut parser = Parser {
        text,
        at: 0,
        token: Token::End,
        previous: Token::End,
        value: Some(0),
        target: None,
        assignable: None,
        peeks: false,
        context,
    };
    let result = parser.whole();
    context.depth = outer;
    context.mode = mode;
    match result {
        Err(Fault::Syntax) if has_hole(text) => {
            if mode != Mode::Skip {
                let mut unknown = [0; 4];
                context.variables.write(UNKNOWN.encode_utf8(&mut unknown), None, None);
            }
            Ok(None)
        }
        result => result,
    }
}

/// What an assignment goes to.
#[derive(Clone, Debug)]
struct Target<'t> {
    name: &'t str,
    subscript: Subscript<'t>,
}

#[derive(Clone, Debug)]
enum Subscript<'t> {
    None,
    /// As written: bash evaluates it when the element is read, or, before a plain `=`, when it is assigned.
    Raw(&'t str),
    Evaluated(String),
}

impl Subscript<'_> {
    fn evaluated(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Raw(raw) => Some(raw),
            Self::Evaluated(text) => Some(text),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    Number,
    Name,
    /// `++x` and `--x`: what is added.
    Before(i64),
    /// `x++` and `x--`.
    Behind(i64),
    Equals,
    /// `+=` and its kin.
    Update(Operator),
    Operator(Operator),
    Not,
    Complement,
    Question,
    Colon,
    Comma,
    Open,
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

impl Operator {
    /// How tightly it binds.
    fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::BitOr => 3,
            Self::BitXor => 4,
            Self::BitAnd => 5,
            Self::Equal | Self::NotEqual => 6,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => 7,
            Self::ShiftLeft | Self::ShiftRight => 8,
            Self::Add | Self::Subtract => 9,
            Self::Multiply | Self::Divide | Self::Remainder => 10,
            Self::Power => 11,
        }
    }
}

/// A parser that evaluates as it goes, one token ahead, since that decides what has happened before a fault.
struct Parser<'t, 'c, 'v> {
    text: &'t str,
    /// Offset behind `token`.
    at: usize,
    token: Token,
    previous: Token,
    /// The value of a number or name.
    value: Value,
    /// What a name stands for.
    target: Option<Target<'t>>,
    /// The operand just parsed, when it is a bare name.
    assignable: Option<Target<'t>>,
    /// The token is only looked at: names are not read.
    peeks: bool,
    context: &'c mut Context<'v>,
}

impl<'t> Parser<'t, '_, '_> {
    fn whole(&mut self) -> Result<Value, Fault> {
        self.advance()?;
        let value = self.comma()?;
        if self.token == Token::End { Ok(value) } else { Err(Fault::Syntax) }
    }

    fn comma(&mut self) -> Result<Value, Fault> {
        let mut value = self.assignment()?;
        while self.token == Token::Comma {
            self.advance()?;
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Result<Value, Fault> {
        let left = self.conditional()?;
        let operator = match self.token {
            Token::Equals => None,
            Token::Update(operator) => Some(operator),
            _ => return Ok(left),
        };
        let mut target = self.assignable.take().ok_or(Fault::Syntax)?;
        self.advance()?;
        let right = self.nested(Self::assignment)?;
        let value = match operator {
            None => right,
            Some(operator) => self.apply(operator, left, right)?,
        };
        self.context.write(&mut target, value)?;
        self.assignable = None;
        Ok(value)
    }

    fn conditional(&mut self) -> Result<Value, Fault> {
        let condition = self.binary(1)?;
        if self.token != Token::Question {
            return Ok(condition);
        }
        let mode = self.context.mode;
        let (if_true, if_false) = match condition {
            None => (mode.max(Mode::Maybe), mode.max(Mode::Maybe)),
            Some(0) => (Mode::Skip, mode),
            Some(_) => (mode, Mode::Skip),
        };
        self.context.mode = if_true;
        self.advance()?;
        if matches!(self.token, Token::End | Token::Colon) {
            return Err(Fault::Syntax);
        }
        let first = self.nested(Self::comma)?;
        if self.token != Token::Colon {
            return Err(Fault::Syntax);
        }
        self.context.mode = if_false;
        self.advance()?;
        let second = self.nested(Self::conditional)?;
        self.context.mode = mode;
        self.assignable = None;
        Ok(match condition {
            None => first.filter(|_| first == second),
            Some(0) => second,
            Some(_) => first,
        })
    }

    /// Parses operators that bind at least as tightly as `least`, from the left.
    fn binary(&mut self, least: u8) -> Result<Value, Fault> {
        let mut left = self.power()?;
        while let Token::Operator(operator) = self.token {
            let level = operator.level();
            if level < least {
                break;
            }
            let mode = self.context.mode;
            let decided = match operator {
                Operator::Or => Some(left.map(|left| left != 0)),
                Operator::And => Some(left.map(|left| left == 0)),
                _ => None,
            };
            match decided {
                Some(None) => self.context.mode = mode.max(Mode::Maybe),
                Some(Some(true)) => self.context.mode = Mode::Skip,
                _ => {}
            }
            self.advance()?;
            let right = self.binary(level + 1)?;
            self.context.mode = mode;
            left = self.apply(operator, left, right)?;
            self.assignable = None;
        }
        Ok(left)
    }

    /// `**`, which binds from the right but less tightly than a sign: `-2**2` is 4.
    fn power(&mut self) -> Result<Value, Fault> {
        let base = self.unary()?;
        if self.token != Token::Operator(Operator::Power) {
            return Ok(base);
        }
        self.advance()?;
        let exponent = self.nested(Self::power)?;
        self.assignable = None;
        self.apply(Operator::Power, base, exponent)
    }

    fn unary(&mut self) -> Result<Value, Fault> {
        let sign: fn(i64) -> i64 = match self.token {
            Token::Not => |value| i64::from(value == 0),
            Token::Complement => |value| !value,
            Token::Operator(Operator::Subtract) => i64::wrapping_neg,
            Token::Operator(Operator::Add) => |value| value,
            _ => return self.operand(),
        };
        self.advance()?;
        let value = self.nested(Self::unary)?;
        self.assignable = None;
        Ok(value.map(sign))
    }

    fn operand(&mut self) -> Result<Value, Fault> {
        self.assignable = None;
        match self.token {
            Token::Before(step) => {
                self.advance()?;
                if self.token != Token::Name {
                    return Err(Fault::Syntax);
                }
                let value = self.value.map(|value| value.wrapping_add(step));
                let target = self.target.take();
                self.step(target, value)?;
                Ok(value)
            }
            Token::Open => {
                self.advance()?;
                let value = self.nested(Self::comma)?;
                if self.token != Token::Close {
                    return Err(Fault::Syntax);
                }
                self.advance()?;
                self.assignable = None;
                Ok(value)
            }
            Token::Number => {
                let value = self.value;
                self.advance()?;
                Ok(value)
            }
            Token::Name => {
                let value = self.value;
                let target = self.target.take();
                self.advance()?;
                if let Token::Behind(step) = self.token {
                    self.step(target, value.map(|value| value.wrapping_add(step)))?;
                } else {
                    self.assignable = target;
                }
                Ok(value)
            }
            _ => Err(Fault::Syntax),
        }
    }

    /// Assigns what `++` or `--` makes, then goes on to the next token.
    fn step(&mut self, target: Option<Target<'t>>, value: Value) -> Result<(), Fault> {
        if let Some(mut target) = target {
            self.context.write(&mut target, value)?;
        }
        self.token = Token::Number;
        self.advance()
    }

    fn nested(&mut self, rule: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        let outer = self.context.depth;
        self.context.depth = outer.checked_sub(1).ok_or(Fault::Limit)?;
        let result = rule(self);
        self.context.depth = outer;
        result
    }

    fn apply(&self, operator: Operator, left: Value, right: Value) -> Result<Value, Fault> {
        let is_true = |value: Value| value.map(|value| value != 0);
        let (left, right) = match (operator, left, right) {
            (Operator::Or, _, _) => {
                return Ok(match (is_true(left), is_true(right)) {
                    (Some(true), _) | (_, Some(true)) => Some(1),
                    (Some(false), Some(false)) => Some(0),
                    _ => None,
                });
            }
            (Operator::And, _, _) => {
                return Ok(match (is_true(left), is_true(right)) {
                    (Some(false), _) | (_, Some(false)) => Some(0),
                    (Some(true), Some(true)) => Some(1),
                    _ => None,
                });
            }
            (Operator::Divide | Operator::Remainder, _, Some(0)) => match self.context.mode {
                Mode::Run => return Err(Fault::DivisionByZero),
                Mode::Maybe => return Ok(None),
                Mode::Skip => (left.unwrap_or(0), 1),
            },
            (_, Some(left), Some(right)) => (left, right),
            _ => return Ok(None),
        };
        // Shift counts are taken modulo 64, as the processor does it.
        let count = u32::try_from(right & 63).unwrap_or(0);
        Ok(Some(match operator {
            Operator::Or | Operator::And => 0,
            Operator::BitOr => left | right,
            Operator::BitXor => left ^ right,
            Operator::BitAnd => left & right,
            Operator::Equal => i64::from(left == right),
            Operator::NotEqual => i64::from(left != right),
            Operator::Less => i64::from(left < right),
            Operator::LessEqual => i64::from(left <= right),
            Operator::Greater => i64::from(left > right),
            Operator::GreaterEqual => i64::from(left >= right),
            Operator::ShiftLeft => left.wrapping_shl(count),
            Operator::ShiftRight => left.wrapping_shr(count),
            Operator::Add => left.wrapping_add(right),
            Operator::Subtract => left.wrapping_sub(right),
            Operator::Multiply => left.wrapping_mul(right),
            Operator::Divide => left.wrapping_div(right),
            Operator::Remainder => left.wrapping_rem(right),
            Operator::Power if right >= 0 => wrapping_power(left, right),
            Operator::Power if self.context.mode == Mode::Maybe => return Ok(None),
            Operator::Power => return Err(Fault::NegativeExponent),
        }))
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while is_blank(self.byte(at)) {
            at += 1;
        }
        at
    }

    /// Reads the next token; a name is read as a variable at once, unless a plain `=` is behind it.
    fn advance(&mut self) -> Result<(), Fault> {
        self.context.charge(1)?;
        let before = core::mem::replace(&mut self.previous, self.token);
        self.at = self.skip_blanks(self.at);
        let start = self.at;
        let first = self.byte(start);
        if start >= self.text.len() {
            self.token = Token::End;
            return Ok(());
        }
        if first.is_ascii_digit() {
            self.at = self.word_end(start, true);
            let digits = self.text.get(start..self.at).unwrap_or("");
            self.value = if has_hole(digits) { None } else { Some(number(digits)?) };
            self.token = Token::Number;
            return Ok(());
        }
        let end = self.word_end(start, false);
        if end > start { self.name(start, end) } else { self.operator(first, before) }
    }

    /// Returns where the name (or, with `number`, the number) that begins at `start` ends.
    fn word_end(&self, start: usize, number: bool) -> usize {
        let is_part =
            |byte: &&u8| class(**byte) & (LETTER | DIGIT) != 0 || (number && matches!(**byte, b'#' | b'@'));
        let mut at = start;
        loop {
            let rest = self.text.as_bytes().get(at..).unwrap_or(&[]);
            at += rest.iter().take_while(is_part).count();
            if !self.text.get(at..).is_some_and(|rest| rest.starts_with(UNKNOWN)) {
                return at;
            }
            at += UNKNOWN.len_utf8();
        }
    }

    fn name(&mut self, start: usize, end: usize) -> Result<(), Fault> {
        let name = self.text.get(start..end).unwrap_or("");
        let mut target = Target { name, subscript: Subscript::None };
        self.at = end;
        if self.byte(end) == b'[' {
            let close = self.subscript_end(end + 1).ok_or(Fault::Syntax)?;
            let raw = self.text.get(end + 1..close).unwrap_or("");
            if raw.is_empty() {
                return Err(Fault::Syntax);
            }
            target.subscript = Subscript::Raw(raw);
            self.at = close + 1;
        }
        self.value = Some(0);
        if self.peeks {
            self.token = Token::Name;
            return Ok(());
        }
        let next = self.peek()?;
        if next != Token::Equals || matches!(self.previous, Token::Before(_)) {
            self.context.settle_subscript(&mut target)?;
            self.value = self.context.read(&target)?;
        }
        self.target = Some(target);
        self.token = Token::Name;
        Ok(())
    }

    /// Returns the token behind a name. Bash looks there before it reads the variable, so a bad token faults first.
    fn peek(&mut self) -> Result<Token, Fault> {
        let (at, token, previous, value) = (self.at, self.token, self.previous, self.value);
        self.token = Token::Name;
        self.peeks = true;
        self.advance()?;
        self.peeks = false;
        let next = self.token;
        (self.at, self.token, self.previous, self.value) = (at, token, previous, value);
        Ok(next)
    }

    /// Returns the offset of the `]` that closes the subscript whose text begins at `at`.
    fn subscript_end(&self, mut at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut quote = 0;
        while at < self.text.len() {
            match self.byte(at) {
                b'\\' => at += 1,
                byte if byte == quote => quote = 0,
                _ if quote != 0 => {}
                byte @ (b'\'' | b'"') => quote = byte,
                b'[' => depth += 1,
                b']' if depth == 0 => return Some(at),
                b']' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Reads an operator; `before` is the token in front of the current one.
    fn operator(&mut self, first: u8, before: Token) -> Result<(), Fault> {
        let second = self.byte(self.at + 1);
        let third = self.byte(self.at + 2);
        let (token, length) = match (first, second) {
            (b'=', b'=') => (Token::Operator(Operator::Equal), 2),
            (b'!', b'=') => (Token::Operator(Operator::NotEqual), 2),
            (b'>', b'=') => (Token::Operator(Operator::GreaterEqual), 2),
            (b'<', b'=') => (Token::Operator(Operator::LessEqual), 2),
            (b'<', b'<') if third == b'=' => (Token::Update(Operator::ShiftLeft), 3),
            (b'>', b'>') if third == b'=' => (Token::Update(Operator::ShiftRight), 3),
            (b'<', b'<') => (Token::Operator(Operator::ShiftLeft), 2),
            (b'>', b'>') => (Token::Operator(Operator::ShiftRight), 2),
            (b'&', b'&') => (Token::Operator(Operator::And), 2),
            (b'|', b'|') => (Token::Operator(Operator::Or), 2),
            (b'*', b'*') => (Token::Operator(Operator::Power), 2),
            (b'+' | b'-', _) if second == first => {
                let step = if first == b'+' { 1 } else { -1 };
                if self.token == Token::Name {
                    (Token::Behind(step), 2)
                } else if self.token == Token::Number && matches!(before, Token::Before(_)) {
                    return Err(Fault::Syntax);
                } else {
                    let next = self.byte(self.skip_blanks(self.at + 2));
                    if next == b'_' || next.is_ascii_alphabetic() {
                        (Token::Before(step), 2)
                    } else {
                        (Token::Operator(sign(first)), 1)
                    }
                }
            }
            (b'+' | b'-', b'=') => (Token::Update(sign(first)), 2),
            (b'+' | b'-', _) => (Token::Operator(sign(first)), 1),
            (b'*', b'=') => (Token::Update(Operator::Multiply), 2),
            (b'/', b'=') => (Token::Update(Operator::Divide), 2),
            (b'%', b'=') => (Token::Update(Operator::Remainder), 2),
            (b'&', b'=') => (Token::Update(Operator::BitAnd), 2),
            (b'^', b'=') => (Token::Update(Operator::BitXor), 2),
            (b'|', b'=') => (Token::Update(Operator::BitOr), 2),
            (b'=', _) => (Token::Equals, 1),
            (b'!', _) => (Token::Not, 1),
            (b'~', _) => (Token::Complement, 1),
            (b'<', _) => (Token::Operator(Operator::Less), 1),
            (b'>', _) => (Token::Operator(Operator::Greater), 1),
            (b'*', _) => (Token::Operator(Operator::Multiply), 1),
            (b'/', _) => (Token::Operator(Operator::Divide), 1),
            (b'%', _) => (Token::Operator(Operator::Remainder), 1),
            (b'&', _) => (Token::Operator(Operator::BitAnd), 1),
            (b'^', _) => (Token::Operator(Operator::BitXor), 1),
            (b'|', _) => (Token::Operator(Operator::BitOr), 1),
            (b'?', _) => (Token::Question, 1),
            (b':', _) => (Token::Colon, 1),
            (b',', _) => (Token::Comma, 1),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            _ => return Err(Fault::Syntax),
        };
        self.at += length;
        self.token = token;
        Ok(())
    }
}

fn sign(byte: u8) -> Operator {
    if byte == b'+' { Operator::Add } else { Operator::Subtract }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn wrapping_power(mut base: i64, mut exponent: i64) -> i64 {
    let mut result = 1_i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// Reads a constant: decimal, `0` octal, `0x` hexadecimal, `base#digits` up to base 64.
fn number(text: &str) -> Result<i64, Fault> {
    let (mut base, digits, mut based) = match text.as_bytes() {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits, true),
        [b'0', digits @ ..] => (8, digits, true),
        digits => (10, digits, false),
    };
    let mut value = 0_i64;
    let mut rest = digits;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if *byte == b'#' {
            if based || !(2..=64).contains(&value) {
                return Err(Fault::Syntax);
            }
            (base, value, based) = (value, 0, true);
            if !matches!(rest, [b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'@', ..]) {
                return Err(Fault::Syntax);
            }
            continue;
        }
        let digit = match *byte {
            b'0'..=b'9' => *byte - b'0',
            b'a'..=b'z' => *byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => *byte - b'A' + 10,
            b'A'..=b'Z' => *byte - b'A' + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return Err(Fault::Syntax),
        };
        if i64::from(digit) >= base {
            return Err(Fault::Syntax);
        }
        value = value.wrapping_mul(base).wrapping_add(i64::from(digit));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_bash::{Random, answers};
    use std::collections::BTreeMap;
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    #[derive(Default)]
    struct Store(BTreeMap<String, Read>);

    impl Store {
        fn key(name: &str, subscript: Option<&str>) -> String {
            match subscript {
                // A plain name is element 0 of an array.
                Some("0") | None => name.to_string(),
                Some(subscript) => format!("{name}[{subscript}]"),
            }
        }
    }

    impl Variables for Store {
        fn read(&mut self, name: &str, subscript: Option<&str>) -> Read {
            self.0.get(&Self::key(name, subscript)).cloned().unwrap_or(Read::Unset)
        }
        fn write(&mut self, name: &str, subscript: Option<&str>, value: Option<i64>) {
            let value = value.map_or(Read::Unknown, |value| Read::Text(value.to_string()));
            self.0.insert(Self::key(name, subscript), value);
        }
    }

    fn start() -> Store {
        let texts = [
            ("x", "5"),
            ("y", "x+1"),
            ("z", "-3"),
            ("bad", "1 +"),
            ("s", "x=9"),
            ("big", "9223372036854775807"),
        ];
        Store(texts.map(|(name, text)| (name.into(), Read::Text(text.into()))).into())
    }

    #[test]
    fn agrees_with_bash() {
        const PIECES: &[&str] = &[
            "x",
            "y",
            "z",
            "w",
            "s",
            "bad",
            "a[1]",
            "a[x]",
            "a[x++]",
            "0",
            "1",
            "2",
            "3",
            "63",
            "64",
            "010",
            "09",
            "0x1F",
            "0x",
            "16#fF",
            "64#@_",
            "37#a",
            "2#2",
            "65#1",
            "1#1",
            "16#",
            "010#7",
            "big",
            "+",
            "-",
            "*",
            "/",
            "%",
            "**",
            "<<",
            ">>",
            "<",
            ">",
            "<=",
            ">=",
            "==",
            "!=",
            "&",
            "|",
            "^",
            "&&",
            "||",
            "?",
            ":",
            ",",
            "(",
            ")",
            "!",
            "~",
            "++",
            "--",
            "=",
            "+=",
            "-=",
            "*=",
            "/=",
            "%=",
            "<<=",
            ">>=",
            "&=",
            "^=",
            "|=",
            " ",
            " ",
            "(x)",
            "x++",
            "--y",
            "x=2",
            "? 1 :",
            "99999999999999999999",
            "$",
            "1/0",
        ];
        const OPERANDS: &[&str] = &[
            "x", "y", "z", "w", "s", "a[1]", "a[x++]", "0", "1", "2", "7", "big", "x++", "--z", "(x=3)",
            "(1/0)", "-x", "!y", "~z", "bad",
        ];
        const OPERATORS: &[&str] = &[
            "+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&",
            "||", ",", "=", "+=", "/=", "?", ":", "&&", "||", "? x :",
        ];
        let mut random = Random(7);
        let mut cases = Vec::new();
        for _ in 0..2000 {
            cases.push([random.text(PIECES, 6)]);
        }
        for _ in 0..2000 {
            let mut text = String::from(random.pick(OPERANDS));
            for _ in 0..random.below(6) {
                text.push_str(random.pick(OPERATORS));
                text.push_str(random.pick(OPERANDS));
            }
            cases.push([text]);
        }
        let setup = "texts() { unset a w; x=5 y=x+1 z=-3 bad='1 +' s=x=9 big=9223372036854775807; }";
        // An expansion that faults ends the function, so the answer is printed by a trap of a subshell.
        let function = r#"(texts; unset r
            trap 'printf "%s|%s %s %s %s %s %s" "${r-fault}" "$x" "$y" "$z" "$w" "${a[1]}" "${a[5]}"' EXIT
            r=$(( $1 )) )"#;
        let Some(answers) = answers(setup, function, &cases) else { return };
        let mut known = 0;
        for ([case], answer) in cases.iter().zip(answers) {
            let mut store = start();
            let result = evaluate(case, &mut store, &mut 100_000);
            let result = match result {
                Ok(value) => value.expect("nothing is unknown").to_string(),
                Err(Fault::Limit) => panic!("limit at {case:?}"),
                Err(_) => "fault".into(),
            };
            known += u32::from(result != "fault");
            let text = |key: &str| match store.0.get(key) {
                Some(Read::Text(text)) => text.clone(),
                _ => String::new(),
            };
            let got = format!(
                "{result}|{} {} {} {} {} {}",
                text("x"),
                text("y"),
                text("z"),
                text("w"),
                text("a[1]"),
                text("a[5]")
            );
            assert_eq!(got, String::from_utf8_lossy(&answer), "{case:?}");
        }
        assert!(known > 1000, "only {known} expressions have a value");
    }

    #[test]
    fn unknown_operands() {
        let value = |text: &str| {
            let mut store = start();
            let result = evaluate(&text.replace('U', "\u{FDD0}"), &mut store, &mut 1000);
            (result, store.0.get("w").cloned())
        };
        assert_eq!(value("U + 1"), (Ok(None), None));
        assert_eq!(value("1U"), (Ok(None), None));
        assert_eq!(value("U, 3"), (Ok(Some(3)), None));
        assert_eq!(value("U && 0"), (Ok(Some(0)), None));
        assert_eq!(value("1 || U"), (Ok(Some(1)), None));
        assert_eq!(value("U && (w=2)"), (Ok(None), Some(Read::Unknown)));
        assert_eq!(value("U ? (w=2) : 2"), (Ok(Some(2)), Some(Read::Unknown)));
        assert_eq!(value("U ? 1/0 : 2"), (Ok(None), None));
        assert_eq!(value("w = U"), (Ok(None), Some(Read::Unknown)));
        assert_eq!(value("0 && U, w=1"), (Ok(Some(1)), Some(Read::Text("1".into()))));
        assert_eq!(value("U (3)"), (Ok(None), None));
        assert_eq!(value("a[U] = 3"), (Ok(Some(3)), None));
    }

    #[test]
    fn limits_hold() {
        let mut steps = 1_000_000;
        for text in ["(", "-", "!", "x=", "1?", "2**", "a["] {
            let deep = text.repeat(100_000);
            assert!(evaluate(&deep, &mut start(), &mut steps).is_err());
        }
        let mut store = Store([("r".into(), Read::Text("r".into()))].into());
        assert_eq!(evaluate("r", &mut store, &mut 1000), Err(Fault::Limit));
        assert_eq!(evaluate("1+1", &mut store, &mut 2), Err(Fault::Limit));
    }
}
