//! Unit tests of the stream's fan-out: places, the bounded ring, falling behind and catching up.

use std::sync::Arc;
use std::time::Duration;

use ingest_server::clock::Clock;
use ingest_server::config::Durability;
use ingest_server::hub::{Hub, Subscription};
use ingest_server::json::scan_batch;
use ingest_server::meters::EventSource;
use ingest_server::ring::StreamFilter;
use ingest_server::store::Store;
use ingest_server::store::events::Submission;
use ingest_server::store::retention::Bounds;
use ingest_server::validate::validate_event;
use tokio::sync::Semaphore;

async fn store_events(store: &Store, session: &str, count: usize, metadata_bytes: usize) {
    let filler = "x".repeat(metadata_bytes);
    let event = format!(
        r#"{{"session_id":"{session}","agent_type":"a","event_type":"response","metadata":"{filler}"}}"#
    );
    let body = format!(r#"{{"events":[{}]}}"#, vec![event; count].join(","));
    let raws = scan_batch(&body, usize::MAX).expect("valid JSON").expect("an array").events;
    let events = raws.iter().map(|raw| validate_event(&body, raw, 1 << 24).expect("valid")).collect();
    store.submit(Submission { body, events, source: EventSource::Events }).await.expect("stored");
}

async fn ids(subscription: &mut Subscription, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let frames =
            tokio::time::timeout(Duration::from_secs(20), subscription.next()).await.expect("in time");
        ids.extend(frames.expect("frames").iter().map(|frame| frame.id()));
    }
    ids
}

fn start(folder: &std::path::Path, places: usize) -> (Arc<Store>, Arc<Hub>) {
    let path = folder.join("events.db");
    let store = Arc::new(
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
        .expect("opens"),
    );
    let hub = Arc::new(Hub::new(Arc::clone(&store), Arc::new(Semaphore::new(places))));
    let tail = Arc::clone(&hub);
    tokio::spawn(async move { tail.tail().await });
    (store, hub)
}

#[tokio::test]
async fn a_dropped_subscription_frees_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_store, hub) = start(folder.path(), 1);
    let first = hub.subscribe(None, StreamFilter::default()).expect("a place");
    assert!(hub.subscribe(None, StreamFilter::default()).is_none());
    assert_eq!(hub.clients(), 1);
    drop(first);
    assert_eq!(hub.clients(), 0);
    assert!(hub.subscribe(None, StreamFilter::default()).is_some());
}

#[tokio::test]
async fn live_events_follow_history_without_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, hub) = start(folder.path(), 4);
    store_events(&store, "s", 600, 10).await;
    let mut subscription = hub.subscribe(Some(100), StreamFilter::default()).expect("a place");
    let reader = tokio::spawn(async move { ids(&mut subscription, 1100).await });
    for _ in 0..6 {
        store_events(&store, "s", 100, 10).await;
    }
    assert_eq!(reader.await.expect("read"), (101..=1200).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_subscriber_behind_the_ring_loses_no_event() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, hub) = start(folder.path(), 4);
    let mut slow = hub.subscribe(None, StreamFilter::default()).expect("a place");
    let mut fast = hub.subscribe(None, StreamFilter::default()).expect("a place");
    // 12 MB pass through a ring of 4 MB while only one of the two subscribers reads.
    for _ in 0..12 {
        store_events(&store, "s", 100, 10_000).await;
    }
    assert_eq!(ids(&mut fast, 1200).await, (1..=1200).collect::<Vec<i64>>());
    assert_eq!(ids(&mut slow, 1200).await, (1..=1200).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_filter_skips_events_that_do_not_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, hub) = start(folder.path(), 4);
    store_events(&store, "other", 700, 10).await;
    store_events(&store, "mine", 1, 10).await;
    let filter = StreamFilter { session_id: Some("mine".to_owned()), ..StreamFilter::default() };
    let mut subscription = hub.subscribe(Some(0), filter).expect("a place");
    assert_eq!(ids(&mut subscription, 1).await, [701]);
    store_events(&store, "other", 50, 10).await;
    store_events(&store, "mine", 2, 10).await;
    assert_eq!(ids(&mut subscription, 2).await, [752, 753]);
}
