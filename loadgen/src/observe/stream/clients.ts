/**
 * The parent's side of the process with the stream clients of a round.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import { type Placement, pinningCommand } from '../../plan/placement.ts';
import type { StreamSample } from '../sample.ts';
import type { Command, Reply } from './process.ts';

export interface StreamClients {
  /** Resolves when every client has received its first frame. */
  ready(): Promise<void>;
  /** Starts to count CPU time, and the delivery lag of rows that are stored from now on. */
  mark(): Promise<void>;
  /** Returns the CPU time of the process since the mark, in microseconds. */
  cpu(): Promise<number>;
  /**
   * Resolves when every client has received that id. Fails when a stream ends before, or no event arrives for
   * `patience_ms`.
   */
  until(lastId: number, patience_ms?: number): Promise<void>;
  /** Checks the frames of every client against the file of the stopped server, and ends the process. */
  finish(file: string): Promise<StreamSample>;
  /** Returns the first violation of each incomplete client; empty before `finish`. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export interface StreamClientsOptions {
  readonly url: string;
  readonly clients: number;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
}

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Longer than any pause of a healthy server. It only delays the report of a failure. */
const PATIENCE_MS = 30_000;

export async function startStreamClients(options: StreamClientsOptions): Promise<StreamClients> {
  const { url, clients, lifetime, placement } = options;
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, PROGRAM];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const close = lifetime.add(() => end(child));
  const send = (message: Command) => lifetime.orInterrupted(ask(child, message));
  const connected = send({ kind: 'connect', url, clients, patience_ms: PATIENCE_MS });
  // `ready` reports a failure. This handler prevents an unhandled rejection before `ready` is called.
  connected.catch(() => undefined);
  let problems: readonly string[] = [];
  return {
    ready: async () => done(await connected),
    mark: async () => done(await send({ kind: 'mark' })),
    async cpu() {
      const reply = await send({ kind: 'cpu' });
      if (reply.kind !== 'used') throw unexpected(reply);
      return reply.cpu_us;
    },
    until: async (last_id, patience_ms = PATIENCE_MS) =>
      done(await send({ kind: 'until', last_id, patience_ms })),
    async finish(file) {
      const reply = await send({ kind: 'finish', file });
      await close();
      if (reply.kind !== 'finished') throw unexpected(reply);
      problems = reply.problems;
      return reply.sample;
    },
    problems: () => problems,
    close: async () => void (await close()),
  };
}

/**
 * Fails unless every client received every row of the file, in order and byte for byte. The number of rows must also be
 * that of the events acknowledged since the client connected. The server itself reports the first row of a stream, so a
 * wrong first row would otherwise hide lost rows.
 */
export function checkStream(
  sample: StreamSample,
  name: string,
  acknowledged: number,
  details: readonly string[] = [],
): void {
  const { clients, complete_clients, frames } = sample;
  if (complete_clients !== clients) {
    throw new BenchFailure(
      'stream_differs',
      `${name}: ${complete_clients} of ${clients} stream clients received what is in the file`,
      details,
    );
  }
  if (frames === clients * acknowledged) return;
  throw new BenchFailure(
    'stream_differs',
    `${name}: ${clients} stream clients received ${frames} frames of ${acknowledged} acknowledged events each`,
    details,
  );
}

function done(reply: Reply): void {
  if (reply.kind !== 'done') throw unexpected(reply);
}

function unexpected(reply: Reply): BenchFailure {
  if (reply.kind === 'missing') return new BenchFailure('stream_differs', reply.message, reply.problems);
  if (reply.kind === 'failed') return new BenchFailure('stream_failed', reply.message);
  return new BenchFailure('stream_failed', `the stream clients answered ${reply.kind}`);
}

/** Sends a command and waits for its reply. The child handles one command at a time. */
function ask(child: ChildProcess, command: Command): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => finish(() => resolve(message as Reply));
    const onClose = (code: number | null, signal: string | null) => {
      const how = signal ?? `code ${code}`;
      finish(() =>
        reject(new BenchFailure('stream_failed', `the stream clients ended by themselves (${how})`)),
      );
    };
    const onError = (error: Error) =>
      finish(() =>
        reject(
          new BenchFailure('stream_failed', `the stream clients could not be started: ${error.message}`),
        ),
      );
    const finish = (settle: () => void) => {
      child.off('message', onMessage).off('close', onClose).off('error', onError);
      settle();
    };
    child.on('message', onMessage).on('close', onClose).on('error', onError);
    if (child.connected) child.send(command);
    else onClose(child.exitCode, child.signalCode);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
