//! Accepts connections up to the limit, serves their requests one after the other, and drains them.
//!
//! hyper is driven by hand rather than through `axum::serve`, which sets neither time-outs nor limits.
//! What must stay true: an answer that closes its connection reaches the client even while the client still sends.

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
use crate::http::linger::{last_words, linger};
use crate::http::reply;
use crate::http::socket::SocketFile;
use crate::http::transport::{Listeners, Transport};
use crate::http::wire::WireStream;
use crate::telemetry::counters::Counters;

/// A request's connection, among the request's extensions.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Shared with the socket.
    pub wire: Arc<Wire>,
    /// The port that the request came in on.
    pub port: u16,
}

/// What a connection and the requests on it know of each other.
#[derive(Debug)]
pub struct Wire {
    /// A request's head was handed on, and its answer is not finished.
    pub(super) busy: AtomicBool,
    /// A request's head has begun, and has not ended.
    pub(super) partial: AtomicBool,
    /// The client speaks HTTP/2.
    pub(super) is_http_2: AtomicBool,
    /// Whoever waits for the next request, so that its wait begins when the answer ends.
    pub(super) reader: AtomicWaker,
    /// How long a write may make no progress, in milliseconds.
    pub(super) write_stall_ms: AtomicU64,
    /// The size that the socket's send buffer is to have; 0 where the kernel chooses it.
    pub(super) send_buffer: AtomicUsize,
}

impl Wire {
    /// Nothing asked yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            busy: AtomicBool::new(false),
            partial: AtomicBool::new(false),
            is_http_2: AtomicBool::new(false),
            reader: AtomicWaker::new(),
            write_stall_ms: AtomicU64::new(LIMITS.request_timeout_ms),
            send_buffer: AtomicUsize::new(0),
        })
    }

    /// Shortens the time that a client may take no byte (rule STR-08).
    pub fn set_write_stall(&self, limit: Duration) {
        self.write_stall_ms.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Bounds what the kernel holds for a client that does not take it (rule STR-08).
    pub fn set_send_buffer(&self, bytes: usize) {
        self.send_buffer.store(bytes, Ordering::Relaxed);
    }

    /// Gives the socket's send buffer the size that was asked for, once.
    pub(super) fn size_send_buffer(&self, socket: &Transport) {
        let bytes = self.send_buffer.load(Ordering::Relaxed);
        if bytes > 0 {
            self.send_buffer.store(0, Ordering::Relaxed);
            socket.set_send_buffer(bytes);
        }
    }

    /// Whether a request has begun to come in, so that it will be answered even while the server drains.
    pub fn is_partial(&self) -> bool {
        self.partial.load(Ordering::Acquire)
    }

    /// The answer is finished.
    pub fn finish(&self) {
        self.busy.store(false, Ordering::Release);
        self.reader.wake();
    }
}

/// While accepting fails, the log says so this often.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until `drain` turns true, then until every connection has ended. When `drain` turns true it removes the file
/// of the socket.
pub async fn serve(
    listeners: Listeners,
    file: Option<SocketFile>,
    router: Router,
    telemetry: Arc<Counters>,
    mut drain: watch::Receiver<bool>,
) {
    let port = listeners.tcp.local_addr().map_or(0, |address: SocketAddr| address.port());
    let slots = Arc::new(Semaphore::new(PLAN.connections));
    let refusals = Arc::new(Semaphore::new(PLAN.refusals));
    let mut last_warning: Option<Instant> = None;
    // Each connection holds a clone; the last to go lets this function return.
    let (alive, mut all_gone) = tokio::sync::mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listeners.accept() => accepted,
            _ = drain.wait_for(|drain| *drain) => break,
        };
        let socket = match accepted {
            Ok(socket) => socket,
            Err(error) => {
                // Out of file descriptors or the like: others may end meanwhile.
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
    // Nothing is ever sent; this resolves when every sender is gone.
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
    let mut told = false;
    let ended = std::future::poll_fn(|cx| {
        // A request that has begun to come in is answered first; that answer closes the connection.
        if !told && !half_asked.is_partial() && draining.as_mut().poll(cx).is_ready() {
            told = true;
            std::pin::Pin::new(&mut connection).graceful_shutdown();
        }
        connection.poll_without_shutdown(cx)
    });
    // hyper answers what it cannot parse itself, and then fails.
    drop(ended.await);
    if begun.is_http_2.load(Ordering::Acquire) && telemetry.count_grpc() {
        tracing::warn!("a gRPC client was refused; let it send OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf");
    }
    linger(connection.into_parts().io.into_inner().into_socket()).await;
}

/// Rule HTT-12. What is held ends with it.
async fn refuse(socket: Transport, _refusal: OwnedSemaphorePermit) {
    last_words(socket, &reply::raw_failure(ErrorCode::Overloaded)).await;
}

/// The same without a wait, so that refusals take up no descriptors however many there are. A client that has sent
/// something already may see a reset instead of the answer.
fn refuse_at_once(socket: Transport) {
    let answer = reply::raw_failure(ErrorCode::Overloaded);
    // The buffer of a new socket has room for it; a client that is gone needs no answer.
    drop(socket.write_at_once(&answer));
}

/// Marks a connection idle again when an answer's body is done, whether it was sent or given up.
#[derive(Debug)]
pub struct FinishGuard(pub Arc<Wire>);

impl Drop for FinishGuard {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// A body with something that lives as long as it.
#[derive(Debug)]
pub struct Held<B, T> {
    /// The body itself.
    pub body: B,
    /// Dropped with the body.
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
