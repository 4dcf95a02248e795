/** Writes the responses to calls (rules RPC-02 and RPC-04). */
import { roomFor } from '../buffers.ts';
import { VOCABULARY } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { Packer, packInto, packJson } from './pack.ts';
import type { Refusal } from './refusal.ts';
import type { Calls } from './work.ts';

/** The result of a call that has an `id`. */
export interface Response {
  /** The `id` of the call as JSON text. */
  readonly id: string;
  /** The result as JSON text, or the refusal. */
  readonly result: string | Uint8Array | Refusal;
  /** Whether the memory of the result is its own, as that of a reader is. */
  readonly isOwn?: boolean;
}

/** Returns the responses if all results are known; `undefined` when a method must run. */
export function knownResponses({ calls }: Calls): Response[] | undefined {
  const responses: Response[] = [];
  for (const { id, work } of calls) {
    if (work.kind !== 'refused' && work.kind !== 'echo') return undefined;
    const result = work.kind === 'echo' ? work.result : work.refusal;
    if (id !== undefined) responses.push({ id, result });
  }
  return responses;
}

/**
 * Returns the body of an answer as bytes of their own; `undefined` when no call needs a response. Frees each result of a
 * reader once it is written.
 */
export function writeResponses(
  responses: readonly Response[],
  isBatch: boolean,
  format: Format,
): string | Buffer<ArrayBuffer> | undefined {
  if (responses.length === 0) return undefined;
  if (format === 'msgpack') return packResponses(responses, isBatch);
  const parts = partsOf(responses, isBatch);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isText = length <= LONG && parts.every((part) => typeof part === 'string');
  if (isText) return parts.join('');
  return bytesOf(parts, new Set(responses.filter(({ isOwn }) => isOwn).map(({ result }) => result)));
}

/** What precedes a result. */
const RESULT = '{"jsonrpc":"2.0","result":';
/** Names and values of a response around its result and its id. */
const [PACKED_RESULT, PACKED_ID] = [['jsonrpc', '2.0', 'result'], ['id']].map((texts) =>
  Buffer.concat(texts.map((text) => packJson(Buffer.from(JSON.stringify(text))))),
) as [Buffer, Buffer];
const RESPONSE_MEMBERS = 3;
/** Size of a response without its id and its result. */
const ROOM = 64;

/** Packs each result on its own, without a copy of its text. */
function packResponses(responses: readonly Response[], isBatch: boolean): Buffer<ArrayBuffer> {
  const length = ({ id, result }: Response): number =>
    ROOM + id.length + (isResult(result) ? Buffer.byteLength(result) : ROOM);
  const packer = new Packer(responses.reduce((sum, response) => sum + length(response), 0));
  if (isBatch) packer.array(responses.length);
  for (const { id, result, isOwn } of responses) {
    if (isResult(result)) {
      packer.map(RESPONSE_MEMBERS);
      packer.raw(PACKED_RESULT);
      packInto(packer, asBuffer(result));
      packer.raw(PACKED_ID);
      packInto(packer, Buffer.from(id));
      if (isOwn && result instanceof Uint8Array) freeResult(result);
    } else {
      packInto(packer, Buffer.from(refusalText(id, result)));
    }
  }
  return packer.finish();
}

/** Returns the bytes of a result, without a copy of those that it has. */
function asBuffer(result: string | Uint8Array): Buffer {
  if (typeof result === 'string') return Buffer.from(result);
  return Buffer.from(result.buffer, result.byteOffset, result.byteLength);
}

function isResult(result: Response['result']): result is string | Uint8Array {
  return typeof result === 'string' || result instanceof Uint8Array;
}

/** Frees the memory of a result, which V8 may keep for long otherwise. */
export function freeResult(result: Uint8Array): void {
  (result.buffer as ArrayBuffer).transfer(0);
}

/**
 * Length above which the responses are written as bytes at once, since joining their parts to one text would copy them.
 */
const LONG = 1 << 16;

function partsOf(responses: readonly Response[], isBatch: boolean): (string | Uint8Array)[] {
  const parts: (string | Uint8Array)[] = [];
  let before = isBatch ? '[' : '';
  for (const { id, result } of responses) {
    if (isResult(result)) parts.push(`${before}${RESULT}`, result, `,"id":${id}}`);
    else parts.push(`${before}${refusalText(id, result)}`);
    before = ',';
  }
  if (isBatch) parts.push(']');
  return parts;
}

/** Returns the text of a response without a result. */
function refusalText(id: string, { error, data }: Refusal): string {
  const { code, message } = VOCABULARY.rpc_errors[error];
  const more = data === undefined ? '' : `,"data":${data}`;
  return `{"jsonrpc":"2.0","error":{"code":${code},"message":"${message}"${more}},"id":${id}}`;
}

/** Joins the parts. Frees those of `own` once they are copied. */
function bytesOf(
  parts: readonly (string | Uint8Array)[],
  own: ReadonlySet<Response['result']>,
): Buffer<ArrayBuffer> {
  const lengths = parts.map((part) => Buffer.byteLength(part));
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const bytes = Buffer.allocUnsafeSlow(roomFor(length)).subarray(0, length) as Buffer<ArrayBuffer>;
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at);
    else {
      bytes.set(part, at);
      at += part.length;
      if (own.has(part)) freeResult(part);
    }
  }
  return bytes;
}
