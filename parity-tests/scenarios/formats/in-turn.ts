/**
 * Both servers write and read one database file alternately: equal answers in every format (rules FMT-08, FMT-09).
 *
 * MessagePack, Protobuf, NDJSON and JSON are compared byte for byte, Arrow by its schema, its record batches and
 * their values.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type ArrowRows, decodeArrow } from '@twin-ingest/testkit/codecs/arrow.ts';
import { batchBody, type TextEvent } from '@twin-ingest/testkit/codecs/codecs.ts';
import { ANSWER_FORMATS, type Format, mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import type { ScenarioContext } from '../../src/scenario.ts';
import { seededEvents } from './seeded-events.ts';

const BATCH = 500;
const SEEDED = 1_000;
const SMALL = 9_000;
/** Number of large events. Together they exceed `export_page_bytes`, but not the limit of a body. */
const LARGE = 24;
const LARGE_BYTES = 300_000;

const PAGES = [
  '/api/events',
  '/api/events?limit=1000',
  '/api/events?limit=1000&order=asc',
  '/api/events?after=500&limit=7',
  '/api/events?before=900&limit=600',
  '/api/events?event_type=session_start&limit=1000',
  '/api/events?status=error&source=hook&limit=1000',
  '/api/events?session_id=none',
  '/api/snapshot/events',
  '/api/snapshot/events?limit=1000',
];
const EXPORTS = [
  '/api/events?limit=1000000',
  '/api/events?limit=1000000&order=asc',
  '/api/events?limit=1000000&event_type=tool_use',
  '/api/events?limit=8193',
];

export async function inTurn(context: ScenarioContext): Promise<void> {
  const seed = context.options.seed;
  await write(context, 'rs', [...seededEvents(seed, SEEDED / 2), ...small(SMALL)]);
  await write(context, 'ts', [...seededEvents(seed + 1, SEEDED / 2), ...large(), ...small(SMALL)]);
  const first = await read(context, 'rs');
  for (const target of ['ts', 'rs'] as const) {
    const other = await read(context, target);
    for (const [name, answer] of first) requireSame(other.get(name)!, answer, `${name} on ${target}`);
  }
  const { batches } = first.get(nameOf('arrow', EXPORTS[1]!)) as ArrowRows;
  const sizes = batches.map((rows) => rows.length);
  assert.deepEqual(
    sizes,
    expectedSizes(batches.flat().map((row) => Buffer.byteLength(row.metadata as string))),
  );
  assert.ok(sizes.includes(LIMITS.export_page_rows), 'a page ends with its rows');
  assert.ok(
    sizes.slice(0, -1).some((size) => size < LIMITS.export_page_rows),
    'a page ends with its bytes',
  );
  context.note(`${first.size} answers alike, record batches of ${sizes.join(', ')} rows`);
}

function small(count: number): TextEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...event({ tokens_in: index }),
    metadata: `{"n":${index}}`,
  }));
}

function large(): TextEvent[] {
  return Array.from({ length: LARGE }, (_, index) => ({
    ...event(),
    metadata: `"${'x'.repeat(LARGE_BYTES + index)}"`,
  }));
}

async function write(
  context: ScenarioContext,
  target: TargetName,
  events: readonly TextEvent[],
): Promise<void> {
  const server = await context.start({ target, flags: ['--max-metadata-bytes', '1048576'] });
  const client = context.client(server);
  const type = [['content-type', mediaTypeOf('protobuf')]] as const;
  for (let at = 0; at < events.length; at += BATCH) {
    const body = batchBody('protobuf', events.slice(at, at + BATCH));
    const reply = await client.send('POST', '/api/events/batch', body, type);
    assert.equal(reply.status, 201, reply.text.slice(0, 300));
  }
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
}

type Read = Buffer | ArrowRows;

/** Returns every answer by its name. */
async function read(context: ScenarioContext, target: TargetName): Promise<Map<string, Read>> {
  const server = await context.start({ target });
  const client = context.client(server);
  const answers = new Map<string, Read>();
  for (const format of ANSWER_FORMATS) {
    const paths = format === 'ndjson' || format === 'arrow' ? [...PAGES, ...EXPORTS] : PAGES;
    for (const path of paths) answers.set(nameOf(format, path), await get(client, path, format));
  }
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
  return answers;
}

function nameOf(format: Format, path: string): string {
  return `${path} as ${format}`;
}

async function get(client: ApiClient, path: string, format: Format): Promise<Read> {
  const reply = await client.send('GET', path, undefined, [['accept', mediaTypeOf(format)]], 60_000);
  assert.equal(reply.status, 200, `${path} as ${format}: ${reply.text.slice(0, 300)}`);
  return format === 'arrow' ? decodeArrow(reply.body) : reply.body;
}

function requireSame(got: Read, expected: Read, what: string): void {
  if (Buffer.isBuffer(got) && Buffer.isBuffer(expected)) {
    const at = firstDifference(got, expected);
    const around = (bytes: Buffer): string =>
      bytes.subarray(Math.max(0, at - 100), at + 100).toString('latin1');
    if (at >= 0) assert.equal(around(got), around(expected), `${what}: byte ${at}`);
    return;
  }
  const [one, other] = [got, expected] as [ArrowRows, ArrowRows];
  assert.deepEqual(one.metadata, other.metadata, what);
  const sizes = ({ batches }: ArrowRows): number[] => batches.map((rows) => rows.length);
  assert.deepEqual(sizes(one), sizes(other), `${what}: rows of the record batches`);
  const [rows, expectedRows] = [one.batches.flat(), other.batches.flat()];
  const at = rows.findIndex((row, index) => !isDeepStrictEqual(row, expectedRows[index]));
  if (at >= 0) assert.deepEqual(rows[at], expectedRows[at], `${what}: row ${at}`);
}

/** Returns the position of the first difference; -1 when there is none. */
function firstDifference(one: Buffer, other: Buffer): number {
  if (one.equals(other)) return -1;
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}

/** Returns the rows of each page by rule FMT-09, for rows with metadata of these lengths. */
function expectedSizes(lengths: readonly number[]): number[] {
  const sizes: number[] = [];
  let [rows, bytes] = [0, 0];
  for (const length of lengths) {
    rows++;
    bytes += length;
    if (rows < LIMITS.export_page_rows && bytes < LIMITS.export_page_bytes) continue;
    sizes.push(rows);
    [rows, bytes] = [0, 0];
  }
  return rows > 0 ? [...sizes, rows] : sizes;
}
