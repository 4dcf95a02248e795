//! Tests the reader pool with reads that run until the test releases them (rule GET-10).

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::Poll;
use std::time::{Duration, Instant};

use ingest_server::clock::Clock;
use ingest_server::config::Durability;
use ingest_server::contract::LIMITS;
use ingest_server::error::ErrorCode;
use ingest_server::store::Store;
use ingest_server::store::connection::ConnectionOptions;
use ingest_server::store::cost::Cost;
use ingest_server::store::reader::Readers;
use ingest_server::store::retention::Bounds;
use tokio::task::JoinHandle;

const READERS: usize = 3;

fn open(folder: &Path) -> Arc<Readers> {
    let path = folder.join("events.db");
    Store::open(
        path.to_str().expect("text"),
        Durability::Process,
        None,
        Bounds::default(),
        Clock,
        None,
        None,
        4,
    )
    .expect("opens")
    .close();
    Arc::new(
        Readers::open(&ConnectionOptions { path, durability: Durability::Process }, READERS).expect("opens"),
    )
}

/// An unbounded read that runs until its sender is dropped.
struct Long {
    read: JoinHandle<Result<(), ErrorCode>>,
    end: SyncSender<()>,
}

impl Long {
    /// Returns once the read runs.
    async fn start(readers: &Arc<Readers>) -> Self {
        let (end, ended): (SyncSender<()>, Receiver<()>) = sync_channel(0);
        let (begin, begun) = tokio::sync::oneshot::channel();
        let readers = Arc::clone(readers);
        let read = tokio::spawn(async move {
            readers
                .read_spawned(Cost::Unbounded, move |_| {
                    begin.send(()).expect("the test waits");
                    // No value is ever sent; `recv` fails once the sender is dropped.
                    assert!(ended.recv().is_err());
                    Ok(())
                })
                .await
        });
        begun.await.expect("the read runs");
        Self { read, end }
    }

    async fn end(self) {
        drop(self.end);
        assert_eq!(self.read.await.expect("no panic"), Ok(()));
    }
}

type Read = Pin<Box<dyn Future<Output = Result<(), ErrorCode>> + Send>>;

/// Starts a read of this cost, which increments `count` when it runs.
fn counted(readers: &Arc<Readers>, cost: Cost, count: &Arc<AtomicUsize>) -> Read {
    let (readers, count) = (Arc::clone(readers), Arc::clone(count));
    Box::pin(async move {
        readers
            .read_spawned(cost, move |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .await
    })
}

async fn waits(read: &mut Read) -> bool {
    std::future::poll_fn(|cx| Poll::Ready(read.as_mut().poll(cx).is_pending())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn unbounded_reads_leave_one_reader_to_bounded_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let readers = open(folder.path());
    let longs = [Long::start(&readers).await, Long::start(&readers).await];
    let count = Arc::new(AtomicUsize::new(0));
    let mut unbounded = counted(&readers, Cost::Unbounded, &count);
    assert!(waits(&mut unbounded).await);
    assert_eq!(counted(&readers, Cost::Bounded, &count).await, Ok(()));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    for long in longs {
        long.end().await;
    }
    assert_eq!(unbounded.await, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_read_that_is_dropped_does_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let readers = open(folder.path());
    let [first, second] = [Long::start(&readers).await, Long::start(&readers).await];
    let (gone, kept) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut dropped = counted(&readers, Cost::Unbounded, &gone);
    let mut next = counted(&readers, Cost::Unbounded, &kept);
    assert!(waits(&mut dropped).await && waits(&mut next).await);
    drop(dropped);
    first.end().await;
    // The other long read still holds the only other reader, so this read got the free one.
    assert_eq!(next.await, Ok(()));
    assert_eq!((gone.load(Ordering::Relaxed), kept.load(Ordering::Relaxed)), (0, 1));
    second.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_waits_too_long_fails_as_busy() {
    let folder = tempfile::tempdir().expect("a folder");
    let readers = open(folder.path());
    let longs = [Long::start(&readers).await, Long::start(&readers).await];
    let (begun, count) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    assert_eq!(counted(&readers, Cost::Unbounded, &count).await, Err(ErrorCode::StorageBusy));
    assert!(begun.elapsed() >= Duration::from_millis(LIMITS.reader_wait_ms));
    for long in longs {
        long.end().await;
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

/// A statement that never ends by itself.
const ENDLESS: &str =
    "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT count(*) FROM n";

async fn search_endlessly(readers: Arc<Readers>) -> Result<i64, ErrorCode> {
    readers.read_spawned(Cost::Search, |db| db.query_row(ENDLESS, [], |row| row.get(0))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_is_dropped_ends_and_frees_its_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let readers = open(folder.path());
    let search = tokio::spawn(search_endlessly(Arc::clone(&readers)));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let count = Arc::new(AtomicUsize::new(0));
    let mut next = counted(&readers, Cost::Search, &count);
    assert!(waits(&mut next).await, "one of three readers may search");
    assert_eq!(counted(&readers, Cost::Unbounded, &count).await, Ok(()));
    search.abort();
    let (begun, next) = (Instant::now(), next.await);
    assert_eq!(next, Ok(()));
    assert!(begun.elapsed() < Duration::from_millis(LIMITS.search_run_ms / 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_takes_too_long_fails_as_busy() {
    let folder = tempfile::tempdir().expect("a folder");
    let readers = open(folder.path());
    let begun = Instant::now();
    assert_eq!(search_endlessly(Arc::clone(&readers)).await, Err(ErrorCode::StorageBusy));
    assert!(begun.elapsed() >= Duration::from_millis(LIMITS.search_run_ms));
    let count = Arc::new(AtomicUsize::new(0));
    assert_eq!(counted(&readers, Cost::Search, &count).await, Ok(()), "its reader is free again");
}
