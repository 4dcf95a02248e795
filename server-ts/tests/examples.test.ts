/** Checks that real records of agents become the events of `contract/agents/NAME/examples.json`. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { FIELD_SPECS, INT_WIDTH } from '../src/field.ts';
import { mappingOf, readHook } from '../src/hooks.ts';
import { scanEvent } from '../src/json.ts';
import { readTelemetry, rowReader } from '../src/telemetry/index.ts';
import { requestOf } from '../src/telemetry/otlp.ts';

const FOLDER = new URL('../../contract/agents/', import.meta.url);
const METADATA_BYTES = 1 << 16;
/** The path of each signal, and the names of its lists. */
const SIGNALS: Readonly<
  Record<string, readonly [path: string, groups: string, scopes: string, records: string]>
> = {
  logs: ['/v1/logs', 'resourceLogs', 'scopeLogs', 'logRecords'],
  spans: ['/v1/traces', 'resourceSpans', 'scopeSpans', 'spans'],
};

interface Example {
  readonly source: string;
  readonly resource?: unknown;
  readonly scope?: unknown;
  readonly records: readonly unknown[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

for (const agent of readdirSync(FOLDER)) {
  const file = new URL(`${agent}/examples.json`, FOLDER);
  const { examples } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { examples: Example[] })
    : { examples: [] };
  for (const [index, example] of examples.entries()) {
    const read = readerOf(agent, example);
    if (read !== undefined)
      test(`example ${index} of ${agent}, from ${example.source}, becomes its events`, () => {
        assert.deepEqual(rowsOf(read()), example.events);
      });
  }
}

/** Returns the reader of an example; `undefined` for a source that no server reads. */
function readerOf(agent: string, example: Example): (() => EventTable) | undefined {
  if (example.source === 'hooks') return () => hookTable(agent, example);
  const signal = SIGNALS[example.source];
  return signal === undefined ? undefined : () => telemetryTable(signal, example);
}

function hookTable(agent: string, { records }: Example): EventTable {
  const body = Buffer.from(JSON.stringify(records[0]));
  const raw = new RawEvents();
  assert.ok(scanEvent(body, raw));
  const table = new EventTable(body, 1, new Buffers());
  assert.equal(readHook(mappingOf(`/api/hooks/${agent}`), raw, table, METADATA_BYTES), undefined);
  assert.deepEqual(JSON.parse(metadataOf(table)), records[0]);
  return table;
}

function telemetryTable(
  [path, groups, scopes, list]: (typeof SIGNALS)[string],
  example: Example,
): EventTable {
  const { resource, scope, records } = example;
  const request = { [groups]: [{ resource, [scopes]: [{ scope, [list]: records }] }] };
  const body = Buffer.from(JSON.stringify(request));
  const reading = readTelemetry(requestOf(path), 'json', body, 10, new Buffers());
  let step = reading.next();
  while (!step.done) step = reading.next();
  const { metadata, events } = step.value;
  const table = new EventTable(metadata, events.length, new Buffers());
  const read = rowReader(events, table, METADATA_BYTES);
  events.forEach((_, index) => {
    read(index);
  });
  return table;
}

function metadataOf(table: EventTable): string {
  return table.textAt(FIELD_SPECS.find(({ name }) => name === 'metadata')!.column);
}

/** Returns the rows without metadata and without absent values. */
function rowsOf(table: EventTable): Record<string, unknown>[] {
  return Array.from({ length: table.count }, (_, row) =>
    Object.fromEntries(
      FIELD_SPECS.filter(({ kind }) => kind !== 'json').flatMap((field) => {
        const value = columnValue(table, row, field);
        const isAbsent = value === undefined || (value === 0 && field.name.includes('tokens'));
        return isAbsent ? [] : [[field.name, value]];
      }),
    ),
  );
}

function columnValue(
  table: EventTable,
  row: number,
  { kind, column, words }: (typeof FIELD_SPECS)[number],
): unknown {
  const int = row * INT_WIDTH + column;
  if (kind === 'choice') return words[table.ints[int]!]!.toString();
  if (kind === 'text') return table.ints[int] === table.ints[int + 1] ? undefined : table.textAt(int);
  const number = table.numbers[(row * table.numbers.length) / table.capacity + column]!;
  if (Number.isNaN(number)) return undefined;
  if (kind === 'dollars') return number / 1e9;
  return kind === 'timestamp' ? new Date(number).toISOString() : number;
}
