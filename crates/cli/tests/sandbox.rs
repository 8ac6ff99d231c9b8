//! `brakeline sandbox` on the real bubblewrap: each row of the table of fields, by commands that try it, as root and as an
//! ordinary user.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use brakeline_sandbox::wrap::Wrapper;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// A user that owns nothing and is in no group.
const USER: u32 = 61_184;

/// The program, where every user may run it.
fn program() -> &'static Path {
    static COPY: OnceLock<(PathBuf, ChildStdin)> = OnceLock::new();
    let (path, _) = COPY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap().keep();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        // Nothing is run at the end of a test's process, but its pipes are closed.
        let mut sweeper = Command::new("sh");
        sweeper.args(["-c", "cat; rm -rf \"$0\""]).arg(&folder).stdin(Stdio::piped());
        let until_the_end = sweeper.spawn().unwrap().stdin.take().unwrap();
        let path = folder.join("brakeline");
        // By another process: a file that this one has open for writing is inherited by what other tests start meanwhile, and
        // cannot be run until they are gone.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_brakeline")).arg(&path).status();
        assert!(copied.unwrap().success());
        (path, until_the_end)
    });
    path
}

/// A home, a project and something outside, all of one user.
struct Scene {
    _folder: tempfile::TempDir,
    base: PathBuf,
    user: Option<u32>,
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Scene {
    fn new(user: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        for inner in ["home", "project", "outside"] {
            fs::create_dir(base.join(inner)).unwrap();
        }
        let scene = Self { _folder: folder, base, user };
        scene.own();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.own();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn own(&self) {
        if let Some(user) = self.user {
            let owned =
                Command::new("chown").arg("-hR").arg(format!("{user}:{user}")).arg(&self.base).status();
            assert!(owned.unwrap().success());
        }
    }

    /// A command of the scene's user, in the project.
    fn command(&self, program: &str) -> Command {
        let mut command = match self.user {
            None => Command::new(program),
            Some(user) => {
                let mut command = Command::new("setpriv");
                let ids = [format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()];
                command.args(ids).arg(program);
                command
            }
        };
        command.current_dir(self.path("project")).env("HOME", self.path("home")).env("LANG", "C");
        command.env_remove("LC_ALL").env_remove("TMPDIR");
        command
    }

    fn brakeline(&self, config: &Value, arguments: &[&str]) -> Command {
        let file = self.path("config.json");
        fs::write(&file, config.to_string()).unwrap();
        let mut command = self.command(program().to_str().unwrap());
        command.args(["sandbox", arguments[0], "--config"]).arg(file).args(&arguments[1..]);
        command
    }

    fn run(&self, config: &Value, script: &str) -> Ran {
        ran(&mut self.brakeline(config, &["run", "--", "bash", "-c", script]))
    }

    fn allows(&self, config: &Value, script: &str) -> String {
        let ran = self.run(config, script);
        assert_eq!(ran.code, 0, "as {:?}, {script}: {}", self.user, ran.stderr);
        ran.stdout
    }

    fn refuses(&self, config: &Value, script: &str, why: &str) {
        let ran = self.run(config, script);
        assert_ne!(ran.code, 0, "as {:?}, {script}: {}{}", self.user, ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(why), "as {:?}, {script}: {}", self.user, ran.stderr);
    }
}

fn ran(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Plays a scene as whoever runs the test, and as an ordinary user if that is root.
fn as_each_user(play: impl Fn(&Scene)) {
    play(&Scene::new(None));
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        play(&Scene::new(Some(USER)));
    }
}

const READ_ONLY: &str = "Read-only file system";

#[test]
fn only_what_is_listed_is_written() {
    as_each_user(|scene| {
        scene.write("project/keep/file", "old");
        scene.write("outside/file", "old");
        let config = json!({"filesystem": {"denyWrite": ["keep"]}});
        scene
            .allows(&config, "echo new > file && mkdir -p a/b && mv file a/b/ && rm -r a && echo new > left");
        assert_eq!(scene.read("project/left"), "new\n");
        scene.refuses(&config, "echo new > ../outside/file", READ_ONLY);
        scene.refuses(&config, "echo new > /etc/brakeline-test", READ_ONLY);
        scene.refuses(&config, "echo new > ~/file", READ_ONLY);
        scene.refuses(&config, "echo new > keep/file", READ_ONLY);
        scene.refuses(&config, "rm -rf keep", READ_ONLY);
        scene.refuses(&config, "mv keep gone", "busy");
        let nothing = json!({"filesystem": {"allowWrite": []}});
        scene.refuses(&nothing, "echo new > file", READ_ONLY);
        // denyWrite wins, wherever it stands.
        let above = json!({"filesystem": {"allowWrite": ["keep"], "denyWrite": ["."]}});
        scene.refuses(&above, "echo new > keep/file", READ_ONLY);
        assert_eq!(scene.read("outside/file") + &scene.read("project/keep/file"), "oldold");
        assert!(!scene.path("home/file").exists() && !Path::new("/etc/brakeline-test").exists());
        // Temporary files have a place.
        scene.allows(&config, "cat <<< text > $(mktemp) && cat <<< text");
    });
}

/// What `brakeline sandbox run` says of its own, without the path of the scene.
fn notes(scene: &Scene, ran: &Ran) -> Vec<String> {
    let own = ran.stderr.lines().filter_map(|line| line.strip_prefix("brakeline sandbox: "));
    own.map(|note| note.replace(scene.base.to_str().unwrap(), "")).collect()
}

#[test]
fn a_refused_file_is_told_with_its_rule() {
    as_each_user(|scene| {
        scene.write("home/.ssh/id", "secret");
        scene.write("project/.env", "secret");
        scene.write("project/keep/file", "old");
        scene.write("outside/file", "old");
        let config = json!({"filesystem": {"denyRead": ["~/.ssh", ".env", "~/kept"], "denyWrite": ["keep"]}});
        let unlisted = "no `filesystem.allowWrite` covers it";
        let file = scene.path("config.json");
        let entry = |text: &str| format!("`{text}` (override, {}:1)", file.display());
        let entry = |key: &str, does: &str, text: &str| format!("`filesystem.{key}` {does} {}", entry(text));
        for (script, path, rule) in [
            ("echo x > /etc/x", "/etc/x", unlisted.to_owned()),
            ("touch ../outside/new", "/outside/new", unlisted.to_owned()),
            ("cd .. ; rm $PWD/outside/file", "/outside/file", unlisted.to_owned()),
            ("echo x > keep/file", "/project/keep/file", entry("denyWrite", "denies", "keep")),
            ("mv keep gone", "/project/keep", entry("denyWrite", "denies", "keep")),
            ("cat .env", "/project/.env", entry("denyRead", "hides", ".env")),
            ("ls ~/.ssh", "/home/.ssh", entry("denyRead", "hides", "~/.ssh")),
            ("cat ~/.ssh/id", "/home/.ssh/id", entry("denyRead", "hides", "~/.ssh")),
            ("echo x > ~/.ssh/new", "/home/.ssh/new", entry("denyRead", "hides", "~/.ssh")),
            ("cat .env | wc -c; cat .env", "/project/.env", entry("denyRead", "hides", ".env")),
        ] {
            let ran = scene.run(&config, script);
            let rule = rule.replace(scene.base.to_str().unwrap(), "");
            let expected = format!("`{path}` is denied by the sandbox: {rule}");
            assert_eq!(notes(scene, &ran), [expected], "as {:?}, {script}: {}", scene.user, ran.stderr);
        }
        // What fails for reasons of its own is no refusal, and what is allowed is not told.
        for script in
            ["cat missing", "ls /etc/shadow/x", "cat /root/x", "echo x > made; cat made >&2", "exit 7"]
        {
            let ran = scene.run(&config, script);
            assert_eq!(notes(scene, &ran), [""; 0], "as {:?}, {script}: {}", scene.user, ran.stderr);
        }
        let chinese = ran(scene
            .brakeline(&config, &["run", "--", "bash", "-c", "echo x > /etc/x"])
            .env("LANG", "zh_CN.UTF-8"));
        let own = "brakeline sandbox: 沙箱拒绝 `/etc/x`：没有 `filesystem.allowWrite` 允许它\n";
        assert!(chinese.stderr.ends_with(own), "{}", chinese.stderr);
    });
}

#[test]
fn listening_changes_nothing_of_what_is_said() {
    as_each_user(|scene| {
        // Both streams are one pipe: their order stays.
        let script = "for i in $(seq 300); do echo out $i; echo err $i >&2; done; exit 3";
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = scene.brakeline(&json!({}), &["run", "--", "bash", "-c", script]);
        command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
        let mut child = command.spawn().unwrap();
        drop(command);
        let mut said = String::new();
        reader.read_to_string(&mut said).unwrap();
        let expected = (1..=300).flat_map(|i| [format!("out {i}"), format!("err {i}")]);
        assert_eq!(said.lines().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert_eq!(child.wait().unwrap().code(), Some(3));
        // Bytes that are no text, and more of them than are kept.
        let script = "head -c 300000 /dev/zero >&2; printf '\\xff' >&2; echo out";
        let mut command = scene.brakeline(&json!({}), &["run", "--", "bash", "-c", script]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.len()), (b"out\n".as_slice(), 300_001));
        assert_eq!(output.stderr.last(), Some(&0xff));
        // A process that is left behind does not keep it waiting.
        let start = Instant::now();
        assert_eq!(scene.run(&json!({}), "sleep 60 & exit 4").code, 4);
        assert!(start.elapsed() < Duration::from_secs(30));
    });
}

#[test]
fn what_is_protected_keeps_its_name() {
    as_each_user(|scene| {
        scene.write("project/a/b/keep", "old");
        let config = json!({"filesystem": {"denyWrite": ["a/b/keep", "a/new/deep"]}});
        scene.refuses(&config, "mv a/b a/c", "busy");
        scene.refuses(&config, "mv a c", "busy");
        scene.refuses(&config, "rm -rf a/b", "busy");
        scene.refuses(&config, "mkdir a/new/deep", READ_ONLY);
        scene.refuses(&config, "rmdir a/new", "busy");
        scene.allows(&config, "echo new > a/b/other");
        assert_eq!(scene.read("project/a/b/keep"), "old");
        assert!(!scene.path("project/a/new").exists(), "no placeholder is left");
    });
}

#[test]
fn what_is_hidden_is_neither_read_nor_written() {
    as_each_user(|scene| {
        scene.write("home/.ssh/id", "secret");
        scene.write("home/.ssh/known/hosts", "shown");
        scene.write("home/.netrc", "secret");
        scene.write("project/.env", "secret");
        scene.write("project/keys/one.pem", "secret");
        let config = json!({"filesystem": {
            "denyRead": ["~/.ssh", "~/.netrc", ".env", "~/missing", "**/*.pem"],
            "allowRead": ["~/.ssh/known"],
        }});
        for script in
            ["cat ~/.ssh/id", "ls ~/.ssh", "cat ~/.netrc", "cat .env", "cat keys/one.pem", "cp .env copy"]
        {
            let ran = scene.run(&config, script);
            assert!(ran.code != 0 && !ran.stdout.contains("secret"), "{script}: {}", ran.stdout);
        }
        scene.refuses(&config, "cat ~/missing", "No such file");
        assert_eq!(scene.allows(&config, "cat ~/.ssh/known/hosts"), "shown");
        for script in
            ["echo x > ~/.ssh/new", "chmod 777 ~/.ssh", "rm -rf ~/.ssh", "echo x > .env", "chmod 777 .env"]
        {
            assert_ne!(scene.run(&config, script).code, 0, "{script}");
        }
        scene.refuses(&config, "mv .env other", "busy");
        assert_eq!(scene.read("project/.env") + &scene.read("home/.ssh/id"), "secretsecret");
        // A list of what may be read, in place of one of what may not.
        let system = ["/usr", "/bin", "/lib", "/lib64", "/etc"];
        let only = json!({"filesystem": {"denyRead": ["/"], "allowRead": system, "allowWrite": ["."]}});
        scene.allows(&only, "echo x > made && cat made");
        scene.refuses(&only, "cat ~/.netrc", "No such file");
    });
}

#[test]
fn what_may_be_written_inside_what_is_hidden_is_there() {
    as_each_user(|scene| {
        scene.write("project/file", "x");
        let below = json!({"filesystem": {"denyRead": ["~", ".."], "allowWrite": ["."]}});
        scene.allows(&below, "cat file && echo y > other");
        // Writable inside readable inside hidden: the deepest counts.
        scene.write("project/sub/deep/file", "x");
        let nested =
            json!({"filesystem": {"denyRead": ["."], "allowRead": ["sub"], "allowWrite": ["sub/deep"]}});
        let run = ran(&mut scene.brakeline(
            &nested,
            &[
                "run",
                "--cwd",
                "sub",
                "--project",
                ".",
                "--",
                "bash",
                "-c",
                "cat deep/file && echo y > deep/new && ! touch new && ! cat ../file",
            ],
        ));
        assert_eq!(run.code, 0, "{}", run.stderr);
        // A hidden directory to start in is an error that says so.
        let hidden = json!({"filesystem": {"denyRead": ["."]}});
        let run = scene.run(&hidden, "true");
        assert!(
            run.code == 65 && run.stderr.contains("is hidden in the sandbox"),
            "{} {}",
            run.code,
            run.stderr
        );
    });
}

#[test]
fn links_are_judged_where_they_lead() {
    as_each_user(|scene| {
        scene.write("outside/file", "old");
        scene.write("project/keep", "old");
        symlink("../outside/file", scene.path("project/out")).unwrap();
        symlink("keep", scene.path("project/alias")).unwrap();
        symlink("alias", scene.path("project/loop")).unwrap();
        let config = json!({"filesystem": {"denyWrite": ["alias"]}});
        scene.refuses(&config, "echo new > out", READ_ONLY);
        scene.refuses(&config, "ln -s ../outside way && echo new > way/file", READ_ONLY);
        for name in ["keep", "alias", "loop"] {
            scene.refuses(&config, &format!("echo new > {name}"), READ_ONLY);
        }
        // An entry that is a link to outside makes outside writable: it was written down.
        symlink("../outside", scene.path("project/door")).unwrap();
        scene.allows(&json!({"filesystem": {"allowWrite": [".", "door"]}}), "echo new > ../outside/file");
        assert_eq!(scene.read("outside/file"), "new\n");
        // A limit, documented: a hard link that is there already is the file itself.
        fs::hard_link(scene.path("outside/file"), scene.path("project/hard")).unwrap();
        scene.allows(&json!({}), "echo through > hard");
        assert_eq!(scene.read("outside/file"), "through\n");
        // A new one cannot be made to what may not be written.
        assert_ne!(scene.run(&json!({}), "ln ../outside/file link").code, 0);
    });
}

fn git(scene: &Scene, arguments: &[&str]) {
    let mut command = scene.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]);
    let ran = ran(command.args(arguments));
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
}

const COMMIT: &str = "git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x";

#[test]
fn git_works_and_its_hooks_and_settings_stay() {
    as_each_user(|scene| {
        git(scene, &["init", "-q", "."]);
        git(scene, &["init", "-q", "nested/inner"]);
        scene.write("project/.git/modules/sub/config", "");
        let config = json!({});
        scene.allows(
            &config,
            &format!("echo x > file && git add file && {COMMIT} && git checkout -q -b other"),
        );
        for target in [
            ".git/hooks/pre-commit",
            ".git/config",
            "nested/inner/.git/hooks/pre-commit",
            "nested/inner/.git/config",
            ".git/modules/sub/config",
        ] {
            scene.refuses(&config, &format!("echo x > {target}"), READ_ONLY);
        }
        scene.refuses(&config, "git config core.fsmonitor /tmp/evil", "");
        scene.refuses(&config, "mv .git git", "busy");
        scene.refuses(&config, "rm -rf .git/hooks", READ_ONLY);
        // Whatever the lists say.
        let wide = json!({"filesystem": {"allowWrite": [".", ".git", ".git/hooks", ".git/config"]}});
        scene.refuses(&wide, "echo x > .git/hooks/pre-commit", READ_ONLY);
        scene.refuses(&wide, "echo x > .git/config", READ_ONLY);
    });
}

#[test]
fn a_worktree_is_protected_where_its_repository_is() {
    as_each_user(|scene| {
        git(scene, &["init", "-q", "../outside/main"]);
        git(scene, &["-C", "../outside/main", "commit", "-q", "--allow-empty", "-m", "x"]);
        git(scene, &["-C", "../outside/main", "worktree", "add", "-q", "../../project/tree"]);
        let in_tree = |config: &Value, script: &str| {
            ran(&mut scene.brakeline(config, &["run", "--cwd", "tree", "--", "bash", "-c", script]))
        };
        assert!(in_tree(&json!({}), "echo x > .git").stderr.contains(READ_ONLY));
        assert_ne!(in_tree(&json!({}), COMMIT).code, 0, "the repository is outside of what may be written");
        // Allowed in so many words, and its hooks and settings still protected.
        let git_dir = scene.path("outside/main/.git");
        let config = json!({"filesystem": {"allowWrite": [".", git_dir]}});
        let committed = in_tree(&config, COMMIT);
        assert_eq!(committed.code, 0, "{}", committed.stderr);
        for name in ["hooks/pre-commit", "config"] {
            let target = git_dir.join(name);
            assert!(in_tree(&config, &format!("echo x > {}", target.display())).stderr.contains(READ_ONLY));
        }
    });
}

#[test]
fn its_own_configuration_is_out_of_reach() {
    as_each_user(|scene| {
        scene.write("home/.pi/agent/settings.json", "{}");
        scene.write("home/.bashrc", "");
        let config = json!({"filesystem": {"allowWrite": [".", "~", "/tmp"]}});
        scene.allows(&config, "echo x > ~/file");
        let names = [
            "~/.pi/agent/sandbox.json",
            "~/.pi/agent/settings.json",
            ".pi/sandbox.json",
            "../config.json",
            "~/.bashrc",
            "~/.profile",
            "~/.zshenv",
            "~/.gitconfig",
            ".git/hooks/pre-commit",
        ];
        for name in names {
            let ran = scene.run(&config, &format!("mkdir -p $(dirname {name}); echo x > {name}"));
            assert_ne!(ran.code, 0, "as {:?}: {name} {}", scene.user, ran.stderr);
        }
        scene.refuses(&config, "mv ~/.pi ~/pi", "busy");
        scene.refuses(&config, "mkdir .pi", "File exists");
        scene.refuses(&config, &format!("echo x > {}", program().display()), READ_ONLY);
        for name in ["project/.pi", "project/.git", "home/.profile", "home/.zshenv", "home/.gitconfig"] {
            assert!(!scene.path(name).exists(), "{name} is left");
        }
        // What the command line names starts where the program does, not in the project.
        scene.write("project/sub/own.json", "{}");
        scene.write("project/sub/kept/file", "old");
        let inside = |script| {
            let mut command = scene.command(program().to_str().unwrap());
            command.args(["sandbox", "run", "--project", "..", "--config", "own.json", "--protect", "kept"]);
            ran(command.args(["--", "bash", "-c", script]).current_dir(scene.path("project/sub")))
        };
        for script in ["echo x > own.json", "echo x > kept/file", "rm -r kept"] {
            let ran = inside(script);
            assert!(ran.code != 0 && ran.stderr.contains(READ_ONLY), "{script}: {}", ran.stderr);
        }
        assert_eq!(inside("echo x > ../own.json").code, 0);
    });
}

#[test]
fn there_is_no_way_out() {
    as_each_user(|scene| {
        scene.write("outside/file", "old");
        let socket = UnixListener::bind(scene.path("project/socket")).unwrap();
        let host = std::process::id();
        let config = json!({});
        for script in [
            "mount -o remount,rw,bind / && touch /brakeline-escape",
            "mount -o remount,rw /",
            "umount /proc",
            "unshare -Ur true",
            "unshare -m true",
            "chroot / true",
            "perl -e 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die $!'",
            "perl -e 'use Socket; socketpair(my $a, my $b, PF_UNIX, SOCK_DGRAM, 0) or die $!'",
            "perl -e 'syscall(425, 1, 0) >= 0 or die $!'",
            "mknod device c 1 1",
            &format!("kill -0 {host}"),
            &format!("cat /proc/{host}/environ"),
            "echo x > /proc/sys/kernel/hostname",
            ": >> /proc/sys/kernel/core_pattern",
            ": >> /proc/sys/vm/drop_caches",
            "echo 1 > /proc/sysrq-trigger",
            "ls /proc/1/root/../../.. && echo x > /proc/1/root/brakeline-escape",
            "echo x > /sys/kernel/mm/transparent_hugepage/enabled",
            "dd if=/dev/mem of=/dev/null count=1",
        ] {
            assert_ne!(scene.run(&config, script).code, 0, "as {:?}: {script}", scene.user);
        }
        drop(socket);
        assert!(!Path::new("/brakeline-escape").exists());
        // Pairs of stream sockets, threads and child processes are everybody's tools.
        scene.allows(
            &config,
            "perl -e 'use Socket; socketpair(my $a, my $b, PF_UNIX, SOCK_STREAM, 0) or die $!'",
        );
        let status =
            scene.allows(&config, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; ls /proc");
        assert!(status.contains("CapEff:\t0000000000000000") && status.contains("CapBnd:\t0000000000000000"));
        assert!(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"));
        let processes = status.lines().filter(|line| line.bytes().all(|byte| byte.is_ascii_digit())).count();
        assert!(processes <= 4, "only its own: {status}");
        // Nothing that the runner has open is passed on.
        assert_eq!(
            scene.allows(&config, "ls /proc/self/fd | sort -n | tail -n +4 | wc -l").trim(),
            "1",
            "ls's own"
        );
    });
}

/// Answers every connection with the first line of what it was asked.
fn serve() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 1024];
            let count = stream.read(&mut bytes).unwrap();
            let text = String::from_utf8_lossy(&bytes[..count]).lines().next().unwrap_or_default().to_owned();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved {text}\n");
        }
    });
    port
}

/// Speaks to the proxy and prints what comes back.
fn to_proxy(request: &str) -> String {
    format!("exec 3<>/dev/tcp/127.0.0.1/3128 && printf '{request}' >&3 && timeout 20 cat <&3")
}

#[test]
fn the_network_is_what_the_proxy_lets_through() {
    as_each_user(|scene| {
        let port = serve();
        let get = to_proxy(&format!(
            "GET http://127.0.0.1:{port}/path HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n"
        ));
        let connect = to_proxy(&format!(
            "CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\nGET /through HTTP/1.0\\r\\n\\r\\n"
        ));
        let [high, low] = port.to_be_bytes();
        let socks = to_proxy(&format!(
            "\\x05\\x01\\x00\\x05\\x01\\x00\\x01\\x7f\\x00\\x00\\x01\\x{high:02x}\\x{low:02x}GET /socks HTTP/1.0\\r\\n\\r\\n"
        ));
        // Nothing is listed: nothing is reached, and there is no proxy either.
        for script in [&get, &connect, &socks] {
            scene.refuses(&json!({}), script, "Connection refused");
        }
        let listed = json!({"network": {"allowedDomains": [format!("127.0.0.1:{port}")]}});
        assert!(scene.allows(&listed, &get).contains("served GET /path HTTP/1.1"));
        assert!(scene.allows(&listed, &connect).contains("served GET /through"));
        assert!(scene.allows(&listed, &socks).contains("served GET /socks"));
        // A program that knows no proxy reaches nothing.
        scene.refuses(&listed, &format!("exec 3<>/dev/tcp/127.0.0.1/{port}"), "Connection refused");
        // Denied wins, in every protocol; the answer and the last lines name the entry.
        let denied =
            json!({"network": {"allowedDomains": ["*", "127.0.0.1"], "deniedDomains": ["127.0.0.1"]}});
        for script in [&get, &connect] {
            let ran = scene.run(&denied, script);
            assert!(ran.stdout.starts_with("HTTP/1.1 403 "), "{}", ran.stdout);
            assert!(ran.stdout.contains("`network.deniedDomains` denies `127.0.0.1`"), "{}", ran.stdout);
            assert!(ran.stderr.contains("`network.deniedDomains` denies `127.0.0.1`"), "{}", ran.stderr);
        }
        let ran = scene.run(&denied, &socks);
        assert!(ran.stdout.starts_with("\u{5}\u{0}\u{5}\u{2}"), "{:?}", ran.stdout);
        // Everything is listed, and still nothing that is local unless it is named.
        let all = json!({"network": {"allowedDomains": ["*"]}});
        let local =
            to_proxy(&format!("CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.0\\r\\n\\r\\n"));
        assert!(scene.run(&all, &local).stdout.contains("403"));
        let named = json!({"network": {"allowedDomains": ["localhost"]}});
        assert!(scene.run(&named, &local).stdout.starts_with("HTTP/1.1 200"));
        // What the list names must not be kept from the proxy.
        assert_eq!(scene.allows(&named, "echo $NO_PROXY").trim(), "");
        assert_eq!(scene.allows(&all, "echo $NO_PROXY").trim(), "localhost,127.0.0.1,::1");
        // What listens inside is reached inside.
        let inside = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die $!; IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $s->sockport) or die $!'";
        scene.allows(&json!({}), inside);
    });
}

#[test]
fn the_exit_status_is_the_commands() {
    let scene = Scene::new(None);
    let config = json!({});
    for (command, code) in [
        (["bash", "-c", "exit 7"], 7),
        (["dash", "-c", "exit 3"], 3),
        (["bash", "-c", "trap 'true' EXIT; false"], 1),
        (["bash", "-c", "kill -9 $$"], 137),
        (["bash", "-c", "kill -TERM $$"], 143),
        (["nowhere-to-be-found", "", ""], 127),
        (["/etc/passwd", "", ""], 126),
    ] {
        let mut arguments = vec!["run", "--"];
        arguments.extend(command);
        assert_eq!(ran(&mut scene.brakeline(&config, &arguments)).code, code, "{command:?}");
    }
    // zsh runs what it does at exit in its own way; it is an extra of the machine.
    if Command::new("zsh").arg("-c").arg("true").status().is_ok() {
        for (script, code) in [
            ("exit 5", 5),
            ("false", 1),
            ("trap 'true' EXIT; false", 1),
            ("trap 'true' EXIT; (exit 9)", 9),
            ("nowhere-to-be-found", 127),
            ("kill -TERM $$", 143),
        ] {
            let inside = ran(&mut scene.brakeline(&config, &["run", "--", "zsh", "-c", script]));
            assert_eq!(inside.code, code, "zsh -c {script:?}");
        }
    }
    // A host's shell gets the whole command line as one text.
    let wrapper = Wrapper::new(program());
    for shell in ["bash", "dash", "zsh"] {
        if Command::new(shell).arg("-c").arg("true").status().is_err() {
            continue;
        }
        for (text, code) in
            [("exit 7", 7), ("test 'a b' = \"a b\"; exit $(( $? + 4 ))", 4), ("kill -9 $$", 137)]
        {
            let line = wrapper.shell_text(text);
            // As hosts do who want to know the directory afterwards.
            let line = format!("trap 'true' EXIT; {line}");
            assert_eq!(ran(scene.command(shell).args(["-c", &line])).code, code, "{shell}: {line}");
        }
    }
    // Off is off, and said to be so by nobody but the configuration.
    let off = json!({"enabled": false});
    scene.allows(&off, "echo x > ../outside/file && test -z \"$BRAKELINE_SANDBOX\"");
}

#[test]
fn without_a_sandbox_nothing_runs() {
    let scene = Scene::new(None);
    let script = "echo ran > ran";
    let inside = |outer: &[&str]| {
        let mut command = Command::new("bwrap");
        command.args(outer).arg("--").arg(program()).args(["sandbox", "run", "--", "bash", "-c", script]);
        ran(command.current_dir(scene.path("project")).env("HOME", scene.path("home")).env("LANG", "C"))
    };
    let missing = inside(&["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
    assert!(
        missing.stderr.contains("`bwrap` is missing")
            && missing.stderr.contains("apt-get install bubblewrap")
    );
    // A sandbox in a sandbox: the cause is named.
    let nested = inside(&[
        "--bind",
        "/",
        "/",
        "--unshare-user",
        "--unshare-pid",
        "--proc",
        "/proc",
        "--cap-drop",
        "ALL",
    ]);
    assert_eq!(nested.code, 2, "{}", nested.stderr);
    assert!(nested.stderr.contains("there is no sandbox, so commands are refused"), "{}", nested.stderr);
    assert!(!scene.path("project/ran").exists());
    // A configuration that is not understood is no configuration.
    let ran = scene.run(&json!({"filesystem": {"allowWrit": ["/"]}}), script);
    assert!(ran.code == 65 && ran.stderr.contains("did you mean `allowWrite`?"), "{}", ran.stderr);
    assert!(!scene.path("project/ran").exists());
}

/// Waits until something holds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_kill_leaves_nothing_behind() {
    as_each_user(|scene| {
        let config = json!({"filesystem": {"denyWrite": ["kept/free"]}});
        let mut command = scene.brakeline(&config, &["run", "--", "bash", "-c", "touch up; sleep 1000"]);
        let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("the command starts", || scene.path("project/up").exists());
        let placeholders = ["project/.pi", "project/.git", "project/kept"].map(|name| scene.path(name));
        assert!(placeholders.iter().all(|path| path.is_dir()));
        // As hosts do it: the whole group, at once.
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
        child.wait().unwrap();
        eventually("the placeholders go", || placeholders.iter().all(|path| !path.exists()));
        eventually("the record goes", || {
            fs::read_dir(scene.path("home/.pi/agent/sandbox")).unwrap().count() <= 2
        });
        let left: Vec<_> =
            fs::read_dir(scene.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["up"]);
    });
}

#[test]
fn runs_share_what_keeps_a_name_free() {
    as_each_user(|scene| {
        let script = "touch up; while [ ! -e stop ]; do sleep 0.05; done; mkdir .git && echo made";
        let mut long = scene.brakeline(&json!({}), &["run", "--", "bash", "-c", script]);
        let long = long.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        eventually("the command starts", || scene.path("project/up").exists());
        for _ in 0..3 {
            assert_ne!(scene.run(&json!({}), "mkdir .git").code, 0);
        }
        assert!(scene.path("project/.git").is_dir(), "still held by the first");
        scene.allows(&json!({}), "touch stop");
        let output = long.wait_with_output().unwrap();
        assert!(output.stdout.is_empty(), "the short runs took nothing from the long one");
        eventually("the last takes it away", || !scene.path("project/.git").exists());
    });
}

#[test]
fn what_a_dead_run_left_the_next_one_sweeps() {
    let scene = Scene::new(None);
    let left = scene.path("project/left");
    fs::create_dir(&left).unwrap();
    fs::set_permissions(&left, fs::Permissions::from_mode(0o555)).unwrap();
    let filled = scene.path("project/filled");
    fs::create_dir(&filled).unwrap();
    fs::write(filled.join("file"), "x").unwrap();
    let record = format!("{}\0{}\0half", left.display(), filled.display());
    scene.write("home/.pi/agent/sandbox/placeholders-1-0", &record);
    scene.allows(&json!({}), "true");
    assert!(!left.exists() && filled.join("file").exists());
    assert!(!scene.path("home/.pi/agent/sandbox/placeholders-1-0").exists());
}

#[test]
fn where_the_user_could_make_nothing_nothing_is_kept_free() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let scene = Scene::new(Some(USER));
    // Root's own directory, in the list and yet not to be written by the user.
    let project = scene.path("project");
    assert!(Command::new("chown").arg("0:0").arg(&project).status().unwrap().success());
    scene.allows(&json!({}), "! touch file 2>/dev/null && pwd");
    assert_eq!(fs::read_dir(project).unwrap().count(), 0);
}

#[test]
fn git_status_does_not_see_the_placeholders() {
    let scene = Scene::new(None);
    git(&scene, &["init", "-q", "."]);
    let config = json!({"filesystem": {"denyWrite": ["new-file", "deep/new"]}});
    let mut command = scene.brakeline(&config, &["run", "--", "bash", "-c", "touch .git/up; sleep 1000"]);
    let mut child = command.process_group(0).spawn().unwrap();
    eventually("the command starts", || scene.path("project/.git/up").exists());
    assert!(scene.path("project/new-file").is_dir());
    let status = ran(scene.command("git").args(["status", "--porcelain"]));
    assert_eq!((status.code, status.stdout.as_str(), status.stderr.as_str()), (0, "", ""));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn why_and_plan_touch_nothing() {
    let scene = Scene::new(None);
    let config =
        json!({"filesystem": {"denyRead": [".env"]}, "network": {"allowedDomains": ["*.example.com"]}});
    let why = |subject: &str| ran(&mut scene.brakeline(&config, &["why", subject]));
    for (subject, code, says) in [
        ("file", 2, "read: "),
        ("/etc/passwd", 2, "no `filesystem.allowWrite` covers it"),
        (".env", 2, "`filesystem.denyRead` hides `.env` (override, "),
        (".git/hooks", 2, "always write-protected: the folder of git"),
        ("api.example.com", 0, "`network.allowedDomains` allows `*.example.com`"),
        ("https://example.com/x", 2, "no `network.allowedDomains` matches it"),
        ("127.0.0.1:80", 2, "no `network.allowedDomains` matches it"),
    ] {
        let ran = why(subject);
        let code = if subject == "file" { 0 } else { code };
        assert_eq!(ran.code, code, "{subject}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(says), "{subject}: {}", ran.stdout);
    }
    let plan = ran(&mut scene.brakeline(&config, &["plan", "--json", "--", "true"]));
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["proxy"], true);
    let arguments: Vec<_> =
        plan["arguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    for always in ["--unshare-net", "--new-session", "--die-with-parent"] {
        assert!(arguments.contains(&always), "{always}");
    }
    assert!(arguments.windows(2).any(|pair| pair == ["--cap-drop", "ALL"]));
    let closed = json!({"network": {"allowedDomains": ["example.com"], "deniedDomains": ["*"]}});
    let plan = ran(&mut scene.brakeline(&closed, &["plan"]));
    assert!(
        plan.stdout.contains("`*` denies every host, so `allowedDomains` is without effect"),
        "{}",
        plan.stdout
    );
    assert_eq!(fs::read_dir(scene.path("project")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(scene.path("home")).unwrap().count(), 0);
    let test = ran(scene.command(program().to_str().unwrap()).args(["sandbox", "test"]));
    assert_eq!(
        (test.code, test.stdout.as_str()),
        (0, "the sandbox is there, and it holds\n"),
        "{}",
        test.stderr
    );
}
