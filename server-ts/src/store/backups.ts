/**
 * Makes backups in a folder next to the database when a client asks for one (rule BAK-07).
 *
 * This half lives in the main thread; `backup-thread` copies.
 */
import { Worker } from 'node:worker_threads';
import { formatTimestamp } from '../timestamp.ts';
import type { Copied } from './copy.ts';
import type { StoreCode } from './failure.ts';

/** A finished backup. */
export interface Backup {
  readonly file: string;
  readonly copied: Copied;
}

/** The reason why there is no backup. */
export interface BackupFailure {
  readonly code: StoreCode | 'backup_running';
}

/** Start parameters of the thread. */
export interface BackupData {
  readonly role: 'backup';
  readonly database: string;
  readonly folder: string;
  readonly name: string;
  readonly nativeBinding: string | undefined;
}

/** The backups of a database, one at a time. */
export class Backups {
  private readonly entry: URL;
  private readonly database: string;
  private readonly nativeBinding: string | undefined;
  private running = false;

  /** The backups of the database at `path`; `entry` is the module of the thread. */
  constructor(path: string, nativeBinding: string | undefined, entry: URL) {
    this.entry = entry;
    this.database = path;
    this.nativeBinding = nativeBinding;
  }

  /** Whether a thread copies, which the end of the process must not wait for. */
  get isRunning(): boolean {
    return this.running;
  }

  /**
   * Makes a backup with this time (Unix milliseconds) in its name. A thread of its own copies, which the end of the
   * process stops.
   */
  async makeBackup(nowMs: number): Promise<Backup | BackupFailure> {
    if (this.running) return { code: 'backup_running' };
    this.running = true;
    const workerData: BackupData = {
      role: 'backup',
      database: this.database,
      folder: `${this.database}.backups`,
      name: `${formatTimestamp(nowMs).replaceAll(':', '')}.db`,
      nativeBinding: this.nativeBinding,
    };
    const made = await new Promise<Backup | BackupFailure>((resolve) => {
      new Worker(this.entry, { workerData })
        .once('message', resolve)
        .once('error', () => resolve({ code: 'storage_error' }));
    });
    this.running = false;
    return made;
  }
}
