/**
 * Starts a server for a round: the same flags for both servers, a database in a fresh folder. Both are removed when
 * the run ends.
 */
import { constants, copyFile, open } from 'node:fs/promises';
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
import { BenchFailure } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import type { Contenders } from './contenders.ts';

/** What servers are started with in every part of the run. */
export interface Launch {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

/** What both servers are asked for in one measurement. */
export interface ServerOptions {
  readonly durability: 'process' | 'power';
  readonly max_metadata_bytes: number | null;
}

export interface Launched {
  readonly server: RunningServer;
  readonly folder: string;
  readonly database: string;
  /** SIGTERM, and the time until the process was gone, in milliseconds; anything but exit 0 is a failure. */
  stop(): Promise<number>;
  /** Removes the folder. */
  discard(): Promise<void>;
}

export function serverFlags(asked: ServerOptions, database: string): string[] {
  const flags = ['--db', database, '--durability', asked.durability];
  if (asked.max_metadata_bytes !== null) flags.push('--max-metadata-bytes', String(asked.max_metadata_bytes));
  return flags;
}

/** A folder for a server, and what it is started with in it. */
export interface Prepared {
  readonly folder: Awaited<ReturnType<Lifetime['temporaryFolder']>>;
  readonly database: string;
  readonly options: StartOptions;
}

/** `preloaded` is a closed database that the server gets a copy of, instead of none. */
export async function prepareLaunch(
  how: Launch,
  asked: ServerOptions,
  preloaded: string | null,
): Promise<Prepared> {
  const folder = await how.lifetime.temporaryFolder();
  const database = join(folder.path, 'events.db');
  if (preloaded !== null) await copyDatabase(preloaded, database);
  const options = {
    flags: serverFlags(asked, database),
    cwd: folder.path,
    wrapper: pinningCommand(how.placement.server_cpus),
  };
  return { folder, database, options };
}

/** What a run says of a server that did not start. */
export function startFailure(name: TargetName, error: Pick<StartError, 'message' | 'stderr'>): BenchFailure {
  return new BenchFailure('server_failed', `${name} did not start: ${error.message}`, tail(error.stderr));
}

/** Starts a server on `preloaded`, or on a database of its own. */
export async function launch(
  name: TargetName,
  how: Launch,
  asked: ServerOptions,
  preloaded: string | null = null,
): Promise<Launched> {
  const { lifetime } = how;
  const { folder, database, options } = await prepareLaunch(how, asked, preloaded);
  const starting = startServer(name, options, how.contenders.targets[name]);
  // Held from before it is ready, so that an interruption in between ends it too.
  const release = lifetime.add(() => starting.then((server) => server.stop()));
  const server = await lifetime.orInterrupted(starting).catch(async (error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    throw startFailure(name, error);
  });
  return {
    server,
    folder: folder.path,
    database,
    async stop() {
      const from = performance.now();
      await release().catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        throw new BenchFailure('server_failed', `${name}: ${problem}`, tail(server.stderr()));
      });
      const exit = await server.exited;
      if (exit.code === 0) return performance.now() - from;
      const how = exit.signal ?? `code ${exit.code}`;
      throw new BenchFailure(
        'server_failed',
        `${name} ended with ${how} instead of 0`,
        tail(server.stderr()),
      );
    },
    async discard() {
      await folder.release();
    },
  };
}

/** Of a closed database. Synced, else the system writes the copy out while the server is measured. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const handle = await open(to, 'r+');
  await handle.sync();
  await handle.close();
}
