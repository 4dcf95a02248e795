/**
 * Generates random requests: ingest, hooks, calls, attachments, telemetry, reads in every format, unusual queries and
 * headers, and mutated heads.
 *
 * Invariant: nothing depends on the clock or on a port, so that a PRNG seed always gives the same bytes for both
 * servers.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { acceptText } from './accepts.ts';
import { attachmentList, attachmentRead } from './attachment-reads.ts';
import { attachmentUpload } from './attachment-uploads.ts';
import { batchText, eventText, mutate } from './bodies.ts';
import { bulkIngest } from './bulk.ts';
import { callRequest } from './calls.ts';
import { inOtherFormat } from './formats.ts';
import { ENCODINGS, HOSTS, METHODS, ODD_HEADERS, TYPES } from './header-pools.ts';
import { hookText } from './hooks.ts';
import { msgpackBody } from './msgpack-bodies.ts';
import { otlpUpload } from './otlp-requests.ts';
import { PATHS, QUERY_NAMES, QUERY_VALUES } from './pools.ts';
import { protobufBody } from './protobuf-bodies.ts';
import { formattedRead } from './reads.ts';
import { streamRequest } from './stream-requests.ts';
import { timestampText } from './values.ts';

const HOOK_PATHS = ['/api/hooks/claude-code', '/api/hooks/codex'];

/** Returns one random request. */
export function randomRequest(random: Random): Outgoing {
  const group = random.next();
  if (group < 0.12) return callRequest(random);
  if (group < 0.17) return attachmentUpload(random);
  if (group < 0.18) return attachmentList(random);
  if (group < 0.22) return attachmentRead(random);
  if (group < 0.34) return otlpUpload(random);
  if (group < 0.35) return compose('GET', '/api/health', [['Host', '127.0.0.1']], Buffer.alloc(0));
  const roll = random.next();
  if (roll < 0.06) return binaryIngest(random);
  if (roll < 0.38) return ingest(random, '/api/events', eventText(random));
  if (roll < 0.45) return ingest(random, random.pick(HOOK_PATHS), hookText(random));
  if (roll < 0.62)
    return ingest(
      random,
      `/api/events/batch${random.pick(['', '?results=1', '?results=0', '?results=2'])}`,
      batchText(random),
    );
  if (roll < 0.63) return dismissal(random);
  if (roll < 0.6495) return streamRequest(random);
  if (roll < 0.65) return bulkIngest(random);
  if (roll < 0.8) return formattedRead(random);
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

function dismissal(random: Random): Outgoing {
  const session = random.pick(['s1', 's2', 's%2F4%20%25', 'unknown', 'h,1', 'none', '%zz']);
  const query = random.pick(['', '', '?limit=1', '?limit=0']);
  const path = `/api/sessions/${session}/dismiss${query}`;
  return compose('POST', path, [['Host', '127.0.0.1']], Buffer.alloc(0));
}

function ingest(random: Random, path: string, body: string): Outgoing {
  const other = random.chance(0.4) ? inOtherFormat(random, body) : undefined;
  const bytes = other?.bytes ?? mutate(random, body);
  const headers: Header[] = [['Host', '127.0.0.1']];
  const type = random.chance(0.95) ? (other?.type ?? 'application/json') : random.pick(TYPES);
  if (random.chance(0.99)) headers.push(['Content-Type', type]);
  let sent: Buffer = bytes;
  if (random.chance(0.08)) {
    const encoding = random.pick(ENCODINGS);
    headers.push(['Content-Encoding', encoding]);
    if (/^gzip$/i.test(encoding)) sent = gzipSync(bytes);
    if (encoding === 'zstd') sent = zstdCompressSync(bytes);
    if (sent.length > 0 && random.chance(0.3)) sent = mutateBytes(random, sent);
  }
  headers.push(['Content-Length', String(sent.length)]);
  return compose('POST', path, headers, sent);
}

/** Returns a body in MessagePack or Protobuf that no library writes. */
function binaryIngest(random: Random): Outgoing {
  const isBatch = random.chance(0.5);
  const format = random.pick(['msgpack', 'protobuf'] as const);
  const body = (format === 'msgpack' ? msgpackBody : protobufBody)(random, isBatch);
  const headers: Header[] = [
    ['Host', '127.0.0.1'],
    ['Content-Type', mediaTypeOf(format)],
    ['Content-Length', String(body.length)],
  ];
  return compose('POST', isBatch ? '/api/events/batch' : '/api/events', headers, body);
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
  if (random.chance(0.1)) headers.push(['Accept', acceptText(random)]);
  if (random.chance(0.02)) headers.shift();
  if (random.chance(0.02))
    headers.push(...Array.from({ length: 101 }, (_, index): Header => [`x-${index}`, 'y']));
  return compose(random.pick(METHODS), target(random), headers, bodyFor(random, headers));
}

/** Returns the body that these headers declare. It is rarely missing, since a server must then wait for it. */
function bodyFor(random: Random, headers: readonly Header[]): Buffer {
  const says = (name: string, value: string): boolean =>
    headers.some(([one, other]) => one === name && other === value);
  if (random.chance(0.05)) return Buffer.alloc(0);
  if (says('Transfer-Encoding', 'chunked')) return Buffer.from('2\r\n{}\r\n0\r\n\r\n');
  return Buffer.from(says('Content-Length', '5') ? '[1,2]' : '');
}

/** Returns a request whose head has a few changed bytes. */
function mutatedHead(random: Random): Outgoing {
  const method = random.pick(['GET', 'HEAD', 'OPTIONS'] as const);
  const headers: Header[] = [['Host', '127.0.0.1'], random.pick(ODD_HEADERS)];
  const whole = compose(method, random.pick(PATHS), headers, bodyFor(random, headers));
  let head: Buffer = whole.head;
  for (let count = 1 + random.below(2); count > 0; count -= 1) head = mutateBytes(random, head);
  // The method of the actual bytes determines whether an answer has a body. A server skips line ends before it.
  return {
    ...whole,
    method: /^[\r\n]*HEAD /.test(head.toString('latin1')) ? 'HEAD' : 'GET',
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
