/**
 * Resolves the symbolic links of `--db`, so that every name of the file leads to the same lock (rule STO-02).
 *
 * SQLite resolves symbolic links before it names the log. A lock under another path would let two servers write to
 * one file. Invariant: a path means what it means to the system, `..` behind a link too, and both servers accept the
 * same paths (rule STO-14). So nothing here uses `resolve` or `normalize`, which drop `..` as text.
 */
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { LIMITS } from '../contract.ts';
import { OpenError } from './connection.ts';
import { fileReason } from './failure.ts';

/** Largest number of links to follow, as on Linux (`path_resolution(7)`). */
const MOST_LINKS = 40;

/** Ends the folder in a path. */
const SEPARATOR = sep === '/' ? '/' : /[\\/]/;

/** Returns the path without symbolic links; the file need not exist. Creates its folder (0700) if it is missing. */
export function resolvePath(db: string): string {
  checkName(db, db);
  let path = db;
  let links = 0;
  for (let destination = linkOf(path); destination !== undefined; destination = linkOf(path)) {
    links++;
    if (links > MOST_LINKS) throw OpenError.of('unusable', { path: db, reason: 'too_many_links' });
    path = isAbsolute(destination) ? destination : `${dirname(path)}${sep}${destination}`;
    checkName(db, path);
  }
  let folder = dirname(path);
  try {
    createFolder(folder);
    folder = realpathSync.native(folder);
  } catch (error) {
    throw OpenError.of('unusable', { path: db, reason: fileReason(error) });
  }
  return checkFilePath(db, join(folder, basename(path)));
}

/** Returns the path of an existing file without symbolic links. */
export function existingPath(file: string): string {
  let path: string;
  try {
    path = realpathSync.native(file);
  } catch {
    throw OpenError.of('missing', { path: file });
  }
  return checkFilePath(file, path);
}

/** Returns the path of a file to create, in an existing folder; `undefined` when no file can have this path. */
export function newPath(file: string): string | undefined {
  try {
    checkName(file, file);
    const path = join(realpathSync.native(dirname(file)), basename(file));
    checkLength(file, path);
    return path;
  } catch {
    return undefined;
  }
}

function checkFilePath(given: string, path: string): string {
  checkName(given, path);
  checkLength(given, path);
  const found = statusOf(path);
  if (found?.isDirectory()) throw OpenError.of('folder', { path: given });
  if (found && !found.isFile()) throw OpenError.of('not_a_file', { path: given });
  checkFilesBeside(path);
  return path;
}

/** Names of the files next to a database that a start opens, after the name of the database. */
const BESIDE = ['.lock', '-wal', '-shm', '-journal', '.attachments/state'];

/** Refuses a pipe or a device in place of a file next to the database, for which a start and a backup would wait. */
export function checkFilesBeside(path: string): void {
  for (const suffix of BESIDE) {
    const found = statusOf(path + suffix);
    if (found && !found.isFile() && !found.isDirectory()) {
      throw OpenError.of('not_a_file', { path: path + suffix });
    }
  }
}

/**
 * Refuses a path that can only be a folder, such as `a/` and `a/..`, and a path that is not UTF-8. Node cannot represent
 * such a path: it reads each wrong byte as U+FFFD, which is another name.
 */
function checkName(given: string, path: string): void {
  if (path.includes('\uFFFD')) throw OpenError.of('text', { path: given });
  const name = path.split(SEPARATOR).at(-1)!;
  if (['', '.', '..'].includes(name)) throw OpenError.of('folder', { path: given });
}

/** Refuses a path whose suffixes exceed a limit, 255 bytes for a name of the system and 512 for a path of SQLite. */
function checkLength(given: string, path: string): void {
  const { database_name_bytes: name, database_path_bytes: whole } = LIMITS;
  if (Buffer.byteLength(basename(path)) > name || Buffer.byteLength(path) > whole) {
    throw OpenError.of('too_long', { path: given, name, whole });
  }
}

/** Refuses a file with a second hard link: a server under that name would have another lock and another log. */
export function checkLinks(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() && file.nlink > 1) throw OpenError.of('linked', { path, count: file.nlink });
}

/** Returns the path of a file in a new folder that only this user can access (`--db :memory:`). */
export function privatePath(): string {
  return join(mkdtempSync(join(tmpdir(), 'ingest-')), 'events.db');
}

/**
 * Creates a folder (0700) and its parents. Node's own `recursive` never returns where the system refuses a name in an
 * existing folder with ENOENT, as in `/proc`.
 */
function createFolder(path: string): void {
  const create = (): void => {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (!statusOf(path)?.isDirectory()) throw error;
    }
  };
  try {
    create();
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    createFolder(parent);
    create();
  }
}

/** Returns what a path names; `undefined` when the system names nothing. Opening the file reports the problem. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
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
