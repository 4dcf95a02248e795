/**
 * Knows the files next to a database: who holds it, a request to stop, the ready line, the log (rules STO-11, STO-13,
 * PRO-16).
 */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { request } from '../request.ts';

/** The server that `FILE.owner` names. */
export interface Owner {
  readonly pid: number;
  readonly url: string;
  /** The whole file, which a request to stop repeats. */
  readonly text: string;
}

/** Largest number of links to follow, as in the servers. */
const MOST_LINKS = 40;

/**
 * Returns the file that a server uses for this path: symbolic links are resolved (rules STO-02 and STO-14). A path that
 * a server refuses stays as it is, so that the server reports it.
 */
export function databasePath(db: string, cwd = process.cwd(), links = 0): string {
  // `resolve` would drop `..` before the system follows a link.
  const path = isAbsolute(db) ? db : `${cwd}${sep}${db}`;
  if (/(^|[\\/])\.{0,2}$/.test(path) || links > MOST_LINKS) return path;
  try {
    return realpathSync.native(path);
  } catch {
    // The file does not exist, but a link or its folder may.
  }
  const destination = linkOf(path);
  if (destination !== undefined) return databasePath(destination, dirname(path), links + 1);
  try {
    return join(realpathSync.native(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Returns the destination of a symbolic link; `undefined` for a file or a missing file. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the server that `FILE.owner` names, if a process with its pid runs. The file alone proves nothing. */
export function ownerOf(database: string): Owner | undefined {
  try {
    const text = readFileSync(`${database}.owner`, 'utf8');
    const { pid, url } = JSON.parse(text) as { readonly pid?: unknown; readonly url?: unknown };
    const isPid = Number.isInteger(pid) && (pid as number) > 0;
    if (!isPid || typeof url !== 'string' || !/^http:\/\/[!-~]+$/.test(url)) return undefined;
    return isRunning(pid as number) ? { pid: pid as number, url, text } : undefined;
  } catch {
    return undefined;
  }
}

/** Asks the server that wrote this text to end. It appears whole, since a server compares all of it. */
export function askToStop(database: string, { text }: Owner): void {
  const partial = `${database}.stop.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, `${database}.stop`);
}

/** Withdraws a request that no server has taken. */
export function withdrawStop(database: string): void {
  rmSync(`${database}.stop`, { force: true });
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const SQLITE_BUSY = 5;

/**
 * Returns whether a server has the lock of a database (rule STO-02), also one that does not answer. `null` if this Node
 * has no SQLite, before 22.13.
 */
export function isLocked(database: string): boolean | null {
  const path = `${database}.lock`;
  if (!existsSync(path)) return false;
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (sqlite === undefined) return null;
  try {
    const lock = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      lock.prepare('SELECT 1 FROM sqlite_master').get();
    } finally {
      lock.close();
    }
    return false;
  } catch (error) {
    return (error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY;
  }
}

/**
 * Returns the server that has a database and accepts requests. `FILE.owner` only names it: after a crash another server
 * may have its port, and another process its pid. The lock proves that a server has the database, and the epoch that
 * it is this one. A server that wants a token does not tell its epoch; no token is sent, since the program that
 * responds is not known yet.
 */
export async function serverOf(database: string): Promise<Owner | undefined> {
  const owner = ownerOf(database);
  if (owner === undefined || (await answerOf(owner.url)) !== 'serving' || isLocked(database) === false)
    return undefined;
  const epoch = await epochAt(owner.url);
  return epoch === 'secret' || (epoch !== undefined && hasEpoch(database, epoch)) ? owner : undefined;
}

/** The bytes at the start of a database in which the row of its epoch is. */
const FIRST_BYTES = 1 << 20;

/** Returns whether a database that a server has is that of an epoch (rule STO-07). */
function hasEpoch(database: string, epoch: string): boolean {
  try {
    const sqlite = process.getBuiltinModule?.('node:sqlite');
    // Node before 22.13 has no SQLite. A row has its texts one after the other.
    if (sqlite === undefined) return startOf(database).includes(`epoch${epoch}`);
    const db = new sqlite.DatabaseSync(database, { readOnly: true });
    try {
      return db.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()?.value === epoch;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

function startOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(FIRST_BYTES);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the epoch of the database of the server at a URL; `secret` if it wants a token. */
async function epochAt(url: string): Promise<string | undefined> {
  try {
    const response = await request(`${url}/api/health`, { signal: AbortSignal.timeout(2_000) });
    if (response.status === 401) return 'secret';
    return ((await response.json()) as { readonly epoch?: string }).epoch;
  } catch {
    return undefined;
  }
}

/** `absent`: no server answers at the URL. `ending`: it drains. */
export type Answer = 'absent' | 'ending' | 'serving';

/** Asks the server at a URL whether it accepts requests. A refusal is an answer too. */
export async function answerOf(url: string): Promise<Answer> {
  try {
    const answer = await request(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    if (answer.status !== 503) return 'serving';
    const { code } = (await answer.json()) as { readonly code?: unknown };
    return code === 'draining' ? 'ending' : 'serving';
  } catch {
    return 'absent';
  }
}
