/**
 * The closed-loop driver that uses the least CPU time: wrk, with every body prepared in a file.
 *
 * wrk runs for a given time and corrects latencies that it did not measure, so its own figures are not used. A script
 * counts answers and time, and no latency is reported. Invariant: wrk sends each request of the range once, and no
 * others.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { BenchFailure } from '../../failure.ts';
import { pinningCommand } from '../../plan/placement.ts';
import { loadPool } from '../pool.ts';
import type { Driver, Order, Sent } from './driver.ts';
import { type ProgramContext, runProgram } from './program.ts';
import { type Requests, requestsOf } from './requests.ts';
import { Tally } from './tally.ts';

const SCRIPT = fileURLToPath(new URL('../../../wrk/prepared.lua', import.meta.url));
const LINE_FEED = Buffer.from('\n');
/** Duration of a run of wrk, in seconds. The driver ends wrk earlier, after the last line of its script. */
const LONGEST_S = 24 * 3600;
/** Seconds after its timeout that a request needs to be reported. */
const GRACE_S = 5;

const NONE = { errors: 0, dropped_requests: 0, latency: null, generator_delay: null } as const;

type Done = Omit<Sent, keyof typeof NONE | 'sent_events'>;

export const prepareWrk: Driver<ProgramContext> = async (job, context) => {
  const pool = await loadPool(job.pool);
  const folder = await context.lifetime.temporaryFolder();
  const bodies = join(folder.path, 'bodies');
  // Both servers get the same range one after the other, so the file is written only once.
  let written: Order['range'] | null = null;
  const facts = { name: 'wrk', model: 'closed', latency_from: 'sent', latency_resolution_us: 1 } as const;
  return {
    facts: { ...facts, version: context.found.version },
    pool: pool.facts,
    async send(order) {
      const requests = requestsOf(pool, job, order.range);
      if (requests.count === 0) return new Tally().result({ errors: 0, generator_cpu_us: 0 });
      if (!isDeepStrictEqual(written, order.range)) {
        written = null;
        await writeBodies(bodies, requests, context.lifetime.signal);
        written = order.range;
      }
      const connections = String(Math.min(job.connections, requests.count));
      const flags = ['-t1', '-c', connections, '-d', `${LONGEST_S}s`, '--timeout', `${job.timeout_s}s`];
      const script = ['-s', SCRIPT, order.url, '--', bodies, requests.path, String(requests.count)];
      // When a connection breaks, wrk does not send its request again, and waits for an answer that never comes.
      const silence_ms = (job.timeout_s + GRACE_S) * 1000;
      const done = await run([...flags, ...script], silence_ms, context);
      return { ...done, ...NONE, sent_events: order.range.count };
    },
    close: async () => void (await folder.release()),
  };
};

async function writeBodies(file: string, requests: Requests, signal: AbortSignal): Promise<void> {
  function* lines(): Iterable<Buffer> {
    for (let number = 0; number < requests.count; number++) {
      yield Buffer.concat([requests.body(number), LINE_FEED]);
    }
  }
  // Without the flush, the system would write the file to disk while the server is measured.
  const target = createWriteStream(file, { mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), target, { signal });
}

async function run(
  args: readonly string[],
  silence_ms: number,
  { found, placement, lifetime }: ProgramContext,
): Promise<Done> {
  let done: Done | undefined;
  const { how, other } = await runProgram({
    command: [...pinningCommand(placement.generator_cpus), found.binary, ...args],
    lifetime,
    silence_ms,
    onLine(line, child) {
      if (!line.startsWith('done ')) return line === 'alive';
      done = JSON.parse(line.slice('done '.length)) as Done;
      return child.kill('SIGINT');
    },
  });
  if (done === undefined) throw new BenchFailure('generator_failed', `wrk ended too early (${how})`, other);
  return done;
}
