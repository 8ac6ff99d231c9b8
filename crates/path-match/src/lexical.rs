//! Reading a path as text: where it starts, and the steps it takes from there. No file system is asked.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::candidate::{Candidate, Unresolved};
use crate::glob;
use crate::set::Mode;

/// Whether a component is one of those that are dropped at the end of a path.
pub(crate) fn is_whole_wildcard(component: &str) -> bool {
    matches!(component, "*" | "**")
}

/// Drops trailing slashes and whole trailing components `*` and `**`; the root becomes the empty text.
pub(crate) fn without_trailing_wildcards(path: &str) -> &str {
    let mut kept = path;
    loop {
        kept = kept.trim_end_matches('/');
        let (parent, last) = kept.rsplit_once('/').unwrap_or(("", kept));
        if !is_whole_wildcard(last) {
            return kept;
        }
        kept = parent;
    }
}

/// One step of a path, from the root on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Enter(Component<'a>),
    /// `..`, in lexical mode only.
    Leave,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<'a> {
    pub(crate) text: &'a str,
    pub(crate) origin: Origin,
}

/// Where a component comes from decides what its characters mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A known path: no character is special, except that a trailing `*` or `**` is dropped.
    Known,
    /// The directory in front of a pattern: no character is special at all.
    Base,
    /// A pattern.
    Pattern,
}

/// A candidate with its start found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route<'a> {
    mode: Mode,
    pub(crate) absolute: bool,
    base: &'a str,
    tail: &'a str,
    glob: bool,
}

impl<'a> Route<'a> {
    /// Finds the start. In *as written* mode nothing but the first slash is looked at.
    pub(crate) fn new(
        candidate: Candidate<'a>,
        mode: Mode,
        home: Option<&'a str>,
    ) -> Result<Self, Unresolved> {
        let glob = candidate.glob;
        match mode {
            Mode::AsWritten => Ok(Self {
                mode,
                absolute: candidate.text.starts_with('/'),
                base: "",
                tail: candidate.text.strip_prefix('/').unwrap_or(candidate.text),
                glob,
            }),
            Mode::Lexical => {
                let (base, tail) = anchor(candidate, home)?;
                Ok(Self { mode, absolute: true, base, tail, glob })
            }
        }
    }

    /// The same route without its trailing slashes and wildcards, where those are dropped as text. In lexical mode
    /// they can only be told once `..` is resolved: see [`Position`](crate::trie::Position).
    pub(crate) fn trimmed(self) -> Self {
        match self.mode {
            Mode::AsWritten => Self { tail: without_trailing_wildcards(self.tail), ..self },
            Mode::Lexical => self,
        }
    }

    pub(crate) fn is_lexical(self) -> bool {
        self.mode == Mode::Lexical
    }

    /// Whether a component of the pattern, if it is one, has a live wildcard.
    pub(crate) fn has_wildcard(self) -> bool {
        self.glob && glob::is_wild(self.tail)
    }

    pub(crate) fn steps(self) -> impl Iterator<Item = Step<'a>> {
        let (of_base, of_tail) =
            if self.glob { (Origin::Base, Origin::Pattern) } else { (Origin::Known, Origin::Known) };
        let base = self.base.split('/').filter(|text| !text.is_empty());
        let tail = (!self.tail.is_empty()).then(|| self.tail.split('/')).into_iter().flatten();
        base.map(move |text| Component { text, origin: of_base })
            .chain(tail.map(move |text| Component { text, origin: of_tail }))
            .filter_map(move |component| self.step(component))
    }

    fn step(self, component: Component<'a>) -> Option<Step<'a>> {
        match self.mode {
            Mode::Lexical if component.text.is_empty() || component.is(".") => None,
            Mode::Lexical if component.is("..") => Some(Step::Leave),
            Mode::AsWritten | Mode::Lexical => Some(Step::Enter(component)),
        }
    }

    /// Writes the route as one path; in lexical mode it is absolute and has neither `.`, `..` nor empty components.
    ///
    /// A known path loses its trailing wildcards. A pattern keeps them, since there they stand for real names.
    pub(crate) fn to_path(self) -> String {
        let route = if self.glob { self } else { self.trimmed() };
        let mut kept = Vec::new();
        for step in route.steps() {
            match step {
                Step::Enter(component) => kept.push(component),
                Step::Leave => drop(kept.pop()),
            }
        }
        while kept.last().is_some_and(Component::is_dropped_at_end) {
            kept.pop();
        }
        let mut path = String::new();
        for (nth, component) in kept.iter().enumerate() {
            if self.absolute || nth > 0 {
                path.push('/');
            }
            path.push_str(&component.source());
        }
        if path.is_empty() && self.absolute {
            path.push('/');
        }
        path
    }
}

impl<'a> Component<'a> {
    /// Whether this is a `*` or `**` that would be dropped at the end of a known path.
    fn is_dropped_at_end(&self) -> bool {
        self.origin == Origin::Known && is_whole_wildcard(self.text)
    }

    fn is(&self, name: &str) -> bool {
        match self.origin {
            Origin::Known | Origin::Base => self.text == name,
            Origin::Pattern => self.text == name || glob::unescaped(self.text) == name,
        }
    }

    /// The text that means this component in a path of the same kind.
    fn source(&self) -> Cow<'a, str> {
        match self.origin {
            Origin::Known | Origin::Pattern => Cow::Borrowed(self.text),
            Origin::Base => glob::escaped(self.text),
        }
    }
}

/// Splits a candidate into the directory it starts from and the text that goes on from there.
fn anchor<'a>(candidate: Candidate<'a>, home: Option<&'a str>) -> Result<(&'a str, &'a str), Unresolved> {
    let text = candidate.text;
    let absolute = |path: &&str| path.starts_with('/');
    if text.starts_with('/') {
        return Ok(("", text));
    }
    if !candidate.quoted {
        if let Some(rest) = after_home(text) {
            return Ok((home.filter(absolute).ok_or(Unresolved::NoHome)?, rest));
        }
        if text.starts_with('~') {
            return Err(Unresolved::OtherHome);
        }
    }
    Ok((candidate.cwd.filter(absolute).ok_or(Unresolved::NoWorkingDirectory)?, text))
}

fn after_home(text: &str) -> Option<&str> {
    ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|home| text.strip_prefix(home).filter(|rest| rest.is_empty() || rest.starts_with('/')))
}
