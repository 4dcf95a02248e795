//! Generated from `contract/fields.json` by `pnpm contract:update`: the columns of a row.

use super::{ArrowType, Column, ColumnKind};
use crate::contract::vocabulary::{event_type, source, status};

/// The columns of a row, in their order (rule GET-02).
pub const COLUMNS: [Column; 26] = [
    Column {
        name: "id",
        kind: ColumnKind::Integer,
        protobuf: 19,
        arrow: ArrowType::Int64,
        is_nullable: false,
    },
    Column {
        name: "event_id",
        kind: ColumnKind::Text,
        protobuf: 5,
        arrow: ArrowType::Utf8,
        is_nullable: true,
    },
    Column {
        name: "schema_version",
        kind: ColumnKind::Constant(1),
        protobuf: 20,
        arrow: ArrowType::Int8,
        is_nullable: false,
    },
    Column {
        name: "session_id",
        kind: ColumnKind::Session,
        protobuf: 1,
        arrow: ArrowType::Dictionary,
        is_nullable: false,
    },
    Column {
        name: "agent_type",
        kind: ColumnKind::Name,
        protobuf: 2,
        arrow: ArrowType::Dictionary,
        is_nullable: false,
    },
    Column {
        name: "event_type",
        kind: ColumnKind::Choice(event_type::ALL),
        protobuf: 3,
        arrow: ArrowType::Dictionary,
        is_nullable: false,
    },
    Column {
        name: "tool_name",
        kind: ColumnKind::Name,
        protobuf: 6,
        arrow: ArrowType::Dictionary,
        is_nullable: true,
    },
    Column {
        name: "status",
        kind: ColumnKind::Choice(status::ALL),
        protobuf: 4,
        arrow: ArrowType::Dictionary,
        is_nullable: false,
    },
    Column {
        name: "tokens_in",
        kind: ColumnKind::Integer,
        protobuf: 11,
        arrow: ArrowType::Int64,
        is_nullable: false,
    },
    Column {
        name: "tokens_out",
        kind: ColumnKind::Integer,
        protobuf: 12,
        arrow: ArrowType::Int64,
        is_nullable: false,
    },
    Column {
        name: "cache_read_tokens",
        kind: ColumnKind::Integer,
        protobuf: 13,
        arrow: ArrowType::Int64,
        is_nullable: false,
    },
    Column {
        name: "cache_write_tokens",
        kind: ColumnKind::Integer,
        protobuf: 14,
        arrow: ArrowType::Int64,
        is_nullable: false,
    },
    Column {
        name: "branch",
        kind: ColumnKind::Name,
        protobuf: 7,
        arrow: ArrowType::Dictionary,
        is_nullable: true,
    },
    Column {
        name: "project",
        kind: ColumnKind::Name,
        protobuf: 8,
        arrow: ArrowType::Dictionary,
        is_nullable: true,
    },
    Column {
        name: "duration_ms",
        kind: ColumnKind::Integer,
        protobuf: 10,
        arrow: ArrowType::Int64,
        is_nullable: true,
    },
    Column {
        name: "model",
        kind: ColumnKind::Name,
        protobuf: 9,
        arrow: ArrowType::Dictionary,
        is_nullable: true,
    },
    Column {
        name: "cost_usd",
        kind: ColumnKind::Dollars,
        protobuf: 15,
        arrow: ArrowType::Float64,
        is_nullable: true,
    },
    Column {
        name: "computed_cost_usd",
        kind: ColumnKind::Dollars,
        protobuf: 26,
        arrow: ArrowType::Float64,
        is_nullable: true,
    },
    Column {
        name: "source",
        kind: ColumnKind::Choice(source::ALL),
        protobuf: 17,
        arrow: ArrowType::Dictionary,
        is_nullable: false,
    },
    Column {
        name: "source_event",
        kind: ColumnKind::Name,
        protobuf: 23,
        arrow: ArrowType::Dictionary,
        is_nullable: true,
    },
    Column {
        name: "call_id",
        kind: ColumnKind::Text,
        protobuf: 24,
        arrow: ArrowType::Utf8,
        is_nullable: true,
    },
    Column {
        name: "agent_id",
        kind: ColumnKind::Text,
        protobuf: 25,
        arrow: ArrowType::Utf8,
        is_nullable: true,
    },
    Column {
        name: "client_timestamp",
        kind: ColumnKind::Timestamp,
        protobuf: 16,
        arrow: ArrowType::Timestamp,
        is_nullable: true,
    },
    Column {
        name: "created_at",
        kind: ColumnKind::Timestamp,
        protobuf: 21,
        arrow: ArrowType::Timestamp,
        is_nullable: false,
    },
    Column {
        name: "payload_truncated",
        kind: ColumnKind::Boolean,
        protobuf: 22,
        arrow: ArrowType::Bool,
        is_nullable: false,
    },
    Column {
        name: "metadata",
        kind: ColumnKind::Json,
        protobuf: 18,
        arrow: ArrowType::Utf8,
        is_nullable: false,
    },
];

/// Positions of the columns, in the order of their numbers in Protobuf.
pub const BY_NUMBER: [usize; 26] =
    [3, 4, 5, 7, 1, 6, 12, 13, 15, 14, 8, 9, 10, 11, 16, 22, 18, 25, 0, 2, 23, 24, 19, 20, 21, 17];
