//! Runs every bench and prints ours beside the others: `compare`, or `compare --last` for what was measured before.
//!
//! The table and a plot are also written to `brakeline-benches.md` and `brakeline-benches.svg` in the target folder.

use brakeline_benches::record::{self, Comparison, Record};
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "compare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<(), Box<dyn Error>> {
    if !std::env::args().any(|argument| argument == "--last") {
        let benches =
            Command::new(env!("CARGO")).args(["bench", "--quiet", "-p", "brakeline-benches"]).status()?;
        if !benches.success() {
            return Err(format!("the benches failed: {benches}").into());
        }
    }
    let folder = record::folder();
    let record = Record::read(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let table = table(&record)?;
    let target = folder.parent().unwrap_or(&folder);
    std::fs::write(target.join("brakeline-benches.md"), &table)?;
    plot(&spreads(&record), &target.join("brakeline-benches.svg"))?;
    Ok(std::io::stdout().write_all(table.as_bytes())?)
}

/// Returns what the figures depend on.
fn machine() -> String {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok();
        output.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default().trim().to_owned()
    };
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {} ({cores} cores), {}, {}",
        said("date", &["-u", "+%F"]),
        model.map_or("a processor without a name", |(_, name)| name),
        said("uname", &["-sr"]),
        said("rustc", &["--version"])
    )
}

fn table(record: &Record) -> Result<String, std::fmt::Error> {
    let mut table = format!(
        "Measured on {}. Behind each peer: how many times as long as ours it takes, in the same run.\n",
        machine()
    );
    for (group, inputs) in record.groups() {
        writeln!(table, "\n### {group}\n\n| input | ours | others |\n|---|---|---|")?;
        for (input, comparison) in inputs {
            let Some((_, time)) = comparison.ours() else { continue };
            let others: Vec<_> =
                comparison.others().map(|other| format!("{} {:.2}×", other.name, other.ratio)).collect();
            writeln!(table, "| {input} | {} | {} |", in_units(time), others.join(", "))?;
        }
    }
    Ok(table)
}

fn in_units(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 1e3 => format!("{time:.0} ns"),
        time if time < 1e6 => format!("{:.2} µs", time / 1e3),
        time => format!("{:.2} ms", time / 1e6),
    }
}

/// The least, the median and the greatest ratio of a peer over the inputs of a group.
struct Spread {
    name: String,
    ratios: [f64; 3],
}

fn spreads(record: &Record) -> Vec<Spread> {
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (group, inputs) in record.groups() {
        for other in inputs.values().flat_map(Comparison::others) {
            ratios.entry(format!("{group}: {}", other.name)).or_default().push(other.ratio);
        }
    }
    let spread = |(name, mut ratios): (String, Vec<f64>)| {
        ratios.sort_by(f64::total_cmp);
        let (least, median) = (ratios.first()?, ratios.get(ratios.len() / 2)?);
        Some(Spread { name, ratios: [*least, *median, *ratios.last()?] })
    };
    ratios.into_iter().filter_map(spread).collect()
}

/// Draws a bar for each peer, to the median of its ratios, with a line from the least to the greatest.
fn plot(spreads: &[Spread], file: &Path) -> Result<(), Box<dyn Error>> {
    const ROW: u32 = 26;
    let rows = u32::try_from(spreads.len())?;
    let all = || spreads.iter().flat_map(|spread| spread.ratios);
    let (least, most) = (all().fold(0.5, f64::min), all().fold(2.0, f64::max));
    let area = SVGBackend::new(file, (1000, ROW * rows + 90)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("times as long as ours, logarithmic", ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(330)
        .build_cartesian_2d((least..most * 1.2).log_scale(), (0..rows.saturating_sub(1)).into_segmented())?;
    let label = |row: &SegmentValue<u32>| match row {
        SegmentValue::CenterOf(row) => {
            spreads.get(*row as usize).map_or("", |spread| &spread.name).to_owned()
        }
        _ => String::new(),
    };
    chart.configure_mesh().disable_y_mesh().y_labels(spreads.len()).y_label_formatter(&label).draw()?;
    for (row, Spread { ratios: [low, median, high], .. }) in (0..).zip(spreads) {
        let (upper, lower) = (SegmentValue::Exact(row), SegmentValue::Exact(row + 1));
        let color = if *median < 1.0 { RED.mix(0.5) } else { BLUE.mix(0.5) };
        let mut bar = Rectangle::new([(1.0, upper), (*median, lower)], color.filled());
        bar.set_margin(4, 4, 0, 0);
        chart.draw_series([bar])?;
        let middle = SegmentValue::CenterOf(row);
        chart.draw_series([PathElement::new(vec![(*low, middle.clone()), (*high, middle)], BLACK)])?;
    }
    Ok(area.present()?)
}
