//! Stores a group of requests in one transaction: finds duplicates, gives out ids and raises sums (rules ING-07, STO-07
//! and STO-08).
//!
//! What must stay true: a group is stored whole or not at all; a duplicate changes nothing (rule ING-02); ids
//! grow in the order of the requests and, in each, of its events (rule ING-07).

use rusqlite::{Connection, params};

use crate::contract::queries;
use crate::event::{Event, Outcome};
use crate::store::connection::with_small_cache;
use crate::store::event_blocks::EventBlocks;
use crate::store::event_key::EventKey;
use crate::store::event_keys::EventKeys;
use crate::store::names::{NameKind, Names};
use crate::store::sessions::SessionDeltas;
use crate::store::stats::{EVERY_EVENT, StatsDeltas, hour_of};

/// The valid events of one request, with the body that their texts lie in.
#[derive(Debug)]
pub struct Submission {
    /// The request's body.
    pub body: String,
    /// Its valid events, in their order.
    pub events: Vec<Event>,
}

/// The outcomes of each submission of a group, and the newest id when a row was stored.
pub type Stored = (Vec<Vec<Outcome>>, Option<i64>);

/// What the writer keeps between groups.
#[derive(Debug, Default)]
pub struct EventWriter {
    keys: EventKeys,
    blocks: EventBlocks,
    names: Names,
    sessions: SessionDeltas,
    stats: StatsDeltas,
    last_id: Option<i64>,
}

impl EventWriter {
    /// Stores a group at one time (`now`, Unix milliseconds; rule STO-08); the outcomes of each submission, and
    /// the newest id when a row was stored. On an error nothing is stored, and nothing is remembered.
    pub fn insert_group<'a>(
        &mut self,
        connection: &Connection,
        group: impl Iterator<Item = &'a Submission>,
        now: i64,
    ) -> rusqlite::Result<Stored> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let stored = self.insert_all(connection, group, now);
        let committed = stored.and_then(|stored| {
            connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(stored)
        });
        if committed.is_err() {
            self.forget();
            if !connection.is_autocommit() {
                // The first error is the one to tell; closing the connection would roll back as well.
                drop(connection.execute_batch("ROLLBACK"));
            }
        }
        committed
    }

    /// Reads what has to be known before the first group, so that it need not wait for it.
    pub fn load(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        with_small_cache(connection, || self.keys.load(connection))
    }

    fn forget(&mut self) {
        self.keys.forget();
        self.blocks.forget();
        self.names.clear();
        self.sessions.clear();
        self.stats.clear();
        self.last_id = None;
    }

    fn insert_all<'a>(
        &mut self,
        connection: &Connection,
        group: impl Iterator<Item = &'a Submission>,
        now: i64,
    ) -> rusqlite::Result<Stored> {
        self.keys.load(connection)?;
        let first_id = match self.last_id {
            Some(id) => id,
            None => connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0))?,
        };
        let mut last_id = first_id;
        let mut outcomes = Vec::new();
        let mut insert_event = connection.prepare_cached(queries::INSERT_EVENT)?;
        for submission in group {
            let mut of_submission = Vec::with_capacity(submission.events.len());
            for event in &submission.events {
                let key = event.event_id.as_ref().map(|id| EventKey::new(id.of(&submission.body)));
                if let Some(key) = &key
                    && !self.keys.insert(connection, key.bits())?
                {
                    of_submission.push(Outcome::Duplicate);
                    continue;
                }
                last_id += 1;
                self.insert_one(
                    connection,
                    &mut insert_event,
                    &submission.body,
                    event,
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
        self.sessions.flush(connection, now)?;
        self.stats.flush(connection, now)?;
        let hour = params![hour_of(now), first_id + 1, last_id];
        connection.prepare_cached(queries::UPSERT_HOUR)?.execute(hour)?;
        self.keys.settle(connection, (last_id - first_id).unsigned_abs(), last_id)?;
        self.last_id = Some(last_id);
        Ok((outcomes, Some(last_id)))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one row's place in its group; a struct would be made per event"
    )]
    fn insert_one(
        &mut self,
        connection: &Connection,
        insert: &mut rusqlite::CachedStatement<'_>,
        body: &str,
        event: &Event,
        key: Option<&EventKey<'_>>,
        id: i64,
        now: i64,
    ) -> rusqlite::Result<()> {
        let names = &mut self.names;
        let mut name =
            |kind, text: Option<&str>| text.map(|text| names.id(connection, kind, text)).transpose();
        let agent_type = name(NameKind::AgentType, Some(event.agent_type.of(body)))?.unwrap_or_default();
        let event_type = name(NameKind::EventType, Some(event.event_type))?;
        let status = name(NameKind::Status, Some(event.status))?;
        let source = name(NameKind::Source, Some(event.source))?;
        let tool_name = name(NameKind::ToolName, event.tool_name.as_ref().map(|text| text.of(body)))?;
        let branch = name(NameKind::Branch, event.branch.as_ref().map(|text| text.of(body)))?;
        let project = name(NameKind::Project, event.project.as_ref().map(|text| text.of(body)))?;
        let model = name(NameKind::Model, event.model.as_ref().map(|text| text.of(body)))?;
        let session_id = event.session_id.of(body);
        let session = self.sessions.key(connection, session_id)?;
        insert.execute(params![
            id,
            now,
            session,
            agent_type,
            event_type,
            status,
            source,
            tool_name,
            branch,
            project,
            model,
            event.payload_truncated,
            event.tokens_in,
            event.tokens_out,
            event.cache_read_tokens,
            event.cache_write_tokens,
            event.duration_ms,
            event.cost_nanos,
            event.client_timestamp,
            key,
            event.metadata.of(body),
        ])?;

        let delta = self.sessions.delta(session, session_id, agent_type, id);
        delta.project = project.or(delta.project);
        delta.branch = branch.or(delta.branch);
        delta.model = model.or(delta.model);
        delta.ended = event.event_type == "session_end";
        delta.last_event_id = id;
        delta.event_count += 1;
        delta.error_count += i64::from(event.status == "error");
        delta.tokens_in = delta.tokens_in.saturating_add(event.tokens_in);
        delta.tokens_out = delta.tokens_out.saturating_add(event.tokens_out);
        delta.cache_read_tokens = delta.cache_read_tokens.saturating_add(event.cache_read_tokens);
        delta.cache_write_tokens = delta.cache_write_tokens.saturating_add(event.cache_write_tokens);
        delta.cost_nanos = delta.cost_nanos.saturating_add(event.cost_nanos.unwrap_or(0));

        self.stats.add(EVERY_EVENT, agent_type, event);
        self.blocks.begin_row(connection, id, agent_type, session)?;
        let counted = [event_type, status, source, tool_name, branch, project, model];
        for name in counted.into_iter().flatten() {
            self.stats.add(name, agent_type, event);
            self.blocks.add_name(name)?;
        }
        Ok(())
    }
}
