//! The start paths of every `find`, from the text to a list of lists.

use bash_find_parser::extract_find_paths;
use brakeline_benches::input::ordinary;
use brakeline_benches::peer::{OURS, PEERS};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

fn find_paths(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("find paths");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (name, text) in ordinary() {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(
            BenchmarkId::new("extract_find_paths", name),
            text.as_str(),
            |bencher, text| {
                bencher.iter(|| extract_find_paths(black_box(text)));
            },
        );
        // The others only parse, and would have to look for `find` in their trees besides.
        for peer in PEERS.iter().filter(|peer| peer.name != OURS.name) {
            group.bench_with_input(BenchmarkId::new(peer.name, name), text.as_str(), |bencher, text| {
                bencher.iter(|| (peer.read)(black_box(text)));
            });
        }
    }
}

criterion_group!(benches, find_paths);
criterion_main!(benches);
