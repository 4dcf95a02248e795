/**
 * Runs one server of the board on its own port and database, whichever runtime it has.
 *
 * Invariant: at most one process of a member runs at a time.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export const STREAM = 'board';

export interface MemberPlace {
  readonly name: string;
  readonly port: number;
  /** The folder of the database, which is the member's own. */
  readonly folder: string;
  /** The URL of the node of NATS to which it connects first. */
  readonly nats: string;
  readonly replicas: number;
}

/** A server that shares the stream. */
export class Member {
  readonly place: MemberPlace;
  readonly db: string;
  private runtime: TargetName;
  private copies = 0;
  private server: RunningServer | undefined;
  private env: Readonly<Record<string, string>> = {};

  constructor(place: MemberPlace, runtime: TargetName) {
    this.place = place;
    this.runtime = runtime;
    this.db = join(place.folder, 'events.db');
    mkdirSync(place.folder, { recursive: true });
  }

  get name(): string {
    return this.place.name;
  }

  get port(): number {
    return this.place.port;
  }

  get target(): TargetName {
    return this.runtime;
  }

  /** The number of copies that were deleted before this one. */
  get copy(): number {
    return this.copies;
  }

  get pid(): number | undefined {
    return this.server?.pid;
  }

  /** Starts the member, with another runtime if one is given. `env` is added to its environment. */
  async start(runtime = this.runtime, env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.runtime = runtime;
    this.env = env;
    const { port, folder, nats, replicas } = this.place;
    const stream = ['--store', 'jetstream', '--nats', nats, '--stream', STREAM, '--discard-large-metadata'];
    const flags = ['--db', this.db, '--port', String(port), ...stream, '--nats-replicas', String(replicas)];
    this.server = await startServer(runtime, { cwd: folder, flags, env: this.env });
  }

  async kill(): Promise<void> {
    await this.server?.kill();
    this.server = undefined;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
  }

  /** Suspends the process. */
  pause(): void {
    this.server?.signal('SIGSTOP');
  }

  resume(): void {
    this.server?.signal('SIGCONT');
  }

  /** Deletes the database of a member that does not run. */
  empty(): void {
    this.copies += 1;
    const folder = dirname(this.db);
    for (const name of readdirSync(folder).filter((one) => one.startsWith(basename(this.db))))
      rmSync(join(folder, name), { recursive: true, force: true });
  }

  /** Returns the end of the log of the running process. */
  log(): string {
    return this.server?.stderr().slice(-4_000) ?? '';
  }
}
