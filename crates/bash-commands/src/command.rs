//! Simple commands: their words, assignments and redirections, and what their name stands for.

use crate::arena::Arena;
use crate::builtin::Builtin;
use crate::evaluate::{Evaluator, Lookup};
use crate::expand::Purpose;
use crate::function::Positional;
use crate::report::{
    AssignmentRecord, CommandRecord, Field, FieldKind, IncompleteReason, Reason, RedirectionKind,
    RedirectionRecord, Step, Via,
};
use crate::span::Span;
use crate::state::{
    Failure, Flow, FunctionId, Input, Namespace, Output, ReadAt, Scalars, Slot, SlotId, Status, Value,
    attribute, option,
};
use crate::store::has_hole;
use crate::syntax::{
    AssignedValue, Assignment, Command, Id, Redirection, RedirectionOperator, Slice, Word, WordFlags,
};
use alloc::string::String;
use alloc::vec::Vec;

/// Commands whose arguments of the form `name=value` are read as assignments.
const DECLARATIONS: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// A command that is about to be run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Its words: a range of the found ones.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) assignments: (u32, u32),
    pub(crate) redirections: (u32, u32),
    pub(crate) span: Span,
}

/// A line of standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Text(String),
    End,
    /// It is not known which, but for whether there is one.
    Unknown {
        is_there: bool,
    },
}

impl Evaluator<'_> {
    pub(crate) fn run_simple(
        &mut self,
        command: &Command,
        assignments: Slice<Assignment>,
        words: Slice<Word>,
    ) -> Flow {
        if self.line.expands_aliases
            && let Some(first) = words.first()
            && let Some(flow) = self.expand_alias(command, first)
        {
            return flow;
        }
        if command.is_literal {
            return self.run_literal(command, assignments, words);
        }
        let base = self.work.len();
        let outer_status = self.substitution_status.take();
        let outer_outputs = self.stacks.process_outputs.len();
        let declares = self.is_declaration(words);
        for id in words.ids() {
            if declares && self.is_assignment_word(id) {
                self.expand_declared(id);
            } else {
                self.expand_word(id);
            }
        }
        let start = self.findings.fields.len() as u32;
        self.findings.fields.extend(self.work.as_slice().get(base..).unwrap_or(&[]));
        let end = self.findings.fields.len() as u32;
        self.work.truncate(base);
        let mut compounds = Vec::new();
        if !self.stacks.compounds.is_empty() {
            compounds = core::mem::take(&mut self.stacks.compounds);
            for (at, _) in &mut compounds {
                *at = at.saturating_sub(base);
            }
        }
        let flow = self.run_expanded(command, assignments, (start, end), &compounds);
        self.substitution_status = outer_status;
        self.stacks.process_outputs.truncate(outer_outputs);
        flow
    }

    /// Runs a command whose words stand for themselves, as most do: nothing is run while they are expanded.
    fn run_literal(&mut self, command: &Command, assignments: Slice<Assignment>, words: Slice<Word>) -> Flow {
        let outer_status = self.substitution_status.take();
        let start = self.findings.fields.len() as u32;
        if self.store.is_known_source(command.span) {
            let field = |&Word { span, .. }: &Word| Field {
                value: span,
                shown: span,
                source: span,
                kind: FieldKind::Known,
                splice: false,
            };
            self.findings.fields.extend_from(self.tree.slice(words).iter().map(field));
        } else {
            for id in words.ids() {
                let span = self.tree.get(id).span;
                let field = self.verbatim_field(span, span, true);
                self.findings.fields.push(field);
            }
        }
        let end = self.findings.fields.len() as u32;
        let flow = self.run_expanded(command, assignments, (start, end), &[]);
        self.substitution_status = outer_status;
        flow
    }

    fn run_expanded(
        &mut self,
        command: &Command,
        assignments: Slice<Assignment>,
        (start, end): (u32, u32),
        compounds: &[(usize, Id<Assignment>)],
    ) -> Flow {
        let span = self.source_span(command.span);
        let mut call = Call { start, end, assignments: (0, 0), redirections: (0, 0), span };
        if let Some(failure) = self.failed.take() {
            return self.give_up(&call, failure);
        }
        if !self.step(u64::from(end - start) + 1) {
            return Flow::Dead;
        }
        if command.redirections.is_empty() {
            return self.run_assigned(&mut call, assignments, compounds);
        }
        if start == end && !assignments.is_empty() {
            // Without a command the assignments come first, and the redirections are undone.
            let flow = self.run_assigned(&mut call, assignments, compounds);
            if flow == Flow::Normal {
                let before = self.now;
                let (opened, records) = self.redirect(command.redirections);
                self.emit_redirections(command, records);
                self.now = Scalars { status: before.status, ..before };
                if opened != Status::Success {
                    self.now.status = opened.join(before.status);
                }
            }
            return flow;
        }
        let (input, output) = (self.now.input, self.now.output);
        let descriptors = self.now.descriptors;
        let (opened, records) = self.redirect(command.redirections);
        call.redirections = records;
        if opened == Status::Failure(Some(1)) {
            // bash gives up the command before it is run.
            (self.now.input, self.now.output, self.now.descriptors) = (input, output, descriptors);
            self.emit_redirections(command, records);
            self.now.status = opened;
            return Flow::Normal;
        }
        if let Some(failure) = self.failed.take() {
            return self.give_up(&call, failure);
        }
        let flow = self.run_opened(opened, |this| this.run_assigned(&mut call, assignments, compounds));
        if !self.keeps_redirections(&call) {
            self.now.input = match self.now.input {
                // What was read from the same input stays read.
                now if self.reads_same_input(command.redirections) => now,
                _ => input,
            };
            self.now.output = output;
            self.now.descriptors = descriptors;
        }
        flow
    }

    /// Runs what hangs on redirections that are in force, or may be: where one fails, it is not run.
    pub(crate) fn run_opened(&mut self, opened: Status, body: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if opened != Status::Unknown {
            return body(self);
        }
        let fork = self.fork();
        let flow = body(self);
        let skipped = Scalars { status: Status::Failure(Some(1)), ..fork.before };
        self.end_fork(&fork, flow, skipped);
        Flow::Normal
    }

    /// An expansion failed, so the command is not run: what is left of it are the commands inside its words.
    fn give_up(&mut self, call: &Call, failure: Failure) -> Flow {
        self.emit(&Call { end: call.start, assignments: (0, 0), ..*call });
        self.discard_line(failure)
    }

    /// `exec` with nothing but redirections redirects the shell itself.
    fn keeps_redirections(&self, call: &Call) -> bool {
        self.known(call.start) == Some("exec")
            && (call.start + 1..call.end).all(|at| self.known(at) == Some("--"))
    }

    fn reads_same_input(&self, redirections: Slice<Redirection>) -> bool {
        self.tree.slice(redirections).iter().all(|redirection| {
            redirection.descriptor.is_some_and(|descriptor| descriptor != 0)
                || matches!(
                    redirection.operator,
                    RedirectionOperator::Output
                        | RedirectionOperator::Append
                        | RedirectionOperator::Clobber
                        | RedirectionOperator::DuplicateOutput
                        | RedirectionOperator::OutputAndError
                        | RedirectionOperator::AppendOutputAndError
                )
        })
    }

    /// Runs a command whose redirections are in force.
    #[inline]
    fn run_assigned(
        &mut self,
        call: &mut Call,
        assignments: Slice<Assignment>,
        compounds: &[(usize, Id<Assignment>)],
    ) -> Flow {
        if !assignments.is_empty() {
            return self.run_with_assignments(call, assignments, compounds);
        }
        if call.start == call.end {
            self.emit(call);
            self.now.status = self.substitution_status.unwrap_or(Status::Success);
            return Flow::Normal;
        }
        self.dispatch(*call, Lookup::ALL, compounds)
    }

    fn run_with_assignments(
        &mut self,
        call: &mut Call,
        assignments: Slice<Assignment>,
        compounds: &[(usize, Id<Assignment>)],
    ) -> Flow {
        // Noted last and side by side, as commands inside the values have assignments of their own.
        let mut records = Arena::<AssignmentRecord, 2>::NEW;
        let is_shell_wide = call.start == call.end;
        let mut saved: Vec<(SlotId, Slot)> = Vec::new();
        let mut ok = true;
        let outer_status = self.substitution_status;
        for id in assignments.ids() {
            let assignment = self.tree.get(id);
            let name = self.store.detached(assignment.name);
            if !is_shell_wide {
                let slot = self.slot_to_assign(&name);
                let old = self.names.slot(slot).clone();
                if matches!(old.value, Value::Array(_)) {
                    self.names.set(slot, Slot { value: Value::Unset, attributes: 0, level: self.now.level });
                }
                saved.push((slot, old));
            }
            ok &= self.assign(id);
            records.push(self.assignment_record(&assignment, &name));
            if !is_shell_wide {
                let slot = self.slot_to_assign(&name);
                let now = self.names.slot(slot).clone();
                self.names.set(slot, Slot { attributes: now.attributes | attribute::EXPORT, ..now });
            }
        }
        let first = self.findings.assignments.len() as u32;
        self.findings.assignments.extend(records.as_slice());
        call.assignments = (first, self.findings.assignments.len() as u32);
        // In POSIX mode a failed assignment ends the shell.
        let refused = if self.has(option::POSIX) { Failure::Shell } else { Failure::Line };
        let failure = self.failed.take().or((!ok && is_shell_wide).then_some(refused));
        if let Some(failure) = failure {
            return self.give_up(call, failure);
        }
        if is_shell_wide {
            self.emit(call);
            self.now.status = self.substitution_status.unwrap_or(Status::Success);
            return Flow::Normal;
        }
        self.substitution_status = outer_status;
        let temporary = self.stacks.temporary.len();
        self.stacks.temporary.extend(saved.iter().map(|(slot, _)| *slot));
        let flow = self.dispatch(*call, Lookup::ALL, compounds);
        self.stacks.temporary.truncate(temporary);
        for (slot, old) in saved.into_iter().rev() {
            self.names.set(slot, old);
        }
        flow
    }

    fn assignment_record(&mut self, assignment: &Assignment, name: &str) -> AssignmentRecord {
        let source = self.source_span(assignment.span);
        let value = match assignment.value {
            AssignedValue::Word(word) => {
                let word = self.tree.get(word);
                if word.flags.has(WordFlags::LITERAL) {
                    let source = self.source_span(word.span);
                    Field {
                        value: word.span,
                        shown: word.span,
                        source,
                        kind: FieldKind::Known,
                        splice: false,
                    }
                } else {
                    let source = self.source_span(word.span);
                    match self.lookup(name) {
                        Value::Text(text) if !self.store.has_hole(text) && !assignment.append => {
                            Field { value: text, shown: text, source, kind: FieldKind::Known, splice: false }
                        }
                        _ => {
                            let mut field = self.unknown_field(source, Reason::Variable, false);
                            field.shown = word.span;
                            field
                        }
                    }
                }
            }
            AssignedValue::Array(_) => {
                let mut field = self.unknown_field(source, Reason::Variable, false);
                field.shown = assignment.span;
                field
            }
        };
        AssignmentRecord { name: assignment.name, value }
    }

    fn is_declaration(&self, words: Slice<Word>) -> bool {
        self.tree.slice(words).first().is_some_and(|word| {
            word.flags.has(WordFlags::LITERAL) && DECLARATIONS.contains(&self.store.text(word.span))
        })
    }

    /// Expands an argument of a declaration command: one field, not split.
    fn expand_declared(&mut self, id: Id<Word>) {
        let word = self.tree.get(id);
        if word.flags.has(WordFlags::LITERAL) {
            return self.expand_word(id);
        }
        let before = self.stacks.compounds.len();
        let value = self.expand_for(id, Purpose::Text);
        let known = !self.store.has_hole(value);
        let source = self.source_span(word.span);
        let at = self.work.len();
        if let Some((index, _)) = self.stacks.compounds.get_mut(before) {
            *index = at;
        }
        let kind = if known { FieldKind::Known } else { FieldKind::Unknown(Reason::Variable) };
        let shown = if known { value } else { word.span };
        self.work.push(Field { value, shown, source, kind, splice: false });
    }

    // ---- Aliases ----

    fn expand_alias(&mut self, command: &Command, first: Id<Word>) -> Option<Flow> {
        let word = self.tree.get(first);
        if !word.flags.has(WordFlags::LITERAL) {
            return None;
        }
        let (slot, mut text) = self.alias_of(self.store.text(word.span))?;
        let mut active = alloc::vec![slot];
        let mut rest = Span::new(word.span.end, command.span.end.max(word.span.end));
        // A value that ends in a blank lets the next word be an alias too.
        while text.ends_with([' ', '\t']) {
            let after = self.store.text(rest);
            let mut tail = after;
            while let Some(next) = tail.strip_prefix([' ', '\t']).or_else(|| tail.strip_prefix("\\\n")) {
                tail = next;
            }
            let blank = after.len() - tail.len();
            let length = after.get(blank..)?.find([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']);
            let length = length.unwrap_or(after.len() - blank);
            let Some((slot, value)) = self.alias_of(after.get(blank..blank + length)?) else { break };
            active.push(slot);
            text.push_str(&value);
            rest.start += (blank + length) as u32;
            if active.len() > 64 {
                break;
            }
        }
        text.push_str(self.store.text(rest));
        self.step(text.len() as u64);
        let span = self.store.keep(&text);
        let before = self.stacks.active_aliases.len();
        self.stacks.active_aliases.extend(active);
        let source = self.source_span(command.span);
        let flow = self.within(Step::Via(Via::Alias), |this| {
            this.with_origin(source, |this| {
                this.deeper(command.span, |this| this.run_lines(span, Some(this.line)))
            })
        });
        self.stacks.active_aliases.truncate(before);
        Some(flow)
    }

    /// Defines an alias, or takes it away; lines that were read already are not changed by it.
    pub(crate) fn set_alias(&mut self, name: SlotId, value: Value) {
        let before = self.names.slot(name).clone();
        self.stacks.alias_changes.entry(name).or_default().push((self.lines_read, before));
        self.names.set(name, Slot { value, attributes: 0, level: self.now.level });
    }

    /// The line that is read now.
    pub(crate) fn read_now(&mut self) -> ReadAt {
        self.lines_read += 1;
        ReadAt { lines: self.lines_read, expands_aliases: self.has(option::EXPAND_ALIASES) }
    }

    /// Runs what was read as `line`.
    pub(crate) fn as_read<T>(&mut self, line: ReadAt, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = core::mem::replace(&mut self.line, line);
        let result = body(self);
        self.line = outer;
        result
    }

    fn alias_of(&self, name: &str) -> Option<(SlotId, String)> {
        let slot = self.names.find(Namespace::Alias, name)?;
        if self.stacks.active_aliases.contains(&slot) {
            return None;
        }
        let later = self.stacks.alias_changes.get(&slot).and_then(|changes| {
            changes.get(changes.partition_point(|(lines_read, _)| *lines_read < self.line.lines))
        });
        let alias = later.map_or_else(|| self.names.slot(slot), |(_, before)| before);
        let Slot { value: Value::Text(text), level, .. } = alias else { return None };
        if *level != self.now.level {
            return None;
        }
        Some((slot, String::from(self.store.text(*text))))
    }

    // ---- Redirections ----

    /// Notes redirections that stand without a command of their own.
    pub(crate) fn emit_redirections(&mut self, command: &Command, redirections: (u32, u32)) {
        let at = self.findings.fields.len() as u32;
        let span = self
            .tree
            .slice(command.redirections)
            .iter()
            .map(|redirection| redirection.span)
            .reduce(Span::join);
        let span = self.source_span(span.unwrap_or(command.span));
        self.emit(&Call { start: at, end: at, assignments: (0, 0), redirections, span });
    }

    /// Performs redirections until one fails; returns whether they succeed, and the range of their records.
    pub(crate) fn redirect(&mut self, redirections: Slice<Redirection>) -> (Status, (u32, u32)) {
        let mut status = Status::Success;
        // Noted last and side by side, as commands inside the targets have redirections of their own.
        let mut records = Arena::<RedirectionRecord, 2>::NEW;
        for id in redirections.ids() {
            let redirection = self.tree.get(id);
            match self.redirect_one(&redirection, &mut records) {
                Status::Success => {}
                Status::Unknown => status = Status::Unknown,
                failure @ Status::Failure(_) => {
                    status = failure;
                    break;
                }
            }
        }
        let first = self.findings.redirections.len() as u32;
        self.findings.redirections.extend(records.as_slice());
        (status, (first, self.findings.redirections.len() as u32))
    }

    /// Expands what stands behind a redirection operator to one word; `None` when it is known to be none, or several.
    fn redirection_target(&mut self, target: Id<Word>) -> Option<Field> {
        let word = self.tree.get(target);
        if word.flags.has(WordFlags::LITERAL) {
            return Some(self.verbatim_field(word.span, word.span, true));
        }
        let base = self.work.len();
        self.expand_word(target);
        let fields = self.work.as_slice().get(base..).unwrap_or(&[]);
        let is_exact = fields.iter().all(|field| field.kind == FieldKind::Known);
        let only = if let [only] = fields { Some(*only) } else { None };
        self.work.truncate(base);
        if only.is_some() || is_exact {
            return only;
        }
        let unknown = self.unknown_field(self.source_span(word.span), Reason::Variable, false);
        Some(Field { shown: word.span, ..unknown })
    }

    fn redirect_one(
        &mut self,
        redirection: &Redirection,
        records: &mut Arena<RedirectionRecord, 2>,
    ) -> Status {
        use RedirectionOperator as Operator;
        let span = self.source_span(redirection.span);
        let outputs = self.stacks.process_outputs.len();
        let (kind, target) = match redirection.operator {
            Operator::Heredoc | Operator::HeredocStripTabs => {
                (RedirectionKind::Heredoc, self.heredoc(redirection))
            }
            Operator::HereString => {
                let text = self.expand_to_text(redirection.target);
                let line = alloc::format!("{}\n", self.store.text(text));
                let line = self.store.keep(&line);
                (RedirectionKind::HereString, self.text_field(line, redirection.target))
            }
            operator => {
                let kind = match operator {
                    Operator::Input => RedirectionKind::Read,
                    Operator::Append | Operator::AppendOutputAndError => RedirectionKind::Append,
                    Operator::ReadWrite => RedirectionKind::ReadWrite,
                    Operator::DuplicateInput | Operator::DuplicateOutput => RedirectionKind::Duplicate,
                    _ => RedirectionKind::Write,
                };
                let Some(field) = self.redirection_target(redirection.target) else {
                    // bash: ambiguous redirect.
                    return Status::Failure(Some(1));
                };
                (kind, field)
            }
        };
        records.push(RedirectionRecord { kind, descriptor: redirection.descriptor, target, span });
        if let Some(name) = redirection.variable {
            let name = self.store.detached(name);
            self.assign_unknown(&name);
            self.now.descriptors = u64::MAX;
            return Status::Success;
        }
        let known = (target.kind == FieldKind::Known).then(|| self.store.detached(target.value));
        self.note_descriptors(redirection.descriptor, known.as_deref());
        match redirection.operator {
            Operator::Heredoc | Operator::HeredocStripTabs | Operator::HereString => {
                if redirection.descriptor.unwrap_or(0) == 0 {
                    self.now.input = Input::Text(target.value);
                }
                Status::Success
            }
            Operator::Input | Operator::ReadWrite => {
                let is_input = redirection.descriptor.unwrap_or(0) == 0;
                let process = self
                    .stacks
                    .process_outputs
                    .get(outputs..)
                    .and_then(|new| new.last())
                    .map(|(_, text)| *text);
                if is_input {
                    self.now.input = match (process, known.as_deref()) {
                        (Some(text), _) => Input::Text(text),
                        (None, Some("/dev/null")) => Input::Text(Span::default()),
                        (None, Some("/dev/stdin" | "/dev/fd/0")) => self.now.input,
                        _ => Input::Unknown,
                    };
                }
                let is_there = process.is_some()
                    || matches!(known.as_deref(), Some("/dev/null" | "/dev/stdin" | "/" | "." | ".."));
                if is_there { Status::Success } else { Status::Unknown }
            }
            Operator::DuplicateInput => {
                if redirection.descriptor.unwrap_or(0) == 0 && known.as_deref() != Some("0") {
                    self.now.input = Input::Unknown;
                }
                self.duplicated(known.as_deref())
            }
            Operator::DuplicateOutput => {
                let is_output = redirection.descriptor.unwrap_or(1) == 1;
                // Errors may go where the output goes; what they say is not known, and bash's own are few.
                if is_output && known.as_deref() != Some("1") {
                    self.now.output =
                        if known.as_deref() == Some("2") { Output::Elsewhere } else { Output::Doubtful };
                }
                match known.as_deref() {
                    Some(target)
                        if is_output && target.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'-') =>
                    {
                        Self::written(target)
                    }
                    known => self.duplicated(known),
                }
            }
            Operator::Output
            | Operator::Clobber
            | Operator::Append
            | Operator::OutputAndError
            | Operator::AppendOutputAndError => {
                let both =
                    matches!(redirection.operator, Operator::OutputAndError | Operator::AppendOutputAndError);
                if redirection.descriptor.unwrap_or(1) == 1 || both {
                    self.now.output = match known.as_deref() {
                        Some("/dev/stdout" | "/dev/fd/1") => self.now.output,
                        Some("/dev/null" | "/dev/stderr" | "/dev/fd/2") => Output::Elsewhere,
                        _ => Output::Doubtful,
                    };
                }
                known.as_deref().map_or(Status::Unknown, Self::written)
            }
        }
    }

    /// Notes which descriptor a redirection opens, and which it closes (`5>&-`, `6>&5-`).
    fn note_descriptors(&mut self, descriptor: Option<u32>, target: Option<&str>) {
        let bit = |descriptor: u32| 1_u64.checked_shl(descriptor).unwrap_or(0);
        let moved = target.and_then(|target| target.strip_suffix('-'));
        if let Some(moved) = moved.and_then(|digits| digits.parse::<u32>().ok()) {
            self.now.descriptors &= !bit(moved);
        }
        match descriptor {
            Some(descriptor) if moved == Some("") => self.now.descriptors &= !bit(descriptor),
            Some(descriptor) => self.now.descriptors |= bit(descriptor),
            None => {}
        }
    }

    /// Whether a file can be opened for writing, as far as its name tells.
    fn written(path: &str) -> Status {
        if path.is_empty()
            || path.ends_with('/')
            || matches!(path, "." | ".." | "/dev" | "/tmp" | "/etc" | "/usr")
        {
            // An empty name, or a directory.
            return Status::Failure(Some(1));
        }
        match path {
            "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2" => Status::Success,
            _ => Status::Unknown,
        }
    }

    /// Whether a descriptor can be copied: the text must have opened it, unless every process has it.
    fn duplicated(&self, target: Option<&str>) -> Status {
        match target.map(str::parse::<u32>) {
            Some(Ok(0..=2) | Err(_)) | None => Status::Success,
            Some(Ok(descriptor)) => match 1_u64.checked_shl(descriptor) {
                Some(bit) if self.now.descriptors & bit != 0 => Status::Unknown,
                None if self.now.descriptors == u64::MAX => Status::Unknown,
                _ => Status::Failure(Some(1)),
            },
        }
    }

    fn text_field(&mut self, text: Span, word: Id<Word>) -> Field {
        let source = self.source_span(self.tree.get(word).span);
        let known = !self.store.has_hole(text);
        let kind = if known { FieldKind::Known } else { FieldKind::Unknown(Reason::Variable) };
        Field { value: text, shown: if known { text } else { source }, source, kind, splice: false }
    }

    /// The text of a here-document.
    fn heredoc(&mut self, redirection: &Redirection) -> Field {
        let strips = redirection.operator == RedirectionOperator::HeredocStripTabs;
        let mut body = redirection.body;
        if strips {
            let text = self.store.text(body);
            if text.starts_with('\t') || text.contains("\n\t") {
                let mut stripped = String::with_capacity(text.len());
                for line in text.split_inclusive('\n') {
                    stripped.push_str(line.trim_start_matches('\t'));
                }
                self.step(stripped.len() as u64);
                body = self.store.keep(&stripped);
            }
        }
        let source = self.source_span(redirection.body);
        let text = if redirection.expands {
            let needs = self.store.text(body).contains(['$', '`', '\\']);
            if needs {
                let origin = self.source_span(redirection.span);
                if self.store.place(body).is_some() {
                    self.expand_quoted_text(body, true)
                } else {
                    self.with_origin(origin, |this| this.expand_quoted_text(body, true))
                }
            } else {
                body
            }
        } else {
            body
        };
        let known = !self.store.has_hole(text);
        let kind = if known { FieldKind::Known } else { FieldKind::Unknown(Reason::Variable) };
        Field { value: text, shown: if known { text } else { redirection.body }, source, kind, splice: false }
    }

    // ---- Standard input ----

    /// Takes a record from standard input. Its delimiter is dropped.
    pub(crate) fn read_record(&mut self, delimiter: char, raw: bool) -> Line {
        let Input::Text(span) = self.now.input else { return Line::Unknown { is_there: false } };
        let text = self.store.text(span);
        if text.is_empty() {
            return Line::End;
        }
        let record = crate::split::read_record(text, delimiter, raw);
        if text.get(..record.rest).is_none_or(has_hole) {
            // Without `-r` the delimiter may be escaped by what is not known.
            let is_there = record.ended && raw;
            self.now.input = Input::Unknown;
            return Line::Unknown { is_there };
        }
        // `read` leaves NULs out.
        let line = record.text.replace('\0', "");
        let rest = record.rest as u32;
        let ended = record.ended;
        self.now.input = Input::Text(Span::new(span.start + rest, span.end));
        self.step(line.len() as u64 / 4 + 1);
        if ended { Line::Text(line) } else { self.last_record_open(line) }
    }

    /// A record without its delimiter is assigned all the same, but `read` fails.
    fn last_record_open(&mut self, line: String) -> Line {
        self.unended = true;
        Line::Text(line)
    }

    // ---- Dispatch ----

    /// The value of the word at `index` of the found ones, when it is known.
    #[inline]
    pub(crate) fn known(&self, index: u32) -> Option<&str> {
        let field = self.findings.fields.as_slice().get(index as usize)?;
        (field.kind == FieldKind::Known).then(|| self.store.text(field.value))
    }

    /// The bytes of that value.
    #[inline]
    pub(crate) fn known_bytes(&self, index: u32) -> Option<&[u8]> {
        let field = self.findings.fields.as_slice().get(index as usize)?;
        (field.kind == FieldKind::Known).then(|| self.store.bytes(field.value))
    }

    #[inline]
    pub(crate) fn fields(&self, call: &Call) -> &[Field] {
        self.findings.fields.as_slice().get(call.start as usize..call.end as usize).unwrap_or(&[])
    }

    /// Notes a command as one that bash runs.
    pub(crate) fn emit(&mut self, call: &Call) {
        let record = self.record(call);
        self.found(record);
    }

    /// A command as it stands here and now.
    #[inline]
    pub(crate) fn record(&mut self, call: &Call) -> CommandRecord {
        self.settle_directories();
        let directories = self.now.on_success;
        CommandRecord {
            words: (call.start, call.end),
            assignments: call.assignments,
            redirections: call.redirections,
            span: call.span,
            context: self.context,
            directories: (directories.start, directories.end),
        }
    }

    /// Runs a command by its name.
    pub(crate) fn dispatch(
        &mut self,
        call: Call,
        lookup: Lookup,
        compounds: &[(usize, Id<Assignment>)],
    ) -> Flow {
        if !self.step(1) {
            return Flow::Dead;
        }
        let Some(name) = self.findings.fields.as_slice().get(call.start as usize).copied() else {
            self.emit(&call);
            return Flow::Normal;
        };
        if name.kind != FieldKind::Known {
            return self.run_unknown(call, &name);
        }
        if lookup.functions && !self.stacks.functions.is_empty() {
            let text = self.store.text(name.value);
            if let Some(slot) = self.names.find(Namespace::Function, text) {
                let slot = self.names.slot(slot).clone();
                if let Value::Functions(functions) = &slot.value
                    && (slot.level == self.now.level || slot.attributes & attribute::EXPORT != 0)
                {
                    return self.run_functions(call, functions, lookup);
                }
            }
        }
        if lookup.builtins
            && let Some(builtin) = Builtin::named(self.store.bytes(name.value))
        {
            return self.run_builtin(builtin, call, compounds);
        }
        if lookup.externals {
            return self.run_external(call, lookup);
        }
        self.emit_outer(&call);
        self.now.status = Status::Failure(Some(1));
        Flow::Normal
    }

    /// Notes the wrapper of a command that is not found: what stands behind it is not run.
    fn emit_outer(&mut self, call: &Call) {
        let start = call.start.saturating_sub(1);
        let context = self.context;
        if let Some(record) = self.findings.contexts.as_slice().get(context as usize) {
            self.context = record.parent;
        }
        self.emit(&Call { start, ..*call });
        self.context = context;
    }

    /// Calls a function, or each of several of which the text leaves open which one is meant.
    fn run_functions(&mut self, call: Call, functions: &[FunctionId], lookup: Lookup) -> Flow {
        let arguments: Vec<Field> = self.fields(&call).get(1..).unwrap_or(&[]).to_vec();
        let positional = self.positional_of(&arguments);
        match functions {
            [only] => {
                self.within_call(Step::FunctionCall, &call, |this| this.call_function(*only, positional))
            }
            several => {
                let mut seen: Vec<FunctionId> = Vec::new();
                for id in several {
                    if seen.contains(id) {
                        // Listed twice: it may also be that none of them is defined.
                        self.maybe(|this| this.dispatch(call, Lookup { functions: false, ..lookup }, &[]));
                        continue;
                    }
                    seen.push(*id);
                    let positional = positional.clone();
                    self.maybe(|this| {
                        this.within_call(Step::FunctionCall, &call, |this| {
                            this.call_function(*id, positional)
                        })
                    });
                }
                self.now.status = Status::Unknown;
                Flow::Normal
            }
        }
    }

    /// Makes positional parameters of words; `$0` stays what it is.
    pub(crate) fn positional_of(&mut self, arguments: &[Field]) -> Positional {
        let zero = self.positional().zero;
        let open = arguments.iter().any(|field| field.splice || field.kind == FieldKind::Pattern);
        let values = arguments.iter().map(|field| self.field_text(field)).collect();
        Positional { zero, values, open }
    }

    /// A command whose name is not known: it may be anything.
    pub(crate) fn run_unknown(&mut self, call: Call, name: &Field) -> Flow {
        // Several guesses may come to the same command, which is noted once.
        self.repeating += 1;
        self.emit(&call);
        if call.end - call.start == 1 && matches!(self.now.input, Input::Text(text) if !text.is_empty()) {
            // What reads the text may be a shell.
            self.incomplete(call.span, IncompleteReason::UnknownCode);
        }
        self.run_anything();
        self.run_as_if_shell("sh", &call);
        self.run_as_if_find(&call);
        // `$SUDO find /`: with an empty value the next word is the command.
        if name.splice {
            let mut at = call.start + 1;
            while self.findings.fields.as_slice().get(at as usize).is_some_and(|field| field.splice)
                && at < call.end
            {
                at += 1;
            }
            let is_program = self.known(at).is_some_and(|text| !text.starts_with('-')) && at < call.end;
            if is_program {
                let inner = Call { start: at, assignments: (0, 0), redirections: (0, 0), ..call };
                self.maybe(|this| this.dispatch(inner, Lookup::ALL, &[]));
            }
        }
        self.repeating -= 1;
        self.print_unknown();
        self.now.status = Status::Unknown;
        Flow::Normal
    }
}
