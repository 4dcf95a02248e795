/**
 * Reads calls in MessagePack (rule RPC-01): converts each to JSON text, then reads it like any other.
 *
 * Pure. Invariant: events to store stay MessagePack, so the server reads them like every batch in that format (rule
 * FMT-05).
 */
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';
import { canonicalJson } from '../formats/canonical.ts';
import { checkEvent } from '../formats/msgpack-check.ts';
import { SHAPE, shapeAt, Walker } from '../formats/msgpack-walker.ts';
import type { Place } from './arguments.ts';
import { readCall } from './calls.ts';
import { type Call, type Calls, callsOf, type Reading, refused } from './work.ts';

const PARAMS = Buffer.from('params');

/** Reads a body in MessagePack. */
export function readMsgpackCalls(body: Buffer, reading: Reading): Calls {
  try {
    checkEvent(body);
  } catch (error) {
    if (error instanceof Failure) return refused('parse_error');
    throw error;
  }
  if (shapeAt(body, 0) !== SHAPE.array) return callsOf([readOne(body, 0, reading)], 1, false);
  const walker = new Walker(body);
  const count = walker.container(0);
  const calls: Call[] = [];
  for (let index = 0; index < Math.min(count, LIMITS.rpc_batch_calls); index++) {
    calls.push(readOne(body, walker.at, reading));
    walker.skipValue(1);
  }
  return callsOf(calls, count, true);
}

function readOne(body: Buffer, start: number, reading: Reading): Call {
  const { id, work } = readCall(canonicalJson(body, start, true), reading);
  if (work.kind !== 'ingest') return { id, work };
  return { id, work: { ...work, format: 'msgpack', ...firstArgument(body, start) } };
}

/** Returns the place of the first argument of the call at `start`. */
function firstArgument(body: Buffer, start: number): Place {
  const walker = new Walker(body);
  walker.at = start;
  let params = start;
  for (let left = walker.container(0); left > 0; left--) {
    const isParams = walker.keyIs(PARAMS);
    if (isParams) params = walker.at;
    walker.skipValue(1);
  }
  walker.at = params;
  walker.container(1);
  const from = walker.at;
  walker.skipValue(2);
  return { start: from, end: walker.at };
}
