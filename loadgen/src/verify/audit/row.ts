/**
 * A row of the view `events_readable` as the audit compares it: its columns and its digest.
 *
 * The digest has two levels, since only the ids of an event change when a pool is sent again. The other columns are
 * hashed once per event of the pool. Invariants: absent and empty values have different hashes, and every value has an
 * end marker. The server assigns `id` and `created_at`, so they are not compared.
 */
import { hash } from 'node:crypto';
import Database from 'better-sqlite3';
import CONTRACT from '../../../../contract/fields.json' with { type: 'json' };
import { BenchFailure } from '../../failure.ts';

export type Value = string | number | null;

export const VIEW_COLUMNS: readonly string[] = CONTRACT.row;

const OWN = ['id', 'created_at', 'session_id', 'event_id'];

/** Columns that do not change when an event of the pool is sent again. */
export const CONSTANT_COLUMNS = VIEW_COLUMNS.filter((column) => !OWN.includes(column));

/**
 * Reads columns of the rows above an id from a stopped server's file, through the view `events_readable` alone. A view
 * with other columns than the contract's is a failure, since some columns would not be compared.
 */
export function* storedValues(file: string, columns: readonly string[], after = 0): Generator<Value[]> {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const view = database.pragma('table_info(events_readable)') as { readonly name: string }[];
    const found = view.map(({ name }) => name).join(' ');
    if (found !== VIEW_COLUMNS.join(' '))
      throw new BenchFailure(
        'audit_failed',
        `the view events_readable has other columns: ${found || 'none'}`,
      );
    const select = `SELECT ${columns.join(', ')} FROM events_readable WHERE id > ? ORDER BY id`;
    yield* database.prepare<[number], Value[]>(select).raw().iterate(after);
  } finally {
    database.close();
  }
}

/** Returns the hash of the values of `CONSTANT_COLUMNS`, in that order. */
export function hashConstants(values: readonly Value[]): string {
  return hash('sha256', values.map(marked).join(''));
}

/** Returns the hash of a whole row in hex. */
export function hashRow(constants: string, sessionId: Value, eventId: Value): string {
  return hash('sha256', constants + marked(sessionId) + marked(eventId));
}

/** Returns the value between `=` and U+0000, which no value contains (EVT-12). An absent value is U+0000 alone. */
function marked(value: Value): string {
  return value === null ? '\0' : `=${value}\0`;
}

/** Number of rows, and the digest of their multiset: 128 bits in hex. */
export interface Digest {
  readonly events: number;
  readonly digest: string;
}

const DIGEST_BITS = 128;
const DIGITS = DIGEST_BITS / 4;

/**
 * Returns the digest of a multiset of rows: the sum of their hashes in hex, cut to 128 bits. The order of rows does not
 * matter, and a row that occurs twice counts twice (decision 10).
 */
export function digestOf(rows: Iterable<{ readonly hash: string }>): Digest {
  let [events, sum] = [0, 0n];
  for (const { hash } of rows) {
    events++;
    sum = BigInt.asUintN(DIGEST_BITS, sum + BigInt(`0x${hash.slice(0, DIGITS)}`));
  }
  return { events, digest: sum.toString(16).padStart(DIGITS, '0') };
}

/** Returns the digest of the rows of all multisets together. */
export function joined(digests: readonly Digest[]): Digest {
  const { digest } = digestOf(digests.map((one) => ({ hash: one.digest })));
  return { events: digests.reduce((sum, one) => sum + one.events, 0), digest };
}
