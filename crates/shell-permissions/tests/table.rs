//! The sentences of the specification, and the public faults of comparable tools, one row each.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "helpers of tests may stop at the first surprise"
)]

use bash_commands::Analyzer;
use shell_permissions::{
    Action, AllFiles, FileRule, Files, Judgement, Language, NoFiles, Options, Policy, Target, Verdict,
};

use Verdict::{Allow, Deny};

const STRICT: Options = Options { allow_multiple: true, allow_pipe: true, strict_allow: true };
const BARE: Options = Options { strict_allow: false, ..STRICT };
const ONE: Options = Options { allow_multiple: false, allow_pipe: true, strict_allow: true };
const NO_PIPE: Options = Options { allow_multiple: true, allow_pipe: false, strict_allow: true };

/// Makes a policy; `+git *` allows, `-git *` denies.
fn policy(options: Options, rules: &[&str]) -> Policy {
    let rules = rules.iter().map(|rule| {
        let action = if rule.starts_with('+') { Action::Allow } else { Action::Deny };
        (&rule[1..], action)
    });
    Policy::new(options, rules).unwrap()
}

fn judge(options: Options, rules: &[&str], text: &str, files: &dyn Files) -> Judgement {
    let place = bash_commands::Options { cwd: Some("/work"), home: Some("/home/u"), ..Default::default() };
    policy(options, rules).judge(text, &place, &mut Analyzer::new(), files)
}

fn check(options: Options, rules: &[&str], rows: &[(&str, Verdict)]) {
    for (text, expected) in rows {
        let judgement = judge(options, rules, text, &AllFiles);
        assert_eq!(judgement.verdict(), *expected, "{rules:?}: {text}\n{}", judgement.text(Language::En));
        // Every verdict explains itself, in both languages.
        for language in [Language::En, Language::ZhCn] {
            let lines = judgement.text(language).lines().count();
            assert_eq!(lines >= 2, *expected == Deny, "{text}");
        }
        assert!(*expected == Deny || !judgement.admissions().is_empty() || text.trim().is_empty(), "{text}");
    }
}

/// The example of the seed.
const SEED: &[&str] = &["-*", "+git *", "+rg *"];

#[test]
fn the_seeds_example() {
    check(
        ONE,
        SEED,
        &[
            ("git status", Allow),
            ("git", Allow),
            ("rg -n foo src", Allow),
            ("rg foo | rg bar", Allow),
            ("ls", Deny),
            ("git status && rm x", Deny),
            ("git status && git log", Deny),
            ("git status; git log", Deny),
            ("rg foo | wc -l", Deny),
            ("", Allow),
        ],
    );
}

#[test]
fn the_seeds_patterns() {
    check(STRICT, &["+*"], &[("anything at all", Allow), ("$X y", Allow), ("X=1", Allow)]);
    check(STRICT, &["+*", "-git *"], &[("git", Deny), ("git log -1", Deny), ("ls", Allow)]);
    check(
        STRICT,
        &["+git *", "-git push *"],
        &[("git push", Deny), ("git push origin main", Deny), ("git pull", Allow), ("git -C p push", Deny)],
    );
    check(
        STRICT,
        &["+git *", "-git reset --hard"],
        &[
            ("git reset --hard", Deny),
            ("git reset HEAD~1 --hard", Deny),
            ("git -C p reset --hard", Deny),
            ("git reset --soft", Allow),
            ("git commit -m 'reset --hard'", Allow),
            ("git commit -m \"reset --hard\"", Allow),
            ("git reset '--hard'", Deny),
            ("git res''et --ha\\rd", Deny),
        ],
    );
    // Without a rule that matches: deny.
    check(STRICT, &[], &[("ls", Deny)]);
    check(STRICT, &["+git *"], &[("ls", Deny)]);
}

#[test]
fn the_more_specific_rule_wins_whatever_the_order() {
    let mut rules = ["-*", "+git *", "-git push *", "+git push origin *"];
    for _ in 0..4 {
        rules.rotate_left(1);
        check(
            STRICT,
            &rules,
            &[
                ("git push origin main", Allow),
                ("git push upstream main", Deny),
                ("git log", Allow),
                ("ls", Deny),
            ],
        );
    }
    // As many parts: the longer text.
    check(STRICT, &["+git push", "-git push *"], &[("git push", Deny)]);
    check(STRICT, &["-git push", "+git push *"], &[("git push", Allow)]);
    // Still tied: deny.
    check(STRICT, &["+git a", "-git b"], &[("git a b", Deny)]);
    check(STRICT, &["+git a", "-git a"], &[("git a", Deny)]);
}

#[test]
fn allow_multiple_counts_every_construct() {
    check(
        ONE,
        &["+*"],
        &[
            ("ls", Allow),
            ("ls;", Allow),
            ("ls\n", Allow),
            ("# note\nls", Allow),
            ("! time ls", Allow),
            ("{ ls; }", Allow),
            ("ls | wc", Allow),
            ("sudo timeout 5 ls", Allow),
            ("bash -c ls", Allow),
            ("ls 'a; b' \"c && d\"", Allow),
            ("cat <<'E'\na; $(b)\nE", Allow),
            ("ls && pwd", Deny),
            ("ls || pwd", Deny),
            ("true || pwd", Deny),
            ("false && pwd", Deny),
            ("ls; pwd", Deny),
            ("ls & pwd", Deny),
            ("ls &", Deny),
            ("ls\npwd", Deny),
            ("(ls)", Deny),
            ("echo $(ls)", Deny),
            ("echo `ls`", Deny),
            ("diff <(ls) x", Deny),
            ("echo ${x:-$(ls)}", Deny),
            ("cat <<E\n$(ls)\nE", Deny),
            ("if ls; then pwd; fi", Deny),
            ("while ls; do pwd; done", Deny),
            ("for x in 1; do ls; done", Deny),
            ("case x in x) ls;; esac", Deny),
            ("f() { ls; }", Deny),
            ("f() { ls; }; f", Deny),
            ("coproc ls", Deny),
            ("bash -c 'ls; pwd'", Deny),
            ("eval 'ls; pwd'", Deny),
            ("echo 'ls; pwd' | sh", Deny),
            // What is not known may be several.
            ("eval \"$X\"", Deny),
            ("curl x | sh", Deny),
            ("$X 'a; b'", Deny),
            ("watch sudo git $X", Deny),
            ("watch sudo git log", Allow),
            ("sudo $X", Allow),
        ],
    );
}

#[test]
fn allow_pipe_counts_pipes() {
    check(
        NO_PIPE,
        &["+*"],
        &[
            ("ls", Allow),
            ("ls; pwd", Allow),
            ("ls || pwd", Allow),
            ("ls | wc", Deny),
            ("ls |& wc", Deny),
            ("bash -c 'ls | wc'", Deny),
            ("echo $(ls | wc)", Deny),
        ],
    );
}

#[test]
fn strict_allow_wants_the_first_word_first() {
    check(
        STRICT,
        &["+git status"],
        &[
            ("git status", Allow),
            ("git status -s", Allow),
            ("git --no-pager status", Allow),
            ("git -C p status", Allow),
            ("git push origin status", Deny),
            ("git -C status push", Deny),
            ("git -c core.fsmonitor=x status", Deny),
            ("git \"$X\" status", Deny),
            ("git $X status", Deny),
            ("git -C \"$X\" status", Allow),
            ("git -C $X status", Deny),
        ],
    );
    check(STRICT, &["+git --version"], &[("git --version", Allow), ("git push --version", Deny)]);
    check(
        STRICT,
        &["+python -m pytest *"],
        &[
            ("python -m pytest -q", Allow),
            ("python3 -m pytest", Deny),
            ("python -m evil pytest", Deny),
            ("python -c x -m pytest", Deny),
        ],
    );
    check(
        STRICT,
        &["+kubectl get *"],
        &[("kubectl -n get delete pod x", Deny), ("kubectl -n x get pod", Allow)],
    );
    check(
        BARE,
        &["+git status"],
        &[("git push origin status", Allow), ("git -c core.fsmonitor=x status", Allow), ("git push", Deny)],
    );
}

#[test]
fn options_that_run_code_must_be_named() {
    check(
        STRICT,
        &["+git *"],
        &[
            ("git -c a.b=c log", Deny),
            ("git --exec-path=/x log", Deny),
            ("git --config-env=a.b=C log", Deny),
            ("git fetch --upload-pack=x", Deny),
            ("git fetch --upload-pack x", Deny),
            ("git fetch --upload-pa=x", Deny),
            ("git push --exec=x", Deny),
            ("git push --receive-pack=x", Deny),
            ("git clone -u x y", Deny),
            ("git rebase -x make", Deny),
            ("git bisect run make", Deny),
            ("git submodule foreach ls", Deny),
            ("git grep -O x", Deny),
            ("git clone ext::sh", Deny),
            ("git commit -m x -- -c", Allow),
            ("git -- log", Allow),
            ("git -- -c a.b=c log", Deny),
            ("git log -c", Allow),
            ("git add *", Allow),
            ("git commit -m \"$MSG\"", Allow),
            ("git fetch \"$X\"", Deny),
            ("git fetch -- \"$X\"", Deny),
            ("git push \"$X\"", Deny),
            ("git push origin \"feature/$X\"", Allow),
        ],
    );
    check(STRICT, &["+git *", "+git -c *"], &[("git -c a.b=c log", Allow), ("git --exec-path=/x log", Deny)]);
    check(
        STRICT,
        &["+find *"],
        &[
            ("find . -name x", Allow),
            ("find . -exec echo {} +", Deny),
            ("find . -ok echo {} \\;", Deny),
            ("find \"./$X\" -name y", Allow),
            ("find \"$X\" -name y", Deny),
        ],
    );
    check(
        STRICT,
        &["+find *", "+find -exec *", "+grep *"],
        &[("find . -exec grep x {} +", Allow), ("find . -exec rm {} +", Deny)],
    );
    check(
        STRICT,
        &["+tar *"],
        &[
            ("tar -xf a.tar", Allow),
            ("tar xf a.tar", Allow),
            ("tar xf \"$A\" -C \"$B\"", Allow),
            ("tar --to-command=x -xf a", Deny),
            ("tar --to-com=x -xf a", Deny),
            ("tar -I x -xf a", Deny),
            ("tar -cIf x a b", Deny),
            ("tar cIf x a b", Deny),
            ("tar cFf x y a", Deny),
            ("tar cf a --checkpoint-action=exec=x b", Deny),
            ("tar cf a *", Deny),
            ("tar cf a ./*", Allow),
            ("tar cf a -- *", Allow),
        ],
    );
    check(
        STRICT,
        &["+ssh *"],
        &[
            ("ssh host ls", Allow),
            ("ssh -p 22 -o BatchMode=yes host ls -o ProxyCommand=x", Allow),
            ("ssh -o ProxyCommand=x host", Deny),
            ("ssh -oproxycommand=x host", Deny),
            ("ssh -vo 'ProxyCommand x' host", Deny),
            ("ssh -o \"$X\" host", Deny),
            ("ssh -F x host", Deny),
        ],
    );
    check(
        STRICT,
        &["+rsync *"],
        &[
            ("rsync -a x y", Allow),
            ("rsync -e sh x y", Deny),
            ("rsync -ave sh x y", Deny),
            ("rsync --rsh=x y z", Deny),
        ],
    );
    check(
        STRICT,
        &["+python *", "+node *", "+perl *"],
        &[
            ("python x.py -c y", Allow),
            ("python -m http.server", Allow),
            ("python -c 'import os'", Deny),
            ("/usr/bin/python -V", Deny),
            ("python -Sc x", Deny),
            ("node x.js", Allow),
            ("node -e x", Deny),
            ("node --require ./x y.js", Deny),
            ("perl -I lib x.pl", Allow),
            ("perl -lane print", Deny),
        ],
    );
    check(STRICT, &["+python3.12 *"], &[("python3.12 -c x", Deny), ("python3.12 x.py", Allow)]);
    check(
        STRICT,
        &["+rg *"],
        &[("rg --pre=x y", Deny), ("rg -- \"$X\"", Allow), ("rg -e \"$X\" .", Allow), ("rg \"$X\"", Deny)],
    );
    // `*` is any command, whatever its options.
    check(STRICT, &["+*"], &[("git -c a.b=c log", Allow), ("python -c x", Allow)]);
}

#[test]
fn deny_goes_by_the_last_component_and_allow_by_the_name_as_written() {
    check(STRICT, &["+*", "-git *"], &[("/tmp/git push", Deny), ("./git x", Deny), ("gitk", Allow)]);
    check(STRICT, &["+*", "-/usr/bin/rm *"], &[("rm x", Deny), ("/bin/rm x", Deny)]);
    check(STRICT, &["+git *"], &[("/tmp/git push", Deny), ("/usr/bin/git log", Deny)]);
    check(STRICT, &["+/usr/bin/git *"], &[("/usr/bin/git log", Allow), ("git log", Deny)]);
}

#[test]
fn assignments_that_change_what_runs_make_the_command_unknown() {
    let rows = |verdict| {
        [
            "PATH=/x git status",
            "LD_PRELOAD=./x.so git status",
            "BASH_ENV=x git status",
            "GIT_SSH_COMMAND=x git fetch",
            "GIT_CONFIG_COUNT=1 git status",
            "env PATH=/x git status",
            "sudo LD_PRELOAD=x git status",
            "env -S 'PATH=/x git status'",
            "export PATH=/x; git status",
            "for PATH in /x; do git status; done",
            "read PATH; git status",
            "GIT_PAGER='sh -c x' git log",
            "GIT_PAGER=cat git log; read GIT_PAGER; git log",
        ]
        .map(|text| (text, verdict))
    };
    check(STRICT, &["+git *", "+env *", "+sudo *", "+export *", "+read *"], &rows(Deny));
    check(STRICT, &["+*"], &rows(Allow));
    check(STRICT, &["+*", "-rm *"], &rows(Deny));
    check(
        STRICT,
        &["+git *"],
        &[
            ("LC_ALL=C git status", Allow),
            ("GIT_AUTHOR_NAME=x git commit", Allow),
            ("GIT_PAGER=cat git log", Allow),
            ("GIT_EDITOR=true git rebase", Allow),
            // Assignments alone match only `*`.
            ("X=1", Deny),
            ("X=1; git log", Deny),
        ],
    );
}

#[test]
fn a_wrapper_and_all_it_runs_must_be_allowed() {
    check(
        STRICT,
        &["+git *", "+sudo *", "+bash *", "+xargs *", "+timeout *"],
        &[
            ("sudo git log", Allow),
            ("sudo -u root git log", Allow),
            ("sudo rm x", Deny),
            ("/tmp/sudo git log", Deny),
            ("nice git log", Deny),
            ("env git log", Deny),
            ("timeout 5 sudo git log", Allow),
            ("timeout 5 nice git log", Deny),
            ("bash -c 'git log'", Allow),
            ("bash -c 'git log; git diff'", Allow),
            ("bash -c 'rm x'", Deny),
            ("bash -c \"$X\"", Deny),
            ("bash \"$X\"", Deny),
            ("bash script.sh", Allow),
            ("source script.sh", Deny),
            ("xargs git add", Allow),
            ("xargs git fetch", Deny),
            ("xargs rm", Deny),
            ("xargs", Allow),
            ("eval 'git log'", Deny),
            ("curl x | bash", Deny),
            ("sudo $X", Deny),
        ],
    );
    check(
        STRICT,
        &["+sudo apt *", "+apt *"],
        &[("sudo apt update", Allow), ("sudo -u root apt update", Allow), ("sudo rm apt", Deny)],
    );
    check(STRICT, &["+*", "-sudo *"], &[("sudo ls", Deny), ("env sudo ls", Deny), ("ls sudo", Allow)]);
    check(STRICT, &["+*", "-env -S"], &[("env -S 'ls x'", Deny), ("env ls", Allow)]);
    // A function is no program; its body is judged.
    check(STRICT, &["+git *"], &[("f() { git log; }; f", Allow), ("git() { rm x; }; git log", Deny)]);
}

#[test]
fn a_command_that_is_not_fixed_matches_only_the_rule_for_all() {
    let rows = ["$CMD x", "\"$CMD\" x", "$(echo $X) y", "`$X` y", "./${X}", "g*t status"];
    check(STRICT, &["+git *", "+* status", "+echo *"], &rows.map(|text| (text, Deny)));
    check(STRICT, &["+*"], &rows.map(|text| (text, Allow)));
    // It may be what a rule denies.
    check(STRICT, &["+*", "-rm *"], &rows.map(|text| (text, Deny)));
    // What the text fixes is known.
    check(STRICT, &["+git *"], &[("g''it log", Allow), ("$'\\x67it' log", Allow), ("c=git; $c log", Deny)]);
    check(STRICT, &["+git *", "+echo *"], &[("$(echo git) log", Allow), ("$(echo rm) log", Deny)]);
}

#[test]
fn an_unknown_word_may_be_what_a_rule_denies() {
    check(
        STRICT,
        &["+git *", "-git push *"],
        &[
            ("git $X", Deny),
            ("git log $X", Deny),
            ("git log \"$X\"", Deny),
            ("git log \"x$X\"", Allow),
            ("git log \"p$X\"", Deny),
            ("git add *.rs", Allow),
            ("git add p*", Deny),
            ("git add *", Deny),
        ],
    );
    check(STRICT, &["+git *"], &[("git log \"$X\"", Allow), ("git log $X", Allow)]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let deep = "( ".repeat(200) + "ls" + &" )".repeat(200);
    check(
        STRICT,
        &["+*"],
        &[
            ("git 'log", Deny),
            ("git log )", Deny),
            ("if ls", Deny),
            ("git log\nif", Deny),
            (&deep, Deny),
            ("f() { f; f; }; f", Deny),
        ],
    );
}

fn lists(target: &Target<'_>) -> Result<(), FileRule> {
    let path = match target.directory {
        Some(directory) if !target.path.starts_with('/') => format!("{directory}/{}", target.path),
        _ => target.path.to_owned(),
    };
    match target.access {
        shell_permissions::Access::Write if path.starts_with("/work/") => Ok(()),
        shell_permissions::Access::Write => Err(FileRule::NotListed { list: "allowWrite" }),
        shell_permissions::Access::Read if path.starts_with("/secret") => {
            Err(FileRule::Entry { list: "denyRead", entry: "/secret".to_owned() })
        }
        shell_permissions::Access::Read => Ok(()),
    }
}

#[test]
fn targets_of_redirections_are_judged_by_the_lists() {
    let rules =
        ["+ls *", "+cat *", "+cd *", "+sudo *", "+bash *", "+eval *", "+exec *", "+cargo *", "+env *"];
    for (text, expected) in [
        ("ls > out", Allow),
        ("ls > /work/out", Allow),
        ("ls >> out 2>&1", Allow),
        ("ls 2>/dev/null >&2", Allow),
        ("ls > /dev/stderr 3> /dev/fd/4", Allow),
        ("ls &> /etc/x", Deny),
        ("ls >& /etc/x", Deny),
        ("ls > /etc/x", Deny),
        ("ls >| /etc/x", Deny),
        ("ls <> /etc/x", Deny),
        ("cargo check > ~/.zshrc", Deny),
        ("cat < /etc/passwd", Allow),
        ("cat < /secret/key", Deny),
        ("cat <<< x", Allow),
        ("cat <<E\n/secret\nE", Allow),
        ("cd /etc && ls > passwd", Deny),
        ("cd sub && ls > out", Allow),
        ("cd \"$X\" && ls > out", Deny),
        ("cd \"$X\" && ls > /work/out", Allow),
        ("ls > $X", Deny),
        ("ls > \"$X\"", Deny),
        ("ls > \"/etc/$X\"", Deny),
        ("ls > *.txt", Deny),
        ("ls > >(cat)", Allow),
        ("ls > /dev/tcp/example.com/80", Deny),
        ("exec 3<> /dev/udp/example.com/80", Deny),
        ("> /etc/x", Deny),
        ("> out", Deny),
        ("ls; > out", Allow),
        ("{ ls; } > /etc/x", Deny),
        ("{ ls; } > out", Allow),
        ("if ls; then ls; fi > /etc/x", Deny),
        ("f() { ls; }; f > /etc/x", Deny),
        ("f() { ls; } > /etc/x; f", Deny),
        ("bash -c ls > /etc/x", Deny),
        ("bash -c 'ls > /etc/x'", Deny),
        ("eval ls > /etc/x", Deny),
        ("sudo ls > /etc/x", Deny),
        ("env -C /etc ls > out", Allow),
        ("env -C /etc ls > /etc/x", Deny),
        ("env -C /etc bash -c 'ls > x'", Deny),
        ("ls >& $X", Deny),
        ("exec > /etc/x", Deny),
        ("cat $(< /secret/key)", Deny),
        ("ls >/work/../etc/x", Allow), // The list of this test does not know `..`; that of the sandbox does.
    ] {
        let judgement = judge(STRICT, &rules, text, &lists);
        assert_eq!(judgement.verdict(), expected, "{text}\n{}", judgement.text(Language::En));
    }
    // An unknown target is let pass where everything is; a known one is judged even there.
    for (text, expected) in
        [("ls > $X", Allow), ("ls > /dev/tcp/x/1", Allow), ("ls > /etc/x", Deny), ("cd $X; ls > y", Allow)]
    {
        assert_eq!(judge(STRICT, &["+*"], text, &lists).verdict(), expected, "{text}");
    }
    assert_eq!(judge(STRICT, &["+*"], "ls > x", &NoFiles).verdict(), Deny);
}

/// Reports 36 to 44: permission globs of comparable tools.
#[test]
fn faults_of_permission_globs() {
    // 36: a trailing `*` matches no argument too.
    check(STRICT, &["+git stash *"], &[("git stash", Allow), ("git stash pop", Allow)]);
    check(STRICT, &["+ssh * uptime *"], &[("ssh uptime", Allow), ("ssh host rm uptime", Deny)]);
    // 37: order decides nothing.
    check(STRICT, &["+git status", "-git *"], &[("git status", Allow), ("git log", Deny)]);
    check(STRICT, &["-git *", "+git status"], &[("git status", Allow), ("git log", Deny)]);
    // 38: a line that is not blank is always judged.
    check(
        STRICT,
        &[],
        &[("git diff --", Deny), ("# x", Deny), ("[[ x ]]", Deny), ("f() { :; }", Deny), (":", Deny)],
    );
    // 39: options before the subcommand hide nothing.
    check(STRICT, &["+*", "-git push *"], &[("git -C p push", Deny), ("git --git-dir x push", Deny)]);
    check(STRICT, &["+*", "-git reset --hard"], &[("git -C p reset --hard", Deny)]);
    // 40: a deny rule goes by the last component.
    check(STRICT, &["+*", "-git *"], &[("/tmp/git push", Deny)]);
    // 41: every command must be allowed.
    check(STRICT, &["+cd *"], &[("cd x && python y", Deny), ("cd x", Allow)]);
    // 42: a pipe of allowed commands.
    check(ONE, &["+ls *", "+wc *"], &[("ls | wc -l", Allow)]);
    // 43: a bare word is the command with any arguments; every word is kept.
    check(STRICT, &["+*", "-yarn"], &[("yarn test", Deny), ("yarn", Deny)]);
    check(STRICT, &["+*", "-kill -9"], &[("kill -9 1", Deny), ("kill 9", Allow)]);
    check(STRICT, &["+kill *"], &[("kill -9 1", Allow)]);
    // 44: the redirection and the command must both be allowed.
    assert_eq!(judge(STRICT, &["+ls *"], "ls > /etc/x", &lists).verdict(), Deny);
}

/// Neighbouring reports that a policy for commands must get right.
#[test]
fn faults_of_the_neighbours() {
    // 9: what `-exec` and `xargs` run is a command of its own.
    check(
        STRICT,
        &["+*", "-gh api -X"],
        &[("cat x | xargs -I{} gh api -X DELETE x/{}", Deny), ("find . -exec gh api -X DELETE {} \\;", Deny)],
    );
    // 12, 13: env -S, at any depth.
    check(
        STRICT,
        &["+*", "-rm *"],
        &[
            ("env -S '-u DUMMY rm x'", Deny),
            ("sudo env -S 'rm x'", Deny),
            ("timeout 1 nohup nice rm x", Deny),
            ("builtin command rm x", Deny),
            ("busybox rm x", Deny),
            ("trap 'rm x' EXIT", Deny),
            ("alias ls='rm x'", Allow),
            ("shopt -s expand_aliases\nalias ls='rm x'\nls", Deny),
            ("r''m x", Deny),
            ("{rm,x}", Deny),
            ("rm$IFS", Deny),
            ("echo rm x | sh", Deny),
            ("echo 'never run rm x'", Allow),
            ("command -v rm", Allow),
        ],
    );
    // 29: a redirection is a write of its own.
    check(STRICT, &["+cargo check *"], &[("cargo check 2>&1", Allow)]);
    // 30, 32: newlines and `#` inside quotes, comments before the command.
    check(
        ONE,
        &["+git *", "+python *", "+grep *"],
        &[("git commit -m \"a\nb\"", Allow), ("git commit -m \"#x\"", Allow), ("# note\ngrep x y", Allow)],
    );
    // Claude Code: `git -C p reset --hard` passes by a deny on the prefix; codex: strictest of all matches is no exception.
    check(
        STRICT,
        &["+*", "-git reset *", "+git reset --soft *"],
        &[("git reset --soft x", Allow), ("git -C p reset x", Deny)],
    );
}
