//! One of two servers with the same API: receives events over HTTP, stores them in SQLite, serves them to a local
//! dashboard. The modules are in reading order; ARCHITECTURE.md has the map.

/// The files of `contract/`.
pub mod contract;
/// The statements of the contract.
pub mod queries;
/// Files that are served unchanged.
pub mod served;
/// Flags and environment variables.
pub mod config;
/// Error codes and failures.
pub mod error;
/// Counts values by their upper bounds.
pub mod histogram;
/// Counts what the server does.
pub mod meters;
/// Writes the counts in Prometheus' text format.
pub mod metrics;
/// Well-formed text, trimmed.
pub mod text;
/// Doubles, integers, nano-dollars.
pub mod number;
/// SHA-256 as text.
pub mod digest;
/// RFC 3339 and back.
pub mod timestamp;
/// Hours, days, weeks and months of time zones.
pub mod zones;
/// JSON's grammar over bytes.
pub mod scanner;
/// The fields of an event.
pub mod field;
/// The figures that are summed up.
pub mod figure;
/// Finds the fields of events in a body.
pub mod json;
/// Some members of a JSON object.
mod json_members;
/// Where a text stops being JSON.
pub mod json_fault;
/// An event before it is stored.
pub mod event;
/// When an event happened.
pub mod event_time;
/// Spellings of the names of models.
pub mod price_names;
/// Costs of tokens.
pub mod prices;
/// The formats of bodies and answers.
pub mod formats;
/// The rules of one field.
mod fields;
/// Turns fields into an event or its problems.
pub mod validate;
/// The mappings of agents.
pub mod mapping;
/// Summarises metadata above its limit.
pub mod truncate;
/// Replaces secrets.
pub mod redact;
/// Turns OTLP of agents into events.
pub mod telemetry;
/// Waits that a hook starts or ends.
pub mod waits;
/// Turns an agent's hook into an event.
pub mod hooks;
/// Topics that clients can keep in sync with, by name.
pub mod topics;
/// What Unix and Windows do differently.
pub mod platform;
/// Divides file descriptors between the parts.
pub mod descriptors;
/// The program that started the server.
pub mod lifecycle;
/// Amounts of a budget, and its day.
pub mod budget;
/// Requests to other servers.
pub mod http_client;
/// The receiver of notifications.
pub mod endpoint;
/// Random secrets, and the file of a token.
pub mod secret;
/// The database.
pub mod store;
/// Commands that need no server.
pub mod maintenance;
/// Rows to JSON text.
pub mod render;
/// The newest frames of the stream.
pub mod ring;
/// From committed rows to stream clients.
pub mod hub;
/// Unreported revisions of one client's topics.
pub mod slots;
/// Notifies clients of changed topics.
pub mod invalidations;
/// Signals that are notifications.
pub mod notices;
/// Notifications that wait.
pub mod deliveries;
/// Sends a notification.
pub mod webhook;
/// From committed rows to notifications.
pub mod notifier;
/// Events in a stream that several servers share.
pub mod cluster;
/// Receives files of events.
pub mod attachments;
/// Requests that wait for events.
pub mod waiting_line;
/// Bytes of bodies that have arrived.
pub mod body_room;
/// Admits waiting requests, and limits work on large bodies.
pub mod admission;
/// Scans, validates, truncates, stores and publishes.
pub mod ingest;
/// Sends stored events to another server.
pub mod forward;
/// Typed calls.
pub mod rpc;
/// Requests in progress.
pub mod activity;
/// Routes, checks, answers.
pub mod http;
/// The wall clock.
pub mod clock;
/// JSON lines on stderr.
pub mod log;
/// Builds and connects the parts.
pub mod app;
/// Events from standard input.
pub mod input;
