/**
 * Reads a recording of strace as the operations on the files of a database, in the order in which they happened.
 *
 * A write counts from its beginning. A sync, and so its promise, counts from its end. An acknowledgement counts from
 * the moment before its first byte leaves the server.
 */

export type Operation =
  | { readonly kind: 'write'; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'remove'; readonly file: string }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'acknowledge' };

/** The calls that a recording needs. */
export const RECORDED = 'pwrite64,fsync,fdatasync,ftruncate,unlink,write,writev,sendto,sendmsg';
/** At least a page of SQLite. */
export const LONGEST_BYTES = 4_200;

/** The files of a database that hold events. SQLite rebuilds the index of its log after a crash. */
const SUFFIXES = ['', '-wal', '-journal'];
const ACKNOWLEDGED = hex(Buffer.from('HTTP/1.1 201'));

function hex(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}

/** Returns the operations on the files of this database. */
export function readRecording(text: string, db: string): Operation[] {
  const files = new Map(SUFFIXES.map((suffix) => [`${db}${suffix}`, suffix]));
  const operations: Operation[] = [];
  const unfinished = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    const resumed = /^<\.\.\. (\w+) resumed>.* = (-?\d+)/.exec(rest);
    if (resumed) {
      // The beginning of a write was counted before.
      const begun = unfinished.get(thread);
      unfinished.delete(thread);
      if (begun !== undefined && isSync(begun) && resumed[2] === '0') add(operations, begun, files);
      continue;
    }
    if (rest.includes('<unfinished ...>')) {
      unfinished.set(thread, rest);
      if (!isSync(rest)) add(operations, rest, files);
    } else if (!/ = -1 /.test(rest)) add(operations, rest, files);
  }
  return operations;
}

function isSync(call: string): boolean {
  return call.startsWith('fsync(') || call.startsWith('fdatasync(');
}

function add(operations: Operation[], call: string, files: ReadonlyMap<string, string>): void {
  const name = call.slice(0, call.indexOf('('));
  if (['write', 'writev', 'sendto', 'sendmsg'].includes(name)) {
    if (call.includes(`"${ACKNOWLEDGED}`)) operations.push({ kind: 'acknowledge' });
    return;
  }
  const path = /^\w+\((?:\d+<([^>]*)>|"([^"]*)")/.exec(call);
  if (path === null) return;
  const file = files.get(plain(path[1] ?? path[2]!));
  if (file === undefined) return;
  if (name === 'unlink') operations.push({ kind: 'remove', file });
  else if (name === 'ftruncate') {
    const size = Number(/, (\d+)/.exec(call.slice(path[0].length))![1]);
    operations.push({ kind: 'truncate', file, size });
  } else if (name === 'pwrite64') {
    const [, content, count, offset] = /^, "([^"]*)", (\d+), (\d+)/.exec(call.slice(path[0].length)) ?? [];
    const bytes = bytesOf(content ?? '');
    if (bytes.length !== Number(count)) throw new Error(`a write of ${count} bytes was cut in the recording`);
    operations.push({ kind: 'write', file, offset: Number(offset), bytes });
  } else operations.push({ kind: 'sync', file });
}

/** Returns a path as text: strace prints it in hexadecimal or as it is. */
function plain(path: string): string {
  return path.startsWith('\\x') ? bytesOf(path).toString() : path;
}
