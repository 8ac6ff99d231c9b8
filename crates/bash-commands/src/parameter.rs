//! Parameter expansion: `$x`, `${x…}`, `"$@"`, arrays.

use crate::cursor::{DIGIT, LETTER, class};
use crate::evaluate::Evaluator;
use crate::expand::{Builder, Ifs, Purpose};
use crate::pattern;
use crate::quote::Case;
use crate::report::Reason;
use crate::span::Span;
use crate::state::{Array, Failure, Key, Namespace, Status, Value, Watched, attribute, option};
use crate::store::{HOLE, has_hole};
use crate::syntax::{Id, Operator, Parameter, Replace, Word};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How often a name may refer to another one.
const MAX_REFERENCES: u32 = 8;

/// Returns whether the value of a variable changes by itself, whatever the text assigns.
fn changes_by_itself(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"RANDOM"
            | b"SRANDOM"
            | b"SECONDS"
            | b"LINENO"
            | b"EPOCHSECONDS"
            | b"EPOCHREALTIME"
            | b"BASHPID"
            | b"BASH_COMMAND"
            | b"_"
            | b"FUNCNAME"
            | b"BASH_LINENO"
            | b"BASH_SOURCE"
            | b"PIPESTATUS"
            | b"DIRSTACK"
            | b"BASH_REMATCH"
            | b"HISTCMD"
            | b"BASH_SUBSHELL"
    )
}

/// What a parameter stands for.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Unset,
    Scalar(Span),
    Unknown,
    List { values: Vec<Span>, star: bool, open: bool },
}

impl Evaluator<'_> {
    /// Returns what a variable is, references followed.
    pub(crate) fn lookup(&self, name: &str) -> Value {
        self.lookup_within(name, MAX_REFERENCES)
    }

    fn lookup_within(&self, name: &str, references: u32) -> Value {
        let Some(id) = self.names.find(Namespace::Variable, name) else { return Value::Inherited };
        let slot = self.names.slot(id);
        if changes_by_itself(name) && !matches!(slot.value, Value::Array(_)) {
            return Value::Unknown;
        }
        if slot.attributes & attribute::NAMEREF != 0
            && let Value::Text(target) = slot.value
        {
            let target = self.store.text(target);
            return match references.checked_sub(1) {
                Some(left) if is_name(target) => self.lookup_within(target, left),
                _ => Value::Unknown,
            };
        }
        slot.value.clone()
    }

    /// The value that a variable has when the text never set it; `None` when only the host knows.
    fn inherited(&mut self, name: &str) -> Option<Subject> {
        match name.as_bytes() {
            b"HOME" => self.options.home.map(|home| Subject::Scalar(self.store.keep(home))),
            b"PWD" => self.present_directory().map(Subject::Scalar),
            b"OPTIND" => Some(Subject::Scalar(self.store.keep("1"))),
            b"IFS" => Some(Subject::Scalar(self.store.keep(crate::split::DEFAULT_IFS))),
            b"FUNCNAME" if self.calls == 0 => Some(Subject::Unset),
            _ => None,
        }
    }

    /// The home directory as `~` takes it.
    pub(crate) fn home(&mut self) -> Option<Span> {
        match self.lookup("HOME") {
            Value::Inherited => self.options.home.map(|home| self.store.keep(home)),
            Value::Text(span) if !self.store.has_hole(span) => Some(span),
            _ => None,
        }
    }

    pub(crate) fn ifs(&mut self) -> Ifs {
        if self.names.find_watched(Watched::Ifs).is_none() {
            return Ifs::Default;
        }
        match self.lookup("IFS") {
            Value::Inherited | Value::Unset => Ifs::Default,
            Value::Text(span) if self.store.text(span) == crate::split::DEFAULT_IFS => Ifs::Default,
            Value::Text(span) if !self.store.has_hole(span) => Ifs::Custom(span),
            _ => Ifs::Unknown,
        }
    }

    /// Appends what a parameter or a substitution stands for.
    pub(crate) fn push_subject(
        &mut self,
        subject: Subject,
        quoted: bool,
        reason: Reason,
        builder: &mut Builder,
    ) {
        match subject {
            Subject::Unset => {
                if self.has(option::NOUNSET) {
                    self.failed = Some(Failure::Shell);
                }
                if quoted {
                    self.push_value(Span::default(), true, reason, builder);
                }
            }
            Subject::Scalar(value) => self.push_value(value, quoted, reason, builder),
            Subject::Unknown => {
                self.may_be_unset(reason);
                self.push_hole(quoted, reason, builder);
            }
            Subject::List { values, star, open } => self.push_list(&values, star, open, quoted, builder),
        }
    }

    /// Under `set -u` the shell ends here if the variable is not set, of which its value being unknown says nothing.
    #[inline]
    pub(crate) fn may_be_unset(&mut self, reason: Reason) {
        if self.has(option::NOUNSET) && reason == Reason::Variable {
            self.may_leave_shell(Status::Failure(None));
        }
    }

    /// What `$name` stands for.
    pub(crate) fn subject_of_name(&mut self, name: Span) -> Subject {
        let first = self.store.bytes(name).first().copied().unwrap_or(0);
        if first.is_ascii_alphabetic() || (first == b'_' && name.len() > 1) {
            return self.variable(name);
        }
        let text = self.store.detached(name);
        self.special(&text)
    }

    fn variable(&mut self, name: Span) -> Subject {
        let text = self.store.text(name);
        match self.lookup(text) {
            // Only some names in capitals have a value that is known without the text.
            Value::Inherited if text.as_bytes().first().is_some_and(u8::is_ascii_uppercase) => {
                let name = self.store.detached(name);
                self.inherited(&name).unwrap_or(Subject::Unknown)
            }
            value => Self::scalar_of(&value),
        }
    }

    fn variable_named(&mut self, name: &str) -> Subject {
        match self.lookup(name) {
            Value::Inherited => self.inherited(name).unwrap_or(Subject::Unknown),
            value => Self::scalar_of(&value),
        }
    }

    fn scalar_of(value: &Value) -> Subject {
        match value {
            Value::Text(span) => Subject::Scalar(*span),
            Value::Unset => Subject::Unset,
            Value::Inherited | Value::Unknown | Value::Functions(_) => Subject::Unknown,
            Value::Array(array) => {
                let zero = if array.associative { Key::Name(Rc::from("0")) } else { Key::Index(0) };
                match array.get(&zero) {
                    Some(value) => Subject::Scalar(value),
                    None if array.open => Subject::Unknown,
                    None => Subject::Unset,
                }
            }
        }
    }

    fn special(&mut self, name: &str) -> Subject {
        let positional = self.positional();
        match name {
            "@" | "*" => {
                Subject::List { values: positional.values.to_vec(), star: name == "*", open: positional.open }
            }
            "#" if positional.open => Subject::Unknown,
            "#" => {
                let count = positional.values.len().to_string();
                Subject::Scalar(self.store.keep(&count))
            }
            "?" => match self.now.status {
                Status::Success => Subject::Scalar(self.store.keep("0")),
                Status::Failure(Some(code)) => {
                    let code = code.to_string();
                    Subject::Scalar(self.store.keep(&code))
                }
                _ => Subject::Unknown,
            },
            "0" => Subject::Scalar(positional.zero),
            _ => match name.parse::<usize>() {
                Ok(_) if positional.open => Subject::Unknown,
                Ok(number) => match positional.values.get(number.wrapping_sub(1)) {
                    Some(value) => Subject::Scalar(*value),
                    None => Subject::Unset,
                },
                Err(_) => Subject::Unknown,
            },
        }
    }

    /// Expands the positional parameters for `for name do`.
    pub(crate) fn expand_positionals(&mut self, at: Span) {
        let positional = self.positional();
        let mut builder = self.begin(Purpose::Fields, at);
        self.push_list(&positional.values, false, positional.open, true, &mut builder);
        self.finish_fields(builder);
    }

    /// Evaluates a subscript; `None` when the key is not known.
    pub(crate) fn key_of(&mut self, name: &str, subscript: Id<Word>) -> Option<Key> {
        let associative = matches!(self.lookup(name), Value::Array(array) if array.associative);
        if associative {
            let text = self.expand_key(subscript);
            let text = self.store.text(text);
            return (!has_hole(text)).then(|| Key::Name(Rc::from(text)));
        }
        // Quotes in a subscript are taken off before the expression is read.
        let text = self.expand_key(subscript);
        let text = self.store.detached(text);
        let Ok(index) = self.arithmetic_text(&text) else {
            self.failed = Some(Failure::Line);
            return None;
        };
        let mut index = index?;
        if index < 0
            && let Value::Array(array) = self.lookup(name)
        {
            index = index.wrapping_add(array.next_index());
        }
        Some(Key::Index(index))
    }

    /// Finds a key that is written as text, as in `${!ref}` with `ref='a[1]'`.
    fn key_of_text(&mut self, name: &str, subscript: &str) -> Option<Key> {
        if matches!(self.lookup(name), Value::Array(array) if array.associative) {
            let span = self.store.keep(subscript);
            let key = self.expand_key_at(span);
            let key = self.store.text(key);
            return (!has_hole(key)).then(|| Key::Name(Rc::from(key)));
        }
        let index = self.arithmetic_text(subscript).ok()??;
        Some(Key::Index(index))
    }

    fn element(&mut self, name: &str, key: Option<Key>) -> Subject {
        let value = self.lookup(name);
        match (value, key) {
            (Value::Array(array), Some(key)) => match array.get(&key) {
                Some(value) => Subject::Scalar(value),
                None if array.open => Subject::Unknown,
                None => Subject::Unset,
            },
            (Value::Text(span), Some(Key::Index(0))) => Subject::Scalar(span),
            (Value::Text(_), Some(_)) | (Value::Unset, _) => Subject::Unset,
            _ => Subject::Unknown,
        }
    }

    fn all_elements(&mut self, name: &str, star: bool) -> Subject {
        match self.lookup(name) {
            Value::Array(array) => Subject::List {
                values: array.listed().into_iter().map(|(_, value)| value).collect(),
                star,
                open: array.open,
            },
            Value::Text(span) => Subject::List { values: alloc::vec![span], star, open: false },
            Value::Unset => Subject::List { values: Vec::new(), star, open: false },
            _ => Subject::List { values: Vec::new(), star, open: true },
        }
    }

    fn subject(&mut self, name: &str, subscript: Option<Id<Word>>) -> Subject {
        let Some(subscript) = subscript else {
            let first = name.bytes().next().unwrap_or(0);
            return if first.is_ascii_alphabetic() || (first == b'_' && name.len() > 1) {
                self.variable_named(name)
            } else {
                self.special(name)
            };
        };
        let word = self.tree.get(subscript);
        match self.store.text(word.span) {
            "@" => self.all_elements(name, false),
            "*" => self.all_elements(name, true),
            _ => {
                let key = self.key_of(name, subscript);
                self.element(name, key)
            }
        }
    }

    /// Follows `${!name}`: the subject that the value of `name` names.
    fn indirect(&mut self, name: &str, subscript: Option<Id<Word>>) -> Subject {
        let target = match self.subject(name, subscript) {
            Subject::Scalar(target) => target,
            Subject::List { values, open: false, .. } if values.len() == 1 => {
                values.first().copied().unwrap_or_default()
            }
            Subject::List { star, .. } => return Subject::List { values: Vec::new(), star, open: true },
            Subject::Unset | Subject::Unknown => return Subject::Unknown,
        };
        let target = self.store.detached(target);
        if has_hole(&target) || target.is_empty() {
            return Subject::Unknown;
        }
        if let Some((array, rest)) = target.split_once('[')
            && let Some(subscript) = rest.strip_suffix(']')
            && is_name(array)
        {
            return match subscript {
                "@" => self.all_elements(array, false),
                "*" => self.all_elements(array, true),
                _ => {
                    let key = self.key_of_text(array, subscript);
                    self.element(array, key)
                }
            };
        }
        let special = target.len() == 1 || target.bytes().all(|byte| byte.is_ascii_digit());
        if is_name(&target) || special { self.subject(&target, None) } else { Subject::Unknown }
    }

    /// `${…}`.
    pub(crate) fn expand_parameter(&mut self, id: Id<Parameter>, quoted: bool, builder: &mut Builder) {
        let parameter = self.tree.get(id);
        let name = self.store.detached(parameter.name);
        match parameter.operator {
            Operator::Names { at } => {
                // The environment may hold any other name.
                let _ = at;
                builder_open(self, quoted, builder);
                return;
            }
            Operator::Keys => {
                self.expand_keys(&name, &parameter, quoted, builder);
                return;
            }
            Operator::Bad => {
                self.failed = Some(Failure::Line);
                return;
            }
            _ => {}
        }
        let subject = if parameter.indirect {
            if let Some(target) = self.nameref_target(&name)
                && parameter.subscript.is_none()
            {
                Subject::Scalar(target)
            } else {
                self.indirect(&name, parameter.subscript)
            }
        } else {
            self.subject(&name, parameter.subscript)
        };
        self.apply_operator(&name, &parameter, subject, quoted, builder);
    }

    /// `${!name:=…}` assigns to the variable that `name` names: it is not known afterwards.
    fn forget_target(&mut self, name: &str, subscript: Option<Id<Word>>) {
        let target = match self.subject(name, subscript) {
            Subject::Scalar(target) => target,
            Subject::List { values, .. } => values.first().copied().unwrap_or_default(),
            Subject::Unset | Subject::Unknown => return,
        };
        let target = self.store.detached(target);
        let base = target.split('[').next().unwrap_or("");
        if is_name(base) {
            self.forget(base);
        }
    }

    fn nameref_target(&self, name: &str) -> Option<Span> {
        let slot = self.names.slot(self.names.find(Namespace::Variable, name)?);
        match slot.value {
            Value::Text(target) if slot.attributes & attribute::NAMEREF != 0 => Some(target),
            _ => None,
        }
    }

    fn expand_keys(&mut self, name: &str, parameter: &Parameter, quoted: bool, builder: &mut Builder) {
        let star = parameter.subscript.is_some_and(|id| {
            let word = self.tree.get(id);
            self.store.text(word.span) == "*"
        });
        let (keys, open): (Vec<String>, bool) = match self.lookup(name) {
            Value::Array(array) => (
                array
                    .listed()
                    .into_iter()
                    .map(|(key, _)| match key {
                        Key::Index(index) => index.to_string(),
                        Key::Name(name) => name.to_string(),
                    })
                    .collect(),
                // How unquoted keys are joined under another IFS is a matter of bash's version.
                array.open || (star && !quoted && self.ifs() != Ifs::Default),
            ),
            Value::Text(_) => (alloc::vec![String::from("0")], false),
            Value::Unset => (Vec::new(), false),
            _ => (Vec::new(), true),
        };
        let values: Vec<Span> = keys.iter().map(|key| self.store.keep(key)).collect();
        self.push_list(&values, star, open, quoted, builder);
    }

    fn apply_operator(
        &mut self,
        name: &str,
        parameter: &Parameter,
        subject: Subject,
        quoted: bool,
        builder: &mut Builder,
    ) {
        match parameter.operator {
            Operator::None => self.push_subject(subject, quoted, Reason::Variable, builder),
            Operator::Length => self.push_length(&subject, builder),
            Operator::Default { colon } => match self.is_absent(&subject, colon) {
                Some(true) => self.push_operand(parameter.operand, quoted, builder),
                Some(false) => self.push_subject(subject, quoted, Reason::Variable, builder),
                None => self.push_either(&subject, parameter.operand, quoted, builder),
            },
            Operator::Assign { colon } => match self.is_absent(&subject, colon) {
                Some(true) => {
                    let value = match parameter.operand {
                        Some(operand) => self.expand_to_text(operand),
                        None => Span::default(),
                    };
                    if parameter.indirect {
                        self.forget_target(name, parameter.subscript);
                    } else {
                        self.assign_element(name, parameter.subscript, value);
                    }
                    self.push_value(value, quoted, Reason::Variable, builder);
                }
                Some(false) => self.push_subject(subject, quoted, Reason::Variable, builder),
                None => {
                    self.push_either(&subject, parameter.operand, quoted, builder);
                    let hole = self.hole();
                    self.assign_element(name, parameter.subscript, hole);
                }
            },
            Operator::Error { colon } => match self.is_absent(&subject, colon) {
                Some(true) => {
                    if let Some(operand) = parameter.operand {
                        self.expand_to_text(operand);
                    }
                    self.failed = Some(Failure::Shell);
                }
                Some(false) => self.push_subject(subject, quoted, Reason::Variable, builder),
                None => {
                    self.run_maybe_operand(parameter.operand);
                    self.may_leave_shell(Status::Failure(None));
                    self.push_subject(subject, quoted, Reason::Variable, builder);
                }
            },
            Operator::Alternative { colon } => match self.is_absent(&subject, colon) {
                // As `"$@"`, a list without elements is no word.
                Some(true) if matches!(subject, Subject::List { star: false, .. }) => {}
                Some(true) => {
                    if quoted {
                        self.push_value(Span::default(), true, Reason::Variable, builder);
                    }
                }
                Some(false) => self.push_operand(parameter.operand, quoted, builder),
                None => self.push_either(&subject, parameter.operand, quoted, builder),
            },
            Operator::Substring => self.push_substring(parameter, subject, quoted, builder),
            Operator::Transform(letter) => {
                self.push_each(subject, quoted, builder, &mut |this, text| this.transform(letter, text));
            }
            Operator::RemovePrefix { longest } => {
                let pattern = self.pattern_operand(parameter.operand);
                self.push_each(subject, quoted, builder, &mut |this, text| {
                    let options = this.pattern_options();
                    let at =
                        pattern::remove_prefix(pattern.as_deref()?, text, longest, options, this.budget())?;
                    Some(String::from(text.get(at.unwrap_or(0)..)?))
                });
            }
            Operator::RemoveSuffix { longest } => {
                let pattern = self.pattern_operand(parameter.operand);
                self.push_each(subject, quoted, builder, &mut |this, text| {
                    let options = this.pattern_options();
                    let at =
                        pattern::remove_suffix(pattern.as_deref()?, text, longest, options, this.budget())?;
                    Some(String::from(text.get(..at.unwrap_or(text.len()))?))
                });
            }
            Operator::Replace(how) => self.push_replaced(parameter, how, subject, quoted, builder),
            Operator::Upper { all } => self.push_cased(parameter, Case::Upper, all, subject, quoted, builder),
            Operator::Lower { all } => self.push_cased(parameter, Case::Lower, all, subject, quoted, builder),
            Operator::Toggle { all } => {
                self.push_cased(parameter, Case::Toggle, all, subject, quoted, builder);
            }
            Operator::Names { .. } | Operator::Keys | Operator::Bad => {}
        }
    }

    /// Whether a subject counts as absent (unset, or with `colon` also empty); `None` when that is not known.
    fn is_absent(&self, subject: &Subject, colon: bool) -> Option<bool> {
        match subject {
            Subject::Unset => Some(true),
            Subject::Unknown | Subject::List { open: true, .. } => None,
            Subject::Scalar(value) => {
                let text = self.store.text(*value);
                if !colon || text.chars().any(|c| c != HOLE) {
                    Some(false)
                } else if text.is_empty() {
                    Some(true)
                } else {
                    None
                }
            }
            Subject::List { values, .. } => match values.split_first() {
                None => Some(true),
                Some((only, [])) => self.is_absent(&Subject::Scalar(*only), colon),
                // Bash looks at what they give when they are joined, which depends on IFS.
                Some(_) if values.iter().all(|value| value.is_empty()) => None,
                Some(_) => Some(false),
            },
        }
    }

    /// Appends the operand of `-`, `=`, `+`.
    fn push_operand(&mut self, operand: Option<Id<Word>>, quoted: bool, builder: &mut Builder) {
        let Some(operand) = operand else {
            if quoted {
                self.push_value(Span::default(), true, Reason::Variable, builder);
            }
            return;
        };
        let word = self.tree.get(operand);
        if quoted {
            // Its parts were read as inside double quotes, but nested double quotes may still give several fields.
            if word.parts.is_empty() {
                self.push_value(word.span, true, Reason::Variable, builder);
                return;
            }
            self.push_value(Span::default(), true, Reason::Variable, builder);
            self.expand_parts(word.parts, builder);
            return;
        }
        self.push_unquoted_operand(&word, builder);
    }

    /// Appends the operand, or the value, or nothing.
    fn push_either(
        &mut self,
        subject: &Subject,
        operand: Option<Id<Word>>,
        quoted: bool,
        builder: &mut Builder,
    ) {
        self.run_maybe_operand(operand);
        self.push_hole(quoted, Reason::Variable, builder);
        // `"${a[@]-x}"` gives as many words as there are elements.
        builder.splice |= matches!(subject, Subject::List { star: false, .. });
    }

    /// Runs the commands inside an operand that may not be expanded.
    fn run_maybe_operand(&mut self, operand: Option<Id<Word>>) {
        let Some(operand) = operand else { return };
        if self.tree.get(operand).parts.is_empty() {
            return;
        }
        let failed = self.failed;
        self.maybe(|this| {
            let status = this.now.status;
            this.expand_to_text(operand);
            this.now.status = status;
            crate::state::Flow::Normal
        });
        self.failed = failed;
    }

    fn push_length(&mut self, subject: &Subject, builder: &mut Builder) {
        let length = match subject {
            Subject::Unset => Some(0),
            Subject::Unknown | Subject::List { open: true, .. } => None,
            Subject::Scalar(value) => {
                let text = self.store.text(*value);
                (!has_hole(text) && !self.is_locale_bound(text)).then(|| text.chars().count())
            }
            Subject::List { values, .. } => Some(values.len()),
        };
        match length {
            Some(length) => {
                let text = length.to_string();
                let span = self.store.keep(&text);
                self.push_value(span, true, Reason::Variable, builder);
            }
            None => self.push_hole(true, Reason::Variable, builder),
        }
    }

    pub(crate) fn pattern_options(&self) -> pattern::Options {
        pattern::Options { extglob: self.has(option::EXTGLOB), ignore_case: self.has(option::NOCASEMATCH) }
    }

    /// Whether what counts as a character depends on a locale that the text sets.
    fn is_locale_bound(&self, text: &str) -> bool {
        !text.is_ascii()
            && ["LC_ALL", "LC_CTYPE", "LANG"]
                .iter()
                .any(|name| self.names.find(Namespace::Variable, name).is_some())
    }

    /// Expands a pattern operand; `None` when it is not known.
    fn pattern_operand(&mut self, operand: Option<Id<Word>>) -> Option<String> {
        let Some(operand) = operand else { return Some(String::new()) };
        let pattern = self.expand_for(operand, Purpose::Pattern);
        let text = self.store.text(pattern);
        (!has_hole(text)).then(|| String::from(text))
    }

    /// Appends each value of the subject changed by `change`; `None` from it is a value that is not known.
    fn push_each(
        &mut self,
        subject: Subject,
        quoted: bool,
        builder: &mut Builder,
        change: &mut dyn FnMut(&mut Self, &str) -> Option<String>,
    ) {
        let mut changed = |this: &mut Self, value: Span| -> Span {
            let text = this.store.detached(value);
            this.step(text.len() as u64 / 4 + 1);
            if has_hole(&text) || this.is_locale_bound(&text) {
                return this.hole();
            }
            match change(this, &text) {
                Some(text) => this.store.keep(&text),
                None => this.hole(),
            }
        };
        let subject = match subject {
            Subject::Scalar(value) => Subject::Scalar(changed(self, value)),
            Subject::List { values, star, open } => {
                let values = values.into_iter().map(|value| changed(self, value)).collect();
                Subject::List { values, star, open }
            }
            other => other,
        };
        self.push_subject(subject, quoted, Reason::Variable, builder);
    }

    fn push_replaced(
        &mut self,
        parameter: &Parameter,
        how: Replace,
        subject: Subject,
        quoted: bool,
        builder: &mut Builder,
    ) {
        // The operands are expanded only when there is something to replace in.
        if matches!(subject, Subject::Unset) {
            return self.push_subject(subject, quoted, Reason::Variable, builder);
        }
        if matches!(subject, Subject::Unknown) {
            self.run_maybe_operand(parameter.operand);
            self.run_maybe_operand(parameter.second);
            return self.push_subject(subject, quoted, Reason::Variable, builder);
        }
        let pattern = self.pattern_operand(parameter.operand);
        let replacement = match parameter.second {
            None => Some(String::new()),
            Some(second) => {
                let span = self.expand_for(second, Purpose::Replacement);
                let text = self.store.text(span);
                (!has_hole(text)).then(|| String::from(text))
            }
        };
        self.push_each(subject, quoted, builder, &mut |this, text| {
            let options = this.pattern_options();
            let mut out = String::new();
            pattern::replace(
                pattern.as_deref()?,
                text,
                how,
                replacement.as_deref()?,
                options,
                this.budget(),
                &mut out,
            )?;
            Some(out)
        });
    }

    fn push_cased(
        &mut self,
        parameter: &Parameter,
        case: Case,
        all: bool,
        subject: Subject,
        quoted: bool,
        builder: &mut Builder,
    ) {
        let pattern = match parameter.operand {
            None => Some(None),
            Some(_) => self.pattern_operand(parameter.operand).map(Some),
        };
        self.push_each(subject, quoted, builder, &mut |this, text| {
            let options = this.pattern_options();
            let mut out = String::new();
            let pattern = pattern.as_ref()?;
            crate::quote::change_case(text, case, all, pattern.as_deref(), options, this.budget(), &mut out)?;
            Some(out)
        });
    }

    fn transform(&mut self, letter: u8, text: &str) -> Option<String> {
        let mut out = String::new();
        let options = self.pattern_options();
        match letter {
            b'Q' => crate::quote::quote_at_q(text, &mut out)?,
            b'E' => return crate::quote::expand_at_e(text, &mut out).then_some(out),
            b'U' => {
                crate::quote::change_case(text, Case::Upper, true, None, options, self.budget(), &mut out)?;
            }
            b'u' => {
                crate::quote::change_case(text, Case::Upper, false, None, options, self.budget(), &mut out)?;
            }
            b'L' => {
                crate::quote::change_case(text, Case::Lower, true, None, options, self.budget(), &mut out)?;
            }
            _ => return None,
        }
        Some(out)
    }

    fn push_substring(
        &mut self,
        parameter: &Parameter,
        subject: Subject,
        quoted: bool,
        builder: &mut Builder,
    ) {
        let number = |this: &mut Self, id: Option<Id<Word>>| match id {
            None => Some(None),
            Some(id) if this.is_blank(id) => Some(Some(0)),
            Some(id) => match this.evaluate_arithmetic(id) {
                Ok(Some(value)) => Some(Some(value)),
                _ => None,
            },
        };
        let (offset, length) = (number(self, parameter.operand), number(self, parameter.second));
        let subject = match (subject, offset, length) {
            (Subject::Scalar(value), Some(offset), Some(length)) => {
                let text = self.store.detached(value);
                if has_hole(&text) || self.is_locale_bound(&text) {
                    Subject::Unknown
                } else {
                    let Some(part) = substring(&text, offset.unwrap_or(0), length) else {
                        self.failed = Some(Failure::Line);
                        return;
                    };
                    Subject::Scalar(self.store.keep(&part))
                }
            }
            // Bash 5.2 splits `"${a[*]:…}"` beside other lists as if it were `@`.
            (Subject::List { star: true, .. }, ..) if quoted => {
                Subject::List { values: Vec::new(), star: false, open: true }
            }
            (Subject::List { mut values, star, open: false }, Some(offset), Some(length)) => {
                let name = self.store.text(parameter.name);
                let is_positional = matches!(name, "@" | "*");
                let sparse = match self.lookup(name) {
                    Value::Array(array) if !is_positional => Some(array),
                    _ => None,
                };
                if is_positional {
                    values.insert(0, self.positional().zero);
                }
                let offset = offset.unwrap_or(0);
                let start = match &sparse {
                    Some(array) => sparse_start(array, offset),
                    None if offset < 0 => values.len() as i64 + offset,
                    None => offset,
                };
                match length {
                    Some(length) if length < 0 => {
                        self.failed = Some(Failure::Line);
                        return;
                    }
                    _ if start < 0 => Subject::List { values: Vec::new(), star, open: false },
                    length => {
                        let count = length.unwrap_or(i64::MAX);
                        let values = values
                            .into_iter()
                            .skip(usize::try_from(start).unwrap_or(usize::MAX))
                            .take(usize::try_from(count).unwrap_or(usize::MAX))
                            .collect();
                        Subject::List { values, star, open: false }
                    }
                }
            }
            (Subject::Unset, ..) => Subject::Unset,
            (Subject::List { star, .. }, ..) => Subject::List { values: Vec::new(), star, open: true },
            _ => Subject::Unknown,
        };
        self.push_subject(subject, quoted, Reason::Variable, builder);
    }
}

fn builder_open(evaluator: &mut Evaluator<'_>, quoted: bool, builder: &mut Builder) {
    evaluator.push_list(&[], false, true, quoted, builder);
}

/// Where a slice of an indexed array begins, as a number of its elements.
fn sparse_start(array: &Array, offset: i64) -> i64 {
    if array.associative {
        // Bash counts the elements of an associative array from one.
        let count = array.elements.len() as i64;
        let offset = if offset < 0 { offset.saturating_add(count + 1) } else { offset };
        return if offset < 0 { -1 } else { (offset - 1).max(0) };
    }
    let offset = if offset < 0 { offset.wrapping_add(array.next_index()) } else { offset };
    if offset < 0 {
        return -1;
    }
    array.elements.iter().filter(|(key, _)| matches!(key, Key::Index(index) if *index < offset)).count()
        as i64
}

/// `${text:offset:length}`; `None` where bash fails, since the part would end before it begins.
fn substring(text: &str, offset: i64, length: Option<i64>) -> Option<String> {
    let count = text.chars().count() as i64;
    let start = if offset < 0 { count.checked_add(offset)? } else { offset };
    if start < 0 || start > count {
        return Some(String::new());
    }
    let end = match length {
        None => count,
        Some(length) if length < 0 => count.checked_add(length)?,
        Some(length) => start.saturating_add(length).min(count),
    };
    if end < start {
        return None;
    }
    Some(text.chars().skip(start as usize).take((end - start) as usize).collect())
}

/// Returns whether a text is a variable name.
pub(crate) fn is_name(text: &str) -> bool {
    match text.as_bytes() {
        [first, rest @ ..] => {
            class(*first) & LETTER != 0 && rest.iter().all(|byte| class(*byte) & (LETTER | DIGIT) != 0)
        }
        [] => false,
    }
}
