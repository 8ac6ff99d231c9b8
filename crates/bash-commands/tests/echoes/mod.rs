//! What the `echo` commands of a text are given: as an analysis tells it, and as bash does it.

#![allow(dead_code, reason = "each test target uses its part")]

use bash_commands::{Analyzer, Command as Found, Kind, Options};
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

/// What bash gives to every `echo`, those in substitutions included.
pub(crate) fn printed(text: &str, variables: &[(&str, &str)]) -> Option<Vec<String>> {
    let script = format!(
        "ulimit -t 10; echo() {{ local IFS=' '; builtin printf '%s\\0' \"$*\" >&9; builtin echo \"$@\"; }}; export -f echo; exec 9>&1 >/dev/null\n{text}"
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &script]).stdin(Stdio::null()).stderr(Stdio::null()).env_remove("BASH_ENV");
    bash.envs(variables.iter().copied());
    let output = bash.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split_terminator('\0').map(str::to_owned).collect())
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
