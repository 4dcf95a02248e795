/**
 * Counts the system calls of a server's store on its database files, as strace reports them. strace prints the path of
 * each descriptor (`--decode-fds=path`), but no data.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Bulk, DATABASE, storeBulk } from './bulk.ts';

const CALLS = 'read,write,pread64,pwrite64,fsync,fdatasync,ftruncate';
/** Matches a call whose descriptor is the database or one of its companion files, and the result of the call. */
const CALL = /\b(\w+)\(\d+<[^>]*\/events\.db(-\w+)?>.*\)\s+= (-?\d+)/;
const REPEATS = 3;
/** Page size of the database (https://sqlite.org/fileformat2.html). */
const PAGE_BYTES = 4096;

/** Counts per event, including the start and the end of the store. */
export interface FileCounts {
  /** System calls on the database, its log and its shared memory. */
  readonly calls: number;
  /** Bytes written to the write-ahead log. */
  readonly log_bytes: number;
  /** Pages written to the database, by the checkpoint at the end. */
  readonly pages: number;
}

/**
 * Returns the smallest of each count among three runs, because the timing of threads makes server-rs write some pages
 * twice.
 */
export async function countFileCalls(target: TargetName, folder: string, bulk: Bulk): Promise<FileCounts> {
  const runs: FileCounts[] = [];
  for (let run = 0; run < REPEATS; run++) runs.push(await countRun(target, join(folder, `run-${run}`), bulk));
  const least = (key: keyof FileCounts) => Math.min(...runs.map((counts) => counts[key])) / bulk.events;
  return { calls: least('calls'), log_bytes: least('log_bytes'), pages: least('pages') };
}

async function countRun(target: TargetName, folder: string, bulk: Bulk): Promise<FileCounts> {
  mkdirSync(folder, { recursive: true });
  // Each thread has its own file. In a common file, concurrent calls of two threads would split each other's lines.
  const prefix = `${target}-${bulk.groupEvents}-calls`;
  const options = ['-ff', '-y', '-s', '0', '-e', `trace=${CALLS}`, '-o', join(folder, prefix)];
  await storeBulk(target, folder, bulk, ['strace', ...options]);
  const traces = readdirSync(folder).filter((name) => name.startsWith(`${prefix}.`));
  const counts = fileCountsOf(traces.map((name) => readFileSync(join(folder, name), 'utf8')).join(''));
  if (counts.calls === 0) throw new Error(`strace reported no call on ${DATABASE} of the ${target} store`);
  return counts;
}

/** Returns totals of a trace. */
export function fileCountsOf(trace: string): FileCounts {
  let [calls, log_bytes, database_bytes] = [0, 0, 0];
  for (const line of trace.split('\n')) {
    const [, name, companion, returned] = CALL.exec(line) ?? [];
    if (name === undefined) continue;
    calls += 1;
    if (name !== 'pwrite64') continue;
    if (companion === '-wal') log_bytes += Number(returned);
    if (companion === undefined) database_bytes += Number(returned);
  }
  return { calls, log_bytes, pages: database_bytes / PAGE_BYTES };
}
