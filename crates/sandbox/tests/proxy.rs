//! The proxy, with a network of its own: names lead where a table says, and whatever is dialled answers on the loopback.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use brakeline_sandbox::config::{Entry, Network};
use brakeline_sandbox::network::NetworkPolicy;
use brakeline_sandbox::proxy::http::{self, HttpError};
use brakeline_sandbox::proxy::{Proxy, Upstream, socks5};
use brakeline_settings::Language;
use proptest::prelude::*;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A network in which `names` lead where they say, and every address is served by one listener on the loopback.
struct Pretended {
    names: Vec<(&'static str, Vec<IpAddr>)>,
    own: IpAddr,
    server: SocketAddr,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Upstream for Pretended {
    fn resolve(&self, host: &str, _: u16) -> io::Result<Vec<IpAddr>> {
        let found = self.names.iter().find(|(name, _)| *name == host);
        found.map(|(_, addresses)| addresses.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_own(&self, address: IpAddr) -> bool {
        address == self.own
    }

    fn dial(&self, address: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
        self.dialled.lock().unwrap().push(address);
        TcpStream::connect_timeout(&self.server, patience)
    }
}

struct Scene {
    proxy: Proxy,
    address: SocketAddr,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
    /// Everything that the server was sent, one text a connection.
    heard: Arc<Mutex<Vec<String>>>,
}

/// A server that hears a connection to its end and answers `done`.
fn serve(heard: &Arc<Mutex<Vec<String>>>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let heard = Arc::clone(heard);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let mut bytes = Vec::new();
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..count]);
            }
            heard.lock().unwrap().push(String::from_utf8_lossy(&bytes).into_owned());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\ndone");
        }
    });
    address
}

fn scene(allowed: &[&str], denied: &[&str]) -> Scene {
    let entries = |texts: &[&str]| texts.iter().map(|text| Entry::new(*text)).collect();
    let lists = Network { allowed_domains: entries(allowed), denied_domains: entries(denied) };
    let (dialled, heard) = (Arc::default(), Arc::default());
    let at = |text: &str| text.parse::<IpAddr>().unwrap();
    let upstream = Pretended {
        names: vec![
            ("site.test", vec![at("198.51.100.1")]),
            ("api.site.test", vec![at("198.51.100.2")]),
            ("rebound.site.test", vec![at("127.0.0.1")]),
            ("meta.site.test", vec![at("169.254.169.254")]),
            ("mapped.site.test", vec![at("::ffff:127.0.0.1")]),
            ("own.site.test", vec![at("198.51.100.9")]),
            ("mixed.site.test", vec![at("127.0.0.1"), at("::1"), at("198.51.100.3")]),
            ("denied-address.site.test", vec![at("198.51.100.66")]),
            ("localhost", vec![at("127.0.0.1")]),
        ],
        own: at("198.51.100.9"),
        server: serve(&heard),
        dialled: Arc::clone(&dialled),
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = Proxy::start(NetworkPolicy::new(&lists), Box::new(upstream), listener, Language::En).unwrap();
    Scene { proxy, address, dialled, heard }
}

impl Scene {
    fn say(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for a host over each protocol; whether each was let through.
    fn ask(&self, host: &str, port: u16) -> [bool; 3] {
        let connect = self.say(format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\nhello").as_bytes());
        let forward = self.say(format!("GET http://{host}:{port}/ HTTP/1.1\r\n\r\n").as_bytes());
        let mut request = vec![5, 1, 0, 5, 1, 0, 3, u8::try_from(host.len()).unwrap()];
        request.extend_from_slice(host.as_bytes());
        request.extend_from_slice(&port.to_be_bytes());
        request.extend_from_slice(b"hello");
        let socks = self.say(&request);
        for answer in [&connect, &forward] {
            assert!(
                answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 403"),
                "{host}: {answer}"
            );
        }
        [connect.starts_with("HTTP/1.1 200"), forward.ends_with("done"), socks.ends_with("done")]
    }
}

#[test]
fn one_decision_for_every_protocol() {
    let scene = scene(
        &["*.site.test", "site.test:443", "localhost:8080", "203.0.113.5"],
        &["api.site.test", "198.51.100.66"],
    );
    for (host, port, expected) in [
        ("site.test", 443, true),
        ("SITE.test.", 443, true),
        ("site.test", 80, false),
        ("api.site.test", 443, false),
        ("unknown.test", 443, false),
        ("203.0.113.5", 80, true),
        ("203.0.113.6", 80, false),
        ("localhost", 8080, true),
        ("localhost", 80, false),
        // Names that lead home, or to what is denied by its address.
        ("rebound.site.test", 443, false),
        ("meta.site.test", 443, false),
        ("mapped.site.test", 443, false),
        ("own.site.test", 443, false),
        ("denied-address.site.test", 443, false),
        // Of several addresses those that are checked are dialled.
        ("mixed.site.test", 443, true),
        ("bad_host!", 443, false),
    ] {
        assert_eq!(scene.ask(host, port), [expected; 3], "{host}:{port}");
    }
    let dialled = scene.dialled.lock().unwrap();
    let local: Vec<_> = dialled.iter().filter(|address| address.ip().is_loopback()).collect();
    assert!(local.iter().all(|address| address.port() == 8080), "nothing local but what is named: {local:?}");
    assert!(dialled.contains(&SocketAddr::from(([198, 51, 100, 3], 443))));
    let refused: Vec<_> = scene.proxy.refusals().iter().map(|verdict| verdict.text(Language::En)).collect();
    assert!(refused.contains(&"`rebound.site.test:443` is denied by the sandbox: it leads to 127.0.0.1, this machine's loopback, and no `network.allowedDomains` entry names that".to_owned()), "{refused:#?}");
}

#[test]
fn a_request_is_passed_on_whole_and_alone() {
    let scene = scene(&["site.test"], &[]);
    let second = "GET http://site.test/second HTTP/1.1\r\nHost: other.test\r\n\r\n";
    let first = "POST http://site.test/a?b#c HTTP/1.1\r\nHost: other.test\r\nProxy-Authorization: secret\r\nConnection: keep-alive, X-Hop\r\nContent-Length: 5\r\nX-Kept: yes\r\n\r\nhello";
    assert!(scene.say(format!("{first}{second}").as_bytes()).ends_with("done"));
    let chunked = "POST http://site.test HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n";
    assert!(scene.say(format!("{chunked}{second}").as_bytes()).ends_with("done"));
    let heard = scene.heard.lock().unwrap();
    assert_eq!(
        *heard,
        [
            "POST /a?b HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\nContent-Length: 5\r\nX-Kept: yes\r\n\r\nhello",
            "POST / HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
        ]
    );
}

#[test]
fn requests_that_two_readers_read_differently_are_refused() {
    let table: [(&str, HttpError); 11] = [
        ("nonsense\r\n\r\n", HttpError::Syntax),
        ("GET / HTTP/1.1\r\n\r\n", HttpError::Target),
        ("GET https://site.test/ HTTP/1.1\r\n\r\n", HttpError::Target),
        ("GET http://user@site.test/ HTTP/1.1\r\n\r\n", HttpError::Target),
        ("GET http:///x HTTP/1.1\r\n\r\n", HttpError::Target),
        ("CONNECT site.test HTTP/1.1\r\n\r\n", HttpError::Target),
        ("CONNECT site.test:99999 HTTP/1.1\r\n\r\n", HttpError::Target),
        ("POST http://a.b/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", HttpError::Ambiguous),
        ("POST http://a.b/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n", HttpError::Ambiguous),
        (
            "POST http://a.b/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            HttpError::Ambiguous,
        ),
        ("POST http://a.b/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", HttpError::Ambiguous),
    ];
    for (request, error) in table {
        assert_eq!(http::parse(request.as_bytes()).unwrap_err(), error, "{request:?}");
    }
    let endless = vec![b'a'; http::MAX_HEAD];
    assert!(http::parse(&endless).is_err());
    let scene = scene(&["site.test"], &[]);
    assert!(scene.say(b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
    assert!(scene.say(b"CONNECT missing.site.test:1 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403 "));
    // SOCKS: only without a password, and only to connect.
    assert_eq!(scene.say(&[5, 1, 2]).as_bytes(), "\u{5}\u{fffd}".as_bytes());
    assert_eq!(scene.say(&[5, 1, 0, 5, 3, 0, 1, 1, 2, 3, 4, 0, 80]).as_bytes()[..4], [5, 0, 5, 7]);
    assert_eq!(scene.say(&[4, 1, 0, 80]).get(..12), Some("HTTP/1.1 400"));
}

proptest! {
    /// However a message is cut, it is read the same; and no bytes make a reader panic.
    #[test]
    fn messages_are_read_as_they_grow(bytes in proptest::collection::vec(any::<u8>(), 0..64), host in "[a-z0-9.]{1,20}", port in any::<u16>()) {
        let _ = http::parse(&bytes);
        let _ = socks5::greeting(&bytes);
        let _ = socks5::request(&bytes);
        let mut request = vec![5, 1, 0, 3, host.len() as u8];
        request.extend_from_slice(host.as_bytes());
        request.extend_from_slice(&port.to_be_bytes());
        for end in 0..request.len() {
            prop_assert_eq!(socks5::request(&request[..end]), Ok(None));
        }
        let expected = socks5::Request { is_connect: true, host: host.clone(), port };
        let length = request.len();
        request.extend_from_slice(&bytes);
        prop_assert_eq!(socks5::request(&request), Ok(Some((expected, length))));
        if port > 0 {
            let text = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
            for end in 0..text.len() {
                prop_assert_eq!(http::parse(&text.as_bytes()[..end]), Ok(None));
            }
            prop_assert_eq!(http::parse(text.as_bytes()), Ok(Some((http::Request::Connect { host, port }, text.len()))));
        }
    }
}
