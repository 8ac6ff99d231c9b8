//! The judgement: each command of a text against the rules.

use crate::code_options;
use crate::pattern::{Match, Mismatch, base_name};
use crate::policy::{Action, Policy, Rule};
use crate::redirection::{Access, Files, Target, is_connection, is_everyones};
use crate::surroundings::changes_what_runs;
use crate::verdict::{Admission, Cause, Judgement, Near, Open, Refusal, TargetCause};
use crate::word::Word;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use bash_commands::{
    Analyzer, Caller, Command, Directory, Incomplete, IncompleteReason, Kind, Reason, Redirection,
    RedirectionKind, Report, Span, StructureKind, Via,
};

/// More refusals than this are only counted.
const MAX_REFUSALS: usize = 16;
/// More of a command's words than this are not shown, in bytes.
const MAX_SHOWN: usize = 200;

impl Policy {
    /// Judges the text of a bash command.
    ///
    /// `place` says where it would run, and how much work may go into reading it. The text is refused when anything in it
    /// is: a command, a redirection, a construct, or a part that cannot be read. Nothing is asked about a blank text, which
    /// runs nothing.
    ///
    /// Adding something that is not known to a text never makes the verdict milder, save for one thing: the target of a
    /// redirection that is not known is let pass under a rule `*` that allows, for there the sandbox must hold.
    ///
    /// ```
    /// use bash_commands::Analyzer;
    /// use shell_permissions::{Action, AllFiles, Options, Policy, Verdict};
    ///
    /// let rules = [("*", Action::Deny), ("git *", Action::Allow), ("git push *", Action::Deny)];
    /// let policy = Policy::new(Options::default(), rules)?;
    /// let mut analyzer = Analyzer::new();
    /// let mut verdict = |text| policy.judge(text, &Default::default(), &mut analyzer, &AllFiles).verdict();
    /// assert_eq!(verdict("git log --oneline"), Verdict::Allow);
    /// assert_eq!(verdict("git -C /srv push"), Verdict::Deny);
    /// assert_eq!(verdict("git log; rm -r x"), Verdict::Deny);
    /// # Ok::<(), shell_permissions::PatternError>(())
    /// ```
    #[must_use]
    pub fn judge<'a>(
        &self,
        text: &'a str,
        place: &bash_commands::Options<'a>,
        analyzer: &'a mut Analyzer,
        files: &dyn Files,
    ) -> Judgement {
        self.judge_report(text, analyzer.analyze(text, place), files)
    }

    /// Judges what was found out about a text.
    #[must_use]
    pub fn judge_report(&self, text: &str, report: Report<'_>, files: &dyn Files) -> Judgement {
        let changed = changed_variable(report);
        let mut judge = Judge { policy: self, text, files, changed, judgement: Judgement::default() };
        for part in report.incomplete() {
            judge.incomplete(report, part);
        }
        for structure in report.structures() {
            judge.structure(structure.kind, structure.span);
        }
        for command in report.commands() {
            judge.command(command);
        }
        // A text that is not blank is never allowed without a rule: `> file` alone, or a redirection that bash gives up at.
        if judge.judgement == Judgement::default() {
            judge.nothing(report);
        }
        let mut judgement = judge.judgement;
        judgement.refusals.sort_by_key(|refusal| refusal.span);
        judgement
    }

    /// Finds the rule that decides about a command: the most specific that applies.
    ///
    /// `open` says why it is not fixed what the words run; without words, why there are none.
    fn decide<'a>(
        &'a self,
        words: &[Word<'_>],
        open: Option<&Open>,
        standing: Standing,
    ) -> Result<&'a Rule, Cause> {
        let is_anything = open.is_some_and(Open::is_anything);
        let name = words.first().and_then(|word| word.value()).unwrap_or_default();
        let mut near = None;
        for rule in self.rules_for((!is_anything).then_some(name)) {
            let applies = self.applies(rule, words, open, standing);
            match (rule.action, applies) {
                // The rules come by rank: the first that applies is the most specific, and deny comes before allow.
                (Action::Allow, Ok(Match::Certain)) => return Ok(rule),
                // Deny what may be meant; allow only what is.
                (Action::Deny, Ok(applies @ (Match::Certain | Match::Possible))) => {
                    return Err(denied(rule, applies, near, open));
                }
                (Action::Allow, Err(Some(mismatch))) => {
                    near = Some(nearer(near, Near { rule: rule.pattern.text().to_owned(), mismatch }));
                }
                (Action::Allow, _) | (Action::Deny, Ok(Match::No) | Err(_)) => {}
            }
        }
        Err(match open {
            Some(open) => Cause::Open { open: open.clone(), rule: None },
            None => Cause::NoRule { near },
        })
    }

    /// Returns whether a rule applies to the words of a command.
    fn applies(
        &self,
        rule: &Rule,
        words: &[Word<'_>],
        open: Option<&Open>,
        standing: Standing,
    ) -> Result<Match, Option<Mismatch>> {
        let pattern = &rule.pattern;
        let is_anything = open.is_some_and(Open::is_anything);
        let admitted = match (rule.action, self.options().strict_allow, standing) {
            _ if pattern.is_any() => Ok(()),
            (Action::Deny, ..) if is_anything => return Ok(Match::Possible),
            (Action::Deny, ..) => return Ok(pattern.denies(words)),
            (Action::Allow, ..) if open.is_some() => Err(None),
            (Action::Allow, false, _) => pattern.admits(words),
            (Action::Allow, true, Standing::Command) => pattern.admits_strictly(words),
            // What it runs is judged by itself.
            (Action::Allow, true, Standing::Caller) => pattern.admits_in_place(words),
        };
        admitted.map(|()| Match::Certain)
    }
}

impl Open {
    /// Returns whether anything may run, and not just nothing.
    fn is_anything(&self) -> bool {
        !matches!(self, Self::Assignments | Self::Nothing)
    }
}

/// Returns the rule that came closer to admitting the command; of two, the more specific.
fn nearer(known: Option<Near>, near: Near) -> Near {
    match known {
        Some(known) if known.mismatch.closeness() >= near.mismatch.closeness() => known,
        _ => near,
    }
}

fn denied(rule: &Rule, applies: Match, near: Option<Near>, open: Option<&Open>) -> Cause {
    let text = rule.pattern.text().to_owned();
    match open {
        Some(open) => Cause::Open { open: open.clone(), rule: Some(text) },
        None => Cause::Denied { rule: text, is_possible: applies == Match::Possible, near },
    }
}

/// What a command is to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// One that is run in the end.
    Command,
    /// A wrapper or shell around others.
    Caller,
}

/// Returns the first variable that the text sets and that changes what its commands run.
///
/// For how long it is set is of no account: when the command that it is set for may run, any other may.
fn changed_variable(report: Report<'_>) -> Option<&str> {
    let is_plain = report.structures().next().is_none();
    let is_tame = |name: &str| {
        let commands = report.commands().flat_map(|c| c.callers().map(|c| c.command).chain([c]));
        let mut values = commands
            .flat_map(Command::assignments)
            .filter(|assignment| assignment.name() == name)
            .map(|assignment| changes_what_runs(name, assignment.value().value()));
        // Other ways to set a variable are not told with its value.
        is_plain && values.next() == Some(false) && values.all(|changes| !changes)
    };
    report.variables().find(|name| changes_what_runs(name, None) && !is_tame(name))
}

struct Judge<'a> {
    policy: &'a Policy,
    text: &'a str,
    files: &'a dyn Files,
    changed: Option<&'a str>,
    judgement: Judgement,
}

impl Judge<'_> {
    /// Whether it is of no account how many commands there are.
    fn allows_anything_joined(&self) -> bool {
        let options = self.policy.options();
        options.allow_multiple && options.allow_pipe
    }

    fn refuse(&mut self, span: Span, command: &str, cause: Cause) {
        let mut known = self.judgement.refusals.iter();
        if known.any(|refusal| refusal.span == span && refusal.cause == cause) {
            return;
        }
        if self.judgement.refusals.len() == MAX_REFUSALS {
            self.judgement.more_refusals += 1;
            return;
        }
        self.judgement.refusals.push(Refusal { span, command: shortened(command), cause });
    }

    /// A part of the text about which nothing is told.
    fn incomplete(&mut self, report: Report<'_>, part: Incomplete) {
        let source = part.span.of(self.text);
        match part.reason {
            IncompleteReason::UnknownCode => {
                if !(self.allows_anything_joined() || is_one_command(report, part.span)) {
                    self.refuse(part.span, source, Cause::MaybeMultiple);
                }
                if let Err(cause) = self.policy.decide(&[], Some(&Open::Code), Standing::Command) {
                    self.refuse(part.span, source, cause);
                }
            }
            IncompleteReason::Syntax => {
                self.refuse(part.span, source, Cause::Syntax(report.syntax_error().copied()));
            }
            reason => self.refuse(part.span, source, Cause::Unreadable(reason)),
        }
    }

    fn structure(&mut self, kind: StructureKind, span: Span) {
        let options = self.policy.options();
        let cause = match kind {
            StructureKind::Pipeline if options.allow_pipe => return,
            StructureKind::Pipeline => Cause::Pipe,
            _ if options.allow_multiple => return,
            kind => Cause::Multiple(kind),
        };
        self.refuse(span, span.of(self.text), cause);
    }

    fn command(&mut self, command: Command<'_>) {
        for caller in command.callers() {
            if !caller.is_function {
                self.words(caller.command, Standing::Caller);
            }
            self.redirections(caller.command);
        }
        // `env -C /etc ls > out` has its redirection before the directory changes, and hands it on.
        let is_own = |redirection: Redirection<'_>| {
            let mut outer = command.callers().flat_map(|caller| caller.command.redirections());
            !outer.any(|outer| outer.span() == redirection.span())
        };
        if command.redirections().all(is_own) {
            self.redirections(command);
        }
        // The redirection of a compound command runs nothing that could be judged beside it.
        let is_redirection =
            command.name().is_none() && command.assignments().len() == 0 && command.redirections().len() > 0;
        if !is_redirection {
            self.words(command, Standing::Command);
        }
    }

    fn nothing(&mut self, report: Report<'_>) {
        for command in report.commands().take(1) {
            let source = command.span().of(self.text);
            match self.policy.decide(&[], Some(&Open::Nothing), Standing::Command) {
                Ok(rule) => self.admit(command.span(), source, rule),
                Err(cause) => self.refuse(command.span(), source, cause),
            }
        }
    }

    fn admit(&mut self, span: Span, command: &str, rule: &Rule) {
        let rule = rule.pattern.text().to_owned();
        let admission = Admission { span, command: shortened(command), rule };
        if self.judgement.admissions.last() != Some(&admission) {
            self.judgement.admissions.push(admission);
        }
    }

    fn words(&mut self, command: Command<'_>, standing: Standing) {
        let words: Vec<Word<'_>> = command.argv().map(Word::of).collect();
        let open = self.open(command, &words, standing);
        let shown = shown(command, self.text);
        if !self.allows_anything_joined() && may_be_code(command, &words, open.as_ref()) {
            self.refuse(command.span(), &shown, Cause::MaybeMultiple);
        }
        match self.policy.decide(&words, open.as_ref(), standing) {
            Ok(rule) => self.admit(command.span(), &shown, rule),
            Err(cause) => self.refuse(command.span(), &shown, name_words(cause, command)),
        }
    }

    /// Returns why it is not fixed what a command runs, if so.
    fn open(&self, command: Command<'_>, words: &[Word<'_>], standing: Standing) -> Option<Open> {
        let Some(name) = words.first() else {
            let is_assignment = command.assignments().len() > 0;
            return Some(if is_assignment { Open::Assignments } else { Open::Nothing });
        };
        let Some(name) = name.value() else { return Some(Open::Name) };
        if let Some(variable) = self.changed {
            return Some(Open::Variable(variable.to_owned()));
        }
        // Of a shell that is given known code, the analysis tells the commands instead.
        let may_run =
            standing == Standing::Command && code_options::may_be_given_code(base_name(name), words);
        may_run.then_some(Open::Argument)
    }

    fn redirections(&mut self, command: Command<'_>) {
        for redirection in command.redirections() {
            for access in accesses(redirection) {
                if let Err(cause) = self.target(command, redirection, *access) {
                    let target = shortened(redirection.target().text());
                    let cause = Cause::Target { target, access: *access, cause };
                    self.refuse(redirection.span(), redirection.span().of(self.text), cause);
                }
            }
        }
    }

    fn target(
        &self,
        command: Command<'_>,
        redirection: Redirection<'_>,
        access: Access,
    ) -> Result<(), TargetCause> {
        let word = redirection.target();
        let unless_any = |cause| if self.policy.allows_any() { Ok(()) } else { Err(cause) };
        let Some(path) = word.value() else {
            // The other end of the pipe is a command of the text.
            let is_pipe = matches!(word.kind(), Kind::Unknown(Reason::ProcessSubstitution));
            return if is_pipe && word.beginning().is_empty() {
                Ok(())
            } else {
                unless_any(TargetCause::Unknown)
            };
        };
        if path.is_empty() || is_everyones(path) {
            return Ok(());
        }
        if is_connection(path) {
            return unless_any(TargetCause::Connection);
        }
        for directory in command.cwd() {
            let directory = match directory {
                _ if path.starts_with('/') => None,
                Directory::Inherited(directory) => directory,
                Directory::Known(directory) | Directory::Relative(directory) => Some(directory),
                Directory::Unknown => {
                    unless_any(TargetCause::Unknown)?;
                    continue;
                }
            };
            self.files.judge(&Target { path, directory, access }).map_err(TargetCause::Forbidden)?;
        }
        Ok(())
    }
}

/// Returns whether a part of the text whose code is not known is one command all the same: the file of `source`, as
/// `bash script` runs one, or a wrapper of which it is not clear where its command begins.
fn is_one_command(report: Report<'_>, span: Span) -> bool {
    let runs_code = |name: &str| name == "eval" || code_options::is_shell(base_name(name));
    let is_code = |caller: Caller<'_>| {
        let name = caller.command.name().and_then(bash_commands::Word::value);
        name.is_none_or(runs_code)
    };
    // `watch sudo "$X"`: what a shell reads again may hold a `;`.
    let is_read_again = |command: Command<'_>| {
        command.via().any(|via| matches!(via, Via::ShellCommand | Via::Eval))
            || command.callers().any(is_code)
    };
    report.commands().any(|command| match command.name().and_then(bash_commands::Word::value) {
        Some("source" | ".") => command.argv().any(|word| word.span() == span),
        Some(name) => command.span() == span && !runs_code(name) && !is_read_again(command),
        None => false,
    })
}

/// What a redirection does with its target, when that is a file.
fn accesses(redirection: Redirection<'_>) -> &'static [Access] {
    match redirection.kind() {
        RedirectionKind::Read => &[Access::Read],
        RedirectionKind::ReadWrite => &[Access::Read, Access::Write],
        RedirectionKind::Heredoc | RedirectionKind::HereString => &[],
        RedirectionKind::Duplicate if redirection.target().value().is_some_and(is_descriptor) => &[],
        // `>&file` writes both streams into the file.
        _ => &[Access::Write],
    }
}

/// `2`, `-`, `2-`.
fn is_descriptor(target: &str) -> bool {
    let digits = target.strip_suffix('-').unwrap_or(target);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a command of which it is not fixed what it runs may be given code that is more than one command: by its
/// arguments, or by a standard input that the text makes.
fn may_be_code(command: Command<'_>, words: &[Word<'_>], open: Option<&Open>) -> bool {
    let is_code = |word: &str| word.contains([';', '&', '|', '\n', '`', '(']);
    let has_code = words.iter().skip(1).any(|word| word.value().is_none_or(is_code));
    let has_input = |via| matches!(via, Via::Pipe | Via::Background | Via::Coprocess | Via::FindExec);
    match open {
        Some(Open::Name) => has_code || command.via().any(has_input),
        Some(Open::Argument) => has_code,
        _ => false,
    }
}

/// Puts the word as it is written into a mismatch that is about one.
fn name_words(cause: Cause, command: Command<'_>) -> Cause {
    let name = |near: Near| match near.mismatch {
        Mismatch::MayRunCode { index, option, .. } => {
            let word = command.word(index + 1).map_or("", |word| word.text()).to_owned();
            Near { mismatch: Mismatch::MayRunCode { word, index, option }, ..near }
        }
        _ => near,
    };
    match cause {
        Cause::Denied { rule, is_possible, near } => {
            Cause::Denied { rule, is_possible, near: near.map(name) }
        }
        Cause::NoRule { near } => Cause::NoRule { near: near.map(name) },
        other => other,
    }
}

/// The words of a command as they are shown; its source text when it has none.
fn shown(command: Command<'_>, text: &str) -> String {
    let mut shown = String::new();
    for word in command.argv() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        // Words that would fall apart are shown in quotes, as they would be written.
        match word.value() {
            Some(value) if value.is_empty() || value.contains(char::is_whitespace) => {
                shown.extend(["'", value, "'"]);
            }
            _ => shown.push_str(word.text()),
        }
        if shown.len() > MAX_SHOWN {
            break;
        }
    }
    if shown.is_empty() { command.span().of(text).to_owned() } else { shown }
}

/// At most so much of a text, on one line.
fn shortened(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_SHOWN);
    let mut short: String = text.get(..end).unwrap_or_default().to_owned();
    if short.contains(char::is_control) {
        short = short.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    }
    if end < text.len() {
        short.push('…');
    }
    short
}
