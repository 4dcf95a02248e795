/**
 * The process that holds the invalidation clients. It executes the orders of its parent.
 *
 * Invariants: during a load it only reads and records. It fails with `out_of_sync` if a stream has ended. It also fails if
 * a reading client missed the last state, or received an older one after a newer one.
 */
import { createHistogram, latencyOf, record } from '../analyse/histogram.ts';
import { BenchFailure } from '../failure.ts';
import { serve } from '../run/serve.ts';
import { InvalidationClient } from './invalidation-client.ts';
import { until, waitFor } from './journal.ts';
import type { Answer } from './posting.ts';
import { type Sample, stalenessOf } from './result.ts';

/** From `mark` on, the findings and the CPU time count. At `finish` a reading client must receive `newest`. */
export type CrowdOrder =
  | { readonly kind: 'connect'; readonly url: string; readonly reading: number; readonly stalled: number }
  | { readonly kind: 'mark' }
  | { readonly kind: 'finish'; readonly answers: readonly Answer[]; readonly newest: number };

interface Findings {
  readonly kind: 'finished';
  /** How long the reading clients waited for each answered state. */
  readonly staleness: Sample;
  /** Number of received chunks that reported `events`. Sum over all clients. */
  readonly notified: number;
  /** CPU time of this process from `mark` to `finish`. */
  readonly cpu_us: number;
}

export type CrowdReply = { readonly kind: 'done' } | Findings;

let readers: readonly InvalidationClient[] = [];
let stalled: readonly InvalidationClient[] = [];
let cpu = process.cpuUsage();

/** Waits until every client that reads has this revision. Fails if a stream has ended. */
async function reached(revision: number): Promise<void> {
  const ended = () => [...readers, ...stalled].find((client) => client.ended !== null)?.ended;
  const isThere = () => ended() !== undefined || readers.every(({ newest }) => newest >= revision);
  await until(isThere, `revision ${revision} at every client`);
  if (ended() !== undefined) throw new BenchFailure('out_of_sync', `a stream ended: ${ended()}`);
}

async function finish(answers: readonly Answer[], newest: number): Promise<Findings> {
  await reached(newest);
  const { user, system } = process.cpuUsage(cpu);
  const waits = createHistogram();
  let [older, notified] = [0, 0];
  for (const { heard } of readers) {
    for (const answer of answers) record(waits, waitFor(answer, heard));
    older += heard.filter(({ revision }, i) => i > 0 && revision < heard[i - 1]!.revision).length;
    notified += heard.length;
  }
  if (older > 0) throw new BenchFailure('out_of_sync', `${older} times a client heard of an older state`);
  return { kind: 'finished', staleness: stalenessOf(latencyOf(waits)), notified, cpu_us: user + system };
}

serve<CrowdOrder, CrowdReply>(async (order) => {
  if (order.kind === 'finish') return finish(order.answers, order.newest);
  if (order.kind === 'connect') {
    const open = (length: number, isReading: boolean) =>
      Array.from({ length }, () => new InvalidationClient(order.url, isReading));
    stalled = open(order.stalled, false);
    readers = open(order.reading, true);
    await reached(0);
  } else {
    for (const client of readers) client.heard = client.heard.slice(-1);
    cpu = process.cpuUsage();
  }
  return { kind: 'done' };
});
