//! Generated from `contract/fields.json` by `pnpm contract:update`: the message `Event` of `ingest/v1/event.proto`.
//!
//! Texts are declared as bytes, which have the same wire form. The library then borrows them instead of copying.

use bytes::Bytes;

use super::protobuf::Sent;
use super::protobuf_check::WireForm;
use crate::field::Field;

/// An event as a client sends it.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct EventMessage {
    #[prost(bytes = "bytes", optional, tag = "1")]
    session_id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    agent_type: Option<Bytes>,
    #[prost(int32, optional, tag = "3")]
    event_type: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    status: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "5")]
    event_id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "6")]
    tool_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "7")]
    branch: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "8")]
    project: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "9")]
    model: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "23")]
    source_event: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "24")]
    call_id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "25")]
    agent_id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "27")]
    response_id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "28")]
    service_tier: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "29")]
    subagent: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "30")]
    skill: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "31")]
    mcp_server: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "32")]
    host: Option<Bytes>,
    #[prost(uint64, optional, tag = "10")]
    duration_ms: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    tokens_in: Option<u64>,
    #[prost(uint64, optional, tag = "12")]
    tokens_out: Option<u64>,
    #[prost(uint64, optional, tag = "13")]
    cache_read_tokens: Option<u64>,
    #[prost(uint64, optional, tag = "14")]
    cache_write_tokens: Option<u64>,
    #[prost(uint64, optional, tag = "33")]
    cache_write_1h_tokens: Option<u64>,
    #[prost(double, optional, tag = "15")]
    cost_usd: Option<f64>,
    #[prost(int64, optional, tag = "16")]
    client_timestamp: Option<i64>,
    #[prost(int64, optional, tag = "34")]
    arrived_at: Option<i64>,
    #[prost(int32, optional, tag = "17")]
    source: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "18")]
    metadata: Option<Bytes>,
}

impl EventMessage {
    /// Calls the function with each field of the message, in order.
    pub(super) fn visit<'a>(&'a self, mut visit: impl FnMut(Field, Sent<'a>)) {
        if let Some(value) = &self.session_id {
            visit(Field::SessionId, Sent::Text(value));
        }
        if let Some(value) = &self.agent_type {
            visit(Field::AgentType, Sent::Text(value));
        }
        if let Some(value) = self.event_type {
            visit(Field::EventType, Sent::Choice(value));
        }
        if let Some(value) = self.status {
            visit(Field::Status, Sent::Choice(value));
        }
        if let Some(value) = &self.event_id {
            visit(Field::EventId, Sent::Text(value));
        }
        if let Some(value) = &self.tool_name {
            visit(Field::ToolName, Sent::Text(value));
        }
        if let Some(value) = &self.branch {
            visit(Field::Branch, Sent::Text(value));
        }
        if let Some(value) = &self.project {
            visit(Field::Project, Sent::Text(value));
        }
        if let Some(value) = &self.model {
            visit(Field::Model, Sent::Text(value));
        }
        if let Some(value) = &self.source_event {
            visit(Field::SourceEvent, Sent::Text(value));
        }
        if let Some(value) = &self.call_id {
            visit(Field::CallId, Sent::Text(value));
        }
        if let Some(value) = &self.agent_id {
            visit(Field::AgentId, Sent::Text(value));
        }
        if let Some(value) = &self.response_id {
            visit(Field::ResponseId, Sent::Text(value));
        }
        if let Some(value) = &self.service_tier {
            visit(Field::ServiceTier, Sent::Text(value));
        }
        if let Some(value) = &self.subagent {
            visit(Field::Subagent, Sent::Text(value));
        }
        if let Some(value) = &self.skill {
            visit(Field::Skill, Sent::Text(value));
        }
        if let Some(value) = &self.mcp_server {
            visit(Field::McpServer, Sent::Text(value));
        }
        if let Some(value) = &self.host {
            visit(Field::Host, Sent::Text(value));
        }
        if let Some(value) = self.duration_ms {
            visit(Field::DurationMs, Sent::Integer(value));
        }
        if let Some(value) = self.tokens_in {
            visit(Field::TokensIn, Sent::Integer(value));
        }
        if let Some(value) = self.tokens_out {
            visit(Field::TokensOut, Sent::Integer(value));
        }
        if let Some(value) = self.cache_read_tokens {
            visit(Field::CacheReadTokens, Sent::Integer(value));
        }
        if let Some(value) = self.cache_write_tokens {
            visit(Field::CacheWriteTokens, Sent::Integer(value));
        }
        if let Some(value) = self.cache_write_1h_tokens {
            visit(Field::CacheWrite1hTokens, Sent::Integer(value));
        }
        if let Some(value) = self.cost_usd {
            visit(Field::CostUsd, Sent::Dollars(value));
        }
        if let Some(value) = self.client_timestamp {
            visit(Field::ClientTimestamp, Sent::Timestamp(value));
        }
        if let Some(value) = self.arrived_at {
            visit(Field::ArrivedAt, Sent::Timestamp(value));
        }
        if let Some(value) = self.source {
            visit(Field::Source, Sent::Choice(value));
        }
        if let Some(value) = &self.metadata {
            visit(Field::Metadata, Sent::Json(value));
        }
    }
}

/// Returns the wire form of a known field of an event.
pub(super) fn wire_form(number: u64) -> Option<WireForm> {
    Some(match number {
        1 | 2 | 5 | 6 | 7 | 8 | 9 | 23 | 24 | 25 | 27 | 28 | 29 | 30 | 31 | 32 => WireForm::Text,
        3 | 4 | 10 | 11 | 12 | 13 | 14 | 16 | 17 | 19 | 20 | 21 | 22 | 33 | 34 | 35 | 36 | 37 => {
            WireForm::Varint
        }
        15 | 26 => WireForm::Fixed64,
        18 => WireForm::Bytes,
        _ => return None,
    })
}
