//! Renders events as an Arrow IPC stream: a record batch per page (rule FMT-09).
//!
//! Invariant: a batch has dictionaries of its own, with values in the order of the rows. A page has at most
//! `export_page_rows` rows, so that every key fits into an int16.

use std::collections::HashMap as StdMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int8Builder, Int16Builder, Int64Builder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use hashbrown::HashMap;

use crate::contract::VERSION;
use crate::field::{ArrowType, COLUMNS, Column};
use crate::render::snapshot::SnapshotHead;
use crate::render::stored::{StoredRow, StoredValue};

/// An Arrow IPC stream in memory, taken page by page.
pub(crate) struct ArrowPages {
    schema: SchemaRef,
    writer: StreamWriter<Vec<u8>>,
}

impl ArrowPages {
    /// Starts a stream with its schema; the metadata of the schema holds the head of a snapshot.
    pub(crate) fn new(head: Option<&SnapshotHead<'_>>) -> Result<Self, ArrowError> {
        let fields: Vec<Field> = COLUMNS.iter().map(field_of).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata_of(head)));
        Ok(Self { writer: StreamWriter::try_new(Vec::new(), &schema)?, schema })
    }

    /// Appends a page as a record batch, unless the page has no rows.
    pub(crate) fn push(&mut self, page: ArrowPage) -> Result<(), ArrowError> {
        if page.rows == 0 {
            return Ok(());
        }
        let columns = page.columns.into_iter().map(Builder::finish).collect::<Result<_, _>>()?;
        self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self) -> Result<(), ArrowError> {
        self.writer.finish()
    }

    /// Takes the bytes written since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.get_mut())
    }
}

/// The rows of one page.
pub(crate) struct ArrowPage {
    columns: Vec<Builder>,
    rows: usize,
}

impl Default for ArrowPage {
    fn default() -> Self {
        Self { columns: COLUMNS.iter().map(Builder::new).collect(), rows: 0 }
    }
}

impl ArrowPage {
    /// Appends a row.
    pub(crate) fn row(&mut self, row: &StoredRow<'_>) {
        self.rows += 1;
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
}

fn metadata_of(head: Option<&SnapshotHead<'_>>) -> StdMap<String, String> {
    let mut metadata = StdMap::from([("contract".to_owned(), (*VERSION).to_owned())]);
    if let Some(head) = head {
        metadata.insert("topic".to_owned(), head.topic.to_owned());
        metadata.insert("epoch".to_owned(), head.epoch.to_owned());
        metadata.insert("revision".to_owned(), head.revision.to_string());
        if let Some(since) = head.since {
            metadata.insert("since".to_owned(), since.to_string());
        }
        if head.is_reset {
            metadata.insert("reset".to_owned(), "true".to_owned());
        }
    }
    metadata
}

fn field_of(column: &Column) -> Field {
    let data_type = match column.arrow {
        ArrowType::Int8 => DataType::Int8,
        ArrowType::Int64 => DataType::Int64,
        ArrowType::Float64 => DataType::Float64,
        ArrowType::Bool => DataType::Boolean,
        ArrowType::Utf8 => DataType::Utf8,
        ArrowType::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
        ArrowType::Dictionary => DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8)),
    };
    Field::new(column.name, data_type, column.is_nullable)
}

const UTC: &str = "UTC";

/// One column of a page.
enum Builder {
    Int8(Int8Builder),
    Int64(Int64Builder),
    Float64(Float64Builder),
    Bool(BooleanBuilder),
    Utf8(StringBuilder),
    Timestamp(TimestampMillisecondBuilder),
    Dictionary(Int16Builder, Dictionary),
}

/// The values of a dictionary in the order of the rows.
#[derive(Default)]
struct Dictionary {
    keys: HashMap<i64, i16>,
    values: Vec<Rc<str>>,
}

impl Dictionary {
    fn key(&mut self, id: i64, text: &Rc<str>) -> i16 {
        *self.keys.entry(id).or_insert_with(|| {
            self.values.push(Rc::clone(text));
            i16::try_from(self.values.len() - 1).unwrap_or(i16::MAX)
        })
    }
}

impl Builder {
    fn new(column: &Column) -> Self {
        match column.arrow {
            ArrowType::Int8 => Self::Int8(Int8Builder::new()),
            ArrowType::Int64 => Self::Int64(Int64Builder::new()),
            ArrowType::Float64 => Self::Float64(Float64Builder::new()),
            ArrowType::Bool => Self::Bool(BooleanBuilder::new()),
            ArrowType::Utf8 => Self::Utf8(StringBuilder::new()),
            ArrowType::Timestamp => Self::Timestamp(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            ArrowType::Dictionary => Self::Dictionary(Int16Builder::new(), Dictionary::default()),
        }
    }

    fn push(&mut self, value: &StoredValue<'_>) {
        match (self, value) {
            (Self::Int8(out), StoredValue::Integer(value)) => {
                out.append_value(i8::try_from(*value).unwrap_or_default())
            }
            (Self::Int64(out), StoredValue::Integer(value)) => out.append_value(*value),
            (Self::Float64(out), StoredValue::Dollars(value)) => out.append_value(*value),
            (Self::Bool(out), StoredValue::Boolean(value)) => out.append_value(*value),
            (Self::Utf8(out), StoredValue::Text(text) | StoredValue::Json(text)) => out.append_value(text),
            (Self::Timestamp(out), StoredValue::Timestamp(ms)) => out.append_value(*ms),
            (Self::Dictionary(out, dictionary), StoredValue::Name(id, text)) => {
                out.append_value(dictionary.key(*id, text));
            }
            // Null, or a value that its column cannot hold.
            (Self::Int8(out), _) => out.append_null(),
            (Self::Int64(out), _) => out.append_null(),
            (Self::Float64(out), _) => out.append_null(),
            (Self::Bool(out), _) => out.append_null(),
            (Self::Utf8(out), _) => out.append_null(),
            (Self::Timestamp(out), _) => out.append_null(),
            (Self::Dictionary(out, _), _) => out.append_null(),
        }
    }

    fn finish(self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Int8(mut out) => Arc::new(out.finish()),
            Self::Int64(mut out) => Arc::new(out.finish()),
            Self::Float64(mut out) => Arc::new(out.finish()),
            Self::Bool(mut out) => Arc::new(out.finish()),
            Self::Utf8(mut out) => Arc::new(out.finish()),
            Self::Timestamp(mut out) => Arc::new(out.finish()),
            Self::Dictionary(mut keys, Dictionary { values, .. }) => {
                let values = StringArray::from_iter_values(values);
                Arc::new(DictionaryArray::try_new(keys.finish(), Arc::new(values))?)
            }
        })
    }
}
