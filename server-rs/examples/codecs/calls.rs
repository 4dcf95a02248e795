//! Parses and answers a typed call with nested dictionaries by serde_json alone. `pnpm bench:rpc` compares a server's
//! library with it. `loadgen/src/codecs/alone-calls.ts` is its twin.

use serde::{Deserialize, Serialize};

use crate::timing::Report;

#[derive(Deserialize, Serialize)]
struct Dict {
    str: String,
    d: f64,
    b: bool,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct NestedDict {
    top_str: String,
    top_d: f64,
    top_b: bool,
    nested: Dict,
}

#[derive(Deserialize)]
struct Call {
    params: (Vec<NestedDict>,),
    id: i64,
}

#[derive(Serialize)]
struct Response {
    jsonrpc: &'static str,
    result: Vec<NestedDict>,
    id: i64,
}

fn answer(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let Call { params: (result,), id } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    serde_json::to_vec(&Response { jsonrpc: "2.0", result, id }).map_err(|error| error.to_string())
}

/// Returns the number of values of a call, after checking the shape of its answer.
fn checked(line: &str) -> Result<usize, String> {
    #[derive(Deserialize)]
    struct Answer {
        result: Vec<NestedDict>,
    }
    let call: Call = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let answer: Answer =
        serde_json::from_slice(&answer(line.as_bytes())?).map_err(|error| error.to_string())?;
    let (values,) = &call.params;
    let texts = |value: &NestedDict| (value.top_str.clone(), value.nested.str.clone());
    if values.iter().map(texts).eq(answer.result.iter().map(texts)) {
        Ok(values.len())
    } else {
        Err("what comes back differs from what went in".to_owned())
    }
}

pub(crate) fn measure(report: &Report<'_>, lines: &[&str]) -> Result<(), String> {
    let line = lines.first().copied().unwrap_or_default();
    let values = checked(line)?;
    if values != report.count {
        return Err(format!("the call has {values} values instead of {}", report.count));
    }
    let samples = report.time(|| answer(line.as_bytes()))?;
    report.print("bytes", line.len(), values as u64, &samples);
    Ok(())
}
