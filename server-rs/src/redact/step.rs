//! Redacts an event between its validation and the truncation of its metadata (rule RED-01).
//!
//! Pure. Without `--redact` it passes the limit of metadata on. It drops the whole text of a summary that is not kept (rule
//! MET-04).

use std::sync::Arc;

use crate::event::Event;
use crate::field::Field;
use crate::redact::Redaction;

/// The limit of metadata, and the redaction if there is one.
#[derive(Debug, Clone)]
pub struct RedactionStep {
    max_metadata_bytes: usize,
    keeps_whole: bool,
    redaction: Option<Arc<Redaction>>,
}

impl RedactionStep {
    /// Creates a step; `max_metadata_bytes` is the flag's value. `keeps_whole` is whether the whole text of a summary is
    /// kept.
    pub fn new(max_metadata_bytes: usize, keeps_whole: bool, redaction: Option<Arc<Redaction>>) -> Self {
        Self { max_metadata_bytes, keeps_whole, redaction }
    }

    /// Returns the same step without redaction.
    pub fn without_redaction(&self) -> Self {
        Self { redaction: None, ..self.clone() }
    }

    /// Reads an event by `read`, which gets the limit of its metadata, and redacts it. `truncate` makes the summary of
    /// metadata above a limit. `has_own_id` is false when the server made the event's id. Also returns whether the
    /// event was redacted.
    pub fn read<E>(
        &self,
        body: &str,
        read: impl FnOnce(usize) -> Result<Event, E>,
        truncate: impl FnOnce(&str, usize) -> Option<String>,
        has_own_id: bool,
    ) -> Result<(Event, bool), E> {
        let limit = self.max_metadata_bytes;
        let Some(redaction) = &self.redaction else { return Ok((self.without_whole(read(limit)?), false)) };
        let mut event = read(usize::MAX)?;
        let is_redacted = redaction.redact_event(&mut event, body, has_own_id);
        let summary = event.text(Field::Metadata, body).and_then(|text| truncate(text, limit));
        if let Some(summary) = summary {
            event.summarise(summary);
        }
        Ok((self.without_whole(event), is_redacted))
    }

    /// Drops the whole text of a summary, unless it is kept.
    fn without_whole(&self, mut event: Event) -> Event {
        if !self.keeps_whole {
            event.whole = None;
        }
        event
    }
}
