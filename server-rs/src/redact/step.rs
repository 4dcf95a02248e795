//! Redacts an event between its validation and the truncation of its metadata (rules RED-01 and MET-02).
//!
//! Pure. It drops the whole text of a summary that is not kept (rule MET-04).

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

    /// Reads an event by `read`, redacts it, and then replaces its metadata by the summary of `truncate`, which gets the
    /// limit. `has_own_id` is false when the server made the event's id. Also returns whether the event was redacted.
    pub fn read<E>(
        &self,
        body: &str,
        read: impl FnOnce() -> Result<Event, E>,
        truncate: impl FnOnce(&Event, &str, usize) -> Option<String>,
        has_own_id: bool,
    ) -> Result<(Event, bool), E> {
        let mut event = read()?;
        let redaction = self.redaction.as_ref();
        let is_redacted =
            redaction.is_some_and(|redaction| redaction.redact_event(&mut event, body, has_own_id));
        let limit = self.max_metadata_bytes;
        let long = event.text(Field::Metadata, body).filter(|text| text.len() > limit);
        if let Some(summary) = long.and_then(|text| truncate(&event, text, limit)) {
            event.summarise(summary);
            if !self.keeps_whole {
                event.whole = None;
            }
        }
        Ok((event, is_redacted))
    }
}
