//! Requests to an HTTP proxy, read. Pure.

use crate::domain::split_host_port;

/// The longest head of a request, in bytes.
pub const MAX_HEAD: usize = 64 << 10;
/// The most fields in a head.
const MAX_FIELDS: usize = 100;

/// What a client of an HTTP proxy asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `CONNECT host:port`: bytes, whatever they are.
    Connect {
        /// The host as written.
        host: String,
        /// The port.
        port: u16,
    },
    /// `GET http://host/…`: one request, to be passed on.
    Forward {
        /// The host as written.
        host: String,
        /// The port.
        port: u16,
        /// The head to send to the host: its own name in `Host`, nothing that concerns the hop to us, and no second request
        /// on this connection.
        head: Vec<u8>,
        /// What follows the head.
        body: Body,
    },
}

/// What follows the head of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Bytes, that many.
    Length(u64),
    /// Chunks, up to the empty one and its trailers.
    Chunked,
}

/// Why a request is refused with status 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// It is not HTTP.
    #[error("not an HTTP request")]
    Syntax,
    /// The head is longer than [`MAX_HEAD`], or has too many fields.
    #[error("the head of the request is too long")]
    TooLong,
    /// The target is not a host this proxy could dial.
    #[error("the target is neither `host:port` nor an `http://` address")]
    Target,
    /// The length of the body is told twice, or not to be understood: two readers could see two different requests.
    #[error("the length of the body is ambiguous")]
    Ambiguous,
}

/// Reads the head of a request and returns it with its length in bytes; `None` if more bytes are needed.
///
/// # Errors
///
/// [`HttpError`]
///
/// ```
/// use brakeline_sandbox::proxy::http::{Request, parse};
///
/// let (request, length) = parse(b"CONNECT example.com:443 HTTP/1.1\r\n\r\nrest")?.unwrap();
/// assert_eq!(request, Request::Connect { host: "example.com".to_owned(), port: 443 });
/// assert_eq!(length, 36);
/// assert!(parse(b"CONNECT exam")?.is_none());
/// # Ok::<(), brakeline_sandbox::proxy::http::HttpError>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, HttpError> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(HttpError::TooLong),
        Err(_) => return Err(HttpError::Syntax),
    };
    let (Some(method), Some(target)) = (request.method, request.path) else { return Err(HttpError::Syntax) };
    if method == "CONNECT" {
        let (host, port) = split_host_port(target).ok_or(HttpError::Target)?;
        let port = port.ok_or(HttpError::Target)?;
        return Ok(Some((Request::Connect { host: host.to_owned(), port }, length)));
    }
    let (authority, path) = absolute(target).ok_or(HttpError::Target)?;
    let (host, port) = split_host_port(authority).ok_or(HttpError::Target)?;
    let body = body(request.headers)?;
    let head = head(method, authority, path, request.headers);
    let request = Request::Forward { host: host.to_owned(), port: port.unwrap_or(80), head, body };
    Ok(Some((request, length)))
}

/// Splits `http://authority/path`. A name and password in front of the host are refused: they hide what the host is.
fn absolute(target: &str) -> Option<(&str, &str)> {
    const SCHEME: &str = "http://";
    let scheme = target.get(..SCHEME.len())?;
    let rest = target.get(SCHEME.len()..).filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    (!authority.is_empty() && !authority.contains('@')).then_some((authority, path))
}

fn body(fields: &[httparse::Header<'_>]) -> Result<Body, HttpError> {
    let values = |name: &str| -> Vec<&[u8]> {
        fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value).collect()
    };
    match (values("transfer-encoding").as_slice(), values("content-length").as_slice()) {
        ([], []) => Ok(Body::Length(0)),
        ([], [length]) => length_of(length).map(Body::Length).ok_or(HttpError::Ambiguous),
        ([coding], []) if coding.trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(Body::Chunked),
        _ => Err(HttpError::Ambiguous),
    }
}

fn length_of(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value.trim_ascii()).ok()?;
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Fields that concern the hop between client and proxy.
const OF_THE_HOP: [&str; 9] = [
    "host",
    "connection",
    "proxy-connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-authenticate",
    "te",
    "trailer",
    "upgrade",
];

fn head(method: &str, authority: &str, path: &str, fields: &[httparse::Header<'_>]) -> Vec<u8> {
    let slash = if path.starts_with('/') { "" } else { "/" };
    let path = path.split('#').next().unwrap_or_default();
    let mut head =
        format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n").into_bytes();
    for field in fields {
        if !OF_THE_HOP.iter().any(|name| field.name.eq_ignore_ascii_case(name)) {
            head.extend_from_slice(field.name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(field.value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}
