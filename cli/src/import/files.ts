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

/** Groups the files, in the order of their first records: then most events reach the server in the order of their times. */
export function familiesOf(files: readonly TranscriptFile[], mapping: TranscriptMapping): Family[] {
  const families = new Map<string, (Head & { session: SessionFiles })[]>();
  for (const session of sessionsOf(files)) {
    const head = headOf(session.files[0]!.path, mapping);
    const key = head.root ?? session.files[0]!.path;
    families.set(key, [...(families.get(key) ?? []), { ...head, session }]);
  }
  const first = (family: readonly Head[]) => Math.min(...family.map((one) => one.first));
  return [...families.values()]
    .sort((a, b) => first(a) - first(b))
    .map((family) => family.sort((a, b) => a.began - b.began).map(({ session }) => session));
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
    return { files: sorted };
  });
}

interface Head {
  /** The id of the first line that has one, where copies keep ids. */
  readonly root: string | undefined;
  /** When the session began, which is later than its first record in a fork. */
  readonly began: number;
  /** The time of the first record that has one. */
  readonly first: number;
}

/** Reads the begin of a transcript. The import reports an unreadable file. */
function headOf(path: string, { copiesKeepId, id, time }: TranscriptMapping): Head {
  const created = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  const lines = headLines(path);
  const timeAt = (line: ObjectSource) => timeOf(valueAt(line, time));
  const first = lines.map(timeAt).find((at) => !Number.isNaN(at)) ?? created;
  if (!copiesKeepId || id === undefined) return { root: undefined, began: created, first };
  const ids = lines.map((line) => textOf(valueAt(line, id)));
  const at = ids.findIndex((one) => one !== undefined);
  if (at < 0) return { root: undefined, began: created, first };
  // Lines without an id are not copied, so their time is that of the session itself.
  const own = lines
    .slice(0, at)
    .map(timeAt)
    .find((one) => !Number.isNaN(one));
  return { root: ids[at], began: own ?? created, first };
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
