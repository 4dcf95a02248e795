/**
 * Metadata above its limit becomes a summary that is still valid JSON (rule MET-02).
 *
 * Pure. The bytes have been scanned before, so they are valid JSON.
 */
import { VOCABULARY } from './contract.ts';
import { keyIs, visitMembers } from './json.ts';
import { byteLength } from './text.ts';

const KEYS = VOCABULARY.summary_keys.map((name) => ({ name, bytes: Buffer.from(name) }));

/** The summary of the metadata from `start` up to `end`; nothing when it fits into `limit` bytes as it is. */
export function truncateMetadata(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
): string | undefined {
  if (end - start <= limit) return undefined;
  const values: (string | undefined)[] = KEYS.map(() => undefined);
  if (bytes[start] === 0x7b) {
    visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
      const at = KEYS.findIndex((key) => keyIs(bytes, keyStart, keyEnd, key.bytes));
      if (at < 0) return;
      // Of a key given twice the last counts, so a later one replaces an earlier one; what can never fit is
      // not even decoded.
      values[at] = valueEnd - valueStart < limit ? bytes.toString('utf8', valueStart, valueEnd) : undefined;
    });
  }
  let summary = `{"_truncated":true,"_original_bytes":${end - start}`;
  let length = summary.length;
  KEYS.forEach((key, at) => {
    const value = values[at];
    if (value === undefined) return;
    const member = `,"${key.name}":${value}`;
    const memberLength = byteLength(member);
    // One byte for the brace that closes the summary.
    if (length + memberLength + 1 > limit) return;
    summary += member;
    length += memberLength;
  });
  return `${summary}}`;
}
