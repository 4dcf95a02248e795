/**
 * Generates a valid batch of one event and of many small values that the server ignores, in every format of requests.
 *
 * A server must read all values and keeps none. The processor time of such a body is the reference for the server's
 * reading speed on this machine.
 */
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import type { RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';

/** Returns a body of at most `size` bytes, and at most a thousand bytes less. */
export function smallValues(format: RequestFormat, size: number): Buffer {
  switch (format) {
    case 'json':
      return repeated(size, '{"x":[', '0,[],"a",{"b":0},', `0],"events":[${JSON.stringify(event())}]}`);
    case 'ndjson': {
      const one = JSON.stringify(event()).slice(0, -1);
      return repeated(size, `${one},"x":[`, '0,[],"a",{"b":0},', '0]}\n');
    }
    case 'msgpack': {
      // The map of a batch has one member; this one has two.
      const [, ...events] = batchBody('msgpack', [event()]);
      const unit = Buffer.from('0090a16181a16200', 'hex');
      const count = Math.floor((size - events.length - 20) / unit.length);
      const head = Buffer.from('82a178dd00000000', 'hex');
      head.writeUInt32BE(4 * count, 4);
      return Buffer.concat([head, Buffer.alloc(count * unit.length, unit), Buffer.from(events)]);
    }
    case 'protobuf': {
      // Field 100 exists in no message: a number, an empty text, and a text of one byte.
      const unit = Buffer.from('a00600a20600a2060161', 'hex');
      const one = batchBody('protobuf', [event()]);
      const count = Math.floor((size - one.length) / unit.length);
      return Buffer.concat([one, Buffer.alloc(count * unit.length, unit)]);
    }
  }
}

function repeated(size: number, prefix: string, unit: string, suffix: string): Buffer {
  const count = Math.floor((size - prefix.length - suffix.length) / unit.length);
  return Buffer.from(`${prefix}${unit.repeat(count)}${suffix}`);
}
