/**
 * Finds transcripts, and groups those that must be read together.
 *
 * A session is a file `NAME.jsonl` with the files below the folder `NAME`, those of its subagents. A family is the
 * sessions that begin with the same line, since a forked session begins with copies of the lines of another.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Mapping } from './mapping.ts';
import { parseObject, textOf, valueAt } from './values.ts';

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

/** Returns the transcripts of files and folders. Throws the file system's error. */
export function transcriptsAt(paths: readonly string[]): TranscriptFile[] {
  const found = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION))
          .map((entry) => join(entry.parentPath, entry.name))
      : [path],
  );
  return [...new Set(found)].sort().flatMap((path) => {
    // An agent may remove a file meanwhile.
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : { path, bytes: stats.size, changed: stats.mtimeMs };
  });
}

/** Groups the files; the family that changed last is the last. */
export function familiesOf(files: readonly TranscriptFile[], mapping: Mapping): Family[] {
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
function headOf(path: string, mapping: Mapping): { root: string | undefined; began: number } {
  const { copies_keep_line_key: isKept, line_key, time_key } = mapping;
  const began = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  if (isKept !== true || line_key === undefined) return { root: undefined, began };
  let own = Number.NaN;
  for (const line of headLines(path)) {
    const root = textOf(valueAt(line, line_key));
    // Lines without an id are not copied, so their time is that of the session itself.
    if (root !== undefined) return { root, began: Number.isNaN(own) ? began : own };
    if (Number.isNaN(own)) own = Date.parse(textOf(valueAt(line, time_key)) ?? '');
  }
  return { root: undefined, began };
}

function headLines(path: string): unknown[] {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    // The import reports damaged lines.
    return text.split('\n').flatMap((line) => parseObject(line) ?? []);
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
