/**
 * Compares actual with expected values strictly: every header, every key, their order, every byte.
 *
 * The order of JSON keys counts, since both servers must send equal bytes (rule LAW). Knows nothing of cases or
 * sockets.
 */

import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { HeaderMap } from './case.ts';
import { fitsWildcard, textPattern, wildcardOf } from './wildcards.ts';

export interface Difference {
  /** The place: `status`, `header date`, `body /events/0/id`. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
}

/** The duration of typed calls (RPC-07). */
const TIMING: HeaderMap = { 'server-timing': 'lib;dur=<any-duration>' };

/** Named header sets. `<any-length>` is also checked against the body. */
export const HEADER_SETS: Readonly<Record<string, HeaderMap>> = {
  /** Every JSON answer (HTT-01). */
  json: {
    'content-type': 'application/json; charset=utf-8',
    'content-length': '<any-length>',
    date: '<any-date>',
  },
  /** A JSON answer that closes its connection (HTT-10). */
  'json-close': {
    'content-type': 'application/json; charset=utf-8',
    'content-length': '<any-length>',
    date: '<any-date>',
    connection: 'close',
  },
  /** A file of the dashboard (PAG-01); scripts and styles override `content-type`. */
  page: {
    'content-type': 'text/html; charset=utf-8',
    'content-length': '<any-length>',
    date: '<any-date>',
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  /** A file of the page of measurements (BEN-05); scripts and styles override `content-type`. */
  'bench-page': {
    'content-type': 'text/html; charset=utf-8',
    'content-length': '<any-length>',
    date: '<any-date>',
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self' data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  /** Pages in the other formats (FMT-08, FMT-09), which differ by `Accept` (HTT-13). */
  msgpack: negotiated('application/vnd.msgpack', { 'content-length': '<any-length>' }),
  protobuf: negotiated('application/protobuf', { 'content-length': '<any-length>' }),
  ndjson: negotiated('application/x-ndjson', { 'transfer-encoding': 'chunked' }),
  arrow: negotiated('application/vnd.apache.arrow.stream', { 'transfer-encoding': 'chunked' }),
  /** A snapshot (SYN-05). */
  snapshot: {
    'content-type': 'application/json; charset=utf-8',
    'content-length': '<any-length>',
    date: '<any-date>',
    etag: 'W/"<any-epoch>-<any-revision>"',
    'cache-control': 'no-cache',
  },
  /** A 304 for a snapshot (SYN-06). */
  unchanged: { date: '<any-date>', etag: 'W/"<any-epoch>-<any-revision>"', 'cache-control': 'no-cache' },
  /** Responses to typed calls (RPC-01, RPC-07). */
  rpc: negotiated('application/json; charset=utf-8', { 'content-length': '<any-length>', ...TIMING }),
  'rpc-msgpack': negotiated('application/vnd.msgpack', { 'content-length': '<any-length>', ...TIMING }),
  'rpc-none': { date: '<any-date>', ...TIMING },
  /** A 204 (HTT-04). */
  empty: { date: '<any-date>' },
  /** Answers of the HTTP parser (HTT-08). */
};

function negotiated(type: string, length: HeaderMap): HeaderMap {
  return { 'content-type': type, ...length, date: '<any-date>', vary: 'Accept' };
}

/** Compares structurally with wildcards, including the order of keys. */
export function matchJson(expected: unknown, actual: unknown, where = 'body'): Difference[] {
  const wildcard = wildcardOf(expected);
  if (wildcard) return fitsWildcard(wildcard, actual) ? [] : [differ(where, expected, actual)];
  if (Array.isArray(expected) && Array.isArray(actual)) return matchArrays(expected, actual, where);
  if (isObject(expected) && isObject(actual)) return matchObjects(expected, actual, where);
  return Object.is(expected, actual) ? [] : [differ(where, expected, actual)];
}

/** Compares text that may contain wildcards. */
export function matchText(expected: string, actual: string, where = 'body'): Difference[] {
  return textPattern(expected).test(actual) ? [] : [differ(where, expected, actual)];
}

/** Compares the whole set of headers: case-insensitive names, repeated ones as often as expected. */
export function matchHeaders(
  expected: HeaderMap,
  actual: readonly Header[],
  body: { readonly length: number; readonly absent: boolean },
): Difference[] {
  const want = new Map(Object.entries(expected).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  const got = new Map<string, string[]>();
  for (const [name, value] of actual) {
    const key = name.toLowerCase();
    got.set(key, [...(got.get(key) ?? []), value]);
  }
  const differences: Difference[] = [];
  for (const name of new Set([...want.keys(), ...got.keys()])) {
    const wanted = want.get(name);
    const values = got.get(name);
    const where = `header ${name}`;
    if (!wanted || !values || wanted.length !== values.length) {
      differences.push({
        where,
        expected: wanted?.join(' | ') ?? '(absent)',
        got: values?.join(' | ') ?? '(absent)',
      });
      continue;
    }
    wanted.forEach((value, index) => {
      differences.push(...matchText(value as string, values[index]!, where));
    });
    if (wanted[0] === '<any-length>' && !body.absent && values[0] !== String(body.length)) {
      differences.push({ where, expected: `${body.length}, the length of the body`, got: values[0]! });
    }
  }
  return differences;
}

function matchArrays(expected: readonly unknown[], actual: readonly unknown[], where: string): Difference[] {
  if (expected.length !== actual.length) return [differ(where, expected, actual)];
  return expected.flatMap((value, index) => matchJson(value, actual[index], `${where}/${index}`));
}

function matchObjects(
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  where: string,
): Difference[] {
  const want = Object.keys(expected);
  const got = Object.keys(actual);
  if (want.join('\n') !== got.join('\n'))
    return [{ where: `${where} keys`, expected: want.join(' '), got: got.join(' ') }];
  return want.flatMap((key) => matchJson(expected[key], actual[key], `${where}/${key}`));
}

function differ(where: string, expected: unknown, actual: unknown): Difference {
  return { where, expected: show(expected), got: show(actual) };
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
