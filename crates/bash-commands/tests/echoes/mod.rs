//! What the `echo` commands of a text are given: as an analysis tells it, and as bash does it.

#![allow(dead_code, reason = "each test target uses its part")]

use bash_commands::{Analyzer, Command as Found, Directory, Kind, Options};
use std::path::Path;
use std::process::{Command, Stdio};

/// What every `echo` of the text is given, in any order; `None` when something of it is not known.
pub(crate) fn predicted(text: &str) -> Option<Vec<String>> {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let mut lines = Vec::new();
    for command in
        report.commands().filter(|command| command.name().is_some_and(|name| name.text() == "echo"))
    {
        let words: Vec<_> = command.argv().skip(1).collect();
        if words.iter().any(|word| word.kind() != Kind::Known) {
            return None;
        }
        lines.push(words.iter().map(|word| word.text()).collect::<Vec<_>>().join(" "));
    }
    Some(lines)
}

/// What one `echo` was given, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Echo {
    pub(crate) line: String,
    pub(crate) directory: String,
}

/// What bash gives to every `echo`, those in substitutions included, when it starts in `directory`. `None` without bash.
pub(crate) fn printed(text: &str, directory: &Path, variables: &[(&str, &str)]) -> Option<Vec<Echo>> {
    let script = format!(
        "ulimit -t 10; echo() {{ local IFS=' '; builtin printf '%s\\0%s\\0' \"$PWD\" \"$*\" >&9; builtin echo \"$@\"; }}; export -f echo; exec 9>&1 >/dev/null\n{text}"
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &script]).stdin(Stdio::null()).stderr(Stdio::null()).env_remove("BASH_ENV");
    bash.current_dir(directory).env("PWD", directory).env_remove("OLDPWD").env_remove("CDPATH");
    bash.envs(variables.iter().copied());
    let output = bash.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let parts: Vec<&str> = text.split_terminator('\0').collect();
    let echoes = parts.chunks_exact(2).filter_map(|pair| match pair {
        [directory, line] => Some(Echo { line: (*line).to_owned(), directory: (*directory).to_owned() }),
        _ => None,
    });
    Some(echoes.collect())
}

/// Whether what a command is given may be this line: an unknown word may be anything, any number of words too.
pub(crate) fn may_be(command: Found<'_>, line: &str) -> bool {
    let words = command.argv().skip(1);
    let text = words.map(|word| word.value().unwrap_or("\0").to_owned()).collect::<Vec<_>>().join(" ");
    let mut pieces = text.split('\0').map(|piece| piece.trim_matches(' '));
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = line.trim_matches(' ').strip_prefix(first) else { return false };
    let mut is_open = false;
    for piece in pieces {
        is_open = true;
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or("");
    }
    is_open || rest.is_empty()
}

/// Whether a command may run in a directory.
pub(crate) fn may_be_in(command: Found<'_>, directory: &str) -> bool {
    command.cwd().any(|candidate| match candidate {
        Directory::Unknown => true,
        Directory::Inherited(path) => path == Some(directory),
        Directory::Known(path) => path == directory,
        Directory::Relative(_) => false,
    })
}
