//! Tests that real records of agents become the events of `contract/agents/NAME/examples.json`.

use std::fs;
use std::path::Path;

use ingest_server::event::Event;
use ingest_server::field::{Field, FieldKind};
use ingest_server::formats::Format;
use ingest_server::hooks::{mapping_of, read_hook};
use ingest_server::telemetry::otlp::request_of;
use ingest_server::telemetry::read_telemetry;
use ingest_server::timestamp::format_timestamp;
use serde_json::{Map, Value, json};

const METADATA_BYTES: usize = 1 << 16;

/// Returns the fields of an event without its metadata and without absent values.
fn fields_of(event: &Event, body: &str) -> Value {
    let mut fields = Map::new();
    for field in Field::ALL {
        let value = match (field.spec().kind, event.number(field)) {
            (FieldKind::Json, _) => continue,
            (FieldKind::Timestamp, Some(ms)) => format_timestamp(ms).into(),
            (FieldKind::Dollars, Some(nanos)) => json!(nanos as f64 / 1e9),
            (_, Some(0)) if field.name().contains("tokens") => continue,
            (_, Some(number)) => number.into(),
            (_, None) => match event.text(field, body) {
                Some(text) => text.into(),
                None => continue,
            },
        };
        fields.insert(field.name().to_owned(), value);
    }
    Value::Object(fields)
}

fn events_of(agent: &str, example: &Value) -> Option<Vec<Value>> {
    let (path, [groups, scopes, records]) = match example["source"].as_str()? {
        "hooks" => {
            let body = example["records"][0].to_string();
            let mapping = mapping_of(&format!("/api/hooks/{agent}")).expect("a mapping");
            let event = read_hook(mapping, &body, METADATA_BYTES).expect("JSON").expect("an object");
            assert_eq!(event.text(Field::Metadata, &body), Some(&*body));
            return Some(vec![fields_of(&event, &body)]);
        }
        "logs" => ("/v1/logs", ["resourceLogs", "scopeLogs", "logRecords"]),
        "spans" => ("/v1/traces", ["resourceSpans", "scopeSpans", "spans"]),
        _ => return None,
    };
    let body = json!({ groups: [{
        "resource": example["resource"],
        scopes: [{ "scope": example["scope"], records: example["records"] }],
    }] });
    let request = request_of(path).expect("a request");
    let telemetry =
        read_telemetry(request, Format::Json, body.to_string().into_bytes(), 10).expect("a request of OTLP");
    Some(telemetry.events.iter().map(|event| fields_of(event, &telemetry.body)).collect())
}

#[test]
fn real_records_become_their_events() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/agents");
    let mut read = 0;
    for agent in fs::read_dir(folder).expect("agents").map(|entry| entry.expect("a folder")) {
        let Ok(text) = fs::read_to_string(agent.path().join("examples.json")) else { continue };
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let name = agent.file_name().into_string().expect("a name");
        for (index, example) in file["examples"].as_array().expect("a list").iter().enumerate() {
            if let Some(events) = events_of(&name, example) {
                assert_eq!(Value::from(events), example["events"], "example {index} of {name}");
                read += 1;
            }
        }
    }
    assert!(read > 5, "{read} examples");
}
