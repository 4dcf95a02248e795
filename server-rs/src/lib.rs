//! One of two servers that nobody can tell apart from outside: takes events over HTTP, keeps them in SQLite,
//! serves them to a local dashboard. The modules stand in reading order; ARCHITECTURE.md draws the map.

/// The files of `contract/`.
pub mod contract;
/// The statements of the contract.
pub mod queries;
/// Files that are served as they are.
pub mod served;
/// Flags and environment variables.
pub mod config;
/// Codes, and what is answered instead of success.
pub mod error;
/// Well-formed text, trimmed.
pub mod text;
/// Doubles, integers, nano-dollars.
pub mod number;
/// SHA-256 as text.
pub mod digest;
/// RFC 3339 and back.
pub mod timestamp;
/// JSON's grammar over bytes.
pub mod scanner;
/// The fields of an event.
pub mod field;
/// Where the fields of events lie in a body.
pub mod json;
/// An event on its way in.
pub mod event;
/// What tokens cost.
pub mod prices;
/// The formats of bodies and answers.
pub mod formats;
/// The rules of one field.
mod fields;
/// From fields to an event, or to its problems.
pub mod validate;
/// Metadata above its limit.
pub mod truncate;
/// What agents send as OTLP becomes events.
pub mod telemetry;
/// Which waits a hook begins or ends.
pub mod waits;
/// An agent's hook becomes an event.
pub mod hooks;
/// What can be kept in step, by name.
pub mod topics;
/// File descriptors, shared out.
pub mod descriptors;
/// The database.
pub mod store;
/// Rows to JSON text.
pub mod render;
/// The newest frames of the stream.
pub mod ring;
/// From committed rows to stream clients.
pub mod hub;
/// What one client is yet to be told, the newest of each topic.
pub mod slots;
/// From commits to clients that ask what changed.
pub mod invalidations;
/// Files of events, on their way in.
pub mod attachments;
/// What may wait for the writer, and turns of large bodies.
pub mod admission;
/// Scan, validate, truncate, store, publish.
pub mod ingest;
/// Typed calls.
pub mod rpc;
/// Routes, checks, answers.
pub mod http;
/// The wall clock.
pub mod clock;
/// JSON lines on stderr.
pub mod log;
/// The parts, wired.
pub mod app;
/// Events from standard input.
pub mod input;
