/**
 * The process that holds the invalidation clients. It executes the orders of its parent.
 *
 * Invariants: during a load it only reads and records. It fails with `out_of_sync` if a stream has ended. It also fails if
 * a reading client missed the last state, or received an older one after a newer one.
 */
import { createHistogram, encode, record } from '../analyse/histogram.ts';
import { BenchFailure } from '../failure.ts';
import { serve } from '../run/serve.ts';
import { InvalidationClient, type Mode } from './invalidation-client.ts';
import { until, waitFor } from './journal.ts';
import type { Answer } from './posting.ts';

/** From `mark` on, the findings and the CPU time count. At `finish` a reading client must receive `newest`. */
export type CrowdOrder =
  | { readonly kind: 'connect'; readonly url: string; readonly modes: readonly Mode[] }
  | { readonly kind: 'mark' }
  | { readonly kind: 'held' }
  | { readonly kind: 'finish'; readonly answers: readonly Answer[]; readonly newest: number };

interface Findings {
  readonly kind: 'finished';
  /** Compressed histogram in microseconds; empty without clients. */
  readonly waits: string;
  /** Number of received chunks that reported `events`. Sum over all clients. */
  readonly notified: number;
  /** CPU time of this process from `mark` to `finish`. */
  readonly cpu_us: number;
}

export type CrowdReply =
  | { readonly kind: 'done' }
  /** Bytes that the kernel holds for the first client; `null` if it does not report them. */
  | { readonly kind: 'held'; readonly kernel_bytes: number | null }
  | Findings;

let clients: readonly InvalidationClient[] = [];
let readers: readonly InvalidationClient[] = [];
let cpu = process.cpuUsage();

/** Waits until every client that reads has this revision. Fails if a stream has ended. */
async function reached(revision: number): Promise<void> {
  const ended = () => clients.find((client) => client.ended !== null)?.ended;
  const isThere = () => ended() !== undefined || readers.every(({ newest }) => newest >= revision);
  await until(isThere, `revision ${revision} at every client`);
  if (ended() !== undefined) throw new BenchFailure('out_of_sync', `a stream ended: ${ended()}`);
}

async function finish(answers: readonly Answer[], newest: number): Promise<Findings> {
  for (const client of readers) client.letGo();
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
  return { kind: 'finished', waits: encode(waits), notified, cpu_us: user + system };
}

serve<CrowdOrder, CrowdReply>(async (order) => {
  switch (order.kind) {
    case 'connect':
      clients = order.modes.map((mode) => new InvalidationClient(order.url, mode));
      readers = clients.filter((_, i) => order.modes[i] !== 'stalled');
      await reached(0);
      return { kind: 'done' };
    case 'mark':
      for (const client of readers) client.heard = client.heard.slice(-1);
      cpu = process.cpuUsage();
      return { kind: 'done' };
    case 'held':
      return { kind: 'held', kernel_bytes: await clients[0]!.unread() };
    case 'finish':
      return finish(order.answers, order.newest);
  }
});
