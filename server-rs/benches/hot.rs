//! Times the pure hot parts one by one: the cost of an event before SQLite, and the cost of its answer after it.
//!
//! `pnpm bench:hot` runs these together with those of the other twin. Both use the same names and the same events.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ingest_server::event::{Outcome, Outcomes};
use ingest_server::json::scan_batch;
use ingest_server::render::outcomes::batch_json;
use ingest_server::store::event_key::EventKey;
use ingest_server::store::key_filter::{KeyFilter, KeyHash};
use ingest_server::validate::validate_event;

const EVENTS: u64 = 50;
const MAX_METADATA_BYTES: usize = 10_240;
const FILTER_KEYS: i64 = 131_072;

/// Returns the event of about 430 bytes in `contract/example-event.json`, with an `event_id` of its own.
fn body() -> String {
    let template = include_str!("../../contract/example-event.json").trim_end();
    let events: Vec<String> = (0..EVENTS)
        .map(|n| template.replace("00000000-0000-4000-8000-000000000000", &uuid(u128::from(n))))
        .collect();
    format!("{{\"events\":[{}]}}", events.join(","))
}

/// Returns keys that are spread like random ones.
fn key(n: u128) -> u128 {
    (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

fn uuid(n: u128) -> String {
    let hex = format!("{:032x}", key(n));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn decode(c: &mut Criterion) {
    let body = body();
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(EVENTS));
    group.bench_function("scan", |b| b.iter(|| scan_batch(black_box(&body), usize::MAX)));
    let raws = scan_batch(&body, usize::MAX).ok().flatten().map(|batch| batch.events).unwrap_or_default();
    group.bench_function("validate", |b| {
        b.iter(|| {
            for raw in &raws {
                drop(black_box(validate_event(&body, raw, MAX_METADATA_BYTES)));
            }
        });
    });
    group.finish();
}

fn dedup(c: &mut Criterion) {
    let mut group = c.benchmark_group("dedup");
    group.throughput(Throughput::Elements(EVENTS));
    let ids: Vec<String> = (0..u128::from(EVENTS)).map(uuid).collect();
    group.bench_function("key of a UUID", |b| {
        b.iter(|| ids.iter().fold(0, |sum, id| sum ^ EventKey::new(black_box(id)).bits()));
    });
    let texts: Vec<String> = (0..EVENTS).map(|n| format!("toolu_01MGqJNAucDoKPyZKrzvWL{n}")).collect();
    group.bench_function("key of a text", |b| {
        b.iter(|| texts.iter().fold(0, |sum, id| sum ^ EventKey::new(black_box(id)).bits()));
    });
    let mut filter = KeyFilter::for_keys(FILTER_KEYS);
    (0..FILTER_KEYS.cast_unsigned()).for_each(|n| filter.insert(KeyHash::new(key(u128::from(n)))));
    let others: Vec<u128> = (0..u128::from(EVENTS)).map(|n| key(n << 40)).collect();
    group.bench_function("filter of a new key", |b| {
        b.iter(|| others.iter().filter(|other| filter.may_contain(KeyHash::new(black_box(**other)))).count());
    });
    group.finish();
}

fn encode(c: &mut Criterion) {
    let mut group = c.benchmark_group("encode");
    group.throughput(Throughput::Elements(EVENTS));
    let events = (1..=EVENTS.cast_signed()).map(Outcome::Stored).collect();
    let batch = Outcomes { events, lines: Vec::new() };
    group.bench_function("answer", |b| b.iter(|| batch_json(black_box(&batch), EVENTS.cast_signed(), false)));
    group.finish();
}

criterion_group!(benches, decode, dedup, encode);
criterion_main!(benches);
