/** Reads `Range`: which bytes of a content are wanted (rule ATT-08; RFC 9110, section 14). Pure. */
import type { Head } from './head.ts';

/** Which bytes an answer has: all, from the first to the last of them, or nothing where none is in the range. */
export type Part = 'whole' | 'nothing' | { readonly first: number; readonly last: number };

/** The part of a content of this size and tag that a request wants. */
export function wantedPart({ headers }: Pick<Head, 'headers'>, etag: string, size: number): Part {
  const conditions = headers.get('if-range') ?? [];
  const ranges = headers.get('range') ?? [];
  if (ranges.length !== 1 || conditions.length > 1) return 'whole';
  if (conditions.some((tag) => tag !== etag)) return 'whole';
  return parseRange(ranges[0]!, size) ?? 'whole';
}

/** The part of a range of bytes; nothing for several ranges, another unit and a malformed value. */
export function parseRange(range: string, size: number): Part | undefined {
  const found = /^[ \t]*bytes=([0-9]*)-([0-9]*)[ \t]*$/i.exec(range);
  if (found === null) return undefined;
  const [, from, to] = found as unknown as readonly [string, string, string];
  if (from === '' && to === '') return undefined;
  // A place that no number holds exactly lies behind every content.
  const [first, last] =
    from === ''
      ? [Number(to) === 0 ? size : Math.max(0, size - Number(to)), size - 1]
      : [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (from !== '' && to !== '' && BigInt(to) < BigInt(from)) return undefined;
  return first <= last ? { first, last } : 'nothing';
}
