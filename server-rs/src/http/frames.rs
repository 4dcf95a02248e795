//! Writes server-sent events to one client at its own pace; only this module writes their framing (rules STR-07 and
//! STR-08).
//!
//! The format is that of <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
//!
//! Invariant: the sender asks for further frames only when the client has taken the previous ones. So a slow client
//! costs a bounded number of bytes and delays no other client (rule STR-08). Each mode of the stream decides which
//! frames it sends.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::stream::unfold;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::contract::{LIMITS, TUNING};
use crate::error::{ErrorCode, Failure};
use crate::http::exchange::Exchange;
use crate::ring::Frame;
use crate::topics::Topic;

const HEARTBEAT: &[u8] = b": heartbeat\n\n";

/// The source of a client's frames.
pub(crate) trait Source: Send + 'static {
    /// Returns the next bytes; waits while there are none. `None` ends the stream. The sender drops this future when
    /// a heartbeat is due and calls again, so the future must not own data.
    fn next(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// Returns a body of frames: first `opening` if present, then those of the source. It sends heartbeats during silence
/// (rule STR-07) and ends when the server drains.
pub(crate) fn send_frames(
    app: &App,
    exchange: &Exchange,
    opening: Option<Bytes>,
    source: impl Source,
) -> Body {
    let heartbeat = Duration::from_millis(app.config.heartbeat_ms);
    // A client that takes no bytes for this long is disconnected (rule STR-08).
    exchange.connection.wire.set_write_stall(heartbeat * LIMITS.stalled_heartbeats);
    // Linux doubles the size for its own overhead.
    let streams = app.config.max_stream_clients.min(LIMITS.connections);
    exchange.connection.wire.set_send_buffer(TUNING.stream_kernel_bytes / streams / 2);
    let client = Client { source, closing: app.draining(), heartbeat, last_sent: Instant::now(), opening };
    Body::from_stream(unfold(client, |mut client| async {
        let chunk = client.next().await?;
        Some((Ok::<_, Infallible>(chunk), client))
    }))
}

/// Returns the failure of a request when all places are taken (rule STR-09).
pub(crate) fn stream_limit(app: &App) -> Failure {
    Failure::new(ErrorCode::StreamLimit).with("max_clients", app.config.max_stream_clients)
}

struct Client<S> {
    source: S,
    closing: watch::Receiver<bool>,
    heartbeat: Duration,
    last_sent: Instant,
    opening: Option<Bytes>,
}

impl<S: Source> Client<S> {
    /// Returns the next bytes. Called only when the client has taken the previous ones.
    async fn next(&mut self) -> Option<Bytes> {
        let chunk = match self.opening.take() {
            Some(opening) => opening,
            None => tokio::select! {
                biased;
                _ = self.closing.wait_for(|closing| *closing) => return None,
                chunk = self.source.next() => chunk?,
                () = sleep_until(self.last_sent + self.heartbeat) => Bytes::from_static(HEARTBEAT),
            },
        };
        self.last_sent = Instant::now();
        Some(chunk)
    }
}

/// Writes a frame without an event name.
pub(crate) fn frame(json: &str) -> BytesMut {
    let mut text = BytesMut::with_capacity(json.len() + 8);
    text.put_slice(b"data: ");
    text.put_slice(json.as_bytes());
    text.put_slice(b"\n\n");
    text
}

/// A row from this size on is a chunk of its own, so that no client has a copy of it.
const LONG_ROW_BYTES: usize = 64 * 1024;

/// Writes frames of events, each with its row's id (rule STR-02), as the chunks of a body.
pub(crate) fn event_frames(frames: &[Arc<Frame>]) -> Vec<Bytes> {
    let short = frames.iter().map(|frame| frame.row().len()).filter(|length| *length < LONG_ROW_BYTES);
    let mut text = BytesMut::with_capacity(short.sum::<usize>() + 64 * frames.len());
    let mut chunks = Vec::with_capacity(1);
    for frame in frames {
        text.put_slice(format!("id: {}\ndata: {{\"type\":\"event\",\"payload\":", frame.id()).as_bytes());
        if frame.row().len() < LONG_ROW_BYTES {
            text.put_slice(frame.row());
        } else {
            chunks.extend([text.split().freeze(), frame.row().clone()]);
        }
        text.put_slice(b"}\n\n");
    }
    chunks.push(text.freeze());
    chunks
}

/// Writes frames of changed topics with their revisions (rule SYN-02).
pub(crate) fn invalidate_frames<'a>(changes: impl Iterator<Item = (&'a Topic, i64)>, epoch: &str) -> Bytes {
    let mut text = BytesMut::new();
    for (topic, revision) in changes {
        let data = json!({"topic": topic.name(), "revision": revision.to_string(), "epoch": epoch});
        text.put_slice(format!("event: invalidate\ndata: {data}\n\n").as_bytes());
    }
    text.freeze()
}

/// Returns the reconnection time as a field for the front of the first frame (rule SYN-02). Some clients report an
/// event that holds only this field as a message without data.
pub(crate) fn retry_field() -> String {
    format!("retry: {}\n", LIMITS.stream_retry_ms)
}
