/**
 * Starts a server for a round, with the same flags for both servers and a database in a fresh folder. The server and
 * the folder are removed when the run ends.
 */
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
import type { Durability } from '../plan/options.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import type { Contenders } from './contenders.ts';

/** What every part of the run needs to start servers. */
export interface Launch {
  readonly contenders: Contenders;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

export interface Launched {
  readonly server: RunningServer;
  readonly folder: string;
  readonly database: string;
  /** Sends SIGTERM and returns the milliseconds until the process has ended. Any exit code but 0 is a failure. */
  stop(): Promise<number>;
  /** Removes the folder with the database. */
  discard(): Promise<void>;
}

/** A fresh folder for a server, and the options to start the server with. */
export interface Prepared {
  readonly folder: Awaited<ReturnType<Lifetime['temporaryFolder']>>;
  readonly database: string;
  readonly options: StartOptions;
}

/**
 * Prepares a fresh folder, in which the server creates its database.
 */
export async function prepareLaunch(how: Launch, durability: Durability): Promise<Prepared> {
  const folder = await how.lifetime.temporaryFolder();
  const database = join(folder.path, 'events.db');
  const options = {
    flags: ['--db', database, '--durability', durability],
    cwd: folder.path,
    wrapper: pinningCommand(how.placement.server_cpus),
  };
  return { folder, database, options };
}

/** Returns the failure for a server that did not start. */
export function startFailure(name: TargetName, error: Pick<StartError, 'message' | 'stderr'>): BenchFailure {
  return new BenchFailure('server_failed', `${name} did not start: ${error.message}`, tail(error.stderr));
}

/** Starts a server on a new database. */
export async function launch(name: TargetName, how: Launch, durability: Durability): Promise<Launched> {
  const { lifetime } = how;
  const { folder, database, options } = await prepareLaunch(how, durability);
  const starting = startServer(name, options, how.contenders.targets[name]);
  // Registered before the server is ready, so that an interruption during the start also ends it.
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
