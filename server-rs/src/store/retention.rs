//! Decides what the writer deletes next: the requests of clients, then the events outside `--retain-days` and
//! `--retain-bytes` (rules RET-01 to RET-05). In a pause it returns free pages to the file system (rule RET-07).
//!
//! Over 250 lines because one file decides the order of all deletions. Belongs to the writer's thread, which takes a step between groups. Invariant: a step that fails
//! deletes nothing. A client's job then ends with the error. Deletions by the bounds wait for the next tick.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::contract::{LIMITS, TUNING};
use crate::digest::Digest;
use crate::error::ErrorCode;
use crate::meters::Meters;
use crate::queries;
use crate::store::attachments::AttachmentWriter;
use crate::store::deletions::{
    Oldest, Scope, Step, delete_events, delete_session, deletion_bound, oldest_of,
};
use crate::store::events::EventWriter;
use crate::store::forwarding::ForwardCursor;

const DAY_MS: u64 = 86_400_000;

/// The bounds of `--retain-days` and `--retain-bytes`; 0 is no bound. Requests change them at run time.
#[derive(Debug, Default)]
pub struct Bounds {
    /// Age of the oldest event, in days.
    pub days: AtomicU64,
    /// Size of all events, in bytes (rule RET-02).
    pub bytes: AtomicU64,
    /// The newest id that a client's deletion took. The stream must not send frames from before it again.
    pub last_request: AtomicI64,
    /// Bytes of attachments that the room for attachments does not know of yet: less for deleted ones, more for those of a
    /// stream.
    pub attachment_bytes_change: AtomicI64,
}

/// The result of a client's deletion.
#[derive(Debug, Clone)]
pub struct Deleted {
    /// Number of deleted events.
    pub events: u64,
    /// The id that its last transaction took.
    pub revision: i64,
}

/// The answer to a client's deletion; `None` when there is no such session.
pub type DeletionReply = oneshot::Sender<Result<Option<Deleted>, ErrorCode>>;

#[derive(Debug)]
struct Job {
    scope: Scope,
    block: i64,
    deleted: Deleted,
    reply: DeletionReply,
}

/// Pending deletions.
#[derive(Debug)]
pub struct Retention {
    bounds: Arc<Bounds>,
    meters: Arc<Meters>,
    forward: Option<Arc<ForwardCursor>>,
    /// Whether the database is a copy of a stream, which alone says what is deleted (rule CLU-11).
    is_copy: bool,
    jobs: VecDeque<Job>,
    /// A job whose last step is committed; its answer waits until the step's id is published, and the files are removed.
    finished: Option<Job>,
    /// Contents whose files are to be removed, since their rows are deleted.
    removals: VecDeque<Digest>,
    /// Whether the bounds may be exceeded.
    is_due: bool,
    /// Whether the size exceeded its bound. Deletion then continues until the size is below the bound by a
    /// share of it.
    is_reducing: bool,
    is_vacuuming: bool,
    /// Whether a group was stored since the last tick.
    is_busy: bool,
    /// Number of events that were stored since the last step by the bounds.
    stored: u64,
}

impl Retention {
    /// Creates a retention with these bounds and no pending deletion.
    pub fn new(
        bounds: Arc<Bounds>,
        meters: Arc<Meters>,
        forward: Option<Arc<ForwardCursor>>,
        is_copy: bool,
    ) -> Self {
        Self {
            bounds,
            meters,
            forward,
            is_copy,
            jobs: VecDeque::new(),
            finished: None,
            removals: VecDeque::new(),
            is_due: false,
            is_reducing: false,
            is_vacuuming: false,
            is_busy: false,
            stored: 0,
        }
    }

    /// Queues a client's deletion.
    pub fn push(&mut self, scope: Scope, reply: DeletionReply) {
        self.jobs.push_back(Job { scope, block: 0, deleted: Deleted { events: 0, revision: 0 }, reply });
    }

    /// Returns whether a step is pending.
    pub fn has_work(&self) -> bool {
        self.is_due || self.is_vacuuming || self.has_removals() || !self.jobs.is_empty()
    }

    /// Returns whether free pages are being returned.
    pub fn vacuums(&self) -> bool {
        self.is_vacuuming
    }

    /// Notes that a group was stored: vacuuming waits for a pause.
    pub fn note_group(&mut self, events: usize) {
        self.is_busy = true;
        self.stored += events as u64;
        // Under load the size is checked more often than once a second.
        if !self.is_copy
            && self.stored >= TUNING.retention_step_events
            && self.bounds.bytes.load(Ordering::Relaxed) > 0
        {
            self.is_due = true;
        }
        self.is_vacuuming = false;
    }

    /// Notes that a client's deletion took an id outside the queue of deletions.
    pub fn note_request(&self, id: i64) {
        self.bounds.last_request.store(id, Ordering::Release);
    }

    /// Checks the bounds again; runs once a second.
    pub fn tick(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let bound = |bound: &AtomicU64| bound.load(Ordering::Relaxed);
        self.is_due = !self.is_copy && (bound(&self.bounds.days) > 0 || bound(&self.bounds.bytes) > 0);
        if !std::mem::take(&mut self.is_busy) {
            self.is_vacuuming = free_bytes(connection)?.0 > TUNING.retention_free_bytes;
        }
        Ok(())
    }

    /// Takes the next step: deletes events, by the bounds about `most`, or vacuums some pages. Returns the id of its transaction, to
    /// be published, if it deleted something.
    pub fn step(
        &mut self,
        connection: &Connection,
        events: &mut EventWriter,
        attachments: &AttachmentWriter,
        now_ms: i64,
        most: u64,
    ) -> rusqlite::Result<Option<i64>> {
        // Overwrites what a client deletes, since it may be private (rule RET-07).
        connection.pragma_update(None, "secure_delete", !self.jobs.is_empty())?;
        let (step, id) = if let Some(job) = self.jobs.front_mut() {
            // The load does not decide it, so that both servers assign the same ids.
            let Some(found) = step_of(job, connection, events, LIMITS.deletion_step_events)? else {
                self.finished = self.jobs.pop_front();
                return Ok(None);
            };
            job.deleted.events += found.0.events;
            job.deleted.revision = found.1;
            self.bounds.last_request.store(found.1, Ordering::Release);
            found
        } else if self.is_due {
            self.stored = 0;
            let Some(newest) = self.due_bound(connection, events, now_ms, most)? else {
                self.is_due = false;
                return Ok(None);
            };
            let oldest = bounded(connection, newest)?;
            let newest = oldest.newest;
            let forward = self.forward.as_deref();
            let lost = forward.map_or(Ok(0), |cursor| cursor.count_losses(connection, newest))?;
            let deleted = events.delete(connection, || delete_events(connection, oldest, false).map(Some))?;
            if let Some(cursor) = forward {
                cursor.note_losses(newest, lost);
            }
            let Some(deleted) = deleted else { return Ok(None) };
            deleted
        } else {
            self.vacuum(connection)?;
            return Ok(None);
        };
        self.meters.count_deletion(step.events);
        if step.is_last {
            self.finished = self.jobs.pop_front();
        }
        let (unused, freed) = attachments.find_unused(connection, &step.contents)?;
        self.count_attachment_bytes(freed, 0);
        self.removals.extend(unused);
        Ok(Some(id))
    }

    /// Returns whether files of deleted attachments are left.
    pub fn has_removals(&self) -> bool {
        !self.removals.is_empty()
    }

    /// Queues the removal of the files of these contents.
    pub(super) fn remove_later(&mut self, unused: Vec<Digest>) {
        self.removals.extend(unused);
    }

    /// Removes files of deleted attachments for `removal_turn_ms`, at least one. A slow disk may need longer for one file
    /// than the database for a whole step, so groups come between them.
    pub fn remove_files(
        &mut self,
        connection: &Connection,
        attachments: &AttachmentWriter,
    ) -> rusqlite::Result<()> {
        let end = Instant::now() + Duration::from_millis(TUNING.removal_turn_ms);
        while let Some(digest) = self.removals.pop_front() {
            attachments.remove_unused(connection, &digest)?;
            if Instant::now() >= end {
                break;
            }
        }
        Ok(())
    }

    /// Records bytes of attachments that were deleted, and others that were stored without an upload.
    pub(super) fn count_attachment_bytes(&self, freed: u64, stored: u64) {
        let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        self.bounds.attachment_bytes_change.fetch_add(signed(stored) - signed(freed), Ordering::Relaxed);
    }

    /// Answers the current job with this code. Deletions by the bounds wait for the next tick.
    pub fn fail(&mut self, code: ErrorCode) {
        self.is_due = false;
        self.is_vacuuming = false;
        if let Some(job) = self.jobs.pop_front() {
            drop(job.reply.send(Err(code)));
        }
    }

    /// Answers the job whose last step is published, once no file of it is left.
    pub fn answer(&mut self) {
        if self.has_removals() {
            return;
        }
        if let Some(Job { deleted, reply, .. }) = self.finished.take() {
            // The deletion stays even if the client has disconnected.
            drop(reply.send(Ok((deleted.revision > 0).then_some(deleted))));
        }
    }

    /// Returns the newest id that the bounds let a step delete.
    fn due_bound(
        &mut self,
        connection: &Connection,
        events: &mut EventWriter,
        now_ms: i64,
        most: u64,
    ) -> rusqlite::Result<Option<i64>> {
        let due = Due {
            days: self.bounds.days.load(Ordering::Relaxed),
            bytes: self.bounds.bytes.load(Ordering::Relaxed),
            last_id: events.last_id(connection)?,
            now_ms,
            most,
        };
        due_bound(connection, &due, &mut self.is_reducing)
    }

    /// Gives some free pages back to the file system. The file shrinks with the next checkpoint.
    fn vacuum(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let before = free_bytes(connection)?.0;
        // Each row of the result frees one page, so the loop reads all rows.
        let sql = format!("PRAGMA incremental_vacuum({})", TUNING.retention_vacuum_pages);
        let mut vacuum = connection.prepare_cached(&sql)?;
        let mut pages = vacuum.query([])?;
        while pages.next()?.is_some() {}
        let after = free_bytes(connection)?.0;
        // In a file that was created without `auto_vacuum` no page becomes free, so vacuuming ends.
        self.is_vacuuming = after > 0 && after < before;
        Ok(())
    }
}

/// What decides the next deletion by the bounds.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "days and bytes are those of `Bounds`, and `most` bounds the step")]
pub struct Due {
    pub days: u64,
    pub bytes: u64,
    /// The newest id that was ever assigned.
    pub last_id: i64,
    pub now_ms: i64,
    pub most: u64,
}

/// Returns the newest id that the bounds let a step delete (rule RET-01). `is_reducing` is what the last call left.
pub fn due_bound(
    connection: &Connection,
    &Due { days, bytes, last_id, now_ms, most }: &Due,
    is_reducing: &mut bool,
) -> rusqlite::Result<Option<i64>> {
    let below = last_id - LIMITS.retention_kept_events + 1;
    if days > 0 {
        let before = now_ms.saturating_sub_unsigned(days * DAY_MS);
        let bound = deletion_bound(connection, below, most, Some(before))?;
        if bound.is_some() {
            return Ok(bound);
        }
    }
    if bytes == 0 {
        return Ok(None);
    }
    let lower = bytes - bytes / LIMITS.retention_slack_share;
    let used = retained_bytes(connection)?;
    *is_reducing = used > if *is_reducing { lower } else { bytes };
    let Some(first) = first_event_id(connection)?.filter(|_| *is_reducing) else {
        return Ok(None);
    };
    // No more than the average event's size calls for, so that the last step does not delete too much.
    let rows = (below + LIMITS.retention_kept_events).abs_diff(first);
    let needed = (used - lower).saturating_mul(rows) / used + 1;
    deletion_bound(connection, below, most.min(needed), None)
}

/// Takes one step of a client's deletion; `None` when nothing matches.
fn step_of(
    job: &mut Job,
    connection: &Connection,
    events: &mut EventWriter,
    most: u64,
) -> rusqlite::Result<Option<(Step, i64)>> {
    let Job { scope, block, .. } = job;
    match scope {
        Scope::Session(session_id) => {
            events.delete(connection, || delete_session(connection, session_id, block))
        }
        Scope::Before(id) => {
            let below = (*id).min(events.last_id(connection)? + 1);
            let bound = deletion_bound(connection, below, most, None)?;
            let Some(newest) = bound else { return Ok(None) };
            let oldest = bounded(connection, newest)?;
            events.delete(connection, || delete_events(connection, oldest, true).map(Some))
        }
    }
}

/// Returns what a step deletes of the events up to an id.
fn bounded(connection: &Connection, newest: i64) -> rusqlite::Result<Oldest> {
    let most = i64::try_from(LIMITS.retention_step_attachments).unwrap_or(i64::MAX);
    oldest_of(connection, newest, most)
}

/// Returns the bytes that count against `--retain-bytes` (rule RET-02).
pub fn retained_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let mut select = connection.prepare_cached(queries::SELECT_RETAINED_BYTES)?;
    select.query_row([], |row| row.get::<_, i64>(0).map(|bytes| u64::try_from(bytes).unwrap_or(0)))
}

/// Returns the oldest event's id.
pub fn first_event_id(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.prepare_cached(queries::SELECT_FIRST_EVENT_ID)?.query_row([], |row| row.get(0))
}

/// Returns the bytes of free pages, and of all pages.
fn free_bytes(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let bytes = |value: i64| u64::try_from(value).unwrap_or(0);
    let mut select = connection.prepare_cached(queries::SELECT_FREE_BYTES)?;
    select.query_row([], |row| Ok((bytes(row.get(0)?), bytes(row.get(1)?))))
}
