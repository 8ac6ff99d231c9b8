//! Command and process substitutions.

use crate::branch::FrameKind;
use crate::evaluate::Evaluator;
use crate::report::{Step, Via};
use crate::span::Span;
use crate::state::{Flow, Input, Scalars, Status, option};
use crate::store::{HOLE, HOLE_TEXT};
use crate::structure::StructureKind;
use crate::syntax::{CommandKind, Id, RedirectionOperator, Substitution, SubstitutionForm};
use alloc::string::String;

impl Evaluator<'_> {
    /// Runs a command substitution and returns its output, trailing newlines taken off.
    pub(crate) fn substitute(&mut self, id: Id<Substitution>) -> Span {
        if self.failed.is_some() {
            // An expansion before it failed, so this one is not reached.
            return Span::default();
        }
        let substitution = self.tree.get(id);
        let via = match substitution.form {
            SubstitutionForm::Dollar => Via::CommandSubstitution,
            SubstitutionForm::Backquote { .. } => Via::Backquote,
            SubstitutionForm::ProcessIn | SubstitutionForm::ProcessOut => Via::ProcessSubstitution,
        };
        let Scalars { status: status_before, options, .. } = self.now;
        let tested = self.tested;
        let mut output = Span::default();
        let saved_status = self.substitution_status.take();
        let compounds = core::mem::take(&mut self.stacks.compounds);
        let in_loop = self.in_loop();
        if via == Via::ProcessSubstitution {
            self.tested = 0;
        }
        self.note_structure(StructureKind::Substitution, substitution.span);
        self.within(Step::Via(via), |this| {
            this.deeper(substitution.span, |this| {
                // Unless inherit_errexit is on, `set -e` is off inside, but for processes.
                if via != Via::ProcessSubstitution && !this.has(option::INHERIT_ERREXIT | option::POSIX) {
                    this.now.options &= !option::ERREXIT;
                }
                output = this.collect(|this| {
                    this.in_child(|this| {
                        if !in_loop {
                            return this.run_substitution(&substitution);
                        }
                        // `break` and `continue` know of the loop outside, and end the substitution.
                        this.framed(FrameKind::Loop, |this| {
                            let flow = this.run_substitution(&substitution);
                            this.join_leaves(true, flow)
                        })
                    });
                });
                if this.is_exhausted() {
                    output = this.hole();
                }
            });
        });
        self.stacks.compounds = compounds;
        self.substitution_status = saved_status;
        self.tested = tested;
        // A child leaves nothing behind but its status.
        let status = core::mem::replace(&mut self.now.status, status_before);
        self.now.options = options;
        // From here on it is what `$?` says, also in the function that the command calls.
        self.settle_directories();
        self.now.status = status;
        self.substitution_status = Some(status);
        if via == Via::ProcessSubstitution {
            // What reads the pipe sees every byte.
            return output;
        }
        let text = self.store.text(output);
        if text.as_bytes().contains(&0) {
            // bash leaves them out.
            let kept = text.replace('\0', "");
            return self.store.keep(kept.trim_end_matches('\n'));
        }
        let trimmed = text.trim_end_matches('\n').len();
        // What is not known may be nothing or newlines, and then those before it go, too.
        let known = text.get(..trimmed).unwrap_or("").trim_end_matches([HOLE, '\n']).len();
        if matches!(text.get(known..trimmed), Some("" | HOLE_TEXT)) {
            return Span::new(output.start, output.start + trimmed as u32);
        }
        if known == 0 {
            return self.hole();
        }
        let mut kept = String::from(text.get(..known).unwrap_or(""));
        kept.push(HOLE);
        self.step(kept.len() as u64 / 16);
        self.store.keep(&kept)
    }

    fn run_substitution(&mut self, substitution: &Substitution) -> Flow {
        if substitution.form == SubstitutionForm::ProcessOut {
            self.now.input = Input::Unknown;
        }
        match substitution.form {
            SubstitutionForm::Backquote { in_double_quotes } => {
                self.run_backquoted(substitution, in_double_quotes)
            }
            _ if self.is_file_read(substitution) => Flow::Normal,
            _ => {
                let line = self.read_now();
                self.as_read(line, |this| this.run_list(substitution.body))
            }
        }
    }

    fn run_backquoted(&mut self, substitution: &Substitution, in_double_quotes: bool) -> Flow {
        let raw = self.store.detached(substitution.text);
        if raw.trim_start().strip_prefix('<').is_some_and(|rest| !rest.contains(['<', '\n', ';', '|', '&'])) {
            // `< file`: prints the file.
            self.print_unknown();
        }
        if !raw.contains('\\') {
            return self.run_script(substitution.text);
        }
        let mut text = String::with_capacity(raw.len());
        let mut chars = raw.chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some(c @ ('$' | '`' | '\\')) => text.push(c),
                Some('"') if in_double_quotes => text.push('"'),
                Some(c) => {
                    text.push('\\');
                    text.push(c);
                }
                None => text.push('\\'),
            }
        }
        self.step(text.len() as u64);
        let span = self.store.keep(&text);
        self.with_origin(self.source_span(substitution.span), |this| this.run_script(span))
    }

    /// Runs `body` where everything in derived text is carried by `origin`.
    pub(crate) fn with_origin<R>(&mut self, origin: Span, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.origin.replace(origin);
        let result = body(self);
        self.origin = outer;
        result
    }

    /// `$(< file)`: prints the file.
    pub(crate) fn is_file_read(&mut self, substitution: &Substitution) -> bool {
        let [item] = self.tree.slice(substitution.body) else { return false };
        let &[command] = self.tree.slice(item.commands) else { return false };
        let CommandKind::Simple { assignments, words } = command.kind else { return false };
        if !assignments.is_empty() || !words.is_empty() || command.redirections.len() != 1 {
            return false;
        }
        let redirections = command.redirections;
        let is_read = self.tree.slice(redirections).iter().all(|redirection| {
            matches!(redirection.operator, RedirectionOperator::Input | RedirectionOperator::HereString)
        });
        if is_read && self.tree.slice(redirections).iter().all(|r| r.operator == RedirectionOperator::Input) {
            let (_, records) = self.redirect(redirections);
            self.emit_redirections(&command, records);
            self.print_unknown();
            self.now.status = Status::Unknown;
        }
        is_read
    }
}
