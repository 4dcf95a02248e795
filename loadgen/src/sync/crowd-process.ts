/**
 * The process that holds the clients of the invalidation stream. It executes the orders of its parent.
 *
 * A client costs little: it is a socket, and a search in its bytes. Invariants: during a load the process only reads and
 * records. It fails with `out_of_sync` if a stream has ended. It also fails if a reading client missed the last state, or
 * received an older one after a newer one.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { type State, until, waitFor } from './journal.ts';
import type { Answer } from './posting.ts';
import { latencyFrom, stalenessOf } from './result.ts';

/** From `mark` on, the findings and the CPU time count. At `finish` a reading client must receive `newest`. */
export type CrowdOrder =
  | { readonly kind: 'connect'; readonly url: string; readonly reading: number; readonly stalled: number }
  | { readonly kind: 'mark' }
  | { readonly kind: 'finish'; readonly answers: readonly Answer[]; readonly newest: number };

export type CrowdReply = { readonly kind: 'done' } | Awaited<ReturnType<typeof finish>>;

const NEEDLE = '"topic":"events","revision":"';
/** Length of the largest revision. */
const MOST_DIGITS = 20;

/** A client that never reads leaves everything in the buffers of the kernel and the server. */
class Client {
  /** The revisions that were received, and when. */
  heard: State[] = [];
  /** The reason why the stream ended; `null` while it is open. */
  ended: string | null = null;
  #rest = Buffer.alloc(0);

  constructor(url: string, isReading: boolean) {
    const { port, host, pathname, search } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
    once(socket, 'close')
      .then(() => 'the server closed the stream', String)
      .then((how) => {
        this.ended = how;
      });
    if (isReading) socket.on('data', (chunk) => this.#read(chunk));
    else socket.pause();
    const head = `Host: ${host}\r\nAccept: text/event-stream\r\n`;
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  }

  /** Notes the last revision of `events` in the complete lines, since a newer one replaces an older one. */
  #read(chunk: Buffer): void {
    const at_ms = nowMs();
    const bytes = Buffer.concat([this.#rest, chunk]);
    // A chunk can end inside a frame. The bytes after the last complete line are kept for the next chunk.
    const end = bytes.lastIndexOf('\n') + 1;
    this.#rest = bytes.subarray(end);
    const at = bytes.subarray(0, end).lastIndexOf(NEEDLE);
    if (at < 0) return;
    const digits = bytes.toString('latin1', at + NEEDLE.length, at + NEEDLE.length + MOST_DIGITS);
    this.heard.push({ revision: Number.parseInt(digits, 10), at_ms });
  }
}

let readers: readonly Client[] = [];
let stalled: readonly Client[] = [];
let cpu = process.cpuUsage();

/** Waits until every client that reads has this revision. Fails if a stream has ended. */
async function reached(revision: number): Promise<void> {
  const ended = () => [...readers, ...stalled].find((client) => client.ended !== null)?.ended;
  const has = ({ heard }: Client) => (heard.at(-1)?.revision ?? -1) >= revision;
  const isThere = () => ended() !== undefined || readers.every(has);
  await until(isThere, `revision ${revision} at every client`);
  if (ended() !== undefined) throw new BenchFailure('out_of_sync', `a stream ended: ${ended()}`);
}

async function finish(answers: readonly Answer[], newest: number) {
  await reached(newest);
  const { user, system } = process.cpuUsage(cpu);
  const waits: number[] = [];
  let [older, notified] = [0, 0];
  for (const { heard } of readers) {
    for (const answer of answers) waits.push(waitFor(answer, heard));
    older += heard.filter(({ revision }, i) => i > 0 && revision < heard[i - 1]!.revision).length;
    notified += heard.length;
  }
  if (older > 0) throw new BenchFailure('out_of_sync', `${older} times a client heard of an older state`);
  return {
    kind: 'finished' as const,
    /** How long the reading clients waited for each answered state. */
    staleness: stalenessOf(latencyFrom(waits)),
    /** Number of received chunks that reported `events`. Sum over all clients. */
    notified,
    /** CPU time of this process from `mark` to `finish`. */
    cpu_us: user + system,
  };
}

serve<CrowdOrder, CrowdReply>(async (order) => {
  if (order.kind === 'finish') return finish(order.answers, order.newest);
  if (order.kind === 'connect') {
    const open = (length: number, isReading: boolean) =>
      Array.from({ length }, () => new Client(order.url, isReading));
    stalled = open(order.stalled, false);
    readers = open(order.reading, true);
    await reached(0);
  } else {
    for (const client of readers) client.heard = client.heard.slice(-1);
    cpu = process.cpuUsage();
  }
  return { kind: 'done' };
});
