/**
 * Names the rows that make an audit fail: lost events, rows that were not sent or were stored twice, rows with other
 * columns.
 *
 * It makes two passes with bounded memory. The first divides expected and stored rows into parts by a hash of their
 * ids, and digests each part. The second compares the rows of a few parts that differ. It runs only after a failure, so
 * it need not be fast.
 */

import type { Claim } from './claim.ts';
import { MultisetDigest } from './digest.ts';
import type { Expected, ExpectedRow } from './expected.ts';
import { CONSTANT_COLUMNS, type Value } from './row.ts';
import type { StoredFile, StoredRow } from './stored.ts';

const PARTS = 16_384;
/** Maximum number of parts to compare, and maximum number of rows of each kind to show. */
const LOOKED_AT = 8;
const SHOWN = 5;
const SHOWN_CHARACTERS = 200;
/** Characters shown before the first one that differs. */
const LEAD_CHARACTERS = 40;

interface Found {
  readonly lost: ExpectedRow[];
  readonly altered: { readonly stored: StoredRow; readonly expected: ExpectedRow }[];
  readonly twice: StoredRow[];
  readonly unsent: StoredRow[];
}

export function explain(expected: Expected, stored: StoredFile, claim: Claim): string[] {
  const differing = differingParts(expected, stored, claim);
  if (differing.length === 0) return ['no row differs'];
  const chosen = new Set(differing.slice(0, LOOKED_AT));
  const found = search(expected, stored, claim, chosen);
  const lines = [
    ...list('events lost', found.lost, (row) => `index ${row.index}, ${idsOf(row)}`),
    ...list('rows stored again', found.twice, (row) => `row ${row.id}, ${idsOf(row)}`),
    ...list('rows that were not sent', found.unsent, (row) => `row ${row.id}, ${idsOf(row)}`),
    ...found.altered.slice(0, SHOWN).flatMap((pair) => differences(expected, stored, pair)),
  ];
  if (found.altered.length > SHOWN) lines.push(`rows that differ: ${found.altered.length - SHOWN} more`);
  if (differing.length > chosen.size)
    lines.push(`looked at ${chosen.size} of ${differing.length} differing parts; there is more of this kind`);
  return lines;
}

function visitBoth(
  expected: Expected,
  stored: StoredFile,
  claim: Claim,
  onExpected: (row: ExpectedRow, part: number) => void,
  onStored: (row: StoredRow, part: number) => void,
): void {
  expected.visit(claim.ranges, (row) => onExpected(row, partOf(row)));
  stored.visit(stored.share(0, 1), (row) => onStored(row, partOf(row)));
}

function differingParts(expected: Expected, stored: StoredFile, claim: Claim): number[] {
  const digests = () => Array.from({ length: PARTS }, () => new MultisetDigest());
  const wanted = digests();
  const found = digests();
  visitBoth(
    expected,
    stored,
    claim,
    (row, part) => wanted[part]!.add(row.hash),
    (row, part) => found[part]!.add(row.hash),
  );
  const differs = (part: number) =>
    wanted[part]!.count !== found[part]!.count || wanted[part]!.hex() !== found[part]!.hex();
  return wanted.map((_, part) => part).filter(differs);
}

/** Returns the part of a row, which depends only on its ids. So a row with altered columns remains in its part. */
function partOf(row: { readonly session_id: Value; readonly event_id: Value }): number {
  const key = String(row.event_id ?? row.session_id);
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTS;
}

function search(expected: Expected, stored: StoredFile, claim: Claim, parts: ReadonlySet<number>): Found {
  const wanted = new Map<string, ExpectedRow[]>();
  const surplus: StoredRow[] = [];
  const sent = new Set<string>();
  visitBoth(
    expected,
    stored,
    claim,
    (row, part) => {
      if (!parts.has(part)) return;
      sent.add(row.hash);
      const same = wanted.get(row.hash);
      if (same === undefined) wanted.set(row.hash, [row]);
      else same.push(row);
    },
    (row, part) => {
      if (parts.has(part) && wanted.get(row.hash)?.pop() === undefined) surplus.push(row);
    },
  );
  const missing = new Map<string, ExpectedRow[]>();
  for (const row of [...wanted.values()].flat()) {
    const same = missing.get(idsOf(row));
    if (same === undefined) missing.set(idsOf(row), [row]);
    else same.push(row);
  }
  const found: Found = { lost: [], altered: [], twice: [], unsent: [] };
  for (const row of surplus) {
    const other = sent.has(row.hash) ? undefined : missing.get(idsOf(row))?.pop();
    if (other !== undefined) found.altered.push({ stored: row, expected: other });
    else if (sent.has(row.hash)) found.twice.push(row);
    else found.unsent.push(row);
  }
  found.lost.push(...[...missing.values()].flat().sort((a, b) => a.index - b.index));
  return found;
}

function idsOf(row: { readonly session_id: Value; readonly event_id: Value }): string {
  return `event_id ${row.event_id}, session_id ${row.session_id}`;
}

function list<T>(title: string, rows: readonly T[], show: (row: T) => string): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, SHOWN).map((row) => `  ${show(row)}`);
  return [`${title}: ${rows.length}${rows.length > SHOWN ? `, the first ${SHOWN}` : ''}`, ...shown];
}

function differences(expected: Expected, stored: StoredFile, pair: Found['altered'][number]): string[] {
  const wanted = expected.constantsOf(pair.expected.index);
  const found = stored.constantsOf(pair.stored.id);
  const lines = CONSTANT_COLUMNS.flatMap((column) => {
    const [a, b] = [JSON.stringify(wanted[column]), JSON.stringify(found?.[column] ?? null)];
    return a === b ? [] : [`  ${column}: expected ${cut(a, b)}, found ${cut(b, a)}`];
  });
  return [`row ${pair.stored.id} differs (index ${pair.expected.index}, ${idsOf(pair.stored)})`, ...lines];
}

/** Returns the section of `text` that begins shortly before its first difference from `other`. */
function cut(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const from = Math.max(0, same - LEAD_CHARACTERS);
  const part = text.slice(from, from + SHOWN_CHARACTERS);
  return `${from > 0 ? '…' : ''}${part}${from + part.length < text.length ? '…' : ''}`;
}
