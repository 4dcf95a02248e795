/**
 * A row of the view `events_readable` as the audit compares it: its columns and its digest.
 *
 * The digest has two levels, since only the ids of an event change when a pool is sent again. The other columns are
 * hashed once per template. That hash and the ids of each event are then hashed together. Invariants: absent and empty
 * values have different hashes, and every value has an end marker. The server assigns `id` and `created_at`, so they
 * are not compared.
 */
import { hash } from 'node:crypto';
import CONTRACT from '../../../../contract/fields.json' with { type: 'json' };

export type Value = string | number | null;

export const VIEW_COLUMNS: readonly string[] = CONTRACT.row;

const OWN = ['id', 'created_at', 'session_id', 'event_id'];

/** Columns that do not change when an event of the pool is sent again. */
export const CONSTANT_COLUMNS = VIEW_COLUMNS.filter((column) => !OWN.includes(column));

export type Constants = Readonly<Record<string, Value>>;

/** Returns the hash of the constant columns, which are in `values` from the index `from` on. */
export function hashConstants(values: readonly Value[], from: number): string {
  let text = '';
  // U+0000 separates the values: no text of an event contains it (rule EVT-12), and no JSON text does.
  for (let i = from; i < values.length; i++) text += marked(values[i]!);
  return hash('sha256', text);
}

/** Returns the hash of a whole row, with one byte per character, which is faster to add than hex. */
export function hashRow(constants: string, sessionId: Value, eventId: Value): string {
  return hash('sha256', constants + marked(sessionId) + marked(eventId), 'binary');
}

/** Returns the value between `=` and U+0000, which no value contains. An absent value is U+0000 alone. */
function marked(value: Value): string {
  return value === null ? '\0' : `=${value}\0`;
}

export function constantValues(constants: Constants): Value[] {
  return CONSTANT_COLUMNS.map((column) => constants[column]!);
}

export interface Digest {
  readonly count: number;
  readonly hex: string;
}

const LANES = 4;
const LANE_BYTES = 4;

/**
 * The digest of a multiset of rows: their hashes added in four lanes of 32 bits, each modulo 2^32. The order of rows does
 * not matter, and a row that occurs twice counts twice.
 */
export class MultisetDigest {
  readonly #lanes = new Uint32Array(LANES);
  #count = 0;

  /** Adds one member by its hash, a string with one byte per character. The first 128 bits are used. */
  add(hash: string): void {
    this.#count++;
    for (let lane = 0; lane < LANES; lane++) {
      const at = lane * LANE_BYTES;
      const low = hash.charCodeAt(at) | (hash.charCodeAt(at + 1) << 8);
      this.#lanes[lane]! += low | (hash.charCodeAt(at + 2) << 16) | (hash.charCodeAt(at + 3) << 24);
    }
  }

  digest(): Digest {
    const hex = [...this.#lanes].map((lane) => lane.toString(16).padStart(2 * LANE_BYTES, '0')).join('');
    return { count: this.#count, hex };
  }
}
