/**
 * The process that holds the invalidation clients. It executes the orders of its parent.
 *
 * Invariant: during a load it only reads and records.
 */
import { createHistogram, encode, record } from '../analyse/histogram.ts';
import { serve } from '../run/serve.ts';
import { InvalidationClient } from './invalidation-client.ts';
import type { Answer } from './poster-process.ts';
import { waitsOf } from './staleness.ts';
import { until } from './strategies/strategy.ts';

export type CrowdOrder =
  | {
      readonly kind: 'connect';
      readonly url: string;
      readonly path: string;
      readonly clients: number;
      /** Number of these clients that never read. */
      readonly stalled: number;
      readonly patience_ms: number;
    }
  /** The findings and the CPU time count from here on. */
  | { readonly kind: 'mark' }
  /** Replies once every reading client has received that revision, or after `patience_ms`. */
  | {
      readonly kind: 'finish';
      readonly answers: readonly Answer[];
      readonly newest: number;
      readonly patience_ms: number;
    };

export type CrowdReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'finished'; readonly found: CrowdFindings };

export interface CrowdFindings {
  /** Compressed histogram in microseconds; empty without clients. */
  readonly waits: string;
  /** Number of acknowledged revisions that a client never received, nor a newer one. Sum over all clients. */
  readonly missed: number;
  /** Number of clients that never received the last state. */
  readonly behind: number;
  /** Number of received chunks that reported `events`. Sum over all clients. */
  readonly notified: number;
  /** Number of times a client received a revision older than its previous one. */
  readonly older: number;
  /** The distinct reasons why streams of clients ended. */
  readonly ended: readonly string[];
  /** CPU time of this process from `mark` to `finish`. */
  readonly cpu_us: number;
}

let readers: InvalidationClient[] = [];
let stalled: InvalidationClient[] = [];
let cpu = process.cpuUsage();

/** Waits until every reading client has this revision, or its stream has ended. */
async function reached(revision: number, patience_ms: number): Promise<void> {
  const isThere = () => readers.every(({ newest, ended }) => newest >= revision || ended !== null);
  await until(isThere, patience_ms, 'a revision');
}

async function connect(order: Extract<CrowdOrder, { kind: 'connect' }>): Promise<void> {
  const { url, path, clients, patience_ms } = order;
  const all = Array.from({ length: clients }, (_, i) => {
    return new InvalidationClient(url, path, i < order.stalled ? 'stalled' : 'reads');
  });
  stalled = all.slice(0, order.stalled);
  readers = all.slice(order.stalled);
  await reached(0, patience_ms);
  if (endings().length > 0) throw new Error(`not every client is connected: ${endings().join('; ')}`);
}

function mark(): void {
  for (const client of readers) {
    client.heard.splice(0, client.heard.length - 1);
    client.heard_ms.splice(0, client.heard_ms.length - 1);
  }
  cpu = process.cpuUsage();
}

async function finish(order: Extract<CrowdOrder, { kind: 'finish' }>): Promise<CrowdFindings> {
  const { answers, newest, patience_ms } = order;
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
    older += countFalls(client.heard);
    notified += client.heard.length;
  }
  const behind = readers.filter((client) => client.newest < newest).length;
  const ended = endings();
  for (const client of [...readers, ...stalled]) client.close();
  return { waits: encode(waits), missed, behind, notified, older, ended, cpu_us: used.user + used.system };
}

function endings(): string[] {
  return [...new Set([...readers, ...stalled].flatMap(({ ended }) => ended ?? []))];
}

/** Counts the values that are smaller than the previous value. */
function countFalls(values: readonly number[]): number {
  return values.filter((value, i) => i > 0 && value < values[i - 1]!).length;
}

serve<CrowdOrder, CrowdReply>(async (order) => {
  if (order.kind === 'finish') return { kind: 'finished', found: await finish(order) };
  if (order.kind === 'connect') await connect(order);
  else mark();
  return { kind: 'done' };
});
