/**
 * Records the writes of a server while one client sends requests, one after the other. Each request is one group.
 * The files that a crash may leave hold the first of these requests, each whole.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { ApiClient, event, type Ingested } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { checkKeys } from '../check-keys.ts';
import { checkSummaries } from '../check-summaries.ts';
import type { ScenarioContext } from '../scenario.ts';
import { recording } from '../strace.ts';
import { LONGEST_BYTES, type Operation, RECORDED, readRecording } from './recording.ts';

/** What a client sends: the number of events of each request, and the length of their text in bytes. */
export interface Requests {
  readonly sizes: readonly number[];
  readonly textBytes: number;
}

export interface RecordedRun {
  readonly requests: Requests;
  /** The files before the recording, by suffix. */
  readonly base: ReadonlyMap<string, Buffer>;
  readonly operations: readonly Operation[];
  /** Index of the operation of each acknowledgement. */
  readonly acknowledged: readonly number[];
}

/** Records the requests and the clean stop that follows them. */
export async function recordRun(
  context: ScenarioContext,
  name: string,
  requests: Requests,
  flags: readonly string[],
): Promise<RecordedRun> {
  const db = context.db(`${name}.db`);
  const output = context.db(`${name}.strace`);
  await (await context.start({ db, flags })).stop();
  const base = new Map([['', readFileSync(db)]]);
  const wrapper = recording(RECORDED, output, LONGEST_BYTES);
  const server = await context.start({ db, flags, wrapper });
  const client = context.client(server);
  for (const [request, size] of requests.sizes.entries())
    assert.equal((await client.ingest(eventsOf(requests, request))).received, size);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const operations = readRecording(readFileSync(output, 'latin1'), db);
  rmSync(output);
  const acknowledged = operations.flatMap(({ kind }, at) => (kind === 'acknowledge' ? [at] : []));
  assert.equal(acknowledged.length, requests.sizes.length, 'an acknowledgement for each request');
  return { requests, base, operations, acknowledged };
}

function eventsOf({ sizes, textBytes }: Requests, request: number) {
  const metadata = { text: 'x'.repeat(textBytes) };
  return Array.from({ length: sizes[request]! }, (_, at) =>
    event({ event_id: `${request}-${at}`, metadata }),
  );
}

/** Returns the number of requests in the file. They are the first ones, each whole, and the file is sound. */
export function requestsIn(file: string, { sizes }: Requests, what: string): number {
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
    const expected = rows.map((_, request) => ({ request, size: sizes[request] }));
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
export async function startOn(
  context: ScenarioContext,
  db: string,
  requests: Requests,
  stored: number,
  what: string,
): Promise<void> {
  const server = await context.start({ db });
  const client = new ApiClient(server.port);
  for (const [request, size] of requests.sizes.entries()) {
    const reply = await client.post('/api/events/batch', { events: eventsOf(requests, request) });
    const { received, duplicates } = reply.json<Ingested>();
    const expected = request < stored ? [0, size] : [size, 0];
    assert.deepEqual([received, duplicates], expected, `${what}: request ${request}`);
  }
  client.close();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  context.count('starts');
}

/** Removes the files of an image. */
export function removeImage(db: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock', '.owner'])
    rmSync(`${db}${suffix}`, { force: true });
}
