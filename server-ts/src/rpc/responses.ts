/** Writes the responses to calls (rules RPC-02 and RPC-04). */
import { roomFor } from '../buffers.ts';
import { VOCABULARY } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { packJson } from './pack.ts';
import type { Refusal } from './refusal.ts';
import type { Calls } from './work.ts';

/** The result of a call that has an `id`. */
export interface Response {
  /** The `id` of the call as JSON text. */
  readonly id: string;
  /** The result as JSON text, or the refusal. */
  readonly result: string | Uint8Array | Refusal;
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

/** Returns the body of an answer as bytes of their own; `undefined` when no call needs a response. */
export function writeResponses(
  responses: readonly Response[],
  isBatch: boolean,
  format: Format,
): string | Buffer<ArrayBuffer> | undefined {
  if (responses.length === 0) return undefined;
  const parts = partsOf(responses, isBatch);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isText = format === 'json' && length <= LONG && parts.every((part) => typeof part === 'string');
  if (isText) return parts.join('');
  const json = bytesOf(parts);
  if (format !== 'msgpack') return json;
  const packed = packJson(json);
  // V8 may keep its memory for long.
  json.buffer.transfer(0);
  return packed;
}

/**
 * Length above which the responses are written as bytes at once, since joining their parts to one text would copy them.
 */
const LONG = 1 << 16;

function partsOf(responses: readonly Response[], isBatch: boolean): (string | Uint8Array)[] {
  const parts: (string | Uint8Array)[] = [];
  let before = isBatch ? '[' : '';
  for (const { id, result } of responses) {
    if (typeof result === 'string' || result instanceof Uint8Array) {
      parts.push(`${before}{"jsonrpc":"2.0","result":`, result, `,"id":${id}}`);
    } else {
      const { code, message } = VOCABULARY.rpc_errors[result.error];
      const data = result.data === undefined ? '' : `,"data":${result.data}`;
      const error = `{"code":${code},"message":"${message}"${data}}`;
      parts.push(`${before}{"jsonrpc":"2.0","error":${error},"id":${id}}`);
    }
    before = ',';
  }
  if (isBatch) parts.push(']');
  return parts;
}

function bytesOf(parts: readonly (string | Uint8Array)[]): Buffer<ArrayBuffer> {
  const lengths = parts.map((part) => Buffer.byteLength(part));
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const bytes = Buffer.allocUnsafeSlow(roomFor(length)).subarray(0, length) as Buffer<ArrayBuffer>;
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at);
    else {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return bytes;
}
