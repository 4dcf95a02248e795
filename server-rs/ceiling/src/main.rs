//! Measures the storage ceiling: this server's own store writes events in bulk, and the timed part has no HTTP and no
//! parsing.
//!
//! A tool of the comparison, not part of the deployed server.
//!
//! Invariant: the timed part is exactly the writer's work for a group, including its rule for checkpoints. At most
//! one chunk of groups is in memory. stdout holds one line of JSON. Exits with 2 for a wrong flag, with 1 for any
//! other failure.

mod flags;

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest_server::clock::Clock;
use ingest_server::config::Config;
use ingest_server::event::Outcome;
use ingest_server::json::scan_batch;
use ingest_server::meters::{EventSource, Meters};
use ingest_server::store::checkpoint::Checkpointer;
use ingest_server::store::connection::{ConnectionOptions, open_connection};
use ingest_server::store::events::{EventWriter, Submission};
use ingest_server::store::schema::create_schema;
use ingest_server::validate::validate_event;
use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};

use flags::{Flags, parse_flags};

/// Size of one chunk in bytes: the program reads groups until their bodies have this size, then stores them.
const CHUNK_BYTES: usize = 16 << 20;
const WRONG_FLAG: u8 = 2;

/// Counts of stored events, and the time that storing took.
#[derive(Default)]
struct Totals {
    events: usize,
    stored: usize,
    duplicates: usize,
    wall: Duration,
    cpu: Duration,
}

/// Creates a database with the schema and the pragmas of the server. Fails when the file exists.
fn make_database(config: &Config) -> Result<(Connection, ConnectionOptions), String> {
    let path = Path::new(&config.db);
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path).map_err(|error| failed(&error))?;
    let options = ConnectionOptions { path: path.to_owned(), durability: config.durability };
    let connection = open_connection(&options).map_err(|error| failed(&error))?;
    create_schema(&connection).map_err(|error| error.to_string())?;
    Ok((connection, options))
}

/// Scans, validates and truncates a body, as the pipeline does for the writer.
fn prepare(body: String, max_metadata_bytes: usize) -> Result<Submission, &'static str> {
    let raws = scan_batch(&body, usize::MAX).ok().flatten().ok_or("is no batch")?.events;
    let events = raws.iter().map(|raw| validate_event(&body, raw, max_metadata_bytes));
    let events = events.collect::<Result<_, _>>().map_err(|_| "holds an invalid event")?;
    Ok(Submission { body, events, source: EventSource::Events })
}

/// Stores a chunk group by group. Exactly this function is timed.
fn store_chunk(
    connection: &Connection,
    writer: &mut EventWriter,
    checkpointer: &mut Checkpointer,
    chunk: &[Submission],
    totals: &mut Totals,
) -> rusqlite::Result<()> {
    let (started, cpu) = (Instant::now(), cpu_time());
    for group in chunk {
        let (outcomes, _) = writer.insert_group(connection, std::iter::once(group), Clock.now_ms())?;
        checkpointer.after_group(connection)?;
        for outcome in outcomes.iter().flatten() {
            match outcome {
                Outcome::Stored(_) => totals.stored += 1,
                Outcome::Duplicate => totals.duplicates += 1,
                Outcome::Rejected(_) => {}
            }
        }
    }
    totals.wall += started.elapsed();
    totals.cpu += cpu_time().saturating_sub(cpu);
    totals.events += chunk.iter().map(|group| group.events.len()).sum::<usize>();
    Ok(())
}

/// Returns the user and system time of all threads of this process.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

fn run(flags: &Flags) -> Result<Totals, String> {
    let path = &flags.groups;
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (connection, options) = make_database(&flags.config)?;
    let mut checkpointer =
        Checkpointer::start(&options, Arc::new(Meters::new()), |error| eprintln!("{error}"))
            .map_err(|e| e.to_string())?;
    let totals = store_groups(&connection, &mut checkpointer, file, flags.config.max_metadata_bytes)?;
    checkpointer.close(&connection).map_err(|error| error.to_string())?;
    Ok(totals)
}

fn store_groups(
    connection: &Connection,
    checkpointer: &mut Checkpointer,
    file: File,
    max_metadata_bytes: usize,
) -> Result<Totals, String> {
    let mut writer = EventWriter::default();
    let mut totals = Totals::default();
    let mut store = |chunk: &mut Vec<Submission>| {
        let stored = store_chunk(connection, &mut writer, checkpointer, chunk, &mut totals);
        chunk.clear();
        stored.map_err(|error| error.to_string())
    };
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let body = line.map_err(|error| format!("line {number}: {error}"))?;
        bytes += body.len();
        let group = prepare(body, max_metadata_bytes);
        chunk.push(group.map_err(|problem| format!("line {number} {problem}"))?);
        if bytes >= CHUNK_BYTES {
            store(&mut chunk)?;
            bytes = 0;
        }
    }
    store(&mut chunk)?;
    Ok(totals)
}

fn main() -> ExitCode {
    let flags = match parse_flags(std::env::args_os().skip(1)) {
        Ok(flags) => flags,
        Err(problems) => {
            eprintln!("{problems}");
            return ExitCode::from(WRONG_FLAG);
        }
    };
    match run(&flags) {
        Ok(totals) => {
            let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
            let line = serde_json::json!({
                "events": totals.events,
                "stored": totals.stored,
                "duplicates": totals.duplicates,
                "duration_ms": ms(totals.wall),
                "cpu_us": totals.cpu.as_micros() as u64,
            });
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
