//! Values as short text, for messages.

use std::io;

use serde_json::Value;

/// Bytes of a value that a message shows before it cuts.
const SHOWN: usize = 80;

/// Returns a value as compact JSON, cut with `…` after 80 bytes: a message stays one short line whatever the file holds.
///
/// Costs time and memory for what is shown, not for the whole value.
pub(crate) fn excerpt(value: &Value) -> String {
    let mut shown = Head { bytes: Vec::with_capacity(SHOWN), is_cut: false };
    // The error, if any, is the head's own refusal to take more.
    let _full = serde_json::to_writer(&mut shown, value);
    let mut text = String::from_utf8_lossy(&shown.bytes).into_owned();
    if shown.is_cut {
        // A character that the cut went through.
        text.truncate(text.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
        text.push('…');
    }
    text
}

/// Takes the first bytes and refuses the rest.
struct Head {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl io::Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = SHOWN.saturating_sub(self.bytes.len());
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.bytes.extend_from_slice(taken);
        if taken.len() < bytes.len() {
            self.is_cut = true;
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(excerpt(&Value::from("abc")), "\"abc\"");
        for ascii in 0..3 {
            let text = excerpt(&Value::from("a".repeat(ascii) + &"键".repeat(100)));
            assert!(text.ends_with("键…") && text.len() <= SHOWN + '…'.len_utf8(), "{text}");
        }
    }
}
