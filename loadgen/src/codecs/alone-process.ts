/**
 * Encodes events to bytes and decodes them in one format, and reads every field, without a server.
 *
 * It runs in a fresh process, so that the types of one codec do not slow down the code of another. Invariant: before
 * anything is timed, the decoded events equal the original ones. The events are values of the program, with metadata as
 * a value. MessagePack and Protobuf carry metadata as JSON text.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { measureCall } from './alone-calls.ts';
import { measureColumns, measureProcwireColumns } from './alone-columns.ts';
import { type Report, timer } from './alone-timing.ts';
import { PACKR } from './answers.ts';
import { decodeBatch, encodeBatch, PROCWIRE } from './protobuf.ts';
import { procwirePayload } from './source-events.ts';

type Event = Readonly<Record<string, unknown>>;

interface Batch {
  readonly events: readonly Event[];
}

interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
  /** Reads every field, and returns the number of fields. */
  read(value: T): number;
}

const text = new TextDecoder();
const utf8 = new TextEncoder();

/**
 * Returns the number of fields. A zero does not count, because Protobuf does not distinguish it from an absent field.
 */
function readEvents({ events }: Batch): number {
  let fields = 0;
  for (const event of events) {
    for (const name in event) {
      const value = event[name];
      if (value !== 0 && value !== null && value !== undefined && value !== '') fields++;
    }
  }
  return fields;
}

const packed = (event: Event): Event =>
  event.metadata === undefined ? event : { ...event, metadata: JSON.stringify(event.metadata) };

const unpacked = (event: Event): Event =>
  event.metadata === undefined ? event : { ...event, metadata: JSON.parse(String(event.metadata)) };

const SERVER_FIELDS = [
  ...['id', 'schema_version', 'created_at', 'time', 'history', 'payload_truncated', 'metadata_bytes'],
];
const COUNTERS = [
  ...['tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens', 'cache_write_1h_tokens'],
];

/** Returns a decoded message as the event that was sent: without absent values, server fields and zero counters. */
function sent(event: Event): Event {
  const kept = Object.entries(event).filter(
    ([name, value]) =>
      value !== undefined && !SERVER_FIELDS.includes(name) && !(value === 0 && COUNTERS.includes(name)),
  );
  return Object.fromEntries(kept);
}

const CODECS: Readonly<Record<string, Codec<Batch>>> = {
  json: {
    encode: (batch) => utf8.encode(JSON.stringify(batch)),
    decode: (bytes) => JSON.parse(text.decode(bytes)) as Batch,
    read: readEvents,
  },
  ndjson: {
    encode: ({ events }) => utf8.encode(events.map((event) => `${JSON.stringify(event)}\n`).join('')),
    decode: (bytes) => ({
      events: text
        .decode(bytes)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Event),
    }),
    read: readEvents,
  },
  msgpack: {
    encode: ({ events }) => PACKR.pack({ events: events.map(packed) }),
    decode: (bytes) => ({ events: (PACKR.unpack(bytes) as Batch).events.map(unpacked) }),
    read: readEvents,
  },
  protobuf: {
    encode: ({ events }) => encodeBatch(events.map(packed)),
    decode: (bytes) => ({ events: decodeBatch(bytes).map(unpacked) }),
    read: readEvents,
  },
};

/** `JSON.stringify` and `JSON.parse` of text, without conversion to bytes and without reading a field. */
const REFERENCE: Codec<Batch> = {
  encode: (batch) => JSON.stringify(batch) as never,
  decode: (bytes) => JSON.parse(bytes as never) as Batch,
  read: () => 0,
};

type Procwire = ReturnType<typeof procwirePayload>;

function readProcwire({ id, name, data, items }: Procwire): number {
  let sum = id + name.length + data.charCodeAt(data.length - 1);
  for (const item of items) sum += item;
  return Number.isNaN(sum) ? 3 : 3 + items.length;
}

const PROCWIRE_CODECS: Readonly<Record<string, Omit<Codec<Procwire>, 'read'>>> = {
  'json procwire': {
    encode: (payload) => utf8.encode(JSON.stringify(payload)),
    decode: (bytes) => JSON.parse(text.decode(bytes)) as Procwire,
  },
  'msgpack procwire': {
    encode: (payload) => PACKR.pack(payload),
    decode: (bytes) => PACKR.unpack(bytes) as Procwire,
  },
  'protobuf procwire': {
    encode: (payload) => toBinary(PROCWIRE, create(PROCWIRE, payload)),
    decode(bytes) {
      const { id, name, data, items } = fromBinary(PROCWIRE, bytes) as Message & Procwire;
      return { id, name, data, items };
    },
  },
};

function roundTrip<T>(
  value: T,
  { encode, decode, read }: Codec<T>,
  report: Report,
  comparable = (a: T) => a,
) {
  const bytes = encode(value);
  deepStrictEqual(comparable(decode(bytes)), comparable(value), 'what comes back differs from what went in');
  const fields = read(comparable(value));
  const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
  report.print(
    'encode',
    size,
    fields,
    report.time(() => encode(value)),
  );
  report.print(
    'decode',
    size,
    fields,
    report.time(() => read(decode(bytes))),
  );
}

/** Throws if a flag is wrong, or if the decoded events differ from the original ones. */
export async function measureAlone(argv: readonly string[]): Promise<void> {
  const flag = { type: 'string' } as const;
  const options = { events: flag, codec: flag, counts: flag, seconds: flag };
  const { events, codec = '', counts = '', seconds } = parseArgs({ args: [...argv], options }).values;
  const lines = readFileSync(events!, 'utf8').trimEnd().split('\n');
  for (const count of counts.split(',').map(Number)) {
    const report: Report = {
      time: timer(Number(seconds)),
      print: (step, bytes, fields, ns) =>
        void process.stdout.write(`${JSON.stringify({ codec, step, count, bytes, fields, ns })}\n`),
    };
    const procwire = PROCWIRE_CODECS[codec];
    if (codec === 'arrow') measureColumns(report, lines, count);
    else if (codec === 'arrow procwire') measureProcwireColumns(report, count);
    else if (codec === 'json calls') measureCall(report, lines[0]!, count);
    else if (procwire !== undefined)
      roundTrip(procwirePayload(count), { ...procwire, read: readProcwire }, report);
    else {
      const batch = { events: lines.slice(0, count).map((line) => JSON.parse(line) as Event) };
      const used = codec === 'json reference' ? REFERENCE : CODECS[codec];
      if (used === undefined) throw new Error(`there is no codec ${codec}`);
      roundTrip(batch, used, report, ({ events }) => ({ events: events.map(sent) }));
    }
  }
}
