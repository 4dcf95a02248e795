//! Tests accepted ids through runs, merges, restarts and rollbacks against a plain set.

use std::collections::HashSet;
use std::path::Path;

use ingest_server::config::Durability;
use ingest_server::store::connection::{ConnectionOptions, open_connection};
use ingest_server::store::event_keys::EventKeys;
use ingest_server::store::schema::create_schema;
use rusqlite::Connection;

const GROUP: u64 = 3000;

fn database(folder: &Path) -> Connection {
    let path = folder.join("events.db");
    std::fs::File::create_new(&path).expect("a new file");
    let options = ConnectionOptions { path: path.clone(), durability: Durability::Process };
    let connection = open_connection(&options).expect("opens");
    create_schema(&connection).expect("a schema");
    connection
}

/// Returns a key that is spread like a random one, and equal in each run.
fn key(n: u64) -> u128 {
    u128::from(n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

fn transaction<T>(connection: &Connection, end: &str, work: impl FnOnce() -> T) -> T {
    connection.execute_batch("BEGIN IMMEDIATE").expect("begins");
    let result = work();
    connection.execute_batch(end).expect("ends");
    result
}

fn count(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).expect("a number")
}

#[test]
fn a_key_is_accepted_once_through_runs_merges_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = database(folder.path());
    let mut keys = EventKeys::default();
    let mut merged = false;
    for group in 0..100 {
        let first = group * GROUP;
        transaction(&connection, "COMMIT", || {
            for n in first..first + GROUP {
                assert!(keys.insert(&connection, key(n)).expect("inserted"), "{n} is new");
            }
            for n in (0..first + GROUP).step_by(997) {
                assert!(!keys.insert(&connection, key(n)).expect("looked up"), "{n} is a duplicate");
            }
            keys.settle(&connection, GROUP, (first + GROUP) as i64).expect("settled");
        });
        merged |=
            count(&connection, "SELECT count(*) FROM event_key_runs WHERE level > 0 AND state = 'live'") > 0;
        if group % 13 == 12 {
            // Simulates a crash: the memory of a merge is lost.
            keys = EventKeys::default();
        }
    }
    assert!(merged, "at least one merge came to its end");
    transaction(&connection, "COMMIT", || {
        for n in 0..100 * GROUP {
            assert!(!keys.insert(&connection, key(n)).expect("looked up"), "{n} is a duplicate");
        }
    });
    assert!(count(&connection, "SELECT count(*) FROM event_key_runs WHERE state = 'live'") < 20);
    sorted_and_disjoint(&connection);
    // Keys in live runs are deleted from the tail, some with each group.
    let tail = "SELECT sum(length(keys)) / 16 FROM event_key_tail";
    assert!(count(&connection, tail) < 3 * 16_384, "{} keys in the tail", count(&connection, tail));
}

#[test]
fn a_group_that_was_rolled_back_leaves_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = database(folder.path());
    let mut keys = EventKeys::default();
    // Enough for a run, so that the rollback also undoes the run.
    let many = 20_000;
    transaction(&connection, "ROLLBACK", || {
        for n in 0..many {
            assert!(keys.insert(&connection, key(n)).expect("inserted"));
        }
        keys.settle(&connection, many, many as i64).expect("settled");
    });
    keys.forget();
    assert_eq!(count(&connection, "SELECT count(*) FROM event_key_blocks"), 0);
    assert_eq!(count(&connection, "SELECT count(*) FROM event_key_tail"), 0);
    transaction(&connection, "COMMIT", || {
        for n in 0..many {
            assert!(keys.insert(&connection, key(n)).expect("inserted"), "{n} is new again");
        }
    });
}

/// Checks live runs: keys ascend, and no key is in two of them.
fn sorted_and_disjoint(connection: &Connection) {
    let sql = "SELECT r.id, b.keys FROM event_key_runs AS r JOIN event_key_blocks AS b ON b.id >> 20 = r.id
               WHERE r.state = 'live' ORDER BY b.id";
    let mut select = connection.prepare(sql).expect("a statement");
    let mut rows = select.query([]).expect("rows");
    let (mut all, mut last) = (HashSet::new(), (0, Vec::new()));
    while let Some(row) = rows.next().expect("a row") {
        let (run, keys): (i64, Vec<u8>) = (row.get(0).expect("a run"), row.get(1).expect("keys"));
        for key in keys.chunks_exact(16) {
            assert!(run != last.0 || key > &last.1[..], "keys of a run ascend");
            assert!(all.insert(key.to_vec()), "a key is in one run");
            last = (run, key.to_vec());
        }
    }
}
