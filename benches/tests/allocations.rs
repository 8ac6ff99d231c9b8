//! How often the reader asks for memory, and for how much: counted, so that no machine's noise blurs it.

#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use bash_commands::{Analyzer, Options};
use bash_find_parser::{extract_find_paths, find_calls};
use brakeline_benches::input::{LONG, SHORT, TINY, script};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

#[path = "../../crates/bash-commands/tests/pathological/mod.rs"]
mod pathological;

/// The system's allocator, which counts for each thread how often it is asked, and for how many bytes.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// How many bytes are in use, and how many were at most.
    static BYTES: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count() {
    // A thread that ends has no counter left, and nothing to count.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

fn count_bytes(more: usize, fewer: usize) {
    let _ = BYTES.try_with(|bytes| {
        let (used, most) = bytes.get();
        let used = used + more.cast_signed() - fewer.cast_signed();
        bytes.set((used, most.max(used)));
    });
}

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        count_bytes(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count_bytes(0, layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        count_bytes(size, layout.size());
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

/// How many bytes are in use at most while something is done, beyond those of before.
fn most_bytes<T>(work: impl FnOnce() -> T) -> usize {
    let (before, _) = BYTES.get();
    BYTES.set((before, before));
    drop(black_box(work()));
    (BYTES.get().1 - before).cast_unsigned()
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| Box::new(1)), 1);
    assert_eq!(allocations(|| 1), 0);
    assert_eq!(most_bytes(|| (black_box(vec![0_u8; 100]), black_box(vec![0_u8; 50]))), 150);
    assert_eq!(most_bytes(|| 1), 0);
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

/// What is made of a text is paid for in steps before it is made: no text takes more than it is long.
#[test]
fn memory_grows_with_the_text_alone() {
    const SIZE: usize = 1 << 15;
    const BYTES_PER_BYTE: usize = 2_048;
    // A step may keep several bytes, so the constant part of the budget is room for these.
    const FLOOR: usize = 8 << 20;
    for (name, family) in pathological::PATHOLOGICAL {
        let text = family(SIZE);
        let most = most_bytes(|| {
            let mut analyzer = Analyzer::new();
            analyzer.analyze(&text, &Options::default()).commands().len()
        });
        assert!(most < text.len() * BYTES_PER_BYTE + FLOOR, "{name}: {most} for {} bytes", text.len());
    }
}
