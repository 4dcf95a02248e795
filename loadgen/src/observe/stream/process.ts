/**
 * The process with the stream clients: it runs all clients of a round and handles one order of its parent at a time.
 *
 * Invariant: during a measurement it only reads bytes, counts and hashes. What a client must have received are the rows
 * of the stopped server's file. They are computed by the rules of the contract and not by a server's source, so that
 * both servers can be checked.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../../failure.ts';
import { serve } from '../../run/helper.ts';
import { BOOLEAN_COLUMNS, type Value, VIEW_COLUMNS } from '../../verify/audit/expected-row.ts';
import { storedValues } from '../../verify/audit/rows.ts';
import { createLagRecorder, StreamClient } from './client.ts';

/** Longer than any pause of a healthy server. */
const PATIENCE_MS = 30_000;

/** Milliseconds between two looks at the clients while the parent waits for them. */
const POLL_MS = 5;

let clients: readonly StreamClient[] = [];
let lag: StreamClient['recorder'] = null;
let marked = process.cpuUsage();

/** Resolves when every client has received its first frame. */
async function connect(url: string, count: number): Promise<void> {
  clients = Array.from({ length: count }, () => new StreamClient());
  for (const client of clients) client.connect(url);
  await wait('connected', (client) => client.after >= 0, PATIENCE_MS);
}

/** Starts to count CPU time, and the delivery lag of rows that are stored from now on. */
function mark(): void {
  marked = process.cpuUsage();
  lag = createLagRecorder(Date.now());
  for (const client of clients) client.recorder = lag;
}

/** Returns the CPU time since the mark, in microseconds. */
function cpu(): number {
  const used = process.cpuUsage(marked);
  return used.user + used.system;
}

/** Resolves when every client has received that id. */
async function until(last_id: number, patience_ms = PATIENCE_MS): Promise<void> {
  await wait(`seen id ${last_id}`, (client) => client.last >= last_id, patience_ms);
}

/**
 * Waits until `reached` is true for every client. Fails with the late clients when a stream ends before, or when no
 * event arrives for `patience_ms`.
 */
async function wait(what: string, reached: (client: StreamClient) => boolean, patience_ms: number) {
  let [frames, since] = [framesOf(), performance.now()];
  for (;;) {
    const late = clients.filter((client) => !reached(client));
    if (late.length === 0) return;
    const fail = (why: string) => {
      const message = `${late.length} of ${clients.length} stream clients have not ${what} ${why}`;
      const problems = late.map(({ ended, last, problem }) => problem ?? ended ?? `stopped at id ${last}`);
      throw new BenchFailure('stream_differs', message, problems);
    };
    if (late.some((client) => client.ended !== null)) fail('before their stream ended');
    if (frames !== framesOf()) [frames, since] = [framesOf(), performance.now()];
    else if (performance.now() - since > patience_ms) fail(`and got nothing for ${patience_ms} ms`);
    await sleep(POLL_MS);
  }
}

/**
 * Closes the streams. Fails unless every client received every row of the file, in order and byte for byte, and the rows
 * are as many as were acknowledged. `round` names the round in a failure.
 *
 * The server itself reports the first row of a stream, so a wrong first row would otherwise hide lost rows. All clients
 * connected before the load, so all have one `after`.
 */
function finish(file: string, round: string, acknowledged: number) {
  const clients_cpu_us = cpu();
  for (const client of clients) client.close();
  const stored = storedPayloads(file, clients[0]!.after);
  const problems = clients.flatMap((client, i) => {
    const isSame = client.frames === stored.count && client.digest() === stored.digest;
    const differs = `got ${client.frames} frames of ${stored.count} rows, not the same bytes`;
    const problem = client.problem ?? (isSame ? null : differs);
    return problem === null ? [] : [`client ${i + 1} ${problem}`];
  });
  const [all, frames] = [clients.length, framesOf()];
  const fail = (what: string) => {
    throw new BenchFailure('stream_differs', `${round}: ${what}`, problems);
  };
  if (problems.length > 0)
    fail(`${all - problems.length} of ${all} stream clients received what is in the file`);
  if (frames !== all * acknowledged)
    fail(`${all} stream clients received ${frames} frames of ${acknowledged} acknowledged events each`);
  return { clients: all, frames, lag: lag?.lag() ?? null, clients_cpu_us };
}

function framesOf(): number {
  return clients.reduce((sum, client) => sum + client.frames, 0);
}

/** Returns the number of rows above the id, and the SHA-256 of their payloads without separators, in hex. */
function storedPayloads(file: string, after: number): { count: number; digest: string } {
  const digest = createHash('sha256');
  let count = 0;
  for (const row of storedValues(file, VIEW_COLUMNS, after)) {
    count++;
    digest.update(payloadOf(row));
  }
  return { count, digest: digest.digest('hex') };
}

/** Members are in the order of the view, and numbers have the ECMAScript format (rules GET-02, MET-01, MET-03). */
function payloadOf(row: readonly Value[]): string {
  const members = VIEW_COLUMNS.map((column, i) => {
    const value = row[i]!;
    if (BOOLEAN_COLUMNS.includes(column)) return `"${column}":${value === 1}`;
    // In JSON text, raw line breaks occur only between tokens.
    if (column === 'metadata') return `"${column}":${String(value).replace(/[\r\n]/g, ' ')}`;
    return `"${column}":${JSON.stringify(value)}`;
  });
  return `{${members.join()}}`;
}

const orders = { connect, mark, cpu, until, finish };
export type StreamOrders = typeof orders;
serve(orders);
