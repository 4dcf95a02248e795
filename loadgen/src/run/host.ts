/**
 * A server with a fresh process, and a fresh database in a folder of its own. It can be killed and started again on the
 * same file and port.
 *
 * Invariants: process and folder end with the run at the latest. Signals go only to processes that were started here.
 * No two events that are posted to one file have the same number.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import {
  type RunningServer,
  StartError,
  type StartOptions,
  startServer,
  tail,
} from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure, startFailure } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import type { Contenders } from './contenders.ts';

export interface Launch {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

export interface HostOptions {
  /** Flags in addition to `--db` and `--port`. */
  readonly flags?: readonly string[];
  /** A closed database to copy for the server. */
  readonly base?: string;
}

type Folder = Awaited<ReturnType<Lifetime['temporaryFolder']>>;

export class Host {
  readonly #launch: Launch;
  readonly #flags: readonly string[];
  readonly #folder: Folder;
  #server!: RunningServer;
  #release!: () => Promise<unknown>;
  #next = 0;

  private constructor(launch: Launch, flags: readonly string[], folder: Folder) {
    this.#launch = launch;
    this.#flags = flags;
    this.#folder = folder;
  }

  static async start(
    name: TargetName,
    launch: Launch,
    { flags = [], base }: HostOptions = {},
  ): Promise<Host> {
    const host = new Host(launch, flags, await launch.lifetime.temporaryFolder());
    if (base !== undefined) await copyFile(base, host.database);
    await host.#start(name, flags);
    return host;
  }

  async #start(name: TargetName, flags: readonly string[]): Promise<void> {
    const { contenders, lifetime } = this.#launch;
    const options = startOptions(this.#launch, this.folder, flags);
    const starting = startServer(name, options, contenders.targets[name]);
    // Registered before the server is ready, so that an interruption during the start also ends it.
    this.#release = lifetime.add(() => starting.then((server) => server.stop()));
    this.#server = await lifetime.orInterrupted(starting).catch((error: unknown) => {
      throw error instanceof StartError ? startFailure(name, error) : error;
    });
  }

  /** The running process; another one after {@link startAgain}. */
  get server(): RunningServer {
    return this.#server;
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
  get folder(): string {
    return this.#folder.path;
  }
  get database(): string {
    return databaseIn(this.folder);
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
    await this.#start(name, [...this.#flags, '--port', String(this.port)]);
  }

  /**
   * Stops the server with SIGTERM, and returns the milliseconds until the process has ended. Any exit code but 0 is a
   * failure. The file remains until {@link discard}.
   */
  async stop(): Promise<number> {
    const server = this.#server;
    const from = performance.now();
    const failed = (how: string) =>
      new BenchFailure('server_failed', `${this.name}${how}`, tail(server.stderr()));
    await this.#release().catch((error: unknown) => {
      throw failed(`: ${error instanceof Error ? error.message : String(error)}`);
    });
    const { code, signal } = await server.exited;
    if (code === 0) return performance.now() - from;
    throw failed(` ended with ${signal ?? `code ${code}`} instead of 0`);
  }

  async discard(): Promise<void> {
    await this.#folder.release();
  }
}

/** Runs `use` with the started server. Then stops the server and deletes its file. */
export async function withHost<T>(starting: Promise<Host>, use: (host: Host) => Promise<T>): Promise<T> {
  const host = await starting;
  const found = await use(host);
  await host.stop();
  await host.discard();
  return found;
}

export function startOptions(how: Launch, folder: string, flags: readonly string[]): StartOptions {
  return {
    flags: ['--db', databaseIn(folder), ...flags],
    cwd: folder,
    wrapper: pinningCommand(how.placement.server_cpus),
  };
}

function databaseIn(folder: string): string {
  return join(folder, 'events.db');
}
