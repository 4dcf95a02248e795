/**
 * The requests of one order. Request k contains the events k*size to k*size+size-1 of the order's range.
 *
 * Invariants: a request depends only on its number, for every driver and order. Its body is built only on demand.
 */
import { batchBody, type Range, singleBody } from '../bodies.ts';
import type { Pool } from '../pool.ts';
import type { Job } from './driver.ts';

const PATHS: Readonly<Record<Job['endpoint'], string>> = {
  batch: '/api/events/batch',
  single: '/api/events',
};

export class Requests {
  readonly path: string;
  /** Number of requests. The last one may contain fewer events. */
  readonly count: number;
  readonly #pool: Pool;
  readonly #job: Job;
  readonly #range: Range;

  constructor(pool: Pool, job: Job, range: Range) {
    if (job.endpoint === 'single' && job.batchSize !== 1)
      throw new RangeError(`a single event a request, not ${job.batchSize}`);
    this.path = PATHS[job.endpoint];
    this.count = Math.ceil(range.count / job.batchSize);
    this.#pool = pool;
    this.#job = job;
    this.#range = range;
  }

  events(number: number): number {
    const { batchSize } = this.#job;
    return Math.min(batchSize, this.#range.count - number * batchSize);
  }

  body(number: number): Buffer {
    const first = this.#range.first + number * this.#job.batchSize;
    if (this.#job.endpoint === 'single') return singleBody(this.#pool, first);
    return batchBody(this.#pool, { first, count: this.events(number) });
  }
}
