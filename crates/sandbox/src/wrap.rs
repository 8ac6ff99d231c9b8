//! The command line that runs a command in the sandbox, for hosts that start commands themselves. Pure.

use std::ffi::OsString;
use std::path::PathBuf;

/// How `brakeline sandbox run` is called.
///
/// ```
/// use brakeline_sandbox::wrap::Wrapper;
///
/// let mut wrapper = Wrapper::new("/usr/bin/brakeline");
/// wrapper.project = Some("/src/my app".into());
/// wrapper.trust_project = true;
/// assert_eq!(
///     wrapper.shell_text("echo 'a b'"),
///     r"/usr/bin/brakeline sandbox run --trust-project --project '/src/my app' -- bash -c 'echo '\''a b'\'''"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The program `brakeline`.
    pub program: PathBuf,
    /// What `.` in the configuration means; `None`: the directory in which the command starts.
    pub project: Option<PathBuf>,
    /// The home directory; `None`: that of the environment.
    pub home: Option<PathBuf>,
    /// Configuration files instead of the usual ones.
    pub configs: Vec<PathBuf>,
    /// Whether the project's configuration counts.
    pub trust_project: bool,
}

impl Wrapper {
    /// A wrapper that uses the user's own configuration alone.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), project: None, home: None, configs: Vec::new(), trust_project: false }
    }

    /// Returns the argv that runs a command given as words.
    #[must_use]
    pub fn words(&self, command: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into(), "sandbox".into(), "run".into()];
        if self.trust_project {
            words.push("--trust-project".into());
        }
        let named = [("--project", &self.project), ("--home", &self.home)];
        for (option, path) in named.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
            words.extend([option.into(), path.into()]);
        }
        words.extend(self.configs.iter().flat_map(|file| [OsString::from("--config"), file.into()]));
        words.push("--".into());
        words.extend(command.into_iter().map(Into::into));
        words
    }

    /// Returns the argv that runs a text in bash.
    #[must_use]
    pub fn bash_words(&self, text: &str) -> Vec<OsString> {
        self.words(["bash", "-c", text])
    }

    /// Returns a text for a shell that runs a text in bash. Paths that are no text are taken as near as can be.
    #[must_use]
    pub fn shell_text(&self, text: &str) -> String {
        let quoted: Vec<_> =
            self.bash_words(text).iter().map(|word| quote(&word.to_string_lossy())).collect();
        quoted.join(" ")
    }
}

/// Quotes a word for a shell, if it needs it.
///
/// ```
/// assert_eq!(brakeline_sandbox::wrap::quote("it's"), r"'it'\''s'");
/// ```
#[must_use]
pub fn quote(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-:,@%+".contains(&byte));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
