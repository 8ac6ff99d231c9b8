//! `[[ … ]]` and the patterns of `case`.

use crate::builtin::status_of;
use crate::evaluate::Evaluator;
use crate::expand::Purpose;
use crate::pattern;
use crate::span::Span;
use crate::state::{Array, Flow, Key, Namespace, Slot, Status, Value, attribute, option};
use crate::store::{HOLE, has_hole};
use crate::syntax::{Condition, Id, Slice, Word};
use crate::test_command;
use alloc::rc::Rc;

impl Evaluator<'_> {
    /// Evaluates a conditional expression. Its depth is bounded by that of the reader.
    pub(crate) fn judge_condition(&mut self, id: Id<Condition>) -> Status {
        let mut id = id;
        // Chains of `&&` and `||` are as long as the text likes; the right side is the rest of the loop.
        loop {
            if !self.step(1) {
                return Status::Unknown;
            }
            let (left, right, is_and) = match self.tree.get(id) {
                Condition::Not(inner) => return self.judge_inner(inner).negate(),
                Condition::And(left, right) => (left, right, true),
                Condition::Or(left, right) => (left, right, false),
                Condition::Word(word) => {
                    let text = self.expand_to_text(word);
                    return self.is_nonempty(text);
                }
                Condition::Unary { operator, operand } => return self.judge_unary(operator, operand),
                Condition::Binary { operator, left, right } => {
                    return self.judge_binary(operator, left, right);
                }
            };
            match (self.judge_inner(left), is_and) {
                (Status::Failure(code), true) => return Status::Failure(code),
                (Status::Success, false) => return Status::Success,
                (Status::Success, true) | (Status::Failure(_), false) => id = right,
                (Status::Unknown, _) => {
                    return match (self.judge_maybe(right), is_and) {
                        (Status::Failure(_), true) => Status::Failure(Some(1)),
                        (Status::Success, false) => Status::Success,
                        _ => Status::Unknown,
                    };
                }
            }
        }
    }

    /// Evaluates a part, one level deeper.
    fn judge_inner(&mut self, id: Id<Condition>) -> Status {
        let span = self.findings.commands.last().map_or(Span::default(), |command| command.span);
        let mut status = Status::Unknown;
        self.deeper(span, |this| status = this.judge_condition(id));
        status
    }

    /// Evaluates a side that bash may not come to.
    fn judge_maybe(&mut self, id: Id<Condition>) -> Status {
        let mut status = Status::Unknown;
        self.maybe(|this| {
            let before = this.now.status;
            status = this.judge_inner(id);
            this.now.status = before;
            Flow::Normal
        });
        status
    }

    fn is_nonempty(&self, text: Span) -> Status {
        let text = self.store.text(text);
        if text.is_empty() {
            Status::Failure(Some(1))
        } else if text.chars().any(|c| c != HOLE) {
            Status::Success
        } else {
            Status::Unknown
        }
    }

    fn judge_unary(&mut self, operator: Span, operand: Id<Word>) -> Status {
        let operator = self.store.detached(operator);
        let text = self.expand_to_text(operand);
        match &*operator {
            "-n" => self.is_nonempty(text),
            "-z" => self.is_nonempty(text).negate(),
            _ => {
                let text = self.store.detached(text);
                if has_hole(&text) { Status::Unknown } else { status_of(self.unary_test(&operator, &text)) }
            }
        }
    }

    fn judge_binary(&mut self, operator: Span, left: Id<Word>, right: Id<Word>) -> Status {
        let operator = self.store.detached(operator);
        let left = self.expand_to_text(left);
        match &*operator {
            "=" | "==" | "!=" => {
                let pattern = self.expand_for(right, Purpose::Pattern);
                let status = match self.matches_pattern(left, pattern, true) {
                    Some(matched) => Status::from_bool(matched),
                    None => Status::Unknown,
                };
                if operator == "!=" { status.negate() } else { status }
            }
            "=~" => self.judge_regex(left, right),
            "<" | ">" => {
                let right = self.expand_to_text(right);
                let (left, right) = (self.store.text(left), self.store.text(right));
                if has_hole(left) || has_hole(right) {
                    return Status::Unknown;
                }
                test_command::compare_strings(left, &operator, right).map_or(Status::Unknown, status_of)
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let right = self.expand_to_text(right);
                let (left, right) = (self.store.detached(left), self.store.detached(right));
                match (self.arithmetic_text(&left), self.arithmetic_text(&right)) {
                    (Ok(Some(left)), Ok(Some(right))) => Status::from_bool(match &*operator {
                        "-eq" => left == right,
                        "-ne" => left != right,
                        "-lt" => left < right,
                        "-le" => left <= right,
                        "-gt" => left > right,
                        _ => left >= right,
                    }),
                    (Ok(_), Ok(_)) => Status::Unknown,
                    _ => Status::Failure(Some(1)),
                }
            }
            _ => {
                self.expand_to_text(right);
                Status::Unknown
            }
        }
    }

    fn judge_regex(&mut self, left: Span, right: Id<Word>) -> Status {
        let pattern = self.expand_for(right, Purpose::Regex);
        let (text, pattern) = (self.store.detached(left), self.store.detached(pattern));
        let ignore_case = self.has(option::NOCASEMATCH);
        let known = !has_hole(&text) && !has_hole(&pattern);
        let found =
            if known { crate::regex::matches(&pattern, &text, ignore_case, self.budget()) } else { None };
        let slot = self.names.intern(Namespace::Variable, "BASH_REMATCH");
        let mut array = Array::new(false);
        let status = match found {
            None => {
                array.open = true;
                Status::Unknown
            }
            Some(None) => Status::Failure(Some(1)),
            Some(Some(captures)) => {
                for (index, capture) in captures.iter().enumerate() {
                    let part = capture.and_then(|(start, end)| text.get(start..end)).unwrap_or("");
                    let value = self.store.keep(part);
                    array.set(Key::Index(index as i64), value);
                }
                Status::Success
            }
        };
        let level = self.now.level;
        self.names
            .set(slot, Slot { value: Value::Array(Rc::new(array)), attributes: attribute::ARRAY, level });
        status
    }

    /// Matches a text against a pattern; `None` when the text does not tell.
    fn matches_pattern(&mut self, text: Span, pattern: Span, in_condition: bool) -> Option<bool> {
        let mut options = self.pattern_options();
        options.extglob |= in_condition;
        self.step(u64::from(pattern.len() + text.len()) / 4 + 1);
        let (pattern, text) = (self.store.text(pattern), self.store.text(text));
        if !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'*') {
            return Some(true);
        }
        if has_hole(pattern) {
            return None;
        }
        if has_hole(text) {
            // What is known of its beginning may already rule the pattern out.
            let known = text.split(HOLE).next().unwrap_or("");
            return Self::cannot_begin(pattern, known, options).then_some(false);
        }
        pattern::matches(pattern, text, options, &mut self.steps)
    }

    /// Returns whether no text that begins with `known` matches `pattern`, as far as plain characters tell.
    fn cannot_begin(pattern: &str, known: &str, options: pattern::Options) -> bool {
        if options.ignore_case {
            return false;
        }
        let mut pattern = pattern.chars();
        for c in known.chars() {
            match pattern.next() {
                Some('*' | '?' | '[' | '+' | '@' | '!' | '(') => return false,
                Some('\\') => {
                    if pattern.next() != Some(c) {
                        return true;
                    }
                }
                Some(p) if p == c => {}
                _ => return true,
            }
        }
        false
    }

    /// Matches a `case` subject against the patterns of one arm.
    pub(crate) fn matches_any(&mut self, subject: Span, patterns: Slice<Word>) -> Option<bool> {
        let mut result = Some(false);
        for id in patterns.ids() {
            let pattern = self.expand_for(id, Purpose::Pattern);
            match self.matches_pattern(subject, pattern, false) {
                Some(true) => return if result.is_none() { None } else { Some(true) },
                Some(false) => {}
                None => result = None,
            }
        }
        result
    }
}
