//! `webfetch` against a server on this machine that behaves well, badly, or not at all.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test may stop at the first surprise"
)]
#![cfg(feature = "webfetch")]

mod common;

use brakeline_agent_tools::{
    Cancel, Context, Error, Format, Gate, Open, Refusal, Tool, UrlProblem, WebFetchParameters,
    WebFetchResult, webfetch,
};
use common::Folder;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A server that runs until the test process ends.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    sent: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, sent) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let server = Self { port, asked: Arc::clone(&asked), sent: Arc::clone(&sent) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, sent) = (Arc::clone(&asked), Arc::clone(&sent));
                std::thread::spawn(move || answer(stream, port, &asked, &sent));
            }
        });
        server
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn page(content_type: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn redirect(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

fn answer(mut stream: TcpStream, port: u16, asked: &Mutex<Vec<String>>, sent: &AtomicUsize) {
    let mut request = Vec::new();
    let mut block = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut block) {
            Ok(length @ 1..) => request.extend_from_slice(&block[..length]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    asked.lock().unwrap().push(request);
    let response = match path.as_str() {
        "/html" => {
            page("text/html; charset=\"utf-8\"", "<h1>Héllo</h1><p>A <a href=\"/x\">link</a></p>".as_bytes())
        }
        "/plain" => page("text/plain", b"<h1>plain</h1>"),
        "/json" => page("application/json", br#"{"b":1,"a":[1,2]}"#),
        "/untyped" => page("", b"<!DOCTYPE html><p>x"),
        "/latin1" => page("text/html; charset=utf-8", b"<p>caf\xe9 au lait, d\xe9j\xe0 vu, gar\xe7on</p>"),
        "/gbk" => page("text/html; charset=gbk", b"<p>\xc4\xe3\xba\xc3</p>"),
        "/stray" => {
            page("text/plain; charset=utf-8", &["ok ".repeat(200).as_bytes(), b"\xff", b" end"].concat())
        }
        "/empty" => page("text/plain", b""),
        "/png" => page("image/png", b"\x89PNG\r\n\x1a\n\0"),
        "/binary" => page("application/octet-stream", b"a\0b"),
        "/long" => page("text/plain", "你好\n".repeat(20_000).as_bytes()),
        "/missing" => {
            b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnone".to_vec()
        }
        "/gzip" | "/bomb" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            if path == "/bomb" {
                (0..100).for_each(|_| encoder.write_all(&vec![b'x'; 1024 * 1024]).unwrap());
            } else {
                encoder.write_all(b"<p>packed</p>").unwrap();
            }
            let body = encoder.finish().unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }
        "/relative" => redirect("html?x=1#y"),
        "/html?x=1" => page("text/html", b"<p>followed</p>"),
        "/round" => redirect("/round"),
        "/to-denied" => redirect(&format!("http://denied.localhost:{port}/html")),
        "/to-metadata" => redirect("http://169.254.169.254/latest/meta-data"),
        "/to-file" => redirect("file:///etc/passwd"),
        "/huge" => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(&vec![b'x'; 65536]).is_ok() {
                if sent.fetch_add(65536, Ordering::Relaxed) > 1 << 30 {
                    return;
                }
            }
            return;
        }
        "/silent" => {
            std::thread::sleep(Duration::from_secs(20));
            return;
        }
        "/loris" => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
            return;
        }
        "/loris-head" => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
            while stream.write_all(b"X: y\r\n").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
            return;
        }
        "/cut" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nshort".to_vec(),
        "/garbage" => b"\x16\x03\x01 not http\r\n\r\n".to_vec(),
        _ => page("text/plain", path.as_bytes()),
    };
    let _ = stream.write_all(&response);
}

/// This machine is an exception here, and one host is denied.
struct Here;

impl Gate for Here {
    fn may_connect(&self, host: &str, _: u16) -> Result<(), Refusal> {
        if host == "denied.localhost" {
            Err(Refusal::new("denied.localhost is in deniedDomains"))
        } else {
            Ok(())
        }
    }

    fn is_exempt(&self, _: &str, _: u16, address: IpAddr) -> bool {
        address.is_loopback()
    }
}

fn get(url: &str, parameters: WebFetchParameters) -> Result<WebFetchResult, Error> {
    let folder = Folder::new();
    webfetch(&WebFetchParameters { url: url.into(), ..parameters }, &Context::new(folder.path(), &Here))
}

fn usual(server: &Server, path: &str) -> WebFetchResult {
    get(&server.url(path), WebFetchParameters::default()).unwrap()
}

fn formatted(server: &Server, path: &str, format: Format) -> Result<WebFetchResult, Error> {
    get(&server.url(path), WebFetchParameters { format: Some(format), ..Default::default() })
}

#[test]
fn forms() {
    let server = Server::start();
    assert_eq!(usual(&server, "/html").text, "# Héllo\n\nA [link](/x)\n");
    assert_eq!(usual(&server, "/plain").text, "<h1>plain</h1>");
    assert_eq!(usual(&server, "/json").text, r#"{"b":1,"a":[1,2]}"#);
    assert_eq!(usual(&server, "/untyped").text, "x\n");
    assert_eq!(usual(&server, "/gzip").text, "packed\n");
    let html = formatted(&server, "/html", Format::Html).unwrap();
    assert!(html.text.starts_with("<h1>") && !html.converted);
    assert_eq!(formatted(&server, "/plain", Format::Markdown).unwrap().text, "<h1>plain</h1>");
    let json = formatted(&server, "/json", Format::Json).unwrap();
    assert_eq!(json.text.lines().count(), 7, "{}", json.text);
    assert!(
        formatted(&server, "/html", Format::Json).unwrap_err().to_string().contains("no JSON (text/html")
    );
    let asked = server.asked.lock().unwrap();
    assert!(
        asked[0].contains("brakeline-webfetch/") && asked[0].to_lowercase().contains("accept-encoding: gzip"),
        "{}",
        asked[0]
    );
}

/// Seen elsewhere: only the first address of a host was tried. Here `localhost` is `::1` first on most machines, and the server
/// listens on the other.
#[test]
fn every_address_of_a_host_is_tried() {
    let server = Server::start();
    let result =
        get(&format!("http://localhost:{}/plain", server.port), WebFetchParameters::default()).unwrap();
    assert_eq!(result.text, "<h1>plain</h1>");
}

#[test]
fn charsets() {
    let server = Server::start();
    let result = usual(&server, "/latin1");
    assert_eq!(
        (result.text.as_str(), result.encoding.as_deref()),
        ("café au lait, déjà vu, garçon\n", Some("windows-1252"))
    );
    assert_eq!(usual(&server, "/gbk").text, "你好\n");
    let result = usual(&server, "/stray");
    assert!(
        result.damaged && result.text.ends_with("\u{fffd} end"),
        "one stray byte makes no other encoding: {result:?}"
    );
}

#[test]
fn answers_for_the_model() {
    let server = Server::start();
    let say = |path: &str| {
        let folder = Folder::new();
        let context = Context::new(folder.path(), &Here);
        let reply = Tool::WebFetch.run(&json!({ "url": server.url(path) }), &context).unwrap();
        (
            common::text_of(&reply).replace(&server.port.to_string(), "PORT"),
            reply.is_error,
            reply.content.len(),
        )
    };
    assert_eq!(say("/empty"), ("[the page is empty]".into(), false, 1));
    assert_eq!(say("/missing"), ("none\n[HTTP status 404: http://127.0.0.1:PORT/missing]".into(), true, 1));
    assert_eq!(
        say("/binary").0,
        "[http://127.0.0.1:PORT/binary: application/octet-stream, 3 bytes, no text]"
    );
    assert_eq!(say("/png").2, 2);
    let image = usual(&server, "/png");
    assert_eq!(image.image.as_deref(), Some(&b"\x89PNG\r\n\x1a\n\0"[..]));
    let (long, _, _) = say("/long");
    assert!(long.ends_with("[the first 51198 of 140000 bytes]"), "{}", long.lines().last().unwrap());
}

#[test]
fn what_does_not_fit_is_in_a_file() {
    let server = Server::start();
    let folder = Folder::new();
    let scratch = folder.path().to_owned();
    let context = Context::new(folder.path(), &Here).with_scratch(&scratch);
    let result =
        webfetch(&WebFetchParameters { url: server.url("/long"), ..Default::default() }, &context).unwrap();
    assert!("你好\n".repeat(20_000).starts_with(&result.text));
    assert_eq!(std::fs::read_to_string(result.full_text.unwrap()).unwrap(), "你好\n".repeat(20_000));
}

#[test]
fn redirects_are_followed_and_checked_each_time() {
    let server = Server::start();
    let result = usual(&server, "/relative");
    assert_eq!(
        (result.text.as_str(), result.url.as_str()),
        ("followed\n", server.url("/html?x=1#y").as_str())
    );
    let fails = |path: &str| get(&server.url(path), WebFetchParameters::default()).unwrap_err();
    assert!(matches!(fails("/round"), Error::Url { problem: UrlProblem::Redirects { most: 10 }, .. }));
    assert!(
        matches!(fails("/to-denied"), Error::Refused(refusal) if refusal.reason().contains("deniedDomains"))
    );
    assert!(matches!(fails("/to-metadata"), Error::Url { problem: UrlProblem::Address { .. }, .. }));
    assert!(matches!(fails("/to-file"), Error::Url { problem: UrlProblem::Scheme, .. }));
}

/// However an address of this machine is spelled, and whatever name leads to it.
#[test]
fn this_machine_is_out_of_reach() {
    let server = Server::start();
    let folder = Folder::new();
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "x.localhost",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "[::1]",
        "[::ffff:7f00:1]",
        "0",
        "①②⑦.0.0.1",
    ] {
        let parameters =
            WebFetchParameters { url: format!("http://{host}:{}/html", server.port), ..Default::default() };
        let error = webfetch(&parameters, &Context::new(folder.path(), &Open)).unwrap_err();
        let refused = matches!(&error, Error::Url { problem: UrlProblem::Address { .. }, .. });
        // Not every machine resolves names below `localhost`.
        assert!(
            refused || (host == "x.localhost" && matches!(error, Error::Fetch { .. })),
            "{host}: {error}"
        );
    }
    assert!(server.asked.lock().unwrap().is_empty(), "nothing was asked");
}

#[test]
fn addresses_that_are_none() {
    for (url, problem) in [
        ("example.com", UrlProblem::Malformed),
        ("", UrlProblem::Malformed),
        ("http://", UrlProblem::Malformed),
        ("ftp://example.com/", UrlProblem::Scheme),
        ("file:///etc/passwd", UrlProblem::Scheme),
        ("http://user:secret@example.com/", UrlProblem::Credentials),
    ] {
        let error = get(url, WebFetchParameters::default()).unwrap_err();
        assert!(matches!(&error, Error::Url { problem: found, .. } if *found == problem), "{url}: {error}");
    }
    for parameters in [
        WebFetchParameters { timeout: Some(0), ..Default::default() },
        WebFetchParameters { timeout: Some(600_001), ..Default::default() },
        WebFetchParameters { max_bytes: Some(0), ..Default::default() },
    ] {
        assert!(matches!(get("http://127.0.0.1/", parameters), Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn a_huge_page_is_cut_while_it_comes() {
    let server = Server::start();
    let result =
        get(&server.url("/huge"), WebFetchParameters { max_bytes: Some(100_000), ..Default::default() })
            .unwrap();
    assert_eq!((result.bytes, result.truncated), (100_000, true));
    std::thread::sleep(Duration::from_millis(200));
    assert!(server.sent.load(Ordering::Relaxed) < 64 << 20, "the rest was not taken");
    let result = usual(&server, "/bomb");
    assert_eq!(
        (result.bytes, result.truncated),
        (5 * 1024 * 1024, true),
        "the limit is that of the unpacked page"
    );
}

#[test]
fn what_takes_too_long_ends() {
    let server = Server::start();
    for path in ["/silent", "/loris", "/loris-head"] {
        let start = Instant::now();
        let error = get(&server.url(path), WebFetchParameters { timeout: Some(400), ..Default::default() })
            .unwrap_err();
        assert!(matches!(error, Error::TimedOut { limit_ms: 400 }), "{path}: {error}");
        assert!(start.elapsed() < Duration::from_secs(3), "{path}: {:?}", start.elapsed());
    }
}

#[test]
fn what_is_broken_is_an_error() {
    let server = Server::start();
    for path in ["/cut", "/garbage"] {
        let error = get(&server.url(path), WebFetchParameters::default()).unwrap_err();
        assert!(matches!(error, Error::Fetch { .. }), "{path}: {error}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = get(&format!("http://127.0.0.1:{closed}/"), WebFetchParameters::default()).unwrap_err();
    assert!(matches!(error, Error::Fetch { .. }), "{error}");
    let parameters = WebFetchParameters { timeout: Some(1000), ..Default::default() };
    assert!(
        get(&server.url("/html").replace("http:", "https:"), parameters).is_err(),
        "a server without TLS"
    );
}

#[test]
fn cancelling_closes_the_connection() {
    let server = Server::start();
    for path in ["/silent", "/loris"] {
        let folder = Folder::new();
        let cancel = Cancel::new();
        let context = Context::new(folder.path(), &Here).with_cancel(&cancel);
        let parameters = WebFetchParameters { url: server.url(path), ..Default::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                cancel.cancel();
            });
            let start = Instant::now();
            let error = webfetch(&parameters, &context).unwrap_err();
            assert!(matches!(error, Error::Cancelled), "{error}");
            assert!(start.elapsed() < Duration::from_secs(3), "{path}: {:?}", start.elapsed());
        });
    }
}
