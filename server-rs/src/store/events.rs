//! Stores a group of requests in one transaction: finds duplicates, assigns ids and updates sums (rules ING-07,
//! STO-07 and STO-08).
//!
//! Invariants: a group is stored completely or not at all. A duplicate changes nothing (rule ING-02). Ids ascend in
//! the order of the requests and of each request's events (rule ING-07). Over 250 lines because one file describes
//! the way of an event through all tables.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection};

use crate::contract::vocabulary::{event_type, source};
use crate::event::{Event, Outcome};
use crate::event_time::EventTimes;
use crate::field::Field;
use crate::figure::{add_event, measure};
use crate::meters::EventSource;
use crate::prices::{Counts, Prices, computed_nanos};
use crate::queries;
use crate::store::attachments::AttachmentRow;
use crate::store::cluster::{Applied, ClusterGroup};
use crate::store::cluster_change::{ClusterChange, store_bounds};
use crate::store::connection::with_small_cache;
use crate::store::deletions::{Step, delete_events, delete_session_blocks, oldest_of};
use crate::store::event_blocks::EventBlocks;
use crate::store::event_insert::{EventInsert, GroupInserts, RowValues};
use crate::store::event_key::EventKey;
use crate::store::event_keys::EventKeys;
use crate::store::last_time::LastTime;
use crate::store::names::Names;
use crate::store::sessions::{SessionDeltas, SessionEnd};
use crate::store::stats::{EVERY_EVENT, StatsDeltas, quarter_of};
use crate::store::tariffs::Tariffs;
use crate::store::waits::SessionWaits;
use crate::waits::{DISMISSAL, NO_CHANGE, WAIT_CHANGES};

/// The valid events of one request, with the body that their texts refer to.
#[derive(Debug)]
pub struct Submission {
    /// The request's body.
    pub body: String,
    /// Its valid events, in their order.
    pub events: Vec<Event>,
    /// The way that they came.
    pub source: EventSource,
}

/// The outcomes of each submission of a group, and the newest id when a row was stored.
pub type Stored = (Vec<Vec<Outcome>>, Option<i64>);

/// The decision about an event by its id.
enum Accepted {
    New,
    /// A hook that arrives after the telemetry of its call or prompt, with the hook's second id.
    Late(EventKey<'static>),
    Duplicate,
}

/// The writer's state between groups.
#[derive(Debug, Default)]
pub struct EventWriter {
    tariffs: Tariffs,
    insert: EventInsert,
    keys: EventKeys,
    blocks: EventBlocks,
    names: Names,
    sessions: SessionDeltas,
    waits: SessionWaits,
    stats: StatsDeltas,
    last_time: LastTime,
    ignored_times: u64,
    last_id: Option<i64>,
}

impl EventWriter {
    /// Creates a writer that computes costs with these prices.
    pub fn new(prices: Option<Arc<Prices>>) -> Self {
        Self { tariffs: Tariffs::new(prices), ..Self::default() }
    }

    /// Stores a group at one time (`now`, Unix milliseconds; rule STO-08). Returns the outcomes of each submission,
    /// and the newest id if a row was stored. On an error it stores and remembers nothing.
    pub fn insert_group<'a>(
        &mut self,
        connection: &Connection,
        group: impl Iterator<Item = &'a Submission>,
        now: i64,
    ) -> rusqlite::Result<Stored> {
        self.in_transaction(connection, |events| {
            events.insert_all(connection, group.map(|submission| (submission, None)), now)
        })
    }

    /// Stores messages of a stream under their own ids and times, and then makes their change (rules CLU-05 and CLU-11).
    /// Returns the effect, and the newest id if a row was stored or deleted.
    pub fn apply_group(
        &mut self,
        connection: &Connection,
        group: &ClusterGroup,
    ) -> rusqlite::Result<(Applied, Option<i64>)> {
        self.in_transaction(connection, |events| {
            let (mut outcomes, mut newest) = (Vec::with_capacity(group.events.len()), None);
            for run in group.events.chunk_by(|one, next| one.created_at == next.created_at) {
                let Some(first) = run.first() else { continue };
                let submissions = run.iter().map(|event| (&event.submission, Some(event.sequence)));
                let (stored, last) = events.insert_all(connection, submissions, first.created_at)?;
                outcomes.extend(stored.into_iter().flatten());
                newest = last.or(newest);
            }
            let step = match &group.change {
                Some(change) => events.make_change(connection, change)?,
                None => None,
            };
            let attached = match &group.change {
                Some(ClusterChange::Attach { event, name, sha256, size, media_type }) => {
                    let row = AttachmentRow { event: *event, name, sha256, size: *size, media_type };
                    Some(row.insert(connection, group.changed_at)?)
                }
                _ => None,
            };
            if step.is_some() {
                events.take_id(connection, group.sequence)?;
                newest = Some(group.sequence);
            }
            connection.prepare_cached(queries::UPSERT_CLUSTER_SEQUENCE)?.execute([group.sequence])?;
            let (deleted, contents) = step.map(|step| (step.events, step.contents)).unzip();
            Ok((Applied { outcomes, deleted, attached, contents: contents.unwrap_or_default() }, newest))
        })
    }

    /// Runs a deletion in one transaction. If it deletes something, it takes an id that no event gets, so that every
    /// revision rises (rule RET-05). Returns what `delete` found, and that id.
    pub(super) fn delete<T>(
        &mut self,
        connection: &Connection,
        delete: impl FnOnce() -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Option<(T, i64)>> {
        self.in_transaction(connection, |events| {
            let Some(deleted) = delete()? else {
                return Ok(None);
            };
            let id = events.last_id(connection)? + 1;
            events.take_id(connection, id)?;
            Ok(Some((deleted, id)))
        })
    }

    /// Makes a change of the stream; `None` when it deletes nothing.
    fn make_change(
        &mut self,
        connection: &Connection,
        change: &ClusterChange,
    ) -> rusqlite::Result<Option<Step>> {
        match change {
            ClusterChange::DeleteEvents { through, is_asked } => {
                let through = (*through).min(self.last_id(connection)?);
                let mut select = connection.prepare_cached(queries::SELECT_FIRST_EVENT_ID)?;
                let first: Option<i64> = select.query_row([], |row| row.get(0))?;
                match first {
                    Some(first) if first <= through => {
                        let oldest = oldest_of(connection, through, i64::MAX)?;
                        delete_events(connection, oldest, *is_asked).map(Some)
                    }
                    _ => Ok(None),
                }
            }
            ClusterChange::DeleteSession { session_id, from_block, to_block } => {
                delete_session_blocks(connection, session_id, *from_block, *to_block)
            }
            ClusterChange::Retain { days, bytes } => store_bounds(connection, *days, *bytes).map(|()| None),
            ClusterChange::Attach { .. } => Ok(None),
        }
    }

    /// Gives a deletion this id, which is then the newest one.
    fn take_id(&mut self, connection: &Connection, id: i64) -> rusqlite::Result<()> {
        self.keys.load(connection)?;
        self.keys.settle(connection, 0, id)?;
        connection.prepare_cached(queries::UPDATE_LAST_DELETION_ID)?.execute([id])?;
        // The rows of cached blocks, sessions and names may be deleted.
        self.blocks.forget();
        self.last_time.forget();
        self.sessions.clear();
        self.names.clear();
        self.last_id = Some(id);
        Ok(())
    }

    /// Returns the newest id that was ever assigned.
    pub(super) fn last_id(&mut self, connection: &Connection) -> rusqlite::Result<i64> {
        match self.last_id {
            Some(id) => Ok(id),
            None => connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0)),
        }
    }

    fn in_transaction<T>(
        &mut self,
        connection: &Connection,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let committed = work(self).and_then(|done| {
            connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(done)
        });
        if committed.is_err() {
            self.forget();
            if !connection.is_autocommit() {
                // The first error is the one to report; closing the connection would roll back as well.
                drop(connection.execute_batch("ROLLBACK"));
            }
        }
        committed
    }

    /// Returns how many stored events have a client's time that does not count, since the last call (rule TIM-01).
    pub fn take_ignored_times(&mut self) -> u64 {
        std::mem::take(&mut self.ignored_times)
    }

    /// Loads the state before the first group, so that the group does not wait for it.
    pub fn load(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        with_small_cache(connection, || self.keys.load(connection))
    }

    fn forget(&mut self) {
        self.keys.forget();
        self.blocks.forget();
        self.names.clear();
        self.sessions.clear();
        self.stats.clear();
        self.last_time.forget();
        self.ignored_times = 0;
        self.last_id = None;
    }

    /// Inserts submissions, each with the id of its event, or with the ids that follow the newest one.
    #[inline]
    fn insert_all<'a>(
        &mut self,
        connection: &Connection,
        group: impl Iterator<Item = (&'a Submission, Option<i64>)>,
        now: i64,
    ) -> rusqlite::Result<Stored> {
        self.keys.load(connection)?;
        let first_id = self.last_id(connection)?;
        let mut last_id = first_id;
        let mut outcomes = Vec::new();
        let mut inserts = GroupInserts::new(connection);
        for (submission, own_id) in group {
            let mut of_submission = Vec::with_capacity(submission.events.len());
            for event in &submission.events {
                let mut key = event.text(Field::EventId, &submission.body).map(EventKey::new);
                let mut step = None;
                if let Some(shared) = &key {
                    match self.accept(connection, event, shared)? {
                        Accepted::New => {}
                        Accepted::Late(own) => {
                            key = Some(own);
                            step = Some(event.to_step());
                        }
                        Accepted::Duplicate => {
                            of_submission.push(Outcome::Duplicate);
                            continue;
                        }
                    }
                }
                last_id = own_id.unwrap_or(last_id + 1);
                self.insert_one(
                    connection,
                    &mut inserts,
                    &submission.body,
                    step.as_ref().unwrap_or(event),
                    key.as_ref(),
                    last_id,
                    now,
                )?;
                of_submission.push(Outcome::Stored(last_id));
            }
            outcomes.push(of_submission);
        }
        if last_id == first_id {
            return Ok((outcomes, None));
        }
        self.blocks.flush(connection)?;
        self.sessions.flush(connection)?;
        self.stats.flush(connection)?;
        self.keys.settle(connection, (last_id - first_id).unsigned_abs(), last_id)?;
        self.last_id = Some(last_id);
        Ok((outcomes, Some(last_id)))
    }

    /// Accepts the id of an event. Only a hook that telemetry may report too has both an id and an effect on
    /// waits. Such a hook takes a second id, which identifies a repeated hook (rule HOK-04).
    fn accept(
        &mut self,
        connection: &Connection,
        event: &Event,
        shared: &EventKey<'_>,
    ) -> rusqlite::Result<Accepted> {
        let is_new = self.keys.insert(connection, shared.bits())?;
        let own = (event.wait != NO_CHANGE).then(|| shared.of_hook()).flatten();
        let is_first = match &own {
            Some(own) => self.keys.insert(connection, own.bits())?,
            None => false,
        };
        Ok(match own {
            _ if is_new => Accepted::New,
            Some(own) if is_first => Accepted::Late(own),
            _ => Accepted::Duplicate,
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one row's place in its group; a struct would be made per event"
    )]
    fn insert_one(
        &mut self,
        connection: &Connection,
        inserts: &mut GroupInserts<'_>,
        body: &str,
        event: &Event,
        key: Option<&EventKey<'_>>,
        id: i64,
        now: i64,
    ) -> rusqlite::Result<()> {
        // Every event has both fields (rule EVT-01).
        let agent = event.text(Field::AgentType, body).unwrap_or_default();
        let agent_type = self.names.id(connection, Field::AgentType, agent)?;
        let mut ids = [None; Field::COUNT];
        for kind in Field::NAME_KINDS {
            let name =
                event.text(kind, body).map(|text| self.names.id_of_agent(connection, kind, text, agent_type));
            ids[kind as usize] = name.transpose()?;
        }
        let id_of = |kind: Field| ids[kind as usize];
        let session_id = event.text(Field::SessionId, body).unwrap_or_default();
        let session = self.sessions.key(connection, session_id)?;
        let times = EventTimes {
            client_timestamp: event.number(Field::ClientTimestamp),
            arrived_at: event.number(Field::ArrivedAt),
            created_at: now,
        };
        let time = times.time();
        let is_history =
            times.is_history(matches!(event.word(Field::Source), Some(source::HOOK | source::OTEL)));
        let is_late = self.last_time.add(connection, time)?;
        self.ignored_times += u64::from(times.is_ignored());
        let computed = self.computed_nanos(event, body);
        let row = RowValues {
            id,
            created_at: now,
            history: is_history,
            payload_truncated: event.payload_truncated,
            computed_cost_nanos: computed,
            late: is_late,
            time_shift: time - now,
        };
        let bind = |insert: &mut CachedStatement<'_>, at: usize, field: Field| match field {
            Field::SessionId => insert.raw_bind_parameter(at, session),
            Field::EventId => insert.raw_bind_parameter(at, key),
            _ if field.spec().is_dictionary => insert.raw_bind_parameter(at, id_of(field)),
            _ => match event.number(field) {
                Some(number) => insert.raw_bind_parameter(at, number),
                None => insert.raw_bind_parameter(at, event.text(field, body)),
            },
        };
        self.insert.run(inserts, &row, |field| event.is_absent(field), bind)?;

        let figures =
            measure(|field| event.number(field), |field, word| event.word(field) == Some(word), computed);
        let delta = self.sessions.delta(session, session_id, agent_type, id);
        delta.add_time(time, (!is_history).then_some(now), event.wait != DISMISSAL);
        delta.project = id_of(Field::Project).or(delta.project);
        delta.branch = id_of(Field::Branch).or(delta.branch);
        delta.model = id_of(Field::Model).or(delta.model);
        if event.wait != DISMISSAL {
            let is_end = event.word(Field::EventType) == Some(event_type::SESSION_END);
            if is_end || !matches!(event.word(Field::Source), Some(source::OTEL | source::IMPORT)) {
                delta.add_end(SessionEnd { ended_at: is_end.then_some(time), is_history });
            }
        }
        delta.last_event_id = id;
        add_event(&mut delta.sums, &figures);

        if event.wait != NO_CHANGE
            && let Some(change) = WAIT_CHANGES.get(event.wait)
        {
            let agent_id = event.text(Field::AgentId, body).unwrap_or_default();
            self.waits.change(connection, session, agent_id, change, id, now)?;
        }

        let quarter = quarter_of(time);
        self.stats.add(quarter, EVERY_EVENT, agent_type, &figures);
        self.blocks.begin_row(connection, id, agent_type, session)?;
        self.blocks.add_time(time, is_late);
        for kind in Field::NAME_KINDS {
            // The agent's sums already count every event.
            if kind != Field::AgentType
                && let Some(name) = id_of(kind)
            {
                if kind == Field::ToolName {
                    let is_step = event.word(Field::EventType) == Some("plan_step");
                    self.stats.add_tool(quarter, name, agent_type, &figures, is_step);
                } else {
                    self.stats.add(quarter, name, agent_type, &figures);
                }
                self.blocks.add_name(name)?;
            }
        }
        Ok(())
    }

    /// Returns the computed cost of an event that reports none, in nano-dollars (rule PRI-04).
    fn computed_nanos(&mut self, event: &Event, body: &str) -> Option<i64> {
        let counts = priced_counts(event);
        if event.number(Field::CostUsd).is_some() || counts.iter().all(|count| *count == 0) {
            return None;
        }
        let model = event.text(Field::Model, body)?;
        let tariff = self.tariffs.of(model, event.text(Field::ServiceTier, body))?;
        computed_nanos(&tariff, counts)
    }
}

/// Returns the token counts that have prices. Writes of one hour are a part of all writes (rule EVT-06).
fn priced_counts(event: &Event) -> Counts {
    let count = |field| event.number(field).unwrap_or(0);
    let writes = count(Field::CacheWriteTokens);
    let writes_1h = count(Field::CacheWrite1hTokens).min(writes);
    [
        count(Field::TokensIn),
        count(Field::TokensOut),
        count(Field::CacheReadTokens),
        writes - writes_1h,
        writes_1h,
    ]
}
