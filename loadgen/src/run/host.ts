/**
 * A server of one scenario, with a fresh process and a fresh file. It can be killed and started again on the same file
 * and port.
 *
 * Invariants: the process ends with the run at the latest. Signals go only to processes that were started here. No two
 * events that are posted to one file have the same number.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningServer, StartError, startServer, tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { pinningCommand } from '../plan/placement.ts';
import { type Launch, startFailure } from './launch.ts';

export interface HostOptions {
  /** Flags in addition to `--db` and `--port`. */
  readonly flags?: readonly string[];
  /** A closed database to copy for the server. */
  readonly base?: string;
}

export class Host {
  readonly database: string;
  readonly #launch: Launch;
  readonly #flags: readonly string[];
  readonly #folder: { readonly path: string; readonly release: () => Promise<unknown> };
  #server: RunningServer;
  #release: () => Promise<unknown>;
  #next = 0;

  private constructor(
    launch: Launch,
    options: HostOptions,
    folder: { readonly path: string; readonly release: () => Promise<unknown> },
    started: Started,
  ) {
    this.#launch = launch;
    this.#flags = options.flags ?? [];
    this.#folder = folder;
    this.database = databaseIn(folder.path);
    this.#server = started.server;
    this.#release = started.release;
  }

  static async start(name: TargetName, launch: Launch, options: HostOptions = {}): Promise<Host> {
    const folder = await launch.lifetime.temporaryFolder();
    if (options.base !== undefined) await copyFile(options.base, databaseIn(folder.path));
    const started = await start(name, launch, folder.path, [...(options.flags ?? []), '--port', '0']);
    return new Host(launch, options, folder, started);
  }

  get url(): string {
    return this.#server.url;
  }
  get port(): number {
    return this.#server.port;
  }
  get pid(): number {
    return this.#server.pid;
  }
  get name(): TargetName {
    return this.#server.target.name;
  }
  /** Number of events that {@link take} has reserved. */
  get taken(): number {
    return this.#next;
  }

  /** Reserves the numbers of `count` new events and returns the first of them. */
  take(count: number): number {
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** Ends the server with SIGKILL, which simulates a crash. */
  async kill(): Promise<void> {
    await this.#server.kill();
    await this.#release();
  }

  /**
   * Starts a server again on the same file and port: this one, or the other one. The previous process must have ended.
   */
  async startAgain(name: TargetName = this.name): Promise<void> {
    const flags = [...this.#flags, '--port', String(this.port)];
    const started = await start(name, this.#launch, this.#folder.path, flags);
    this.#server = started.server;
    this.#release = started.release;
  }

  /** Stops the server with SIGTERM. Any exit code but 0 is a failure. The file remains until {@link discard}. */
  async stop(): Promise<void> {
    const server = this.#server;
    await this.#release();
    const exit = await server.exited;
    if (exit.code === 0) return;
    const how = exit.signal ?? `code ${exit.code}`;
    throw new BenchFailure(
      'server_failed',
      `${this.name} ended with ${how} instead of 0`,
      tail(server.stderr()),
    );
  }

  /** Removes the folder with the database. */
  async discard(): Promise<void> {
    await this.#folder.release();
  }
}

interface Started {
  readonly server: RunningServer;
  readonly release: () => Promise<unknown>;
}

async function start(
  name: TargetName,
  { contenders, placement, lifetime }: Launch,
  folder: string,
  flags: readonly string[],
): Promise<Started> {
  const options = {
    flags: ['--db', databaseIn(folder), ...flags],
    cwd: folder,
    wrapper: pinningCommand(placement.server_cpus),
  };
  const starting = startServer(name, options, contenders.targets[name]);
  // Registered before the server is ready, so that an interruption during the start also ends it.
  const release = lifetime.add(() => starting.then((server) => server.stop()));
  const server = await lifetime.orInterrupted(starting).catch((error: unknown) => {
    throw error instanceof StartError ? startFailure(name, error) : error;
  });
  return { server, release };
}

function databaseIn(folder: string): string {
  return join(folder, 'events.db');
}
