//! Queues requests for the one writer, which stores all waiting events as one group in one transaction.
//!
//! Group commit shares the cost of a transaction between all waiting requests. This is the handle; the other half is
//! `writer_thread`. Invariant: requests are stored in the order in which they are queued.

use std::future::Future;
use std::sync::Arc;
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Clock;
use crate::error::ErrorCode;
use crate::event::Outcome;
use crate::meters::Meters;
use crate::store::attachments::{Attached, Attachment, AttachmentWriter};
use crate::store::checkpoint::Checkpointer;
use crate::store::cluster::{Applied, ClusterGroup};
use crate::store::connection::{ConnectionOptions, OpenError};
use crate::store::deletions::Scope;
use crate::store::events::{EventWriter, Submission};
use crate::store::failure::State;
use crate::store::forwarding::ForwardCursor;
use crate::store::retention::{Deleted, Retention};
use crate::store::sealing::Sealing;
use crate::store::writer_thread::{Message, Work, failed};

/// The outcomes of a submission's events, or the code for which none was stored.
pub type Submitted = Result<Vec<Outcome>, ErrorCode>;

/// What the thread writes.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is the module of its name")]
pub struct Tables {
    pub events: EventWriter,
    pub attachments: AttachmentWriter,
    pub retention: Retention,
    pub forward: Option<Arc<ForwardCursor>>,
}

/// The handle of the writing thread.
#[derive(Debug)]
pub struct Writer {
    queue: mpsc::UnboundedSender<Message>,
    thread: std::sync::Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread on a connection of its own to the file of `options`. `newest` receives the newest committed
    /// id.
    pub fn start_writer(
        connection: Connection,
        tables: Tables,
        options: &ConnectionOptions,
        clock: Clock,
        state: Arc<State>,
        meters: Arc<Meters>,
        newest: watch::Sender<i64>,
    ) -> Result<Self, OpenError> {
        let (queue, waiting) = mpsc::unbounded_channel();
        let of_checkpointer = Arc::clone(&state);
        let checkpointer = Checkpointer::start(options, Arc::clone(&meters), move |error| {
            failed(&of_checkpointer, error);
        })?;
        let Tables { events, attachments, retention, forward } = tables;
        let runtime = Handle::try_current().ok();
        let work = Work {
            connection,
            attachments,
            retention,
            sealing: Sealing::default(),
            forward,
            clock,
            state,
            newest,
            events,
            checkpointer,
            meters,
            runtime,
        };
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

    /// Queues messages of a stream, and waits for their commit.
    pub fn apply(
        &self,
        group: ClusterGroup,
    ) -> impl Future<Output = Result<Applied, ErrorCode>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        // If the writer has ended, this drops the sender.
        drop(self.queue.send(Message::Apply(group, reply)));
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

    /// Queues a client's deletion, and waits for the commit of its last step; `None` when no session has this id.
    pub fn delete(
        &self,
        scope: Scope,
    ) -> impl Future<Output = Result<Option<Deleted>, ErrorCode>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        // If the writer has ended, this drops the sender.
        drop(self.queue.send(Message::Delete(scope, reply)));
        async { answer.await.unwrap_or(Err(ErrorCode::StorageError)) }
    }

    /// Requests a check of the bounds of retention.
    pub fn tick(&self) {
        // A writer that has ended deletes nothing.
        drop(self.queue.send(Message::Tick));
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
