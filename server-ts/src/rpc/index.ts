/**
 * Reads typed calls and writes their responses (rules RPC-01 to RPC-07, decision 56).
 *
 * Pure. Invariant: a result does not depend on which code path has read its arguments. Knows nothing of HTTP;
 * `http/rpc` runs the calls.
 */
import type { Format } from '../formats/index.ts';
import { readJsonCalls } from './calls.ts';
import { readMsgpackCalls } from './msgpack.ts';
import type { Calls, Reading } from './work.ts';

/** Reads the calls of a body. */
export function readCalls(body: Buffer, format: Format, reading: Reading): Calls {
  return format === 'msgpack' ? readMsgpackCalls(body, reading) : readJsonCalls(body, reading);
}
