//! What the caller tells an analysis.

/// The longest text that is analysed, in bytes: positions, derived texts included, must fit 32 bits.
pub(crate) const MAX_LENGTH: usize = 1 << 30;

/// What is known of the place where a text will run, and how much work may go into it.
///
/// ```
/// use bash_commands::{Analyzer, Directory, Options};
///
/// let options = Options { cwd: Some("/srv"), ..Options::default() };
/// let mut analyzer = Analyzer::new();
/// let report = analyzer.analyze("cd data && ls", &options);
/// let ls = report.commands().last().unwrap();
/// assert_eq!(ls.cwd().collect::<Vec<_>>(), [Directory::Known("/srv/data")]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options<'a> {
    /// The absolute directory that the text is started in.
    pub cwd: Option<&'a str>,
    /// The home directory of the user that runs it; without it `~` and `$HOME` are unknown.
    pub home: Option<&'a str>,
    /// How deep constructs, functions and texts inside texts may nest before the rest is
    /// [`Incomplete`](crate::Incomplete). The default, 64, is safe on a stack of 256 KiB.
    pub max_depth: u32,
    /// Steps that each byte of the text pays for.
    pub steps_per_byte: u32,
    /// Steps that every text has besides. Steps count work, not time, so the same text always gets the same answer.
    pub base_steps: u32,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { cwd: None, home: None, max_depth: 64, steps_per_byte: 16, base_steps: 200_000 }
    }
}
