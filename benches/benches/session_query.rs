//! The last written value of a key: in memory beside a bare loop, in a file beside parsing all of it.
//!
//! One session serves all places: the key `tail` was written 20 entries from the end, `middle` in the middle, and `absent`
//! never. The files are written below Cargo's target folder when the bench runs; 200,000 entries are about 540 MB.

#![allow(clippy::expect_used, reason = "a bench may stop at the first surprise")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use session_query::{open_session, read_entries, read_entry};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const KEYS: [&str; 3] = ["tail", "middle", "absent"];
const FROM_THE_END: usize = 20;

/// Reads a whole session and returns how many entries it found.
type Peer = fn(&Path) -> usize;

/// What a tool gave, as it stands in a session: lines, indentation, quotes.
const OUTPUT: &str = "    let value = map.get(\\\"key\\\").unwrap_or(&default);\\n";

/// One line of a session; entries in the shapes pi writes, about 2.7 KB each.
fn entry(number: usize, count: usize) -> String {
    let id = format!("{number:08x}");
    let parent = number.checked_sub(1).map_or("null".to_owned(), |before| format!("\"{before:08x}\""));
    let links = format!(r#""id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z""#);
    let state = |key: &str| {
        format!(r#"{{"type":"custom","customType":"{key}","data":{{"number":{number}}},{links}}}"#)
    };
    if number == count - FROM_THE_END {
        return state("tail");
    }
    if number == count / 2 {
        return state("middle");
    }
    match number % 4 {
        0 => format!(
            r#"{{"type":"message",{links},"message":{{"role":"user","content":[{{"type":"text","text":"{}"}}],"timestamp":1}}}}"#,
            "Please look at this again, and mind the limits. ".repeat(40)
        ),
        1 => format!(
            r#"{{"type":"message",{links},"message":{{"role":"assistant","content":[{{"type":"text","text":"{}"}},{{"type":"toolCall","id":"call_{number}","name":"find","arguments":{{"pattern":"*.rs","path":"src"}}}}],"usage":{{"input":{number},"output":28,"cost":{{"total":0}}}},"stopReason":"toolUse","timestamp":1}}}}"#,
            "I will search for it.\\n".repeat(80)
        ),
        2 => format!(
            r#"{{"type":"message",{links},"message":{{"role":"toolResult","toolCallId":"call_{number}","toolName":"find","content":[{{"type":"text","text":"{}"}}],"details":{{"count":7}},"isError":false,"timestamp":1}}}}"#,
            OUTPUT.repeat(114)
        ),
        _ => format!(
            r#"{{"type":"custom","customType":"other-{}","data":{{"text":"{}"}},{links}}}"#,
            number % 7,
            "0123456789".repeat(10)
        ),
    }
}

fn session(count: usize) -> std::io::Result<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session-{count}.jsonl"));
    let mut file = BufWriter::new(File::create(&path)?);
    writeln!(
        file,
        r#"{{"type":"session","version":3,"id":"bench","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}}"#
    )?;
    for number in 0..count {
        writeln!(file, "{}", entry(number, count))?;
    }
    file.flush()?;
    Ok(path)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty())
}

/// What a scan costs at least: the same look at each entry, and nothing else.
fn bare_loop<'a>(branch: &'a [Value], key: &str) -> Option<&'a Value> {
    for entry in branch.iter().rev() {
        if entry.get("type").and_then(Value::as_str) == Some("custom")
            && entry.get("customType").and_then(Value::as_str) == Some(key)
        {
            return entry.get("data");
        }
    }
    None
}

fn in_memory(criterion: &mut Criterion) {
    let path = session(20_000).expect("the target folder can be written");
    let text = std::fs::read_to_string(path).expect("it was just written");
    let branch: Vec<Value> = lines(&text).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let mut group = criterion.benchmark_group("session in memory, 20,000 entries");
    group.sample_size(30).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for key in KEYS {
        assert_eq!(read_entry(&branch, key), bare_loop(&branch, key));
        group.bench_function(BenchmarkId::new("brakeline: session-query", key), |bencher| {
            bencher.iter(|| read_entry(black_box(&branch), black_box(key)));
        });
        group.bench_function(BenchmarkId::new("bare reverse loop", key), |bencher| {
            bencher.iter(|| bare_loop(black_box(&branch), black_box(key)));
        });
    }
    group.bench_function(BenchmarkId::new("brakeline: session-query", "tail, two keys"), |bencher| {
        bencher.iter(|| read_entries(black_box(&branch), black_box(["tail", "other-3"])));
    });
    group.finish();
}

/// An entry's members that an answer needs; all else is skipped.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Typed<'a> {
    #[serde(rename = "type")]
    entry_type: &'a str,
    #[serde(default)]
    custom_type: Option<&'a str>,
    #[serde(default, borrow)]
    data: Option<&'a RawValue>,
    #[serde(default)]
    id: Option<&'a str>,
    #[serde(default)]
    parent_id: Option<&'a str>,
}

fn value(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("a session");
    let all: Vec<Value> = lines(&text).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    black_box(&all).len()
}

fn typed(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("a session");
    let all: Vec<Typed<'_>> =
        lines(&text).map(|line| serde_json::from_str(line).expect("an entry")).collect();
    let state = |entry: &&Typed<'_>| entry.entry_type == "custom" && entry.custom_type.is_some();
    let linked = all.iter().filter(|entry| entry.id.is_some() && entry.parent_id.is_some()).count();
    linked + all.iter().filter(state).filter(|entry| entry.data.is_some()).count()
}

fn sonic(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("a session");
    let all: Vec<sonic_rs::Value> =
        lines(&text).map(|line| sonic_rs::from_str(line).expect("JSON")).collect();
    black_box(&all).len()
}

fn simd(path: &Path) -> usize {
    let mut bytes = std::fs::read(path).expect("a session");
    let mut buffers = simd_json::Buffers::default();
    let all: Vec<simd_json::BorrowedValue<'_>> = bytes
        .split_mut(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| simd_json::to_borrowed_value_with_buffers(line, &mut buffers).expect("JSON"))
        .collect();
    black_box(&all).len()
}

/// What the tail of a file costs at least.
fn last_block(path: &Path) -> usize {
    let mut file = File::open(path).expect("a session");
    let mut block = [0; 8192];
    file.seek(SeekFrom::End(-8192)).expect("it is longer");
    file.read_exact(&mut block).expect("it is longer");
    usize::from(black_box(&block)[0])
}

fn read(path: &Path, key: &str) -> Option<Box<RawValue>> {
    open_session(path).and_then(|session| session.read_entry(key)).expect("a session")
}

fn on_disk(criterion: &mut Criterion) {
    let path = session(20_000).expect("the target folder can be written");
    let mut group = criterion.benchmark_group("session on disk, 20,000 entries");
    group.throughput(Throughput::Bytes(path.metadata().expect("it was just written").len()));
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for key in KEYS {
        assert_eq!(read(&path, key).is_some(), key != "absent");
        group.bench_function(BenchmarkId::new("brakeline: session-query", key), |bencher| {
            bencher.iter(|| read(black_box(&path), black_box(key)));
        });
    }
    group.bench_function(BenchmarkId::new("open, last 8 KiB, close", "tail"), |bencher| {
        bencher.iter(|| last_block(black_box(&path)));
    });
    let peers: [(&str, Peer); 4] = [
        ("serde_json Value", value),
        ("serde_json typed, RawValue", typed),
        ("sonic-rs Value", sonic),
        ("simd-json", simd),
    ];
    for (name, peer) in peers {
        // They read all of it whatever the key is.
        group.bench_function(BenchmarkId::new(name, "absent"), |bencher| {
            bencher.iter(|| peer(black_box(&path)));
        });
    }
    group.finish();

    let path = session(200_000).expect("the target folder can be written");
    let mut group = criterion.benchmark_group("session on disk, 200,000 entries");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for key in KEYS {
        group.bench_function(BenchmarkId::new("brakeline: session-query", key), |bencher| {
            bencher.iter(|| read(black_box(&path), black_box(key)));
        });
    }
    group.finish();
    std::fs::remove_file(path).expect("it was just written");
}

criterion_group!(benches, in_memory, on_disk);
criterion_main!(benches);
