/**
 * Generates the steps of one fuzzing session from a PRNG seed.
 *
 * A session begins on empty databases. Its requests are those of the differential grammar, mixed with repetitions,
 * deletions, restarts and swaps, and it ends with reads of everything. Nothing depends on an answer, so every part of
 * a session can run without the rest.
 */
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { randomRequest } from '../differential/requests.ts';
import { isRequest, type Step } from './step.ts';

/** Matches requests that rule HTT-08 leaves open: several spaces in a request line, and RTSP or ICE instead of HTTP. */
const LEFT_OPEN = /^[A-Z-]+ {2}|^[^\r\n]* {2}[A-Z]+\/|^[^\r\n]* (?:RTSP|ICE)\//;
const SESSIONS = ['s1', 's2', 's%2F4%20%25', 'unknown', 'h,1'] as const;
const READ_TYPES = ['json', 'ndjson', 'msgpack', 'protobuf', 'arrow'] as const;
/** Reads of everything that a database shows. The answers are the rows and the sums of both servers. */
const LAST_READS = [
  '/api/sessions?limit=1000',
  '/api/stats',
  '/api/stats/tools',
  '/api/stats/cost',
  '/api/filter-options',
  '/api/health',
];

/** Returns a session of about `count` steps. */
export function randomSession(random: Random, count: number): Step[] {
  const steps: Step[] = [];
  while (steps.length < count) {
    const step = randomStep(random, steps);
    if (isRequest(step) && LEFT_OPEN.test(step.sent.head.toString('latin1'))) continue;
    steps.push(step);
  }
  const rows = get('/api/events?order=asc&limit=1000000', [['Accept', mediaTypeOf('ndjson')]]);
  return [...steps, ...LAST_READS.map((path) => request(get(path))), request(rows)];
}

function randomStep(random: Random, before: readonly Step[]): Step {
  const roll = random.next();
  if (roll < 0.003) return { kind: 'restart', isKill: random.chance(0.5) };
  if (roll < 0.005) return { kind: 'swap' };
  if (roll < 0.02)
    return {
      kind: 'stream',
      after: random.below(before.length + 1),
      session: random.chance(0.5) ? undefined : 's1',
    };
  if (roll < 0.04) return request(deletion(random, before.length));
  if (roll < 0.06) return request(boundedRetention(random));
  if (roll < 0.12) {
    const earlier = before.length > 0 ? random.pick(before) : undefined;
    if (earlier !== undefined && isRequest(earlier)) return earlier;
  }
  if (roll < 0.16) return request(wholeRead(random, before.length));
  return request(randomRequest(random));
}

/** Returns a deletion, mostly of a few of the oldest events. */
function deletion(random: Random, most: number): Outgoing {
  if (random.chance(0.3)) return bare('DELETE', `/api/sessions/${random.pick(SESSIONS)}`);
  const before = random.chance(0.8)
    ? random.below(most + 2)
    : random.pick(['0', '-1', 'x', '', '9007199254740992']);
  return bare('DELETE', `/api/events?before=${before}`);
}

/** Returns a change of bounds by which nothing is old enough to be deleted. */
function boundedRetention(random: Random): Outgoing {
  const days = random.pick(['0', '1', '30', '36500', '-1', 'x', '', '1.5']);
  return bare('PUT', `/api/retention?days=${days}${random.pick(['', '&bytes=0', '&days=1', '&x=1'])}`);
}

/** Returns a read of many rows, in any format, from a random id. */
function wholeRead(random: Random, most: number): Outgoing {
  const cursor = random.pick([
    'limit=1000',
    `after=${random.below(most + 1)}&limit=1000`,
    `before=${random.below(most + 2)}`,
  ]);
  const path = random.pick(['/api/events', '/api/events', '/api/snapshot/events']);
  const query = path === '/api/events' ? cursor : `since=${random.below(most + 2)}`;
  return get(`${path}?${query}`, [['Accept', mediaTypeOf(random.pick(READ_TYPES))]]);
}

function request(sent: Outgoing): Step {
  return { kind: 'request', sent };
}

function get(path: string, headers: readonly Header[] = []): Outgoing {
  return bare('GET', path, headers);
}

function bare(method: string, path: string, headers: readonly Header[] = []): Outgoing {
  return compose(method, path, [['Host', '127.0.0.1'], ...headers], Buffer.alloc(0));
}
