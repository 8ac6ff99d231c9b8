//! Any bytes from a client of the proxy, in both protocols: what is read needs its own bytes alone, and what is passed on is one
//! request with one host.

#![no_main]

use brakeline_sandbox::proxy::{http, socks5};
use libfuzzer_sys::fuzz_target;

fn own_bytes<T: PartialEq + std::fmt::Debug, E: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    parse: impl Fn(&[u8]) -> Result<Option<(T, usize)>, E>,
) -> Option<T> {
    let (message, length) = parse(bytes).ok()??;
    let (own, _) = bytes.split_at_checked(length).expect("no longer than what was read");
    assert_eq!(parse(own), Ok(Some((message, length))), "nothing behind it matters");
    for end in 0..length {
        assert!(!matches!(parse(&bytes[..end]), Ok(Some(_))), "nor is it over before");
    }
    parse(bytes).ok()?.map(|(message, _)| message)
}

fuzz_target!(|bytes: &[u8]| {
    own_bytes(bytes, socks5::greeting);
    own_bytes(bytes, socks5::request);
    if let Some(http::Request::Forward { head, .. }) = own_bytes(bytes, http::parse) {
        let mut fields = [httparse::EMPTY_HEADER; 128];
        let mut request = httparse::Request::new(&mut fields);
        let status = request.parse(&head).expect("what is passed on is a request");
        assert_eq!(status, httparse::Status::Complete(head.len()), "one, and nothing behind it");
        let count =
            |name: &str| request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name)).count();
        assert_eq!((count("host"), count("connection"), count("proxy-authorization")), (1, 1, 0));
        assert!(request.path.is_some_and(|path| path.starts_with('/')));
    }
});
