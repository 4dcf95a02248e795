/**
 * Checks the arguments of a call against the types of its method (rules RPC-03 and RPC-04).
 *
 * `JSON.parse` reads the arguments, since it is faster than the server's own code. From long arguments it reads an
 * extract with the members that the types know. It has no depth limit, so a scan of the brackets checks the depth
 * first. Events to store are not parsed: their text stays as sent (rule MET-01). Invariant: the JSON grammar is checked
 * to the last byte, also after a problem.
 */
import { LIMITS, VOCABULARY } from '../contract.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipItems,
  skipValue,
} from '../scanner.ts';
import { extractArguments } from './extract.ts';
import { readOptions } from './options.ts';
import { Problem } from './problem.ts';
import { isAsSent } from './quick.ts';
import type { Method, Type } from './schema.ts';
import { type Check, checkOf } from './values.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** The place of a value that stays as sent. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Arguments of their method's types, or a problem; an absent argument is undefined. */
export type Checked = readonly unknown[] | Problem;

/** The result of reading `params`. */
export interface Read {
  /** Position after the value; negative when it is not JSON. */
  readonly end: number;
  readonly checked: Checked;
  /** The only argument as JSON text, if known. */
  readonly printed?: string | Uint8Array;
}

const NO_JSON: Read = { end: INVALID, checked: [] };
const CHECKS = new WeakMap<Type, Check>();

/** Arguments up to this length are parsed unchanged; the unneeded part takes a few megabytes briefly. */
const SHORT_BYTES = 1 << 17;

/**
 * Checks the value of `params` that starts here; `depth` more levels are allowed. `isLast` means that its array
 * probably ends with the last bracket of all bytes.
 */
export function readArguments(
  bytes: Buffer,
  start: number,
  method: Method,
  depth: number,
  isLast: boolean,
): Read {
  if (bytes[start] !== OPEN_ARRAY) {
    return { end: skipValue(bytes, start, depth), checked: new Problem(MESSAGES.params) };
  }
  if (method.parameters.some(({ type }) => isKept(type))) return scanArguments(bytes, start, method, depth);
  const quick = isLast && method.service === 'echo' ? echoArguments(bytes, start, method, depth) : undefined;
  if (quick !== undefined) return quick;
  const mayBeLong = bytes.length - start > SHORT_BYTES;
  const end = mayBeLong ? skipValue(bytes, start, depth) : endOfArray(bytes, start, depth);
  if (end === INVALID) return NO_JSON;
  if (end - start <= SHORT_BYTES) {
    const values = parsed(bytes.toString('utf8', start, end));
    return values === undefined ? NO_JSON : { end, checked: checkArguments(method, values, checkArgument) };
  }
  const values = parsed(extractArguments(bytes, start, end, method.parameters)) ?? [];
  return { end, checked: checkArguments(method, values, checkArgument) };
}

/** Returns the array of a text; `undefined` when it is not JSON. */
function parsed(text: string): unknown[] | undefined {
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

/** Returns the argument of an echo method, up to the last bracket; `undefined` when it must be scanned. */
function echoArguments(bytes: Buffer, start: number, method: Method, depth: number): Read | undefined {
  const end = bytes.lastIndexOf(CLOSE_ARRAY) + 1;
  if (end - start > SHORT_BYTES) {
    const { type } = method.parameters[0]!;
    if (type.kind !== 'sequence') return undefined;
    const check: Check = (items) => checkArgument(type, items);
    if (!isAsSent(bytes, start + 1, end - 1, type.item, check)) return undefined;
    return { end, checked: [], printed: bytes.subarray(start + 1, end - 1) };
  }
  const text = bytes.toString('utf8', start, end);
  const values = parsed(text);
  // The text is not JSON if another bracket follows the arguments.
  if (values === undefined) return undefined;
  const checked = checkArguments(method, values, checkArgument);
  if (!(checked instanceof Problem)) {
    const printed = JSON.stringify(checked[0]);
    if (text === `[${printed}]`) return { end, checked, printed };
  }
  return { end: endOfArray(bytes, start, depth), checked };
}

/** Checks as many values as there are parameters, each with `check`. */
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

/** Returns whether a value of this type stays as sent. */
function isKept(type: Type): boolean {
  return type.kind === 'sequence' && type.item.kind === 'any';
}

/** Returns the arguments of a method whose only parameter stays as sent. */
function scanArguments(bytes: Buffer, start: number, method: Method, depth: number): Read {
  const places: (Place & { readonly count: number })[] = [];
  const end = skipItems(bytes, start, depth, (at) => {
    if (bytes[at] !== OPEN_ARRAY || places.length > 0) {
      const behind = skipValue(bytes, at, depth - 1);
      // A second argument is already one too many; further arguments do not matter.
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

const [OPENS, CLOSES, QUOTES] = [1, 2, 3];

/** Bytes that affect the depth of a value. */
const MARKS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) return OPENS;
  if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) return CLOSES;
  return byte === QUOTE ? QUOTES : 0;
});

/** Returns the end of an array by its brackets alone if its nesting is at most `depth`; it may not be JSON. */
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
