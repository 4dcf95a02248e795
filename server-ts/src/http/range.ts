/** Reads `Range`: the requested bytes of a content (rule ATT-08; RFC 9110, section 14). Pure. */
import type { Head } from './head.ts';

/** The bytes that an answer has: all, the first to the last position, or nothing when the range contains no byte. */
export type Part = 'whole' | 'nothing' | { readonly first: number; readonly last: number };

/** Returns the part that a request asks for, of a content with this size and tag. */
export function wantedPart({ headers }: Pick<Head, 'headers'>, etag: string, size: number): Part {
  const conditions = headers.get('if-range') ?? [];
  const ranges = headers.get('range') ?? [];
  if (ranges.length !== 1 || conditions.length > 1) return 'whole';
  if (conditions.some((tag) => tag !== etag)) return 'whole';
  return parseRange(ranges[0]!, size) ?? 'whole';
}

/** Returns the part of a byte range; `undefined` for several ranges, another unit or a malformed value. */
export function parseRange(range: string, size: number): Part | undefined {
  const found = /^[ \t]*bytes=([0-9]*)-([0-9]*)[ \t]*$/i.exec(range);
  if (found === null) return undefined;
  const [, from, to] = found as unknown as readonly [string, string, string];
  if (from === '' && to === '') return undefined;
  // A position without an exact number is past the end of every content.
  const [first, last] =
    from === ''
      ? [Number(to) === 0 ? size : Math.max(0, size - Number(to)), size - 1]
      : [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (from !== '' && to !== '' && BigInt(to) < BigInt(from)) return undefined;
  return first <= last ? { first, last } : 'nothing';
}
