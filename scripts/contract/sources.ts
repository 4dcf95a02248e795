/**
 * Generates the sources that follow from `fields.json`: the table of fields in Rust, and the filters of the
 * dashboard.
 */

import { type FieldSpec, type Fields, nameKinds, pascalCase } from './fields.ts';
import { WORD_LISTS } from './vocabulary.ts';

/** Returns `server-rs/src/field/table.rs`, formatted as by rustfmt. */
export function fieldTable(contract: Fields): string {
  const entries = Object.entries(contract.fields);
  const variant = (name: string): string => `Field::${pascalCase(name)}`;
  return `//! Generated from \`contract/fields.json\` by \`pnpm contract:update\`: the table of an event's fields.
//! Over 250 lines because every field has its members here.

use super::{Absent, FieldKind, FieldSpec};
use crate::contract::routes::Parameter;
use crate::contract::vocabulary::{event_type, source, status};

/// The fields of an event, in the order in which problems are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of its name")]
pub enum Field {
${entries.map(([name]) => `    ${pascalCase(name)},\n`).join('')}}

impl Field {
    /// All fields.
    pub const ALL: [Field; ${entries.length}] = [
${entries.map(([name]) => `        ${variant(name)},\n`).join('')}    ];

    /// The fields whose columns hold name ids, in the order of the filters.
    pub const NAME_KINDS: [Field; ${nameKinds(contract).length}] = [
${nameKinds(contract)
  .map((name) => `        ${variant(name)},\n`)
  .join('')}    ];

    /// The other filters except the session; their columns hold the text.
    pub const TEXT_FILTERS: [Field; ${textFilters(contract).length}] = [${textFilters(contract).map(variant).join(', ')}];

    /// Returns the field of this name. It compares length and bytes at once, since most keys of a body pass through
    /// here.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
${entries.map(([name]) => `            b"${name}" => ${variant(name)},\n`).join('')}            _ => return None,
        })
    }

    /// Returns the parameter that filters by it (rule GET-03).
    pub fn query_parameter(self) -> Option<Parameter> {
        Some(match self {
${contract.filters.map((name) => `            ${variant(name)} => Parameter::${pascalCase(name)},\n`).join('')}            _ => return None,
        })
    }
}

pub(super) const SPECS: [FieldSpec; Field::COUNT] = [
${entries.map(([name, spec]) => specText(name, spec)).join('')}];
`;
}

/** The line width of rustfmt and Biome here. */
export const WIDTH = 110;

/**
 * Returns a constant array as Biome formats it: on one line if it fits, else one item a line. Several lists in a list
 * have a line each.
 */
export function scriptArray(begin: string, items: readonly string[], end = ';'): string {
  const line = `${begin}[${items.join(', ')}]${end}\n`;
  const areLists = items.length > 1 && items.every((item) => item.startsWith('['));
  if (line.length - 1 <= WIDTH && !areLists) return line;
  return `${begin}[\n${items.map((item) => `  ${item},\n`).join('')}]${end}\n`;
}

/** Returns the filters whose columns hold a text. */
export function textFilters(contract: Fields): string[] {
  const kinds = nameKinds(contract);
  return contract.filters.filter((name) => name !== 'session_id' && !kinds.includes(name));
}

function specText(name: string, spec: FieldSpec): string {
  const { kind, required = false, trimmed = false, bytes = 0, column, dictionary = false } = spec;
  const kinds = {
    text: 'Text',
    integer: 'Integer',
    dollars: 'Dollars',
    timestamp: 'Timestamp',
    json: 'Json',
  };
  const members = {
    name: `"${name}"`,
    parameter: `":${name}"`,
    kind:
      kind === 'choice' ? `FieldKind::Choice(${WORD_LISTS[spec.values!]}::ALL)` : `FieldKind::${kinds[kind]}`,
    is_required: String(required),
    is_trimmed: String(trimmed),
    max_bytes: String(bytes),
    column: `"${column}"`,
    is_dictionary: String(dictionary),
    absent: absentText(spec),
  };
  const lines = Object.entries(members).map(([member, value]) => `        ${member}: ${value},\n`);
  return `    FieldSpec {\n${lines.join('')}    },\n`;
}

function absentText({ default: absent }: FieldSpec): string {
  if (typeof absent === 'number') return `Absent::Number(${absent})`;
  if (typeof absent === 'string') return `Absent::Word("${absent}")`;
  return 'Absent::Null';
}

/** Returns `dashboard/src/filter-names.ts`. */
export function filterNames(contract: Fields): string {
  const names = ['session_id', ...nameKinds(contract)].map((name) => `  '${name}',\n`);
  return `/** Generated from \`contract/fields.json\` by \`pnpm contract:update\`: the filters that the dashboard offers. */

/** Names of \`GET /api/events\`, in the order of their checks (rule GET-03). */
export const FILTER_NAMES = [
${names.join('')}] as const;
`;
}
