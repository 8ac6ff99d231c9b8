//! The whole analysis beside the parsers of others, which build a tree and stop there.

use brakeline_benches::input::ordinary;
use brakeline_benches::pathological::FAMILIES;
use brakeline_benches::peer::{OURS, PEERS};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

fn ordinary_texts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ordinary texts");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    for (name, text) in ordinary() {
        group.throughput(Throughput::Bytes(text.len() as u64));
        for peer in PEERS {
            group.bench_with_input(BenchmarkId::new(peer.name, name), text.as_str(), |bencher, text| {
                bencher.iter(|| (peer.read)(black_box(text)));
            });
        }
    }
}

/// Ours alone: what becomes of the peers on these is told by the program `pathological`, which runs each in a process of its own.
fn pathological_texts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pathological texts");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    for family in FAMILIES {
        let text = family.text(100_000);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new(OURS.name, family.name), text.as_str(), |bencher, text| {
            bencher.iter(|| (OURS.read)(black_box(text)));
        });
    }
}

criterion_group!(benches, ordinary_texts, pathological_texts);
criterion_main!(benches);
