//! Commands that run other commands: wrappers, shells, `xargs`.

use crate::argv::{Argument, Arguments};
use crate::builtin::Builtin;
use crate::command::Call;
use crate::evaluate::{Evaluator, Lookup};
use crate::function::Positional;
use crate::peel::{
    Delimiter, Directory, Inner, MaxLines, ParallelOptions, ParallelSource, Peeled, Replace, ShellOptions,
    Value as Place, XargsOptions, peel_as, plainly_started,
};
use crate::report::{DirectoryRecord, Field, FieldKind, IncompleteReason, Reason, Step, Via};
use crate::span::Span;
use crate::split::XargsInput;
use crate::state::{
    DirectorySet, Flow, Input, Namespace, Output, Slot, SlotId, Status, Value, Watched, attribute, option,
};
use crate::store::{HOLE, HOLE_TEXT, Store, has_hole};
use crate::wrappers::{Program, keeps_environment};
use alloc::string::String;
use alloc::vec::Vec;

/// How many readings of one wrapper are followed.
const MAX_READINGS: usize = 8;
/// How many commands one `xargs` or `parallel` is followed into.
const MAX_BATCHES: usize = 256;

/// The words of a command, for the tables of wrappers.
pub(crate) struct Words<'a> {
    pub(crate) store: &'a Store<'a>,
    pub(crate) fields: &'a [Field],
}

impl Arguments for Words<'_> {
    #[inline]
    fn len(&self) -> usize {
        self.fields.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        let field = self.fields.get(index)?;
        let text = self.store.text(field.value);
        if field.kind == FieldKind::Known {
            return Some(Argument { text, known: true, splice: false });
        }
        Some(unknown_argument(field, text))
    }
}

/// An argument of which only the beginning is known.
#[cold]
fn unknown_argument<'a>(field: &Field, text: &'a str) -> Argument<'a> {
    let is_pattern = field.kind == FieldKind::Pattern;
    let end = if is_pattern { text.find(['*', '?', '[', '\\']) } else { text.find(HOLE) };
    let text = end.and_then(|end| text.get(..end)).unwrap_or(text);
    Argument { text, known: false, splice: field.splice && !is_pattern }
}

/// What comes next after a look at the words of a command.
enum Next {
    /// This wrapper, whose command begins so many words further on, does nothing but start it.
    Peel(&'static str, usize),
    /// The command was run.
    Done(Flow),
}

impl Evaluator<'_> {
    /// Runs a program, or a builtin that runs other commands.
    ///
    /// Wrappers that do nothing but start the command behind them are peeled in a loop, so that a chain of them costs
    /// no stack.
    pub(crate) fn run_external(&mut self, call: Call, lookup: Lookup) -> Flow {
        let outer = (self.context, self.loses_environment);
        let (mut call, mut lookup) = (call, lookup);
        let mut peeled = 0;
        let flow = loop {
            if self.is_out_of_path(&call) {
                // It is not found; what is left of the line are its assignments.
                self.emit(&Call { end: call.start, ..call });
                self.now.status = Status::Failure(Some(127));
                break Flow::Normal;
            }
            let Some(program) = self.wrapper(&call, lookup) else {
                break self.run_plain(&call, lookup);
            };
            if matches!(program, Program::Find | Program::Fd) {
                self.run_finder(program, &call);
                break Flow::Normal;
            }
            let words = Words { store: &self.store, fields: self.fields(&call) };
            let plain = plainly_started(program, &words).filter(|(name, _)| !is_shell_builtin(name));
            let (name, from) = match plain {
                Some(plain) => plain,
                None => match self.run_wrapper(program, &call, lookup) {
                    Next::Peel(name, from) => (name, from),
                    Next::Done(flow) => break flow,
                },
            };
            peeled += 1;
            if peeled + self.depth > self.options.max_depth {
                self.incomplete(call.span, IncompleteReason::Depth);
                self.now.status = Status::Unknown;
                break Flow::Normal;
            }
            self.loses_environment |= !program.keeps_environment();
            self.enter_call(Step::Wrapper(name, None), &call);
            call.start = (call.start + from as u32).min(call.end);
            lookup = Lookup::EXTERNALS;
            let inner = self.findings.fields.as_slice().get(call.start as usize).copied();
            if let Some(inner) = inner.filter(|field| field.kind != FieldKind::Known) {
                break self.run_unknown(call, &inner);
            }
        };
        (self.context, self.loses_environment) = outer;
        if peeled > 0 && self.now.status == Status::Success {
            // The wrapper may fail where the command would not.
            self.now.status = Status::Unknown;
        }
        flow
    }

    /// Runs a program that starts no other.
    fn run_plain(&mut self, call: &Call, lookup: Lookup) -> Flow {
        self.emit(call);
        self.run_program(call);
        if !lookup.builtins && self.known_bytes(call.start).is_some_and(is_never_a_program) {
            self.now.status = Status::Failure(Some(127));
        }
        Flow::Normal
    }

    /// Runs a wrapper that was given options, unless starting a command is all that it does even so.
    #[inline(never)]
    fn run_wrapper(&mut self, program: &Program, call: &Call, lookup: Lookup) -> Next {
        let (mut first, mut more) = (None, Vec::new());
        let Some(name) = self.readings(call, program, &mut first, &mut more) else {
            return Next::Done(self.run_plain(call, lookup));
        };
        match &first {
            Some(reading)
                if more.is_empty()
                    && let Some(from) = plain_argv(name, reading) =>
            {
                Next::Peel(name, from)
            }
            _ => Next::Done(self.run_readings(name, call, lookup, first, more)),
        }
    }

    /// The program that a command runs, when it is one that starts others.
    fn wrapper(&self, call: &Call, lookup: Lookup) -> Option<&'static Program> {
        let name = self.known_bytes(call.start)?;
        let program = crate::wrappers::lookup(name)?;
        let is_program = lookup.builtins || matches!(program, Program::Find) || !is_never_a_program(name);
        is_program.then_some(program)
    }

    /// What a command that starts others starts, by each reading of its words; `None` when it starts none.
    ///
    /// One reading is the rule; only further ones need the heap.
    fn readings(
        &self,
        call: &Call,
        program: &Program,
        first: &mut Option<Peeled>,
        more: &mut Vec<Peeled>,
    ) -> Option<&'static str> {
        let fields = self.fields(call);
        let mut collect = |reading| {
            if first.is_none() {
                *first = Some(reading);
            } else if more.len() < MAX_READINGS {
                more.push(reading);
            }
        };
        peel_as(program, &Words { store: &self.store, fields }, &mut collect)
    }

    fn run_readings(
        &mut self,
        name: &'static str,
        call: &Call,
        lookup: Lookup,
        first: Option<Peeled>,
        more: Vec<Peeled>,
    ) -> Flow {
        let is_shell = |reading: &Peeled| {
            matches!(
                reading.inner,
                Inner::StdinScript { .. } | Inner::ScriptFile { .. } | Inner::Script { .. }
            )
        };
        let is_shell = first.iter().chain(&more).any(is_shell);
        let may_differ = is_shell && self.fields(call).iter().any(|field| field.kind != FieldKind::Known);
        if may_differ {
            // A word that is not known may be an option with a value, which puts the `-c` behind it in force. What comes
            // out is often what the readings below say too, and noted once.
            self.repeating += 1;
            self.run_as_if_shell(name, call);
        }
        let mut flow = Flow::Normal;
        let several = !more.is_empty();
        self.now.status = Status::Unknown;
        for reading in first.into_iter().chain(more) {
            if several {
                // Several readings may come to the same command, which is noted once.
                self.repeating += 1;
                self.maybe(|this| this.run_reading(name, call, &reading));
                self.repeating -= 1;
            } else {
                flow = self.run_reading(name, call, &reading);
            }
        }
        if may_differ {
            self.repeating -= 1;
        }
        if name == "exec" && flow == Flow::Normal {
            let mut operands = self.fields(call).iter().skip(1).filter(|field| !field.splice);
            let executes = operands.any(|field| {
                field.kind != FieldKind::Known || !self.store.text(field.value).starts_with('-')
            });
            if executes {
                self.now.status = Status::Unknown;
                return self.leave_for_program();
            }
        }
        if !lookup.builtins && self.now.status == Status::Success {
            // The wrapper may fail where the command would not.
            self.now.status = Status::Unknown;
        }
        flow
    }

    /// What a program that is no wrapper does: it prints something, unless it is a filter whose output can be told.
    fn run_program(&mut self, call: &Call) {
        self.now.status = Status::Unknown;
        if self.now.output != Output::Collected {
            return;
        }
        if self.print_filtered(call).is_none() {
            self.print_unknown();
        }
    }

    /// Prints what a filter makes of a known input; `None` when that cannot be told.
    fn print_filtered(&mut self, call: &Call) -> Option<()> {
        let name = self.known(call.start)?;
        let needs_input = !matches!(name, "seq" | "basename" | "dirname");
        let input = match self.now.input {
            Input::Text(span) => Some(span),
            _ if needs_input => return None,
            _ => None,
        };
        if !crate::text_tools::is_known(name)
            || self.fields(call).iter().any(|field| field.kind != FieldKind::Known)
        {
            return None;
        }
        let passes = name == "cat"
            && self.fields(call).iter().skip(1).all(|field| self.store.text(field.value) == "-");
        let input = input.unwrap_or_default();
        self.step(u64::from(input.len()) / 4 + 1);
        if !passes && self.store.has_hole(input) {
            return None;
        }
        let text = self.store.detached(input);
        if passes {
            self.print(&text);
            self.now.input = Input::Text(Span::default());
            return Some(());
        }
        let words: Vec<&str> = self.fields(call).iter().map(|field| self.store.text(field.value)).collect();
        let (name, arguments) = words.split_first()?;
        let mut out = String::new();
        crate::text_tools::run(name, arguments, &text, &mut out)?;
        self.print(&out);
        Some(())
    }

    /// Whether `PATH` is known to hold no programs: every entry is empty, or `/nonexistent`, the directory that must not
    /// exist (Debian policy, 9.2.3), or below it. (An empty entry is the working directory: a copy of a program there
    /// is beyond what is looked at.)
    fn is_out_of_path(&self, call: &Call) -> bool {
        let Some(id) = self.names.find_watched(Watched::Path) else { return false };
        let Value::Text(path) = self.names.slot(id).value else { return false };
        let bytes = self.store.bytes(path);
        if !(matches!(bytes, [] | [b':', ..]) || bytes.starts_with(b"/nonexistent")) {
            return false;
        }
        let text = self.store.text(path);
        let Some(name) = self.known(call.start) else { return false };
        !name.contains('/')
            && Builtin::named(name.as_bytes()) != Some(Builtin::Wrapper)
            && text.split(':').all(|entry| {
                entry.is_empty() || entry == "/nonexistent" || entry.starts_with("/nonexistent/")
            })
    }

    fn run_reading(&mut self, name: &'static str, call: &Call, reading: &Peeled) -> Flow {
        let directories = self.directories_of(call, reading.directory);
        let outer = (self.loses_environment, self.stacks.passed.clone());
        if reading.clears_environment || !keeps_environment(name) {
            self.loses_environment = true;
            self.stacks.passed.clear();
        }
        let saved = self.assign_environment(call, reading);
        self.stacks.passed.extend(saved.iter().map(|(slot, _)| *slot));
        let flow = self.deeper(call.span, |this| match directories {
            Some(set) => {
                this.settle_directories();
                let outside = this.now.on_success;
                let outer = this.started_in.replace(outside);
                let flow = this.in_directories(set, |this| this.run_inner(name, call, reading));
                this.started_in = outer;
                flow
            }
            None => this.run_inner(name, call, reading),
        });
        for (slot, old) in saved.into_iter().rev() {
            self.names.set(slot, old);
        }
        (self.loses_environment, self.stacks.passed) = outer;
        flow
    }

    fn directories_of(&mut self, call: &Call, directory: Directory) -> Option<DirectorySet> {
        match directory {
            Directory::Same => None,
            Directory::To(place) => {
                let from = self.now.on_success;
                let path = self.place_span(call, place);
                Some(self.directories_at(from, path))
            }
            Directory::Home => {
                // Whose home it is, the text does not say for sure.
                let home = self.options.home.map(|home| DirectoryRecord::Path(self.store.keep(home)));
                Some(match home {
                    Some(home) => self.directory_set(&[home, DirectoryRecord::Unknown]),
                    None => self.unknown_directory(),
                })
            }
            Directory::Root => {
                let root = self.store.keep("/");
                Some(self.directory_set(&[DirectoryRecord::Path(root)]))
            }
        }
    }

    /// `env NAME=value …`: the variables are set for what is started.
    fn assign_environment(&mut self, call: &Call, reading: &Peeled) -> Vec<(SlotId, Slot)> {
        let mut saved = Vec::new();
        for index in reading.assignments.clone() {
            let Some(field) = self.fields(call).get(index).copied() else { break };
            let text = self.store.detached(field.value);
            let Some((name, value)) = text.split_once('=') else { continue };
            if !crate::parameter::is_name(name) {
                continue;
            }
            let slot = self.names.intern(Namespace::Variable, name);
            saved.push((slot, self.names.slot(slot).clone()));
            let value = if field.kind == FieldKind::Pattern {
                self.hole()
            } else {
                Span::new(field.value.end - value.len() as u32, field.value.end)
            };
            let level = self.now.level;
            self.names.set(slot, Slot { value: Value::Text(value), attributes: attribute::EXPORT, level });
        }
        saved
    }

    /// The text of a place, when it is known.
    fn place_text(&self, call: &Call, place: Place) -> Option<String> {
        let field = self.fields(call).get(place.word())?;
        if field.kind != FieldKind::Known {
            return None;
        }
        self.store.text(field.value).get(place.offset()..).map(String::from)
    }

    /// The span of a place, holes included.
    fn place_span(&mut self, call: &Call, place: Place) -> Span {
        match self.fields(call).get(place.word()).copied() {
            None => Span::default(),
            Some(field) if field.kind == FieldKind::Pattern => self.hole(),
            Some(field) => {
                let start = (field.value.start + place.offset() as u32).min(field.value.end);
                Span::new(start, field.value.end)
            }
        }
    }

    fn run_inner(&mut self, name: &'static str, call: &Call, reading: &Peeled) -> Flow {
        let inner_call = |from: usize| Call { start: (call.start + from as u32).min(call.end), ..*call };
        match reading.inner {
            Inner::Argv { from } => {
                let inner = inner_call(from);
                if inner.start >= inner.end {
                    self.emit(call);
                    self.now.status = Status::Success;
                    return Flow::Normal;
                }
                let lookup = match name {
                    "command" => Lookup::NO_FUNCTIONS,
                    "builtin" => Lookup::BUILTINS,
                    _ => Lookup::EXTERNALS,
                };
                // The program is found by the word as written, so the words stay as they are; a shell sees the name
                // that it is given as `$0`.
                self.next_zero = reading.argument_zero.map(|place| self.place_span(call, place));
                if name == "exec" {
                    self.within_call(Step::Wrapper(name, None), call, |this| {
                        this.dispatch(inner, Lookup::EXTERNALS, &[])
                    });
                    return self.leave_for_program();
                }
                self.within_call(Step::Wrapper(name, None), call, |this| this.dispatch(inner, lookup, &[]))
            }
            Inner::SplitString { value, rest } => {
                self.run_split_string(name, call, value, rest);
                Flow::Normal
            }
            Inner::Script { value, arguments } => {
                let span = self.place_span(call, value);
                let source = self.fields(call).get(value.word()).map_or(call.span, |field| field.source);
                let arguments = self.fields(call).get(arguments..).unwrap_or(&[]).to_vec();
                self.run_shell(name, Via::ShellCommand, call, span, source, &arguments, reading.shell);
                Flow::Normal
            }
            Inner::Joined { from, escape } => {
                let words: Vec<Field> = self.fields(call).get(from..).unwrap_or(&[]).to_vec();
                let mut text = String::new();
                for (index, field) in words.iter().enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    if escape && field.kind == FieldKind::Known {
                        for c in self.store.text(field.value).chars() {
                            if !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$')) {
                                text.push('\\');
                            }
                            text.push(c);
                        }
                    } else {
                        self.push_argument(field, &mut text);
                    }
                }
                let source = words.iter().map(|field| field.source).reduce(Span::join).unwrap_or(call.span);
                let span = match words.as_slice() {
                    [only] if only.kind == FieldKind::Known && !escape => only.value,
                    _ => self.store.keep(&text),
                };
                self.run_shell(name, Via::ShellCommand, call, span, source, &[], reading.shell);
                Flow::Normal
            }
            Inner::StdinScript { arguments } => {
                let arguments = self.fields(call).get(arguments..).unwrap_or(&[]).to_vec();
                self.run_shell_input(name, call, &arguments, reading.shell);
                Flow::Normal
            }
            Inner::ScriptFile { word, arguments } => {
                let file = self.fields(call).get(word).copied();
                let arguments = self.fields(call).get(arguments..).unwrap_or(&[]).to_vec();
                if let Some((file, text)) = file.and_then(|file| Some((file, self.file_text(&file)?))) {
                    self.run_shell(name, Via::ShellFile, call, text, file.source, &arguments, reading.shell);
                } else {
                    self.emit(call);
                    self.print_unknown();
                    self.now.status = Status::Unknown;
                }
                Flow::Normal
            }
            Inner::Xargs { from, options } => {
                self.run_xargs(name, call, from, &options);
                Flow::Normal
            }
            Inner::Parallel { from, to, options } => {
                self.run_parallel(name, call, (from, to), &options, reading.shell);
                Flow::Normal
            }
            Inner::Unreadable { from } => {
                self.emit(call);
                self.incomplete(call.span, IncompleteReason::UnknownCode);
                let last = (call.end - call.start) as usize;
                for at in (from..last).take(MAX_READINGS) {
                    let inner = inner_call(at);
                    if self.known(inner.start).is_some_and(|text| !text.starts_with('-') && !text.is_empty())
                    {
                        self.maybe(|this| {
                            this.within_call(Step::Wrapper(name, None), call, |this| {
                                this.dispatch(inner, Lookup::EXTERNALS, &[])
                            })
                        });
                    }
                }
                Flow::Normal
            }
            Inner::Nothing => {
                self.emit(call);
                self.print_unknown();
                self.now.status = Status::Unknown;
                Flow::Normal
            }
        }
    }

    /// Runs the words from `start` on, which were made here, not written.
    fn run_made(&mut self, name: &'static str, via: Via, call: &Call, start: u32) -> Flow {
        let inner = Call { start, end: self.findings.fields.len() as u32, ..*call };
        self.step(u64::from(inner.end - start));
        self.within_call(Step::Wrapper(name, Some(via)), call, |this| {
            this.deeper(call.span, |this| this.dispatch(inner, Lookup::EXTERNALS, &[]))
        })
    }

    fn run_split_string(&mut self, name: &'static str, call: &Call, value: Place, rest: usize) {
        let Some(field) = self.fields(call).get(value.word()).copied() else { return };
        let text = self.place_text(call, value);
        let mut unknown_variable = false;
        let words = text.as_deref().and_then(|text| {
            crate::split::split_env_string(text, &mut |variable| {
                let value = self.lookup(variable);
                match value {
                    Value::Text(span) if !self.store.has_hole(span) => {
                        Some(Some(String::from(self.store.text(span))))
                    }
                    Value::Unset => Some(None),
                    _ => {
                        unknown_variable = true;
                        None
                    }
                }
            })
        });
        let Some(words) = words else {
            if text.is_none() || unknown_variable {
                self.incomplete(field.source, IncompleteReason::UnknownCode);
            }
            self.emit(call);
            return;
        };
        let mut fields: Vec<Field> = self.fields(call).get(..1).unwrap_or(&[]).to_vec();
        for word in words {
            let value = self.store.keep(&word);
            fields.push(Field {
                value,
                shown: value,
                source: field.source,
                kind: FieldKind::Known,
                splice: false,
            });
        }
        fields.extend_from_slice(self.fields(call).get(rest..).unwrap_or(&[]));
        // The rest of env's own grammar applies to what came out of the string; it is one wrapper all the same.
        let start = self.findings.fields.len() as u32;
        for field in fields {
            self.findings.fields.push(field);
        }
        let inner = Call { start, end: self.findings.fields.len() as u32, ..*call };
        let _ = name;
        self.within_call(Step::Rewritten, call, |this| {
            this.deeper(call.span, |this| this.run_external(inner, Lookup::EXTERNALS));
        });
    }

    // ---- Shells ----

    fn run_shell_input(&mut self, name: &'static str, call: &Call, arguments: &[Field], shell: ShellOptions) {
        match self.now.input {
            Input::Text(text) => {
                let source = self.fields(call).first().map_or(call.span, |field| field.source);
                let source = self.store.place(text).unwrap_or(source);
                self.now.input = Input::Unknown;
                let zero = self.fields(call).get(..1).unwrap_or(&[]).to_vec();
                let mut all = zero;
                all.extend_from_slice(arguments);
                self.run_shell(name, Via::ShellInput, call, text, source, &all, shell);
            }
            Input::Inherited => {
                self.emit(call);
                self.print_unknown();
            }
            Input::Unknown => {
                self.emit(call);
                self.incomplete(call.span, IncompleteReason::UnknownCode);
                self.print_unknown();
            }
        }
        self.now.status = Status::Unknown;
    }

    /// Runs text in a new shell; `arguments` are its `$0`, `$1`, ….
    #[expect(clippy::too_many_arguments, reason = "each is one fact about the shell that is started")]
    fn run_shell(
        &mut self,
        name: &'static str,
        via: Via,
        call: &Call,
        text: Span,
        source: Span,
        arguments: &[Field],
        shell: ShellOptions,
    ) {
        let before = self.findings.commands.len();
        let content = self.store.text(text);
        let unknown = has_hole(content);
        let is_blank = content.trim_matches(|c| c == HOLE || c == ' ' || c == '\n').is_empty();
        if unknown {
            self.incomplete(source, IncompleteReason::UnknownCode);
        }
        if is_blank {
            self.emit(call);
            self.print_unknown();
            return;
        }
        self.step(u64::from(text.len()));
        let positional = if let Some((zero, rest)) = arguments.split_first() {
            let mut positional = self.positional_of(rest);
            positional.open |= zero.splice;
            positional.zero = self.field_text(zero);
            positional
        } else {
            let name = self.fields(call).first().map_or(Span::default(), |field| field.value);
            let zero = self.next_zero.unwrap_or(name);
            Positional { zero, values: alloc::rc::Rc::from([]), open: false }
        };
        self.next_zero = None;
        let (calls, tested) = (self.calls, self.tested);
        self.calls = 0;
        self.tested = 0;
        let loses_environment = self.loses_environment;
        let aliases = core::mem::take(&mut self.stacks.active_aliases);
        self.within_call(Step::Wrapper(name, Some(via)), call, |this| {
            this.with_origin(source, |this| {
                this.deeper(call.span, |this| {
                    this.in_child(|this| {
                        this.enter_shell();
                        this.now.options = shell.further;
                        if shell.errexit {
                            this.now.options |= option::ERREXIT;
                        }
                        if shell.noglob {
                            this.now.options |= option::NOGLOB;
                        }
                        if shell.aliases {
                            this.now.options |= option::EXPAND_ALIASES;
                        }
                        if core::mem::take(&mut this.loses_environment) {
                            this.forget_environment();
                        }
                        this.now.stack = 0;
                        this.now.status = Status::Success;
                        this.now.positional = this.add_positional(positional);
                        this.settle_directories();
                        this.run_shell_script(text)
                    });
                });
            });
        });
        self.stacks.active_aliases = aliases;
        self.loses_environment = loses_environment;
        self.calls = calls;
        self.tested = tested;
        if self.findings.commands.len() == before {
            self.emit(call);
        }
    }

    /// Goes into a new shell: of the variables it has those that are exported, and no array. One that is not may all the
    /// same have been in the environment before the text set it.
    fn enter_shell(&mut self) {
        self.now.level += 1;
        let level = self.now.level;
        let outer = self.names.all(Namespace::Variable);
        let changed: Vec<(SlotId, Slot)> = outer
            .filter_map(|(id, _, slot)| {
                let attributes = slot.attributes & attribute::EXPORT;
                let is_passed = attributes != 0 && !matches!(slot.value, Value::Array(_));
                if slot.value == Value::Inherited || (is_passed && slot.attributes == attributes) {
                    return None;
                }
                let value = if is_passed { slot.value.clone() } else { Value::Unknown };
                Some((id, Slot { value, attributes, level }))
            })
            .collect();
        // Every name was looked at, and some were changed.
        self.step(self.names.count() as u64 / 32 + changed.len() as u64);
        for (id, slot) in changed {
            self.names.set(id, slot);
        }
    }

    /// Takes the exported variables as unknown that the wrappers around a new shell may have changed.
    fn forget_environment(&mut self) {
        let home = self.names.intern(Namespace::Variable, "HOME");
        let is_kept = |id: &SlotId| self.stacks.passed.contains(id);
        let exported = self.names.all(Namespace::Variable).filter(|(id, _, slot)| {
            *id == home || (slot.attributes & attribute::EXPORT != 0 && slot.value != Value::Inherited)
        });
        let lost: Vec<SlotId> = exported.map(|(id, ..)| id).filter(|id| !is_kept(id)).collect();
        self.step(lost.len() as u64);
        for id in lost {
            let slot = self.names.slot(id).clone();
            self.names.set(id, Slot { value: Value::Unknown, ..slot });
        }
    }

    /// `"$SHELL" -c '…'`: what may be a shell runs the text behind `-c`.
    pub(crate) fn run_as_if_shell(&mut self, name: &'static str, call: &Call) {
        let words = call.end.saturating_sub(call.start);
        for at in 1..words.saturating_sub(1) {
            let is_option = self.known(call.start + at).is_some_and(|text| {
                text.strip_prefix('-').is_some_and(|letters| {
                    letters.contains('c')
                        && letters.len() < 6
                        && letters.bytes().all(|byte| byte.is_ascii_lowercase())
                })
            });
            let field = self.fields(call).get(at as usize + 1).copied();
            // Only a word before it can change what the option is.
            let before = self.fields(call).get(..at as usize).unwrap_or(&[]);
            let is_open = before.iter().any(|field| field.kind != FieldKind::Known);
            if let (true, Some(field)) = (is_option && is_open, field) {
                if field.kind != FieldKind::Known {
                    self.incomplete(field.source, IncompleteReason::UnknownCode);
                    return;
                }
                let arguments = self.fields(call).get(at as usize + 2..).unwrap_or(&[]).to_vec();
                self.repeating += 1;
                self.maybe(|this| {
                    let shell = ShellOptions::default();
                    this.run_shell(
                        name,
                        Via::ShellCommand,
                        call,
                        field.value,
                        field.source,
                        &arguments,
                        shell,
                    );
                    Flow::Normal
                });
                self.repeating -= 1;
                return;
            }
        }
    }

    // ---- xargs ----

    fn run_xargs(&mut self, name: &'static str, call: &Call, from: usize, options: &XargsOptions) {
        let base = (call.start as usize + from).min(call.end as usize)..call.end as usize;
        if base.is_empty() {
            // xargs alone runs echo.
            self.emit(call);
            self.print_unknown();
            self.now.status = Status::Unknown;
            return;
        }
        let source = self.fields(call).first().map_or(call.span, |field| field.source);
        let replace = match options.replace {
            None => None,
            Some(Replace::Braces) => Some(String::from("{}")),
            Some(Replace::Text(place)) => {
                self.place_text(call, place).or_else(|| Some(String::from(HOLE_TEXT)))
            }
        };
        let input = match self.now.input {
            Input::Text(text) if options.arg_file.is_none() && !self.store.has_hole(text) => {
                Some(self.store.detached(text))
            }
            _ => None,
        };
        self.now.input = Input::Text(Span::default());
        let batches =
            input.as_deref().and_then(|text| self.xargs_batches(call, text, options, replace.is_some()));
        if let Some(batches) = batches {
            for batch in batches {
                let start = self.findings.fields.len();
                self.findings.fields.extend_within(base.clone());
                match (&replace, batch.first()) {
                    (Some(pattern), Some(item)) => self.replace_items(start, pattern, item),
                    _ => {
                        for item in &batch {
                            let value = self.store.keep(item);
                            let kind = FieldKind::Known;
                            self.findings.fields.push(Field {
                                value,
                                shown: value,
                                source,
                                kind,
                                splice: false,
                            });
                        }
                    }
                }
                self.run_made(name, Via::Xargs, call, start as u32);
                if self.is_exhausted() {
                    break;
                }
            }
            self.now.status = Status::Unknown;
            return;
        }
        let start = self.findings.fields.len();
        self.findings.fields.extend_within(base);
        if let Some(pattern) = replace {
            self.replace_items(start, &pattern, HOLE_TEXT);
        } else {
            let items = self.unknown_field(source, Reason::StandardInput, true);
            self.findings.fields.push(items);
        }
        self.run_made(name, Via::Xargs, call, start as u32);
        self.now.status = Status::Unknown;
    }

    /// Puts `item` in the place of `pattern` inside the arguments of the command whose name is the word at `start`.
    fn replace_items(&mut self, start: usize, pattern: &str, item: &str) {
        for at in start + 1..self.findings.fields.len() {
            let Some(mut word) = self.findings.fields.get(at) else { return };
            self.replace_in(&mut word, pattern, item);
            if let Some(field) = self.findings.fields.get_mut(at) {
                *field = word;
            }
        }
    }

    /// Puts `item` in the place of `pattern` inside a word.
    fn replace_in(&mut self, word: &mut Field, pattern: &str, item: &str) {
        let text = self.store.text(word.value);
        if pattern == HOLE_TEXT {
            *word = self.unknown_field(word.source, Reason::StandardInput, false);
            return;
        }
        if !text.contains(pattern) || pattern.is_empty() {
            return;
        }
        let length = replaced_length(text, pattern, item);
        if !self.step(length as u64 / 4) {
            *word = self.unknown_field(word.source, Reason::StandardInput, false);
            return;
        }
        let replaced = self.store.text(word.value).replace(pattern, item);
        word.value = self.store.keep(&replaced);
        if item == HOLE_TEXT {
            word.kind = FieldKind::Unknown(Reason::StandardInput);
        } else if word.kind == FieldKind::Known {
            word.shown = word.value;
        }
    }

    /// The items of each command that xargs starts; `None` when the options are beyond what is followed.
    fn xargs_batches(
        &mut self,
        call: &Call,
        input: &str,
        options: &XargsOptions,
        replaces: bool,
    ) -> Option<Vec<Vec<String>>> {
        if options.insert_at.is_some() || options.end.is_some() {
            return None;
        }
        self.step(input.len() as u64);
        let how = match options.delimiter {
            Delimiter::Nul => XargsInput::Delimiter('\0'),
            Delimiter::Character(place) => {
                let text = self.place_text(call, place)?;
                let mut decoded = String::new();
                crate::escape::decode_echo(&text, &mut decoded)?;
                XargsInput::Delimiter(decoded.chars().next()?)
            }
            Delimiter::Blanks if replaces => XargsInput::Lines,
            Delimiter::Blanks => XargsInput::Words,
        };
        if let Some(lines) = options.max_lines {
            let count = match lines {
                MaxLines::One => 1,
                MaxLines::Number(place) => self.place_text(call, place)?.trim().parse::<usize>().ok()?,
            };
            let lines = crate::split::xargs_lines(input)?;
            return Some(lines.chunks(count.max(1)).take(MAX_BATCHES).map(<[_]>::concat).collect());
        }
        let items = crate::split::xargs_items(input, how)?;
        if replaces {
            return Some(items.into_iter().take(MAX_BATCHES).map(|item| alloc::vec![item]).collect());
        }
        if items.is_empty() {
            return Some(if options.no_run_if_empty { Vec::new() } else { alloc::vec![Vec::new()] });
        }
        match options.max_args {
            None => Some(alloc::vec![items]),
            Some(place) => {
                let count = self.place_text(call, place)?.trim().parse::<usize>().ok()?;
                Some(items.chunks(count.max(1)).take(MAX_BATCHES).map(<[_]>::to_vec).collect())
            }
        }
    }

    // ---- parallel ----

    fn run_parallel(
        &mut self,
        name: &'static str,
        call: &Call,
        (from, to): (usize, usize),
        options: &ParallelOptions,
        shell: ShellOptions,
    ) {
        let words: Vec<Field> = self.fields(call).get(from..to).unwrap_or(&[]).to_vec();
        let source = words.iter().map(|field| field.source).reduce(Span::join).unwrap_or(call.span);
        let mut line = String::new();
        for (index, field) in words.iter().enumerate() {
            if index > 0 {
                line.push(' ');
            }
            self.push_argument(field, &mut line);
        }
        let items: Option<Vec<String>> = match options.source {
            ParallelSource::Words { from, combined: false } | ParallelSource::Dashes { from }
                if !options.rearranged =>
            {
                let fields = self.fields(call).get(from..).unwrap_or(&[]);
                fields
                    .iter()
                    .map(|field| {
                        (field.kind == FieldKind::Known).then(|| String::from(self.store.text(field.value)))
                    })
                    .collect()
            }
            ParallelSource::StandardInput if !options.rearranged => match self.now.input {
                Input::Text(text) if !self.store.has_hole(text) => {
                    Some(self.store.text(text).lines().map(String::from).collect())
                }
                _ => None,
            },
            _ => None,
        };
        self.now.input = Input::Text(Span::default());
        let items = items.unwrap_or_else(|| alloc::vec![String::from(HOLE_TEXT)]);
        let replaced = match options.replace {
            Some(place) => self.place_text(call, place).unwrap_or_else(|| String::from("{}")),
            None => String::from("{}"),
        };
        for item in items.iter().take(MAX_BATCHES) {
            let quoted = if item == HOLE_TEXT { item.clone() } else { quoted(item) };
            // What is made is paid for before it is made, as it may be the product of two long texts.
            if !self.step(replaced_length(&line, &replaced, &quoted) as u64 + quoted.len() as u64) {
                break;
            }
            let text = if words.is_empty() {
                item.clone()
            } else if line.contains(&replaced) {
                line.replace(&replaced, &quoted)
            } else {
                alloc::format!("{line} {quoted}")
            };
            let span = self.store.keep(&text);
            self.run_shell(name, Via::Xargs, call, span, source, &[], shell);
            if self.is_exhausted() {
                break;
            }
        }
        self.now.status = Status::Unknown;
    }
}

/// How long a text becomes when `item` takes the place of each `pattern`.
fn replaced_length(text: &str, pattern: &str, item: &str) -> usize {
    let count = text.matches(pattern).count();
    let rest = text.len().saturating_sub(count.saturating_mul(pattern.len()));
    rest.saturating_add(count.saturating_mul(item.len()))
}

/// Wrappers that are builtins, and start a command in the shell itself.
fn is_shell_builtin(name: &str) -> bool {
    matches!(name, "exec" | "command" | "builtin")
}

/// Where the command behind a wrapper begins, when starting it is all that the wrapper does.
fn plain_argv(name: &str, reading: &Peeled) -> Option<usize> {
    match reading.inner {
        Inner::Argv { from }
            if reading.directory == Directory::Same
                && reading.assignments.is_empty()
                && !reading.clears_environment
                && !is_shell_builtin(name) =>
        {
            Some(from)
        }
        _ => None,
    }
}

/// Builtins of which Linux has no program by that name: `env cd /` and `sudo exec x` start nothing.
fn is_never_a_program(name: &[u8]) -> bool {
    matches!(
        name,
        b"cd"
            | b"exec"
            | b"builtin"
            | b"command"
            | b"eval"
            | b"source"
            | b"."
            | b":"
            | b"export"
            | b"local"
            | b"declare"
            | b"typeset"
            | b"readonly"
            | b"set"
            | b"shift"
            | b"unset"
            | b"exit"
            | b"return"
            | b"break"
            | b"continue"
            | b"trap"
            | b"shopt"
            | b"pushd"
            | b"popd"
            | b"let"
            | b"mapfile"
            | b"readarray"
    )
}

/// Quotes an item for a shell.
fn quoted(item: &str) -> String {
    let plain = !item.is_empty()
        && item.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./,:@%+=".contains(&byte));
    if plain { String::from(item) } else { alloc::format!("'{}'", item.replace('\'', "'\\''")) }
}
