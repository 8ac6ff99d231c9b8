//! Prints what criterion measured last, as tables of ratios: each row an input, the first column the time of ours, the
//! others how many times as long each peer takes in the same run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Group, input, function; nanoseconds.
type Results = BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(default_folder, PathBuf::from);
    let mut results = Results::new();
    collect(&folder, &mut results)?;
    let mut out = std::io::stdout().lock();
    for (group, inputs) in &results {
        writeln!(out, "\n{group}")?;
        for (input, functions) in inputs {
            // What is measured is listed first in each bench and named after its crate; the first name is ours.
            let ours = functions.iter().find(|(name, _)| is_ours(name)).or_else(|| functions.iter().next());
            let Some((name, ours)) = ours else { continue };
            write!(out, "  {input:<16} {name} {}", in_units(*ours))?;
            for (peer, time) in functions.iter().filter(|(peer, _)| *peer != name) {
                write!(out, "  {peer} {:.2}x", time / ours)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn is_ours(name: &str) -> bool {
    ["bash-commands", "extract_find_paths", "path-match", "brakeline"]
        .iter()
        .any(|ours| name.starts_with(ours))
}

fn in_units(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 1e3 => format!("{time:.0} ns"),
        time if time < 1e6 => format!("{:.2} µs", time / 1e3),
        time => format!("{:.2} ms", time / 1e6),
    }
}

fn default_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from("target"), PathBuf::from)
        .join("criterion")
}

/// Looks for `new/estimates.json` beside `new/benchmark.json` at any depth.
fn collect(folder: &Path, results: &mut Results) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        if path.ends_with("new") {
            let read = |name: &str| -> std::io::Result<serde_json::Value> {
                Ok(serde_json::from_str(&std::fs::read_to_string(path.join(name))?)?)
            };
            let (benchmark, estimates) = (read("benchmark.json")?, read("estimates.json")?);
            let text = |key: &str| {
                benchmark.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
            };
            let time = estimates.pointer("/median/point_estimate").and_then(serde_json::Value::as_f64);
            if let Some(time) = time {
                let group = results.entry(text("group_id")).or_default();
                group.entry(text("value_str")).or_default().insert(text("function_id"), time);
            }
        } else {
            collect(&path, results)?;
        }
    }
    Ok(())
}
