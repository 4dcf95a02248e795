/**
 * Checks the raw head of a request before anything else uses it (rules HTT-06 to HTT-08).
 *
 * Works on what Node's parser passed on; what the parser refuses by itself never gets here. White space around
 * the values of headers is not visible any more, and does not count (rule HTT-07).
 */
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../contract.ts';
import { Failure } from '../error.ts';

export interface Head {
  readonly method: string;
  readonly target: string;
  /** The target up to its query, as it stands. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly query: string;
  readonly isHttp10: boolean;
  /** By lower-case name, in the order in which they came. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** In bytes; 0 when no body is declared, and `undefined` when it comes in chunks. */
  readonly contentLength: number | undefined;
}

/** A path and a query of visible ASCII but for `"#<>\^{|}` and the backquote. */
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

/** The first rule that the head breaks, if it breaks one. */
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

/** A header that may stand once: nothing when it is absent, and all its values joined when it came twice. */
export function headerOf(head: Head, name: string): string | undefined {
  return head.headers.get(name)?.join(', ');
}

/** Returns whether the client holds its body back until `100 Continue` (RFC 9110, section 10.1.1). */
export function waitsForContinue(head: Head): boolean {
  const expected = head.headers.get('expect') ?? [];
  return !head.isHttp10 && expected.some((value) => value.toLowerCase() === '100-continue');
}

/** How the body is delimited (RFC 9112, section 6). */
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

/** Request line and headers with their line ends, without the empty line behind them. */
function headBytes(head: Head, rawHeaders: readonly string[]): number {
  let bytes = head.method.length + head.target.length + ' '.length * 2 + 'HTTP/1.1\r\n'.length;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    bytes += rawHeaders[at]!.length + rawHeaders[at + 1]!.length + ': \r\n'.length;
  }
  return bytes;
}
