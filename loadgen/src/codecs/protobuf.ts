/**
 * The messages of `contract/ingest/v1/event.proto` as descriptors at run time, and the conversion of events in both
 * directions.
 *
 * Invariant: names, numbers and types come from `contract/fields.json`, and enum values from
 * `contract/vocabulary.json`.
 */
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import FIELDS from '../../../contract/fields.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };

interface Known {
  readonly kind: string;
  readonly protobuf: number;
  readonly values?: string;
}

/** Sent and stored fields, by name. */
export const KNOWN: Readonly<Record<string, Known>> = { ...FIELDS.fields, ...FIELDS.server_columns };

const TYPES: Readonly<Record<string, Type>> = {
  text: Type.STRING,
  choice: Type.INT32,
  integer: Type.UINT64,
  dollars: Type.DOUBLE,
  timestamp: Type.INT64,
  json: Type.BYTES,
  boolean: Type.BOOL,
};

/** A choice, a counter and a flag do not distinguish absent from zero. */
const isOptional = (name: string, { kind }: Known) =>
  kind === 'integer'
    ? name === 'duration_ms'
    : kind !== 'choice' && kind !== 'boolean' && !['created_at', 'time'].includes(name);

const nameOf = (name: string) => (name === 'metadata' ? 'metadata_json' : name);

const local = (name: string) =>
  nameOf(name).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function eventFields() {
  const optional = Object.entries(KNOWN).filter(([name, known]) => isOptional(name, known));
  const field = Object.entries(KNOWN).map(([name, known]) => {
    const at = optional.findIndex(([other]) => other === name);
    const scalar = {
      name: nameOf(name),
      number: known.protobuf,
      type: TYPES[known.kind]!,
      label: Label.OPTIONAL,
    };
    return at < 0 ? scalar : { ...scalar, proto3Optional: true, oneofIndex: at };
  });
  return { name: 'Event', field, oneofDecl: optional.map(([name]) => ({ name: `_${nameOf(name)}` })) };
}

const events = {
  name: 'events',
  number: 1,
  type: Type.MESSAGE,
  typeName: '.ingest.v1.Event',
  label: Label.REPEATED,
};
const next = {
  name: 'next',
  number: 2,
  type: Type.UINT64,
  label: Label.OPTIONAL,
  proto3Optional: true,
  oneofIndex: 0,
};
const payload = [
  { name: 'id', number: 1, type: Type.INT32, label: Label.OPTIONAL },
  { name: 'name', number: 2, type: Type.STRING, label: Label.OPTIONAL },
  { name: 'data', number: 3, type: Type.STRING, label: Label.OPTIONAL },
  { name: 'items', number: 4, type: Type.INT32, label: Label.REPEATED },
];

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'ingest/v1/event.proto',
    package: 'ingest.v1',
    syntax: 'proto3',
    messageType: [
      eventFields(),
      { name: 'IngestBatch', field: [events] },
      { name: 'EventPage', field: [events, next], oneofDecl: [{ name: '_next' }] },
      { name: 'Procwire', field: payload },
    ],
  }),
  () => undefined,
);

const message = (name: string): DescMessage => registry.getMessage(`ingest.v1.${name}`)!;

const EVENT = message('Event');
const BATCH = message('IngestBatch');
const PAGE = message('EventPage');
/** Message of the payload in procwire's benchmark. */
export const PROCWIRE = message('Procwire');

type Event = Readonly<Record<string, unknown>>;
type Loose = Message & Record<string, unknown>;

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

const words = (known: Known) => VOCABULARY[known.values as 'statuses'] as readonly string[];

/** A field's name in the event and in the message, and the conversions of its values. */
interface Mapped {
  readonly name: string;
  readonly local: string;
  readonly put: (value: string | number) => unknown;
  readonly get: (value: never) => unknown;
}

const MAPPED: readonly Mapped[] = Object.entries(KNOWN).map(([name, known]) => {
  const both = { name, local: local(name) };
  switch (known.kind) {
    case 'choice':
      return {
        ...both,
        put: (value) => words(known).indexOf(String(value)) + 1,
        get: (value: number) => (value === 0 ? undefined : words(known)[value - 1]),
      };
    case 'integer':
      return { ...both, put: (value) => BigInt(value), get: (value: bigint) => Number(value) };
    case 'timestamp':
      return {
        ...both,
        put: (value) => BigInt(Date.parse(String(value))),
        get: (value: bigint) => new Date(Number(value)).toISOString(),
      };
    case 'json':
      return {
        ...both,
        put: (value) => utf8.encode(String(value)),
        get: (value: Uint8Array) => fromUtf8.decode(value),
      };
    default:
      return { ...both, put: (value) => value, get: (value: never) => value };
  }
});

function toMessage(event: Event): Loose {
  const init: Record<string, unknown> = {};
  for (const { name, local, put } of MAPPED) {
    const value = event[name];
    if (value !== undefined && value !== null) init[local] = put(value as string | number);
  }
  return create(EVENT, init) as Loose;
}

/** Returns an event without its absent values; metadata stays JSON text. */
function fromMessage(message: Loose): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const { name, local, get } of MAPPED) {
    const value = message[local];
    if (value !== undefined) found[name] = get(value as never);
  }
  return found;
}

/** Encodes a batch. Metadata of the events is JSON text. */
export function encodeBatch(batch: readonly Event[]): Uint8Array {
  const events = batch.map(toMessage);
  return toBinary(BATCH, create(BATCH, { events }));
}

export function decodeBatch(bytes: Uint8Array): Record<string, unknown>[] {
  return ((fromBinary(BATCH, bytes) as Loose).events as Loose[]).map(fromMessage);
}

export function decodePage(bytes: Uint8Array): Record<string, unknown>[] {
  return ((fromBinary(PAGE, bytes) as Loose).events as Loose[]).map(fromMessage);
}
