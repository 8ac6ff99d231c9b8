//! Texts on which parsers overflow the stack, hang, or take quadratic or exponential time.

use std::fmt::Write;

/// A family of texts: the same trouble at any size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What it consists of.
    pub name: &'static str,
    make: fn(usize) -> String,
}

impl Family {
    /// Returns a text of about `size` bytes.
    #[must_use]
    pub fn text(&self, size: usize) -> String {
        (self.make)(size)
    }
}

/// Repeats `open` and `close` around `inner` until the text has about `size` bytes.
fn nested(open: &str, inner: &str, close: &str, size: usize) -> String {
    let depth = size / (open.len() + close.len()).max(1);
    [open.repeat(depth), inner.to_owned(), close.repeat(depth)].concat()
}

/// The families.
pub const FAMILIES: &[Family] = &[
    Family { name: "nested $(", make: |size| nested("echo $(", "ls", ")", size) },
    Family { name: "nested \"$(", make: |size| nested("echo \"$(", "ls", ")\"", size) },
    Family { name: "nested (", make: |size| nested("(", "ls", ")", size) },
    Family { name: "nested {", make: |size| nested("{ ", "ls", "; }", size) },
    Family { name: "nested if", make: |size| nested("if :; then ", "ls", "; fi", size) },
    Family { name: "nested ${", make: |size| nested("${x:-", "y", "}", size) },
    Family { name: "nested $((", make: |size| nested("$((1+", "1", "))", size) },
    Family { name: "unclosed $(", make: |size| nested("echo $(", "ls", "", size) },
    Family { name: "unclosed \"$(", make: |size| nested("echo \"$(", "ls", "", size) },
    Family { name: "unclosed (", make: |size| nested("(", "ls", "", size) },
    Family { name: "unclosed {", make: |size| nested("{ ", "ls", "", size) },
    Family { name: "unclosed if", make: |size| nested("if :; then ", "ls", "", size) },
    Family { name: "unclosed ${", make: |size| nested("${x:-", "y", "", size) },
    Family { name: "backslashes", make: |size| "\\".repeat(size) },
    Family { name: "single quotes", make: |size| "'".repeat(size) },
    Family { name: "double quotes", make: |size| "\"".repeat(size) },
    Family { name: "backquotes", make: |size| "`".repeat(size) },
    Family { name: "a|a|…", make: |size| "a|".repeat(size / 2) + "a" },
    Family { name: "a&&a&&…", make: |size| "a&&".repeat(size / 3) + "a" },
    Family { name: "a;a;…", make: |size| "a;".repeat(size / 2) },
    Family { name: "one word", make: |size| "a".repeat(size) },
    Family { name: "braces", make: |size| nested("{a,", "b", "}", size) },
    Family { name: "here-documents", make: |size| "cat <<E\nfind /\nE\n".repeat(size / 17) },
    Family { name: "cd ; find", make: |size| "cd a; find . ; ".repeat(size / 15) },
    Family {
        name: "eval of variables",
        make: |size| format!("x='ls; '\n{}eval \"$x\"", "x=\"$x$x\"\n".repeat(size / 9)),
    },
    Family {
        name: "functions that call each other",
        make: |size| {
            let calls = (0..size / 24).fold(String::new(), |mut calls, n| {
                let _ = write!(calls, "f{n}() {{ f{0}; f{0}; }}; ", n + 1);
                calls
            });
            calls + "f0"
        },
    },
];
