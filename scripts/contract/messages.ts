/**
 * Generates the sources of server-rs for the formats: the Protobuf message of an event, and the columns of a row.
 * TypeScript derives both from `fields.json` at its start.
 */

import { type FieldSpec, type Fields, pascalCase, type ServerColumn } from './fields.ts';
import { WORD_LISTS } from './vocabulary.ts';

/** For each kind of field: the attribute and the type of its declaration, and the kind of value that it passes on. */
const DECLARED = {
  text: ['bytes = "bytes"', 'Bytes', 'Text'],
  choice: ['int32', 'i32', 'Choice'],
  integer: ['uint64', 'u64', 'Integer'],
  dollars: ['double', 'f64', 'Dollars'],
  timestamp: ['int64', 'i64', 'Timestamp'],
  json: ['bytes = "bytes"', 'Bytes', 'Json'],
} as const;

const FORMS = {
  text: 'Text',
  choice: 'Varint',
  integer: 'Varint',
  boolean: 'Varint',
  dollars: 'Fixed64',
  timestamp: 'Varint',
  json: 'Bytes',
} as const;

/** The width of lines in rustfmt.toml. */
const RUST_WIDTH = 110;

/** Returns `server-rs/src/formats/event_message.rs`, formatted as by rustfmt. */
export function eventMessage({ fields, server_columns }: Fields): string {
  const sent = Object.entries(fields);
  const members = sent.map(([name, { kind, protobuf }]) => {
    const [type, rust] = DECLARED[kind];
    return `    #[prost(${type}, optional, tag = "${protobuf}")]\n    ${name}: Option<${rust}>,\n`;
  });
  const visits = sent.map(([name, { kind }]) => {
    const value =
      DECLARED[kind][1] === 'Bytes' ? `Some(value) = &self.${name}` : `Some(value) = self.${name}`;
    return `        if let ${value} {\n            visit(Field::${pascalCase(name)}, Sent::${DECLARED[kind][2]}(value));\n        }\n`;
  });
  const all: [string, FieldSpec | ServerColumn][] = [...sent, ...Object.entries(server_columns)];
  const forms = [...new Set(all.map(([, { kind }]) => FORMS[kind]))].map((form) => {
    const numbers = all.filter(([, { kind }]) => FORMS[kind] === form).map(([, { protobuf }]) => protobuf);
    const pattern = `        ${numbers.sort((one, other) => one - other).join(' | ')} => `;
    const line = `${pattern}WireForm::${form},`;
    return line.length <= RUST_WIDTH
      ? `${line}\n`
      : `${pattern}{\n            WireForm::${form}\n        }\n`;
  });
  return `//! Generated from \`contract/fields.json\` by \`pnpm contract:update\`: the message \`Event\` of \`ingest/v1/event.proto\`.
//!
//! Texts are declared as bytes, which have the same wire form. The library then borrows them instead of copying.

use bytes::Bytes;

use super::protobuf::Sent;
use super::protobuf_check::WireForm;
use crate::field::Field;

/// An event as a client sends it.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct EventMessage {
${members.join('')}}

impl EventMessage {
    /// Calls the function with each field of the message, in order.
    pub(super) fn visit<'a>(&'a self, mut visit: impl FnMut(Field, Sent<'a>)) {
${visits.join('')}    }
}

/// Returns the wire form of a known field of an event.
pub(super) fn wire_form(number: u64) -> Option<WireForm> {
    Some(match number {
${forms.join('')}        _ => return None,
    })
}
`;
}

/** Returns `server-rs/src/field/columns.rs`, formatted as by rustfmt. */
export function rowColumns({ fields, server_columns, row }: Fields): string {
  const columns = row.map((name) => columnText(name, (fields[name] ?? server_columns[name])!));
  return `//! Generated from \`contract/fields.json\` by \`pnpm contract:update\`: the columns of a row.
//! Over 250 lines because every column has its members here.

use super::{ArrowType, Column, ColumnKind};
use crate::contract::vocabulary::{event_type, source, status};

/// The columns of a row, in their order (rule GET-02).
pub const COLUMNS: [Column; ${row.length}] = [
${columns.join('')}];

/// Positions of the columns, in the order of their numbers in Protobuf.
pub const BY_NUMBER: [usize; ${row.length}] = [
${filled(byNumber(fields, server_columns, row))}];
`;
}

/** Returns the items in lines of at most 110 characters, as rustfmt fills them. */
function filled(items: readonly number[]): string {
  const lines: string[] = [];
  for (const item of items) {
    const longer = `${lines.at(-1)} ${item},`;
    if (lines.length > 0 && longer.length <= RUST_WIDTH) lines.splice(-1, 1, longer);
    else lines.push(`    ${item},`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function byNumber(
  fields: Fields['fields'],
  server: Fields['server_columns'],
  row: readonly string[],
): number[] {
  const number = (place: number): number => (fields[row[place]!] ?? server[row[place]!])!.protobuf;
  return row.map((_, place) => place).sort((one, other) => number(one) - number(other));
}

function columnText(name: string, spec: FieldSpec | ServerColumn): string {
  const isNullable = 'sql' in spec && 'default' in spec && spec.default === null;
  return `    Column {
        name: "${name}",
        kind: ${columnKind(name, spec)},
        protobuf: ${spec.protobuf},
        arrow: ArrowType::${pascalCase(spec.arrow)},
        is_nullable: ${isNullable},
    },
`;
}

function columnKind(name: string, spec: FieldSpec | ServerColumn): string {
  if ('value' in spec && spec.value !== undefined) return `ColumnKind::Constant(${spec.value})`;
  if (name === 'session_id') return 'ColumnKind::Session';
  if (spec.kind === 'choice') return `ColumnKind::Choice(${WORD_LISTS[spec.values!]}::ALL)`;
  if ('dictionary' in spec && spec.dictionary) return 'ColumnKind::Name';
  return `ColumnKind::${pascalCase(spec.kind)}`;
}
