//! How often the reader asks for memory: counted, so that no machine's noise blurs it.

#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use bash_commands::{Analyzer, Options};
use bash_find_parser::{extract_find_paths, find_calls};
use brakeline_benches::input::{LONG, SHORT, TINY, script};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

/// The system's allocator, which counts for each thread how often it is asked.
struct Counting;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

fn count() {
    // A thread that ends has no counter left, and nothing to count.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    drop(black_box(work()));
    COUNT.get() - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| Box::new(1)), 1);
    assert_eq!(allocations(|| 1), 0);
}

#[test]
fn the_list_of_lists_takes_at_most_four() {
    let taken = allocations(|| extract_find_paths(black_box(SHORT)));
    // One for each list, one for the text in it, one in reserve for the analysis.
    assert!(taken <= 4, "{taken}");
}

#[test]
fn an_analyzer_that_is_kept_takes_none() {
    let mut analyzer = Analyzer::new();
    for text in [TINY, SHORT] {
        let mut bytes = || {
            let report = analyzer.analyze(black_box(text), &Options::default());
            find_calls(report)
                .flat_map(bash_find_parser::FindCall::start_paths)
                .map(|path| path.text().len())
                .sum::<usize>()
        };
        bytes();
        assert_eq!(allocations(bytes), 0, "{text}");
    }
}

/// What is left over from one text to the next would show as buffers that grow now and then.
#[test]
fn an_analyzer_that_is_kept_does_not_grow() {
    let mut analyzer = Analyzer::new();
    let script = script();
    for (text, runs) in
        [(LONG, 4_096), ("x=1 y=2; z=$x$y; for i in 1 2; do a{1,2} $i; done", 4_096), (&script, 64)]
    {
        let mut run = |count: usize| {
            for _ in 0..count {
                black_box(analyzer.analyze(black_box(text), &Options::default()).commands().len());
            }
        };
        run(2);
        let once = allocations(|| run(1));
        assert_eq!(allocations(|| run(runs)), once * runs, "{text}");
    }
}
