/**
 * Finds where a row contains the searched text, as the servers do (contract rule GET-13): only the case of ASCII
 * letters does not count.
 *
 * The server has already selected the rows. This module only tells where the text is, so that it can be marked.
 */
import type { Row } from './api.ts';

/** Where a text was found. */
export interface Found {
  /** The field, or the path in the metadata. */
  readonly where: string;
  readonly text: string;
}

/** Fields that the servers do not search. */
const NOT_SEARCHED = [
  'event_type',
  'status',
  'source',
  'created_at',
  'time',
  'arrived_at',
  'client_timestamp',
  'metadata',
];
/** Number of characters before a match that stay, when the text before them is cut off. */
const BEFORE = 24;
/** Largest number of matches that are marked. */
const MOST_PIECES = 2001;

/** Returns the text with small ASCII letters; its length stays the same. */
function small(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function contains(text: string, wanted: string): boolean {
  return small(text).includes(small(wanted));
}

/** Splits a text into other text and matches, in turn; the first piece is other text. */
export function piecesOf(text: string, wanted: string): string[] {
  const [all, sought] = [small(text), small(wanted)];
  const pieces: string[] = [];
  let from = 0;
  while (sought !== '' && pieces.length < MOST_PIECES) {
    const at = all.indexOf(sought, from);
    if (at < 0) break;
    pieces.push(text.slice(from, at), text.slice(at, at + sought.length));
    from = at + sought.length;
  }
  return [...pieces, text.slice(from)];
}

/** Cuts off the beginning of a text whose first match is far from it, so that a line shows the match. */
export function fromMatch(text: string, wanted: string): string {
  const at = small(text).indexOf(small(wanted));
  return at <= 2 * BEFORE ? text : `…${text.slice(at - BEFORE)}`;
}

/** Returns the first place of a row that contains the text; null if only the row's JSON as sent has it. */
export function foundIn(row: Row, wanted: string): Found | null {
  const inside = search(row.metadata, '', wanted);
  if (inside !== null) return inside;
  for (const [where, value] of Object.entries(row))
    if (typeof value === 'string' && !NOT_SEARCHED.includes(where) && contains(value, wanted))
      return { where, text: value };
  const text = JSON.stringify(row.metadata) ?? '';
  return contains(text, wanted) ? { where: 'metadata', text } : null;
}

function search(value: unknown, path: string, wanted: string): Found | null {
  if (typeof value !== 'object' || value === null) {
    const text = String(value);
    return contains(text, wanted) ? { where: path === '' ? 'metadata' : path, text } : null;
  }
  for (const [key, member] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`;
    const found = search(member, below, wanted);
    if (found !== null) return found;
    if (contains(key, wanted)) return { where: path === '' ? 'metadata' : path, text: key };
  }
  return null;
}
