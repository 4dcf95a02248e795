//! Turns the fields of an event into its values, or into all their problems (rules EVT-01 to EVT-14).
//!
//! Pure: no I/O, no clock, no state. Messages come from the vocabulary.

use crate::contract::VOCABULARY;
use crate::contract::vocabulary::{event_type, status};
use crate::event::{Event, FieldError, FieldValue, RawEvent};
use crate::field::Field;
use crate::fields::Checker;

/// Returns the event, or its problems in the order of the contract. `max_metadata_bytes` is the flag's value.
pub fn validate_event(
    body: &str,
    raw: &RawEvent,
    max_metadata_bytes: usize,
) -> Result<Event, Vec<FieldError>> {
    if !raw.is_object {
        let messages = &VOCABULARY.field_messages;
        let message = if raw.is_json { messages.object } else { messages.json_line };
        return Err(vec![FieldError { field: "body", message: message.to_owned() }]);
    }
    let mut checker = Checker { body, raw, problems: Vec::new() };
    let mut event = Event::empty();
    for field in Field::ALL {
        if let Some(value) = checker.value(field) {
            event.set(field, value);
        }
    }
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    if raw.get(Field::Status).is_absent()
        && let Some(event_type) = event.word(Field::EventType)
    {
        event.set(Field::Status, FieldValue::Word(default_status(event_type)));
    }
    checker.metadata(&mut event, max_metadata_bytes);
    Ok(event)
}

/// Returns the default status of an event (rule EVT-03).
pub(crate) fn default_status(word: &str) -> &'static str {
    if word == event_type::ERROR { status::ERROR } else { status::SUCCESS }
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
    fn validation_reports_every_problem_in_the_order_of_the_contract() {
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
    fn validation_trims_in_place_and_decodes_only_where_needed() {
        let body = r#"{"session_id":"  é s ","agent_type":"\u0061 ","event_type":" error ","tool_name":" ","event_id":null}"#;
        let event = check(body).expect("valid");
        let expected = [
            (Field::SessionId, Some("é s")),
            (Field::AgentType, Some("a")),
            (Field::EventType, Some("error")),
            (Field::Status, Some("error")),
            (Field::Source, Some("api")),
            (Field::ToolName, None),
            (Field::EventId, None),
            (Field::Metadata, Some("{}")),
        ];
        for (field, text) in expected {
            assert_eq!(event.text(field, body), text, "{}", field.name());
        }
    }

    #[test]
    fn an_infinite_cost_is_above_the_limit() {
        let body = r#"{"session_id":"s","agent_type":"a","event_type":"error","cost_usd":1e400}"#;
        assert_eq!(check(body), Err(vec!["cost_usd: must be at most 1000000".to_owned()]));
    }
}
