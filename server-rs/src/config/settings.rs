//! Holds the checked configuration, with units in the names of its values.

use std::net::IpAddr;
use std::sync::Arc;

use crate::prices::Prices;

/// When an answer to an ingest request is durable (`--durability`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process.
    Process,
    /// It survives the loss of power.
    Power,
}

impl Durability {
    /// The flag's value.
    pub fn as_str(self) -> &'static str {
        match self {
            Durability::Process => "process",
            Durability::Power => "power",
        }
    }
}

/// The checked configuration; units stand in the names.
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
    /// The text of `--token-file`.
    pub token: Option<String>,
    pub allow_hosts: Vec<String>,
    pub allow_origins: Vec<String>,
    pub socket: Option<String>,
    pub stdin: Option<String>,
    pub max_attachment_bytes: u64,
    pub attachments_bytes: u64,
    pub keep_hook_payloads: bool,
    /// The file of `--prices`.
    pub prices: Option<Arc<Prices>>,
    pub bench: bool,
    pub exit_with_stdin: bool,
    pub log_level: String,
}

/// The token is not for logs, so none of it is printed.
impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}
