//! Holds the checked configuration. Names of values contain their units.

use std::net::IpAddr;
use std::sync::Arc;

use crate::config::receiver::Receiver;
use crate::config::stream_source::StreamSource;
use crate::contract::flags::{Command, Durability, LogLevel, Stdin};
use crate::endpoint::Endpoint;
use crate::prices::Prices;
use crate::redact::Redaction;
use crate::zones::Zone;

/// The checked configuration; names contain the units.
#[derive(Clone)]
#[expect(missing_docs, reason = "each is the flag of its name, explained in contract/config.json")]
pub struct Config {
    pub host: IpAddr,
    pub port: u16,
    pub db: String,
    pub durability: Durability,
    pub max_body_bytes: u64,
    pub max_batch_events: usize,
    pub max_metadata_bytes: usize,
    pub queue_events: usize,
    pub queue_bytes: u64,
    pub session_timeout_minutes: i64,
    pub waiting_stale_hours: i64,
    pub max_stream_clients: usize,
    pub heartbeat_ms: u64,
    pub stats_interval_ms: u64,
    /// Text of the file that `--token-file` names.
    pub token: Option<String>,
    /// The file of `--token-file` that must be created first (rule SEC-08).
    pub new_token: Option<String>,
    pub allow_hosts: Vec<String>,
    pub allow_origins: Vec<String>,
    pub socket: Option<String>,
    pub stdin: Option<Stdin>,
    pub max_attachment_bytes: u64,
    pub attachments_bytes: u64,
    pub retain_days: u64,
    pub retain_bytes: u64,
    pub discard_large_metadata: bool,
    /// The built-in prices and those of `--prices`; `None` with `--no-prices`.
    pub prices: Option<Arc<Prices>>,
    /// Content of `--redact`.
    pub redaction: Option<Arc<Redaction>>,
    /// The receiver that `--webhook` and `--webhook-secret-file` name.
    pub webhook: Option<Arc<Endpoint>>,
    pub webhook_finish_minutes: i64,
    /// `--budget-usd-day` in cents.
    pub budget_cents: Option<u64>,
    /// In which days begin at midnight.
    pub time_zone: Zone,
    /// The name of the machine's zone, when no zone has it.
    pub unknown_zone: Option<String>,
    pub forward: Option<Receiver>,
    /// Text of the file that `--forward-token-file` names.
    pub forward_token: Option<String>,
    /// The stream of `--store jetstream`.
    pub cluster: Option<StreamSource>,
    pub bench: bool,
    pub exit_with_stdin: bool,
    pub parent_pid: u32,
    pub idle_exit_s: u64,
    pub ready_file: Option<String>,
    pub command_name: String,
    pub log_level: LogLevel,
}

/// A command of `config.json`, and what it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the flag of its name, explained in contract/config.json")]
pub struct Maintenance {
    pub command: Command,
    /// Its argument; empty for a command without one.
    pub file: String,
    pub db: String,
}

/// The token must not reach logs, so `Debug` prints none of it.
impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}
