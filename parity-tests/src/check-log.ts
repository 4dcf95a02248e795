/**
 * Compares a delivery log with a database file: each acknowledged event must be there exactly once.
 *
 *     node parity-tests/src/check-log.ts --log FILE --db FILE
 *
 * A separate program without server code: it opens the file read-only and reads the view `events_readable`. It prints
 * its counts. It exits with 1 when an acknowledged event is missing or repeated, or has another id than was
 * acknowledged. It also exits with 1 when a request was stored in part, or SQLite's integrity check fails (rules
 * STO-03, ING-07, EVT-13). Exit 2: the command line is wrong.
 */
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { type LogLine, readLog } from './delivery-log.ts';

export interface LogCheck {
  readonly sent: number;
  readonly acknowledged: number;
  /** Number of rows in the file. */
  readonly stored: number;
  /** Number of rows that were stored without an answer. They are allowed, since the crash came in between. */
  readonly unacknowledged_stored: number;
  readonly lost: readonly string[];
  readonly double: readonly string[];
  /** Ids in the file that were never sent. */
  readonly foreign: readonly string[];
  /** Ids of events that are stored under another row id than the acknowledged one. */
  readonly other_id: readonly string[];
  /** Requests that are stored only in part. */
  readonly partial: readonly number[];
  /** `ok`, or SQLite's message. */
  readonly integrity: string;
}

interface Row {
  readonly id: number;
  readonly event_id: string | null;
}

/** Compares a log with a file. Does not change the file. */
export function checkLog(logFile: string, dbFile: string): LogCheck {
  const db = new Database(dbFile, { readonly: true, fileMustExist: true });
  try {
    const rows = db.prepare<[], Row>('SELECT id, event_id FROM events_readable').all();
    const integrity = db.pragma('integrity_check', { simple: true });
    return { ...compare(readLog(logFile), rows), integrity: String(integrity) };
  } finally {
    db.close();
  }
}

/** Whether no event is lost, doubled, foreign or part of a torn request. */
export function isSound(check: LogCheck): boolean {
  const faults = [check.lost, check.double, check.foreign, check.other_id, check.partial];
  return faults.every((list) => list.length === 0) && check.integrity === 'ok';
}

function compare(lines: readonly LogLine[], rows: readonly Row[]): Omit<LogCheck, 'integrity'> {
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const key = row.event_id ?? `(row ${row.id} without event_id)`;
    const ids = found.get(key);
    if (ids) ids.push(row.id);
    else found.set(key, [row.id]);
  }
  const requests = new Map<number, readonly string[]>();
  const acknowledged = new Map<string, number>();
  for (const line of lines) {
    if (line.kind === 'sent') requests.set(line.request, line.event_ids);
    else line.ids.forEach((id, index) => void acknowledged.set(requests.get(line.request)![index]!, id));
  }
  const sent = new Set([...requests.values()].flat());
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    stored: rows.length,
    unacknowledged_stored: [...found.keys()].filter((key) => sent.has(key) && !acknowledged.has(key)).length,
    lost: [...acknowledged.keys()].filter((key) => !found.has(key)),
    double: [...found].filter(([, ids]) => ids.length > 1).map(([key]) => key),
    foreign: [...found.keys()].filter((key) => !sent.has(key)),
    other_id: [...acknowledged]
      .filter(([key, id]) => found.has(key) && found.get(key)![0] !== id)
      .map(([key]) => key),
    partial: [...requests].filter(([, ids]) => isPartial(ids, found)).map(([request]) => request),
  };
}

function isPartial(eventIds: readonly string[], found: ReadonlyMap<string, unknown>): boolean {
  const there = eventIds.filter((key) => found.has(key)).length;
  return there > 0 && there < eventIds.length;
}

/** Returns counts, and at most ten examples of each fault. */
function summary(check: LogCheck): string {
  return Object.entries(check)
    .map(([name, value]) => {
      if (!Array.isArray(value)) return `${name} ${value}`;
      return value.length === 0 ? `${name} 0` : `${name} ${value.length}: ${value.slice(0, 10).join(' ')}`;
    })
    .join('\n');
}

function run(argv: readonly string[]): number {
  const { values } = parseArgs({
    args: argv.filter((one) => one !== '--'),
    options: { log: { type: 'string' }, db: { type: 'string' } },
    strict: true,
  });
  if (values.log === undefined || values.db === undefined)
    throw new Error('--log FILE and --db FILE are needed');
  const check = checkLog(values.log, values.db);
  process.stdout.write(`${summary(check)}\n`);
  return isSound(check) ? 0 : 1;
}

if (import.meta.main) {
  try {
    process.exitCode = run(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`check-log: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
