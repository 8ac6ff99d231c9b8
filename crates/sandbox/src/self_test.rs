//! Before the first command: is there a sandbox, and does it hold?

use crate::config::{Config, Entry};
use crate::diagnose::{KernelFacts, Obstacle, diagnose};
use crate::helper::{Helper, Probe, Task};
use crate::policy::{Place, Policy};
use crate::proxy::HostUpstream;
use crate::run::{RunError, Sandbox};
use crate::tree::{HostTree, Kind, Tree};
use brakeline_settings::Language;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Finds `bwrap`: where systems install it, else in the absolute folders of a search path, unless commands could have put
/// it there.
///
/// # Errors
///
/// [`Obstacle::NoBwrap`], [`Obstacle::WritableBwrap`]
pub fn find_bwrap(search: &OsStr, policy: &Policy) -> Result<PathBuf, Obstacle> {
    const USUAL: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
    let searched = std::env::split_paths(search).filter(|folder| folder.is_absolute());
    let mut writable = None;
    for folder in USUAL.iter().map(PathBuf::from).chain(searched) {
        let path = folder.join("bwrap");
        let is_program = fs::metadata(&path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0);
        if is_program && policy.may_write(&HostTree, &path).allowed {
            writable = Some(path);
        } else if is_program {
            return Ok(path);
        }
    }
    Err(writable.map_or(Obstacle::NoBwrap, Obstacle::WritableBwrap))
}

/// Tests the sandbox, unless the same one passed before: the same `bwrap`, kernel, start of the machine, user and program.
///
/// Takes as long as one command; with the stamp of an earlier pass, as long as reading a file.
///
/// # Errors
///
/// [`Obstacle`]: what is missing, or what a command could do in the sandbox that it must not.
pub fn once(bwrap: &Path, helper: &Helper, state: &Path) -> Result<(), Obstacle> {
    let key = key(bwrap, helper);
    let stamp = state.join("self-test");
    if fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == key) {
        return Ok(());
    }
    run(bwrap, helper)?;
    // Without the stamp the next run tests again, which is safe.
    let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(state);
    let _ = fs::write(&stamp, &key);
    Ok(())
}

/// Returns what the result of a test depends on.
fn key(bwrap: &Path, helper: &Helper) -> String {
    let file = |path: &Path| {
        fs::metadata(path).map_or_else(
            |_| "missing".to_owned(),
            |metadata| {
                format!("{} {} {}", path.display(), metadata.size(), metadata.mtime_nsec() ^ metadata.mtime())
            },
        )
    };
    let kernel = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    let user = rustix::process::getuid().as_raw();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{version}\n{}\n{}\n{user}\n{}{}",
        file(bwrap),
        file(&helper.program),
        kernel("osrelease"),
        kernel("random/boot_id")
    )
}

/// Tests the sandbox with commands that try to get out.
///
/// # Errors
///
/// [`Obstacle`]
pub fn run(bwrap: &Path, helper: &Helper) -> Result<(), Obstacle> {
    let trouble = |error: io::Error| Obstacle::Other(error.to_string());
    let grounds = Grounds::lay().map_err(trouble)?;
    let config = grounds.config();
    let sandbox = Sandbox {
        config: &config,
        place: grounds.place(),
        bwrap: bwrap.to_owned(),
        helper: helper.clone(),
        language: Language::En,
    };
    let mut output = grounds.file("out").map_err(trouble)?;
    let mut errors = grounds.file("err").map_err(trouble)?;
    let (stdout, stderr) = (output.try_clone().map_err(trouble)?, errors.try_clone().map_err(trouble)?);
    let ended = sandbox.enter(Task::Probe(grounds.probe()), Box::new(HostUpstream), |command| {
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    });
    let said = read(&mut errors).map_err(trouble)?;
    match ended {
        Ok(_) => judge(&read(&mut output).map_err(trouble)?, &said),
        Err(RunError::NotSetUp) => Err(diagnose(&said, KernelFacts::of_host())),
        Err(error) => Err(Obstacle::Other(error.text(Language::En))),
    }
}

/// What a probe must report: all of it, each with yes.
const CHECKS: [&str; 8] = [
    "write-inside",
    "write-outside",
    "write-denied",
    "read-hidden",
    "network",
    "unix-socket",
    "kernel-switches",
    "remount",
];

fn judge(report: &str, said: &str) -> Result<(), Obstacle> {
    let holds = |check: &&str| report.lines().any(|line| line == format!("{check} yes"));
    let failed: Vec<String> = CHECKS.iter().filter(|check| !holds(check)).map(ToString::to_string).collect();
    match failed.as_slice() {
        [] => Ok(()),
        // Nothing at all was reported: the probe did not come to it.
        all if all.len() == CHECKS.len() => Err(diagnose(said, KernelFacts::of_host())),
        _ => Err(Obstacle::Leaks(failed)),
    }
}

fn read(file: &mut File) -> io::Result<String> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// A folder with something to read, to write and to connect to; gone when dropped.
struct Grounds {
    folder: PathBuf,
    listener: TcpListener,
    _socket: UnixListener,
}

impl Grounds {
    fn lay() -> io::Result<Self> {
        let temporary = fs::canonicalize(std::env::temp_dir())?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let folder = temporary.join(format!(
            "brakeline-self-test-{}-{}",
            std::process::id(),
            listener.local_addr()?.port()
        ));
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        for inner in ["inside/denied", "inside/.git/hooks", "inside/.pi", "outside", "state"] {
            fs::create_dir_all(folder.join(inner))?;
        }
        fs::write(folder.join("inside/.git/config"), "")?;
        fs::write(folder.join("hidden"), "secret")?;
        let socket = UnixListener::bind(folder.join("socket"))?;
        Ok(Self { folder, listener, _socket: socket })
    }

    fn config(&self) -> Config {
        let entry = |name: &str| Entry::new(self.folder.join(name).to_string_lossy());
        let mut config = Config::default();
        config.filesystem.deny_write = vec![entry("inside/denied")];
        config.filesystem.deny_read = vec![entry("hidden")];
        config
    }

    fn place(&self) -> Place {
        Place {
            cwd: self.folder.join("inside"),
            start: None,
            home: self.folder.join("outside"),
            state: self.folder.join("state"),
            protected: Vec::new(),
        }
    }

    fn probe(&self) -> Probe {
        let path = |name: &str| self.folder.join(name);
        Probe {
            inside: path("inside"),
            outside: path("outside"),
            denied: path("inside/denied"),
            hidden: path("hidden"),
            socket: path("socket"),
            port: self.listener.local_addr().map_or(0, |address| address.port()),
        }
    }

    fn file(&self, name: &str) -> io::Result<File> {
        File::options().create_new(true).read(true).write(true).open(self.folder.join("state").join(name))
    }
}

impl Drop for Grounds {
    fn drop(&mut self) {
        if HostTree.kind(&self.folder) == Some(Kind::Directory) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
