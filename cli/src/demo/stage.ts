/**
 * Sets up a demo: built servers, a private folder, and an end that leaves nothing behind.
 *
 * Invariant: on every end, servers stop and the folder is removed, and no other database or process is touched.
 * Ctrl-C is a normal end, and a second one does not wait. A closed output also ends the demo.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { type RunningServer, StartError, startServer, tail } from '@twin-ingest/testkit/servers/server.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { nameFlags } from '../command-name.ts';
import { SAME_SIGNAL_MS } from '../launch/program.ts';
import { systemSentence } from '../system-error.ts';
import { warn } from '../terminal.ts';
import { CorpusError } from './corpus.ts';

export class Stage {
  readonly #lifetime: Lifetime;
  readonly #folder: string;
  readonly #end = new AbortController();
  /** Aborts once the user or the time limit has ended the demo. */
  readonly over: AbortSignal;

  constructor(lifetime: Lifetime, folder: string) {
    this.#lifetime = lifetime;
    this.#folder = folder;
    this.over = AbortSignal.any([lifetime.signal, this.#end.signal]);
  }

  /** Starts a server on this demo's database; port 0 takes any free one. */
  async start(name: TargetName, port: number, more: readonly string[] = []): Promise<RunningServer> {
    const flags = [
      '--db',
      join(this.#folder, 'events.db'),
      '--port',
      String(port),
      // A demo that is killed takes a server of another group along.
      ...['--parent-pid', String(process.pid)],
      ...nameFlags(more, {}),
      ...more,
    ];
    // A signal to the group, as of a terminal, then reaches the server once and in order: from here.
    const ownGroup = process.platform !== 'win32';
    const starting = startServer(name, { cwd: this.#folder, flags, ownGroup });
    // Registered before the server is ready, so that an end during its start also stops it.
    this.#lifetime.add(() => starting.then((server) => server.stop()));
    return await starting;
  }

  end(): void {
    this.#end.abort();
  }

  /** Resolves at the end of the demo. With `null` seconds, only the user ends it. */
  async until(seconds: number | null): Promise<void> {
    // The longest timer of Node, which is longer than any demo.
    const ms = seconds === null ? 2 ** 31 - 1 : seconds * 1000;
    await sleep(ms, undefined, { signal: this.over }).catch(() => undefined);
    this.end();
  }
}

/** Runs a demo; returns its exit code. `program` precedes each message. */
export async function onStage(
  program: string,
  servers: readonly TargetName[],
  build: boolean,
  work: (stage: Stage) => Promise<number>,
): Promise<number> {
  const lifetime = new Lifetime();
  let interrupted_at = Number.NEGATIVE_INFINITY;
  const interrupt = () => {
    const now = performance.now();
    // `timeout` and other programs send a signal to this process and to its group.
    if (now - interrupted_at < SAME_SIGNAL_MS) return;
    interrupted_at = now;
    if (lifetime.signal.aborted) void lifetime.end().then(() => process.exit(130));
    else lifetime.interrupt();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  letReadersLeave(() => lifetime.interrupt());
  let isBuilt = false;
  try {
    const programs = [...new Set(servers)].map((name) => ({ name, program: TARGETS[name] }));
    await buildStale(programs, { lifetime, build, say: warn });
    isBuilt = true;
    const folder = await mkdtemp(join(tmpdir(), 'twin-ingest-demo-'));
    lifetime.add(() => rm(folder, { recursive: true, force: true }));
    return await work(new Stage(lifetime, folder));
  } catch (error) {
    if (lifetime.signal.aborted && !isBuilt) return 130;
    for (const line of linesOf(error)) warn(`${program}: ${line}`);
    return 1;
  } finally {
    await lifetime.end();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, interrupt);
  }
}

/** Returns lines that a user can act on; a stack trace only for an unexpected error. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof Failure) return [error.message, ...error.details];
  if (error instanceof StartError) return [error.message.split('\n')[0]!, ...tail(error.stderr)];
  if (error instanceof CorpusError) return [error.message];
  const sentence = systemSentence(error);
  if (sentence !== null) return [sentence];
  return (error instanceof Error ? String(error.stack) : String(error)).split('\n');
}
