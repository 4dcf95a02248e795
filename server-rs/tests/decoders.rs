//! Tests that every decoder turns any bytes into a value or an error with a code, without a panic (decision 95).
//!
//! The bodies are those of the parity cases, with random damage. So a counterexample that becomes a case is tried by
//! both servers. `PROPERTY_SEED` and `PROPERTY_RUNS` replace the fixed seed and the number of bodies.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ingest_server::error::{ErrorCode, Failure};
use ingest_server::field::Field;
use ingest_server::formats::{Format, read_batch, read_event};
use ingest_server::hooks::{HOOK_PATHS, mapping_of, read_hook};
use ingest_server::http::attachment_names::{attachment_name, disposition};
use ingest_server::http::range::parse_range;
use ingest_server::prices::parse_prices;
use ingest_server::redact::rules::parse_redaction;
use ingest_server::rpc::read_calls;
use ingest_server::rpc::work::Reading;
use ingest_server::telemetry::otlp::request_of;
use ingest_server::telemetry::read_telemetry;
use ingest_server::timestamp::{format_timestamp, parse_timestamp};
use ingest_server::topics::parse_topics;
use ingest_server::validate::validate_event;
use serde_json::Value;

const DECODERS: [Format; 4] = [Format::Json, Format::Ndjson, Format::Msgpack, Format::Protobuf];
const MOST_ITEMS: usize = 10;
const METADATA_BYTES: usize = 256;
const MOST_SEED_BYTES: usize = 4096;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A generator of random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).expect("below end")
    }
}

/// Collects the bodies of requests from the value of a case file.
fn collect(value: &Value, bodies: &mut Vec<Vec<u8>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, bodies)),
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("body", Value::String(text)) => bodies.push(text.clone().into_bytes()),
                    ("body_base64" | "base64", Value::String(text)) => {
                        bodies.extend(STANDARD.decode(text));
                    }
                    ("body_hex" | "hex", Value::String(text)) => bodies.extend(bytes_of(text)),
                    ("json" | "otlp", _) => bodies.push(member.to_string().into_bytes()),
                    _ => collect(member, bodies),
                }
            }
        }
        _ => {}
    }
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../parity-tests/cases");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("cases").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut bodies = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("readable");
        // Some cases have numbers that no double holds.
        if let Ok(value) = serde_json::from_str(&text) {
            collect(&value, &mut bodies);
        }
    }
    bodies.retain(|body| body.len() <= MOST_SEED_BYTES);
    bodies
}

/// Overwrites, inserts, removes or repeats a part of the bytes, or cuts them.
fn damage(body: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(body.len() + 1);
    let end = (at + random.below(40)).min(body.len());
    let added: Vec<u8> =
        (0..random.below(8)).map(|_| u8::try_from(random.below(256)).expect("a byte")).collect();
    match random.below(5) {
        0 => drop(body.splice(at..(at + added.len()).min(body.len()), added)),
        1 => drop(body.splice(at..at, added)),
        2 => drop(body.drain(at..end)),
        3 => {
            let part = body[at..end].repeat(3);
            drop(body.splice(at..end, part));
        }
        _ => body.truncate(at),
    }
}

/// Returns what a decoder returned; `None` for an error with a code for clients.
fn decoded<T>(result: Result<T, Failure>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(failure) => {
            assert_ne!(failure.code, ErrorCode::Internal);
            None
        }
    }
}

fn decode(body: &[u8]) {
    for format in DECODERS {
        if let Some((text, raw)) = decoded(read_event(format, body.to_vec())) {
            require_event(&text, &raw);
        }
        if let Some(batch) = decoded(read_batch(format, body.to_vec(), MOST_ITEMS)) {
            batch.events.iter().for_each(|raw| require_event(&batch.body, raw));
        }
    }
    for format in [Format::Json, Format::Protobuf] {
        for path in ["/v1/logs", "/v1/metrics", "/v1/traces"] {
            let request = request_of(path).expect("a request");
            let telemetry = decoded(read_telemetry(request, format, body.to_vec(), MOST_ITEMS));
            let events = telemetry.iter().flat_map(|all| all.events.iter().map(|event| (event, &all.body)));
            events.filter_map(|(event, body)| event.text(Field::Metadata, body)).for_each(require_json);
        }
    }
    for (format, keeps_minus_zero) in [(Format::Json, false), (Format::Msgpack, true)] {
        let calls = decoded(read_calls(body, format, Reading { has_bench: true, keeps_minus_zero }));
        let ids = calls.iter().flat_map(|calls| &calls.calls).filter_map(|call| call.id.as_deref());
        ids.for_each(require_json);
    }
    if let Ok(text) = std::str::from_utf8(body) {
        decode_text(text);
    }
}

fn decode_text(text: &str) {
    for path in HOOK_PATHS.iter() {
        if let Ok(Ok(event)) = read_hook(mapping_of(path).expect("a mapping"), text, METADATA_BYTES) {
            assert!(event.text(Field::AgentType, text).is_some());
        }
    }
    drop(parse_prices(text));
    drop(parse_redaction(text));
    drop(parse_topics(text));
    parse_range(text, 1_000);
    if let Some(name) = decoded(attachment_name(text)) {
        assert!(disposition(&name, "text/plain").bytes().all(|byte| (b' '..=b'~').contains(&byte)));
    }
    if let Some(ms) = parse_timestamp(text) {
        assert_eq!(parse_timestamp(&format_timestamp(ms)), Some(ms));
    }
}

fn require_event(body: &str, raw: &ingest_server::event::RawEvent) {
    match validate_event(body, raw, METADATA_BYTES) {
        Ok(event) => event.text(Field::Metadata, body).into_iter().for_each(require_json),
        Err(problems) => assert!(!problems.is_empty()),
    }
}

/// Nesting is bounded, and unbounded numbers stay text, so only syntax counts.
fn require_json(text: &str) {
    if let Err(error) = serde_json::from_str::<&serde_json::value::RawValue>(text) {
        panic!("{error}: {text}");
    }
}

#[test]
fn any_bytes_are_a_value_or_an_error_with_a_code() {
    let seeds = seeds();
    assert!(seeds.len() > 1_000, "{} bodies", seeds.len());
    let mut random = Random(setting("PROPERTY_SEED", 1));
    for run in 0..setting("PROPERTY_RUNS", 20_000) {
        let mut body = seeds[random.below(seeds.len())].clone();
        for _ in 0..random.below(5) {
            damage(&mut body, &mut random);
        }
        let outcome = std::panic::catch_unwind(|| decode(&body));
        assert!(outcome.is_ok(), "body {run}: {:?}", String::from_utf8_lossy(&body));
    }
}
