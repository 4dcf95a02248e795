/**
 * The k6 script of a soak: batches at a constant rate of arrival, one line on stdout for every answer.
 *
 * `src/load/drivers/k6.ts` starts it with `-e JOB=FILE` and reads its lines. Invariant: request n of a run has the
 * events of the range from n*batchSize on, for any virtual user. Nothing beyond the range is sent. k6 strips the types.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { type File, open as openShared, SeekMode } from 'k6/experimental/fs';
import http from 'k6/http';
import {
  bytesOf,
  type Piece,
  PLACE_WORDS,
  type Range,
  sizeOf,
  spansOf,
  writeBody,
} from '../src/load/packed-pool.ts';
import type { K6Job, K6Summary } from './job.ts';

const job = JSON.parse(open(__ENV.JOB!)) as K6Job;
const placesFile = await openShared(job.places_file);
const bytesFile = await openShared(job.bytes_file);

export const options = {
  // The figures come from the printed lines, so k6's own metrics need no tags.
  systemTags: [],
  scenarios: {
    soak: {
      executor: 'constant-arrival-rate',
      rate: job.rate,
      timeUnit: job.time_unit,
      duration: job.duration,
      preAllocatedVUs: job.pre_allocated_vus,
      maxVUs: job.max_vus,
      gracefulStop: job.graceful_stop,
    },
  },
};

const PARAMETERS = {
  headers: { 'content-type': 'application/json' },
  timeout: job.timeout,
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
  const done = exec.scenario.iterationInTest * job.batch_size;
  const count = Math.min(job.batch_size, job.count - done);
  if (count <= 0) return;
  const first = job.first + done;
  const body = await batchBody({ first, count });
  const due = exec.scenario.startTime;
  const sent = Date.now();
  const response = http.post(job.url, body.buffer as ArrayBuffer, PARAMETERS);
  const answered = Date.now();
  console.log(
    [
      'answer',
      sent - due,
      answered - due,
      response.timings.duration,
      response.status,
      response.error_code,
      count,
      body.length,
      ...readAnswer(response.body as string | null),
    ].join(' '),
  );
}

/** Returns `received`, `duplicates` and the number of `rejected`. */
function readAnswer(body: string | null): readonly [number, number, number] {
  try {
    const { received, duplicates, rejected } = JSON.parse(body ?? '');
    if (typeof received === 'number' && typeof duplicates === 'number' && Array.isArray(rejected))
      return [received, duplicates, rejected.length];
  } catch {
    // -1 is returned for an answer that cannot be parsed.
  }
  return [-1, -1, -1];
}

async function batchBody(range: Range): Promise<Uint8Array> {
  const pieces: Piece[] = [];
  for (const { first, within, count } of spansOf(job.pool, range)) {
    const size = PLACE_WORDS * 4;
    const places = new Uint32Array((await read(placesFile, within * size, count * size)).buffer);
    const [from, to] = bytesOf(places);
    pieces.push({ first, places, bytes: await read(bytesFile, from, to - from) });
  }
  const body = new Uint8Array(sizeOf(pieces, true));
  writeBody(job.pool, pieces, true, body);
  return body;
}

async function read(file: File, at: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const target = new Uint8Array(size);
  await file.seek(at, SeekMode.Start);
  const count = await file.read(target);
  if (count !== size) throw new Error(`the pool's file gave ${count} of ${size} bytes`);
  return target;
}

/** Returns k6's own counts, which the parent checks against the lines. */
export function handleSummary(data: { metrics: Record<string, { values: { count: number } }> }): object {
  // A metric without a count is absent.
  const count = (name: string) => data.metrics[name]?.values.count ?? 0;
  const summary: K6Summary = { requests: count('http_reqs'), dropped: count('dropped_iterations') };
  return { stdout: `summary ${JSON.stringify(summary)}\n` };
}
