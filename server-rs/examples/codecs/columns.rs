//! Measures Arrow alone: stored rows as columns of `contract/fields.json`, and procwire's five columns.
//!
//! Each run turns rows into columns, columns into bytes and bytes into columns. Two queries then read the columns: a
//! sum, and a count by name. Invariant: the queries have the same answers before and after.

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int8Builder, Int64Builder, StringBuilder, StringDictionaryBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int16Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use ingest_server::timestamp::parse_timestamp;
use serde_json::{Map, Value, json};

use crate::timing::Report;

type Row = Map<String, Value>;

/// Rows of one record batch (`export_page_rows` of `contract/limits.json`).
const BATCH_ROWS: usize = 8192;
/// Unix milliseconds of every row; the value does not matter.
const CREATED_AT: i64 = 1_770_000_000_000;
const CATEGORIES: usize = 10;

/// Answers of the two queries: a sum, and the number of rows of each name.
type Answers = (f64, Vec<(String, u64)>);

pub(crate) fn measure_events(report: &Report<'_>, lines: &[&str]) -> Result<(), String> {
    let fields: Value = serde_json::from_str(include_str!("../../../contract/fields.json"))
        .map_err(|error| error.to_string())?;
    let events = lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<Vec<Row>, _>>();
    let events = events.map_err(|error| error.to_string())?;
    let rows: Vec<Row> = (0..report.count).map(|i| stored(&events[i % events.len()], i)).collect();
    let build = || rows.chunks(BATCH_ROWS).map(|rows| columns(&fields, rows)).collect::<Result<Vec<_>, _>>();
    measure(report, build, answers_of_events)
}

/// Returns the event as a server stores it.
fn stored(event: &Row, index: usize) -> Row {
    let mut row = event.clone();
    let metadata = row.get("metadata").map_or_else(|| "{}".to_owned(), Value::to_string);
    row.extend([
        ("id".to_owned(), json!(index + 1)),
        ("schema_version".to_owned(), json!(1)),
        ("payload_truncated".to_owned(), json!(false)),
        ("metadata".to_owned(), json!(metadata)),
    ]);
    row
}

/// Builds a column for each member of a row, of the type that the contract gives it.
fn columns(fields: &Value, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let names = fields["row"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = names.iter().filter_map(Value::as_str).map(|name| {
        let known = [&fields["fields"][name], &fields["server_columns"][name]];
        let known = known.into_iter().find(|known| known.is_object()).unwrap_or(&Value::Null);
        let is_nullable = known.get("default").is_some_and(Value::is_null);
        let array = column(known["arrow"].as_str().unwrap_or_default(), name, &known["default"], rows)?;
        Ok((Field::new(name, array.data_type().clone(), is_nullable), array))
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
        named.collect::<Result<Vec<_>, ArrowError>>()?.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn column(kind: &str, name: &str, default: &Value, rows: &[Row]) -> Result<ArrayRef, ArrowError> {
    let values = rows.iter().map(|row| row.get(name).filter(|value| !value.is_null()).unwrap_or(default));
    let texts = values.clone().map(Value::as_str);
    let integers = values.clone().map(Value::as_i64);
    Ok(match kind {
        "dictionary" => {
            let mut builder = StringDictionaryBuilder::<Int16Type>::new();
            for text in texts {
                builder.append_option(text.or((name == "status").then_some("success")));
            }
            Arc::new(builder.finish())
        }
        "utf8" => {
            let mut builder = StringBuilder::new();
            texts.for_each(|text| builder.append_option(text));
            Arc::new(builder.finish())
        }
        "int64" => {
            let mut builder = Int64Builder::new();
            integers.for_each(|integer| builder.append_option(integer));
            Arc::new(builder.finish())
        }
        "int8" => {
            let mut builder = Int8Builder::new();
            integers.for_each(|integer| {
                builder.append_option(integer.and_then(|integer| i8::try_from(integer).ok()))
            });
            Arc::new(builder.finish())
        }
        "float64" => {
            let mut builder = Float64Builder::new();
            values.for_each(|value| builder.append_option(value.as_f64()));
            Arc::new(builder.finish())
        }
        "bool" => {
            let mut builder = BooleanBuilder::new();
            values.for_each(|value| builder.append_option(value.as_bool()));
            Arc::new(builder.finish())
        }
        "timestamp" => {
            let mut builder = TimestampMillisecondBuilder::new().with_timezone("UTC");
            for text in texts {
                builder.append_option(
                    text.and_then(parse_timestamp).or((name == "created_at").then_some(CREATED_AT)),
                );
            }
            Arc::new(builder.finish())
        }
        other => return Err(ArrowError::SchemaError(format!("{name} is of no known type: {other}"))),
    })
}

/// Computes the sum of input tokens, and the number of events of each tool.
fn answers_of_events(batches: &[RecordBatch]) -> Option<Answers> {
    let (mut sum, mut counts) = (0, Vec::new());
    for batch in batches {
        sum +=
            batch.column_by_name("tokens_in")?.as_primitive_opt::<Int64Type>()?.values().iter().sum::<i64>();
        let tools = batch.column_by_name("tool_name")?.as_dictionary_opt::<Int16Type>()?;
        let names = tools.values().as_string_opt::<i32>()?;
        let mut by_key = vec![0_u64; names.len()];
        for key in tools.keys().iter().flatten() {
            *by_key.get_mut(usize::try_from(key).ok()?)? += 1;
        }
        names.iter().flatten().zip(by_key).for_each(|(name, count)| add(&mut counts, name, count));
    }
    #[expect(clippy::cast_precision_loss, reason = "the sum of a benchmark is far below 2^53")]
    Some((sum as f64, counts))
}

fn add(counts: &mut Vec<(String, u64)>, name: &str, count: u64) {
    match counts.iter_mut().find(|(known, _)| known == name) {
        Some((_, sum)) => *sum += count,
        None => counts.push((name.to_owned(), count)),
    }
}

/// Measures procwire's five columns: `int32 id`, `utf8 name`, `f64 value`, `i64 timestamp`, `utf8 category`.
pub(crate) fn measure_procwire(report: &Report<'_>) -> Result<(), String> {
    let field = |name: &str, kind| Field::new(name, kind, false);
    let schema = Arc::new(Schema::new(vec![
        field("id", DataType::Int32),
        field("name", DataType::Utf8),
        field("value", DataType::Float64),
        field("timestamp", DataType::Int64),
        field("category", DataType::Utf8),
    ]));
    let build = || {
        let numbers = 0..i32::try_from(report.count).unwrap_or(i32::MAX);
        let category = |i: i32| format!("cat_{}", usize::try_from(i).unwrap_or_default() % CATEGORIES);
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(numbers.clone())),
            Arc::new(StringArray::from_iter_values(numbers.clone().map(|i| format!("item_{i}")))),
            Arc::new(Float64Array::from_iter_values(numbers.clone().map(|i| f64::from(i) * 0.5))),
            Arc::new(Int64Array::from_iter_values(numbers.clone().map(|i| CREATED_AT + i64::from(i)))),
            Arc::new(StringArray::from_iter_values(numbers.map(category))),
        ];
        RecordBatch::try_new(Arc::clone(&schema), arrays).map(|batch| vec![batch])
    };
    measure(report, build, answers_of_procwire)
}

fn answers_of_procwire(batches: &[RecordBatch]) -> Option<Answers> {
    let (mut sum, mut counts) = (0.0, Vec::new());
    for batch in batches {
        sum += batch.column_by_name("value")?.as_primitive_opt::<Float64Type>()?.values().iter().sum::<f64>();
        let categories = batch.column_by_name("category")?.as_string_opt::<i32>()?;
        categories.iter().flatten().for_each(|name| add(&mut counts, name, 1));
    }
    Some((sum, counts))
}

fn measure(
    report: &Report<'_>,
    build: impl Fn() -> Result<Vec<RecordBatch>, ArrowError>,
    answers: impl Fn(&[RecordBatch]) -> Option<Answers>,
) -> Result<(), String> {
    let text = |error: ArrowError| error.to_string();
    let ask = |batches: &[RecordBatch]| answers(batches).ok_or_else(|| "a column is missing".to_owned());
    let batches = build().map_err(text)?;
    let bytes = encode(&batches).map_err(text)?;
    let decoded = decode(&bytes).map_err(text)?;
    if ask(&decoded)? != ask(&batches)? || decoded != batches {
        return Err("what comes back differs from what went in".to_owned());
    }
    let columns = batches.first().map_or(0, RecordBatch::num_columns) as u64;
    let fields = columns * report.count as u64;
    let print = |step: &str, samples: Vec<u64>| report.print(step, bytes.len(), fields, &samples);
    print("build", report.time(|| build().map_err(text))?);
    print("encode", report.time(|| encode(black_box(&batches)).map_err(text))?);
    print("decode", report.time(|| decode(black_box(&bytes)).map_err(text))?);
    print("sum and group", report.time(|| ask(black_box(&decoded)))?);
    let whole = || encode(black_box(&batches)).and_then(|bytes| decode(&bytes)).map_err(text);
    print("all", report.time(|| whole().and_then(|batches| ask(&batches)))?);
    Ok(())
}

fn encode(batches: &[RecordBatch]) -> Result<Vec<u8>, ArrowError> {
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let mut writer = StreamWriter::try_new(Vec::new(), &first.schema())?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.into_inner()
}

fn decode(bytes: &[u8]) -> Result<Vec<RecordBatch>, ArrowError> {
    StreamReader::try_new(bytes, None)?.collect()
}
