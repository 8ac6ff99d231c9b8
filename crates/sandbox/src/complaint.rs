//! Which rules stand behind what a command complained about.
//!
//! The kernel tells a command `EROFS` or `EACCES` and no reason. What the command makes of that is a line such as
//! `touch: cannot touch '/etc/x': Read-only file system`; the path in it, asked of the policy, gives the rule.

use crate::policy::Policy;
use crate::tree::Tree;
use crate::verdict::Verdict;
use std::path::Path;

/// More refusals than this are not told.
const MOST: usize = 8;
/// No more lines than this are looked into.
const MOST_LINES: usize = 64;
/// A longer line is no complaint.
const LONGEST: usize = 4096;

/// Finds the paths in a command's output that the policy refuses, where the output says that the system refused them.
///
/// Relative paths start in the directory in which the command did. Each refusal is told once, in the order of the output,
/// and no more than eight are. What is refused for other reasons (an owner, a mode, a path that is not there) is not told.
/// Looks at the file system through `tree` alone, at a few places for each of the last 64 complaints.
///
/// ```
/// use brakeline_sandbox::complaint::refused;
/// use brakeline_sandbox::config::Config;
/// use brakeline_sandbox::policy::{Place, Policy};
/// use brakeline_sandbox::tree::HostTree;
/// use brakeline_settings::Language;
///
/// let policy = Policy::new(&Config::default(), &Place::of_pi("/src/app", "/home/ada"), &HostTree)?;
/// let told = refused("touch: cannot touch '/etc/x': Read-only file system\n", &policy, &HostTree);
/// assert_eq!(
///     told.iter().map(|verdict| verdict.text(Language::En)).collect::<Vec<_>>(),
///     ["`/etc/x` is denied by the sandbox: no `filesystem.allowWrite` covers it"]
/// );
/// # Ok::<(), brakeline_sandbox::policy::PolicyError>(())
/// ```
#[must_use]
pub fn refused(output: &str, policy: &Policy, tree: &dyn Tree) -> Vec<Verdict> {
    let complaints = output.lines().rev().filter_map(Complaint::of).take(MOST_LINES);
    let complaints: Vec<_> = complaints.collect();
    let mut told: Vec<Verdict> = Vec::new();
    for complaint in complaints.iter().rev() {
        let verdict = complaint.paths().into_iter().map(|path| complaint.judge(path, policy, tree));
        let refusal = verdict.into_iter().find(|verdict| !verdict.allowed);
        told.extend(refusal.filter(|refusal| !told.contains(refusal)));
    }
    told.truncate(MOST);
    told
}

/// What the system said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Errno {
    /// Something was to be written: `EROFS`; or a mount point was to be moved: `EBUSY`.
    Write,
    /// `EACCES`, and `ENOENT` for what lies in a hidden directory.
    Read,
}

/// How the C library says it, in lower case, in the languages of this crate's texts.
const PHRASES: [(&str, Errno); 8] = [
    ("read-only file system", Errno::Write),
    // musl leaves the device out.
    ("resource busy", Errno::Write),
    ("permission denied", Errno::Read),
    ("no such file or directory", Errno::Read),
    ("只读文件系统", Errno::Write),
    ("设备或资源忙", Errno::Write),
    ("权限不够", Errno::Read),
    ("没有那个文件或目录", Errno::Read),
];

/// A line that says that something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Complaint<'a> {
    /// What stands before the system's words.
    before: &'a str,
    /// What stands behind them.
    behind: &'a str,
    errno: Errno,
}

impl<'a> Complaint<'a> {
    fn of(line: &'a str) -> Option<Self> {
        if line.len() > LONGEST {
            return None;
        }
        // Of ASCII alone, so that places are the same in both.
        let lower = line.to_ascii_lowercase();
        PHRASES.iter().find_map(|(phrase, errno)| {
            let at = lower.rfind(phrase)?;
            let (before, rest) = line.split_at_checked(at)?;
            Some(Self { before, behind: rest.get(phrase.len()..)?, errno: *errno })
        })
    }

    /// Returns what may be the path, the likeliest first: what is quoted; or else what has a slash; or else what stands alone
    /// between colons, behind the name of the program.
    fn paths(self) -> Vec<&'a str> {
        // The nearer, the likelier: of `cannot move 'a' to 'b'` it is more often the second.
        let both = |find: fn(&'a str) -> Vec<&'a str>| -> Vec<&'a str> {
            find(self.before).into_iter().rev().chain(find(self.behind)).collect()
        };
        let quoted = both(quoted);
        if !quoted.is_empty() {
            return quoted;
        }
        let slashed = both(slashed);
        if !slashed.is_empty() {
            return slashed;
        }
        let before: Vec<_> = alone(self.before).collect();
        let behind: Vec<_> = alone(self.behind).collect();
        let has_program = before.len() + behind.len() > 1;
        before.into_iter().skip(usize::from(has_program)).rev().chain(behind).collect()
    }

    fn judge(self, path: &str, policy: &Policy, tree: &dyn Tree) -> Verdict {
        let path = policy.start().join(Path::new(path));
        match self.errno {
            Errno::Write => policy.may_write(tree, &path),
            Errno::Read => policy.may_read(tree, &path),
        }
    }
}

/// The marks that programs put around names, and what ends them.
const QUOTES: [(char, char); 5] = [('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’'), ('“', '”')];

/// Returns what stands in quotes. A mark inside a word, as in `can't`, is none.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut is_inside_word = false;
    while let Some(mark) = rest.chars().next() {
        let behind = rest.get(mark.len_utf8()..).unwrap_or_default();
        let close = QUOTES.iter().find(|(open, _)| *open == mark && !is_inside_word).map(|(_, close)| *close);
        let name = close.and_then(|close| behind.split_once(close)).filter(|(name, _)| !name.is_empty());
        (rest, is_inside_word) = match name {
            Some((name, behind)) => {
                found.push(name);
                (behind, false)
            }
            None => (behind, mark.is_alphanumeric()),
        };
    }
    found
}

/// Returns the words with a slash in them, without what punctuation hangs on them.
fn slashed(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches([':', ',', ';', '(', ')']));
    words.filter(|word| word.contains('/') && !word.contains("://")).collect()
}

/// Returns the single words between colons.
fn alone(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(": ").map(|part| part.trim_matches([' ', ':']));
    parts.filter(|part| !part.is_empty() && !part.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::policy::Place;
    use crate::tree::HostTree;
    use proptest::prelude::*;

    /// A line as programs write it, with the marks that could lead astray.
    fn line() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("touch: cannot touch '/etc/x'"),
            Just(": Read-only file system"),
            Just(": permission denied: "),
            Just("“/srv/é"),
            Just("keep/file"),
            Just("'"),
            Just("’: "),
            Just("ﬁ只读文件系统"),
        ];
        let parts = prop::collection::vec(prop_oneof![part.prop_map(str::to_owned), ".{0,8}"], 0..6);
        parts.prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn what_is_told_is_refused_and_told_once(lines in prop::collection::vec(line(), 0..20)) {
            let place = Place::of_pi("/src/app", "/home/ada");
            let policy = Policy::new(&Config::default(), &place, &HostTree).unwrap();
            let told = refused(&lines.join("\n"), &policy, &HostTree);
            prop_assert!(told.len() <= MOST && told.iter().all(|verdict| !verdict.allowed));
            let once = told.iter().enumerate().all(|(at, verdict)| !told[..at].contains(verdict));
            prop_assert!(once, "{told:?}");
        }
    }

    #[test]
    fn the_path_is_found_as_programs_write_it() {
        for (line, expected) in [
            ("bash: line 1: /etc/x: Read-only file system", Some("/etc/x")),
            ("bash: line 1: file: Read-only file system", Some("file")),
            ("/etc/x: Permission denied", Some("/etc/x")),
            ("file: Permission denied", Some("file")),
            ("touch: cannot touch 'keep/file': Read-only file system", Some("keep/file")),
            ("touch: cannot touch 'a b': Read-only file system", Some("a b")),
            ("touch: cannot touch ‘keep’: Read-only file system", Some("keep")),
            ("cp: cannot open '.env' for reading: Permission denied", Some(".env")),
            ("mv: cannot move 'keep' to 'gone': Device or resource busy", Some("gone")),
            ("cat: .env: Permission denied", Some(".env")),
            ("sh: 1: cannot create /etc/x: Read-only file system", Some("/etc/x")),
            ("zsh:1: read-only file system: /etc/x", Some("/etc/x")),
            ("zsh:1: read-only file system: x", Some("x")),
            ("tar: etc.tar: Cannot open: Read-only file system", Some("etc.tar")),
            (
                "sed: couldn't open temporary file /etc/sedN8CSws: Read-only file system",
                Some("/etc/sedN8CSws"),
            ),
            ("OSError: [Errno 30] Read-only file system: '/etc/x'", Some("/etc/x")),
            ("Error: EROFS: read-only file system, open '/etc/x'", Some("/etc/x")),
            ("open /etc/x: read-only file system", Some("/etc/x")),
            ("error: could not lock config file .git/config: Read-only file system", Some(".git/config")),
            ("touch: 无法 touch '/etc/x': 只读文件系统", Some("/etc/x")),
            ("cannot: Read-only file system at -e line 1.", Some("cannot")),
            ("Read-only file system", None),
            (": permission denied", None),
        ] {
            let complaint = Complaint::of(line).unwrap();
            assert_eq!(complaint.paths().first().copied(), expected, "{line}");
        }
        assert_eq!(Complaint::of("touch: cannot touch 'x': No space left on device"), None);
        assert_eq!(Complaint::of(&format!("{}: Permission denied", "x".repeat(LONGEST))), None);
    }

    #[test]
    fn a_second_path_is_not_forgotten() {
        let complaint = Complaint::of("mv: cannot move 'keep' to 'gone': Device or resource busy").unwrap();
        assert_eq!(complaint.paths(), ["gone", "keep"]);
    }
}
