//! Handles `GET /api/snapshot/{topic}`: the state of a topic, its tag, the changes since a revision, and the wait for
//! a revision (rules SYN-05 to SYN-08).
//!
//! Invariants: revision and data come from one read transaction. A client with the newest revision costs no read. A
//! waiting client holds neither a reader nor a thread.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use http::{Response, Uri};
use rusqlite::Connection;

use crate::app::App;
use crate::contract::LIMITS;
use crate::contract::routes::Parameter;
use crate::error::{ErrorCode, Failure};
use crate::formats::Format;
use crate::http::etag::{etag_of, known_revisions};
use crate::http::exchange::Exchange;
use crate::http::exports::export_body;
use crate::http::negotiation::Answer;
use crate::http::parameters::Parameters;
use crate::http::reply;
use crate::http::sessions::{session_json, sessions_json};
use crate::http::stats::stats_json;
use crate::render::snapshot::SnapshotHead;
use crate::store::cost::Cost;
use crate::store::event_pages::{page_snapshot, read_page};
use crate::store::exports::Export;
use crate::store::query::{EventFilter, count_since, last_deletion, newest_revision};
use crate::store::session_query::{Cutoffs, SessionFilter, session_revision};
use crate::store::totals::StatsFilter;
use crate::topics::{Topic, parse_topic};

/// `GET /api/snapshot/{topic}`
pub async fn get_snapshot(State(app): State<Arc<App>>, uri: Uri, exchange: Exchange) -> reply::Reply {
    let not_found = || Failure::new(ErrorCode::NotFound);
    let text = uri.path().rsplit('/').next().unwrap_or_default();
    let topic = parse_topic(text).ok_or_else(not_found)?;
    let parameters = &exchange.parameters;
    if let Some(revision) = parameters.number(Parameter::Wait) {
        await_revision(&app, revision).await;
    }
    let epoch = app.store.epoch();
    let known = known_revisions(&exchange.headers, epoch);
    let newest = app.store.newest_id();
    if !matches!(topic, Topic::Session(_)) && known.has(newest) {
        return Ok(reply::not_modified(&etag_of(epoch, newest), exchange.has_choice));
    }
    let view = View::new(&app, &topic, parameters, exchange.answer);
    let read = app.store.read(view.cost(), |connection| {
        let snapshot = connection.unchecked_transaction()?;
        let Some(revision) = view.revision(&snapshot)? else { return Ok(None) };
        let etag = etag_of(epoch, revision);
        if known.has(revision) {
            return Ok(Some(reply::not_modified(&etag, exchange.has_choice)));
        }
        let answer = if exchange.answer.format.is_export() {
            view.export(&app, &snapshot, revision)?
        } else if exchange.has_choice {
            reply::rows(view.whole(&snapshot, revision)?, exchange.answer)
        } else {
            reply::ok(view.whole(&snapshot, revision)?)
        };
        Ok(Some(reply::snapshot(answer, &etag)))
    });
    read.await?.ok_or_else(not_found)
}

/// Reads the state of a topic, as JSON text (rule RPC-05).
pub(crate) async fn read_snapshot(
    app: &App,
    topic: &Topic,
    parameters: &Parameters,
) -> Result<Vec<u8>, Failure> {
    if let Some(revision) = parameters.number(Parameter::Wait) {
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

/// Waits until the newest id is at least this, the time is over, or the server drains (rule SYN-08).
async fn await_revision(app: &App, revision: i64) {
    let (mut newest, mut draining) = (app.store.newest(), app.draining());
    let reached = async {
        // A closed channel also ends the wait.
        tokio::select! {
            _ = newest.wait_for(|id| *id >= revision) => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    };
    // A timeout is not an error: the answer is the current state.
    drop(tokio::time::timeout(Duration::from_millis(LIMITS.snapshot_wait_ms), reached).await);
}

/// The requested view of a topic.
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
            since: parameters.number(Parameter::SinceRevision),
            other_epoch: parameters.text(Parameter::Epoch).is_some_and(|given| given != epoch),
            limit: parameters.limit(Parameter::Limit),
            cutoffs: app.cutoffs(),
            answer,
        }
    }

    fn cost(&self) -> Cost {
        if matches!(self.topic, Topic::Session(_)) { Cost::Unbounded } else { Cost::Bounded }
    }

    /// Returns the revision of the topic; `None` for a session without events.
    fn revision(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        match self.topic {
            Topic::Session(id) => session_revision(connection, id),
            Topic::Events | Topic::Stats | Topic::Sessions => newest_revision(connection).map(Some),
        }
    }

    /// Returns the answer as one page.
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
                // The session exists, since the same transaction found its revision.
                (Extent::Whole, found.ok_or(rusqlite::Error::QueryReturnedNoRows)?)
            }
        };
        let topic = self.topic.name();
        Ok(page_snapshot(self.answer.format, &self.head(&topic, revision, extent), &data))
    }

    /// Returns the answer in several pages (rule FMT-09).
    fn export(
        &self,
        app: &Arc<App>,
        connection: &Connection,
        revision: i64,
    ) -> rusqlite::Result<Response<Body>> {
        let since = self.known_since(connection, revision)?;
        let has_more = match since {
            Some(since) => self.has_more(connection, since, revision)?,
            None => false,
        };
        let filter = EventFilter { above: since.unwrap_or(0), ..EventFilter::default() };
        let topic = self.topic.name();
        let head = self.head(&topic, revision, self.extent(since, has_more));
        let mut export = Export::new(filter, revision, self.limit, self.answer.format, Some(&head))?;
        let first = export.read(connection)?;
        Ok(reply::rows(export_body(app, export, Cost::Bounded, first), self.answer))
    }

    /// Returns the snapshot's members before its data.
    fn head<'h>(&'h self, topic: &'h str, revision: i64, extent: Extent) -> SnapshotHead<'h> {
        let (since, is_reset) = extent.members();
        SnapshotHead { topic, epoch: self.epoch, revision, since, is_reset }
    }

    /// Returns whether more events followed `since` than the answer may have.
    fn has_more(&self, connection: &Connection, since: i64, revision: i64) -> rusqlite::Result<bool> {
        // Ids may have gaps, so a large difference only makes more events possible. The count then decides.
        let most = self.limit + 1;
        Ok(revision.abs_diff(since) >= most && count_since(connection, since, revision, most)? >= most)
    }

    /// Returns the revision that the client holds; `None` when it belongs to another database or when a
    /// deletion followed.
    fn known_since(&self, connection: &Connection, revision: i64) -> rusqlite::Result<Option<i64>> {
        let Some(since) = self.since.filter(|since| !self.other_epoch && *since <= revision) else {
            return Ok(None);
        };
        Ok((since >= last_deletion(connection)?).then_some(since))
    }

    /// Returns the extent of the answer. With more new events than the page size, it has the newest ones
    /// (rule SYN-07).
    fn extent(&self, known_since: Option<i64>, has_more: bool) -> Extent {
        match (self.since, known_since) {
            (None, _) => Extent::Whole,
            (Some(_), Some(since)) if !has_more => Extent::Since(since),
            (Some(_), _) => Extent::Reset,
        }
    }

    /// Returns the events after the client's revision, or the newest page (rule SYN-07).
    fn events(&self, connection: &Connection, revision: i64) -> rusqlite::Result<(Extent, Vec<u8>)> {
        let since = self.known_since(connection, revision)?;
        let filter = EventFilter { above: since.unwrap_or(0), ..EventFilter::default() };
        let page = read_page(connection, &filter, self.limit, self.answer.format)?;
        Ok((self.extent(since, page.has_more), page.bytes))
    }
}

/// The part of a topic that an answer has.
enum Extent {
    Whole,
    /// The changes after this revision.
    Since(i64),
    /// Everything, although the client named a revision: the changes after it are unknown or too many.
    Reset,
}

impl Extent {
    /// Returns the members `since` and `reset` of an answer.
    fn members(self) -> (Option<i64>, bool) {
        match self {
            Extent::Whole => (None, false),
            Extent::Since(since) => (Some(since), false),
            Extent::Reset => (None, true),
        }
    }
}
