//! Listens on the port: at the address of `--host`, and next to 127.0.0.1 also at ::1 (rule PRO-21).
//!
//! A system may resolve `localhost` to ::1 first. Invariant: both sockets have the same port.

use std::io::{ErrorKind, Result};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket};

use crate::contract::TUNING;
use crate::platform::CAN_REUSE_ADDRESS;

/// Number of connections that may wait for accept.
const BACKLOG: u32 = 1024;

/// The sockets of the port.
#[derive(Debug)]
pub struct Port {
    /// Listens at the address of `--host`.
    pub first: TcpListener,
    /// Listens at ::1.
    pub second: Option<TcpListener>,
    /// The address of ::1, if another process listens there.
    pub taken: Option<SocketAddr>,
}

impl Port {
    /// Listens at an address; port 0 chooses a free one.
    pub fn bind(address: SocketAddr) -> Result<Self> {
        if address.ip() != Ipv4Addr::LOCALHOST {
            return Ok(Self { first: listen(address)?, second: None, taken: None });
        }
        // The sockets of earlier tries stay open, so that the system chooses another port each time.
        let mut tries = Vec::new();
        while address.port() == 0 && tries.len() < TUNING.port_tries {
            let Ok(second) = listen(beside(0)) else { break };
            match listen(SocketAddr::new(address.ip(), second.local_addr()?.port())) {
                Ok(first) => return Ok(Self { first, second: Some(second), taken: None }),
                Err(error) if error.kind() == ErrorKind::AddrInUse => tries.push(second),
                Err(error) => return Err(error),
            }
        }
        let first = listen(address)?;
        let address = beside(first.local_addr()?.port());
        Ok(match listen(address) {
            Ok(second) => Self { first, second: Some(second), taken: None },
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                Self { first, second: None, taken: Some(address) }
            }
            // The machine has no IPv6, or not for this process.
            Err(_) => Self { first, second: None, taken: None },
        })
    }

    /// Returns the address of each socket; the first one is that of the URL.
    pub fn addresses(&self) -> Vec<String> {
        let sockets = std::iter::once(&self.first).chain(&self.second);
        sockets.filter_map(|socket| Some(socket.local_addr().ok()?.to_string())).collect()
    }
}

fn beside(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv6Addr::LOCALHOST, port))
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Lets a restart bind the port while old connections are still closing.
    socket.set_reuseaddr(CAN_REUSE_ADDRESS)?;
    if address.ip() == Ipv6Addr::LOCALHOST {
        SockRef::from(&socket).set_only_v6(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
