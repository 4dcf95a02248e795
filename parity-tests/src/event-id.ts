/**
 * Computes the `event_id` of a record or a hook (rule OTL-09): a UUID of version 8 from a SHA-256.
 *
 * Invariant: it shares no code with a server.
 */
import { createHash } from 'node:crypto';

/** Returns the id of a text, which is a JSON array. */
export function eventIdOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the id of a hook after its telemetry (rule HOK-04): the last bit is inverted. */
export function hookIdOf(text: string): string {
  const id = eventIdOf(text);
  return `${id.slice(0, -1)}${(Number.parseInt(id.at(-1)!, 16) ^ 1).toString(16)}`;
}
