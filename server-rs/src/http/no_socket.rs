//! Refuses `--socket` on Windows, where the runtime has no Unix domain sockets (rule PRO-11).
//!
//! Only server-rs has this file: it stands in place of `http/socket`.

pub use tokio::net::{TcpListener as UnixListener, TcpStream as UnixStream};

use crate::contract::flags::EXITS;

/// The reason why the server cannot listen at the path: the system has no such sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketProblem;

impl SocketProblem {
    /// Returns its message.
    pub fn message(self) -> &'static str {
        EXITS.socket.unusable
    }
}

/// The socket file that this process listens on; no value of it exists.
#[derive(Debug)]
pub enum SocketFile {}

impl SocketFile {
    /// Refuses every path.
    pub fn bind(_path: &str) -> Result<(Self, UnixListener), SocketProblem> {
        Err(SocketProblem)
    }

    /// Has nothing to remove.
    pub fn remove(&self) {
        match *self {}
    }
}
