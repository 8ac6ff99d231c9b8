//! Any pattern, host and port: canonical hosts stay as they are, a pattern that denies is at least as wide as the same one that
//! allows, and denied wins.

#![no_main]

use brakeline_sandbox::config::{Entry, Network};
use brakeline_sandbox::domain::{Host, Pattern, Side};
use brakeline_sandbox::network::NetworkPolicy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, u16)| {
    let (pattern, host, port) = input;
    let allow = Pattern::parse(pattern, Side::Allow);
    let deny = Pattern::parse(pattern, Side::Deny);
    assert!(allow.is_err() || allow == deny, "what may be allowed may be denied");
    let parsed = Host::parse(host);
    if let Some(canonical) = &parsed {
        assert_eq!(Host::parse(&canonical.to_string()).as_ref(), Some(canonical));
    }
    let lists = |denied: &[&str]| Network {
        allowed_domains: vec![Entry::new(pattern), Entry::new("*")],
        denied_domains: denied.iter().map(|text| Entry::new(*text)).collect(),
    };
    let open = NetworkPolicy::new(&lists(&[])).may_connect(host, port);
    assert_eq!(open.allowed, parsed.is_some(), "everything that is a host");
    let closed = NetworkPolicy::new(&lists(&[pattern])).may_connect(host, port);
    if let (Ok(deny), Some(parsed)) = (deny, parsed) {
        assert_eq!(closed.allowed, !deny.matches(&parsed, port), "denied wins");
        if let Some(base) = pattern.strip_prefix("*.") {
            assert!(
                Host::parse(base) != Some(parsed.clone()) || !deny.matches(&parsed, port),
                "the apex is another host"
            );
        }
    } else {
        assert!(!closed.allowed, "a pattern that cannot be read denies everything");
    }
});
