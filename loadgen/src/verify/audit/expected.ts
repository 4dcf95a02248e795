/**
 * Computes the rows that ranges of the endless sequence of events must result in, in order.
 *
 * Invariant: the ids come from the bytes that are sent.
 */
import { BenchFailure } from '../../failure.ts';
import { batchBody, PLACE_WORDS, type Range } from '../../load/bodies.ts';
import type { Pool } from '../../load/pool.ts';
import { UUID_BYTES } from '../../load/uuid.ts';
import { expectedConstants } from './expected-row.ts';
import { constantValues, hashConstants, hashRow } from './row.ts';

/** Number of events whose bodies are made at once, so that the cost of the call is negligible. */
const CHUNK_EVENTS = 200;

export interface ExpectedRow {
  readonly index: number;
  readonly session_id: string;
  readonly event_id: string | null;
  readonly hash: string;
}

export class Expected {
  readonly #pool: Pool;
  readonly #constants: readonly string[];

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#constants = Array.from({ length: pool.events }, (_, number) => {
      const [offset, length] = placeOf(pool, number);
      try {
        const text = pool.bytes.toString('utf8', offset, offset + length);
        return hashConstants(constantValues(expectedConstants(text)), 0);
      } catch (error) {
        throw new BenchFailure(
          'corpus_unusable',
          `event ${number} of the corpus: ${(error as Error).message}`,
        );
      }
    });
  }

  visit(ranges: readonly Range[], visitor: (row: ExpectedRow) => void): void {
    for (const range of ranges) {
      const end = range.first + range.count;
      for (let first = range.first; first < end; first += CHUNK_EVENTS) {
        this.#visitChunk({ first, count: Math.min(CHUNK_EVENTS, end - first) }, visitor);
      }
    }
  }

  #visitChunk(range: Range, visitor: (row: ExpectedRow) => void): void {
    const body = batchBody(this.#pool, range);
    let at = body.indexOf('[') + 1;
    for (let index = range.first; index < range.first + range.count; index++) {
      const number = index % this.#pool.events;
      const [, length, idAt, sessionAt] = placeOf(this.#pool, number);
      const uuid = (place: number) => body.toString('latin1', at + place, at + place + UUID_BYTES);
      const session_id = uuid(sessionAt);
      const event_id = idAt === 0 ? null : uuid(idAt - 1);
      const hash = hashRow(this.#constants[number]!, session_id, event_id);
      visitor({ index, session_id, event_id, hash });
      at += length + ','.length;
    }
  }
}

/** Returns offset, length, position of the id + 1, and position of the session id of an event of the pool. */
function placeOf({ places }: Pool, number: number): readonly [number, number, number, number] {
  const word = number * PLACE_WORDS;
  return [places[word]!, places[word + 1]!, places[word + 2]!, places[word + 3]!];
}
