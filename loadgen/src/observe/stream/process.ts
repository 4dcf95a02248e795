/**
 * The process with the stream clients: it runs all clients of a round and handles one command of its parent at a time.
 *
 * Invariant: during a measurement it only reads bytes, counts and hashes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchFailure } from '../../failure.ts';
import { serve } from '../../run/serve.ts';
import type { StreamSample } from '../sample.ts';
import { LagRecorder, StreamClient } from './client.ts';
import { storedPayloads } from './stored-payloads.ts';

export type Command =
  | { readonly kind: 'connect'; readonly url: string; readonly clients: number; readonly patience_ms: number }
  | { readonly kind: 'mark' }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'until'; readonly last_id: number; readonly patience_ms: number }
  | { readonly kind: 'finish'; readonly file: string; readonly round: string; readonly acknowledged: number };

export type Reply =
  | { readonly kind: 'done' }
  | { readonly kind: 'used'; readonly cpu_us: number }
  | { readonly kind: 'finished'; readonly sample: StreamSample };

/** Milliseconds between two looks at the clients while the parent waits for them. */
const POLL_MS = 5;

let clients: readonly StreamClient[] = [];
let lag: LagRecorder | null = null;
let marked = process.cpuUsage();

serve<Command, Reply>(async (command) => {
  switch (command.kind) {
    case 'connect':
      clients = Array.from({ length: command.clients }, () => new StreamClient());
      for (const client of clients) client.connect(command.url);
      await wait('connected', (client) => client.after >= 0, command.patience_ms);
      return { kind: 'done' };
    case 'mark':
      marked = process.cpuUsage();
      lag = new LagRecorder(Date.now());
      for (const client of clients) client.recorder = lag;
      return { kind: 'done' };
    case 'cpu':
      return { kind: 'used', cpu_us: usedSinceMark() };
    case 'until': {
      const { last_id, patience_ms } = command;
      await wait(`seen id ${last_id}`, (client) => client.last >= last_id, patience_ms);
      return { kind: 'done' };
    }
    case 'finish':
      return { kind: 'finished', sample: finish(command) };
  }
});

function usedSinceMark(): number {
  const used = process.cpuUsage(marked);
  return used.user + used.system;
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
 * Compares the frames of each client with the rows of the file, and their number with that of the acknowledged events.
 * The server itself reports the first row of a stream, so a wrong first row would otherwise hide lost rows. All clients
 * connected before the load, so all have one `after`.
 */
function finish({ file, round, acknowledged }: Extract<Command, { readonly kind: 'finish' }>): StreamSample {
  const clients_cpu_us = usedSinceMark();
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
