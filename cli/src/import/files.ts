/**
 * Finds transcripts, and groups those that must be read together.
 *
 * A session is a file `NAME.jsonl` with the files below the folder `NAME`, those of its subagents. A family is the
 * sessions that begin with the same line, since a forked session begins with copies of the lines of another.
 */
import { type BigIntStats, closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { ObjectSource, valueAt } from '@twin-ingest/mapping/path.ts';
import type { TranscriptMapping } from './mapping.ts';
import { parseObject, textOf, timeOf } from './values.ts';

export interface TranscriptFile {
  readonly path: string;
  readonly bytes: number;
  /** Unix milliseconds of the last change. */
  readonly changed: number;
}

export interface SessionFiles {
  readonly files: readonly TranscriptFile[];
  readonly changed: number;
}

/** Sessions in the order in which they began. */
export type Family = readonly SessionFiles[];

const EXTENSION = '.jsonl';
/** Bytes of a file in which its first lines are searched. */
const HEAD_BYTES = 64 * 1024;

/**
 * Returns the transcripts of files and folders. Follows links, and takes each file and each folder once, so that loops
 * end. The path of a file without a link comes before one with a link. Throws the file system's error.
 */
export function transcriptsAt(paths: readonly string[]): TranscriptFile[] {
  for (const path of paths) statSync(path);
  const found: TranscriptFile[] = [];
  const seen = new Set<string>();
  let waiting = paths;
  while (waiting.length > 0) {
    const links: string[] = [];
    const take = (path: string): void => {
      const stats = statsOf(path);
      if (stats === undefined) return;
      // The same file also has the same number by another name.
      const key = `${stats.dev} ${stats.ino}`;
      if (seen.has(key)) return;
      seen.add(key);
      if (!stats.isDirectory()) {
        found.push({ path, bytes: Number(stats.size), changed: Number(stats.mtimeNs) / 1e6 });
        return;
      }
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const below = join(path, entry.name);
        const isTranscript = entry.name.endsWith(EXTENSION);
        if (entry.isSymbolicLink()) {
          const target = statsOf(below);
          if (target?.isDirectory() || (target?.isFile() && isTranscript)) links.push(below);
        } else if (entry.isDirectory() || (entry.isFile() && isTranscript)) take(below);
      }
    };
    for (const path of [...waiting].sort()) take(path);
    waiting = links;
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns what a path leads to; `undefined` if that is nothing: an agent may remove a file, and links may be broken. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/** Groups the files; the family that changed last is the last. */
export function familiesOf(files: readonly TranscriptFile[], mapping: TranscriptMapping): Family[] {
  const families = new Map<string, { began: number; session: SessionFiles }[]>();
  for (const session of sessionsOf(files)) {
    const { root, began } = headOf(session.files[0]!.path, mapping);
    const key = root ?? session.files[0]!.path;
    families.set(key, [...(families.get(key) ?? []), { began, session }]);
  }
  const changed = (family: Family) => Math.max(...family.map((one) => one.changed));
  return [...families.values()]
    .map((family) => family.sort((a, b) => a.began - b.began).map(({ session }) => session))
    .sort((a, b) => changed(a) - changed(b));
}

function sessionsOf(files: readonly TranscriptFile[]): SessionFiles[] {
  const paths = new Set(files.map(({ path }) => path));
  const sessions = new Map<string, TranscriptFile[]>();
  for (const file of files) {
    let main = file.path;
    for (let folder = dirname(file.path); folder !== dirname(folder); folder = dirname(folder))
      if (paths.has(`${folder}${EXTENSION}`)) main = `${folder}${EXTENSION}`;
    sessions.set(main, [...(sessions.get(main) ?? []), file]);
  }
  return [...sessions].map(([main, members]) => {
    const depth = ({ path }: TranscriptFile) => (path === main ? 0 : path.split(sep).length);
    const sorted = members.sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
    return { files: sorted, changed: Math.max(...members.map((file) => file.changed)) };
  });
}

/** Returns the id of the first line that has one, and when the session began. The import reports an unreadable file. */
function headOf(path: string, mapping: TranscriptMapping): { root: string | undefined; began: number } {
  const { copiesKeepId, id, time } = mapping;
  const began = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  if (!copiesKeepId || id === undefined) return { root: undefined, began };
  let own = Number.NaN;
  for (const line of headLines(path)) {
    const root = textOf(valueAt(line, id));
    // Lines without an id are not copied, so their time is that of the session itself.
    if (root !== undefined) return { root, began: Number.isNaN(own) ? began : own };
    if (Number.isNaN(own)) own = timeOf(valueAt(line, time));
  }
  return { root: undefined, began };
}

function headLines(path: string): ObjectSource[] {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    // The import reports damaged lines.
    return text.split('\n').flatMap((line) => {
      const object = parseObject(line);
      return object === null ? [] : new ObjectSource(object);
    });
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
