//! One row is one question; each is put in both modes, to the library and to its slow twin.

#![expect(clippy::expect_used, reason = "a row with a bad rule is a failed test")]

mod twin;

use Answer::{Clear, Hit, Unresolved};
use path_match::{Candidate, Case, Mode, RuleSet, Verdict};
use twin::{Answer, Question};

const HOME: &str = "/home/u";

struct Row {
    rules: &'static [&'static str],
    text: &'static str,
    cwd: Option<&'static str>,
    glob: bool,
    as_written: Answer,
    lexical: Answer,
}

fn known(rules: &'static [&'static str], text: &'static str, as_written: Answer, lexical: Answer) -> Row {
    Row { rules, text, cwd: Some("/work/project"), glob: false, as_written, lexical }
}

fn known_in(
    cwd: impl Into<Option<&'static str>>,
    rules: &'static [&'static str],
    text: &'static str,
    as_written: Answer,
    lexical: Answer,
) -> Row {
    Row { cwd: cwd.into(), ..known(rules, text, as_written, lexical) }
}

fn glob(rules: &'static [&'static str], text: &'static str, as_written: Answer, lexical: Answer) -> Row {
    Row { glob: true, ..known(rules, text, as_written, lexical) }
}

fn check(rows: impl IntoIterator<Item = Row>) {
    for row in rows {
        for (mode, expected) in [(Mode::AsWritten, row.as_written), (Mode::Lexical, row.lexical)] {
            let place = format!("{:?} for {:?} in {:?}, {mode:?}", row.text, row.rules, row.cwd);
            let rules = RuleSet::builder()
                .home(HOME)
                .mode(mode)
                .rules(row.rules)
                .expect("the rules are good")
                .build();
            let candidate = if row.glob { Candidate::glob(row.text) } else { Candidate::new(row.text) };
            let answer = match rules.judge(candidate.cwd(row.cwd)) {
                Verdict::Hit(_) => Hit,
                Verdict::Clear => Clear,
                Verdict::Unresolved(_) => Unresolved,
            };
            assert_eq!(answer, expected, "the library: {place}");
            let owned: Vec<String> = row.rules.iter().map(|rule| (*rule).to_owned()).collect();
            let answer = twin::judge(&Question {
                mode,
                case: Case::Sensitive,
                home: Some(HOME),
                rules: &owned,
                cwd: row.cwd,
                text: row.text,
                glob: row.glob,
            });
            assert_eq!(answer, expected, "the twin: {place}");
        }
    }
}

#[test]
fn equal_or_under() {
    check([
        known(&["/etc"], "/etc", Hit, Hit),
        known(&["/etc"], "/etc/passwd", Hit, Hit),
        known(&["/etc"], "/etcfoo", Clear, Clear),
        known(&["/etc"], "/et", Clear, Clear),
        known(&["/etc"], "/usr/etc", Clear, Clear),
        known(&["/etc"], "/ETC", Clear, Clear),
        known(&["/home/secret"], "/home", Clear, Clear),
        known(&["/home/secret"], "/home/secret/x/y", Hit, Hit),
        known(&["/etc", "/usr"], "/usr/lib", Hit, Hit),
        known(&["/etc dir"], "/etc dir/x", Hit, Hit),
        known(&[], "/etc", Clear, Clear),
        known(&[], "~x", Clear, Clear),
    ]);
}

#[test]
fn trailing_wildcards_and_slashes_are_dropped() {
    check([
        known(&["/etc"], "/etc/", Hit, Hit),
        known(&["/etc"], "/etc/*", Hit, Hit),
        known(&["/etc"], "/etc/**", Hit, Hit),
        known(&["/etc"], "/etc//**/*/", Hit, Hit),
        known(&["/etc/"], "/etc", Hit, Hit),
        known(&["/etc/*"], "/etc", Hit, Hit),
        known(&["/etc/**"], "/etc", Hit, Hit),
        known(&["/etc/*/**//"], "/etc", Hit, Hit),
        known(&["/etc"], "/etc*", Clear, Clear),
        known(&["/etc"], "/etc/***", Hit, Hit),
        known(&["/"], "/***", Clear, Clear),
    ]);
}

#[test]
fn the_root_is_only_itself() {
    check([
        known(&["/"], "/", Hit, Hit),
        known(&["/"], "//", Hit, Hit),
        known(&["/"], "/*", Hit, Hit),
        known(&["/"], "/**/", Hit, Hit),
        known(&["/*"], "/", Hit, Hit),
        known(&["/**"], "/*", Hit, Hit),
        known(&["/"], "/etc", Clear, Clear),
        known(&["/"], "/*/x", Clear, Clear),
        known(&["/"], "/.", Clear, Hit),
        known(&["/"], "/..", Clear, Hit),
        known(&["/"], "/*/x/..", Clear, Hit),
        known(&["/"], "/x/*/..", Clear, Clear),
        known(&["/"], "/x/*/../..", Clear, Hit),
        known(&["/"], "/etc/..", Clear, Hit),
        known(&["/"], "/etc/../*", Clear, Hit),
        known_in("/tmp", &["/"], "..", Clear, Hit),
        known_in("/tmp", &["/"], "../../..", Clear, Hit),
        known_in("/", &["/"], ".", Clear, Hit),
        known_in("/", &["/"], "*", Clear, Hit),
        known_in("/tmp", &["/"], ".", Clear, Clear),
    ]);
}

#[test]
fn lexical_mode_resolves_first() {
    check([
        known(&["/etc"], "/tmp/../etc", Clear, Hit),
        known(&["/etc"], "/etc/../home", Hit, Clear),
        known(&["/etc"], "//etc", Clear, Hit),
        known(&["/etc", "/a", "/b", "/c", "/d", "/e/f"], "//etc", Clear, Hit),
        known(&["/etc"], "///etc//x", Clear, Hit),
        known(&["/etc"], "/etc/.", Hit, Hit),
        known(&["/etc"], "/./etc", Clear, Hit),
        known(&["/etc"], "/../../etc", Clear, Hit),
        known(&["/etc"], "/etc/x/../../usr", Hit, Clear),
        known(&["/etc"], "/etcfoo/../etc", Clear, Hit),
        known(&["/a/../etc"], "/etc", Clear, Hit),
        known(&["/a/../etc"], "/a/../etc/x", Hit, Hit),
        known(&["//etc"], "/etc", Clear, Hit),
        known(&["//etc"], "//etc", Hit, Hit),
        known(&["/etc/./x"], "/etc/x", Clear, Hit),
        known(&["/a/b"], "/a//b", Clear, Hit),
        known(&["/etc"], "/*/../etc", Clear, Hit),
        known(&["/etc"], "/...", Clear, Clear),
        known(&["/etc"], "/x/.../etc", Clear, Clear),
    ]);
}

#[test]
fn relative_paths_need_a_working_directory() {
    check([
        known_in("/etc", &["/etc"], ".", Clear, Hit),
        known_in("/etc", &["/etc"], "", Clear, Hit),
        known_in("/etc", &["/etc"], "passwd", Clear, Hit),
        known_in("/etc", &["/etc"], "../home", Clear, Clear),
        known_in("/tmp/x/", &["/etc"], "../../etc", Clear, Hit),
        known_in("/tmp/../etc", &["/etc"], ".", Clear, Hit),
        known_in("//etc", &["/etc"], "x", Clear, Hit),
        known_in("/etc", &["/etc"], "/home", Clear, Clear),
        known_in(None, &["/etc"], "/etc", Hit, Hit),
        known_in(None, &["/etc"], ".", Clear, Unresolved),
        known_in("etc", &["/etc"], ".", Clear, Unresolved),
        known_in("", &["/etc"], ".", Clear, Unresolved),
    ]);
}

#[test]
fn the_home_directory_is_expanded() {
    check([
        known(&["~/.ssh"], "/home/u/.ssh/id", Hit, Hit),
        known(&["~/.ssh"], "~/.ssh", Hit, Hit),
        known(&["~/.ssh"], "$HOME/.ssh", Clear, Hit),
        known(&["~/.ssh"], "${HOME}/.ssh/x", Clear, Hit),
        known(&["~"], "~", Hit, Hit),
        known(&["~/"], "$HOME", Clear, Hit),
        known(&["~/**"], "/home/u", Hit, Hit),
        known(&["/home"], "~", Clear, Hit),
        known(&["/"], "~/../..", Clear, Hit),
        known(&["~/.ssh"], "~/.sshx", Clear, Clear),
        known(&["~/.ssh"], "$HOMER/.ssh", Clear, Clear),
        known(&["~/.ssh"], "x/~/.ssh", Clear, Clear),
        known(&["/root"], "~root", Clear, Unresolved),
        known(&["/etc"], "~+/x", Clear, Unresolved),
    ]);
}

#[test]
fn patterns_hit_when_they_could() {
    check([
        glob(&["/etc"], "/e*", Hit, Hit),
        glob(&["/etc"], "/[e]tc", Hit, Hit),
        glob(&["/etc"], "/?tc", Hit, Hit),
        glob(&["/etc"], "/[!a-d]tc/x", Hit, Hit),
        glob(&["/etc"], "/e*/passwd", Hit, Hit),
        glob(&["/etc"], "/etc/p*", Hit, Hit),
        glob(&["/etc"], "/etc/*", Hit, Hit),
        glob(&["/etc"], "/*", Hit, Hit),
        glob(&["/"], "/*", Hit, Hit),
        glob(&["/"], "/e*", Clear, Clear),
        glob(&["/home/secret"], "/home/*", Hit, Hit),
        glob(&["/home/secret"], "/home", Clear, Clear),
        glob(&["/home/secret"], "/*", Clear, Clear),
        glob(&["/etc"], "/u*", Clear, Clear),
        glob(&["/etc"], "/etcf*", Clear, Clear),
        glob(&["/etc"], "/\\e*", Hit, Hit),
        glob(&["/etc"], "/e\\*", Clear, Clear),
        glob(&["/etc"], "/e[*]c", Clear, Clear),
        glob(&["/etc"], "/[etc", Clear, Clear),
        glob(&["/etc"], "*", Clear, Clear),
        glob(&["/work/project/x"], "*", Clear, Hit),
        glob(&["/etc"], "../../e*", Clear, Hit),
        glob(&["/etc"], "/tmp/../e*", Clear, Hit),
        glob(&["/etc"], "/e*/../home", Hit, Clear),
        glob(&["~/.ssh"], "~/.s*", Hit, Hit),
        glob(&["~/.ssh"], "~/.ss[h]/id", Hit, Hit),
    ]);
}

/// Whether the pattern could hit the rule; the twin does not read all that stands in brackets.
fn is_hit(rule: &str, pattern: &str) -> bool {
    let rules = RuleSet::builder().rule(rule).expect("the rule is good").build();
    rules.check(Candidate::glob(pattern)).is_some()
}

#[test]
fn brackets_and_groups_are_read_as_bash_reads_them() {
    for (rule, text, expected) in [
        // A group is opened by one of `?*+@!`; without `extglob`, or when nothing closes it, it is plain text.
        ("/xa(b)", "/*a(b)", true),
        ("/xb", "/*a(b)", false),
        ("/+(ab", "/+(a*", true),
        ("/aab", "/+(a*", false),
        // What a class depends on the locale for may be any character.
        ("/a-b", "/a[[:punct:]]b", true),
        ("/a-b", "/a[[.hyphen.]]b", true),
        ("/a-b", "/a[[=-=]]b", true),
        ("/a-b", "/a[[.-.]]b", true),
        ("/axb", "/a[[.-.]]b", false),
        // The end of a range begins none.
        ("/xd", "/x[a-c-e]", false),
        ("/xe", "/x[a-c-e]", true),
        ("/xb", "/x[a-c-e]", true),
        // A backslash takes the meaning even of what would end the class.
        ("/]x", "/[\\]]x", true),
        ("/x]y", "/x[a\\]]y", true),
        ("/x\\]y", "/x[a\\]]y", false),
    ] {
        assert_eq!(is_hit(rule, text), expected, "{text} for {rule}");
    }
}

#[test]
fn named_classes_hold_what_they_are_named_for() {
    for (class, members, others) in [
        ("alpha", "aZé", "1-_ "),
        ("digit", "09", "a-²"),
        ("alnum", "aZ09é", "-_ "),
        ("upper", "AÉ", "aé1"),
        ("lower", "aé", "AÉ1"),
        ("space", " \t\n", "a_"),
        ("blank", " \t", "a\n"),
        ("cntrl", "\u{1}\u{7f}", "a "),
        ("xdigit", "09afAF", "gG-"),
        ("word", "a0_", "-. "),
    ] {
        let names = |of: &str| of.chars().map(|name| format!("/x{name}")).collect::<Vec<_>>();
        for rule in names(members) {
            assert!(is_hit(&rule, &format!("/x[[:{class}:]]")), "{rule:?} in {class}");
            assert!(!is_hit(&rule, &format!("/x[![:{class}:]]")), "{rule:?} outside {class}");
        }
        for rule in names(others) {
            assert!(!is_hit(&rule, &format!("/x[[:{class}:]]")), "{rule:?} in {class}");
            assert!(is_hit(&rule, &format!("/x[![:{class}:]]")), "{rule:?} outside {class}");
        }
    }
}

#[test]
fn wildcards_match_neither_a_leading_dot_nor_a_slash() {
    check([
        glob(&["/x/.git"], "/x/*", Clear, Clear),
        glob(&["/x/.git"], "/x/?git", Clear, Clear),
        glob(&["/x/.git"], "/x/[.]git", Clear, Clear),
        glob(&["/x/.git"], "/x/*.git", Clear, Clear),
        glob(&["/x/.git"], "/x/.*", Hit, Hit),
        glob(&["/x/.git"], "/x/.g*", Hit, Hit),
        glob(&["/x/.git"], "/x/\\.g*", Hit, Hit),
        glob(&["/a/b/c"], "/a*c", Clear, Clear),
        glob(&["/a/b/c"], "/a/*/c", Hit, Hit),
        glob(&["/a/b/c"], "/a?b/c", Clear, Clear),
    ]);
}

#[test]
fn where_shells_differ_every_reading_counts() {
    check([
        glob(&["/a/b/c"], "/**/c", Hit, Hit),
        glob(&["/a/b/c"], "/a/b/**/c", Hit, Hit),
        glob(&["/a/b/c"], "/a/**", Hit, Hit),
        glob(&["/a/b/c"], "/**/d", Hit, Hit),
        glob(&["/a/b/c"], "/b/**/c", Clear, Clear),
        glob(&["/a/.b/c"], "/a/**/c", Clear, Clear),
        glob(&["/"], "/tmp/.*", Clear, Hit),
        glob(&["/etc"], "/tmp/.*/etc", Clear, Hit),
        glob(&["/etc"], "/tmp/.?/e*", Clear, Hit),
        glob(&["/x/y"], "/x/.*/y", Clear, Hit),
        glob(&["/a/b"], "/*/*/../a/b", Hit, Clear),
        glob(&["//x"], "/***/x", Clear, Hit),
        glob(&["/etc"], "/tmp/*/etc", Clear, Clear),
    ]);
}

#[test]
fn other_systems_paths_are_plain_names() {
    check([
        known_in("/", &["/etc"], "C:\\etc", Clear, Clear),
        known_in("/", &["/"], "\\", Clear, Clear),
        known(&["/c/Windows"], "/c/Windows/system32", Hit, Hit),
        known(&["/proc/self"], "/proc/self/root/etc", Hit, Hit),
        known(&["/etc"], "/proc/self/root/etc", Clear, Clear),
    ]);
}

#[test]
fn quoted_signs_are_names() {
    let rules = RuleSet::builder().home(HOME).rule("~/x").unwrap().rule("/w/~").unwrap().build();
    assert!(rules.check(Candidate::new("~/x").cwd("/w")).is_some_and(|hit| hit.index() == 0));
    assert!(rules.check(Candidate::new("~/x").quoted().cwd("/w")).is_some_and(|hit| hit.index() == 1));
    assert!(rules.check(Candidate::new("$HOME/x").quoted().cwd("/w")).is_none());
    assert!(rules.check(Candidate::new("~root").quoted().cwd("/w")).is_none());
}

#[test]
fn case_is_folded_on_request_and_boundaries_stay() {
    let rules = RuleSet::builder()
        .home(HOME)
        .case(Case::Folded)
        .rules(["~/.zshrc", "/Straße", "/ΣΑΣ"])
        .unwrap()
        .build();
    for text in ["/HOME/u/.ZSHRC", "~/.ZshRc/x", "/STRASSE", "/straße/x", "/σας"] {
        assert!(rules.check(text).is_some(), "{text}");
    }
    for text in ["~/.ZSHRCX", "/strase", "/HOME/U"] {
        assert!(rules.check(text).is_none(), "{text}");
    }
    for text in ["/home/*/.ZSH*", "/HOME/U/.[A-Z]SHRC", "/home/u/.zshr[!a-z]", "/[s]tra*", "/[Σ]ας", "/[σ]ας"]
    {
        assert!(rules.check(Candidate::glob(text)).is_some(), "{text}");
    }
}

#[test]
fn a_hit_tells_the_rule_and_how_the_path_was_read() {
    let rules = RuleSet::builder().rules(["/a/b/c", "/a/./b/", "/a/b"]).unwrap().build();
    let hit = rules.check(Candidate::new("../b/c/d/*").cwd("/a/x")).unwrap();
    assert_eq!((hit.index(), hit.rule().text(), hit.rule().path()), (1, "/a/./b/", "/a/./b"));
    assert_eq!((hit.path().as_str(), hit.candidate().text()), ("/a/b/c/d", "../b/c/d/*"));
    assert_eq!(hit.certainty(), path_match::Certainty::Certain);

    let hit = rules.check(Candidate::glob("*/b/[!d]").cwd("/")).unwrap();
    assert_eq!((hit.path().as_str(), hit.certainty()), ("/*/b/[!d]", path_match::Certainty::Possible));

    let hit = rules.check(Candidate::glob("/a/b/*")).unwrap();
    assert_eq!((hit.path().as_str(), hit.certainty()), ("/a/b/*", path_match::Certainty::Certain));
}

#[test]
fn a_hit_is_certain_only_where_no_character_is_live() {
    use path_match::Certainty::Certain;
    let rules = RuleSet::builder().rules(["/[x", "/a(b", "/c|d", "/+(y)"]).unwrap().build();
    for (text, expected) in [
        ("/\\[x", Some(Certain)),
        ("/a(b", Some(Certain)),
        ("/c|d", Some(Certain)),
        ("/\\+(y)", Some(Certain)),
        ("/+\\(y)", Some(Certain)),
        // It could be `/y`, and may be what bash finds.
        ("/+(y)", None),
        ("/b", None),
    ] {
        let hit = rules.check(Candidate::glob(text));
        assert_eq!(
            hit.map(|hit| hit.certainty()).filter(|certainty| *certainty == Certain),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_pattern_hits_the_outermost_rule_too() {
    let rules = RuleSet::builder().rules(["/a/b", "/a"]).unwrap().build();
    assert_eq!(rules.check(Candidate::glob("/[a]/*")).map(|hit| hit.index()), Some(1));
}

#[test]
fn a_pattern_is_resolved_to_a_pattern() {
    for (mode, text, expected) in [
        (Mode::Lexical, "../x?/[ab]/", "/d\\[1]\\*\\?\\(\\\\/x?/[ab]"),
        (Mode::Lexical, "/etc/./*/\\.\\./**", "/etc/**"),
        (Mode::AsWritten, "/etc/./*/", "/etc/./*/"),
        (Mode::AsWritten, "/etc/*", "/etc/*"),
        (Mode::AsWritten, "x*", "x*"),
    ] {
        let rules = RuleSet::builder().mode(mode).build();
        let candidate = Candidate::glob(text).cwd("/d[1]*?(\\/y");
        assert_eq!(rules.resolve(candidate).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn a_home_that_is_the_root_is_only_itself() {
    let rules = RuleSet::builder().home("/").mode(Mode::AsWritten).rule("~").unwrap().build();
    assert!(rules.check("/").is_some());
    assert!(rules.check("~/x").is_none());
}

#[test]
fn rules_that_cannot_work_are_refused() {
    use path_match::Rule;
    use path_match::RuleErrorKind::{Empty, HomeUnknown, HomeUnusable, OtherHome, Relative, Wildcard};
    for (text, home, kind, found) in [
        ("", None, Empty, ""),
        ("etc", None, Relative, "etc"),
        ("./etc", None, Relative, "./etc"),
        ("*", None, Relative, "*"),
        ("$HOME/x", Some("/h"), Relative, "$HOME/x"),
        ("C:\\x", None, Relative, "C:\\x"),
        ("/e*", None, Wildcard, "e*"),
        ("/etc/*.conf", None, Wildcard, "*.conf"),
        ("/home/*/x/*", None, Wildcard, "*"),
        ("/home/**/x", None, Wildcard, "**"),
        ("/***", None, Wildcard, "***"),
        ("/et?", None, Wildcard, "et?"),
        ("/é/[e]tc/x", None, Wildcard, "[e]tc"),
        ("/x{etc,usr/lib}/y", None, Wildcard, "{etc,usr/lib}"),
        ("/d{1..3}", None, Wildcard, "{1..3}"),
        ("~", None, HomeUnknown, "~"),
        ("~/x", None, HomeUnknown, "~"),
        ("~/x", Some("h"), HomeUnusable, "~"),
        ("~/x", Some(""), HomeUnusable, "~"),
        ("~/x", Some("/h*"), HomeUnusable, "~"),
        ("~u/x", Some("/h"), OtherHome, "~u"),
        ("~u", Some("/h"), OtherHome, "~u"),
        ("~/a*", None, Wildcard, "a*"),
    ] {
        let error = Rule::parse_with(text, home).expect_err(text);
        assert_eq!((error.kind(), error.found(), error.text()), (kind, found, text), "{text}");
        // The message is one line, and names the rule and what is wrong with it.
        let message = error.to_string();
        assert!(!message.contains('\n'), "{message}");
        let shown = if text.is_empty() {
            "the rule is empty".to_owned()
        } else {
            format!("`{}`", text.escape_debug())
        };
        assert!(message.contains(&shown), "{message}");
        let says = match kind {
            Empty => "write an absolute path",
            Relative => "start it with",
            Wildcard => "wildcard",
            HomeUnknown => "is not known",
            HomeUnusable => "is relative or has a wildcard",
            OtherHome => "is not looked up",
            _ => unreachable!("a kind of its own"),
        };
        assert!(message.contains(says), "{message}");
    }
    for (text, home, path) in [
        ("/", None, "/"),
        ("//*//", None, "/"),
        ("/[x", None, "/[x"),
        ("/{x}", None, "/{x}"),
        ("/}{", None, "/}{"),
        ("/a\\b", None, "/a\\b"),
        ("/etc/../x/**", None, "/etc/../x"),
        ("~", Some("/"), "/"),
        ("~/*", Some("/h//"), "/h"),
        ("~/x/", Some("/"), "/x"),
    ] {
        let rule = Rule::parse_with(text, home).expect(text);
        assert_eq!((rule.path(), rule.to_string().as_str()), (path, text));
    }
}

#[test]
fn a_set_tells_what_it_was_made_of() {
    for mode in [Mode::AsWritten, Mode::Lexical] {
        let rules =
            RuleSet::builder().mode(mode).rules(["/etc", "/srv/*"]).expect("the rules are good").build();
        assert_eq!(rules.mode(), mode);
        assert_eq!(rules.rules().iter().map(path_match::Rule::text).collect::<Vec<_>>(), ["/etc", "/srv/*"]);
    }
}

#[test]
fn what_cannot_be_told_says_why() {
    use path_match::Unresolved as Why;
    for (why, says) in [
        (Why::NoWorkingDirectory, "the working directory is not known"),
        (Why::NoHome, "the home directory, which is not known"),
        (Why::OtherHome, "a `~` form that is not looked up"),
        (Why::TooComplex, "too many steps"),
    ] {
        assert!(why.to_string().contains(says), "{why}");
    }
}

#[test]
fn a_relative_path_as_written_keeps_its_slashes() {
    let rules = RuleSet::builder().mode(Mode::AsWritten).build();
    assert_eq!(rules.resolve("a/b/../c/").as_deref(), Ok("a/b/../c"));
}
