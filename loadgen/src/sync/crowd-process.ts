/**
 * The process that holds the clients of the invalidation stream. It executes the orders of its parent.
 *
 * A client costs little: it is a socket, and a search in its bytes. Invariants: during a load the process only reads and
 * records. It fails with `out_of_sync` if a stream has ended. It also fails if a reading client missed the last state, or
 * received an older one after a newer one.
 */
import { connect } from 'node:net';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/helper.ts';
import { type State, until, waitFor } from './journal.ts';
import type { Answer } from './posting.ts';
import { latencyFrom, stalenessOf } from './result.ts';

const NEEDLE = '"topic":"events","revision":"';
/** Length of the largest revision. */
const MOST_DIGITS = 20;

/** The received states of each reading client. */
let readers: readonly State[][] = [];
/** Why the first stream ended. */
let ended: string | undefined;
let cpu = process.cpuUsage();

/**
 * Opens a client and returns the list of the states that it will receive. A client that never reads leaves everything in
 * the buffers of the kernel and the server.
 */
function openClient(url: string, isReading: boolean): State[] {
  const { port, host, pathname, search } = new URL(url);
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
  const end = (how: string) => {
    ended ??= how;
  };
  socket.on('error', (error) => end(String(error))).on('close', () => end('the server closed the stream'));
  const heard: State[] = [];
  let rest = Buffer.alloc(0);
  const read = (chunk: Buffer) => {
    const at_ms = nowMs();
    const bytes = Buffer.concat([rest, chunk]);
    // A chunk can end inside a frame. The bytes after the last complete line are kept for the next chunk.
    const length = bytes.lastIndexOf('\n') + 1;
    rest = bytes.subarray(length);
    // Only the last revision counts, since a newer one replaces an older one.
    const at = bytes.subarray(0, length).lastIndexOf(NEEDLE);
    if (at < 0) return;
    const digits = bytes.toString('latin1', at + NEEDLE.length, at + NEEDLE.length + MOST_DIGITS);
    heard.push({ revision: Number.parseInt(digits, 10), at_ms });
  };
  if (isReading) socket.on('data', read);
  else socket.pause();
  const head = `Host: ${host}\r\nAccept: text/event-stream\r\n`;
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  return heard;
}

/** Waits until every client that reads has this revision. Fails if a stream has ended. */
async function reached(revision: number): Promise<void> {
  const has = (heard: readonly State[]) => (heard.at(-1)?.revision ?? -1) >= revision;
  await until(() => ended !== undefined || readers.every(has), `revision ${revision} at every client`);
  if (ended !== undefined) throw new BenchFailure('out_of_sync', `a stream ended: ${ended}`);
}

/** Returns the findings when every reading client has received `newest`. */
async function finish(answers: readonly Answer[], newest: number) {
  await reached(newest);
  const { user, system } = process.cpuUsage(cpu);
  const waits: number[] = [];
  let [older, notified] = [0, 0];
  for (const heard of readers) {
    for (const answer of answers) waits.push(waitFor(answer, heard));
    older += heard.filter(({ revision }, i) => i > 0 && revision < heard[i - 1]!.revision).length;
    notified += heard.length;
  }
  if (older > 0) throw new BenchFailure('out_of_sync', `${older} times a client heard of an older state`);
  return {
    /** How long the reading clients waited for each answered state. */
    staleness: stalenessOf(latencyFrom(waits)),
    /** Number of received chunks that reported `events`. Sum over all clients. */
    notified,
    /** CPU time of this process from `mark` to `finish`. */
    cpu_us: user + system,
  };
}

/** Opens clients that read, and clients that never read. */
async function open(url: string, reading: number, stalled: number): Promise<void> {
  const clients = (length: number, isReading: boolean) =>
    Array.from({ length }, () => openClient(url, isReading));
  clients(stalled, false);
  readers = clients(reading, true);
  await reached(0);
}

/** Makes the findings and the CPU time count from now on. */
function mark(): void {
  // The newest state stays, so that an older one after it is noticed.
  for (const heard of readers) heard.splice(0, heard.length - 1);
  cpu = process.cpuUsage();
}

const orders = { open, mark, finish };
export type CrowdOrders = typeof orders;
serve(orders);
