//! Accepts connections up to the limit, serves their requests one after the other, and drains them.
//!
//! The code drives hyper directly, since `axum::serve` sets neither timeouts nor limits. Invariant: an answer that
//! closes its connection reaches the client even while the client still sends.
//!
//! Over 250 lines because the state that a socket shares with its requests is here.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::Router;
use futures_util::task::AtomicWaker;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

use crate::contract::LIMITS;
use crate::descriptors::PLAN;
use crate::error::ErrorCode;
use crate::http::linger::{linger, send_last_answer};
use crate::http::reply;
use crate::http::socket::SocketFile;
use crate::http::transport::{Listeners, Transport};
use crate::http::wire::WireStream;
use crate::telemetry::counters::Counters;

/// The connection of a request, stored in the request's extensions.
#[derive(Debug, Clone)]
pub struct Connection {
    /// State shared with the socket.
    pub wire: Arc<Wire>,
    /// The local port of the request.
    pub port: u16,
}

/// State that a connection and its requests share.
#[derive(Debug)]
pub struct Wire {
    /// Whether a request's head was passed on and its answer is not finished.
    pub(super) busy: AtomicBool,
    /// Whether a request's head has begun but not ended.
    pub(super) partial: AtomicBool,
    /// Whether the client speaks HTTP/2.
    pub(super) is_http_2: AtomicBool,
    /// The task that waits for the next request; woken when the answer ends, so that its time limit starts then.
    pub(super) reader: AtomicWaker,
    /// Longest time without progress of a write, in milliseconds.
    pub(super) write_stall_ms: AtomicU64,
    /// Requested size of the socket's send buffer; 0 leaves it to the kernel.
    pub(super) send_buffer: AtomicUsize,
    created: Instant,
    /// When the kernel took bytes for the client, in milliseconds since `created`.
    taken_ms: AtomicU64,
    /// Whether the connection ends at once (rule HTT-15).
    is_cut: AtomicBool,
    /// The task whose write waits for the client; woken when the connection is cut.
    pub(super) writer: AtomicWaker,
}

impl Wire {
    /// Creates the state without a request.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            busy: AtomicBool::new(false),
            partial: AtomicBool::new(false),
            is_http_2: AtomicBool::new(false),
            reader: AtomicWaker::new(),
            write_stall_ms: AtomicU64::new(LIMITS.request_timeout_ms),
            send_buffer: AtomicUsize::new(0),
            created: Instant::now(),
            taken_ms: AtomicU64::new(0),
            is_cut: AtomicBool::new(false),
            writer: AtomicWaker::new(),
        })
    }

    /// Returns the time since the last bytes were taken.
    pub(super) fn idle(&self) -> Duration {
        let taken = Duration::from_millis(self.taken_ms.load(Ordering::Relaxed));
        self.created.elapsed().saturating_sub(taken)
    }

    /// Records that bytes were taken.
    pub(super) fn take(&self) {
        let ms = self.created.elapsed().as_millis();
        self.taken_ms.store(u64::try_from(ms).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Ends the connection without the rest of its answer (rule HTT-15).
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        self.writer.wake();
    }

    /// Returns whether the connection ends at once.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }

    /// Shortens the time in which a client must take bytes (rule STR-08).
    pub fn set_write_stall(&self, limit: Duration) {
        self.write_stall_ms.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Bounds the bytes that the kernel buffers for a slow client (rule STR-08).
    pub fn set_send_buffer(&self, bytes: usize) {
        self.send_buffer.store(bytes, Ordering::Relaxed);
    }

    /// Sets the requested size of the socket's send buffer, once.
    pub(super) fn size_send_buffer(&self, socket: &Transport) {
        let bytes = self.send_buffer.load(Ordering::Relaxed);
        if bytes > 0 {
            self.send_buffer.store(0, Ordering::Relaxed);
            socket.set_send_buffer(bytes);
        }
    }

    /// Returns whether a request has begun to arrive. Such a request is answered even while the server drains.
    pub fn is_partial(&self) -> bool {
        self.partial.load(Ordering::Acquire)
    }

    /// Marks the answer as finished.
    pub fn finish(&self) {
        self.busy.store(false, Ordering::Release);
        self.reader.wake();
    }
}

/// Shortest interval between log lines while accepting fails.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Accepts connections until `drain` turns true, then removes the socket file. Returns when every connection
/// has ended.
pub async fn serve(
    listeners: Listeners,
    file: Option<SocketFile>,
    router: Router,
    telemetry: Arc<Counters>,
    mut drain: watch::Receiver<bool>,
) {
    let port = listeners.port.first.local_addr().map_or(0, |address: SocketAddr| address.port());
    let slots = Arc::new(Semaphore::new(PLAN.connections));
    let refusals = Arc::new(Semaphore::new(PLAN.refusals));
    let mut last_warning: Option<Instant> = None;
    // Each connection holds a clone; this function returns when the last clone is dropped.
    let (alive, mut all_gone) = tokio::sync::mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listeners.accept() => accepted,
            _ = drain.wait_for(|drain| *drain) => break,
        };
        let socket = match accepted {
            Ok(socket) => socket,
            Err(error) => {
                // File descriptors or another resource ran out. Other connections may end during the pause.
                if last_warning.is_none_or(|at| at.elapsed() >= WARNING_INTERVAL) {
                    last_warning = Some(Instant::now());
                    tracing::warn!(%error, "accepting failed");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            match Arc::clone(&refusals).try_acquire_owned() {
                Ok(refusal) => drop(tokio::spawn(refuse(socket, refusal))),
                Err(_) => refuse_at_once(socket),
            }
            continue;
        };
        let (router, drain, alive) = (router.clone(), drain.clone(), alive.clone());
        let telemetry = Arc::clone(&telemetry);
        tokio::spawn(async move {
            connection(socket, router, port, telemetry, drain).await;
            drop((slot, alive));
        });
    }
    if let Some(file) = file {
        file.remove();
    }
    drop((listeners, alive));
    // No task sends; this resolves when every sender is dropped.
    all_gone.recv().await;
}

async fn connection(
    socket: Transport,
    router: Router,
    port: u16,
    telemetry: Arc<Counters>,
    mut drain: watch::Receiver<bool>,
) {
    let wire = Wire::new();
    let stream = WireStream::new(socket, Arc::clone(&wire));
    let (half_asked, begun) = (Arc::clone(&wire), Arc::clone(&wire));
    let extension = Connection { wire, port };
    let service = router.map_request(move |mut request: http::Request<Incoming>| {
        request.extensions_mut().insert(extension.clone());
        request
    });
    let mut connection = http1::Builder::new()
        .keep_alive(true)
        .half_close(false)
        .max_headers(LIMITS.header_count)
        .max_buf_size(LIMITS.head_hard_bytes)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut draining = pin!(async move { drain.wait_for(|drain| *drain).await.map(|_| ()) });
    let mut is_notified = false;
    let ended = std::future::poll_fn(|cx| {
        // A request that has begun to arrive is answered first; its answer closes the connection.
        if !is_notified && !half_asked.is_partial() && draining.as_mut().poll(cx).is_ready() {
            is_notified = true;
            std::pin::Pin::new(&mut connection).graceful_shutdown();
        }
        connection.poll_without_shutdown(cx)
    });
    // hyper itself answers a request that it cannot parse, and then fails.
    drop(ended.await);
    if begun.is_http_2.load(Ordering::Acquire) && telemetry.count_grpc() {
        tracing::warn!("a gRPC client was refused; let it send OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf");
    }
    linger(connection.into_parts().io.into_inner().into_socket()).await;
}

/// Refuses a connection (rule HTT-12). The permit is released at the end.
async fn refuse(socket: Transport, _refusal: OwnedSemaphorePermit) {
    send_last_answer(socket, &reply::raw_failure(ErrorCode::Overloaded)).await;
}

/// Refuses without a wait, so that any number of refusals occupies no descriptors. A client that has already sent
/// bytes may see a reset instead of the answer.
fn refuse_at_once(socket: Transport) {
    let answer = reply::raw_failure(ErrorCode::Overloaded);
    // The answer fits the buffer of a new socket; a disconnected client needs no answer.
    drop(socket.write_at_once(&answer));
}

/// Marks a connection idle when an answer's body ends, whether it was sent or aborted.
#[derive(Debug)]
pub struct FinishGuard(pub Arc<Wire>);

impl Drop for FinishGuard {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// A body that keeps a value alive.
#[derive(Debug)]
pub struct Held<B, T> {
    /// The wrapped body.
    pub body: B,
    /// The value, dropped with the body.
    pub held: T,
}

impl<B: http_body::Body + Unpin, T: Unpin> http_body::Body for Held<B, T> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        std::pin::Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
