/**
 * Random requests: ingest, reads with odd queries, odd headers, and heads with a byte changed.
 *
 * What must stay true: nothing depends on the clock or on a port, so that a seed names the same bytes for both
 * servers and for ever.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compose, type Outgoing } from '../http-client.ts';
import type { Header } from '../http-parser.ts';
import type { Random } from '../random.ts';
import { batchText, eventText, mutate } from './bodies.ts';
import { timestampText } from './values.ts';

const QUERY_NAMES = [
  'session_id',
  'agent_type',
  'event_type',
  'tool_name',
  'status',
  'branch',
  'project',
  'model',
  'source',
  'after',
  'before',
  'order',
  'limit',
  'exclude_status',
  'results',
  'nothing',
  'Limit',
  'limit%20',
  'l%69mit',
  'events[]',
  '',
] as const;

const QUERY_VALUES = [
  's1',
  's2',
  'claude',
  'tool_use',
  'error',
  'success',
  'Bash',
  'main',
  'p1',
  'm1',
  'api',
  'asc',
  'desc',
  '0',
  '1',
  '2',
  '3',
  '10',
  '50',
  '1000',
  '1001',
  '-1',
  '1.0',
  '1e2',
  '01',
  '+1',
  '9007199254740991',
  '9007199254740992',
  '',
  '%20',
  '+',
  'a+b',
  '%',
  '%zz',
  '%C3%A9',
  '%C3',
  '%ED%A0%80',
  '%00',
  '%F0%9F%98%80',
  'x=y',
  'idle',
  'ended',
  'TRUE',
  '%31',
  "a'b",
] as const;

const PATHS = [
  '/api/events',
  '/api/events',
  '/api/events',
  '/api/sessions',
  '/api/sessions/s1',
  '/api/sessions/s%31',
  '/api/sessions/s%2F4%20%25',
  '/api/stats',
  '/api/stats/tools',
  '/api/stats/cost',
  '/api/filter-options',
  '/api/events/1',
  '/api/events/2',
  '/api/events/999999',
  '/api/events/0',
  '/api/events/-1',
  '/api/events/01',
  '/api/events/1.0',
  '/api/events/x',
  '/api/events/%31',
  '/api/sessions/%zz',
  '/api/sessions/',
  '/api/events/',
  '/api/Events',
  '/api/openapi.json',
  '/livez',
  '/readyz',
  '/',
  '//api/events',
  '/api/events/1/2',
  '/api//events',
  '/api/./events',
  '/api/events;x',
  '/api/events%20',
  '/favicon.ico',
  '/api/events/9007199254740993',
] as const;

const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'POST',
] as const;

const ODD_HEADERS: readonly Header[] = [
  ['Accept', '*/*'],
  ['Accept', 'application/json'],
  ['Accept', 'text/html'],
  ['Accept', 'application/*;q=0'],
  ['Accept', ''],
  ['Accept', 'text/html, application/json;q=0.1'],
  ['Accept', 'application/json;q=0'],
  ['Accept', '*/*;q=0, application/json'],
  ['Origin', 'null'],
  ['Origin', 'http://evil.test'],
  ['Origin', 'http://localhost'],
  ['Origin', ''],
  ['Origin', 'https://127.0.0.1'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Sec-Fetch-Site', 'none'],
  ['Sec-Fetch-Site', 'same-site'],
  ['Sec-Fetch-Site', 'x'],
  ['Expect', '100-continue'],
  ['Expect', '100-Continue'],
  ['Expect', 'x'],
  ['Authorization', 'Bearer x'],
  ['Access-Control-Request-Method', 'POST'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['Connection', 'Upgrade'],
  ['Connection', 'close'],
  ['Connection', 'keep-alive'],
  ['Cookie', 'a=b'],
  ['X-Forwarded-For', '1.2.3.4'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['Accept-Encoding', 'gzip'],
  ['TE', 'trailers'],
  ['Content-Length', '0'],
  ['Content-Length', '5'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip'],
  ['Host', 'localhost'],
  ['X-Long', 'x'.repeat(9_000)],
  ['Content-Type', 'application/json'],
  ['Content-Encoding', 'identity'],
  ['Last-Event-ID', 'x'],
];

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;Charset="UTF-8"',
  'application/json;',
  'application/json; ;',
  'application/json; charset=utf8',
  'application/json; charset=latin1',
  'application/json; x=y',
  'text/json',
  'text/plain',
  '',
  'x',
  'application/json, text/plain',
  'application/json ; charset=utf-8',
  'application/json;charset=utf-8;charset=utf-8',
  'application /json',
  'application/json; charset="utf-8',
  "application/json; charset='utf-8'",
  'application/vnd.api+json',
] as const;

const HOSTS = [
  'localhost',
  'LOCALHOST:1',
  '127.0.0.1',
  '[::1]',
  '[::1]:80',
  'a.localhost',
  'evil.test',
  '',
  '127.0.0.2',
  'localhost.',
  'localhost:x',
  'localhost@evil',
  '127.1',
  '[::1',
  '0.0.0.0',
] as const;

const ENCODINGS = [
  'gzip',
  'zstd',
  'GZIP',
  'identity',
  'x-gzip',
  'br',
  'deflate',
  'gzip, gzip',
  'gzip,',
  '',
] as const;

/** One random request. */
export function randomRequest(random: Random): Outgoing {
  const roll = random.next();
  if (roll < 0.45) return ingest(random, '/api/events', eventText(random));
  if (roll < 0.62)
    return ingest(
      random,
      `/api/events/batch${random.pick(['', '?results=1', '?results=0', '?results=2'])}`,
      batchText(random),
    );
  if (roll < 0.84)
    return compose(
      random.pick(['GET', 'GET', 'GET', 'HEAD']),
      target(random),
      [['Host', '127.0.0.1']],
      Buffer.alloc(0),
    );
  if (roll < 0.93) return oddHeaders(random);
  return mutatedHead(random);
}

function ingest(random: Random, path: string, body: string): Outgoing {
  const bytes = mutate(random, body);
  const headers: Header[] = [['Host', '127.0.0.1']];
  const type = random.chance(0.95) ? 'application/json' : random.pick(TYPES);
  if (random.chance(0.99)) headers.push(['Content-Type', type]);
  let sent: Buffer = bytes;
  if (random.chance(0.08)) {
    const encoding = random.pick(ENCODINGS);
    headers.push(['Content-Encoding', encoding]);
    if (/^gzip$/i.test(encoding)) sent = gzipSync(bytes);
    if (encoding === 'zstd') sent = zstdCompressSync(bytes);
    if (random.chance(0.3)) sent = mutateBytes(random, sent);
  }
  headers.push(['Content-Length', String(sent.length)]);
  return compose('POST', path, headers, sent);
}

function target(random: Random): string {
  const path = random.pick(PATHS);
  const count = random.chance(0.3) ? 0 : 1 + random.below(3);
  if (count === 0) return path;
  const pairs = Array.from({ length: count }, () => {
    if (random.chance(0.1))
      return `${random.pick(['since', 'until'])}=${encodeURIComponent(timestampText(random))}`;
    const name = random.pick(QUERY_NAMES);
    return random.chance(0.03) ? name : `${name}=${random.pick(QUERY_VALUES)}`;
  });
  return `${path}?${pairs.join(random.chance(0.97) ? '&' : random.pick(['&&', ';', '&amp;']))}`;
}

function oddHeaders(random: Random): Outgoing {
  const headers: Header[] = [['Host', random.chance(0.8) ? '127.0.0.1' : random.pick(HOSTS)]];
  for (let count = 1 + random.below(2); count > 0; count -= 1) headers.push(random.pick(ODD_HEADERS));
  if (random.chance(0.02)) headers.shift();
  if (random.chance(0.02))
    headers.push(...Array.from({ length: 101 }, (_, index): Header => [`x-${index}`, 'y']));
  return compose(random.pick(METHODS), target(random), headers, Buffer.alloc(0));
}

/** A head with a few bytes changed. Without a body, so that no server waits for one for long. */
function mutatedHead(random: Random): Outgoing {
  const method = random.pick(['GET', 'HEAD', 'OPTIONS'] as const);
  const whole = compose(
    method,
    random.pick(PATHS),
    [['Host', '127.0.0.1'], random.pick(ODD_HEADERS)],
    Buffer.alloc(0),
  );
  let head: Buffer = whole.head;
  for (let count = 1 + random.below(2); count > 0; count -= 1) head = mutateBytes(random, head);
  // The method of what is really sent decides whether an answer has a body.
  return {
    ...whole,
    method: head.subarray(0, 5).toString('latin1') === 'HEAD ' ? 'HEAD' : 'GET',
    head,
    awaitContinue: false,
  };
}

function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const odd = Buffer.from([
    random.pick([0, 9, 10, 11, 13, 0x20, 0x2f, 0x30, 0x3a, 0x3f, 0x41, 0x7b, 0x7f, 0x80, 0xe9, 0xff]),
  ]);
  const kind = random.below(3);
  if (kind === 0) return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at + 1)]);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
}
