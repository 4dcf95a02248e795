/**
 * The closed-loop driver that uses the least CPU time: wrk, with every body prepared in a file.
 *
 * wrk runs for a given time and corrects latencies that it did not measure, so its own figures are not used. A script
 * counts answers and time, and no latency is reported. Invariant: wrk sends each request of the range once, and no
 * others.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { BenchFailure } from '../../failure.ts';
import { pinningCommand } from '../../plan/placement.ts';
import { requestsOf } from '../bodies.ts';
import { loadPool } from '../pool.ts';
import type { Driver, Order, Sent } from './driver.ts';
import { type Found, GRACE_S, runProgram, writeBodies } from './program.ts';
import { Tally } from './tally.ts';

const SCRIPT = fileURLToPath(new URL('../../../wrk/prepared.lua', import.meta.url));
/** Duration of a run of wrk, in seconds. The driver ends wrk earlier, after the last line of its script. */
const LONGEST_S = 24 * 3600;

const NONE = { errors: 0, dropped_requests: 0, latency: null, generator_delay: null } as const;

export function wrkDriver({ binary, version }: Found): Driver {
  return async (job, { placement, lifetime }) => {
    const pool = await loadPool(job.pool);
    const folder = await lifetime.temporaryFolder();
    const bodies = join(folder.path, 'bodies');
    // Both servers get the same range one after the other, so the file is written only once.
    let written: Order['range'] | null = null;
    return {
      facts: { name: 'wrk', version, model: 'closed', latency_from: 'sent', latency_resolution_us: 1 },
      pool: pool.facts,
      async send({ url, range }) {
        const requests = requestsOf(pool, job, range);
        const { path, count } = requests;
        if (count === 0) return new Tally().result({ errors: 0, generator_cpu_us: 0 });
        if (!isDeepStrictEqual(written, range)) {
          written = null;
          await writeBodies(bodies, requests, lifetime.signal);
          written = range;
        }
        const connections = String(Math.min(job.connections, count));
        const flags = ['-t1', '-c', connections, '-d', `${LONGEST_S}s`, '--timeout', `${job.timeout_s}s`];
        const script = ['-s', SCRIPT, url, '--', bodies, path, String(count)];
        let done: Omit<Sent, keyof typeof NONE | 'sent_events'> | undefined;
        const { how, other } = await runProgram({
          command: [...pinningCommand(placement.generator_cpus), binary, ...flags, ...script],
          lifetime,
          // When a connection breaks, wrk does not send its request again, and waits for an answer that never comes.
          silence_ms: (job.timeout_s + GRACE_S) * 1000,
          onLine(line, child) {
            if (!line.startsWith('done ')) return line === 'alive';
            done = JSON.parse(line.slice('done '.length));
            return child.kill('SIGINT');
          },
        });
        if (done === undefined)
          throw new BenchFailure('generator_failed', `wrk ended too early (${how})`, other);
        return { ...done, ...NONE, sent_events: range.count };
      },
      close: async () => void (await folder.release()),
    };
  };
}
