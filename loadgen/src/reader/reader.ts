/**
 * A dashboard beside a load: a process of its own that asks for statistics while events arrive.
 *
 * What must stay true: the child is ended with the run, and a child that ends by itself is a failure, not a
 * sample.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchFailure } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import { type Placement, pinningCommand } from '../placement.ts';
import type { ReaderSample } from '../sample.ts';
import type { Command, Reply } from './process.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

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
  const { url, lifetime, placement, interval_ms = INTERVAL_MS } = context;
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, PROGRAM];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const read = answerOf(child);
  // It may fail long before anybody waits for it in `stop`.
  read.catch(() => undefined);
  const release = lifetime.add(() => end(child));
  tell(child, { kind: 'start', url, interval_ms });
  return {
    async stop() {
      tell(child, { kind: 'stop' });
      try {
        return await lifetime.orInterrupted(read);
      } finally {
        await release();
      }
    },
  };
}

function tell(child: ChildProcess, command: Command): void {
  // A child that is gone is told of by `answerOf`.
  if (child.connected) child.send(command, () => undefined);
}

function answerOf(child: ChildProcess): Promise<ReaderSample> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new BenchFailure('reader_failed', `the reader ${what}`));
    child.once('message', (message) => resolve((message as Reply).sample));
    child.once('close', (code, signal) => fail(`ended by itself (${signal ?? `code ${code}`})`));
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
