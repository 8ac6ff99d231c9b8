//! `grep` and `find` beside `rg` and `fd` on a generated tree: `cargo run --release --example search_speed [MEGABYTES]`.
//!
//! Prints the best time and the mean processor time of several runs each, as a whole process for the programs and as a call for
//! the tools, on one thread and on all, and their ratios. The bound is 1.3; on a busy machine only processor time tells.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench prints")]

use brakeline_agent_tools::{Context, FindParameters, GrepParameters, Open, find, grep};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each is run.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: u64 = std::env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let files = grow(folder.path(), megabytes * 1024 * 1024)?;
    println!("{files} files, {megabytes} MB");
    for (name, pattern) in [
        ("a word that is rare", "needle_in_a_haystack"),
        ("an alternation", "needle_in|haystack_of|nowhere_at_all"),
        ("a class", r"[a-z]+_in_a_[a-z]+"),
        ("case ignored", "(?i)NEEDLE_IN_A"),
        ("look-behind (PCRE)", r"(?<!x)needle_in_a"),
    ] {
        for threads in [1, 0] {
            let ours = best(|| {
                let context = Context::new(folder.path(), &Open).with_threads(threads);
                let parameters =
                    GrepParameters { pattern: pattern.into(), limit: Some(10_000), ..Default::default() };
                grep(&parameters, &context).map(|result| result.matches).map_err(Into::into)
            })?;
            let mut rg = vec!["--hidden", "--no-require-git", "--line-number", "--crlf", "-g", "!.git"];
            if name.contains("PCRE") {
                rg.push("-P");
            }
            if threads == 1 {
                rg.push("-j1");
            }
            rg.extend(["--", pattern, "."]);
            let theirs = best(|| run("rg", &rg, folder.path()))?;
            report(&format!("grep: {name}"), threads, ours, theirs);
        }
    }
    for threads in [1, 0] {
        let ours = best(|| {
            let context = Context::new(folder.path(), &Open).with_threads(threads);
            let parameters = FindParameters { pattern: "*7.rs".into(), ..Default::default() };
            find(&parameters, &context).map(|result| result.total).map_err(Into::into)
        })?;
        let mut rg = vec!["--hidden", "--no-require-git", "--files", "-g", "*7.rs", "-g", "!.git"];
        if threads == 1 {
            rg.push("-j1");
        }
        report("find", threads, ours, best(|| run("rg", &rg, folder.path()))?);
    }
    Ok(())
}

/// The best time of several runs, which all find the same.
fn best(mut run: impl FnMut() -> Result<u64, Box<dyn Error>>) -> Result<Measured, Box<dyn Error>> {
    let mut best = Measured { wall: Duration::MAX, processor: Duration::ZERO, found: 0 };
    let before = processor_time()?;
    for _ in 0..RUNS {
        let start = Instant::now();
        best.found = run()?;
        best.wall = best.wall.min(start.elapsed());
    }
    best.processor = processor_time()?.saturating_sub(before) / RUNS as u32;
    Ok(best)
}

/// What several runs took.
#[derive(Clone, Copy)]
struct Measured {
    wall: Duration,
    processor: Duration,
    found: u64,
}

/// The processor time of this process and of the children it has waited for, from `/proc`, in ticks of 10 ms.
fn processor_time() -> Result<Duration, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(4);
    let ticks: u64 = fields.map(str::parse::<u64>).sum::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

fn run(program: &str, args: &[&str], folder: &Path) -> Result<u64, Box<dyn Error>> {
    let output = Command::new(program).args(args).current_dir(folder).stderr(Stdio::inherit()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().count() as u64)
}

fn report(name: &str, threads: usize, ours: Measured, theirs: Measured) {
    let threads = if threads == 1 { "one thread" } else { "all threads" };
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    let ratio = |of: fn(Measured) -> Duration| of(ours).as_secs_f64() / of(theirs).as_secs_f64();
    println!(
        "{name:28} {threads:11} {:5} found in {:7.1} ms, {:7.1} ms of processor   rg {:5} in {:7.1}, {:7.1}   ratios {:.2} {:.2}",
        ours.found,
        millis(ours.wall),
        millis(ours.processor),
        theirs.found,
        millis(theirs.wall),
        millis(theirs.processor),
        ratio(|measured| measured.wall),
        ratio(|measured| measured.processor),
    );
}

/// What the files are made of.
const WORDS: [&str; 12] = [
    "let",
    "value",
    "fn",
    "return",
    "Some(x)",
    "haystack",
    "println!",
    "struct",
    "impl",
    "0x1f",
    "// comment",
    "match",
];

/// Makes a tree of so many bytes: files of 2 to 60 KB in nested folders, one in ten ignored.
fn grow(folder: &Path, bytes: u64) -> std::io::Result<usize> {
    let mut random = 7_u64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    fs::write(folder.join(".gitignore"), "*.log\nbuild/\n")?;
    let (mut written, mut files) = (0, 0);
    while written < bytes {
        let place = folder.join(format!("d{}/e{}/f{}", next(12), next(12), next(4)));
        fs::create_dir_all(&place)?;
        let mut text = String::new();
        for _ in 0..50 + next(1500) {
            for _ in 0..3 + next(6) {
                text.push_str(WORDS.get(next(12) as usize).copied().unwrap_or_default());
                text.push(' ');
            }
            if next(40_000) == 0 {
                text.push_str("needle_in_a_haystack");
            }
            text.push('\n');
        }
        let extension = if next(10) == 0 { "log" } else { "rs" };
        fs::write(place.join(format!("{files}.{extension}")), &text)?;
        written += text.len() as u64;
        files += 1;
    }
    Ok(files)
}
