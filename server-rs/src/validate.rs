//! Turns the fields of an event into its values, or into every problem that they have (rules EVT-01 to EVT-14).
//!
//! Pure: no I/O, no clock, no state. Rules EVT-01 to EVT-14; messages are those of the vocabulary.

use crate::contract::VOCABULARY;
use crate::event::{Event, Field, FieldError, RawEvent, Span, Text};
use crate::fields::Checker;
use crate::truncate::truncate_metadata;

/// The event, or its problems in the order of the contract. `max_metadata_bytes` is the flag's value.
pub fn validate_event(
    body: &str,
    raw: &RawEvent,
    max_metadata_bytes: usize,
) -> Result<Event, Vec<FieldError>> {
    if !raw.is_object {
        return Err(vec![FieldError { field: "body", message: VOCABULARY.field_messages.object.clone() }]);
    }
    let mut checker = Checker { body, raw, problems: Vec::new() };
    let session_id = checker.required_text(Field::SessionId);
    let agent_type = checker.required_text(Field::AgentType);
    let event_type = checker.required_choice(Field::EventType, &VOCABULARY.event_types);
    let status = checker.choice(Field::Status, &VOCABULARY.statuses);
    let event_id = checker.text(Field::EventId);
    let tool_name = checker.text(Field::ToolName);
    let branch = checker.text(Field::Branch);
    let project = checker.text(Field::Project);
    let model = checker.text(Field::Model);
    let duration_ms = checker.integer(Field::DurationMs);
    let tokens_in = checker.integer(Field::TokensIn);
    let tokens_out = checker.integer(Field::TokensOut);
    let cache_read_tokens = checker.integer(Field::CacheReadTokens);
    let cache_write_tokens = checker.integer(Field::CacheWriteTokens);
    let cost_nanos = checker.cost(Field::CostUsd);
    let client_timestamp = checker.timestamp(Field::ClientTimestamp);
    let source = checker.choice(Field::Source, &VOCABULARY.sources);
    let (Some(session_id), Some(agent_type), Some(event_type), true) =
        (session_id, agent_type, event_type, checker.problems.is_empty())
    else {
        return Err(checker.problems);
    };
    let (metadata, payload_truncated) = metadata(body, raw.get(Field::Metadata), max_metadata_bytes);
    Ok(Event {
        session_id,
        agent_type,
        event_type,
        status: status.unwrap_or_else(|| default_status(event_type)),
        source: source.unwrap_or("api"),
        event_id,
        tool_name,
        branch,
        project,
        model,
        duration_ms,
        tokens_in: tokens_in.unwrap_or(0),
        tokens_out: tokens_out.unwrap_or(0),
        cache_read_tokens: cache_read_tokens.unwrap_or(0),
        cache_write_tokens: cache_write_tokens.unwrap_or(0),
        cost_nanos,
        client_timestamp,
        metadata,
        payload_truncated,
    })
}

/// The status of an event that says none (rule EVT-03).
pub(crate) fn default_status(event_type: &str) -> &'static str {
    if event_type == "error" { "error" } else { "success" }
}

/// The metadata at this place, and whether it had to become a summary (rules MET-01, MET-02).
fn metadata(body: &str, span: Span, limit: usize) -> (Text, bool) {
    if span.is_absent() {
        return (Text::Owned("{}".into()), false);
    }
    match truncate_metadata(&body[span.start..span.end], limit) {
        None => (Text::Range(span.start, span.end), false),
        Some(summary) => (Text::Owned(summary.into_boxed_str()), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_event;

    fn check(body: &str) -> Result<Event, Vec<String>> {
        let raw = scan_event(body).expect("valid JSON");
        validate_event(body, &raw, 10_240)
            .map_err(|problems| problems.iter().map(|p| format!("{}: {}", p.field, p.message)).collect())
    }

    #[test]
    fn reports_every_problem_in_the_order_of_the_contract() {
        let body = r#"{"source":"x","cost_usd":-1,"status":3,"agent_type":" ","duration_ms":1.5,"client_timestamp":"2026"}"#;
        let expected = [
            "session_id: must be a string",
            "agent_type: must be a non-empty string",
            "event_type: must be a string",
            "status: must be a string when provided",
            "duration_ms: must be a non-negative integer when provided",
            "cost_usd: must be a non-negative number when provided",
            "client_timestamp: must be a valid timestamp",
            "source: must be one of: api, hook, otel, import",
        ];
        assert_eq!(check(body), Err(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn trims_in_place_and_decodes_where_it_must() {
        let body = r#"{"session_id":"  é s ","agent_type":"\u0061 ","event_type":" error ","tool_name":" ","event_id":null}"#;
        let event = check(body).expect("valid");
        assert_eq!(event.session_id.of(body), "é s");
        assert_eq!(event.agent_type.of(body), "a");
        assert_eq!((event.event_type, event.status, event.source), ("error", "error", "api"));
        assert_eq!((event.tool_name, event.event_id, event.metadata.of(body)), (None, None, "{}"));
    }

    #[test]
    fn an_infinite_cost_is_above_the_limit() {
        let body = r#"{"session_id":"s","agent_type":"a","event_type":"error","cost_usd":1e400}"#;
        assert_eq!(check(body), Err(vec!["cost_usd: must be at most 1000000".to_owned()]));
    }
}
