/**
 * Starts a server for a database, in a process of its own that outlives the caller.
 *
 * Of several candidates the lock of the database admits one (rule STO-02); the others end with 75. While a candidate
 * starts, `FILE.log.PID` holds its log, with the pid of the caller. Then the log is `FILE.log`. Invariant: it ends
 * only a child of its own.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFolder } from '../folder.ts';
import { isRunning } from './database.ts';
import type { Program } from './program.ts';

/** The members of the ready line that callers use (rules PRO-01 and SEC-09). */
export interface Ready {
  readonly url: string;
  readonly pid: number;
  readonly runtime: string;
  readonly login_url?: string;
}

export type Start =
  | { readonly kind: 'ready'; readonly ready: Ready }
  /** It ended first; `code` is null after a signal. */
  | { readonly kind: 'ended'; readonly code: number | null; readonly stderr: string }
  | { readonly kind: 'late'; readonly stderr: string };

const POLL_MS = 20;

/** Starts one candidate and waits until it is ready or has ended. */
export async function startCandidate(
  program: Program,
  database: string,
  flags: readonly string[],
  deadlineMs: number,
): Promise<Start> {
  createFolder(dirname(database), 0o700);
  const log = `${database}.log.${process.pid}`;
  const out = openSync(log, 'w', 0o600);
  const readyFile = `${database}.ready`;
  const child = spawn(
    program.command,
    [...program.args, '--db', database, '--ready-file', readyFile, ...flags],
    { detached: true, windowsHide: true, stdio: ['ignore', 'ignore', out] },
  );
  closeSync(out);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('exit', (code) => resolve(code)).once('error', reject);
  });
  let code: number | null | undefined;
  const settled = ended.then((of) => {
    code = of;
  });
  try {
    for (const end = performance.now() + deadlineMs; performance.now() < end; ) {
      await Promise.race([settled, sleep(POLL_MS)]);
      if (code !== undefined) return { kind: 'ended', code, stderr: take(log) };
      const ready = readReady(readyFile);
      if (ready?.pid !== child.pid || ready === undefined) continue;
      renameSync(log, `${database}.log`);
      child.unref();
      return { kind: 'ready', ready };
    }
    child.kill('SIGKILL');
    await settled;
    return { kind: 'late', stderr: take(log) };
  } catch (error) {
    rmSync(log, { force: true });
    throw error;
  }
}

/** Returns whether another caller starts a candidate for this database. Removes what a killed caller left. */
export function hasOtherCandidates(database: string): boolean {
  const prefix = `${basename(database)}.log.`;
  let found = false;
  for (const name of readdirSync(dirname(database))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) continue;
    if (isRunning(pid)) found = true;
    else rmSync(join(dirname(database), name), { force: true });
  }
  return found;
}

function readReady(path: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Ready;
  } catch {
    // It does not exist yet.
    return undefined;
  }
}

/** Returns the content of a log and removes it. */
function take(log: string): string {
  const text = readFileSync(log, 'utf8');
  rmSync(log, { force: true });
  return text;
}
