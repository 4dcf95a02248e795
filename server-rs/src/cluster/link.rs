//! Connects to NATS, and finds or creates the stream (rules CLU-01 and CLU-02).

use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event};
use futures_util::future::select_ok;
use tokio::sync::{Notify, Semaphore};

use crate::config::StreamSource;
use crate::contract::{LIMITS, TUNING};
use crate::store::cluster::ClusterStream;

/// The reason of a stream that does not answer.
pub const UNREACHABLE: &str = "unreachable";

/// The connection to NATS. It connects again by itself.
#[derive(Debug, Clone)]
pub struct Link {
    /// The stream.
    pub source: StreamSource,
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) changed: Arc<Notify>,
}

impl Link {
    /// Starts to connect. Returns the connection, and what it finds of the stream in a bounded time.
    pub async fn open(source: StreamSource) -> Result<(Self, ClusterStream), async_nats::ConnectError> {
        let changed = Arc::new(Notify::new());
        let notify = Arc::clone(&changed);
        let options = source.token.clone().map_or_else(ConnectOptions::new, ConnectOptions::with_token);
        let options = options
            .name("twin-ingest")
            .retry_on_initial_connect()
            .max_reconnects(None)
            // The library waits before the first attempt, too.
            .reconnect_delay_callback(|attempt| {
                Duration::from_millis(if attempt <= 1 { 0 } else { TUNING.cluster_retry_ms })
            })
            .connection_timeout(Duration::from_millis(LIMITS.cluster_connect_ms))
            .event_callback(move |event| {
                if matches!(event, Event::Connected | Event::Disconnected) {
                    notify.notify_one();
                }
                std::future::ready(())
            });
        let client = options.connect(&source.url).await?;
        let answer = Duration::from_millis(LIMITS.cluster_answer_ms);
        // A request publishes all its events before it awaits an acknowledgement, so a limit of the library could stop it
        // for ever. Admission bounds the events that wait (rule ING-10).
        let context: Context = ContextBuilder::new()
            .timeout(answer)
            .ack_timeout(answer)
            .max_ack_inflight(Semaphore::MAX_PERMITS)
            .build(client.clone());
        let link = Self { source, client, context, changed };
        let most = Duration::from_millis(LIMITS.cluster_connect_ms);
        let found = match tokio::time::timeout(most, link.find_or_create()).await {
            Ok(found) => found,
            Err(_) => Err(UNREACHABLE.to_owned()),
        };
        let StreamSource { name, host, .. } = link.source.clone();
        let first_sequence = found.as_ref().map_or(0, |found| found.1);
        Ok((link, ClusterStream { name, host, created_ms: found.map(|found| found.0), first_sequence }))
    }

    /// Returns whether NATS is connected.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Returns the subject of the events.
    pub(super) fn subject(&self) -> String {
        format!("{}.events", self.source.name)
    }

    /// Returns the answer to a request that NATS may take twice; `None` when none is in time. While a stream has no leader,
    /// NATS drops its requests, so others follow before the first is overdue.
    pub(super) async fn answer<T, E, F>(&self, request: impl Fn() -> F) -> Option<T>
    where
        F: Future<Output = Result<T, E>>,
    {
        let retry = Duration::from_millis(TUNING.cluster_retry_ms);
        let most = Duration::from_millis(LIMITS.cluster_answer_ms);
        let delays = (0..).map(|index| retry * index).take_while(|delay| *delay < most);
        let answers = delays.map(|delay| {
            let request = &request;
            Box::pin(async move {
                tokio::time::sleep(delay).await;
                request().await
            })
        });
        let (answer, _others) = tokio::time::timeout(most, select_ok(answers)).await.ok()?.ok()?;
        Some(answer)
    }

    /// Asks the leader of the stream for the sequence of its last message. `None` when none answers in time, or when no
    /// majority of the replicas answered the leader within `silent`. Others may have another leader then.
    pub(super) async fn last_sequence(&self, silent: Duration) -> Option<u64> {
        if !self.is_connected() {
            return None;
        }
        let stream = self.context.get_stream(&self.source.name).await.ok()?;
        let info = stream.cached_info();
        let others = info.cluster.as_ref().map_or(&[][..], |cluster| &cluster.replicas);
        let heard = others.iter().filter(|peer| peer.active < silent).count();
        (1 + heard > others.len() - heard).then_some(info.state.last_sequence)
    }

    /// Returns when the stream was created, in Unix milliseconds, and the sequence of its first message; creates it if
    /// there is none.
    async fn find_or_create(&self) -> Result<(i64, u64), String> {
        while !self.is_connected() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let config = Config {
            name: self.source.name.clone(),
            subjects: vec![self.subject()],
            storage: StorageType::File,
            num_replicas: self.source.replicas,
            duplicate_window: Duration::from_secs(LIMITS.cluster_window_s),
            // A full stream must refuse an event, and never drop an acknowledged one.
            discard: DiscardPolicy::New,
            max_bytes: -1,
            max_messages: -1,
            max_messages_per_subject: -1,
            ..Config::default()
        };
        let stream = self.context.get_or_create_stream(config).await.map_err(|error| reason_of(&error))?;
        let info = stream.cached_info();
        Ok((created_ms(info), info.state.first_sequence))
    }
}

/// Returns when a stream was created, in Unix milliseconds.
pub(super) fn created_ms(info: &jetstream::stream::Info) -> i64 {
    milliseconds(info.created.unix_timestamp_nanos())
}

/// Returns the whole milliseconds of nanoseconds.
pub(super) fn milliseconds(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX)
}

/// Returns the text of an error, with the error that caused it.
fn reason_of(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
