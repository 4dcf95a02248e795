/**
 * Names the server that holds a database, so that the next one can report which to stop (rule STO-11).
 *
 * `FILE.owner` holds the pid and the URL as JSON. The server that has the lock removes an old one first, writes its own
 * when it answers requests, and removes it before it releases the lock.
 * Invariant: the file alone proves nothing. It is read only after the lock was refused, and only a process that runs
 * is named.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The server that holds a database. */
export interface Owner {
  readonly pid: number;
  /** As in its ready line. */
  readonly url: string;
}

/** Writes the file (0600). A failure only makes a message less precise, so it is not reported. */
export function writeOwner(database: string, url: string): void {
  removeOwner(database);
  try {
    const owner: Owner = { pid: process.pid, url };
    writeFileSync(ownerPath(database), JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch {
    // The message then names no server.
  }
}

/** The server that the file names, if that process runs. Only for a caller that was refused the lock. */
export function readOwner(database: string): Owner | undefined {
  try {
    const owner = parseOwner(readFileSync(ownerPath(database), 'utf8'));
    return owner !== undefined && isRunning(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the file, if there is one. */
export function removeOwner(database: string): void {
  try {
    rmSync(ownerPath(database), { force: true });
  } catch {
    // What it holds is checked before it is used.
  }
}

/** Anything that this server would not write itself is refused, since the text goes to a terminal. Throws on bad JSON. */
function parseOwner(text: string): Owner | undefined {
  const { pid, url } = Object(JSON.parse(text)) as { readonly pid?: unknown; readonly url?: unknown };
  const isPid = Number.isInteger(pid) && (pid as number) > 0 && (pid as number) < 2 ** 31;
  if (!isPid || typeof url !== 'string' || !/^http:\/\/[!-~]*$/.test(url)) return undefined;
  return { pid: pid as number, url };
}

/** The process of this server is not the one that holds the lock: such a pid is that of a process that has ended. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownerPath(database: string): string {
  return `${database}.owner`;
}
