/** The requests of one order: request k contains the events k*size to k*size+size-1 of the order's range. */
import { batchBody, type Range, singleBody } from '../bodies.ts';
import type { Pool } from '../pool.ts';
import type { Job } from './driver.ts';

export type Requests = ReturnType<typeof requestsOf>;

/** Returns requests that depend only on their number, for every driver. A body is built only on demand. */
export function requestsOf(pool: Pool, { endpoint, batchSize }: Job, range: Range) {
  const events = (number: number) => Math.min(batchSize, range.count - number * batchSize);
  return {
    path: endpoint === 'single' ? '/api/events' : '/api/events/batch',
    /** Number of requests. The last one may contain fewer events. */
    count: Math.ceil(range.count / batchSize),
    events,
    body(number: number): Buffer {
      const first = range.first + number * batchSize;
      if (endpoint === 'single') return singleBody(pool, first);
      return batchBody(pool, { first, count: events(number) });
    },
  };
}
