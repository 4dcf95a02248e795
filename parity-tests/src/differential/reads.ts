/**
 * Generates random reads of the two routes with formats: filters, cursors and page sizes that mostly find events, and
 * any `Accept`.
 */
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import CONTRACT from '../../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import { acceptHeaders } from './accepts.ts';
import { QUERY_VALUES } from './pools.ts';

/** Values that events of `bodies.ts` have; a filter without an entry uses those of any text. */
const FILTER_VALUES: Readonly<Record<string, readonly string[]>> = {
  session_id: ['s1', 's2', 's3', 's%2F4%20%25', 'bulk', 'h%2C1', 'none'],
  agent_type: ['claude', 'codex', 'a%C3%A9', 'Z', 'z'],
  event_type: ['tool_use', 'error', 'session_start', 'llm_response'],
  status: ['success', 'error', 'timeout'],
  tool_name: ['Bash', 'Read', 'b%C3%A2sh'],
  branch: ['main', 'dev'],
  project: ['p1', 'p2', '%F0%9F%98%80'],
  model: ['m1', 'm2'],
  source: ['api', 'hook', 'otel', 'import'],
};
const ANY_TEXT = ['t1', 't2'];
const NEED_SESSION = Object.entries(CONTRACT.fields).flatMap(([name, field]) =>
  'filter_needs' in field ? [name] : [],
);

/** Most pages are small, since decoding an Arrow answer is slow. */
const PAGE_SIZES = [1, 2, 3, 10, 10, 50, 100, 257];
const EDGES = [
  0,
  LIMITS.page_max,
  LIMITS.page_max + 1,
  LIMITS.export_page_rows,
  LIMITS.export_page_rows + 1,
  LIMITS.export_max + 1,
  '-1',
  '01',
  '1.0',
  '',
];

/** Returns a `GET` or `HEAD`. */
export function formattedRead(random: Random): Outgoing {
  const isSnapshot = random.chance(0.3);
  const path = isSnapshot ? '/api/snapshot/events' : '/api/events';
  const pairs = isSnapshot ? snapshotPairs(random) : eventPairs(random);
  if (random.chance(0.05)) pairs.push(`${random.pick(['limit', 'order', 'x'])}=${random.pick(QUERY_VALUES)}`);
  const headers: Header[] = [['Host', '127.0.0.1'], ...acceptHeaders(random)];
  if (random.chance(0.05)) headers.push(['If-None-Match', random.pick(['*', '"x"', 'W/"x-1", *', ''])]);
  if (random.chance(0.03)) headers.push(['Origin', random.pick(['null', 'http://evil.test'])]);
  if (random.chance(0.03)) headers.push(['Connection', 'close']);
  if (random.chance(0.03)) headers.push(['Accept-Encoding', 'gzip']);
  const query = pairs.length > 0 ? `?${pairs.join('&')}` : '';
  const sent = compose(random.chance(0.93) ? 'GET' : 'HEAD', `${path}${query}`, headers, Buffer.alloc(0));
  return random.chance(0.97) ? sent : { ...sent, head: inOldVersion(sent.head) };
}

/** Returns the same head in HTTP/1.0. The end of the connection ends such an answer if its length is unknown. */
function inOldVersion(head: Buffer): Buffer {
  return Buffer.from(head.toString('latin1').replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n'), 'latin1');
}

function eventPairs(random: Random): string[] {
  const pairs: string[] = [];
  for (let count = random.pick([0, 0, 0, 1, 1, 2, 3]); count > 0; count -= 1) {
    const name = random.pick(CONTRACT.filters);
    const values = FILTER_VALUES[name] ?? ANY_TEXT;
    if (NEED_SESSION.includes(name)) pairs.push(`session_id=${random.pick(['s1', 's2'])}`);
    pairs.push(`${name}=${random.pick(values)}`);
  }
  const cursor = random.next();
  if (cursor < 0.25) pairs.push(`after=${id(random)}`);
  else if (cursor < 0.5) pairs.push(`before=${id(random)}`);
  if (random.chance(0.25)) pairs.push(`order=${random.pick(['asc', 'desc'])}`);
  if (random.chance(0.05))
    pairs.push(`since=${random.pick(['2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])}`);
  if (random.chance(0.05))
    pairs.push(`until=${random.pick(['2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])}`);
  return [...pairs, ...limit(random)];
}

function snapshotPairs(random: Random): string[] {
  const pairs: string[] = [];
  if (random.chance(0.5)) pairs.push(`since=${id(random)}`);
  // Adds the epoch of another database.
  if (random.chance(0.1)) pairs.push(`epoch=${random.pick(['x', '00000000-0000-4000-8000-000000000000'])}`);
  if (random.chance(0.05)) pairs.push('wait=0');
  return [...pairs, ...limit(random)];
}

function limit(random: Random): string[] {
  const roll = random.next();
  if (roll < 0.3) return [];
  if (roll < 0.9) return [`limit=${random.pick(PAGE_SIZES)}`];
  if (roll < 0.99) return [`limit=${random.pick(EDGES)}`];
  // Requests all events of a session that has few.
  return ['session_id=s3', `limit=${LIMITS.export_max}`];
}

/** Returns an id that may exist, or one at a limit. */
function id(random: Random): string {
  if (random.chance(0.1)) return random.pick(['0', '1', '9007199254740991', '9007199254740992', '-1', '01']);
  return String(random.below(10 ** (1 + random.below(5))));
}
