//! Runs reads on a pool of connections (rule GET-10).
//!
//! Invariants: a read does not delay other sockets. It runs on its request's thread, since each change of threads
//! waits for a core under load. tokio moves every other task to another thread (decision 17). Unbounded reads leave
//! one reader to the bounded ones, and searches one more to the unbounded ones (rule GET-10). A waiting read is a future:
//! hyper drops it when its client disconnects, which removes it from the queue. A search runs on another thread, so that
//! hyper can drop its future too, which interrupts the search.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, InterruptHandle, ffi};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::contract::LIMITS;
use crate::error::ErrorCode;
use crate::store::connection::{ConnectionOptions, open_connection};
use crate::store::cost::Cost;
use crate::store::failure::store_code;

/// Passes connections to r2d2, whose own adapter does not support this version of rusqlite.
#[derive(Debug)]
struct Manager {
    options: ConnectionOptions,
    /// Connections opened at the start, while descriptors are available.
    opened: Mutex<Vec<Connection>>,
}

impl r2d2::ManageConnection for Manager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).pop();
        opened.map_or_else(|| open_reader(&self.options), Ok)
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
    /// As many permits as connections: a read that waits for one holds no thread.
    all: Arc<Semaphore>,
    /// One permit less: the share of unbounded reads.
    unbounded: Arc<Semaphore>,
    /// One permit less than that: the share of searches.
    searches: Arc<Semaphore>,
}

/// The permits that a read holds while it runs.
type Turn = Vec<OwnedSemaphorePermit>;

/// A read on another thread.
#[derive(Default)]
struct Running(Mutex<RunState>);

#[derive(Default)]
struct RunState {
    /// Ends the statement that runs; `None` before and after the read, so that it ends no other read.
    handle: Option<InterruptHandle>,
    is_dropped: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, RunState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the read, unless its future was dropped.
    fn run<T>(
        &self,
        connection: &Connection,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        {
            let mut state = self.state();
            if state.is_dropped {
                return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None));
            }
            state.handle = Some(connection.get_interrupt_handle());
        }
        let found = read(connection);
        self.state().handle = None;
        found
    }
}

/// Interrupts a read when its future is dropped.
struct EndOnDrop(Arc<Running>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_dropped = true;
        if let Some(handle) = state.handle.take() {
            handle.interrupt();
        }
    }
}

impl Readers {
    /// Opens the connections of the pool.
    pub fn open(options: &ConnectionOptions, count: usize) -> rusqlite::Result<Self> {
        let opened = (0..count).map(|_| open_reader(options)).collect::<rusqlite::Result<_>>()?;
        let pool = r2d2::Pool::builder()
            .max_size(u32::try_from(count).unwrap_or(u32::MAX))
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(Duration::from_millis(LIMITS.reader_wait_ms))
            .idle_timeout(None)
            .max_lifetime(None)
            .thread_pool(Arc::new(scheduled_thread_pool::ScheduledThreadPool::new(1)))
            .build_unchecked(Manager { options: options.clone(), opened: Mutex::new(opened) });
        Ok(Self {
            pool: Mutex::new(Some(pool)),
            all: Arc::new(Semaphore::new(count)),
            unbounded: Arc::new(Semaphore::new(count.saturating_sub(1))),
            searches: Arc::new(Semaphore::new(count.saturating_sub(2).max(1))),
        })
    }

    /// Runs a read on this thread. Blocks every future of the same task, and requires tokio's multi-thread runtime.
    pub async fn read<T, F>(&self, cost: Cost, read: F) -> Result<T, ErrorCode>
    where
        F: FnOnce(&Connection) -> rusqlite::Result<T>,
    {
        let (pool, _turn) = self.turn(cost).await?;
        let (mut read, mut found) = (Some(read), None);
        run_in_place(&pool, &mut |connection| {
            found = read.take().map(|read| read(connection)).transpose()?;
            Ok(())
        })?;
        found.ok_or(ErrorCode::Internal)
    }

    /// Runs a read on another thread: for a task with other work during the read, or for a search. A search that takes
    /// too long ends as busy (rule GET-13).
    pub async fn read_spawned<T, F>(&self, cost: Cost, read: F) -> Result<T, ErrorCode>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (pool, turn) = self.turn(cost).await?;
        let running = Arc::new(Running::default());
        let _end = EndOnDrop(Arc::clone(&running));
        let task = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            run(&pool, |connection| running.run(connection, read))
        });
        let most = match cost {
            Cost::Search => Duration::from_millis(LIMITS.search_run_ms),
            Cost::Bounded | Cost::Unbounded => Duration::MAX,
        };
        match tokio::time::timeout(most, task).await {
            Ok(found) => found.unwrap_or(Err(ErrorCode::Internal)),
            Err(_) => Err(ErrorCode::StorageBusy),
        }
    }

    /// Returns the pool when a connection is free for a read of this cost.
    async fn turn(&self, cost: Cost) -> Result<(r2d2::Pool<Manager>, Turn), ErrorCode> {
        let turn = match self.try_turn(cost) {
            Some(turn) => turn,
            None => self.wait(cost).await?,
        };
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok((pool.ok_or(ErrorCode::Draining)?, turn))
    }

    /// Returns the shares that a read takes a permit of, the smallest first.
    fn shares(&self, cost: Cost) -> impl Iterator<Item = Arc<Semaphore>> + use<> {
        let search = (cost == Cost::Search).then(|| Arc::clone(&self.searches));
        let unbounded = (cost != Cost::Bounded).then(|| Arc::clone(&self.unbounded));
        search.into_iter().chain(unbounded).chain([Arc::clone(&self.all)])
    }

    fn try_turn(&self, cost: Cost) -> Option<Turn> {
        self.shares(cost).map(|share| share.try_acquire_owned().ok()).collect()
    }

    /// Waits for the permits of a read. The future is boxed, so that callers do not each compile their own
    /// copy of it.
    fn wait(&self, cost: Cost) -> Pin<Box<dyn Future<Output = Result<Turn, ErrorCode>> + Send>> {
        let shares = self.shares(cost);
        let turn = async move {
            let mut turn = Turn::new();
            for share in shares {
                turn.push(share.acquire_owned().await.ok()?);
            }
            Some(turn)
        };
        let turn = tokio::time::timeout(Duration::from_millis(LIMITS.reader_wait_ms), turn);
        Box::pin(async { turn.await.ok().flatten().ok_or(ErrorCode::StorageBusy) })
    }

    /// Closes the connections, so that the writer's is the last and removes the log.
    pub fn close(&self) {
        drop(self.pool.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

fn open_reader(options: &ConnectionOptions) -> rusqlite::Result<Connection> {
    let connection = open_connection(options)?;
    // Readers never write, whatever a statement contains.
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Runs a read on this thread. All callers share one copy, since the code that moves the other tasks to
/// another thread is larger than most reads.
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
        if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted) {
            // Its client has left, or has its response.
            return code;
        }
        tracing::warn!(code = code.as_str(), sqlite = error.sqlite_extended_error_code(), "a read failed");
        code
    })
}
