//! Edits of arbitrary bytes beside a naive model: the same places, and no other byte changes.

#![no_main]

use brakeline_agent_tools::{Edit, EditProblem, edit_bytes};
use libfuzzer_sys::fuzz_target;

// The file, the old and the new text, parted by 0xFF, which is in no UTF-8 text; what is behind a fourth belongs to the file.
fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(4, |byte| *byte == 0xFF);
    let (Some(file), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return };
    let file = [file, parts.next().unwrap_or_default()].concat();
    let edit = Edit { old_text: old.to_owned(), new_text: new.to_owned() };
    let edited = edit_bytes(&file, std::slice::from_ref(&edit));
    let text = std::str::from_utf8(&file).ok().filter(|text| !text.contains('\0'));
    let Some(text) = text.filter(|text| text.len() <= 256) else { return };
    if old.is_empty() || old == new {
        assert!(edited.is_err());
        return;
    }
    let places = places(text, old);
    match edited {
        Ok(result) => {
            let [(start, end)] = places[..] else { panic!("{places:?}") };
            let result = String::from_utf8(result).expect("text stays text");
            assert!(result.starts_with(&text[..start]) && result.ends_with(&text[end..]));
            let inserted = &result[start..result.len() - (text.len() - end)];
            assert_eq!(plain(inserted), plain(new));
        }
        Err(faults) => match &faults[0].problem {
            EditProblem::Missing { .. } => assert!(places.is_empty(), "{places:?}"),
            EditProblem::Several { count, .. } => assert_eq!(*count, places.len()),
            other => panic!("{other:?}"),
        },
    }
});

/// Every place where the old text stands, found by trying each.
fn places(file: &str, old: &str) -> Vec<(usize, usize)> {
    let bytes = file.as_bytes();
    let half = |at: usize| at > 0 && at < bytes.len() && bytes[at - 1] == b'\r' && bytes[at] == b'\n';
    let boundaries: Vec<usize> = (0..=file.len()).filter(|at| file.is_char_boundary(*at)).collect();
    let exact = boundaries
        .iter()
        .filter(|at| file[**at..].starts_with(old) && !(half(**at) && old.starts_with('\n')));
    let exact: Vec<_> = exact.map(|at| (*at, at + old.len())).collect();
    if !exact.is_empty() || !old.contains(['\n', '\r']) {
        return exact;
    }
    let old = plain(old);
    let whole: Vec<usize> = boundaries.into_iter().filter(|at| !half(*at)).collect();
    let pairs = whole
        .iter()
        .flat_map(|start| whole.iter().filter(move |end| *end > start).map(move |end| (*start, *end)));
    pairs.filter(|(start, end)| plain(&file[*start..*end]) == old).collect()
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
