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
import { type Answer, type Command, DASHBOARD, type PathSample, type Reply } from './process.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

/** A dashboard asks for its totals this often. */
const INTERVAL_MS = 1000;

/** What is asked instead of what a dashboard asks. */
export interface Reading {
  /** Paths that are asked at each tick, from the first list again after the last. */
  readonly turns: readonly (readonly string[])[];
  readonly interval_ms: number;
  /** Asks each path once before the first tick, uncounted, so that neither client nor statements are cold. */
  readonly rehearse: boolean;
  /** Given what was measured of each path, when the reader stops. */
  onPaths(paths: readonly PathSample[]): void;
}

export interface ReaderContext {
  readonly url: string;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
  /** For tests; a second otherwise. */
  readonly interval_ms?: number;
  readonly reading?: Reading | undefined;
}

export interface Reader {
  /** Resolves at its first tick; rejects when it ended before. */
  readonly begun: Promise<void>;
  /** Waits for what was asked and not yet answered, then ends the process. */
  stop(): Promise<ReaderSample>;
}

export function startReader(context: ReaderContext): Reader {
  const { url, lifetime, placement, reading } = context;
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, PROGRAM];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const { begun, read } = repliesOf(child);
  const release = lifetime.add(() => end(child));
  tell(child, {
    kind: 'start',
    url,
    interval_ms: reading?.interval_ms ?? context.interval_ms ?? INTERVAL_MS,
    turns: reading?.turns ?? DASHBOARD,
    rehearse: reading?.rehearse ?? false,
  });
  return {
    begun,
    async stop() {
      tell(child, { kind: 'stop' });
      try {
        const { sample, paths } = await lifetime.orInterrupted(read);
        reading?.onPaths(paths);
        return sample;
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

interface Replies {
  readonly begun: Promise<void>;
  readonly read: Promise<Answer>;
}

function repliesOf(child: ChildProcess): Replies {
  const begun = Promise.withResolvers<void>();
  const read = Promise.withResolvers<Answer>();
  // Either may fail long before anybody waits for it, or with nobody who does.
  begun.promise.catch(() => undefined);
  read.promise.catch(() => undefined);
  const fail = (what: string) => {
    const failure = new BenchFailure('reader_failed', `the reader ${what}`);
    begun.reject(failure);
    read.reject(failure);
  };
  child.on('message', (message) => {
    const reply = message as Reply;
    if (reply.kind === 'begun') begun.resolve();
    else read.resolve(reply);
  });
  child.once('close', (code, signal) => fail(`ended by itself (${signal ?? `code ${code}`})`));
  child.once('error', (error) => fail(`could not be started: ${error.message}`));
  return { begun: begun.promise, read: read.promise };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
