/**
 * The driver of a soak: k6 with requests due at a constant rate, and the same events as every other driver.
 *
 * k6 counts latency from the moment it sends. A stall is therefore hidden unless a virtual user is free for every
 * request that is due. So k6 gets enough users for a stall of two seconds. Requests that were due and not sent are
 * reported. Invariant: the events sent are the first ones of the range, without a gap.
 *
 * k6 ends with its parent: it writes a line for every answer, and SIGPIPE ends a Go program whose stdout is closed. CPU
 * time is read between the script's `ready` and `done`, so that the creation of virtual users does not count.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchFailure } from '../../failure.ts';
import { probe } from '../../observe/probe.ts';
import { pinningCommand } from '../../plan/placement.ts';
import type { PoolSize } from '../bodies.ts';
import { loadPool } from '../pool.ts';
import type { Driver, Job, Order } from './driver.ts';
import { type Found, GRACE_S, runProgram } from './program.ts';
import { Tally } from './tally.ts';

const SCRIPT = fileURLToPath(new URL('../../../k6/soak.ts', import.meta.url));

/** The script's task. `file` has places and bytes of the pool: virtual users share no memory, but files. */
export interface K6Job {
  readonly job: Job;
  readonly order: Order;
  readonly pool: PoolSize;
  readonly file: string;
  /** The executor of k6 and its settings. */
  readonly scenario: object;
}

/** What the script prints of each answer, as a line of JSON. */
export interface K6Answer {
  readonly events: number;
  readonly bytes: number;
  /** 0 when no answer came. */
  readonly status: number;
  readonly body: string | null;
  /** Milliseconds from the moment the first request was due until the answer. */
  readonly at_ms: number;
  readonly latency_ms: number;
}

/** Longest stall in seconds for which k6 creates enough virtual users in advance. Such a stall drops no request. */
const WORST_STALL_S = 2;
/** Most virtual users for each one created in advance. Each may have a connection, which a server limits. */
const MOST_VUS_FACTOR = 2;
/** Seconds of k6's unit of time. k6 needs a whole number of requests per unit, so a long unit is more precise. */
const TIME_UNIT_S = 1000;
const SHORTEST_MS = 1000;

export function k6Driver({ binary, version }: Found): Driver {
  return async (job, { placement, lifetime }) => {
    const pool = await loadPool(job.pool);
    const folder = await lifetime.temporaryFolder();
    const file = join(folder.path, 'pool');
    await writeFile(file, [new Uint8Array(pool.places.buffer), pool.bytes]);
    return {
      facts: { name: 'k6', version, model: 'open', latency_from: 'sent', latency_resolution_us: 1 },
      pool: pool.facts,
      async send(order) {
        const tally = new Tally();
        const due = Math.ceil(order.range.count / job.batchSize);
        if (due === 0) return tally.result({ errors: 0, generator_cpu_us: 0 });
        const scenario = scenarioOf(order.rate_events_per_s! / job.batchSize, due, job.timeout_s);
        const k6Job: K6Job = { job, order, pool: pool.facts, file, scenario };
        const cpu: ReturnType<typeof probe>[] = [];
        const script = [...FLAGS, '-e', `JOB=${JSON.stringify(k6Job)}`, SCRIPT];
        const { how, other } = await runProgram({
          command: [...pinningCommand(placement.generator_cpus), binary, ...script],
          env: environment(),
          lifetime,
          onLine(line, child) {
            if (line === 'ready' || line === 'done') cpu.push(probe(child.pid!));
            else if (line.startsWith('{')) count(JSON.parse(line) as K6Answer, tally);
            else return false;
            return true;
          },
        });
        const [from_us, to_us] = (await Promise.all(cpu)).map(({ cpu_us }) => cpu_us);
        const failed = `k6 ended wrongly (${how}), or its CPU time is not known`;
        if (how !== 'code 0' || from_us == null || to_us == null)
          throw new BenchFailure('generator_failed', failed, other);
        return tally.result({
          errors: tally.requests - tally.answers,
          dropped_requests: due - tally.requests,
          // k6 is no Node process and cannot report its CPU time itself.
          generator_cpu_us: to_us - from_us,
        });
      },
      close: async () => void (await folder.release()),
    };
  };
}

/** Times count from the moment the first request was due. */
function count({ events, bytes, status, body, at_ms, latency_ms }: K6Answer, tally: Tally): void {
  tally.sent(events, bytes, 0);
  if (status !== 0) tally.answered(status, body ?? '', at_ms - latency_ms, at_ms);
}

function scenarioOf(requests_per_s: number, requests: number, timeout_s: number): object {
  const vus = Math.max(1, Math.ceil(requests_per_s * WORST_STALL_S));
  return {
    executor: 'constant-arrival-rate',
    rate: Math.max(1, Math.round(requests_per_s * TIME_UNIT_S)),
    timeUnit: `${TIME_UNIT_S}s`,
    // The duration has time for one extra request; the script sends nothing beyond the range.
    duration: `${Math.max(SHORTEST_MS, Math.ceil(((requests + 1) / requests_per_s) * 1000))}ms`,
    preAllocatedVUs: vus,
    maxVUs: vus * MOST_VUS_FACTOR,
    gracefulStop: `${timeout_s + GRACE_S}s`,
  };
}

const PLAIN = ['--quiet', '--no-color', '--no-summary', '--log-output=stdout', '--log-format=raw'];
// An empty address disables the REST server, whose fixed port could be in use.
const FLAGS = ['run', ...PLAIN, '--no-usage-report', '--address='];

/** Returns the environment without the caller's `K6_*` variables, any of which could change what is measured. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('K6_'));
  return {
    ...Object.fromEntries(own),
    // k6 must not search for extensions on the network; the script needs none.
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    // Hundreds of virtual users have a large heap that hardly changes. Fewer garbage collections save a fifth of k6's
    // CPU time, which the server needs on a small machine.
    GOGC: '400',
  };
}
