/**
 * The closed-loop driver that uses the least CPU time: wrk, with every body prepared in a file.
 *
 * wrk runs for a given time and corrects latencies that it did not measure, so its own figures are not used. A script
 * counts answers and time, and no latency is reported. Invariant: wrk sends each request of the range once, and no
 * others.
 */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { BenchFailure } from '../../failure.ts';
import { pinningCommand } from '../../plan/placement.ts';
import type { Driver, Generator, Job, Order, Sent } from './driver.ts';
import { type ProgramContext, poolAndFolder, runProgram } from './program.ts';
import { Requests } from './requests.ts';
import { Tally } from './tally.ts';

const SCRIPT = fileURLToPath(new URL('../../../wrk/prepared.lua', import.meta.url));
const LINE_FEED = Buffer.from('\n');
/** Duration of a run of wrk, in seconds. The driver ends wrk earlier, after the last line of its script. */
const LONGEST_S = 24 * 3600;
/** Seconds after its timeout that a request needs to be reported. */
const GRACE_S = 5;

/** Figures that the script prints at the end. */
type Done = Pick<
  Sent,
  | 'requests'
  | 'duration_ms'
  | 'sent_bytes'
  | 'received_events'
  | 'duplicate_events'
  | 'rejected_events'
  | 'non_2xx'
  | 'generator_cpu_us'
  | 'status_codes'
>;

/** Figures that wrk does not have. */
const NONE = { errors: 0, timeouts: 0, dropped_requests: 0, latency: null, send_delay: null } as const;

export function wrkDriver(context: ProgramContext): Driver {
  return {
    facts: {
      name: 'wrk',
      version: context.found.version,
      model: 'closed',
      latency_from: 'sent',
      latency_resolution_us: 1,
    },
    prepare: (job) => prepare(job, context),
  };
}

async function prepare(job: Job, context: ProgramContext): Promise<Generator> {
  const { pool, folder } = await poolAndFolder(job.pool, context.lifetime);
  const bodies = join(folder.path, 'bodies');
  // Both servers get the same range one after the other, so the file is written only once.
  let written: Order['range'] | null = null;
  return {
    pool: pool.facts,
    async send(order, onProgress) {
      const requests = new Requests(pool, job, order.range);
      if (requests.count === 0) return new Tally().result({ errors: 0, timeouts: 0, generator_cpu_us: 0 });
      if (!isDeepStrictEqual(written, order.range)) {
        written = null;
        await writeBodies(bodies, requests, context.lifetime.signal);
        written = order.range;
      }
      const done = await run({ ...context, job, order, requests, bodies, onProgress });
      return { ...done, ...NONE, sent_events: order.range.count };
    },
    async close() {
      await folder.release();
    },
  };
}

async function writeBodies(file: string, requests: Requests, signal: AbortSignal): Promise<void> {
  function* lines(): Iterable<Buffer> {
    for (let number = 0; number < requests.count; number++) {
      yield Buffer.concat([requests.body(number), LINE_FEED]);
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file, { mode: 0o600 }), { signal });
  // Without this, the system would write the file to disk while the server is measured.
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}

interface Run extends ProgramContext {
  readonly job: Job;
  readonly order: Order;
  readonly requests: Requests;
  readonly bodies: string;
  readonly onProgress: (events: number) => void;
}

async function run({
  found,
  placement,
  lifetime,
  job,
  order,
  requests,
  bodies,
  onProgress,
}: Run): Promise<Done> {
  const connections = String(Math.min(job.connections, requests.count));
  const flags = ['-t1', '-c', connections, '-d', `${LONGEST_S}s`, '--timeout', `${job.timeout_s}s`];
  const script = ['-s', SCRIPT, order.url, '--', bodies, requests.path, String(requests.count)];
  let done: Done | undefined;
  const { how, other } = await runProgram({
    command: [...pinningCommand(placement.generator_cpus), found.binary, ...flags, ...script],
    lifetime,
    // When a connection breaks, wrk does not send its request again, and waits for an answer that never comes.
    silence_ms: (job.timeout_s + GRACE_S) * 1000,
    onLine(line, child) {
      if (line.startsWith('progress ')) onProgress(Number(line.slice('progress '.length)));
      else if (line.startsWith('done ')) {
        done = JSON.parse(line.slice('done '.length)) as Done;
        child.kill('SIGINT');
      } else return false;
      return true;
    },
  });
  if (done === undefined) throw new BenchFailure('generator_failed', `wrk ended too early (${how})`, other);
  return done;
}
