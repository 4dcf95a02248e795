/**
 * Reads values as most clients write them: members in the order of the schema, texts without needless escapes.
 *
 * A long sequence is read piece by piece, so that never more than one piece is held as values. A piece that is printed
 * as it was sent has nothing else in its text: its depth and its end are known without a scan. It gives up at anything
 * else. Invariant: what is read does not depend on that.
 */
import { LIMITS } from '../contract.ts';
import { CLOSE_ARRAY, OPEN_ARRAY } from '../scanner.ts';
import { Problem } from './problem.ts';
import type { Type } from './schema.ts';

/** The items of an array, or what is wrong with them. */
type Check = (items: unknown) => unknown;

/** A piece has at least so many bytes, save the last. */
const PIECE_BYTES = 1 << 16;
/** It gives up where a piece would be longer. */
const MOST_PIECE_BYTES = 4 * PIECE_BYTES;

/** Whether the array that lies from `start` up to `end` is printed as it was sent; `check` checks arrays of its items. */
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

/** How many items an array has that is printed as it was sent; 0 where it is not. */
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

/** What mostly stands between two items alone: where it is part of a text, a piece is no JSON. */
function separatorOf(item: Type): string {
  if (item.kind === 'dictionary') return `},{"${item.members[0]?.name}":`;
  return item.kind === 'string' ? '","' : ',';
}
