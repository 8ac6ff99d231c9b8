//! The arguments of one command, as far as the text fixes them.

/// One argument of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The value when it is known; otherwise the beginning that is known, which may be empty (`--user=` of
    /// `--user=$X`, `/e` of `/e*`, nothing of `$X`).
    pub text: &'a str,
    /// The whole value is known.
    pub known: bool,
    /// The argument is not known and may stand for any number of arguments, none included (an unquoted `$X`, `"$@"`).
    /// Never set together with [`known`](Self::known).
    pub splice: bool,
}

impl<'a> Argument<'a> {
    /// Makes an argument whose whole value is known.
    #[must_use]
    pub const fn known(text: &'a str) -> Self {
        Self { text, known: true, splice: false }
    }

    /// Makes one argument of which only the beginning is known.
    #[must_use]
    pub const fn unknown(prefix: &'a str) -> Self {
        Self { text: prefix, known: false, splice: false }
    }

    /// Makes a stretch of any number of arguments.
    #[must_use]
    pub const fn splice(prefix: &'a str) -> Self {
        Self { text: prefix, known: false, splice: true }
    }

    /// Returns the value, when the whole of it is known.
    #[must_use]
    pub fn value(&self) -> Option<&'a str> {
        self.known.then_some(self.text)
    }

    /// Returns whether nothing at all is known, so that the argument may be an option, an operand or a command's name.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.known && self.text.is_empty()
    }
}

/// The arguments of one command; the first is the command's name.
///
/// A slice of [`Argument`]s or of strings is one.
pub trait Arguments {
    /// Returns the number of arguments, the name included.
    fn len(&self) -> usize;

    /// Returns the argument at `index`.
    fn get(&self, index: usize) -> Option<Argument<'_>>;

    /// Returns whether there is not even a name.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Arguments for [Argument<'_>] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        <[_]>::get(self, index).copied()
    }
}

impl Arguments for [&str] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        <[_]>::get(self, index).map(|text| Argument::known(text))
    }
}

impl Arguments for [alloc::string::String] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        <[_]>::get(self, index).map(|text| Argument::known(text))
    }
}

impl<A: Arguments + ?Sized> Arguments for &A {
    fn len(&self) -> usize {
        A::len(self)
    }
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        A::get(self, index)
    }
}
