//! Opens the database: one writer, a pool of readers, one lock, and the state of the file. Knows nothing of HTTP.
//!
//! Over 250 lines because every module of the store is listed here with its purpose.

/// Classifies SQLite's result codes.
pub mod failure;
/// Resolves the file that `--db` names.
pub mod path;
/// Opens the file with its pragmas.
pub mod connection;
/// Creates the schema.
pub mod schema;
/// The server that holds a database.
pub mod owner;
/// Admits one server per database.
pub mod lock;
/// Stores repeated strings by name id.
pub mod names;
/// Effects of a group on its sessions.
pub mod sessions;
/// Waits of a session's agents.
pub mod waits;
/// The sums of stored rows.
pub mod row_sums;
/// Effects of a group on the statistics.
pub mod stats;
/// Prices of the models of events.
pub mod tariffs;
/// Pages in the order of times.
pub mod time_search;
/// Order of events by time.
pub mod last_time;
/// Filters of the keys in a run.
pub mod key_filter;
/// Sorted keys.
pub mod key_run;
/// Writes the newest keys as a run.
pub mod key_flush;
/// Merges several runs into one.
pub mod key_merge;
/// One `event_id` and its key.
pub mod event_key;
/// The accepted event ids.
pub mod event_keys;
/// Encodes the numbers of a summary.
pub mod number_list;
/// Summaries of spans.
pub mod event_spans;
/// Summaries of blocks.
pub mod event_blocks;
/// Inserts a row.
pub mod event_insert;
/// Whole metadata of rows with a summary.
pub mod whole_texts;
/// Stores a group as rows.
pub mod events;
/// The database of a folder of attachments.
pub mod attachment_folder;
/// The bytes of attachments.
pub mod attachment_files;
/// The rows of attachments.
pub mod attachments;
/// Deletes events step by step.
pub mod deletions;
/// The stream that a database is a copy of.
pub mod cluster;
/// A change of every copy of a stream.
pub mod cluster_change;
/// Progress of forwarded events.
pub mod forwarding;
/// Decides what the writer deletes next.
pub mod retention;
/// The end of the write-ahead log.
pub mod log_tail;
/// Moves the write-ahead log into the database.
pub mod checkpoint;
/// Copies a database.
pub mod copy;
/// Backups on request.
pub mod backups;
/// The handle of the writing thread.
pub mod writer;
/// The writing thread.
mod writer_thread;
/// Space of the disk.
pub mod disk;
/// Bounds the rows that a read may visit.
pub mod cost;
/// The pool of reading connections.
pub mod reader;
/// The reads of events and health.
pub mod query;
/// The search for a text.
pub mod text_filter;
pub mod text_search;
/// Searches events in bounded steps.
pub mod event_search;
/// The reads of sessions.
pub mod session_query;
/// Pages of stored events.
pub mod event_rows;
/// Pages of events in the format of the answer.
pub mod event_pages;
/// Events page by page.
pub mod exports;
/// The reads of statistics.
pub mod totals;
/// What notifications need.
pub mod signals;
/// The events and buckets of a time series.
pub mod series_filter;
/// The reads of time series.
pub mod sealed_texts;
pub mod sealing;
pub mod series;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{Notify, watch};

use crate::clock::Clock;
use crate::config::Durability;
use crate::contract::TUNING;
use crate::contract::flags::EXITS;
use crate::error::ErrorCode;
use crate::meters::Meters;
use crate::platform::identity_of;
use crate::prices::Prices;
use crate::queries;
use attachment_files::{AttachmentFiles, MovedAside};
use attachments::{Attached, Attachment, AttachmentWriter, folder_owner};
use backups::Backups;
use cluster::{Applied, ClusterGroup, ClusterPlace, ClusterStream, bind_cluster};
use connection::{
    ConnectionOptions, OpenError, check_empty, check_file, check_schema, check_sqlite, compile_options,
    open_writer, recover_journal, reported_pragmas, with_small_cache,
};
use cost::Cost;
use deletions::Scope;
use disk::{DiskSpace, is_writable, read_disk};
use events::{EventWriter, Submission};
use failure::State;
use forwarding::ForwardCursor;
use lock::Lock;
use log_tail::{count_frames, lost_frames};
use owner::{takes_stop, write_owner};
use path::{check_links, private_path, resolve_path, sibling};
use reader::Readers;
use retention::{Bounds, Deleted, Retention};
use schema::{create_database, create_schema};
use writer::{Submitted, Tables, Writer};

/// The open database.
#[derive(Debug)]
pub struct Store {
    options: ConnectionOptions,
    writer: Writer,
    readers: Readers,
    attachment_files: Arc<AttachmentFiles>,
    attachment_bytes: u64,
    /// Number of files of attachments that the start moved aside.
    attachments_aside: u64,
    backups: Backups,
    bounds: Arc<Bounds>,
    state: Arc<State>,
    meters: Arc<Meters>,
    newest: watch::Receiver<i64>,
    stop: Notify,
    epoch: String,
    compile_options: Vec<String>,
    pragmas: Vec<(&'static str, Value)>,
    place: Option<ClusterPlace>,
    /// Whether the start found a write-ahead log, so the last server did not stop cleanly.
    was_unclean: bool,
    /// Inode and device of the opened file.
    identity: (u64, u64),
    lock: std::sync::Mutex<Option<Lock>>,
    /// Whether the file is private (`--db :memory:`) and deleted at the end.
    private: bool,
}

impl Store {
    /// Opens the database with a number of readers; the error contains a remedy.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a setting of its own, and only the app has them all"
    )]
    pub fn open(
        db: &str,
        durability: Durability,
        prices: Option<Arc<Prices>>,
        bounds: Bounds,
        clock: Clock,
        forward: Option<Arc<ForwardCursor>>,
        cluster: Option<&ClusterStream>,
        readers: usize,
    ) -> Result<Self, OpenError> {
        let private = db == ":memory:";
        let path = if private { private_path()? } else { resolve_path(Path::new(db))? };
        check_sqlite(&path)?;
        check_links(&path)?;
        check_empty(&path)?;
        check_file(&path)?;
        let lock = Lock::acquire(&path)?;
        let options = ConnectionOptions { path: path.clone(), durability };
        let sqlite = |error: rusqlite::Error| OpenError::sqlite(&path, &error);
        let frames = count_frames(&path);
        create_database(&path)?;
        recover_journal(&path)?;
        check_schema(&path)?;
        let connection = open_writer(&options).map_err(sqlite)?;
        let lost = lost_frames(&connection, frames).map_err(sqlite)?;
        if lost > 0 {
            tracing::warn!(frames = lost, "the write-ahead log ends with an incomplete transaction");
        }
        create_schema(&connection).map_err(sqlite)?;
        let place = bind_cluster(&connection, &path, cluster)?;
        let text = |sql: &str| connection.query_row(sql, [], |row| row.get(0));
        let epoch = text(queries::SELECT_EPOCH).map_err(sqlite)?;
        let compile_options = compile_options(&connection).map_err(sqlite)?;
        let pragmas = reported_pragmas(&connection).map_err(sqlite)?;
        let last_id =
            connection.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0)).map_err(sqlite)?;
        if let Some(cursor) = &forward {
            cursor.load(&connection).map_err(sqlite)?;
        }
        let owner = folder_owner(&connection).map_err(sqlite)?;
        let mut attachment_files = AttachmentFiles::new(&path, durability);
        let other = attachment_files.claim(&owner).map_err(|error| OpenError::io(&path, &error))?;
        let attachment_files = Arc::new(attachment_files);
        let attachments = AttachmentWriter::new(Arc::clone(&attachment_files));
        let (attachment_bytes, newer) = attachments.sweep_attachments(&connection, &owner).map_err(sqlite)?;
        let moved: Vec<MovedAside> = other.into_iter().chain(newer).collect();
        for MovedAside { files, folder } in &moved {
            let folder = folder.display().to_string();
            tracing::warn!(files, folder, "attachments that may belong to another database were moved aside");
        }
        let identity = identity_of(&path)
            .ok_or_else(|| OpenError::new(&path, EXITS.database.unusable, &[("reason", "gone")]))?;
        let (newest_sender, newest) = watch::channel(last_id);
        let state = Arc::new(State::new(clock));
        let meters = Arc::new(Meters::new());
        let bounds = Arc::new(place.map_or(bounds, |place| {
            let (days, bytes) = place.bounds.unwrap_or_default();
            Bounds { days: days.into(), bytes: bytes.into(), ..Bounds::default() }
        }));
        let writer = Writer::start_writer(
            connection,
            Tables {
                events: EventWriter::new(prices),
                attachments,
                retention: Retention::new(
                    Arc::clone(&bounds),
                    Arc::clone(&meters),
                    forward.clone(),
                    cluster.is_some(),
                ),
                forward,
            },
            &options,
            clock,
            Arc::clone(&state),
            Arc::clone(&meters),
            newest_sender,
        )?;
        let readers = Readers::open(&options, readers).map_err(sqlite)?;
        let lock = std::sync::Mutex::new(Some(lock));
        Ok(Self {
            options,
            writer,
            readers,
            attachment_files,
            attachment_bytes,
            attachments_aside: moved.iter().map(|moved| moved.files).sum(),
            backups: Backups::new(&path),
            bounds,
            state,
            meters,
            newest,
            stop: Notify::new(),
            epoch,
            compile_options,
            pragmas,
            place,
            was_unclean: frames > 0,
            identity,
            lock,
            private,
        })
    }

    /// Records the server's URL for other servers that find the database locked (rule STO-11).
    pub fn announce(&self, url: &str) {
        write_owner(&self.options.path, url);
    }

    /// Stores the valid events of a request; resolves after their commit. Consecutive calls are stored in their
    /// order.
    pub fn submit(&self, submission: Submission) -> impl Future<Output = Submitted> + Send + use<> {
        let state = Arc::clone(&self.state);
        let submitted = match state.refusal() {
            Some(code) => Err(code),
            None => Ok(self.writer.submit(submission)),
        };
        async move {
            // This also records a failure that the writer could not record because it has ended.
            submitted?.await.inspect_err(|code| state.note(*code))
        }
    }

    /// Stores messages of the stream that this database is a copy of; resolves after their commit.
    pub fn apply(
        &self,
        group: ClusterGroup,
    ) -> impl Future<Output = Result<Applied, ErrorCode>> + Send + use<> {
        let applied = match self.state.refusal() {
            Some(code) => Err(code),
            None => Ok(self.writer.apply(group)),
        };
        async { applied?.await }
    }

    /// Returns the place of this database in its stream at the start; `None` without a stream.
    pub fn place(&self) -> Option<ClusterPlace> {
        self.place
    }

    /// Gives a received content its final name, and stores the row that refers to it; resolves after the commit.
    pub fn attach(
        &self,
        attachment: Attachment,
    ) -> impl Future<Output = Result<Attached, ErrorCode>> + Send + use<> {
        let attached = match self.state.refusal() {
            Some(code) => Err(code),
            None => Ok(self.writer.attach(attachment)),
        };
        async { attached?.await }
    }

    /// Deletes events, or a session with its events; resolves after the commit of the last step. `None` when no session
    /// has this id (rule RET-04).
    pub fn delete(
        &self,
        scope: Scope,
    ) -> impl Future<Output = Result<Option<Deleted>, ErrorCode>> + Send + use<> {
        let deleted = match self.state.refusal() {
            Some(code) => Err(code),
            None => Ok(self.writer.delete(scope)),
        };
        async { deleted?.await }
    }

    /// Returns the bounds of retention, which requests may change.
    pub fn bounds(&self) -> &Arc<Bounds> {
        &self.bounds
    }

    /// Changes the bounds of retention, in days and bytes.
    pub fn set_bounds(&self, days: u64, bytes: u64) {
        self.bounds.days.store(days, Ordering::Relaxed);
        self.bounds.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Checks the bounds of retention now, instead of within a second.
    pub fn check_bounds(&self) {
        self.writer.tick();
    }

    /// Returns the folder of attachments.
    pub fn attachment_files(&self) -> &Arc<AttachmentFiles> {
        &self.attachment_files
    }

    /// Returns the size of all attachments at the start, each content counted once (rule ATT-04).
    pub fn attachment_bytes(&self) -> u64 {
        self.attachment_bytes
    }

    /// Returns the number of files of attachments that the start moved aside (rule ATT-11).
    pub fn attachments_aside(&self) -> u64 {
        self.attachments_aside
    }

    /// Returns the backups of this database.
    pub fn backups(&self) -> &Backups {
        &self.backups
    }

    /// Runs a read on a pool connection, on the thread of its request.
    pub async fn read<T, F>(&self, cost: Cost, read: F) -> Result<T, ErrorCode>
    where
        F: FnOnce(&Connection) -> rusqlite::Result<T>,
    {
        self.readers.read(cost, read).await.inspect_err(|code| self.state.note(*code))
    }

    /// Runs a read as [`Store::read`] does, or a search so that it ends with its client.
    pub async fn read_or_search<T, F>(&self, cost: Cost, read: F) -> Result<T, ErrorCode>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        if cost == Cost::Search { self.read_spawned(cost, read).await } else { self.read(cost, read).await }
    }

    /// Runs a read on a pool connection, on another thread: for a task with other work during the read.
    pub async fn read_spawned<T, F>(&self, cost: Cost, read: F) -> Result<T, ErrorCode>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.readers.read_spawned(cost, read).await.inspect_err(|code| self.state.note(*code))
    }

    /// Returns a receiver for the newest committed id.
    pub fn newest(&self) -> watch::Receiver<i64> {
        self.newest.clone()
    }

    /// Returns the current newest committed id.
    pub fn newest_id(&self) -> i64 {
        *self.newest.borrow()
    }

    /// Returns the database's UUID.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Returns SQLite's compile options, sorted by bytes.
    pub fn compile_options(&self) -> &[String] {
        &self.compile_options
    }

    /// Returns the effective pragmas of the writing connection after opening, in the order of the health
    /// answer.
    pub fn pragmas(&self) -> &[(&'static str, Value)] {
        &self.pragmas
    }

    /// Returns the state, which holds whether writes are possible.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the numbers that the server counts.
    pub fn meters(&self) -> &Meters {
        &self.meters
    }

    /// Returns the space of the disk that holds the database; zeros when the system does not report it.
    pub fn disk(&self) -> DiskSpace {
        read_disk(&self.options.path).unwrap_or_default()
    }

    /// Returns the sizes of the database file and of its log.
    pub fn sizes(&self) -> (u64, u64) {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        (size(&self.options.path), size(&sibling(&self.options.path, "-wal")))
    }

    /// Resolves when a program has asked the server of this database to end (rule STO-13).
    pub async fn stop_asked(&self) {
        self.stop.notified().await;
    }

    /// Detects a deleted or replaced file and a request to end, and requests probe writes (rules STO-05, STO-06). A probe follows a failed
    /// write, and signs that the next write fails (rule HEA-02). Runs until dropped.
    pub async fn watch(&self) {
        let (mut since_probe, mut was_writable) = (0, true);
        let mut tick = tokio::time::interval(Duration::from_millis(TUNING.storage_watch_ms));
        loop {
            tick.tick().await;
            if identity_of(&self.options.path) != Some(self.identity) {
                self.state.note(ErrorCode::StorageLost);
            }
            if takes_stop(&self.options.path) {
                self.stop.notify_one();
            }
            self.writer.tick();
            since_probe += TUNING.storage_watch_ms;
            self.state.set_disk_full(read_disk(&self.options.path).is_some_and(DiskSpace::is_full));
            let can_write = is_writable(&self.options.path);
            let has_warning = std::mem::replace(&mut was_writable, can_write) && !can_write;
            if self.state.wants_probe(has_warning) && since_probe >= TUNING.probe_interval_ms {
                since_probe = 0;
                self.writer.probe();
            }
        }
    }

    /// Checks the whole file after a start that followed a crash (rule STO-06).
    pub async fn check(&self) {
        if !self.was_unclean {
            return;
        }
        let start = Instant::now();
        for table in 0.. {
            let step = Instant::now();
            let found = self.read_spawned(Cost::Unbounded, move |connection| {
                with_small_cache(connection, || check_table(connection, table))
            });
            match found.await {
                Ok(Some(answer)) if answer == "ok" => tokio::time::sleep(step.elapsed()).await,
                Ok(Some(_)) => return self.state.note(ErrorCode::StorageCorrupt),
                Ok(None) => {
                    let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
                    return tracing::info!(tables = table, ms, "the full check found no problem");
                }
                Err(code) => return tracing::warn!(code = code.as_str(), "the full check did not run"),
            }
        }
    }

    /// Commits waiting events, checkpoints, closes, and releases the lock. Blocks.
    pub fn close(&self) {
        self.readers.close();
        self.writer.close();
        if let Some(lock) = self.lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
            lock.release();
        }
        if self.private {
            for suffix in ["", "-wal", "-shm", ".lock"] {
                // A missing file counts as deleted.
                drop(std::fs::remove_file(sibling(&self.options.path, suffix)));
            }
            drop(self.options.path.parent().map(std::fs::remove_dir_all));
        }
    }
}

/// Returns the result of `PRAGMA quick_check` for the table at this place by name; `None` after the last one.
fn check_table(connection: &Connection, place: u32) -> rusqlite::Result<Option<String>> {
    connection.query_row(queries::CHECK_TABLE, [place], |row| row.get(0)).optional()
}
