//! Handles `GET /api/stream`: every event after a cursor, and the statistics at an interval (rules STR-01 to STR-10).
//! `http/invalidations` handles the other mode of the route, which only reports changed topics.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use bytes::Bytes;
use http::Method;
use serde_json::json;
use tokio::sync::watch;

use crate::app::App;
use crate::contract::VOCABULARY;
use crate::contract::routes::Parameter;
use crate::http::answer_room::AnswerRoom;
use crate::http::connection::Wire;
use crate::http::exchange::Exchange;
use crate::http::frames::{Source, event_frames, frame, send_frames, stream_limit};
use crate::http::invalidations::open_invalidations;
use crate::http::parameters::{invalid, parse_cursor};
use crate::http::reply;
use crate::http::stats::stats_json;
use crate::hub::Subscription;
use crate::ring::StreamFilter;
use crate::store::cost::Cost;
use crate::store::totals::StatsFilter;
use crate::timestamp::format_timestamp;

/// `GET /api/stream` (rules STR-01 to STR-10, and SYN-02 for the other mode).
pub async fn open_stream(State(app): State<Arc<App>>, method: Method, exchange: Exchange) -> reply::Reply {
    let parameters = &exchange.parameters;
    if parameters.text(Parameter::Mode) == Some("invalidate") {
        return open_invalidations(&app, &method, &exchange).await;
    }
    let mut headers = exchange.headers.get_all("last-event-id").iter();
    let cursor = match (headers.next(), headers.next()) {
        (None, _) => parameters.number(Parameter::After),
        (Some(value), None) => Some(parse_cursor("Last-Event-ID", value.to_str().unwrap_or_default())?),
        (Some(_), Some(_)) => return Err(invalid("Last-Event-ID", VOCABULARY.parameter_messages.twice)),
    };
    if method == Method::HEAD {
        return Ok(reply::stream(reply::without_length()));
    }
    let text = |parameter: Parameter| parameters.text(parameter).map(str::to_owned);
    let filter = StreamFilter {
        session_id: text(Parameter::SessionId),
        agent_type: text(Parameter::AgentType),
        event_type: text(Parameter::EventType),
    };
    let is_beyond = match cursor {
        Some(cursor) => app.is_beyond(cursor).await,
        None => false,
    };
    let mut subscription = app.hub.subscribe(cursor, filter).ok_or_else(|| stream_limit(&app))?;
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
    let other_epoch = parameters.text(Parameter::Epoch).is_some_and(|epoch| epoch != app.store.epoch());
    if other_epoch || is_beyond {
        subscription.reset();
        opening.unsplit(frame(r#"{"type":"reset"}"#));
    }
    let events = Events {
        chunks: VecDeque::new(),
        stats: app.stats_frames.subscribe(),
        subscription,
        answers: Arc::clone(&app.answers),
        wire: Arc::clone(&exchange.connection.wire),
    };
    Ok(reply::stream(send_frames(&app, &exchange, Some(opening.freeze()), events)))
}

struct Events {
    /// The chunks of frames that were read, and are not sent yet.
    chunks: VecDeque<Bytes>,
    subscription: Subscription,
    stats: watch::Receiver<Bytes>,
    answers: Arc<AnswerRoom>,
    wire: Arc<Wire>,
}

impl Source for Events {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(chunk) = self.chunks.pop_front() {
            return Some(chunk);
        }
        tokio::select! {
            biased;
            changed = self.stats.changed() => {
                changed.ok()?;
                Some(self.stats.borrow_and_update().clone())
            }
            frames = self.subscription.next() => {
                let chunks = event_frames(&frames.ok()?).into_iter();
                self.chunks.extend(chunks.map(|chunk| self.answers.hold(&self.wire, chunk)));
                self.chunks.pop_front()
            }
        }
    }
}

/// Makes the `stats` frame of all clients once per interval, while a client is connected (rule STR-06). Runs until
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
        let stats = app.store.read_spawned(Cost::Bounded, move |connection| {
            stats_json(&*connection.unchecked_transaction()?, &StatsFilter::default(), cutoffs)
        });
        // A failed read is already logged; the next interval tries again.
        if let Ok(stats) = stats.await {
            let stats = [br#"{"type":"stats","payload":"#.as_slice(), &stats, b"}"].concat();
            app.stats_frames.send_replace(frame(&String::from_utf8_lossy(&stats)).freeze());
        }
    }
}
