//! Which addresses a page may be fetched from: a name under somebody else's control must not lead to this machine or its
//! neighbours.
//!
//! Refused are this machine (loopback, its own interfaces, `0.0.0.0/8`), what is on the same wire (link-local, which holds the
//! metadata services of clouds), groups (multicast, broadcast), reserved ranges, and IPv6 spellings of any of these. Private
//! ranges (RFC 1918, `fc00::/7`) are reached, since that is where an intranet lives; a gate can refuse them.

use crate::error::UrlProblem;
use crate::{Context, Error};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Metadata services that are not link-local.
const METADATA: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// How often cancellation is looked at.
const TICK: Duration = Duration::from_millis(20);

/// Resolves a host and returns the addresses that may be reached, in the resolver's order. These very addresses are dialled:
/// asking the resolver again could give others.
pub(crate) fn vetted(
    url: &str,
    host: &str,
    port: u16,
    deadline: Instant,
    context: &Context<'_>,
) -> Result<Vec<SocketAddr>, Error> {
    let all = resolve(url, host, port, deadline, context)?;
    let (mut vetted, mut refused, mut refusal) = (Vec::new(), None, None);
    for address in all {
        let ip = canonical(address.ip());
        if is_refused(ip) && !context.gate.is_exempt(host, port, ip) {
            refused.get_or_insert(ip);
        } else if let Err(reason) = context.gate.may_reach(host, port, ip) {
            refusal.get_or_insert(reason);
        } else {
            vetted.push(address);
        }
    }
    match (vetted.is_empty(), refused, refusal) {
        (false, _, _) => Ok(vetted),
        (true, Some(address), _) => Err(Error::Url {
            url: url.to_owned(),
            problem: UrlProblem::Address { host: host.to_owned(), address },
        }),
        (true, None, Some(refusal)) => Err(refusal.into()),
        (true, None, None) => {
            Err(Error::Fetch { url: url.to_owned(), message: format!("no address for the host {host}") })
        }
    }
}

/// Asks the system's resolver, which cannot be told to stop, in a thread that is left behind if it takes too long.
fn resolve(
    url: &str,
    host: &str,
    port: u16,
    deadline: Instant,
    context: &Context<'_>,
) -> Result<Vec<SocketAddr>, Error> {
    if let Ok(ip) = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let (sender, receiver) = mpsc::channel();
    let name = host.to_owned();
    let asking = std::thread::Builder::new().name("webfetch-resolve".to_owned()).spawn(move || {
        let found = (name.as_str(), port).to_socket_addrs().map(|found| found.take(16).collect::<Vec<_>>());
        // Nobody may be waiting any more.
        let _ = sender.send(found);
    });
    let failed = |error: std::io::Error| Error::Fetch { url: url.to_owned(), message: error.to_string() };
    asking.map_err(failed)?;
    loop {
        context.check()?;
        match receiver.recv_timeout(TICK) {
            Ok(found) => return found.map_err(failed),
            Err(mpsc::RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
            Err(_) => return Err(super::timed_out(deadline)),
        }
    }
}

/// Takes an IPv4 address out of the IPv6 spellings of it: mapped, compatible, NAT64, 6to4.
fn canonical(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    let v4 = |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => v4(high, low),
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, high, low] if high > 0 => v4(high, low),
        _ => ip,
    }
}

/// Returns whether a canonical address is refused.
fn is_refused(ip: IpAddr) -> bool {
    let reserved = match ip {
        IpAddr::V4(v4) => {
            let [first, second, third, _] = v4.octets();
            v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || first == 0
                || first >= 240
                || (first, second, third) == (192, 0, 0)
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unicast_link_local()
                // Site-local, which some systems still route.
                || v6.segments().first().is_some_and(|first| first & 0xffc0 == 0xfec0)
        }
    };
    reserved || METADATA.contains(&ip) || is_own(ip)
}

/// Returns whether an address belongs to an interface of this machine: only such a one can be bound.
fn is_own(ip: IpAddr) -> bool {
    UdpSocket::bind(SocketAddr::new(ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(ip: &str) -> bool {
        is_refused(canonical(ip.parse().unwrap()))
    }

    #[test]
    fn what_is_here_or_next_door_is_refused_however_it_is_written() {
        for ip in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.0.0.8",
            "100.100.100.200",
            "::1",
            "::",
            "fe80::1",
            "ff02::1",
            "fec0::1",
            "fd00:ec2::254",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "64:ff9b::a9fe:a9fe",
        ] {
            assert!(refused(ip), "{ip}");
        }
    }

    #[test]
    fn what_is_elsewhere_is_not() {
        for ip in [
            "1.1.1.1",
            "93.184.216.34",
            "10.255.254.253",
            "2606:4700:4700::1111",
            "64:ff9b::101:101",
            "fd12:3456::9",
        ] {
            assert!(!refused(ip), "{ip}");
        }
    }
}
