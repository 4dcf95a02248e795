/**
 * The k6 script of a soak: batches at a constant rate of arrival, one line on stdout for every answer.
 *
 * `src/load/drivers/k6.ts` starts it with `-e JOB=JSON` and reads its lines. Invariant: request n of a run has the
 * events of the range from n*batchSize on, for any virtual user. Nothing beyond the range is sent. k6 strips the types.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { open as openShared, SeekMode } from 'k6/experimental/fs';
import http from 'k6/http';
import { bodyOf, bytesOf, type Piece, PLACE_WORDS, type Range, spansOf } from '../src/load/bodies.ts';
import type { K6Answer, K6Job } from '../src/load/drivers/k6.ts';

const { job, order, pool, file: name, scenario } = JSON.parse(__ENV.JOB!) as K6Job;
const url = `${order.url}/api/events/batch`;
const file = await openShared(name);

// The figures come from the printed lines, so k6's own metrics need no tags.
export const options = { systemTags: [], scenarios: { soak: scenario } };

const PARAMETERS = {
  headers: { 'content-type': 'application/json' },
  timeout: `${job.timeout_s}s`,
  responseType: 'text',
} as const;

/** Seconds in which the parent can read the CPU time of k6 before and after the load. Nothing is sent then. */
const PAUSE_S = 0.2;

/** k6 calls this first, when all its virtual users are ready. */
export function setup(): void {
  console.log('ready');
  sleep(PAUSE_S);
}

export function teardown(): void {
  console.log('done');
  sleep(PAUSE_S);
}

export default async function (): Promise<void> {
  const done = exec.scenario.iterationInTest * job.batchSize;
  const count = Math.min(job.batchSize, order.range.count - done);
  if (count <= 0) return;
  const first = order.range.first + done;
  const body = await batchBody({ first, count });
  const { status, timings, body: text } = http.post(url, body.buffer as ArrayBuffer, PARAMETERS);
  const answer: K6Answer = {
    events: count,
    bytes: body.length,
    status,
    body: text as string | null,
    at_ms: Date.now() - exec.scenario.startTime,
    latency_ms: timings.duration,
  };
  console.log(JSON.stringify(answer));
}

async function batchBody(range: Range): Promise<Uint8Array> {
  const pieces: Piece[] = [];
  const size = PLACE_WORDS * 4;
  for (const { first, within, count } of spansOf(pool, range)) {
    const places = new Uint32Array((await read(within * size, count * size)).buffer);
    const [from, to] = bytesOf(places);
    // The bytes of all events follow their places.
    pieces.push({ first, places, bytes: await read(pool.events * size + from, to - from) });
  }
  return bodyOf(pool, pieces, true, (length) => new Uint8Array(length));
}

async function read(at: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const target = new Uint8Array(size);
  await file.seek(at, SeekMode.Start);
  const count = await file.read(target);
  if (count !== size) throw new Error(`the pool's file gave ${count} of ${size} bytes`);
  return target;
}
