/**
 * Generates random requests for the stream: its parameters in all combinations, especially lists of topics.
 *
 * Invariant: every request is answered at once.
 */
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { QUERY_VALUES } from './pools.ts';

/** Parameters of the stream in the order of their checks, the newer ones more often. */
const STREAM_NAMES = [
  'session_id',
  'event_type',
  'after',
  'epoch',
  'mode',
  'mode',
  'min_interval_ms',
  'min_interval_ms',
  'topics',
  'topics',
  'topics',
] as const;

const TOPICS = [
  'events',
  'stats',
  'sessions',
  'session:s1',
  'session:s%2531',
  'session:a%252Cb',
  'session:a%2Cb',
  'session:s%2F4+%2525',
  'session:%2520',
  'session:s1%2520',
  'session:',
  'session',
  'Events',
  'session:%25zz',
  'session:%25C3',
  'session:%2500',
  'session:%C3%A9',
  'session:%25C3%25A9',
  'session:%25ED%25A0%2580',
  'session:session:',
  `session:${'x'.repeat(256)}`,
  `session:${'x'.repeat(257)}`,
  '',
  '%20stats',
  '%00',
  '%zz',
] as const;

/** Returns a request. Unless it is a HEAD, its last topic is invalid: an open stream has no end to compare. */
export function streamRequest(random: Random): Outgoing {
  const method = random.pick(['GET', 'HEAD']);
  const pairs = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(STREAM_NAMES);
    return `${name}=${name === 'topics' && random.chance(0.8) ? topicList(random) : random.pick(QUERY_VALUES)}`;
  });
  if (method === 'GET') pairs.push('topics=nothing');
  return compose(method, `/api/stream?${pairs.join('&')}`, [['Host', '127.0.0.1']], Buffer.alloc(0));
}

function topicList(random: Random): string {
  const count = random.chance(0.9) ? 1 + random.below(4) : 15 + random.below(4);
  return Array.from({ length: count }, () => random.pick(TOPICS)).join(random.pick([',', ',', '%2C']));
}
