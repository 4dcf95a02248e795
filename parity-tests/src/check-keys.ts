/**
 * Checks the keys of accepted ids in a database file, without a server. Every id of a row is in exactly one live run,
 * or in the tail after the mark. Runs ascend, and no part of a run is missing (rule EVT-13).
 *
 * Reads the tables as defined in `contract/migrations/0001_init.sql`, without any server code.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface KeyCheck {
  /** Number of live runs. */
  readonly runs: number;
  /** Number of keys in live runs. */
  readonly keys: number;
  /** Number of keys after the mark, which are in no live run yet. */
  readonly in_memory: number;
  readonly problems: readonly string[];
}

interface RunRow {
  readonly id: number;
  readonly state: string;
  readonly key_count: number;
  readonly fences: Buffer;
}

interface IdRow {
  readonly id: number;
  readonly event_id: Buffer | string;
}

const limits = JSON.parse(
  readFileSync(new URL('../../contract/tuning.json', import.meta.url), 'utf8'),
) as Readonly<Record<'event_key_run_blocks', number>>;

/** Reads all runs and all rows. Does not change the file. */
export function checkKeys(dbFile: string): KeyCheck {
  const db = new Database(dbFile, { readonly: true, fileMustExist: true });
  try {
    const problems: string[] = [];
    const all = db.prepare<[], RunRow>('SELECT id, state, key_count, fences FROM event_key_runs').all();
    const live = all.filter((run) => run.state === 'live');
    const keys = new Set<string>();
    for (const run of live) readRun(db, run, keys, problems);
    const mark = Number(db.prepare("SELECT value FROM meta WHERE key = 'last_keyed_event_id'").pluck().get());
    const tail = readTail(db, mark, keys, problems);
    const rows = db.prepare<[], IdRow>('SELECT id, event_id FROM events WHERE event_id IS NOT NULL');
    for (const row of rows.iterate()) {
      const known = row.id <= mark ? keys : tail;
      if (!known.has(keyOf(row.event_id))) problems.push(`row ${row.id}: mark ${mark}, its key is missing`);
    }
    return { runs: live.length, keys: keys.size, in_memory: tail.size, problems };
  } finally {
    db.close();
  }
}

/** Reads the keys after the mark. A key that is in a live run or repeated is a problem. */
function readTail(
  db: Database.Database,
  mark: number,
  runs: ReadonlySet<string>,
  problems: string[],
): Set<string> {
  const tail = new Set<string>();
  const groups = db.prepare<[number], Buffer>('SELECT keys FROM event_key_tail WHERE id > ?').pluck();
  for (const group of groups.iterate(mark)) {
    for (let at = 0; at < group.length; at += 16) {
      const key = group.toString('hex', at, at + 16);
      if (tail.has(key)) problems.push(`${key} is twice in the tail`);
      if (runs.has(key)) problems.push(`${key} is in the tail and in a run`);
      tail.add(key);
    }
  }
  return tail;
}

function readRun(db: Database.Database, run: RunRow, keys: Set<string>, problems: string[]): void {
  const first = run.id * limits.event_key_run_blocks;
  const blocks = db
    .prepare<[number, number], Buffer>(
      'SELECT keys FROM event_key_blocks WHERE id >= ? AND id < ? ORDER BY id',
    )
    .pluck()
    .all(first, first + limits.event_key_run_blocks);
  let last = '';
  let count = 0;
  for (const [place, block] of blocks.entries()) {
    if (!block.subarray(0, 16).equals(run.fences.subarray(place * 16, place * 16 + 16)))
      problems.push(`run ${run.id}: block ${place} begins otherwise than its fence says`);
    for (let at = 0; at < block.length; at += 16) {
      const key = block.toString('hex', at, at + 16);
      if (key <= last) problems.push(`run ${run.id}: ${key} is not above ${last}`);
      if (keys.has(key)) problems.push(`${key} is in two runs`);
      keys.add(key);
      last = key;
      count += 1;
    }
  }
  if (count !== run.key_count) problems.push(`run ${run.id}: ${count} keys instead of ${run.key_count}`);
}

/**
 * Returns the key of an id. A canonical UUID is its own key; of any other text, it is the first half of its SHA-256.
 */
function keyOf(eventId: Buffer | string): string {
  if (typeof eventId !== 'string') return eventId.toString('hex');
  return createHash('sha256').update(eventId).digest('hex').slice(0, 32);
}
