//! Bounds the cost of a fixed bulk of events, in counts that do not depend on the machine. They are transactions,
//! pages written to the log, prepared statements, and bytes in the file. A change that raises one of them must raise
//! its bound here.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ingest_server::config::Durability;
use ingest_server::json::scan_batch;
use ingest_server::meters::EventSource;
use ingest_server::store::connection::{ConnectionOptions, open_connection};
use ingest_server::store::events::{EventWriter, Submission};
use ingest_server::store::schema::create_schema;
use ingest_server::validate::validate_event;
use rusqlite::hooks::{AuthContext, Authorization};

const GROUPS: u64 = 60;
/// Number of groups until every statement has been prepared once, including those for a run of keys.
const FIRST_GROUPS: u64 = 45;
const GROUP_EVENTS: u64 = 500;
const SESSIONS: u64 = 500;
const METADATA: &str = r#"{"path":"src/store/events.rs","lines":120}"#;

/// Pages in the log; each is also written to the database once.
const MOST_PAGES_PER_EVENT: f64 = 0.09;
/// Bytes of the file, without the text of the metadata. About 9 of these bytes are keys in `event_key_tail`,
/// whose size does not grow with the file. An absent field costs one byte.
/// The row of the metadata costs 8 bytes until it is sealed.
const MOST_BYTES_PER_EVENT: f64 = 113.0;

fn uuid(n: u64) -> String {
    let hex = format!("{:032x}", u128::from(n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn group(number: u64) -> Submission {
    let events: Vec<String> = (number * GROUP_EVENTS..(number + 1) * GROUP_EVENTS)
        .map(|n| {
            let (session, tool, tokens) = (uuid(n * 7919 % SESSIONS), n % 12, n % 1000);
            format!(
                r#"{{"session_id":"{session}","agent_type":"claude_code","event_type":"tool_use","event_id":"{id}","tool_name":"tool{tool}","tokens_in":{tokens},"duration_ms":{tokens},"branch":"main","project":"p","model":"m{model}","metadata":{METADATA}}}"#,
                id = uuid(n),
                model = n % 3,
            )
        })
        .collect();
    let body = format!(r#"{{"events":[{}]}}"#, events.join(","));
    let raws = scan_batch(&body, usize::MAX).expect("valid JSON").expect("an array").events;
    let events = raws.iter().map(|raw| validate_event(&body, raw, 1024).expect("valid")).collect();
    Submission { body, events, source: EventSource::Events }
}

/// Returns the transactions and pages in a write-ahead log (<https://sqlite.org/fileformat2.html#walformat>).
fn read_log(path: &Path) -> (u64, u64) {
    let log = std::fs::read(path).expect("a log");
    let word = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().expect("four bytes"));
    let frame_bytes = 24 + word(8) as usize;
    let frames = (log.len() - 32) / frame_bytes;
    let commits = (0..frames).filter(|frame| word(32 + frame * frame_bytes + 4) != 0).count();
    (commits as u64, frames as u64)
}

#[test]
fn a_bulk_of_events_costs_no_more_than_its_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("events.db");
    std::fs::File::create_new(&path).expect("a new file");
    let options = ConnectionOptions { path: path.clone(), durability: Durability::Process };
    let mut connection = open_connection(&options).expect("opens");
    create_schema(&connection).expect("a schema");
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("an empty log");
    let mut writer = EventWriter::default();
    // SQLite calls this authorizer whenever it prepares a statement, and never when one runs.
    let prepared = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&prepared);
    let ask = move |_: AuthContext<'_>| {
        counted.fetch_add(1, Ordering::Relaxed);
        Authorization::Allow
    };
    connection.authorizer(Some(ask)).expect("an authorizer");
    let mut at_first = 0;
    for number in 0..GROUPS {
        if number == FIRST_GROUPS {
            at_first = prepared.load(Ordering::Relaxed);
        }
        let submission = group(number);
        let (outcomes, _) =
            writer.insert_group(&connection, [&submission].into_iter(), 1_000).expect("stored");
        assert_eq!(outcomes.len(), 1);
    }
    assert!(at_first > 0, "statements are counted");
    assert_eq!(prepared.load(Ordering::Relaxed), at_first, "every statement is prepared once");
    let events = (GROUPS * GROUP_EVENTS) as f64;
    let (commits, pages) = read_log(&folder.path().join("events.db-wal"));
    assert_eq!(commits, GROUPS, "one transaction a group");
    let pages_per_event = pages as f64 / events;
    assert!(pages_per_event <= MOST_PAGES_PER_EVENT, "{pages_per_event} pages an event");
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("an empty log");
    let bytes = std::fs::metadata(&path).expect("a file").len() as f64 / events - METADATA.len() as f64;
    assert!(bytes <= MOST_BYTES_PER_EVENT, "{bytes} bytes an event without its metadata");
}
