//! Bytes from outside, within stated limits.

use crate::Exit;
use std::io::{self, BufRead, Read};

/// The size in bytes beyond which a command text, a hook event or a line of JSON is refused: 16 MiB.
///
/// Linux hands no program more than 2 MiB of arguments by default, so nothing that an agent runs comes near.
pub const MAX_BYTES: usize = 16 << 20;

/// What is wrong with an input.
#[derive(Debug)]
pub(crate) enum InputError {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is longer than [`MAX_BYTES`].
    TooLong,
    /// It is not UTF-8 from this byte on.
    NotUtf8(usize),
    /// It has a NUL at this byte, which no command can hold.
    Nul(usize),
}

impl InputError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Unreadable(_) => Exit::NoInput,
            Self::TooLong | Self::NotUtf8(_) | Self::Nul(_) => Exit::Data,
        }
    }
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "the input cannot be read: {error}"),
            Self::TooLong => write!(f, "the input is longer than {MAX_BYTES} bytes; judge it in parts"),
            Self::NotUtf8(at) => write!(f, "byte {at} of the input is not UTF-8; convert the text to UTF-8"),
            Self::Nul(at) => {
                write!(f, "byte {at} of the input is NUL, which no bash command can hold; remove it")
            }
        }
    }
}

/// Reads everything, as text.
pub(crate) fn read_text(source: impl Read) -> Result<String, InputError> {
    let mut bytes = Vec::new();
    // One byte more than the limit tells «as long as allowed» from «longer».
    source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(InputError::Unreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(InputError::TooLong);
    }
    String::from_utf8(bytes).map_err(|error| InputError::NotUtf8(error.utf8_error().valid_up_to()))
}

/// Refuses a command that no program can be given.
pub(crate) fn check_command(text: &str) -> Result<(), InputError> {
    text.bytes().position(|byte| byte == 0).map_or(Ok(()), |at| Err(InputError::Nul(at)))
}

/// What a line of a stream is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// There is none: the stream has ended.
    End,
    /// It is in the buffer, without its newline.
    Read,
    /// It is in the buffer, and the stream ended without its newline.
    Torn,
    /// It was longer than the limit, and has been passed over.
    TooLong,
}

/// Reads the next line into `line`, which never grows beyond `limit` bytes.
pub(crate) fn read_line(source: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut answer = Line::End;
    loop {
        let chunk = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            return Ok(if answer == Line::Read { Line::Torn } else { answer });
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let (content, _) = chunk.split_at(end.unwrap_or(chunk.len()));
        if answer == Line::End {
            answer = Line::Read;
        }
        if answer == Line::Read {
            if line.len() + content.len() > limit {
                answer = Line::TooLong;
                line.clear();
            } else {
                line.extend_from_slice(content);
            }
        }
        let taken = content.len() + usize::from(end.is_some());
        source.consume(taken);
        if end.is_some() {
            return Ok(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_longer_than_the_limit_are_passed_over_whatever_the_buffer() {
        let text = b"abc\n\ntoo long\nabcd\nrest";
        for capacity in 1..30 {
            let mut source = BufReader::with_capacity(capacity, &text[..]);
            let mut line = Vec::new();
            let mut seen = Vec::new();
            loop {
                match read_line(&mut source, 4, &mut line).unwrap() {
                    Line::End => break,
                    Line::TooLong => seen.push(None),
                    Line::Read | Line::Torn => seen.push(Some(String::from_utf8(line.clone()).unwrap())),
                }
            }
            let expected = [Some("abc"), Some(""), None, Some("abcd"), Some("rest")];
            assert_eq!(seen, expected.map(|line| line.map(str::to_owned)), "capacity {capacity}");
        }
    }

    #[test]
    fn what_no_command_can_hold_is_named_with_its_place() {
        assert!(matches!(read_text(&b"find \xff"[..]), Err(InputError::NotUtf8(5))));
        assert!(matches!(check_command("a\0"), Err(InputError::Nul(1))));
        assert!(matches!(read_text(io::repeat(b'a')), Err(InputError::TooLong)));
    }
}
