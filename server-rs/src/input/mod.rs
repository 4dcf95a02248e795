//! Reads events from standard input, in addition to HTTP (rules PRO-12 to PRO-14).
//!
//! One thread reads, one task finds and checks batches, and one thread writes the result lines; all run concurrently.
//! Invariant: batches enter the writer's queue in input order, and their result lines leave in that order.

/// A batch and its place in the input.
pub mod batch;
/// Splits NDJSON lines into batches.
pub mod lines;
/// Splits frames into batches.
pub mod frames;
/// Lines or frames, depending on the format.
mod framing;
/// Reads standard input.
pub mod reader;
/// Writes result lines to stdout.
pub mod results;

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::app::App;
use crate::contract::{VOCABULARY, fill};
use crate::error::{ErrorCode, Failure};
use crate::event::{FieldError, Outcome, Outcomes};
use crate::formats::Format;
use crate::meters::EventSource;
use batch::{BATCH_BYTES, Batch, Broken};
use framing::{Framing, framing_of};
use reader::read_input;
use results::Results;

/// Largest number of pieces that wait for the search for batches.
const READ_AHEAD: usize = 8;

/// Largest size of checked batches that are not stored yet: four long batches, or more short ones.
const IN_FLIGHT_BYTES: usize = 4 * BATCH_BYTES;

/// The least share of `IN_FLIGHT_BYTES` that a batch takes.
const LEAST_BYTES: usize = 8 * 1024;

/// The end of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// At its end, or after a stop.
    Clean,
    /// After a frame that is cut off or too long.
    Broken,
}

/// Standard input as a source of events.
#[derive(Debug)]
pub struct Input {
    stop: watch::Sender<bool>,
    ended: watch::Receiver<Option<Ended>>,
}

impl Input {
    /// Starts to read.
    pub fn start(app: &Arc<App>, format: Format) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = watch::channel(None);
        let (results, written) = Results::start();
        let feed = Feed {
            framing: framing_of(format, &app.config),
            app: Arc::clone(app),
            format,
            results,
            in_flight: Arc::new(Semaphore::new(IN_FLIGHT_BYTES)),
            stopped,
        };
        let (pieces, read) = mpsc::channel(READ_AHEAD);
        read_input(move |piece| pieces.blocking_send(piece.to_vec()).is_ok());
        tokio::spawn(async move {
            let how = feed.run(read).await;
            drop(written.await);
            end.send_replace(Some(how));
        });
        Self { stop, ended }
    }

    /// Resolves when the input has ended, its events are stored and all result lines are written.
    pub async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let ended = ended.wait_for(Option::is_some).await;
        ended.ok().and_then(|ended| *ended).unwrap_or(Ended::Clean)
    }

    /// Stops reading. Resolves as `ended` does, after all complete batches.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        self.ended().await;
    }
}

/// Passes batches to the writer.
struct Feed {
    framing: Framing,
    app: Arc<App>,
    format: Format,
    results: Results,
    in_flight: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
}

impl Feed {
    async fn run(mut self, mut read: mpsc::Receiver<Vec<u8>>) -> Ended {
        let ended = match self.take_all(&mut read).await {
            Ok(()) => Ended::Clean,
            Err(Broken { place, failure }) => {
                self.results.add(place, Box::pin(async { Err(failure) })).await;
                Ended::Broken
            }
        };
        // All permits are free once every batch is stored.
        drop(self.in_flight.acquire_many(permits(IN_FLIGHT_BYTES)).await);
        ended
    }

    /// Reads until the input ends or stops.
    async fn take_all(&mut self, read: &mut mpsc::Receiver<Vec<u8>>) -> Result<(), Broken> {
        loop {
            self.take_whole(read).await?;
            let piece = tokio::select! {
                biased;
                _ = self.stopped.wait_for(|stopped| *stopped) => break,
                piece = read.recv() => piece,
            };
            let Some(piece) = piece else {
                self.framing.end()?;
                return self.take_whole(read).await;
            };
            self.framing.push(&piece);
        }
        while let Ok(piece) = read.try_recv() {
            self.framing.push(&piece);
        }
        self.take_whole(read).await
    }

    /// Queues the complete batches.
    async fn take_whole(&mut self, read: &mut mpsc::Receiver<Vec<u8>>) -> Result<(), Broken> {
        while let Some(length) = self.framing.ready() {
            let part = permits(length.clamp(LEAST_BYTES, BATCH_BYTES));
            let Ok(part) = Arc::clone(&self.in_flight).acquire_many_owned(part).await else { return Ok(()) };
            // Lines that arrive in the meantime join the batch while it is short.
            while self.framing.ready().is_some_and(|length| length < BATCH_BYTES)
                && let Ok(piece) = read.try_recv()
            {
                self.framing.push(&piece);
            }
            if let Some(batch) = self.framing.take()? {
                self.queue(batch, part).await;
            }
        }
        Ok(())
    }

    /// Checks a batch and puts it into the writer's queue, once there is room.
    async fn queue(&mut self, Batch { body, place, too_long }: Batch, part: OwnedSemaphorePermit) {
        let app = &self.app;
        let mut ticket = app.admission.unbounded_ticket();
        let length = body.len() as u64;
        let queued = async {
            ticket.hold_bytes(length).await?;
            ticket.end_body(length, app.config.max_batch_events).await?;
            let checked = if body.len() < LEAST_BYTES {
                app.ingest.check(body, self.format, EventSource::Stdin)?
            } else {
                tokio::task::block_in_place(|| app.ingest.check(body, self.format, EventSource::Stdin))?
            };
            app.ingest.queue(checked, ticket).await
        };
        let queued = queued.await;
        let limit = app.config.max_body_bytes;
        let stored = tokio::spawn(async move {
            let _part = part;
            let mut outcomes = queued?.await?;
            refuse_lines(&mut outcomes, &too_long, limit);
            Ok(outcomes)
        });
        let store = Arc::clone(&app.store);
        let result = async move {
            let outcomes = stored.await.unwrap_or(Err(Failure::new(ErrorCode::Internal)))?;
            Ok((outcomes, store.newest_id()))
        };
        self.results.add(place, Box::pin(result)).await;
    }
}

/// Marks lines that are too long with the problem of rule PRO-14.
fn refuse_lines(outcomes: &mut Outcomes, too_long: &[usize], limit: u64) {
    if too_long.is_empty() {
        return;
    }
    let message = fill(VOCABULARY.field_messages.max_bytes, &[("limit", &limit.to_string())]);
    for (outcome, line) in outcomes.events.iter_mut().zip(&outcomes.lines) {
        if too_long.contains(line) {
            *outcome = Outcome::Rejected(vec![FieldError { field: "body", message: message.clone() }]);
        }
    }
}

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
