//! Path rules: the cost of a check must not grow with the number of rules.
#![expect(clippy::expect_used, reason = "a bench that cannot be set up has to stop")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use path_match::{Candidate, RuleSet};
use std::hint::black_box;
use std::time::Duration;

/// Rules such as `/srv/17/data/203`, so that many share their first folders.
fn rules(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("/srv/{}/data/{number}", number % 97)).collect()
}

/// The twin that asks every rule in turn.
fn check_each(rules: &[String], path: &str) -> bool {
    rules.iter().any(|rule| {
        path.strip_prefix(rule.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn checks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("path rules");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    for count in [10, 1_000, 100_000] {
        let texts = rules(count);
        let set = RuleSet::builder().rules(&texts).expect("the rules are absolute").build();
        for (name, path) in [("hit", "/srv/3/data/3/a/b/c"), ("miss", "/home/ada/project/src/main.rs")] {
            let id = |who: &str| BenchmarkId::new(who, format!("{count} rules, {name}"));
            group.bench_function(id("path-match"), |bencher| {
                bencher.iter(|| set.check(black_box(Candidate::new(path))).is_some());
            });
            group.bench_function(id("each rule in turn"), |bencher| {
                bencher.iter(|| check_each(&texts, black_box(path)));
            });
        }
        group.bench_function(BenchmarkId::new("path-match", format!("{count} rules, glob")), |bencher| {
            bencher.iter(|| set.check(black_box(Candidate::glob("/s*/[0-9]*/data/3"))).is_some());
        });
    }
}

criterion_group!(benches, checks);
criterion_main!(benches);
