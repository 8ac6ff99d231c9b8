//! Which hosts may be reached: one decision for every protocol, and for tools inside the process.

use crate::address::{LocalAddress, classify};
use crate::config::{Entry, Network};
use crate::domain::{Host, Pattern, Side};
use brakeline_settings::Language;
use std::net::IpAddr;

/// The lists of `network`, compiled.
///
/// ```
/// use brakeline_sandbox::config::{Entry, Network};
/// use brakeline_sandbox::network::NetworkPolicy;
/// use brakeline_settings::Language;
///
/// let lists = Network {
///     allowed_domains: vec![Entry::new("*.example.com"), Entry::new("localhost")],
///     denied_domains: vec![Entry::new("secret.example.com")],
/// };
/// let policy = NetworkPolicy::new(&lists);
/// assert!(policy.may_connect("API.example.com.", 443).allowed);
/// assert!(!policy.may_connect("secret.example.com", 443).allowed, "denied wins");
/// let verdict = policy.may_connect("example.com", 443);
/// assert_eq!(
///     verdict.text(Language::En),
///     "`example.com:443` is denied by the sandbox: no `network.allowedDomains` matches it"
/// );
///
/// // A name that leads home is refused, unless the list names that very host.
/// assert!(!policy.may_reach("api.example.com", 443, [127, 0, 0, 1].into(), false).allowed);
/// assert!(policy.may_reach("localhost", 8080, [127, 0, 0, 1].into(), false).allowed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkPolicy {
    allowed: Vec<(Pattern, Entry)>,
    denied: Vec<(Pattern, Entry)>,
}

/// A verdict about one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct NetworkVerdict {
    /// Whether it may be made.
    pub allowed: bool,
    /// The host, in its canonical form; as given if it has none.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What decided.
    pub reason: NetworkReason,
}

/// What decided about a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkReason {
    /// A `deniedDomains` entry matches.
    Denied(Entry),
    /// An `allowedDomains` entry matches.
    Allowed(Entry),
    /// No `allowedDomains` entry matches.
    NotListed,
    /// There is no `allowedDomains` entry at all.
    NoNetwork,
    /// What was asked for is neither a name nor an address.
    NoHost,
    /// The name leads to an address that is local, and no entry names the host itself.
    Local(IpAddr, LocalAddress),
}

impl NetworkPolicy {
    /// Compiles the lists. An entry that is no pattern is left out of those that allow, and denies everything among those
    /// that deny; [`Config`](crate::config::Config) refuses both when it is read.
    #[must_use]
    pub fn new(lists: &Network) -> Self {
        let compile = |entries: &[Entry], side| {
            let compile_one = |entry: &Entry| match (Pattern::parse(&entry.text, side), side) {
                (Ok(pattern), _) => Some((pattern, entry.clone())),
                (Err(_), Side::Allow) => None,
                (Err(_), Side::Deny) => Some((Pattern::everything(), entry.clone())),
            };
            entries.iter().filter_map(compile_one).collect()
        };
        Self {
            allowed: compile(&lists.allowed_domains, Side::Allow),
            denied: compile(&lists.denied_domains, Side::Deny),
        }
    }

    /// Whether there is any network at all.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Judges a connection by the name it was asked for.
    pub fn may_connect(&self, host: &str, port: u16) -> NetworkVerdict {
        match Host::parse(host) {
            None => {
                NetworkVerdict { allowed: false, host: host.to_owned(), port, reason: NetworkReason::NoHost }
            }
            Some(host) => self.judge(&host, port),
        }
    }

    fn judge(&self, host: &Host, port: u16) -> NetworkVerdict {
        let verdict = |allowed, reason| NetworkVerdict { allowed, host: host.to_string(), port, reason };
        if let Some(entry) = matching(&self.denied, host, port) {
            return verdict(false, NetworkReason::Denied(entry.clone()));
        }
        match matching(&self.allowed, host, port) {
            Some(entry) => verdict(true, NetworkReason::Allowed(entry.clone())),
            None if self.is_open() => verdict(false, NetworkReason::NotListed),
            None => verdict(false, NetworkReason::NoNetwork),
        }
    }

    /// Judges a connection once more by an address that the name leads to; the address judged must be the one dialled.
    ///
    /// `is_own` tells that the address is one of this machine's interfaces.
    pub fn may_reach(&self, host: &str, port: u16, address: IpAddr, is_own: bool) -> NetworkVerdict {
        let by_name = self.may_connect(host, port);
        let Some(host) = Host::parse(host).filter(|_| by_name.allowed) else { return by_name };
        let refuse = |reason| NetworkVerdict { allowed: false, reason, ..by_name.clone() };
        let target = Host::of_address(address);
        if let Some(entry) = matching(&self.denied, &target, port) {
            return refuse(NetworkReason::Denied(entry.clone()));
        }
        let local = classify(address).or(is_own.then_some(LocalAddress::OwnInterface));
        match local {
            Some(local) if !self.names(&host, port, local) && !self.names_address(&target, port) => {
                refuse(NetworkReason::Local(address, local))
            }
            _ => by_name,
        }
    }

    /// Whether an entry names a host that is local by its own name: an address as written, or `localhost`.
    fn names(&self, host: &Host, port: u16, local: LocalAddress) -> bool {
        let is_local_name = match host {
            Host::Address(_) => true,
            Host::Name(name) => {
                local == LocalAddress::Loopback && (name == "localhost" || name.ends_with(".localhost"))
            }
        };
        is_local_name && self.names_address(host, port)
    }

    fn names_address(&self, host: &Host, port: u16) -> bool {
        self.allowed.iter().any(|(pattern, _)| pattern.names(host) && pattern.matches(host, port))
    }

    /// Returns the `deniedDomains` entry that makes the whole of `allowedDomains` pointless.
    #[must_use]
    pub fn denies_everything(&self) -> Option<&Entry> {
        self.denied.iter().find(|(pattern, _)| pattern.is_everything()).map(|(_, entry)| entry)
    }

    /// Whether the loopback of the machine outside may be reached, so that `localhost` must not bypass the proxy.
    #[must_use]
    pub fn allows_loopback(&self) -> bool {
        let is_loopback = |host: &Host| match host {
            Host::Address(address) => address.is_loopback(),
            Host::Name(name) => name == "localhost",
        };
        self.allowed.iter().any(|(pattern, _)| pattern.host().is_some_and(is_loopback))
    }
}

fn matching<'p>(patterns: &'p [(Pattern, Entry)], host: &Host, port: u16) -> Option<&'p Entry> {
    patterns.iter().find(|(pattern, _)| pattern.matches(host, port)).map(|(_, entry)| entry)
}

impl NetworkReason {
    /// Returns the reason as a clause.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let entry = |key: &str, entry: &Entry, zh: &str, en: &str| {
            let (text, origin) = (&entry.text, entry.origin_text(language));
            match language {
                Language::En => format!("`{key}` {en} `{text}` ({origin})"),
                Language::ZhCn => format!("`{key}` {zh} `{text}`（{origin}）"),
            }
        };
        match (self, language) {
            (Self::Denied(denied), _) => entry("network.deniedDomains", denied, "拒绝", "denies"),
            (Self::Allowed(allowed), _) => entry("network.allowedDomains", allowed, "允许", "allows"),
            (Self::NotListed, Language::En) => "no `network.allowedDomains` matches it".to_owned(),
            (Self::NotListed, Language::ZhCn) => "没有 `network.allowedDomains` 与之匹配".to_owned(),
            (Self::NoNetwork, Language::En) => "`network.allowedDomains` is empty: no network".to_owned(),
            (Self::NoNetwork, Language::ZhCn) => "`network.allowedDomains` 为空：禁止一切网络访问".to_owned(),
            (Self::NoHost, Language::En) => "it is neither a host name nor an address".to_owned(),
            (Self::NoHost, Language::ZhCn) => "它既不是主机名也不是地址".to_owned(),
            (Self::Local(address, local), Language::En) => format!(
                "it leads to {address}, {}, and no `network.allowedDomains` entry names that",
                local.text(language)
            ),
            (Self::Local(address, local), Language::ZhCn) => format!(
                "它解析到 {address}（{}），而 `network.allowedDomains` 没有明确写出该主机",
                local.text(language)
            ),
        }
    }
}

impl NetworkVerdict {
    /// Returns the verdict as one line: whether, what, and why.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (host, port, reason) = (&self.host, self.port, self.reason.text(language));
        match (self.allowed, language) {
            (true, Language::En) => format!("`{host}:{port}` is allowed: {reason}"),
            (true, Language::ZhCn) => format!("允许 `{host}:{port}`：{reason}"),
            (false, Language::En) => format!("`{host}:{port}` is denied by the sandbox: {reason}"),
            (false, Language::ZhCn) => format!("沙箱拒绝 `{host}:{port}`：{reason}"),
        }
    }
}
