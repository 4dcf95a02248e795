/**
 * The auditor's process: it computes the constant columns of the pool once, then checks a file on request. Only when
 * the digests differ does it look for the rows that differ.
 */
import Database from 'better-sqlite3';
import { BenchFailure } from '../../failure.ts';
import type { Range } from '../../load/bodies.ts';
import { loadPool, type Pool, type PoolSource } from '../../load/pool.ts';
import { serve } from '../../run/helper.ts';
import {
  type AuditRow,
  constantHashes,
  type Digest,
  digestOf,
  expectedRows,
  joined,
  storedRows,
} from './rows.ts';

/** What a round sent, and how much of it was acknowledged. The audit checks that the file has all of it. */
export interface Claim {
  /** Name of the round in a failure. */
  readonly name: string;
  readonly file: string;
  /** Ranges of the endless sequence that were sent, including the warm-up. No two ranges overlap. */
  readonly ranges: readonly Range[];
  readonly acknowledged_events: number;
  /** Lines of a failure, before those that name the rows. */
  readonly details: readonly string[];
}

interface Preparation {
  readonly source: PoolSource;
  readonly isPriced: boolean;
}

let pool: Pool;
let constants: readonly string[];
/** Digests of expected rows by their range. Closed loops and fixed rates send the same ranges in every round. */
const known = new Map<string, Digest>();

async function prepare({ source, isPriced }: Preparation): Promise<void> {
  pool = await loadPool(source);
  constants = constantHashes(pool, isPriced);
}

/** Returns the stored rows. Fails unless acknowledged, stored and expected events are equal. */
function audit({ name, file, ranges, acknowledged_events, details }: Claim): Digest {
  const stored = digestOf(storedRows(file));
  const expected = joined(ranges.map(expectedOf));
  const isEqual = stored.digest === expected.digest && stored.events === expected.events;
  if (isEqual && acknowledged_events === expected.events) return stored;
  throw new BenchFailure(
    'audit_failed',
    `${name}: expected ${expected.events} events, acknowledged ${acknowledged_events}, ` +
      `stored ${stored.events}; the stored rows are ${isEqual ? 'equal' : 'different'} in content`,
    [...details, ...differences(expectedRows(pool, constants, ranges), storedRows(file))],
  );
}

function expectedOf(range: Range): Digest {
  const key = `${range.first} ${range.count}`;
  const digest = known.get(key) ?? digestOf(expectedRows(pool, constants, [range]));
  known.set(key, digest);
  return digest;
}

/** Selects the rows that the other side lacks. The nth of equal rows needs the nth equal row of the other side. */
const ALONE = `
  WITH counted AS (SELECT *, row_number() OVER (PARTITION BY side, hash ORDER BY number) AS nth FROM rows)
  SELECT side, number, ids FROM counted GROUP BY hash, nth HAVING count(*) = 1 ORDER BY number`;
const SHOWN = 5;

const TITLES = { index: 'events that are not in the file', row: 'rows that were not sent so' };

/** Names the rows that one side lacks. A row with another value in a column is in both lists. */
function differences(expected: Iterable<AuditRow>, stored: Iterable<AuditRow>): string[] {
  // A database without a name is a temporary file, which SQLite removes. So memory stays bounded.
  const database = new Database('');
  database.exec('CREATE TABLE rows (side, number INTEGER, ids, hash); BEGIN');
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
  for (const [side, rows] of Object.entries({ index: expected, row: stored }))
    for (const { number, session_id, event_id, hash } of rows)
      insert.run(side, number, `event_id ${event_id}, session_id ${session_id}`, hash);
  const found = database.prepare<[], { side: string; number: number; ids: string }>(ALONE).all();
  database.close();
  return Object.entries(TITLES).flatMap(([side, title]) => {
    const own = found.filter((row) => row.side === side);
    const shown = own.slice(0, SHOWN).map(({ number, ids }) => `  ${side} ${number}, ${ids}`);
    const more = own.length > SHOWN ? `, the first ${SHOWN}` : '';
    return own.length === 0 ? [] : [`${title}: ${own.length}${more}`, ...shown];
  });
}

const orders = { prepare, audit };
export type AuditOrders = typeof orders;
serve(orders);
