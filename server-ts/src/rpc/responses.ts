/** Writes the responses to calls (rules RPC-02 and RPC-04). */
import { VOCABULARY } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import type { Calls, Refusal } from './calls.ts';
import { packJson } from './pack.ts';

/** What became of a call that has an `id`. */
export interface Response {
  /** As JSON text. */
  readonly id: string;
  /** The result as JSON text, or why there is none. */
  readonly result: string | Uint8Array | Refusal;
}

/** The responses to calls that all know theirs; nothing where a method has to run. */
export function knownResponses({ calls }: Calls): Response[] | undefined {
  const responses: Response[] = [];
  for (const { id, work } of calls) {
    if (work.kind !== 'refused' && work.kind !== 'echo') return undefined;
    const result = work.kind === 'echo' ? work.result : work.refusal;
    if (id !== undefined) responses.push({ id, result });
  }
  return responses;
}

/** The body of an answer; nothing where no call is answered. */
export function writeResponses(
  responses: readonly Response[],
  isBatch: boolean,
  format: Format,
): string | Buffer | undefined {
  if (responses.length === 0) return undefined;
  const parts: (string | Uint8Array)[] = [];
  let text = isBatch ? '[' : '';
  for (const [index, { id, result }] of responses.entries()) {
    if (index > 0) text += ',';
    if (typeof result === 'string') {
      text += `{"jsonrpc":"2.0","result":${result}`;
    } else if (result instanceof Uint8Array) {
      parts.push(`${text}{"jsonrpc":"2.0","result":`, result);
      text = '';
    } else {
      const { code, message } = VOCABULARY.rpc_errors[result.error];
      const data = result.data === undefined ? '' : `,"data":${result.data}`;
      text += `{"jsonrpc":"2.0","error":{"code":${code},"message":"${message}"${data}}`;
    }
    text += `,"id":${id}}`;
  }
  if (isBatch) text += ']';
  if (parts.length === 0 && format === 'json') return text;
  parts.push(text);
  const json = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return format === 'msgpack' ? packJson(json) : json;
}
