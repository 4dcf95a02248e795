//! Wraps a connection's socket, with the rules that hold before hyper sees a byte (HTT-07, HTT-08, HTT-11, STR-08).
//!
//! A head that breaks a rule is replaced by a request for [`crate::http::head::REFUSED`], a target that no client can
//! send. So `reply` makes its answer. Only server-rs has this file: Node shows its application what hyper hides.
//! Over 250 lines because it gathers everything that hyper hides: heads, bodies, timeouts and other protocols.

use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::http::chunks::ChunkScanner;
use crate::http::connection::Wire;
use crate::http::head::{Framing, HeadScanner, Progress};
use crate::http::transport::Transport;

enum State {
    Head(HeadScanner),
    Length(u64),
    Chunks(ChunkScanner),
    /// All further bytes are dropped.
    Refused,
    /// The framing of a body is malformed, or the protocol is another one.
    Broken,
}

/// The socket as hyper sees it.
pub struct WireStream {
    socket: Transport,
    wire: Arc<Wire>,
    /// Received bytes; hyper may read the first `passed` bytes.
    inbox: BytesMut,
    passed: usize,
    state: State,
    read_timer: Pin<Box<Sleep>>,
    /// Whether no head is complete yet.
    is_first: bool,
    /// The wait that the read timer covers, so that it is set once per wait.
    waiting: Waiting,
    write_timer: Option<Pin<Box<Sleep>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Nothing,
    FirstHead,
    RestOfHead,
    NextRequest,
}

impl WireStream {
    /// Wraps an accepted socket.
    pub fn new(socket: Transport, wire: Arc<Wire>) -> Self {
        let timeout = Duration::from_millis(LIMITS.head_timeout_ms);
        Self {
            socket,
            wire,
            inbox: BytesMut::new(),
            passed: 0,
            state: State::Head(HeadScanner::default()),
            read_timer: Box::pin(tokio::time::sleep(timeout)),
            is_first: true,
            waiting: Waiting::FirstHead,
            write_timer: None,
        }
    }

    /// Returns the socket itself, for the lingering close.
    pub fn into_socket(self) -> Transport {
        self.socket
    }

    /// Checks received bytes, and releases those that hyper may read.
    fn judge(&mut self) {
        if matches!(self.state, State::Head(_)) {
            // Empty lines before a request line are ignored (RFC 9112, section 2.2).
            let skipped = self.inbox.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            self.inbox.advance(skipped);
        }
        while self.passed < self.inbox.len() {
            let fresh = &self.inbox[self.passed..];
            match &mut self.state {
                State::Head(scanner) => match scanner.scan(fresh) {
                    Progress::Partial => return,
                    Progress::Http2 if self.is_first => {
                        self.inbox.truncate(self.passed);
                        self.wire.is_http_2.store(true, Ordering::Release);
                        self.state = State::Broken;
                    }
                    Progress::Http2 => self.refuse(ErrorCode::BadRequest, false),
                    Progress::Complete(end, framing) => {
                        let (from, hidden) = (self.passed, scanner.connection_headers().to_vec());
                        for at in hidden {
                            // Renames the `Connection` header: hyper would announce keep-alive on a
                            // connection that is about to close.
                            self.inbox[from + at] = b'x';
                        }
                        self.passed += end;
                        self.is_first = false;
                        self.wire.busy.store(true, Ordering::Release);
                        self.state = match framing {
                            Framing::Length(0) => State::Head(HeadScanner::default()),
                            Framing::Length(length) => State::Length(length),
                            Framing::Chunked => State::Chunks(ChunkScanner::default()),
                        };
                        if matches!(framing, Framing::Length(0)) {
                            // The next head waits until hyper has taken this one.
                            return;
                        }
                    }
                    Progress::Violated(code, is_head) => self.refuse(code, is_head),
                },
                State::Length(left) => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(fresh.len());
                    self.passed += taken;
                    *left -= taken as u64;
                    if *left == 0 {
                        self.state = State::Head(HeadScanner::default());
                        return;
                    }
                }
                State::Chunks(scanner) => match scanner.scan(fresh) {
                    Ok(taken) => {
                        self.passed += taken;
                        if scanner.is_done() {
                            self.state = State::Head(HeadScanner::default());
                            return;
                        }
                    }
                    Err(_) => {
                        self.inbox.truncate(self.passed);
                        self.state = State::Broken;
                    }
                },
                State::Refused | State::Broken => self.inbox.truncate(self.passed),
            }
        }
    }

    /// Replaces the received bytes by a request that makes the router answer with this code.
    fn refuse(&mut self, code: ErrorCode, is_head: bool) {
        self.inbox.truncate(self.passed);
        self.inbox.extend_from_slice(HeadScanner::refused(code, is_head).as_bytes());
        self.passed = self.inbox.len();
        self.wire.busy.store(true, Ordering::Release);
        self.state = State::Refused;
    }

    /// Applies the time limit of the current wait; its timer starts with the wait.
    fn poll_read_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.wire.reader.register(cx.waker());
        let between = matches!(self.state, State::Head(_));
        let waiting = if !between || self.wire.busy.load(Ordering::Acquire) {
            Waiting::Nothing
        } else if self.is_first {
            Waiting::FirstHead
        } else if self.inbox.is_empty() {
            Waiting::NextRequest
        } else {
            Waiting::RestOfHead
        };
        if waiting != self.waiting {
            self.waiting = waiting;
            let limit = match waiting {
                Waiting::Nothing => return Poll::Pending,
                Waiting::FirstHead | Waiting::RestOfHead => LIMITS.head_timeout_ms,
                Waiting::NextRequest => LIMITS.keep_alive_idle_ms,
            };
            self.read_timer.as_mut().reset(Instant::now() + Duration::from_millis(limit));
        }
        if waiting == Waiting::Nothing { Poll::Pending } else { self.read_timer.as_mut().poll(cx) }
    }
}

impl AsyncRead for WireStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        loop {
            if this.passed == 0 {
                this.judge();
                let partial = matches!(this.state, State::Head(_)) && this.inbox.len() > this.passed;
                this.wire.partial.store(partial, Ordering::Release);
            }
            if this.passed > 0 {
                let taken = this.passed.min(buf.remaining());
                buf.put_slice(&this.inbox[..taken]);
                this.inbox.advance(taken);
                this.passed -= taken;
                return Poll::Ready(Ok(()));
            }
            if matches!(this.state, State::Broken) {
                return Poll::Ready(Err(Error::from(ErrorKind::InvalidData)));
            }
            this.inbox.reserve(READ_BYTES);
            match tokio_util::io::poll_read_buf(Pin::new(&mut this.socket), cx, &mut this.inbox) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    ready!(this.poll_read_timeout(cx));
                    // The time is over. hyper sees the end of the input, so it closes the connection without
                    // an answer (rule HTT-11).
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for WireStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        self.wire.size_send_buffer(&self.socket);
        let written = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.progress(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.wire.size_send_buffer(&self.socket);
        let written = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.progress(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

impl WireStream {
    fn progress(&mut self, cx: &mut Context<'_>, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        if let Poll::Ready(result) = written {
            self.write_timer = None;
            self.wire.take();
            return Poll::Ready(result);
        }
        self.wire.writer.register(cx.waker());
        if self.wire.is_cut() {
            return Poll::Ready(Err(Error::from(ErrorKind::ConnectionAborted)));
        }
        let limit = Duration::from_millis(self.wire.write_stall_ms.load(Ordering::Relaxed));
        let timer = self.write_timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
    }
}

/// Size of one read of the socket.
const READ_BYTES: usize = 16 * 1024;
