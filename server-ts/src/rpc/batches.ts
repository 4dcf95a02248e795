/** Makes the body of a batch from the events of a call (rule RPC-05). */
import type { Buffers } from '../buffers.ts';
import type { Format } from '../formats/index.ts';

const NOTHING = Buffer.alloc(0);

/** What stands around the events in each format in which calls come. */
const AROUND: Readonly<Partial<Record<Format, readonly [before: Buffer, behind: Buffer]>>> = {
  json: [Buffer.from('{"events":'), Buffer.from('}')],
  msgpack: [Buffer.from('\x81\xa6events', 'latin1'), NOTHING],
};

/** An object, or a map, with the one member `events`, whose value is given as it was sent. */
export function batchBody(events: Buffer, format: Format, buffers: Buffers): Buffer {
  const [before, behind] = AROUND[format] ?? [NOTHING, NOTHING];
  const length = before.length + events.length + behind.length;
  return buffers.concat([before, events, behind], length);
}
