/**
 * Encodes OTLP requests in Protobuf from their OTLP/JSON form and the tables of `contract/otlp.json`, and decodes the
 * answers.
 *
 * Invariant: it shares no code with a server. A member that is not in the tables is an error of the test, not an
 * unknown field.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import OTLP from '../../../contract/otlp.json' with { type: 'json' };
import type { Members } from './description.ts';

/** The number of a field in Protobuf, its name in JSON, and its type. */
export type OtlpField = readonly [number: number, name: string, type: string];

export const OTLP_MESSAGES = OTLP.messages as unknown as Readonly<Record<string, readonly OtlpField[]>>;
export const OTLP_REQUESTS: Readonly<
  Record<string, { readonly message: string; readonly signal: string; readonly rejected: string }>
> = OTLP.requests;

/** Returns bytes to append to the fields of a message, for encodings that no library writes. */
export type Tail = (message: string) => Uint8Array;

const NO_TAIL: Tail = () => new Uint8Array(0);

/** Returns the body of a request to this path. */
export function otlpProtobuf(path: string, request: Members, tail: Tail = NO_TAIL): Buffer {
  return encodeMessage(OTLP_REQUESTS[path]!.message, request, tail);
}

export function encodeMessage(message: string, value: Members, tail: Tail = NO_TAIL): Buffer {
  const writer = new BinaryWriter();
  const fields = OTLP_MESSAGES[message]!;
  const unknown = Object.keys(value).filter((name) => !fields.some(([, own]) => own === name));
  if (unknown.length > 0) throw new Error(`${message} has no ${unknown.join(', ')}`);
  // The members keep their order, which matters for repeated attributes and for groups.
  for (const [name, content] of Object.entries(value)) {
    const [number, , type] = fields.find(([, own]) => own === name)!;
    if (content === null || content === undefined) continue;
    const items = type.endsWith('[]') ? (content as readonly unknown[]) : [content];
    for (const item of items) writeField(writer, number, type.replace('[]', ''), item, tail);
  }
  return Buffer.from(writer.raw(tail(message)).finish());
}

function writeField(writer: BinaryWriter, number: number, type: string, value: unknown, tail: Tail): void {
  switch (type) {
    case 'string':
      writer.tag(number, WireType.LengthDelimited).string(String(value));
      break;
    case 'bytes':
      writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'base64'));
      break;
    case 'id8':
    case 'id16':
      writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'hex'));
      break;
    case 'bool':
      writer.tag(number, WireType.Varint).bool(Boolean(value));
      break;
    case 'enum':
      writer.tag(number, WireType.Varint).int32(Number(value));
      break;
    case 'int64':
      writer.tag(number, WireType.Varint).int64(BigInt(value as string | number));
      break;
    case 'fixed64':
      writer.tag(number, WireType.Bit64).fixed64(BigInt(value as string | number));
      break;
    case 'double':
      writer.tag(number, WireType.Bit64).double(Number(value));
      break;
    default:
      writer.tag(number, WireType.LengthDelimited).bytes(encodeMessage(type, value as Members, tail));
  }
}

/** An answer: `google.rpc.Status`, or the message of an accepted request. */
export interface OtlpAnswer {
  readonly code?: number;
  readonly message?: string;
  readonly partialSuccess?: Members;
}

export function otlpAnswer({ code, message, partialSuccess }: OtlpAnswer): Buffer {
  const writer = new BinaryWriter();
  if (code !== undefined) writer.tag(1, WireType.Varint).int32(code);
  if (message !== undefined) writer.tag(2, WireType.LengthDelimited).string(message);
  if (partialSuccess !== undefined) {
    const { errorMessage, ...rejected } = partialSuccess;
    const inner = new BinaryWriter();
    for (const count of Object.values(rejected)) inner.tag(1, WireType.Varint).int64(BigInt(String(count)));
    if (errorMessage !== undefined) inner.tag(2, WireType.LengthDelimited).string(String(errorMessage));
    writer.tag(1, WireType.LengthDelimited).bytes(inner.finish());
  }
  return Buffer.from(writer.finish());
}
