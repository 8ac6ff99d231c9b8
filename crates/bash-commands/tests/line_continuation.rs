//! A backslash and a newline inside any token change nothing, where bash takes them out of the text.

use bash_commands::{Analyzer, IncompleteReason, Kind, Options, Word};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

mod common;

const JOINT: &str = "\\\n";

/// Whether a text has nothing in which a backslash and a newline would stay, or would mean something else.
fn is_joined_everywhere(text: &str) -> bool {
    !text.contains(['\'', '#', '\\']) && !text.contains("<<")
}

/// Where bash does not take them out: `((…))` ends with two bytes side by side.
const NOT_JOINED: &str = "))";

/// Notes as wrong when a joined text has not the findings of its case, apart from the joints in places that some of them show.
fn agrees(analyzer: &mut Analyzer, joined: &str, case: &common::Case, wrong: &mut String) {
    let options = Options { cwd: Some(common::CWD), home: Some(common::HOME), ..Options::default() };
    let found = common::rendered_with(analyzer, joined, &options);
    // A word with a joint inside is written in quotes.
    let bare = |finding: &String| finding.replace("\\\\\\n", "").replace('"', "");
    if !found.iter().map(bare).eq(case.expected.iter().map(bare)) {
        let _ = write!(wrong, "\n{joined:?}\n  found    {found:?}\n  expected {:?}", case.expected);
    }
}

#[test]
fn a_joint_anywhere_changes_nothing() {
    let mut analyzer = Analyzer::new();
    let (mut places, mut wrong) = (0, String::new());
    for case in common::cases().into_iter().filter(|case| is_joined_everywhere(&case.text)) {
        for (place, _) in case.text.char_indices() {
            let (before, behind) = case.text.split_at(place);
            if before.ends_with(')') && behind.starts_with(')') {
                continue;
            }
            let joined = format!("{before}{JOINT}{behind}");
            places += 1;
            agrees(&mut analyzer, &joined, &case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(places > 5_000, "{places}");
}

#[test]
fn joints_everywhere_at_once_change_nothing() {
    let mut analyzer = Analyzer::new();
    let mut wrong = String::new();
    for case in common::cases().into_iter().filter(|case| is_joined_everywhere(&case.text)) {
        for joint in [JOINT.to_owned(), JOINT.repeat(3)] {
            let joined: String = case.text.chars().flat_map(|char| joint.chars().chain([char])).collect();
            let joined = joined.replace(&format!("){joint})"), NOT_JOINED);
            agrees(&mut analyzer, &joined, &case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What each finding carries its place from.
#[test]
fn places_are_those_of_the_text() {
    let text = "ls\nf\\\n() { fi\\\nnd \"$\\\n1\"; }\nf /\\\netc &\\\n& x";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let find = report.commands().nth(1).unwrap();
    assert_eq!(find.argv().map(Word::text).collect::<Vec<_>>(), ["find", "/etc"]);
    assert_eq!(find.argv().map(|word| word.span().of(text)).collect::<Vec<_>>(), ["fi\\\nnd", "\"$\\\n1\""]);
    assert_eq!(find.span().of(text), "fi\\\nnd \"$\\\n1\"");
    assert!(!find.name().unwrap().is_verbatim());
}

#[test]
fn a_mistake_behind_joints_has_its_place() {
    let text = "ls\nec\\\nho a &\\\n& ; b";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    assert_eq!(report.commands().count(), 1);
    let error = report.syntax_error().unwrap();
    assert_eq!((error.span().start as usize, error.span().of(text)), (text.len() - 3, ";"));
    let part = report.incomplete().next().unwrap();
    assert_eq!(part.span.of(text), text.strip_prefix("ls\n").unwrap());
}

/// Every line that is read again costs steps, so that no text takes more than linear time.
#[test]
fn joints_that_are_found_one_by_one_end_with_the_budget() {
    let text = "a &\\\n& ".repeat(20_000) + "a";
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(&text, &Options::default());
    assert_eq!(report.incomplete().next().unwrap().reason, IncompleteReason::Steps);
    let few = "a &\\\n& ".repeat(40) + "find /";
    assert_eq!(analyzer.analyze(&few, &Options::default()).commands().count(), 41);
}

/// Lines that print with nothing but builtins, in every construct.
const LINES: &[&str] = &[
    "f() { echo \"in $1\"; }",
    "function g { echo g$#; }",
    "f a; f 'b c'",
    "g 1 2",
    "x=hello; y[1]=z; x+=o",
    "echo $x \"${x:-d}\" ${#x} ${y[1]} ${x%o} \"${x/l/'L'}\"",
    "if true; then echo yes; elif false; then echo never; else echo no; fi",
    "for i in a 'b # c'; do echo $i; done",
    "for ((i=0; i<2; i++)); do echo $i$i; done",
    "case abc in (x) echo X;; a*|b) echo A;& *) echo B;; esac",
    "echo 'one two' \"three 'four' $x\"",
    "echo a#b # echo hidden",
    "# echo hidden 'too",
    "read -r l <<EOF; echo \"$l\"\nbody $x ${x} `echo b` it's\nEOF",
    "read -r l <<-'E F'; echo \"$l\"\n\traw $x\n\tE F",
    "true && echo and || echo or",
    "false || ! false && echo both",
    "echo $(echo sub 'q') `echo back 'r'`",
    "echo $((1+2)) {a,b}c $[3*4]",
    "{ echo grouped; } >&1; (echo inner)",
    "[[ -n a && ab == a* ]] && echo t",
    "((1<2)) && echo less",
    "echo $'a\\'b' $\"c\" d\\ e \"f\\\"g\"",
    "time -p true; while false; do echo never; done",
    "while read -r l; do echo \"$l\"; done < <(echo from; echo pipe)",
];

/// A small generator: the same seed gives the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What the analysis says will be printed: lines, in any order, and whether all of them will be. `None` when it does not
/// know them.
fn predicted(analyzer: &mut Analyzer, text: &str) -> Option<(BTreeSet<String>, bool)> {
    let report = analyzer.analyze(text, &Options::default());
    let echoes = report.commands().filter(|command| command.name().is_some_and(|name| name.text() == "echo"));
    let printed = echoes.filter(|command| command.via().all(|via| !is_captured(via.name())));
    let lines = printed.map(|command| {
        let words: Vec<_> = command.argv().skip(1).collect();
        let all_known = words.iter().all(|word| word.kind() == Kind::Known);
        all_known.then(|| words.iter().map(|word| word.text()).collect::<Vec<_>>().join(" "))
    });
    let lines: Option<Vec<String>> = lines.collect();
    let lines = lines.filter(|_| report.is_complete())?;
    // A word that a joint broke is a program, which may succeed or fail.
    let is_exact = report.commands().all(|command| {
        command.name().is_none_or(|name| ["echo", "read", "true", "false"].contains(&name.text()))
    });
    Some((lines.iter().flat_map(|line| line.split('\n')).map(str::to_owned).collect(), is_exact))
}

fn is_captured(via: &str) -> bool {
    matches!(via, "command-substitution" | "backquote" | "process-substitution")
}

/// Joints at any place, in quotes and comments too: bash prints what the analysis says.
#[test]
fn bash_runs_the_same_commands() {
    let mut random = Random(7);
    let mut analyzer = Analyzer::new();
    let (mut judged, mut wrong) = (0, String::new());
    for _ in 0..400 {
        let lines: Vec<_> = (0..=random.below(3)).map(|_| LINES[random.below(LINES.len())]).collect();
        let mut text = lines.join("\n");
        for _ in 0..=random.below(4) {
            text.insert_str(random.below(text.len() + 1), JOINT);
        }
        let Some((predicted, is_exact)) = predicted(&mut analyzer, &text) else { continue };
        let mut bash = Command::new("bash");
        // Without a path it can start nothing but builtins, and a joint that breaks a loop costs a second.
        bash.args(["--norc", "-c", &format!("PATH=; ulimit -t 1\n{text}")])
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let Ok(output) = bash.output() else {
            println!("skipped: no bash here");
            return;
        };
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed: BTreeSet<_> = printed.lines().map(str::to_owned).collect();
        judged += usize::from(is_exact);
        // A mistake in arithmetic ends a text of `-c`, where a script would go on.
        let is_exact = is_exact && output.status.success();
        let agrees = if is_exact { printed == predicted } else { printed.is_subset(&predicted) };
        if !agrees {
            let _ = write!(wrong, "\n{text:?}\n  bash {printed:?}\n  here {predicted:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(judged > 150, "{judged}");
}
