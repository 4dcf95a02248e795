/** Generates `contract/ingest/v1/event.proto` from `fields.json` and the words of `vocabulary.json`. */
import { type FieldSpec, type Fields, pascalCase, type ServerColumn } from './fields.ts';

type Words = Readonly<Record<string, readonly string[]>>;

/** Returns the file, with its fields in the order of their numbers. */
export function protobufFile({ fields, server_columns }: Fields, words: Words): string {
  const all: [string, FieldSpec | ServerColumn][] = [
    ...Object.entries(fields),
    ...Object.entries(server_columns),
  ];
  const members = all
    .sort(([, one], [, other]) => one.protobuf - other.protobuf)
    .map(([name, spec]) => `  ${typeOf(name, spec)} = ${spec.protobuf};\n`);
  const choices = Object.entries(fields).filter(([, { kind }]) => kind === 'choice');
  return `// Generated from contract/fields.json by \`pnpm contract:update\`. Rules FMT-06 to FMT-08 of
// contract/rules/formats.md say what the values mean. Times are Unix milliseconds.
syntax = "proto3";

package ingest.v1;

${choices.map(([name, { values }]) => enumOf(name, words[values!]!)).join('')}// An event as sent and as stored. Servers set id, schema_version, created_at and payload_truncated.
message Event {
${members.join('')}}

// The body of POST /api/events/batch.
message IngestBatch {
  repeated Event events = 1;
}

// The answer of GET /api/events; next is the cursor of the next page, absent at the end. The page has all rows between its
// cursor and scanned_to (rule GET-12).
message EventPage {
  repeated Event events = 1;
  optional uint64 next = 2;
  uint64 scanned_to = 3;
}

// The answer of GET /api/snapshot/events.
message Snapshot {
  string topic = 1;
  string epoch = 2;
  uint64 revision = 3;
  optional uint64 since = 4;
  bool reset = 5;
  EventPage data = 6;
}
`;
}

function enumOf(name: string, words: readonly string[]): string {
  const prefix = name.toUpperCase();
  const values = words.map((word, index) => `  ${prefix}_${word.toUpperCase()} = ${index + 1};\n`);
  return `enum ${pascalCase(name)} {\n  ${prefix}_UNSPECIFIED = 0;\n${values.join('')}}\n\n`;
}

/** Returns the type of a field. A nullable field has presence; a counter of 0 and an absent word need none. */
function typeOf(name: string, spec: FieldSpec | ServerColumn): string {
  const optional = 'sql' in spec && spec.default === null ? 'optional ' : '';
  switch (spec.kind) {
    case 'text':
      return `optional string ${name}`;
    case 'choice':
      return `${pascalCase(name)} ${name}`;
    case 'integer':
      return `${optional}uint64 ${name}`;
    case 'dollars':
      return `${optional}double ${name}`;
    case 'timestamp':
      return `${optional}int64 ${name}`;
    case 'boolean':
      return `bool ${name}`;
    case 'json':
      return `optional bytes ${name}_json`;
  }
}
