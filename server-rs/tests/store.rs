//! Unit tests of the database: pragmas of every connection, rollback, deduplication, refusals at the start.

use std::path::Path;

use ingest_server::clock::Clock;
use ingest_server::config::Durability;
use ingest_server::event::Outcome;
use ingest_server::json::scan_batch;
use ingest_server::meters::EventSource;
use ingest_server::store::Store;
use ingest_server::store::connection::{ConnectionOptions, open_connection};
use ingest_server::store::cost::Cost;
use ingest_server::store::events::{EventWriter, Submission};
use ingest_server::store::retention::Bounds;
use ingest_server::store::stats::{ALL_TIME, QUARTER_MS};
use ingest_server::validate::validate_event;
use rusqlite::Connection;

fn submission(events: &[(&str, &str)]) -> Submission {
    let items: Vec<String> = events
        .iter()
        .map(|(session, id)| {
            format!(r#"{{"session_id":"{session}","agent_type":"a","event_type":"response","event_id":"{id}","tokens_in":5}}"#)
        })
        .collect();
    let body = format!(r#"{{"events":[{}]}}"#, items.join(","));
    let raws = scan_batch(&body, usize::MAX).expect("valid JSON").expect("an array").events;
    let events = raws.iter().map(|raw| validate_event(&body, raw, 1024).expect("valid")).collect();
    Submission { body, events, source: EventSource::Events }
}

fn open(folder: &Path) -> (Store, Connection) {
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
    let options = ConnectionOptions { path, durability: Durability::Process };
    (store, open_connection(&options).expect("opens"))
}

fn count(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_connection_has_the_pragmas_of_the_contract() {
    for (durability, synchronous) in [(Durability::Process, 1), (Durability::Power, 2)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("events.db");
        let store = Store::open(
            path.to_str().expect("text"),
            durability,
            None,
            Bounds::default(),
            Clock,
            None,
            None,
            4,
        )
        .expect("opens");
        let own = open_connection(&ConnectionOptions { path, durability }).expect("opens");
        let pragmas = move |connection: &Connection| {
            let integer = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let names = [
                "synchronous",
                "foreign_keys",
                "busy_timeout",
                "wal_autocheckpoint",
                "mmap_size",
                "cache_size",
            ];
            let values = names.iter().map(|name| integer(name)).collect::<rusqlite::Result<Vec<i64>>>()?;
            let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            Ok((values, mode))
        };
        let expected = (vec![synchronous, 1, 5000, 0, 0, -2000], "wal".to_owned());
        assert_eq!(pragmas(&own).expect("readable"), expected);
        assert_eq!(store.read(Cost::Bounded, pragmas).await, Ok(expected));
        drop(own);
        store.close();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_cannot_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = open(folder.path());
    let written = store.read(Cost::Bounded, |connection| connection.execute("DELETE FROM meta", []));
    assert!(written.await.is_err());
    store.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_id_is_accepted_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = open(folder.path());
    let first = store.submit(submission(&[("s", "x"), ("s", "x"), ("s", "y")])).await;
    assert_eq!(first, Ok(vec![Outcome::Stored(1), Outcome::Duplicate, Outcome::Stored(2)]));
    assert_eq!(store.submit(submission(&[("t", "y")])).await, Ok(vec![Outcome::Duplicate]));
    assert_eq!(*store.newest().borrow(), 2);
    store.close();
    let (store, connection) = open(folder.path());
    assert_eq!(
        store.submit(submission(&[("t", "x"), ("t", "z")])).await,
        Ok(vec![Outcome::Duplicate, Outcome::Stored(3)])
    );
    assert_eq!(count(&connection, "SELECT count(*) FROM sessions"), 2);
    // A duplicate raises no value.
    assert_eq!(count(&connection, "SELECT last_event_id FROM sessions WHERE session_id = 's'"), 2);
    store.close();
}

#[test]
fn a_failed_group_leaves_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, connection) = open(folder.path());
    store.close();
    let mut writer = EventWriter::default();
    let good = submission(&[("s", "1"), ("s", "2")]);
    writer.insert_group(&connection, [&good].into_iter(), 1000).expect("stored");
    // The third row of the next group fails inside the transaction, after names, keys and rows were written.
    connection
        .execute_batch("CREATE TEMP TRIGGER fails BEFORE INSERT ON events WHEN NEW.id = 5 BEGIN SELECT RAISE(ABORT, 'no'); END")
        .expect("a trigger");
    let bad = submission(&[("new", "3"), ("s", "4"), ("s", "5")]);
    assert!(writer.insert_group(&connection, [&bad].into_iter(), 2000).is_err());
    assert!(connection.is_autocommit());
    assert_eq!(count(&connection, "SELECT count(*) FROM events"), 2);
    assert_eq!(count(&connection, "SELECT count(*) FROM sessions"), 1);
    connection.execute_batch("DROP TRIGGER fails").expect("dropped");
    let (outcomes, newest) = writer.insert_group(&connection, [&bad].into_iter(), 3000).expect("stored");
    assert_eq!(outcomes, [[Outcome::Stored(3), Outcome::Stored(4), Outcome::Stored(5)]]);
    assert_eq!(newest, Some(5));
    assert_eq!(count(&connection, "SELECT event_count FROM sessions WHERE session_id = 's'"), 4);
}

#[test]
fn a_failed_group_leaves_the_open_quarter_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, connection) = open(folder.path());
    store.close();
    let mut writer = EventWriter::default();
    writer.insert_group(&connection, [&submission(&[("s", "1")])].into_iter(), QUARTER_MS).expect("stored");
    // Keys are written after the statistics.
    connection
        .execute_batch(
            "CREATE TEMP TRIGGER fails BEFORE INSERT ON event_key_tail BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .expect("a trigger");
    let next = submission(&[("s", "2")]);
    assert!(writer.insert_group(&connection, [&next].into_iter(), 2 * QUARTER_MS).is_err());
    connection.execute_batch("DROP TRIGGER fails").expect("dropped");
    writer.insert_group(&connection, [&next].into_iter(), 2 * QUARTER_MS).expect("stored");
    // The clock is set back to the closed quarter.
    writer.insert_group(&connection, [&submission(&[("s", "3")])].into_iter(), QUARTER_MS).expect("stored");
    let sums = |quarter: i64| {
        let sql = format!(
            "SELECT event_count * 1000 + tokens_in FROM stats WHERE quarter = {quarter} AND name = 0"
        );
        count(&connection, &sql)
    };
    assert_eq!([900, 1800, ALL_TIME].map(sums), [2010, 1005, 2010]);
}

#[test]
fn a_second_store_on_the_same_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = open(folder.path());
    let path = folder.path().join("events.db");
    let error = Store::open(
        path.to_str().expect("text"),
        Durability::Process,
        None,
        Bounds::default(),
        Clock,
        None,
        None,
        4,
    )
    .expect_err("locked");
    assert_eq!(error.exit, 75);
    assert!(error.message.contains("in use"));
    store.close();
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
    .expect("free again")
    .close();
}
