/**
 * Resolves the symbolic links of `--db`, so that every name of the file leads to the same lock (rule STO-02).
 *
 * SQLite resolves symbolic links before it names the log. A lock under another path would let two servers write to
 * one file.
 */
import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { OpenError } from './connection.ts';

/** Largest number of links to follow, as on Linux (`path_resolution(7)`). */
const MOST_LINKS = 40;

/** Returns the path without symbolic links; the file need not exist. Creates its folder (0700) if it is missing. */
export function resolvePath(db: string): string {
  try {
    let path = resolve(db);
    for (
      let links = 0, destination = linkOf(path);
      destination !== undefined;
      links++, destination = linkOf(path)
    ) {
      if (links === MOST_LINKS) throw new Error('too many symbolic links');
      path = resolve(dirname(path), destination);
    }
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(realpathSync(folder), basename(path));
  } catch (error) {
    throw OpenError.of('unusable', {
      path: db,
      reason: error instanceof Error ? error.message : String(error),
    });
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

/** Returns the destination of a symbolic link; `undefined` for a file or a missing file. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
