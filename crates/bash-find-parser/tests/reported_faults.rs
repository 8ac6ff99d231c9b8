//! Kinds of faults that users of comparable guards have met: each in several shapes, each with the answer that bash
//! itself gives.

use bash_commands::{Analyzer, Command, Directory, Kind, Options, Redirection, RedirectionKind, Via, Word};
use bash_find_parser::{FindCall, Name, extract_find_paths, find_calls};

type Row = (&'static str, &'static [&'static [&'static str]]);

#[track_caller]
fn assert_table(rows: &[Row]) {
    let wrong: Vec<_> = rows
        .iter()
        .filter_map(|&(text, expected)| {
            let found = extract_find_paths(text);
            (found != *expected).then(|| format!("{text:?}: expected {expected:?}, found {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[track_caller]
fn assert_none(texts: &[&str]) {
    let wrong: Vec<_> = texts.iter().filter(|text| !extract_find_paths(text).is_empty()).collect();
    assert!(wrong.is_empty(), "no find runs in {wrong:#?}");
}

/// Analyses a text and hands the calls of find on.
fn with_calls<T>(text: &str, check: impl FnOnce(&[FindCall<'_>]) -> T) -> T {
    let options = Options { cwd: Some("/work/project"), home: Some("/home/me"), ..Options::default() };
    let mut analyzer = Analyzer::new();
    let calls: Vec<_> = find_calls(analyzer.analyze(text, &options)).collect();
    check(&calls)
}

/// The words of every command, for texts in which everything is known.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    report.commands().map(|command| command.argv().map(|word| word.text().to_owned()).collect()).collect()
}

/// The directories that the last find may start in; none when no find runs.
fn directories(text: &str) -> Vec<String> {
    let described = |directory: Directory<'_>| match directory {
        Directory::Inherited(_) => ".".to_owned(),
        Directory::Known(path) | Directory::Relative(path) => path.to_owned(),
        Directory::Unknown => "?".to_owned(),
    };
    with_calls(text, |calls| calls.last().into_iter().flat_map(|call| call.cwd()).map(described).collect())
}

mod extraction {
    use super::*;

    /// A start path of slashes alone was dropped as if it were a switch or empty.
    #[test]
    fn roots_of_slashes_count() {
        assert_table(&[
            ("find /", &[&["/"]]),
            ("find // -name x", &[&["//"]]),
            ("find /// | head; find / -name y", &[&["///"], &["/"]]),
            ("find / / -path '*/a/*.d.ts' 2>/dev/null | head -3 && find /", &[&["/", "/"], &["/"]]),
            ("find '/' \"/\" \\/", &[&["/", "/", "/"]]),
        ]);
    }

    /// Only the first word of the line was looked at.
    #[test]
    fn find_counts_wherever_a_command_may_stand() {
        assert_table(&[
            ("true; find /a", &[&["/a"]]),
            ("true\nfind /a", &[&["/a"]]),
            ("echo x | find /a", &[&["/a"]]),
            ("echo x |& find /a", &[&["/a"]]),
            ("sleep 1 & find /a", &[&["/a"]]),
            ("make && find /a || find /b", &[&["/a"], &["/b"]]),
            ("! find /a", &[&["/a"]]),
            ("if find /a; then find /b; fi", &[&["/a"], &["/b"]]),
            ("for f in *; do find /a; done", &[&["/a"]]),
            ("case $x in *) find /a;; esac", &[&["/a"]]),
            ("A=1 B=$(find /b) find /a", &[&["/a"], &["/b"]]),
        ]);
        // The command of an action is a command as well.
        assert_eq!(commands("true; find . -exec rm {} \\;")[2][0], "rm");
        assert_eq!(commands("find . -type f -execdir chmod 600 {} +")[1][..2], ["chmod", "600"]);
    }

    /// The value of a primary was counted as a start path.
    #[test]
    fn values_of_primaries_are_no_paths() {
        for primary in [
            "-newer",
            "-anewer",
            "-cnewer",
            "-neweraa",
            "-newermt",
            "-samefile",
            "-path",
            "-wholename",
            "-ipath",
            "-regex",
            "-iregex",
            "-name",
            "-iname",
            "-lname",
            "-ilname",
            "-fstype",
            "-user",
            "-group",
            "-perm",
            "-size",
            "-mtime",
            "-mmin",
            "-amin",
            "-maxdepth",
            "-mindepth",
            "-inum",
            "-links",
            "-used",
            "-uid",
            "-gid",
            "-type",
            "-xtype",
            "-context",
            "-printf",
            "-fprint",
            "-fprint0",
            "-fls",
            "-regextype",
        ] {
            let text = format!("find /tmp/x {primary} /etc/passwd -delete");
            assert_eq!(extract_find_paths(&text), [["/tmp/x"]], "{text}");
        }
        assert_table(&[
            ("find /tmp/x -fprintf /etc/passwd /%p -print", &[&["/tmp/x"]]),
            ("find /tmp/x \\( -newer /a -o ! -samefile /b \\) -a -not -path '/c/*'", &[&["/tmp/x"]]),
        ]);
    }

    /// One and the same search got two verdicts, by what was done with its finds.
    #[test]
    fn the_action_does_not_change_the_roots() {
        for action in ["-delete", "-exec rm -f -- {} +", "-exec rm -f {} \\;", "-print0", "-ls", "-quit", ""]
        {
            for root in ["~/.g/s", "/", ".", "'/a b'", "\"$D\""] {
                let text = format!("find {root} -mmin +120 -type f {action}");
                let plain = format!("find {root}");
                assert_eq!(extract_find_paths(&text), extract_find_paths(&plain), "{text}");
            }
        }
    }

    /// Only the first operand was judged.
    #[test]
    fn every_leading_operand_is_a_root() {
        assert_table(&[
            ("find src / -name x", &[&["src", "/"]]),
            ("find src lib . / ../x", &[&["src", "lib", ".", "/", "../x"]]),
            ("find -L src / -type d", &[&["src", "/"]]),
            ("find -- src / -type d", &[&["src", "/"]]),
            ("find {src,/} -type d", &[&["src", "/"]]),
            ("find src $(echo lib /) -type d", &[&["src", "lib", "/"]]),
        ]);
    }

    /// Bundled options of BSD began the expression, and hid the roots.
    #[test]
    fn options_of_bsd_hide_no_root() {
        assert_table(&[
            ("find -Hx . -iname a", &[&["."]]),
            ("find -xdsL /a /b -iname a", &[&["/a", "/b"]]),
            ("find -f / -name a", &[&["/"]]),
            ("find -f /a -f /b -- /c -name x", &[&["/a", "/b", "/c"]]),
            ("find -E / -regex 'a|b'", &[&["/"]]),
            ("find -X /a", &[&["/a"]]),
        ]);
    }

    /// A rule for the command within never saw it.
    #[test]
    fn the_command_within_is_a_command_of_its_own() {
        assert_eq!(commands("ls | xargs -I{} gh api -X DELETE x/{}")[1][..4], ["gh", "api", "-X", "DELETE"]);
        assert_eq!(commands("find . -exec gh api {} \\;")[1][..2], ["gh", "api"]);
        assert_eq!(commands("find . -ok sudo gh api {} \\;")[1][..2], ["gh", "api"]);
        assert_eq!(commands("find . -exec sh -c 'gh api \"$0\"' {} \\;")[1][..2], ["gh", "api"]);
        assert_eq!(commands("ls | xargs -n1 -P4 sh -c 'gh api'")[1][..2], ["gh", "api"]);
    }
}

mod wrappers {
    use super::*;

    /// A list of few names let every other wrapper through.
    #[test]
    fn wrappers_are_peeled() {
        for wrapper in [
            "setsid",
            "setsid -fw",
            "nohup",
            "ionice -c 3",
            "ionice -c3 -n 7",
            "chrt -i 0",
            "taskset -c 0-3",
            "taskset 0x3",
            "stdbuf -oL -eL",
            "sudo -u root -g wheel",
            "sudo -nE",
            "sudo --user=root",
            "sudo A=b",
            "doas -u root",
            "env A=b",
            "env -i",
            "env --unset=X",
            "env -u X -u Y",
            "time -p",
            "command time -f %e",
            "/usr/bin/time -v",
            "nice -n 19",
            "nice -n -19",
            "nice -19",
            "nice --adjustment=5",
            "timeout 5",
            "timeout -s KILL 5m",
            "timeout --sig KILL 5",
            "timeout --preserve-status 5",
            "timeout -k 1 2",
            "timeout --kill-after=1 2",
            "timeout --foreground 5",
            "stdbuf -o 0",
            "stdbuf --output=L",
            "flock /tmp/l",
            "flock -w 3 /tmp/l",
            "unshare -rm",
            "nsenter -t 1 -m",
            "setarch x86_64 -R",
            "linux64",
            "choom -n 5 --",
            "prlimit --nofile=5",
            "setpriv --reuid=1",
            "chroot /",
            "runuser -u me --",
            "strace -f -e trace=open -o /tmp/o",
            "ltrace -S",
            "busybox",
            "toybox",
            "watch -n 1",
            "script -q -c",
            "caffeinate -i",
            "gtimeout 5",
            "exec -a z",
            "command -p",
            "builtin command",
            "systemd-run --user --scope",
            "dbus-run-session --",
            "xvfb-run -a",
            "fakeroot",
            "firejail --quiet",
            "catchsegv",
            "valgrind -q",
        ] {
            let text = if wrapper.ends_with("-c") {
                format!("{wrapper} 'find /'")
            } else {
                format!("{wrapper} find /")
            };
            assert_eq!(extract_find_paths(&text), [["/"]], "{text}");
        }
    }

    /// The value of an option was taken for the command.
    #[test]
    fn values_of_options_are_no_command() {
        assert_table(&[
            ("nice -n 19 find /", &[&["/"]]),
            ("nice -5 find /", &[&["/"]]),
            ("stdbuf -i 0 -o 0 -e 0 find /", &[&["/"]]),
            ("timeout --sig KILL 5 find /", &[&["/"]]),
            ("timeout -s find 5 find /", &[&["/"]]),
            ("sudo -u find find /", &[&["/"]]),
            ("sudo -p 'find /x' find /", &[&["/"]]),
            ("env -u find find /", &[&["/"]]),
            ("xargs -I find find /a </dev/null", &[]),
            ("flock find find /", &[&["/"]]),
        ]);
        assert_none(&["timeout find /", "nice -n find", "sudo -u find", "env -u find", "stdbuf find /"]);
    }

    /// Options inside `env -S`, and `env` behind other wrappers.
    #[test]
    fn env_splits_its_string() {
        assert_table(&[
            ("env -S '-u DUMMY find /'", &[&["/"]]),
            ("env -S'-i A=b find /'", &[&["/"]]),
            ("env --split-string='find /'", &[&["/"]]),
            ("env --split='find /' -name x", &[&["/"]]),
            ("env -S 'find \"/a b\"'", &[&["/a b"]]),
            ("env -S 'find\\_/'", &[&["/"]]),
            ("sudo env -S \"find /\"", &[&["/"]]),
            ("nice timeout 5 env -vS 'nohup find /'", &[&["/"]]),
            ("env -S 'env -S \"find /\"'", &[&["/"]]),
            ("env -S 'sh -c \"find /\"'", &[&["/"]]),
        ]);
    }

    /// The replacement string of xargs, the variable of `env -u`, the folder of `env -C`.
    #[test]
    fn operands_are_no_program() {
        with_calls("ls | xargs -I R find R", |calls| {
            let path = calls[0].start_paths().next().unwrap();
            assert!(matches!(path.kind(), Kind::Unknown(_)));
            assert_eq!(calls[0].wrappers().collect::<Vec<_>>(), ["xargs"]);
        });
        assert_table(&[("env -u T find /", &[&["/"]]), ("env -C /etc find .", &[&["."]])]);
        assert_eq!(directories("env -C /etc find ."), ["/etc"]);
        assert_eq!(directories("env --chdir=/etc find ."), ["/etc"]);
        assert_eq!(directories("env -C /etc env -C ssl find ."), ["/etc/ssl"]);
    }

    /// The text of `-c` was missed behind other options of the shell.
    #[test]
    fn options_of_shells_hide_no_text() {
        for shell in [
            "bash -c",
            "bash -O extglob -c",
            "bash +O extglob -c",
            "bash -o posix -c",
            "bash +o posix -c",
            "bash --posix -c",
            "bash --rcfile f -c",
            "bash --init-file f -c",
            "bash --noprofile --norc -c",
            "bash -ec",
            "bash -euxo pipefail -c",
            "bash -lc",
            "bash -il -c",
            "bash +c",
            "bash -c --",
            "bash -c -e",
            "sh -c",
            "sh -ec",
            "dash -c",
            "zsh -c",
            "ksh -c",
            "/bin/sh -c",
            "/usr/bin/env bash -c",
            "busybox sh -c",
            "busybox ash -c",
            "exec bash -c",
            "sudo -u root sh -c",
        ] {
            let text = format!("{shell} 'find /'");
            assert_eq!(extract_find_paths(&text), [["/"]], "{text}");
        }
        assert_none(&[
            "bash -n -c 'find /'",
            "bash -o noexec -c 'find /'",
            "bash find /",
            "bash ./find.sh /",
            "bash --version -c 'find /'",
        ]);
    }

    /// Quoted parts side by side are one word.
    #[test]
    fn adjacent_quotes_are_one_text() {
        assert_table(&[
            ("bash -c 'echo safe''; find /'", &[&["/"]]),
            ("bash -c 'echo safe'\"; find /\"", &[&["/"]]),
            ("bash -c echo\\ safe\\;\\ find\\ /", &[&["/"]]),
            ("bash -c 'echo safe'$'\\n''find /'", &[&["/"]]),
            ("sh -c \"f\"'ind'\" /\"", &[&["/"]]),
            ("eval 'fi''nd' /", &[&["/"]]),
        ]);
    }

    /// The program that xargs runs can be inspected, though its input cannot.
    #[test]
    fn only_the_feed_of_xargs_is_unknown() {
        for text in
            ["find -print0 | xargs -0 rg x", "git ls-files | xargs rg x", "cat list | xargs -r -n 5 rg x"]
        {
            let mut analyzer = Analyzer::new();
            let report = analyzer.analyze(text, &Options::default());
            let last = report.commands().last().unwrap();
            let words: Vec<_> = last.argv().collect();
            assert_eq!((words[0].value(), words[1].value()), (Some("rg"), Some("x")), "{text}");
            assert!(words[2].is_splice() && words.len() == 3, "{text}");
            assert!(report.is_complete(), "{text}");
        }
    }

    /// Structure around a command hid it.
    #[test]
    fn structure_hides_nothing() {
        for text in [
            "echo a & find /",
            "{ find /; }",
            "{ { ( find / ) } }",
            "while :; do find /; break; done",
            "until find /; do :; done",
            "for ((i = 0; i < 1; i++)); do find /; done",
            "echo $(echo $(echo $(find /)))",
            "echo \"$(echo \"$(find /)\")\"",
            "echo `echo \\`find /\\``",
            "f() { g() { find /; }; g; }; f",
            "[[ a && -n $(find /) ]]",
            "x=${y:-$(find /)}",
            "cat <<< \"$(find /)\"",
            "a=(b $(find /))",
            "echo ${a[$(find /)0]}",
            "case $(find /) in *) ;; esac",
            "for x in $(find /); do :; done",
            "> $(find /) echo",
            "if ! { find /; }; then :; fi",
        ] {
            assert_eq!(extract_find_paths(text), [["/"]], "{text}");
        }
    }
}

mod heredocs_and_redirections {
    use super::*;

    /// The text that is written to a file is prose.
    #[test]
    fn bodies_for_programs_are_data() {
        assert_none(&[
            "cat > n.md <<'EOF'\nfind /\nEOF",
            "cat <<EOF >> n.md\nRun find / now.\n`# find /`\nEOF",
            "tee -a n.md <<\"EOF\"\n$(find /)\nEOF",
            "cat <<-'\tEOF'\n\tfind /\n\tEOF",
            "python3 <<'PY'\nimport os; os.system('find /')\nPY",
            "git commit -F - <<'M'\nfind / is slow\nM",
            "cat <<A <<B\nfind /\nA\nfind /\nB",
            "psql <<'EOF' && echo done\nfind /\nEOF",
        ]);
        // Its substitutions run, when its delimiter is not quoted.
        assert_table(&[
            ("cat > n.md <<EOF\n$(find /) and `find /etc`\nEOF", &[&["/"], &["/etc"]]),
            ("cat <<EOF\n${x:-$(find /)}\n\\$(find /no)\nEOF", &[&["/"]]),
        ]);
    }

    /// What a shell reads is code, whatever stood on the line before.
    #[test]
    fn bodies_for_shells_are_code() {
        assert_table(&[
            ("cat f\nbash <<EOF\nfind /\nEOF", &[&["/"]]),
            ("cat <<A > x\nfind /no\nA\nsh <<B\nfind /\nB", &[&["/"]]),
            ("sudo -u root bash -s -- /x <<'EOF'\nfind \"$1\"\nEOF", &[&["/x"]]),
            ("cat <<'EOF' | sh\nfind /\nEOF", &[&["/"]]),
            ("cat <<'EOF' | sed s/x/y/ | bash\nfind /\nEOF", &[&["/"]]),
            ("bash <<'A'\nbash <<'B'\nfind /\nB\nA", &[&["/"]]),
            ("zsh <<< 'find /'", &[&["/"]]),
            ("bash <(cat <<'EOF'\nfind /\nEOF\n)", &[&["/"]]),
            ("source /dev/stdin <<'EOF'\nfind /\nEOF", &[&["/"]]),
            ("while read -r l; do eval \"$l\"; done <<'EOF'\nfind /\nEOF", &[&["/"]]),
        ]);
    }

    /// A here-document in an odd place ended the reading of the line.
    #[test]
    fn the_rest_of_the_line_is_read() {
        assert_table(&[
            ("cat <<'EOF' 2>&1 | find /\nx\nEOF", &[&["/"]]),
            ("cat <<EOF; find /\nx\nEOF", &[&["/"]]),
            ("cat <<EOF && find / \\\nx\nEOF", &[&["/", "x"]]),
            ("<<EOF find /\nbody\nEOF", &[&["/"]]),
            ("A=1 <<EOF 2>&1 find / <<<x\nbody\nEOF", &[&["/"]]),
            ("cat <<EOF\nx\nEOF\nfind /", &[&["/"]]),
            ("cat <<E\\\nOF\nx\nEOF\nfind /", &[&["/"]]),
            ("if cat <<EOF; then find /; fi\nx\nEOF", &[&["/"]]),
            ("(cat <<EOF\nx\nEOF\n) | find /", &[&["/"]]),
        ]);
    }

    /// The lines of a program in another language were taken for commands.
    #[test]
    fn other_languages_are_one_command() {
        assert_eq!(commands("python - <<'PY'\nimport os\nfor x in y:\n  pass\nPY"), [["python", "-"]]);
        assert_eq!(
            commands("node -e 'const find = 1;\nfind(1)'"),
            [["node", "-e", "const find = 1;\nfind(1)"]]
        );
        assert_eq!(commands("python -c \"\n# find /\nimport os\n\"").len(), 1);
    }

    /// Process substitutions run.
    #[test]
    fn process_substitutions_run() {
        assert_table(&[
            ("echo hi > >(find /)", &[&["/"]]),
            ("echo hi 2> >(find /) >> >(find /etc)", &[&["/"], &["/etc"]]),
            ("diff <(find /a) <(find /b)", &[&["/a"], &["/b"]]),
            ("cat < <(find /)", &[&["/"]]),
            ("tee >(find /) >(cat) < x", &[&["/"]]),
        ]);
        assert_none(&["echo '<(find /)'", "echo \"<(find /)\"", "echo \\<\\(find /\\)"]);
    }

    /// Each command within another is a unit of its own.
    #[test]
    fn nested_commands_are_units() {
        let all = commands("echo $(rm -rf foo); ( git push )");
        assert!(all.contains(&vec!["rm".into(), "-rf".into(), "foo".into()]), "{all:?}");
        assert!(all.contains(&vec!["git".into(), "push".into()]), "{all:?}");
        assert_table(&[
            ("( find / )", &[&["/"]]),
            ("echo `find /a; find /b`$(find /c)", &[&["/a"], &["/b"], &["/c"]]),
        ]);
    }

    /// A redirection was taken for an operand.
    #[test]
    fn redirections_are_no_operands() {
        assert_eq!(commands("rm -rf x 2>/dev/null"), [["rm", "-rf", "x"]]);
        assert_eq!(commands("cmd a>b 2>&1 c <d e &>>f g>|h"), [["cmd", "a", "c", "e", "g"]]);
        assert_table(&[
            ("find 2>/dev/null /", &[&["/"]]),
            ("find 2> /dev/null /", &[&["/"]]),
            ("find >/etc/x -name y", &[&[]]),
            ("find / 2>&1 >&- <&0 {fd}>/x", &[&["/"]]),
            ("find <<<$'x' /", &[&["/"]]),
            // A number that is a word of its own is an operand.
            ("find 2 >/dev/null /", &[&["2", "/"]]),
            ("find a2>/dev/null /", &[&["a2", "/"]]),
        ]);
    }

    /// A redirection in front of the command's name hid it.
    #[test]
    fn redirections_may_come_first() {
        assert_table(&[
            ("true;>out find /", &[&["/"]]),
            ("true&&2>/dev/null find /", &[&["/"]]),
            (">a <b 2>&1 find /", &[&["/"]]),
            (">a A=1 >b find /", &[&["/"]]),
            ("&>out find /", &[&["/"]]),
        ]);
    }

    /// That a command writes a file is a fact beside its words.
    #[test]
    fn redirections_are_facts_of_their_own() {
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(
            "cargo check > ~/.zshrc 2>&1 < in",
            &Options { home: Some("/home/me"), ..Options::default() },
        );
        let command = report.commands().next().unwrap();
        assert_eq!(command.argv().map(Word::text).collect::<Vec<_>>(), ["cargo", "check"]);
        let facts: Vec<_> =
            command.redirections().map(|one| (one.kind(), one.target().text(), one.descriptor())).collect();
        assert_eq!(
            facts,
            [
                (RedirectionKind::Write, "/home/me/.zshrc", None),
                (RedirectionKind::Duplicate, "1", Some(2)),
                (RedirectionKind::Read, "in", None)
            ]
        );
        for (text, kind) in [
            ("x >> f", RedirectionKind::Append),
            ("x >| f", RedirectionKind::Write),
            ("x &> f", RedirectionKind::Write),
            ("x &>> f", RedirectionKind::Append),
            ("x <> f", RedirectionKind::ReadWrite),
            ("> f x", RedirectionKind::Write),
            ("(x) > f", RedirectionKind::Write),
            ("for i in 1; do x; done > f", RedirectionKind::Write),
        ] {
            let report = analyzer.analyze(text, &Options::default());
            let all: Vec<_> =
                report.commands().flat_map(Command::redirections).map(Redirection::kind).collect();
            assert_eq!(all, [kind], "{text}");
        }
    }

    /// A newline in quotes, and `2>&1`, made one command another.
    #[test]
    fn one_command_stays_one() {
        assert_eq!(commands("git commit -m \"a\nb\""), [["git", "commit", "-m", "a\nb"]]);
        assert_eq!(commands("git commit -m 'a\n\nfind /\n'"), [["git", "commit", "-m", "a\n\nfind /\n"]]);
        assert_eq!(commands("xcodebuild -scheme x 2>&1"), [["xcodebuild", "-scheme", "x"]]);
        assert_eq!(commands("xcodebuild \\\n  -scheme x"), [["xcodebuild", "-scheme", "x"]]);
    }

    /// Keywords that few parsers know.
    #[test]
    fn rare_keywords_hide_nothing() {
        assert_table(&[
            ("coproc find /", &[&["/"]]),
            ("coproc NAME { find /; }", &[&["/"]]),
            ("coproc find / >out", &[&["/"]]),
            ("select x in 1; do find /; done", &[&["/"]]),
            ("select x; do find /; break; done", &[&["/"]]),
            ("time -p ! find /", &[&["/"]]),
            ("! time find /", &[&["/"]]),
            ("function f { find /; }; f", &[&["/"]]),
            ("function f() ( find / ); f", &[&["/"]]),
        ]);
    }
}

mod quoting_and_words {
    use super::*;

    /// A `#` began a comment where it does not, or did not where it does.
    #[test]
    fn comments_begin_words_outside_quotes() {
        assert_eq!(commands("notify --channel \"#x\" --to y"), [["notify", "--channel", "#x", "--to", "y"]]);
        assert_eq!(commands("echo a#b c\\#d '#e'"), [["echo", "a#b", "c#d", "#e"]]);
        assert_eq!(commands("# note\n  # more\ngrep x"), [["grep", "x"]]);
        assert_eq!(commands("grep x # note; rm y"), [["grep", "x"]]);
        assert_eq!(commands("python -c \"\n# c\nx\n\"").len(), 1);
        assert_table(&[
            ("# find /a\nfind /b", &[&["/b"]]),
            ("echo x #; find /a\nfind /b", &[&["/b"]]),
            ("echo x#; find /a", &[&["/a"]]),
            ("echo '#'; find /a", &[&["/a"]]),
            ("echo ${x#y}; find /a", &[&["/a"]]),
            ("echo $#; find /a", &[&["/a"]]),
            ("((x = 2#1)); find /a", &[&["/a"]]),
            ("x=$(# find /no\nfind /a)", &[&["/a"]]),
        ]);
    }

    /// A name in pieces was not recognised.
    #[test]
    fn names_in_pieces_are_names() {
        for text in [
            "f''ind /",
            "f\"\"ind /",
            "'f'ind /",
            "\"find\" /",
            "f\\ind /",
            "fi\\\nnd /",
            "$'\\x66ind' /",
            "$'\\146ind' /",
            "$'\\u0066ind' /",
            "$\"find\" /",
            "find$IFS/",
            "find${IFS}/",
            "/usr/bin/f\"in\"d /",
            "X=find; $X /",
            "X=fi; ${X}nd /",
            "X=find\\ /; $X",
            "X=dnif; Y=find; ${Y} /",
            "$(echo find) /",
            "`printf find` /",
            "${X-find} / #",
            "a=(find /); \"${a[@]}\"",
            "find$'\\x20' / #",
        ] {
            let calls = with_calls(text, |calls| {
                calls.iter().any(|call| match call.name() {
                    Name::Find => call.start_paths().any(|path| path.text() == "/"),
                    Name::Pattern | Name::Unknown => true,
                })
            });
            // `find ` with a blank at its end is another name.
            assert_eq!(calls, !text.starts_with("find$'"), "{text}");
        }
        assert_eq!(commands("r\"m\" -rf x"), [["rm", "-rf", "x"]]);
    }

    /// A name that is not known is not "no find".
    #[test]
    fn an_unknown_name_is_told() {
        for text in [
            "$X /",
            "\"$X\" /",
            "${X} /",
            "$(cmd) /",
            "`cmd` /",
            "/usr/bin/$X /",
            "sudo $X /",
            "env $X /",
            "$X$Y /",
            "f$X /",
        ] {
            let is_told = with_calls(text, |calls| calls.iter().any(|call| call.name() == Name::Unknown));
            assert!(is_told, "{text}");
        }
        for text in ["g$X /", "ls $X", "echo \"$X\" find /"] {
            let is_told = with_calls(text, |calls| !calls.is_empty());
            assert!(!is_told, "{text}");
        }
    }

    /// Braces can make the name.
    #[test]
    fn braces_make_words() {
        assert_table(&[
            ("{find,/}", &[&["/"]]),
            ("{find,/a,/b} -name x", &[&["/a", "/b"]]),
            ("sudo {find,/}", &[&["/"]]),
            ("/usr/bin/{find,} /", &[&["/usr/bin/", "/"]]),
            ("find /{etc,usr/{lib,bin}}", &[&["/etc", "/usr/lib", "/usr/bin"]]),
            ("find /{1..3}", &[&["/1", "/2", "/3"]]),
        ]);
        assert_eq!(commands("/bin/{r,x}m f"), [["/bin/rm", "/bin/xm", "f"]]);
        assert_none(&["'{find,/}'", "{find}", "\\{find,/}", "{ find,/; }"]);
    }

    /// Text that talks of find.
    #[test]
    fn prose_is_no_command() {
        assert_none(&[
            "git commit -m \"never run find /\"",
            "git commit -m 'a; find /'",
            "git commit -m \"a && find / | x\"",
            "git commit -m 'run `find /` or $(find /)'",
            "grep -r \"find /\" .",
            "grep -rn 'find / -name' docs | head",
            "echo the find / gate",
            "echo \"find /\" 'find /' find\\ /",
            "printf '%s\\n' 'find /'",
            "rg 'find /' && echo ok",
            "gh pr create --body \"uses (find /) inside; find /\"",
            "sed -i 's|find /|find .|' x.sh",
            "alias ff='find /'",
            "X='find /'",
            "test \"find /\" = x",
            "[[ 'find /' == find* ]]",
            "case 'find /' in 'find /') ;; esac",
            "echo \\`find /\\`",
        ]);
        assert_table(&[
            ("git commit -m \"run `find /`\"", &[&["/"]]),
            ("git commit -m \"run $(find /) it\"", &[&["/"]]),
            ("git commit -m 'a'; find /", &[&["/"]]),
            ("echo \"a\"`find /`\"b\"", &[&["/"]]),
        ]);
    }
}

mod paths {
    use super::*;

    /// `cd` is lexical, find's operands are physical: neither is resolved for the other.
    #[test]
    fn cd_is_lexical_and_operands_stay_as_written() {
        assert_eq!(directories("cd link/.. && find ."), ["/work/project"]);
        assert_eq!(extract_find_paths("find link/.."), [["link/.."]]);
        assert_eq!(
            extract_find_paths("find /tmp/../etc node_modules/../src"),
            [["/tmp/../etc", "node_modules/../src"]]
        );
        assert_eq!(directories("cd /tmp/../etc && find ."), ["/etc"]);
        assert_eq!(directories("cd // && cd etc && find ."), ["/etc"]);
    }

    /// `pushd`, options of `cd`, and the order in which things happen.
    #[test]
    fn every_way_to_change_the_directory() {
        for (text, expected) in [
            ("pushd /etc && find .", &["/etc"][..]),
            ("pushd /etc >/dev/null && find .", &["/etc"]),
            ("pushd /etc && popd && find .", &["."]),
            ("pushd /a && pushd /b && popd && find .", &["/a"]),
            ("pushd /a && pushd /b && pushd && find .", &["/a"]),
            ("cd -P /d && find .", &["/d"]),
            ("cd -L -- /d && find .", &["/d"]),
            ("cd -- -d && find .", &["/work/project/-d"]),
            ("cd -e -P /d && find .", &["/d"]),
            ("cd /a && cd - && find .", &["."]),
            ("cd && find .", &["/home/me"]),
            ("cd ~ && find .", &["/home/me"]),
            ("cd ~/x && find .", &["/home/me/x"]),
            ("cd \"$X\" && find .", &["?"]),
            ("cd $(x) && find .", &["?"]),
            ("builtin cd /d && find .", &["/d"]),
            ("command cd /d && find .", &["/d"]),
            ("eval 'cd /d' && find .", &["/d"]),
            ("cd /d && { find .; }", &["/d"]),
            ("cd /d &&\n find .", &["/d"]),
            ("d=/d; cd $d && find .", &["/d"]),
            ("f() { cd \"$1\"; }; f /d && find .", &["/d"]),
            // It may have failed.
            ("cat x; cd ..; find .", &["/work", "."]),
            ("cd /d\nfind .", &["/d", "."]),
            // It has not happened yet, or happened elsewhere.
            ("find .; cd /d", &["."]),
            ("(cd /d); find .", &["."]),
            ("(cd /d && ls) && find .", &["."]),
            ("cd /d | find .", &["."]),
            ("cd /d & find .", &["."]),
            ("x=$(cd /d && pwd); find .", &["."]),
            ("bash -c 'cd /d'; find .", &["."]),
            ("cd /d || find .", &["."]),
            // Only when it has not failed does the rest run.
            ("cd /d || exit 1; find .", &["/d"]),
            ("f() { cd /d || return; find .; }; f", &["/d"]),
            // Outside of a function `return` fails, and the rest runs.
            ("cd /d || return; find .", &["/d", "."]),
            ("set -e; cd /d; find .", &["/d"]),
            ("if cd /d; then find .; fi", &["/d"]),
            ("if ! cd /d; then exit; fi; find .", &["/d"]),
            ("cd /d && bash -c 'cd e && find .'", &["/d/e"]),
            ("cd /d && sudo find .", &["/d"]),
            ("cd /d && ls | xargs find . -name", &["/d"]),
        ] {
            assert_eq!(directories(text), expected, "{text}");
        }
    }
}

mod facts_of_find_and_bash {
    use super::*;

    #[test]
    fn where_the_expression_begins() {
        assert_table(&[
            ("find -- a", &[&["a"]]),
            ("find -- -d", &[&[]]),
            ("find '(p' '!b' ',c'", &[&["(p", "!b", ",c"]]),
            ("find ')' -", &[&[")", "-"]]),
            ("find ''", &[&[""]]),
            ("find -D tree a", &[&["a"]]),
            ("find -O3 a", &[&["a"]]),
            ("find -P -H -L a", &[&["a"]]),
            ("find \\( -name x \\)", &[&[]]),
            ("find ! -name x", &[&[]]),
        ]);
    }

    #[test]
    fn where_an_action_ends() {
        assert_table(&[
            ("find a -exec ls x+ + {} + -name y", &[&["a"]]),
            ("find a -exec ls {} \\; -exec find b {} +", &[&["a"], &["b", "{}"]]),
            ("find a -exec ls / ';' -exec ls /etc {} +", &[&["a"]]),
            ("find a -ok ls / {} + -name x ';'", &[&["a"]]),
            // Behind the action bfs takes start paths.
            ("find a -exec ls {} + /b", &[&["a", "/b"]]),
        ]);
    }

    #[test]
    fn a_list_of_roots_in_a_file_is_unknown() {
        for text in ["find -files0-from F", "find -H -files0-from -", "find -name x -files0-from F"] {
            with_calls(text, |calls| {
                let path = calls[0].start_paths().next().unwrap();
                assert!(matches!(path.kind(), Kind::Unknown(_)) && path.is_in_file(), "{text}");
                assert!(!calls[0].may_walk_cwd(), "{text}");
            });
        }
    }

    #[test]
    fn all_of_these_run_find() {
        for text in [
            "find $'\\x2f'",
            "find 2>/dev/null /",
            "> f find /",
            "echo a|find /",
            "time { find /; }",
            "! find /",
            "trap 'find /' EXIT",
            "trap 'find /' 0; exit",
            "[[ -n $(find /) ]]",
            "(( $(find /) ))",
            "let \"x = $(find /)\"",
            "echo ${x:-$(find /)}",
            ": \"${x:=`find /`}\"",
            "declare a=$(find /)",
            "export A=`find /`",
            "local_() { local a=$(find /); }; local_",
            "exec -a x find /",
            "exec -cl find /",
            "builtin command find /",
            "script -qc 'find /' /dev/null",
            "flock l -c 'find /'",
            "flock l find /",
            "bash -c -- 'find /'",
            "bash -c 'find \"$1\"' _ /",
            "bash -c 'find \"$@\"' _ /",
            "eval find /",
            "eval \"find\" '/'",
            "env --split-string='find /'",
            "echo 'find /' | bash",
            "echo 'find /' | tee x | sh",
            "printf '/\\0' | xargs -0 find",
            "echo / | xargs -I{} find {}",
            "cat <<EOF | xargs find\n/\nEOF",
            "A=/; find $A",
            "A=/; find \"${A}\"",
        ] {
            assert_eq!(extract_find_paths(text), [["/"]], "{text}");
        }
        assert_table(&[
            ("D=\"/ /etc\"; find $D", &[&["/", "/etc"]]),
            ("D=\"/ /etc\"; find \"$D\"", &[&["/ /etc"]]),
        ]);
    }

    #[test]
    fn none_of_these_runs_find() {
        assert_none(&[
            "command -v find /",
            "command -V find /",
            "type find /",
            "hash find",
            "echo ${x:-find /}",
            "a=(find /)",
            "declare -a a=(find /)",
            "f() { find /; }",
            "function f { find /; }; g",
            "f() { find /; }; unset -f f; f",
            "case find in find) ;; esac",
            "case find in find) : find /;; esac",
            "for find in /; do :; done",
            "select find in; do find /; done",
            "echo >&2 find /",
            "echo x >| f find /",
            "\"find /\"",
            "'find '/",
            "xargs -r find </dev/null",
            "printf '' | xargs -r find",
            "[ find = / ]",
            "(( find / 2 ))",
            "echo $((find / 2))",
            "true || find /",
            "false && find /",
            "if false; then find /; fi",
            "while false; do find /; done",
            "exit; find /",
            "exec true; find /",
            "set -n; find /",
            "set -e; false; find /",
        ]);
        // On a file system that minds case these are other programs; on the others they are find.
        assert_table(&[("FIND /", &[&["/"]]), ("/usr/bin/Find /", &[&["/"]])]);
    }

    #[test]
    fn a_search_path_of_cd_counts() {
        assert_eq!(directories("CDPATH=/srv; cd lib && find ."), ["/work/project/lib", "/srv/lib"]);
        assert_eq!(
            directories("CDPATH=/srv:/opt; cd lib && find ."),
            ["/work/project/lib", "/srv/lib", "/opt/lib"]
        );
        assert_eq!(directories("CDPATH=/srv; cd ./lib && find ."), ["/work/project/lib"]);
        assert_eq!(directories("CDPATH=/srv; cd /lib && find ."), ["/lib"]);
    }

    #[test]
    fn how_a_call_is_reached_is_told() {
        for (text, via) in [
            ("find /", &[][..]),
            ("x | find /", &[Via::Pipe]),
            ("find / &", &[Via::Background]),
            ("(find /)", &[Via::Subshell]),
            ("x=$(find /)", &[Via::CommandSubstitution]),
            ("x=`find /`", &[Via::Backquote]),
            ("cat <(find /)", &[Via::ProcessSubstitution]),
            ("coproc find /", &[Via::Coprocess]),
            ("f() { find /; }; f", &[Via::Function]),
            ("eval find /", &[Via::Eval]),
            ("source <(echo find /)", &[Via::Source]),
            ("trap 'find /' EXIT", &[Via::Trap]),
            ("sh -c 'find /'", &[Via::ShellCommand]),
            ("sh <<< 'find /'", &[Via::ShellInput]),
            ("bash <(echo find /)", &[Via::ShellFile]),
            ("echo / | xargs find", &[Via::Pipe, Via::Xargs]),
            ("find . -exec find / \\;", &[Via::FindExec]),
            ("shopt -s expand_aliases\nalias f='find /'\nf", &[Via::Alias]),
            ("x=$( (eval 'find /' | y) )", &[Via::CommandSubstitution, Via::Subshell, Via::Pipe, Via::Eval]),
        ] {
            let found = with_calls(text, |calls| calls.last().map(|call| call.via().collect::<Vec<_>>()));
            assert_eq!(found.as_deref(), Some(via), "{text}");
        }
    }
}
