/**
 * Tests that the same events leave the same rows in every format and on both servers (rules FMT-01, FMT-05, MET-01).
 *
 * Rows are read from the database file, byte for byte.
 */
import assert from 'node:assert/strict';
import { batchBody, type TextEvent } from '@twin-ingest/testkit/codecs/codecs.ts';
import { mediaTypeOf, REQUEST_FORMATS, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { encodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import type { ScenarioContext } from '../../src/scenario.ts';
import { seededEvents } from './seeded-events.ts';

const EVENTS = 1_500;
const BATCH = 500;
const MAPS = 500;

export async function sameRows(context: ScenarioContext): Promise<void> {
  const events = seededEvents(context.options.seed, EVENTS);
  const stored = await Promise.all(
    TARGET_NAMES.flatMap((target) =>
      REQUEST_FORMATS.map(async (format) => {
        const db = context.db(`${target}-${format}.db`);
        await store(context, target, db, format, (some) => batchBody(format, some), events);
        return { name: `${format} on ${target}`, rows: rowsOf(db) };
      }),
    ),
  );
  const [first, ...others] = stored;
  assert.ok(first!.rows.length > EVENTS);
  for (const { name, rows } of others) requireSame(rows, first!.rows, `${name}, not ${first!.name}`);
  context.note(`${first!.rows.length} rows, names and sessions, ${stored.length} times alike`);
}

export async function canonicalMaps(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const values = Array.from({ length: MAPS }, () => anyValue(random, 0)).filter(
    (value) => typeof value !== 'string',
  );
  const events = values.map((metadata) => ({ ...event(), metadata })) as unknown as TextEvent[];
  const expected = values.map((value) => (value === null ? '{}' : canonical(value)));
  for (const target of TARGET_NAMES) {
    const db = context.db(`${target}.db`);
    await store(context, target, db, 'msgpack', (some) => encodeMsgpack({ events: some }), events);
    const file = new Database(db, { readonly: true });
    readSealedTexts(file);
    const texts = file.prepare('SELECT metadata FROM events_readable ORDER BY id').pluck().all();
    file.close();
    requireSame(texts as string[], expected, target);
  }
}

/** Stores all events with a separate server, which then ends. */
async function store(
  context: ScenarioContext,
  target: TargetName,
  db: string,
  format: RequestFormat,
  encode: (events: readonly TextEvent[]) => Buffer,
  events: readonly TextEvent[],
): Promise<void> {
  const server = await context.start({ target, db });
  const client = context.client(server);
  for (let at = 0; at < events.length; at += BATCH) {
    const some = events.slice(at, at + BATCH);
    const type = [['content-type', mediaTypeOf(format)]] as const;
    const reply = await client.send('POST', '/api/events/batch', encode(some), type);
    const { received, rejected } = reply.json<{ received: number; rejected: unknown[] }>();
    assert.deepEqual([received, rejected.slice(0, 3)], [some.length, []], `${format} on ${target}`);
  }
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr());
}

/** Columns with times of storage, which may differ. */
const TIMES = [
  ...['created_at', 'time_shift', 'started_at', 'last_event_at', 'live_at', 'ended_at', 'activity'],
];

/**
 * Returns every row of the events, of their names and of their sessions, as text: the type and the bytes of each
 * column.
 */
function rowsOf(db: string): string[] {
  const file = new Database(db, { readonly: true });
  readSealedTexts(file);
  // The view has the metadata of each row, wherever it stands.
  file.exec('CREATE TEMP TABLE texts AS SELECT id, metadata FROM events_readable');
  const rows = ['events', 'names', 'sessions', 'texts'].flatMap((table) => {
    const columns = file.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
    const texts = columns
      .filter((name) => !TIMES.includes(name))
      .map((name) => `'${name} ' || typeof(${name}) || ' ' || hex(${name})`);
    return file
      .prepare(`SELECT ${texts.join(" || ', ' || ")} FROM ${table} ORDER BY 1`)
      .pluck()
      .all();
  });
  file.close();
  return rows as string[];
}

function requireSame(rows: readonly string[], expected: readonly string[], what: string): void {
  const at = rows.findIndex((row, index) => row !== expected[index]);
  if (at >= 0) assert.equal(rows[at], expected[at], `${what}: row ${at}`);
  assert.equal(rows.length, expected.length, what);
}

const KEYS = ['b', 'a', '', 'é', 'e', '\u{1f600}', '\uffff', '10', '9', '__proto__', 'a"b', 'toJSON', 'Z'];
const SCALARS = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  -0.1,
  1e21,
  1e-7,
  5e-324,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  '',
  'é',
  '\u{1f600}',
  '\u2028',
  '\u0000\u001f\u007f',
  '"\\/',
];

function anyValue(random: Random, depth: number): unknown {
  if (depth > 3 || (depth > 0 && random.chance(0.4))) return random.pick(SCALARS);
  const count = random.below(5);
  if (random.chance(0.4)) return Array.from({ length: count }, () => anyValue(random, depth + 1));
  // A null prototype, so that `__proto__` is a member.
  const object = Object.create(null) as Record<string, unknown>;
  for (let left = count; left > 0; left--) object[random.pick(KEYS)] = anyValue(random, depth + 1);
  return object;
}

/** Returns JSON by RFC 8785: members are ordered by the UTF-16 code units of their names, as in JavaScript. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key])}`);
  return `{${members.join(',')}}`;
}
