//! Runs the ingest pipeline: read, validate, redact, truncate, store. A single event is a batch of one.
//!
//! A request's ticket bounds the work that waits for the writer (rule ING-10). The writer publishes the newest id
//! after its commit, so the pipeline notifies no other part. Over 250 lines because every source of events has its
//! function here.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::admission::Ticket;
use crate::cluster::Cluster;
use crate::contract::vocabulary::{Dismissal, source};
use crate::contract::{TUNING, VOCABULARY};
use crate::error::{ErrorCode, Failure};
use crate::event::{Event, Outcome, Outcomes, RawEvent};
use crate::field::Field;
use crate::formats::{Format, read_batch, read_event, text_of};
use crate::hooks::{Mapping, read_hook, summary_keys_of};
use crate::meters::{EventOutcome, EventSource};
use crate::redact::step::RedactionStep;
use crate::scanner::InvalidJson;
use crate::store::Store;
use crate::store::events::Submission;
use crate::store::whole_texts::pack_text;
use crate::telemetry::counters::{Reason, Tally};
use crate::telemetry::otlp::Request;
use crate::telemetry::{Telemetry, read_telemetry};
use crate::truncate::{is_summary, truncate_metadata, truncate_payload, truncate_record};
use crate::validate::validate_event;
use crate::waits::DISMISSAL;

/// The pipeline and its limits.
#[derive(Debug)]
pub struct Ingest {
    store: Arc<Store>,
    /// Where the events go instead, with `--store jetstream`.
    cluster: Option<Arc<Cluster>>,
    max_batch_events: usize,
    step: RedactionStep,
    /// Number of events that the step changed since the start (rule RED-07).
    redacted: AtomicU64,
}

impl Ingest {
    /// Creates a pipeline into a store.
    pub fn new(
        store: Arc<Store>,
        cluster: Option<Arc<Cluster>>,
        max_batch_events: usize,
        step: RedactionStep,
    ) -> Self {
        Self { store, cluster, max_batch_events, step, redacted: AtomicU64::new(0) }
    }

    /// Returns the number of events that redaction changed since the start.
    pub fn redacted(&self) -> u64 {
        self.redacted.load(Ordering::Relaxed)
    }

    /// Stores a body of one event; returns the outcome.
    pub async fn single(&self, body: Vec<u8>, format: Format, ticket: Ticket) -> Result<Outcome, Failure> {
        let step = self.step.clone();
        let check = move |body: Vec<u8>| {
            let (body, raw) = read_event(format, body)?;
            Ok(Checked::new(body, &[raw], EventSource::Events, &step))
        };
        self.only(body, ticket, check).await
    }

    /// Stores an agent's hook as one event; returns the outcome (rule HOK-01).
    pub async fn hook(
        &self,
        body: Vec<u8>,
        mapping: &'static Mapping,
        ticket: Ticket,
    ) -> Result<Outcome, Failure> {
        let step = self.step.clone();
        let check = move |body: Vec<u8>| {
            let body = text_of(body)?;
            let read = || match read_hook(mapping, &body, usize::MAX) {
                Ok(read) => read.map_err(Ok),
                Err(invalid) => Err(Err(invalid)),
            };
            let truncate =
                |_: &Event, text: &str, limit| truncate_payload(text, limit, &mapping.summary_keys);
            let (events, rejected, redacted) = match step.read(&body, read, truncate, false) {
                Ok((event, is_redacted)) => (vec![event], vec![None], is_redacted.into()),
                Err(Ok(problems)) => (Vec::new(), vec![Some(Outcome::Rejected(problems))], 0),
                Err(Err(InvalidJson)) => return Err(ErrorCode::InvalidJson.into()),
            };
            let submission = packed(body, events, EventSource::Hooks);
            Ok(Checked { submission, rejected, redacted })
        };
        self.only(body, ticket, check).await
    }

    /// Stores a user's dismissal of a session's waits, as an event of that session (rule WAI-05).
    pub async fn dismissal(
        &self,
        session_id: &str,
        agent_type: &str,
        ticket: Ticket,
    ) -> Result<Outcome, Failure> {
        let Dismissal { event_type, source_event } = &VOCABULARY.dismissal;
        let event = serde_json::json!({
            "session_id": session_id, "agent_type": agent_type, "event_type": event_type, "source_event": source_event,
        });
        // The session's own values are redacted already.
        let step = self.step.without_redaction();
        let check = move |body: Vec<u8>| {
            let (body, raw) = read_event(Format::Json, body)?;
            let mut checked = Checked::new(body, &[raw], EventSource::Dismissals, &step);
            checked.submission.events.iter_mut().for_each(|event| event.wait = DISMISSAL);
            Ok(checked)
        };
        self.only(event.to_string().into_bytes(), ticket, check).await
    }

    /// Stores a batch body; returns one outcome per item, in order.
    pub async fn batch(
        &self,
        body: Vec<u8>,
        format: Format,
        source: EventSource,
        ticket: Ticket,
    ) -> Result<Outcomes, Failure> {
        let (limit, step) = (self.max_batch_events, self.step.clone());
        let check = move |body| check_batch(body, format, source, limit, &step);
        let (batch, ticket) = check_body(body, ticket, check).await?;
        self.queue(batch, ticket).await?.await
    }

    /// Stores a telemetry request; returns the rejected records (rules OTL-01 and OTL-07).
    pub async fn telemetry(
        &self,
        body: Vec<u8>,
        format: Format,
        request: &'static Request,
        ticket: Ticket,
    ) -> Result<Tally, Failure> {
        let (limit, step) = (self.max_batch_events, self.step.clone());
        let check = move |body: Vec<u8>| {
            let Telemetry { body, events, agents, tally } = read_telemetry(request, format, body, limit)?;
            Ok((Checked::of_telemetry(body, events, &step), agents, tally))
        };
        let ((checked, agents, mut tally), mut ticket) = check_body(body, ticket, check).await?;
        ticket.hold_events(checked.rejected.len()).await?;
        let outcomes = self.submit(checked, ticket).await?;
        for (agent, outcome) in agents.into_iter().zip(outcomes) {
            let tally = tally.of(Some(agent));
            match outcome {
                Outcome::Stored(_) => tally.stored += 1,
                Outcome::Duplicate => tally.duplicates += 1,
                Outcome::Rejected(_) => tally.ignore(Reason::Invalid),
            }
        }
        Ok(tally)
    }

    /// Checks a batch body on the calling thread.
    pub(crate) fn check(
        &self,
        body: Vec<u8>,
        format: Format,
        source: EventSource,
    ) -> Result<CheckedBatch, Failure> {
        check_batch(body, format, source, self.max_batch_events, &self.step)
    }

    /// Puts a batch into the writer's queue once there is room. The result resolves after the commit. Batches are
    /// stored in the order of the calls.
    pub(crate) async fn queue(
        &self,
        CheckedBatch { checked, lines }: CheckedBatch,
        mut ticket: Ticket,
    ) -> Result<impl Future<Output = Result<Outcomes, Failure>> + Send + use<>, Failure> {
        ticket.note_batch(checked.rejected.len());
        ticket.hold_events(checked.rejected.len()).await?;
        let outcomes = self.submit(checked, ticket);
        Ok(async { Ok(Outcomes { events: outcomes.await?, lines }) })
    }

    async fn only(
        &self,
        body: Vec<u8>,
        ticket: Ticket,
        check: impl FnOnce(Vec<u8>) -> Result<Checked, Failure> + Send + 'static,
    ) -> Result<Outcome, Failure> {
        let (checked, mut ticket) = check_body(body, ticket, check).await?;
        ticket.hold_events(checked.rejected.len()).await?;
        let mut outcomes = self.submit(checked, ticket).await?;
        outcomes.pop().ok_or(Failure::new(ErrorCode::Internal))
    }

    /// Queues the valid events at once; the ticket holds their room until they are stored.
    fn submit(
        &self,
        Checked { submission, rejected, redacted }: Checked,
        ticket: Ticket,
    ) -> impl Future<Output = Result<Vec<Outcome>, Failure>> + Send + use<> {
        let rejections = rejected.len() - submission.events.len();
        self.store.meters().count_events(EventOutcome::Rejected, submission.source, rejections);
        if redacted > 0 {
            self.redacted.fetch_add(redacted, Ordering::Relaxed);
        }
        let cluster = self.cluster.as_ref().filter(|_| !submission.events.is_empty());
        let published = cluster.map(|cluster| cluster.submit(&submission));
        let is_local = cluster.is_none() && !submission.events.is_empty();
        let stored = is_local.then(|| self.store.submit(submission));
        async move {
            let _held = ticket;
            let stored = match (stored, published) {
                (Some(stored), _) => stored.await.map_err(Failure::new)?,
                (None, Some(published)) => published.await.map_err(Failure::new)?,
                (None, None) => Vec::new(),
            };
            let mut stored = stored.into_iter();
            // The writer returns the outcomes of valid events in order; rejected events keep their positions between
            // them.
            rejected
                .into_iter()
                .map(|rejected| rejected.or_else(|| stored.next()).ok_or(Failure::new(ErrorCode::Internal)))
                .collect()
        }
    }
}

/// The checked events of a batch.
pub(crate) struct CheckedBatch {
    checked: Checked,
    lines: Vec<usize>,
}

fn check_batch(
    body: Vec<u8>,
    format: Format,
    source: EventSource,
    limit: usize,
    step: &RedactionStep,
) -> Result<CheckedBatch, Failure> {
    let batch = read_batch(format, body, limit)?;
    if batch.count > limit {
        let failure = Failure::new(ErrorCode::BatchTooLarge);
        return Err(failure.with("limit", limit).with("actual", batch.count));
    }
    Ok(CheckedBatch { checked: Checked::new(batch.body, &batch.events, source, step), lines: batch.lines })
}

/// A body that was read and validated.
struct Checked {
    /// The valid events.
    submission: Submission,
    /// The outcome of each rejected item; `None` for a valid item.
    rejected: Vec<Option<Outcome>>,
    /// Number of valid events that redaction changed.
    redacted: u64,
}

impl Checked {
    fn new(body: String, raws: &[RawEvent], source: EventSource, step: &RedactionStep) -> Self {
        let mut events: Vec<Event> = Vec::with_capacity(raws.len());
        let mut rejected = Vec::with_capacity(raws.len());
        let mut redacted = 0;
        for raw in raws {
            let validate = || validate_event(&body, raw, usize::MAX);
            let truncate = |event: &Event, text: &str, limit| truncate_sent(event, &body, text, limit);
            match step.read(&body, validate, truncate, true) {
                Ok((event, is_redacted)) => {
                    events.push(event);
                    rejected.push(None);
                    redacted += u64::from(is_redacted);
                }
                Err(problems) => rejected.push(Some(Outcome::Rejected(problems))),
            }
        }
        Self { submission: packed(body, events, source), rejected, redacted }
    }

    /// Takes events of telemetry, whose values are valid and whose metadata has any size.
    fn of_telemetry(body: String, events: Vec<Event>, step: &RedactionStep) -> Self {
        let (count, mut redacted) = (events.len(), 0);
        let read = |event: Event| {
            let marked = || Ok::<_, Infallible>(mark_summary(event, &body));
            let truncate = |_: &Event, text: &str, limit| truncate_record(text, limit);
            let Ok((event, is_redacted)) = step.read(&body, marked, truncate, false);
            redacted += u64::from(is_redacted);
            event
        };
        let events = events.into_iter().map(read).collect();
        let submission = packed(body, events, EventSource::Telemetry);
        Self { submission, rejected: std::iter::repeat_with(|| None).take(count).collect(), redacted }
    }
}

/// Returns a submission. It compresses whole texts on the thread of their request, so that the writer does not.
fn packed(body: String, mut events: Vec<Event>, source: EventSource) -> Submission {
    for event in &mut events {
        if let Some(text) = event.whole.take() {
            event.frame = pack_text(text.of(&body)).map(Vec::into_boxed_slice);
        }
    }
    Submission { body, events, source }
}

/// Returns the summary of an event's metadata by its source (rule MET-02). So the receiver of a forwarded event makes the
/// summary that its sender has.
fn truncate_sent(event: &Event, body: &str, text: &str, limit: usize) -> Option<String> {
    let agent_type = event.text(Field::AgentType, body).unwrap_or_default();
    match event.word(Field::Source) {
        Some(source::HOOK) if text.starts_with('{') => match summary_keys_of(agent_type) {
            Some(keys) => truncate_payload(text, limit, keys),
            None => truncate_metadata(text, limit),
        },
        Some(source::OTEL) if text.starts_with('{') => truncate_record(text, limit),
        _ => truncate_metadata(text, limit),
    }
}

/// Marks metadata that begins like a summary as one.
fn mark_summary(mut event: Event, body: &str) -> Event {
    event.payload_truncated = event.text(Field::Metadata, body).is_some_and(is_summary);
    event
}

/// Checks a small body at once, and a large body on another thread, so that it does not delay other requests.
async fn check_body<T: Send + 'static>(
    body: Vec<u8>,
    ticket: Ticket,
    check: impl FnOnce(Vec<u8>) -> Result<T, Failure> + Send + 'static,
) -> Result<(T, Ticket), Failure> {
    let is_large = body.len() > TUNING.large_body_bytes;
    let work = move || check(body);
    let (checked, mut ticket) = if is_large { ticket.run_blocking(work).await? } else { (work(), ticket) };
    ticket.end_turn();
    Ok((checked?, ticket))
}
