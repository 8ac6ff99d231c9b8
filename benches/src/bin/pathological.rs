//! Reads the pathological texts at growing sizes, each in a process of its own, and prints a table.
//!
//! `pathological` prints nanoseconds per byte at three sizes for ours, on a stack of 256 KiB, and what becomes of
//! every peer at the middle one: its time against ours, or how it died. Exits with 1 when ours is not linear.
//! `pathological PEER FAMILY SIZE` reads one text and prints the nanoseconds.

use brakeline_benches::pathological::{FAMILIES, Family};
use brakeline_benches::peer::{OURS, PEERS, Peer, named};
use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The sizes in bytes, each four times the one before.
const SIZES: [usize; 3] = [25_000, 100_000, 400_000];
/// How long a peer may take for 100,000 bytes before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(5);
/// The stack that ours must do with.
const STACK: usize = 256 << 10;
/// Linear is a factor of 4 from size to size, quadratic one of 16; between them is room for a noisy machine.
const MOST_GROWTH: f64 = 10.0;
/// How often ours reads a text; the best time counts.
const READINGS: usize = 5;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    match args.as_slice() {
        [] => table(&mut out).unwrap_or(ExitCode::FAILURE),
        [peer, family, size] => {
            let family = FAMILIES.iter().find(|candidate| candidate.name == family);
            let (Some(peer), Some(family), Ok(size)) = (named(peer), family, size.parse()) else {
                return ExitCode::from(64);
            };
            let _ = writeln!(out, "{}", read_once(peer, family, size).as_nanos());
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(64),
    }
}

/// Reads one text, on a small stack for ours and on the usual one of a main thread for the others.
fn read_once(peer: Peer, family: &Family, size: usize) -> Duration {
    let text = family.text(size);
    let stack = if is_ours(peer) { STACK } else { 8 << 20 };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(move || {
        let mut best = Duration::MAX;
        for _ in 0..if is_ours(peer) { READINGS } else { 1 } {
            let start = Instant::now();
            std::hint::black_box((peer.read)(&text));
            best = best.min(start.elapsed());
        }
        best
    });
    thread.map_or(Duration::MAX, |thread| thread.join().unwrap_or(Duration::MAX))
}

fn is_ours(peer: Peer) -> bool {
    peer.name == OURS.name
}

/// What became of one reading.
enum Fate {
    Took(Duration),
    Died,
    Hung,
}

fn probe(peer: Peer, family: &Family, size: usize) -> std::io::Result<Fate> {
    let mut child = Command::new(std::env::current_exe()?)
        .args([peer.name, family.name, &size.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let mut answer = String::new();
            if let Some(mut stdout) = child.stdout.take() {
                stdout.read_to_string(&mut answer)?;
            }
            let took = answer.trim().parse().ok().filter(|_| status.success()).map(Duration::from_nanos);
            return Ok(took.map_or(Fate::Died, Fate::Took));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(Fate::Hung);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn table(out: &mut impl Write) -> std::io::Result<ExitCode> {
    let peers: Vec<Peer> = PEERS.iter().copied().filter(|peer| !is_ours(*peer)).collect();
    write!(out, "| text | ours, ns/B at {} KB", SIZES.map(|size| (size / 1000).to_string()).join(", "))?;
    for peer in &peers {
        write!(out, " | {}", peer.name)?;
    }
    writeln!(out, " |\n|---|---{}|", "|---".repeat(peers.len()))?;
    let mut is_linear = true;
    for family in FAMILIES {
        write!(out, "| {} |", family.name.replace('|', "\\|"))?;
        let mut times = Vec::new();
        for size in SIZES {
            match probe(OURS, family, size)? {
                Fate::Took(time) => {
                    let tenths = time.as_nanos() * 10 / family.text(size).len().max(1) as u128;
                    write!(out, " {}.{}", tenths / 10, tenths % 10)?;
                    times.push(time.as_secs_f64());
                }
                Fate::Died => write!(out, " died")?,
                Fate::Hung => write!(out, " hung")?,
            }
        }
        // Below a tenth of a millisecond the clock and the first touch of memory say more than the work.
        let grows = times
            .windows(2)
            .any(|pair| matches!(pair, [less, more] if *more > 1e-4 && more / less > MOST_GROWTH));
        if grows || times.len() < SIZES.len() {
            is_linear = false;
            write!(out, " **not linear**")?;
        }
        for peer in &peers {
            match (probe(*peer, family, SIZES[1])?, times.get(1)) {
                (Fate::Took(time), Some(ours)) => write!(out, " | {:.1}×", time.as_secs_f64() / ours)?,
                (Fate::Took(time), None) => write!(out, " | {time:.1?}")?,
                (Fate::Died, _) => write!(out, " | died")?,
                (Fate::Hung, _) => write!(out, " | hung")?,
            }
        }
        writeln!(out, " |")?;
        out.flush()?;
    }
    Ok(if is_linear { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
