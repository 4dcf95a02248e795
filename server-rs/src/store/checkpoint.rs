//! Moves the write-ahead log into the database, beside the writer (rule STO-04).
//!
//! A thread with a connection of its own copies pages while the writer appends to the log
//! (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>, PASSIVE). Where the writer never rests, the log never is whole
//! at once; then the writer copies the last few pages itself, after an answer, so that the log begins anew.
//! What must stay true: the log is bounded; an error of either is a failure of the storage.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use rusqlite::Connection;

use crate::contract::LIMITS;
use crate::store::connection::{Location, OpenError, open_connection};

/// SQLite's default page, which the first migration leaves as it is.
const PAGE_BYTES: u64 = 4096;
/// How often the thread goes over the log before it leaves the rest for later: each time less has come meanwhile.
const PASSES: usize = 4;

/// How full the log is, in bytes.
#[derive(Debug, Clone, Copy)]
struct Log {
    used: u64,
    /// Not yet in the database.
    rest: u64,
}

/// The handle of the thread, held by the writer.
#[derive(Debug)]
pub struct Checkpointer {
    wake: SyncSender<()>,
    thread: JoinHandle<()>,
    busy: Arc<AtomicBool>,
    /// The thread is woken when the log is this long; more than at first while readers hold its beginning.
    due: u64,
    used: u64,
}

impl Checkpointer {
    /// Opens the thread's connection, while there are descriptors for it, and starts the thread. `on_failure` is told
    /// its errors.
    pub fn start(
        location: &Location,
        on_failure: impl Fn(&rusqlite::Error) + Send + 'static,
    ) -> Result<Self, OpenError> {
        let connection =
            open_connection(location).map_err(|error| OpenError::sqlite(&location.path, &error))?;
        let (wake, waiting) = sync_channel(1);
        let busy = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(&busy);
        let work = move || run_checkpointer(&connection, &waiting, &shared, on_failure);
        let thread = std::thread::Builder::new()
            .name("checkpointer".to_owned())
            .spawn(work)
            .map_err(|_| OpenError::no_thread(&location.path))?;
        Ok(Self { wake, thread, busy, due: LIMITS.checkpoint_wal_bytes, used: 0 })
    }

    /// After a group was answered: wakes the thread when the log is long, ends the log's turn when little is left
    /// of it, and waits for readers before it grows without end.
    pub fn after_group(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let log = run_checkpoint(connection, "NOOP")?;
        if log.used < self.used {
            self.due = LIMITS.checkpoint_wal_bytes;
        }
        self.used = log.used;
        if log.used >= LIMITS.checkpoint_restart_wal_bytes {
            return run_checkpoint(connection, "RESTART").map(drop);
        }
        let is_long = log.used >= LIMITS.checkpoint_finish_wal_bytes;
        if log.rest == 0 || (log.used < self.due && !is_long) || self.busy.load(Ordering::Acquire) {
            return Ok(());
        }
        self.due = log.used + LIMITS.checkpoint_wal_bytes;
        if is_long && log.rest <= LIMITS.checkpoint_finish_rest_bytes {
            return run_checkpoint(connection, "PASSIVE").map(drop);
        }
        self.busy.store(true, Ordering::Release);
        // A thread that is gone has told why; the log is then bounded by the writer alone.
        if self.wake.try_send(()).is_err() {
            self.busy.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Ends the thread, and then leaves no log behind.
    pub fn close(self, connection: &Connection) -> rusqlite::Result<()> {
        drop(self.wake);
        if self.thread.join().is_err() {
            tracing::error!("the checkpointer panicked");
        }
        run_checkpoint(connection, "TRUNCATE").map(drop)
    }
}

fn run_checkpointer(
    connection: &Connection,
    waiting: &Receiver<()>,
    busy: &AtomicBool,
    on_failure: impl Fn(&rusqlite::Error),
) {
    while waiting.recv().is_ok() {
        if let Err(error) = pass(connection) {
            on_failure(&error);
        }
        busy.store(false, Ordering::Release);
    }
}

/// Goes over the log until nothing is left of it, or the writer is faster.
fn pass(connection: &Connection) -> rusqlite::Result<()> {
    for _ in 0..PASSES {
        if run_checkpoint(connection, "PASSIVE")?.rest == 0 {
            break;
        }
    }
    Ok(())
}

/// A checkpoint (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>), and how full the log is behind it. The log's
/// file keeps its size when it begins anew, so it is SQLite that is asked how much of it is in use.
fn run_checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Log> {
    let started = Instant::now();
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    let (pages, copied) =
        statement.query_row([], |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))?;
    if mode != "NOOP" {
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(mode, pages, copied, ms, "checkpoint");
    }
    let bytes = |pages: i64| u64::try_from(pages).unwrap_or(0) * PAGE_BYTES;
    Ok(Log { used: bytes(pages), rest: bytes(pages - copied) })
}
