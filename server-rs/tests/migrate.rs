//! Tests migrations on an older file that the test creates: one step brings it up to date, completely or not at all
//! (rule STO-10).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ingest_server::config::Durability;
use ingest_server::contract::MIGRATIONS;
use ingest_server::store::connection::{ConnectionOptions, open_connection};
use ingest_server::store::migrate::migrate;
use rusqlite::Connection;

/// A step after the newest schema, as a later release could add it.
const STEP: &str =
    "ALTER TABLE events ADD COLUMN note TEXT; UPDATE meta SET value = 'migrated' WHERE key = 'mark'";
/// A step that writes without end, so that a kill always interrupts it.
const ENDLESS: &str = "CREATE TABLE half (n INTEGER) STRICT;
    INSERT INTO half WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c";
/// Environment variable that passes the path of the database to the child process.
const CHILD_DB: &str = "INGEST_TEST_MIGRATE";
/// More bytes than SQLite's cache holds, so that the log contains pages of the step.
const SPILLED_BYTES: u64 = 8 << 20;

fn open(path: &Path) -> Connection {
    open_connection(&ConnectionOptions { path: path.to_owned(), durability: Durability::Process })
        .expect("opens")
}

/// Creates a file of the newest schema, which is old for a list with one more step.
fn older_file(folder: &Path) -> PathBuf {
    let path = folder.join("events.db");
    std::fs::File::create_new(&path).expect("a new file");
    let connection = open(&path);
    migrate(&connection, &MIGRATIONS).expect("a schema");
    connection.execute("INSERT INTO meta (key, value) VALUES ('mark', 'older')", []).expect("a row");
    path
}

/// Returns the steps of the contract with one more.
fn with(step: &str) -> Vec<&str> {
    MIGRATIONS.into_iter().chain([step]).collect()
}

fn version(connection: &Connection) -> i64 {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

fn text(connection: &Connection, sql: &str) -> String {
    connection.query_row(sql, [], |row| row.get(0)).expect("text")
}

const MARK: &str = "SELECT value FROM meta WHERE key = 'mark'";

fn assert_older(connection: &Connection) {
    assert_eq!(version(connection), MIGRATIONS.len() as i64);
    assert_eq!(text(connection, MARK), "older");
    assert_eq!(text(connection, "SELECT count(*) || '' FROM sqlite_schema WHERE name = 'half'"), "0");
    assert!(connection.prepare("SELECT note FROM events").is_err());
    assert_eq!(text(connection, "PRAGMA integrity_check"), "ok");
}

fn assert_migrated(connection: &Connection) {
    assert_eq!(version(connection), MIGRATIONS.len() as i64 + 1);
    assert_eq!(text(connection, MARK), "migrated");
    assert!(connection.prepare("SELECT note FROM events").is_ok());
    assert_eq!(text(connection, "PRAGMA integrity_check"), "ok");
}

#[test]
fn migrate_runs_the_missing_step_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = open(&older_file(folder.path()));
    let steps = with(STEP);
    migrate(&connection, &steps).expect("migrated");
    assert_migrated(&connection);
    // Running the step twice would fail, since the column exists.
    migrate(&connection, &steps).expect("nothing to do");
    assert_migrated(&connection);
}

#[test]
fn migrate_leaves_the_older_file_when_a_step_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = open(&older_file(folder.path()));
    let failing = format!("{STEP}; INSERT INTO missing VALUES (1)");
    assert!(migrate(&connection, &with(&failing)).is_err());
    assert!(connection.is_autocommit(), "no transaction stays open");
    assert_older(&connection);
    migrate(&connection, &with(STEP)).expect("migrated");
    assert_migrated(&connection);
}

#[test]
fn migrate_leaves_the_older_file_after_a_kill_in_the_middle() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = older_file(folder.path());
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "child_runs_an_endless_step"])
        .env(CHILD_DB, &path)
        .stdout(Stdio::null())
        .spawn()
        .expect("a child");
    let log = path.with_extension("db-wal");
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(&log).map_or(0, |metadata| metadata.len()) < SPILLED_BYTES {
        assert!(Instant::now() < deadline, "the step writes to the log");
        assert!(child.try_wait().expect("a status").is_none(), "the child still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    let connection = open(&path);
    assert_older(&connection);
    migrate(&connection, &with(STEP)).expect("migrated");
    assert_migrated(&connection);
}

/// Runs as the child process of the test above; without its variable it does nothing.
#[test]
fn child_runs_an_endless_step() {
    let Some(path) = std::env::var_os(CHILD_DB) else { return };
    migrate(&open(Path::new(&path)), &with(&format!("{STEP}; {ENDLESS}"))).expect("never ends");
}
