//! `GET /api/stream`: server-sent events by the WHATWG rules
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>). Only this module writes their framing.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::stream::unfold;
use http::Method;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::http::parameters::parse_cursor;
use crate::http::stats::totals_json;
use crate::http::{Request, reply};
use crate::hub::Subscription;
use crate::ring::{Frame, StreamFilter};
use crate::store::totals::StatsFilter;
use crate::timestamp::format_timestamp;

const HEARTBEAT: &[u8] = b": heartbeat\n\n";

/// `GET /api/stream` (rules STR-01 to STR-10).
pub async fn open_stream(State(app): State<Arc<App>>, method: Method, request: Request) -> reply::Reply {
    let parameters = &request.parameters;
    let header = request.headers.get("last-event-id").map(|value| {
        value.to_str().map_or(Err(()), Ok).and_then(|text| if text.is_empty() { Err(()) } else { Ok(text) })
    });
    let cursor = match header {
        None => parameters.number("after"),
        Some(text) => Some(parse_cursor("Last-Event-ID", text.unwrap_or_default())?),
    };
    if method == Method::HEAD {
        // A body without a length, so that none is said: GET says none either.
        return Ok(reply::stream(Body::from_stream(futures_util::stream::empty::<
            Result<Bytes, std::convert::Infallible>,
        >())));
    }
    let text = |name: &str| parameters.text(name).map(str::to_owned);
    let filter = StreamFilter {
        session_id: text("session_id"),
        agent_type: text("agent_type"),
        event_type: text("event_type"),
    };
    let Some(mut subscription) = app.hub.subscribe(cursor, filter) else {
        let failure = Failure::new(ErrorCode::StreamLimit);
        return Err(failure.with("max_clients", app.hub.max_clients()));
    };
    let newest = subscription.newest();
    let mut opening = frame(
        &json!({
            "type": "connected",
            "timestamp": format_timestamp(app.clock.now_ms()),
            "epoch": app.store.epoch(),
            "last_id": newest,
        })
        .to_string(),
    );
    let other_epoch = parameters.text("epoch").is_some_and(|epoch| epoch != app.store.epoch());
    if other_epoch || cursor.is_some_and(|cursor| cursor > newest) {
        subscription.reset();
        opening.unsplit(frame(r#"{"type":"reset"}"#));
    }
    let heartbeat = Duration::from_millis(app.config.heartbeat_ms);
    // A client that takes no byte for this long is given up (rule STR-08).
    request.connection.wire.set_write_stall(heartbeat * LIMITS.stalled_heartbeats);
    let client = Client {
        stats: app.stats_frames.subscribe(),
        closing: app.hub.closing(),
        subscription,
        heartbeat,
        last_sent: Instant::now(),
        opening: Some(opening.freeze()),
    };
    let chunks = unfold(client, |mut client| async {
        let chunk = client.next().await?;
        Some((Ok::<_, std::convert::Infallible>(chunk), client))
    });
    Ok(reply::stream(Body::from_stream(chunks)))
}

struct Client {
    subscription: Subscription,
    stats: watch::Receiver<Bytes>,
    closing: watch::Receiver<bool>,
    heartbeat: Duration,
    last_sent: Instant,
    opening: Option<Bytes>,
}

impl Client {
    /// What to send next; `None` ends the stream. Called only when the client has taken what came before.
    async fn next(&mut self) -> Option<Bytes> {
        let chunk = match self.opening.take() {
            Some(opening) => opening,
            None => tokio::select! {
                biased;
                _ = self.closing.wait_for(|closing| *closing) => return None,
                changed = self.stats.changed() => {
                    changed.ok()?;
                    self.stats.borrow_and_update().clone()
                }
                frames = self.subscription.next() => event_frames(&frames.ok()?),
                () = sleep_until(self.last_sent + self.heartbeat) => Bytes::from_static(HEARTBEAT),
            },
        };
        self.last_sent = Instant::now();
        Some(chunk)
    }
}

fn event_frames(frames: &[Arc<Frame>]) -> Bytes {
    let mut text = BytesMut::with_capacity(frames.iter().map(|frame| frame.row().len() + 64).sum());
    for frame in frames {
        text.put_slice(format!("id: {}\ndata: {{\"type\":\"event\",\"payload\":", frame.id()).as_bytes());
        text.put_slice(frame.row());
        text.put_slice(b"}\n\n");
    }
    text.freeze()
}

fn frame(json: &str) -> BytesMut {
    let mut text = BytesMut::with_capacity(json.len() + 8);
    text.put_slice(b"data: ");
    text.put_slice(json.as_bytes());
    text.put_slice(b"\n\n");
    text
}

/// Makes the `stats` frame of all clients once per interval, while someone listens (rule STR-06). Runs until
/// dropped.
pub(crate) async fn publish_stats(app: Arc<App>) {
    let mut clients = app.hub.watch_clients();
    let interval = Duration::from_millis(app.config.stats_interval_ms);
    while clients.wait_for(|count| *count > 0).await.is_ok() {
        tokio::time::sleep(interval).await;
        if app.hub.clients() == 0 {
            continue;
        }
        let cutoffs = app.cutoffs();
        let stats =
            app.store.read_aside(move |connection| totals_json(connection, &StatsFilter::default(), cutoffs));
        // A read that failed has been logged; the next interval tries again.
        if let Ok(stats) = stats.await {
            let stats = [br#"{"type":"stats","payload":"#.as_slice(), &stats, b"}"].concat();
            app.stats_frames.send_replace(frame(&String::from_utf8_lossy(&stats)).freeze());
        }
    }
}
