/** Runs the commands of `ingest-server`: work on a database without a server (rules PRO-15 and BAK-01 to BAK-07). */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Maintenance } from '../config/index.ts';
import { EXITS } from '../contract/flags.ts';
import { fill } from '../contract.ts';
import { printable } from '../log.ts';
import { type Copied, copyDatabase } from '../store/copy.ts';
import { Lock } from '../store/lock.ts';
import { existingPath, newPath, resolvePath } from '../store/path.ts';
import { writeDump } from './dump.ts';
import { CommandFailure } from './failure.ts';
import { loadDump } from './load.ts';
import { Output } from './output.ts';
import { verifyFile } from './verify.ts';

/**
 * Runs a command: its result goes to stdout as JSON lines. Returns its exit code, and the message of a failure for
 * stderr.
 */
export async function runCommand(
  task: Maintenance,
  nativeBinding: string | undefined,
): Promise<{ readonly exit: number; readonly message: string }> {
  try {
    switch (task.command) {
      case 'backup':
        backup(task, nativeBinding);
        break;
      case 'restore':
        restore(task, nativeBinding);
        break;
      case 'dump':
        await writeDump(existingPath(task.db), isatty(1) ? printable : String, nativeBinding);
        break;
      case 'load':
        await load(task, nativeBinding);
        break;
      case 'verify':
        await verify(task, nativeBinding);
        break;
    }
    return { exit: 0, message: '' };
  } catch (error) {
    const failure = CommandFailure.database(task.db, error);
    if (failure instanceof CommandFailure) return { exit: failure.exit, message: failure.message };
    throw error;
  }
}

function backup(task: Maintenance, nativeBinding: string | undefined): void {
  const [source, to] = [existingPath(task.db), target(task.file)];
  reportCopy(
    'backup',
    to,
    tried(to, () => copyDatabase(source, to, 'kept', nativeBinding)),
  );
}

function restore(task: Maintenance, nativeBinding: string | undefined): void {
  const [source, to] = [existingPath(task.file), resolvePath(task.db)];
  const lock = Lock.acquire(to, nativeBinding);
  try {
    reportCopy(
      'restore',
      to,
      tried(to, () => copyDatabase(source, to, 'new', nativeBinding)),
    );
  } finally {
    lock.release();
  }
}

function tried<T>(to: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw CommandFailure.copy(error, to);
  }
}

function reportCopy(event: string, file: string, copied: Copied): void {
  const { bytes, newestId, attachments, sequence, moved } = copied;
  reportMoved(file, moved);
  const ofStream = sequence === undefined ? {} : { sequence };
  print({ event, file, bytes, newest_id: newestId, attachments, ...ofStream });
}

/** Says on stderr where another folder of attachments is now. */
function reportMoved(file: string, aside: string | undefined): void {
  if (aside === undefined) return;
  const message = fill(EXITS.target.aside, { path: `${file}.attachments`, aside });
  writeSync(2, `${message}\n`);
}

async function load(task: Maintenance, nativeBinding: string | undefined): Promise<void> {
  const file = resolvePath(task.db);
  const lock = Lock.acquire(file, nativeBinding);
  try {
    const { lines, events, moved } = await loadDump(file, nativeBinding);
    reportMoved(file, moved);
    print({ event: 'load', file, lines, events });
  } finally {
    lock.release();
  }
}

async function verify(task: Maintenance, nativeBinding: string | undefined): Promise<void> {
  const file = existingPath(task.file);
  const { events, findings } = await verifyFile(file, nativeBinding);
  for (const { check, count } of findings) print({ event: 'finding', check, count });
  print({ event: 'verify', file, events, findings: findings.length });
  if (findings.length > 0) throw CommandFailure.silent(EXITS.verify.code);
}

/** Returns the path of a file to create, in an existing folder. */
function target(file: string): string {
  const path = newPath(file);
  if (path === undefined) throw CommandFailure.unwritable(file, 'storage_error');
  return path;
}

/** Prints a line of the result. */
function print(line: object): void {
  const out = new Output(printable);
  out.object(line);
  out.flush();
}
