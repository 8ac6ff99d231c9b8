//! Assignments, and the commands that declare variables.

use crate::arithmetic::{self, Read};
use crate::evaluate::Evaluator;
use crate::function::Local;
use crate::parameter::is_name;
use crate::quote::Case;
use crate::report::{Field, FieldKind};
use crate::span::Span;
use crate::state::{
    Array, Failure, Flow, Key, Namespace, Slot, SlotId, Status, Value, attribute, join_slots, option,
};
use crate::store::{HOLE, HOLE_TEXT, has_hole};
use crate::syntax::{AssignedValue, Assignment, Element, Id, Slice, Word, WordFlags};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An element of an array's list: its subscript with «append», its value, and whether its place is known.
type ExpandedElement = (Option<(Id<Word>, bool)>, Span, bool);

impl Evaluator<'_> {
    // ---- Arithmetic ----

    pub(crate) fn is_blank(&self, id: Id<Word>) -> bool {
        let word = self.tree.get(id);
        self.store.text(word.span).trim().is_empty()
    }

    /// Evaluates an arithmetic expression; `Ok(None)` is not known, `Err` is an error that bash reports.
    pub(crate) fn evaluate_arithmetic(&mut self, expression: Id<Word>) -> Result<Option<i64>, ()> {
        let span = self.expand_to_text(expression);
        let text = self.store.detached(span);
        self.arithmetic_text(&text)
    }

    pub(crate) fn arithmetic_text(&mut self, text: &str) -> Result<Option<i64>, ()> {
        let before = *self.budget();
        let mut steps = before;
        let result = arithmetic::evaluate(text, self, &mut steps);
        let used = before - steps;
        let budget = self.budget();
        *budget = budget.saturating_sub(used);
        match result {
            Ok(value) => Ok(value),
            Err(arithmetic::Fault::Limit) => {
                self.step(1);
                Ok(None)
            }
            Err(_) => Err(()),
        }
    }

    // ---- Assignment ----

    pub(crate) fn slot_to_assign(&mut self, name: &str) -> SlotId {
        let id = self.names.intern(Namespace::Variable, name);
        self.follow_references(id)
    }

    /// The variable that is assigned to in the place of one that may be a reference.
    fn follow_references(&mut self, id: SlotId) -> SlotId {
        let mut id = id;
        for _ in 0..8 {
            let slot = self.names.slot(id);
            let Value::Text(target) = slot.value else { break };
            if slot.attributes & attribute::NAMEREF == 0 {
                break;
            }
            let target = self.store.text(target);
            if !is_name(target) {
                break;
            }
            id = self.names.intern(Namespace::Variable, target);
        }
        id
    }

    /// `name=value`; false when the variable is read-only.
    pub(crate) fn assign_text(&mut self, name: &str, value: Span) -> bool {
        let id = self.names.intern(Namespace::Variable, name);
        self.assign_variable(id, value)
    }

    /// The same for a variable whose place is known.
    fn assign_variable(&mut self, id: SlotId, value: Span) -> bool {
        let id = self.follow_references(id);
        self.forget_reference(id) || self.assign_slot(id, value)
    }

    fn assign_slot(&mut self, id: SlotId, value: Span) -> bool {
        let slot = self.names.slot(id).clone();
        if slot.attributes & attribute::READONLY != 0 || is_readonly(self.names.name(id)) {
            return false;
        }
        let value = self.attributed(slot.attributes, value);
        let value = match slot.value {
            Value::Array(array) => {
                let mut array = array;
                let key = if array.associative { Key::Name(Rc::from("0")) } else { Key::Index(0) };
                self.step(array.elements.len() as u64 / 4);
                Rc::make_mut(&mut array).set(key, value);
                Value::Array(array)
            }
            _ if self.store.text(value) == HOLE_TEXT => Value::Unknown,
            _ => Value::Text(value),
        };
        self.set_variable(id, value, slot.attributes);
        true
    }

    fn set_variable(&mut self, id: SlotId, value: Value, attributes: u8) {
        let exported = match self.names.name(id).as_bytes() {
            // These are in every environment, so an assignment changes what programs see.
            b"PATH" | b"HOME" | b"PWD" | b"OLDPWD" | b"SHELL" | b"USER" | b"LANG" | b"TERM" | b"SHLVL" => {
                attribute::EXPORT
            }
            _ if self.has(option::ALLEXPORT) => attribute::EXPORT,
            _ => 0,
        };
        let level = self.now.level;
        self.names.set(id, Slot { value, attributes: attributes | exported, level });
    }

    /// Applies `declare -i`, `-l`, `-u` to a value.
    fn attributed(&mut self, attributes: u8, value: Span) -> Span {
        if attributes & (attribute::INTEGER | attribute::LOWER | attribute::UPPER) == 0 {
            return value;
        }
        let text = self.store.detached(value);
        if attributes & attribute::INTEGER != 0 {
            return match self.arithmetic_text(&text) {
                Ok(Some(number)) => {
                    let text = number.to_string();
                    self.store.keep(&text)
                }
                _ => self.hole(),
            };
        }
        if has_hole(&text) {
            return self.hole();
        }
        let case = if attributes & attribute::LOWER != 0 { Case::Lower } else { Case::Upper };
        let mut out = String::new();
        let options = self.pattern_options();
        match crate::quote::change_case(&text, case, true, None, options, self.budget(), &mut out) {
            Some(()) => self.store.keep(&out),
            None => self.hole(),
        }
    }

    /// Assigns to a variable or, with a subscript, to an element.
    pub(crate) fn assign_element(&mut self, name: &str, subscript: Option<Id<Word>>, value: Span) -> bool {
        let Some(subscript) = subscript else { return self.assign_text(name, value) };
        let key = self.key_of(name, subscript);
        self.assign_key(name, key, value)
    }

    /// Assigns to an element; `None` as key: to one that is not known.
    pub(crate) fn assign_key(&mut self, name: &str, key: Option<Key>, value: Span) -> bool {
        let id = self.slot_to_assign(name);
        if self.forget_reference(id) {
            return true;
        }
        let slot = self.names.slot(id).clone();
        if slot.attributes & attribute::READONLY != 0 {
            return false;
        }
        if matches!(key, Some(Key::Index(index)) if index < 0) {
            self.failed = Some(Failure::Line);
            return false;
        }
        let value = self.attributed(slot.attributes, value);
        let mut array = Self::as_array(&slot);
        self.step(array.elements.len() as u64 / 4 + 1);
        let target = Rc::make_mut(&mut array);
        match key {
            Some(key) => target.set(key, value),
            None => target.shake(),
        }
        self.set_variable(id, Value::Array(array), slot.attributes | attribute::ARRAY);
        true
    }

    /// The array that a slot is or becomes by an assignment to one of its elements.
    fn as_array(slot: &Slot) -> Rc<Array> {
        let associative = slot.attributes & attribute::ASSOCIATIVE != 0;
        match &slot.value {
            Value::Array(array) => array.clone(),
            Value::Text(value) => {
                let mut array = Array::new(associative);
                array.set(if associative { Key::Name(Rc::from("0")) } else { Key::Index(0) }, *value);
                Rc::new(array)
            }
            Value::Unset => Rc::new(Array::new(associative)),
            // The environment may have given it a value, which becomes the element 0.
            _ => Rc::new(Array { open: true, ..Array::new(associative) }),
        }
    }

    /// Performs one assignment; false when it fails.
    pub(crate) fn assign(&mut self, assignment: Id<Assignment>) -> bool {
        let assignment = self.tree.get(assignment);
        let name = self.store.detached(assignment.name);
        match assignment.value {
            // bash: cannot assign list to array member.
            AssignedValue::Array(_) if assignment.subscript.is_some() => false,
            AssignedValue::Array(elements) => self.assign_array(&name, elements, assignment.append),
            AssignedValue::Word(word) => {
                let value = self.expand_assigned(word);
                if self.failed.is_some() {
                    return false;
                }
                self.assign_value(&name, assignment.subscript, assignment.append, value)
            }
        }
    }

    fn assign_value(&mut self, name: &str, subscript: Option<Id<Word>>, append: bool, value: Span) -> bool {
        if !append {
            return self.assign_element(name, subscript, value);
        }
        let id = self.slot_to_assign(name);
        let slot = self.names.slot(id).clone();
        let key = match subscript {
            Some(subscript) => match self.key_of(name, subscript) {
                Some(key) => Some(key),
                None => return self.assign_key(name, None, value),
            },
            None => None,
        };
        let old = match (&slot.value, &key) {
            (Value::Text(old), None | Some(Key::Index(0))) => Some(*old),
            (Value::Array(array), key) => {
                let zero = Key::Index(0);
                match array.get(key.as_ref().unwrap_or(&zero)) {
                    None if array.open => None,
                    found => Some(found.unwrap_or_default()),
                }
            }
            (Value::Unset, _) => Some(Span::default()),
            // What is not known may be unset, or hold anything.
            _ => None,
        };
        let joined = match old {
            Some(old) if slot.attributes & attribute::INTEGER != 0 => {
                let text =
                    alloc::format!("({})+({})", zero_if_empty(self.store.text(old)), self.store.text(value));
                self.store.keep(&text)
            }
            Some(old) => {
                if self.step(u64::from(old.len() + value.len()) / 4) {
                    let text = alloc::format!("{}{}", self.store.text(old), self.store.text(value));
                    self.store.keep(&text)
                } else {
                    self.hole()
                }
            }
            None if slot.attributes & attribute::INTEGER != 0 => self.hole(),
            None => {
                let text = alloc::format!("{HOLE}{}", self.store.text(value));
                self.store.keep(&text)
            }
        };
        match key {
            Some(key) => self.assign_key(name, Some(key), joined),
            None => self.assign_slot(id, joined),
        }
    }

    /// `name=(…)` and `name+=(…)`.
    pub(crate) fn assign_array(&mut self, name: &str, elements: Slice<Element>, append: bool) -> bool {
        let id = self.slot_to_assign(name);
        if self.forget_reference(id) {
            return true;
        }
        let slot = self.names.slot(id).clone();
        let associative = slot.attributes & attribute::ASSOCIATIVE != 0
            || matches!(&slot.value, Value::Array(array) if array.associative);
        let mut array = if append {
            let old = Self::as_array(&slot);
            (*old).clone()
        } else {
            Array::new(associative)
        };
        self.step(array.elements.len() as u64 / 4);
        let mut next = array.next_index();
        let mut pending_key: Option<Span> = None;
        let mut unplaced = false;
        // Bash expands every value before it evaluates the first subscript.
        let mut expanded: Vec<ExpandedElement> = Vec::new();
        let mixed = associative
            && self.tree.slice(elements).iter().any(|element| element.subscript.is_some())
            && self.tree.slice(elements).iter().any(|element| element.subscript.is_none());
        for element in elements.ids() {
            let element = self.tree.get(element);
            if let Some(subscript) = element.subscript {
                let value = self.expand_assigned(element.value);
                expanded.push((Some((subscript, element.append)), value, true));
            } else if associative {
                let value = self.expand_to_text(element.value);
                expanded.push((None, value, true));
            } else {
                let base = self.work.len();
                self.expand_word(element.value);
                for at in base..self.work.len() {
                    let Some(field) = self.work.get(at) else { break };
                    let placed = !field.splice && field.kind != FieldKind::Pattern;
                    let value = self.field_text(&field);
                    expanded.push((None, value, placed));
                }
                self.work.truncate(base);
            }
        }
        for (subscript, value, placed) in expanded {
            let value = self.attributed(slot.attributes, value);
            match subscript {
                None if associative => match pending_key.take() {
                    None => pending_key = Some(value),
                    Some(key) => self.set_named(&mut array, key, value),
                },
                None => {
                    if !placed {
                        // How many elements it makes is not known, nor where the later ones stand.
                        array.open = true;
                        unplaced = true;
                    }
                    if !unplaced {
                        array.set(Key::Index(next), value);
                        next = next.wrapping_add(1);
                    }
                }
                Some((subscript, _)) if associative => {
                    let key = self.expand_key(subscript);
                    self.set_named(&mut array, key, value);
                }
                Some((subscript, append)) => match self.evaluate_arithmetic(subscript) {
                    Ok(Some(index)) => {
                        let index = if index < 0 { index.wrapping_add(array.next_index()) } else { index };
                        if index < 0 {
                            continue;
                        }
                        let value = if append {
                            let old = array.get(&Key::Index(index)).unwrap_or_default();
                            let text = alloc::format!("{}{}", self.store.text(old), self.store.text(value));
                            self.store.keep(&text)
                        } else {
                            value
                        };
                        array.set(Key::Index(index), value);
                        next = index.wrapping_add(1);
                        unplaced = false;
                    }
                    _ => array.shake(),
                },
            }
        }
        if mixed {
            array.shake();
        }
        if let Some(key) = pending_key {
            self.set_named(&mut array, key, Span::default());
        }
        if slot.attributes & attribute::READONLY != 0 {
            return false;
        }
        self.set_variable(id, Value::Array(Rc::new(array)), slot.attributes | attribute::ARRAY);
        true
    }

    /// Expands the key of an associative array: a word like any other, quotes and all.
    pub(crate) fn expand_key(&mut self, subscript: Id<Word>) -> Span {
        let span = self.tree.get(subscript).span;
        if !self.store.text(span).contains(['"', '\'', '\\']) {
            return self.expand_to_text(subscript);
        }
        self.expand_key_at(span)
    }

    /// Reads and expands a key that stands at `span`.
    pub(crate) fn expand_key_at(&mut self, span: Span) -> Span {
        let options = self.read_options();
        let mark = self.tree.mark();
        let key = match crate::parse::read_word(self.store.text(span), span.start, options, self.tree) {
            Ok(id) => self.expand_to_text(id),
            Err(_) => self.hole(),
        };
        self.tree.truncate(&mark);
        key
    }

    fn set_named(&mut self, array: &mut Array, key: Span, value: Span) {
        self.step(array.elements.len() as u64 / 4);
        let key = self.store.text(key);
        if has_hole(key) {
            array.shake();
        } else {
            array.set(Key::Name(Rc::from(key)), value);
        }
    }

    /// Makes a variable unknown, as after a command that sets it to something unknown.
    pub(crate) fn assign_unknown(&mut self, name: &str) {
        let hole = self.hole();
        self.assign_text(name, hole);
    }

    /// Makes a variable, or an array with all its elements, unknown.
    pub(crate) fn forget(&mut self, name: &str) {
        let id = self.names.intern(Namespace::Variable, name);
        let slot = self.names.slot(id).clone();
        self.names.set(id, Slot { value: Value::Unknown, level: self.now.level, ..slot });
    }

    /// Assigns through a reference that names no plain variable: what it comes to is not known.
    fn forget_reference(&mut self, id: SlotId) -> bool {
        let slot = self.names.slot(id);
        let Value::Text(target) = slot.value else { return false };
        if slot.attributes & attribute::NAMEREF == 0 {
            return false;
        }
        let target = self.store.detached(target);
        let base = target.split('[').next().unwrap_or("");
        if is_name(base) {
            self.forget(base);
        }
        let own = self.names.slot(id).clone();
        self.names.set(id, Slot { value: Value::Unknown, attributes: 0, ..own });
        self.substitution_status = Some(Status::Unknown);
        true
    }

    // ---- declare, export, readonly, local, typeset, unset ----

    /// Runs a declaration command. `argv` is a range of the found words, `compounds` says where the assignments of
    /// arrays stand among them.
    pub(crate) fn run_declare(&mut self, argv: &[Field], compounds: &[(usize, Id<Assignment>)]) -> Flow {
        let command = argv
            .first()
            .map_or(Declaration::Declare, |name| Declaration::named(self.store.bytes(name.value)));
        let mut add = match command {
            Declaration::Export => attribute::EXPORT,
            Declaration::Readonly => attribute::READONLY,
            Declaration::Local | Declaration::Declare => 0,
        };
        let mut remove = 0;
        let mut functions = false;
        let mut prints = false;
        let takes_names = matches!(command, Declaration::Export | Declaration::Readonly);
        let mut global = takes_names;
        let mut at = 1;
        while let Some(field) = argv.get(at) {
            if field.kind != FieldKind::Known {
                break;
            }
            let text = self.store.text(field.value);
            if text == "--" {
                at += 1;
                break;
            }
            let (sign, letters) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
                (Some(letters), _) if !letters.is_empty() => (true, letters),
                (_, Some(letters)) if !letters.is_empty() => (false, letters),
                _ => break,
            };
            for letter in letters.bytes() {
                let bit = match letter {
                    b'x' => attribute::EXPORT,
                    b'r' => attribute::READONLY,
                    b'i' => attribute::INTEGER,
                    b'l' => attribute::LOWER,
                    b'u' => attribute::UPPER,
                    b'n' if command == Declaration::Export => {
                        remove |= attribute::EXPORT;
                        add &= !attribute::EXPORT;
                        0
                    }
                    b'n' => attribute::NAMEREF,
                    b'a' => attribute::ARRAY,
                    b'A' => attribute::ASSOCIATIVE | attribute::ARRAY,
                    b'f' | b'F' => {
                        functions = true;
                        0
                    }
                    b'g' => {
                        global = true;
                        0
                    }
                    b'p' => {
                        prints = true;
                        0
                    }
                    _ => 0,
                };
                if sign { add |= bit } else { remove |= bit }
            }
            at += 1;
        }
        self.now.status = Status::Success;
        if functions && add & attribute::EXPORT != 0 {
            for field in argv.iter().skip(at) {
                let name = self.store.detached(field.value);
                if let Some(slot) = self.names.find(Namespace::Function, &name) {
                    let old = self.names.slot(slot).clone();
                    self.names.set(slot, Slot { attributes: old.attributes | attribute::EXPORT, ..old });
                }
            }
            return Flow::Normal;
        }
        if functions || prints {
            self.now.status = Status::Unknown;
            self.print_unknown();
            return Flow::Normal;
        }
        if at >= argv.len() && command != Declaration::Local {
            self.print_unknown();
        }
        if command == Declaration::Local && !self.in_function() {
            self.now.status = Status::Failure(Some(1));
            return Flow::Normal;
        }
        let is_local = command == Declaration::Local || (!global && self.in_function());
        let mut ok = true;
        for (index, field) in argv.iter().enumerate().skip(at) {
            let compound = compounds.iter().find(|(at, _)| *at == index).map(|(_, id)| *id);
            let text = self.store.text(field.value);
            let equals = text.bytes().position(|byte| byte == b'=').filter(|_| compound.is_none());
            let target = equals.and_then(|equals| text.get(..equals)).unwrap_or(text);
            let value = equals.map(|at| Span::new(field.value.start + at as u32 + 1, field.value.end));
            if compound.is_none() && field.kind != FieldKind::Known && !is_plain_name(target) {
                // It declares names that are not known; with `=` in a value that is not known any may be set.
                continue;
            }
            let (target, append) = match target.strip_suffix('+') {
                Some(target) if value.is_some() => (target, true),
                _ => (target, false),
            };
            let (name, subscript) = if is_name(target) {
                (target, None)
            } else {
                let (name, rest) = target.split_once('[').unwrap_or((target, ""));
                let subscript = rest.strip_suffix(']');
                if !is_name(name) || (subscript.is_some() && takes_names) {
                    ok = false;
                    continue;
                }
                (name, subscript.map(String::from))
            };
            let id = self.names.intern(Namespace::Variable, name);
            ok &=
                self.declare_one(id, add, remove, is_local, (value, append, subscript.as_deref()), compound);
        }
        if !ok {
            self.now.status = Status::Failure(Some(1));
        }
        Flow::Normal
    }

    fn declare_one(
        &mut self,
        id: SlotId,
        add: u8,
        remove: u8,
        is_local: bool,
        (value, append, subscript): (Option<Span>, bool, Option<&str>),
        compound: Option<Id<Assignment>>,
    ) -> bool {
        if is_local {
            self.make_local(id);
        }
        let slot = self.names.slot(id).clone();
        let attributes = (slot.attributes | add) & !remove;
        let readonly = slot.attributes & attribute::READONLY != 0;
        // A read-only variable is declared first and locked when it has its value.
        let open = attributes & !attribute::READONLY | (slot.attributes & attribute::READONLY);
        if let Value::Array(array) = &slot.value
            && (add & attribute::ARRAY != 0)
            && array.associative != (add & attribute::ASSOCIATIVE != 0)
        {
            // bash: cannot convert.
            return false;
        }
        let old_level = slot.level;
        let fresh = if add & attribute::ASSOCIATIVE != 0
            && !matches!(&slot.value, Value::Array(array) if array.associative)
        {
            match slot.value {
                Value::Unset => Value::Array(Rc::new(Array::new(true))),
                Value::Inherited => Value::Array(Rc::new(Array { open: true, ..Array::new(true) })),
                _ => Value::Unknown,
            }
        } else if add & attribute::ARRAY != 0 && !matches!(slot.value, Value::Array(_)) && value.is_none() {
            Value::Array(Self::as_array(&Slot { attributes: open, ..slot }))
        } else {
            slot.value
        };
        let level = if matches!(fresh, Value::Inherited) { old_level } else { self.now.level };
        self.names.set(id, Slot { value: fresh, attributes: open, level });
        let mut ok = true;
        if let Some(assignment) = compound {
            let assignment = self.tree.get(assignment);
            if let AssignedValue::Array(elements) = assignment.value {
                let name = String::from(self.names.name(id));
                ok = self.assign_array(&name, elements, assignment.append);
            }
        } else if let Some(value) = value {
            if readonly {
                return false;
            }
            if add & attribute::NAMEREF != 0 {
                let slot = self.names.slot(id).clone();
                self.names.set(id, Slot { value: Value::Text(value), level: self.now.level, ..slot });
            } else if add & attribute::ARRAY != 0 && self.store.text(value).starts_with('(') {
                // The text is read again as the elements of an array; that is not followed.
                let hole = self.hole();
                self.assign_variable(id, hole);
            } else if let Some(subscript) = subscript {
                let name = String::from(self.names.name(id));
                let key = self.key_text(&name, subscript);
                ok = self.assign_key(&name, key, value);
            } else if append {
                let name = String::from(self.names.name(id));
                ok = self.assign_value(&name, None, true, value);
            } else {
                ok = self.assign_variable(id, value);
            }
        }
        if add & attribute::READONLY != 0 {
            let slot = self.names.slot(id).clone();
            self.names.set(id, Slot { attributes: slot.attributes | attribute::READONLY, ..slot });
        }
        ok
    }

    fn key_text(&mut self, name: &str, subscript: &str) -> Option<Key> {
        if has_hole(subscript) {
            return None;
        }
        if matches!(self.lookup(name), Value::Array(array) if array.associative) {
            return Some(Key::Name(Rc::from(unquoted(subscript).as_str())));
        }
        self.arithmetic_text(subscript).ok()?.map(Key::Index)
    }

    /// `local`: the variable is as it was when the function returns.
    fn make_local(&mut self, id: SlotId) {
        let call = self.calls;
        if call == 0 {
            return;
        }
        let is_certain = self.names.marks_in_force() == self.marks_of_call;
        if let Some(known) =
            self.stacks.locals.iter_mut().find(|local| local.owner == call && local.slot == id)
        {
            // A child has marked its beginning, so nothing in it is certain outside.
            known.is_certain |= is_certain;
            return;
        }
        let old = self.names.slot(id).clone();
        let attributes = old.attributes & attribute::EXPORT;
        // One that was set for this very call keeps its value.
        let value = if self.stacks.temporary.contains(&id) { old.value.clone() } else { Value::Unset };
        self.stacks.locals.push(Local { owner: call, slot: id, old, is_certain });
        self.names.set(id, Slot { value, attributes, level: self.now.level });
    }

    /// Ends the scope of the variables that were made local since there were `count`.
    pub(crate) fn end_locals(&mut self, count: usize) {
        while self.stacks.locals.len() > count {
            let Some(Local { slot, old, is_certain, .. }) = self.stacks.locals.pop() else { break };
            let now = self.names.slot(slot);
            if is_certain || *now == old {
                self.names.set(slot, old);
            } else {
                // On some ways it was never local, and so stays what it is.
                let joined = join_slots(now, &old);
                self.names.set(slot, joined);
            }
        }
    }

    pub(crate) fn in_function(&self) -> bool {
        self.calls > 0
    }

    /// `unset`.
    pub(crate) fn run_unset(&mut self, argv: &[Field]) -> Flow {
        let mut functions = false;
        let mut variables = false;
        let mut reference = false;
        let mut status = Status::Success;
        for field in argv.iter().skip(1) {
            let text = self.store.detached(field.value);
            // `a[1]` looks like a pattern, but no file will have that name.
            let is_element = field.kind == FieldKind::Pattern
                && text.split_once('[').is_some_and(|(name, rest)| is_name(name) && rest.ends_with(']'));
            if field.kind != FieldKind::Known && !is_element {
                // Any variable may be gone.
                status = Status::Unknown;
                continue;
            }
            if let Some(letters) = text.strip_prefix('-') {
                functions |= letters.contains('f');
                variables |= letters.contains('v');
                reference |= letters.contains('n');
                continue;
            }
            if functions {
                let id = self.names.intern(Namespace::Function, &text);
                self.names.set(id, Slot { value: Value::Unset, attributes: 0, level: self.now.level });
                continue;
            }
            if let Some((name, rest)) = text.split_once('[')
                && let Some(subscript) = rest.strip_suffix(']')
                && is_name(name)
            {
                status = status.join_failure_or(self.unset_element(name, subscript));
                continue;
            }
            let has_variable = match self.names.find(Namespace::Variable, &text) {
                Some(id) => !matches!(self.names.slot(id).value, Value::Unset),
                None => false,
            };
            let has_function = self.names.find(Namespace::Function, &text).is_some();
            if !variables && !has_variable && has_function {
                let id = self.names.intern(Namespace::Function, &text);
                self.names.set(id, Slot { value: Value::Unset, attributes: 0, level: self.now.level });
            }
            let id = if reference {
                self.names.intern(Namespace::Variable, &text)
            } else {
                self.slot_to_assign(&text)
            };
            if self.names.slot(id).attributes & attribute::READONLY != 0 {
                status = Status::Failure(Some(1));
                continue;
            }
            if self.stacks.temporary.contains(&id) {
                // What it covers shows again, which is not followed.
                self.names.set(id, Slot { value: Value::Unknown, attributes: 0, level: self.now.level });
                continue;
            }
            // Unsetting a local one in another function's scope uncovers the one below it.
            let covered =
                self.stacks.locals.iter().rposition(|local| local.slot == id && local.owner < self.calls);
            match covered {
                Some(at) if at >= self.shell.first_local => {
                    let local = self.stacks.locals.remove(at);
                    self.names.set(id, local.old);
                }
                // It shows in this shell alone.
                Some(at) => {
                    if let Some(local) = self.stacks.locals.get(at) {
                        let old = local.old.clone();
                        self.names.set(id, old);
                    }
                }
                None => {
                    self.names.set(id, Slot { value: Value::Unset, attributes: 0, level: self.now.level });
                }
            }
        }
        self.now.status = if core::mem::take(&mut self.doubtful) { Status::Unknown } else { status };
        Flow::Normal
    }

    fn unset_element(&mut self, name: &str, subscript: &str) -> bool {
        let id = self.slot_to_assign(name);
        let slot = self.names.slot(id).clone();
        let Value::Array(array) = &slot.value else {
            let index = match (&slot.value, subscript) {
                (Value::Unset, _) => return true,
                // bash: not an array variable.
                (Value::Text(_), "@" | "*") => return false,
                (Value::Text(_), _) => self.arithmetic_text(subscript).ok().flatten(),
                _ => None,
            };
            return match index {
                Some(0) => {
                    self.names.set(id, Slot { value: Value::Unset, ..slot });
                    true
                }
                Some(_) => false,
                None => {
                    self.doubtful = true;
                    self.names.set(id, Slot { value: Value::Unknown, ..slot });
                    true
                }
            };
        };
        let mut array = array.clone();
        self.step(array.elements.len() as u64 / 4 + 1);
        if matches!(subscript, "@" | "*") && !array.associative {
            self.names.set(id, Slot { value: Value::Unset, ..slot });
            return true;
        }
        let span = self.store.keep(subscript);
        let expanded = self.expand_quoted_text(span, true);
        let subscript = self.store.detached(expanded);
        match self.key_text(name, &subscript) {
            Some(Key::Index(index)) => {
                let index = if index < 0 { index.wrapping_add(array.next_index()) } else { index };
                if index < 0 {
                    return false;
                }
                Rc::make_mut(&mut array).remove(&Key::Index(index));
            }
            Some(key) => Rc::make_mut(&mut array).remove(&key),
            None => Rc::make_mut(&mut array).shake(),
        }
        self.names.set(id, Slot { value: Value::Array(array), ..slot });
        true
    }

    /// Returns whether a word is read as an assignment by a declaration command.
    pub(crate) fn is_assignment_word(&self, word: Id<Word>) -> bool {
        self.tree.get(word).flags.has(WordFlags::ASSIGNMENT)
    }
}

/// Variables that bash itself makes read-only.
/// The commands that declare variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declaration {
    Export,
    Readonly,
    Local,
    /// `declare` and `typeset`.
    Declare,
}

impl Declaration {
    fn named(name: &[u8]) -> Self {
        match name {
            b"export" => Self::Export,
            b"readonly" => Self::Readonly,
            b"local" => Self::Local,
            _ => Self::Declare,
        }
    }
}

fn is_readonly(name: &str) -> bool {
    matches!(name.as_bytes(), b"SHELLOPTS" | b"BASHOPTS" | b"UID" | b"EUID" | b"PPID" | b"BASH_VERSINFO")
}

/// The number that a text is, when it is nothing but digits: no sign, no base, no zero in front that makes it octal.
fn plain_number(text: &str) -> Option<i64> {
    let is_plain = matches!(text.as_bytes(), [b'0'] | [b'1'..=b'9', ..]) && text.len() < 19;
    is_plain.then(|| text.parse().ok()).flatten()
}

fn zero_if_empty(text: &str) -> &str {
    if text.is_empty() { "0" } else { text }
}

fn is_plain_name(text: &str) -> bool {
    let text = text.strip_suffix('+').unwrap_or(text);
    is_name(text.split('[').next().unwrap_or(text))
}

/// Takes the quotes off a subscript such as `"$key"` after it was expanded.
fn unquoted(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '"' | '\'')).collect()
}

impl Status {
    fn join_failure_or(self, ok: bool) -> Self {
        if ok { self } else { Self::Failure(Some(1)) }
    }
}

impl arithmetic::Variables for Evaluator<'_> {
    fn read(&mut self, name: &str, subscript: Option<&str>) -> Read {
        let value = match self.lookup(name) {
            Value::Inherited => return Read::Unknown,
            value => value,
        };
        let span = match (value, subscript) {
            (Value::Text(span), None | Some("0")) => span,
            (Value::Unset, _) | (Value::Text(_), Some(_)) => return Read::Unset,
            (Value::Array(array), subscript) => {
                if subscript.is_some_and(has_hole) {
                    return Read::Unknown;
                }
                let key = match subscript {
                    Some(text) if array.associative => Key::Name(Rc::from(unquoted(text).as_str())),
                    None if array.associative => Key::Name(Rc::from("0")),
                    Some(text) => match text.parse::<i64>() {
                        Ok(index) if index < 0 => Key::Index(index.wrapping_add(array.next_index())),
                        Ok(index) => Key::Index(index),
                        Err(_) => return Read::Unknown,
                    },
                    None => Key::Index(0),
                };
                match array.get(&key) {
                    Some(span) => span,
                    None if array.open => return Read::Unknown,
                    None => return Read::Unset,
                }
            }
            _ => return Read::Unknown,
        };
        match self.store.text(span) {
            HOLE_TEXT => Read::Unknown,
            text => plain_number(text).map_or_else(|| Read::Text(String::from(text)), Read::Number),
        }
    }

    fn write(&mut self, name: &str, subscript: Option<&str>, value: Option<i64>) {
        if has_hole(name) {
            return;
        }
        let value = match value {
            Some(value) => {
                let text = value.to_string();
                self.store.keep(&text)
            }
            None => self.hole(),
        };
        match subscript {
            None => {
                self.assign_text(name, value);
            }
            Some(text) => {
                let key = self.key_text(name, text);
                let key = match key {
                    Some(Key::Index(index)) if index < 0 => match self.lookup(name) {
                        Value::Array(array) => Some(Key::Index(index.wrapping_add(array.next_index()))),
                        _ => Some(Key::Index(index)),
                    },
                    key => key,
                };
                self.assign_key(name, key, value);
            }
        }
    }

    fn is_associative(&mut self, name: &str) -> bool {
        matches!(self.lookup(name), Value::Array(array) if array.associative)
    }
}
