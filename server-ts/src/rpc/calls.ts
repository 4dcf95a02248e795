/**
 * Reads calls of JSON-RPC 2.0 in JSON (rules RPC-01 to RPC-03).
 *
 * Pure. Invariant: a body is read to its end before anything of it runs, so that one that is no JSON has no effect.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS, type VOCABULARY } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { keyIs } from '../json.ts';
import {
  CLOSE_OBJECT,
  COLON,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from '../scanner.ts';
import { decodeToken } from '../text.ts';
import { type Checked, checkArguments, type Place, readArguments, skipItems } from './arguments.ts';
import { Problem } from './problem.ts';
import { type Method, methodNamed } from './schema.ts';
import { type Options, printWithMinusZero } from './values.ts';

/** The calls of a body. */
export interface Calls {
  readonly calls: readonly Call[];
  /** Whether they are answered by an array. */
  readonly isBatch: boolean;
}

/** One call. */
export interface Call {
  /** Its `id` as JSON text; a call without one gets no response. */
  readonly id: string | undefined;
  /** What is to be done. */
  readonly work: Work;
}

/** What a call is to do: nothing where it is at fault, or where its result is known. */
export type Work =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'echo'; readonly result: string }
  /** The array of its events lies in the body. */
  | ({ readonly kind: 'ingest'; readonly format: Format } & Place)
  | { readonly kind: 'events' | 'stats' | 'sessions'; readonly options: Options }
  | { readonly kind: 'snapshot'; readonly topic: string; readonly options: Options };

/** Why a call has no result: a key of `rpc_errors`, and what else is known, as JSON text. */
export interface Refusal {
  readonly error: keyof typeof VOCABULARY.rpc_errors;
  readonly data?: string;
}

/** What depends on the request and on the server. */
export interface Reading {
  /** Whether the methods of measurements exist (rule RPC-06). */
  readonly hasBench: boolean;
  /** Whether results say that a zero is negative (rule RPC-04). */
  readonly keepsMinusZero: boolean;
}

const NULL = 'null';
const [VERSION, METHOD, PARAMS, ID, TWO] = ['jsonrpc', 'method', 'params', 'id', '2.0'].map((name) =>
  Buffer.from(name),
) as [Buffer, Buffer, Buffer, Buffer, Buffer];

/** Reads a body in JSON. */
export function readJsonCalls(body: Buffer, reading: Reading): Calls {
  return (isUtf8(body) ? scanCalls(body, reading) : undefined) ?? refused('parse_error');
}

/** Arguments that have a problem (rule RPC-03). */
export function refusalOf({ path, message }: Problem): Refusal {
  return { error: 'invalid_params', data: JSON.stringify({ path, message }) };
}

/** The one response to a body that has no calls. */
export function refused(error: Refusal['error']): Calls {
  return { calls: [{ id: NULL, work: { kind: 'refused', refusal: { error } } }], isBatch: false };
}

function scanCalls(body: Buffer, reading: Reading): Calls | undefined {
  const calls: Call[] = [];
  let count = 0;
  let end: number;
  const start = skipSpace(body, 0);
  const isBatch = body[start] === OPEN_ARRAY;
  if (isBatch) {
    const depth = LIMITS.json_depth - 1;
    end = skipItems(body, start, LIMITS.json_depth, (at) => {
      if (++count > LIMITS.rpc_batch_calls) return skipValue(body, at, depth);
      return scanCall(body, at, depth, reading, calls);
    });
  } else {
    count = 1;
    end = scanCall(body, start, LIMITS.json_depth, reading, calls);
  }
  if (end === INVALID || skipSpace(body, end) !== body.length) return undefined;
  return callsOf(calls, count, isBatch);
}

/** The calls that were read of so many, where those are not too many. */
export function callsOf(calls: readonly Call[], count: number, isBatch: boolean): Calls {
  return count >= 1 && count <= LIMITS.rpc_batch_calls ? { calls, isBatch } : refused('invalid_request');
}

/** Reads one call, which is the whole text and is known to be JSON. */
export function readCall(text: Buffer, reading: Reading): Call {
  const calls: Call[] = [];
  scanCall(text, 0, LIMITS.json_depth, reading, calls);
  return calls[0]!;
}

/** Where the members of a call lie; 0 for one that is absent, since a call begins with a bracket. */
interface Members {
  version: number;
  versionEnd: number;
  name: number;
  nameEnd: number;
  params: number;
  id: number;
  idEnd: number;
  /** Arguments that were checked when they were met: for most calls the method is known by then. */
  early: { readonly method: Method; readonly checked: Checked } | undefined;
}

/** Adds the call that begins here to `calls`; its end. `depth` more levels are allowed. */
function scanCall(bytes: Buffer, start: number, depth: number, reading: Reading, calls: Call[]): number {
  if (bytes[start] !== OPEN_OBJECT) {
    calls.push(invalid(NULL));
    return skipValue(bytes, start, depth);
  }
  const members: Members = {
    version: 0,
    versionEnd: 0,
    name: 0,
    nameEnd: 0,
    params: 0,
    id: 0,
    idEnd: 0,
    early: undefined,
  };
  const end = scanMembers(bytes, start, depth, reading, members);
  if (end !== INVALID) calls.push(callOf(bytes, members, depth, reading));
  return end;
}

function scanMembers(
  bytes: Buffer,
  start: number,
  depth: number,
  reading: Reading,
  members: Members,
): number {
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return INVALID;
    const key = at + 1;
    const keyEnd = skipString(bytes, key);
    if (keyEnd === INVALID) return INVALID;
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== COLON) return INVALID;
    at = skipSpace(bytes, at + 1);
    at = scanMember(bytes, key, keyEnd - 1, at, depth - 1, reading, members);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** The end of the value of the key from `key` up to `keyEnd`. */
function scanMember(
  bytes: Buffer,
  key: number,
  keyEnd: number,
  start: number,
  depth: number,
  reading: Reading,
  members: Members,
): number {
  if (keyIs(bytes, key, keyEnd, PARAMS)) {
    members.params = start;
    const method = methodOf(bytes, members, reading);
    if (method === undefined) {
      members.early = undefined;
      return skipValue(bytes, start, depth);
    }
    const { end, checked } = readArguments(bytes, start, method, depth);
    members.early = { method, checked };
    return end;
  }
  const end = skipValue(bytes, start, depth);
  if (keyIs(bytes, key, keyEnd, VERSION)) {
    members.version = start;
    members.versionEnd = end;
  } else if (keyIs(bytes, key, keyEnd, METHOD)) {
    members.name = start;
    members.nameEnd = end;
  } else if (keyIs(bytes, key, keyEnd, ID)) {
    members.id = start;
    members.idEnd = end;
  }
  return end;
}

function callOf(bytes: Buffer, members: Members, depth: number, reading: Reading): Call {
  const { version, versionEnd, name, params, id, idEnd } = members;
  const hasId = id !== 0 && isId(bytes[id]!);
  const idText = hasId ? bytes.toString('utf8', id, idEnd) : NULL;
  const isVersion = bytes[version] === QUOTE && keyIs(bytes, version + 1, versionEnd - 1, TWO);
  if (!isVersion || bytes[name] !== QUOTE || (id !== 0 && !hasId)) return invalid(idText);
  const method = methodOf(bytes, members, reading);
  const call = (work: Work): Call => ({ id: hasId ? idText : undefined, work });
  if (method === undefined) return call({ kind: 'refused', refusal: { error: 'method_not_found' } });
  let checked: Checked;
  if (params === 0) checked = checkArguments(method, [], () => undefined);
  else if (members.early?.method === method) checked = members.early.checked;
  else checked = readArguments(bytes, params, method, depth - 1).checked;
  return call(
    checked instanceof Problem
      ? { kind: 'refused', refusal: refusalOf(checked) }
      : workOf(method, checked, reading),
  );
}

/** What a method does with arguments that are of its types. */
function workOf({ service, parameters }: Method, checked: readonly unknown[], reading: Reading): Work {
  const [first, second = []] = checked as [unknown, Options | undefined];
  switch (service) {
    case 'echo': {
      const { type } = parameters[0]!;
      const result = reading.keepsMinusZero ? printWithMinusZero(first, type) : JSON.stringify(first);
      return { kind: 'echo', result };
    }
    case 'ingest':
      return { kind: 'ingest', format: 'json', ...(first as Place) };
    case 'snapshot':
      return { kind: 'snapshot', topic: first as string, options: second };
    default:
      return { kind: service, options: (first ?? []) as Options };
  }
}

function invalid(id: string): Call {
  return { id, work: { kind: 'refused', refusal: { error: 'invalid_request' } } };
}

/** The method whose name was found; nothing where there is none. */
function methodOf(bytes: Buffer, { name, nameEnd }: Members, reading: Reading): Method | undefined {
  if (bytes[name] !== QUOTE) return undefined;
  return methodNamed(decodeToken(bytes, name + 1, nameEnd - 1), reading.hasBench);
}

/** Whether a value with this first byte is a string, a number or null. */
function isId(first: number): boolean {
  return first === QUOTE || first === 0x6e || first === 0x2d || (first >= 0x30 && first <= 0x39);
}
