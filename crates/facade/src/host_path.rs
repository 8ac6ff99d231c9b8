//! What a host makes of the text of a path, so that what is judged and leased is the file that the host will touch.

use crate::host::PathRules;
use std::borrow::Cow;

/// Why it cannot be told which file a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// It begins with `~`, and the home directory is not known.
    #[error("the path begins with `~`, but the home directory is not known; write it out")]
    NoHome,
    /// It is relative, and the working directory is not known.
    #[error("the path is relative, but the working directory is not known; write it out from `/`")]
    NoWorkingDirectory,
    /// It is a URL of a file on another machine.
    #[error("the path is a URL of a file on another machine")]
    OtherMachine,
    /// It is a URL whose percent signs do not stand for a path.
    #[error("the path is a URL that does not stand for a path; write the path itself")]
    NotAPath,
}

/// Returns the path that a host makes of `text`, relative or absolute.
///
/// In this order: spaces are turned plain, one leading `@` is taken off, `~` is expanded, a `file://` URL is decoded.
///
/// ```
/// use brakeline::{PathRules, host_path::prepare};
///
/// let home = Some("/home/ada");
/// assert_eq!(prepare("@src/main.rs", PathRules::ALL, home)?, "src/main.rs");
/// assert_eq!(prepare("~/a\u{a0}b", PathRules::ALL, home)?, "/home/ada/a b");
/// assert_eq!(prepare("file:///etc/a%20b", PathRules::ALL, home)?, "/etc/a b");
/// assert_eq!(prepare("@src/main.rs", PathRules::NONE, home)?, "@src/main.rs");
/// # Ok::<(), brakeline::host_path::PathProblem>(())
/// ```
///
/// # Errors
///
/// If the home directory is needed and not known, or the URL is not one of a file on this machine.
pub fn prepare<'t>(text: &'t str, rules: PathRules, home: Option<&str>) -> Result<Cow<'t, str>, PathProblem> {
    let mut path = Cow::Borrowed(text);
    if rules.plain_spaces && path.contains(is_odd_space) {
        path = Cow::Owned(path.replace(is_odd_space, " "));
    }
    if rules.strip_at && path.starts_with('@') {
        path = without_first(path);
    }
    if rules.expand_home {
        if path == "~" {
            return home.map(|home| Cow::Owned(home.to_owned())).ok_or(PathProblem::NoHome);
        }
        if let Some(rest) = path.strip_prefix("~/") {
            return home.map(|home| Cow::Owned(format!("{home}/{rest}"))).ok_or(PathProblem::NoHome);
        }
    }
    match path.strip_prefix("file://").filter(|_| rules.file_urls) {
        Some(rest) => path_of_url(rest).map(Cow::Owned),
        None => Ok(path),
    }
}

/// Returns the absolute path that a host makes of `text`.
///
/// ```
/// use brakeline::{PathRules, host_path::absolute};
///
/// let path = |text| absolute(text, PathRules::ALL, Some("/srv/app"), Some("/home/ada"));
/// assert_eq!(path("src/../a.txt")?, "/srv/app/a.txt");
/// assert_eq!(path("~/a.txt")?, "/home/ada/a.txt");
/// # Ok::<(), brakeline::host_path::PathProblem>(())
/// ```
///
/// # Errors
///
/// As [`prepare`], or if the working directory is needed and not known.
pub fn absolute(
    text: &str,
    rules: PathRules,
    cwd: Option<&str>,
    home: Option<&str>,
) -> Result<String, PathProblem> {
    let path = prepare(text, rules, home)?;
    let path = if path.starts_with('/') {
        path.into_owned()
    } else {
        format!("{}/{path}", cwd.filter(|cwd| cwd.starts_with('/')).ok_or(PathProblem::NoWorkingDirectory)?)
    };
    Ok(if rules.lexical { resolved(&path) } else { path })
}

/// The spaces that word processors and file dialogs put in place of plain ones.
fn is_odd_space(char: char) -> bool {
    matches!(char, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

fn without_first(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => {
            let mut chars = text.chars();
            chars.next();
            Cow::Borrowed(chars.as_str())
        }
        Cow::Owned(mut text) => {
            text.remove(0);
            Cow::Owned(text)
        }
    }
}

/// Returns the path of a URL, without its `file://`, as the WHATWG URL standard and Node.js read it.
fn path_of_url(rest: &str) -> Result<String, PathProblem> {
    // Tabs and line breaks do not count in a URL, and a backslash is a slash in one of a file.
    let rest: String = rest.chars().filter(|char| !matches!(char, '\t' | '\n' | '\r')).collect();
    let rest = rest.replace('\\', "/");
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (machine, path) = match rest.find('/') {
        Some(at) => rest.split_at_checked(at).unwrap_or((rest, "")),
        None => (rest, "/"),
    };
    if !(machine.is_empty() || machine.eq_ignore_ascii_case("localhost")) {
        return Err(PathProblem::OtherMachine);
    }
    decoded(path).ok_or(PathProblem::NotAPath)
}

/// Decodes percent signs; `None` if one of them stands for a slash or what comes out is no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            byte => {
                bytes.push(byte);
                continue;
            }
        };
        if byte == b'/' {
            return None;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Resolves `.`, `..` and repeated slashes of an absolute path, in its text alone.
fn resolved(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => _ = components.pop(),
            component => components.push(component),
        }
    }
    format!("/{}", components.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_the_host_reads_it() {
        let all = |text| absolute(text, PathRules::ALL, Some("/w"), Some("/home/ada"));
        for (text, expected) in [
            ("a", Ok("/w/a")),
            ("@a", Ok("/w/a")),
            ("@@a", Ok("/w/@a")),
            ("@~/a", Ok("/home/ada/a")),
            ("~", Ok("/home/ada")),
            ("~ada/a", Ok("/w/~ada/a")),
            ("a\u{202f}b\u{3000}c", Ok("/w/a b c")),
            ("\u{a0}@a", Ok("/w/ @a")),
            ("file:///a%20b", Ok("/a b")),
            ("@file:///a", Ok("/a")),
            ("file://localhost/a", Ok("/a")),
            ("file://", Ok("/")),
            ("file:///a?q#f", Ok("/a")),
            ("file:///a%3Fb", Ok("/a?b")),
            ("file:///a/%2e%2e/b", Ok("/b")),
            ("file:///a\\b", Ok("/a/b")),
            ("file://server/a", Err(PathProblem::OtherMachine)),
            ("file:///a%2Fb", Err(PathProblem::NotAPath)),
            ("file:///a%zz", Err(PathProblem::NotAPath)),
            ("file:///a%", Err(PathProblem::NotAPath)),
            ("file:///a%ff", Err(PathProblem::NotAPath)),
            ("FILE:///a", Ok("/w/FILE:/a")),
            ("/a//b/./../c/", Ok("/a/c")),
            ("../../x", Ok("/x")),
            ("", Ok("/w")),
        ] {
            assert_eq!(all(text).as_deref().map_err(|problem| *problem), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        let rules = PathRules::ALL;
        assert_eq!(absolute("~/a", rules, Some("/w"), None), Err(PathProblem::NoHome));
        assert_eq!(absolute("a", rules, None, Some("/h")), Err(PathProblem::NoWorkingDirectory));
        assert_eq!(absolute("a", rules, Some("w"), None), Err(PathProblem::NoWorkingDirectory));
        assert_eq!(absolute("/a/../b", PathRules::NONE, None, None).as_deref(), Ok("/a/../b"));
    }
}
