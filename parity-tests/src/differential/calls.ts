/**
 * Generates random requests of typed calls (rules RPC-01 to RPC-07): in JSON and MessagePack, with mutated bytes, and
 * any `Accept`.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { encodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { acceptHeaders } from './accepts.ts';
import { mutate } from './bodies.ts';
import { callsText } from './call-bodies.ts';
import { chunked } from './chunked.ts';
import { ENCODINGS, METHODS, TYPES } from './header-pools.ts';
import { msgpackCalls } from './msgpack-calls.ts';

/** Returns a request with calls; sometimes one for the schema, or one with a method that is not allowed. */
export function callRequest(random: Random): Outgoing {
  const roll = random.next();
  if (roll < 0.02) return withoutBody(random);
  const isMsgpack = roll < 0.35;
  const bytes = isMsgpack ? inMsgpack(random) : mutate(random, callsText(random));
  const own = isMsgpack
    ? random.pick(['application/msgpack', 'application/vnd.msgpack'])
    : 'application/json';
  const type = random.chance(0.97)
    ? own
    : random.pick([...TYPES, mediaTypeOf('msgpack'), mediaTypeOf('ndjson')]);
  const headers: Header[] = [['Host', '127.0.0.1']];
  if (random.chance(0.99)) headers.push(['Content-Type', type]);
  if (random.chance(0.5)) headers.push(...accepts(random));
  let sent = random.chance(0.05) ? encoded(random, headers, bytes) : bytes;
  if (random.chance(0.03)) headers.push(['Expect', '100-continue']);
  if (random.chance(0.05)) {
    headers.push(['Transfer-Encoding', 'chunked']);
    sent = chunked(random, sent);
  } else headers.push(['Content-Length', String(sent.length)]);
  const path = random.chance(0.97)
    ? '/api/rpc'
    : random.pick(['/api/rpc?limit=1', '/api/rpc?x=%zz', '/api/rpc/', '/api/RPC']);
  return compose('POST', path, headers, sent);
}

function accepts(random: Random): Header[] {
  if (random.chance(0.4)) return acceptHeaders(random);
  return [['Accept', random.pick([mediaTypeOf('msgpack'), mediaTypeOf('msgpack'), mediaTypeOf('json')])]];
}

function withoutBody(random: Random): Outgoing {
  const path = random.chance(0.5) ? '/api/rpc/schema' : '/api/rpc';
  const headers: Header[] = [['Host', '127.0.0.1'], ...acceptHeaders(random)];
  return compose(random.pick(METHODS), path, headers, Buffer.alloc(0));
}

/** Returns the values of a JSON body in MessagePack, or bytes that no library writes. */
function inMsgpack(random: Random): Buffer {
  if (random.chance(0.4)) return msgpackCalls(random);
  for (let tries = 0; tries < 5; tries += 1) {
    const bytes = asMsgpack(callsText(random));
    if (bytes !== undefined) return changed(random, bytes);
  }
  return msgpackCalls(random);
}

/** Returns `undefined` when the text is not JSON. */
function asMsgpack(text: string): Buffer | undefined {
  try {
    return encodeMsgpack(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the bytes, rarely with one byte changed, inserted or removed, or cut off at a random position. */
function changed(random: Random, bytes: Buffer): Buffer {
  if (random.chance(0.75) || bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const odd = Buffer.from([random.below(256)]);
  const rest = [bytes.subarray(at + 1), bytes.subarray(at), bytes.subarray(at + 1), Buffer.alloc(0)];
  const kind = random.below(4);
  return Buffer.concat([bytes.subarray(0, at), kind < 2 ? odd : Buffer.alloc(0), rest[kind]!]);
}

function encoded(random: Random, headers: Header[], bytes: Buffer): Buffer {
  const encoding = random.pick(ENCODINGS);
  headers.push(['Content-Encoding', encoding]);
  if (/^gzip$/i.test(encoding)) return gzipSync(bytes);
  return encoding === 'zstd' ? zstdCompressSync(bytes) : bytes;
}
