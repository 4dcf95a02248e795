//! Combines TCP and Unix domain sockets into one type.
//!
//! Only server-rs has this file: sockets of Node have one type.

use std::future::pending;
use std::io::{IoSlice, Result, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::http::port::Port;
use crate::http::socket::{UnixListener, UnixStream};

/// The sockets that a server listens on.
#[derive(Debug)]
pub struct Listeners {
    /// The sockets of the port.
    pub port: Port,
    /// The socket of `--socket`.
    pub unix: Option<UnixListener>,
}

impl Listeners {
    /// Accepts the next connection on the port or on the Unix socket.
    pub(super) async fn accept(&self) -> Result<Transport> {
        tokio::select! {
            accepted = accept_tcp(Some(&self.port.first)) => accepted,
            accepted = accept_tcp(self.port.second.as_ref()) => accepted,
            accepted = accept_unix(self.unix.as_ref()) => accepted,
        }
    }
}

async fn accept_tcp(listener: Option<&TcpListener>) -> Result<Transport> {
    let Some(listener) = listener else { return pending().await };
    let (socket, _) = listener.accept().await?;
    // Answers are small and complete, so Nagle's algorithm would only delay them.
    drop(socket.set_nodelay(true));
    Ok(Transport::Tcp(socket))
}

async fn accept_unix(listener: Option<&UnixListener>) -> Result<Transport> {
    let Some(listener) = listener else { return pending().await };
    listener.accept().await.map(|(socket, _)| Transport::Unix(socket))
}

/// The socket of a connection.
#[derive(Debug)]
pub enum Transport {
    /// From the port.
    Tcp(TcpStream),
    /// From `--socket`.
    Unix(UnixStream),
}

impl Transport {
    /// Writes as much as the socket's buffer has room for, and closes it.
    pub(super) fn write_at_once(self, bytes: &[u8]) -> Result<()> {
        match self {
            Transport::Tcp(socket) => socket.into_std()?.write_all(bytes),
            Transport::Unix(socket) => socket.into_std()?.write_all(bytes),
        }
    }

    /// Sets the size of the send buffer. If the kernel refuses, its own size stays.
    pub(super) fn set_send_buffer(&self, bytes: usize) {
        drop(match self {
            Transport::Tcp(socket) => SockRef::from(socket).set_send_buffer_size(bytes),
            Transport::Unix(socket) => SockRef::from(socket).set_send_buffer_size(bytes),
        });
    }
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Transport::Tcp(socket) => Pin::new(socket).poll_read(cx, buf),
            Transport::Unix(socket) => Pin::new(socket).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        match self.get_mut() {
            Transport::Tcp(socket) => Pin::new(socket).poll_write(cx, bytes),
            Transport::Unix(socket) => Pin::new(socket).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        match self.get_mut() {
            Transport::Tcp(socket) => Pin::new(socket).poll_write_vectored(cx, slices),
            Transport::Unix(socket) => Pin::new(socket).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Transport::Tcp(socket) => socket.is_write_vectored(),
            Transport::Unix(socket) => socket.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Transport::Tcp(socket) => Pin::new(socket).poll_flush(cx),
            Transport::Unix(socket) => Pin::new(socket).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Transport::Tcp(socket) => Pin::new(socket).poll_shutdown(cx),
            Transport::Unix(socket) => Pin::new(socket).poll_shutdown(cx),
        }
    }
}
