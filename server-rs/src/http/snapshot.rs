//! Handles `GET /api/snapshot/{topic}`: the state of a topic, its tag, what came since a revision, and the wait for one
//! (rules SYN-05 to SYN-08).
//!
//! What must stay true: revision and data are of one read transaction; a client that has the newest revision costs no
//! read; one that waits holds neither a reader nor a thread.
//! Over 250 lines because its tests need what is private here.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use http::Response;
use http::Uri;
use http::header::{HeaderMap, IF_NONE_MATCH};
use rusqlite::Connection;

use crate::app::App;
use crate::contract::LIMITS;
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::http::event_pages::read_page;
use crate::http::exchange::Exchange;
use crate::http::exports::Export;
use crate::http::negotiation::Answer;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::http::sessions::{session_json, sessions_json};
use crate::http::stats::stats_json;
use crate::render::msgpack::msgpack_snapshot;
use crate::render::protobuf::protobuf_snapshot;
use crate::render::{SnapshotParts, render_snapshot};
use crate::store::cost::Cost;
use crate::store::query::{self, Cutoffs, EventFilter, SessionFilter, newest_revision, session_revision};
use crate::store::totals::StatsFilter;
use crate::topics::{Topic, parse_topic};

/// `GET /api/snapshot/{topic}`
pub async fn get_snapshot(State(app): State<Arc<App>>, uri: Uri, exchange: Exchange) -> reply::Reply {
    let not_found = || Failure::new(ErrorCode::NotFound);
    let text = uri.path().rsplit('/').next().unwrap_or_default();
    let topic = parse_topic(text).ok_or_else(not_found)?;
    let parameters = &exchange.parameters;
    if let Some(revision) = parameters.number("wait") {
        await_revision(&app, revision).await;
    }
    let tags = KnownTags::of(&exchange.headers);
    let epoch = app.store.epoch();
    let has_choice = exchange.route.formats.is_some();
    let not_modified = |etag: &str| {
        let answer = reply::not_modified(etag);
        if has_choice { reply::varying(answer) } else { answer }
    };
    if !matches!(topic, Topic::Session(_)) {
        let etag = etag(epoch, app.store.newest_id());
        if tags.has(&etag) {
            return Ok(not_modified(&etag));
        }
    }
    let view = View::new(&app, &topic, parameters, exchange.answer);
    let read = app.store.read(view.cost(), |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let Some(revision) = view.revision(&snapshot)? else { return Ok(None) };
        let etag = etag(epoch, revision);
        Ok(Some(if tags.has(&etag) {
            not_modified(&etag)
        } else {
            let answer = match exchange.answer.format {
                Format::Ndjson | Format::Arrow => view.export(&app, &snapshot, revision)?,
                _ if has_choice => reply::rows(view.whole(&snapshot, revision)?, exchange.answer),
                _ => reply::ok(view.whole(&snapshot, revision)?),
            };
            reply::snapshot(answer, &etag)
        }))
    });
    read.await?.ok_or_else(not_found)
}

/// The state of a topic, as JSON text (rule RPC-05).
pub(crate) async fn read_snapshot(
    app: &App,
    topic: &Topic,
    parameters: &Parameters,
) -> Result<Vec<u8>, Failure> {
    if let Some(revision) = parameters.number("wait") {
        await_revision(app, revision).await;
    }
    let view = View::new(app, topic, parameters, Answer { format: Format::Json, media_type: "" });
    let read = app.store.read(view.cost(), |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let revision = view.revision(&snapshot)?;
        revision.map(|revision| view.whole(&snapshot, revision)).transpose()
    });
    read.await?.ok_or(Failure::new(ErrorCode::NotFound))
}

/// Waits until the newest id is at least this, or time is up, or the server begins to shut down (rule SYN-08).
async fn await_revision(app: &App, revision: i64) {
    let (mut newest, mut draining) = (app.store.newest(), app.draining());
    let reached = async {
        // A channel that closes ends the wait as well.
        tokio::select! {
            _ = newest.wait_for(|id| *id >= revision) => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    };
    // Time that is up is an answer like any other.
    drop(tokio::time::timeout(Duration::from_millis(LIMITS.snapshot_wait_ms), reached).await);
}

/// The tag of a state. Weak: what time alone changes in it raises no revision (RFC 9110, section 8.8.1).
fn etag(epoch: &str, revision: i64) -> String {
    format!("W/\"{epoch}-{revision}\"")
}

/// What is asked of a topic.
struct View<'a> {
    topic: &'a Topic,
    epoch: &'a str,
    since: Option<i64>,
    other_epoch: bool,
    limit: u64,
    cutoffs: Cutoffs,
    answer: Answer,
}

impl<'a> View<'a> {
    fn new(app: &'a App, topic: &'a Topic, parameters: &Parameters, answer: Answer) -> Self {
        let epoch = app.store.epoch();
        Self {
            topic,
            epoch,
            since: parameters.number("since"),
            other_epoch: parameters.text("epoch").is_some_and(|given| given != epoch),
            limit: parameters.limit(),
            cutoffs: app.cutoffs(),
            answer,
        }
    }

    fn cost(&self) -> Cost {
        if matches!(self.topic, Topic::Session(_)) { Cost::Unbounded } else { Cost::Bounded }
    }

    /// `None` for a session that has no event.
    fn revision(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        match self.topic {
            Topic::Session(id) => session_revision(connection, id),
            Topic::Events | Topic::Stats | Topic::Sessions => newest_revision(connection).map(Some),
        }
    }

    /// The answer in one piece.
    fn whole(&self, connection: &Connection, revision: i64) -> rusqlite::Result<Vec<u8>> {
        let (extent, data) = match self.topic {
            Topic::Events => self.events(connection, revision)?,
            Topic::Stats => (Extent::Whole, stats_json(connection, &StatsFilter::default(), self.cutoffs)?),
            Topic::Sessions => {
                let filter = SessionFilter::default();
                (Extent::Whole, sessions_json(connection, &filter, self.cutoffs, self.limit)?)
            }
            Topic::Session(id) => {
                let found = session_json(connection, id, self.cutoffs, self.limit)?;
                // Its revision was found by the same transaction.
                (Extent::Whole, found.ok_or(rusqlite::Error::QueryReturnedNoRows)?)
            }
        };
        let (topic, epoch) = (&self.topic.name(), self.epoch);
        let (since, is_reset) = extent.members();
        let parts = SnapshotParts { topic, epoch, revision, since, is_reset, data: &data };
        Ok(match self.answer.format {
            Format::Msgpack => msgpack_snapshot(&parts),
            Format::Protobuf => protobuf_snapshot(&parts),
            Format::Json | Format::Ndjson | Format::Arrow => render_snapshot(&parts),
        })
    }

    /// The answer page by page (rule FMT-09).
    fn export(
        &self,
        app: &Arc<App>,
        connection: &Connection,
        revision: i64,
    ) -> rusqlite::Result<Response<Body>> {
        let since = self.known_since(revision);
        let extent = match (self.since, since) {
            (None, _) => Extent::Whole,
            (Some(_), Some(since)) if !self.is_more(connection, since, revision)? => Extent::Since(since),
            (Some(_), _) => Extent::Reset,
        };
        let filter = EventFilter { above: since.unwrap_or(0), ..EventFilter::default() };
        let (since, is_reset) = extent.members();
        let topic = self.topic.name();
        let parts = SnapshotParts { topic: &topic, epoch: self.epoch, revision, since, is_reset, data: b"" };
        let mut export = Export::new(filter, revision, self.limit, self.answer.format, Some(&parts))?;
        let first = export.read(connection)?;
        Ok(reply::rows(export.into_body(app, Cost::Bounded, first), self.answer))
    }

    /// Whether more events came since than the answer may have.
    fn is_more(&self, connection: &Connection, since: i64, revision: i64) -> rusqlite::Result<bool> {
        // Ids may have gaps, so only more ids than the limit can mean more events.
        let most = self.limit + 1;
        Ok(revision.abs_diff(since) >= most && query::count_since(connection, since, revision, most)? >= most)
    }

    /// The revision that the client has, where it is one of this database.
    fn known_since(&self, revision: i64) -> Option<i64> {
        self.since.filter(|since| !self.other_epoch && *since <= revision)
    }

    /// The events that came since, or the newest page (rule SYN-07).
    fn events(&self, connection: &Connection, revision: i64) -> rusqlite::Result<(Extent, Vec<u8>)> {
        let since = self.known_since(revision);
        let filter = EventFilter { above: since.unwrap_or(0), ..EventFilter::default() };
        let page = read_page(connection, &filter, self.limit, self.answer.format)?;
        let extent = match (self.since, since) {
            (None, _) => Extent::Whole,
            // More than a page came since: what was read is the newest page.
            (Some(_), Some(since)) if !page.has_more => Extent::Since(since),
            (Some(_), _) => Extent::Reset,
        };
        Ok((extent, page.bytes))
    }
}

/// How much of a topic an answer has.
enum Extent {
    Whole,
    /// What came after this revision.
    Since(i64),
    /// All, since what came after the client's revision cannot be said.
    Reset,
}

impl Extent {
    /// The members `since` and `reset` of an answer.
    fn members(self) -> (Option<i64>, bool) {
        match self {
            Extent::Whole => (None, false),
            Extent::Since(since) => (Some(since), false),
            Extent::Reset => (None, true),
        }
    }
}

/// The tags of `If-None-Match` (RFC 9110, section 13.1.2); a list that breaks the grammar has none.
enum KnownTags {
    Any,
    /// Opaque tags with their quotes, as they were sent.
    Some(Vec<Vec<u8>>),
}

impl KnownTags {
    fn of(headers: &HeaderMap) -> Self {
        let fields: Vec<&[u8]> =
            headers.get_all(IF_NONE_MATCH).iter().map(|value| value.as_bytes()).collect();
        // Several fields are one list (RFC 9110, section 5.3).
        let list = fields.join(&b", "[..]);
        if list.trim_ascii() == b"*" { Self::Any } else { Self::Some(read_tags(&list).unwrap_or_default()) }
    }

    /// Weak comparison (RFC 9110, section 8.8.3.2): whether either tag is weak means nothing.
    fn has(&self, etag: &str) -> bool {
        let opaque = etag.strip_prefix("W/").unwrap_or(etag).as_bytes();
        match self {
            Self::Any => true,
            Self::Some(tags) => tags.iter().any(|tag| tag == opaque),
        }
    }
}

/// The opaque tags of a list; `None` where it breaks the grammar (RFC 9110, sections 5.6.1 and 8.8.3).
fn read_tags(list: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut tags, mut rest) = (Vec::new(), list.trim_ascii());
    while !rest.is_empty() {
        // Empty elements mean nothing.
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let quoted = rest.strip_prefix(b"W/").unwrap_or(rest);
        let inside = quoted.strip_prefix(b"\"")?;
        let end = inside.iter().position(|byte| !matches!(byte, 0x21 | 0x23..=0x7e | 0x80..=0xff))?;
        if inside[end] != b'"' {
            return None;
        }
        tags.push(quoted[..end + 2].to_vec());
        rest = inside[end + 1..].trim_ascii_start();
        if !rest.is_empty() && rest[0] != b',' {
            return None;
        }
    }
    Some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(fields: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(IF_NONE_MATCH, field.parse().expect("a value"));
        }
        KnownTags::of(&headers).has(&etag("e", 7))
    }

    #[test]
    fn compares_tags_weakly() {
        let known: [&[&str]; 9] = [
            &[r#"W/"e-7""#],
            &[r#""e-7""#],
            &["*"],
            &[" * "],
            &[r#""x" , W/"e-7""#],
            &[r#""x""#, r#"W/"e-7""#],
            &[r#",, "e-7",,"#],
            &[r#""a,b","e-7""#],
            &[r#""",W/"e-7""#],
        ];
        for fields in known {
            assert!(knows(fields), "{fields:?}");
        }
        let unknown: [&[&str]; 15] = [
            &[],
            &[""],
            &[r#"W/"e-8""#],
            &[r#"W/"e-77""#],
            &["e-7"],
            &["W/e-7"],
            &[r#"w/"e-7""#],
            &[r#"W/ "e-7""#],
            &[r#""e-7"#],
            &[r#""e-7" "x""#],
            &[r#"W/"e-7", x"#],
            &["*", r#""e-7""#],
            &[r#"*, "e-7""#],
            &[r#""x,"e-7""#],
            &[r#""e -7""#],
        ];
        for fields in unknown {
            assert!(!knows(fields), "{fields:?}");
        }
    }
}
