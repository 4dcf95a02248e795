//! Unit tests of invalidations: all topics at first, then the newest revision of each, only when it is due, and only
//! to followers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use ingest_server::clock::Clock;
use ingest_server::config::Durability;
use ingest_server::hub::Hub;
use ingest_server::invalidations::{Invalidations, Subscription};
use ingest_server::json::scan_event;
use ingest_server::meters::EventSource;
use ingest_server::ring::StreamFilter;
use ingest_server::store::Store;
use ingest_server::store::events::Submission;
use ingest_server::store::retention::Bounds;
use ingest_server::topics::parse_topics;
use ingest_server::validate::validate_event;
use tokio::sync::Semaphore;
use tokio::time::Instant;

const AT_ONCE: Duration = Duration::ZERO;
/// An interval that is longer than any test.
const LONG: Duration = Duration::from_secs(60);

struct Server {
    store: Arc<Store>,
    hub: Arc<Hub>,
    invalidations: Arc<Invalidations>,
}

impl Server {
    fn start(folder: &Path, places: usize) -> Self {
        let path = folder.join("events.db");
        let store = Store::open(
            path.to_str().expect("text"),
            Durability::Process,
            None,
            Bounds::default(),
            Clock,
            None,
            None,
            4,
        )
        .expect("opens");
        let (store, places) = (Arc::new(store), Arc::new(Semaphore::new(places)));
        let hub = Arc::new(Hub::new(Arc::clone(&store), Arc::clone(&places)));
        let invalidations = Arc::new(Invalidations::new(Arc::clone(&store), places));
        let rounds = Arc::clone(&invalidations);
        tokio::spawn(async move { rounds.run().await });
        Self { store, hub, invalidations }
    }

    async fn store_event(&self, session: &str) {
        let body = format!(r#"{{"session_id":"{session}","agent_type":"a","event_type":"response"}}"#);
        let raw = scan_event(&body).expect("valid JSON");
        let event = validate_event(&body, &raw, 1024).expect("valid");
        self.store
            .submit(Submission { body, events: vec![event], source: EventSource::Events })
            .await
            .expect("stored");
    }

    async fn subscribe(&self, topics: &str, min_interval: Duration) -> Option<Subscription> {
        let topics = parse_topics(topics).expect("topics");
        self.invalidations.subscribe(topics, min_interval).await.expect("readable")
    }
}

/// Returns the next changes as `topic=revision`.
async fn next(subscription: &mut Subscription) -> Vec<String> {
    let due = tokio::time::timeout(Duration::from_secs(20), subscription.next()).await.expect("in time");
    due.expect("open").map(|(topic, revision)| format!("{}={revision}", topic.name())).collect()
}

/// Returns whether nothing is due at this moment.
fn is_silent(subscription: &mut Subscription) -> bool {
    subscription.next().now_or_never().is_none()
}

#[tokio::test]
async fn the_first_report_has_every_topic_in_the_given_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 4);
    // While a client follows a session, rounds keep up. The first client would start a round for the events stored so
    // far. That round may see the next event's session before its notification of the event.
    let mut before = server.subscribe("session:a,events", AT_ONCE).await.expect("a place");
    server.store_event("a").await;
    server.store_event("b").await;
    while !next(&mut before).await.contains(&"events=2".to_owned()) {}
    let mut client = server.subscribe("session:a,stats,session:new,events", AT_ONCE).await.expect("a place");
    assert_eq!(next(&mut client).await, ["session:a=1", "stats=2", "session:new=0", "events=2"]);
    assert!(is_silent(&mut client));
    server.store_event("new").await;
    assert_eq!(next(&mut client).await, ["stats=3", "session:new=3", "events=3"]);
    assert!(is_silent(&mut client));
}

#[tokio::test]
async fn a_slow_client_gets_the_newest_revision_and_delays_no_other_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 4);
    let topics = "events,sessions,session:a,session:b";
    let mut slow = server.subscribe(topics, AT_ONCE).await.expect("a place");
    let mut fast = server.subscribe(topics, AT_ONCE).await.expect("a place");
    let nothing = ["events=0", "sessions=0", "session:a=0", "session:b=0"];
    assert_eq!(next(&mut slow).await, nothing);
    assert_eq!(next(&mut fast).await, nothing);
    for id in 1..=50 {
        server.store_event("a").await;
        let expected = [format!("events={id}"), format!("sessions={id}"), format!("session:a={id}")];
        assert_eq!(next(&mut fast).await, expected);
    }
    assert_eq!(next(&mut slow).await, ["events=50", "sessions=50", "session:a=50"]);
    assert!(is_silent(&mut slow));
}

#[tokio::test]
async fn a_change_within_the_interval_waits_for_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 4);
    let interval = Duration::from_millis(200);
    let mut client = server.subscribe("events", interval).await.expect("a place");
    assert_eq!(next(&mut client).await, ["events=0"]);
    let mut reported = Instant::now();
    for id in [3, 6] {
        for _ in 0..3 {
            server.store_event("s").await;
            assert!(is_silent(&mut client) || reported.elapsed() >= interval);
        }
        assert_eq!(next(&mut client).await, [format!("events={id}")]);
        assert!(reported.elapsed() >= interval, "{:?}", reported.elapsed());
        reported = Instant::now();
    }
}

#[tokio::test]
async fn a_change_after_a_longer_silence_is_reported_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 4);
    let interval = Duration::from_secs(2);
    let mut client = server.subscribe("events,session:s", interval).await.expect("a place");
    assert_eq!(next(&mut client).await, ["events=0", "session:s=0"]);
    tokio::time::sleep(interval).await;
    assert!(is_silent(&mut client));
    let changed = Instant::now();
    server.store_event("s").await;
    assert_eq!(next(&mut client).await, ["events=1", "session:s=1"]);
    assert!(changed.elapsed() < interval, "{:?}", changed.elapsed());
    server.store_event("s").await;
    assert!(is_silent(&mut client));
}

#[tokio::test]
async fn a_session_s_change_is_reported_to_its_followers_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 5);
    let mut one = server.subscribe("session:a", AT_ONCE).await.expect("a place");
    let mut other = server.subscribe("session:b", AT_ONCE).await.expect("a place");
    let mut both = server.subscribe("session:b,session:a", AT_ONCE).await.expect("a place");
    assert_eq!(next(&mut one).await, ["session:a=0"]);
    assert_eq!(next(&mut other).await, ["session:b=0"]);
    assert_eq!(next(&mut both).await, ["session:b=0", "session:a=0"]);
    for id in 1..=5 {
        server.store_event("a").await;
        // A client that subscribes in between sees the change before the round does. Earlier followers must
        // still be notified.
        let mut late = server.subscribe("session:a", LONG).await.expect("a place");
        assert_eq!(next(&mut late).await, [format!("session:a={id}")]);
        drop(late);
        assert_eq!(next(&mut both).await, [format!("session:a={id}")]);
        assert_eq!(next(&mut one).await, [format!("session:a={id}")]);
        assert!(is_silent(&mut other));
    }
    // A client that leaves does not affect the others.
    drop(both);
    server.store_event("b").await;
    assert_eq!(next(&mut other).await, ["session:b=6"]);
    assert!(is_silent(&mut one));
}

#[tokio::test]
async fn both_modes_of_the_stream_share_the_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), 2);
    let events = server.hub.subscribe(None, StreamFilter::default()).expect("a place");
    let changes = server.subscribe("session:s,events", AT_ONCE).await.expect("a place");
    assert!(server.hub.subscribe(None, StreamFilter::default()).is_none());
    assert!(server.subscribe("events", AT_ONCE).await.is_none());
    drop(events);
    let more = server.subscribe("events", AT_ONCE).await.expect("a place");
    drop(changes);
    assert!(server.hub.subscribe(None, StreamFilter::default()).is_some());
    drop(more);
}
