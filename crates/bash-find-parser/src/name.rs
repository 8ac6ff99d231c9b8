//! Is this the name of find?

const NAME: &[u8] = b"find";
/// As it is written on Windows.
const FULL_NAME: &[u8] = b"find.exe";

/// Returns whether a name, or a path's last component, is `find` in any case, with or without `.exe`.
///
/// Case does not count because it does not on the file systems of Windows and macOS.
pub(crate) fn is_find(name: &str) -> bool {
    let name = name.as_bytes();
    let start = name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let base = name.get(start..).unwrap_or_default();
    base.eq_ignore_ascii_case(NAME) || base.eq_ignore_ascii_case(FULL_NAME)
}

/// Returns whether a name of which only the beginning is known may turn out to be find's. The rest is not taken to
/// bring a folder of its own when something else than find's name has begun (`python$X`).
pub(crate) fn may_become_find(beginning: &str) -> bool {
    let base = beginning.rsplit('/').next().unwrap_or(beginning).as_bytes();
    FULL_NAME.get(..base.len()).is_some_and(|start| start.eq_ignore_ascii_case(base))
}

/// Returns whether the file name pattern may expand to a path whose last component is find's name.
pub(crate) fn pattern_may_be_find(pattern: &str) -> bool {
    let base = pattern.rsplit('/').next().unwrap_or(pattern).as_bytes();
    matches(base, NAME) || matches(base, FULL_NAME)
}

/// Matches one component of a path against a pattern. What is more than `*`, `?`, `[…]` and `\x` (an extended
/// pattern) counts as a match of anything.
///
/// Backtracks to the last star only, so it costs at most the product of the lengths, and the name has eight bytes.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut retry = None;
    loop {
        let rest = pattern.get(at..).unwrap_or_default();
        let step = match (rest, name.get(seen)) {
            ([], None) | ([b'?' | b'*' | b'+' | b'@' | b'!', b'(', ..], _) => return true,
            ([b'*', ..], _) => {
                retry = Some((at + 1, seen));
                at += 1;
                continue;
            }
            ([b'?', ..], Some(_)) => Some(1),
            // Without its end a bracket stands for itself, and find's name has none.
            ([b'[', set @ ..], Some(&byte)) => match bracket(set, byte) {
                Some((true, length)) => Some(1 + length),
                Some((false, _)) | None => None,
            },
            ([b'\\', literal, ..], Some(byte)) => literal.eq_ignore_ascii_case(byte).then_some(2),
            ([literal, ..], Some(byte)) => literal.eq_ignore_ascii_case(byte).then_some(1),
            ([], Some(_)) | ([_, ..], None) => None,
        };
        match (step, retry) {
            (Some(length), _) => {
                at += length;
                seen += 1;
            }
            (None, Some((star, from))) if from < name.len() => {
                retry = Some((star, from + 1));
                (at, seen) = (star, from + 1);
            }
            (None, _) => return false,
        }
    }
}

/// Reads a bracket expression behind its `[`: whether it holds `byte`, and how long it is, `]` included.
fn bracket(set: &[u8], byte: u8) -> Option<(bool, usize)> {
    let negated = matches!(set.first(), Some(b'!' | b'^'));
    let start = usize::from(negated);
    let (mut end, mut has_class) = (start, false);
    loop {
        end = match *set.get(end)? {
            // Right at the beginning it is a member.
            b']' if end > start => break,
            b'[' => match class_end(set, end) {
                Some(behind) => {
                    has_class = true;
                    behind
                }
                None => end + 1,
            },
            _ => end + 1,
        };
    }
    // Classes (`[[:alpha:]]`) are not looked into.
    if has_class {
        return Some((true, end + 1));
    }
    let members = set.get(start..end)?;
    let lower = byte.to_ascii_lowercase();
    let is_member = members.iter().any(|member| member.eq_ignore_ascii_case(&byte))
        || members
            .windows(3)
            .any(|range| matches!(range, [low, b'-', high] if (low..=high).contains(&&lower)));
    Some((is_member != negated, end + 1))
}

/// Returns the place behind the class, equivalence or collating symbol whose bracket is at `at`: `[:alpha:]`.
fn class_end(set: &[u8], at: usize) -> Option<usize> {
    let mark = *set.get(at + 1)?;
    if !matches!(mark, b':' | b'=' | b'.') {
        return None;
    }
    let closes = set.get(at + 2..)?.windows(2).position(|pair| pair == [mark, b']'])?;
    Some(at + 2 + closes + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["find", "FIND", "/usr/bin/find", "./Find", "/usr/bin/../bin/find", "find.exe"] {
            assert!(is_find(name), "{name}");
        }
        for name in ["", "findstr", "find2", "gfind", "bfs", "fd", "find/", "find /", "/find/x", "-find"] {
            assert!(!is_find(name), "{name}");
        }
    }

    #[test]
    fn patterns() {
        for pattern in [
            "/usr/bin/f?nd",
            "/*/bin/fi[n]d",
            "/b*/*",
            "f*",
            "[a-z]ind",
            "[!x]ind",
            "fi\\nd",
            "f*d",
            "*n*",
            "@(find|x)",
        ] {
            assert!(pattern_may_be_find(pattern), "{pattern}");
        }
        for pattern in
            ["/usr/bin/f?", "g*", "/f*/x", "fi[xyz]d", "[!f]ind", "f*z", "find?", "fin[d", "[^f]*d\\*"]
        {
            assert!(!pattern_may_be_find(pattern), "{pattern}");
        }
    }

    #[test]
    fn beginnings() {
        for beginning in ["", "f", "/usr/bin/", "Fin", "find", "/opt/find.e"] {
            assert!(may_become_find(beginning), "{beginning}");
        }
        for beginning in ["python", "/opt/x", "findx", "-f"] {
            assert!(!may_become_find(beginning), "{beginning}");
        }
    }
}
