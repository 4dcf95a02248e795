/**
 * Generates bodies of ingest requests in the other formats: the encoded values of a JSON body, sometimes with mutated
 * bytes.
 */
import { batchBody, eventBody, type TextEvent } from '@twin-ingest/testkit/codecs/codecs.ts';
import { mediaTypeOf, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { encodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';

/** A body with its media type. */
export interface FormatBody {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Returns the body in another format; `undefined` if that format cannot express its values. */
export function inOtherFormat(random: Random, body: string): FormatBody | undefined {
  const format = random.pick<RequestFormat>(['ndjson', 'msgpack', 'protobuf']);
  let bytes: Buffer;
  try {
    const value: unknown = JSON.parse(body);
    bytes = encode(format, body, value, random.chance(0.5));
  } catch {
    return undefined;
  }
  for (let count = random.chance(0.3) ? 1 + random.below(2) : 0; count > 0; count -= 1)
    bytes = mutated(random, bytes);
  return { type: mediaTypeOf(format), bytes };
}

function encode(format: RequestFormat, body: string, value: unknown, hasText: boolean): Buffer {
  const events = typeof value === 'object' && value !== null && 'events' in value ? value.events : undefined;
  if (format === 'ndjson') {
    if (!Array.isArray(events)) return Buffer.from(body);
    return Buffer.from(events.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }
  if (format === 'msgpack' && !hasText) return encodeMsgpack(value);
  const all = (Array.isArray(events) ? events : [value]).map(withText);
  return Array.isArray(events) ? batchBody(format, all) : eventBody(format, all[0]!);
}

/** Returns the event with its metadata as JSON text. */
function withText(event: Readonly<Record<string, unknown>>): TextEvent {
  const { metadata, ...fields } = event;
  return metadata === undefined ? fields : { ...fields, metadata: JSON.stringify(metadata) };
}

function mutated(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const odd = Buffer.from([random.below(256)]);
  const kind = random.below(4);
  if (kind === 0) return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at + 1)]);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  return bytes.subarray(0, at);
}
