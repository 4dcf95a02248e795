//! Measures codecs alone: the same events to bytes and back in one format, every field read, without a server.
//!
//! A tool of `pnpm bench:codecs`, not part of the deployed server. `loadgen/src/codecs/alone-main.ts` is its twin.
//! Invariant: before timing anything, the program checks that decoding returns the encoded events. stdout holds one
//! line of JSON for each measured step. Exits with 2 for a wrong flag, with 1 for any other failure.

mod calls;
mod columns;
mod event;
mod flags;
mod procwire;
mod timing;

use std::process::ExitCode;

use event::{Codec, ProtoBatch, ProtoEvent, read_batch, read_protobuf, read_values};
use flags::{Flags, parse_flags};
use serde_json::{Value, value::RawValue};
use timing::{Report, round_trip};

const WRONG_FLAG: u8 = 2;

/// Measures one codec over batches of each size.
fn measure(flags: &Flags) -> Result<(), String> {
    let text = std::fs::read_to_string(&flags.events).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return Err("there is no event".to_owned());
    }
    for &count in &flags.counts {
        let report = Report { codec: &flags.codec, count, seconds: flags.seconds };
        match flags.codec.as_str() {
            "arrow" => columns::measure_events(&report, &lines)?,
            "arrow procwire" => columns::measure_procwire(&report)?,
            "json calls" => calls::measure(&report, &lines)?,
            "json procwire" => procwire::measure_json(&report)?,
            "msgpack procwire" => procwire::measure_msgpack(&report)?,
            "protobuf procwire" => procwire::measure_protobuf(&report)?,
            codec => measure_events(codec, &report, &lines[..count.min(lines.len())])?,
        }
    }
    Ok(())
}

fn measure_events(codec: &str, report: &Report<'_>, lines: &[&str]) -> Result<(), String> {
    match codec {
        "json" => {
            let batch = Codec::<Box<RawValue>>::parse(lines)?;
            let encode = |batch: &_| serde_json::to_vec(batch).map_err(|error| error.to_string());
            let decode = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|error| error.to_string());
            round_trip(report, &batch, encode, decode, read_batch)
        }
        "ndjson" => {
            let batch = Codec::<Box<RawValue>>::parse(lines)?;
            round_trip(report, &batch, event::to_lines, event::from_lines, read_batch)
        }
        "msgpack" => {
            let batch = Codec::<String>::parse(lines)?;
            let encode = |batch: &_| rmp_serde::to_vec_named(batch).map_err(|error| error.to_string());
            let decode = |bytes: &[u8]| rmp_serde::from_slice(bytes).map_err(|error| error.to_string());
            round_trip(report, &batch, encode, decode, read_batch)
        }
        "protobuf" => {
            let events = lines.iter().map(|line| ProtoEvent::parse(line)).collect::<Result<_, _>>()?;
            let encode = |batch: &ProtoBatch| Ok(prost::Message::encode_to_vec(batch));
            let decode = |bytes: &[u8]| prost::Message::decode(bytes).map_err(|error| error.to_string());
            round_trip(report, &ProtoBatch { events }, encode, decode, read_protobuf)
        }
        "json reference" => {
            let text = format!("{{\"events\":[{}]}}", lines.join(","));
            let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let encode = |value: &_| serde_json::to_vec(value).map_err(|error| error.to_string());
            let decode = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|error| error.to_string());
            round_trip(report, &value, encode, decode, read_values)
        }
        other => Err(format!("there is no codec {other}")),
    }
}

fn main() -> ExitCode {
    let flags = match parse_flags(std::env::args_os().skip(1)) {
        Ok(flags) => flags,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(WRONG_FLAG);
        }
    };
    match measure(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{}: {problem}", flags.codec);
            ExitCode::FAILURE
        }
    }
}
