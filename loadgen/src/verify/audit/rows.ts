/**
 * The two sides that the audit compares, the rows that must result from what was sent and the rows of the file, and
 * their digests.
 *
 * The digest has two levels, since only the ids of an event change when a pool is sent again. The other columns are
 * hashed once per event of the pool. Invariants: absent and empty values have different hashes, and every value has an
 * end marker. The server assigns `id`, `created_at`, `time` and `history`, so they are not compared.
 */
import { hash } from 'node:crypto';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import Database from 'better-sqlite3';
import { BenchFailure } from '../../failure.ts';
import { PLACE_WORDS, type Range, singleBody } from '../../load/bodies.ts';
import type { Pool } from '../../load/pool.ts';
import { UUID_BYTES } from '../../load/uuid.ts';
import { CONSTANT_COLUMNS, expectedConstants, type Value, VIEW_COLUMNS } from './expected-row.ts';

export interface AuditRow {
  /** Number of the event in the endless sequence, or id of the stored row. */
  readonly number: number;
  readonly session_id: Value;
  readonly event_id: Value;
  readonly hash: string;
}

/** Returns the hash of the constant columns of each event in the pool. Fails at an event that can have no row. */
export function constantHashes(pool: Pool, isPriced: boolean): readonly string[] {
  return Array.from({ length: pool.events }, (_, number) => {
    try {
      const constants = expectedConstants(singleBody(pool, number).toString(), isPriced);
      return hashConstants(CONSTANT_COLUMNS.map((column) => constants[column]!));
    } catch (error) {
      throw new BenchFailure('corpus_unusable', `event ${number} of the corpus: ${(error as Error).message}`);
    }
  });
}

/**
 * Computes the rows that ranges of the endless sequence of events must result in, in order. The ids come from the bytes
 * that are sent.
 */
export function* expectedRows(
  pool: Pool,
  constants: readonly string[],
  ranges: readonly Range[],
): Generator<AuditRow> {
  for (const { first, count } of ranges) {
    for (let number = first; number < first + count; number++) {
      const within = number % pool.events;
      const idAt = pool.places[within * PLACE_WORDS + 2]!;
      const sessionAt = pool.places[within * PLACE_WORDS + 3]!;
      const body = singleBody(pool, number);
      const session_id = body.toString('latin1', sessionAt, sessionAt + UUID_BYTES);
      const event_id = idAt === 0 ? null : body.toString('latin1', idAt - 1, idAt - 1 + UUID_BYTES);
      yield { number, session_id, event_id, hash: hashRow(constants[within]!, session_id, event_id) };
    }
  }
}

/** Returns the rows of a stopped server's file. */
export function* storedRows(file: string): Generator<AuditRow> {
  for (const row of storedValues(file, ['id', 'session_id', 'event_id', ...CONSTANT_COLUMNS])) {
    const [number, session_id, event_id, ...constants] = row as [number, Value, Value, ...Value[]];
    yield { number, session_id, event_id, hash: hashRow(hashConstants(constants), session_id, event_id) };
  }
}

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
      throw new BenchFailure('audit_failed', `events_readable has other columns: ${found || 'none'}`);
    readSealedTexts(database);
    const select = `SELECT ${columns.join(', ')} FROM events_readable WHERE id > ? ORDER BY id`;
    yield* database.prepare<[number], Value[]>(select).raw().iterate(after);
  } finally {
    database.close();
  }
}

/** Returns the hash of the values of `CONSTANT_COLUMNS`, in that order. */
function hashConstants(values: readonly Value[]): string {
  return hash('sha256', values.map(marked).join(''));
}

/** Returns the hash of a whole row in hex. */
function hashRow(constants: string, sessionId: Value, eventId: Value): string {
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
