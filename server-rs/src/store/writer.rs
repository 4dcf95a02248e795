//! Queues requests for the one writer, which stores all waiting events as one group in one transaction.
//!
//! Group commit shares the cost of a transaction between all waiting requests. Invariants: no answer before the
//! commit (rule ING-08). The newest id is published after the commit. No checkpoint runs between a commit and its
//! answers (rule STO-04).

use std::future::Future;
use std::sync::Arc;
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Clock;
use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::event::Outcome;
use crate::queries;
use crate::store::attachments::{AttachError, Attached, Attachment, AttachmentWriter};
use crate::store::checkpoint::Checkpointer;
use crate::store::connection::{ConnectionOptions, OpenError};
use crate::store::events::{EventWriter, Stored, Submission};
use crate::store::failure::{State, file_code, store_code};

/// The outcomes of a submission's events, or the code for which none was stored.
pub type Submitted = Result<Vec<Outcome>, ErrorCode>;

enum Message {
    Submit(Submission, oneshot::Sender<Submitted>),
    Attach(Attachment, oneshot::Sender<Result<Attached, ErrorCode>>),
    Probe,
    Close,
}

/// The handle of the writing thread.
#[derive(Debug)]
pub struct Writer {
    queue: mpsc::UnboundedSender<Message>,
    thread: std::sync::Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

impl Writer {
    /// Starts the thread on a connection of its own to the file of `options`. `newest` receives the newest committed
    /// id.
    pub fn start_writer(
        connection: Connection,
        events: EventWriter,
        attachments: AttachmentWriter,
        options: &ConnectionOptions,
        clock: Clock,
        state: Arc<State>,
        newest: watch::Sender<i64>,
    ) -> Result<Self, OpenError> {
        let (queue, waiting) = mpsc::unbounded_channel();
        let of_checkpointer = Arc::clone(&state);
        let checkpointer = Checkpointer::start(options, move |error| {
            failed(&of_checkpointer, error);
        })?;
        let work = Work { connection, attachments, clock, state, newest, events, checkpointer };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || work.run(waiting))
            .map_err(|_| OpenError::no_thread(&options.path))?;
        Ok(Self { queue, thread: std::sync::Mutex::new(Some(thread)) })
    }

    /// Queues the valid events of a request, and waits for their commit. Admission bounds the waiting events (rule
    /// ING-10), so the queue itself is unbounded. The submission is in the queue when this returns, so consecutive
    /// calls are stored in their order.
    pub fn submit(&self, submission: Submission) -> impl Future<Output = Submitted> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        // If the writer has ended, this drops the sender.
        drop(self.queue.send(Message::Submit(submission, reply)));
        async { answer.await.unwrap_or(Err(ErrorCode::StorageError)) }
    }

    /// Queues an attachment, and waits for its commit.
    pub fn attach(
        &self,
        attachment: Attachment,
    ) -> impl Future<Output = Result<Attached, ErrorCode>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        // If the writer has ended, this drops the sender.
        drop(self.queue.send(Message::Attach(attachment, reply)));
        async { answer.await.unwrap_or(Err(ErrorCode::StorageError)) }
    }

    /// Requests a probe write.
    pub fn probe(&self) {
        // A writer that has ended needs no probe.
        drop(self.queue.send(Message::Probe));
    }

    /// Commits waiting events, checkpoints, and closes. Blocks.
    pub fn close(&self) {
        drop(self.queue.send(Message::Close));
        let thread = self.thread.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer panicked");
        }
    }
}

struct Work {
    connection: Connection,
    attachments: AttachmentWriter,
    clock: Clock,
    state: Arc<State>,
    newest: watch::Sender<i64>,
    events: EventWriter,
    checkpointer: Checkpointer,
}

impl Work {
    fn run(mut self, mut waiting: mpsc::UnboundedReceiver<Message>) {
        // Loading early spares the first write the wait; a failure shows up there again.
        if let Err(error) = self.events.load(&self.connection) {
            failed(&self.state, &error);
        }
        let (mut group, mut attachments) = (Vec::new(), Vec::new());
        let mut open = true;
        while open {
            let Some(first) = waiting.blocking_recv() else {
                break;
            };
            let mut next = Some(first);
            let mut size = 0;
            while let Some(message) = next {
                match message {
                    Message::Submit(submission, reply) => {
                        size += submission.events.len();
                        group.push((submission, reply));
                    }
                    Message::Attach(attachment, reply) => {
                        size += 1;
                        attachments.push((attachment, reply));
                    }
                    Message::Probe => self.probe(),
                    Message::Close => open = false,
                }
                next = if size < LIMITS.group_events { waiting.try_recv().ok() } else { None };
            }
            if !group.is_empty() {
                self.commit(&mut group);
                self.after_commit();
            }
            // After the group, whose requests do not wait for attachments.
            for (attachment, reply) in attachments.drain(..) {
                let attached = self.attach(&attachment);
                if reply.send(attached).is_err() {
                    tracing::debug!("the client of an attachment is gone");
                }
                self.after_commit();
            }
        }
        if let Err(error) = self.checkpointer.close(&self.connection) {
            failed(&self.state, &error);
        }
    }

    fn after_commit(&mut self) {
        if let Err(error) = self.checkpointer.after_group(&self.connection) {
            failed(&self.state, &error);
        }
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
        self.attachments.insert_attachment(&self.connection, attachment, now_ms).map_err(
            |error| match error {
                AttachError::Database(error) => failed(error),
                AttachError::Files(error) => {
                    tracing::warn!(os = error.raw_os_error(), "an attachment was not kept");
                    file_code(&error)
                }
            },
        )
    }

    fn commit(&mut self, group: &mut Vec<(Submission, oneshot::Sender<Submitted>)>) {
        let stored = match self.state.refusal() {
            Some(code) => Err(code),
            None => self.store(group),
        };
        match stored {
            Ok((outcomes, newest)) => {
                // Before the answers: a stream that starts after an answer must include its events.
                if let Some(newest) = newest {
                    self.newest.send_replace(newest);
                }
                for ((_, reply), outcomes) in group.drain(..).zip(outcomes) {
                    // The commit stays even if the client has disconnected.
                    drop(reply.send(Ok(outcomes)));
                }
            }
            Err(code) => group.drain(..).for_each(|(_, reply)| drop(reply.send(Err(code)))),
        }
    }

    fn store(&mut self, group: &[(Submission, oneshot::Sender<Submitted>)]) -> Result<Stored, ErrorCode> {
        let failed = |error: rusqlite::Error| failed(&self.state, &error);
        if !self.checkpointer.admits_group(&self.connection).map_err(failed)? {
            return Err(ErrorCode::StorageBusy);
        }
        let submissions = group.iter().map(|(submission, _)| submission);
        self.events.insert_group(&self.connection, submissions, self.clock.now_ms()).map_err(failed)
    }

    /// Tries a write without effect, to find out whether writes work again.
    fn probe(&mut self) {
        let tried = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            self.connection.execute(queries::UPDATE_NOTHING, [])?;
            self.connection.execute_batch("COMMIT")
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
fn failed(state: &State, error: &rusqlite::Error) -> ErrorCode {
    let code = store_code(error);
    tracing::warn!(code = code.as_str(), sqlite = error.sqlite_extended_error_code(), "a write failed");
    state.note(code);
    code
}
