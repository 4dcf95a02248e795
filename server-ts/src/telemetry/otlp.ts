/** Holds the messages of OTLP as tables, read once from `contract/otlp.json` (rules OTL-01 to OTL-04). */
import { fill, OTLP } from '../contract.ts';
import { Failure } from '../error.ts';
import type { WireForm } from '../formats/protobuf-check.ts';

/** A field of a message: its wire form in Protobuf, its name in JSON, and its type. */
export interface OtlpField extends WireForm {
  readonly name: string;
  /** A scalar type of `otlp.json`; `undefined` for a message. */
  readonly type: string | undefined;
  readonly isList: boolean;
  readonly message: Message | undefined;
}

/** A message and its fields by their numbers. */
export interface Message {
  readonly fields: readonly (OtlpField | undefined)[];
}

/** One kind of request. */
export interface Request {
  readonly message: Message;
  readonly signal: Signal;
  /** The response member that counts rejected records. */
  readonly rejected: string;
}

/** The kind of a request's records. */
export type Signal = 'logs' | 'metrics' | 'spans';

/** Reasons to reject records, in the order of reports. */
export const REASONS: readonly string[] = OTLP.reasons;

/** The code `UNKNOWN` of `google.rpc.Status`. */
const UNKNOWN_CODE = 2;

const WIRE_TYPES: Readonly<Record<string, number>> = {
  fixed64: 1,
  double: 1,
  int64: 0,
  bool: 0,
  enum: 0,
  string: 2,
  bytes: 2,
  id16: 2,
  id8: 2,
};

const MESSAGES = new Map<string, Message>();

/** Returns a message of `otlp.json`. */
export function messageOf(name: string): Message {
  const known = MESSAGES.get(name);
  if (known !== undefined) return known;
  const spec = OTLP.messages[name];
  if (spec === undefined) throw new Error(`otlp.json has no message ${name}`);
  const list: (OtlpField | undefined)[] = [];
  const message: Message = { fields: list };
  // Registered first, since messages refer to each other, and some to themselves.
  MESSAGES.set(name, message);
  const most = spec.reduce((most, [number]) => Math.max(most, number), 0);
  // A list without holes is faster to index.
  for (let number = 0; number <= most; number++) list.push(undefined);
  for (const [number, fieldName, type] of spec) list[number] = readField(fieldName, type);
  return message;
}

/** Returns the field of a number. */
export function fieldOf({ fields }: Message, number: number): OtlpField | undefined {
  return number < fields.length ? fields[number] : undefined;
}

/** Returns the kind of request that a route accepts. */
export function requestOf(path: string): Request {
  const spec = OTLP.requests[path];
  if (spec === undefined) throw new Failure('internal');
  return { message: messageOf(spec.message), signal: spec.signal as Signal, rejected: spec.rejected };
}

/**
 * Returns how to correct a path that is almost an address of OTLP: an exporter has another base URL, or another
 * protocol (rule OTL-13). `undefined` for any other path.
 */
export function rightAddress(path: string): string | undefined {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
  const isBase = (segment: string): boolean => segment === 'v1' || segment === 'otlp';
  const last = segments.at(-1);
  const service = last === 'export' ? (segments.at(-2) ?? '') : '';
  const before = segments.slice(0, -1);
  const isMeant = (address: string): boolean => {
    const name = address.slice(address.lastIndexOf('/') + 1);
    const isName = (word: string): boolean => word === name || `${word}s` === name;
    if (last === undefined || isBase(last)) return true;
    if (service.endsWith('service')) return service.split('.').some(isName);
    return (before.length === 0 || before.some(isBase)) && isName(last);
  };
  const addresses = Object.keys(OTLP.requests).filter(isMeant);
  return addresses.length === 0 ? undefined : fill(OTLP.wrong_path, { addresses: addresses.join(' or ') });
}

/** Returns the `google.rpc.Status` code for an HTTP status (rule OTL-01). */
export function statusCode(status: number): number {
  return OTLP.status_codes[status] ?? UNKNOWN_CODE;
}

function readField(name: string, type: string): OtlpField {
  const isList = type.endsWith('[]');
  const single = isList ? type.slice(0, -2) : type;
  const wireType = WIRE_TYPES[single];
  return {
    name,
    type: wireType === undefined ? undefined : single,
    wireType: wireType ?? 2,
    isText: single === 'string',
    isList,
    message: wireType === undefined ? messageOf(single) : undefined,
  };
}
