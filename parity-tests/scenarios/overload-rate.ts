/**
 * Offers five times the capacity from a generator in another process.
 *
 * Each sync of the server takes 20 ms longer, and its queue holds 4 batches. So the disk bounds the capacity, not the
 * processor that the generator and other programs share. All requests that wait fit into the server's connections.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Offered } from '../src/open-loop.ts';
import { memoryMb, memoryWithin, requireProc, resetMostMemory } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { livezWaits } from '../src/slowest-livez.ts';
import { injecting, requireStrace } from '../src/strace.ts';

export const OVERLOAD_RATE: ScenarioFile = {
  name: 'overload-rate',
  about: 'more requests than a server can store',
  scenarios: [
    {
      name: 'five times the capacity is 201 or 503, and costs neither events nor much memory',
      rules: ['ING-08', 'ING-10', 'STO-03', 'HEA-02'],
      uses: 'each',
      measures: true,
      faults: ['F21'],
      run: fiveTimes,
    },
  ],
};

const run = promisify(execFile);
const GENERATOR = join(import.meta.dirname, '..', 'src', 'open-loop.ts');
const SYNC_DELAY_US = 20_000;
const BATCH = 20;
const FLAGS = ['--durability', 'power', '--max-batch-events', '20', '--queue-events', '80'];
const CLOSED_S = 5;
const OPEN_S = 10;
const TIMES = 5;
const LIVEZ_PAUSE_MS = 10;
/**
 * Less than that means that refusals displace acknowledgements, as clients that retry at once once did (a fifth,
 * decision 39). The goal on a quiet machine is 0.9.
 */
const LEAST_GOODPUT = 0.6;
/** The goal on a quiet machine is 250 ms. */
const MOST_P99_MS = 1_000;
/** The goal on a quiet machine is a p99 of 50 ms. */
const MOST_LIVEZ_MS = 1_000;
const MOST_GROWN_MB = 150;
/** The rest above the memory before is caches of the runtime. */
const MOST_KEPT_MB = 100;

async function offer(port: number, rate: number, seconds: number): Promise<Offered> {
  const args = [GENERATOR, port, rate, seconds, BATCH].map(String);
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as Offered;
}

async function fiveTimes(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  requireProc(context);
  await (await context.start()).stop();
  const delay = { calls: 'fsync,fdatasync', effect: `delay_enter=${SYNC_DELAY_US}`, when: '1+' };
  const server = await context.start({ wrapper: injecting(delay), flags: FLAGS });
  const client = context.client(server);
  const peak = await offer(server.port, 0, CLOSED_S);
  assert.deepEqual([Object.keys(peak.statuses), peak.failures], [['201'], 0]);
  const before = memoryMb(server.pid, 'VmRSS');
  resetMostMemory(server.pid);
  let isDone = false;
  const probing = livezWaits(context.client(server), () => isDone, LIVEZ_PAUSE_MS);
  const over = await offer(server.port, Math.round((TIMES * peak.goodput) / BATCH), OPEN_S);
  isDone = true;
  const livez = await probing;
  const grown = memoryMb(server.pid, 'VmHWM') - before;
  const kept = (await memoryWithin(server.pid, before + MOST_KEPT_MB, 10_000)) - before;
  const share = over.goodput / peak.goodput;
  const ms = (value: number | null): string => `${Math.round(value ?? 0)} ms`;
  const times = `p50 ${ms(over.p50)}, p99 ${ms(over.p99)}, /livez p99 ${ms(livez.p99)}, slowest ${ms(livez.slowestMs)}`;
  const others = `p99 of refusals ${ms(over.refusedP99)}, of the generator's own delay ${ms(over.lateP99)}`;
  const counts = `${over.statuses['201']} stored, ${over.statuses['503'] ?? 0} refused of ${over.requests}`;
  context.note(
    `goodput ${share.toFixed(2)} of the peak, ${times}, ${counts}, ${grown.toFixed(0)} MB more; ${others}`,
  );
  assert.deepEqual(Object.keys(over.statuses).sort(), ['201', '503']);
  assert.equal(over.failures, 0, 'every request is answered');
  assert.ok(share > LEAST_GOODPUT, `goodput is ${share.toFixed(2)} of the peak`);
  assert.ok(over.p99 < MOST_P99_MS, times);
  assert.ok(livez.p99 < MOST_LIVEZ_MS, times);
  assert.ok(grown < MOST_GROWN_MB, `the server grew by ${grown.toFixed(0)} MB`);
  assert.ok(kept < MOST_KEPT_MB, `the server kept ${kept.toFixed(0)} MB`);
  const { total_events } = (await client.get('/api/stats')).json<{ total_events: number }>();
  assert.equal(total_events, peak.events + over.events, 'what was acknowledged, and no more');
  await server.stop();
}
