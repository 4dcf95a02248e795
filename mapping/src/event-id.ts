/**
 * Computes the ids of events that agents report more than once (rule OTL-09).
 *
 * Pure. An id is a UUID of version 8 (RFC 9562, section 5.8) from a SHA-256.
 */
import { createHash } from 'node:crypto';

/** Returns the id of an array of JSON texts, with `null` for an absent one. */
export function hashedId(items: readonly (string | undefined)[]): string {
  const json = `[${items.map((item) => item ?? 'null').join(',')}]`;
  const bytes = createHash('sha256').update(json).digest().subarray(0, 16);
  // The version is in the seventh byte, the variant in the ninth.
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((start, at, starts) => hex.slice(start, starts[at + 1])).join('-');
}

/** Returns the id of the event about the subject of this kind and name. */
export function sameId(kind: string, agentType: string, sessionId: string, name: string): string {
  return hashedId([agentType, sessionId, kind, name].map((text) => JSON.stringify(text)));
}
