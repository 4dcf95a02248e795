/** The two sides that the audit compares: the rows that must result from what was sent, and the rows of the file. */
import { BenchFailure } from '../../failure.ts';
import { batchBody, PLACE_WORDS, type Range } from '../../load/bodies.ts';
import type { Pool } from '../../load/pool.ts';
import { UUID_BYTES } from '../../load/uuid.ts';
import { expectedConstants } from './expected-row.ts';
import { CONSTANT_COLUMNS, hashConstants, hashRow, storedValues, type Value } from './row.ts';

export interface AuditRow {
  /** Number of the event in the endless sequence, or id of the stored row. */
  readonly number: number;
  readonly session_id: Value;
  readonly event_id: Value;
  readonly hash: string;
}

/** Returns the hash of the constant columns of each event in the pool. Fails at an event that can have no row. */
export function constantHashes(pool: Pool): readonly string[] {
  return Array.from({ length: pool.events }, (_, number) => {
    const { offset, length } = placeOf(pool, number);
    try {
      const constants = expectedConstants(pool.bytes.toString('utf8', offset, offset + length));
      return hashConstants(CONSTANT_COLUMNS.map((column) => constants[column]!));
    } catch (error) {
      throw new BenchFailure('corpus_unusable', `event ${number} of the corpus: ${(error as Error).message}`);
    }
  });
}

function placeOf({ places }: Pool, number: number) {
  const at = number * PLACE_WORDS;
  return { offset: places[at]!, length: places[at + 1]!, idAt: places[at + 2]!, sessionAt: places[at + 3]! };
}

/** Number of events whose bodies are made at once, so that the cost of the call is negligible. */
const CHUNK_EVENTS = 200;

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
    for (let from = first; from < first + count; from += CHUNK_EVENTS) {
      const body = batchBody(pool, { first: from, count: Math.min(CHUNK_EVENTS, first + count - from) });
      const uuidAt = (at: number) => body.toString('latin1', at, at + UUID_BYTES);
      let at = body.indexOf('[') + 1;
      for (let number = from; number < Math.min(from + CHUNK_EVENTS, first + count); number++) {
        const within = number % pool.events;
        const { length, idAt, sessionAt } = placeOf(pool, within);
        const session_id = uuidAt(at + sessionAt);
        const event_id = idAt === 0 ? null : uuidAt(at + idAt - 1);
        yield { number, session_id, event_id, hash: hashRow(constants[within]!, session_id, event_id) };
        at += length + ','.length;
      }
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
