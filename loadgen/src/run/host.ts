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
import { type RunningServer, type StartOptions, tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure, startOrFail } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import type { Contenders } from './contenders.ts';

export interface Launch {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

type Folder = Awaited<ReturnType<Lifetime['temporaryFolder']>>;

/** Name of the database in the folder of its server. */
const DATABASE = 'events.db';

export class Host {
  /** Target of the running process, as every field but the folder: {@link restartAs} changes it. */
  name!: TargetName;
  server!: RunningServer;
  url!: string;
  port!: number;
  pid!: number;
  readonly folder: string;
  readonly database: string;
  /** Number of events that were posted to the file, and so the number of the next one. */
  posted = 0;
  readonly #launch: Launch;
  readonly #flags: readonly string[];
  /** Removes the folder. */
  readonly discard: () => Promise<unknown>;
  #release!: () => Promise<unknown>;

  private constructor(launch: Launch, flags: readonly string[], { path, release }: Folder) {
    this.#launch = launch;
    this.#flags = flags;
    this.folder = path;
    this.database = join(path, DATABASE);
    this.discard = release;
  }

  /** Starts a server with flags in addition to `--db` and `--port`. `base` is a closed database to copy for it. */
  static async start(
    name: TargetName,
    launch: Launch,
    { flags = [], base }: { readonly flags?: readonly string[]; readonly base?: string } = {},
  ): Promise<Host> {
    const host = new Host(launch, flags, await launch.lifetime.temporaryFolder());
    if (base !== undefined) await copyFile(base, host.database);
    await host.#start(name, flags);
    return host;
  }

  async #start(name: TargetName, flags: readonly string[]): Promise<void> {
    const { contenders, lifetime } = this.#launch;
    const options = startOptions(this.#launch, this.folder, flags);
    const starting = startOrFail(name, options, contenders.targets[name]);
    // Registered before the server is ready, so that an interruption during the start also ends it.
    this.#release = lifetime.add(() => starting.then((server) => server.stop()));
    this.server = await lifetime.orInterrupted(starting);
    this.name = name;
    ({ url: this.url, port: this.port, pid: this.pid } = this.server);
  }

  /**
   * Ends the server with SIGKILL, which simulates a crash. Then starts a server on the same file and port: this one, or
   * the other one.
   */
  async restartAs(name: TargetName): Promise<void> {
    await this.server.kill();
    await this.#release();
    await this.#start(name, [...this.#flags, '--port', String(this.port)]);
  }

  /**
   * Stops the server with SIGTERM, and returns the milliseconds until the process has ended. Any exit code but 0 is a
   * failure. The file remains until {@link discard}.
   */
  async stop(): Promise<number> {
    const { name, server } = this;
    const from = performance.now();
    const failed = (how: string) => new BenchFailure('server_failed', `${name}${how}`, tail(server.stderr()));
    await this.#release().catch((error: unknown) => {
      throw failed(`: ${error instanceof Error ? error.message : String(error)}`);
    });
    const { code, signal } = await server.exited;
    if (code === 0) return performance.now() - from;
    throw failed(` ended with ${signal ?? `code ${code}`} instead of 0`);
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
    flags: ['--db', join(folder, DATABASE), ...flags],
    cwd: folder,
    wrapper: pinningCommand(how.placement.server_cpus),
  };
}
