//! A policy: rules and switches.

use crate::pattern::{Pattern, PatternError, base_name};
use crate::specificity::Specificity;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// What a rule does with the commands that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// They may run.
    Allow,
    /// They may not.
    Deny,
}

/// The switches of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `allowMultiple`: one text may hold several commands: lists, substitutions, subshells, `if`, loops, functions.
    pub allow_multiple: bool,
    /// `allowPipe`: pipelines of several commands may be run.
    pub allow_pipe: bool,
    /// `strictAllow`: allow rules are read by [`Pattern::admits_strictly`], not by bare containment.
    pub strict_allow: bool,
}

impl Default for Options {
    /// The defaults of `sandbox.json`: one command, pipes allowed, strict.
    fn default() -> Self {
        Self { allow_multiple: false, allow_pipe: true, strict_allow: true }
    }
}

/// A pattern and what is done with the commands that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it matches.
    pub pattern: Pattern,
    /// What it does.
    pub action: Action,
}

impl Rule {
    /// What decides between rules; see [`Specificity`]. Of two that are equal, deny is the greater.
    pub(crate) fn rank(&self) -> (Specificity, Action) {
        (self.pattern.specificity(), self.action)
    }
}

/// Rules and switches, made ready to judge commands.
///
/// A command meets only the rules that name its program and those for any program, so a judgement does not grow with the
/// rules for others.
///
/// The default has no rules, and so refuses every command.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    options: Options,
    /// The most specific first.
    rules: Vec<Rule>,
    /// By the last component of the program's path, indices into `rules`, in their order.
    by_name: BTreeMap<String, Vec<usize>>,
    /// The rules for any program.
    for_any: Vec<usize>,
}

impl Policy {
    /// Makes a policy. The order of the rules is of no account.
    ///
    /// ```
    /// use shell_permissions::{Action, Options, Policy};
    ///
    /// let policy = Policy::new(Options::default(), [("*", Action::Deny), ("git *", Action::Allow)])?;
    /// assert_eq!(policy.rules().len(), 2);
    /// # Ok::<(), shell_permissions::PatternError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When a pattern is blank.
    pub fn new<P: AsRef<str>>(
        options: Options,
        rules: impl IntoIterator<Item = (P, Action)>,
    ) -> Result<Self, PatternError> {
        let parse = |(text, action): (P, Action)| {
            Pattern::parse(text.as_ref()).map(|pattern| Rule { pattern, action })
        };
        let mut rules = rules.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        // The text settles what is left, so that the same rules are always told in the same order.
        rules.sort_by(|a, b| (b.rank(), b.pattern.text()).cmp(&(a.rank(), a.pattern.text())));
        rules.dedup();
        let mut by_name = BTreeMap::<String, Vec<usize>>::new();
        let mut for_any = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            match rule.pattern.name() {
                Some(name) => by_name.entry(base_name(name).into()).or_default().push(index),
                None => for_any.push(index),
            }
        }
        Ok(Self { options, rules, by_name, for_any })
    }

    /// Returns the switches.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Returns the rules, the most specific first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns whether the rule for every command is to allow it.
    #[must_use]
    pub fn allows_any(&self) -> bool {
        self.for_any
            .iter()
            .filter_map(|index| self.rules.get(*index))
            .find(|rule| rule.pattern.is_any())
            .is_some_and(|rule| rule.action == Action::Allow)
    }

    /// Returns the rules that may match a program of this name, the most specific first; all of them when the name is not
    /// known.
    pub(crate) fn rules_for<'a>(&'a self, name: Option<&str>) -> impl Iterator<Item = &'a Rule> {
        let named = name.and_then(|name| self.by_name.get(base_name(name))).map_or(&[][..], Vec::as_slice);
        let all = if name.is_none() { self.rules.as_slice() } else { &[] };
        let some = Merged { left: named, right: &self.for_any };
        let some = some.filter_map(|index| self.rules.get(index)).filter(move |_| all.is_empty());
        all.iter().chain(some)
    }
}

/// Two ascending lists, as one.
struct Merged<'a> {
    left: &'a [usize],
    right: &'a [usize],
}

impl Iterator for Merged<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let from_left = match (self.left.first(), self.right.first()) {
            (Some(left), Some(right)) => left < right,
            (left, _) => left.is_some(),
        };
        let list = if from_left { &mut self.left } else { &mut self.right };
        let (first, rest) = list.split_first()?;
        *list = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_may_match_is_asked_in_the_order_of_specificity() {
        let rules = ["*", "git *", "* --force", "/usr/bin/git push", "git push *", "rg *"];
        let policy = Policy::new(Options::default(), rules.map(|text| (text, Action::Deny))).unwrap();
        let texts = |name| policy.rules_for(name).map(|rule| rule.pattern.text()).collect::<Vec<_>>();
        assert_eq!(texts(Some("git")), ["/usr/bin/git push", "git push *", "* --force", "git *", "*"]);
        assert_eq!(texts(Some("/x/rg")), ["* --force", "rg *", "*"]);
        assert_eq!(texts(Some("ls")), ["* --force", "*"]);
        assert_eq!(texts(None).len(), rules.len());
    }
}
