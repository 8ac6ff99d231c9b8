//! Variables that change which program runs, or what it runs.

/// Variables that the loader, a shell or a common program takes for a program, for code, or for where to look for either.
///
/// In the order of the alphabet, to be searched.
const NAMES: &[&str] = &[
    "ANSIBLE_CONFIG",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "BASHOPTS",
    "BASH_ENV",
    "BASH_LOADABLES_PATH",
    "BROWSER",
    "BUNDLE_GEMFILE",
    "CC",
    "CLASSPATH",
    "CMAKE_TOOLCHAIN_FILE",
    "COMPILER_PATH",
    "CVS_RSH",
    "CXX",
    "DOCKER_CONFIG",
    "DOTNET_STARTUP_HOOKS",
    "EDITOR",
    "EMACSLOADPATH",
    "ENV",
    "ERL_AFLAGS",
    "ERL_FLAGS",
    "EXINIT",
    "FCEDIT",
    "FPATH",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "GCC_EXEC_PREFIX",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "GNUMAKEFLAGS",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "GREP_OPTIONS",
    "HOME",
    "INPUTRC",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "KUBECONFIG",
    "KUBE_EDITOR",
    "LESSCLOSE",
    "LESSKEYIN",
    "LESSOPEN",
    "LIBRARY_PATH",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MAKEFILES",
    "MAKEFLAGS",
    "MANPAGER",
    "MANROFFOPT",
    "MAVEN_OPTS",
    "MYVIMRC",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PAGER",
    "PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RIPGREP_CONFIG_PATH",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "RUBYLIB",
    "RUBYOPT",
    "RUBYSHELL",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SHELL",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_SSH",
    "TAR_OPTIONS",
    "TCLLIBPATH",
    "TERMINFO",
    "TEXMFCNF",
    "VIMINIT",
    "VISUAL",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Beginnings of names that are all such: of the loaders, of git, cargo and npm.
const BEGINNINGS: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "CARGO_",
    "NPM_CONFIG_",
    "npm_config_",
    "CORECLR_",
    "COR_",
    "GLIBC_TUNABLES",
    "BASH_FUNC_",
    "PNPM_CONFIG_",
    "YARN_",
    "PIP_",
    "UV_",
];

/// Beginnings of names of those that change no program.
const HARMLESS_BEGINNINGS: &[&str] = &["CARGO_PROFILE_"];

/// Those of git, cargo and other programs that change no program.
const HARMLESS: &[&str] = &[
    "CARGO_BUILD_JOBS",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_QUIET",
    "CARGO_TERM_VERBOSE",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_MERGE_AUTOEDIT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
];

/// Variables that name one program, and programs that do nothing of their own.
const PROGRAMS: &[&str] =
    &["EDITOR", "GIT_EDITOR", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "MANPAGER", "PAGER", "VISUAL"];
const TAME: &[&str] = &["", ":", "cat", "false", "true"];

/// Returns whether setting this variable, to this value when it is known, changes what a command runs.
pub(crate) fn changes_what_runs(name: &str, value: Option<&str>) -> bool {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    let is_harmless = HARMLESS.contains(&name) || begins(HARMLESS_BEGINNINGS);
    let is_listed = NAMES.binary_search(&name).is_ok() || (begins(BEGINNINGS) && !is_harmless);
    let is_tame = PROGRAMS.contains(&name) && value.is_some_and(|value| TAME.contains(&value));
    is_listed && !is_tame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_the_order_of_the_alphabet() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn what_changes_the_program_is_told_from_what_does_not() {
        for (name, value, expected) in [
            ("PATH", Some("/x"), true),
            ("PATH", None, true),
            ("LD_PRELOAD", Some("x"), true),
            ("BASH_ENV", Some("x"), true),
            ("GIT_SSH_COMMAND", Some("x"), true),
            ("GIT_CONFIG_COUNT", Some("1"), true),
            ("GIT_AUTHOR_NAME", Some("x"), false),
            ("GIT_PAGER", Some("cat"), false),
            ("GIT_PAGER", Some("sh -c x"), true),
            ("GIT_PAGER", None, true),
            ("CARGO_PROFILE_DEV_DEBUG", Some("0"), false),
            ("CARGO_BUILD_RUSTC_WRAPPER", Some("x"), true),
            ("LC_ALL", Some("C"), false),
            ("MY_PATH", Some("x"), false),
            ("path", Some("x"), false),
            ("RUST_BACKTRACE", Some("1"), false),
        ] {
            assert_eq!(changes_what_runs(name, value), expected, "{name}={value:?}");
        }
    }
}
