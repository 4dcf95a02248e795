/**
 * Renders the answers to telemetry, in JSON or Protobuf (rule OTL-01).
 *
 * Pure. The messages are small, so a few lines of Protobuf are written by hand.
 */
import type { Format } from '../formats/index.ts';

/** Renders the answer to a request with these rejected records; an empty message when there are none. */
export function exportResponse(
  format: Format,
  member: string,
  rejected: readonly (readonly [reason: string, count: number])[],
): string | Uint8Array {
  const count = rejected.reduce((sum, [, records]) => sum + records, 0);
  const errorMessage = rejected.map(([reason, records]) => `${records} ${reason}`).join(', ');
  if (format === 'json') {
    return count === 0 ? '{}' : JSON.stringify({ partialSuccess: { [member]: String(count), errorMessage } });
  }
  return count === 0 ? Buffer.alloc(0) : bytesField(1, countAndText(count, errorMessage));
}

/** Renders the answer to a failed request: a `google.rpc.Status`. */
export function status(format: Format, code: number, message: string): string | Uint8Array {
  return format === 'json' ? JSON.stringify({ code, message }) : countAndText(code, message);
}

/** Renders a message of a number and a text. */
function countAndText(count: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x08]), varint(count), bytesField(2, Buffer.from(text))]);
}

function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
