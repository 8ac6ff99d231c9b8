//! Addresses that a name from outside must not lead to.

use crate::text::in_language;
use brakeline_settings::Language;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not dialled for a name, however the name is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LocalAddress {
    /// This machine: `127.0.0.0/8`, `::1`.
    Loopback,
    /// No address: `0.0.0.0/8`, `::`. Systems take it for this machine.
    Unspecified,
    /// The link: `169.254.0.0/16`, `fe80::/10`. Clouds answer there with credentials.
    LinkLocal,
    /// A cloud's metadata outside the link: `fd00:ec2::254`, `100.100.100.200`, `192.0.0.192`.
    Metadata,
    /// A group: `224.0.0.0/4`, `ff00::/8`, broadcast.
    Multicast,
    /// One of this machine's own addresses.
    OwnInterface,
}

impl LocalAddress {
    /// Returns the reason as the end of the sentence «the address is …».
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::Loopback => in_language(language, "本机回环地址", "this machine's loopback"),
            Self::Unspecified => in_language(language, "未指定地址", "the unspecified address"),
            Self::LinkLocal => in_language(language, "链路本地地址", "link-local"),
            Self::Metadata => in_language(language, "云元数据地址", "a metadata service"),
            Self::Multicast => in_language(language, "组播或广播地址", "multicast or broadcast"),
            Self::OwnInterface => in_language(language, "本机网卡地址", "one of this machine's own"),
        }
    }
}

/// Classifies an address; `None` for one that is somewhere else. Own interfaces are not known here.
///
/// IPv4 inside IPv6 (mapped, compatible, NAT64, 6to4) is judged as the IPv4 address it leads to.
///
/// ```
/// use brakeline_sandbox::address::{LocalAddress, classify};
///
/// assert_eq!(classify("127.9.9.9".parse()?), Some(LocalAddress::Loopback));
/// assert_eq!(classify("64:ff9b::a9fe:a9fe".parse()?), Some(LocalAddress::LinkLocal));
/// assert_eq!(classify("192.0.2.1".parse()?), None);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn classify(address: IpAddr) -> Option<LocalAddress> {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => classify_v4(inner),
            None => classify_v6(address),
        },
    }
}

fn classify_v4(address: Ipv4Addr) -> Option<LocalAddress> {
    const METADATA: [[u8; 4]; 2] = [[100, 100, 100, 200], [192, 0, 0, 192]];
    match address.octets() {
        [127, ..] => Some(LocalAddress::Loopback),
        [0, ..] => Some(LocalAddress::Unspecified),
        [169, 254, ..] => Some(LocalAddress::LinkLocal),
        [224..=239, ..] | [255, 255, 255, 255] => Some(LocalAddress::Multicast),
        octets if METADATA.contains(&octets) => Some(LocalAddress::Metadata),
        _ => None,
    }
}

fn classify_v6(address: Ipv6Addr) -> Option<LocalAddress> {
    const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address {
        Ipv6Addr::LOCALHOST => Some(LocalAddress::Loopback),
        Ipv6Addr::UNSPECIFIED => Some(LocalAddress::Unspecified),
        METADATA => Some(LocalAddress::Metadata),
        address if address.is_unicast_link_local() => Some(LocalAddress::LinkLocal),
        address if address.is_multicast() => Some(LocalAddress::Multicast),
        _ => None,
    }
}

/// Returns the IPv4 address that an IPv6 address leads to.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0x64, 0xff9b, 0 | 1, _, _, _, high, low]
        | [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}
