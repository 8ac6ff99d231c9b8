//! What was measured last, as criterion keeps it: read for tables, and written by benches that measure on their own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was measured of one input of one group: nanoseconds by name, ours and the others'.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    times: BTreeMap<String, f64>,
}

/// How long a peer took, and how many times as long as ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Other<'a> {
    /// The peer.
    pub name: &'a str,
    /// Its nanoseconds divided by ours.
    pub ratio: f64,
}

impl Comparison {
    /// Returns the name and the nanoseconds of ours; the first name where none is known as ours.
    #[must_use]
    pub fn ours(&self) -> Option<(&str, f64)> {
        let ours = self.times.iter().find(|(name, _)| is_ours(name)).or_else(|| self.times.iter().next());
        ours.map(|(name, time)| (name.as_str(), *time))
    }

    /// Returns the others, by name.
    pub fn others(&self) -> impl Iterator<Item = Other<'_>> {
        let ours = self.ours();
        self.times.iter().filter_map(move |(name, time)| {
            let (our_name, our_time) = ours?;
            (name != our_name).then(|| Other { name, ratio: time / our_time })
        })
    }
}

/// All measurements: groups, in them inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    groups: BTreeMap<String, BTreeMap<String, Comparison>>,
}

impl Record {
    /// Reads what stands below a folder.
    ///
    /// # Errors
    ///
    /// Where a folder or file cannot be read, or a file does not hold JSON.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut record = Self::default();
        record.collect(folder)?;
        Ok(record)
    }

    /// Returns the groups with their inputs, by name.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, Comparison>)> {
        self.groups.iter().map(|(name, inputs)| (name.as_str(), inputs))
    }

    /// Looks for `new/estimates.json` beside `new/benchmark.json` at any depth.
    fn collect(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.ends_with("new") {
                self.take(&path)?;
            } else if path.is_dir() {
                self.collect(&path)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, folder: &Path) -> io::Result<()> {
        let read = |name: &str| -> io::Result<serde_json::Value> {
            Ok(serde_json::from_str(&fs::read_to_string(folder.join(name))?)?)
        };
        let (benchmark, estimates) = (read("benchmark.json")?, read("estimates.json")?);
        let text =
            |key: &str| benchmark.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        if let Some(time) = estimates.pointer("/median/point_estimate").and_then(serde_json::Value::as_f64) {
            let comparison = self.groups.entry(text("group_id")).or_default().entry(text("value_str"));
            comparison.or_default().times.insert(text("function_id"), time);
        }
        Ok(())
    }
}

fn is_ours(name: &str) -> bool {
    ["bash-commands", "extract_find_paths", "path-match", "collision-lease", "brakeline"]
        .iter()
        .any(|ours| name.starts_with(ours))
}

/// Returns the folder that criterion writes to.
#[must_use]
pub fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    // Benches run in the folder of their package, programs in that of the caller.
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    workspace.join(target).join("criterion")
}

/// Keeps a measurement where criterion keeps its own, for benches of several processes, which criterion cannot drive.
///
/// # Errors
///
/// Where the files cannot be written.
pub fn save(group: &str, input: &str, name: &str, nanoseconds: f64) -> io::Result<()> {
    let part = |text: &str| text.replace('/', "_");
    let folder = folder().join(part(group)).join(part(name)).join(part(input)).join("new");
    fs::create_dir_all(&folder)?;
    let benchmark = serde_json::json!({"group_id": group, "function_id": name, "value_str": input});
    fs::write(folder.join("benchmark.json"), benchmark.to_string())?;
    let estimates = serde_json::json!({"median": {"point_estimate": nanoseconds}});
    fs::write(folder.join("estimates.json"), estimates.to_string())
}
