//! The bytes between a client and the host it asked for.

use super::http::{self, Body, HttpError, Request};
use super::socks5::{self, Reply};
use super::{Refusal, Shared};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

/// Serves a client that speaks HTTP: one request a connection.
pub(super) fn http(shared: &Shared, mut client: TcpStream) -> io::Result<()> {
    let mut bytes = Vec::new();
    let (request, length) = match read_message(&mut client, &mut bytes, http::parse) {
        Ok(read) => read,
        Err(Broken::Connection(error)) => return Err(error),
        Err(Broken::Message(error)) => return answer(&mut client, 400, "Bad Request", &error.to_string()),
    };
    let rest = bytes.split_off(length.min(bytes.len()));
    let (host, port) = match &request {
        Request::Connect { host, port } | Request::Forward { host, port, .. } => (host.as_str(), *port),
    };
    let upstream = match shared.connect(host, port) {
        Ok(upstream) => upstream,
        Err(Refusal::Denied(verdict)) => {
            return answer(&mut client, 403, "Forbidden", &verdict.text(shared.language()));
        }
        Err(Refusal::Unreachable(error)) => {
            return answer(&mut client, 502, "Bad Gateway", &format!("`{host}:{port}`: {error}"));
        }
    };
    match request {
        Request::Connect { .. } => {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            both_ways(&client, &upstream, &rest)
        }
        Request::Forward { head, body, .. } => forward(&client, upstream, &head, body, &rest),
    }
}

/// Serves a client that speaks SOCKS 5.
pub(super) fn socks5(shared: &Shared, mut client: TcpStream) -> io::Result<()> {
    let mut bytes = Vec::new();
    let (is_open, length) =
        read_message(&mut client, &mut bytes, socks5::greeting).map_err(io::Error::from)?;
    if !is_open {
        return client.write_all(&[socks5::VERSION, 0xff]);
    }
    client.write_all(&[socks5::VERSION, 0])?;
    let mut bytes = bytes.split_off(length.min(bytes.len()));
    let (request, length) =
        read_message(&mut client, &mut bytes, socks5::request).map_err(io::Error::from)?;
    if !request.is_connect {
        return client.write_all(&Reply::CommandNotSupported.message());
    }
    match shared.connect(&request.host, request.port) {
        Ok(upstream) => {
            client.write_all(&Reply::Succeeded.message())?;
            let rest = bytes.split_off(length.min(bytes.len()));
            both_ways(&client, &upstream, &rest)
        }
        Err(refusal) => {
            let reply = match refusal {
                Refusal::Denied(_) => Reply::NotAllowed,
                Refusal::Unreachable(_) => Reply::HostUnreachable,
            };
            client.write_all(&reply.message())?;
            part(&mut client)
        }
    }
}

/// Why no message came.
enum Broken<E> {
    Connection(io::Error),
    Message(E),
}

impl<E: std::error::Error + Send + Sync + 'static> From<Broken<E>> for io::Error {
    fn from(broken: Broken<E>) -> Self {
        match broken {
            Broken::Connection(error) => error,
            Broken::Message(error) => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// Reads until a message is whole. By INVARIANT of the parsers, each refuses what grows beyond its limit.
fn read_message<T, E>(
    client: &mut TcpStream,
    bytes: &mut Vec<u8>,
    parse: impl Fn(&[u8]) -> Result<Option<(T, usize)>, E>,
) -> Result<(T, usize), Broken<E>> {
    loop {
        if let Some(message) = parse(bytes).map_err(Broken::Message)? {
            return Ok(message);
        }
        let mut buffer = [0; 4096];
        let count = client.read(&mut buffer).map_err(Broken::Connection)?;
        if count == 0 {
            return Err(Broken::Connection(io::ErrorKind::UnexpectedEof.into()));
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
}

/// Answers a client that gets no connection.
fn answer(client: &mut TcpStream, status: u16, phrase: &str, text: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         X-Proxy-Error: brakeline-sandbox\r\nConnection: close\r\n\r\n{text}\n",
        text.len() + 1
    );
    client.write_all(head.as_bytes())?;
    part(client)
}

/// Says that there is no more, and hears the client out for a while: to close with bytes unread would take the answer back.
fn part(client: &mut TcpStream) -> io::Result<()> {
    const LONGEST: u64 = 1 << 20;
    client.shutdown(Shutdown::Write)?;
    client.set_read_timeout(Some(Duration::from_secs(2)))?;
    io::copy(&mut client.take(LONGEST), &mut io::sink()).map(drop)
}

/// Carries bytes both ways until both sides are done.
fn both_ways(client: &TcpStream, upstream: &TcpStream, first: &[u8]) -> io::Result<()> {
    // Who asked for a connection may be silent on it for as long as it likes.
    for stream in [client, upstream] {
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
    }
    (&mut &*upstream).write_all(first)?;
    let (from, to) = (upstream.try_clone()?, client.try_clone()?);
    let back = thread::Builder::new().spawn(move || carry(&from, &to))?;
    carry(client, upstream);
    // The other direction ends by itself; a panic there would be its own.
    let _ = back.join();
    Ok(())
}

/// Carries bytes one way, and the end of them.
fn carry(mut from: &TcpStream, mut to: &TcpStream) {
    // A side that breaks off ends the other, too.
    let is_whole = io::copy(&mut from, &mut to).is_ok();
    let _ = to.shutdown(if is_whole { Shutdown::Write } else { Shutdown::Both });
}

/// Passes on one request and its answer.
fn forward(client: &TcpStream, upstream: TcpStream, head: &[u8], body: Body, first: &[u8]) -> io::Result<()> {
    client.set_read_timeout(None)?;
    client.set_write_timeout(None)?;
    let mut to_host = upstream.try_clone()?;
    to_host.write_all(head)?;
    let to_client = client.try_clone()?;
    // Beside the body: the answer may come first, as `100 Continue` does.
    let answering = thread::Builder::new().spawn(move || carry(&upstream, &to_client))?;
    let mut from = BufReader::new(first.chain(client));
    let sent = match body {
        Body::Length(length) => io::copy(&mut (&mut from).take(length), &mut to_host).map(drop),
        Body::Chunked => chunks(&mut from, &mut to_host),
    };
    if sent.is_err() {
        let _ = to_host.shutdown(Shutdown::Both);
    }
    // What comes after the request stays unread: it could be meant for another host.
    let _ = answering.join();
    sent
}

/// Passes on chunks up to the empty one and its trailers.
fn chunks(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    loop {
        let line = line(from)?;
        to.write_all(&line)?;
        let size = size_of(&line).ok_or(io::ErrorKind::InvalidData)?;
        if size == 0 {
            break;
        }
        // Two more: the end of the line after the chunk.
        let copied = io::copy(&mut from.take(size + 2), to)?;
        if copied < size + 2 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    for _ in 0..MAX_TRAILERS {
        let line = line(from)?;
        to.write_all(&line)?;
        if line == b"\r\n" {
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, HttpError::TooLong))
}

const MAX_TRAILERS: usize = 100;

fn line(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    const LONGEST: u64 = 4096;
    let mut line = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.ends_with(b"\r\n") { Ok(line) } else { Err(io::ErrorKind::InvalidData.into()) }
}

fn size_of(line: &[u8]) -> Option<u64> {
    // Beyond this, sizes are attacks on readers that overflow.
    const DIGITS: usize = 12;
    let text = std::str::from_utf8(line).ok()?.split(';').next()?.trim();
    let is_size = (1..=DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_size.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}
