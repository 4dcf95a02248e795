/**
 * Random uploads of attachments (rules ATT-01 to ATT-05): names, media types, encodings, and digests.
 */
import { gzipSync } from 'node:zlib';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { acceptHeaders } from './accepts.ts';
import { CONTENTS, someContent } from './attachment-contents.ts';
import { DIGEST_FORMS, MEDIA_TYPES, NAMES } from './attachment-pools.ts';
import { event, query } from './attachment-targets.ts';
import { chunked } from './chunked.ts';
import { METHODS } from './header-pools.ts';

/** Returns an upload. Its method is nearly always `PUT`. */
export function attachmentUpload(random: Random): Outgoing {
  const { bytes, sha256 } = someContent(random);
  const headers: Header[] = [['Host', '127.0.0.1']];
  const count = random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  for (let index = 0; index < count; index += 1) headers.push(['Content-Type', mediaType(random)]);
  if (random.chance(0.35)) headers.push(...digests(random, sha256));
  let sent: Buffer = bytes;
  if (random.chance(0.04)) {
    const encoding = random.pick(['identity', 'Identity', 'gzip', 'zstd', 'br', 'identity, identity', '']);
    headers.push(['Content-Encoding', encoding]);
    if (encoding === 'gzip') sent = gzipSync(bytes);
  }
  if (random.chance(0.03)) headers.push(...acceptHeaders(random));
  if (random.chance(0.05)) headers.push(['Expect', '100-continue']);
  if (random.chance(0.03)) headers.push(['Connection', 'close']);
  if (random.chance(0.1)) {
    headers.push(['Transfer-Encoding', 'chunked']);
    sent = chunked(random, sent);
  } else headers.push(['Content-Length', String(sent.length)]);
  const method = random.chance(0.97) ? 'PUT' : random.pick(METHODS);
  return compose(
    method,
    `/api/events/${event(random)}/attachments/${name(random)}${query(random)}`,
    headers,
    sent,
  );
}

function mediaType(random: Random): string {
  return random.chance(0.6) ? 'text/plain' : random.pick(MEDIA_TYPES);
}

/** Returns mostly one of a few valid names. */
function name(random: Random): string {
  if (random.chance(0.6)) return random.pick(['a.txt', 'b.png', 'c%20d.bin', '%C3%A9.json', 'payload.json']);
  return random.chance(0.7) ? random.pick(NAMES) : encodeURIComponent(`n${random.below(1_000)}.txt`);
}

/** Returns headers with the digest of the content, or of another one, in all forms that a client may write. */
function digests(random: Random, sha256: string): Header[] {
  const other = random.pick(CONTENTS).sha256;
  const right = base64(random.chance(0.8) ? sha256 : other);
  const form = (): string =>
    random.pick(DIGEST_FORMS).replaceAll('RIGHT', right).replaceAll('OTHER', base64(other));
  const value = random.chance(0.5) ? `sha-256=:${right}:` : form();
  const first: Header = [random.chance(0.9) ? 'Content-Digest' : 'content-digest', value];
  return random.chance(0.95) ? [first] : [first, ['Content-Digest', form()]];
}

function base64(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64');
}
