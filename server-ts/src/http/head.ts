/**
 * Checks the raw head of a request before anything else uses it (rules HTT-06 to HTT-08).
 *
 * Checks what Node's parser passes on; requests that the parser refuses never get here. The parser removes white
 * space around header values, which does not count anyway (rule HTT-07).
 */
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';

export interface Head {
  readonly method: string;
  readonly target: string;
  /** The target up to its query, undecoded. */
  readonly path: string;
  /** The text after the question mark; empty when there is none. */
  readonly query: string;
  readonly isHttp10: boolean;
  /** The values of each header by its lower-case name, in order of arrival. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Length of the body in bytes; 0 when no body is declared, and `undefined` when it comes in chunks. */
  readonly contentLength: number | undefined;
}

/** Matches a path and a query of visible ASCII except `"#<>\^{|}` and the backquote. */
const TARGET = /^\/[!$-;=?-[\]_a-z~]*$/;

const METHODS = new Set(LIMITS.http_methods);

export function readHead(request: IncomingMessage): Head {
  const target = request.url ?? '';
  const { rawHeaders } = request;
  const headers = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [rawHeaders[at + 1]!]);
    else values.push(rawHeaders[at + 1]!);
  }
  const mark = target.indexOf('?');
  const length = headers.get('content-length')?.[0];
  const chunked = headers.has('transfer-encoding');
  return {
    method: request.method ?? '',
    target,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    isHttp10: request.httpVersion === '1.0',
    headers,
    contentLength: chunked ? undefined : length === undefined ? 0 : Number(length),
  };
}

/** Returns the first rule that the head breaks, if any. */
export function checkHead(head: Head, request: IncomingMessage): Failure | undefined {
  if (head.target.length > LIMITS.target_bytes) return new Failure('uri_too_long', {}, true);
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length / 2 > LIMITS.header_count || headBytes(head, rawHeaders) > LIMITS.head_bytes) {
    return new Failure('headers_too_large', {}, true);
  }
  const isPlain = METHODS.has(head.method) && TARGET.test(head.target);
  const isKnown = httpVersion === '1.1' || httpVersion === '1.0';
  const hosts = head.headers.get('host')?.length ?? 0;
  const hasHost = hosts === 1 || (hosts === 0 && head.isHttp10);
  if (isPlain && isKnown && hasHost && isFramed(head)) return undefined;
  return new Failure('bad_request', {}, true);
}

/**
 * Returns a header that may occur once: `undefined` when it is absent, and its joined values when it occurs twice.
 */
export function headerOf(head: Head, name: string): string | undefined {
  return head.headers.get(name)?.join(', ');
}

/** Removes the optional white space around a value (RFC 9110, section 5.6.3). */
export function trimBlank(value: string): string {
  const isBlank = (at: number): boolean => value[at] === ' ' || value[at] === '\t';
  let [start, end] = [0, value.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return value.slice(start, end);
}

/** Returns whether the client holds its body back until `100 Continue` (RFC 9110, section 10.1.1). */
export function waitsForContinue(head: Head): boolean {
  const expected = head.headers.get('expect') ?? [];
  return !head.isHttp10 && expected.some((value) => value.toLowerCase() === '100-continue');
}

/** Returns whether the body's framing is valid (RFC 9112, section 6). */
function isFramed(head: Head): boolean {
  const encodings = head.headers.get('transfer-encoding');
  const lengths = head.headers.get('content-length');
  if (encodings !== undefined) {
    if (head.isHttp10 || lengths !== undefined) return false;
    return encodings.length === 1 && encodings[0] === 'chunked';
  }
  if (lengths === undefined) return true;
  return lengths.length === 1 && /^[0-9]+$/.test(lengths[0]!) && Number(lengths[0]) <= LIMITS.max_integer;
}

/** Returns the size of request line and headers with their line ends, without the empty line after them. */
function headBytes(head: Head, rawHeaders: readonly string[]): number {
  let bytes = head.method.length + head.target.length + ' '.length * 2 + 'HTTP/1.1\r\n'.length;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    bytes += rawHeaders[at]!.length + rawHeaders[at + 1]!.length + ': \r\n'.length;
  }
  return bytes;
}
