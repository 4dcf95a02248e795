//! The pipeline: scan, validate, truncate, store, publish. A single event is a batch of one.
//!
//! What waits for the writer is bounded here, by events and by bytes (rule ING-10). Publishing is the store's
//! newest id, which the writer raises after its commit; nothing else needs to be told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::error::{ErrorCode, Failure};
use crate::event::{Outcome, RawEvent};
use crate::hooks::read_hook;
use crate::json::{scan_batch, scan_event};
use crate::store::Store;
use crate::store::events::Submission;
use crate::validate::validate_event;

/// What may wait, and what does.
#[derive(Debug)]
pub struct Admission {
    max_events: usize,
    max_bytes: u64,
    events: AtomicUsize,
    bytes: AtomicU64,
}

impl Admission {
    /// Nothing waits yet.
    pub fn new(max_events: usize, max_bytes: u64) -> Arc<Self> {
        Arc::new(Self { max_events, max_bytes, events: AtomicUsize::new(0), bytes: AtomicU64::new(0) })
    }

    /// How many events wait.
    pub fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }

    /// A ticket for nothing yet; dropping it gives back what it holds.
    pub fn ticket(self: &Arc<Self>) -> Ticket {
        Ticket { admission: Arc::clone(self), events: 0, bytes: 0 }
    }
}

/// A request's part of what waits.
#[derive(Debug)]
pub struct Ticket {
    admission: Arc<Admission>,
    events: usize,
    bytes: u64,
}

impl Ticket {
    /// Admits more bytes of a body.
    pub fn add_bytes(&mut self, bytes: u64) -> Result<(), Failure> {
        let admission = &self.admission;
        let admit = |waiting: u64| waiting.checked_add(bytes).filter(|sum| *sum <= admission.max_bytes);
        let admitted = admission.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admit);
        admitted.map_err(|_| Failure::new(ErrorCode::Overloaded))?;
        self.bytes += bytes;
        Ok(())
    }

    fn add_events(&mut self, events: usize) -> Result<(), Failure> {
        let admission = &self.admission;
        let admit = |waiting: usize| waiting.checked_add(events).filter(|sum| *sum <= admission.max_events);
        let admitted = admission.events.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admit);
        admitted.map_err(|_| Failure::new(ErrorCode::Overloaded))?;
        self.events += events;
        Ok(())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.admission.events.fetch_sub(self.events, Ordering::Relaxed);
        self.admission.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The pipeline and its limits.
#[derive(Debug)]
pub struct Ingest {
    store: Arc<Store>,
    max_batch_events: usize,
    max_metadata_bytes: usize,
}

impl Ingest {
    /// A pipeline into a store.
    pub fn new(store: Arc<Store>, max_batch_events: usize, max_metadata_bytes: usize) -> Self {
        Self { store, max_batch_events, max_metadata_bytes }
    }

    /// The outcome of a body that holds one event.
    pub async fn single(&self, body: Vec<u8>, ticket: Ticket) -> Result<Outcome, Failure> {
        let body = text(body)?;
        let raw = scan_event(&body).map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
        let mut outcomes = self.outcomes(body, vec![raw], ticket).await?;
        outcomes.pop().ok_or(Failure::new(ErrorCode::Internal))
    }

    /// The outcome of what an agent's hook sent, as one event (rule HOK-01).
    pub async fn hook(&self, body: Vec<u8>, mut ticket: Ticket) -> Result<Outcome, Failure> {
        let body = text(body)?;
        let read =
            read_hook(&body, self.max_metadata_bytes).map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
        ticket.add_events(1)?;
        match read {
            Err(problems) => Ok(Outcome::Rejected(problems)),
            Ok(event) => {
                let submission = Submission { body, events: vec![event] };
                let mut stored = self.store.submit(submission).await.map_err(Failure::new)?;
                stored.pop().ok_or(Failure::new(ErrorCode::Internal))
            }
        }
    }

    /// The outcomes of a batch body, one per item, in order.
    pub async fn batch(&self, body: Vec<u8>, ticket: Ticket) -> Result<Vec<Outcome>, Failure> {
        let body = text(body)?;
        let scanned = scan_batch(&body).map_err(|_| Failure::new(ErrorCode::InvalidJson))?;
        let raws = scanned.ok_or(Failure::new(ErrorCode::InvalidBatch))?;
        if raws.len() > self.max_batch_events {
            let failure = Failure::new(ErrorCode::BatchTooLarge);
            return Err(failure.with("limit", self.max_batch_events).with("actual", raws.len()));
        }
        self.outcomes(body, raws, ticket).await
    }

    async fn outcomes(
        &self,
        body: String,
        raws: Vec<RawEvent>,
        mut ticket: Ticket,
    ) -> Result<Vec<Outcome>, Failure> {
        ticket.add_events(raws.len())?;
        let mut events = Vec::with_capacity(raws.len());
        let mut outcomes = Vec::with_capacity(raws.len());
        for raw in &raws {
            match validate_event(&body, raw, self.max_metadata_bytes) {
                Ok(event) => {
                    events.push(event);
                    outcomes.push(None);
                }
                Err(problems) => outcomes.push(Some(Outcome::Rejected(problems))),
            }
        }
        drop(raws);
        let mut stored = if events.is_empty() {
            Vec::new()
        } else {
            self.store.submit(Submission { body, events }).await.map_err(Failure::new)?
        }
        .into_iter();
        // The writer answers the valid ones in their order; the rejected ones keep their places between.
        outcomes
            .into_iter()
            .map(|rejected| rejected.or_else(|| stored.next()).ok_or(Failure::new(ErrorCode::Internal)))
            .collect()
    }
}

fn text(body: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(body).map_err(|_| Failure::new(ErrorCode::InvalidJson))
}
