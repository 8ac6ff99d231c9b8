//! Hosts and the patterns that match them.
//!
//! | pattern | matches |
//! |---|---|
//! | `*` | every host and address |
//! | `*.example.com` | every name below `example.com`, at any depth; not `example.com` itself |
//! | `example.com` | that name |
//! | `192.0.2.7`, `[2001:db8::1]` | that address |
//! | any of them with `:443` | the same, on that port alone |

use crate::text::in_language;
use brakeline_settings::Language;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host as a connection names it, in one canonical form: lower case, no final dot, addresses as addresses.
///
/// ```
/// use brakeline_sandbox::domain::Host;
///
/// assert_eq!(Host::parse("Example.COM.").unwrap().to_string(), "example.com");
/// // Every spelling of an address is that address.
/// assert_eq!(Host::parse("0x7f.1").unwrap(), Host::parse("127.0.0.1").unwrap());
/// assert_eq!(Host::parse("[::ffff:7f00:1]").unwrap(), Host::parse("2130706433").unwrap());
/// assert!(Host::parse("exa mple.com").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name.
    Name(String),
    /// An address. One that maps IPv4 into IPv6 is the IPv4 address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host: a name, an IPv4 address in any spelling that URLs and `inet_aton` know, or an IPv6 address with or
    /// without brackets. `None` for anything else, non-ASCII names among it: on the wire those are punycode.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return inner.parse().ok().map(Self::v6);
        }
        if text.contains(':') {
            return text.parse().ok().map(Self::v6);
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let is_name = !name.is_empty() && name.len() <= MAX_NAME && name.split('.').all(is_label);
        if !is_name {
            return None;
        }
        // As in URLs: what ends in a number is an address or nothing.
        let ends_in_number =
            name.rsplit('.').next().is_some_and(|last| number(last).is_some() || is_digits(last));
        if ends_in_number {
            ipv4(&name).map(|address| Self::Address(address.into()))
        } else {
            Some(Self::Name(name))
        }
    }

    /// Returns the host that an address is.
    #[must_use]
    pub fn of_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(_) => Self::Address(address),
            IpAddr::V6(address) => Self::v6(address),
        }
    }

    fn v6(address: Ipv6Addr) -> Self {
        Self::Address(address.to_canonical())
    }
}

/// Writes a name as it is, IPv6 in brackets.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// The longest name that DNS knows.
const MAX_NAME: usize = 253;

/// Whether a text can stand between two dots of a name. Underscores are no host names by the book and common all the same.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a part of an IPv4 address: decimal, `0x` hexadecimal or `0` octal.
fn number(part: &str) -> Option<u64> {
    let (digits, radix) = match part.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if part.len() > 1 && part.starts_with('0') => (part, 8),
        None => (part, 10),
    };
    match digits {
        "" => (radix == 16).then_some(0),
        digits if digits.starts_with(['+', '-']) => None,
        digits => u64::from_str_radix(digits, radix).ok(),
    }
}

/// Reads an IPv4 address of one to four parts, the last of which fills what is left.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, head) = parts.split_last()?;
    let rest = 4_u32.checked_sub(u32::try_from(head.len()).ok()?).filter(|rest| *rest > 0)?;
    let is_in_range = head.iter().all(|part| *part < 256) && *last < 256_u64.pow(rest);
    let high = head.iter().fold(0_u64, |sum, part| (sum << 8) | part);
    let whole = high.checked_shl(8 * rest).unwrap_or(0) | last;
    is_in_range.then_some(whole).and_then(|whole| u32::try_from(whole).ok()).map(Ipv4Addr::from_bits)
}

/// A pattern of `network.allowedDomains` or `network.deniedDomains`.
///
/// ```
/// use brakeline_sandbox::domain::{Host, Pattern, Side};
///
/// let below = Pattern::parse("*.example.com", Side::Allow)?;
/// assert!(below.matches(&Host::parse("api.eu.example.com").unwrap(), 443));
/// assert!(!below.matches(&Host::parse("example.com").unwrap(), 443), "the apex is another host");
/// assert!(!below.matches(&Host::parse("notexample.com").unwrap(), 443));
/// assert!(Pattern::parse("https://example.com", Side::Allow).is_err());
/// # Ok::<(), brakeline_sandbox::domain::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    All,
    /// `.example.com`, with its dot.
    Below(String),
    One(Host),
}

/// Which list a pattern stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `allowedDomains`
    Allow,
    /// `deniedDomains`
    Deny,
}

/// Why a pattern is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// It has a scheme, a path or a user: it is a URL.
    Url,
    /// A star that is not the whole first label.
    Star,
    /// `*.com` in a list that allows: one label is half of the internet.
    TooWide,
    /// A letter beyond ASCII.
    NotAscii,
    /// A port that is no number from 1 to 65535.
    Port,
    /// Neither a name nor an address.
    Host,
}

impl PatternError {
    /// Returns the second half of the sentence «the domain `…` …».
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::Url => in_language(language, "是 URL，请只写主机名", "is a URL; write the host alone"),
            Self::Star => in_language(
                language,
                "的 `*` 只能单独使用或写成 `*.example.com`",
                "has a `*` that is neither alone nor the whole first label, as in `*.example.com`",
            ),
            Self::TooWide => in_language(
                language,
                "覆盖整个顶级域，请至少写两级，如 `*.example.com`",
                "spans a whole top-level domain; name at least two labels, as in `*.example.com`",
            ),
            Self::NotAscii => in_language(
                language,
                "含有非 ASCII 字符，请写成 punycode（`xn--…`）",
                "has letters beyond ASCII; write it in punycode (`xn--…`)",
            ),
            Self::Port => {
                in_language(language, "的端口应为 1 到 65535", "has a port that is no number from 1 to 65535")
            }
            Self::Host => {
                in_language(language, "不是主机名也不是地址", "is neither a host name nor an address")
            }
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the domain {}", self.text(Language::En))
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`] for what would never match, or match far more than it seems to.
    pub fn parse(text: &str, side: Side) -> Result<Self, PatternError> {
        let text = text.trim();
        if !text.is_ascii() {
            return Err(PatternError::NotAscii);
        }
        if text.contains(['/', '@', '?', '#']) {
            return Err(PatternError::Url);
        }
        let (host, port) = split_host_port(text).ok_or(PatternError::Port)?;
        let hosts = match host.strip_prefix("*.") {
            None if host == "*" => Hosts::All,
            None if host.contains('*') => return Err(PatternError::Star),
            None => Hosts::One(Host::parse(host).ok_or(PatternError::Host)?),
            Some(base) if base.contains('*') => return Err(PatternError::Star),
            Some(base) => below(base, side)?,
        };
        Ok(Self { hosts, port })
    }

    /// Whether the pattern matches a connection to a host and port.
    #[must_use]
    pub fn matches(&self, host: &Host, port: u16) -> bool {
        self.port.is_none_or(|wanted| wanted == port)
            && match (&self.hosts, host) {
                (Hosts::All, _) => true,
                (Hosts::Below(base), Host::Name(name)) => {
                    name.len() > base.len() && name.ends_with(base.as_str())
                }
                (Hosts::Below(_), Host::Address(_)) => false,
                (Hosts::One(one), host) => one == host,
            }
    }

    /// Whether the pattern names one host and means exactly that: such an entry may lead to an address that is local.
    #[must_use]
    pub fn names(&self, host: &Host) -> bool {
        matches!(&self.hosts, Hosts::One(one) if one == host)
    }

    /// Returns the pattern that matches everything.
    pub(crate) fn everything() -> Self {
        Self { hosts: Hosts::All, port: None }
    }

    /// Returns the one host that the pattern means, if it means one.
    pub(crate) fn host(&self) -> Option<&Host> {
        match &self.hosts {
            Hosts::One(host) => Some(host),
            Hosts::All | Hosts::Below(_) => None,
        }
    }

    /// Whether the pattern matches every host on every port.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.hosts == Hosts::All && self.port.is_none()
    }
}

fn below(base: &str, side: Side) -> Result<Hosts, PatternError> {
    match Host::parse(base) {
        Some(Host::Name(name)) if side == Side::Deny || name.contains('.') => {
            Ok(Hosts::Below(format!(".{name}")))
        }
        Some(Host::Name(_)) => Err(PatternError::TooWide),
        Some(Host::Address(_)) | None => Err(PatternError::Host),
    }
}

/// Splits `host:port`; `None` for a port that is none. An IPv6 address has its port behind brackets.
///
/// ```
/// use brakeline_sandbox::domain::split_host_port;
///
/// assert_eq!(split_host_port("example.com:443"), Some(("example.com", Some(443))));
/// assert_eq!(split_host_port("[::1]:80"), Some(("[::1]", Some(80))));
/// assert_eq!(split_host_port("::1"), Some(("::1", None)));
/// assert_eq!(split_host_port("example.com:http"), None);
/// ```
#[must_use]
pub fn split_host_port(text: &str) -> Option<(&str, Option<u16>)> {
    let colon = match text.rfind(':') {
        Some(colon) if text.starts_with('[') && !text.get(..colon)?.ends_with(']') => None,
        Some(colon) if !text.starts_with('[') && text.find(':') != Some(colon) => None,
        colon => colon,
    };
    let Some(colon) = colon else { return Some((text, None)) };
    let (host, port) = (text.get(..colon)?, text.get(colon + 1..)?);
    let port =
        port.parse().ok().filter(|port: &u16| *port > 0 && is_digits(text.get(colon + 1..).unwrap_or("")))?;
    Some((host, Some(port)))
}
