/**
 * Computes the ids of imported events.
 *
 * Invariant: an id depends on the transcript alone, so a repeated import stores nothing twice. The id of a subject is
 * that of hooks and telemetry (rule OTL-09).
 */
import { createHash } from 'node:crypto';

/** Returns a UUID of version 8 from the SHA-256 of the texts as a JSON array. */
export function hashedId(...texts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(texts)).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((start, at, starts) => hex.slice(start, starts[at + 1])).join('-');
}

/** Returns an id for a line without one. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
