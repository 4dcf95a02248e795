/**
 * One kind of call: its bytes, and the check that a response returns its argument.
 *
 * Invariant: JSON is compared byte by byte, MessagePack value by value.
 */
import { isDeepStrictEqual } from 'node:util';
import { msgpackCalls } from '@twin-ingest/client/msgpack';
import { unpack } from 'msgpackr';
import type { Exchange } from '../codecs/exchange.ts';
import { requestBytes } from '../codecs/load-process.ts';
import { callOf, nameOf, responseOf, type Subject } from './values.ts';

/** `checked`, `unchecked`: the caller of client-ts, with and without its checks; `raw`: bytes over a plain socket. */
export type Client = 'checked' | 'unchecked' | 'raw';
export type CallFormatName = 'json' | 'msgpack';

export interface Call extends Subject {
  readonly client: Client;
  readonly format: CallFormatName;
  readonly in_flight: number;
}

const MEDIA_TYPES = { json: 'application/json', msgpack: msgpackCalls.type };

/** Returns the head and the body, and the length of the body. */
export function requestOf(
  call: Call,
  argument: unknown,
): { readonly bytes: Buffer; readonly length: number } {
  const value = callOf(call, argument);
  const body =
    call.format === 'json' ? Buffer.from(JSON.stringify(value)) : (msgpackCalls.call(value) as Uint8Array);
  const type = MEDIA_TYPES[call.format];
  const headers = { 'content-type': type, accept: type };
  const request = {
    method: 'POST',
    path: '/api/rpc',
    headers,
    body,
    ids: [],
    events: 0,
    answer: 'any',
  } as const;
  return { bytes: requestBytes(request), length: body.length };
}

/** Sends the call once, and returns the length of the response. Throws unless the result equals the argument. */
export async function checkAnswer(
  exchange: Exchange,
  request: Buffer,
  call: Call,
  argument: unknown,
): Promise<number> {
  const { status, body } = await exchange.send(request, true);
  const expected = responseOf(argument);
  const isSame =
    call.format === 'json'
      ? body.equals(Buffer.from(JSON.stringify(expected)))
      : isDeepStrictEqual(unpack(body), expected);
  if (status !== 200 || !isSame)
    throw new Error(`echo.${nameOf(call)}, ${call.format}: ${status} ${body.toString('utf8', 0, 200)}`);
  return body.length;
}

/** Returns the microseconds of `lib;dur=MS` (rule RPC-07). */
export function libraryTime(text: string): number {
  const ms = /^lib;dur=(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (ms === undefined) throw new Error(`no Server-Timing of the library: ${JSON.stringify(text)}`);
  return Number(ms) * 1000;
}
