//! The pool of reading connections.
//!
//! What must stay true: a read never keeps a socket waiting. It runs where its request does, since each change of the
//! thread waits for a core under load, and tokio moves every other task to another thread meanwhile (decision 17).

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ErrorCode;
use crate::store::connection::{Location, open_connection};
use crate::store::failure::store_code;

/// As many readers as can be of use on a desktop machine; each keeps a page cache.
const READERS: u32 = 4;
/// How long a read may wait for a connection.
const WAIT: Duration = Duration::from_secs(5);

/// Opens connections for r2d2 (whose own adapter does not know this version of rusqlite).
#[derive(Debug)]
struct Manager {
    location: Location,
}

impl r2d2::ManageConnection for Manager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = open_connection(&self.location)?;
        // Readers never write, whatever a statement says.
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }

    fn is_valid(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.query_row("SELECT 1", [], |_| Ok(()))
    }

    fn has_broken(&self, _: &mut Connection) -> bool {
        false
    }
}

/// The reading connections.
#[derive(Debug)]
pub struct Readers {
    /// `None` once closed.
    pool: Mutex<Option<r2d2::Pool<Manager>>>,
    /// As many as connections: who waits for one holds no thread.
    permits: Arc<Semaphore>,
}

impl Readers {
    /// A pool that opens its connections when they are first needed.
    pub fn open(location: Location) -> Self {
        let pool = r2d2::Pool::builder()
            .max_size(READERS)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .thread_pool(Arc::new(scheduled_thread_pool::ScheduledThreadPool::new(1)))
            .build_unchecked(Manager { location });
        let permits = Arc::new(Semaphore::new(READERS as usize));
        Self { pool: Mutex::new(Some(pool)), permits }
    }

    /// Runs a read on this thread. Blocks every future of the same task, and needs tokio's threads.
    pub async fn read<T, F>(&self, read: F) -> Result<T, ErrorCode>
    where
        F: FnOnce(&Connection) -> rusqlite::Result<T>,
    {
        let (pool, _permit) = self.turn().await?;
        let (mut read, mut found) = (Some(read), None);
        run_in_place(&pool, &mut |connection| {
            found = read.take().map(|read| read(connection)).transpose()?;
            Ok(())
        })?;
        found.ok_or(ErrorCode::Internal)
    }

    /// Runs a read on another thread: for a task that does more than wait for it.
    pub async fn read_aside<T, F>(&self, read: F) -> Result<T, ErrorCode>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (pool, permit) = self.turn().await?;
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            run(&pool, read)
        });
        task.await.unwrap_or(Err(ErrorCode::Internal))
    }

    /// The pool, when one of its connections is free.
    async fn turn(&self) -> Result<(r2d2::Pool<Manager>, OwnedSemaphorePermit), ErrorCode> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait().await?,
        };
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((pool.ok_or(ErrorCode::Draining)?, permit))
    }

    /// Boxed, so that the readers' many callers do not each have their own copy of it.
    fn wait(&self) -> Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, ErrorCode>> + Send>> {
        let permit = tokio::time::timeout(WAIT, Arc::clone(&self.permits).acquire_owned());
        Box::pin(async { permit.await.ok().and_then(Result::ok).ok_or(ErrorCode::StorageBusy) })
    }

    /// Closes the connections, so that the writer's is the last and takes the log with it.
    pub fn close(&self) {
        drop(self.pool.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Once for all callers: what moves the other tasks to another thread is larger than most reads.
#[inline(never)]
fn run_in_place(
    pool: &r2d2::Pool<Manager>,
    read: &mut dyn FnMut(&Connection) -> rusqlite::Result<()>,
) -> Result<(), ErrorCode> {
    tokio::task::block_in_place(|| run(pool, read))
}

fn run<T>(
    pool: &r2d2::Pool<Manager>,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, ErrorCode> {
    let connection = pool.get().map_err(|_| ErrorCode::StorageBusy)?;
    read(&connection).map_err(|error| {
        let code = store_code(&error);
        tracing::warn!(code = code.as_str(), sqlite = error.sqlite_extended_error_code(), "a read failed");
        code
    })
}
