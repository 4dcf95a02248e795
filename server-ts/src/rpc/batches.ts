/** Makes the body of a batch from the events of a call (rule RPC-05). */
import type { Buffers } from '../buffers.ts';
import type { Format } from '../formats/index.ts';

const NOTHING = Buffer.alloc(0);

/** The bytes around the events, in each format of calls. */
const AROUND: Readonly<Partial<Record<Format, readonly [before: Buffer, behind: Buffer]>>> = {
  json: [Buffer.from('{"events":'), Buffer.from('}')],
  msgpack: [Buffer.from('\x81\xa6events', 'latin1'), NOTHING],
};

/** Returns an object or a map with the one member `events`, whose value stays as sent. */
export function batchBody(events: Buffer, format: Format, buffers: Buffers): Buffer {
  const [before, behind] = AROUND[format] ?? [NOTHING, NOTHING];
  const length = before.length + events.length + behind.length;
  return buffers.concat([before, events, behind], length);
}
