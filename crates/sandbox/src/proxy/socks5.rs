//! SOCKS version 5 (RFC 1928), the messages of a client. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The first byte of every message.
pub const VERSION: u8 = 5;

/// Replies of the server (RFC 1928, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reply {
    /// Connected.
    Succeeded = 0,
    /// The rules do not allow it.
    NotAllowed = 2,
    /// The host does not answer.
    HostUnreachable = 4,
    /// Only connecting is offered.
    CommandNotSupported = 7,
}

impl Reply {
    /// Returns the message. The address in it, that of our end, is left open.
    #[must_use]
    pub fn message(self) -> [u8; 10] {
        [VERSION, self as u8, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

/// Why a client is hung up on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Socks5Error {
    /// It is not SOCKS 5.
    #[error("not a SOCKS 5 message")]
    Syntax,
    /// A name that is no text.
    #[error("the host name is not ASCII")]
    Name,
}

/// Reads the greeting and returns whether the client can do without a password, with the length in bytes; `None` if more
/// bytes are needed.
///
/// # Errors
///
/// [`Socks5Error`]
pub fn greeting(bytes: &[u8]) -> Result<Option<(bool, usize)>, Socks5Error> {
    const NO_PASSWORD: u8 = 0;
    match bytes {
        [] | [VERSION] => Ok(None),
        [VERSION, count, rest @ ..] => {
            let count = usize::from(*count);
            Ok(rest.get(..count).map(|methods| (methods.contains(&NO_PASSWORD), 2 + count)))
        }
        _ => Err(Socks5Error::Syntax),
    }
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether it wants to connect; the other commands are not offered.
    pub is_connect: bool,
    /// The host: a name, or an address as text.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Reads a request and returns it with its length in bytes; `None` if more bytes are needed.
///
/// # Errors
///
/// [`Socks5Error`]
///
/// ```
/// use brakeline_sandbox::proxy::socks5::{Request, request};
///
/// let bytes = b"\x05\x01\x00\x03\x0bexample.com\x01\xbb";
/// let expected = Request { is_connect: true, host: "example.com".to_owned(), port: 443 };
/// assert_eq!(request(bytes)?, Some((expected, bytes.len())));
/// # Ok::<(), brakeline_sandbox::proxy::socks5::Socks5Error>(())
/// ```
pub fn request(bytes: &[u8]) -> Result<Option<(Request, usize)>, Socks5Error> {
    const CONNECT: u8 = 1;
    let (command, kind, rest) = match bytes {
        [VERSION, command, 0, kind, rest @ ..] => (*command, *kind, rest),
        [] | [VERSION] | [VERSION, _] | [VERSION, _, 0] => return Ok(None),
        _ => return Err(Socks5Error::Syntax),
    };
    let Some((host, used)) = host(kind, rest)? else { return Ok(None) };
    let Some(port) = rest.get(used..).and_then(<[u8]>::first_chunk) else { return Ok(None) };
    let request = Request { is_connect: command == CONNECT, host, port: u16::from_be_bytes(*port) };
    Ok(Some((request, 4 + used + 2)))
}

fn host(kind: u8, bytes: &[u8]) -> Result<Option<(String, usize)>, Socks5Error> {
    match kind {
        1 => {
            Ok(bytes.first_chunk::<4>().map(|octets| (IpAddr::from(Ipv4Addr::from(*octets)).to_string(), 4)))
        }
        4 => Ok(bytes
            .first_chunk::<16>()
            .map(|octets| (IpAddr::from(Ipv6Addr::from(*octets)).to_string(), 16))),
        3 => {
            let Some((length, rest)) = bytes.split_first() else { return Ok(None) };
            let Some(name) = rest.get(..usize::from(*length)) else { return Ok(None) };
            let name =
                std::str::from_utf8(name).ok().filter(|name| name.is_ascii()).ok_or(Socks5Error::Name)?;
            Ok(Some((name.to_owned(), 1 + name.len())))
        }
        _ => Err(Socks5Error::Syntax),
    }
}
