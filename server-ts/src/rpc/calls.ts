/**
 * Reads calls of JSON-RPC 2.0 in JSON (rules RPC-01 to RPC-03).
 *
 * Pure. Invariant: a body is read to its end before any call runs, so a body that is not JSON has no effect.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract.ts';
import { keyIs } from '../json.ts';
import {
  CLOSE_OBJECT,
  COLON,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipItems,
  skipSpace,
  skipString,
  skipValue,
} from '../scanner.ts';
import { decodeToken } from '../text.ts';
import { checkArguments, type Read, readArguments } from './arguments.ts';
import { Problem } from './problem.ts';
import { refusalOf } from './refusal.ts';
import { METHODS, type Method, methodNamed } from './schema.ts';
import { type Call, type Calls, callsOf, type Reading, refused, type Work, workOf } from './work.ts';

const NULL = 'null';
const TWO = Buffer.from('2.0');
const [VERSION, METHOD, PARAMS, ID] = ['jsonrpc', 'method', 'params', 'id'].map((name) =>
  Buffer.from(name),
) as [Buffer, Buffer, Buffer, Buffer];
/** Size limit of a method name with every character escaped; a longer name is not decoded. */
const NAME_BYTES = Math.max(...[...METHODS.keys()].map((name) => name.length)) * '\\u0000'.length + 2;

/** Reads a body in JSON. */
export function readJsonCalls(body: Buffer, reading: Reading): Calls {
  return (isUtf8(body) ? scanCalls(body, reading) : undefined) ?? refused('parse_error');
}

function scanCalls(body: Buffer, reading: Reading): Calls | undefined {
  const start = skipSpace(body, 0);
  const isBatch = body[start] === OPEN_ARRAY;
  const scanner = new CallScanner(body, reading, !isBatch);
  let count = 0;
  const end = isBatch
    ? skipItems(body, start, LIMITS.json_depth, (at) => {
        const depth = LIMITS.json_depth - 1;
        return ++count > LIMITS.rpc_batch_calls ? skipValue(body, at, depth) : scanner.scan(at, depth);
      })
    : scanner.scan(start, LIMITS.json_depth);
  if (end === INVALID || skipSpace(body, end) !== body.length) return undefined;
  return callsOf(scanner.calls, isBatch ? count : 1, isBatch);
}

/** Reads one call that makes up the whole text and is known to be JSON. */
export function readCall(text: Buffer, reading: Reading): Call {
  const scanner = new CallScanner(text, reading, true);
  scanner.scan(0, LIMITS.json_depth);
  return scanner.calls[0]!;
}

/** A member of a call: the place of its value. No value starts at 0, since a call starts with a bracket. */
interface Span {
  start: number;
  end: number;
}

/** Scans calls one by one. */
class CallScanner {
  readonly calls: Call[] = [];
  private readonly bytes: Buffer;
  private readonly reading: Reading;
  /** Whether the next arguments are probably the last bytes. After one wrong guess it guesses no more. */
  private isLast: boolean;
  private readonly version: Span = { start: 0, end: 0 };
  private readonly name: Span = { start: 0, end: 0 };
  private readonly id: Span = { start: 0, end: 0 };
  private params = 0;
  /** The arguments, checked while they were scanned, if the call names its method before them, as most do. */
  private early: { readonly method: Method; readonly read: Read } | undefined;

  /** `isOne` means that the bytes hold exactly one call. */
  constructor(bytes: Buffer, reading: Reading, isOne: boolean) {
    this.bytes = bytes;
    this.reading = reading;
    this.isLast = isOne;
  }

  /** Adds the call at `start`; returns its end. The call may nest `depth` more levels. */
  scan(start: number, depth: number): number {
    const { bytes } = this;
    if (bytes[start] !== OPEN_OBJECT) {
      this.calls.push(invalid(NULL));
      return skipValue(bytes, start, depth);
    }
    for (const span of [this.version, this.name, this.id]) span.start = 0;
    this.params = 0;
    this.early = undefined;
    const end = this.members(start, depth);
    if (end !== INVALID) this.calls.push(this.call(depth));
    return end;
  }

  private members(start: number, depth: number): number {
    const { bytes } = this;
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
      at = this.member(key, keyEnd - 1, skipSpace(bytes, at + 1), depth - 1);
      if (at === INVALID) return INVALID;
      at = skipSpace(bytes, at);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return INVALID;
      at = skipSpace(bytes, at + 1);
    }
  }

  /** Records the value of the key from `key` up to `keyEnd`; returns its end. */
  private member(key: number, keyEnd: number, start: number, depth: number): number {
    const { bytes } = this;
    if (keyIs(bytes, key, keyEnd, PARAMS)) return this.takeParams(start, depth);
    const end = skipValue(bytes, start, depth);
    const span = keyIs(bytes, key, keyEnd, VERSION)
      ? this.version
      : keyIs(bytes, key, keyEnd, METHOD)
        ? this.name
        : keyIs(bytes, key, keyEnd, ID)
          ? this.id
          : undefined;
    if (span !== undefined) {
      span.start = start;
      span.end = end;
    }
    return end;
  }

  private takeParams(start: number, depth: number): number {
    this.params = start;
    const method = this.method();
    if (method === undefined) {
      this.early = undefined;
      return skipValue(this.bytes, start, depth);
    }
    const read = this.read(start, method, depth);
    this.early = { method, read };
    return read.end;
  }

  /** Returns the call of the recorded members. */
  private call(depth: number): Call {
    const { bytes, version, id } = this;
    const hasId = id.start !== 0;
    const isValidId = hasId && isId(bytes[id.start]!);
    const idText = isValidId ? bytes.toString('utf8', id.start, id.end) : NULL;
    const isVersion = bytes[version.start] === QUOTE && keyIs(bytes, version.start + 1, version.end - 1, TWO);
    if (!isVersion || bytes[this.name.start] !== QUOTE || (hasId && !isValidId)) return invalid(idText);
    return { id: hasId ? idText : undefined, work: this.work(depth) };
  }

  private work(depth: number): Work {
    const method = this.method();
    if (method === undefined) return { kind: 'refused', refusal: { error: 'method_not_found' } };
    const { end, checked, printed } = this.arguments(method, depth - 1);
    // Bytes after the call make the whole body invalid JSON.
    if (end === INVALID) return { kind: 'refused', refusal: { error: 'parse_error' } };
    if (checked instanceof Problem) return { kind: 'refused', refusal: refusalOf(checked) };
    return workOf(method, checked, printed, this.reading);
  }

  private arguments(method: Method, depth: number): Read {
    if (this.params === 0) return { end: 0, checked: checkArguments(method, [], () => undefined) };
    if (this.early?.method === method) return this.early.read;
    return this.read(this.params, method, depth);
  }

  private read(start: number, method: Method, depth: number): Read {
    const { isLast } = this;
    this.isLast = false;
    return readArguments(this.bytes, start, method, depth, isLast);
  }

  /** Returns the method with the recorded name; `undefined` when no method has it. */
  private method(): Method | undefined {
    const { bytes, name } = this;
    if (bytes[name.start] !== QUOTE || name.end - name.start > NAME_BYTES) return undefined;
    return methodNamed(decodeToken(bytes, name.start + 1, name.end - 1), this.reading.hasBench);
  }
}

function invalid(id: string): Call {
  return { id, work: { kind: 'refused', refusal: { error: 'invalid_request' } } };
}

/** Returns whether a value with this first byte is a string, a number or null. */
function isId(first: number): boolean {
  return first === QUOTE || first === 0x6e || first === 0x2d || (first >= 0x30 && first <= 0x39);
}
