/** Chooses events and queries for the paths of attachments. */
import type { Random } from '@twin-ingest/testkit/random.ts';

/** Requests use the ids of this many events. */
const EVENTS = 12;

/** Returns mostly the id of one of the first events, so that names collide. */
export function event(random: Random): string {
  const roll = random.next();
  if (roll < 0.85) return String(1 + random.below(EVENTS));
  if (roll < 0.93) return String(random.below(10 ** (1 + random.below(4))));
  return random.pick([
    '0',
    '-1',
    '01',
    '999999',
    '9007199254740991',
    '9007199254740993',
    'x',
    '%31',
    '',
    '1.0',
  ]);
}

/** Returns a query, which is rarely present. The servers ignore it. */
export function query(random: Random): string {
  return random.chance(0.95) ? '' : random.pick(['?x=1', '?limit=2', '?name=%zz', '?']);
}
