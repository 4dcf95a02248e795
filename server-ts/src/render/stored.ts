/**
 * Describes stored rows, for the formats that are not based on text (rules FMT-08 and FMT-09).
 *
 * Pure. Names and sessions are ids; `TextsById` has their texts.
 */

/** A value of SQLite. */
export type StoredValue = string | number | Uint8Array | null;

/** The values of a row, in the order of `COLUMNS` without constants. */
export type StoredRow = readonly StoredValue[];

/** The texts of name ids and of session keys; the text of an id never changes. */
export interface TextsById {
  name(id: number): string;
  session(key: number): string;
}

/** Returns the id of a row. */
export function storedIdOf(row: StoredRow): number {
  return Number(row[0]);
}

/** Returns the metadata of a row. */
export function storedMetadataOf(row: StoredRow): string {
  return String(row.at(-1));
}

/** Returns text unchanged, and the 16 bytes of a UUID as text (RFC 9562, section 4). */
export function textOf(value: StoredValue): string {
  if (!(value instanceof Uint8Array)) return String(value);
  const hex = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns US dollars from stored nano-dollars, with the same division as the view `events_readable`. */
export function dollarsOf(nanos: StoredValue): number {
  return Number(nanos) / 1e9;
}
