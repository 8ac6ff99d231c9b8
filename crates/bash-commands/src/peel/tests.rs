//! One table for each family of wrappers: what they start, word for word.
//!
//! Words are split at blanks; `~` stands for a blank inside a word, `$x` for an unknown word, `$@` for any number of
//! them, and a `$` behind a beginning for an unknown rest.

#![expect(clippy::format_push_string, reason = "a test may allocate")]
#![expect(clippy::string_slice, reason = "a test may stop at the first surprise")]

use super::*;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

struct Line {
    words: Vec<(String, bool, bool)>,
}

impl Line {
    fn new(line: &str) -> Self {
        let word = |word: &str| match word.split_once('$') {
            Some((prefix, rest)) => (prefix.replace('~', " "), false, rest == "@"),
            None => (word.replace('~', " "), true, false),
        };
        Self { words: line.split(' ').map(word).collect() }
    }

    fn join(&self, range: Range<usize>) -> String {
        let words = self.words[range].iter();
        let words: Vec<_> =
            words.map(|(text, known, _)| if *known { text.clone() } else { format!("{text}$") }).collect();
        words.join(" ")
    }

    fn text(&self, value: Value) -> &str {
        &self.words[value.word()].0[value.offset()..]
    }
}

impl Arguments for Line {
    fn len(&self) -> usize {
        self.words.len()
    }
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        let (text, known, splice) = self.words.get(index)?;
        Some(Argument { text, known: *known, splice: *splice })
    }
}

/// All readings in one line, `;` between them, `?` behind the uncertain ones.
fn readings(line: &str) -> String {
    let line = Line::new(line);
    let end = line.len();
    let mut readings = Vec::new();
    peel(&line, &mut |peeled| {
        let inner = match peeled.inner {
            Inner::Argv { from } => line.join(from..end),
            Inner::SplitString { value, rest } => {
                format!("split [{}] {}", line.text(value), line.join(rest..end))
            }
            Inner::Script { value, arguments } => {
                format!("script [{}] {}", line.text(value), line.join(arguments..end))
            }
            Inner::Joined { from, escape } => {
                format!("{} [{}]", if escape { "escaped" } else { "joined" }, line.join(from..end))
            }
            Inner::StdinScript { arguments } => format!("stdin {}", line.join(arguments..end)),
            Inner::ScriptFile { word, arguments } => {
                format!("file [{}] {}", line.join(word..word + 1), line.join(arguments..end))
            }
            Inner::Xargs { from, options } => {
                let mut text = format!("items {}", line.join(from..end));
                match options.delimiter {
                    Delimiter::Blanks => {}
                    Delimiter::Nul => text += " nul",
                    Delimiter::Character(value) => text += &format!(" delimiter={}", line.text(value)),
                }
                match options.replace {
                    None => {}
                    Some(Replace::Braces) => text += " replace",
                    Some(Replace::Text(value)) => text += &format!(" replace={}", line.text(value)),
                }
                for (name, value) in [
                    ("max", options.max_args),
                    ("from", options.arg_file),
                    ("end", options.end),
                    ("insert", options.insert_at),
                ] {
                    if let Some(value) = value {
                        text += &format!(" {name}={}", line.text(value));
                    }
                }
                match options.max_lines {
                    None => {}
                    Some(MaxLines::One) => text += " lines",
                    Some(MaxLines::Number(value)) => text += &format!(" lines={}", line.text(value)),
                }
                if options.no_run_if_empty { text + " unless-empty" } else { text }
            }
            Inner::Parallel { from, to, options } => {
                let source = match options.source {
                    ParallelSource::StandardInput => "stdin".to_string(),
                    ParallelSource::Files => "files".to_string(),
                    ParallelSource::Words { from, combined } => {
                        format!("words [{}]{}", line.join(from..end), if combined { " combined" } else { "" })
                    }
                    ParallelSource::Dashes { from } => format!("dashes [{}]", line.join(from..end)),
                };
                let rearranged = if options.rearranged { " rearranged" } else { "" };
                format!("parallel [{}] {source}{rearranged}", line.join(from..to))
            }
            Inner::Unreadable { from } => format!("unreadable {from}"),
            Inner::Nothing => "nothing".to_string(),
        };
        let mut text = inner.trim_end().to_string();
        match peeled.directory {
            Directory::Same => {}
            Directory::To(value) => text += &format!(" in {}", line.text(value)),
            Directory::Home => text += " in ~",
            Directory::Root => text += " in /",
        }
        if !peeled.assignments.is_empty() {
            text += &format!(" with {}", line.join(peeled.assignments.clone()));
        }
        if peeled.clears_environment {
            text += " cleared";
        }
        if let Some(name) = peeled.argument_zero {
            text += &format!(" as {}", line.text(name));
        }
        if peeled.login_name {
            text += " login";
        }
        if !peeled.certain {
            text += " ?";
        }
        readings.push(text);
    });
    readings.join("; ")
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .filter_map(|(line, expected)| {
            let got = readings(line);
            (got != *expected).then(|| format!("{line}\n  expected: {expected}\n  got:      {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn names() {
    let name = |line: &str| peel(&Line::new(line), &mut |_| {});
    assert_eq!(name("sudo x"), Some("sudo"));
    assert_eq!(name("/usr/bin/sudo x"), Some("sudo"));
    assert_eq!(name("proxychains4 x"), Some("proxychains"));
    for find in ["FIND", "/bin/find.exe", "gfind", "bfs"] {
        assert!(matches!(crate::wrappers::lookup(find.as_bytes()), Some(Program::Find)), "{find}");
    }
    assert_eq!(name("bash.exe -c x"), Some("bash"));
    for line in [
        "git x",
        "findstr x",
        "SUDO x",
        "",
        "/",
        "sudo/",
        "envx",
        "ls",
        "$x find",
        "ssh h find /",
        "docker exec c find /",
    ] {
        assert_eq!(name(line), None, "{line}");
    }
}

#[test]
fn env() {
    check(&[
        ("env find /a", "find /a"),
        ("env", "nothing"),
        ("env -i A=b find /a", "find /a with A=b cleared"),
        ("env - find /a", "find /a cleared"),
        ("env -u X -C /tmp A=1 find .", "find . in /tmp with A=1 cleared"),
        ("env -uX --chdir=/tmp --uns Y find .", "find . in /tmp cleared"),
        ("env -- A=1 =x find /a", "find /a with A=1 =x"),
        ("env A=b -i find", "-i find with A=b"),
        ("env -S A=1~find~/a -name x", "split [A=1 find /a] -name x"),
        ("env -vSfind~/a /b", "split [find /a] /b"),
        ("env --split-string=find~/", "split [find /]"),
        ("env -iu A -C / -S find", "split [find] in / cleared"),
        ("env --block-signal find /", "find /"),
        ("env --block-signal=INT find /", "find /"),
        ("env -a x find /", "find / as x"),
        ("env -P /bin find /", "find /"),
        ("env -0 find /", "nothing"),
        ("env --help find /", "nothing"),
        ("env -u", "nothing"),
        ("env A=$x find /", "find / with A=$"),
    ]);
}

#[test]
fn coreutils() {
    check(&[
        ("timeout 5 find /a", "find /a"),
        ("timeout -k 5 10 find /a", "find /a"),
        ("timeout -s KILL --preserve-status 10s find /a", "find /a"),
        ("timeout --sig KILL 1.5h find /a", "find /a"),
        ("timeout --signal=9 -v --foreground 5 find /a", "find /a"),
        ("timeout -- 5 find", "find"),
        ("timeout 5 -- find", "-- find"),
        ("timeout 5 -k 3 find", "-k 3 find"),
        ("timeout find /", "nothing"),
        ("timeout 5", "nothing"),
        ("timeout $x find /", "find / ?"),
        ("timeout $@ 5 find /", "5 find / ?; find / ?"),
        ("timeout -t 5 find /", "find / ?"),
        ("nice find /a", "find /a"),
        ("nice -n 10 find /a", "find /a"),
        ("nice -10 find /a", "find /a"),
        ("nice --5 find", "find"),
        ("nice -+5 find", "find"),
        ("nice +5 find", "+5 find; find ?"),
        ("nice -n10 -- find /a", "find /a"),
        ("nice --adj=5 find /a", "find /a"),
        ("nohup find /a", "find /a"),
        ("nohup -- find /a", "find /a"),
        ("nohup --version find", "nothing"),
        ("stdbuf -oL -e0 -i 0 find /a", "find /a"),
        ("stdbuf --output=L find /a", "find /a"),
        ("stdbuf find /a", "nothing"),
        ("chroot /mnt find /a", "find /a in /"),
        ("chroot --userspec=a:b --skip-chdir / find a", "find a"),
        ("chroot /mnt", "stdin in /"),
        ("runcon c find /", "find /"),
        ("runcon -t t -u u find /", "find /"),
        ("time -f %e find /a", "find /a"),
        ("/usr/bin/time -ao t find /a", "find /a"),
        ("time -l find /", "find /"),
        ("time --out t find /", "find /"),
    ]);
}

#[test]
fn util_linux_and_procps() {
    check(&[
        ("setsid -cw find /a", "find /a"),
        ("setsid --wait find /a", "find /a"),
        ("ionice -c 3 -n 7 find /a", "find /a"),
        ("ionice -c3 -t find /a", "find /a"),
        ("ionice find /", "find /"),
        ("ionice -p 1 find", "nothing"),
        ("chrt -b 0 find /a", "find /a"),
        ("chrt -rR 5 find /a", "find /a"),
        ("chrt -T 1 -d 0 find /a", "find /a"),
        ("chrt -m find", "nothing"),
        ("chrt -p 5 find", "nothing"),
        ("chrt 5 -- find", "-- find"),
        ("chrt -o find /", "find / ?"),
        ("taskset 0x3 find /a", "find /a"),
        ("taskset -c 0,1 find /a", "find /a"),
        ("taskset 1 -c find", "-c find"),
        ("taskset -p 3 1", "nothing"),
        ("flock /l find /a", "find /a"),
        ("flock -w 5 -n /l -c find~/a", "script [find /a]"),
        ("flock --timeout 5 /l --command find~/a", "script [find /a]"),
        ("flock /l -c find /", "nothing"),
        ("flock /l -- find", "-- find"),
        ("flock 9", "nothing"),
        ("setpriv --reuid 5 --clear-groups --nnp find /", "find /"),
        ("setpriv -d", "nothing"),
        ("prlimit -n5 --cpu=3 -v find /", "find /"),
        ("prlimit -p 5 find", "nothing"),
        ("unshare -mr find /a", "find /a"),
        ("unshare --mount=/x -w /d find a", "find a in /d"),
        ("unshare -R /r find a", "find a in /"),
        ("unshare", "stdin"),
        ("nsenter -t 1 -m -p find /", "find /"),
        ("nsenter --target 1 -a find /", "find /"),
        ("setarch x86_64 -R find /a", "find /a"),
        ("setarch -R find /a", "find /a"),
        ("linux32 -R find /a", "find /a"),
        ("choom -n 5 find /a", "find /a"),
        ("choom -p 5", "nothing"),
        ("watch -n 1 find /a", "joined [find /a]"),
        ("watch -d find~/a~|~wc", "joined [find /a | wc]"),
        ("watch -dn1 find /a~b", "joined [find /a b]"),
        ("watch --differences=permanent -x find /a~b", "find /a b"),
        ("watch -n 1", "nothing"),
        ("script -qc find~/a /dev/null", "script [find /a]"),
        ("script /dev/null -c find~/a", "script [find /a]"),
        ("script --command=find~/", "script [find /]"),
        ("script -q /dev/null find /", "find /"),
        ("script f -- find /", "find / ?"),
        ("script -q f", "stdin"),
    ]);
}

#[test]
fn users() {
    check(&[
        ("sudo find /a", "find /a"),
        ("sudo -u root -- find /a", "find /a"),
        ("sudo -nu root find /a", "find /a"),
        ("sudo --us root find /a", "find /a"),
        ("sudo -E -H A=b find /a", "find /a with A=b"),
        ("sudo A=b -u root find", "find with A=b"),
        ("sudo -- A=b find", "A=b find"),
        ("sudo /a=b find", "/a=b find"),
        ("sudo -D /srv find .", "find . in /srv"),
        ("sudo --preserve-env=X find", "find"),
        ("sudo -c c -a t find", "find"),
        ("sudo -c c -a t -Z find /", "c -a t -Z find / ?; t -Z find / ?; find / ?; / ?"),
        ("sudo -s find /a~b", "escaped [find /a b]"),
        ("sudo -i find~/a", "escaped [find /a] in ~"),
        ("sudo -s", "stdin"),
        ("sudo -i", "stdin in ~"),
        ("sudo -u root", "stdin ?"),
        ("sudo -l find /a", "nothing"),
        ("sudo -e find", "nothing"),
        ("sudo -v", "nothing"),
        ("sudo -h host find", "nothing"),
        ("sudo -u $x find /", "find /"),
        ("sudo -u$x find /", "find /"),
        ("sudo --user=$x find /", "find /"),
        ("sudo -Z find /", "find / ?; / ?"),
        ("sudo 5 find /", "5 find /; find / ?"),
        ("sudo $x find /", "$ find / ?; / ?; find / ?"),
        ("sudo", "stdin ?"),
        ("doas -u root find /a", "find /a"),
        ("doas A=b find", "A=b find"),
        ("doas -C f find", "nothing"),
        ("doas -L", "nothing"),
        ("doas -s", "stdin"),
        ("su -c find~/a", "script [find /a]"),
        ("su root -c find~/a x y", "script [find /a] x y"),
        ("su - user -c find~.", "script [find .] in ~"),
        ("su -l -c find", "script [find] in ~"),
        ("su -c find /c root", "script [find] root"),
        ("su root find /", "file [find] /"),
        ("su root -- -c find~/", "script [find /]"),
        ("su", "stdin"),
        ("su -", "stdin in ~"),
        ("runuser -u root find /", "find /"),
        ("runuser -u root -- find -L /", "find -L /"),
        ("runuser root --command=find~/", "script [find /]"),
        ("sg g -c find~/", "script [find /]"),
        ("sg g find~/", "script [find /]"),
        ("pkexec --user root find .", "find . in ~"),
        ("pkexec --keep-cwd find .", "find ."),
        ("gosu root find /", "find /"),
        ("su-exec root:root find /", "find /"),
        ("chpst -u root -n 5 find /", "find /"),
        ("run0 --chdir=/x -u root find .", "find . in /x"),
    ]);
}

#[test]
fn xargs() {
    check(&[
        ("xargs", "items"),
        ("xargs find", "items find"),
        ("xargs -n1 find -L", "items find -L max=1"),
        ("xargs -I{} find {}", "items find {} replace={}"),
        ("xargs -I % sh -c x", "items sh -c x replace=%"),
        ("xargs -i find {} y", "items find {} y replace"),
        ("xargs -i% find %", "items find % replace=%"),
        ("xargs --replace find {}", "items find {} replace"),
        ("xargs -l find", "items find lines"),
        ("xargs -L 1 -P4 -t find", "items find lines=1"),
        ("xargs -0r find", "items find nul unless-empty"),
        ("xargs --null --max-args 2 find", "items find nul max=2"),
        ("xargs -d \\n -a f find", "items find delimiter=\\n from=f"),
        ("xargs -E END -eX find", "items find end=X"),
        ("xargs -J % find % x", "items find % x insert=%"),
        ("xargs -R 1 -S 9 find", "items find"),
        ("xargs --help", "nothing"),
    ]);
}

#[test]
fn parallel() {
    check(&[
        ("parallel find {} ::: /a /b", "parallel [find {}] words [/a /b]"),
        ("parallel ::: find~/a find~/b", "parallel [] words [find /a find /b]"),
        ("parallel -j 4 find", "parallel [find] stdin"),
        ("parallel -a f find", "parallel [find] files"),
        ("parallel find :::: f", "parallel [find] files"),
        ("parallel find ::: a ::: b", "parallel [find] words [a ::: b] combined"),
        ("parallel -X find ::: a b", "parallel [find] words [a b] rearranged"),
        ("parallel --dry-run find ::: a", "nothing"),
        ("parallel -j 4 find -- / /etc", "parallel [find -- / /etc] stdin; parallel [find] dashes [/ /etc]"),
        ("sem -j 3 find /", "joined [find /]"),
    ]);
}

#[test]
fn builtins() {
    check(&[
        ("command find /a", "find /a"),
        ("command -p -- find /a", "find /a"),
        ("command -v find /a", "nothing"),
        ("command -pV find", "nothing"),
        ("command", "nothing"),
        ("command -o find", "nothing"),
        ("exec --x find", "nothing"),
        ("builtin -- command find /", "command find /"),
        ("exec find /a", "find /a"),
        ("exec -a x find /a", "find /a as x"),
        ("exec -c -l find", "find cleared login"),
        ("exec -cla x -- find", "find cleared as x login"),
        ("exec", "nothing"),
    ]);
}

#[test]
fn tracers_sessions_and_sandboxes() {
    check(&[
        ("strace -f -o /dev/null find /a", "find /a"),
        ("strace -fe trace=file --output=x find /a", "find /a"),
        ("strace -p 5", "nothing"),
        ("ltrace -S -e x find /", "find /"),
        ("valgrind --tool=x -q --leak-check=full find /", "find /"),
        ("rlwrap -a -H h find /", "find /"),
        ("unbuffer -p find /", "find /"),
        ("xvfb-run -a -s opts find /", "find /"),
        ("/lib64/ld-linux-x86-64.so.2 --library-path /l /bin/find /", "/bin/find /"),
        ("systemd-run --scope -p A=b find .", "find ."),
        ("systemd-run --pipe find .", "find . in /"),
        ("systemd-run --working-directory=/x find .", "find . in /x"),
        ("systemd-inhibit --what=idle find /", "find /"),
        ("dbus-run-session -- find /", "find /"),
        ("fakeroot -- find /", "find /"),
        ("fakeroot -i f -s g find /", "find /"),
        ("faketime -f x find /", "find /"),
        ("torsocks -i find /", "find /"),
        ("proxychains4 -q -f c find /", "find /"),
        ("eatmydata find /", "find /"),
        ("dumb-init -r 15:2 find /", "find /"),
        ("tini -g -- find /", "find /"),
        ("numactl -N 0 --membind=0 find /", "find /"),
        ("cpulimit -l 50 -- find /", "find /"),
        ("caffeinate -i -t 5 find /", "find /"),
        ("chronic -e find /", "find /"),
        ("firejail --net=none find /", "find /"),
        ("bwrap --ro-bind / / --dev /dev --unshare-all --chdir /x find .", "find . in /x"),
        ("bwrap --overlay a b c --setenv A b find", "find"),
        ("screen -dmS name find /", "find /"),
        ("screen -d -m -S name sh -c find~/", "sh -c find /"),
        ("screen -ls", "nothing"),
        ("tmux new-session -d -s x -n w -x 100 find~.", "script [find .]"),
        ("tmux -L other -f /dev/null new -ds x -c /y find .", "find . in /y"),
        ("tmux neww -t x find~.", "script [find .]"),
        ("tmux new -d ; splitw -h find~/ ; select-layout tiled", "nothing; script [find /]"),
        ("tmux new -d find / ; splitw", "unreadable 3 ?; nothing"),
        ("tmux run -b find~/", "script [find /]"),
        ("tmux run -C new-window", "nothing"),
        ("tmux attach -t x", ""),
        ("tmux", ""),
        ("hyperfine -w 3 find~/a find~/b", "script [find /a]; script [find /b]"),
        ("busybox find /a", "find /a"),
        ("busybox --list", "nothing"),
        ("toybox find /", "find /"),
        ("find /", ""),
    ]);
}

#[test]
fn subcommands() {
    check(&[
        ("uv run find /", "find /"),
        ("uv --quiet run --with x find /", "find /"),
        ("poetry run -- find /", "find /"),
        ("bundle exec find /", "find /"),
        ("direnv exec /d find /", "find /"),
        ("aws-vault exec p -- find /", "find /"),
        ("mise exec node@22 -- find /", "find /"),
        ("mise x -c find~/", "script [find /]"),
        ("perf stat -e x -- find /", "find /"),
        ("git bisect run find /", "find /"),
        ("git -C p bisect run find /", "find /"),
        ("git submodule foreach --recursive find~/", "script [find /]"),
        ("git submodule foreach find /", "find /"),
        ("entr -rc find /", "find /"),
        ("entr -s find~/", "script [find /]"),
        ("nix-shell -p hello --run find~/", "script [find /]"),
        ("nix develop .#x -c find /", "find /"),
        ("nix shell a b --command find -L /", "find -L /"),
        // Not these subcommands: no wrapper.
        ("git find /", ""),
        ("git log run", ""),
        ("uv pip run", ""),
        ("git -C", ""),
        ("git", ""),
    ]);
}

#[test]
fn shells() {
    check(&[
        ("bash -c find~/a", "script [find /a]"),
        ("sh -lc find~/a", "script [find /a]"),
        ("bash -ec x /z /o", "script [x] /z /o"),
        ("bash -c -e find~/", "script [find /]"),
        ("bash -c -- find~/", "script [find /]"),
        ("bash -c -o posix find~/", "script [find /]"),
        ("bash -oc posix find~/a", "script [find /a]"),
        ("bash -eo pipefail -c find~/", "script [find /]"),
        ("bash +c find~/", "script [find /]"),
        ("bash +x -c find~/", "script [find /]"),
        ("bash -O extglob -c find~/", "script [find /]"),
        ("bash --norc -noprofile --rcfile f -c find~/", "script [find /]"),
        ("bash --rcfile f -ic find~/", "file [f]; script [find /]"),
        ("bash -- -c find", "file [-c] find"),
        ("bash - x", "file [x]"),
        ("bash f a b", "file [f] a b"),
        ("bash -s a", "stdin a"),
        ("bash", "stdin"),
        ("bash -x", "stdin"),
        ("bash -n -c find", "nothing"),
        ("bash -o noexec f", "nothing"),
        ("bash --version -c find", "nothing"),
        ("bash -c", "nothing"),
        ("bash $@ -c find~/", "file [$] -c find / ?; script [find /] ?"),
        ("bash $x find~/", "file [$] find / ?; script [find /] ?; file [find /] ?"),
        ("bash -e$x find~/", "script [find /] ?; file [find /] ?"),
        ("dash -o errexit -c find~/", "script [find /]"),
        ("zsh -fc find~/", "script [find /]"),
        ("fish -c find~/ x", "script [find /] x"),
        ("fish --command=find~/", "script [find /]"),
        ("csh -fc find~/", "script [find /]"),
    ]);
}

#[test]
fn unknown_words_never_hide_the_command() {
    check(&[
        ("env $x find /", "$ find / ?; / ?; find / ?"),
        ("env $@", "$ ?"),
        ("nohup $x find", "$ find ?; find ?"),
        ("flock $@ find /", "find / ?; / ?"),
    ]);
    // Many unknown words: an answer all the same, and soon.
    let many = alloc::vec!["$@"; 200].join(" ");
    assert!(readings(&format!("sudo {many}")).contains("unreadable"));
}

#[test]
fn shell_options() {
    let options = |line: &str| {
        let mut found = None;
        peel(&Line::new(line), &mut |peeled| found = Some(peeled.shell));
        found.unwrap()
    };
    assert!(options("bash -ec x").errexit);
    assert!(!options("bash -e +e -c x").errexit);
    assert!(options("bash -o noglob -c x").noglob);
    assert!(options("bash -fc x").noglob && !options("zsh -fc x").noglob);
    assert!(options("sh -c x").aliases && !options("bash -c x").aliases && options("bash -ic x").aliases);
    assert!(options("bash -O expand_aliases -c x").aliases);
    assert!(options("watch x").aliases && !options("watch x").bash);
}

/// A small deterministic source of numbers: the same lines on every run, and no dependency.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

const VOCABULARY: &[&str] = &[
    "find", "/", "-c", "-s", "-u", "--", "-", "5", "A=b", "-abc", "--user", "--user=x", "--frob", "-x", "-S",
    "$x", "$@", "-i$", "--us$", "A$", ":::", "{}", ";", "+", "-exec", "~", "é", "-é", "-n1", "-I", "",
    "--x=é",
];

fn random_line(numbers: &mut Numbers) -> String {
    let (name, _) = crate::wrappers::NAMES[numbers.below(crate::wrappers::NAMES.len())];
    let mut line = name.to_string();
    for _ in 0..numbers.below(9) {
        line += " ";
        line += VOCABULARY[numbers.below(VOCABULARY.len())];
    }
    line
}

#[test]
fn every_reading_stays_inside_the_line() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    for _ in 0..30_000 {
        let text = random_line(&mut numbers);
        let line = Line::new(&text);
        let end = line.len();
        let mut count = 0;
        let name = peel(&line, &mut |peeled| {
            count += 1;
            let inside = |value: Value| {
                value.word() < end && line.words[value.word()].0.is_char_boundary(value.offset())
            };
            let fits = match peeled.inner {
                Inner::Argv { from } | Inner::Joined { from, .. } => from < end,
                Inner::SplitString { value, rest } => inside(value) && rest <= end,
                Inner::Script { value, arguments } => inside(value) && arguments <= end,
                Inner::StdinScript { arguments } => arguments <= end,
                Inner::ScriptFile { word, arguments } => word < end && arguments <= end,
                Inner::Xargs { from, options } => {
                    from <= end
                        && [options.arg_file, options.max_args, options.end].into_iter().flatten().all(inside)
                }
                Inner::Parallel { from, to, .. } => from <= to && to <= end,
                Inner::Unreadable { from } => from <= end,
                Inner::Nothing => true,
            };
            let assignments =
                peeled.assignments.start <= peeled.assignments.end && peeled.assignments.end <= end;
            assert!(fits && assignments, "{text}: {peeled:?}");
        });
        assert!(name.is_none() || (1..=MAX_READINGS).contains(&count), "{text}: {count} readings");
    }
}

/// The short way and the engine agree wherever the short way says anything.
#[test]
fn the_short_way_is_the_only_reading() {
    let rests = [
        "find /",
        "5 find /",
        "x find /",
        "/x y",
        "A=b find",
        "5 A=b",
        "inf find",
        "infinity",
        "5 inf x",
        "i x",
        "1e5 find",
        "5 5 find",
        "-x find",
        "5 -x find",
        "-- find",
        "5 -- find",
        "$X find",
        "5 $X",
        "",
        "5",
        "x",
        ".5s ./x",
    ];
    let mut numbers = Numbers(0x1234_5678_9ABC_DEF1);
    let all = crate::wrappers::NAMES.iter().flat_map(|(name, _)| rests.map(|rest| format!("{name} {rest}")));
    let random: Vec<_> = (0..20_000).map(|_| random_line(&mut numbers)).collect();
    let mut hits = 0;
    for text in all.chain(random) {
        let line = Line::new(text.trim_end());
        let Some(program) =
            line.words.first().and_then(|(name, ..)| crate::wrappers::lookup(name.as_bytes()))
        else {
            continue;
        };
        let Some((name, from)) = plainly_started(program, &line) else { continue };
        let Program::Wrapper(wrapper) = program else { panic!("{text}: no wrapper") };
        let mut found = Vec::new();
        peel_wrapper(&line, 1, wrapper.grammars, &mut |peeled| found.push(peeled));
        let shell = ShellOptions { bash: true, ..ShellOptions::default() };
        assert_eq!(found, [Peeled { shell, ..Peeled::of(Inner::Argv { from }) }], "{text}");
        assert_eq!(name, wrapper.name);
        hits += 1;
    }
    assert!(hits > 100, "{hits}");
}

/// What a grammar would say that is not asked was said by another one.
#[test]
fn grammars_that_are_not_asked_would_say_nothing_new() {
    let mut numbers = Numbers(0x0F0F_1E1E_2D2D_3C3C);
    let (mut lines, mut readings_of_several) = (0, 0);
    for _ in 0..40_000 {
        let text = random_line(&mut numbers);
        let line = Line::new(&text);
        let Some(Program::Wrapper(wrapper)) =
            line.words.first().and_then(|(name, ..)| crate::wrappers::lookup(name.as_bytes()))
        else {
            continue;
        };
        if wrapper.grammars.len() < 2 {
            continue;
        }
        let mut asked = Vec::new();
        peel_wrapper(&line, 1, wrapper.grammars, &mut |peeled| asked.push(peeled));
        let mut all = Readings { first: None, more: Vec::new() };
        for lenient in [false, true] {
            for (index, grammar) in wrapper.grammars.iter().enumerate() {
                let readings = &mut all;
                let reader = Reader {
                    argv: &line,
                    start: 1,
                    grammar,
                    others: &[],
                    is_alike: true,
                    is_second: index > 0,
                    readings,
                    pending: Vec::new(),
                };
                reader.read(lenient);
            }
            if all.first.is_some() {
                break;
            }
        }
        let mut expected = Vec::new();
        all.emit(&mut |peeled| expected.push(peeled));
        if !expected.is_empty() {
            assert_eq!(asked, expected, "{text}");
            lines += 1;
            readings_of_several += usize::from(expected.len() > 1);
        }
    }
    assert!(lines > 1000 && readings_of_several > 100, "{lines} {readings_of_several}");
}

/// Unknown never turns into «nothing is started».
#[test]
fn an_unknown_option_hides_no_command() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..30_000 {
        let text = random_line(&mut numbers);
        let mut line = Line::new(&text);
        let starts = |line: &Line| {
            let mut found = None;
            peel(line, &mut |peeled| {
                if let Inner::Argv { from } = peeled.inner
                    && peeled.certain
                {
                    found = found.or(Some(from));
                }
            });
            found
        };
        let Some(from) = starts(&line).filter(|&from| from > 1) else { continue };
        let hidden = 1 + numbers.below(from - 1);
        line.words[hidden] = (String::new(), false, true);
        let mut something = false;
        peel(&line, &mut |peeled| something |= peeled.inner != Inner::Nothing);
        assert!(something, "{text} with word {hidden} unknown");
    }
}

#[test]
fn every_name_is_found() {
    for (name, _) in crate::wrappers::NAMES {
        assert!(crate::wrappers::lookup(name.as_bytes()).is_some(), "{name}");
    }
}
