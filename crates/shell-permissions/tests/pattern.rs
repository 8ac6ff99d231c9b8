//! What one pattern says of the words of one command, the edges included: no words, and a name that is not known.

use Match::{Certain, No, Possible};
use shell_permissions::{Match, Mismatch, Pattern, Word};

/// The words of a command; `$x` is one that is not known.
fn words(text: &str) -> Vec<Word<'_>> {
    let word = |word| if word == "$x" { Word::Unknown("") } else { Word::Known(word) };
    text.split_ascii_whitespace().map(word).collect()
}

#[test]
fn whether_a_pattern_denies() {
    for (pattern, command, expected) in [
        ("*", "", Certain),
        ("*", "$x", Certain),
        ("*", "ls $x", Certain),
        ("git", "", No),
        ("git", "$x", Possible),
        ("git", "git", Certain),
        ("git push", "$x push", Possible),
        ("git push", "git $x", Possible),
        ("git push", "git pull", No),
        ("git push", "git push", Certain),
        ("git push", "hg $x", No),
        ("* --force", "", No),
        ("* --force", "$x", Possible),
        ("* --force", "git --force", Certain),
        ("* --force", "git push", No),
    ] {
        assert_eq!(
            Pattern::parse(pattern).unwrap().denies(&words(command)),
            expected,
            "{pattern}: {command}"
        );
    }
}

#[test]
fn whether_a_pattern_admits() {
    let missing = |word: &str| Err(Some(Mismatch::MissingWord(word.to_owned())));
    for (pattern, command, expected) in [
        ("*", "", Ok(())),
        ("*", "$x", Ok(())),
        ("*", "ls $x", Ok(())),
        ("tool", "", Err(None)),
        ("tool", "$x", Err(None)),
        ("tool", "tool", Ok(())),
        ("tool", "tool $x", Ok(())),
        ("tool", "/tmp/tool", Err(Some(Mismatch::NameAsWritten("/tmp/tool".to_owned())))),
        ("tool", "other", Err(None)),
        ("tool push", "tool $x", missing("push")),
        ("tool push", "tool push", Ok(())),
        ("* --force", "", Err(None)),
        ("* --force", "tool", missing("--force")),
        ("* --force", "tool --force", Ok(())),
    ] {
        let parsed = Pattern::parse(pattern).unwrap();
        assert_eq!(parsed.admits(&words(command)), expected, "{pattern}: {command}");
        assert_eq!(parsed.admits_strictly(&words(command)), expected, "strictly, {pattern}: {command}");
    }
}
