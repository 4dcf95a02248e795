//! Runs the writing thread: stores groups, and takes steps of deletions between them.
//!
//! The other half is `writer`. Invariants: no answer before the commit (rule ING-08). The newest id is published after
//! the commit. No checkpoint runs between a commit and its answers (rule STO-04). Over 250 lines because it has a
//! function for each message.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Clock;
use crate::contract::TUNING;
use crate::digest::Digest;
use crate::error::ErrorCode;
use crate::event::Outcome;
use crate::meters::{EventOutcome, EventSource, Meters};
use crate::queries;
use crate::store::attachment_files::disk_bytes;
use crate::store::attachments::{AttachError, Attached, Attachment, AttachmentWriter};
use crate::store::checkpoint::Checkpointer;
use crate::store::cluster::{Applied, ClusterGroup};
use crate::store::cluster_change::ClusterChange;
use crate::store::deletions::Scope;
use crate::store::events::{EventWriter, Stored, Submission};
use crate::store::failure::{State, file_code, store_code};
use crate::store::forwarding::ForwardCursor;
use crate::store::retention::{DeletionReply, Retention};
use crate::store::sealing::Sealing;
use crate::store::writer::Submitted;

/// A request of the handle.
pub(super) enum Message {
    Submit(Submission, oneshot::Sender<Submitted>),
    /// Messages of a stream.
    Apply(ClusterGroup, oneshot::Sender<Result<Applied, ErrorCode>>),
    Attach(Attachment, oneshot::Sender<Result<Attached, ErrorCode>>),
    Delete(Scope, DeletionReply),
    /// Checks the bounds of retention. The server sends it once a second and after a change of the bounds.
    Tick,
    Probe,
    Close,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

/// The state of the thread.
pub(super) struct Work {
    pub(super) connection: Connection,
    pub(super) attachments: AttachmentWriter,
    pub(super) retention: Retention,
    pub(super) sealing: Sealing,
    pub(super) forward: Option<Arc<ForwardCursor>>,
    pub(super) clock: Clock,
    pub(super) state: Arc<State>,
    pub(super) newest: watch::Sender<i64>,
    pub(super) events: EventWriter,
    pub(super) checkpointer: Checkpointer,
    pub(super) meters: Arc<Meters>,
    /// The runtime of the requests; `None` without one.
    pub(super) runtime: Option<Handle>,
}

impl Work {
    /// Runs until the handle closes the queue.
    pub(super) fn run(mut self, mut waiting: mpsc::UnboundedReceiver<Message>) {
        // Loads the keys early, so that the first write does not wait. After a failure the first write loads
        // them again.
        if let Err(error) = self.events.load(&self.connection) {
            failed(&self.state, &error);
        }
        let (mut group, mut attachments) = (Vec::new(), Vec::new());
        let mut open = true;
        while open {
            // With a pending deletion the writer does not sleep: it takes a step between messages.
            let mut next = if self.retention.has_work() || self.sealing.has_work() {
                waiting.try_recv().ok()
            } else {
                match waiting.blocking_recv() {
                    None => break,
                    first => first,
                }
            };
            let mut size = 0;
            while let Some(message) = next {
                match message {
                    Message::Submit(submission, reply) => {
                        size += submission.events.len();
                        group.push((submission, reply));
                    }
                    Message::Apply(events, reply) => self.apply(&events, reply),
                    Message::Attach(attachment, reply) => {
                        size += 1;
                        attachments.push((attachment, reply));
                    }
                    Message::Delete(scope, reply) => self.retention.push(scope, reply),
                    Message::Tick => self.tick(),
                    Message::Probe => self.probe(),
                    Message::Close => open = false,
                }
                next = if size < TUNING.group_events { waiting.try_recv().ok() } else { None };
            }
            if !group.is_empty() {
                self.retention.note_group(size);
                self.sealing.note_group(size);
                self.commit(&mut group);
                self.after_commit();
            }
            // Attachments come after the group, so that its requests do not wait for them.
            for (attachment, reply) in attachments.drain(..) {
                let attached = self.attach(&attachment);
                if reply.send(attached).is_err() {
                    tracing::debug!("the client of an attachment is gone");
                }
                self.after_commit();
            }
            if self.retention.has_work() {
                // Twice as much as was stored, so that deletions keep up with every load.
                self.delete(TUNING.retention_step_events + 2 * size as u64);
            }
            if self.sealing.has_work() {
                self.seal();
            }
        }
        while self.retention.has_removals() {
            self.remove_files();
        }
        self.save_cursor();
        if let Err(error) = self.checkpointer.close(&self.connection) {
            failed(&self.state, &error);
        }
    }

    fn after_commit(&mut self) {
        if let Err(error) = self.checkpointer.after_group(&self.connection) {
            failed(&self.state, &error);
        }
    }

    /// Stores the progress of forwarding. A failure is that of the next write, too, and repeats events at most.
    fn save_cursor(&self) {
        if let Some(cursor) = &self.forward
            && self.state.refusal().is_none()
            && let Err(error) = cursor.save(&self.connection)
        {
            failed(&self.state, &error);
        }
    }

    /// Seals a block. The next step waits for a tick when it failed. It waits for a pass of the checkpointer, so that the
    /// log stays short.
    fn seal(&mut self) {
        if self.checkpointer.is_busy() {
            return std::thread::sleep(Duration::from_millis(1));
        }
        let can_write = self.state.refusal().is_none();
        let sealed = self.events.last_id(&self.connection).and_then(|newest| {
            // Readers that hold a long log need the rest of it for groups.
            let is_short = self.checkpointer.used() < TUNING.checkpoint_restart_wal_bytes;
            if can_write && is_short && self.checkpointer.admits_group(&self.connection)? {
                self.sealing.step(&self.connection, newest)
            } else {
                self.sealing.defer();
                Ok(())
            }
        });
        if let Err(error) = sealed {
            self.sealing.defer();
            if matches!(failed(&self.state, &error), ErrorCode::Internal | ErrorCode::StorageCorrupt) {
                self.sealing.stop();
            }
        }
        self.after_commit();
    }

    fn tick(&mut self) {
        self.sealing.tick();
        self.save_cursor();
        let checked = self.retention.tick(&self.connection).and_then(|()| {
            if self.retention.vacuums() { Ok(()) } else { self.checkpointer.shrink(&self.connection) }
        });
        if let Err(error) = checked {
            failed(&self.state, &error);
        }
    }

    /// Takes one step of the pending deletions, of about `most` events. The removal of its files may take several turns.
    fn delete(&mut self, most: u64) {
        if !self.retention.has_removals() {
            self.delete_rows(most);
        }
        self.remove_files();
        // After the publication: a request that follows the answer must see the deletion.
        self.retention.answer();
        self.after_commit();
    }

    fn remove_files(&mut self) {
        if let Err(error) = self.retention.remove_files(&self.connection, &self.attachments) {
            failed(&self.state, &error);
        }
    }

    fn delete_rows(&mut self, most: u64) {
        let deleted = match self.state.refusal() {
            Some(code) => Err(code),
            None => self.delete_step(most),
        };
        match deleted {
            Ok(Some(newest)) => {
                self.newest.send_replace(newest);
            }
            Ok(None) => {}
            Err(code) => self.retention.fail(code),
        }
    }

    fn delete_step(&mut self, most: u64) -> Result<Option<i64>, ErrorCode> {
        let failed = |error: rusqlite::Error| failed(&self.state, &error);
        if !self.checkpointer.admits_group(&self.connection).map_err(failed)? {
            return Err(ErrorCode::StorageBusy);
        }
        let now_ms = self.clock.now_ms();
        self.retention
            .step(&self.connection, &mut self.events, &self.attachments, now_ms, most)
            .map_err(failed)
    }

    /// Stores messages of a stream as a group of their own.
    fn apply(&mut self, group: &ClusterGroup, reply: oneshot::Sender<Result<Applied, ErrorCode>>) {
        let applied = match self.state.refusal() {
            Some(code) => Err(code),
            None => self.apply_group(group),
        };
        if let Err(code) = &applied {
            self.state.write_failed(*code);
        }
        // The follower waits for the reply, unless the server ends.
        drop(reply.send(applied));
        self.after_commit();
    }

    fn apply_group(&mut self, group: &ClusterGroup) -> Result<Applied, ErrorCode> {
        let failed = |error: rusqlite::Error| failed(&self.state, &error);
        if !self.checkpointer.admits_group(&self.connection).map_err(failed)? {
            return Err(ErrorCode::StorageBusy);
        }
        let is_asked = group.change.as_ref().is_some_and(ClusterChange::is_asked);
        if group.change.is_some() {
            self.connection.pragma_update(None, "secure_delete", is_asked).map_err(failed)?;
        }
        let content = self.take_content(group)?;
        let started = Instant::now();
        let (applied, newest) = self.events.apply_group(&self.connection, group).map_err(failed)?;
        let settled = self.settle_contents(&applied, content);
        settled.map_err(|error| self::failed(&self.state, &error))?;
        self.sealing.note_group(applied.outcomes.len());
        self.meters.count_group(applied.outcomes.len(), started.elapsed(), newest);
        self.meters.count_ignored_times(self.events.take_ignored_times());
        if let Some(events) = applied.deleted {
            self.meters.count_deletion(events);
            if is_asked {
                self.retention.note_request(group.sequence);
            }
        }
        self.state.write_succeeded();
        // Before the reply: a request that follows it must see the events.
        if let Some(newest) = newest {
            self.newest.send_replace(newest);
        }
        Ok(applied)
    }

    /// Gives the content of a group its name; returns the content of its change.
    fn take_content(&self, group: &ClusterGroup) -> Result<Option<(Digest, u64)>, ErrorCode> {
        let Some(ClusterChange::Attach { sha256, size, .. }) = &group.change else { return Ok(None) };
        let kept = self.attachments.persist(&self.connection, group.file.as_deref(), sha256);
        kept.map_err(|error| self.attach_failed(error))?;
        Ok(Some((*sha256, *size)))
    }

    /// Removes the contents that a group left without a row, and counts the others.
    fn settle_contents(&mut self, applied: &Applied, content: Option<(Digest, u64)>) -> rusqlite::Result<()> {
        let (unused, freed) = self.attachments.find_unused(&self.connection, &applied.contents)?;
        self.retention.remove_later(unused);
        let mut stored = 0;
        match (applied.attached, content) {
            (Some(Attached::Stored { is_first: true }), Some((_, size))) => stored = disk_bytes(size),
            // Nothing has counted this content.
            (Some(Attached::NoEvent | Attached::Conflict), Some((digest, _))) => {
                self.retention.remove_later(vec![digest]);
            }
            _ => {}
        }
        self.retention.count_attachment_bytes(freed, stored);
        self.retention.remove_files(&self.connection, &self.attachments)
    }

    fn attach(&mut self, attachment: &Attachment) -> Result<Attached, ErrorCode> {
        if let Some(code) = self.state.refusal() {
            return Err(code);
        }
        let failed = |error: rusqlite::Error| failed(&self.state, &error);
        if !self.checkpointer.admits_group(&self.connection).map_err(failed)? {
            return Err(ErrorCode::StorageBusy);
        }
        let now_ms = self.clock.now_ms();
        let attached = self.attachments.insert_attachment(&self.connection, attachment, now_ms);
        let attached = attached.map_err(|error| self.attach_failed(error))?;
        self.state.write_succeeded();
        Ok(attached)
    }

    fn attach_failed(&self, error: AttachError) -> ErrorCode {
        match error {
            AttachError::Database(error) => failed(&self.state, &error),
            AttachError::Files(error) => {
                tracing::warn!(os = error.raw_os_error(), "an attachment was not kept");
                file_code(&error)
            }
        }
    }

    fn commit(&mut self, group: &mut Vec<(Submission, oneshot::Sender<Submitted>)>) {
        let stored = match self.state.refusal() {
            Some(code) => Err(code),
            None => self.store(group),
        };
        match stored {
            Ok((outcomes, newest)) => {
                self.state.write_succeeded();
                // Before the answers: a stream that starts after an answer must include its events.
                if let Some(newest) = newest {
                    self.newest.send_replace(newest);
                }
                let answers = group.drain(..).zip(outcomes).map(|((submission, reply), outcomes)| {
                    self.count(submission.source, &outcomes);
                    (reply, outcomes)
                });
                self.answer(answers.collect());
            }
            Err(code) => {
                self.state.write_failed(code);
                group.drain(..).for_each(|(_, reply)| drop(reply.send(Err(code))));
            }
        }
    }

    /// Sends the answers of a group. A task of the runtime sends several of them, so that the writer wakes one thread
    /// for all. On busy cores each thread that it wakes interrupts it (decision 94).
    fn answer(&self, answers: Vec<(oneshot::Sender<Submitted>, Vec<Outcome>)>) {
        let runtime = self.runtime.as_ref().filter(|_| answers.len() > 1);
        let send = move || {
            for (reply, outcomes) in answers {
                // The commit stays even if the client has disconnected.
                drop(reply.send(Ok(outcomes)));
            }
        };
        match runtime {
            Some(runtime) => drop(runtime.spawn(async move { send() })),
            None => send(),
        }
    }

    /// Counts the events of a request. The writer counts them, because its client may have disconnected.
    fn count(&self, source: EventSource, outcomes: &[Outcome]) {
        let duplicates = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Duplicate)).count();
        self.meters.count_events(EventOutcome::Accepted, source, outcomes.len() - duplicates);
        self.meters.count_events(EventOutcome::Duplicate, source, duplicates);
    }

    fn store(&mut self, group: &[(Submission, oneshot::Sender<Submitted>)]) -> Result<Stored, ErrorCode> {
        let failed = |error: rusqlite::Error| failed(&self.state, &error);
        if !self.checkpointer.admits_group(&self.connection).map_err(failed)? {
            return Err(ErrorCode::StorageBusy);
        }
        let submissions = group.iter().map(|(submission, _)| submission);
        let started = Instant::now();
        let stored =
            self.events.insert_group(&self.connection, submissions, self.clock.now_ms()).map_err(failed)?;
        let events = stored.0.iter().map(Vec::len).sum();
        self.meters.count_group(events, started.elapsed(), stored.1);
        self.meters.count_ignored_times(self.events.take_ignored_times());
        Ok(stored)
    }

    /// Tries a write without effect, to find out whether writes work again. It waits for no other process, since
    /// requests wait for the writer meanwhile.
    fn probe(&mut self) {
        let tried = self.connection.pragma_query_value(None, "busy_timeout", |row| row.get(0));
        let tried = tried.and_then(|usual: i64| {
            self.connection.busy_timeout(Duration::ZERO)?;
            let tried = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
                for step in [1, -1] {
                    self.connection.execute(queries::UPDATE_NOTHING, [step])?;
                }
                self.connection.execute_batch("COMMIT")
            });
            self.connection.busy_timeout(Duration::from_millis(usual.unsigned_abs()))?;
            tried
        });
        match tried {
            Ok(()) => self.state.recover(),
            Err(error) => {
                if !self.connection.is_autocommit() {
                    drop(self.connection.execute_batch("ROLLBACK"));
                }
                failed(&self.state, &error);
            }
        }
    }
}

/// Applies the consequence of an error from any part (rule STO-06).
pub(super) fn failed(state: &State, error: &rusqlite::Error) -> ErrorCode {
    let code = store_code(error);
    tracing::warn!(code = code.as_str(), sqlite = error.sqlite_extended_error_code(), "a write failed");
    state.note(code);
    state.write_failed(code);
    code
}
