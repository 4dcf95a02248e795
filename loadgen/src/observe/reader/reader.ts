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

/**
 * Size of V8's young generation in MiB. More frequent garbage collections would take CPU time from the server and
 * increase its latency.
 */
const QUIET = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Milliseconds between two requests of a dashboard for its totals. */
const INTERVAL_MS = 1000;

export interface ReaderContext {
  readonly url: string;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
  /** Milliseconds between two requests for the totals; default: one second. Only tests set it. */
  readonly interval_ms?: number;
}

export interface Reader {
  /** Waits for the outstanding answers, ends the process and returns the sample. */
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

/** Fails when a read was not answered with a 200 in time. */
export function checkReads({ failed, requests }: ReaderSample, name: string): void {
  if (failed === 0) return;
  throw new BenchFailure(
    'reads_failed',
    `${name}: ${failed} of ${requests} reads of the dashboard had no 200 in time`,
  );
}

function send(child: ChildProcess, command: Command): void {
  // `answerOf` reports a child that has ended.
  if (child.connected) child.send(command, () => undefined);
}

function answerOf(child: ChildProcess): Promise<Answer> {
  const read = Promise.withResolvers<Answer>();
  // The promise may reject long before a caller awaits it.
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
