/**
 * The parent's side of the process that reads statistics during a load.
 *
 * Invariants: the child ends with the run. A child that ends by itself is a failure, not a sample.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import { type Placement, pinningCommand } from '../../plan/placement.ts';
import type { ReaderSample } from '../sample.ts';
import type { Answer, Command } from './process.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

/** MiB for what is young: a collection of its garbage would take the cores from the server, and be in its latency. */
const QUIET = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** A dashboard asks for its totals this often. */
const INTERVAL_MS = 1000;

export interface ReaderContext {
  readonly url: string;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
  /** For tests; a second otherwise. */
  readonly interval_ms?: number;
}

export interface Reader {
  /** Waits for what was asked and not yet answered, then ends the process. */
  stop(): Promise<ReaderSample>;
}

export function startReader(context: ReaderContext): Reader {
  const { url, lifetime, placement } = context;
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, ...QUIET, PROGRAM];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const read = answerOf(child);
  const release = lifetime.add(() => end(child));
  send(child, { kind: 'start', url, interval_ms: context.interval_ms ?? INTERVAL_MS });
  return {
    async stop() {
      send(child, { kind: 'stop' });
      try {
        return (await lifetime.orInterrupted(read)).sample;
      } finally {
        await release();
      }
    },
  };
}

/** Fails when a read was not answered with a 200 in time: no speed makes up for it. */
export function checkReads({ failed, requests }: ReaderSample, name: string): void {
  if (failed === 0) return;
  throw new BenchFailure(
    'reads_failed',
    `${name}: ${failed} of ${requests} reads of the dashboard had no 200 in time`,
  );
}

function send(child: ChildProcess, command: Command): void {
  // A child that is gone is reported of by `answerOf`.
  if (child.connected) child.send(command, () => undefined);
}

function answerOf(child: ChildProcess): Promise<Answer> {
  const read = Promise.withResolvers<Answer>();
  // It may fail long before anybody waits for it.
  read.promise.catch(() => undefined);
  const fail = (what: string) => read.reject(new BenchFailure('reader_failed', `the reader ${what}`));
  child.on('message', (message) => read.resolve(message as Answer));
  child.once('close', (code, signal) => fail(`ended by itself (${signal ?? `code ${code}`})`));
  child.once('error', (error) => fail(`could not be started: ${error.message}`));
  return read.promise;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
