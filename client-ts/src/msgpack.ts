/** The format MessagePack (FMT-04, FMT-05, FMT-08) with msgpackr, which the program must install. */
import { Packr } from 'msgpackr';
import { bytesOf } from './answer-bytes.ts';
import type { EventPage, EventRow } from './contract.ts';
import type { CallFormat, Format, PageFormat } from './format.ts';
import { checkText, joined } from './pieces.ts';
import { WIRE_FIELDS } from './wire-fields.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'number' });
// msgpackr's types lack `skipValues`.
const CALLS = { useRecords: false, variableMapSize: true, skipValues: [undefined] };
const callPackr = new Packr(CALLS);
const BEGIN = packr.pack({ events: [] }).slice(0, -1);
const type = 'application/vnd.msgpack';

export const msgpack: Format & PageFormat = {
  type,
  event(event) {
    const map: Record<string, unknown> = {};
    for (const [name, kind] of WIRE_FIELDS) {
      const value = kind === 'json' ? JSON.stringify(event[name]) : event[name];
      if (typeof value === 'string') checkText(name, value);
      if (value !== undefined) map[name] = value;
    }
    return new Uint8Array(packr.pack(map));
  },
  batch(pieces) {
    // Array 32: a marker and the number of events.
    const count = new Uint8Array(5);
    count[0] = 0xdd;
    new DataView(count.buffer).setUint32(1, pieces.length);
    return joined([new Uint8Array(BEGIN), count, ...pieces]);
  },
  async page(response) {
    const page = packr.unpack(await bytesOf(response, type)) as EventPage;
    return { ...page, events: page.events.map(withMetadata) };
  },
};

/** The format of typed calls. An `undefined` member is omitted, as in JSON. */
export const msgpackCalls: CallFormat = {
  type,
  call: (value) => new Uint8Array(callPackr.pack(value)),
  response: async (response) => packr.unpack(await bytesOf(response, type)),
};

/** Parses the metadata, which is JSON text in this format. */
const withMetadata = (row: EventRow): EventRow => ({ ...row, metadata: JSON.parse(row.metadata as string) });
