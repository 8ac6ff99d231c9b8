//! What an analysis found: commands, words, directories, and what could not be told.

use crate::arena::{Arena, Blank};
use crate::issue::SyntaxError;
use crate::span::Span;
use crate::state::{Names, Namespace};
use crate::store::HOLE;
use crate::structure::{Structure, Structures};
use core::fmt;

/// How well the value of a word is fixed by the text alone.
///
/// Not `#[non_exhaustive]` on purpose: whoever judges words should have to think when a new kind appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// bash passes exactly [`Word::text`].
    Known,
    /// The word is a file name pattern: bash passes the names that match it, or the pattern itself when none does.
    Pattern,
    /// The value depends on something outside the text.
    Unknown(Reason),
}

impl Kind {
    /// Returns the name that reports use: `known`, `pattern` or `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Pattern => "pattern",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// Why something is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A variable or positional parameter that the text does not set, or sets differently in different branches.
    #[default]
    Variable,
    /// The output of a command.
    CommandOutput,
    /// The name of the pipe that a process substitution makes.
    ProcessSubstitution,
    /// An arithmetic expression over something unknown.
    Arithmetic,
    /// A home directory (`~`, `~user`) that was not given.
    Home,
    /// Standard input, or what `xargs` makes of it.
    StandardInput,
    /// The content of a file (`find -files0-from`, `$(< file)`).
    FileContent,
    /// A file that `find -exec` will have found.
    FoundFile,
    /// The budget of steps or the depth of nesting was used up.
    Budget,
}

impl Reason {
    /// Returns a short description for people, such as «the output of a command».
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Variable => "a variable that the text does not fix",
            Self::CommandOutput => "the output of a command",
            Self::ProcessSubstitution => "a process substitution",
            Self::Arithmetic => "arithmetic over something unknown",
            Self::Home => "a home directory that was not given",
            Self::StandardInput => "standard input",
            Self::FileContent => "the content of a file",
            Self::FoundFile => "a file that find will have found",
            Self::Budget => "beyond the budget of the analysis",
        }
    }
}

/// One step on the way from the command line to a command.
///
/// The list is closed: together with [`Command::wrappers`] it says everything about how a command is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Via {
    /// Part of a pipeline with more than one command.
    #[default]
    Pipe,
    /// Ended by `&`.
    Background,
    /// `( … )`.
    Subshell,
    /// `$(…)`.
    CommandSubstitution,
    /// `` `…` ``.
    Backquote,
    /// `<(…)` or `>(…)`.
    ProcessSubstitution,
    /// `coproc`.
    Coprocess,
    /// The body of a function that is called.
    Function,
    /// The replacement text of an alias.
    Alias,
    /// `eval`.
    Eval,
    /// `source` or `.`, of a text that is known.
    Source,
    /// `trap`.
    Trap,
    /// The text given to `sh -c`, `su -c`, `watch` and the like.
    ShellCommand,
    /// The standard input of a shell.
    ShellInput,
    /// A file given to a shell whose text is known (`bash <(echo …)`).
    ShellFile,
    /// `xargs` or `parallel`.
    Xargs,
    /// `-exec`, `-execdir`, `-ok` or `-okdir` of `find`.
    FindExec,
}

impl Via {
    /// Returns the name that reports use, such as `command-substitution`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Background => "background",
            Self::Subshell => "subshell",
            Self::CommandSubstitution => "command-substitution",
            Self::Backquote => "backquote",
            Self::ProcessSubstitution => "process-substitution",
            Self::Coprocess => "coprocess",
            Self::Function => "function",
            Self::Alias => "alias",
            Self::Eval => "eval",
            Self::Source => "source",
            Self::Trap => "trap",
            Self::ShellCommand => "shell-command",
            Self::ShellInput => "shell-input",
            Self::ShellFile => "shell-file",
            Self::Xargs => "xargs",
            Self::FindExec => "find-exec",
        }
    }
}

/// A working directory that a command may be started in.
///
/// Not `#[non_exhaustive]` on purpose, as [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directory<'a> {
    /// The one that the whole text is started in: the one of [`Options::cwd`](crate::Options::cwd) when that is given.
    Inherited(Option<&'a str>),
    /// Changed by the text to this absolute path.
    Known(&'a str),
    /// Changed by the text to this path relative to the inherited directory, which was not given.
    Relative(&'a str),
    /// Changed by the text to something that it does not fix.
    Unknown,
}

/// What kind of redirection a [`Redirection`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RedirectionKind {
    /// `<`: the file is read.
    Read,
    /// `>`, `>|`, `&>`: the file is written anew.
    Write,
    /// `>>`, `&>>`: the file is appended to.
    Append,
    /// `<>`: the file is opened for both.
    ReadWrite,
    /// `<&` and `>&`: a descriptor is copied or closed; the target is its number or `-`.
    Duplicate,
    /// `<<` and `<<-`: the target is the text.
    Heredoc,
    /// `<<<`: the target is the text.
    HereString,
}

/// Why a part of the text is not accounted for by commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IncompleteReason {
    /// The steps that [`Options`](crate::Options) allow were used up.
    Steps,
    /// The text nests deeper than [`Options::max_depth`](crate::Options::max_depth).
    Depth,
    /// bash would refuse the text from here on; see [`Report::syntax_error`].
    Syntax,
    /// Text that is run as a command line is not known (`eval "$x"`, `curl … | sh`).
    UnknownCode,
    /// The text is longer than the analysis can address (1 GiB).
    Length,
}

impl IncompleteReason {
    /// Returns the name that reports use, such as `unknown-code`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Depth => "depth",
            Self::Syntax => "syntax",
            Self::UnknownCode => "unknown-code",
            Self::Length => "length",
        }
    }
}

/// A part of the text about which nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Incomplete {
    /// Where.
    pub span: Span,
    /// Why.
    pub reason: IncompleteReason,
}

/// A word of a finished command, as it is stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field {
    /// The value, holes included; for a pattern with quoted characters behind backslashes.
    pub(crate) value: Span,
    /// What [`Word::text`] shows.
    pub(crate) shown: Span,
    /// Where it comes from, in the source.
    pub(crate) source: Span,
    pub(crate) kind: FieldKind,
    /// It may stand for any number of words.
    pub(crate) splice: bool,
}

/// [`Kind`], as it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldKind {
    #[default]
    Known,
    Pattern,
    Unknown(Reason),
}

/// A command, as it is stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CommandRecord {
    pub(crate) words: (u32, u32),
    pub(crate) assignments: (u32, u32),
    pub(crate) redirections: (u32, u32),
    pub(crate) span: Span,
    pub(crate) context: u32,
    pub(crate) directories: (u32, u32),
}

/// A link of the chain that leads to a command.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContextRecord {
    pub(crate) parent: u32,
    pub(crate) step: Step,
    /// The command that makes the step, as it is written, in [`Findings::callers`].
    pub(crate) caller: Option<u32>,
}

/// How one context is reached from its parent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Step {
    /// The top of the text.
    #[default]
    Top,
    Via(Via),
    /// A wrapper; the step that it makes besides, if any.
    Wrapper(&'static str, Option<Via>),
    /// `env -S`, in whose place stands what env makes of it.
    Rewritten,
    /// The call of a function.
    FunctionCall,
}

/// A directory candidate, as it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DirectoryRecord {
    #[default]
    Inherited,
    /// A text of the store: absolute, or relative to the inherited directory.
    Path(Span),
    Unknown,
}

/// An assignment before a command, as it is stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AssignmentRecord {
    pub(crate) name: Span,
    pub(crate) value: Field,
}

/// A redirection, as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RedirectionRecord {
    pub(crate) kind: RedirectionKind,
    pub(crate) descriptor: Option<u32>,
    pub(crate) target: Field,
    pub(crate) span: Span,
}

const NOWHERE: Span = Span::new(0, 0);

impl Blank for Span {
    const BLANK: Self = NOWHERE;
}
impl Blank for Incomplete {
    const BLANK: Self = Self { span: NOWHERE, reason: IncompleteReason::Steps };
}
impl Blank for Field {
    const BLANK: Self =
        Self { value: NOWHERE, shown: NOWHERE, source: NOWHERE, kind: FieldKind::Known, splice: false };
}
impl Blank for CommandRecord {
    const BLANK: Self = Self {
        words: (0, 0),
        assignments: (0, 0),
        redirections: (0, 0),
        span: NOWHERE,
        context: 0,
        directories: (0, 0),
    };
}
impl Blank for ContextRecord {
    const BLANK: Self = Self { parent: 0, step: Step::Top, caller: None };
}
impl Blank for DirectoryRecord {
    const BLANK: Self = Self::Inherited;
}
impl Blank for AssignmentRecord {
    const BLANK: Self = Self { name: NOWHERE, value: Field::BLANK };
}
impl Blank for RedirectionRecord {
    const BLANK: Self =
        Self { kind: RedirectionKind::Write, descriptor: None, target: Field::BLANK, span: NOWHERE };
}

/// Everything that an analysis found, in the order in which it was found.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) commands: Arena<CommandRecord, 2>,
    pub(crate) fields: Arena<Field, 8>,
    pub(crate) assignments: Arena<AssignmentRecord, 0>,
    pub(crate) redirections: Arena<RedirectionRecord, 0>,
    pub(crate) contexts: Arena<ContextRecord, 4>,
    /// Commands that run others, as they are written.
    pub(crate) callers: Arena<CommandRecord, 2>,
    pub(crate) directories: Arena<DirectoryRecord, 2>,
    pub(crate) incomplete: Arena<Incomplete, 1>,
    pub(crate) syntax_error: Option<SyntaxError>,
    pub(crate) structures: Structures,
}

impl Findings {
    /// An empty one.
    pub(crate) const NEW: Self = Self {
        commands: Arena::NEW,
        fields: Arena::NEW,
        assignments: Arena::NEW,
        redirections: Arena::NEW,
        contexts: Arena::NEW,
        callers: Arena::NEW,
        directories: Arena::NEW,
        incomplete: Arena::NEW,
        syntax_error: None,
        structures: Structures::NEW,
    };
}

impl Findings {
    pub(crate) fn clear(&mut self) {
        self.commands.clear();
        self.fields.clear();
        self.assignments.clear();
        self.redirections.clear();
        self.contexts.clear();
        self.callers.clear();
        self.directories.clear();
        self.incomplete.clear();
        self.syntax_error = None;
        self.structures = Structures::NEW;
    }
}

/// What bash would run for a text.
///
/// Made by [`Analyzer::analyze`](crate::Analyzer::analyze); borrows the analyzer and the text.
///
/// ```
/// let mut analyzer = bash_commands::Analyzer::new();
/// let options = bash_commands::Options::default();
/// let report = analyzer.analyze("cd /srv && sudo find . -name x | wc -l", &options);
/// let programs: Vec<_> = report.commands().map(|c| c.name().unwrap().text()).collect();
/// assert_eq!(programs, ["cd", "find", "wc"]);
/// assert!(report.is_complete());
/// ```
#[derive(Clone, Copy)]
pub struct Report<'a> {
    pub(crate) source: &'a str,
    pub(crate) derived: &'a str,
    pub(crate) findings: &'a Findings,
    pub(crate) names: &'a Names,
    pub(crate) cwd: Option<&'a str>,
}

impl fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("commands", &DebugList(self.commands()))
            .field("incomplete", &self.findings.incomplete.as_slice())
            .field("syntax_error", &self.findings.syntax_error)
            .finish()
    }
}

struct DebugList<I>(I);

impl<I: Iterator + Clone> fmt::Debug for DebugList<I>
where
    I::Item: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.clone()).finish()
    }
}

impl<'a> Report<'a> {
    /// Returns every simple command that bash would run, wrappers peeled, in the order of the text.
    ///
    /// A command that runs several times with other words (in a loop, in a function that is called twice) stands once
    /// for each different set of words and directories.
    #[must_use]
    pub fn commands(self) -> impl ExactSizeIterator<Item = Command<'a>> + DoubleEndedIterator + Clone {
        let fields = self.findings.fields.as_slice();
        self.findings.commands.as_slice().iter().map(move |record| {
            let (start, end) = record.words;
            let fields = fields.get(start as usize..end as usize).unwrap_or(&[]);
            Command { report: self, record, fields }
        })
    }

    /// Returns the constructs that make the text more than one simple command, each kind once with its first place.
    ///
    /// Those of texts inside the text count (`bash -c 'a; b'`), and those in branches that are not taken: `true || rm x`
    /// is a list, though `rm` is no command that runs. Not so the text of a line that bash refuses.
    pub fn structures(self) -> impl Iterator<Item = Structure> + Clone {
        self.findings.structures.iter()
    }

    /// Returns the names of the variables that the text sets or unsets, by whatever means and for however long:
    /// `X=1`, `X=1 command`, `for X in …`, `read X`, `export X`, `env X=1 command`, `((X=1))`.
    ///
    /// The directory builtins set `PWD` and `OLDPWD`. A name may be listed though the command that sets it fails.
    pub fn variables(self) -> impl Iterator<Item = &'a str> + Clone {
        self.names.all(Namespace::Variable).map(|(_, name, _)| name)
    }

    /// Returns the parts of the text about which nothing is said; none when [`Report::is_complete`].
    #[must_use]
    pub fn incomplete(self) -> impl ExactSizeIterator<Item = Incomplete> + Clone {
        self.findings.incomplete.as_slice().iter().copied()
    }

    /// Returns whether every part of the text is accounted for.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.findings.incomplete.is_empty()
    }

    /// Returns the place and kind of the first error for which bash would refuse a line of the text.
    ///
    /// The commands of the lines before it are reported, those of the line with the error are not.
    #[must_use]
    pub fn syntax_error(self) -> Option<&'a SyntaxError> {
        self.findings.syntax_error.as_ref()
    }

    /// Returns the text that was analysed.
    #[must_use]
    pub fn source(self) -> &'a str {
        self.source
    }

    fn text(self, span: Span) -> &'a str {
        let base = self.source.len();
        if (span.start as usize) < base || span.is_empty() {
            span.of(self.source)
        } else {
            self.derived.get(span.start as usize - base..span.end as usize - base).unwrap_or("")
        }
    }
}

/// One simple command that bash would run: the program or builtin that is finally started, wrappers peeled.
#[derive(Clone, Copy)]
pub struct Command<'a> {
    report: Report<'a>,
    record: &'a CommandRecord,
    fields: &'a [Field],
}

impl fmt::Debug for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("argv", &DebugList(self.argv()))
            .field("wrappers", &DebugList(self.wrappers()))
            .field("via", &DebugList(self.via()))
            .field("cwd", &DebugList(self.cwd()))
            .field("span", &self.span())
            .finish()
    }
}

impl<'a> Command<'a> {
    /// Returns the words, the command's name first; empty for a line of assignments or redirections alone.
    #[must_use]
    pub fn argv(self) -> impl ExactSizeIterator<Item = Word<'a>> + DoubleEndedIterator + Clone {
        self.fields.iter().map(move |field| Word { report: self.report, field })
    }

    /// Returns the word at `index` of [`Command::argv`].
    #[must_use]
    pub fn word(self, index: usize) -> Option<Word<'a>> {
        self.fields.get(index).map(|field| Word { report: self.report, field })
    }

    /// Returns the word that names the command.
    #[must_use]
    pub fn name(self) -> Option<Word<'a>> {
        self.word(0)
    }

    /// Returns the variable assignments that stand before the command's name.
    #[must_use]
    pub fn assignments(self) -> impl ExactSizeIterator<Item = Assignment<'a>> + Clone {
        let (start, end) = self.record.assignments;
        let records =
            self.report.findings.assignments.as_slice().get(start as usize..end as usize).unwrap_or(&[]);
        records.iter().map(move |record| Assignment { report: self.report, record })
    }

    /// Returns the redirections of the command itself; those of the compound commands around it are not repeated.
    #[must_use]
    pub fn redirections(self) -> impl ExactSizeIterator<Item = Redirection<'a>> + Clone {
        let (start, end) = self.record.redirections;
        let records =
            self.report.findings.redirections.as_slice().get(start as usize..end as usize).unwrap_or(&[]);
        records.iter().map(move |record| Redirection { report: self.report, record })
    }

    /// Returns the bytes of the source that hold the command, from its first word, assignment or redirection to its
    /// last. For a command that stands in derived text (`eval "$x"`), the outermost word that carries it.
    #[must_use]
    pub fn span(self) -> Span {
        self.record.span
    }

    /// Returns the directories that the command may be started in, at least one.
    ///
    /// There are several when the text leaves open whether a `cd` before it took effect: all should be judged.
    #[must_use]
    pub fn cwd(self) -> impl ExactSizeIterator<Item = Directory<'a>> + Clone {
        let (start, end) = self.record.directories;
        let records =
            self.report.findings.directories.as_slice().get(start as usize..end as usize).unwrap_or(&[]);
        records.iter().map(move |record| match *record {
            DirectoryRecord::Inherited => Directory::Inherited(self.report.cwd),
            DirectoryRecord::Unknown => Directory::Unknown,
            DirectoryRecord::Path(span) => {
                let path = self.report.text(span);
                if path.starts_with('/') { Directory::Known(path) } else { Directory::Relative(path) }
            }
        })
    }

    /// Returns the steps that lead to the command, outermost first; none at the top of the text.
    pub fn via(self) -> impl Iterator<Item = Via> + Clone {
        self.chain().filter_map(|step| match step {
            Step::Via(via) | Step::Wrapper(_, Some(via)) => Some(via),
            Step::Top | Step::Rewritten | Step::FunctionCall | Step::Wrapper(_, None) => None,
        })
    }

    /// Returns the names of the commands around it that were peeled (`sudo`, `timeout`, `xargs`), outermost first.
    pub fn wrappers(self) -> impl Iterator<Item = &'static str> + Clone {
        self.chain().filter_map(|step| match step {
            Step::Wrapper(name, _) => Some(name),
            Step::Top | Step::Rewritten | Step::FunctionCall | Step::Via(_) => None,
        })
    }

    /// Returns the commands that lead to this one, as they are written, outermost first: wrappers, shells, `eval`,
    /// `xargs`, calls of functions.
    ///
    /// Each has all its words, those of the inner command too where they are its own words: `sudo -u root rm x` is the
    /// caller of `rm x`. The words of `env -S 'a b'` are given as they are written and as env splits them. A `find` that
    /// runs commands, and a `trap`, stand among [`Report::commands`] instead.
    ///
    /// ```
    /// use bash_commands::Caller;
    ///
    /// let mut analyzer = bash_commands::Analyzer::new();
    /// let options = bash_commands::Options::default();
    /// let report = analyzer.analyze("/opt/sudo -n bash -c 'rm x' > log", &options);
    /// let rm = report.commands().next().unwrap();
    /// let words = |Caller { command, .. }| command.argv().map(|word| word.text()).collect::<Vec<_>>();
    /// let callers: Vec<_> = rm.callers().map(words).collect();
    /// assert_eq!(callers, [vec!["/opt/sudo", "-n", "bash", "-c", "rm x"], vec!["bash", "-c", "rm x"]]);
    /// assert_eq!(rm.callers().last().unwrap().command.redirections().len(), 1);
    /// ```
    pub fn callers(self) -> impl Iterator<Item = Caller<'a>> + Clone {
        let report = self.report;
        let fields = report.findings.fields.as_slice();
        self.contexts().filter_map(move |context| {
            let record = report.findings.callers.as_slice().get(context.caller? as usize)?;
            let (start, end) = record.words;
            let fields = fields.get(start as usize..end as usize).unwrap_or(&[]);
            let is_function = matches!(context.step, Step::FunctionCall);
            Some(Caller { command: Command { report, record, fields }, is_function })
        })
    }

    fn chain(self) -> impl Iterator<Item = Step> + Clone {
        self.contexts().map(|context| context.step)
    }

    fn contexts(self) -> impl Iterator<Item = ContextRecord> + Clone {
        let contexts = self.report.findings.contexts.as_slice();
        let mut depth = 0usize;
        let mut at = self.record.context as usize;
        while let Some(context) = contexts.get(at) {
            if matches!(context.step, Step::Top) {
                break;
            }
            depth += 1;
            at = context.parent as usize;
        }
        let last = self.record.context as usize;
        (0..depth).map(move |index| {
            let mut at = last;
            for _ in 0..depth - 1 - index {
                at = contexts.get(at).map_or(0, |context| context.parent as usize);
            }
            contexts.get(at).copied().unwrap_or(ContextRecord::BLANK)
        })
    }
}

/// A command that leads to another one; see [`Command::callers`].
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The command as it is written.
    pub command: Command<'a>,
    /// Its name is that of a function of the text: no program or builtin runs under it.
    pub is_function: bool,
}

/// One word of a command, after expansion and quote removal.
#[derive(Clone, Copy)]
pub struct Word<'a> {
    report: Report<'a>,
    field: &'a Field,
}

impl fmt::Debug for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({})", self.text(), self.kind().name())
    }
}

impl<'a> Word<'a> {
    /// Returns the word: its value when it is known, else its source text as written.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.report.text(self.field.shown)
    }

    /// Returns how well the value is fixed.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.field.kind {
            FieldKind::Known => Kind::Known,
            FieldKind::Pattern => Kind::Pattern,
            FieldKind::Unknown(reason) => Kind::Unknown(reason),
        }
    }

    /// Returns the value, when it is known.
    #[must_use]
    pub fn value(self) -> Option<&'a str> {
        (self.field.kind == FieldKind::Known).then(|| self.report.text(self.field.value))
    }

    /// Returns the file name pattern, when the word is one: `*`, `?` and `[…]` are active, and a backslash before a
    /// character takes its meaning away.
    #[must_use]
    pub fn pattern(self) -> Option<&'a str> {
        (self.field.kind == FieldKind::Pattern).then(|| self.report.text(self.field.value))
    }

    /// Returns the beginning of the value that is known: all of it for a known word, the text before the first active
    /// character for a pattern, the text before the first unknown part otherwise (`/srv/` of `/srv/$X`).
    #[must_use]
    pub fn beginning(self) -> &'a str {
        let value = self.report.text(self.field.value);
        let end = match self.field.kind {
            FieldKind::Known => None,
            FieldKind::Pattern => value.find(['*', '?', '[', '\\']),
            FieldKind::Unknown(_) => value.find(HOLE),
        };
        end.and_then(|end| value.get(..end)).unwrap_or(value)
    }

    /// Returns whether an unknown word may stand for any number of words, none included (`$X` without quotes, `"$@"`).
    #[must_use]
    pub fn is_splice(self) -> bool {
        self.field.splice
    }

    /// Returns the bytes of the source that carry the word.
    #[must_use]
    pub fn span(self) -> Span {
        self.field.source
    }

    /// Returns whether the bytes at [`Word::span`] are exactly [`Word::text`].
    #[must_use]
    pub fn is_verbatim(self) -> bool {
        self.report.text(self.field.source) == self.text()
    }
}

/// `NAME=value` before a command.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    report: Report<'a>,
    record: &'a AssignmentRecord,
}

impl fmt::Debug for Assignment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:?}", self.name(), self.value())
    }
}

impl<'a> Assignment<'a> {
    /// Returns the variable's name.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.report.text(self.record.name)
    }

    /// Returns the value.
    #[must_use]
    pub fn value(self) -> Word<'a> {
        Word { report: self.report, field: &self.record.value }
    }
}

/// A redirection of a command.
#[derive(Clone, Copy)]
pub struct Redirection<'a> {
    report: Report<'a>,
    record: &'a RedirectionRecord,
}

impl fmt::Debug for Redirection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.kind(), self.target())
    }
}

impl<'a> Redirection<'a> {
    /// Returns what is done with the target.
    #[must_use]
    pub fn kind(self) -> RedirectionKind {
        self.record.kind
    }

    /// Returns the descriptor, when it is written (`2` of `2>`).
    #[must_use]
    pub fn descriptor(self) -> Option<u32> {
        self.record.descriptor
    }

    /// Returns the file, the descriptor number, or the text of a here-document.
    #[must_use]
    pub fn target(self) -> Word<'a> {
        Word { report: self.report, field: &self.record.target }
    }

    /// Returns the bytes of the source that hold the redirection, a here-document's body left out.
    #[must_use]
    pub fn span(self) -> Span {
        self.record.span
    }
}
