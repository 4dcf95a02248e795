//! Moves the write-ahead log into the database, on a thread next to the writer (rule STO-04).
//!
//! The thread copies pages while the writer appends (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>, PASSIVE), and
//! syncs the database itself. SQLite syncs only in a pass that copies the whole log. Under load that is the writer's
//! pass, so every client would wait for it. With this thread the writer copies only a small rest after an answer, and
//! the log restarts. Invariant: the log is bounded, and an error of either thread is a storage failure.
//!
//! Over 250 lines because its test needs the private state.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::contract::TUNING;
use crate::meters::Meters;
use crate::platform::open_to_sync;
use crate::store::connection::{ConnectionOptions, OpenError, open_connection};

/// SQLite's default page size, which the schema does not change.
const PAGE_BYTES: u64 = 4096;
/// Passes over the log per wake-up; the writer appends less during each further pass.
const PASSES: usize = 4;
/// How often a writer that waits for a pass checks for its end.
const PASS_POLL: Duration = Duration::from_millis(1);
/// Thread names in log lines.
const WRITER: &str = "writer";
const CHECKPOINTER: &str = "checkpointer";

/// Use of the log, in bytes.
#[derive(Debug, Clone, Copy)]
struct Log {
    /// Whether a reader or another checkpoint blocked the checkpoint.
    is_busy: bool,
    used: u64,
    /// Bytes that are not in the database yet.
    rest: u64,
}

/// The writer's handle of the thread.
#[derive(Debug)]
pub struct Checkpointer {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    busy: Arc<AtomicBool>,
    /// Log length that wakes the thread; larger while readers hold the start of the log.
    due: u64,
    used: u64,
    /// Earliest time of the next checkpoint that waits for readers.
    restart_after: Instant,
    is_refusing: bool,
    /// The database. Closing any descriptor of a file drops this process's POSIX locks on it
    /// (<https://sqlite.org/howtocorrupt.html>, section 2.2). So this descriptor closes after every connection.
    database: Arc<File>,
    meters: Arc<Meters>,
}

impl Checkpointer {
    /// Opens the thread's connection while descriptors are available, and starts the thread. `on_failure` receives
    /// its errors.
    pub fn start(
        options: &ConnectionOptions,
        meters: Arc<Meters>,
        on_failure: impl Fn(&rusqlite::Error) + Send + 'static,
    ) -> Result<Self, OpenError> {
        let path = &options.path;
        let connection = open_connection(options).map_err(|error| OpenError::sqlite(path, &error))?;
        let database = Arc::new(open_to_sync(path).map_err(|error| OpenError::io(path, &error))?);
        let (wake, waiting) = sync_channel(1);
        let busy = Arc::new(AtomicBool::new(false));
        let (shared, file) = (Arc::clone(&busy), Arc::clone(&database));
        let of_thread = Arc::clone(&meters);
        let work = move || run_checkpointer(&connection, &file, &waiting, &shared, &of_thread, on_failure);
        let thread = std::thread::Builder::new()
            .name("checkpointer".to_owned())
            .spawn(work)
            .map_err(|_| OpenError::no_thread(path))?;
        Ok(Self {
            wake: Some(wake),
            thread: Some(thread),
            busy,
            due: TUNING.checkpoint_wal_bytes,
            used: 0,
            restart_after: Instant::now(),
            is_refusing: false,
            database,
            meters,
        })
    }

    /// Returns whether the thread copies the log.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Returns the bytes of the log that are in use, as of the last group.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Returns whether a group may be written: `false` while readers pin more of the log than allowed (rule STO-04).
    pub fn admits_group(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        let is_short = self.used < TUNING.checkpoint_most_wal_bytes;
        if !is_short {
            self.finish_pass();
        }
        let is_admitted = is_short || self.restart(connection)?;
        if !is_admitted && !self.is_refusing {
            tracing::warn!(used = self.used, "readers hold the write-ahead log");
        }
        self.is_refusing = !is_admitted;
        Ok(is_admitted)
    }

    /// Runs after the answers to a group. It wakes the thread when the log is long. When little of a long log
    /// is left to copy, it copies this rest itself, so that the log restarts. Before the log grows without
    /// bound, it waits for readers.
    pub fn after_group(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let log = read_log(connection, "NOOP")?;
        if log.used < self.used {
            self.due = TUNING.checkpoint_wal_bytes;
        }
        self.used = log.used;
        if log.used >= TUNING.checkpoint_restart_wal_bytes {
            return self.restart(connection).map(drop);
        }
        let is_long = log.used >= TUNING.checkpoint_finish_wal_bytes;
        if log.rest == 0 || (log.used < self.due && !is_long) || self.busy.load(Ordering::Acquire) {
            return Ok(());
        }
        self.due = log.used + TUNING.checkpoint_wal_bytes;
        if is_long && log.rest <= log.used / TUNING.checkpoint_finish_rest_share {
            return run_checkpoint(connection, &self.meters, WRITER, "PASSIVE").map(drop);
        }
        self.busy.store(true, Ordering::Release);
        // A thread that ended has reported its error; from then on the writer alone bounds the log.
        if self.wake.as_ref().is_none_or(|wake| wake.try_send(()).is_err()) {
            self.busy.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Copies the rest of the log, which also removes the vacuumed pages from the file. Does nothing when the
    /// file has no more pages than it needs.
    pub fn shrink(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let size = self.database.metadata().map_or(0, |metadata| metadata.len());
        if size > pages.unsigned_abs() * PAGE_BYTES && !self.busy.load(Ordering::Acquire) {
            run_checkpoint(connection, &self.meters, WRITER, "PASSIVE")?;
        }
        Ok(())
    }

    /// Ends the thread, then removes the log. A reader of another program may hold it; then the log stays.
    pub fn close(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        drop(self.wake.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the checkpointer panicked");
        }
        connection.busy_timeout(Duration::from_millis(TUNING.checkpoint_restart_wait_ms))?;
        let log = run_checkpoint(connection, &self.meters, WRITER, "TRUNCATE")?;
        if log.is_busy {
            tracing::warn!(used = log.used, "readers hold the write-ahead log");
        }
        Ok(())
    }

    /// Waits for a pass of the thread that is slower than the writer. After it the log can restart at once, unless
    /// readers hold it.
    fn finish_pass(&mut self) {
        let last = Instant::now() + Duration::from_millis(TUNING.checkpoint_pass_wait_ms);
        while self.busy.load(Ordering::Acquire) && Instant::now() < last {
            std::thread::sleep(PASS_POLL);
            self.restart_after = Instant::now();
        }
    }

    /// Waits briefly for readers, so that the log restarts with the next group; returns whether it does. Retries only
    /// after a pause: a reader that stays would delay every group.
    fn restart(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        if Instant::now() < self.restart_after {
            return Ok(false);
        }
        let usual: i64 = connection.pragma_query_value(None, "busy_timeout", |row| row.get(0))?;
        connection.busy_timeout(Duration::from_millis(TUNING.checkpoint_restart_wait_ms))?;
        let log = run_checkpoint(connection, &self.meters, WRITER, "RESTART");
        connection.busy_timeout(Duration::from_millis(usual.unsigned_abs()))?;
        self.restart_after = Instant::now() + Duration::from_millis(TUNING.checkpoint_restart_interval_ms);
        Ok(!log?.is_busy)
    }
}

fn run_checkpointer(
    connection: &Connection,
    database: &File,
    waiting: &Receiver<()>,
    busy: &AtomicBool,
    meters: &Meters,
    on_failure: impl Fn(&rusqlite::Error),
) {
    while waiting.recv().is_ok() {
        if let Err(error) = pass(connection, database, meters) {
            on_failure(&error);
        }
        busy.store(false, Ordering::Release);
    }
}

/// Copies the log until little is left, and syncs the database. For a long log it repeats the pass, so that the
/// writer can restart the log.
fn pass(connection: &Connection, database: &File, meters: &Meters) -> rusqlite::Result<()> {
    let (mut rest, mut used) = (u64::MAX, 0);
    for _ in 0..PASSES {
        run_checkpoint(connection, meters, CHECKPOINTER, "PASSIVE")?;
        // A pass reports the log as of its start; only this call sees the pages that the writer has appended since.
        let log = read_log(connection, "NOOP")?;
        let is_held = log.rest >= rest;
        (rest, used) = (log.rest, log.used);
        if rest <= TUNING.checkpoint_pass_rest_bytes || is_held {
            break;
        }
    }
    if rest == 0 {
        // The last pass copied the whole log, so it has already synced the database.
        return Ok(());
    }
    let failed = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_FSYNC);
    database.sync_data().map_err(|error| rusqlite::Error::SqliteFailure(failed, Some(error.to_string())))?;
    if used >= TUNING.checkpoint_finish_wal_bytes {
        run_checkpoint(connection, meters, CHECKPOINTER, "PASSIVE")?;
    }
    Ok(())
}

/// Runs a checkpoint and logs it: pages in the log, pages of them in the database, pages that this checkpoint copied.
fn run_checkpoint(
    connection: &Connection,
    meters: &Meters,
    thread: &str,
    mode: &str,
) -> rusqlite::Result<Log> {
    let before = read_log(connection, "NOOP")?;
    let started = Instant::now();
    let after = read_log(connection, mode)?;
    let duration = started.elapsed();
    meters.checkpoint_durations.observe_time(duration);
    let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (pages, copied) = (after.used / PAGE_BYTES, (after.used - after.rest) / PAGE_BYTES);
    let moved = if pages == 0 {
        before.rest / PAGE_BYTES
    } else {
        copied.saturating_sub((before.used - before.rest) / PAGE_BYTES)
    };
    tracing::debug!(thread, mode, pages, copied, moved, ms, "checkpoint");
    Ok(after)
}

/// Returns the use of the log after a checkpoint of this mode
/// (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>); `NOOP` copies nothing. The log file keeps its size when
/// the log restarts, so SQLite reports the part in use.
fn read_log(connection: &Connection, mode: &str) -> rusqlite::Result<Log> {
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    let (is_busy, pages, copied) = statement
        .query_row([], |row| Ok((row.get::<_, bool>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))?;
    let bytes = |pages: i64| u64::try_from(pages).unwrap_or(0) * PAGE_BYTES;
    Ok(Log { is_busy, used: bytes(pages), rest: bytes(pages - copied) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Durability;
    use crate::store::connection::open_writer;

    #[test]
    fn a_writer_that_is_faster_than_the_checkpointer_waits_for_its_pass() {
        let folder = tempfile::tempdir().expect("a folder");
        let options =
            ConnectionOptions { path: folder.path().join("events.db"), durability: Durability::Process };
        File::create(&options.path).expect("a file");
        let connection = open_writer(&options).expect("a connection");
        connection.execute_batch("CREATE TABLE one (id)").expect("a table");
        let mut checkpointer =
            Checkpointer::start(&options, Arc::new(Meters::new()), |_| {}).expect("a thread");

        // A restart has just failed, because the pass held the log.
        checkpointer.used = TUNING.checkpoint_most_wal_bytes;
        checkpointer.restart_after = Instant::now() + Duration::from_secs(60);
        assert_eq!(checkpointer.admits_group(&connection), Ok(false), "without a pass, readers hold the log");

        checkpointer.busy.store(true, Ordering::Release);
        let busy = Arc::clone(&checkpointer.busy);
        let pass = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            busy.store(false, Ordering::Release);
        });
        assert_eq!(checkpointer.admits_group(&connection), Ok(true));
        assert!(!checkpointer.busy.load(Ordering::Acquire), "the pass has ended");
        pass.join().expect("no panic");
        checkpointer.close(&connection).expect("a clean end");
    }
}
