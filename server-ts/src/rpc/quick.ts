/**
 * Reads values in the form that most clients write: members in the order of the schema, texts without needless escapes.
 *
 * A long sequence is read piece by piece, so that at most one piece exists as values. If a piece prints exactly as
 * sent, its depth and its end are known without a scan. The reader gives up on any other form. Invariant: the result
 * does not depend on which code reads it.
 */
import { LIMITS } from '../contract.ts';
import { CLOSE_ARRAY, OPEN_ARRAY } from '../scanner.ts';
import { Problem } from './problem.ts';
import type { Type } from './schema.ts';

/** Checks the items of an array; returns them or their problem. */
type Check = (items: unknown) => unknown;

/** Least size of a piece, except the last. */
const PIECE_BYTES = 1 << 16;
/** Largest size of a piece; the reader gives up if a piece would be longer. */
const MOST_PIECE_BYTES = 4 * PIECE_BYTES;

/** Returns whether the array from `start` up to `end` prints exactly as sent; `check` checks arrays of its items. */
export function isAsSent(bytes: Buffer, start: number, end: number, item: Type, check: Check): boolean {
  if (bytes[start] !== OPEN_ARRAY || bytes[end - 1] !== CLOSE_ARRAY) return false;
  const separator = separatorOf(item);
  const comma = separator.indexOf(',');
  const stop = end - 1;
  let count = 0;
  let at = start + 1;
  for (;;) {
    const found = bytes.indexOf(separator, at + PIECE_BYTES);
    const cut = found < 0 || found > stop ? stop : found + comma;
    if (cut - at > MOST_PIECE_BYTES) return false;
    const items = itemsAsSent(`[${bytes.toString('utf8', at, cut)}]`, check);
    count += items;
    if (items === 0 || count > LIMITS.rpc_sequence_items) return false;
    if (cut === stop) return true;
    at = cut + 1;
  }
}

/** Returns the number of items of an array that prints exactly as sent; 0 when it does not. */
function itemsAsSent(text: string, check: Check): number {
  let items: unknown;
  try {
    items = check(JSON.parse(text));
  } catch {
    return 0;
  }
  if (items instanceof Problem || !Array.isArray(items)) return 0;
  return JSON.stringify(items) === text ? items.length : 0;
}

/** Returns the usual separator of two items. If the separator is part of a text, the piece is not JSON. */
function separatorOf(item: Type): string {
  if (item.kind === 'dictionary') return `},{"${item.members[0]?.name}":`;
  return item.kind === 'string' ? '","' : ',';
}
