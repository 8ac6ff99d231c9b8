//! Hosts and domain patterns.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use brakeline_sandbox::domain::{Host, Pattern, PatternError, Side};
use proptest::prelude::*;

fn matches(pattern: &str, host: &str, port: u16) -> bool {
    Pattern::parse(pattern, Side::Allow).unwrap().matches(&Host::parse(host).unwrap(), port)
}

#[test]
fn patterns_match_what_the_table_says() {
    let table = [
        ("*", "anything.example", 1, true),
        ("*", "192.0.2.1", 1, true),
        ("*:443", "a.example", 443, true),
        ("*:443", "a.example", 80, false),
        ("example.com", "EXAMPLE.com.", 80, true),
        ("Example.Com", "example.com", 80, true),
        ("example.com", "www.example.com", 80, false),
        ("*.example.com", "www.example.com", 80, true),
        ("*.example.com", "a.b.example.com", 80, true),
        ("*.example.com", "example.com", 80, false),
        ("*.example.com", "badexample.com", 80, false),
        ("*.example.com:8443", "a.example.com", 8443, true),
        ("*.example.com:8443", "a.example.com", 443, false),
        ("192.0.2.1", "192.0.2.1", 80, true),
        ("192.0.2.1", "0xc0.0.2.1", 80, true),
        ("192.0.2.1", "3221225985", 80, true),
        ("192.0.2.1:22", "192.0.2.1", 80, false),
        ("[2001:db8::1]", "2001:DB8:0:0::1", 80, true),
        ("2001:db8::1", "[2001:db8::1]", 80, true),
        ("[2001:db8::1]:443", "[2001:db8::1]", 443, true),
        ("[2001:db8::1]:443", "[2001:db8::1]", 80, false),
        ("::ffff:192.0.2.1", "192.0.2.1", 80, true),
        ("localhost", "localhost", 80, true),
        ("my_host.internal", "my_host.internal", 80, true),
    ];
    for (pattern, host, port, expected) in table {
        assert_eq!(matches(pattern, host, port), expected, "{pattern} on {host}:{port}");
    }
}

#[test]
fn patterns_that_mislead_are_refused() {
    let table = [
        ("https://example.com", PatternError::Url),
        ("example.com/path", PatternError::Url),
        ("user@example.com", PatternError::Url),
        ("*.com", PatternError::TooWide),
        ("*.", PatternError::Host),
        ("**", PatternError::Star),
        ("*.*.com", PatternError::Star),
        ("exam*.com", PatternError::Star),
        ("a.*.com", PatternError::Star),
        ("例子.com", PatternError::NotAscii),
        ("example.com:", PatternError::Port),
        ("example.com:0", PatternError::Port),
        ("example.com:+1", PatternError::Port),
        ("example.com:65536", PatternError::Port),
        ("exa mple.com", PatternError::Host),
        ("", PatternError::Host),
        ("*.192.0.2.1", PatternError::Host),
        ("1.2.3.4.5", PatternError::Host),
        ("a..b", PatternError::Host),
    ];
    for (pattern, error) in table {
        assert_eq!(Pattern::parse(pattern, Side::Allow), Err(error), "{pattern}");
    }
    assert!(Pattern::parse("*.com", Side::Deny).is_ok(), "to deny much is safe");
}

proptest! {
    /// The reference for spellings of hosts is the URL standard, by the crate that implements it.
    #[test]
    fn hosts_are_read_as_urls_read_them(text in "([0-9]{1,3}|0x[0-9a-fA-F]{0,3}|0[0-8]{0,3}|[a-z0-9-]{1,4})(\\.([0-9]{1,4}|0x[0-9a-f]{0,3}|[a-z0-9]{1,4})){0,4}\\.?") {
        let ours = Host::parse(&text).map(|host| host.to_string());
        let theirs = url::Host::parse(&text).ok().map(|host| host.to_string().trim_end_matches('.').to_owned());
        // The URL standard decodes punycode and refuses what is broken in it; a resolver does not, and nothing is gained.
        prop_assume!(!text.contains("xn--"));
        if ours.is_some() || theirs.is_none() {
            prop_assert_eq!(&ours, &theirs, "{}", text);
        }
    }

    #[test]
    fn no_text_makes_a_pattern_panic(text in "\\PC{0,30}") {
        let _ = Pattern::parse(&text, Side::Allow);
        let _ = Host::parse(&text);
    }

    #[test]
    fn a_host_written_out_is_itself(text in "[a-z0-9.:\\[\\]x]{1,20}") {
        if let Some(host) = Host::parse(&text) {
            prop_assert_eq!(Host::parse(&host.to_string()), Some(host));
        }
    }
}
