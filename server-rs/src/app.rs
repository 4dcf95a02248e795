//! Builds the server's parts and connects them. The app holds all state, so two apps can run in one process.
//!
//! Over 250 lines because every part is connected here.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use axum::Router;
use bytes::Bytes;
use tokio::sync::{Semaphore, watch};

use crate::activity::Activity;
use crate::admission::Admission;
use crate::attachments::Attachments;
use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::cluster::link::Link;
use crate::config::Config;
use crate::contract::{self, LIMITS};
use crate::descriptors::{PLAN, readers_for};
use crate::error::{ErrorCode, Failure};
use crate::forward::Forwarder;
use crate::http;
use crate::http::answer_room::AnswerRoom;
use crate::http::guard::Guard;
use crate::http::invalidations::SharedFrames;
use crate::http::refusals::Refusals;
use crate::hub::Hub;
use crate::ingest::Ingest;
use crate::invalidations::Invalidations;
use crate::notices::NoticeRules;
use crate::notifier::Notifier;
use crate::redact::step::RedactionStep;
use crate::store::Store;
use crate::store::cluster::ClusterStream;
use crate::store::connection::OpenError;
use crate::store::deletions::Scope;
use crate::store::forwarding::ForwardCursor;
use crate::store::retention::{Bounds, Deleted};
use crate::store::session_query::Cutoffs;
use crate::telemetry::counters::Counters;

/// State that handlers share.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is the part of its name")]
pub struct App {
    pub config: Config,
    pub clock: Clock,
    pub started: Instant,
    pub started_ms: i64,
    pub store: Arc<Store>,
    pub hub: Arc<Hub>,
    pub invalidations: Arc<Invalidations>,
    pub ingest: Ingest,
    pub attachments: Attachments,
    pub admission: Arc<Admission>,
    /// `None` without `--store jetstream`.
    pub cluster: Option<Arc<Cluster>>,
    /// `None` without `--forward`.
    pub forwarder: Option<Forwarder>,
    pub activity: Arc<Activity>,
    pub answers: Arc<AnswerRoom>,
    pub guard: Guard,
    pub refusals: Refusals,
    pub telemetry: Arc<Counters>,
    /// The newest `stats` frame of the stream.
    pub stats_frames: watch::Sender<Bytes>,
    /// The newest frames of topics that all clients receive.
    pub shared_frames: SharedFrames,
    /// The bytes of rule RET-02, as the last scrape read them.
    pub retained_bytes: AtomicU64,
    /// Free places of the stream, in both modes (rule STR-09).
    places: Arc<Semaphore>,
    draining: watch::Sender<bool>,
}

impl App {
    /// Opens the database and connects the parts. Needs no runtime; [`Self::run`] does. `link` is the connection to the
    /// stream of `config`.
    pub fn build(
        mut config: Config,
        clock: Clock,
        link: Option<(Link, ClusterStream)>,
    ) -> Result<Arc<Self>, OpenError> {
        contract::read_files();
        let bounds = Bounds {
            days: config.retain_days.into(),
            bytes: config.retain_bytes.into(),
            ..Bounds::default()
        };
        let cursor = config.forward.as_ref().map(|receiver| Arc::new(ForwardCursor::new(&receiver.url)));
        let prices = config.prices.clone();
        let (link, stream) = link.unzip();
        let store = Store::open(
            &config.db,
            config.durability,
            prices,
            bounds,
            clock,
            cursor.clone(),
            stream.as_ref(),
            readers_for(&PLAN, config.max_metadata_bytes),
        )?;
        let store = Arc::new(store);
        let flags = (config.retain_days, config.retain_bytes);
        let cluster = link.map(|link| Arc::new(Cluster::new(link, &store, flags, clock)));
        let token = config.forward_token.take();
        let forwarder = config
            .forward
            .clone()
            .zip(cursor)
            .map(|(receiver, cursor)| Forwarder::new(receiver, token, Arc::clone(&store), cursor, clock));
        let places = Arc::new(Semaphore::new(config.max_stream_clients));
        let step = RedactionStep::new(
            config.max_metadata_bytes,
            !config.discard_large_metadata,
            config.redaction.clone(),
        );
        let guard = Guard::new(&config);
        // The guard keeps a digest of the token; its text is dropped.
        config.token = None;
        Ok(Arc::new(Self {
            started: Instant::now(),
            started_ms: clock.now_ms(),
            retained_bytes: AtomicU64::new(0),
            hub: Arc::new(Hub::new(Arc::clone(&store), Arc::clone(&places))),
            invalidations: Arc::new(Invalidations::new(Arc::clone(&store), Arc::clone(&places))),
            ingest: Ingest::new(Arc::clone(&store), cluster.clone(), config.max_batch_events, step),
            attachments: Attachments::new(Arc::clone(&store), cluster.clone(), &config),
            admission: Admission::new(config.queue_events, config.queue_bytes, config.max_body_bytes),
            cluster,
            forwarder,
            activity: Activity::new(config.idle_exit_s),
            answers: AnswerRoom::new(LIMITS.answer_room_bytes),
            guard,
            refusals: Refusals::default(),
            telemetry: Arc::new(Counters::new()),
            stats_frames: watch::Sender::new(Bytes::new()),
            shared_frames: SharedFrames::default(),
            places,
            draining: watch::Sender::new(false),
            store,
            clock,
            config,
        }))
    }

    /// Returns every route, ready to serve.
    pub fn router(self: &Arc<Self>) -> Router {
        http::build_routes(self)
    }

    /// Runs the background tasks: stream tail, statistics frames, session revisions, file watch, forwarding, the
    /// stream of a cluster. Never returns.
    pub async fn run(self: Arc<Self>) {
        let (tail, watch, check) = (self.hub.tail(), self.store.watch(), self.store.check());
        let stats = http::stream::publish_stats(Arc::clone(&self));
        tokio::join!(tail, watch, check, stats, self.invalidations.run(), self.forward(), self.follow());
    }

    /// Publishes to the stream and follows it; returns at once without `--store jetstream`.
    async fn follow(&self) {
        if let Some(cluster) = &self.cluster {
            cluster.run().await;
        }
    }

    /// Waits until this server has a sequence, if one is given (rule CLU-09).
    pub async fn await_sequence(&self, sequence: Option<i64>) -> Result<(), Failure> {
        let Some(sequence) = sequence else { return Ok(()) };
        let is_reached = match &self.cluster {
            Some(cluster) => cluster.reaches(sequence).await,
            None => sequence <= self.store.newest_id(),
        };
        if is_reached { Ok(()) } else { Err(ErrorCode::ClusterBehind.into()) }
    }

    /// Returns whether a cursor of the stream is above every event that this server knows of (rules STR-04, CLU-09).
    pub async fn is_beyond(&self, cursor: i64) -> bool {
        let Some(cluster) = &self.cluster else { return cursor > self.store.newest_id() };
        if cluster.reaches(cursor).await {
            return false;
        }
        cluster.failure().is_none() && cluster.ends_before(cursor).await
    }

    /// Returns why newer events may exist elsewhere; `None` when this server shows all it can know (rule CLU-10).
    pub fn staleness(&self) -> Option<String> {
        self.cluster.as_ref().and_then(|cluster| cluster.failure())
    }

    /// Deletes events, or a session with its events, on all copies of a stream; `None` when no session has this id (rules
    /// RET-04 and CLU-11).
    pub async fn delete(&self, scope: Scope) -> Result<Option<Deleted>, ErrorCode> {
        match &self.cluster {
            Some(cluster) => cluster.delete(scope).await,
            None => self.store.delete(scope).await,
        }
    }

    /// Sets the bounds of retention, in days and bytes, of all servers of a stream (rules RET-03 and CLU-12).
    pub async fn set_bounds(&self, days: u64, bytes: u64) -> Result<(), ErrorCode> {
        if let Some(cluster) = &self.cluster {
            return cluster.retain(days, bytes).await;
        }
        self.store.set_bounds(days, bytes);
        self.store.check_bounds();
        Ok(())
    }

    /// Waits until the copy of this server can know an event, or no server does (rule CLU-15).
    pub async fn await_event(&self, event: i64) -> Result<(), Failure> {
        let Some(cluster) = &self.cluster else { return Ok(()) };
        let is_known = cluster.reaches(event).await || cluster.ends_before(event).await;
        if is_known { Ok(()) } else { Err(ErrorCode::ClusterBehind.into()) }
    }

    /// Forwards events until draining starts; returns at once without `--forward`.
    async fn forward(&self) {
        let Some(forwarder) = &self.forwarder else { return };
        let mut draining = self.draining();
        tokio::select! {
            () = forwarder.run() => {}
            _ = draining.wait_for(|draining| *draining) => {}
        }
    }

    /// Starts the notifications to `--webhook`, if it is given (rule NOT-01). `url` is the server's.
    pub async fn notify(&self, url: &str) {
        let Some(endpoint) = &self.config.webhook else { return };
        let rules = NoticeRules {
            origin: url.to_owned(),
            epoch: self.store.epoch().to_owned(),
            finish_minutes: self.config.webhook_finish_minutes,
            budget_cents: self.config.budget_cents,
            zone: self.config.time_zone.clone(),
        };
        let notifier =
            Notifier::start(Arc::clone(&self.store), Arc::clone(endpoint), rules, self.clock).await;
        tokio::spawn(async move { notifier.run().await });
    }

    /// Returns the times before which sessions are idle or ended, and waits are stale.
    pub fn cutoffs(&self) -> Cutoffs {
        let Config { session_timeout_minutes, waiting_stale_hours, .. } = self.config;
        Cutoffs::new(self.clock.now_ms(), session_timeout_minutes, waiting_stale_hours)
    }

    /// Returns why `/readyz` is not 200; `None` when it is.
    pub fn fault(&self) -> Option<ErrorCode> {
        if self.is_draining() { Some(ErrorCode::Draining) } else { self.store.state().fault() }
    }

    /// Returns the number of stream clients, in both modes.
    pub fn stream_clients(&self) -> usize {
        self.config.max_stream_clients - self.places.available_permits()
    }

    /// Starts draining: the server accepts no more requests and ends its streams (rule PRO-07).
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Returns a receiver that reports the start of draining.
    pub fn draining(&self) -> watch::Receiver<bool> {
        self.draining.subscribe()
    }

    /// Returns whether draining has started.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }
}
