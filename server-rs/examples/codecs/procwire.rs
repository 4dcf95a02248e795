//! The payload of procwire's benchmark: `{id, name, data: "x" * (size - 424), items: [100 integers]}`.

use serde::{Deserialize, Serialize};

use crate::timing::{Report, round_trip};

/// Number of bytes that procwire subtracts from the payload's size; the text gets the rest.
const REST_BYTES: usize = 424;
const ITEMS: i32 = 100;

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
struct Payload {
    #[prost(int32, tag = "1")]
    id: i32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, tag = "3")]
    data: String,
    #[prost(int32, repeated, tag = "4")]
    items: Vec<i32>,
}

fn payload(size: usize) -> Payload {
    let data = "x".repeat(size.saturating_sub(REST_BYTES));
    Payload { id: 1, name: "test".to_owned(), data, items: (0..ITEMS).collect() }
}

/// Reads every value. Of the text it reads the last byte only, which is enough to force decoding.
fn read(payload: &Payload) -> u64 {
    let sum: i64 = payload.items.iter().map(|&item| i64::from(item)).sum();
    let last = payload.data.as_bytes().last().copied().unwrap_or_default();
    std::hint::black_box((sum, last, payload.id, payload.name.len()));
    3 + payload.items.len() as u64
}

pub(crate) fn measure_json(report: &Report<'_>) -> Result<(), String> {
    let encode = |value: &Payload| serde_json::to_vec(value).map_err(|error| error.to_string());
    let decode = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|error| error.to_string());
    round_trip(report, &payload(report.count), encode, decode, read)
}

pub(crate) fn measure_msgpack(report: &Report<'_>) -> Result<(), String> {
    let encode = |value: &Payload| rmp_serde::to_vec_named(value).map_err(|error| error.to_string());
    let decode = |bytes: &[u8]| rmp_serde::from_slice(bytes).map_err(|error| error.to_string());
    round_trip(report, &payload(report.count), encode, decode, read)
}

pub(crate) fn measure_protobuf(report: &Report<'_>) -> Result<(), String> {
    let encode = |value: &Payload| Ok(prost::Message::encode_to_vec(value));
    let decode = |bytes: &[u8]| prost::Message::decode(bytes).map_err(|error| error.to_string());
    round_trip(report, &payload(report.count), encode, decode, read)
}
