//! An event as sent, with hand-written checks.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

#[derive(Deserialize)]
struct Vocabulary {
    event_types: Vec<String>,
    statuses: Vec<String>,
    sources: Vec<String>,
    summary_keys: Vec<String>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../contract/vocabulary.json")).expect("the contract is JSON")
});

#[derive(Deserialize)]
pub struct Event {
    pub session_id: Option<String>,
    pub agent_type: Option<String>,
    pub event_type: Option<String>,
    pub status: Option<String>,
    pub event_id: Option<String>,
    pub tool_name: Option<String>,
    pub branch: Option<String>,
    pub project: Option<String>,
    pub model: Option<String>,
    pub source_event: Option<String>,
    pub call_id: Option<String>,
    pub agent_id: Option<String>,
    pub duration_ms: Option<f64>,
    pub tokens_in: Option<f64>,
    pub tokens_out: Option<f64>,
    pub cache_read_tokens: Option<f64>,
    pub cache_write_tokens: Option<f64>,
    pub cost_usd: Option<f64>,
    pub client_timestamp: Option<String>,
    pub source: Option<String>,
    pub metadata: Option<Box<RawValue>>,
    #[serde(skip)]
    pub payload_truncated: bool,
}

#[derive(Serialize)]
pub struct Problem {
    pub field: &'static str,
    pub message: String,
}

impl Event {
    pub fn read(text: &RawValue, max_metadata_bytes: usize) -> Result<Self, Vec<Problem>> {
        let event: Self = serde_json::from_str(text.get())
            .map_err(|error| vec![Problem { field: "body", message: error.to_string() }])?;
        event.check(max_metadata_bytes)
    }

    /// Returns the event with its defaults, trimmed texts and shortened metadata, or all its problems.
    pub fn check(mut self, max_metadata_bytes: usize) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut wrong = |field, message: String| problems.push(Problem { field, message });
        for (field, value, most) in [
            ("session_id", &mut self.session_id, 256),
            ("agent_type", &mut self.agent_type, 256),
            ("event_type", &mut self.event_type, 256),
            ("event_id", &mut self.event_id, 256),
            ("tool_name", &mut self.tool_name, 256),
            ("branch", &mut self.branch, 1024),
            ("project", &mut self.project, 1024),
            ("model", &mut self.model, 256),
            ("source_event", &mut self.source_event, 128),
            ("call_id", &mut self.call_id, 256),
            ("agent_id", &mut self.agent_id, 256),
        ] {
            let text = value.take().map(|text| text.trim().to_owned());
            *value = text.filter(|text| !text.is_empty());
            if value.as_ref().is_some_and(|text| text.len() > most) {
                wrong(field, format!("must be at most {most} bytes"));
            }
            if value.is_none() && ["session_id", "agent_type"].contains(&field) {
                wrong(field, "must be a non-empty string".to_owned());
            }
        }
        let is_error = self.event_type.as_deref() == Some("error");
        self.status.get_or_insert_with(|| if is_error { "error" } else { "success" }.to_owned());
        self.source.get_or_insert_with(|| "api".to_owned());
        for (field, value, words) in [
            ("event_type", &self.event_type, &VOCABULARY.event_types),
            ("status", &self.status, &VOCABULARY.statuses),
            ("source", &self.source, &VOCABULARY.sources),
        ] {
            if !value.as_ref().is_some_and(|word| words.contains(word)) {
                wrong(field, format!("must be one of: {}", words.join(", ")));
            }
        }
        for (field, value) in [
            ("duration_ms", self.duration_ms),
            ("tokens_in", self.tokens_in),
            ("tokens_out", self.tokens_out),
            ("cache_read_tokens", self.cache_read_tokens),
            ("cache_write_tokens", self.cache_write_tokens),
        ] {
            if value.is_some_and(|value| value.fract() != 0.0 || !(0.0..=MAX_INTEGER).contains(&value)) {
                wrong(field, "must be a non-negative integer".to_owned());
            }
        }
        if self.cost_usd.is_some_and(|cost| !(0.0..=1e6).contains(&cost)) {
            wrong("cost_usd", "must be from 0 to 1000000".to_owned());
        }
        if let Some(text) = &self.client_timestamp {
            match DateTime::parse_from_rfc3339(text) {
                Ok(time) => self.client_timestamp = Some(format_time(time.to_utc())),
                Err(error) => wrong("client_timestamp", error.to_string()),
            }
        }
        if let Some(metadata) = self.metadata.take_if(|raw| raw.get().len() > max_metadata_bytes) {
            self.metadata = RawValue::from_string(summary(&metadata, max_metadata_bytes)).ok();
            self.payload_truncated = true;
        }
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }
}

pub fn format_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn summary(metadata: &RawValue, most: usize) -> String {
    let members: HashMap<String, &RawValue> = serde_json::from_str(metadata.get()).unwrap_or_default();
    let mut text = format!(r#"{{"_truncated":true,"_original_bytes":{}"#, metadata.get().len());
    for key in &VOCABULARY.summary_keys {
        let member = members.get(key).map(|value| format!(r#","{key}":{}"#, value.get())).unwrap_or_default();
        if text.len() + member.len() < most {
            text += &member;
        }
    }
    text + "}"
}
