/**
 * Random reads of attachments (rules ATT-06 to ATT-08): lists, and contents with ranges and tags.
 */
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { acceptHeaders } from './accepts.ts';
import { someContent } from './attachment-contents.ts';
import { RANGES } from './attachment-pools.ts';
import { event, query } from './attachment-targets.ts';
import { METHODS } from './header-pools.ts';

/** Returns a request for the list of an event's attachments. */
export function attachmentList(random: Random): Outgoing {
  const headers: Header[] = [['Host', '127.0.0.1']];
  if (random.chance(0.2)) headers.push(...acceptHeaders(random));
  const method = random.chance(0.9) ? 'GET' : random.pick(METHODS);
  const slash = random.chance(0.97) ? '' : '/';
  return compose(
    method,
    `/api/events/${event(random)}/attachments${slash}${query(random)}`,
    headers,
    Buffer.alloc(0),
  );
}

/** Returns a request for the bytes of an attachment. */
export function attachmentRead(random: Random): Outgoing {
  const { bytes, sha256 } = someContent(random);
  const headers: Header[] = [['Host', '127.0.0.1']];
  if (random.chance(0.6)) {
    const count = random.chance(0.96) ? 1 : 2;
    for (let index = 0; index < count; index += 1) headers.push(['Range', range(random, bytes.length)]);
  }
  if (random.chance(0.15)) headers.push(['If-Range', tag(random, sha256)]);
  if (random.chance(0.2)) headers.push(['If-None-Match', tag(random, sha256)]);
  if (random.chance(0.1)) headers.push(...acceptHeaders(random));
  if (random.chance(0.05)) headers.push(['Accept-Encoding', 'gzip, zstd']);
  if (random.chance(0.05))
    headers.push(['Origin', random.pick(['null', 'http://evil.test', 'http://localhost'])]);
  if (random.chance(0.03)) headers.push(['Connection', 'close']);
  const method = random.chance(0.8) ? 'GET' : random.chance(0.7) ? 'HEAD' : random.pick(METHODS);
  return compose(
    method,
    `/api/attachments/${hash(random, sha256)}${query(random)}`,
    headers,
    Buffer.alloc(0),
  );
}

function hash(random: Random, sha256: string): string {
  if (random.chance(0.93)) return sha256;
  return random.pick([
    sha256.toUpperCase(),
    sha256.slice(1),
    `${sha256}0`,
    `${sha256}/`,
    `%${sha256.charCodeAt(0).toString(16)}${sha256.slice(1)}`,
    sha256.replace(/^./, 'g'),
    '0'.repeat(64),
    'x',
    '',
    '..%2F..',
  ]);
}

/** Returns a range near this size, or one with a syntax error. */
function range(random: Random, size: number): string {
  if (random.chance(0.35)) return random.pick(RANGES);
  const edge = (): number =>
    Math.max(0, random.pick([0, 1, 2, size >> 1, size - 2, size - 1, size, size + 1]));
  const roll = random.next();
  if (roll < 0.2) return `bytes=-${edge()}`;
  if (roll < 0.4) return `bytes=${edge()}-`;
  if (roll < 0.9) return `bytes=${edge()}-${edge()}`;
  return `bytes=${edge()}-${edge()},${random.pick(['', ' '])}${edge()}-`;
}

function tag(random: Random, sha256: string): string {
  const own = `"${sha256}"`;
  if (random.chance(0.4)) return own;
  return random.pick([
    `W/${own}`,
    `"x", ${own}`,
    `W/"x",W/${own}`,
    `${own}, "x`,
    sha256,
    `"${sha256.toUpperCase()}"`,
    `"${'0'.repeat(64)}"`,
    '*',
    '"*"',
    '',
    'Wed, 25 Nov 2026 00:00:00 GMT',
  ]);
}
