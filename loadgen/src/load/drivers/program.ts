/**
 * Runs a generator that is no Node process, and reads its lines. The program ends with the run at the latest.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import { endProcess } from '../../run/helper.ts';
import type { DriverContext } from './driver.ts';
import type { Found } from './find.ts';

/** Number of last lines, other than the script's, that a failure contains. */
const KEPT_LINES = 10;

export interface ProgramContext extends DriverContext {
  readonly found: Found;
}

export interface Program {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly lifetime: Lifetime;
  /** Milliseconds without a line after which the program is killed. */
  readonly silence_ms?: number;
  /** Handles a line of stdout. Returns whether it is one of the script's lines. */
  onLine(line: string, child: ChildProcess): boolean;
}

export interface Ended {
  /** `code 0`, or the signal. */
  readonly how: string;
  /** The last lines that are not the script's. */
  readonly other: readonly string[];
}

export async function runProgram({ command, env, lifetime, silence_ms, onLine }: Program): Promise<Ended> {
  const [name, ...args] = command;
  const child = spawn(name!, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const other: string[] = [];
  const keep = (line: string) => {
    if (line.trim() !== '' && other.push(line) > KEPT_LINES) other.shift();
  };
  const silent = silence_ms === undefined ? null : setTimeout(() => child.kill('SIGKILL'), silence_ms);
  createInterface({ input: child.stdout }).on('line', (line) => {
    silent?.refresh();
    if (!onLine(line, child)) keep(line);
  });
  createInterface({ input: child.stderr }).on('line', keep);
  const ended = new Promise<string>((resolve, reject) => {
    // `close` comes after the last byte of the streams.
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) =>
      reject(new BenchFailure('generator_failed', `${name} could not be started: ${error.message}`)),
    );
  });
  const release = lifetime.add(() => endProcess(child));
  try {
    return { how: await lifetime.orInterrupted(ended), other };
  } finally {
    if (silent !== null) clearTimeout(silent);
    await release();
  }
}
