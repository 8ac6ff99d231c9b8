//! A judgement by few and by many rules, beside the analysis of the text that it is made of.

use bash_commands::{Analyzer, Options};
use brakeline_benches::input::{LONG, SHORT, script};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shell_permissions::{Action, AllFiles, Policy};
use std::hint::black_box;
use std::time::Duration;

/// The example of the documents, with everything open so that every command is looked at.
fn policy(more: usize) -> Policy {
    let options =
        shell_permissions::Options { allow_multiple: true, ..shell_permissions::Options::default() };
    let few = [("*", Action::Deny), ("git *", Action::Allow), ("rg *", Action::Allow)];
    let few = few.map(|(pattern, action)| (pattern.to_owned(), action));
    let many = (0..more).map(|number| (format!("tool-{number} run *"), Action::Allow));
    Policy::new(options, few.into_iter().chain(many)).unwrap_or_else(|error| unreachable!("{error}"))
}

fn shell_permissions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shell permissions");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let (few, many) = (policy(0), policy(1000));
    let script = script();
    for (name, text) in [("31 B", SHORT), ("203 B", LONG), ("4 KiB", script.as_str())] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut analyzer = Analyzer::new();
        group.bench_with_input(BenchmarkId::new("analysis alone", name), text, |bencher, text| {
            bencher.iter(|| analyzer.analyze(black_box(text), &Options::default()).commands().len());
        });
        for (rules, policy) in [("3 rules", &few), ("1003 rules", &many)] {
            let mut analyzer = Analyzer::new();
            group.bench_with_input(BenchmarkId::new(rules, name), text, |bencher, text| {
                bencher.iter(|| {
                    policy.judge(black_box(text), &Options::default(), &mut analyzer, &AllFiles).verdict()
                });
            });
        }
    }
}

criterion_group!(benches, shell_permissions);
criterion_main!(benches);
