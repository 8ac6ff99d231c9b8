//! The command line that runs a command in the sandbox, for hosts that start commands themselves. Pure.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
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
    /// Files and folders that no command may write, whatever the configuration says.
    pub protected: Vec<PathBuf>,
    /// Whether the project's configuration counts.
    pub trust_project: bool,
}

impl Wrapper {
    /// A wrapper that uses the user's own configuration alone.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            project: None,
            home: None,
            configs: Vec::new(),
            protected: Vec::new(),
            trust_project: false,
        }
    }

    /// Returns the argv that runs a command given as words.
    #[must_use]
    pub fn words(&self, command: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<OsString> {
        self.beginning().map(Into::into).chain(command.into_iter().map(Into::into)).collect()
    }

    /// Returns the argv that runs a text in bash.
    #[must_use]
    pub fn bash_words(&self, text: &str) -> Vec<OsString> {
        self.words(BASH.into_iter().chain([text]))
    }

    /// Returns a text for a shell that runs a text in bash. Paths that are no text are taken as near as can be.
    #[must_use]
    pub fn shell_text(&self, text: &str) -> String {
        let mut line = String::with_capacity(text.len() + 128);
        for word in self.beginning().chain(BASH.into_iter().map(OsStr::new)) {
            // Of a text `to_string_lossy` looks at each character, which costs more than all the rest.
            push_quoted(&mut line, &word.to_str().map_or_else(|| word.to_string_lossy(), Cow::Borrowed));
            line.push(' ');
        }
        push_quoted(&mut line, text);
        line
    }

    /// Returns the words before the command.
    fn beginning(&self) -> impl Iterator<Item = &OsStr> {
        let named = [("--project", &self.project), ("--home", &self.home)];
        let named = named.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)));
        let configs = self.configs.iter().map(|file| ("--config", file));
        let protected = self.protected.iter().map(|path| ("--protect", path));
        let valued = named
            .chain(configs)
            .chain(protected)
            .flat_map(|(option, path)| [OsStr::new(option), path.as_os_str()]);
        let call = [self.program.as_os_str(), OsStr::new("sandbox"), OsStr::new("run")];
        let trust = self.trust_project.then_some(OsStr::new("--trust-project"));
        call.into_iter().chain(trust).chain(valued).chain([OsStr::new("--")])
    }
}

/// What runs a text.
const BASH: [&str; 2] = ["bash", "-c"];

/// Quotes a word for a shell, if it needs it.
///
/// ```
/// assert_eq!(brakeline_sandbox::wrap::quote("it's"), r"'it'\''s'");
/// ```
#[must_use]
pub fn quote(word: &str) -> String {
    let mut quoted = String::new();
    push_quoted(&mut quoted, word);
    quoted
}

fn push_quoted(line: &mut String, word: &str) {
    let is_plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-:,@%+".contains(&byte));
    if is_plain {
        line.push_str(word);
        return;
    }
    line.push('\'');
    for (index, part) in word.split('\'').enumerate() {
        if index > 0 {
            line.push_str(r"'\''");
        }
        line.push_str(part);
    }
    line.push('\'');
}
