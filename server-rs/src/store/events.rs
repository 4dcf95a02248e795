//! A group of waiting requests becomes rows: duplicates told apart, ids given out, sums raised, in one transaction.
//!
//! What must stay true: a group is stored whole or not at all; a duplicate changes nothing (rule ING-02); ids
//! grow in the order of the requests and, in each, of its events (rule ING-07).

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params};

use crate::contract::queries;
use crate::event::{Event, Outcome};
use crate::store::names::{NameKind, Names};
use crate::store::sessions::SessionDeltas;
use crate::store::stats::{EVERY_EVENT, StatsDeltas, hour_of};
use crate::text::hex_value;

/// The valid events of one request, with the body that their texts lie in.
#[derive(Debug)]
pub struct Submission {
    /// The request's body.
    pub body: String,
    /// Its valid events, in their order.
    pub events: Vec<Event>,
}

/// What the writer keeps between groups.
#[derive(Debug, Default)]
pub struct EventWriter {
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
    ) -> rusqlite::Result<(Vec<Vec<Outcome>>, Option<i64>)> {
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

    fn forget(&mut self) {
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
    ) -> rusqlite::Result<(Vec<Vec<Outcome>>, Option<i64>)> {
        let first_id = match self.last_id {
            Some(id) => id,
            None => connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0))?,
        };
        let mut last_id = first_id;
        let mut outcomes = Vec::new();
        let mut insert_key = connection.prepare_cached(queries::INSERT_EVENT_KEY)?;
        let mut insert_event = connection.prepare_cached(queries::INSERT_EVENT)?;
        for submission in group {
            let mut of_submission = Vec::with_capacity(submission.events.len());
            for event in &submission.events {
                let key = event.event_id.as_ref().map(|id| EventKey::new(id.of(&submission.body)));
                if let Some(key) = &key
                    && insert_key.execute([key])? == 0
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
        self.sessions.flush(connection, now)?;
        self.stats.flush(connection, now)?;
        let hour = params![hour_of(now), first_id + 1, last_id];
        connection.prepare_cached(queries::UPSERT_HOUR)?.execute(hour)?;
        connection.prepare_cached(queries::UPDATE_TOPICS)?.execute([])?;
        connection.prepare_cached(queries::UPDATE_LAST_EVENT_ID)?.execute([last_id])?;
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

        let delta = self.sessions.delta(session, session_id, agent_type);
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

        let counted = [Some(EVERY_EVENT), event_type, status, source, tool_name, branch, project, model];
        for name in counted.into_iter().flatten() {
            self.stats.add(name, agent_type, event);
        }
        Ok(())
    }
}

/// An `event_id` as it is kept: a canonical lower-case UUID as its 16 bytes, anything else as its text.
#[derive(Debug, PartialEq, Eq)]
pub enum EventKey<'a> {
    /// RFC 9562, section 4, in lower case.
    Uuid([u8; 16]),
    /// Any other text.
    Text(&'a str),
}

impl<'a> EventKey<'a> {
    /// The key of an `event_id`.
    pub fn new(event_id: &'a str) -> Self {
        parse_uuid(event_id.as_bytes()).map_or(EventKey::Text(event_id), EventKey::Uuid)
    }
}

impl ToSql for EventKey<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            EventKey::Uuid(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            EventKey::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    let mut bytes = [0; 16];
    let mut at = 0;
    for byte in &mut bytes {
        if matches!(at, 8 | 13 | 18 | 23) {
            if text[at] != b'-' {
                return None;
            }
            at += 1;
        }
        let pair = [text[at], text[at + 1]];
        if pair.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        at += 2;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_canonical_uuid_is_kept_as_bytes() {
        let uuid = "0b8f1a2c-3d4e-5f60-7182-93a4b5c6d7e8";
        assert!(matches!(EventKey::new(uuid), EventKey::Uuid([0x0b, .., 0xe8])));
        let upper = uuid.to_uppercase();
        let braces = format!("{{{}}}", &uuid[1..35]);
        for text in [upper.as_str(), &uuid[..35], &braces, "0b8f1a2c3d4e-5f60-7182-93a4b5c6-d7e8", "x"] {
            assert_eq!(EventKey::new(text), EventKey::Text(text));
        }
    }
}
