/**
 * Checks the arguments of a call against the types of its method (rules RPC-03 and RPC-04).
 *
 * `JSON.parse` reads them, since nothing of ours is as fast. It knows no limit of depth, so that is checked on the
 * brackets alone. Events to be stored are not parsed: their text goes on as it was sent (rule MET-01).
 * Invariant: the grammar of JSON is checked to the last byte, also behind a problem.
 */
import { LIMITS, VOCABULARY } from '../contract.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipValue,
} from '../scanner.ts';
import { readOptions } from './options.ts';
import { Problem } from './problem.ts';
import type { WholeCall } from './quick.ts';
import type { Method, Type } from './schema.ts';
import { type Check, checkOf } from './values.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** Where a value lies that is kept as it was sent. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Arguments of the types of their method, or what is wrong; one that is absent is undefined. */
export type Checked = readonly unknown[] | Problem;

/** What was read of `params`. */
export interface Read {
  /** Below zero where it is no JSON. */
  readonly end: number;
  readonly checked: Checked;
  /** The only argument as JSON text, where that is known. */
  readonly printed?: string | Uint8Array;
}

const NO_JSON: Read = { end: INVALID, checked: [] };
const CHECKS = new WeakMap<Type, Check>();

/**
 * Checks the value of `params` that begins here; `depth` more levels are allowed. `whole` is the call of bytes that are
 * no more than one.
 */
export function readArguments(
  bytes: Buffer,
  start: number,
  method: Method,
  depth: number,
  whole?: WholeCall,
): Read {
  if (bytes[start] !== OPEN_ARRAY) {
    return { end: skipValue(bytes, start, depth), checked: new Problem(MESSAGES.params) };
  }
  if (method.parameters.some(({ type }) => isKept(type))) return scanArguments(bytes, start, method, depth);
  if (whole !== undefined && method.service === 'echo')
    return echoArguments(bytes, start, method, depth, whole);
  const end = endOfArray(bytes, start, depth);
  if (end === INVALID) return NO_JSON;
  const values = parsed(() => JSON.parse(bytes.toString('utf8', start, end)) as unknown[]);
  return values === undefined ? NO_JSON : { end, checked: checkArguments(method, values, checkArgument) };
}

/** What `parse` gives; nothing where the text is no JSON. */
function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** The argument of a method that gives it back, which may be long: it is parsed once. */
function echoArguments(bytes: Buffer, start: number, method: Method, depth: number, whole: WholeCall): Read {
  const values = parsed(() => whole.params);
  if (values === undefined) return NO_JSON;
  // Of `params` given twice the last counts, and this is an earlier one.
  if (!Array.isArray(values)) return { end: skipValue(bytes, start, depth), checked: [] };
  const checked = checkArguments(method, values, checkArgument);
  if (checked instanceof Problem) return { end: endOfArray(bytes, start, depth), checked };
  const asSent = whole.asSent(checked[0], start);
  if (asSent === undefined) return { end: endOfArray(bytes, start, depth), checked };
  return { end: asSent.end, checked, printed: asSent.text };
}

/** Checks as many values as there are parameters, each by `check`. */
export function checkArguments<Value>(
  { parameters }: Method,
  values: readonly Value[],
  check: (type: Type, value: Value) => unknown,
): Checked {
  const checked: unknown[] = [];
  for (const [index, { type, isOptional }] of parameters.entries()) {
    const value = values[index];
    if (isOptional && (value === undefined || value === null)) {
      checked.push(undefined);
      continue;
    }
    if (value === undefined) return new Problem(MESSAGES.missing).under(index);
    const argument = check(type, value);
    if (argument instanceof Problem) return argument.under(index);
    checked.push(argument);
  }
  const isTooMany = values.length > parameters.length;
  return isTooMany ? new Problem(MESSAGES.unexpected).under(parameters.length) : checked;
}

function checkArgument(type: Type, value: unknown): unknown {
  if (type.kind === 'options') return readOptions(value, type);
  let check = CHECKS.get(type);
  if (check === undefined) {
    check = checkOf(type);
    CHECKS.set(type, check);
  }
  return check(value);
}

/** Whether a value of this type is kept as it was sent. */
function isKept(type: Type): boolean {
  return type.kind === 'sequence' && type.item.kind === 'any';
}

/** The arguments of a method whose only parameter is kept as it was sent. */
function scanArguments(bytes: Buffer, start: number, method: Method, depth: number): Read {
  const places: (Place & { readonly count: number })[] = [];
  const end = skipItems(bytes, start, depth, (at) => {
    if (bytes[at] !== OPEN_ARRAY || places.length > 0) {
      const behind = skipValue(bytes, at, depth - 1);
      // The second one is too many; those behind it add nothing.
      if (places.length < 2) places.push({ start: at, end: behind, count: Number.POSITIVE_INFINITY });
      return behind;
    }
    let count = 0;
    const behind = skipItems(bytes, at, depth - 1, (item) => {
      count++;
      return skipValue(bytes, item, depth - 2);
    });
    places.push({ start: at, end: behind, count });
    return behind;
  });
  if (end === INVALID) return NO_JSON;
  const check = (type: Type, { start: from, end: to, count }: (typeof places)[number]): unknown => {
    return count > LIMITS.rpc_sequence_items ? Problem.ofType(type) : { start: from, end: to };
  };
  return { end, checked: checkArguments(method, places, check) };
}

/** The end of the array that begins here, each of whose items `skip` skips; `depth` more levels are allowed. */
export function skipItems(bytes: Buffer, start: number, depth: number, skip: (at: number) => number): number {
  if (depth === 0) return INVALID;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = skip(at);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

const [OPENS, CLOSES, QUOTES] = [1, 2, 3];

/** What matters for the depth of a value. */
const MARKS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) return OPENS;
  if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) return CLOSES;
  return byte === QUOTE ? QUOTES : 0;
});

/** The end of an array by its brackets alone, where it is nested no deeper than `depth`; it may be no JSON. */
function endOfArray(bytes: Buffer, start: number, depth: number): number {
  const { length } = bytes;
  let level = 0;
  for (let at = start; at < length; at++) {
    const mark = MARKS[bytes[at]!];
    if (mark === 0) continue;
    if (mark === QUOTES) {
      at++;
      while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (mark === OPENS) {
      if (++level > depth) return INVALID;
    } else if (--level === 0) {
      return at + 1;
    }
  }
  return INVALID;
}
