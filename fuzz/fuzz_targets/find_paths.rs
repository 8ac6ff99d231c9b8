//! Any text: both ways to the start paths agree, spans fit, and no find is lost by a subshell around the text.

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

    // What runs as one command runs in a subshell too. Braces make one of several lines: an expansion that fails skips the
    // rest of its line at the top, but all of a subshell.
    if report.is_complete() && !text.contains('#') && !text.ends_with('\\') {
        let one = if text.contains('\n') { format!("{{ {text}\n}}") } else { text.to_owned() };
        let subshell = format!("( {text}\n)");
        let is_whole = [&one, &subshell].iter().all(|text| {
            let report = analyzer.analyze(text, &Options::default());
            report.is_complete() && report.syntax_error().is_none()
        });
        if is_whole {
            assert_eq!(extract_find_paths(&subshell), extract_find_paths(&one), "in a subshell");
        }
    }
});
