//! The network outside.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::time::Duration;

/// What a proxy does to the network. A test brings its own.
pub trait Upstream: Send + Sync {
    /// Returns the addresses of a name. May block.
    ///
    /// # Errors
    ///
    /// When the name has none, or the resolver does not answer.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>>;

    /// Whether an address is one of this machine's interfaces.
    fn is_own(&self, address: IpAddr) -> bool;

    /// Connects to an address, to that one and no other.
    ///
    /// # Errors
    ///
    /// When nobody answers in time.
    fn dial(&self, address: SocketAddr, patience: Duration) -> io::Result<TcpStream>;
}

/// The network of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostUpstream;

impl Upstream for HostUpstream {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>> {
        let mut addresses: Vec<IpAddr> = Vec::new();
        for address in (host, port).to_socket_addrs()? {
            if !addresses.contains(&address.ip()) {
                addresses.push(address.ip());
            }
        }
        Ok(addresses)
    }

    fn is_own(&self, address: IpAddr) -> bool {
        const DISCARD: u16 = 9;
        // To «connect» a datagram socket sends nothing; it asks the kernel which address would send. For an address of this
        // machine that is the address itself, and for no other.
        let any: IpAddr = match address {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        UdpSocket::bind((any, 0))
            .and_then(|socket| socket.connect((address, DISCARD)).and_then(|()| socket.local_addr()))
            .is_ok_and(|sender| sender.ip() == address)
    }

    fn dial(&self, address: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(&address, patience)
    }
}
