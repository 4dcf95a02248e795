/**
 * Names the server that holds a database, so that a second server can report which one to stop (rule STO-11).
 *
 * `FILE.owner` holds the pid and the URL as JSON. The server with the lock first removes an old file. It writes its
 * own file when it answers requests, and removes it before it releases the lock. Invariant: the file alone proves
 * nothing. A server reads it only after the lock was refused, and reports only a running process.
 *
 * `FILE.stop` with the same bytes asks this server to end (rule STO-13).
 */
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The server that holds a database. */
export interface Owner {
  readonly pid: number;
  /** The URL, as in the ready line. */
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

/** Returns the server that the file names, if its process runs. Call it only after the lock was refused. */
export function readOwner(database: string): Owner | undefined {
  try {
    const owner = parseOwner(readPlain(ownerPath(database)));
    return owner !== undefined && isRunning(owner.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the file if it exists, and a request to its server to end. */
export function removeOwner(database: string): void {
  for (const path of [ownerPath(database), stopPath(database)]) {
    try {
      rmSync(path, { force: true });
    } catch {
      // The reader checks the content.
    }
  }
}

/** Returns whether a program asks this server to end; removes the request (rule STO-13). */
export function takesStop(database: string): boolean {
  try {
    const path = stopPath(database);
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (file === undefined || (process.geteuid !== undefined && file.uid !== process.geteuid())) return false;
    const own = readPlain(ownerPath(database));
    const isAsked = parseOwner(own)?.pid === process.pid && readPlain(path) === own;
    if (isAsked) rmSync(path);
    return isAsked;
  } catch {
    return false;
  }
}

/** Reads a regular file. Throws on anything else: a pipe would stop the server, which reads these files while it runs. */
function readPlain(path: string): string {
  if (!lstatSync(path).isFile()) throw new Error(`${path} is not a file`);
  return readFileSync(path, 'utf8');
}

/**
 * Refuses any content that this server would not write itself, since the text goes to a terminal. Throws on invalid
 * JSON.
 */
function parseOwner(text: string): Owner | undefined {
  const { pid, url } = Object(JSON.parse(text)) as { readonly pid?: unknown; readonly url?: unknown };
  const isPid = Number.isInteger(pid) && (pid as number) > 0 && (pid as number) < 2 ** 31;
  if (!isPid || typeof url !== 'string' || !/^http:\/\/[!-~]*$/.test(url)) return undefined;
  return { pid: pid as number, url };
}

/**
 * Returns whether a process runs. This process does not hold the lock, so a file with its own pid names an earlier,
 * ended process.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownerPath(database: string): string {
  return `${database}.owner`;
}

function stopPath(database: string): string {
  return `${database}.stop`;
}
