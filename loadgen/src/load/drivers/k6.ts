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
import type { K6Job, K6Summary } from '../../../k6/job.ts';
import { BenchFailure } from '../../failure.ts';
import { createProbe } from '../../observe/probe.ts';
import { pinningCommand } from '../../plan/placement.ts';
import type { Pool } from '../pool.ts';
import type { Driver, Generator, Job, Order, Sent } from './driver.ts';
import { K6Tally } from './k6-tally.ts';
import { type ProgramContext, poolAndFolder, runProgram } from './program.ts';

const SCRIPT = fileURLToPath(new URL('../../../k6/soak.ts', import.meta.url));

/** Longest stall in seconds for which k6 creates enough virtual users in advance. Such a stall drops no request. */
const WORST_STALL_S = 2;
/**
 * Maximum number of virtual users, as a multiple of those created in advance. Each user may have a connection, and a
 * server limits connections.
 */
const MOST_VUS_FACTOR = 2;
/** Seconds of k6's unit of time. k6 needs a whole number of requests per unit, so a long unit is more precise. */
const TIME_UNIT_S = 1000;
/** Minimum duration of a k6 run, in milliseconds. */
const SHORTEST_MS = 1000;
/** Seconds after its timeout that a request needs to be reported. */
const GRACE_S = 5;

export function k6Driver(context: ProgramContext): Driver {
  return {
    facts: {
      name: 'k6',
      version: context.found.version,
      model: 'open',
      latency_from: 'sent',
      latency_resolution_us: 1,
    },
    prepare: (job) => prepare(job, context),
  };
}

async function prepare(job: Job, context: ProgramContext): Promise<Generator> {
  const { pool, folder } = await poolAndFolder(job.pool, context.lifetime);
  const [places_file, bytes_file] = [join(folder.path, 'places'), join(folder.path, 'bytes')];
  await writeFile(places_file, pool.places);
  await writeFile(bytes_file, pool.bytes);
  const prepared = { ...context, job, pool, places_file, bytes_file, jobFile: join(folder.path, 'job.json') };
  return {
    pool: pool.facts,
    send: (order, onProgress) => send(order, onProgress, prepared),
    async close() {
      await folder.release();
    },
  };
}

interface Prepared extends ProgramContext, Pick<K6Job, 'places_file' | 'bytes_file'> {
  readonly job: Job;
  readonly pool: Pool;
  readonly jobFile: string;
}

async function send(order: Order, onProgress: (events: number) => void, prepared: Prepared): Promise<Sent> {
  const { lifetime, jobFile } = prepared;
  const tally = new K6Tally();
  const due = Math.ceil(order.range.count / prepared.job.batchSize);
  if (due === 0) return tally.result({ dropped_requests: 0, generator_cpu_us: 0 });
  await writeFile(jobFile, JSON.stringify(k6Job(order, prepared)));
  const cpu: Promise<number>[] = [];
  let summary: K6Summary | undefined;
  const script = [...FLAGS, '-e', `JOB=${jobFile}`, SCRIPT];
  const { how, other } = await runProgram({
    command: [...pinningCommand(prepared.placement.generator_cpus), prepared.found.binary, ...script],
    env: environment(),
    lifetime,
    onLine(line, child) {
      if (tally.read(line)) onProgress(tally.acknowledged);
      else if (line === 'ready' || line === 'done') {
        cpu.push(cpuTime(child.pid!));
        // Awaited below, after the end of k6. This handler prevents an unhandled rejection before that.
        cpu.at(-1)!.catch(() => undefined);
        if (line === 'ready') onProgress(0);
      } else if (line.startsWith('summary '))
        summary = JSON.parse(line.slice('summary '.length)) as K6Summary;
      else return false;
      return true;
    },
  });
  const [from, to] = await Promise.all(cpu);
  if (how !== 'code 0' || summary === undefined || from === undefined || to === undefined)
    throw new BenchFailure('generator_failed', `k6 ended before its summary or wrongly (${how})`, other);
  if (summary.requests !== tally.requests) {
    throw new BenchFailure(
      'generator_failed',
      `k6 counted ${summary.requests} requests and reported ${tally.requests}, so what it sent is not known`,
    );
  }
  return tally.result({
    // k6 also counts dropped iterations whose events it sends in a later iteration. It may also count the one iteration
    // after the range.
    dropped_requests: Math.max(due - tally.requests, summary.dropped),
    generator_cpu_us: to - from,
  });
}

const FLAGS = [
  'run',
  '--quiet',
  '--no-color',
  '--no-usage-report',
  // An empty address disables the REST server, whose fixed port could be in use.
  '--address=',
  '--log-output=stdout',
  '--log-format=raw',
];

/** Returns the environment without the caller's `K6_*` variables, any of which could change what is measured. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('K6_'));
  return {
    ...Object.fromEntries(own),
    K6_NO_USAGE_REPORT: 'true',
    // k6 must not search for extensions on the network; the script needs none.
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    // Hundreds of virtual users have a large heap that hardly changes. Fewer garbage collections save a fifth of k6's
    // CPU time, which the server needs on a small machine.
    GOGC: '400',
  };
}

/** Returns the CPU time of k6 so far, in microseconds. k6 is no Node process and cannot report it itself. */
async function cpuTime(pid: number): Promise<number> {
  const { cpu_us } = await createProbe()(pid);
  if (cpu_us === null)
    throw new BenchFailure('generator_failed', 'the system does not report the CPU time of k6');
  return cpu_us;
}

/** Returns the order as a job for the k6 script. */
function k6Job(order: Order, { job, pool, places_file, bytes_file }: Prepared): K6Job {
  const { events, sessions, seed, ids } = pool;
  const { range, rate_events_per_s } = order;
  if (rate_events_per_s === null || !(rate_events_per_s > 0))
    throw new BenchFailure('generator_failed', 'k6 is an open driver and needs a rate above 0');
  const requests_per_s = rate_events_per_s / job.batchSize;
  const requests = Math.ceil(range.count / job.batchSize);
  const vus = Math.max(1, Math.ceil(requests_per_s * WORST_STALL_S));
  return {
    url: `${order.url}/api/events/batch`,
    first: range.first,
    count: range.count,
    batch_size: job.batchSize,
    pool: { events, sessions, seed, ids },
    places_file,
    bytes_file,
    rate: Math.max(1, Math.round(requests_per_s * TIME_UNIT_S)),
    time_unit: `${TIME_UNIT_S}s`,
    // The duration has time for one extra request; the script sends nothing beyond the range.
    duration: `${Math.max(SHORTEST_MS, Math.ceil(((requests + 1) / requests_per_s) * 1000))}ms`,
    pre_allocated_vus: vus,
    max_vus: vus * MOST_VUS_FACTOR,
    timeout: `${job.timeout_s}s`,
    graceful_stop: `${job.timeout_s + GRACE_S}s`,
  };
}
