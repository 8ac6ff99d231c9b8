//! Many rules, asked at once.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::candidate::{Candidate, Unresolved};
use crate::glob;
use crate::lexical::{Route, Step, without_trailing_wildcards};
use crate::rule::{Rule, RuleError};
use crate::trie::{NodeId, Position, Trie};

/// How much of a path's text is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The text is compared component by component, as it stands: `.`, `..`, `//`, `~` and relative paths mean nothing.
    AsWritten,
    /// `.`, `..`, repeated slashes, the working directory and a leading `~`, `$HOME` or `${HOME}` are resolved.
    /// Symbolic links are not, for that would need the file system.
    #[default]
    Lexical,
}

/// Whether `/ETC` is `/etc`. The file system decides that: choose for each platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Case {
    /// Names that differ in case differ, as on Linux.
    #[default]
    Sensitive,
    /// Names that differ in case are the same, as on macOS and Windows by default. Full Unicode case mapping, without
    /// the locale's rules; composed and decomposed accents stay different.
    Folded,
}

impl Case {
    pub(crate) fn eq(self, one: &str, other: &str) -> bool {
        match self {
            Self::Sensitive => one == other,
            Self::Folded => folded(one.chars()).eq(folded(other.chars())),
        }
    }

    pub(crate) fn eq_char(self, one: char, other: char) -> bool {
        one == other || (self == Self::Folded && folded([one]).eq(folded([other])))
    }

    /// FNV-1a. Rules come from settings that the user trusts, so nobody gains from making them collide.
    pub(crate) fn hash(self, parent: NodeId, name: &str) -> usize {
        let mix = |hash: u64, byte: u64| (hash ^ byte).wrapping_mul(0x0100_0000_01b3);
        let start = mix(0xcbf2_9ce4_8422_2325, parent as u64);
        let hash = match self {
            Self::Sensitive => name.bytes().map(u64::from).fold(start, mix),
            Self::Folded => folded(name.chars()).map(u64::from).fold(start, mix),
        };
        // The low bits choose the slot and are the weakest.
        (hash ^ (hash >> 32)) as usize
    }
}

/// Upper case first: it joins letters such as `σ` and `ς` that lower case alone keeps apart.
fn folded(chars: impl IntoIterator<Item = char>) -> impl Iterator<Item = char> {
    chars.into_iter().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Forbidden paths, built once and asked many times.
///
/// A check looks up each component of the path once, in a hash table: it costs the length of the path, however many
/// rules there are. A known path is judged without allocating.
///
/// ```
/// use path_match::{Candidate, RuleSet};
///
/// let rules = RuleSet::builder().home("/home/u").rules(["/", "/etc", "~/.ssh"])?.build();
///
/// let hit = rules.check(Candidate::new("/tmp/../etc/passwd").cwd("/x")).expect("under `/etc`");
/// assert_eq!(hit.rule().text(), "/etc");
/// assert_eq!(hit.index(), 1);
/// assert_eq!(hit.path(), "/etc/passwd");
///
/// assert!(rules.check(Candidate::new("..").cwd("/tmp")).is_some());
/// assert!(rules.check("/etcfoo").is_none());
/// # Ok::<(), path_match::RuleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RuleSet {
    rules: Vec<Rule>,
    trie: Trie,
    mode: Mode,
    home: Option<Box<str>>,
}

impl RuleSet {
    /// Starts a set without rules, in *lexical* mode, case-sensitive, with no home directory known.
    #[must_use]
    pub fn builder() -> RuleSetBuilder {
        RuleSetBuilder::default()
    }

    /// Judges a path; returns the hit, if there is one.
    ///
    /// A path that cannot be resolved gives no hit here; where that matters, use [`judge`](Self::judge).
    #[must_use]
    pub fn check<'c>(&self, candidate: impl Into<Candidate<'c>>) -> Option<Hit<'_, 'c>> {
        self.judge(candidate).hit()
    }

    /// Judges a path.
    ///
    /// When several rules forbid a known path, the outermost is the hit: it says most about what else is forbidden.
    /// Among equal ones it is the first. When a pattern could expand to several forbidden paths, the first of their
    /// rules is the hit.
    ///
    /// Cost: a known path takes time linear in its length and allocates nothing. A pattern takes at most a fixed number
    /// of steps on top, and then is [`Unresolved::TooComplex`].
    ///
    /// ```
    /// use path_match::{Certainty, RuleSet, Candidate, Unresolved, Verdict};
    ///
    /// let rules = RuleSet::builder().rule("/etc")?.build();
    /// assert!(matches!(rules.judge("/home"), Verdict::Clear));
    /// assert!(matches!(rules.judge("x"), Verdict::Unresolved(Unresolved::NoWorkingDirectory)));
    ///
    /// let hit = rules.judge(Candidate::glob("/[a-f]tc/*.conf")).hit().expect("could be `/etc`");
    /// assert_eq!(hit.certainty(), Certainty::Possible);
    /// # Ok::<(), path_match::RuleError>(())
    /// ```
    #[must_use]
    pub fn judge<'c>(&self, candidate: impl Into<Candidate<'c>>) -> Verdict<'_, 'c> {
        let candidate = candidate.into();
        if self.rules.is_empty() {
            return Verdict::Clear;
        }
        let route = match Route::new(candidate, self.mode, self.home.as_deref()) {
            Ok(route) => route,
            Err(reason) => return Verdict::Unresolved(reason),
        };
        let start = Position::start(route.absolute);
        let end = glob::walk(&self.trie, start, route.trimmed().steps());
        if let Some(index) = self.trie.rule_at(end) {
            return self.hit(index, Certainty::Certain, candidate);
        }
        if !route.has_wildcard() {
            return Verdict::Clear;
        }
        match glob::reach(&self.trie, start, route.steps(), route.is_lexical()) {
            Ok(Some(index)) => self.hit(index, Certainty::Possible, candidate),
            Ok(None) => Verdict::Clear,
            Err(glob::Exhausted) => Verdict::Unresolved(Unresolved::TooComplex),
        }
    }

    /// Returns how this set reads a path: in *lexical* mode absolute and without `.`, `..` and repeated slashes, in
    /// *as written* mode the text; without trailing wildcards and slashes, which only patterns keep.
    ///
    /// # Errors
    ///
    /// When the path cannot be resolved; never [`Unresolved::TooComplex`]. Cost: linear in the path.
    ///
    /// ```
    /// use path_match::{Candidate, RuleSet};
    ///
    /// let rules = RuleSet::builder().home("/home/u").build();
    /// assert_eq!(rules.resolve("~/../x//./*")?, "/home/x");
    /// assert_eq!(rules.resolve(Candidate::glob("*.rs").cwd("/src/"))?, "/src/*.rs");
    /// # Ok::<(), path_match::Unresolved>(())
    /// ```
    pub fn resolve<'c>(&self, candidate: impl Into<Candidate<'c>>) -> Result<String, Unresolved> {
        Ok(Route::new(candidate.into(), self.mode, self.home.as_deref())?.to_path())
    }

    /// Returns the rules in the order in which they were given.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns how much of a path's text is understood.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    fn hit<'c>(&self, index: usize, certainty: Certainty, candidate: Candidate<'c>) -> Verdict<'_, 'c> {
        // By construction of the tree every index in it is that of a rule.
        self.rules
            .get(index)
            .map_or(Verdict::Clear, |rule| Verdict::Hit(Hit { set: self, rule, index, certainty, candidate }))
    }
}

/// Collects the rules of a [`RuleSet`].
///
/// Give the home directory first: rules are read as they are added. To go on after a rule that cannot be used, read
/// each with [`Rule::parse_with`] and add it with [`parsed`](Self::parsed).
#[derive(Clone, Debug, Default)]
pub struct RuleSetBuilder {
    rules: Vec<Rule>,
    mode: Mode,
    case: Case,
    home: Option<Box<str>>,
}

impl RuleSetBuilder {
    /// Gives the home directory that `~` and `$HOME` stand for, in rules added from here on and in paths: `"/home/u"`
    /// or an `Option` of it. In paths one that is not absolute counts as not known.
    #[must_use]
    pub fn home<'h>(self, home: impl Into<Option<&'h str>>) -> Self {
        Self { home: home.into().map(Box::from), ..self }
    }

    /// Chooses how much of a path's text is understood; default [`Mode::Lexical`].
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Chooses whether case matters; default [`Case::Sensitive`].
    #[must_use]
    pub fn case(self, case: Case) -> Self {
        Self { case, ..self }
    }

    /// Adds a rule.
    ///
    /// # Errors
    ///
    /// When the text is no rule.
    pub fn rule(self, text: &str) -> Result<Self, RuleError> {
        let rule = Rule::parse_with(text, self.home.as_deref())?;
        Ok(self.parsed(rule))
    }

    /// Adds rules in their order.
    ///
    /// # Errors
    ///
    /// At the first text that is no rule.
    pub fn rules<T: AsRef<str>>(self, texts: impl IntoIterator<Item = T>) -> Result<Self, RuleError> {
        texts.into_iter().try_fold(self, |builder, text| builder.rule(text.as_ref()))
    }

    /// Adds a rule that was read before.
    ///
    /// ```
    /// use path_match::{Rule, RuleSet};
    ///
    /// let (mut builder, mut refused) = (RuleSet::builder(), Vec::new());
    /// for text in ["/etc", "relative", "/usr"] {
    ///     match Rule::parse(text) {
    ///         Ok(rule) => builder = builder.parsed(rule),
    ///         Err(error) => refused.push(error.to_string()),
    ///     }
    /// }
    /// assert!(builder.build().check("/usr/lib").is_some());
    /// assert_eq!(refused, ["rule `relative` is not absolute; start it with `/` or `~/`"]);
    /// ```
    #[must_use]
    pub fn parsed(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Builds the set; cost: linear in the length of all rules.
    #[must_use]
    pub fn build(self) -> RuleSet {
        let Self { rules, mode, case, home } = self;
        let mut trie = Trie::new(case);
        for (index, rule) in rules.iter().enumerate() {
            trie.insert(true, names(rule.path(), mode), index);
            let written = without_trailing_wildcards(rule.text());
            if mode == Mode::AsWritten && written.starts_with('~') && rule.path() != "/" {
                // A path written just as the rule is, tilde and all, is what the user meant.
                trie.insert(false, names(written, mode), index);
            }
        }
        RuleSet { rules, trie, mode, home }
    }
}

fn names(path: &str, mode: Mode) -> Vec<&str> {
    let mut names = Vec::new();
    // A rule's path is absolute, so in lexical mode it always resolves; its `~` is expanded already.
    let steps = Route::new(Candidate::new(path), mode, None)
        .ok()
        .into_iter()
        .flat_map(|route| route.trimmed().steps());
    for step in steps {
        match step {
            Step::Enter(component) => names.push(component.text),
            Step::Leave => drop(names.pop()),
        }
    }
    names
}

/// The answer to one path.
#[derive(Clone, Copy, Debug)]
pub enum Verdict<'r, 'c> {
    /// The path is, or could be, forbidden.
    Hit(Hit<'r, 'c>),
    /// No rule forbids the path.
    Clear,
    /// It cannot be told which path is meant. The caller's policy for unknown paths applies.
    Unresolved(Unresolved),
}

impl<'r, 'c> Verdict<'r, 'c> {
    /// Returns the hit, if it is one.
    #[must_use]
    pub fn hit(self) -> Option<Hit<'r, 'c>> {
        match self {
            Self::Hit(hit) => Some(hit),
            Self::Clear | Self::Unresolved(_) => None,
        }
    }
}

/// Whether a hit depends on what a pattern expands to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// The path is forbidden, whatever its wildcards expand to.
    Certain,
    /// The path is a pattern that could expand to a forbidden path.
    Possible,
}

/// A rule that forbids a path.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'r, 'c> {
    set: &'r RuleSet,
    rule: &'r Rule,
    index: usize,
    certainty: Certainty,
    candidate: Candidate<'c>,
}

impl<'r, 'c> Hit<'r, 'c> {
    /// Returns the rule; [`Rule::text`] is what the user wrote.
    #[must_use]
    pub fn rule(&self) -> &'r Rule {
        self.rule
    }

    /// Returns the position of the rule in [`RuleSet::rules`].
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns whether the hit depends on what a pattern expands to.
    #[must_use]
    pub fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// Returns the path as it was given.
    #[must_use]
    pub fn candidate(&self) -> Candidate<'c> {
        self.candidate
    }

    /// Returns the path as it was understood; see [`RuleSet::resolve`].
    #[must_use]
    pub fn path(&self) -> String {
        // What does not resolve is never a hit.
        self.set.resolve(self.candidate).unwrap_or_else(|_| self.candidate.text().into())
    }
}
