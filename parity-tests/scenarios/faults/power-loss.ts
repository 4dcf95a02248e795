/**
 * Records the writes of a server, and opens the files that a power cut may leave at any moment of the recording (fault
 * F3). With `power` every acknowledged event is there. With `process` the newest may be lost, and the others are whole.
 * After `kill -9` every acknowledged event is there with both (fault F2).
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import Database from 'better-sqlite3';
import { checkKeys } from '../../src/check-keys.ts';
import { checkSummaries } from '../../src/check-summaries.ts';
import { imageAt, type Survival, writeImage } from '../../src/power-loss/image.ts';
import { LONGEST_BYTES, type Operation, RECORDED, readRecording } from '../../src/power-loss/recording.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { recording, requireStrace } from '../../src/strace.ts';

type Durability = 'process' | 'power';

/** Sizes of the requests. Those of 150 events bring the log above 8 MiB, so that it begins anew. */
const REQUESTS = [
  1, 1, 5, 150, 1, 150, 150, 20, 150, 150, 1, 150, 150, 150, 150, 3, 150, 1, 150, 1, 150, 1, 150, 1, 1,
];
const METADATA = { text: 'x'.repeat(6_000) };
/** A server starts on each image of this number; SQLite alone opens the others. */
const SERVER_EVERY = 20;
const SURVIVALS: readonly Survival[] = ['random', 'random', 'none', 'all'];

interface Recorded {
  readonly base: ReadonlyMap<string, Buffer>;
  readonly operations: readonly Operation[];
  /** Index of the operation of each acknowledgement. */
  readonly acknowledged: readonly number[];
}

export async function losePower(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  for (const durability of ['power', 'process'] as const) {
    const recorded = await record(context, durability);
    const random = seededRandom(context.options.seed);
    for (let number = 0; number < context.options.images; number += 1)
      await openImage(context, durability, recorded, random, number);
  }
  context.note(`${context.counts.images} images, ${context.counts.starts} of them with a server`);
}

/** Most recordings until one has a log that begins anew: on a busy machine a checkpoint may end too late for that. */
const RECORDINGS = 10;

async function record(context: ScenarioContext, durability: Durability): Promise<Recorded> {
  for (let number = 1; number <= RECORDINGS; number++) {
    const recorded = await recordOnce(context, durability, `${durability}-${number}`);
    const beginnings = recorded.operations.filter(
      (one) => one.kind === 'write' && one.file === '-wal' && one.offset === 0,
    );
    if (beginnings.length >= 2) return recorded;
  }
  return assert.fail('the log never began anew');
}

async function recordOnce(context: ScenarioContext, durability: Durability, name: string): Promise<Recorded> {
  const db = context.db(`${name}.db`);
  const output = context.db(`${name}.strace`);
  const flags = ['--durability', durability];
  await (await context.start({ db, flags })).stop();
  const base = new Map([['', readFileSync(db)]]);
  const wrapper = recording(RECORDED, output, LONGEST_BYTES);
  const server = await context.start({ db, flags, wrapper });
  const client = context.client(server);
  for (const [request, size] of REQUESTS.entries())
    assert.equal((await client.ingest(eventsOf(request, size))).received, size);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const operations = readRecording(readFileSync(output, 'latin1'), db);
  rmSync(output);
  const acknowledged = operations.flatMap(({ kind }, at) => (kind === 'acknowledge' ? [at] : []));
  assert.equal(acknowledged.length, REQUESTS.length, 'an acknowledgement for each request');
  return { base, operations, acknowledged };
}

function eventsOf(request: number, size: number) {
  return Array.from({ length: size }, (_, at) => event({ event_id: `${request}-${at}`, metadata: METADATA }));
}

async function openImage(
  context: ScenarioContext,
  durability: Durability,
  { base, operations, acknowledged }: Recorded,
  random: Random,
  number: number,
): Promise<void> {
  const position = 1 + random.below(operations.length);
  const survival = random.pick(SURVIVALS);
  const what = `${durability}, ${survival}, operation ${position} of ${operations.length}, image ${number}`;
  const db = context.db(`image-${number}.db`);
  writeImage(imageAt(base, operations, position, survival, random), db);
  const stored = requestsIn(db, what);
  const promised = acknowledged.filter((at) => at < position).length;
  if (durability === 'power' || survival === 'all')
    assert.ok(stored >= promised, `${what}: ${stored} requests are there, ${promised} were acknowledged`);
  context.count('images');
  if (number % SERVER_EVERY === 0) await startOn(context, db, stored, what);
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock', '.owner'])
    rmSync(`${db}${suffix}`, { force: true });
}

/** Returns the number of requests in the file. They are the first ones, each whole. */
function requestsIn(file: string, what: string): number {
  const db = new Database(file, { fileMustExist: true });
  let rows: { request: number; size: number }[];
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok', what);
    rows = db
      .prepare<[], { request: number; size: number }>(
        `SELECT CAST(event_id AS INTEGER) AS request, count(DISTINCT event_id) AS size
         FROM events_readable GROUP BY request ORDER BY request`,
      )
      .all();
    const count = db.prepare('SELECT count(*) FROM events').pluck().get();
    const expected = rows.map((_, request) => ({ request, size: REQUESTS[request] }));
    assert.deepEqual(rows, expected, `${what}: whole requests without a gap`);
    assert.equal(
      count,
      rows.reduce((sum, { size }) => sum + size, 0),
      `${what}: nothing is there twice`,
    );
  } finally {
    db.close();
  }
  assert.deepEqual(checkKeys(file).problems, [], what);
  assert.deepEqual(checkSummaries(file).problems, [], what);
  return rows.length;
}

/** A server continues the image: it knows what is there, and stores what is not. */
async function startOn(context: ScenarioContext, db: string, stored: number, what: string): Promise<void> {
  const server = await context.start({ db });
  const client = new ApiClient(server.port);
  for (const [request, size] of REQUESTS.entries()) {
    const reply = await client.post('/api/events/batch', { events: eventsOf(request, size) });
    const { received, duplicates } = reply.json<Ingested>();
    const expected = request < stored ? [0, size] : [size, 0];
    assert.deepEqual([received, duplicates], expected, `${what}: request ${request}`);
  }
  client.close();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  context.count('starts');
}
