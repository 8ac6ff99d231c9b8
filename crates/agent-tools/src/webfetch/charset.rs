//! From the bytes of a page to text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of a page may hold the `meta` element that names its charset, in bytes.
const PRESCAN: usize = 4096;

/// A page as text.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static str,
    /// Something did not fit the encoding and is shown as U+FFFD.
    pub(crate) damaged: bool,
}

/// Decodes a page by its byte-order mark, the charset of its header, that of its `meta` element, or what it looks like.
///
/// A page that says UTF-8 and is not is taken for what it looks like.
pub(crate) fn decode(bytes: &[u8], content_type: &str) -> Decoded {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(bytes.get(mark..).unwrap_or_default(), encoding);
    }
    let declared = parameter(content_type, "charset")
        .and_then(|name| Encoding::for_label(name.as_bytes()))
        .or_else(|| meta(bytes));
    match declared {
        Some(encoding) if encoding != UTF_8 => decode_as(bytes, encoding),
        _ => {
            let cut = valid_start(bytes);
            if cut + 3 >= bytes.len() || declared.is_some() && cut * 100 >= bytes.len() * 99 {
                // Whole, or cut within its last character, or with a stray byte.
                return decode_as(bytes, UTF_8);
            }
            decode_as(bytes, guess(bytes))
        }
    }
}

fn decode_as(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text: text.into_owned(), encoding: encoding.name(), damaged }
}

/// Returns how many bytes at the start are UTF-8.
fn valid_start(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

#[cfg(feature = "read-legacy")]
fn guess(bytes: &[u8]) -> &'static Encoding {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guessed = detector.guess(None, Utf8Detection::Deny);
    if guessed == UTF_8 { WINDOWS_1252 } else { guessed }
}

#[cfg(not(feature = "read-legacy"))]
fn guess(_: &[u8]) -> &'static Encoding {
    WINDOWS_1252
}

/// Returns a parameter of a media type, quoted or not.
pub(crate) fn parameter(media_type: &str, name: &str) -> Option<String> {
    let mut rest = media_type.split_once(';')?.1;
    loop {
        let (key, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let (value, behind) = if let Some(quoted) = value.strip_prefix('"') {
            let (value, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
            (value.to_owned(), behind.split_once(';').map_or("", |(_, behind)| behind))
        } else {
            let (value, behind) = value.split_once(';').unwrap_or((value, ""));
            (value.trim().to_owned(), behind)
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = behind;
    }
}

/// Returns the charset that a `meta` element at the start of a page names.
fn meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(bytes.get(..PRESCAN.min(bytes.len()))?).to_ascii_lowercase();
    let mut rest = start.as_str();
    while let Some((_, behind)) = rest.split_once("<meta") {
        let element = behind.split_once('>').map_or(behind, |(element, _)| element);
        if let Some((_, value)) = element.split_once("charset") {
            let value = value.trim_start().strip_prefix('=').unwrap_or("").trim_start();
            let name: String = value
                .trim_start_matches(['"', '\''])
                .chars()
                .take_while(|char| !matches!(char, '"' | '\'' | ';' | ' ' | '/' | '>'))
                .collect();
            // A page that can be read so far is no UTF-16, whatever it says.
            let encoding = Encoding::for_label(name.as_bytes())?;
            return Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 });
        }
        rest = behind;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_the_mark_and_the_element() {
        for (bytes, content_type, text) in [
            (&b"\xc4\xe3"[..], "text/html; charset=gbk", "你"),
            (b"\xc4\xe3", "text/html;x=\"a;b\" ; Charset=\"GB2312\"", "你"),
            (b"\xef\xbb\xbf\xe4\xbd\xa0", "text/html; charset=gbk", "你"),
            (
                b"<meta http-equiv=x content='text/html; charset=big5'>\xa7A",
                "text/html",
                "<meta http-equiv=x content='text/html; charset=big5'>你",
            ),
            (b"<meta charset = utf-16>\xe4\xbd\xa0", "text/html", "<meta charset = utf-16>你"),
            (b"\xe4\xbd\xa0\xe5", "text/plain", "你\u{fffd}"),
            (b"\xff\xfea\0", "text/plain", "a"),
        ] {
            assert_eq!(decode(bytes, content_type).text, text);
        }
    }

    #[test]
    fn parameters() {
        assert_eq!(parameter("text/html", "charset"), None);
        assert_eq!(parameter("text/html; a=b; charset=\"utf-8", "charset").as_deref(), Some("utf-8"));
        assert_eq!(parameter("text/html; charset", "charset"), None);
    }
}
