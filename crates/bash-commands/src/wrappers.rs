//! The programs and builtins that start another command, and the grammar of their own arguments. Data only.
//!
//! One row for each set of options that are read alike. A program that differs between systems has one grammar for
//! each; [`crate::peel`] gives every reading that some grammar accepts. The tables follow the programs' manuals and
//! trials with coreutils 9.1, util-linux 2.38, findutils 4.9, procps 4.0, sudo 1.9, opendoas 6.8, GNU time 1.9,
//! strace 6.1, GNU parallel 20221122 and busybox 1.35, and name what newer releases added. Programs that start a
//! command on another machine or in a container (`ssh`, `docker exec`) are left out on purpose: what they start does
//! not see this file system.

use crate::shells::{self, Shell};

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    /// A program whose options are read by a table.
    Wrapper(&'static Wrapper),
    /// A shell.
    Shell(&'static Shell),
    /// `find`, or a program that takes find's expressions under another name.
    Find,
    /// `fd`, whose `-x` and `-X` take a command.
    Fd,
    /// A program whose first argument is the name of the program to be: `busybox`, `toybox`.
    MultiCall(&'static str),
    /// A program some of whose subcommands start a command (`git bisect run`).
    Subcommands(&'static str, &'static [Subcommand]),
    /// The same, with more commands of its own behind words that are a `;` (`tmux new -d \; splitw 'find /'`).
    Sequence(&'static str, &'static [Subcommand]),
}

impl Program {
    /// See [`keeps_environment`].
    pub(crate) fn keeps_environment(&self) -> bool {
        match self {
            Self::Wrapper(wrapper) => wrapper.keeps_environment,
            Self::Shell(shell) => keeps_environment(shell.name),
            Self::MultiCall(name) | Self::Subcommands(name, _) | Self::Sequence(name, _) => {
                keeps_environment(name)
            }
            Self::Find | Self::Fd => true,
        }
    }
}

/// The words that make a wrapper of a program, and the wrapper.
pub(crate) type Subcommand = (&'static [&'static str], &'static Wrapper);

/// A program that starts another, and each way its arguments are read.
#[derive(Debug)]
pub(crate) struct Wrapper {
    /// The canonical name.
    pub(crate) name: &'static str,
    /// One for each system that differs; the first is that of GNU and Linux.
    pub(crate) grammars: &'static [Grammar],
    /// See [`keeps_environment`].
    keeps_environment: bool,
}

/// How one program reads its own arguments.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) options: &'static [Options],
    pub(crate) style: Style,
    /// What stands between the options and the command.
    pub(crate) operands: &'static [Operand],
    pub(crate) then: Then,
}

/// Options that are read alike.
#[derive(Debug)]
pub(crate) struct Options {
    /// The letters of the short ones.
    pub(crate) short: &'static str,
    /// The long ones, without their dashes.
    pub(crate) long: &'static [&'static str],
    pub(crate) arity: Arity,
    pub(crate) effect: Effect,
}

/// Whether an option takes a value, and where that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    /// No value; short ones may be bundled.
    Flag,
    /// The rest of the word, or the next word.
    Value,
    /// The rest of the word, or nothing.
    Attached,
    /// So many words of their own, never attached.
    Words(u8),
}

/// What an option changes about the command that is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Ordinary,
    /// Nothing is started at all.
    StartsNothing,
    /// The value is the folder to start in.
    Directory,
    /// It starts where the wrapper is, against the wrapper's habit.
    StaysHere,
    /// It starts in a home folder.
    Home,
    /// It starts in the root folder.
    Root,
    /// Some or all variables of the environment are gone.
    ClearsEnvironment,
    /// The value is split and read as arguments.
    SplitString,
    /// The value becomes the command's name.
    ArgumentZero,
    LoginName,
    /// The value is shell text.
    Script,
    /// The words are read by a shell.
    Shell,
    /// As `Shell`, in the home folder.
    LoginShell,
    /// The words are run without a shell, against the wrapper's habit.
    Direct,
    Nul,
    Delimiter,
    Replace,
    InsertAt,
    MaxArgs,
    MaxLines,
    NoRunIfEmpty,
    ArgFile,
    End,
    Quoted,
    Rearranged,
    /// The next word and all behind it are the command.
    CommandFollows,
}

/// Ways to read options that a whole program has.
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Long options may be shortened to any unique beginning, and `--help` and `--version` exist.
    pub(crate) gnu_long: bool,
    /// Long options that are in no table are taken as flags, or with a value behind `=`: all of this program's are.
    pub(crate) any_long: bool,
    /// Options are looked for in the whole line, up to `--`.
    pub(crate) permutes: bool,
    /// `-N`, `--N`, `-+N` with digits are options.
    pub(crate) numbers: bool,
    /// What a lone `-` before the operands means; without it, it is an operand.
    pub(crate) dash: Option<Effect>,
    pub(crate) assignments: Assignments,
    /// Without an option it is an error.
    pub(crate) needs_option: bool,
    /// The first argument is an operand when it does not begin with `-`, and options follow it.
    pub(crate) leading_operand: bool,
    /// The table is complete for every release: any other option is an error, and nothing is started.
    pub(crate) complete: bool,
    /// The folder in which the command starts, when no option says otherwise.
    pub(crate) directory: Option<Effect>,
}

/// Where `NAME=VALUE` words may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignments {
    Never,
    /// Behind all options, behind `--` too; any word with a `=`.
    Behind,
    /// Among the options, not behind `--`; no word that begins with `/` or `=`.
    Among,
}

/// A word between the options and the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Anything at all: a file, a user, a mask.
    Any,
    /// A number with an optional unit; anything else is an error, and nothing is started.
    Duration,
    /// A number. The newest util-linux lets it be left out for some policies.
    Priority,
    /// A folder that becomes the root.
    NewRoot,
    /// A `--`, which may be left out.
    Dashes,
}

/// What the words behind the operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// A command; without one nothing is started.
    Command,
    /// A command; without one a shell reads standard input.
    CommandOrShell,
    /// A command, or with `Effect::Shell` words for a shell (escaped), as `sudo` does.
    Sudo,
    /// A command, or with `Effect::Shell` a shell that takes no words, as `doas` does.
    Doas,
    /// Words for `sh -c`, joined by blanks.
    Joined,
    /// A command, or `-c` and one word of shell text.
    CommandOrScript,
    /// One word of shell text, with or without a `-c` before it.
    Script,
    /// A user, and arguments for that user's shell.
    User,
    /// A file, with shell text in an option; or words behind `--`.
    Typescript,
    Xargs,
    Parallel,
    /// Each operand is shell text of its own.
    Scripts,
    /// A command, or one word of shell text: with `Effect::Shell`, or when there is only one word.
    CommandOrText,
    /// Shell text in an option; without it a shell reads standard input.
    OptionScript,
}

const PLAIN: Style = Style {
    gnu_long: false,
    any_long: false,
    permutes: false,
    numbers: false,
    dash: None,
    assignments: Assignments::Never,
    needs_option: false,
    leading_operand: false,
    complete: false,
    directory: None,
};
const GNU: Style = Style { gnu_long: true, ..PLAIN };

const fn options(
    arity: Arity,
    short: &'static str,
    long: &'static [&'static str],
    effect: Effect,
) -> Options {
    Options { short, long, arity, effect }
}
const fn value(short: &'static str, long: &'static [&'static str]) -> Options {
    options(Arity::Value, short, long, Effect::Ordinary)
}
const fn attached(short: &'static str, long: &'static [&'static str]) -> Options {
    options(Arity::Attached, short, long, Effect::Ordinary)
}
const fn flag(short: &'static str, long: &'static [&'static str]) -> Options {
    options(Arity::Flag, short, long, Effect::Ordinary)
}
/// Options after which nothing is started, whatever follows.
const fn inert(short: &'static str, long: &'static [&'static str]) -> Options {
    options(Arity::Flag, short, long, Effect::StartsNothing)
}
impl Options {
    const fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }
}

const fn grammar(options: &'static [Options]) -> Grammar {
    Grammar { options, style: GNU, operands: &[], then: Then::Command }
}
impl Grammar {
    /// Returns whether the two read a line without options alike.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        // What says which options there are is of no account, unless it tells the one parallel from the other.
        let Style { gnu_long, any_long, numbers, complete, .. } = self.style;
        let others = Style {
            gnu_long: if self.then == Then::Parallel { other.style.gnu_long } else { gnu_long },
            any_long,
            numbers,
            complete,
            ..other.style
        };
        self.then == other.then && self.operands == other.operands && self.style == others
    }

    /// Finds a short option.
    pub(crate) fn short(&self, letter: char) -> Option<(Arity, Effect)> {
        let row = self.options.iter().find(|row| row.short.contains(letter))?;
        Some((row.arity, row.effect))
    }

    /// Finds a long option by its name or a beginning of it that fits only options that are read alike.
    pub(crate) fn long(&self, name: &str) -> Option<(Arity, Effect)> {
        let style = &self.style;
        let all = || self.options.iter().flat_map(|row| row.long.iter().map(move |long| (*long, row)));
        let kind = |row: &Options| (row.arity, row.effect);
        if let Some((_, row)) = all().find(|(long, _)| *long == name) {
            return Some(kind(row));
        }
        if !style.gnu_long {
            return None;
        }
        if matches!(name, "help" | "version") {
            return Some((Arity::Flag, Effect::StartsNothing));
        }
        let mut fitting = all().filter(|(long, _)| long.starts_with(name)).map(|(_, row)| kind(row));
        match fitting.next() {
            Some(first) => fitting.all(|other| other == first).then_some(first),
            None if "help".starts_with(name) || "version".starts_with(name) => {
                Some((Arity::Flag, Effect::StartsNothing))
            }
            None if style.any_long => Some((Arity::Attached, Effect::Ordinary)),
            None => None,
        }
    }

    const fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }
    const fn operands(self, operands: &'static [Operand]) -> Self {
        Self { operands, ..self }
    }
    const fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

macro_rules! wrappers {
    ($($constant:ident = $name:literal [$($grammar:expr),+ $(,)?])+) => {$(
        static $constant: Wrapper = Wrapper {
            name: $name,
            grammars: &[$($grammar),+],
            keeps_environment: keeps_environment($name),
        };
    )+};
}

const ENV: Style = Style { dash: Some(Effect::ClearsEnvironment), assignments: Assignments::Behind, ..GNU };

/// What every limit of `prlimit` is called; the value is optional and attached.
const LIMITS: &[&str] = &[
    "core",
    "data",
    "nice",
    "fsize",
    "sigpending",
    "memlock",
    "rss",
    "nofile",
    "msgqueue",
    "rtprio",
    "stack",
    "cpu",
    "nproc",
    "as",
    "locks",
    "rttime",
];

// Programs of GNU, util-linux and procps.
wrappers! {
    ENVIRONMENT = "env" [
        grammar(&[
            value("u", &["unset"]).with(Effect::ClearsEnvironment),
            value("C", &["chdir"]).with(Effect::Directory),
            value("S", &["split-string"]).with(Effect::SplitString),
            value("a", &["argv0"]).with(Effect::ArgumentZero),
            attached("", &["block-signal", "default-signal", "ignore-signal"]),
            flag("i", &["ignore-environment"]).with(Effect::ClearsEnvironment),
            flag("v", &["debug", "list-signal-handling"]),
            inert("0", &["null"]),
        ])
        .style(ENV),
        // BSD and macOS: `-P` names the search path, `-L` and `-U` a login class.
        grammar(&[
            value("u", &[]).with(Effect::ClearsEnvironment),
            value("PLU", &[]),
            value("C", &[]).with(Effect::Directory),
            value("S", &[]).with(Effect::SplitString),
            flag("i", &[]).with(Effect::ClearsEnvironment),
            flag("v", &[]),
            inert("0", &[]),
        ])
        .style(Style { gnu_long: false, ..ENV }),
    ]
    TIMEOUT = "timeout" [
        grammar(&[
            value("ks", &["kill-after", "signal"]),
            flag("vfp", &["verbose", "foreground", "preserve-status"]),
        ])
        .operands(&[Operand::Duration]),
    ]
    NICE = "nice" [
        grammar(&[value("n", &["adjustment"])]).style(Style { numbers: true, ..GNU }),
    ]
    NOHUP = "nohup" [grammar(&[])]
    STDBUF = "stdbuf" [
        grammar(&[value("ioe", &["input", "output", "error"])]).style(Style { needs_option: true, ..GNU }),
    ]
    CHROOT = "chroot" [
        grammar(&[value("", &["groups", "userspec"]), flag("", &["skip-chdir"]).with(Effect::StaysHere)])
            .operands(&[Operand::NewRoot])
            .then(Then::CommandOrShell),
        // BSD.
        grammar(&[value("gGu", &[]), flag("n", &[])])
            .style(PLAIN)
            .operands(&[Operand::NewRoot])
            .then(Then::CommandOrShell),
    ]
    RUNCON = "runcon" [
        grammar(&[]).operands(&[Operand::Any]),
        grammar(&[value("turl", &["type", "user", "role", "range"]), flag("c", &["compute"])])
            .style(Style { needs_option: true, ..GNU }),
    ]
    TIME = "time" [
        grammar(&[
            value("fo", &["format", "output"]),
            flag("apqv", &["append", "portability", "quiet", "verbose"]),
            inert("hV", &[]),
        ]),
        // BSD, macOS and busybox.
        grammar(&[value("of", &[]), flag("ahlpv", &[])]).style(PLAIN),
    ]
    XARGS = "xargs" [
        grammar(&[
            value("a", &["arg-file"]).with(Effect::ArgFile),
            value("d", &["delimiter"]).with(Effect::Delimiter),
            value("E", &[]).with(Effect::End),
            value("I", &[]).with(Effect::Replace),
            value("L", &[]).with(Effect::MaxLines),
            value("n", &["max-args"]).with(Effect::MaxArgs),
            value("Ps", &["max-procs", "max-chars", "process-slot-var"]),
            attached("e", &["eof"]).with(Effect::End),
            attached("i", &["replace"]).with(Effect::Replace),
            attached("l", &["max-lines"]).with(Effect::MaxLines),
            flag("0", &["null"]).with(Effect::Nul),
            flag("r", &["no-run-if-empty"]).with(Effect::NoRunIfEmpty),
            flag("optx", &["open-tty", "interactive", "verbose", "exit", "show-limits"]),
        ])
        .then(Then::Xargs),
        // BSD and macOS.
        grammar(&[
            value("J", &[]).with(Effect::InsertAt),
            value("E", &[]).with(Effect::End),
            value("I", &[]).with(Effect::Replace),
            value("L", &[]).with(Effect::MaxLines),
            value("n", &[]).with(Effect::MaxArgs),
            value("PsRS", &[]),
            flag("0", &["null"]).with(Effect::Nul),
            flag("r", &[]).with(Effect::NoRunIfEmpty),
            flag("optx", &[]),
        ])
        .style(PLAIN)
        .then(Then::Xargs),
    ]
    SETSID = "setsid" [grammar(&[flag("cfw", &["ctty", "fork", "wait"])])]
    IONICE = "ionice" [
        grammar(&[
            value("cn", &["class", "classdata"]),
            value("pPu", &["pid", "pgid", "uid"]).with(Effect::StartsNothing),
            flag("t", &["ignore"]),
        ]),
    ]
    CHRT = "chrt" [
        grammar(&[
            value("TPD", &["sched-runtime", "sched-period", "sched-deadline"]),
            flag("bdfiorRav", &[
                "batch", "deadline", "fifo", "idle", "other", "rr", "ext", "reset-on-fork", "all-tasks", "verbose",
            ]),
            flag("e", &[]),
            inert("mp", &["max", "pid"]),
        ])
        .operands(&[Operand::Priority]),
    ]
    TASKSET = "taskset" [
        grammar(&[flag("ac", &["all-tasks", "cpu-list"]), inert("p", &["pid"])]).operands(&[Operand::Any]),
    ]
    FLOCK = "flock" [
        grammar(&[
            value("wE", &["wait", "timeout", "conflict-exit-code"]),
            flag("sxenuoF", &[
                "shared", "exclusive", "nonblock", "nb", "unlock", "close", "no-fork", "fcntl", "verbose",
            ]),
        ])
        .operands(&[Operand::Any])
        .then(Then::CommandOrScript),
    ]
    SETPRIV = "setpriv" [
        grammar(&[
            value("", &[
                "ruid", "euid", "reuid", "rgid", "egid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set",
                "securebits", "pdeathsig", "ptracer", "selinux-label", "apparmor-profile", "landlock-access",
                "landlock-rule", "seccomp-filter",
            ]),
            flag("", &["clear-groups", "keep-groups", "init-groups", "nnp", "no-new-privs", "reset-env"]),
            inert("d", &["dump", "list-caps"]),
        ]),
    ]
    PRLIMIT = "prlimit" [
        grammar(&[
            value("p", &["pid"]).with(Effect::StartsNothing),
            value("o", &["output"]),
            attached("cdefilmnqrstuvxy", LIMITS),
            flag("", &["noheadings", "raw", "verbose"]),
        ]),
    ]
    UNSHARE = "unshare" [
        grammar(&[
            value("w", &["wd"]).with(Effect::Directory),
            value("R", &["root"]).with(Effect::Root),
            value("SGl", &[
                "setuid", "setgid", "map-user", "map-group", "map-users", "map-groups", "propagation", "setgroups",
                "monotonic", "boottime", "load-interp", "owner",
            ]),
            attached("", &[
                "mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "kill-child", "mount-proc",
                "mount-binfmt",
            ]),
            flag("muinpUCTfrc", &["fork", "map-root-user", "map-current-user", "map-auto", "keep-caps", "forward-signals"]),
        ])
        .then(Then::CommandOrShell),
    ]
    NSENTER = "nsenter" [
        grammar(&[
            value("tSGN", &["target", "setuid", "setgid", "net-socket"]),
            value("W", &["wdns"]).with(Effect::Directory),
            attached("rw", &["root", "wd"]).with(Effect::Root),
            attached("muinpUCT", &["mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time"]),
            flag("aFZec", &[
                "all", "no-fork", "follow-context", "preserve-credentials", "env", "join-cgroup", "user-parent",
                "keep-caps",
            ]),
        ])
        .then(Then::CommandOrShell),
    ]
    SETARCH = "setarch" [
        grammar(SETARCH_OPTIONS)
            .style(Style { leading_operand: true, ..GNU })
            .then(Then::CommandOrShell),
    ]
    // A personality under its own name: no operand names the architecture.
    PERSONALITY = "linux32" [grammar(SETARCH_OPTIONS).then(Then::CommandOrShell)]
    CHOOM = "choom" [
        grammar(&[value("n", &["adjust"]), value("p", &["pid"]).with(Effect::StartsNothing)])
            .style(Style { permutes: true, ..GNU }),
    ]
    WATCH = "watch" [
        grammar(&[
            value("nqs", &["interval", "equexit", "shotsdir"]),
            attached("d", &["differences"]),
            flag("bcCefgprtw", &[
                "beep", "color", "no-color", "errexit", "follow", "chgexit", "precise", "no-rerun", "no-title",
                "no-wrap",
            ]),
            flag("x", &["exec"]).with(Effect::Direct),
        ])
        .then(Then::Joined),
    ]
    SCRIPT = "script" [
        grammar(&[
            value("c", &["command"]).with(Effect::Script),
            value("BIOmTEo", &[
                "log-io", "log-in", "log-out", "logging-format", "log-timing", "echo", "output-limit",
            ]),
            attached("t", &["timing"]),
            flag("aefq", &["append", "return", "flush", "force", "quiet"]),
        ])
        .style(Style { permutes: true, ..GNU })
        .then(Then::Typescript),
        // BSD and macOS: a file, then a command.
        grammar(&[value("tT", &[]), flag("adefkpqr", &[])])
            .style(PLAIN)
            .operands(&[Operand::Any])
            .then(Then::CommandOrShell),
    ]
    SCRIPT_LIVE = "scriptlive" [
        grammar(&[
            value("c", &["command"]).with(Effect::Script),
            value("BIOTtd", &["log-io", "log-in", "log-timing", "timing", "divisor", "maxdelay"]),
        ])
        .style(Style { permutes: true, ..GNU })
        .then(Then::Typescript),
    ]
    CHRONIC = "chronic" [grammar(&[flag("ve", &[])]).style(PLAIN)]
}

const SETARCH_OPTIONS: &[Options] = &[
    value("p", &["pid"]),
    flag(
        "v3BFILRSTXZ",
        &[
            "verbose",
            "3gb",
            "4gb",
            "32bit",
            "fdpic-funcptrs",
            "short-inode",
            "addr-compat-layout",
            "addr-no-randomize",
            "whole-seconds",
            "sticky-timeouts",
            "read-implies-exec",
            "mmap-page-zero",
            "uname-2.6",
        ],
    ),
    inert("", &["list", "show"]),
];

const SUDO_STYLE: Style = Style { assignments: Assignments::Among, ..GNU };
const SUDO_VALUES: Options = value(
    "CgprRTtUu",
    &["close-from", "group", "prompt", "role", "chroot", "command-timeout", "type", "other-user", "user"],
);
const SUDO_FLAGS: Options = flag(
    "ABbEHknNPS",
    &[
        "askpass",
        "bell",
        "background",
        "set-home",
        "reset-timestamp",
        "non-interactive",
        "no-update",
        "preserve-groups",
        "stdin",
    ],
);
// A host is only for listing, and a lone `-h` is help: with either, nothing is started here.
const SUDO_INERT: Options = inert("eKlVvh", &["edit", "remove-timestamp", "list", "validate", "host"]);
const SU_VALUES: Options = value("gGsw", &["group", "supp-group", "shell", "whitelist-environment"]);
const SU_SCRIPT: Options = value("c", &["command", "session-command"]).with(Effect::Script);
const SU_FLAGS: Options = flag("fmpPT", &["fast", "preserve-environment", "pty", "no-pty"]);
const SU_LOGIN: Options = flag("l", &["login"]).with(Effect::Home);
const SU_STYLE: Style = Style { permutes: true, dash: Some(Effect::Home), ..GNU };

// Programs that start a command as another user.
wrappers! {
    SUDO = "sudo" [
        grammar(&[
            SUDO_VALUES,
            value("D", &["chdir"]).with(Effect::Directory),
            attached("", &["preserve-env"]),
            SUDO_FLAGS,
            flag("s", &["shell"]).with(Effect::Shell),
            flag("i", &["login"]).with(Effect::LoginShell),
            SUDO_INERT,
        ])
        .style(SUDO_STYLE)
        .then(Then::Sudo),
        // BSD: an authentication type and a login class.
        grammar(&[
            SUDO_VALUES,
            value("ac", &["auth-type", "login-class"]),
            value("D", &["chdir"]).with(Effect::Directory),
            attached("", &["preserve-env"]),
            SUDO_FLAGS,
            flag("s", &["shell"]).with(Effect::Shell),
            flag("i", &["login"]).with(Effect::LoginShell),
            SUDO_INERT,
        ])
        .style(SUDO_STYLE)
        .then(Then::Sudo),
    ]
    DOAS = "doas" [
        grammar(&[
            value("C", &[]).with(Effect::StartsNothing),
            value("ua", &[]),
            flag("n", &[]),
            inert("L", &[]),
            flag("s", &[]).with(Effect::Shell),
        ])
        .style(PLAIN)
        .then(Then::Doas),
    ]
    SU = "su" [
        grammar(&[SU_SCRIPT, SU_VALUES, SU_FLAGS, SU_LOGIN]).style(SU_STYLE).then(Then::User),
    ]
    RUNUSER = "runuser" [
        grammar(&[SU_SCRIPT, SU_VALUES, SU_FLAGS, SU_LOGIN, value("u", &["user"]).with(Effect::Direct)])
            .style(SU_STYLE)
            .then(Then::User),
    ]
    SG = "sg" [
        grammar(&[]).style(Style { dash: Some(Effect::Home), ..PLAIN }).operands(&[Operand::Any]).then(Then::Script),
    ]
    PKEXEC = "pkexec" [
        grammar(&[
            value("", &["user"]),
            flag("", &["disable-internal-agent"]),
            flag("", &["keep-cwd"]).with(Effect::StaysHere),
        ])
        .style(Style { directory: Some(Effect::Home), ..GNU })
        .then(Then::CommandOrShell),
    ]
    RUN0 = "run0" [
        grammar(&[
            value("ugDM", &[
                "user", "group", "unit", "property", "description", "slice", "nice", "setenv", "background", "machine",
                "shell-prompt-prefix",
            ]),
            value("", &["chdir"]).with(Effect::Directory),
            flag("q", &["slice-inherit", "pty", "pipe", "no-ask-password", "lightweight", "empower", "quiet"]),
            flag("i", &["via-shell"]).with(Effect::Home),
        ])
        .then(Then::CommandOrShell),
    ]
    // A user, or a user and a group, then a command.
    GOSU = "gosu" [grammar(&[]).style(PLAIN).operands(&[Operand::Any])]
    CHPST = "chpst" [
        grammar(&[
            value("uUben/mdofplctrsL", &[]),
            flag("vP012", &[]),
        ])
        .style(PLAIN),
    ]
    SOFTLIMIT = "softlimit" [grammar(&[value("acdflmoprst", &[])]).style(PLAIN)]
}

const BASH_BUILTIN: Style = Style { complete: true, ..PLAIN };

// Builtins of the shell.
wrappers! {
    COMMAND = "command" [grammar(&[flag("p", &[]), inert("vV", &[])]).style(BASH_BUILTIN)]
    BUILTIN = "builtin" [grammar(&[]).style(BASH_BUILTIN)]
    EXEC = "exec" [
        grammar(&[
            value("a", &[]).with(Effect::ArgumentZero),
            flag("c", &[]).with(Effect::ClearsEnvironment),
            flag("l", &[]).with(Effect::LoginName),
        ])
        .style(BASH_BUILTIN),
    ]
}

// Tracers, debuggers and terminals.
wrappers! {
    STRACE = "strace" [
        grammar(&[
            value("abeEIoOpPsSuUX", &[
                "trace", "status", "signal", "abbrev", "verbose", "raw", "read", "write", "kvm", "fault", "inject",
                "attach", "columns", "string-limit", "output", "trace-path", "env", "user", "interruptible",
                "const-print-style", "summary-sort-by", "summary-syscall-overhead", "summary-columns", "detach-on",
                "decode-pids", "syscall-limit", "stack-trace-frame-limit", "trace-fds",
            ]),
            value("", &["argv0"]).with(Effect::ArgumentZero),
            attached("", &[
                "quiet", "decode-fds", "relative-timestamps", "absolute-timestamps", "timestamps", "syscall-times",
                "daemonize", "daemonized", "tips", "strings-in-hex", "stack-trace", "stack-traces", "silent", "silence",
            ]),
            flag("AcCdDfFiknNqrtTvVwxyYzZ", &[
                "debug", "follow-forks", "output-separately", "output-append-mode", "instruction-pointer",
                "syscall-number", "arg-names", "no-abbrev", "successful-only", "failed-only", "summary",
                "summary-only", "summary-wall-clock", "seccomp-bpf",
            ]),
            inert("h", &[]),
        ]),
    ]
    LTRACE = "ltrace" [
        grammar(&[
            value("aADeFlnopsuwxX", &[
                "align", "config", "debug", "library", "indent", "output", "where",
            ]),
            flag("bcCfiLrStT", &["no-signals", "demangle"]),
            inert("hV", &[]),
        ]),
    ]
    // All of valgrind's options are flags, or have their value behind `=`.
    VALGRIND = "valgrind" [grammar(&[flag("qvd", &[]), inert("h", &[])]).style(Style { any_long: true, ..GNU })]
    CATCHSEGV = "catchsegv" [grammar(&[])]
    UNBUFFER = "unbuffer" [grammar(&[flag("p", &[])]).style(PLAIN)]
    RLWRAP = "rlwrap" [
        grammar(&[
            value("bBCDfgHlMOPqsStwz", &[
                "break-chars", "histsize", "command-name", "history-no-dupes", "file", "history-filename",
                "forget-matching", "logfile", "multi-line-ext", "only-cook", "pre-given", "quote-characters",
                "substitute-prompt", "set-term-name", "wait-before-prompt", "filter",
            ]),
            attached("aAmpW", &[
                "always-readline", "ansi-colour-aware", "multi-line", "prompt-colour", "polling",
            ]),
            flag("ceEGiIjJnNorRuUvX", &[
                "complete-filenames", "extra-char-after-completion", "case-insensitive", "pass-sigint-as-sigterm",
                "no-warnings", "no-children", "one-shot", "remember", "renice", "skip-setctty", "version",
            ]),
        ]),
    ]
    XVFB_RUN = "xvfb-run" [
        grammar(&[
            value("efnpsw", &["error-file", "auth-file", "server-num", "xauth-protocol", "server-args", "wait"]),
            flag("alcCd", &["auto-servernum", "auto-display", "listen-tcp"]),
        ]),
    ]
    LOADER = "ld.so" [
        grammar(&[
            value("", &[
                "library-path", "preload", "audit", "glibc-hwcaps-prepend", "glibc-hwcaps-mask", "inhibit-rpath",
            ]),
            value("", &["argv0"]).with(Effect::ArgumentZero),
            flag("", &["inhibit-cache"]),
            inert("", &["list", "verify", "list-tunables", "list-diagnostics"]),
        ]),
    ]
}

// Services, sessions, containers without an image, priorities and limits.
wrappers! {
    SYSTEMD_RUN = "systemd-run" [
        grammar(&[
            value("HMupEC", &[
                "host", "machine", "capsule", "unit", "property", "description", "slice", "service-type", "uid", "gid",
                "nice", "setenv", "on-active", "on-boot", "on-startup", "on-unit-active", "on-unit-inactive",
                "on-calendar", "timer-property", "path-property", "socket-property", "background",
                "expand-environment", "job-mode", "output", "json", "root-directory",
            ]),
            value("", &["working-directory"]).with(Effect::Directory),
            flag("d", &["same-dir", "scope"]).with(Effect::StaysHere),
            flag("", &["user"]).with(Effect::Home),
            flag("rtTPSqGv", &[
                "no-ask-password", "system", "slice-inherit", "remain-after-exit", "send-sighup", "pty", "pty-late",
                "pipe", "shell", "quiet", "on-clock-change", "on-timezone-change", "no-block", "collect", "wait",
                "ignore-failure", "verbose",
            ]),
        ])
        .style(Style { directory: Some(Effect::Root), ..GNU })
        .then(Then::CommandOrShell),
    ]
    SYSTEMD_INHIBIT = "systemd-inhibit" [
        grammar(&[
            value("", &["what", "who", "why", "mode"]),
            flag("", &["no-ask-password", "no-pager", "no-legend"]),
            inert("", &["list"]),
        ]),
    ]
    DBUS_RUN_SESSION = "dbus-run-session" [grammar(&[value("", &["config-file", "dbus-daemon"])])]
    DBUS_LAUNCH = "dbus-launch" [
        grammar(&[
            value("", &["config-file", "autolaunch"]),
            flag("", &["exit-with-session", "exit-with-x11", "auto-syntax", "sh-syntax", "csh-syntax", "binary-syntax", "close-stderr"]),
        ]),
    ]
    SSH_AGENT = "ssh-agent" [
        grammar(&[value("aEOPt", &[]), flag("cDdsTUu", &[]), inert("k", &[])]).style(PLAIN),
    ]
    FAKEROOT = "fakeroot" [
        grammar(&[
            value("lsibf", &["lib", "faked", "save-file", "load-file", "fd-base"]),
            flag("uv", &["unknown-is-real", "version"]),
        ])
        .then(Then::CommandOrShell),
    ]
    FAKECHROOT = "fakechroot" [
        grammar(&[
            value("ldecb", &["lib", "elfloader", "environment", "config-dir", "bindir"]),
            flag("sv", &["use-system-libs", "version"]),
        ])
        .then(Then::CommandOrShell),
    ]
    FAKETIME = "faketime" [
        grammar(&[
            value("p", &["pid", "date-prog"]),
            flag("mf", &["exclude-monotonic", "disable-fork"]),
        ])
        .operands(&[Operand::Any]),
    ]
    TORSOCKS = "torsocks" [
        grammar(&[
            value("upaP", &["user", "pass", "address", "port"]),
            flag("idq", &["isolate", "debug", "quiet"]),
            flag("", &["shell"]),
        ])
        .then(Then::CommandOrShell),
    ]
    PROXYCHAINS = "proxychains" [grammar(&[value("f", &[]), flag("q", &[])]).style(PLAIN)]
    EATMYDATA = "eatmydata" [grammar(&[])]
    DUMB_INIT = "dumb-init" [
        grammar(&[value("r", &["rewrite"]), flag("cv", &["single-child", "verbose"]), inert("Vh", &[])]),
    ]
    TINI = "tini" [
        grammar(&[value("pe", &[]), flag("svwgl", &[]), inert("h", &[])]),
    ]
    NUMACTL = "numactl" [
        grammar(&[
            value("iwNcCmpPSfLoMtI", &[
                "interleave", "weighted-interleave", "cpunodebind", "cpubind", "physcpubind", "membind", "preferred",
                "preferred-many", "shm", "file", "length", "offset", "shmmode", "shmid",
            ]),
            flag("albuTdV", &["all", "localalloc", "balancing", "cpu-compress", "strict", "huge", "touch", "dump"]),
            inert("sH", &["show", "hardware"]),
        ]),
    ]
    CPULIMIT = "cpulimit" [
        grammar(&[
            value("lcs", &["limit", "cpu", "signal"]),
            value("peP", &["pid", "exe", "path"]).with(Effect::StartsNothing),
            flag("zbfikmqrv", &[
                "lazy", "background", "foreground", "include-children", "kill", "monitor-forks", "quiet", "restore",
                "verbose",
            ]),
        ]),
    ]
    CAFFEINATE = "caffeinate" [grammar(&[value("tw", &[]), flag("dimsu", &[])]).style(PLAIN)]
    TRICKLE = "trickle" [grammar(&[value("duwtlnL", &[]), flag("s", &[]), inert("hV", &[])]).style(PLAIN)]
    CGEXEC = "cgexec" [grammar(&[value("g", &[]), flag("br", &["sticky"])])]
    AA_EXEC = "aa-exec" [
        grammar(&[value("pnf", &["profile", "namespace", "file"]), flag("idv", &["immediate", "debug", "verbose"])]),
    ]
    // All of firejail's options are flags, or have their value behind `=`.
    FIREJAIL = "firejail" [
        grammar(&[inert("h?", &["list", "tree", "top"])])
            .style(Style { any_long: true, ..GNU })
            .then(Then::CommandOrShell),
    ]
    BWRAP = "bwrap" [
        grammar(&[
            options(Arity::Words(1), "", &[
                "args", "userns", "userns2", "pidns", "uid", "gid", "hostname", "unsetenv", "lock-file", "sync-fd",
                "remount-ro", "exec-label", "file-label", "proc", "dev", "tmpfs", "mqueue", "dir", "seccomp",
                "add-seccomp-fd", "block-fd", "userns-block-fd", "info-fd", "json-status-fd", "cap-add", "cap-drop",
                "perms", "size", "overlay-src", "tmp-overlay", "ro-overlay",
            ], Effect::Ordinary),
            options(Arity::Words(1), "", &["chdir"], Effect::Directory),
            options(Arity::Words(1), "", &["argv0"], Effect::ArgumentZero),
            options(Arity::Words(2), "", &[
                "setenv", "bind", "bind-try", "dev-bind", "dev-bind-try", "ro-bind", "ro-bind-try", "bind-fd",
                "ro-bind-fd", "file", "bind-data", "ro-bind-data", "symlink", "chmod",
            ], Effect::Ordinary),
            options(Arity::Words(3), "", &["overlay"], Effect::Ordinary),
            flag("", &[
                "unshare-user", "unshare-user-try", "unshare-ipc", "unshare-pid", "unshare-net", "unshare-uts",
                "unshare-cgroup", "unshare-cgroup-try", "unshare-all", "share-net", "die-with-parent", "new-session",
                "as-pid-1", "disable-userns", "assert-userns-disabled", "level-prefix",
            ]),
            flag("", &["clearenv"]).with(Effect::ClearsEnvironment),
            inert("", &["help", "version"]),
        ])
        .style(PLAIN),
    ]
    TIMELIMIT = "timelimit" [grammar(&[value("SsTt", &[]), flag("pq", &[])]).style(PLAIN)]
    LOCKF = "lockf" [
        grammar(&[value("t", &[]), flag("knpsw", &[])]).style(PLAIN).operands(&[Operand::Any]),
    ]
    SETLOCK = "setlock" [grammar(&[flag("nNxX", &[])]).style(PLAIN).operands(&[Operand::Any])]
    ENVDIR = "envdir" [grammar(&[]).style(PLAIN).operands(&[Operand::Any])]
    IFNE = "ifne" [grammar(&[flag("n", &[])]).style(PLAIN)]
    HYPERFINE = "hyperfine" [
        grammar(&[
            value("wrmMSPDLun", &[
                "warmup", "runs", "min-runs", "max-runs", "shell", "style", "sort", "parameter-scan",
                "parameter-step-size", "parameter-list", "time-unit", "export-asciidoc", "export-csv", "export-json",
                "export-markdown", "export-orgmode", "output", "input", "command-name",
            ]),
            value("spcC", &["setup", "prepare", "conclude", "cleanup", "reference"]).with(Effect::Script),
            attached("i", &["ignore-failure"]),
            flag("N", &["show-output"]),
        ])
        .style(Style { permutes: true, ..GNU })
        .then(Then::Scripts),
    ]
}

const PARALLEL_OPTIONS: &[Options] = &[
    value("a", &["arg-file"]).with(Effect::ArgFile),
    value("I", &[]).with(Effect::Replace),
    value("nNLC", &["max-args", "max-replace-args", "max-lines", "colsep"]).with(Effect::Rearranged),
    value(
        "jPsSdEDJWx",
        &[
            "jobs",
            "max-procs",
            "max-chars",
            "sshlogin",
            "sshloginfile",
            "slf",
            "delimiter",
            "joblog",
            "results",
            "res",
            "delay",
            "timeout",
            "tmpdir",
            "workdir",
            "wd",
            "basefile",
            "bf",
            "return",
            "env",
            "halt",
            "halt-on-error",
            "load",
            "memfree",
            "memsuspend",
            "nice",
            "retries",
            "tagstring",
            "rpl",
            "limit",
            "profile",
            "semaphorename",
            "id",
            "semaphoretimeout",
            "st",
            "arg-sep",
            "arg-file-sep",
            "basenamereplace",
            "bnr",
            "dirnamereplace",
            "dnr",
            "basenameextensionreplace",
            "bner",
            "extensionreplace",
            "er",
            "seqreplace",
            "slotreplace",
            "compress-program",
            "decompress-program",
            "header",
            "trc",
            "transferfile",
            "tf",
            "trim",
            "parens",
            "process-slot-var",
            "template",
            "tmpl",
            "sqlmaster",
            "sqlworker",
            "sqlandworker",
            "tollef",
            "filter",
            "termseq",
            "ssh",
            "sshdelay",
            "plugin",
            "max-line-length-allowed",
            "ctagstring",
        ],
    ),
    value("", &["block", "block-size", "recstart", "recend", "regexp"]).with(Effect::Rearranged),
    attached("i", &["replace"]).with(Effect::Replace),
    attached("el", &["eof"]),
    flag("0", &["null"]).with(Effect::Nul),
    flag("q", &["quote"]).with(Effect::Quoted),
    flag(
        "Xm",
        &[
            "xargs",
            "pipe",
            "pipepart",
            "spreadstdin",
            "round-robin",
            "fifo",
            "cat",
            "link",
            "xapply",
            "tee",
            "shard",
            "bin",
            "group-by",
            "combine",
        ],
    )
    .with(Effect::Rearranged),
    flag("r", &["no-run-if-empty"]).with(Effect::NoRunIfEmpty),
    flag(
        "kugvtphT",
        &[
            "keep-order",
            "ungroup",
            "group",
            "line-buffer",
            "lb",
            "verbose",
            "interactive",
            "bar",
            "eta",
            "progress",
            "will-cite",
            "bg",
            "fg",
            "wait",
            "semaphore",
            "tty",
            "tag",
            "files",
            "files0",
            "plus",
            "noswap",
            "resume",
            "resume-failed",
            "retry-failed",
            "shuf",
            "silent",
            "compress",
            "cleanup",
            "color",
            "ctag",
            "unsafe",
            "onall",
            "nonall",
            "hgrp",
            "hostgroups",
            "controlmaster",
            "transfer",
            "use-cpus-instead-of-cores",
            "use-cores-instead-of-threads",
            "use-sockets-instead-of-threads",
            "no-notice",
            "total-jobs",
            "open-tty",
            "exit",
            "csv",
            "shebang",
            "shebang-wrap",
            "ll",
            "latest-line",
        ],
    ),
    inert(
        "",
        &[
            "dry-run",
            "dryrun",
            "dr",
            "citation",
            "shellquote",
            "shell-quote",
            "number-of-cpus",
            "number-of-cores",
            "number-of-sockets",
            "number-of-threads",
            "show-limits",
            "minversion",
            "embed",
            "record-env",
            "bibtex",
        ],
    ),
];

wrappers! {
    PARALLEL = "parallel" [
        grammar(PARALLEL_OPTIONS).then(Then::Parallel),
        // moreutils: a command, `--`, and items. It has few options, all short.
        grammar(&[value("jl", &[]), flag("in", &[])]).style(PLAIN).then(Then::Parallel),
    ]
    SEM = "sem" [grammar(PARALLEL_OPTIONS).then(Then::Joined)]
}

// Subcommands and environments of package managers and the like. A package manager that fetches the program first
// (`npx`, `uvx`) is no wrapper: what it starts is not what PATH holds.
wrappers! {
    // Options, then a command: `poetry run`, `bundle exec`.
    RUN = "run" [
        grammar(&[
            value("pCnE", &[
                "python", "with", "with-requirements", "env-file", "directory", "project", "package", "extra", "group",
                "name", "prefix", "cwd", "gemfile", "config", "scope", "profile", "region", "duration", "env", "path",
                "projectId",
            ]),
            flag("qve", &[
                "quiet", "verbose", "frozen", "locked", "isolated", "no-sync", "no-project", "offline", "active",
                "no-capture-output", "live-stream", "no-stream", "silent", "no-masking", "preserve-env",
            ]),
        ]),
    ]
    // As `run`, with an operand before the command: a folder, a profile.
    RUN_IN = "exec" [grammar(&[value("d", &["duration", "region"]), flag("n", &["no-session"])]).operands(&[Operand::Any, Operand::Dashes])]
    // Tools with their versions, and `--` before the command (`mise exec node@22 -- cmd`).
    RUN_WITH = "exec" [
        grammar(&[value("Cj", &["cd", "jobs"]), value("c", &["command"]).with(Effect::Script), flag("qvy", &[])])
            .style(Style { permutes: true, ..GNU })
            .then(Then::OptionScript),
    ]
    PERF = "perf" [
        grammar(&[
            value("eiptCxoGDIrcFmu", &[
                "event", "filter", "pid", "tid", "cpu", "output", "repeat", "delay", "interval-print", "field-separator",
                "count", "freq", "mmap-pages", "call-graph", "uid",
            ]),
            flag("aAdnsvBTMgqSRNzbj", &["all-cpus", "verbose", "detailed", "quiet", "no-inherit", "summary"]),
        ]),
    ]
    // A server's terminals. Whoever asks for one from outside says by where they stand where it starts.
    SCREEN = "screen" [
        grammar(&[
            value("cehpsStT", &[]),
            flag("46aAdDfilLmnOPqRUx", &[]),
            inert("rvwX", &["help", "version"]),
        ])
        .style(PLAIN),
    ]
    TMUX_SESSION = "tmux" [
        grammar(&[
            value("eFfnstxy", &[]),
            value("c", &[]).with(Effect::Directory),
            flag("AdDEPX", &[]),
        ])
        .style(PLAIN)
        .then(Then::CommandOrText),
    ]
    TMUX_WINDOW = "tmux" [
        grammar(&[
            value("eFlnpt", &[]),
            value("c", &[]).with(Effect::Directory),
            flag("abdfhIkPSvZ", &[]),
        ])
        .style(PLAIN)
        .then(Then::CommandOrText),
    ]
    TMUX_RUN = "tmux" [
        grammar(&[
            value("dt", &[]),
            value("c", &[]).with(Effect::Directory),
            flag("b", &[]),
            // A command of tmux's own.
            inert("C", &[]),
        ])
        .style(PLAIN)
        .then(Then::CommandOrText),
    ]
    GIT_BISECT = "git bisect" [grammar(&[]).style(PLAIN)]
    GIT_FOREACH = "git submodule" [
        grammar(&[flag("q", &["quiet", "recursive"])]).then(Then::CommandOrText),
    ]
    ENTR = "entr" [
        grammar(&[flag("acdnprxz", &[]), flag("s", &[]).with(Effect::Shell)]).style(PLAIN).then(Then::CommandOrText),
    ]
    NIX_SHELL = "nix-shell" [
        grammar(&[
            value("", &["run", "command"]).with(Effect::Script),
            value("IAiEjo", &["attr", "option", "max-jobs", "cores", "keep", "exclude", "include"]),
            options(Arity::Words(2), "", &["arg", "argstr"], Effect::Ordinary),
            flag("pvQk", &["pure", "packages", "expr", "impure", "quiet", "verbose"]),
        ])
        .style(Style { permutes: true, ..GNU })
        .then(Then::OptionScript),
    ]
    NIX = "nix" [
        grammar(&[
            value("c", &["command"]).with(Effect::CommandFollows),
            value("Ifik", &[
                "expr", "file", "include", "keep", "profile", "inputs-from", "phase", "unset", "override-input",
            ]),
            options(Arity::Words(2), "", &["arg", "argstr", "option", "redirect"], Effect::Ordinary),
            flag("vL", &["impure", "ignore-environment", "offline", "refresh", "no-write-lock-file"]),
        ])
        .style(Style { permutes: true, ..GNU })
        .then(Then::OptionScript),
    ]
}

const RUN_ONLY: &[Subcommand] = &[(&["run"], &RUN)];
const EXEC_ONLY: &[Subcommand] = &[(&["exec"], &RUN)];
const EXEC_IN: &[Subcommand] = &[(&["exec"], &RUN_IN)];
const TMUX: &[Subcommand] = &[
    (&["new-session"], &TMUX_SESSION),
    (&["new"], &TMUX_SESSION),
    (&["new-window"], &TMUX_WINDOW),
    (&["neww"], &TMUX_WINDOW),
    (&["split-window"], &TMUX_WINDOW),
    (&["splitw"], &TMUX_WINDOW),
    (&["run-shell"], &TMUX_RUN),
    (&["run"], &TMUX_RUN),
];

/// Every name that is looked up, with what it stands for.
pub(crate) static NAMES: &[(&str, Program)] = &[
    ("aa-exec", Program::Wrapper(&AA_EXEC)),
    ("asdf", Program::Subcommands("asdf", EXEC_ONLY)),
    ("ash", Program::Shell(&shells::ASH)),
    ("aws-vault", Program::Subcommands("aws-vault", EXEC_IN)),
    ("bash", Program::Shell(&shells::BASH)),
    ("bfs", Program::Find),
    ("builtin", Program::Wrapper(&BUILTIN)),
    ("bundle", Program::Subcommands("bundle", EXEC_ONLY)),
    ("busybox", Program::MultiCall("busybox")),
    ("bwrap", Program::Wrapper(&BWRAP)),
    ("caffeinate", Program::Wrapper(&CAFFEINATE)),
    ("catatonit", Program::Wrapper(&TINI)),
    ("catchsegv", Program::Wrapper(&CATCHSEGV)),
    ("cgexec", Program::Wrapper(&CGEXEC)),
    ("choom", Program::Wrapper(&CHOOM)),
    ("chpst", Program::Wrapper(&CHPST)),
    ("chronic", Program::Wrapper(&CHRONIC)),
    ("chroot", Program::Wrapper(&CHROOT)),
    ("chrt", Program::Wrapper(&CHRT)),
    ("command", Program::Wrapper(&COMMAND)),
    ("conda", Program::Subcommands("conda", RUN_ONLY)),
    ("cpulimit", Program::Wrapper(&CPULIMIT)),
    ("csh", Program::Shell(&shells::CSH)),
    ("dash", Program::Shell(&shells::DASH)),
    ("dbus-launch", Program::Wrapper(&DBUS_LAUNCH)),
    ("dbus-run-session", Program::Wrapper(&DBUS_RUN_SESSION)),
    ("direnv", Program::Subcommands("direnv", EXEC_IN)),
    ("doas", Program::Wrapper(&DOAS)),
    ("doppler", Program::Subcommands("doppler", RUN_ONLY)),
    ("dotenv", Program::Subcommands("dotenv", RUN_ONLY)),
    ("dumb-init", Program::Wrapper(&DUMB_INIT)),
    ("eatmydata", Program::Wrapper(&EATMYDATA)),
    ("entr", Program::Wrapper(&ENTR)),
    ("env", Program::Wrapper(&ENVIRONMENT)),
    ("envdir", Program::Wrapper(&ENVDIR)),
    ("envuidgid", Program::Wrapper(&GOSU)),
    ("exec", Program::Wrapper(&EXEC)),
    ("fakechroot", Program::Wrapper(&FAKECHROOT)),
    ("fakeroot", Program::Wrapper(&FAKEROOT)),
    ("fakeroot-sysv", Program::Wrapper(&FAKEROOT)),
    ("fakeroot-tcp", Program::Wrapper(&FAKEROOT)),
    ("faketime", Program::Wrapper(&FAKETIME)),
    ("fd", Program::Fd),
    ("fdfind", Program::Fd),
    ("find", Program::Find),
    ("firejail", Program::Wrapper(&FIREJAIL)),
    ("fish", Program::Shell(&shells::FISH)),
    ("flock", Program::Wrapper(&FLOCK)),
    ("gchroot", Program::Wrapper(&CHROOT)),
    ("genv", Program::Wrapper(&ENVIRONMENT)),
    ("gfind", Program::Find),
    (
        "git",
        Program::Subcommands(
            "git",
            &[(&["bisect", "run"], &GIT_BISECT), (&["submodule", "foreach"], &GIT_FOREACH)],
        ),
    ),
    ("gnice", Program::Wrapper(&NICE)),
    ("gnohup", Program::Wrapper(&NOHUP)),
    ("gosu", Program::Wrapper(&GOSU)),
    ("gstdbuf", Program::Wrapper(&STDBUF)),
    ("gtime", Program::Wrapper(&TIME)),
    ("gtimeout", Program::Wrapper(&TIMEOUT)),
    ("gxargs", Program::Wrapper(&XARGS)),
    ("hatch", Program::Subcommands("hatch", RUN_ONLY)),
    ("hush", Program::Shell(&shells::ASH)),
    ("hyperfine", Program::Wrapper(&HYPERFINE)),
    ("i386", Program::Wrapper(&PERSONALITY)),
    ("ifne", Program::Wrapper(&IFNE)),
    ("ionice", Program::Wrapper(&IONICE)),
    ("ksh", Program::Shell(&shells::KSH)),
    ("ksh93", Program::Shell(&shells::KSH)),
    ("ld-linux-aarch64.so.1", Program::Wrapper(&LOADER)),
    ("ld-linux-x86-64.so.2", Program::Wrapper(&LOADER)),
    ("ld-linux.so.2", Program::Wrapper(&LOADER)),
    ("ld-musl-aarch64.so.1", Program::Wrapper(&LOADER)),
    ("ld-musl-x86_64.so.1", Program::Wrapper(&LOADER)),
    ("ld.so", Program::Wrapper(&LOADER)),
    ("linux32", Program::Wrapper(&PERSONALITY)),
    ("linux64", Program::Wrapper(&PERSONALITY)),
    ("lksh", Program::Shell(&shells::KSH)),
    ("lockf", Program::Wrapper(&LOCKF)),
    ("ltrace", Program::Wrapper(&LTRACE)),
    ("mamba", Program::Subcommands("mamba", RUN_ONLY)),
    ("micromamba", Program::Subcommands("micromamba", RUN_ONLY)),
    ("mise", Program::Subcommands("mise", &[(&["exec"], &RUN_WITH), (&["x"], &RUN_WITH)])),
    ("mksh", Program::Shell(&shells::KSH)),
    ("nice", Program::Wrapper(&NICE)),
    ("nix", Program::Subcommands("nix", &[(&["develop"], &NIX), (&["shell"], &NIX)])),
    ("nix-shell", Program::Wrapper(&NIX_SHELL)),
    ("nohup", Program::Wrapper(&NOHUP)),
    ("nsenter", Program::Wrapper(&NSENTER)),
    ("numactl", Program::Wrapper(&NUMACTL)),
    ("oksh", Program::Shell(&shells::KSH)),
    ("op", Program::Subcommands("op", RUN_ONLY)),
    ("parallel", Program::Wrapper(&PARALLEL)),
    ("pdksh", Program::Shell(&shells::KSH)),
    ("pdm", Program::Subcommands("pdm", RUN_ONLY)),
    ("perf", Program::Subcommands("perf", &[(&["stat"], &PERF), (&["record"], &PERF), (&["trace"], &PERF)])),
    ("pipenv", Program::Subcommands("pipenv", RUN_ONLY)),
    ("pkexec", Program::Wrapper(&PKEXEC)),
    ("poetry", Program::Subcommands("poetry", RUN_ONLY)),
    ("prlimit", Program::Wrapper(&PRLIMIT)),
    ("proxychains", Program::Wrapper(&PROXYCHAINS)),
    ("proxychains4", Program::Wrapper(&PROXYCHAINS)),
    ("pyenv", Program::Subcommands("pyenv", EXEC_ONLY)),
    ("rbash", Program::Shell(&shells::BASH)),
    ("rbenv", Program::Subcommands("rbenv", EXEC_ONLY)),
    ("rlwrap", Program::Wrapper(&RLWRAP)),
    ("run0", Program::Wrapper(&RUN0)),
    ("runcon", Program::Wrapper(&RUNCON)),
    ("runuser", Program::Wrapper(&RUNUSER)),
    ("rye", Program::Subcommands("rye", RUN_ONLY)),
    ("s6-setuidgid", Program::Wrapper(&GOSU)),
    ("screen", Program::Wrapper(&SCREEN)),
    ("script", Program::Wrapper(&SCRIPT)),
    ("scriptlive", Program::Wrapper(&SCRIPT_LIVE)),
    ("sem", Program::Wrapper(&SEM)),
    ("setarch", Program::Wrapper(&SETARCH)),
    ("setlock", Program::Wrapper(&SETLOCK)),
    ("setpriv", Program::Wrapper(&SETPRIV)),
    ("setsid", Program::Wrapper(&SETSID)),
    ("setuidgid", Program::Wrapper(&GOSU)),
    ("sg", Program::Wrapper(&SG)),
    ("sh", Program::Shell(&shells::SH)),
    ("softlimit", Program::Wrapper(&SOFTLIMIT)),
    ("ssh-agent", Program::Wrapper(&SSH_AGENT)),
    ("stdbuf", Program::Wrapper(&STDBUF)),
    ("strace", Program::Wrapper(&STRACE)),
    ("su", Program::Wrapper(&SU)),
    ("su-exec", Program::Wrapper(&GOSU)),
    ("sudo", Program::Wrapper(&SUDO)),
    ("systemd-inhibit", Program::Wrapper(&SYSTEMD_INHIBIT)),
    ("systemd-run", Program::Wrapper(&SYSTEMD_RUN)),
    ("taskset", Program::Wrapper(&TASKSET)),
    ("tcsh", Program::Shell(&shells::CSH)),
    ("time", Program::Wrapper(&TIME)),
    ("timelimit", Program::Wrapper(&TIMELIMIT)),
    ("timeout", Program::Wrapper(&TIMEOUT)),
    ("tini", Program::Wrapper(&TINI)),
    ("tini-static", Program::Wrapper(&TINI)),
    ("tmux", Program::Sequence("tmux", TMUX)),
    ("torify", Program::Wrapper(&TORSOCKS)),
    ("torsocks", Program::Wrapper(&TORSOCKS)),
    ("toybox", Program::MultiCall("toybox")),
    ("trickle", Program::Wrapper(&TRICKLE)),
    ("tsocks", Program::Wrapper(&EATMYDATA)),
    ("uname26", Program::Wrapper(&PERSONALITY)),
    ("unbuffer", Program::Wrapper(&UNBUFFER)),
    ("unshare", Program::Wrapper(&UNSHARE)),
    ("uv", Program::Subcommands("uv", RUN_ONLY)),
    ("valgrind", Program::Wrapper(&VALGRIND)),
    ("watch", Program::Wrapper(&WATCH)),
    ("x86_64", Program::Wrapper(&PERSONALITY)),
    ("xargs", Program::Wrapper(&XARGS)),
    ("xvfb-run", Program::Wrapper(&XVFB_RUN)),
    ("yash", Program::Shell(&shells::DASH)),
    ("zsh", Program::Shell(&shells::ZSH)),
];

/// Number of slots of the name table: a power of two, several times the number of names, so that nearly every name
/// that is no wrapper meets an empty slot at once.
const SLOTS: usize = 1024;

/// Where each name stands in `NAMES`, plus one; 0 is an empty slot. Collisions go to the next slot.
static SLOT_OF: [u8; SLOTS] = slots();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler only; an index out of range would end the build"
)]
const fn slots() -> [u8; SLOTS] {
    let mut slots = [0_u8; SLOTS];
    let mut index = 0;
    while index < NAMES.len() {
        let name = NAMES[index].0.as_bytes();
        let mut slot = hash(name.len(), name[0], name[name.len() / 2], name[name.len() - 1]);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        index += 1;
        slots[slot] = index as u8;
    }
    slots
}

// INVARIANT: there are fewer names than a `u8` counts, so `slots` cuts nothing off.
const _: () = assert!(NAMES.len() < u8::MAX as usize);

/// Length and three bytes tell nearly all names apart, and reading them costs less than reading the name.
const fn hash(length: usize, first: u8, middle: u8, last: u8) -> usize {
    let key = (length as u32) ^ ((first as u32) << 8) ^ ((middle as u32) << 16) ^ ((last as u32) << 24);
    (key.wrapping_mul(0x9E37_79B1) >> 22) as usize % SLOTS
}

/// Returns what the name of a program stands for. A folder before it and a `.exe` behind it are not looked at, and
/// `find` counts in any case.
pub(crate) fn lookup(name: &[u8]) -> Option<&'static Program> {
    let bytes = match name.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => name.get(slash + 1..)?,
        None => name,
    };
    let bytes = match bytes.split_last_chunk::<4>() {
        Some((stem, suffix)) if suffix.eq_ignore_ascii_case(b".exe") => stem,
        _ => bytes,
    };
    if bytes.eq_ignore_ascii_case(b"find") {
        return Some(&Program::Find);
    }
    let (&first, &middle, &last) = (bytes.first()?, bytes.get(bytes.len() / 2)?, bytes.last()?);
    let mut slot = hash(bytes.len(), first, middle, last);
    loop {
        let place = usize::from(*SLOT_OF.get(slot)?).checked_sub(1)?;
        let (candidate, program) = NAMES.get(place)?;
        if candidate.as_bytes() == bytes {
            return Some(program);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// Whether what a program starts has the environment that the program was given. Others make one of their own (`sudo`,
/// `su -`), or add variables (`envdir`, `direnv exec`).
pub(crate) const fn keeps_environment(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"ash"
            | b"bash"
            | b"builtin"
            | b"busybox"
            | b"caffeinate"
            | b"chroot"
            | b"chrt"
            | b"command"
            | b"csh"
            | b"dash"
            | b"env"
            | b"exec"
            | b"fish"
            | b"flock"
            | b"hush"
            | b"ionice"
            | b"ksh"
            | b"lksh"
            | b"ltrace"
            | b"mksh"
            | b"nice"
            | b"nohup"
            | b"oksh"
            | b"parallel"
            | b"pdksh"
            | b"prlimit"
            | b"rbash"
            | b"script"
            | b"setsid"
            | b"sh"
            | b"stdbuf"
            | b"strace"
            | b"taskset"
            | b"tcsh"
            | b"time"
            | b"timeout"
            | b"watch"
            | b"xargs"
            | b"yash"
            | b"zsh"
    )
}
