//! A known path is judged without a single allocation, also where it has to be resolved.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use path_match::{Candidate, Case, Mode, RuleSet};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[test]
fn known_paths_allocate_nothing() {
    assert_ne!(allocations(|| drop(black_box(vec![1]))), 0, "the counter counts");
    for mode in [Mode::AsWritten, Mode::Lexical] {
        for case in [Case::Sensitive, Case::Folded] {
            let rules = RuleSet::builder()
                .home("/home/u")
                .mode(mode)
                .case(case)
                .rules(["/", "/etc", "~/.ssh"])
                .unwrap()
                .build();
            for text in [
                "/",
                "/etc/passwd",
                "/home/u/x",
                "../../etc",
                "/tmp//.././etc",
                "~/.ssh/id",
                "$HOME/*",
                "/srv/*",
            ] {
                let candidate = Candidate::new(text).cwd("/home/u");
                let count = allocations(|| {
                    black_box(rules.judge(black_box(candidate)));
                });
                assert_eq!(count, 0, "{text} in {mode:?}, {case:?}");
            }
            // A pattern without live wildcards or escapes is a known path.
            let count = allocations(|| {
                black_box(rules.judge(black_box(Candidate::glob("/usr/lib"))));
            });
            assert_eq!(count, 0);
        }
    }
}
