//! Redacts an event between its validation and the truncation of its metadata (rule RED-01).
//!
//! Pure. Without `--redact` it only passes the limit of metadata on.

use std::sync::Arc;

use crate::event::{Event, FieldValue, Text};
use crate::field::Field;
use crate::redact::Redaction;

/// The limit of metadata, and the redaction if there is one.
#[derive(Debug, Clone)]
pub struct RedactionStep {
    max_metadata_bytes: usize,
    redaction: Option<Arc<Redaction>>,
}

impl RedactionStep {
    /// Creates a step; `max_metadata_bytes` is the flag's value.
    pub fn new(max_metadata_bytes: usize, redaction: Option<Arc<Redaction>>) -> Self {
        Self { max_metadata_bytes, redaction }
    }

    /// Returns the same step without redaction.
    pub fn without_redaction(&self) -> Self {
        Self { max_metadata_bytes: self.max_metadata_bytes, redaction: None }
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
        let Some(redaction) = &self.redaction else { return Ok((read(limit)?, false)) };
        let mut event = read(usize::MAX)?;
        let is_redacted = redaction.redact_event(&mut event, body, has_own_id);
        let summary = event.text(Field::Metadata, body).and_then(|text| truncate(text, limit));
        if let Some(summary) = summary {
            event.set(Field::Metadata, FieldValue::Text(Text::Owned(summary.into_boxed_str())));
            event.payload_truncated = true;
        }
        Ok((event, is_redacted))
    }
}
