//! Defines events as a program that uses a library holds them. JSON and MessagePack have the names of the fields,
//! Protobuf is a message. Metadata stays JSON text in all of them.

use std::hint::black_box;
use std::sync::LazyLock;

use ingest_server::timestamp::parse_timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// JSON text in the form that the codec has for it.
pub(crate) trait Text: Serialize + DeserializeOwned + Clone {
    fn of(text: &str) -> Result<Self, String>;
    fn text(&self) -> &str;
}

impl Text for String {
    fn of(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn text(&self) -> &str {
        self
    }
}

impl Text for Box<RawValue> {
    fn of(text: &str) -> Result<Self, String> {
        RawValue::from_string(text.to_owned()).map_err(|error| error.to_string())
    }
    fn text(&self) -> &str {
        self.get()
    }
}

macro_rules! event {
    ($($text:ident),+; $($integer:ident),+) => {
        #[derive(Clone, Serialize, Deserialize)]
        #[serde(bound(deserialize = "M: DeserializeOwned"))]
        pub(crate) struct Event<M> {
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $text: Option<String>,)+
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $integer: Option<u64>,)+
            #[serde(default, skip_serializing_if = "Option::is_none")]
            cost_usd: Option<f64>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            metadata: Option<M>,
        }

        impl<M: Text> Event<M> {
            /// Reads every field; returns the number of fields. A zero counts as absent, since Protobuf cannot tell
            /// the two apart.
            fn read(&self) -> u64 {
                let texts = [$(&self.$text),+];
                let integers = [$(self.$integer),+];
                let length: usize = texts.iter().filter_map(|text| text.as_ref().map(String::len)).sum();
                let sum: u64 = integers.iter().flatten().sum();
                let metadata = self.metadata.as_ref().map(|metadata| metadata.text().len());
                black_box((length, sum, self.cost_usd, metadata));
                let texts = texts.iter().filter(|text| text.is_some()).count();
                let integers = integers.iter().filter(|integer| integer.is_some_and(|integer| integer != 0)).count();
                let others = usize::from(self.cost_usd.is_some_and(|cost| cost != 0.0)) + usize::from(metadata.is_some());
                (texts + integers + others) as u64
            }
        }

        impl<M: Text> PartialEq for Event<M> {
            fn eq(&self, other: &Self) -> bool {
                let metadata = |event: &Self| event.metadata.as_ref().map(|metadata| metadata.text().to_owned());
                $(self.$text == other.$text)&&+ && $(self.$integer == other.$integer)&&+
                    && self.cost_usd == other.cost_usd && metadata(self) == metadata(other)
            }
        }
    };
}

event!(
    session_id, agent_type, event_type, status, event_id, tool_name, branch, project, model, source_event, call_id,
    agent_id, client_timestamp, source;
    duration_ms, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens
);

/// A batch in a format that contains field names.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "M: Text", serialize = "M: Text"))]
pub(crate) struct Codec<M: Text> {
    events: Vec<Event<M>>,
}

impl<M: Text> PartialEq for Codec<M> {
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events
    }
}

impl<M: Text> Codec<M> {
    pub(crate) fn parse(lines: &[&str]) -> Result<Self, String> {
        let event = |line: &&str| {
            let Event { metadata, .. } =
                serde_json::from_str::<Event<Box<RawValue>>>(line).map_err(text_of)?;
            let bare = without_metadata(line)?;
            let event: Event<M> = serde_json::from_str(&bare).map_err(text_of)?;
            let metadata = metadata.map(|metadata| M::of(metadata.get())).transpose()?;
            Ok::<_, String>(Event { metadata, ..event })
        };
        Ok(Self { events: lines.iter().map(event).collect::<Result<_, _>>()? })
    }
}

/// Returns a line of JSON without its metadata, which is compared as text.
fn without_metadata(line: &str) -> Result<String, String> {
    let mut value: Value = serde_json::from_str(line).map_err(text_of)?;
    if let Some(event) = value.as_object_mut() {
        event.remove("metadata");
    }
    Ok(value.to_string())
}

pub(crate) fn read_batch<M: Text>(batch: &Codec<M>) -> u64 {
    batch.events.iter().map(Event::read).sum()
}

pub(crate) fn to_lines(batch: &Codec<Box<RawValue>>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for event in &batch.events {
        serde_json::to_writer(&mut bytes, event).map_err(text_of)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

pub(crate) fn from_lines(bytes: &[u8]) -> Result<Codec<Box<RawValue>>, String> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    Ok(Codec {
        events: lines.map(|line| serde_json::from_slice(line).map_err(text_of)).collect::<Result<_, _>>()?,
    })
}

/// Reads every value of parsed JSON. Returns the number of members of the events; zeros count as absent.
pub(crate) fn read_values(value: &Value) -> u64 {
    let events = value["events"].as_array().map(Vec::as_slice).unwrap_or_default();
    let members = events.iter().filter_map(Value::as_object);
    let is_read = |value: &Value| !black_box(value).is_null() && value.as_f64() != Some(0.0);
    members.flat_map(|event| event.values()).map(|value| u64::from(is_read(value))).sum()
}

fn text_of(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// An event as a Protobuf message, with the numbers of `contract/fields.json`. The suite compares its bytes with
/// those of the other language.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ProtoEvent {
    #[prost(string, optional, tag = "1")]
    session_id: Option<String>,
    #[prost(string, optional, tag = "2")]
    agent_type: Option<String>,
    #[prost(int32, tag = "3")]
    event_type: i32,
    #[prost(int32, tag = "4")]
    status: i32,
    #[prost(string, optional, tag = "5")]
    event_id: Option<String>,
    #[prost(string, optional, tag = "6")]
    tool_name: Option<String>,
    #[prost(string, optional, tag = "7")]
    branch: Option<String>,
    #[prost(string, optional, tag = "8")]
    project: Option<String>,
    #[prost(string, optional, tag = "9")]
    model: Option<String>,
    #[prost(uint64, optional, tag = "10")]
    duration_ms: Option<u64>,
    #[prost(uint64, tag = "11")]
    tokens_in: u64,
    #[prost(uint64, tag = "12")]
    tokens_out: u64,
    #[prost(uint64, tag = "13")]
    cache_read_tokens: u64,
    #[prost(uint64, tag = "14")]
    cache_write_tokens: u64,
    #[prost(double, optional, tag = "15")]
    cost_usd: Option<f64>,
    #[prost(int64, optional, tag = "16")]
    client_timestamp: Option<i64>,
    #[prost(int32, tag = "17")]
    source: i32,
    #[prost(bytes = "vec", optional, tag = "18")]
    metadata_json: Option<Vec<u8>>,
    #[prost(string, optional, tag = "23")]
    source_event: Option<String>,
    #[prost(string, optional, tag = "24")]
    call_id: Option<String>,
    #[prost(string, optional, tag = "25")]
    agent_id: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ProtoBatch {
    #[prost(message, repeated, tag = "1")]
    pub(crate) events: Vec<ProtoEvent>,
}

static VOCABULARY: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../contract/vocabulary.json")).unwrap_or_default()
});

/// Returns the position of a word in its list, from 1; 0 where the list does not hold it.
fn place(list: &str, word: Option<&str>) -> i32 {
    let words = VOCABULARY[list].as_array().map(Vec::as_slice).unwrap_or_default();
    let at = words.iter().position(|known| known.as_str() == word);
    at.and_then(|at| i32::try_from(at + 1).ok()).unwrap_or_default()
}

impl ProtoEvent {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let event: Event<Box<RawValue>> = serde_json::from_str(line).map_err(text_of)?;
        Ok(Self {
            event_type: place("event_types", event.event_type.as_deref()),
            status: place("statuses", event.status.as_deref()),
            source: place("sources", event.source.as_deref()),
            client_timestamp: event.client_timestamp.as_deref().and_then(parse_timestamp),
            metadata_json: event.metadata.map(|metadata| metadata.get().as_bytes().to_owned()),
            tokens_in: event.tokens_in.unwrap_or_default(),
            tokens_out: event.tokens_out.unwrap_or_default(),
            cache_read_tokens: event.cache_read_tokens.unwrap_or_default(),
            cache_write_tokens: event.cache_write_tokens.unwrap_or_default(),
            session_id: event.session_id,
            agent_type: event.agent_type,
            event_id: event.event_id,
            tool_name: event.tool_name,
            branch: event.branch,
            project: event.project,
            model: event.model,
            duration_ms: event.duration_ms,
            cost_usd: event.cost_usd,
            source_event: event.source_event,
            call_id: event.call_id,
            agent_id: event.agent_id,
        })
    }

    /// Reads every field; returns the number of fields.
    fn read(&self) -> u64 {
        let texts = [
            [
                &self.session_id,
                &self.agent_type,
                &self.event_id,
                &self.tool_name,
                &self.branch,
                &self.project,
            ],
            [&self.model, &self.source_event, &self.call_id, &self.agent_id, &None, &None],
        ];
        let texts = texts.as_flattened().iter().filter_map(|text| text.as_ref());
        let integers = [
            [u64::from(self.event_type != 0), u64::from(self.status != 0), u64::from(self.source != 0)],
            [self.tokens_in, self.tokens_out, self.cache_read_tokens],
            [
                self.cache_write_tokens,
                self.duration_ms.unwrap_or_default(),
                u64::from(self.cost_usd.is_some_and(|cost| cost != 0.0)),
            ],
        ];
        let metadata = self.metadata_json.as_ref().map(Vec::len);
        let length: usize = texts.clone().map(String::len).sum();
        black_box((length, self.cost_usd, self.client_timestamp, metadata));
        let integers = integers.as_flattened().iter().filter(|&&integer| integer != 0).count();
        let others = usize::from(self.client_timestamp.is_some()) + usize::from(metadata.is_some());
        (texts.count() + integers + others) as u64
    }
}

pub(crate) fn read_protobuf(batch: &ProtoBatch) -> u64 {
    batch.events.iter().map(ProtoEvent::read).sum()
}
