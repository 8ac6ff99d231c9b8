//! What holds for any text: no panic, bounded work, a bounded stack, places that are places, and unknowns that never
//! turn into a "no".

use bash_commands::{Analyzer, Command, Directory, IncompleteReason, Kind, Options, Report, Span, Word};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::time::{Duration, Instant};

mod common;

const OPTIONS: Options<'static> = Options {
    cwd: Some(common::CWD),
    home: Some(common::HOME),
    max_depth: 64,
    steps_per_byte: 64,
    base_steps: 200_000,
};

/// Everything that a report says, as text.
fn described(text: &str, analyzer: &mut Analyzer, options: &Options<'_>) -> String {
    let report = analyzer.analyze(text, options);
    let mut out = format!("{report:#?}");
    for command in report.commands() {
        let redirections: Vec<_> = command.redirections().collect();
        let assignments: Vec<_> = command.assignments().collect();
        out += &format!("{assignments:?} {redirections:?}\n");
    }
    out
}

fn assert_span(text: &str, span: Span, what: &str) {
    assert!(span.start <= span.end, "{what}: {span:?} in {text:?}");
    assert!(text.get(span.start as usize..span.end as usize).is_some(), "{what}: {span:?} in {text:?}");
}

fn assert_word(text: &str, word: Word<'_>) {
    assert_span(text, word.span(), "word");
    match word.kind() {
        Kind::Known => assert_eq!(word.value(), Some(word.text()), "{text:?}"),
        Kind::Pattern => assert!(word.pattern().is_some() && word.value().is_none(), "{text:?}"),
        Kind::Unknown(_) => assert!(word.pattern().is_none() && word.value().is_none(), "{text:?}"),
    }
    assert!(!word.is_splice() || matches!(word.kind(), Kind::Unknown(_)), "{text:?}: {word:?}");
    assert_eq!(word.is_verbatim(), word.span().of(text) == word.text(), "{text:?}: {word:?}");
}

/// The laws that one report must keep.
fn assert_report(text: &str, report: Report<'_>) {
    for command in report.commands() {
        assert_span(text, command.span(), "command");
        assert!(command.cwd().len() > 0, "{text:?}: a command without a directory: {command:?}");
        for word in command.argv() {
            assert_word(text, word);
        }
        for assignment in command.assignments() {
            assert_word(text, assignment.value());
        }
        for redirection in command.redirections() {
            assert_span(text, redirection.span(), "redirection");
            assert_word(text, redirection.target());
        }
        for directory in command.cwd() {
            if let Directory::Known(path) = directory {
                assert!(path.starts_with('/'), "{text:?}: {path:?}");
            }
        }
    }
    for part in report.incomplete() {
        assert_span(text, part.span, "incomplete");
    }
    if let Some(error) = report.syntax_error() {
        assert_span(text, error.span(), "error");
        let says_so = report
            .incomplete()
            .any(|part| matches!(part.reason, IncompleteReason::Syntax | IncompleteReason::Depth));
        assert!(says_so, "{text:?}: an error, and nothing is incomplete");
    }
    assert_eq!(report.is_complete(), report.incomplete().len() == 0);
}

/// Whether the text has anything but blanks and comments, as far as one can say without reading it.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim_matches([' ', '\t', '\r']);
        line.is_empty() || line.starts_with('#')
    })
}

/// Analyses on a thread with the stack that the crate promises to do with.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // Code that is not optimised needs several times the stack.
    let size = if cfg!(debug_assertions) { 4 << 20 } else { 256 << 10 };
    std::thread::Builder::new().stack_size(size).spawn(work).unwrap().join().unwrap()
}

const TOKENS: &[&str] = &[
    "find", "/", "echo", "x", "a b", "é", "\u{1f980}", " ", "  ", "\t", "\n", "\r\n", "\r", ";", ";;", ";&", ";;&", "&", "&&",
    "|", "||", "|&", "(", ")", "((", "))", "{", "}", "[[", "]]", "[", "]", "$(", "$((", "${", "$[", "`", "\"", "'", "$'", "$\"",
    "\\", "\\\n", "#", "!", "=", "+=", "~", "*", "?", "<", ">", ">>", "<<E", "<<-E", "<<'E'", "\nE\n", "<<<", ">&", "&>", "<(",
    ">(", "2>", "{fd}>", "if ", " then ", " else ", " elif ", " fi", "for i in ", "for ((", " do ", " done", "while ", "until ",
    "case ", " in ", " esac", "select ", "function f ", "f()", "f", "time ", "coproc ", "eval ", "exec ", "exit ", "return ",
    "break ", "set -e", "set -- ", "shift ", "source ", ". ", "trap ", "alias ", "shopt -s expand_aliases\n", "unset ", "export ",
    "local ", "declare -A m", "declare -n r=", "readonly ", "read x ", "mapfile a ", "printf -v x ", "getopts ab x", "let ", "test ",
    "cd ", "pushd ", "popd ", "cd -", "bash -c ", "sh ", "sudo ", "env -S ", "timeout 1 ", "xargs ", "xargs -I{} ", "parallel ",
    "-exec ", " {} ", "\\;", "+", "-name ", "$x", "$1", "$@", "\"$@\"", "$*", "$#", "$?", "$$", "$!", "$_", "$-", "${x:-", "${x:=",
    "${x:?", "${x:+", "${x/", "${x//", "${x#", "${x%%", "${x^^}", "${x@Q}", "${!x}", "${!x@}", "${#x}", "${x:1:2}", "${x[@]}",
    "${x[0]}", "x=", "x+=", "x=(", "x[1]=", "{a,b}", "{1..9}", "{a..", ",", "..", "%", "^", "0x1f", "1", "-1", "9999999999999999999",
    "**", "<<", ":", "-", "=~", "==", "-f", "@(", "!(", "|a)", "[a-z]", "[[:alpha:]]", "\\x41", "\\u00e9", "\\377", "\u{0}",
    "\u{7f}", "true", "false", "seq 3", "cat", "awk '{print}'", "sed s/a/b/", "tr a b", "sort", "head -n1",
];

fn token_soup() -> impl Strategy<Value = String> {
    vec(select(TOKENS), 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_laws(text in "\\PC{0,80}") {
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
    }

    #[test]
    fn any_bytes_keep_the_laws(bytes in vec(0u8..128, 0..80)) {
        let text = String::from_utf8(bytes).unwrap();
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
    }

    #[test]
    fn token_soup_keeps_the_laws(text in token_soup()) {
        assert_report(&text, Analyzer::new().analyze(&text, &OPTIONS));
        assert_report(&text, Analyzer::new().analyze(&text, &Options::default()));
    }

    /// Every byte belongs to something: silence is not an answer.
    #[test]
    fn simple_commands_are_never_passed_over(
        text in vec(select(&["a", "b c", "'d'", "$e", ";", "&&", "|", "\n", " ", "(", ")", ">f", "x=1"][..]), 1..12)
            .prop_map(|tokens| tokens.concat()),
    ) {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&text, &OPTIONS);
        prop_assert!(is_blank(&text) || report.commands().len() + report.incomplete().len() > 0, "{text:?}");
    }

    /// The buffers that an analyzer keeps carry nothing over.
    #[test]
    fn a_reused_analyzer_says_the_same(texts in vec(token_soup(), 1..4)) {
        let mut reused = Analyzer::new();
        for text in &texts {
            let first = described(text, &mut reused, &OPTIONS);
            prop_assert_eq!(&first, &described(text, &mut reused, &OPTIONS));
            prop_assert_eq!(&first, &described(text, &mut Analyzer::new(), &OPTIONS));
        }
    }

    /// Less budget means less of an answer, and it says so.
    #[test]
    fn a_small_budget_is_told(text in token_soup(), base_steps in 0u32..200, steps_per_byte in 0u32..4, max_depth in 0u32..6) {
        let small = Options { base_steps, steps_per_byte, max_depth, ..OPTIONS };
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&text, &small);
        assert_report(&text, report);
        let complete = report.is_complete().then(|| described(&text, &mut Analyzer::new(), &small));
        if let Some(answer) = complete {
            prop_assert_eq!(answer, described(&text, &mut Analyzer::new(), &OPTIONS));
        }
    }

    /// A text in front that has ended does not change how the rest is read.
    #[test]
    fn echo_in_front_changes_nothing(text in token_soup()) {
        let mut analyzer = Analyzer::new();
        let alone: Vec<_> = common::rendered_with(&mut analyzer, &text, &OPTIONS);
        let after: Vec<_> = common::rendered_with(&mut analyzer, &format!(": 1\n{text}"), &OPTIONS);
        prop_assume!(!text.contains("$_") && !text.contains("$?"));
        prop_assert_eq!(&after[1..], &alone[..]);
    }
}

/// A family of texts of about `n` bytes each.
type Family = (&'static str, fn(usize) -> String);

/// Texts that are made to cost too much: time, memory or stack.
const PATHOLOGICAL: &[Family] = &[
    ("open command substitutions", |n| "$(".repeat(n / 2)),
    ("open quoted command substitutions", |n| "\"$(".repeat(n / 3)),
    ("open subshells", |n| "(".repeat(n)),
    ("open subshells with spaces", |n| "( ".repeat(n / 2)),
    ("open groups", |n| "{ ".repeat(n / 2)),
    ("open ifs", |n| "if ".repeat(n / 3)),
    ("open whiles", |n| "while ".repeat(n / 6)),
    ("open cases", |n| "case x in x) ".repeat(n / 13)),
    ("open arithmetic", |n| "$((".repeat(n / 3)),
    ("open arithmetic commands", |n| "((".repeat(n / 2)),
    ("open brackets of arithmetic", |n| "$[".repeat(n / 2)),
    ("open parameters", |n| "${x:-".repeat(n / 5)),
    ("open quoted parameters", |n| "\"${x:-".repeat(n / 6)),
    ("open process substitutions", |n| "<(".repeat(n / 2)),
    ("open conditions", |n| "[[ ( ".repeat(n / 5)),
    ("open arrays", |n| "a=(".repeat(n / 3)),
    ("open functions", |n| "f() { ".repeat(n / 6)),
    ("open extended patterns", |n| format!("shopt -s extglob\necho {}", "@(".repeat(n / 2))),
    ("mixed openings", |n| "$(\"${x:-`".repeat(n / 9)),
    ("nested command substitutions", |n| format!("{}x{}", "$(".repeat(n / 3), ")".repeat(n / 3))),
    ("nested subshells", |n| format!("{}x{}", "( ".repeat(n / 4), " )".repeat(n / 4))),
    ("nested groups", |n| format!("{}x; {}", "{ ".repeat(n / 5), "};".repeat(n / 5))),
    ("nested parameters", |n| format!("echo {}{}", "${x:-".repeat(n / 6), "}".repeat(n / 6))),
    ("nested arithmetic", |n| format!("echo $(({}1{}))", "(".repeat(n / 2), ")".repeat(n / 2))),
    ("unary operators", |n| format!("echo $(({}1))", "-".repeat(n))),
    ("powers", |n| format!("echo $((1{}))", "**1".repeat(n / 3))),
    ("conditional operators", |n| format!("echo $((1{}))", "?1:1".repeat(n / 4))),
    ("commas of arithmetic", |n| format!("echo $((1{}))", ",1".repeat(n / 2))),
    ("nots of a condition", |n| format!("[[ {} x ]]", "! ".repeat(n / 2))),
    ("ands of a condition", |n| format!("[[ x{} ]]", " && x".repeat(n / 5))),
    ("nots of a test", |n| format!("[ {} x ]", "! ".repeat(n / 2))),
    ("backslashes", |n| "\\".repeat(n)),
    ("single quotes", |n| "'".repeat(n)),
    ("double quotes", |n| "\"".repeat(n)),
    ("backquotes", |n| "`".repeat(n)),
    ("escaped backquotes", |n| format!("`{}`", "\\`".repeat(n / 2))),
    ("dollars", |n| "$".repeat(n)),
    ("exclamation marks", |n| "! ".repeat(n / 2)),
    ("pipes", |n| format!("a{}", "|a".repeat(n / 2))),
    ("pipes of known text", |n| format!("echo find{}", "|cat".repeat(n / 4))),
    ("ands", |n| format!("a{}", "&&a".repeat(n / 3))),
    ("ands alone", |n| "&&".repeat(n / 2)),
    ("ors of cd", |n| format!("cd /a{}", "||cd b".repeat(n / 6))),
    ("semicolons", |n| "a;".repeat(n / 2)),
    ("background", |n| "a&".repeat(n / 2)),
    ("newlines", |n| "\n".repeat(n)),
    ("comments", |n| "#x\n".repeat(n / 3)),
    ("blanks", |n| " ".repeat(n)),
    ("line continuations", |n| "\\\n".repeat(n / 2)),
    ("carriage returns", |n| "\r".repeat(n)),
    ("one long word", |n| "x".repeat(n)),
    ("one long quoted word", |n| format!("\"{}\"", "é".repeat(n / 2))),
    ("one long pattern", |n| "*".repeat(n)),
    ("stars matched against a long word", |n| {
        format!("case {} in {}b) x;; esac", "a".repeat(n / 2), "*a".repeat(n / 4))
    }),
    ("stars in a removal", |n| format!("x={}; echo ${{x##{}b}}", "a".repeat(n / 2), "*a".repeat(n / 4))),
    ("stars in a replacement", |n| format!("x={}; echo ${{x//{}b/}}", "a".repeat(n / 2), "*a".repeat(n / 4))),
    ("replacements that double", |n| format!("x=aaaaaaaa\n{}", "x=${x//a/aa}\n".repeat(n / 13))),
    ("a regular expression that backtracks", |n| format!("[[ {} =~ (a*)*b ]]", "a".repeat(n))),
    ("nested repetition", |n| format!("[[ aaaaaaaaaaaaaaaaaaaaaaaa =~ {}a{} ]]", "(".repeat(n / 3), ")*".repeat(n / 3))),
    ("an extended pattern that backtracks", |n| {
        format!("shopt -s extglob\ncase {} in *(*(a))b) x;; esac", "a".repeat(n))
    }),
    ("many words", |n| format!("a{}", " x".repeat(n / 2))),
    ("many assignments", |n| "a=b ".repeat(n / 4)),
    ("many variables", |n| (0..n / 8).map(|i| format!("v{i}=1\n")).collect()),
    ("many variables read", |n| {
        (0..n / 16).map(|i| format!("v{i}=1\n")).chain((0..n / 16).map(|i| format!("echo $v{i}\n"))).collect()
    }),
    ("many functions", |n| (0..n / 12).map(|i| format!("f{i}() {{ x; }}\n")).collect()),
    ("a function defined again and again", |n| "f() { x; };f\n".repeat(n / 13)),
    ("many calls of one function", |n| format!("f() {{ echo $1; }}\n{}", "f x\n".repeat(n / 4))),
    ("many aliases", |n| {
        format!("shopt -s expand_aliases\n{}", (0..n / 14).map(|i| format!("alias a{i}=b{i}\n")).collect::<String>())
    }),
    ("here-documents", |n| (0..n / 12).map(|i| format!("cat <<E{i}\nE{i}\n")).collect()),
    ("open here-documents", |n| "a<<E\n".repeat(n / 5)),
    ("here-documents on one line", |n| "<<E ".repeat(n / 4)),
    ("nested here-documents", |n| "$(cat <<E\n".repeat(n / 10)),
    ("redirections", |n| ">f ".repeat(n / 3)),
    ("cds that may fail", |n| (0..n / 7).map(|i| format!("cd a{i}\n")).collect()),
    ("cds up", |n| "cd ..\n".repeat(n / 6)),
    ("pushds", |n| "pushd a\n".repeat(n / 8)),
    ("open branches", |n| "if a; then x=1; else x=2; fi\n".repeat(n / 29)),
    ("open branches with finds", |n| "if a; then cd b; fi; find .\n".repeat(n / 28)),
    ("open branches on one line", |n| "a && x=$x$x;".repeat(n / 12)),
    ("open cases that follow", |n| "case $y in 1) x=$x;; 2) x=2;; esac\n".repeat(n / 35)),
    ("nested evals", |n| "eval ".repeat(n / 5)),
    ("evals of evals", |n| format!("x='eval \"$x\"'; {}", "eval \"$x\";".repeat(n / 10))),
    ("eval of doubled text", |n| format!("x='a;'\n{}eval \"$x\"", "x=$x$x\n".repeat(n / 7))),
    ("nested shells", |n| "bash -c ".repeat(n / 8)),
    ("nested sudos", |n| "sudo ".repeat(n / 5)),
    ("nested envs", |n| format!("{}find /", "env -S ".repeat(n / 7))),
    ("nested xargs", |n| "xargs ".repeat(n / 6)),
    ("nested -exec", |n| "find . -exec ".repeat(n / 13)),
    ("doubling", |n| format!("x=ab\n{}", "x+=$x\n".repeat(n / 6))),
    ("doubling a command", |n| format!("x=ab\n{}", "x=$(echo $x $x)\n".repeat(n / 16))),
    ("doubling an array", |n| format!("a=(1 2)\n{}", "a+=(${a[@]})\n".repeat(n / 13))),
    ("doubling the arguments", |n| format!("set -- 1 2\n{}", "set -- $@ $@\n".repeat(n / 13))),
    ("a loop over doubled text", |n| format!("x=ab\n{}for i in $x; do echo $i; done", "x=\"$x $x\"\n".repeat(n / 10))),
    ("brace lists", |n| format!("echo {}", "{a,b}".repeat(n / 5))),
    ("brace ranges", |n| "echo {1..999999999}\n".repeat(n / 20)),
    ("brace ranges in brace lists", |n| format!("echo {}", "{1..99}".repeat(n / 7))),
    ("open braces", |n| format!("echo {}", "{a,".repeat(n / 3))),
    ("commas in braces", |n| format!("echo {{{}}}", "a,".repeat(n / 2))),
    ("a loop over a brace range", |n| "for i in {1..999999999}; do a; done\n".repeat(n / 36)),
    ("loops without end", |n| "while :; do a; done\n".repeat(n / 20)),
    ("a counting loop without end", |n| "for ((;;)); do ((i++)); done\n".repeat(n / 29)),
    ("nested loops without end", |n| format!("{}a;{}", "while :; do ".repeat(n / 18), "done;".repeat(n / 18))),
    ("nested counting loops", |n| format!("{}a $i;{}", "for i in 1 2 3 4; do ".repeat(n / 27), "done;".repeat(n / 27))),
    ("recursive functions", |n| "f() { f; }; f\n".repeat(n / 14)),
    ("a fork bomb", |n| ":(){ :|:& };:\n".repeat(n / 14)),
    ("functions that double", |n| {
        (0..n / 24).map(|i| format!("f{}() {{ f{i}; f{i}; }}\n", i + 1)).collect::<String>() + &format!("f{}", n / 24)
    }),
    ("alias loops", |n| format!("shopt -s expand_aliases\nalias a=b b='a '\n{}", "a ".repeat(n / 2))),
    ("aliases that double", |n| {
        let aliases: String = (0..n / 24).map(|i| format!("alias a{}='a{i};a{i}'\n", i + 1)).collect();
        format!("shopt -s expand_aliases\n{aliases}a{}", n / 24)
    }),
    ("name references in a ring", |n| format!("declare -n a=b b=a\n{}", "echo $a\n".repeat(n / 8))),
    ("indirections", |n| format!("a=b b=a\n{}", "a=${!a}\n".repeat(n / 8))),
    ("arithmetic variables in a ring", |n| format!("a=b b=a\n{}", "echo $((a))\n".repeat(n / 12))),
    ("arithmetic variables that double", |n| {
        (0..n / 16).map(|i| format!("v{}='v{i}+v{i}'\n", i + 1)).collect::<String>() + &format!("echo $((v{}))", n / 16)
    }),
    ("huge indices", |n| "a[9223372036854775807]=1\n".repeat(n / 25)),
    ("huge keys of an array", |n| "a=([999999999]=x [4611686018427387904]=y)\n".repeat(n / 42)),
    ("huge substrings", |n| "echo ${x:0:999999999999}\n".repeat(n / 25)),
    ("huge widths", |n| "printf '%999999999d' 1\n".repeat(n / 23)),
    ("huge precisions", |n| "echo $(printf '%.*f' 999999999 1)\n".repeat(n / 34)),
    ("a huge sequence", |n| "echo $(seq 999999999)\n".repeat(n / 22)),
    ("an endless filter", |n| "yes | bash\n".repeat(n / 11)),
    ("items of xargs", |n| format!("printf '{}' | xargs -n1 find", "/a\\n".repeat(n / 4))),
    ("items of xargs, replaced", |n| format!("echo {} | xargs -I{{}} find {}", "a".repeat(n / 2), "{}".repeat(n / 4))),
    ("items of parallel", |n| format!("parallel find ::: {}", "a ".repeat(n / 2))),
    ("products of parallel", |n| format!("parallel find {}", "::: a b c d ".repeat(n / 12))),
    ("lines that are read", |n| format!("while read x; do find $x; done <<E\n{}E", "/a\n".repeat(n / 3))),
    ("traps of traps", |n| format!("{}x", "trap 'trap \"x\" EXIT' EXIT\n".repeat(n / 27))),
    ("a trap for each command", |n| format!("trap 'find /' DEBUG\n{}", "a\n".repeat(n / 2))),
    ("a finding for each word", |n| format!("find {}", "-exec a \\; ".repeat(n / 11))),
    ("fields of a separator", |n| format!("IFS=:; x={}; echo $x", "a:".repeat(n / 2))),
    ("a file of lines in an array", |n| format!("mapfile a <<E\n{}E\necho ${{a[@]}}", "x\n".repeat(n / 2))),
    ("shifts", |n| format!("set -- {}\n{}", "a ".repeat(n / 4), "shift\n".repeat(n / 12))),
    ("unsets", |n| format!("a=({})\n{}", "1 ".repeat(n / 4), "unset 'a[0]'\n".repeat(n / 26))),
    ("options", |n| format!("set -- {}\nwhile getopts a x; do y; done", "-a ".repeat(n / 3))),
];

fn time(text: &str) -> Duration {
    let mut analyzer = Analyzer::new();
    let start = Instant::now();
    let report = analyzer.analyze(text, &OPTIONS);
    let time = start.elapsed();
    assert!(text.len() > (1 << 17) || is_blank(text) || report.commands().len() + report.incomplete().len() > 0);
    time
}

/// Eight times the text may cost eight times the work, with much room for a busy machine, but not sixty-four times.
#[test]
fn work_grows_with_the_text_alone() {
    const SMALL: usize = 1 << 12;
    const FACTOR: u32 = 8;
    // Room for what a budget of constant size may cost.
    let floor = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 40 });
    let wrong = on_small_stack(move || {
        let mut wrong = Vec::new();
        for (name, family) in PATHOLOGICAL {
            let (small, large) = (family(SMALL), family(SMALL * FACTOR as usize));
            // The first answer in time counts: only work that is there in every try is the text's.
            let tries = (0..5).map(|_| (time(&small), time(&large)));
            let mut last = None;
            let is_linear = tries.into_iter().any(|(small, large)| {
                last = Some((small, large));
                large < small * FACTOR * 3 + floor
            });
            if !is_linear {
                wrong.push(format!("{name}: {last:?}"));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}

/// No text is deep, long or wound enough to need more stack than is promised, or to break a law.
#[test]
fn pathological_texts_keep_the_laws() {
    on_small_stack(|| {
        for (name, family) in PATHOLOGICAL {
            for size in [30, 100, 300, 1_000, 20_000] {
                let text = family(size);
                let mut analyzer = Analyzer::new();
                let report = analyzer.analyze(&text, &OPTIONS);
                assert_report(&text, report);
                assert!(
                    is_blank(&text) || report.commands().len() + report.incomplete().len() > 0,
                    "{name} of {size} bytes: nothing is said"
                );
                assert_report(&text, Analyzer::new().analyze(&text, &Options::default()));
            }
        }
    });
}

/// A megabyte of trouble ends, and ends soon. The whole set in one build that is optimised, a part of it otherwise.
#[test]
fn a_megabyte_ends() {
    const LIMIT: Duration = Duration::from_secs(20);
    let size = if cfg!(debug_assertions) { 1 << 16 } else { 1 << 20 };
    on_small_stack(move || {
        for (name, family) in PATHOLOGICAL {
            let time = time(&family(size));
            assert!(time < LIMIT, "{name}: {time:?} for {size} bytes");
        }
    });
}

/// Whether one of the commands of the report may be this very command.
fn may_run(report: Report<'_>, wanted: Command<'_>) -> bool {
    report.incomplete().any(|part| part.reason == IncompleteReason::UnknownCode)
        || report.commands().any(|command| {
            common::may_be(command, &wanted.argv().collect::<Vec<_>>())
                && wanted.cwd().all(|wanted| command.cwd().any(|cwd| cwd == wanted || cwd == Directory::Unknown))
        })
}

fn is_find(command: &Command<'_>) -> bool {
    command.name().and_then(Word::value) == Some("find")
}

/// A word that becomes unknown hides no find: each find of the text is still there, or may be one of the commands that
/// are not fully known, in its directory or in one that is not known.
#[test]
fn an_unknown_word_hides_nothing() {
    let mut wrong = Vec::new();
    for case in common::cases() {
        let text = case.text.as_str();
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &OPTIONS);
        let finds: Vec<_> = report.commands().filter(is_find).collect();
        let mut spans: Vec<_> =
            report.commands().flat_map(Command::argv).map(Word::span).filter(|span| !span.is_empty()).collect();
        spans.sort_unstable();
        spans.dedup();
        for span in spans {
            let (start, end) = (span.start as usize, span.end as usize);
            let changed = format!("{}\"$UNKNOWN\"{}", &text[..start], &text[end..]);
            let mut analyzer = Analyzer::new();
            let answer = analyzer.analyze(&changed, &OPTIONS);
            for find in &finds {
                if !may_run(answer, *find) {
                    wrong.push(format!("{text:?}\n  {changed:?}\n  hides {find:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} hidden\n{}", wrong.len(), wrong.join("\n"));
}
