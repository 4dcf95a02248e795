//! Binds the Unix domain socket of `--socket`, and removes its file (rule PRO-11).
//!
//! Invariants: only this user can connect, from the first moment on. The server removes no file of another process.

use std::fs::{File, Permissions, set_permissions, symlink_metadata};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};
pub use tokio::net::{UnixListener, UnixStream};

use crate::contract::flags::EXITS;

/// Only the owner may connect (rule PRO-11).
const MODE: u32 = 0o600;

/// Number of connections that may wait for accept, as for TCP.
const BACKLOG: i32 = 1024;

/// Reasons why the server cannot listen at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketProblem {
    /// A process listens there.
    InUse,
    /// The file is not a socket.
    NotASocket,
    /// Any other problem.
    Unusable,
}

impl SocketProblem {
    /// Returns its message.
    pub fn message(self) -> &'static str {
        match self {
            SocketProblem::InUse => EXITS.socket.in_use,
            SocketProblem::NotASocket => EXITS.socket.not_a_socket,
            SocketProblem::Unusable => EXITS.socket.unusable,
        }
    }
}

/// The socket file that this process listens on.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// Listens at `path` after removing a stale file.
    pub fn bind(path: &str) -> Result<(Self, UnixListener), SocketProblem> {
        let path = Path::new(path);
        remove_stale(path)?;
        let (socket, address) = unbound(path).map_err(|_| SocketProblem::Unusable)?;
        // Linux gives the file the mode that the socket has now; on other systems a client cannot connect before
        // `listen`.
        let file = File::from(OwnedFd::from(socket));
        drop(file.set_permissions(Permissions::from_mode(MODE)));
        let socket = Socket::from(OwnedFd::from(file));
        socket.bind(&address).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => SocketProblem::InUse,
            _ => SocketProblem::Unusable,
        })?;
        let unusable = |_| SocketProblem::Unusable;
        let identity = identity_of(path).ok_or(SocketProblem::Unusable)?;
        let file = Self { path: path.to_owned(), identity };
        let listened = set_permissions(path, Permissions::from_mode(MODE))
            .and_then(|()| socket.listen(BACKLOG))
            .and_then(|()| socket.set_nonblocking(true))
            .and_then(|()| UnixListener::from_std(OwnedFd::from(socket).into()));
        let listener = listened.inspect_err(|_| file.remove()).map_err(unusable)?;
        Ok((file, listener))
    }

    /// Removes the file, unless another file has replaced it. The caller still listens, so that no other server
    /// treats the file as stale.
    pub fn remove(&self) {
        if identity_of(&self.path) == Some(self.identity) {
            // The next start removes a file that remains.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Removes the socket file of a server that no longer runs; any other file is a problem.
fn remove_stale(path: &Path) -> Result<(), SocketProblem> {
    let file = match symlink_metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(_) => return Err(SocketProblem::Unusable),
    };
    if !file.file_type().is_socket() {
        return Err(SocketProblem::NotASocket);
    }
    let (socket, address) = unbound(path).map_err(|_| SocketProblem::Unusable)?;
    // A full backlog would block; it also means that a process listens.
    let connected = socket.set_nonblocking(true).and_then(|()| socket.connect(&address));
    match connected.map_err(|error| error.kind()) {
        Ok(()) | Err(ErrorKind::WouldBlock) => Err(SocketProblem::InUse),
        Err(ErrorKind::NotFound) => Ok(()),
        Err(ErrorKind::ConnectionRefused) => match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(SocketProblem::Unusable),
            _ => Ok(()),
        },
        Err(_) => Err(SocketProblem::Unusable),
    }
}

/// Creates a socket and the address of a path.
fn unbound(path: &Path) -> std::io::Result<(Socket, SockAddr)> {
    Ok((Socket::new(Domain::UNIX, Type::STREAM, None)?, SockAddr::unix(path)?))
}

/// Returns the device and the inode of a file.
fn identity_of(path: &Path) -> Option<(u64, u64)> {
    symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
