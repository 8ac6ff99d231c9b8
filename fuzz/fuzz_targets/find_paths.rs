//! Any text: both ways to the start paths agree, spans fit, and no find is lost by wrapping the text.

#![no_main]

use bash_commands::{Analyzer, Options};
use bash_find_parser::{Name, extract_find_paths, find_calls};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let paths = extract_find_paths(text);
    let mut analyzer = Analyzer::new();
    let report = analyzer.analyze(text, &Options::default());
    let calls: Vec<Vec<String>> = find_calls(report)
        .filter(|call| call.name() != Name::Unknown)
        .map(|call| {
            call.start_paths()
                .map(|path| {
                    assert!(
                        text.get(path.span().start as usize..path.span().end as usize).is_some(),
                        "{path:?}"
                    );
                    path.text().to_owned()
                })
                .collect()
        })
        .collect();
    assert_eq!(paths, calls);

    // What runs, runs in a subshell too: the list may only grow where a limit of depth is not met.
    if report.is_complete() && !text.contains('#') && !text.ends_with('\\') {
        let wrapped = format!("( {text}\n)");
        let mut other = Analyzer::new();
        let inside = other.analyze(&wrapped, &Options::default());
        if inside.is_complete() && inside.syntax_error().is_none() {
            assert_eq!(extract_find_paths(&wrapped).len(), paths.len(), "in a subshell");
        }
    }
});
