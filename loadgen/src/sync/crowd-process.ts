/**
 * The process that holds the invalidation clients. It executes the orders of its parent.
 *
 * Invariants: during a load it only reads and records. It fails with `out_of_sync` if a stream has ended. It also fails if
 * a reading client missed the last state, or received an older one after a newer one.
 */
import { createHistogram, encode, record } from '../analyse/histogram.ts';
import { BenchFailure } from '../failure.ts';
import { serve } from '../run/serve.ts';
import { InvalidationClient } from './invalidation-client.ts';
import { waitsOf } from './journal.ts';
import type { Answer } from './poster-process.ts';
import { until } from './strategies.ts';

interface Connect {
  readonly kind: 'connect';
  readonly url: string;
  readonly path: string;
  readonly clients: number;
  /** Number of these clients that never read. */
  readonly stalled: number;
  readonly patience_ms: number;
}

interface Finish {
  readonly kind: 'finish';
  readonly answers: readonly Answer[];
  /** Every reading client must receive this revision within `patience_ms`. */
  readonly newest: number;
  readonly patience_ms: number;
}

/** After `mark` the findings and the CPU time count. */
export type CrowdOrder = Connect | { readonly kind: 'mark' } | Finish;

export interface CrowdFindings {
  readonly kind: 'finished';
  /** Compressed histogram in microseconds; empty without clients. */
  readonly waits: string;
  /** Number of received chunks that reported `events`. Sum over all clients. */
  readonly notified: number;
  /** CPU time of this process from `mark` to `finish`. */
  readonly cpu_us: number;
}

export type CrowdReply = { readonly kind: 'done' } | CrowdFindings;

let clients: readonly InvalidationClient[] = [];
let readers: readonly InvalidationClient[] = [];
let cpu = process.cpuUsage();

/** Waits until every reading client has this revision, or its stream has ended. */
async function reached(revision: number, patience_ms: number): Promise<void> {
  const isThere = () => readers.every(({ newest, ended }) => newest >= revision || ended !== null);
  await until(isThere, patience_ms, 'a revision');
}

/** Fails with the distinct reasons why streams ended, and with these other problems. */
function check(problems: readonly string[] = []): void {
  const ended = new Set(clients.flatMap((client) => client.ended ?? []));
  const all = [...problems, ...[...ended].map((how) => `a stream ended: ${how}`)];
  if (all.length > 0) throw new BenchFailure('out_of_sync', 'clients are not in sync', all);
}

async function connect({ url, path, clients: count, stalled, patience_ms }: Connect): Promise<void> {
  clients = Array.from({ length: count }, (_, i) => {
    return new InvalidationClient(url, path, i < stalled ? 'stalled' : 'reads');
  });
  readers = clients.slice(stalled);
  await reached(0, patience_ms);
  check();
}

function mark(): void {
  for (const client of readers) {
    client.heard.splice(0, client.heard.length - 1);
    client.heard_ms.splice(0, client.heard_ms.length - 1);
  }
  cpu = process.cpuUsage();
}

async function finish({ answers, newest, patience_ms }: Finish): Promise<CrowdFindings> {
  // Clients that are behind are counted below.
  await reached(newest, patience_ms).catch(() => undefined);
  const used = process.cpuUsage(cpu);
  const waits = createHistogram();
  let [missed, older, notified] = [0, 0, 0];
  for (const client of readers) {
    for (const wait_ms of waitsOf(answers, client)) {
      if (wait_ms === null) missed++;
      else record(waits, wait_ms);
    }
    older += client.heard.filter((revision, i, all) => i > 0 && revision < all[i - 1]!).length;
    notified += client.heard.length;
  }
  const behind = readers.filter((client) => client.newest < newest).length;
  check([
    ...(behind > 0 ? [`${behind} clients never heard of the last state`] : []),
    ...(missed > 0 ? [`${missed} times a client never heard of a state`] : []),
    ...(older > 0 ? [`${older} times a client heard of an older state`] : []),
  ]);
  for (const client of clients) client.close();
  return { kind: 'finished', waits: encode(waits), notified, cpu_us: used.user + used.system };
}

serve<CrowdOrder, CrowdReply>(async (order) => {
  if (order.kind === 'finish') return finish(order);
  if (order.kind === 'connect') await connect(order);
  else mark();
  return { kind: 'done' };
});
