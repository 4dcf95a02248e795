/**
 * Finds and runs a generator that is no Node process, k6 or wrk, and reads its lines. No default run may require one,
 * since they are no npm packages. The program ends with the run at the latest.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { endProcess } from '../../run/helper.ts';
import type { Requests } from '../bodies.ts';

/** Folder in which `pnpm k6:install` puts k6; git ignores it. */
const K6_FOLDER = `${ROOT}.bench/bin`;

export type Found = Readonly<Record<'binary' | 'version', string>>;

/** The generators that were found; `null`: not there. */
export type FoundTools = Readonly<Record<'k6' | 'wrk', Found | null>>;

/**
 * Returns `$K6_BIN`, else the k6 of PATH, else that of the folder; `null` when none runs. When `$K6_BIN` is set, no
 * other k6 is tried.
 */
export function findK6(env: NodeJS.ProcessEnv = process.env, folder: string = K6_FOLDER): Found | null {
  // The output is such as `k6 v1.8.1 (go1.26.8, linux/amd64)`.
  const ask = (binary: string) => versionOf(binary, 'version', /^k6(?:\.exe)? v(\S+)/m, env);
  return env.K6_BIN ? ask(env.K6_BIN) : (ask('k6') ?? ask(join(folder, 'k6')));
}

/** Returns `$WRK_BIN`, else the wrk of PATH; `null` when it does not run. */
export function findWrk(env: NodeJS.ProcessEnv = process.env): Found | null {
  // Prints `wrk 4.1.0 [epoll] …`, in some builds `wrk debian/4.1.0-…`, and exits with 1, since no URL is given.
  return versionOf(env.WRK_BIN || 'wrk', '--version', /^wrk (?:debian\/)?(\d+\.\d+\.\d+)/m, env);
}

function versionOf(binary: string, flag: string, pattern: RegExp, env: NodeJS.ProcessEnv): Found | null {
  const { stdout, stderr } = spawnSync(binary, [flag], { encoding: 'utf8', timeout: 30_000, env });
  const version = pattern.exec(`${stdout ?? ''}${stderr ?? ''}`)?.[1];
  return version === undefined ? null : { binary, version };
}

const LINE_FEED = Buffer.from('\n');

/** Writes the bodies of the requests to a file, one a line. A body has no line feed, since the pool has none. */
export async function writeBodies(file: string, requests: Requests, signal: AbortSignal): Promise<void> {
  function* lines(): Iterable<Buffer> {
    for (let number = 0; number < requests.count; number++)
      yield Buffer.concat([requests.body(number), LINE_FEED]);
  }
  // Without the flush, the system would write the file to disk while a program is measured.
  await writeFile(file, lines(), { mode: 0o600, flush: true, signal });
}

/** Seconds after its timeout that a request needs to be reported. */
export const GRACE_S = 5;

/** Number of last lines, other than the script's, that a failure contains. */
const KEPT_LINES = 10;

interface Program {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly lifetime: Lifetime;
  /** Milliseconds without a line after which the program is killed. */
  readonly silence_ms?: number;
  /** Handles a line of stdout. Returns whether it is one of the script's lines. */
  onLine(line: string, child: ChildProcess): boolean;
}

/** Returns how the program ended, `code 0` or the signal, and its last lines that are not the script's. */
export async function runProgram({ command, env, lifetime, silence_ms, onLine }: Program) {
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
