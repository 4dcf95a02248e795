//! Renders outcomes of events and failures of requests as JSON text (rules ING-01 to ING-05 and HTT-01).
//!
//! HTTP answers and the result lines of standard input have the same text.

use serde_json::{Map, Value};

use crate::error::Failure;
use crate::event::{FieldError, Outcome, Outcomes};

/// Renders the answer to one valid event: its id, or `None` for a duplicate. `revision` includes the event (rule
/// ING-11).
pub fn single_json(id: Option<i64>, revision: i64) -> String {
    match id {
        Some(id) => format!(r#"{{"received":1,"ids":[{id}],"duplicates":0,"revision":"{revision}"}}"#),
        None => format!(r#"{{"received":0,"ids":[],"duplicates":1,"revision":"{revision}"}}"#),
    }
}

/// Renders the answer to a deletion (rule RET-04).
pub fn deleted_json(events: u64, revision: i64) -> String {
    format!(r#"{{"deleted":{events},"revision":"{revision}"}}"#)
}

/// Renders the bounds of retention, and what they apply to (rule RET-03). `bounds` are days and bytes.
pub fn retention_json(bounds: (u64, u64), used: u64, first_event_id: Option<i64>) -> String {
    let (days, bytes) = bounds;
    let first = first_event_id.map_or("null".to_owned(), |id| id.to_string());
    format!(r#"{{"days":{days},"bytes":{bytes},"used_bytes":{used},"first_event_id":{first}}}"#)
}

/// Renders the answer to a batch. `revision` includes its events (rule ING-11). Ids make up most of the text, so they
/// are printed without a tree of values.
pub fn batch_json(outcomes: &Outcomes, revision: i64, with_results: bool) -> String {
    let Outcomes { events, lines } = outcomes;
    let (mut ids, mut received, mut duplicates) = (String::with_capacity(events.len() * 8), 0, 0);
    let mut rejected: Vec<Value> = Vec::new();
    for (index, outcome) in events.iter().enumerate() {
        match outcome {
            Outcome::Stored(id) => {
                ids.push_str(if received == 0 { "" } else { "," });
                ids.push_str(itoa::Buffer::new().format(*id));
                received += 1;
            }
            Outcome::Duplicate => duplicates += 1,
            Outcome::Rejected(problems) => {
                rejected.push(refusal(index, lines, None, problems));
            }
        }
    }
    let rejected = Value::from(rejected);
    let mut json =
        format!(r#"{{"received":{received},"ids":[{ids}],"duplicates":{duplicates},"rejected":{rejected}"#);
    if with_results {
        let results = events.iter().enumerate().map(|(index, outcome)| result(index, lines, outcome));
        json.push_str(",\"results\":");
        json.push_str(&Value::from_iter(results).to_string());
    }
    json.push_str(",\"revision\":\"");
    json.push_str(itoa::Buffer::new().format(revision));
    json.push_str("\"}");
    json
}

fn result(index: usize, lines: &[usize], outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Stored(id) => serde_json::json!({"index": index, "status": "stored", "id": id}),
        Outcome::Duplicate => serde_json::json!({"index": index, "status": "duplicate"}),
        Outcome::Rejected(problems) => refusal(index, lines, Some("rejected"), problems),
    }
}

/// Renders one rejected event, with its line for a format with lines (rule FMT-02).
fn refusal(index: usize, lines: &[usize], status: Option<&str>, problems: &[FieldError]) -> Value {
    let mut members = Map::new();
    members.insert("index".to_owned(), index.into());
    if let Some(line) = lines.get(index) {
        members.insert("line".to_owned(), (*line).into());
    }
    if let Some(status) = status {
        members.insert("status".to_owned(), status.into());
    }
    let errors = problems.iter().map(|problem| format!("{}: {}", problem.field, problem.message));
    members.insert("errors".to_owned(), errors.collect());
    Value::from(members)
}

/// Renders a copy of a database (rules BAK-01 and BAK-07).
pub fn backup_json(
    file: &str,
    bytes: u64,
    newest_id: i64,
    attachments: u64,
    sequence: Option<i64>,
) -> String {
    let file = Value::from(file);
    let sequence = sequence.map_or_else(String::new, |sequence| format!(r#","sequence":{sequence}"#));
    format!(
        r#"{{"file":{file},"bytes":{bytes},"newest_id":{newest_id},"attachments":{attachments}{sequence}}}"#
    )
}

/// Renders the answer to a failed request.
pub fn failure_json(failure: &Failure) -> String {
    let mut body = Map::new();
    body.insert("error".to_owned(), failure.code.error_spec().text.into());
    body.insert("code".to_owned(), failure.code.as_str().into());
    body.extend(failure.members.clone());
    Value::from(body).to_string()
}
