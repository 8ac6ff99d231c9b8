//! The table, by the manuals of the programs (releases of 2026; where releases differ, every spelling is listed).

use super::{CodeOption, Program, Reading};

const fn any(spelling: &'static str) -> CodeOption {
    CodeOption::any(spelling)
}
const fn head(spelling: &'static str) -> CodeOption {
    CodeOption::head(spelling)
}
const fn behind(spelling: &'static str, subcommands: &'static [&'static str]) -> CodeOption {
    CodeOption::behind(spelling, subcommands)
}

/// Settings of ssh that name a program, a library or another file of settings.
const SSH_SETTINGS: &[&str] = &[
    "proxycommand",
    "localcommand",
    "permitlocalcommand",
    "knownhostscommand",
    "pkcs11provider",
    "securitykeyprovider",
    "xauthlocation",
    "include",
    "match",
    "proxyusefdpass",
    "smartcarddevice",
];
const GIT_FETCHES: &[&str] =
    &["fetch", "pull", "clone", "ls-remote", "fetch-pack", "archive", "submodule", "remote"];
const GIT_PUSHES: &[&str] = &["push", "send-pack", "archive"];
/// Subcommands that take the address of another repository.
const GIT_REMOTES: &[&str] =
    &["fetch", "pull", "clone", "ls-remote", "fetch-pack", "push", "remote", "submodule", "archive"];
const GIT_FILTERS: &[&str] = &["filter-branch"];
const GIT_MAILS: &[&str] = &["send-email"];
const INSTALLS: &[&str] =
    &["install", "add", "run", "exec", "test", "start", "i", "ci", "x", "rebuild", "run-script"];

#[rustfmt::skip]
pub(super) const PROGRAMS: &[Program] = &[
    // ---- Version control ----
    Program {
        names: &["git"],
        reading: Reading::Subcommands,
        valued: &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"],
        code: &[
            head("-c"), head("--config-env"), head("--exec-path"),
            behind("--upload-pack", GIT_FETCHES), behind("-u", &["clone"]), behind("--exec", GIT_FETCHES),
            behind("--receive-pack", GIT_PUSHES), behind("--exec", GIT_PUSHES),
            behind("-c", &["clone"]), behind("--config", &["clone"]), behind("--template", &["clone", "init"]),
            behind("-x", &["rebase", "difftool"]), behind("--exec", &["rebase"]), behind("--extcmd", &["difftool"]),
            behind("run", &["bisect"]), behind("foreach", &["submodule"]),
            behind("-O", &["grep"]), behind("--open-files-in-pager", &["grep"]),
            behind("--filters", &["cat-file"]),
            behind("--env-filter", GIT_FILTERS), behind("--tree-filter", GIT_FILTERS), behind("--index-filter", GIT_FILTERS),
            behind("--parent-filter", GIT_FILTERS), behind("--msg-filter", GIT_FILTERS), behind("--commit-filter", GIT_FILTERS),
            behind("--tag-name-filter", GIT_FILTERS), behind("--setup", GIT_FILTERS),
            behind("--sendmail-cmd", GIT_MAILS), behind("--smtp-server", GIT_MAILS), behind("--to-cmd", GIT_MAILS),
            behind("--cc-cmd", GIT_MAILS), behind("--header-cmd", GIT_MAILS),
            behind("--access-hook", &["daemon"]), behind("--httpd", &["instaweb"]), behind("-d", &["instaweb"]),
            behind("--browser", &["instaweb", "web--browse"]), behind("-b", &["instaweb", "web--browse"]),
            behind("--authors-prog", &["svn"]),
            behind("ext::", GIT_REMOTES),
        ],
    },
    Program {
        names: &["hg"],
        reading: Reading::Anywhere,
        valued: &["-R", "--repository", "--cwd"],
        code: &[any("--config"), any("--config-file"), any("--debugger"), any("--ssh"), any("-e"), any("--remotecmd"), any("--tool")],
    },
    Program {
        names: &["svn"],
        reading: Reading::Anywhere,
        valued: &[],
        code: &[any("--diff-cmd"), any("--diff3-cmd"), any("--editor-cmd"), any("--config-option"), any("--config-dir")],
    },
    Program {
        names: &["gh"],
        reading: Reading::Subcommands,
        valued: &["-R", "--repo"],
        code: &[],
    },
    // ---- Files: search, archives, text ----
    Program {
        names: &["find", "gfind", "bfs"],
        reading: Reading::Expression,
        valued: &[],
        code: &[any("-exec"), any("-execdir"), any("-ok"), any("-okdir")],
    },
    Program {
        names: &["fd", "fdfind"],
        reading: Reading::Anywhere,
        valued: &["-d", "-t", "-e", "-E", "-S", "-o", "-c", "-j", "--max-depth", "--type", "--extension", "--exclude", "--size"],
        code: &[any("--exec"), any("--exec-batch"), any("-x"), any("-X"), any("--list-details")],
    },
    Program {
        names: &["rg"],
        reading: Reading::Anywhere,
        valued: &[
            "-e", "-f", "-g", "-t", "-T", "-A", "-B", "-C", "-m", "-M", "-j", "-r", "-E", "-d", "--regexp", "--file", "--glob",
            "--iglob", "--type", "--type-not", "--after-context", "--before-context", "--context", "--max-count",
            "--max-columns", "--threads", "--replace", "--encoding", "--max-depth", "--sort", "--color", "--engine",
        ],
        code: &[any("--pre"), any("--hostname-bin")],
    },
    Program { names: &["ag", "ack"], reading: Reading::Anywhere, valued: &["-A", "-B", "-C", "-m", "-G"], code: &[any("--pager")] },
    Program {
        names: &["tar", "gtar", "bsdtar"],
        reading: Reading::Bundle,
        valued: &["-f", "-C", "-T", "-X", "-b", "-V", "-N", "-K", "-L", "-H", "-g", "--file", "--directory", "--files-from", "--exclude", "--exclude-from"],
        code: &[
            any("--to-command"), any("--checkpoint-action"), any("--use-compress-program"), any("-I"), any("--rsh-command"),
            any("--rmt-command"), any("--info-script"), any("--new-volume-script"), any("-F"),
        ],
    },
    Program { names: &["cpio"], reading: Reading::Anywhere, valued: &["-F", "-I", "-O", "-D", "-H"], code: &[any("--rsh-command")] },
    Program { names: &["zip"], reading: Reading::Anywhere, valued: &[], code: &[any("-TT"), any("--unzip-command")] },
    Program { names: &["7z", "7za", "7zz"], reading: Reading::Anywhere, valued: &[], code: &[] },
    Program {
        names: &["sort", "gsort"],
        reading: Reading::Anywhere,
        valued: &["-k", "-t", "-o", "-S", "-T", "--key", "--field-separator", "--output"],
        code: &[any("--compress-program")],
    },
    Program { names: &["split", "gsplit"], reading: Reading::Anywhere, valued: &["-l", "-b", "-C", "-n", "-a", "-t"], code: &[any("--filter")] },
    Program { names: &["install", "ginstall"], reading: Reading::Anywhere, valued: &["-m", "-o", "-g", "-t"], code: &[any("--strip-program")] },
    Program { names: &["sdiff", "diff3"], reading: Reading::Anywhere, valued: &[], code: &[any("--diff-program")] },
    Program { names: &["less", "more", "most"], reading: Reading::Anywhere, valued: &[], code: &[any("+"), any("--lesskey-src"), any("--lesskey-content"), any("--lesskey-file"), any("-k")] },
    Program { names: &["bat", "batcat"], reading: Reading::Anywhere, valued: &["-l", "-r", "-H", "-m"], code: &[any("--pager")] },
    Program { names: &["delta"], reading: Reading::Anywhere, valued: &[], code: &[any("--pager")] },
    Program {
        names: &["man"],
        reading: Reading::Anywhere,
        valued: &["-M", "-S", "-s", "-L", "-m", "-e"],
        code: &[any("-P"), any("--pager"), any("-H"), any("--html"), any("-X"), any("-C"), any("--config-file"), any("-p"), any("--preprocessor")],
    },
    Program { names: &["fzf"], reading: Reading::Anywhere, valued: &[], code: &[any("--preview"), any("--bind"), any("--with-shell"), any("--become")] },
    Program { names: &["ctags"], reading: Reading::Anywhere, valued: &["-f", "-o"], code: &[any("--options"), any("--optlib-dir")] },
    // ---- Remote copies and shells ----
    Program {
        names: &["ssh", "autossh"],
        reading: Reading::UntilOperand,
        valued: &["-B", "-b", "-c", "-D", "-E", "-e", "-i", "-J", "-L", "-l", "-m", "-O", "-P", "-p", "-Q", "-R", "-W", "-w", "-o", "-F", "-S", "-I"],
        code: &[any("-o").with(SSH_SETTINGS), any("-F"), any("-I"), any("-S")],
    },
    Program {
        names: &["scp"],
        reading: Reading::Anywhere,
        valued: &["-c", "-i", "-J", "-l", "-P", "-X", "-o", "-F", "-S", "-D"],
        code: &[any("-o").with(SSH_SETTINGS), any("-F"), any("-S"), any("-D")],
    },
    Program {
        names: &["sftp"],
        reading: Reading::Anywhere,
        valued: &["-B", "-c", "-i", "-J", "-l", "-P", "-R", "-X", "-o", "-F", "-S", "-D", "-b", "-s"],
        code: &[any("-o").with(SSH_SETTINGS), any("-F"), any("-S"), any("-D"), any("-b")],
    },
    Program { names: &["ssh-add"], reading: Reading::Anywhere, valued: &["-t"], code: &[any("-s"), any("-S")] },
    Program { names: &["ssh-keygen"], reading: Reading::Anywhere, valued: &["-t", "-b", "-f", "-C", "-N", "-P"], code: &[any("-D"), any("-w")] },
    Program { names: &["ssh-copy-id"], reading: Reading::Anywhere, valued: &["-i", "-p"], code: &[any("-o").with(SSH_SETTINGS), any("-F")] },
    Program { names: &["sshfs"], reading: Reading::Anywhere, valued: &["-p"], code: &[any("-o"), any("-F")] },
    Program { names: &["mosh"], reading: Reading::UntilOperand, valued: &["-p"], code: &[any("--ssh"), any("--client"), any("--server")] },
    Program {
        names: &["rsync"],
        reading: Reading::Anywhere,
        valued: &["-f", "-T", "-B", "-M", "--exclude", "--include", "--filter", "--files-from"],
        code: &[any("-e"), any("--rsh"), any("--rsync-path"), any("-M"), any("--remote-option"), any("--config"), any("--dparam")],
    },
    Program { names: &["curl"], reading: Reading::Anywhere, valued: &["-o", "-d", "-H", "-X", "-u", "-A", "-e", "-b", "-c", "-F", "-T", "-m"], code: &[any("--engine"), any("-K"), any("--config"), any("--libcurl")] },
    Program { names: &["wget", "wget2"], reading: Reading::Anywhere, valued: &["-O", "-o", "-P", "-U", "-t", "-T"], code: &[any("--use-askpass"), any("-e"), any("--execute"), any("--config")] },
    Program { names: &["aria2c"], reading: Reading::Anywhere, valued: &["-d", "-o"], code: &[any("--on-download-complete"), any("--on-download-start"), any("--on-download-error"), any("--on-download-stop"), any("--on-download-pause"), any("--on-bt-download-complete"), any("--conf-path")] },
    Program {
        names: &["yt-dlp", "youtube-dl"],
        reading: Reading::Anywhere,
        valued: &["-o", "-f", "-P"],
        code: &[any("--exec"), any("--exec-before-download"), any("--netrc-cmd"), any("--downloader"), any("--external-downloader"), any("--ffmpeg-location"), any("--plugin-dirs"), any("--config-locations"), any("--config-location")],
    },
    Program { names: &["nc", "ncat", "netcat"], reading: Reading::Anywhere, valued: &["-p", "-s", "-w", "-x", "-X"], code: &[any("-e"), any("-c"), any("--exec"), any("--sh-exec"), any("--lua-exec")] },
    Program { names: &["socat"], reading: Reading::Anywhere, valued: &[], code: &[any("exec:"), any("system:"), any("shell:")] },
    Program { names: &["nmap"], reading: Reading::Anywhere, valued: &["-p", "-oN", "-oX", "-oG", "-iL"], code: &[any("--script"), any("--datadir"), any("--interactive")] },
    Program { names: &["tcpdump"], reading: Reading::Anywhere, valued: &["-i", "-c", "-r", "-w", "-C", "-G", "-W"], code: &[any("-z")] },
    Program { names: &["openssl"], reading: Reading::Anywhere, valued: &[], code: &[any("-engine"), any("-provider"), any("-provider-path"), any("-config")] },
    Program { names: &["gpg", "gpg2"], reading: Reading::Anywhere, valued: &["-o", "-r", "-u", "--homedir"], code: &[any("--photo-viewer"), any("--agent-program"), any("--dirmngr-program"), any("--pinentry-mode-program"), any("--exec-path"), any("--options"), any("--keyserver-program")] },
    // ---- Interpreters: code on the command line. A script is a file, and allowed by its rule. ----
    Program { names: &["python", "pypy", "ipython"], reading: Reading::UntilOperand, valued: &["-W", "-X", "-m", "-Q", "--check-hash-based-pycs"], code: &[any("-c")] },
    Program { names: &["perl"], reading: Reading::UntilOperand, valued: &["-I"], code: &[any("-e"), any("-E"), any("-M"), any("-m"), any("-d"), any("-x")] },
    Program { names: &["ruby", "jruby", "irb"], reading: Reading::UntilOperand, valued: &["-I", "-C", "-E", "-K"], code: &[any("-e"), any("-r"), any("-x"), any("-S")] },
    Program { names: &["php"], reading: Reading::UntilOperand, valued: &["-S", "-t"], code: &[any("-r"), any("-B"), any("-R"), any("-E"), any("-d"), any("-c"), any("-z"), any("--run"), any("--define"), any("--process-code"), any("--process-begin"), any("--process-end"), any("--php-ini"), any("--zend-extension")] },
    Program {
        names: &["node", "nodejs", "bun", "tsx", "ts-node"],
        reading: Reading::UntilOperand,
        valued: &["-C", "--conditions"],
        code: &[any("-e"), any("-p"), any("-r"), any("--eval"), any("--print"), any("--require"), any("--import"), any("--loader"), any("--experimental-loader"), any("--preload"), any("--env-file"), any("--openssl-config")],
    },
    Program { names: &["deno"], reading: Reading::Subcommands, valued: &[], code: &[any("eval"), any("--preload"), any("--import"), behind("-c", &["run", "test"]), any("repl")] },
    Program { names: &["lua", "luajit", "texlua"], reading: Reading::UntilOperand, valued: &[], code: &[any("-e"), any("-l")] },
    Program { names: &["Rscript", "R"], reading: Reading::UntilOperand, valued: &[], code: &[any("-e"), any("--eval"), any("-f"), any("--file")] },
    Program { names: &["julia"], reading: Reading::UntilOperand, valued: &["-t", "-p"], code: &[any("-e"), any("-E"), any("-L"), any("--eval"), any("--print"), any("--load")] },
    Program { names: &["osascript"], reading: Reading::UntilOperand, valued: &["-l"], code: &[any("-e")] },
    Program { names: &["expect"], reading: Reading::UntilOperand, valued: &[], code: &[any("-c")] },
    Program { names: &["guile", "racket", "sbcl", "clisp", "ecl"], reading: Reading::UntilOperand, valued: &[], code: &[any("-c"), any("-e"), any("-x"), any("-l"), any("--eval"), any("--load"), any("-eval"), any("--require")] },
    Program { names: &["elixir", "iex"], reading: Reading::UntilOperand, valued: &[], code: &[any("-e"), any("-r"), any("--eval"), any("--rpc-eval"), any("--erl"), any("--require")] },
    Program { names: &["erl"], reading: Reading::Anywhere, valued: &[], code: &[any("-eval"), any("-s"), any("-run")] },
    Program { names: &["groovy", "scala", "kotlin", "jshell", "clojure"], reading: Reading::UntilOperand, valued: &[], code: &[any("-e"), any("--eval"), any("-r")] },
    Program { names: &["java"], reading: Reading::UntilOperand, valued: &["-cp", "-classpath", "--class-path"], code: &[any("-javaagent:"), any("-agentlib:"), any("-agentpath:"), any("-XX:OnError="), any("-XX:OnOutOfMemoryError=")] },
    // Shells, where the code is not known; known code is followed.
    Program { names: &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash"], reading: Reading::UntilOperand, valued: &["-O", "-o"], code: &[any("-c"), any("--rcfile"), any("--init-file")] },
    Program { names: &["fish"], reading: Reading::UntilOperand, valued: &[], code: &[any("-c"), any("-C"), any("--command"), any("--init-command")] },
    Program { names: &["pwsh", "powershell"], reading: Reading::UntilOperand, valued: &[], code: &[any("-Command"), any("-c"), any("-EncodedCommand"), any("-e"), any("-ec")] },
    // ---- Editors ----
    Program { names: &["vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff"], reading: Reading::Anywhere, valued: &[], code: &[any("-c"), any("-S"), any("-s"), any("-u"), any("-U"), any("-l"), any("--cmd"), any("+")] },
    Program { names: &["emacs", "emacsclient"], reading: Reading::Anywhere, valued: &[], code: &[any("--eval"), any("-eval"), any("-e"), any("--execute"), any("-l"), any("--load"), any("-f"), any("--funcall"), any("--script"), any("-x")] },
    Program { names: &["nano"], reading: Reading::Anywhere, valued: &[], code: &[any("-s"), any("--speller"), any("-f"), any("--rcfile")] },
    // ---- Building ----
    Program {
        names: &["cargo"],
        reading: Reading::Subcommands,
        valued: &["-C", "--color", "--config", "-Z", "--manifest-path", "--target-dir"],
        code: &[any("--config")],
    },
    Program { names: &["rustc"], reading: Reading::Anywhere, valued: &["-o", "--edition", "--crate-type"], code: &[any("-C").with(&["linker", "link-arg"]), any("--codegen").with(&["linker", "link-arg"])] },
    Program { names: &["go"], reading: Reading::Subcommands, valued: &["-C"], code: &[any("-exec"), any("--exec"), any("-toolexec"), any("--toolexec"), any("-vettool"), any("--vettool"), any("-overlay"), any("--overlay")] },
    Program { names: &["gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran"], reading: Reading::Anywhere, valued: &["-o", "-I", "-L", "-D", "-x"], code: &[any("-wrapper"), any("-fplugin="), any("-fpass-plugin="), any("-specs="), any("--specs"), any("-load"), any("-plugin"), any("--ld-path")] },
    Program { names: &["make", "gmake"], reading: Reading::Anywhere, valued: &["-C", "-f", "-I", "-o", "-W", "-j", "-l", "--directory", "--file", "--makefile"], code: &[any("--eval"), any("-E"), any("shell="), any(".shellflags="), any("makeflags=")] },
    Program { names: &["cmake"], reading: Reading::Anywhere, valued: &["-S", "-B", "-G", "-D", "-T"], code: &[any("-E"), any("-P"), any("-C"), any("--debugger")] },
    Program { names: &["just"], reading: Reading::UntilOperand, valued: &["-d", "-f", "--working-directory", "--justfile"], code: &[any("-c"), any("--command"), any("--shell"), any("--shell-arg"), any("--chooser")] },
    Program {
        names: &["npm", "pnpm", "yarn", "npx", "pnpx", "bunx"],
        reading: Reading::Subcommands,
        valued: &["-C", "-w", "--prefix", "--workspace", "--dir", "--cwd", "--filter", "--loglevel", "--registry", "--cache", "-p", "--package"],
        code: &[any("-c"), any("--call"), any("--script-shell"), any("--node-options"), any("--shell-mode"), any("--git"), any("--viewer"), any("--editor"), any("--browser"), behind("--scripts-prepend-node-path", INSTALLS)],
    },
    Program { names: &["pip", "pipx", "uv"], reading: Reading::Subcommands, valued: &["--directory", "--project", "--python", "--cache-dir", "--log", "--proxy"], code: &[any("--python")] },
    Program { names: &["mvn", "mvnw"], reading: Reading::Anywhere, valued: &["-f", "-pl", "-P", "-s"], code: &[any("-Dexec."), any("-Dmaven.ext.class.path=")] },
    Program { names: &["gradle", "gradlew"], reading: Reading::Anywhere, valued: &["-p", "-b", "-x"], code: &[any("-I"), any("--init-script"), any("-c"), any("--settings-file")] },
    Program { names: &["pandoc"], reading: Reading::Anywhere, valued: &["-o", "-f", "-t"], code: &[any("-F"), any("--filter"), any("-L"), any("--lua-filter"), any("--pdf-engine"), any("-d"), any("--defaults")] },
    Program { names: &["tex", "latex", "pdflatex", "xelatex", "lualatex"], reading: Reading::Anywhere, valued: &[], code: &[any("-shell-escape"), any("--shell-escape"), any("-enable-write18"), any("--enable-write18")] },
    Program { names: &["latexmk"], reading: Reading::Anywhere, valued: &[], code: &[any("-e"), any("-r"), any("-pdflatex="), any("-latex="), any("-shell-escape")] },
    Program { names: &["nodemon"], reading: Reading::UntilOperand, valued: &["-w", "-i"], code: &[any("-x"), any("--exec"), any("-r")] },
    Program { names: &["hyperfine"], reading: Reading::Anywhere, valued: &["-w", "-r", "-n"], code: &[any("-p"), any("-s"), any("-c"), any("-S"), any("--prepare"), any("--setup"), any("--cleanup"), any("--shell"), any("--conclude")] },
    // ---- Debuggers ----
    Program { names: &["gdb"], reading: Reading::Anywhere, valued: &["-p"], code: &[any("-ex"), any("-iex"), any("-x"), any("-ix"), any("-command"), any("--command"), any("-eval-command"), any("--eval-command"), any("--init-command"), any("--init-eval-command")] },
    Program { names: &["lldb"], reading: Reading::Anywhere, valued: &["-p"], code: &[any("-o"), any("-O"), any("-s"), any("-S"), any("--one-line"), any("--source"), any("--one-line-before-file"), any("--source-before-file")] },
    // ---- Containers, clusters, machines ----
    Program {
        names: &["docker", "podman"],
        reading: Reading::Subcommands,
        valued: &["-H", "-l", "-c", "--host", "--context", "--config", "--log-level", "--tlscacert", "--tlscert", "--tlskey", "--url", "--connection", "--identity", "--root"],
        code: &[head("--config"), head("--hooks-dir"), head("--runtime"), head("--conmon")],
    },
    Program {
        names: &["kubectl", "oc"],
        reading: Reading::Subcommands,
        valued: &["-n", "--namespace", "--context", "--cluster", "--user", "--kubeconfig", "-s", "--server", "--token", "--as", "--as-group", "--request-timeout", "-v", "--certificate-authority", "--client-certificate", "--client-key", "--cache-dir", "--tls-server-name"],
        code: &[any("--kubeconfig")],
    },
    Program { names: &["helm"], reading: Reading::Subcommands, valued: &["-n", "--namespace", "--kube-context", "--kubeconfig"], code: &[any("--post-renderer"), any("--kubeconfig")] },
    Program { names: &["terraform", "tofu"], reading: Reading::Subcommands, valued: &[], code: &[any("-plugin-dir")] },
    Program { names: &["ansible"], reading: Reading::Anywhere, valued: &["-i", "-u", "-f", "-l"], code: &[any("-a"), any("--args"), any("-m"), any("--module-name"), any("-M"), any("--module-path"), any("-c"), any("--connection")] },
    Program { names: &["systemctl"], reading: Reading::Subcommands, valued: &["-t", "-p", "-n", "-o", "-H", "-M", "--type", "--state", "--property"], code: &[] },
    Program { names: &["aws"], reading: Reading::Subcommands, valued: &["--profile", "--region", "--output", "--query", "--endpoint-url", "--color", "--ca-bundle", "--cli-read-timeout", "--cli-connect-timeout"], code: &[] },
    // ---- Packages ----
    Program { names: &["apt", "apt-get", "apt-cache", "aptitude"], reading: Reading::Subcommands, valued: &["-t", "-o", "-c", "--target-release"], code: &[any("-o"), any("--option"), any("-c"), any("--config-file")] },
    Program { names: &["dpkg"], reading: Reading::Anywhere, valued: &[], code: &[any("--pre-invoke"), any("--post-invoke"), any("--status-logger"), any("--pre-invoke="), any("--post-invoke=")] },
    Program { names: &["rpm"], reading: Reading::Anywhere, valued: &[], code: &[any("-E"), any("--eval"), any("--pipe"), any("-D"), any("--define"), any("--load"), any("--rcfile")] },
    Program { names: &["dnf", "yum", "zypper"], reading: Reading::Subcommands, valued: &["-c", "--config"], code: &[any("-c"), any("--config"), any("--setopt")] },
    Program { names: &["pacman"], reading: Reading::Anywhere, valued: &[], code: &[any("--hookdir"), any("--config")] },
    Program { names: &["iptables", "ip6tables"], reading: Reading::Anywhere, valued: &[], code: &[any("-M"), any("--modprobe")] },
    // ---- Data bases ----
    Program { names: &["psql"], reading: Reading::Anywhere, valued: &["-d", "-h", "-p", "-U", "-o"], code: &[any("-c").with(&["\\"]), any("--command").with(&["\\"]), any("-f"), any("--file")] },
    Program { names: &["mysql", "mariadb"], reading: Reading::Anywhere, valued: &["-h", "-u", "-P", "-D"], code: &[any("-e"), any("--execute"), any("--pager"), any("--plugin-dir"), any("--defaults-file"), any("--defaults-extra-file")] },
    Program { names: &["sqlite3", "sqlite"], reading: Reading::Anywhere, valued: &["-separator"], code: &[any("-cmd"), any("-init"), any("--cmd"), any("--init")] },
    Program { names: &["mongo", "mongosh"], reading: Reading::Anywhere, valued: &[], code: &[any("--eval"), any("-f"), any("--file")] },
    // ---- Terminals ----
    Program { names: &["tmux"], reading: Reading::Subcommands, valued: &["-L", "-S", "-f", "-T"], code: &[head("-c"), head("-f"), any("run-shell"), any("run"), any("if-shell"), any("if"), any("new-session"), any("new"), any("new-window"), any("neww"), any("split-window"), any("splitw"), any("respawn-pane"), any("respawn-window"), any("pipe-pane"), any("pipep"), any("display-popup"), any("popup"), any("send-keys"), any("send"), any("source-file"), any("source"), any("set-hook")] },
    Program { names: &["screen"], reading: Reading::UntilOperand, valued: &["-S", "-p"], code: &[any("-X"), any("-c"), any("-s")] },
    Program { names: &["xterm", "gnome-terminal", "konsole"], reading: Reading::Anywhere, valued: &[], code: &[any("-e"), any("-x"), any("--command")] },
    // ---- Wrappers: what they run is judged; here only where their operands begin. ----
    Program { names: &["sudo"], reading: Reading::UntilOperand, valued: &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--host", "--prompt", "--chdir", "--chroot"], code: &[] },
    Program { names: &["doas"], reading: Reading::UntilOperand, valued: &["-u", "-C"], code: &[] },
    Program { names: &["env", "genv"], reading: Reading::UntilOperand, valued: &["-u", "-C", "-S", "--unset", "--chdir", "--split-string"], code: &[] },
    Program { names: &["xargs", "gxargs"], reading: Reading::UntilOperand, valued: &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--arg-file", "--delimiter", "--max-args", "--max-procs", "--replace"], code: &[] },
    Program { names: &["timeout", "gtimeout"], reading: Reading::UntilOperand, valued: &["-k", "-s", "--kill-after", "--signal"], code: &[] },
    Program { names: &["nice"], reading: Reading::UntilOperand, valued: &["-n", "--adjustment"], code: &[] },
];
