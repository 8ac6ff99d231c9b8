//! Builtin commands of bash, as far as they change what later commands are.

use crate::arena::Arena;
use crate::branch::FrameKind;
use crate::command::{Call, Line};
use crate::evaluate::{Evaluator, Lookup};
use crate::expand::Ifs;
use crate::function::Positional;
use crate::parameter::is_name;
use crate::report::{Field, FieldKind, IncompleteReason, Step, Via};
use crate::span::Span;
use crate::state::{
    Array, Flow, Input, Key, Namespace, Output, Slot, SlotId, Status, Value, attribute, option,
};
use crate::store::{HOLE, HOLE_TEXT, has_hole};
use crate::syntax::{Assignment, Id};
use crate::test_command::{self, Operand, Tri};
use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The builtins that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Alias,
    Break,
    Cd,
    Continue,
    Declare,
    Echo,
    Eval,
    Exit,
    False,
    Let,
    Mapfile,
    Popd,
    Printf,
    Pushd,
    Pwd,
    Read,
    Return,
    Set,
    Shift,
    Shopt,
    Source,
    Test,
    Trap,
    True,
    Unalias,
    Unset,
    /// `command`, `builtin`, `exec`: they run another command.
    Wrapper,
    /// Sets a variable that is not followed (`getopts`).
    Getopts,
    /// Succeeds and prints nothing.
    Quiet,
    /// Anything else.
    Other,
}

/// Every builtin of bash 5.2 by its name.
const BUILTINS: &[(&str, Builtin)] = &[
    (".", Builtin::Source),
    (":", Builtin::True),
    ("[", Builtin::Test),
    ("alias", Builtin::Alias),
    ("bg", Builtin::Other),
    ("bind", Builtin::Other),
    ("break", Builtin::Break),
    ("builtin", Builtin::Wrapper),
    ("caller", Builtin::Other),
    ("cd", Builtin::Cd),
    ("command", Builtin::Wrapper),
    ("compgen", Builtin::Other),
    ("complete", Builtin::Other),
    ("compopt", Builtin::Other),
    ("continue", Builtin::Continue),
    ("declare", Builtin::Declare),
    ("dirs", Builtin::Other),
    ("disown", Builtin::Quiet),
    ("echo", Builtin::Echo),
    ("enable", Builtin::Other),
    ("eval", Builtin::Eval),
    ("exec", Builtin::Wrapper),
    ("exit", Builtin::Exit),
    ("export", Builtin::Declare),
    ("false", Builtin::False),
    ("fc", Builtin::Other),
    ("fg", Builtin::Other),
    ("getopts", Builtin::Getopts),
    ("hash", Builtin::Other),
    ("help", Builtin::Other),
    ("history", Builtin::Other),
    ("jobs", Builtin::Other),
    ("kill", Builtin::Other),
    ("let", Builtin::Let),
    ("local", Builtin::Declare),
    ("logout", Builtin::Exit),
    ("mapfile", Builtin::Mapfile),
    ("popd", Builtin::Popd),
    ("printf", Builtin::Printf),
    ("pushd", Builtin::Pushd),
    ("pwd", Builtin::Pwd),
    ("read", Builtin::Read),
    ("readarray", Builtin::Mapfile),
    ("readonly", Builtin::Declare),
    ("return", Builtin::Return),
    ("set", Builtin::Set),
    ("shift", Builtin::Shift),
    ("shopt", Builtin::Shopt),
    ("source", Builtin::Source),
    ("suspend", Builtin::Quiet),
    ("test", Builtin::Test),
    ("times", Builtin::Other),
    ("trap", Builtin::Trap),
    ("true", Builtin::True),
    ("type", Builtin::Other),
    ("typeset", Builtin::Declare),
    ("ulimit", Builtin::Other),
    ("umask", Builtin::Quiet),
    ("unalias", Builtin::Unalias),
    ("unset", Builtin::Unset),
    ("wait", Builtin::Other),
];

/// For each first byte, the lengths of the builtins that begin with it, as bits: most command names are none, and this
/// tells before any text is compared.
#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const LENGTHS: [u16; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < BUILTINS.len() {
        let name = BUILTINS[at].0.as_bytes();
        table[name[0] as usize] |= 1 << name.len();
        at += 1;
    }
    table
};

/// For each first byte, the place of the first builtin that begins with it.
#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const FIRSTS: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = BUILTINS.len();
    while at > 0 {
        at -= 1;
        table[BUILTINS[at].0.as_bytes()[0] as usize] = at as u8;
    }
    table
};

impl Builtin {
    /// Returns the builtin of that name.
    #[inline]
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let first = name.first().copied().unwrap_or(0);
        let lengths = LENGTHS.get(first as usize).copied().unwrap_or(0);
        if name.len() > 15 || lengths & (1 << name.len()) == 0 {
            return None;
        }
        let start = FIRSTS.get(first as usize).copied().map(usize::from)?;
        let mut same_first =
            BUILTINS.get(start..)?.iter().take_while(|(known, _)| known.as_bytes().first() == Some(&first));
        same_first.find(|(known, _)| known.as_bytes() == name).map(|(_, builtin)| *builtin)
    }
}

impl Evaluator<'_> {
    pub(crate) fn run_builtin(
        &mut self,
        builtin: Builtin,
        call: Call,
        compounds: &[(usize, Id<Assignment>)],
    ) -> Flow {
        match builtin {
            Builtin::Wrapper => return self.run_external(call, Lookup::ALL),
            Builtin::Eval => return self.run_eval(call),
            Builtin::Source => return self.run_source(call),
            _ => self.emit(&call),
        }
        match builtin {
            Builtin::True => {
                self.now.status = Status::Success;
                return Flow::Normal;
            }
            Builtin::Echo if self.now.output != Output::Collected => {
                self.now.status = self.printed();
                return Flow::Normal;
            }
            _ => {}
        }
        // A copy, as what a builtin does may add words; most have few.
        let mut argv = Arena::<Field, 8>::NEW;
        argv.extend(self.fields(&call));
        let argv = argv.as_slice();
        match builtin {
            Builtin::Echo => self.run_echo(argv),
            Builtin::Cd => return self.run_cd(argv),
            Builtin::Pushd => return self.run_pushd(argv),
            Builtin::Popd => return self.run_popd(argv),
            Builtin::Declare => return self.run_declare(argv, compounds),
            Builtin::Unset => return self.run_unset(argv),
            Builtin::Quiet if argv.len() > 1 => self.now.status = Status::Unknown,
            Builtin::True | Builtin::Quiet => self.now.status = Status::Success,
            Builtin::False => self.now.status = Status::Failure(Some(1)),
            Builtin::Printf => self.run_printf(argv),
            Builtin::Test => self.run_test(argv),
            Builtin::Read => self.run_read(argv),
            Builtin::Mapfile => self.run_mapfile(argv),
            Builtin::Set => return self.run_set(argv),
            Builtin::Shift => self.run_shift(argv),
            Builtin::Shopt => self.run_shopt(argv),
            Builtin::Let => self.run_let(argv),
            Builtin::Pwd => {
                if let Some(path) = self.present_directory() {
                    let line = alloc::format!("{}\n", self.store.text(path));
                    self.print(&line);
                } else {
                    self.print_unknown();
                    self.print("\n");
                }
                self.now.status = self.printed();
            }
            Builtin::Alias => self.run_alias(argv),
            Builtin::Unalias => {
                self.run_unalias(argv);
            }
            Builtin::Trap => self.run_trap_command(argv),
            Builtin::Exit => {
                self.now.status = self.status_operand(argv);
                return self.leave_shell();
            }
            Builtin::Return => {
                self.now.status = self.status_operand(argv);
                if let Some(flow) = self.leave_function() {
                    return flow;
                }
                if self.calls > 0 {
                    // In a subshell of the function: that ends.
                    return self.leave_shell();
                }
                self.now.status = Status::Failure(Some(2));
            }
            Builtin::Break | Builtin::Continue => {
                if let Some(flow) = self.run_break(argv, builtin == Builtin::Continue) {
                    return flow;
                }
            }
            Builtin::Getopts => {
                for name in ["OPTARG", "OPTIND"] {
                    self.assign_unknown(name);
                }
                if let Some(field) = argv.get(2)
                    && field.kind == FieldKind::Known
                {
                    let name = self.store.detached(field.value);
                    self.assign_unknown(&name);
                }
                self.now.status = Status::Unknown;
            }
            Builtin::Other => {
                if self.known(call.start) == Some("compgen") {
                    self.run_compgen(argv);
                }
                self.now.status = Status::Unknown;
                if self.known(call.start) != Some("wait") {
                    self.print_unknown();
                } else if argv.len() == 1 {
                    self.now.status = Status::Success;
                }
            }
            Builtin::Wrapper | Builtin::Eval | Builtin::Source => {}
        }
        Flow::Normal
    }

    /// `break` (`again` false) and `continue`; `None` when what follows runs.
    fn run_break(&mut self, argv: &[Field], again: bool) -> Option<Flow> {
        self.now.status = Status::Success;
        if !self.in_loop() {
            return None;
        }
        let count = match argv.get(1) {
            None => Ok(1),
            Some(field) if field.kind == FieldKind::Known => {
                self.store.text(field.value).trim().parse::<i64>()
            }
            Some(_) => return Some(self.leave_any_loop(again)),
        };
        let Ok(count) = count else {
            // bash: numeric argument required.
            self.now.status = Status::Failure(Some(128));
            return Some(self.leave_shell());
        };
        if argv.len() > 2 && !argv.iter().any(|field| field.splice) {
            self.now.status = Status::Failure(Some(1));
            return Some(self.leave_shell());
        }
        if count <= 0 {
            // A bad count ends the loops around it.
            self.now.status = Status::Failure(Some(1));
            return self.leave_loops(u32::MAX, false);
        }
        self.leave_loops(u32::try_from(count).unwrap_or(u32::MAX), again)
    }

    fn run_unalias(&mut self, argv: &[Field]) {
        self.now.status = Status::Success;
        if argv.get(1).is_some_and(|field| self.store.text(field.value) == "-a") {
            let all: Vec<SlotId> = self.names.all(Namespace::Alias).map(|(id, _, _)| id).collect();
            for id in all {
                self.set_alias(id, Value::Unset);
            }
            return;
        }
        for field in argv.iter().skip(1) {
            let name = self.store.detached(field.value);
            let id = self.names.intern(Namespace::Alias, &name);
            match self.names.slot(id).value {
                Value::Text(_) => {}
                Value::Unknown => self.now.status = Status::Unknown,
                _ => self.now.status = Status::Failure(Some(1)),
            }
            self.set_alias(id, Value::Unset);
        }
    }

    fn status_operand(&mut self, argv: &[Field]) -> Status {
        let operand = argv.iter().skip(1).find(|field| self.store.text(field.value) != "--");
        match operand {
            None => self.now.status,
            Some(field) if field.kind == FieldKind::Known => {
                match self.store.text(field.value).trim().parse::<i64>() {
                    Ok(code) => Status::from_code((code & 255) as u8),
                    Err(_) => Status::Failure(Some(2)),
                }
            }
            Some(_) => Status::Unknown,
        }
    }

    // ---- Output ----

    /// The status of a builtin that printed something.
    fn printed(&self) -> Status {
        if self.now.output == Output::Doubtful { Status::Unknown } else { Status::Success }
    }

    fn run_echo(&mut self, argv: &[Field]) {
        self.now.status = self.printed();
        if argv.iter().any(|field| field.splice || field.kind == FieldKind::Pattern) {
            // The number of words is not known, but what stands before the first of them is.
            let mut line = String::new();
            for field in argv.iter().skip(1) {
                if field.splice || field.kind == FieldKind::Pattern {
                    line.push(HOLE);
                } else {
                    line.push_str(self.store.text(field.value));
                }
                line.push(' ');
            }
            let line = line.trim_end_matches(' ').to_string();
            self.print(&line);
            self.print("\n");
            return;
        }
        let xpg = self.has(option::XPG_ECHO);
        let mut out = core::mem::take(self.scratch);
        let start = out.len();
        let words = argv.iter().skip(1).map(|field| self.store.text(field.value));
        match crate::printf::echo(words, xpg, &mut out) {
            Some(()) => self.print(out.get(start..).unwrap_or("")),
            None => self.print_unknown(),
        }
        out.truncate(start);
        *self.scratch = out;
    }

    fn run_printf(&mut self, argv: &[Field]) {
        let mut at = 1;
        let mut target = None;
        while let Some(field) = argv.get(at) {
            if field.kind != FieldKind::Known {
                break;
            }
            match self.store.text(field.value) {
                "-v" => {
                    target = argv.get(at + 1).copied();
                    at += 2;
                }
                "--" => {
                    at += 1;
                    break;
                }
                text if text.starts_with("-v") => {
                    target =
                        Some(Field { value: Span::new(field.value.start + 2, field.value.end), ..*field });
                    at += 1;
                }
                _ => break,
            }
        }
        let operands = argv.get(at..).unwrap_or(&[]);
        if target.is_none() && self.now.output == Output::Elsewhere && self.is_sure_to_print(operands) {
            self.now.status = Status::Success;
            return;
        }
        let output = self.printf_output(operands);
        self.now.status = match &output {
            Some((text, true)) if target.is_none() && !text.is_empty() => self.printed(),
            Some((_, ok)) => Status::from_bool(*ok),
            None => Status::Unknown,
        };
        match target {
            None => match output {
                Some((text, _)) => self.print(&text),
                None => self.print_unknown(),
            },
            Some(field) if field.kind == FieldKind::Known => {
                let name = self.store.detached(field.value);
                let value = match output {
                    Some((text, _)) => self.store.keep(&text),
                    None => self.hole(),
                };
                if let Some((array, rest)) = name.split_once('[') {
                    let key = rest.strip_suffix(']').and_then(|text| match self.lookup(array) {
                        Value::Array(array) if array.associative => Some(Key::Name(Rc::from(text))),
                        _ => self.arithmetic_text(text).ok()?.map(Key::Index),
                    });
                    if is_name(array) && rest.len() > 1 && rest.ends_with(']') {
                        self.assign_key(array, key, value);
                    } else {
                        self.now.status = Status::Failure(Some(2));
                    }
                } else if is_name(&name) {
                    self.assign_text(&name, value);
                } else {
                    self.now.status = Status::Failure(Some(2));
                }
            }
            Some(_) => {}
        }
    }

    /// Whether `printf` succeeds, whatever it prints.
    fn is_sure_to_print(&self, operands: &[Field]) -> bool {
        operands.first().is_some_and(|format| {
            format.kind == FieldKind::Known && crate::printf::cannot_fail(self.store.text(format.value))
        }) && !operands.iter().any(|field| field.splice || field.kind == FieldKind::Pattern)
    }

    fn printf_output(&mut self, argv: &[Field]) -> Option<(String, bool)> {
        let (format, arguments) = argv.split_first()?;
        if argv.iter().any(|field| field.splice || field.kind == FieldKind::Pattern) {
            return None;
        }
        let format = self.store.detached(format.value);
        let texts: Vec<_> = arguments.iter().map(|field| self.store.detached(field.value)).collect();
        // A hole can be carried through `%s`; any other conversion would look at it.
        let is_open = has_hole(&format);
        let is_partly_known = is_open || texts.iter().any(|text| has_hole(text));
        if is_partly_known && (is_open || format.replace("%s", "").contains('%')) {
            return None;
        }
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let mut out = String::new();
        let ok = crate::printf::format(&format, &texts, &mut out, self.budget())?;
        Some((out, ok))
    }

    // ---- Tests ----

    fn run_test(&mut self, argv: &[Field]) {
        let mut arguments = argv.get(1..).unwrap_or(&[]);
        let is_bracket = argv.first().is_some_and(|field| self.store.text(field.value) == "[");
        if is_bracket {
            match arguments.split_last() {
                Some((last, rest)) if last.kind == FieldKind::Known && self.store.text(last.value) == "]" => {
                    arguments = rest;
                }
                Some((last, _)) if last.kind != FieldKind::Known => {
                    self.now.status = Status::Unknown;
                    return;
                }
                _ => {
                    self.now.status = Status::Failure(Some(2));
                    return;
                }
            }
        }
        if arguments.iter().any(|field| field.splice || field.kind == FieldKind::Pattern) {
            self.now.status = Status::Unknown;
            return;
        }
        let texts: Vec<_> = arguments
            .iter()
            .map(|field| (field.kind == FieldKind::Known).then(|| self.store.detached(field.value)))
            .collect();
        let mut operands = Arena::<Operand<'_>, 6>::NEW;
        operands
            .extend_from(texts.iter().map(|text| text.as_deref().map_or(Operand::Unknown, Operand::Known)));
        let operands = operands.as_slice();
        // `-n` of a text that is known not to be empty needs no more than that.
        let result = match (operands, arguments) {
            ([Operand::Known(operator @ ("-n" | "-z")), Operand::Unknown], [_, field])
                if self.is_filled(field) =>
            {
                if *operator == "-n" {
                    Tri::True
                } else {
                    Tri::False
                }
            }
            ([Operand::Unknown], [field]) if self.is_filled(field) => Tri::True,
            _ => {
                test_command::evaluate(operands, &mut |operator, operand| self.unary_test(operator, operand))
            }
        };
        self.now.status = status_of(result);
    }

    fn is_filled(&self, field: &Field) -> bool {
        self.store.text(field.value).chars().any(|c| c != HOLE)
    }

    /// What the text tells of a test of one operand beyond texts and numbers.
    pub(crate) fn unary_test(&mut self, operator: &str, operand: &str) -> Tri {
        match operator {
            "-v" => {
                let (name, subscript) = match operand.split_once('[') {
                    Some((name, rest)) => match rest.strip_suffix(']') {
                        Some(subscript) => (name, Some(subscript)),
                        // No variable has such a name.
                        None => return Tri::False,
                    },
                    None => (operand, None),
                };
                match (self.lookup(name), subscript) {
                    (Value::Unset, _) => Tri::False,
                    (Value::Text(_), None) => Tri::True,
                    (Value::Array(array), Some(subscript)) if !array.open => {
                        let key = if array.associative {
                            let key = self.store.keep(subscript);
                            let key = self.expand_key_at(key);
                            let key = self.store.text(key);
                            if has_hole(key) {
                                return Tri::Unknown;
                            }
                            Key::Name(Rc::from(key))
                        } else {
                            match self.arithmetic_text(subscript) {
                                Ok(Some(index)) if index < 0 => {
                                    Key::Index(index.wrapping_add(array.next_index()))
                                }
                                Ok(Some(index)) => Key::Index(index),
                                _ => return Tri::Unknown,
                            }
                        };
                        if matches!(subscript, "@" | "*") && !array.associative {
                            return if array.elements.is_empty() { Tri::False } else { Tri::True };
                        }
                        if array.get(&key).is_some() { Tri::True } else { Tri::False }
                    }
                    (Value::Array(array), None) if !array.open => {
                        let zero = if array.associative { Key::Name(Rc::from("0")) } else { Key::Index(0) };
                        if array.get(&zero).is_some() { Tri::True } else { Tri::False }
                    }
                    _ => Tri::Unknown,
                }
            }
            "-o" => match option_bit(operand) {
                Some(bit) if self.has(bit) => Tri::True,
                Some(bit) if bit != 0 => Tri::False,
                _ => Tri::Unknown,
            },
            // The empty path names nothing.
            "-e" | "-f" | "-d" | "-r" | "-w" | "-x" | "-s" | "-L" | "-h" if operand.is_empty() => Tri::False,
            _ => Tri::Unknown,
        }
    }

    /// `compgen` runs what `-F`, `-C` and the expansions of `-W` hold.
    fn run_compgen(&mut self, argv: &[Field]) {
        for pair in argv.windows(2) {
            let [option, value] = pair else { continue };
            match self.store.text(option.value) {
                "-W" if value.kind == FieldKind::Known => {
                    let value = value.value;
                    self.maybe(|this| {
                        this.expand_quoted_text(value, true);
                        Flow::Normal
                    });
                }
                "-C" => {
                    let (text, source) = (value.value, value.source);
                    self.maybe(|this| {
                        this.in_child(|this| this.run_code(text, source));
                        Flow::Normal
                    });
                }
                "-F" => self.run_anything(),
                _ => {}
            }
        }
    }

    fn run_let(&mut self, argv: &[Field]) {
        let mut status = Status::Failure(Some(1));
        for field in argv.iter().skip(1) {
            let text = self.store.detached(field.value);
            status = match self.arithmetic_text(&text) {
                Ok(Some(value)) => Status::from_bool(value != 0),
                Ok(None) => Status::Unknown,
                Err(()) => {
                    status = Status::Failure(Some(1));
                    break;
                }
            };
        }
        self.now.status = status;
    }

    // ---- Input ----

    fn run_read(&mut self, argv: &[Field]) {
        let mut raw = false;
        let mut delimiter = Some('\n');
        let mut array = None;
        // A word that is not known may be an option.
        let mut unusual = argv.iter().any(|field| field.kind != FieldKind::Known);
        let mut names = Arena::<Span, 4>::NEW;
        let mut at = 1;
        while let Some(field) = argv.get(at) {
            let text = self.store.detached(field.value);
            let Some(letters) =
                text.strip_prefix('-').filter(|letters| !letters.is_empty() && names.is_empty())
            else {
                names.push(field.value);
                at += 1;
                continue;
            };
            if letters == "-" {
                at += 1;
                names.extend_from(argv.get(at..).unwrap_or(&[]).iter().map(|field| field.value));
                break;
            }
            for (index, letter) in letters.char_indices() {
                let takes_value = matches!(letter, 'd' | 'a' | 'n' | 'N' | 'p' | 't' | 'u' | 'i');
                let attached = letters.get(index + letter.len_utf8()..).unwrap_or("");
                let value = if !takes_value {
                    None
                } else if attached.is_empty() {
                    at += 1;
                    argv.get(at).map(|field| self.store.detached(field.value))
                } else {
                    Some(Cow::from(String::from(attached)))
                };
                match letter {
                    'r' => raw = true,
                    'd' => {
                        delimiter =
                            Some(value.as_deref().and_then(|text| text.chars().next()).unwrap_or('\0'));
                    }
                    'a' => array = value,
                    'n' | 'N' | 't' | 'u' => unusual = true,
                    _ => {}
                }
                if takes_value {
                    break;
                }
            }
            at += 1;
        }
        self.unended = false;
        let line = if unusual {
            if matches!(self.now.input, Input::Text(_)) {
                self.now.input = Input::Unknown;
            }
            Line::Unknown { is_there: false }
        } else {
            self.read_record(delimiter.unwrap_or('\n'), raw)
        };
        let ifs = match self.ifs() {
            _ if matches!(line, Line::Unknown { .. }) => None,
            Ifs::Default => Some(Cow::from(crate::split::DEFAULT_IFS)),
            Ifs::Custom(span) => Some(self.store.detached(span)),
            Ifs::Unknown => None,
        };
        self.now.status = match line {
            Line::Text(_) if self.unended => Status::Failure(Some(1)),
            Line::Text(_) | Line::Unknown { is_there: true } => Status::Success,
            Line::End => Status::Failure(Some(1)),
            Line::Unknown { is_there: false } => Status::Unknown,
        };
        let text = match line {
            Line::Text(text) => Some(text),
            Line::End => Some(String::new()),
            Line::Unknown { .. } => None,
        };
        let fields = match (&text, &ifs) {
            (Some(text), Some(_)) if names.is_empty() && array.is_none() => {
                Some(alloc::vec![crate::split::read_reply(text, raw)])
            }
            (Some(text), Some(ifs)) => {
                let count = array.is_none().then_some(names.len());
                Some(crate::split::read_fields(text, ifs, count, raw))
            }
            _ => None,
        };
        if let Some(name) = array {
            let mut value = Array::new(false);
            match fields {
                Some(fields) => {
                    for (index, field) in fields.iter().enumerate() {
                        let span = self.store.keep(field);
                        value.set(Key::Index(index as i64), span);
                    }
                }
                None => value.open = true,
            }
            self.set_array(&name, value);
            return;
        }
        for index in 0..names.len().max(1) {
            let name = names.get(index).map_or(Cow::Borrowed("REPLY"), |name| self.store.detached(name));
            let value = match &fields {
                Some(fields) => {
                    let text = fields.get(index).map_or("", String::as_str);
                    self.store.keep(text)
                }
                None => self.hole(),
            };
            if is_name(&name) {
                self.assign_text(&name, value);
            }
        }
    }

    fn set_array(&mut self, name: &str, array: Array) {
        let slot = self.names.intern(Namespace::Variable, name);
        let attributes = self.names.slot(slot).attributes | attribute::ARRAY;
        let level = self.now.level;
        self.names.set(slot, Slot { value: Value::Array(Rc::new(array)), attributes, level });
    }

    fn run_mapfile(&mut self, argv: &[Field]) {
        let mut trims = false;
        let mut unusual = argv.iter().any(|field| field.kind != FieldKind::Known);
        let mut name = Cow::from("MAPFILE");
        let mut delimiter = '\n';
        let mut at = 1;
        while let Some(field) = argv.get(at) {
            let text = self.store.detached(field.value);
            match &*text {
                "-t" => trims = true,
                "-d" => {
                    at += 1;
                    delimiter = argv
                        .get(at)
                        .and_then(|field| self.store.text(field.value).chars().next())
                        .unwrap_or('\0');
                }
                "--" => {}
                _ if text.starts_with('-') && text.len() > 1 => {
                    unusual = true;
                    trims |= text.contains('t');
                    if matches!(&*text, "-n" | "-O" | "-s" | "-u" | "-C" | "-c") {
                        at += 1;
                    }
                }
                _ => name = text,
            }
            at += 1;
        }
        let mut array = Array::new(false);
        let input = match self.now.input {
            Input::Text(span) if !self.store.has_hole(span) && !unusual => Some(span),
            _ => None,
        };
        if let Some(span) = input {
            let text = self.store.detached(span);
            self.step(text.len() as u64 / 2);
            let mut start = span.start;
            for (index, line) in text.split_inclusive(delimiter).enumerate() {
                let end = start + line.len() as u32;
                let kept =
                    if trims { line.trim_end_matches(delimiter).len() as u32 } else { line.len() as u32 };
                // A line ends at its first NUL.
                let kept = line.find('\0').map_or(kept, |nul| kept.min(nul as u32));
                array.set(Key::Index(index as i64), Span::new(start, start + kept));
                start = end;
            }
            self.now.input = Input::Text(Span::new(span.end, span.end));
            self.now.status = Status::Success;
        } else {
            array.open = true;
            self.now.status = Status::Unknown;
        }
        if is_name(&name) {
            self.set_array(&name, array);
        }
    }

    // ---- Options and parameters ----

    fn run_set(&mut self, argv: &[Field]) -> Flow {
        self.now.status = Status::Success;
        if argv.len() == 1 {
            self.print_unknown();
            return Flow::Normal;
        }
        let mut at = 1;
        let mut sets_parameters = false;
        while let Some(field) = argv.get(at) {
            if field.kind != FieldKind::Known {
                // It may be an option, or `--`: then it is no parameter.
                let zero = self.positional().zero;
                self.now.positional =
                    self.add_positional(Positional { zero, values: Rc::from([]), open: true });
                return Flow::Normal;
            }
            let text = self.store.detached(field.value);
            if text == "--" {
                at += 1;
                sets_parameters = true;
                break;
            }
            if text == "-" {
                at += 1;
                sets_parameters = at < argv.len();
                break;
            }
            if text == "+" {
                at += 1;
                continue;
            }
            let on = text.starts_with('-');
            if !(on || text.starts_with('+')) || text.len() < 2 {
                sets_parameters = true;
                break;
            }
            for letter in text.bytes().skip(1) {
                if letter == b'o' {
                    at += 1;
                    match argv.get(at) {
                        Some(field) if field.kind == FieldKind::Known => {
                            let name = self.store.detached(field.value);
                            match option_bit(&name) {
                                Some(bit) => self.set_option(bit, on),
                                // Which other options there are depends on bash's version.
                                None => self.now.status = Status::Unknown,
                            }
                        }
                        Some(_) => self.now.status = Status::Unknown,
                        None => self.print_unknown(),
                    }
                } else {
                    let bit = match letter {
                        b'e' => option::ERREXIT,
                        b'f' => option::NOGLOB,
                        b'n' => option::NOEXEC,
                        b'u' => option::NOUNSET,
                        b'a' => option::ALLEXPORT,
                        b'k' => option::KEYWORD,
                        b'B' => {
                            self.set_option(option::NOBRACE, !on);
                            0
                        }
                        b'b' | b'h' | b'm' | b'p' | b't' | b'v' | b'x' | b'C' | b'E' | b'H' | b'P' | b'T' => {
                            0
                        }
                        _ => {
                            self.now.status = Status::Unknown;
                            0
                        }
                    };
                    self.set_option(bit, on);
                }
            }
            at += 1;
        }
        if sets_parameters {
            let arguments: Vec<Field> = argv.get(at..).unwrap_or(&[]).to_vec();
            let positional = self.positional_of(&arguments);
            self.now.positional = self.add_positional(positional);
        }
        Flow::Normal
    }

    fn set_option(&mut self, bit: u32, on: bool) {
        if on {
            self.now.options |= bit;
        } else {
            self.now.options &= !bit;
        }
    }

    fn run_shopt(&mut self, argv: &[Field]) {
        self.now.status = Status::Success;
        let mut on = None;
        let mut quiet = false;
        let mut names = 0;
        for field in argv.iter().skip(1) {
            let text = self.store.detached(field.value);
            if let Some(letters) = text.strip_prefix('-') {
                for letter in letters.bytes() {
                    match letter {
                        b's' => on = Some(true),
                        b'u' => on = Some(false),
                        b'q' => quiet = true,
                        _ => {}
                    }
                }
                if text.starts_with("--") {
                    // Bash has no long options here.
                    self.now.status = Status::Failure(Some(2));
                    return;
                }
                continue;
            }
            names += 1;
            let bit = shopt_bit(&text).or_else(|| option_bit(&text));
            if let (Some(on), Some(bit)) = (on, bit) {
                self.set_option(bit, on);
            } else {
                self.now.status = Status::Unknown;
            }
        }
        if !quiet && (on.is_none() || names == 0) {
            self.print_unknown();
        }
    }

    fn run_shift(&mut self, argv: &[Field]) {
        let count = match argv.get(1) {
            None => Some(1),
            Some(field) if field.kind == FieldKind::Known => {
                self.store.text(field.value).trim().parse::<usize>().ok()
            }
            Some(_) => None,
        };
        let positional = self.positional();
        let (Some(count), false) = (count, positional.open) else {
            let zero = positional.zero;
            self.now.positional = self.add_positional(Positional { zero, values: Rc::from([]), open: true });
            self.now.status = Status::Unknown;
            return;
        };
        if count > positional.values.len() {
            self.now.status = Status::Failure(Some(1));
            return;
        }
        self.step(positional.values.len() as u64);
        let values: Rc<[Span]> = positional.values.get(count..).unwrap_or(&[]).into();
        self.now.positional = self.add_positional(Positional { values, ..positional });
        self.now.status = Status::Success;
    }

    fn run_alias(&mut self, argv: &[Field]) {
        self.now.status = Status::Success;
        if argv.len() == 1 {
            self.print_unknown();
        }
        for field in argv.iter().skip(1) {
            let text = self.store.detached(field.value);
            let Some((name, value)) = text.split_once('=') else {
                if text != "-p" {
                    self.now.status = Status::Unknown;
                }
                self.print_unknown();
                continue;
            };
            if has_hole(name) {
                self.now.status = Status::Unknown;
                continue;
            }
            let slot = self.names.intern(Namespace::Alias, name);
            let value = Span::new(field.value.end - value.len() as u32, field.value.end);
            self.set_alias(slot, Value::Text(value));
        }
    }

    // ---- Code from text ----

    fn run_trap_command(&mut self, argv: &[Field]) {
        self.now.status = Status::Success;
        let operands: Vec<Field> = argv
            .iter()
            .skip(1)
            .filter(|field| !(field.kind == FieldKind::Known && self.store.text(field.value) == "--"))
            .copied()
            .collect();
        let Some((action, signals)) = operands.split_first() else {
            self.print_unknown();
            return;
        };
        let action_text = self.store.detached(action.value);
        if action.kind == FieldKind::Known && action_text.starts_with('-') && action_text.len() > 1 {
            self.print_unknown();
            return;
        }
        // With one operand alone, that is a signal to reset.
        let resets = signals.is_empty() || action_text == "-";
        let signals = if signals.is_empty() { operands.as_slice() } else { signals };
        for signal in signals {
            let name = self.store.detached(signal.value);
            let name = name.strip_prefix("SIG").unwrap_or(&name);
            if !is_signal(name) {
                self.now.status = Status::Unknown;
            }
            let is_exit = signal.kind != FieldKind::Known || name.eq_ignore_ascii_case("EXIT") || name == "0";
            if is_exit {
                self.set_exit_trap(if resets { Span::default() } else { action.value }, action.source);
            } else if !resets && !action_text.is_empty() {
                // When it runs, if at all, the text does not say.
                let text = action.value;
                self.run_code_later(text, action.source);
            }
        }
        // A word that may be several may hold an action and its signals.
        if action.kind != FieldKind::Known && (!resets || action.splice) {
            self.incomplete(action.source, IncompleteReason::UnknownCode);
            self.run_anything();
        }
    }

    fn run_code_later(&mut self, text: Span, source: Span) {
        self.repeating += 1;
        self.maybe(|this| {
            this.now.status = Status::Unknown;
            this.with_origin(source, |this| {
                this.run_trap(text);
            });
            Flow::Normal
        });
        self.repeating -= 1;
    }

    /// `eval`.
    fn run_eval(&mut self, call: Call) -> Flow {
        let argv: Vec<Field> = self.fields(&call).to_vec();
        let mut words = argv.get(1..).unwrap_or(&[]);
        if let Some((first, rest)) = words.split_first()
            && first.kind == FieldKind::Known
            && self.store.text(first.value) == "--"
        {
            words = rest;
        }
        let text = match words {
            [] => Span::default(),
            [only] if only.kind == FieldKind::Known => only.value,
            several => {
                let mut text = String::new();
                for (index, field) in several.iter().enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    self.push_argument(field, &mut text);
                }
                self.store.keep(&text)
            }
        };
        let origin = words.iter().map(|field| field.source).reduce(Span::join).unwrap_or(call.span);
        let before = self.findings.commands.len();
        let flow = self.within_call(Step::Wrapper("eval", Some(Via::Eval)), &call, |this| {
            this.with_origin(origin, |this| this.run_code(text, origin))
        });
        if self.findings.commands.len() == before {
            self.emit(&call);
        }
        flow
    }

    /// Appends an argument to a command line; what is not known of it is a hole.
    pub(crate) fn push_argument(&self, field: &Field, text: &mut String) {
        match field.kind {
            FieldKind::Pattern => text.push(HOLE),
            FieldKind::Known | FieldKind::Unknown(_) => text.push_str(self.store.text(field.value)),
        }
    }

    /// Runs text in the present shell. What is not known of it may be anything.
    pub(crate) fn run_code(&mut self, text: Span, source: Span) -> Flow {
        let content = self.store.text(text);
        let unknown = has_hole(content);
        let is_blank = content.trim_matches(|c| c == HOLE || c == ' ' || c == '\n').is_empty();
        // Text that runs something sees the old `$?`.
        let is_idle =
            content.lines().map(str::trim_start).all(|line| line.is_empty() || line.starts_with('#'));
        if is_idle || is_blank {
            self.now.status = Status::Success;
        }
        if unknown {
            self.incomplete(source, IncompleteReason::UnknownCode);
            self.run_anything();
            if is_blank {
                self.print_unknown();
                self.now.status = Status::Unknown;
                return Flow::Normal;
            }
        }
        self.step(u64::from(text.len()));
        self.deeper(text, |this| this.run_shell_script(text))
    }

    /// `source`, `.`.
    fn run_source(&mut self, call: Call) -> Flow {
        let argv: Vec<Field> = self.fields(&call).to_vec();
        let mut operands = argv.get(1..).unwrap_or(&[]);
        if let Some((first, rest)) = operands.split_first()
            && first.kind == FieldKind::Known
            && self.store.text(first.value) == "--"
        {
            operands = rest;
        }
        let Some((file, arguments)) = operands.split_first() else {
            self.emit(&call);
            self.now.status = Status::Failure(Some(2));
            return Flow::Normal;
        };
        let Some(text) = self.file_text(file) else {
            self.emit(&call);
            self.run_anything();
            self.incomplete(file.source, IncompleteReason::UnknownCode);
            self.print_unknown();
            self.now.status = Status::Unknown;
            return Flow::Normal;
        };
        let outer = self.now.positional;
        if !arguments.is_empty() {
            let positional = self.positional_of(arguments);
            self.now.positional = self.add_positional(positional);
        }
        let begun = self.now.positional;
        let before = self.findings.commands.len();
        let flow = self.within_call(Step::Wrapper("source", Some(Via::Source)), &call, |this| {
            this.with_origin(file.source, |this| {
                this.framed(FrameKind::Function, |this| this.run_code(text, file.source))
            })
        });
        // A file has the parameters of the shell, unless it is given its own; these are gone again but after `set`.
        if !arguments.is_empty() {
            let now = self.now.positional;
            self.now.positional = if now == begun { outer } else { self.join_positional(outer, now) };
        }
        if self.findings.commands.len() == before {
            self.emit(&call);
        }
        flow
    }

    /// The text of a file that is made by the command line itself: a process substitution, or standard input.
    pub(crate) fn file_text(&mut self, file: &Field) -> Option<Span> {
        if let Some((_, text)) =
            self.stacks.process_outputs.iter().rev().find(|(word, _)| *word == file.source)
            && self.store.text(file.value) == HOLE_TEXT
        {
            return Some(*text);
        }
        let is_input = file.kind == FieldKind::Known
            && matches!(self.store.text(file.value), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
        match self.now.input {
            Input::Text(text) if is_input => {
                self.now.input = Input::Text(Span::new(text.end, text.end));
                Some(text)
            }
            _ => None,
        }
    }
}

pub(crate) fn status_of(result: Tri) -> Status {
    match result {
        Tri::True => Status::Success,
        Tri::False => Status::Failure(Some(1)),
        Tri::Unknown => Status::Unknown,
        Tri::Error => Status::Failure(Some(2)),
    }
}

/// Whether `trap` is sure to know a signal of that name.
fn is_signal(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "EXIT", "ERR", "DEBUG", "RETURN", "HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "PIPE", "ALRM",
        "CHLD", "CONT",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
        || name.parse::<u8>().is_ok_and(|number| number < 32)
}

/// The bit of an option of `set -o`.
pub(crate) fn option_bit(name: &str) -> Option<u32> {
    Some(match name {
        "errexit" => option::ERREXIT,
        "noglob" => option::NOGLOB,
        "noexec" => option::NOEXEC,
        "pipefail" => option::PIPEFAIL,
        "posix" => option::POSIX,
        "nounset" => option::NOUNSET,
        "allexport" => option::ALLEXPORT,
        "keyword" => option::KEYWORD,
        _ => return None,
    })
}

/// The bit of an option of `shopt`.
pub(crate) fn shopt_bit(name: &str) -> Option<u32> {
    Some(match name {
        "extglob" => option::EXTGLOB,
        "expand_aliases" => option::EXPAND_ALIASES,
        "lastpipe" => option::LASTPIPE,
        "nocasematch" => option::NOCASEMATCH,
        "xpg_echo" => option::XPG_ECHO,
        "nullglob" => option::NULLGLOB,
        "failglob" => option::FAILGLOB,
        "inherit_errexit" => option::INHERIT_ERREXIT,
        _ => return None,
    })
}
