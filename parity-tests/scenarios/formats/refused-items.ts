/**
 * The reason of a refused item does not depend on how many items precede it (rules FMT-02, FMT-04, FMT-06, LAW).
 *
 * A server keeps the items of a batch in memory that grows, so the first item after each growth is tested. For each
 * kind of item, a batch has only refused items, or some number of valid ones before them.
 */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

/** Above the eighth doubling of 16, and below the default `--max-batch-events`. */
const ITEMS = 8_200;
/** Numbers of valid items up to here are all tested, since a server may begin with any size. */
const EACH_UP_TO = 140;

interface Kind {
  readonly name: string;
  readonly bytes: Buffer;
  readonly reason: string;
}

const LINES: readonly Kind[] = [
  { name: 'not UTF-8', bytes: Buffer.of(0xff), reason: 'body: must be valid JSON' },
  { name: 'a field that is not UTF-8', bytes: notText(), reason: 'body: must be valid JSON' },
  { name: 'not JSON', bytes: Buffer.from('{"session_id":"s",'), reason: 'body: must be valid JSON' },
  { name: 'not an object', bytes: Buffer.from('7'), reason: 'body: must be a JSON object' },
];
/** A map of MessagePack with an event's required fields, and one nil. */
const NIL: Kind = { name: 'nil', bytes: Buffer.of(0xc0), reason: 'body: must be a JSON object' };

export async function refusedItems(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start({ flags: ['--max-batch-events', String(ITEMS)] }));
  for (const kind of LINES) {
    const all = await refusals(client, 'application/x-ndjson', lines(Array(ITEMS).fill(kind.bytes)));
    requireReasons(all, kind, 0, ITEMS);
    for (const valid of validCounts()) {
      const items: Buffer[] = Array(valid).fill(Buffer.from(JSON.stringify(event())));
      const rejected = await refusals(
        client,
        'application/x-ndjson',
        lines([...items, kind.bytes, kind.bytes]),
      );
      requireReasons(rejected, kind, valid, 2);
    }
  }
  requireReasons(await refusals(client, 'application/msgpack', msgpack(ITEMS, NIL.bytes)), NIL, 0, ITEMS);
  const json = Buffer.from(`{"events":[${Array(ITEMS).fill('7').join()}]}`);
  requireReasons(await refusals(client, 'application/json', json), LINES[3]!, 0, ITEMS);
}

/** Every small number, and those around the larger powers of two. */
function validCounts(): number[] {
  const small = Array.from({ length: EACH_UP_TO }, (_, count) => count);
  const large = [256, 512, 1024, 2048, 4096].flatMap((size) => [size - 1, size, size + 1]);
  return [...small, ...large];
}

interface Refusal {
  readonly index: number;
  readonly errors: readonly string[];
}

async function refusals(client: ApiClient, type: string, body: Buffer): Promise<readonly Refusal[]> {
  const reply = await client.send('POST', '/api/events/batch', body, [['content-type', type]]);
  return reply.json<{ rejected: readonly Refusal[] }>().rejected;
}

function requireReasons(rejected: readonly Refusal[], kind: Kind, first: number, count: number): void {
  const expected = Array.from({ length: count }, (_, at) => ({ index: first + at, errors: [kind.reason] }));
  const found = rejected.map(({ index, errors }) => ({ index, errors }));
  assert.deepEqual(found, expected, `${count} items that are ${kind.name}, after ${first} valid ones`);
}

function lines(items: readonly Buffer[]): Buffer {
  return Buffer.concat(items.flatMap((item) => [item, Buffer.from('\n')]));
}

/** Returns a batch of MessagePack with one value `count` times. */
function msgpack(count: number, value: Buffer): Buffer {
  const head = Buffer.concat([
    Buffer.of(0x81, 0xa6),
    Buffer.from('events'),
    Buffer.of(0xdc, count >> 8, count & 0xff),
  ]);
  return Buffer.concat([head, ...Array<Buffer>(count).fill(value)]);
}

function notText(): Buffer {
  return Buffer.concat([Buffer.from('{"session_id":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]);
}
